/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Answers a query in SQL, in a job. The widths of columns are those of all rows that are shown, so
 * values are kept until the last row is there.
 */
#include "browse/work/query_work.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "browse/screen/cell_grid.h"
#include "sql/sql_result.h"

#define NO_TIME	   UINT64_MAX
#define CELLS_MAX  (500u << 10)	/* of all rows */
#define VALUE_MAX  (16u << 10)	/* bytes of a value that are shown */
#define VALUES_MAX (16u << 20)	/* bytes of all values */
#define LINES_MAX  (2 * QUERY_ROWS_MAX)
#define TEXT_MAX   (64u << 20)	/* bytes of all lines */
#define WIDTH_MAX  60		/* a wider value moves the rest of its line */

/* The database of a connection is used by one job after the other. */
struct query_source {
	struct trace **views;
	size_t nr;
	struct sql_db *db;
	struct background_job *job;	/* the one that runs */
};

struct query_cell {
	size_t at, len;			/* in ->values of the table; or what is not printed yet */
};

/* The rows of a statement; row 0 has the names of columns. */
struct query_table {
	struct query_work *work;
	int columns;
	int ts;				/* index of the column ts, or -1 */
	struct buf values;
	struct query_cell *cells;
	size_t n, cap;
	uint64_t *times;		/* of each row */
	size_t nr_rows, cap_times;
	size_t *widths;
	bool *is_text;			/* columns with a value that is no number: flush left */
	bool more;
};

/* --- the files as tables */

static void source_free(struct query_source *s)
{
	if (!s)
		return;
	sql_close(s->db);
	trace_views_close(s->views, s->nr);
	free(s);
}

static bool source_stops(void *ctx, uint64_t ts)
{
	const struct query_source *s = ctx;

	(void)ts;
	return job_stops(s->job);
}

/* Returns NULL with @err. */
static struct query_source *source_new(const struct query_work *w, struct ftr_error *err)
{
	struct query_source *s = xcalloc(1, sizeof(*s));
	const struct sql_options o = { .info = w->info, .look = source_stops, .ctx = s };

	s->nr = w->nr_traces;
	s->views = trace_views(w->traces, w->nr_traces);
	if (!s->views)
		err_set(err, FTR_FAILED, "cannot open the files again");
	else
		s->db = sql_open(s->views, s->nr, &o, err);
	if (s->db)
		return s;
	source_free(s);
	return NULL;
}

/* --- rows of the query */

static void table_release(struct query_table *t)
{
	buf_release(&t->values);
	free(t->cells);
	free(t->times);
	free(t->widths);
	free(t->is_text);
}

/* Returns the columns of the screen that the widest line of a value needs. */
static size_t value_width(const struct query_table *t, const struct query_cell *c)
{
	const char *p = t->values.data + c->at, *end = p + c->len, *nl;
	size_t width, most = 0;

	for (; p < end; p = nl + 1) {
		nl = memchr(p, '\n', end - p);
		nl = nl ? nl : end;
		width = grid_text_width(p, nl - p, t->work->ascii);
		most = width > most ? width : most;
	}
	return most < WIDTH_MAX ? most : WIDTH_MAX;
}

/* Ends the value that was appended to ->values since @at. Tabs have no width that is known. */
static void end_value(struct query_table *t, size_t at)
{
	struct query_cell c = { at, t->values.len - at };
	size_t column = t->n % t->columns, width;
	char *p = t->values.data + at, *end = p + c.len;

	while (c.len && (p = memchr(p, '\t', end - p)))
		*p = ' ';
	width = value_width(t, &c);
	if (width > t->widths[column])
		t->widths[column] = width;
	t->cells = xgrow(t->cells, &t->cap, t->n + 1, sizeof(*t->cells));
	t->cells[t->n++] = c;
}

static void end_row(struct query_table *t, uint64_t ts)
{
	t->times = xgrow(t->times, &t->cap_times, t->nr_rows + 1, sizeof(*t->times));
	t->times[t->nr_rows++] = ts;
}

/* The rows of the last statement are shown, so those of an earlier one are dropped. */
static void start_rows(void *ctx, sqlite3_stmt *s)
{
	struct query_table *t = ctx;
	struct query_work *w = t->work;

	table_release(t);
	*t = (struct query_table){ .work = w, .columns = sqlite3_column_count(s), .ts = -1 };
	t->widths = xcalloc(t->columns, sizeof(*t->widths));
	t->is_text = xcalloc(t->columns, sizeof(*t->is_text));
	for (int i = 0; i < t->columns; i++) {
		const char *name = sqlite3_column_name(s, i);
		size_t at = t->values.len, len = name ? strlen(name) : 0;

		if (name && t->ts < 0 && !strcasecmp(name, "ts"))
			t->ts = i;
		text_sanitise(&t->values, name, len < VALUE_MAX ? len : VALUE_MAX, false);
		buf_addstr(&t->values, "");
		end_value(t, at);
	}
	end_row(t, NO_TIME);
}

/* Returns the time of a row, or NO_TIME: it has none that is a time of the files. */
static uint64_t row_time(const struct query_table *t, sqlite3_stmt *s)
{
	int64_t ts;

	if (t->ts < 0 || sqlite3_column_type(s, t->ts) != SQLITE_INTEGER)
		return NO_TIME;
	ts = sqlite3_column_int64(s, t->ts);
	return ts >= 0 && (uint64_t)ts >= t->work->first && (uint64_t)ts <= t->work->last ?
	       (uint64_t)ts : NO_TIME;
}

static bool read_row(void *ctx, sqlite3_stmt *s)
{
	struct query_table *t = ctx;
	size_t at;

	if (t->nr_rows > QUERY_ROWS_MAX || t->n >= CELLS_MAX || t->values.len >= VALUES_MAX) {
		t->more = true;
		return false;
	}
	for (int i = 0; i < t->columns; i++) {
		at = t->values.len;
		sql_row_add_value(s, i, VALUE_MAX, &t->values);
		buf_addstr(&t->values, "");
		if (t->values.len > at && !sql_row_is_number(s, i))
			t->is_text[i] = true;
		end_value(t, at);
	}
	end_row(t, row_time(t, s));
	return true;
}

/* --- lines */

/* Returns the first line of a value, and leaves the others in @rest. */
static struct query_cell next_line(const struct query_table *t, struct query_cell *rest)
{
	const char *p = t->values.data + rest->at, *nl;
	struct query_cell line = *rest;

	nl = rest->len ? memchr(p, '\n', rest->len) : NULL;
	line.len = nl ? (size_t)(nl - p) : rest->len;
	rest->at += line.len + (nl != NULL);
	rest->len -= line.len + (nl != NULL);
	return line;
}

static void add_blanks(struct buf *out, size_t n)
{
	while (n--)
		buf_addch(out, ' ');
}

/* Adds a line of a row, which ends with its last value. Returns true if there are further lines. */
static bool add_line(const struct query_table *t, struct query_cell *rest, uint64_t ts)
{
	struct query_work *w = t->work;
	struct query_line line = { .at = w->text.len, .ts = ts };
	size_t blanks = 0;
	bool any = false;

	for (int i = 0; i < t->columns; i++) {
		struct query_cell c = next_line(t, &rest[i]);
		const char *p = t->values.data + c.at;
		size_t width = c.len ? grid_text_width(p, c.len, w->ascii) : 0;
		size_t fill = width < t->widths[i] ? t->widths[i] - width : 0;

		any |= rest[i].len > 0;
		blanks += i ? 2 : 0;
		if (!c.len) {
			blanks += fill;
			continue;
		}
		add_blanks(&w->text, blanks + (t->is_text[i] ? 0 : fill));
		buf_add(&w->text, p, c.len);
		blanks = t->is_text[i] ? fill : 0;
	}
	line.len = w->text.len - line.at;
	w->lines = xgrow(w->lines, &w->cap_lines, w->nr_lines + 1, sizeof(*w->lines));
	w->lines[w->nr_lines++] = line;
	return any;
}

static void add_lines(const struct query_table *t)
{
	struct query_work *w = t->work;
	struct query_cell *rest = t->cells;
	size_t row = 0;

	for (; row < t->nr_rows; row++, rest += t->columns) {
		bool any = true;

		if (w->nr_lines >= LINES_MAX || w->text.len >= TEXT_MAX)
			break;
		while (any && w->nr_lines < LINES_MAX && w->text.len < TEXT_MAX)
			any = add_line(t, rest, t->times[row]);
	}
	w->nr_rows = row ? row - 1 : 0;
	w->more = t->more || row < t->nr_rows;
}

/* --- the job */

void query_work_run(struct background_job *j, void *ctx)
{
	struct query_work *w = ctx;
	struct query_table t = { .work = w };
	const struct sql_reader reader = { start_rows, read_row, &t };

	if (!w->source)
		w->source = source_new(w, &w->err);
	w->failed = !w->source;
	if (w->failed)
		return;
	w->source->job = j;
	w->failed = sql_read(w->source->db, w->query, &reader, &w->err);
	w->stopped = w->failed && job_stops(j);
	/* the rows of a query that was stopped stay */
	if (!w->failed || w->stopped)
		add_lines(&t);
	table_release(&t);
}

void query_work_clear(struct query_work *w)
{
	free(w->query);
	buf_release(&w->text);
	free(w->lines);
	*w = (struct query_work){ .source = w->source };
}

void query_work_release(struct query_work *w)
{
	query_work_clear(w);
	source_free(w->source);
	w->source = NULL;
}
