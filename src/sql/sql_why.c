/* SPDX-License-Identifier: GPL-2.0-or-later */
/* why(TASK, BEGIN, END, WAKERS): the rows of ftr why, those inside of a row following it. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/why/why_account.h"
#include "sql/sql_table.h"

#define WAKERS_MAX 16		/* as ftr why --tree follows */
#define LOOK_EACH  64		/* records between two looks at the clock: one may end many waits */

enum why_column {
	WHY_TASK, WHY_PID, WHY_UTID, WHY_DEPTH, WHY_WHAT, WHY_IN, WHY_CAUSE, WHY_TIME, WHY_COUNT,
	WHY_LONGEST, WHY_LONGEST_AT, WHY_WORKER, WHY_SECTOR, WHY_SECTORS, WHY_FROM, WHY_TO, WHY_ID,
	WHY_PARENT, WHY_ARG_TASK, WHY_ARG_BEGIN, WHY_ARG_END, WHY_ARG_WAKERS, WHY_FILE,
};

static const struct sql_column why_columns[] = {
	{ "task", SQL_TEXT, "NAME-PID", 0 },
	{ "pid", SQL_INTEGER, "its pid", 0 },
	{ "utid", SQL_INTEGER, "the task, as in table thread", 0 },
	{ "depth", SQL_INTEGER, "0: a part of the task's time; 1: of the time of its waker; ...",
	  0 },
	{ "what", SQL_TEXT, "ran, preempted, waited, asleep, blocked, ...", 0 },
	{ "in", SQL_TEXT, "the system call or function it was in, or NULL", 0 },
	{ "cause", SQL_TEXT, "what ended or caused it, or NULL", 0 },
	{ "time", SQL_INTEGER, "time in this row", SQL_TIME },
	{ "count", SQL_INTEGER, "number of stays", 0 },
	{ "longest", SQL_INTEGER, "length of the longest stay", SQL_TIME },
	{ "longest_at", SQL_INTEGER, "its start", SQL_TIME },
	{ "worker", SQL_INTEGER, "pid of the worker whose work ended such sleeps, or NULL", 0 },
	{ "longest_sector", SQL_INTEGER, "first sector of the request that ended the longest stay",
	  SQL_UNIT(UNIT_SECTORS) },
	{ "longest_nr_sector", SQL_INTEGER, "its number of sectors", SQL_UNIT(UNIT_SECTORS) },
	{ "from", SQL_INTEGER, "first moment of the account", SQL_TIME },
	{ "to", SQL_INTEGER, "its last moment", SQL_TIME },
	{ "id", SQL_INTEGER, "number of the row in one scan of the table", 0 },
	{ "parent_id", SQL_INTEGER, "the sleep that contains this time of its waker, or NULL", 0 },
	{ "of_task", SQL_ANY, "argument: a pid, NAME-PID or a glob; none: all tasks",
	  SQL_ARGUMENT },
	{ "begin_ts", SQL_INTEGER, "argument: start of the time that is accounted",
	  SQL_ARGUMENT | SQL_TIME },
	{ "end_ts", SQL_INTEGER, "argument: its end, which is no part of it",
	  SQL_ARGUMENT | SQL_TIME },
	{ "wakers", SQL_INTEGER, "argument: number of wakers that are followed, 0 to 16; none: 1",
	  SQL_ARGUMENT },
	{ "file", SQL_TEXT, "file of the task", SQL_HIDDEN },
};

struct why_scan {
	struct sql_db *db;
	sqlite3_vtab *vtab;
	char *word;			/* the argument TASK */
	struct why_tasks tasks;
	struct model *model;
	struct why *why;
	struct why_account *accounts;
	size_t n, at;			/* accounts[at] has the row, or the next one */
	uint32_t row;			/* the current row: number, 0: before the first of ->at */
	struct buf text;		/* for one value at a time */
};

static int fail(struct why_scan *s, const char *reason)
{
	sqlite3_free(s->vtab->zErrMsg);
	s->vtab->zErrMsg = sqlite3_mprintf("why(): %s", reason);
	return SQLITE_ERROR;
}

static void stop_scan(struct why_scan *s)
{
	why_free(s->why);
	model_free(s->model);
	free(s->word);
	s->why = NULL;
	s->model = NULL;
	s->accounts = NULL;
	s->word = NULL;
	s->n = s->at = s->row = 0;
}

static void *open_why(struct sql_db *db, const struct sql_table *t)
{
	struct why_scan *s = xcalloc(1, sizeof(*s));

	(void)t;
	s->db = db;
	return s;
}

/* --- arguments */

/* Reads an argument that is a number; NULL leaves *v. Returns false if it is none. */
static bool read_number(sqlite3_value *value, int64_t *v)
{
	int type = sqlite3_value_numeric_type(value);

	if (type == SQLITE_INTEGER || type == SQLITE_FLOAT)
		*v = sqlite3_value_int64(value);
	return type == SQLITE_INTEGER || type == SQLITE_FLOAT || type == SQLITE_NULL;
}

static int read_arguments(struct why_scan *s, const struct sql_conditions *c, struct why_opts *o)
{
	int64_t begin = 0, end = INT64_MAX, wakers = 1;

	for (size_t i = 0; i < c->n; i++) {
		sqlite3_value *v = c->v[i].value;
		bool is_number = true;

		if (c->v[i].column == WHY_ARG_TASK && sqlite3_value_type(v) != SQLITE_NULL)
			s->word = xstrdup((const char *)sqlite3_value_text(v));
		else if (c->v[i].column == WHY_ARG_BEGIN)
			is_number = read_number(v, &begin);
		else if (c->v[i].column == WHY_ARG_END)
			is_number = read_number(v, &end);
		else if (c->v[i].column == WHY_ARG_WAKERS)
			is_number = read_number(v, &wakers);
		if (!is_number)
			return fail(s, "it takes a task and two times: why('bash-1', 100, 200)");
	}
	if (wakers < 0 || wakers > WAKERS_MAX)
		return fail(s, "the number of wakers is 0 to 16");
	why_tasks_parse(&s->tasks, s->word);
	o->from = begin < 0 ? 0 : begin;
	o->to = end < 0 ? 0 : end == INT64_MAX ? UINT64_MAX : (uint64_t)end;
	o->depth = wakers;
	return SQLITE_OK;
}

/* --- the pass */

/* A name may change, so only numbers are compared before the end. */
static bool is_accounted(void *ctx, const struct task *t)
{
	const struct why_scan *s = ctx;

	return !s->tasks.pid || t->pid == s->tasks.pid;
}

static int read_records(struct why_scan *s)
{
	struct model_opts o = { .kinds = why_kinds() };
	struct ftr_error err = {0};
	const struct trace_rec *r;
	struct trace_iter *it;

	s->model = model_new(s->db->traces, s->db->n, &o, why_ops(), s->why, &err);
	if (!s->model)
		return fail(s, err.msg);
	why_bind(s->why, s->model);
	it = trace_iter_new(s->db->traces, s->db->n, NULL);
	while ((r = trace_iter_next(it))) {
		if (!(s->db->records++ % LOOK_EACH) && sql_is_over(s->db))
			break;
		model_feed(s->model, r);
	}
	trace_iter_free(it);
	if (s->db->is_interrupted)
		return SQLITE_INTERRUPT;
	model_end(s->model);
	return model_met_switch(s->model) ? SQLITE_OK : fail(s, "the files have no sched_switch");
}

static int begin_why(void *scan, const struct sql_conditions *c)
{
	struct why_scan *s = scan;
	struct why_opts o = { .wants = is_accounted, .ctx = s };
	int ret;

	stop_scan(s);
	s->vtab = c->vtab;
	ret = read_arguments(s, c, &o);
	if (ret != SQLITE_OK)
		return ret;
	s->why = why_new(&o);
	ret = read_records(s);
	if (ret == SQLITE_OK)
		s->accounts = why_accounts(s->why, &s->n);
	return ret;
}

/* --- rows */

/* Returns the row after @nr, those inside of it first; 0 at the end. */
static uint32_t row_after(const struct why *w, uint32_t nr)
{
	const struct why_row *r = why_row(w, nr);

	if (r->first)
		return r->first;
	while (!r->next && r->parent)
		r = why_row(w, r->parent);
	return r->next;
}

static bool is_shown(const struct why_scan *s, const struct why_account *a)
{
	return a->task && a->task->pid && a->time && why_tasks_have(&s->tasks, s->model, a->task);
}

static bool next_why(void *scan)
{
	struct why_scan *s = scan;

	if (s->row) {
		s->row = row_after(s->why, s->row);
		if (s->row)
			return true;
		s->at++;
	}
	for (; s->at < s->n; s->at++) {
		struct why_account *a = &s->accounts[s->at];

		if (!is_shown(s, a))
			continue;
		s->row = why_sort(s->why, a->first);
		if (s->row)
			return true;
	}
	return false;
}

static void row_number(const struct why_scan *s, const struct why_row *r, int column,
		       sqlite3_context *out)
{
	const struct why_account *a = &s->accounts[s->at];
	const struct { int column; uint64_t v; } numbers[] = {
		{ WHY_PID, a->task->pid }, { WHY_UTID, a->task->id }, { WHY_DEPTH, r->depth },
		{ WHY_TIME, r->time }, { WHY_COUNT, r->count }, { WHY_LONGEST, r->longest },
		{ WHY_LONGEST_AT, r->longest_at }, { WHY_FROM, a->from }, { WHY_TO, a->to },
		{ WHY_ID, s->row },
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (numbers[i].column == column)
			sqlite3_result_int64(out, (int64_t)numbers[i].v);
}

static void request_number(const struct why_scan *s, const struct why_row *r, int column,
			   sqlite3_context *out)
{
	uint64_t sector, nr_sector;

	if (why_longest_request(s->why, r, &sector, &nr_sector))
		sqlite3_result_int64(out, column == WHY_SECTOR ? sector : nr_sector);
}

static void why_column(void *scan, int column, sqlite3_context *out)
{
	struct why_scan *s = scan;
	const struct why_account *a = &s->accounts[s->at];
	const struct why_row *r = why_row(s->why, s->row);
	bool has_text = true;

	buf_reset(&s->text);
	switch (column) {
	case WHY_TASK:
		model_add_task(s->model, a->task, &s->text);
		break;
	case WHY_WHAT:
		buf_addstr(&s->text, why_word(r));
		break;
	case WHY_IN:
		has_text = why_add_label(s->why, r, &s->text);
		break;
	case WHY_CAUSE:
		has_text = why_add_cause(s->why, r, &s->text);
		break;
	case WHY_FILE:
		buf_addstr(&s->text, s->db->traces[a->task->file]->dat->path);
		break;
	case WHY_WORKER:
		if (r->worker && why_waker(s->why, r))
			sqlite3_result_int(out, why_waker(s->why, r)->pid);
		return;
	case WHY_SECTOR:
	case WHY_SECTORS:
		request_number(s, r, column, out);
		return;
	case WHY_PARENT:
		if (r->parent)
			sqlite3_result_int64(out, r->parent);
		return;
	default:
		row_number(s, r, column, out);
		return;
	}
	if (has_text)
		sqlite3_result_text(out, s->text.len ? s->text.data : "", s->text.len,
				    SQLITE_TRANSIENT);
}

static void close_why(void *scan)
{
	struct why_scan *s = scan;

	stop_scan(s);
	buf_release(&s->text);
	free(s);
}

static double why_rows(struct sql_db *db, const struct sql_table *t)
{
	double bytes = 0;

	(void)t;
	for (size_t i = 0; i < db->n; i++)
		bytes += db->traces[i]->dat->file_size;
	return bytes / 100 + 1;
}

static const struct sql_table_ops why_table_ops = {
	.open = open_why, .begin = begin_why, .next = next_why, .column = why_column,
	.close = close_why, .rows = why_rows,
};

int sql_add_why(struct sql_db *db, struct ftr_error *err)
{
	return sql_add_table(db, sql_table_new("why", "why(TASK, BEGIN, END, WAKERS): where the "
					       "time of a task went, and why", why_columns,
					       sizeof(why_columns) / sizeof(*why_columns),
					       &why_table_ops, NULL), err);
}
