/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Formats of real kernels through both engines: how many degrade, random records, the same with damage, and where the
 * engines differ (event_differ.txt).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "event/event.h"
#include "tap.h"

#define RECORDS		3	/* a format; FTR_RECORDS overrides */
#define MUTATIONS_S	3

static const char kallsyms[] = "ffffffff81000000 T _text\nffffffff81001000 T vfs_read\n"
			       "ffffffffc0000000 t nfs_open\t[nfs]\n";
static const char printk[] = "0xffffffff82000000 : \"value=%d %s\\n\"\n";

static uint64_t seed;
static const char *engine;

static uint32_t rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed >> 16;
}

struct corpus {
	uint32_t kernel;	/* of the world: some constants depend on it */
	struct buf text;
	struct ev_format *v;
	size_t n, cap, bad;
};

static void parse_all(struct corpus *c)
{
	char *p = c->text.data, *body, *end;
	struct ftr_error err;

	while (p && (p = strstr(p, "@@FILE "))) {
		const char *sys = strchr(p, '/') + 1;
		char *name = xstrndup(sys, strcspn(sys, "/"));

		body = strchr(p, '\n') + 1;
		end = strstr(body, "\n@@FILE ");
		end = end ? end + 1 : c->text.data + c->text.len;
		c->v = xgrow(c->v, &c->cap, c->n + 1, sizeof(*c->v));
		if (ev_format_parse(&c->v[c->n], name, body, end - body, &err)) {
			c->bad++;
			free(name);
		} else {
			c->n++;
		}
		p = end;
	}
}

static void unload(struct corpus *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free((char *)c->v[i].system);
		ev_format_release(&c->v[i]);
	}
	free(c->v);
	buf_release(&c->text);
}

static int load(struct corpus *c, const char *name)
{
	unsigned int major, minor;
	const char *dir = getenv("FTR_FORMATS_DIR");
	char cmd[4096], chunk[65536];
	size_t n;
	FILE *f;

	if (sscanf(name, "%*[a-z]-%u.%u", &major, &minor) == 2 ||
	    sscanf(strrchr(name, '_') ? strrchr(name, '_') : "", "_%u.%u", &major, &minor) == 2)
		c->kernel = KERNEL_VERSION_OF(major, minor);
	snprintf(cmd, sizeof(cmd), "%s/%s", dir ? dir : "../shared/formats", name);
	if (access(cmd, R_OK))
		return -1;
	snprintf(cmd, sizeof(cmd), "xz -dc '%s/%s'", dir ? dir : "../shared/formats", name);
	f = popen(cmd, "r");
	while (f && (n = fread(chunk, 1, sizeof(chunk), f)))
		buf_add(&c->text, chunk, n);
	if (!f || pclose(f) || !c->text.len)
		return -1;
	parse_all(c);
	return 0;
}

/* Random bytes; half of the dynamic fields point into the record as they should. */
static uint32_t make_record(const struct ev_format *f, uint8_t *p, uint32_t cap)
{
	uint32_t len = f->min_len + rnd() % 64;

	if (len > cap)
		len = cap;
	for (uint32_t i = 0; i < len; i++)
		p[i] = rnd() % 3 ? rnd() : 0;
	for (size_t i = 0; i < f->nr_fields; i++) {
		const struct ev_field *fd = &f->fields[i];
		uint32_t at, n;

		if (fd->kind != EV_DATA_LOC || rnd() % 8 == 0 || fd->offset + 4 > len)
			continue;
		n = rnd() % (len - f->min_len + 1);
		at = f->min_len + rnd() % (len - f->min_len - n + 1);
		memcpy(p + fd->offset, (uint32_t[]){ at | n << 16 }, 4);
	}
	p[0] = f->id;
	p[1] = f->id >> 8;
	return rnd() % 16 ? len : rnd() % (len + 1);
}

struct counts {
	size_t degraded, dirty, empty;
};

static bool clean(const struct buf *b)
{
	for (size_t i = 0; i < b->len; i++)
		if (((unsigned char)b->data[i] < ' ' && b->data[i] != '\t' && b->data[i] != '\n') ||
		    b->data[i] == 0x7f)
			return false;
	return true;
}

static void render_some(struct ev_engine *e, const struct ev_format *f, unsigned int n, bool big, struct counts *c)
{
	static uint8_t space[70000];
	struct buf out = { 0 };

	for (unsigned int i = 0; i < n; i++) {
		uint32_t len = make_record(f, space, sizeof(space));
		/* Exactly as long as the record, so that a read beyond it is seen. */
		uint8_t *data = memcpy(xmalloc(len + !len), space, len);
		struct ev_rec r = { .fmt = f, .data = data, .len = len, .big = big, .long_size = 8 };

		buf_reset(&out);
		ev_render(e, &r, 0, 1000, &out);
		c->dirty += !clean(&out);
		c->empty += len >= f->min_len && !out.len && f->nr_fields > 4 && *f->print_fmt != '"';
		ev_render_raw(e, &r, &out);
		c->dirty += !clean(&out);
		free(data);
	}
	buf_release(&out);
	c->degraded += ev_degraded(e, f) != NULL;
}

static struct event_meta corpus_meta(struct corpus *c, struct ev_syms *syms, bool big)
{
	struct event_meta w = { .big = big, .long_size = 8, .page_size = 4096, .formats = c->v,
			      .nr_formats = c->n, .syms = syms };

	w.kernel = c->kernel;
	w.printk = printk;
	w.printk_len = sizeof(printk) - 1;
	return w;
}

static void test_corpus(const char *name, size_t formats, size_t max_degraded)
{
	unsigned int records = getenv("FTR_RECORDS") ? atoi(getenv("FTR_RECORDS")) : RECORDS;
	struct ev_syms *syms = ev_syms_new(kallsyms, sizeof(kallsyms) - 1);
	struct corpus c = { 0 };
	struct counts n = { 0 };

	if (load(&c, name)) {
		printf("skip - formats of %s # not beside the checkout, or no xz\n", name);
		goto out;
	}
	for (int big = 0; big < 2; big++) {
		struct event_meta w = corpus_meta(&c, syms, big);
		struct ev_engine *e = ev_engine_new(&w, engine, NULL);

		n.degraded = 0;
		for (size_t i = 0; i < c.n; i++)
			render_some(e, &c.v[i], records, big, &n);
		ev_engine_free(e);
	}
	printf("# %s: %zu formats, %zu degraded\n", name, c.n, n.degraded);
	TAP_OK(c.n == formats && !c.bad, name);
	TAP_OK(n.degraded <= max_degraded, "few formats are degraded");
	TAP_OK(!n.dirty, "no control bytes in what is rendered");
	TAP_OK(!n.empty, "something is rendered of each whole record");
out:
	unload(&c);
	ev_syms_free(syms);
}

static void mutate(char *p, size_t n)
{
	static const char *const words[] = {
		"REC->", "(", ")", "/ 0", "%*s", "%.*s", "-1", "__print_hex(", "__get_dynamic_array(", "sizeof(", "[",
		"]", ",", "\"", "{", "}", "? 0 :", "size:0;", "%pU", "%99999d", "__data_loc ", "__rel_loc ", "*", "/",
		"__get_rel_str(", "%s", "%*ph", "0", "9999999999", "'",
	};
	unsigned int edits = 1 + rnd() % 4;

	while (edits--) {
		size_t at = rnd() % n;
		const char *w = words[rnd() % (sizeof(words) / sizeof(*words))];

		switch (rnd() % 4) {
		case 0:
			p[at] = rnd();
			break;
		case 1:
			memcpy(p + at, w, strlen(w) < n - at ? strlen(w) : n - at);
			break;
		case 2:
			memmove(p + at, p + rnd() % (n - (n - at) / 8), (n - at) / 8);
			break;
		default:
			p[at] = " 0123456789,()*/%"[rnd() % 17];
		}
	}
}

/* One damaged format through everything. */
static size_t one_mutation(const char *text, size_t len)
{
	char *copy = memcpy(xmalloc(len), text, len);
	struct corpus c = { 0 };
	struct counts n = { 0 };
	struct ev_format f;
	struct event_meta w;
	struct ev_engine *e;

	mutate(copy, len);
	if (!ev_format_parse(&f, "x", copy, len, NULL)) {
		c.v = &f;
		c.n = 1;
		w = corpus_meta(&c, NULL, rnd() & 1);
		e = ev_engine_new(&w, engine, NULL);
		render_some(e, &f, 2, w.big, &n);
		ev_engine_free(e);
		ev_format_release(&f);
	}
	free(copy);
	return n.dirty;
}

static void test_mutations(const char *name)
{
	int seconds = getenv("FTR_SECONDS") ? atoi(getenv("FTR_SECONDS")) : MUTATIONS_S;
	struct corpus c = { 0 };
	size_t n = 0, dirty = 0;
	time_t end;

	if (load(&c, name)) {
		printf("skip - damaged formats of %s # not beside the checkout, or no xz\n", name);
		return;
	}
	for (end = time(NULL) + seconds; time(NULL) < end; n++) {
		char *p = strstr(c.text.data + rnd() % c.text.len, "\nname: "), *stop;

		if (!p)
			continue;
		stop = strstr(++p, "\n@@FILE ");
		if (stop)
			dirty += one_mutation(p, stop - p);
	}
	printf("# %zu damaged formats\n", n);
	TAP_OK(n > 100 && !dirty, "damaged formats do no harm");
	unload(&c);
}

/* --- beside libtraceevent */

#define DIFFER_RECORDS	20	/* a format; 1000 with FTR_LONG=1 */
#define CLASSES_MAX	20

/* A class of event_differ.txt. */
struct class {
	char name[32];
	char *events;		/* " a:b c:d " */
	size_t seen;
};

static struct class classes[CLASSES_MAX];
static size_t nr_classes;

static void load_classes(void)
{
	const char *top = getenv("FTR_TOP");
	char path[4096], line[4096];
	struct buf events = { 0 };
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/unit/event_differ.txt", top ? top : ".");
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = 0;
		if (*line == '\t' && nr_classes) {
			buf_printf(&events, " %s ", line + 1);
			free(classes[nr_classes - 1].events);
			classes[nr_classes - 1].events = xstrdup(events.data);
		} else if (*line && *line != '#' && nr_classes < CLASSES_MAX) {
			buf_reset(&events);
			snprintf(classes[nr_classes].name, sizeof(classes[0].name), "%.*s",
				 (int)strcspn(line, ":"), line);
			classes[nr_classes++].events = xstrdup("");
		}
	}
	if (f)
		fclose(f);
	buf_release(&events);
}

static struct class *find_class(const struct ev_format *f)
{
	char key[256];

	snprintf(key, sizeof(key), " %s:%s ", f->system, f->name);
	for (size_t i = 0; i < nr_classes; i++)
		if (strstr(classes[i].events, key))
			return &classes[i];
	return NULL;
}

/*
 * The digits of pointers: the kernel pads %p with zeros and has no 0x; a negative int that no table
 * names is the hex of a long. "(nil)", "(einval)" for addresses of no family, and (0x..) for strings
 * that are not in the file.
 */
static void plain_digits(struct buf *out, const char *s)
{
	static const char *const words[] = { "(nil)", "(null)", "(einval)" };
	size_t n;

	buf_reset(out);
	buf_addstr(out, "");
	while (*s) {
		for (size_t i = 0; i < 3; i++)
			if (!strncmp(s, words[i], strlen(words[i]))) {
				s += strlen(words[i]) - 1;
				if (i < 2)
					buf_addch(out, '0');
			}
		if (*s == '(' || *s == ')' || *s == ' ') {
			s++;
			continue;
		}
		if (s[0] == '0' && s[1] == 'x')
			s += 2;
		n = strspn(s, "0123456789abcdef");
		if (!n) {
			buf_addch(out, *s++);
			continue;
		}
		if (n == 16 && !strncmp(s, "ffffffff", 8)) {
			s += 8;
			n = 8;
		}
		for (; n > 1 && *s == '0'; n--)
			s++;
		buf_add(out, s, n);
		s += n;
	}
}

/* Sane values: strings with NULs, dynamic fields behind one another. */
static uint32_t sane_record(const struct ev_format *f, uint8_t *p)
{
	uint32_t at = (f->min_len + 7) & ~7u, len = at + 128;

	memset(p, 0, len);
	for (uint32_t i = 8; i < f->min_len; i++)
		p[i] = rnd() % 3 ? rnd() : 0;
	for (size_t i = 0; i < f->nr_fields; i++) {
		const struct ev_field *fd = &f->fields[i];
		uint32_t n = fd->is_string ? 1 + rnd() % 8 : 8 * (rnd() % 3);

		if (fd->common)
			continue;
		if (fd->kind == EV_FIXED && fd->size <= 8 && rnd() % 2)
			memcpy(p + fd->offset, (uint64_t[]){ rnd() % 100 }, fd->size);
		if (fd->is_string && fd->kind == EV_ARRAY) {
			for (uint32_t k = 0; k < fd->size; k++)
				p[fd->offset + k] = 'a' + rnd() % 26;
			p[fd->offset + rnd() % fd->size] = 0;
			p[fd->offset + fd->size - 1] = 0;
		}
		if (fd->kind != EV_DATA_LOC || fd->size != 4)
			continue;
		if (at + n > len)
			n = 0;
		memcpy(p + fd->offset, (uint32_t[]){ at | n << 16 }, 4);
		for (uint32_t k = 0; k < n; k++)
			p[at + k] = !fd->is_string ? rnd() : k + 1 < n ? 'a' + rnd() % 26 : 0;
		/* of no address family by chance: it is too short for one, and the kernel reads on */
		if (n && !fd->is_string)
			p[at + 1] |= 0x80;
		at += n;
	}
	p[0] = f->id;
	p[1] = f->id >> 8;
	return len;
}

struct pair {
	struct ev_engine *own, *tep;
	struct buf a, b, raw, na, nb;
	size_t events, records, digits, strange;
};

/* False when the texts differ in more than the digits. */
static bool same_text(struct pair *p, const struct ev_rec *r)
{
	buf_reset(&p->a);
	buf_reset(&p->b);
	buf_reset(&p->raw);
	ev_render(p->own, r, 0, 1000, &p->a);
	ev_render(p->tep, r, 0, 1000, &p->b);
	ev_render_raw(p->tep, r, &p->raw);
	if (p->a.len == p->b.len && (!p->a.len || !memcmp(p->a.data, p->b.data, p->a.len)))
		return true;
	/* what libtraceevent was kept from: the fields */
	if (p->b.len == p->raw.len && !memcmp(p->b.data, p->raw.data, p->b.len))
		return true;
	p->digits++;
	plain_digits(&p->na, p->a.data ? p->a.data : "");
	plain_digits(&p->nb, p->b.data ? p->b.data : "");
	return !strcmp(p->na.data, p->nb.data);
}

static void differ_format(struct pair *p, const struct ev_format *f, unsigned int n)
{
	static uint8_t data[70000];
	struct ev_rec r = { .fmt = f, .data = data, .long_size = 8 };

	if (ev_degraded(p->own, f) || ev_degraded(p->tep, f))
		return;
	p->events++;
	for (unsigned int i = 0; i < n; i++, p->records++) {
		struct class *c;

		r.len = sane_record(f, data);
		if (same_text(p, &r))
			continue;
		c = find_class(f);
		if (c) {
			c->seen++;
			continue;
		}
		if (p->strange++ < 20)
			printf("# %s:%s\n#  ftr         %s\n#  traceevent  %s\n", f->system, f->name, p->a.data,
			       p->b.data);
		break;
	}
}

static void test_differ(const char *name)
{
	unsigned int n = getenv("FTR_LONG") && *getenv("FTR_LONG") == '1' ? 1000 : DIFFER_RECORDS;
	struct pair p = { 0 };
	struct corpus c = { 0 };
	struct event_meta w;

	if (load(&c, name)) {
		printf("skip - texts beside libtraceevent's of %s # not beside the checkout, or no xz\n", name);
		return;
	}
	w = corpus_meta(&c, NULL, false);
	p.own = ev_engine_new(&w, "ftr", NULL);
	p.tep = ev_engine_new(&w, "traceevent", NULL);
	for (size_t i = 0; i < c.n; i++)
		differ_format(&p, &c.v[i], n);
	printf("# %s: %zu events, %zu records, %zu texts differ in something\n", name, p.events, p.records, p.digits);
	TAP_OK(p.events > c.n * 9 / 10 && !p.strange, "texts are libtraceevent's but for the classes");
	ev_engine_free(p.own);
	ev_engine_free(p.tep);
	buf_release(&p.a);
	buf_release(&p.b);
	buf_release(&p.raw);
	buf_release(&p.na);
	buf_release(&p.nb);
	unload(&c);
}

static void test_classes(void)
{
	bool all = nr_classes > 0, many = getenv("FTR_LONG") && *getenv("FTR_LONG") == '1';

	for (size_t i = 0; i < nr_classes; i++) {
		printf("# class %s: %zu\n", classes[i].name, classes[i].seen);
		all = all && (classes[i].seen || !many);
		free(classes[i].events);
	}
	TAP_OK(all, many ? "each class was seen" : "classes were read");
}

int main(void)
{
	seed = getenv("FTR_SEED") ? strtoull(getenv("FTR_SEED"), NULL, 0) : (uint64_t)time(NULL) * 2654435761u + 1;
	printf("# FTR_SEED=%" PRIu64 "\n", seed);
	fflush(stdout);
	engine = "ftr";
	test_corpus("debian-6.12-with-modules.fmt.xz", 3989, 94);
	test_corpus("android-5.10.fmt.xz", 1544, 84);
	/* what is left reads the kernel's memory, or the time when the kernel prints; no plugin is loaded */
	test_corpus("android_hammerhead_MRA59G_3.4.0.fmt.xz", 444, 16);
	test_corpus("android_seed_N2F62_3.10.49.fmt.xz", 737, 25);
	test_corpus("android_flounder_lte_LRX16F_3.10.40.fmt.xz", 818, 35);
	test_mutations("debian-6.12-with-modules.fmt.xz");
	test_mutations("android_hammerhead_MRA59G_3.4.0.fmt.xz");
	load_classes();
	test_differ("debian-6.12-with-modules.fmt.xz");
	test_differ("android-5.10.fmt.xz");
	test_classes();
	engine = "traceevent";
	test_corpus("debian-6.12-with-modules.fmt.xz", 3989, 170);
	test_corpus("android-5.10.fmt.xz", 1544, 110);
	test_mutations("debian-6.12-with-modules.fmt.xz");
	return tap_done();
}
