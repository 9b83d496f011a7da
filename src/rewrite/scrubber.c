/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The classes of values that identify, and what was found of each.
 *
 * A check is a scrub whose result is thrown away: so it finds what a scrub would replace, and
 * nothing that it would not.
 */
#include "rewrite/scrubber.h"

#include <stdlib.h>
#include <string.h>

#include "base/sym_lines.h"
#include "event/data/text_tables.h"
#include "file/ring/page.h"
#include "rewrite/scrub_priv.h"

/* --- classes and presets */

static const char *const classes[SCRUB_CLASSES] = {
	[SCRUB_TASKS] = "tasks",
	[SCRUB_PIDS] = "pids",
	[SCRUB_USERS] = "users",
	[SCRUB_PATHS] = "paths",
	[SCRUB_STRINGS] = "strings",
	[SCRUB_USERDATA] = "userdata",
	[SCRUB_MARKERS] = "markers",
	[SCRUB_FORMATS] = "formats",
	[SCRUB_ADDRESSES] = "addresses",
	[SCRUB_HOST] = "host",
	[SCRUB_COMMAND] = "command",
	[SCRUB_REST] = "rest",
};

static const struct { const char *name, *classes; } presets[] = {
	{ "sched", "tasks,pids" },
	{ "files", "paths,strings" },
	{ "numbers", "pids,users,addresses" },
	{ "texts", "tasks,paths,strings,markers,formats" },
};
#define NR_PRESETS (sizeof(presets) / sizeof(*presets))

const char *scrub_class_name(enum scrub_class c)
{
	return classes[c];
}

/* Sets the flag of the class @name. Returns false if there is none. */
static bool class_set(bool *set, const char *name)
{
	for (int i = 0; i < SCRUB_CLASSES; i++)
		if (!strcmp(classes[i], name)) {
			set[i] = true;
			return true;
		}
	return false;
}

static void classes_set(bool *set, const char *names)
{
	struct strv words = {0};

	strv_split(&words, names, ",");
	for (size_t i = 0; i < words.n; i++)
		class_set(set, words.v[i]);
	strv_release(&words);
}

static int keep_hint(struct ftr_error *err)
{
	struct buf b = {0};
	int i;

	for (i = 0; i < SCRUB_REST; i++)
		buf_printf(&b, "%s%s", i ? ", " : "there are: ", classes[i]);
	for (i = 0; i < (int)NR_PRESETS; i++)
		buf_printf(&b, "%s%s", i ? ", " : "; and for several of them: ", presets[i].name);
	err_hint(err, "%s", b.data);
	buf_release(&b);
	return -1;
}

int scrub_keep_parse(const char *text, struct scrub_opts *opts, struct ftr_error *err)
{
	struct strv words = {0};
	size_t i, k;
	int ret = 0;

	strv_split(&words, text, ",");
	if (!words.n)
		ret = err_set(err, FTR_USAGE, "nothing is named that is kept");
	for (i = 0; !ret && i < words.n; i++) {
		for (k = 0; k < NR_PRESETS && strcmp(presets[k].name, words.v[i]); k++)
			;
		if (k < NR_PRESETS)
			classes_set(opts->keep, presets[k].classes);
		else if (!strcmp(words.v[i], classes[SCRUB_REST]) ||
			 !class_set(opts->keep, words.v[i]))
			ret = err_set(err, FTR_USAGE, "'%s' can't be kept", words.v[i]);
	}
	strv_release(&words);
	return ret ? keep_hint(err) : 0;
}

void scrub_key_of(struct siphash_key *key, const void *p, size_t n)
{
	/* any two different keys: the bytes are the secret */
	const struct siphash_key first = { { 1, 1 } }, second = { { 2, 2 } };

	key->k[0] = siphash(&first, p, n);
	key->k[1] = siphash(&second, p, n);
}

/* --- the source */

/* Finds the lowest and the highest symbol that is no offset of per-CPU data. */
static void scrub_find_symbols(struct scrub_run *s)
{
	const struct dat_blob *text = dat_text(s->t->dat, DAT_KALLSYMS);
	const char *p = text->p, *end = p + text->len, *eol;
	uint64_t addr;
	char type;

	s->low = UINT64_MAX;
	for (; p && p < end; p = eol + 1) {
		eol = memchr(p, '\n', end - p);
		eol = eol ? eol : end;
		/* user addresses are in the lower half, on 32-bit kernels below 1 GiB at least */
		if (!sym_line_name(p, eol, &addr, &type) ||
		    addr < (s->t->meta.long_size == 8 ? 1ULL << 63 : 1ULL << 30))
			continue;
		s->low = addr < s->low ? addr : s->low;
		s->high = addr > s->high ? addr : s->high;
	}
}

static void scrub_find_printk(struct scrub_run *s)
{
	const struct dat_blob *text = dat_text(s->t->dat, DAT_PRINTK);
	const char *p = text->p;
	struct printk_line line;

	while (p && printk_line_next(&line, &p, text->p + text->len))
		map_put(&s->printk, line.addr, s);
}

static void scrub_find_mark(struct scrub_run *s)
{
	size_t len;
	const char *p = dat_ftr_value(s->t->dat, "scrubbed", &len);
	char *names = p ? xstrndup(p, len) : NULL;

	if (names)
		classes_set(s->marked, names);
	free(names);
	s->marked[SCRUB_REST] = false;
}

struct scrub_run *scrub_new(struct trace *t, const struct scrub_opts *opts)
{
	struct scrub_run *s = xcalloc(1, sizeof(*s));

	s->t = t;
	s->opts = *opts;
	s->opts.keep[SCRUB_REST] = false;
	s->pids = pages_new(SCRUB_PIDS_BYTES);
	s->unknown = scrub_place_of(s, "records without a format");
	s->gaps = scrub_place_of(s, "between records");
	s->common = scrub_place_of(s, "common_pid of all events");
	scrub_find_symbols(s);
	scrub_find_printk(s);
	scrub_find_mark(s);
	scrub_calls_find(s);
	return s;
}

static void scrub_places_free(struct scrub_place *p)
{
	struct scrub_place *next;

	for (; p; p = next) {
		next = p->next;
		for (int c = 0; c < SCRUB_CLASSES; c++)
			free(p->example[c]);
		free(p->name);
		free(p);
	}
}

void scrub_free(struct scrub_run *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < SCRUB_TYPES; i++)
		scrub_plan_free(s->plans[i]);
	for (size_t i = 0; i < s->words.cap; i++)
		free(s->words.slots[i].val);
	textmap_release(&s->words);
	textmap_release(&s->by_name);
	map_release(&s->printk);
	scrub_places_free(s->places);
	pages_free(s->pids, SCRUB_PIDS_BYTES);
	buf_release(&s->text);
	buf_release(&s->dropped);
	free(s);
}

/* --- results */

void scrub_add_mark(const struct scrub_run *s, struct buf *out)
{
	size_t before = out->len;

	for (int c = 0; c < SCRUB_REST; c++)
		if (!s->opts.keep[c] || s->marked[c])
			buf_printf(out, "%s%s", out->len > before ? "," : "scrubbed=",
				   classes[c]);
	if (out->len > before)
		buf_addch(out, '\n');
}

void scrub_sum(const struct scrub_run *s, enum scrub_class c, struct scrub_sum *sum)
{
	*sum = (struct scrub_sum){ .distinct = c == SCRUB_ADDRESSES ? 0 : s->distinct[c] };
	for (const struct scrub_place *p = s->places; p; p = p->next)
		sum->values += p->n[c];
}

const char *scrub_dropped(const struct scrub_run *s)
{
	return s->dropped.len ? s->dropped.data : "";
}

/* --- check */

/* Reads the data of one CPU. */
static void scrub_check_cpu(struct scrub_run *s, const struct dat_buffer *b,
			    const struct dat_cpu *c, uint8_t *mem)
{
	struct dat_cursor at = {
		.dat = s->t->dat, .buffer = b, .cpu = c, .damages = &s->t->damages,
	};
	const uint8_t *page;
	enum ring_status st;
	uint64_t off;
	size_t len;

	for (uint64_t i = 0; i < c->nr_pages; i++) {
		page = dat_cursor_page(&at, i, &len, &off);
		if (!page)
			continue;
		memcpy(mem, page, len);
		st = scrub_page(s, &b->layout, mem, len);
		if (st != RING_OK)
			damage_note(&s->t->damages, ring_status_text(st), s->t->dat->path, off,
				    c->cpu, "sub-buffer %llu", (unsigned long long)i);
	}
	dat_cursor_release(&at);
}

static void scrub_check_buffer(struct scrub_run *s, const struct dat_buffer *b)
{
	uint8_t *mem = xmalloc(b->layout.subbuf_size);
	char *name = xstrdup(b->name), *clock = xstrdup(b->clock);

	scrub_instance(s, name);
	scrub_clock(s, clock);
	for (size_t i = 0; i < b->nr_cpus; i++)
		scrub_check_cpu(s, b, &b->cpus[i], mem);
	free(name);
	free(clock);
	free(mem);
}

static void scrub_check_metadata(struct scrub_run *s)
{
	static const uint16_t texts[] = {
		DAT_PRINTK, DAT_CMDLINES, DAT_FTR_OOPS,
	};
	struct dat *d = s->t->dat;
	struct dat_blob out;
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		scrub_section(s, texts[i], dat_text(d, texts[i]));
	scrub_section(s, DAT_FTR_META, &d->ftr_meta);
	scrub_latencies(s);
	for (i = 0; i < d->nr_options; i++)
		scrub_option(s, &d->options[i], &out);
}

static int scrub_found_compare(const void *a, const void *b)
{
	const struct scrub_found *x = a, *y = b;

	return x->class != y->class ? (x->class > y->class) - (x->class < y->class) :
	       strcmp(x->place, y->place);
}

size_t scrub_check(struct scrub_run *s, struct scrub_found **v)
{
	size_t n = 0, cap = 0;

	for (size_t i = 0; i < s->t->dat->nr_buffers; i++)
		scrub_check_buffer(s, &s->t->dat->buffers[i]);
	scrub_check_metadata(s);
	*v = NULL;
	for (const struct scrub_place *p = s->places; p; p = p->next)
		for (int c = 0; c < SCRUB_CLASSES; c++) {
			if (!p->n[c])
				continue;
			*v = xgrow(*v, &cap, n + 1, sizeof(**v));
			(*v)[n++] = (struct scrub_found){ c, p->name, p->example[c], p->n[c] };
		}
	if (n)
		qsort(*v, n, sizeof(**v), scrub_found_compare);
	return n;
}
