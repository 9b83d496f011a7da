/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scans of intervals of time that the model makes of records: runs on CPUs, states of tasks, spans,
 * waits. Rows come as the intervals end: ORDER BY ts sorts them.
 */
#include "sql/sql_intervals.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Keeps the used columns of the last row. */
static void keep_row(struct interval_scan *s)
{
	struct sql_cell *to;

	if (!s->has_row)
		return;
	s->cells = xgrow(s->cells, &s->cap, (s->n + 1) * s->width, sizeof(*s->cells));
	to = s->cells + s->n++ * s->width;
	for (size_t i = 0; i < s->width; i++)
		to[i] = s->row[s->columns[i]];
	s->has_row = false;
}

struct sql_cell *interval_add(struct interval_scan *s)
{
	keep_row(s);
	memset(s->row, 0, s->kind->nr_columns * sizeof(*s->row));
	s->has_row = true;
	return s->row;
}

void interval_set_text(struct interval_scan *s, struct sql_cell *c, const char *text, size_t len)
{
	if (!interval_is_used(s, c))
		return;
	s->text_bytes += len;
	c->kind = CELL_TEXT;
	c->text = texts_add(&s->texts, text, len);
}

void interval_set_word(struct sql_cell *c, const char *text)
{
	c->kind = CELL_TEXT;
	c->text = text;
}

void interval_set_task(struct interval_scan *s, struct sql_cell *c, const struct task *t)
{
	const char *name;

	cell_set_integer(&c[0], t->id);
	cell_set_integer(&c[1], t->pid);
	if (!interval_is_used(s, &c[2]))
		return;
	name = model_task_name(s->model, t);
	interval_set_text(s, &c[2], name, strlen(name));
}

void interval_set_file(struct interval_scan *s, struct sql_cell *c, unsigned int file)
{
	interval_set_word(c, s->db->traces[file]->dat->path);
}

void interval_set_marks(struct interval_scan *s, struct sql_cell *c, uint8_t marks)
{
	if (!marks || !interval_is_used(s, c))
		return;
	buf_reset(&s->text);
	for (unsigned int i = 0; i < SPAN_MARKS; i++)
		if (marks & 1u << i)
			buf_printf(&s->text, "%s%s", s->text.len ? ", " : "", span_mark_names[i]);
	interval_set_text(s, c, s->text.data, s->text.len);
}

void interval_set_name(struct interval_scan *s, struct sql_cell *c, const struct span *span)
{
	if (!interval_is_used(s, c))
		return;
	buf_reset(&s->text);
	buf_addstr(&s->text, "");
	model_add_name(s->model, span, &s->text);
	interval_set_text(s, c, s->text.data, s->text.len);
}

void interval_set_known(struct sql_cell *c, uint64_t v)
{
	if (v != SPAN_UNKNOWN)
		cell_set_integer(c, v);
}

int interval_fail(struct interval_scan *s, const char *what)
{
	if (!s->vtab)
		return SQLITE_ERROR;
	sqlite3_free(s->vtab->zErrMsg);
	s->vtab->zErrMsg = sqlite3_mprintf("%s(): %s", s->kind->name, what);
	return SQLITE_ERROR;
}

/* --- scans */

static void drop_rows(struct interval_scan *s)
{
	texts_release(&s->texts);
	s->first = s->n = s->text_bytes = 0;
}

static void stop_scan(struct interval_scan *s)
{
	if (s->db->whole == s)
		s->db->whole = NULL;
	if (s->view && s->kind->release)
		s->kind->release(s);
	free(s->view);
	trace_iter_free(s->it);
	model_free(s->model);
	life_marks_release(&s->marks);
	strv_release(&s->pairs);
	drop_rows(s);
	s->has_row = false;
	s->view = NULL;
	s->it = NULL;
	s->model = NULL;
	s->last_id = 0;
}

static void *open_intervals(struct sql_db *db, const struct sql_table *t)
{
	struct interval_scan *s = xcalloc(1, sizeof(*s));

	s->db = db;
	s->kind = t->data;
	s->ts = t->ts;
	return s;
}

static void set_used(struct interval_scan *s, uint64_t used)
{
	s->used = used;
	s->width = 0;
	for (size_t i = 0; i < s->kind->nr_columns; i++) {
		if (!(used >> i & 1))
			continue;
		s->places[i] = s->width;
		s->columns[s->width++] = i;
	}
}

static int start_scan(struct interval_scan *s, const struct sql_conditions *c)
{
	struct model_opts o = { .kinds = s->kind->kinds };
	struct ftr_error err = {0};
	int ret = SQLITE_OK;

	s->vtab = c->vtab;
	set_used(s, c->used);
	s->view = xcalloc(1, s->kind->view_bytes + 1);
	s->ops = s->kind->ops;
	if (s->kind->start)
		s->kind->start(s);
	if (s->kind->arguments) {
		ret = s->kind->arguments(s, c, &s->pairs);
		o.pairs = &s->pairs;
	}
	if (ret != SQLITE_OK)
		return ret;
	s->model = model_new(s->db->traces, s->db->n, &o, &s->ops, s, &err);
	if (!s->model)
		return interval_fail(s, err.msg);
	s->it = trace_iter_new(s->db->traces, s->db->n, NULL);
	if (!s->db->whole && !s->db->threads) {
		life_marks_start(&s->marks, s->db);
		s->db->whole = s;
	}
	return SQLITE_OK;
}

/* States before a range of times decide about those in it: the files are read from the start. */
static int begin_intervals(void *scan, const struct sql_conditions *c)
{
	struct interval_scan *s = scan;
	struct sql_range ts = { INT64_MIN, INT64_MAX, false };

	stop_scan(s);
	sql_narrow(c, s->ts, &ts);
	s->ended = ts.empty;
	return start_scan(s, c);
}

static void feed_end(struct interval_scan *s)
{
	s->ended = true;
	model_end(s->model);
	if (s->kind->end)
		s->kind->end(s);
	keep_row(s);
}

/* Reads records until there is a row, or some if @many. Returns false if the query is to end. */
static bool read_records(struct interval_scan *s, bool many)
{
	const struct trace_rec *r = NULL;
	unsigned int n = 0;

	if (sql_is_over(s->db))
		return false;
	s->is_feeding = true;
	while (n < RECORDS_PER_LOOK && (many || !s->n) && (r = trace_iter_next(s->it))) {
		n++;
		model_feed(s->model, r);
		if (s->marks.formats)
			life_marks_see(&s->marks, r);
		if (s->has_row)
			keep_row(s);
	}
	s->db->records += n;
	if (r)
		s->db->ts = r->ts;
	if (n < RECORDS_PER_LOOK && (many || !s->n) && !r)
		feed_end(s);
	s->is_feeding = false;
	return true;
}

static bool next_interval(void *scan)
{
	struct interval_scan *s = scan;

	if (++s->first >= s->n)
		drop_rows(s);
	while (!s->n && !s->ended)
		if (!read_records(s, false))
			return false;
	return s->n;
}

#define AHEAD_BYTES_MAX (32u << 20)	/* of rows that are kept */

bool interval_read_ahead(struct sql_db *db, struct model **m, struct life_marks **marks)
{
	struct interval_scan *s = db->whole;

	/* the model is not at one place while it calls */
	if (!s || s->is_feeding)
		return false;
	while (!s->ended) {
		if (s->n * s->width * sizeof(*s->cells) + s->text_bytes > AHEAD_BYTES_MAX ||
		    !read_records(s, true))
			return false;
	}
	*m = s->model;
	*marks = &s->marks;
	return true;
}

static void interval_column(void *scan, int column, sqlite3_context *out)
{
	const struct interval_scan *s = scan;

	cell_result(&s->cells[s->first * s->width + s->places[column]], SQLITE_TRANSIENT, out);
}

static void close_intervals(void *scan)
{
	struct interval_scan *s = scan;

	stop_scan(s);
	free(s->cells);
	buf_release(&s->text);
	free(s);
}

void interval_run(struct sql_db *db, const struct interval_kind *kind,
		  void (*then)(void *ctx, struct interval_scan *s), void *ctx)
{
	static const struct sql_conditions none;
	struct interval_scan *s = xcalloc(1, sizeof(*s));

	s->db = db;
	s->kind = kind;
	if (start_scan(s, &none) == SQLITE_OK) {
		while (next_interval(s))
			;
		then(ctx, s);
	}
	close_intervals(s);
}

static double interval_rows(struct sql_db *db, const struct sql_table *t)
{
	double bytes = 0;

	(void)t;
	for (size_t i = 0; i < db->n; i++)
		bytes += db->traces[i]->dat->file_size;
	return bytes / 100 + 1;
}

static const struct sql_table_ops interval_ops = {
	.open = open_intervals, .begin = begin_intervals, .next = next_interval,
	.column = interval_column, .close = close_intervals, .rows = interval_rows,
};

int interval_add_kinds(struct sql_db *db, const struct interval_kind *kinds, size_t n,
		       struct ftr_error *err)
{
	for (size_t i = 0; i < n; i++)
		if (sql_add_table(db, sql_table_new(kinds[i].name, kinds[i].about,
						    kinds[i].columns, kinds[i].nr_columns,
						    &interval_ops, (void *)&kinds[i]), err))
			return -1;
	return 0;
}
