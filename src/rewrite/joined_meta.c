/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The metadata of several trace files as that of one.
 *
 * One file has one format for each ID, one name for each address and one name for each task. Files
 * of one kernel agree on the first two, and the new file has what any of them has. Files of
 * different kernels do not: to print their records, IDs and addresses in the records would have to
 * be changed. That is an error. Tasks of different machines have the same pids; the first name of a
 * pid is kept, and the others are counted, as records with names of tasks in their fields are still
 * right.
 */
#include "rewrite/joined_meta.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "rewrite/rewrite.h"

/* Returns the next file in the order of the buffers, or NULL. *at is 0 at first. */
static struct trace *next_trace(const struct rewrite_plan *p, size_t *at)
{
	while (*at < p->n && *at && p->bufs[*at].trace == p->bufs[*at - 1].trace)
		++*at;
	return *at < p->n ? p->bufs[(*at)++].trace : NULL;
}

/* --- formats */

struct known_format {
	const struct dat *dat;
	struct dat_format f;
};

static bool same_blob(const struct dat_blob *a, const struct dat_blob *b)
{
	return a->len == b->len && (!a->len || !memcmp(a->p, b->p, a->len));
}

/* Returns the name in a format file, *len bytes, borrowed. */
static const char *name_in_format(const struct dat_blob *text, int *len)
{
	const char *nl = memchr(text->p, '\n', text->len);
	size_t n = nl ? (size_t)(nl - text->p) : text->len;

	*len = n > 6 && !memcmp(text->p, "name: ", 6) ? n - 6 : 0;
	return text->p + (*len ? 6 : 0);
}

static int report_conflict(const struct known_format *a, const struct known_format *b, uint32_t id,
			   struct ftr_error *err)
{
	const char *name;
	int len;

	name = name_in_format(&b->f.text, &len);
	err_set(err, FTR_FAILED, "'%s' and '%s' have different formats with the ID %" PRIu32
		", as of %s:%.*s: one file can't have both", a->dat->path, b->dat->path, id,
		b->f.system, len > 64 ? 64 : len, name);
	return err_hint(err, "they are of two kernels; 'ftr report A B' reads them together");
}

/* Adds the formats of one section that earlier files do not have. Returns 0, or -1 with @err. */
static int join_formats(struct joined_formats *to, struct map *known, struct dat *d,
			uint16_t section, struct ftr_error *err)
{
	const struct dat_format *v;
	size_t i, n = dat_formats(d, section, &v);
	struct known_format *k, *old;
	uint32_t id;
	bool same;

	for (i = 0; i < n; i++) {
		id = format_text_id(&v[i].text);
		k = xcalloc(1, sizeof(*k));
		*k = (struct known_format){ d, v[i] };
		old = map_get(known, id + 1);
		if (old && old->dat != d) {
			same = same_blob(&old->f.text, &k->f.text) &&
			       !strcmp(old->f.system, k->f.system);
			if (!same)
				report_conflict(old, k, id, err);
			free(k);
			if (!same)
				return -1;
			continue;
		}
		if (old)
			free(k);
		else
			map_put(known, id + 1, k);
		to->v = xgrow(to->v, &to->cap, to->n + 1, sizeof(*to->v));
		to->v[to->n++] = v[i];
	}
	return 0;
}

static int join_all_formats(struct joined_meta *m, const struct rewrite_plan *p,
			    struct ftr_error *err)
{
	struct map known = {0};
	struct trace *t;
	size_t at = 0, i;
	int ret = 0;

	while (!ret && (t = next_trace(p, &at)))
		ret = join_formats(&m->builtin, &known, t->dat, DAT_FTRACE_EVENTS, err) ||
		      join_formats(&m->events, &known, t->dat, DAT_EVENT_FORMATS, err) ? -1 : 0;
	for (i = 0; i < known.cap; i++)
		free(known.slots[i].val);
	map_release(&known);
	return ret;
}

/* --- texts of lines "KEY REST" */

static const struct joined_kind {
	uint16_t id;
	int base;			/* of the numbers that are the keys */
	const char *what;		/* of two lines with one key; NULL: the first one counts */
} joined_kinds[] = {
	[JOINED_SYMBOLS] = { DAT_KALLSYMS, 16, "symbols" },
	[JOINED_PRINTK] = { DAT_PRINTK, 16, "texts of trace_printk()" },
	[JOINED_COMMS] = { DAT_CMDLINES, 10, NULL },
};

uint16_t joined_text_id(enum joined_text which)
{
	return joined_kinds[which].id;
}

/* The lines and the keys of the files so far. */
struct joined_lines {
	struct textmap lines;
	struct map keys;		/* key + 1 -> the struct dat that had it first */
	size_t conflicts;		/* keys with another line in an earlier file */
};

static void join_line(struct joined_lines *l, struct dat *d, const char *line, size_t len, int base,
		      struct buf *out)
{
	uint64_t key = strtoull(line, NULL, base) + 1;
	void *first = map_get(&l->keys, key);

	if (textmap_get(&l->lines, line, len))
		return;
	textmap_put_borrowed(&l->lines, line, len, d);
	if (first && first != d) {
		l->conflicts++;
		return;
	}
	map_put(&l->keys, key, d);
	buf_add(out, line, len);
	buf_addch(out, '\n');
}

/* Adds the whole lines of a text: a newline ends each number. */
static void join_text(struct joined_lines *l, struct dat *d, const struct joined_kind *kind,
		      struct buf *out)
{
	const struct dat_blob *b = dat_text(d, kind->id);
	const char *at = b->p, *end = b->p + b->len, *nl;

	for (; b->len && at < end; at = nl + 1) {
		nl = memchr(at, '\n', end - at);
		nl = nl ? nl : end;
		if (nl > at && nl < end)
			join_line(l, d, at, nl - at, kind->base, out);
	}
}

static int join_texts(struct joined_meta *m, const struct rewrite_plan *p, enum joined_text which,
		      struct ftr_error *err)
{
	const struct joined_kind *kind = &joined_kinds[which];
	struct joined_lines l = {0};
	struct trace *t;
	size_t at = 0;
	int ret = 0;

	while ((t = next_trace(p, &at)))
		join_text(&l, t->dat, kind, &m->texts[which]);
	if (l.conflicts && kind->what) {
		ret = err_set(err, FTR_FAILED, "%zu addresses have other %s in another file: "
			      "one file can't have both", l.conflicts, kind->what);
		err_hint(err, "%s", which == JOINED_SYMBOLS ?
			 "--drop symbols merges them, and prints addresses without names" :
			 "'ftr report A B' reads them together");
	} else {
		m->renamed += l.conflicts;
	}
	textmap_release(&l.lines);
	map_release(&l.keys);
	return ret;
}

/* --- ftr's own lines */

/* Adds the lines of a buffer, which has another name in the new file. */
static void join_keys(struct joined_meta *m, const struct rewrite_buffer *b)
{
	static const char *const keys[] = {
		"trace_options", DAT_EVENT_PID_KEY, DAT_EVENT_NOTRACE_PID_KEY, DAT_EVENT_FORK_KEY,
		DAT_CPUMASK_KEY,
	};
	const char *value;
	size_t i, len;

	for (i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		value = dat_ftr_value_of(b->trace->dat, keys[i], b->from->name, &len);
		if (value)
			buf_printf(&m->lines, "%s.%s=%.*s\n", keys[i], b->name, (int)len, value);
	}
}

int joined_meta_make(struct joined_meta *m, const struct rewrite_plan *p, struct ftr_error *err)
{
	size_t i;

	*m = (struct joined_meta){0};
	for (i = 0; i < p->n; i++)
		if (!same_blob(&p->bufs[i].trace->dat->header_page, &p->meta->dat->header_page) ||
		    p->bufs[i].trace->dat->long_size != p->meta->dat->long_size)
			return err_set(err, FTR_FAILED, "'%s' and '%s' have sub-buffers of "
				       "different layouts: one file can't have both",
				       p->meta->dat->path, p->bufs[i].trace->dat->path);
	for (i = 0; i < p->n; i++)
		if (p->bufs[i].trace != p->meta)
			join_keys(m, &p->bufs[i]);
	if (join_all_formats(m, p, err))
		return -1;
	for (i = 0; i < JOINED_TEXTS; i++)
		if ((i != JOINED_SYMBOLS || !p->drop.symbols) && join_texts(m, p, i, err))
			return -1;
	return 0;
}

void joined_meta_release(struct joined_meta *m)
{
	size_t i;

	free(m->builtin.v);
	free(m->events.v);
	for (i = 0; i < JOINED_TEXTS; i++)
		buf_release(&m->texts[i]);
	buf_release(&m->lines);
}
