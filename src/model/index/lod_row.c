/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What one task or CPU did, by leaves of time. */
#include "model/index/lod_row.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define STEP		3	/* a node has 2^STEP nodes of the level below */
#define MARK_EVERY	16	/* entries: as many are read at most to find one */
#define LEVEL_MIN	32	/* entries for which a level above pays */
#define LEVELS_MAX	16
#define VARINT_MAX	10

/*
 * Entries as numbers of 7 bits a byte: how many nodes behind the one before, how many sums and
 * whether the last one of them is of the end, else which one; then what and time of each.
 */
struct strip_level {
	uint8_t *v;
	size_t   len, cap;
	struct strip_mark {
		uint64_t node;
		size_t off;		/* behind what tells the node */
	} *marks;			/* of each MARK_EVERYth entry */
	size_t   nr_marks, cap_marks;
	uint64_t n, last;		/* entries, and the node of the last one */
};

/* --- leaves */

uint64_t strip_leaf(const struct strip_scale *c, uint64_t ts)
{
	return (ts - c->first) >> c->shift;
}

uint64_t strip_leaves(const struct strip_scale *c)
{
	return ((c->last - c->first) >> c->shift) + 1;
}

uint64_t strip_leaf_begin(const struct strip_scale *c, uint64_t leaf)
{
	return leaf < strip_leaves(c) ? c->first + (leaf << c->shift) : UINT64_MAX;
}

/* --- entries */

static void put_number(struct strip_level *l, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		l->v[l->len++] = v | 0x80;
	l->v[l->len++] = v;
}

static uint64_t get_number(const struct strip_level *l, size_t *off)
{
	uint64_t v = 0;
	unsigned int shift = 0;

	do
		v |= (uint64_t)(l->v[*off] & 0x7f) << shift;
	while (shift += 7, l->v[(*off)++] & 0x80);
	return v;
}

static size_t place_of(const struct strip_time *v, size_t n, uint32_t what)
{
	size_t i = n - 1;

	while (i && v[i].what != what)
		i--;
	return i;
}

static void add_entry(struct strip_level *l, uint64_t node, const struct strip_time *v, size_t n,
		      uint32_t end)
{
	size_t at = place_of(v, n, end);

	l->v = xgrow(l->v, &l->cap, l->len + VARINT_MAX * (3 + 2 * n), 1);
	put_number(l, node - l->last);
	if (l->n++ % MARK_EVERY == 0) {
		l->marks = xgrow(l->marks, &l->cap_marks, l->nr_marks + 1, sizeof(*l->marks));
		l->marks[l->nr_marks++] = (struct strip_mark){ node, l->len };
	}
	l->last = node;
	put_number(l, (uint64_t)n << 1 | (at + 1 == n));
	if (at + 1 != n)
		put_number(l, at);
	for (size_t i = 0; i < n; i++) {
		put_number(l, v[i].what);
		put_number(l, v[i].time);
	}
}

/* The last mark at or before @node, or the first one. */
static size_t find_mark(const struct strip_level *l, uint64_t node)
{
	size_t low = 0, high = l->nr_marks;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (l->marks[middle].node <= node)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Goes through the entries of a level. */
struct reader {
	const struct strip_level *l;
	uint64_t i, node;		/* the entry that was read last is @i - 1 */
	size_t   off;
	uint64_t n, at;			/* its sums, and which of them is of the end */
};

static struct reader read_from(const struct strip_level *l, uint64_t node)
{
	struct reader r = { .l = l };

	r.i = (uint64_t)find_mark(l, node) * MARK_EVERY;
	return r;
}

/* The head of the next entry; its sums have to be read before the next one. */
static bool next_entry(struct reader *r)
{
	uint64_t n;

	if (r->i == r->l->n)
		return false;
	if (r->i % MARK_EVERY == 0) {
		r->node = r->l->marks[r->i / MARK_EVERY].node;
		r->off = r->l->marks[r->i / MARK_EVERY].off;
	} else {
		r->node += get_number(r->l, &r->off);
	}
	r->i++;
	n = get_number(r->l, &r->off);
	r->n = n >> 1;
	r->at = n & 1 ? r->n - 1 : get_number(r->l, &r->off);
	return true;
}

/* Returns what the end is of. @fn may be NULL. */
static uint32_t read_sums(struct reader *r, uint64_t from, strip_fn fn, void *ctx)
{
	uint32_t end = 0, what;
	uint64_t time;

	for (uint64_t i = 0; i < r->n; i++) {
		what = get_number(r->l, &r->off);
		time = get_number(r->l, &r->off);
		if (fn)
			fn(ctx, what, from, from + time);
		from += time;
		if (i == r->at)
			end = what;
	}
	return end;
}

/* --- filling */

static void add_time(struct strip *s, uint32_t what, uint64_t time)
{
	for (size_t i = 0; i < s->n; i++) {
		if (s->v[i].what == what) {
			s->v[i].time += time;
			return;
		}
	}
	s->v = xgrow(s->v, &s->cap, s->n + 1, sizeof(*s->v));
	s->v[s->n++] = (struct strip_time){ what, time };
}

static void flush_leaf(struct strip *s)
{
	if (!s->n)
		return;
	if (!s->levels)
		s->levels = xcalloc(++s->nr_levels, sizeof(*s->levels));
	add_entry(&s->levels[0], s->leaf, s->v, s->n, s->what);
	s->has_entry = true;
	s->end = s->what;
	s->n = 0;
}

/* Whole leaves from the begin of one on: an entry if it did something else before. */
static void add_leaves(struct strip *s, const struct strip_scale *c, uint32_t what)
{
	s->what = what;
	if (s->has_entry && s->end == what)
		return;
	add_time(s, what, (uint64_t)1 << c->shift);
	flush_leaf(s);
}

void strip_add(struct strip *s, const struct strip_scale *c, uint32_t what, uint64_t from,
	       uint64_t to)
{
	uint64_t leaf, last, begin, end;

	from = from > c->first ? from : c->first;
	from = !s->started || from > s->done ? from : s->done;
	to = to < c->last ? to : c->last;
	for (; from < to; from = end) {
		leaf = strip_leaf(c, from);
		last = strip_leaf(c, to);
		begin = strip_leaf_begin(c, leaf);
		if (!s->started)
			s->begin = from;
		s->started = true;
		if (leaf != s->leaf)
			flush_leaf(s);
		s->leaf = leaf;
		end = leaf < last ? strip_leaf_begin(c, leaf + 1) : to;
		if (!s->n && from == begin && leaf < last) {
			add_leaves(s, c, what);
			end = strip_leaf_begin(c, last);
		} else {
			s->what = what;
			add_time(s, what, end - from);
		}
		s->done = end;
	}
}

void strip_rest(struct strip *s)
{
	if (!s->n)
		return;
	s->v = xrealloc(s->v, s->n * sizeof(*s->v));
	s->cap = s->n;
}

/* --- reading */

static uint64_t node_begin(const struct strip_scale *c, size_t level, uint64_t node)
{
	return strip_leaf_begin(c, node << (level * STEP));
}

/* Returns what it does at the end. */
static uint32_t walk_level(const struct strip *s, const struct strip_scale *c, size_t level,
			   uint64_t a, uint64_t b, strip_fn fn, void *ctx)
{
	struct reader r = read_from(&s->levels[level], a);
	uint64_t at = a, from, to;
	uint32_t what = 0;
	bool there = false;

	while (next_entry(&r) && r.node < b) {
		from = node_begin(c, level, at);
		to = node_begin(c, level, r.node);
		if (there && r.node > at)
			fn(ctx, what, from, to);
		what = read_sums(&r, to > s->begin ? to : s->begin, r.node >= a ? fn : NULL, ctx);
		at = r.node >= a ? r.node + 1 : a;
		there = true;
	}
	from = node_begin(c, level, at);
	to = node_begin(c, level, b);
	to = to < s->done ? to : s->done;
	if (there && from < to)
		fn(ctx, what, from, to);
	return what;
}

static void walk(const struct strip *s, const struct strip_scale *c, size_t level, uint64_t a,
		 uint64_t b, strip_fn fn, void *ctx)
{
	uint64_t above = (a + (1 << STEP) - 1) >> STEP, end = b >> STEP;

	if (level + 1 == s->nr_levels || above >= end) {
		walk_level(s, c, level, a, b, fn, ctx);
		return;
	}
	if (a < above << STEP)
		walk_level(s, c, level, a, above << STEP, fn, ctx);
	walk(s, c, level + 1, above, end, fn, ctx);
	if (end << STEP < b)
		walk_level(s, c, level, end << STEP, b, fn, ctx);
}

void strip_walk(const struct strip *s, const struct strip_scale *c, uint64_t a, uint64_t b,
		strip_fn fn, void *ctx)
{
	if (s->nr_levels && a < b)
		walk(s, c, 0, a, b, fn, ctx);
}

bool strip_at(const struct strip *s, uint64_t leaf, uint32_t *what)
{
	struct reader r;
	bool there = false;

	if (!s->nr_levels || !leaf)
		return false;
	for (r = read_from(&s->levels[0], leaf - 1); next_entry(&r) && r.node < leaf; there = true)
		*what = read_sums(&r, 0, NULL, NULL);
	return there;
}

/* --- the levels above */

void strip_tally_add(struct strip_tally *t, uint32_t what, uint64_t time)
{
	size_t had = t->nr_spots;

	if (what >= had) {
		t->spots = xgrow(t->spots, &t->nr_spots, what + 1, sizeof(*t->spots));
		memset(t->spots + had, 0, (t->nr_spots - had) * sizeof(*t->spots));
	}
	if (t->spots[what].turn != t->turn + 1) {
		t->spots[what] = (struct strip_spot){ t->turn + 1, t->n };
		t->v = xgrow(t->v, &t->cap, t->n + 1, sizeof(*t->v));
		t->v[t->n++] = (struct strip_time){ what, 0 };
	}
	t->v[t->spots[what].at].time += time;
}

static void empty_tally(struct strip_tally *t)
{
	t->n = 0;
	t->turn++;
}

void strip_tally_release(struct strip_tally *t)
{
	free(t->v);
	free(t->spots);
	*t = (struct strip_tally){0};
}

static void merge_time(void *ctx, uint32_t what, uint64_t from, uint64_t to)
{
	strip_tally_add(ctx, what, to - from);
}

/* Of the entries of @level those of the level above, which is there. */
static void merge_level(struct strip *s, const struct strip_scale *c, size_t level,
			struct strip_tally *t)
{
	struct strip_level *above = &s->levels[level + 1];
	struct reader r = read_from(&s->levels[level], 0);
	uint64_t node;
	uint32_t end;

	while (next_entry(&r)) {
		read_sums(&r, 0, NULL, NULL);
		node = r.node >> STEP;
		if (above->n && node == above->last)
			continue;
		empty_tally(t);
		end = walk_level(s, c, level, node << STEP, (node + 1) << STEP, merge_time, t);
		add_entry(above, node, t->v, t->n, end);
	}
}

static void trim_level(struct strip_level *l)
{
	l->v = xrealloc(l->v, l->len);
	l->cap = l->len;
	l->marks = xrealloc(l->marks, l->nr_marks * sizeof(*l->marks));
	l->cap_marks = l->nr_marks;
}

void strip_end(struct strip *s, const struct strip_scale *c, struct strip_tally *t)
{
	flush_leaf(s);
	free(s->v);
	s->v = NULL;
	s->cap = 0;
	if (!s->nr_levels)
		return;
	trim_level(&s->levels[0]);
	while (s->levels[s->nr_levels - 1].n >= LEVEL_MIN && s->nr_levels < LEVELS_MAX) {
		s->levels = xrealloc(s->levels, (s->nr_levels + 1) * sizeof(*s->levels));
		s->levels[s->nr_levels++] = (struct strip_level){0};
		merge_level(s, c, s->nr_levels - 2, t);
		trim_level(&s->levels[s->nr_levels - 1]);
	}
}

void strip_release(struct strip *s)
{
	for (size_t i = 0; i < s->nr_levels; i++) {
		free(s->levels[i].v);
		free(s->levels[i].marks);
	}
	free(s->levels);
	free(s->v);
	*s = (struct strip){0};
}
