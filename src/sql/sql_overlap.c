/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * overlap(A, B, KEY): the times at which an interval of A and one of B, of one key, both last. A
 * and B are tables or queries with the columns ts and dur. SQLite sorts both by key and time; then
 * one pass merges them, where a join would compare each with each.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "sql/sql_table.h"

#define VALUES_MAX 8		/* further columns of each side */

enum overlap_column {
	OVER_TS, OVER_DUR, OVER_KEY, OVER_A, OVER_B = OVER_A + VALUES_MAX,
	OVER_ARG_A = OVER_B + VALUES_MAX, OVER_ARG_B, OVER_ARG_KEY, OVER_COLUMNS,
};

static const struct sql_column overlap_columns[OVER_COLUMNS] = {
	{ "ts", SQL_INTEGER, "start of the overlap", SQL_TIME },
	{ "dur", SQL_INTEGER, "its length", SQL_TIME },
	{ "key", SQL_ANY, "key of both", 0 },
	{ "a1", SQL_ANY, "first column of A beside ts, dur and the key", 0 },
	{ "a2", SQL_ANY, "second column of A", 0 },
	{ "a3", SQL_ANY, "third column of A", 0 },
	{ "a4", SQL_ANY, "fourth column of A", 0 },
	{ "a5", SQL_ANY, "fifth column of A", 0 },
	{ "a6", SQL_ANY, "sixth column of A", 0 },
	{ "a7", SQL_ANY, "seventh column of A", 0 },
	{ "a8", SQL_ANY, "eighth column of A", 0 },
	{ "b1", SQL_ANY, "first column of B beside ts, dur and the key", 0 },
	{ "b2", SQL_ANY, "second column of B", 0 },
	{ "b3", SQL_ANY, "third column of B", 0 },
	{ "b4", SQL_ANY, "fourth column of B", 0 },
	{ "b5", SQL_ANY, "fifth column of B", 0 },
	{ "b6", SQL_ANY, "sixth column of B", 0 },
	{ "b7", SQL_ANY, "seventh column of B", 0 },
	{ "b8", SQL_ANY, "eighth column of B", 0 },
	{ "a", SQL_TEXT, "argument: a table or query", SQL_ARGUMENT },
	{ "b", SQL_TEXT, "argument: a table or query", SQL_ARGUMENT },
	{ "by", SQL_TEXT, "argument: the column that both have; '': none", SQL_ARGUMENT },
};

struct key_interval {
	int64_t begin, end;
	sqlite3_value *values[VALUES_MAX];
	unsigned int users;		/* places that have it: its side, the current row */
};

/* One of the two inputs: a row of the statement that is next, and the intervals that last. */
struct overlap_side {
	sqlite3_stmt *query;
	int columns;			/* further columns */
	bool has_row;
	struct key_interval **open;
	size_t n, cap;
};

struct overlap_scan {
	struct sql_db *db;
	sqlite3_vtab *vtab;
	struct overlap_side side[2];
	sqlite3_stmt *probe;		/* shows the columns of a side */
	sqlite3_value *key;		/* of the group that is merged */
	bool has_key;
	/* the interval that began last, and the next one of the other side to go with it */
	struct key_interval *fresh;
	int fresh_side;
	size_t at;
	const struct key_interval *pair[2];	/* the current row */
};

/* --- intervals */

static void drop_interval(struct key_interval *v)
{
	if (!v || --v->users)
		return;
	for (size_t i = 0; i < VALUES_MAX; i++)
		sqlite3_value_free(v->values[i]);
	free(v);
}

static void clear_side(struct overlap_side *side)
{
	while (side->n)
		drop_interval(side->open[--side->n]);
}

static void stop_overlap(struct overlap_scan *s)
{
	for (int i = 0; i < 2; i++) {
		clear_side(&s->side[i]);
		sqlite3_finalize(s->side[i].query);
		free(s->side[i].open);
		s->side[i] = (struct overlap_side){0};
	}
	drop_interval(s->fresh);
	sqlite3_value_free(s->key);
	s->fresh = NULL;
	s->key = NULL;
	s->has_key = false;
}

/* --- the two queries: key, ts, dur, further columns; sorted by key and ts */

static int fail(struct overlap_scan *s, const char *what)
{
	sqlite3_free(s->vtab->zErrMsg);
	s->vtab->zErrMsg = sqlite3_mprintf("overlap(): %s", what);
	return SQLITE_ERROR;
}

/* Appends a name in double quotes. */
static void add_quoted(struct buf *b, const char *name)
{
	buf_addch(b, '"');
	for (; *name; name++) {
		if (*name == '"')
			buf_addch(b, '"');
		buf_addch(b, *name);
	}
	buf_addch(b, '"');
}

/* Appends "table" or "(query)". */
static void add_source(struct buf *b, const char *text)
{
	bool is_name = text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789_")] == '\0';

	if (is_name)
		add_quoted(b, text);
	else
		buf_printf(b, "(%s\n)", text);
}

/*
 * Appends the columns of the source beside ts, dur and the key, or NULL for those that are not in
 * @used, the bits of which are their numbers. Returns their number, or -1.
 */
static int add_further(struct overlap_scan *s, const char *source, const char *key, uint64_t used,
		       struct buf *b)
{
	struct buf q = {0};
	int n = 0, needed = 0, ret;

	buf_addstr(&q, "SELECT * FROM ");
	add_source(&q, source);
	ret = sql_prepare(s->db, q.data, &s->probe, NULL);
	buf_release(&q);
	if (ret != SQLITE_OK)
		return fail(s, sqlite3_errmsg(s->db->db)), -1;
	for (int i = 0; i < sqlite3_column_count(s->probe); i++) {
		const char *name = sqlite3_column_name(s->probe, i);

		if (!sqlite3_stricmp(name, "ts") || !sqlite3_stricmp(name, "dur")) {
			needed++;
		} else if (sqlite3_stricmp(name, key) && n < VALUES_MAX) {
			buf_addstr(b, ", ");
			if (used >> n++ & 1)
				add_quoted(b, name);
			else
				buf_addstr(b, "NULL");
		}
	}
	sqlite3_finalize(s->probe);
	s->probe = NULL;
	return needed == 2 ? n : (fail(s, "both need the columns ts and dur"), -1);
}

static int prepare_side(struct overlap_scan *s, struct overlap_side *side, const char *source,
			const char *key, uint64_t used)
{
	struct buf q = {0};
	int ret;

	buf_addstr(&q, "SELECT ");
	if (*key)
		add_quoted(&q, key);
	else
		buf_addstr(&q, "0");
	buf_addstr(&q, ", ts, dur");
	side->columns = add_further(s, source, key, used, &q);
	if (side->columns < 0) {
		buf_release(&q);
		return SQLITE_ERROR;
	}
	buf_addstr(&q, " FROM ");
	add_source(&q, source);
	buf_addstr(&q, " WHERE ts IS NOT NULL AND dur >= 0");
	if (*key) {
		buf_addstr(&q, " AND ");
		add_quoted(&q, key);
		buf_addstr(&q, " IS NOT NULL");
	}
	buf_addstr(&q, " ORDER BY 1, 2");
	ret = sql_prepare(s->db, q.data, &side->query, NULL);
	buf_release(&q);
	return ret == SQLITE_OK ? SQLITE_OK : fail(s, sqlite3_errmsg(s->db->db));
}

static int step_side(struct overlap_scan *s, struct overlap_side *side)
{
	int ret = sqlite3_step(side->query);

	side->has_row = ret == SQLITE_ROW;
	if (ret == SQLITE_ROW || ret == SQLITE_DONE)
		return SQLITE_OK;
	return ret == SQLITE_INTERRUPT ? ret : fail(s, sqlite3_errmsg(s->db->db));
}

/* --- merging */

/* Keys are compared as SQLite sorts them: numbers before texts. */
static int compare_keys(sqlite3_value *a, sqlite3_value *b)
{
	bool text_a = sqlite3_value_type(a) == SQLITE_TEXT;
	bool text_b = sqlite3_value_type(b) == SQLITE_TEXT;
	double x, y;

	if (text_a != text_b)
		return text_a ? 1 : -1;
	if (text_a)
		return strcmp((const char *)sqlite3_value_text(a),
			      (const char *)sqlite3_value_text(b));
	if (sqlite3_value_type(a) == SQLITE_INTEGER && sqlite3_value_type(b) == SQLITE_INTEGER)
		return (sqlite3_value_int64(a) > sqlite3_value_int64(b)) -
		       (sqlite3_value_int64(a) < sqlite3_value_int64(b));
	x = sqlite3_value_double(a);
	y = sqlite3_value_double(b);
	return (x > y) - (x < y);
}

static int compare_sides(const struct overlap_side *a, const struct overlap_side *b)
{
	int order = compare_keys(sqlite3_column_value(a->query, 0),
				 sqlite3_column_value(b->query, 0));
	int64_t x = sqlite3_column_int64(a->query, 1), y = sqlite3_column_int64(b->query, 1);

	return order ? order : (x > y) - (x < y);
}

/* Removes the intervals that have ended by @ts. */
static void end_intervals(struct overlap_side *side, int64_t ts)
{
	size_t kept = 0;

	for (size_t i = 0; i < side->n; i++) {
		if (side->open[i]->end > ts)
			side->open[kept++] = side->open[i];
		else
			drop_interval(side->open[i]);
	}
	side->n = kept;
}

/* Takes the row of @nr that is next: it becomes the fresh interval of its side. */
static int take_row(struct overlap_scan *s, int nr)
{
	struct overlap_side *side = &s->side[nr];
	sqlite3_value *key = sqlite3_column_value(side->query, 0);
	struct key_interval *v = xcalloc(1, sizeof(*v));

	if (!s->has_key || compare_keys(s->key, key)) {
		clear_side(&s->side[0]);
		clear_side(&s->side[1]);
		sqlite3_value_free(s->key);
		s->key = sqlite3_value_dup(key);
		s->has_key = true;
	}
	v->begin = sqlite3_column_int64(side->query, 1);
	if (__builtin_add_overflow(v->begin, sqlite3_column_int64(side->query, 2), &v->end))
		v->end = INT64_MAX;
	for (int i = 0; i < side->columns; i++)
		v->values[i] = sqlite3_value_dup(sqlite3_column_value(side->query, 3 + i));
	v->users = 2;
	end_intervals(&s->side[0], v->begin);
	end_intervals(&s->side[1], v->begin);
	side->open = xgrow(side->open, &side->cap, side->n + 1, sizeof(*side->open));
	side->open[side->n++] = v;
	drop_interval(s->fresh);
	s->fresh = v;
	s->fresh_side = nr;
	s->at = 0;
	return step_side(s, side);
}

/* --- scans */

static void *open_overlap(struct sql_db *db, const struct sql_table *t)
{
	struct overlap_scan *s = xcalloc(1, sizeof(*s));

	(void)t;
	s->db = db;
	return s;
}

static int begin_overlap(void *scan, const struct sql_conditions *c)
{
	struct overlap_scan *s = scan;
	const char *args[3] = {0};
	int ret;

	stop_overlap(s);
	s->vtab = c->vtab;
	for (size_t i = 0; i < c->n; i++)
		if (c->v[i].column >= OVER_ARG_A)
			args[c->v[i].column - OVER_ARG_A] =
				(const char *)sqlite3_value_text(c->v[i].value);
	if (!args[0] || !args[1] || !args[2])
		return fail(s, "it takes two tables or queries, and a column: "
			       "overlap('slice', 'thread_state', 'utid')");
	ret = prepare_side(s, &s->side[0], args[0], args[2], c->used >> OVER_A);
	if (ret == SQLITE_OK)
		ret = prepare_side(s, &s->side[1], args[1], args[2], c->used >> OVER_B);
	if (ret == SQLITE_OK)
		ret = step_side(s, &s->side[0]);
	return ret == SQLITE_OK ? step_side(s, &s->side[1]) : ret;
}

static bool next_overlap(void *scan)
{
	struct overlap_scan *s = scan;
	struct overlap_side *a = &s->side[0], *b = &s->side[1];
	const struct overlap_side *other;
	int nr;

	for (;;) {
		other = &s->side[!s->fresh_side];
		if (s->fresh && s->at < other->n) {
			s->pair[s->fresh_side] = s->fresh;
			s->pair[!s->fresh_side] = other->open[s->at++];
			if (s->fresh->end > s->fresh->begin)
				return true;
			continue;
		}
		if (!a->has_row && !b->has_row)
			return false;
		nr = !a->has_row || (b->has_row && compare_sides(a, b) > 0);
		if (take_row(s, nr) != SQLITE_OK) {
			s->db->is_failed = true;
			return false;
		}
	}
}

static void overlap_column(void *scan, int column, sqlite3_context *out)
{
	const struct overlap_scan *s = scan;
	const struct key_interval *a = s->pair[0], *b = s->pair[1];
	int64_t begin = a->begin > b->begin ? a->begin : b->begin;
	int64_t end = a->end < b->end ? a->end : b->end;
	sqlite3_value *v = NULL;

	if (column == OVER_TS)
		sqlite3_result_int64(out, begin);
	else if (column == OVER_DUR)
		sqlite3_result_int64(out, end - begin);
	else if (column == OVER_KEY)
		v = s->key;
	else if (column < OVER_B)
		v = a->values[column - OVER_A];
	else if (column < OVER_ARG_A)
		v = b->values[column - OVER_B];
	if (v)
		sqlite3_result_value(out, v);
}

static void close_overlap(void *scan)
{
	stop_overlap(scan);
	free(scan);
}

/* A statement that is left would keep the connection open. */
static void abandon_overlap(void *scan)
{
	struct overlap_scan *s = scan;

	sqlite3_finalize(s->probe);
	for (int i = 0; i < 2; i++)
		sqlite3_finalize(s->side[i].query);
}

static const struct sql_table_ops overlap_ops = {
	.open = open_overlap, .begin = begin_overlap, .next = next_overlap,
	.column = overlap_column, .close = close_overlap,
	.abandon = abandon_overlap, .is_direct = true,
};

int sql_add_overlap(struct sql_db *db, struct ftr_error *err)
{
	static const char about[] =
		"overlap(A, B, KEY): times that intervals of both have in common";

	return sql_add_table(db, sql_table_new("overlap", about, overlap_columns, OVER_COLUMNS,
					       &overlap_ops, NULL), err);
}
