/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Formats of real kernels: parsed, vetted, given to libtraceevent, random records rendered, and the same with damage. */
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
	const char *dir = getenv("FTR_FORMATS_DIR");
	char cmd[4096], chunk[65536];
	size_t n;
	FILE *f;

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

static struct ev_world world_of(struct corpus *c, struct ev_syms *syms, bool big)
{
	struct ev_world w = { .big = big, .long_size = 8, .page_size = 4096, .formats = c->v,
			      .nr_formats = c->n, .syms = syms };

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
		struct ev_world w = world_of(&c, syms, big);
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
	struct ev_world w;
	struct ev_engine *e;

	mutate(copy, len);
	if (!ev_format_parse(&f, "x", copy, len, NULL)) {
		c.v = &f;
		c.n = 1;
		w = world_of(&c, NULL, rnd() & 1);
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

int main(void)
{
	seed = getenv("FTR_SEED") ? strtoull(getenv("FTR_SEED"), NULL, 0) : (uint64_t)time(NULL) * 2654435761u + 1;
	printf("# FTR_SEED=%" PRIu64 "\n", seed);
	fflush(stdout);
	engine = "ftr";
	test_corpus("debian-6.12-with-modules.fmt.xz", 3989, 250);
	test_corpus("android-5.10.fmt.xz", 1544, 120);
	test_mutations("debian-6.12-with-modules.fmt.xz");
	engine = "traceevent";
	test_corpus("debian-6.12-with-modules.fmt.xz", 3989, 170);
	test_corpus("android-5.10.fmt.xz", 1544, 110);
	test_mutations("debian-6.12-with-modules.fmt.xz");
	return tap_done();
}
