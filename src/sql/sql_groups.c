/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records by groups. A query such as "SELECT comm, count(*) ... GROUP BY comm" uses only columns
 * in which many records are equal. SQLite would sort all of them; here they are counted first, and
 * each group has as many equal rows as records.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "sql/sql_scan.h"

struct record_group {
	struct trace_rec r;		/* the first one; only what the parts name is looked at */
	uint64_t n;			/* number of records */
};

struct record_groups {
	unsigned int parts;		/* enum group_part */
	unsigned int order[SQL_GROUPED_MAX + 1];	/* parts, up to a 0 */
	struct map *by_key;		/* of each file: key_of() -> 1 + number of the group */
	size_t nr_files;
	struct record_group *v;
	size_t n, cap;
	size_t at;			/* the group of the next row */
	uint64_t rows;			/* rows of it so far */
};

/* Returns a number that differs for records of one file that differ in a part. */
static uint64_t key_of(const struct record_groups *g, const struct trace_rec *r)
{
	uint64_t key = 0;

	if (g->parts & (GROUP_TID | GROUP_COMM))
		key = (uint32_t)r->pid;
	if (g->parts & GROUP_CPU)
		key |= (uint64_t)(uint16_t)r->cpu << 32;
	if (g->parts & (GROUP_EVENT | GROUP_SYSTEM))
		key |= (uint64_t)r->type << 48;
	return key;
}

static int compare_numbers(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int compare_formats(const struct ev_format *a, const struct ev_format *b, bool by_name)
{
	if (!a || !b)
		return !b - !a;
	return by_name ? strcmp(a->name, b->name) : strcmp(a->system, b->system);
}

static int compare_part(unsigned int part, const struct trace_rec *a, const struct trace_rec *b)
{
	switch (part) {
	case GROUP_CPU:
		return compare_numbers(a->cpu, b->cpu);
	case GROUP_TID:
		return compare_numbers(a->pid, b->pid);
	case GROUP_COMM:
		return strcmp(trace_comm(a->trace, a->pid), trace_comm(b->trace, b->pid));
	case GROUP_EVENT:
		return compare_formats(a->rec.fmt, b->rec.fmt, true);
	default:
		return compare_formats(a->rec.fmt, b->rec.fmt, false);
	}
}

static int compare_groups(const void *a, const void *b, void *ctx)
{
	const struct record_groups *g = ctx;
	const struct record_group *x = a, *y = b;
	int diff = 0;

	for (size_t i = 0; !diff && g->order[i]; i++)
		diff = compare_part(g->order[i], &x->r, &y->r);
	return diff;
}

static struct record_group *group_of(struct record_groups *g, const struct trace_rec *r)
{
	struct map *m = &g->by_key[r->file];
	uint64_t key = key_of(g, r);
	uintptr_t at = (uintptr_t)map_get(m, key);

	if (at)
		return &g->v[at - 1];
	g->v = xgrow(g->v, &g->cap, g->n + 1, sizeof(*g->v));
	g->v[g->n] = (struct record_group){ .r = *r };
	map_put(m, key, (void *)(uintptr_t)(g->n + 1));
	return &g->v[g->n++];
}

struct record_groups *record_groups_read(struct sql_db *db, unsigned int parts,
					 const unsigned int *order,
					 const struct trace_rec *(*next)(void *scan), void *scan)
{
	struct record_groups *g = xcalloc(1, sizeof(*g));
	const struct trace_rec *r;

	g->parts = parts;
	memcpy(g->order, order, sizeof(g->order));
	g->nr_files = db->n;
	g->by_key = xcalloc(db->n + 1, sizeof(*g->by_key));
	while ((r = next(scan)))
		group_of(g, r)->n++;
	if (g->n)
		qsort_r(g->v, g->n, sizeof(*g->v), compare_groups, g);
	return g;
}

const struct trace_rec *record_groups_next(struct record_groups *g)
{
	while (g->at < g->n && g->rows == g->v[g->at].n) {
		g->at++;
		g->rows = 0;
	}
	if (g->at == g->n)
		return NULL;
	g->rows++;
	return &g->v[g->at].r;
}

void record_groups_free(struct record_groups *g)
{
	if (!g)
		return;
	for (size_t i = 0; i < g->nr_files; i++)
		map_release(&g->by_key[i]);
	free(g->by_key);
	free(g->v);
	free(g);
}
