/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Aggregates of queries: percentiles, histograms, the most frequent values. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "model/distribution.h"
#include "output/json/json_records.h"
#include "sql/sql_table.h"

/* --- distributions: numbers below 0 count as 0 */

struct dist_state {
	struct value_dist *dist;
	double percent;
};

static struct dist_state *dist_of(sqlite3_context *ctx)
{
	struct dist_state *s = sqlite3_aggregate_context(ctx, sizeof(*s));

	if (!s) {
		sqlite3_result_error_nomem(ctx);
		return NULL;
	}
	if (!s->dist)
		s->dist = xcalloc(1, sizeof(*s->dist));
	return s;
}

void sql_add_value(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	struct dist_state *s;
	int64_t v;

	if (sqlite3_value_numeric_type(argv[0]) != SQLITE_INTEGER &&
	    sqlite3_value_numeric_type(argv[0]) != SQLITE_FLOAT)
		return;
	s = dist_of(ctx);
	if (!s)
		return;
	v = sqlite3_value_int64(argv[0]);
	dist_add_bucket(s->dist, v < 0 ? 0 : v);
	if (argc > 1)
		s->percent = sqlite3_value_double(argv[1]);
}

static struct dist_state *end_dist(sqlite3_context *ctx)
{
	struct dist_state *s = sqlite3_aggregate_context(ctx, 0);

	return s && s->dist ? s : NULL;
}

static void free_dist(struct dist_state *s)
{
	dist_release(s->dist);
	free(s->dist);
	s->dist = NULL;
}

void sql_end_percentile(sqlite3_context *ctx)
{
	struct dist_state *s = end_dist(ctx);

	if (!s)
		return;
	if (s->percent >= 0 && s->percent <= 100)
		sqlite3_result_int64(ctx, dist_percentile(s->dist, s->percent));
	else
		sqlite3_result_error(ctx, "percentile() takes a percentage from 0 to 100", -1);
	free_dist(s);
}

void sql_end_stddev(sqlite3_context *ctx)
{
	struct dist_state *s = end_dist(ctx);

	if (!s)
		return;
	sqlite3_result_double(ctx, dist_stddev(s->dist));
	free_dist(s);
}

/* --- hist(X, BASE) */

#define HIST_POWERS 64
#define HIST_STARS  40
static const char stars[] = "****************************************";

struct hist_state {
	uint64_t base;				/* 0: there was no value */
	uint64_t count[HIST_POWERS + 1];	/* [0]: below the base; [N]: from base^N on */
	bool is_wrong;
};

static unsigned int power_of(uint64_t base, int64_t v)
{
	unsigned int n = 0;

	if (base == 2)
		return v < 2 ? 0 : 63 - __builtin_clzll(v);
	for (; v > 0 && (uint64_t)v >= base; v = (int64_t)((uint64_t)v / base))
		n++;
	return n;
}

void sql_add_to_hist(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	struct hist_state *h;
	int64_t base;

	if (sqlite3_value_numeric_type(argv[0]) != SQLITE_INTEGER &&
	    sqlite3_value_numeric_type(argv[0]) != SQLITE_FLOAT)
		return;
	h = sqlite3_aggregate_context(ctx, sizeof(*h));
	if (!h) {
		sqlite3_result_error_nomem(ctx);
		return;
	}
	base = argc > 1 ? sqlite3_value_int64(argv[1]) : 2;
	h->is_wrong |= base < 2 || (h->base && h->base != (uint64_t)base);
	if (h->is_wrong)
		return;
	h->base = base;
	h->count[power_of(base, sqlite3_value_int64(argv[0]))]++;
}

/* Appends "1024 -> 2047 : 12 |****|". */
static void add_hist_line(const struct hist_state *h, unsigned int i, uint64_t from, uint64_t most,
			  struct buf *b)
{
	int n = h->count[i] * HIST_STARS / most;
	uint64_t to;

	if (__builtin_mul_overflow(from ? from : 1, h->base, &to))
		to = 0;			/* 2^64 - 1 is the last one */
	buf_printf(b, "%20" PRIu64 " -> %-20" PRIu64 " : %-8" PRIu64 " |%.*s%*s|", from, to - 1,
		   h->count[i], n, stars, HIST_STARS - n, "");
}

/* A line for each power, as the tools of bcc print them. */
void sql_end_hist(sqlite3_context *ctx)
{
	const struct hist_state *h = sqlite3_aggregate_context(ctx, 0);
	unsigned int first = HIST_POWERS, last = 0;
	uint64_t most = 0, from = 1;
	struct buf b = {0};

	if (h && h->is_wrong) {
		sqlite3_result_error(ctx, "hist() takes one base for all values, from 2 on", -1);
		return;
	}
	for (unsigned int i = 0; h && i < HIST_POWERS; i++) {
		if (!h->count[i])
			continue;
		first = i < first ? i : first;
		last = i;
		most = h->count[i] > most ? h->count[i] : most;
	}
	if (!most)
		return;
	for (unsigned int i = 0; i <= last; i++, from *= h->base) {
		if (i < first)
			continue;
		if (i > first)
			buf_addch(&b, '\n');
		add_hist_line(h, i, i ? from : 0, most, &b);
	}
	sqlite3_result_text(ctx, b.data, b.len, SQLITE_TRANSIENT);
	buf_release(&b);
}

/* --- top(X, N) */

#define TOP_VALUES 10000	/* values that are counted at a time */
#define TOP_BYTES  256		/* of a value */
#define TOP_N	   10

/*
 * Counts as Misra and Gries do: when all places are taken, each count loses the least one, which
 * frees a place. A count is then too low by at most the sum of what was taken, which is less than
 * the number of values by TOP_VALUES.
 */
struct top_state {
	struct textmap *counts;
	int64_t n;
};

struct top_value {
	const char *text;
	size_t len;
	uint64_t count;
};

static void lower_counts(struct top_state *s)
{
	struct textmap left = {0};
	uintptr_t least = UINTPTR_MAX, count;

	for (size_t i = 0; i < s->counts->cap; i++) {
		count = (uintptr_t)s->counts->slots[i].val;
		if (count && count < least)
			least = count;
	}
	for (size_t i = 0; i < s->counts->cap; i++) {
		const struct textmap_slot *at = &s->counts->slots[i];

		count = (uintptr_t)at->val;
		if (count > least)
			textmap_put(&left, at->key, at->len, (void *)(count - least));
	}
	textmap_release(s->counts);
	*s->counts = left;
}

void sql_add_to_top(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	struct top_state *s;
	const char *text;
	uintptr_t count;
	size_t len;

	if (sqlite3_value_type(argv[0]) == SQLITE_NULL)
		return;
	s = sqlite3_aggregate_context(ctx, sizeof(*s));
	text = (const char *)sqlite3_value_text(argv[0]);
	if (!s || !text) {
		sqlite3_result_error_nomem(ctx);
		return;
	}
	if (!s->counts)
		s->counts = xcalloc(1, sizeof(*s->counts));
	s->n = argc > 1 ? sqlite3_value_int64(argv[1]) : TOP_N;
	len = sqlite3_value_bytes(argv[0]);
	len = len < TOP_BYTES ? len : TOP_BYTES;
	count = (uintptr_t)textmap_get(s->counts, text, len);
	if (count || s->counts->n < TOP_VALUES)
		textmap_put(s->counts, text, len, (void *)(count + 1));
	else
		lower_counts(s);
}

/* The most frequent first; values of one count by their bytes. */
static int compare_values(const void *a, const void *b)
{
	const struct top_value *x = a, *y = b;
	int order;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	order = memcmp(x->text, y->text, x->len < y->len ? x->len : y->len);
	return order ? order : (x->len > y->len) - (x->len < y->len);
}

/* A JSON object, so that json_each() makes rows of it: {"read":12,"write":3}. */
void sql_end_top(sqlite3_context *ctx)
{
	struct top_state *s = sqlite3_aggregate_context(ctx, 0);
	struct top_value *v;
	struct buf b = {0};
	size_t n = 0;

	if (!s || !s->counts)
		return;
	v = xcalloc(s->counts->n + 1, sizeof(*v));
	for (size_t i = 0; i < s->counts->cap; i++) {
		const struct textmap_slot *at = &s->counts->slots[i];

		if (at->val)
			v[n++] = (struct top_value){ at->key, at->len, (uintptr_t)at->val };
	}
	if (n)
		qsort(v, n, sizeof(*v), compare_values);
	buf_addch(&b, '{');
	for (size_t i = 0; i < n && (int64_t)i < s->n; i++) {
		if (i)
			buf_addch(&b, ',');
		json_add_string(&b, v[i].text, v[i].len);
		buf_printf(&b, ":%" PRIu64, v[i].count);
	}
	buf_addch(&b, '}');
	sqlite3_result_text(ctx, b.data, b.len, SQLITE_TRANSIENT);
	buf_release(&b);
	free(v);
	textmap_release(s->counts);
	free(s->counts);
	s->counts = NULL;
}
