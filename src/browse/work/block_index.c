/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An index of the contents of blocks of records, by which a search skips blocks.
 *
 * The next record of a rare event or task, and the next loss, may be far away; reading and
 * rendering all records in between took too long. The pass that counts the records also notes the
 * times, types and losses of each 256 sub-buffers of a CPU, and Bloom filters of the tasks that
 * ran and were woken: 800 bytes for 1 MiB of data. A step then reads bare records, only of CPUs
 * and times that may have a match. It makes rows at the time of the first match, as only the merge
 * of all CPUs gives the number of the record among those of its time. Windows without a match
 * double, so that many CPUs are not searched for each of their blocks. If times of a CPU go back,
 * the index is not used.
 *
 * The pass reads one CPU after another, as no note needs their common order: merging took two
 * thirds of its time with 256 CPUs. So only one CPU's decompressed data is in memory.
 */
#include "browse/work/block_index.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"

#define TYPES	   64u		/* slots of the hash table of types in a block */
#define TYPES_MAX  48u		/* types in the table; a block with more may have any type */
#define TASK_BITS  2048u	/* Bloom filters with 2 bits for each task */
#define WOKEN_BITS 1024u
#define HASH	   0x9e3779b97f4a7c15ull
#define NO_TYPE	   UINT32_MAX

/* The records of adjacent sub-buffers. */
struct index_block {
	uint64_t first, last;		/* timestamps */
	uint64_t losses;		/* number of losses */
	uint64_t tasks[TASK_BITS / 64], woken[WOKEN_BITS / 64];
	uint32_t records[TYPES];	/* number of records of ->types; 0: the slot is free */
	uint16_t types[TYPES];
	uint8_t  nr_types;
	bool     more_types;
};
static_assert(sizeof(struct index_block) <= 2048, "the index of 200 M records is to be small");

/* One CPU of one buffer. */
struct indexed_cpu {
	struct index_block *v;
	size_t   n, cap;
	unsigned int file;
	int      cpu;
	/* the block that is being filled, ->v[->n - 1], or NULL; the next fields belong to it */
	struct index_block *filled;
	uint32_t pages;
	uint32_t waking;		/* the type of sched_waking if it was met, else NO_TYPE */
	const struct ev_field *woken;	/* its field with the pid */
	int64_t  pid;			/* pid of the previous record, INT64_MIN if there is none */
};

struct block_index {
	struct indexed_cpu *v;
	size_t n;
	uint32_t pages;
	bool   ordered;
};

/* --- filling */

struct block_index *index_new(struct trace *const *traces, size_t n, uint32_t pages)
{
	struct block_index *x = xcalloc(1, sizeof(*x));

	x->n = trace_nr_streams(traces, n);
	x->v = xcalloc(x->n + 1, sizeof(*x->v));
	x->pages = pages;
	x->ordered = true;
	return x;
}

void index_free(struct block_index *x)
{
	for (size_t i = 0; x && i < x->n; i++)
		free(x->v[i].v);
	if (x)
		free(x->v);
	free(x);
}

bool index_is_ordered(const struct block_index *x)
{
	return x->ordered;
}

static uint64_t hash_pid(int pid)
{
	return (uint64_t)(uint32_t)pid * HASH;
}

static void bloom_add(uint64_t *bits, uint32_t n, int pid)
{
	uint32_t a = (hash_pid(pid) >> 32) % n, b = (hash_pid(pid) >> 48) % n;

	bits[a / 64] |= 1ull << a % 64;
	bits[b / 64] |= 1ull << b % 64;
}

static bool bloom_has(const uint64_t *bits, uint32_t n, int pid)
{
	uint32_t a = (hash_pid(pid) >> 32) % n, b = (hash_pid(pid) >> 48) % n;

	return bits[a / 64] >> a % 64 & 1 && bits[b / 64] >> b % 64 & 1;
}

/* Returns the slot of a type, a free one if the block lacks it. */
static uint32_t type_slot(const struct index_block *b, uint16_t type)
{
	uint32_t i = type * (uint32_t)HASH >> 26;

	while (b->records[i] && b->types[i] != type)
		i = (i + 1) % TYPES;
	return i;
}

static bool is_waking(const struct trace_rec *r)
{
	return r->rec.fmt && !strcmp(r->rec.fmt->name, "sched_waking");
}

static const struct ev_field *woken_field(const struct trace_rec *r)
{
	return ev_field(r->rec.fmt, "pid");
}

static bool woken_pid(const struct trace_rec *r, const struct ev_field *f, int *pid)
{
	uint64_t v;

	if (!f || !ev_get_num(&r->rec, f, &v))
		return false;
	*pid = (int)v;
	return true;
}

/* Adds a type that is new in this block to a free slot. Returns false if the table is full. */
static bool block_add_type(struct indexed_cpu *s, struct index_block *b, const struct trace_rec *r,
			   uint32_t slot)
{
	if (is_waking(r)) {
		s->waking = r->type;
		s->woken = woken_field(r);
	}
	if (b->nr_types == TYPES_MAX) {
		b->more_types = true;
		return false;
	}
	b->nr_types++;
	b->types[slot] = r->type;
	return true;
}

void index_add(struct block_index *x, const struct trace_rec *r)
{
	struct indexed_cpu *s = &x->v[r->stream];
	struct index_block *b = s->filled;
	uint32_t slot;
	int pid;

	if (b && r->ts < b->last)
		x->ordered = false;
	if (__builtin_expect(r->page_start || !b, 0) && (!b || ++s->pages == x->pages)) {
		s->v = xgrow(s->v, &s->cap, s->n + 1, sizeof(*s->v));
		s->filled = b = &s->v[s->n++];
		*b = (struct index_block){ .first = r->ts, .last = r->ts };
		s->file = r->file;
		s->cpu = r->cpu;
		s->pages = 0;
		s->waking = NO_TYPE;
		s->pid = INT64_MIN;
	}
	b->last = r->ts;
	if (__builtin_expect(r->lost != 0, 0))
		b->losses++;
	if (!r->rec.data)
		return;
	slot = type_slot(b, r->type);
	if (__builtin_expect(b->records[slot] || block_add_type(s, b, r, slot), 1))
		b->records[slot] += b->records[slot] != UINT32_MAX;
	if (r->pid != s->pid)
		bloom_add(b->tasks, TASK_BITS, r->pid);
	s->pid = r->pid;
	if (r->type == s->waking && woken_pid(r, s->woken, &pid))
		bloom_add(b->woken, WOKEN_BITS, pid);
}

/* --- queries */

bool index_fits(const struct index_want *w, const struct trace_rec *r)
{
	int pid;

	if (w->what == INDEX_LOSS)
		return r->lost;
	if (!r->rec.data || r->file != w->file)
		return false;
	switch (w->what) {
	case INDEX_TASK:
		return r->pid == w->pid && (w->pid || r->cpu == w->cpu);
	case INDEX_CPU:
		return r->cpu == w->cpu;
	case INDEX_EVENT:
		return r->type == w->type;
	default:
		return is_waking(r) && woken_pid(r, woken_field(r), &pid) && pid == w->pid;
	}
}

static bool block_may_have(const struct indexed_cpu *s, const struct index_block *b,
			   const struct index_want *w)
{
	if (w->what == INDEX_LOSS)
		return b->losses;
	if (s->file != w->file)
		return false;
	switch (w->what) {
	case INDEX_TASK:
		return (w->pid || s->cpu == w->cpu) && bloom_has(b->tasks, TASK_BITS, w->pid);
	case INDEX_CPU:
		return s->cpu == w->cpu;
	case INDEX_EVENT:
		return b->more_types || b->records[type_slot(b, w->type)];
	default:
		return bloom_has(b->woken, WOKEN_BITS, w->pid);
	}
}

struct block_range {
	uint64_t first, last;
	int cpu;
};

struct index_blocks {
	struct block_range *v, *by_last;	/* sorted by ->first; sorted by ->last */
	size_t n, cap;
};

static int compare_first(const void *a, const void *b)
{
	const struct block_range *x = a, *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

static int compare_last(const void *a, const void *b)
{
	const struct block_range *x = a, *y = b;

	return x->last < y->last ? -1 : x->last > y->last;
}

struct index_blocks *index_blocks_new(const struct block_index *x, const struct index_want *w)
{
	struct index_blocks *b = xcalloc(1, sizeof(*b));

	for (const struct indexed_cpu *s = x->v; s < x->v + x->n; s++) {
		for (size_t i = 0; i < s->n; i++) {
			const struct index_block *k = &s->v[i];

			if (!block_may_have(s, k, w))
				continue;
			b->v = xgrow(b->v, &b->cap, b->n + 1, sizeof(*b->v));
			b->v[b->n++] = (struct block_range){ k->first, k->last, s->cpu };
		}
	}
	b->by_last = xmalloc((b->n + 1) * sizeof(*b->by_last));
	if (!b->n)
		return b;
	memcpy(b->by_last, b->v, b->n * sizeof(*b->v));
	qsort(b->v, b->n, sizeof(*b->v), compare_first);
	qsort(b->by_last, b->n, sizeof(*b->by_last), compare_last);
	return b;
}

void index_blocks_free(struct index_blocks *b)
{
	if (!b)
		return;
	free(b->v);
	free(b->by_last);
	free(b);
}

static void window_set_cpus(const struct index_blocks *b, struct index_window *out)
{
	const struct block_range *s;

	memset(out->cpus, 0, sizeof(out->cpus));
	out->all_cpus = false;
	for (s = b->v; s < b->v + b->n && s->first <= out->last; s++) {
		if (s->last < out->first)
			continue;
		if (s->cpu < 0 || s->cpu >= TRACE_CPU_BITS)
			out->all_cpus = true;
		else
			out->cpus[s->cpu / 64] |= 1ull << s->cpu % 64;
	}
}

/*
 * Returns the end of a run of adjacent blocks, which start with the first one that ends at @ts or
 * later, and sets the run's start, at least @ts.
 */
static uint64_t run_end(const struct index_blocks *b, uint64_t ts, uint64_t *first)
{
	uint64_t end = 0;
	bool any = false;
	size_t i;

	for (i = 0; i < b->n && (!any || b->v[i].first <= end); i++) {
		if (b->v[i].last < ts)
			continue;
		if (!any)
			*first = b->v[i].first > ts ? b->v[i].first : ts;
		end = b->v[i].last > end ? b->v[i].last : end;
		any = true;
	}
	return end;
}

bool index_window_from(const struct index_blocks *b, uint64_t ts, size_t n,
		       struct index_window *out)
{
	size_t at = SEARCH_ABOVE(i, 0, b->n, b->by_last[i].last < ts);
	uint64_t end;

	if (at == b->n)
		return false;
	end = run_end(b, ts, &out->first);
	out->last = b->by_last[n < b->n - at ? at + n - 1 : b->n - 1].last;
	out->last = end < out->last ? end : out->last;
	window_set_cpus(b, out);
	return true;
}

/* The same backwards: returns the start of a run of blocks that start before @ts, sets its end. */
static uint64_t run_start(const struct index_blocks *b, uint64_t ts, uint64_t *last)
{
	uint64_t start = UINT64_MAX;
	bool any = false;
	size_t i;

	for (i = b->n; i > 0 && (!any || b->by_last[i - 1].last >= start); i--) {
		const struct block_range *s = &b->by_last[i - 1];

		if (s->first >= ts)
			continue;
		if (!any)
			*last = s->last < ts ? s->last : ts - 1;
		start = s->first < start ? s->first : start;
		any = true;
	}
	return start;
}

bool index_window_before(const struct index_blocks *b, uint64_t ts, size_t n,
			 struct index_window *out)
{
	size_t at = SEARCH_ABOVE(i, 0, b->n, b->v[i].first < ts);
	uint64_t start;

	if (!at)
		return false;
	start = run_start(b, ts, &out->last);
	out->first = b->v[at > n ? at - n : 0].first;
	out->first = start > out->first ? start : out->first;
	window_set_cpus(b, out);
	return true;
}
