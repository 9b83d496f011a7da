/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Intervals of time that the model makes of records: runs on CPUs, states of tasks, spans, waits. A
 * scan feeds the model until it has a row. Rows come as the intervals end: ORDER BY ts sorts them.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/model.h"
#include "sql/sql_list.h"

#define CELLS_MAX 16

struct interval_scan;

/* A kind of table. */
struct interval_kind {
	const char *name, *about;
	const struct sql_column *columns;
	size_t nr_columns;
	uint32_t kinds;			/* of model_opts */
	struct span_ops ops;
	void (*end)(struct interval_scan *s);	/* rows that are open at the end, or NULL */
};

/* The run of a task that goes on, on one CPU of one file. */
struct open_run {
	bool known;
	uint64_t ts;
	int64_t utid, tid, priority;
	char comm[TASK_NAME_MAX + 1];
};

struct interval_scan {
	struct sql_db *db;
	const struct interval_kind *kind;
	struct trace_iter *it;
	struct model *model;
	bool ended;
	uint64_t until;			/* no row that begins later is wanted */
	/* rows that are ready, in cells[first .. n) */
	struct sql_cell (*rows)[CELLS_MAX];
	size_t first, n, cap;
	struct string_pool texts;	/* of the rows that are ready */
	struct map runs;		/* file and CPU -> struct open_run */
	int64_t last_id;
	struct buf text;
};

static struct sql_cell *add_row(struct interval_scan *s)
{
	struct sql_cell *c;

	s->rows = xgrow(s->rows, &s->cap, s->n + 1, sizeof(*s->rows));
	c = s->rows[s->n++];
	memset(c, 0, sizeof(*s->rows));
	return c;
}

static void set_text(struct interval_scan *s, struct sql_cell *c, const char *text, size_t len)
{
	c->kind = CELL_TEXT;
	c->text = texts_add(&s->texts, text, len);
}

/* Sets a text that lives as long as the program. */
static void set_word(struct sql_cell *c, const char *text)
{
	c->kind = CELL_TEXT;
	c->text = text;
}

/* Sets the cells of a task: utid, tid, comm. */
static void set_task(struct interval_scan *s, struct sql_cell *c, const struct task *t)
{
	const char *name = model_task_name(s->model, t);

	cell_set_integer(&c[0], t->id);
	cell_set_integer(&c[1], t->pid);
	set_text(s, &c[2], name, strlen(name));
}

/* --- sched_slice: a run of a task on a CPU, from switch to switch */

enum slice_column {
	RUN_TS, RUN_DUR, RUN_CPU, RUN_UTID, RUN_TID, RUN_COMM, RUN_END_STATE, RUN_PRIORITY,
	RUN_LOST, RUN_FILE,
};

static const struct sql_column run_columns[] = {
	{ "ts", SQL_INTEGER, "begin of the run", SQL_TESTED },
	{ "dur", SQL_INTEGER, "its length; NULL: no end was recorded", 0 },
	{ "cpu", SQL_INTEGER, "CPU", 0 },
	{ "utid", SQL_INTEGER, "task, as in table thread", 0 },
	{ "tid", SQL_INTEGER, "its pid", 0 },
	{ "comm", SQL_TEXT, "its name", 0 },
	{ "end_state", SQL_TEXT, "prev_state in the kernel's letters: S, D, R, R+", 0 },
	{ "priority", SQL_INTEGER, "next_prio of the switch at its begin", 0 },
	{ "lost", SQL_INTEGER, "1: records of the CPU were lost inside of it", 0 },
	{ "file", SQL_TEXT, "file", SQL_HIDDEN },
};

static struct open_run *run_on(struct interval_scan *s, unsigned int file, int cpu)
{
	uint64_t key = (uint64_t)file << 32 | (uint32_t)cpu;
	struct open_run *run = map_get(&s->runs, key);

	if (!run) {
		run = xcalloc(1, sizeof(*run));
		map_put(&s->runs, key, run);
	}
	return run;
}

static void add_run(struct interval_scan *s, const struct open_run *run, unsigned int file, int cpu,
		    uint64_t end, const struct trace_rec *r)
{
	const struct ev_field *f = r ? ev_field(r->rec.fmt, "prev_state") : NULL;
	struct sql_cell *c = add_row(s);

	cell_set_integer(&c[RUN_TS], run->ts);
	if (r)
		cell_set_integer(&c[RUN_DUR], end - run->ts);
	cell_set_integer(&c[RUN_CPU], cpu);
	cell_set_integer(&c[RUN_UTID], run->utid);
	cell_set_integer(&c[RUN_TID], run->tid);
	set_text(s, &c[RUN_COMM], run->comm, strlen(run->comm));
	if (f) {
		buf_reset(&s->text);
		ev_render_word(r->trace->engine, &r->rec, f, r->cpu, r->ts, &s->text);
		if (s->text.len)
			set_text(s, &c[RUN_END_STATE], s->text.data, s->text.len);
	}
	if (run->priority >= 0)
		cell_set_integer(&c[RUN_PRIORITY], run->priority);
	set_word(&c[RUN_FILE], s->db->traces[file]->dat->path);
}

static void see_switch(void *ctx, struct task *prev, struct task *next, const struct trace_rec *r)
{
	struct interval_scan *s = ctx;
	struct open_run *run = run_on(s, r->file, r->cpu);
	const struct ev_field *f;
	uint64_t v;

	(void)prev;
	if (run->known)
		add_run(s, run, r->file, r->cpu, r->ts, r);
	f = r->rec.fmt ? ev_field(r->rec.fmt, "next_prio") : NULL;
	run->known = true;
	run->ts = r->ts;
	run->utid = next->id;
	run->tid = next->pid;
	run->priority = f && ev_get_num(&r->rec, f, &v) ? (int64_t)v : -1;
	snprintf(run->comm, sizeof(run->comm), "%s", model_task_name(s->model, next));
}

/* The end of a run over a loss is unknown: the next switch may be another task's. */
static void see_loss(void *ctx, const struct trace_rec *r)
{
	struct interval_scan *s = ctx;
	struct open_run *run = run_on(s, r->file, r->cpu);

	if (!run->known)
		return;
	add_run(s, run, r->file, r->cpu, 0, NULL);
	cell_set_integer(&s->rows[s->n - 1][RUN_LOST], 1);
	run->known = false;
}

static void end_runs(struct interval_scan *s)
{
	for (size_t i = 0; i < s->runs.cap; i++) {
		const struct open_run *run = s->runs.slots[i].val;
		uint64_t key = s->runs.slots[i].key;

		if (run && run->known)
			add_run(s, run, key >> 32, (int)(uint32_t)key, 0, NULL);
	}
}

/* --- thread_state: what a task does, from one change to the next */

enum state_column {
	STATE_TS, STATE_DUR, STATE_CPU, STATE_UTID, STATE_TID, STATE_COMM, STATE_NAME,
	STATE_IO_WAIT, STATE_BLOCKED, STATE_WAKER, STATE_IRQ, STATE_FILE,
};

static const struct sql_column state_columns[] = {
	{ "ts", SQL_INTEGER, "begin of the state", SQL_TESTED },
	{ "dur", SQL_INTEGER, "its length", 0 },
	{ "cpu", SQL_INTEGER, "CPU on which it runs; NULL: it does not run", 0 },
	{ "utid", SQL_INTEGER, "task, as in table thread", 0 },
	{ "tid", SQL_INTEGER, "its pid", 0 },
	{ "comm", SQL_TEXT, "its name", 0 },
	{ "state", SQL_TEXT, "Running, R, R+ (preempted), S, D, ...; NULL: unknown", 0 },
	{ "io_wait", SQL_INTEGER, "NULL: not known", 0 },
	{ "blocked_function", SQL_TEXT, "NULL: not known", 0 },
	{ "waker_utid", SQL_INTEGER, "task that woke it, for R", 0 },
	{ "irq_context", SQL_INTEGER, "1: an interrupt woke it, for R", 0 },
	{ "file", SQL_TEXT, "file", SQL_HIDDEN },
};

static const char *state_word(const struct model *m, unsigned int state)
{
	switch (state) {
	case TASK_UNKNOWN:
		return NULL;
	case TASK_RUNNING:
		return "Running";
	case TASK_NEW:
	case TASK_RUNNABLE:
		return "R";
	case TASK_PREEMPTED:
		return "R+";
	case TASK_DEAD:
		return "X";
	}
	return model_state_name(m, state);
}

static void see_stay(void *ctx, struct task *t, uint64_t from, uint64_t to)
{
	struct interval_scan *s = ctx;
	const char *word = state_word(s->model, t->state);
	struct sql_cell *c;

	/* Perfetto has no states of idle tasks */
	if (!t->pid)
		return;
	c = add_row(s);
	cell_set_integer(&c[STATE_TS], from);
	cell_set_integer(&c[STATE_DUR], to - from);
	if (t->state == TASK_RUNNING)
		cell_set_integer(&c[STATE_CPU], t->cpu);
	set_task(s, &c[STATE_UTID], t);
	if (word)
		set_text(s, &c[STATE_NAME], word, strlen(word));
	if (t->state == TASK_RUNNABLE && t->waker.kind == WAKER_TASK)
		cell_set_integer(&c[STATE_WAKER], ((const struct task *)t->waker.who)->id);
	if (t->state == TASK_RUNNABLE && t->waker.kind != WAKER_UNKNOWN)
		cell_set_integer(&c[STATE_IRQ], t->waker.kind != WAKER_TASK);
	set_word(&c[STATE_FILE], s->db->traces[t->file]->dat->path);
}

/* --- slice: spans inside each other */

enum span_column {
	SPAN_ID, SPAN_TS, SPAN_DUR, SPAN_CATEGORY, SPAN_NAME, SPAN_DEPTH, SPAN_PARENT, SPAN_SELF,
	SPAN_CPU, SPAN_UTID, SPAN_TID, SPAN_COMM, SPAN_RET, SPAN_MARK, SPAN_FILE,
};

static const struct sql_column span_columns[] = {
	{ "id", SQL_INTEGER, "number of the span, in the order of the begins", 0 },
	{ "ts", SQL_INTEGER, "begin of the span; NULL: it was not recorded", SQL_TESTED },
	{ "dur", SQL_INTEGER, "its length; NULL: unknown", 0 },
	{ "category", SQL_TEXT, "function_graph, syscall, irq, softirq, work, lock, block, ...",
	  0 },
	{ "name", SQL_TEXT, "function, system call, interrupt, ...", 0 },
	{ "depth", SQL_INTEGER, "number of spans around it", 0 },
	{ "parent_id", SQL_INTEGER, "the span around it; NULL: none", 0 },
	{ "self_dur", SQL_INTEGER, "length without the spans inside of it; NULL: unknown",
	  0 },
	{ "cpu", SQL_INTEGER, "CPU at its end", 0 },
	{ "utid", SQL_INTEGER, "task, as in table thread", 0 },
	{ "tid", SQL_INTEGER, "its pid", 0 },
	{ "comm", SQL_TEXT, "its name", 0 },
	{ "ret", SQL_INTEGER, "return value; NULL: not recorded", 0 },
	{ "mark", SQL_TEXT, "remarks: no begin, no end, loss inside, ...", 0 },
	{ "file", SQL_TEXT, "file", SQL_HIDDEN },
};

static void see_begin(void *ctx, struct span *s, const struct trace_rec *r)
{
	struct interval_scan *scan = ctx;

	(void)r;
	s->user = ++scan->last_id;
}

static void set_marks(struct interval_scan *s, struct sql_cell *c, uint8_t marks)
{
	if (!marks)
		return;
	buf_reset(&s->text);
	for (unsigned int i = 0; i < SPAN_MARKS; i++)
		if (marks & 1u << i)
			buf_printf(&s->text, "%s%s", s->text.len ? ", " : "", span_mark_names[i]);
	set_text(s, c, s->text.data, s->text.len);
}

static void see_end(void *ctx, struct span *span, const struct trace_rec *r)
{
	struct interval_scan *s = ctx;
	const struct span *parent = span_parent(span);
	struct sql_cell *c = add_row(s);
	const char *category = model_kind_name(s->model, span->kind);

	(void)r;
	cell_set_integer(&c[SPAN_ID], span->user);
	if (!(span->marks & SPAN_NO_BEGIN))
		cell_set_integer(&c[SPAN_TS], span->begin);
	if (span->duration != SPAN_UNKNOWN)
		cell_set_integer(&c[SPAN_DUR], span->duration);
	set_text(s, &c[SPAN_CATEGORY], category, strlen(category));
	buf_reset(&s->text);
	buf_addstr(&s->text, "");
	model_add_name(s->model, span, &s->text);
	set_text(s, &c[SPAN_NAME], s->text.data, s->text.len);
	cell_set_integer(&c[SPAN_DEPTH], span->depth);
	if (parent)
		cell_set_integer(&c[SPAN_PARENT], parent->user);
	if (span->duration != SPAN_UNKNOWN && span->self != SPAN_UNKNOWN)
		cell_set_integer(&c[SPAN_SELF], span->self);
	if (span->cpu_end >= 0)
		cell_set_integer(&c[SPAN_CPU], span->cpu_end);
	if (span->task)
		set_task(s, &c[SPAN_UTID], span->task);
	if (span->has_retval)
		cell_set_integer(&c[SPAN_RET], span->retval);
	set_marks(s, &c[SPAN_MARK], span->marks);
	set_word(&c[SPAN_FILE], s->db->traces[span->file]->dat->path);
}

/* --- wakeup: a task waits for a CPU */

enum wakeup_column {
	WAKE_TS, WAKE_DUR, WAKE_CPU, WAKE_UTID, WAKE_TID, WAKE_COMM, WAKE_WAKER, WAKE_MARK,
	WAKE_FILE,
};

static const struct sql_column wakeup_columns[] = {
	{ "ts", SQL_INTEGER, "time of the waking; NULL: it was not recorded", SQL_TESTED },
	{ "dur", SQL_INTEGER, "time until it ran; NULL: unknown", 0 },
	{ "cpu", SQL_INTEGER, "CPU on which it ran", 0 },
	{ "utid", SQL_INTEGER, "task, as in table thread", 0 },
	{ "tid", SQL_INTEGER, "its pid", 0 },
	{ "comm", SQL_TEXT, "its name", 0 },
	{ "waker", SQL_TEXT, "task, interrupt or timer that woke it; NULL: unknown", 0 },
	{ "mark", SQL_TEXT, "remarks: no begin, no end, loss inside, ...", 0 },
	{ "file", SQL_TEXT, "file", SQL_HIDDEN },
};

static void see_wait(void *ctx, struct span *span, const struct trace_rec *r)
{
	struct interval_scan *s = ctx;
	struct sql_cell *c = add_row(s);

	(void)r;
	if (!(span->marks & SPAN_NO_BEGIN))
		cell_set_integer(&c[WAKE_TS], span->begin);
	if (span->duration != SPAN_UNKNOWN)
		cell_set_integer(&c[WAKE_DUR], span->duration);
	if (span->cpu_end >= 0)
		cell_set_integer(&c[WAKE_CPU], span->cpu_end);
	set_task(s, &c[WAKE_UTID], span->task);
	buf_reset(&s->text);
	if (model_add_waker(s->model, &span->task->waker, &s->text) && s->text.len)
		set_text(s, &c[WAKE_WAKER], s->text.data, s->text.len);
	set_marks(s, &c[WAKE_MARK], span->marks);
	set_word(&c[WAKE_FILE], s->db->traces[span->file]->dat->path);
}

/* --- the kinds */

#define ROWS(a) (sizeof(a) / sizeof(*(a)))
#define ALL_KINDS ((1u << SPAN_PAIR) - 1)

static const struct interval_kind kinds[] = {
	{ "sched_slice", "runs of tasks on CPUs", run_columns, ROWS(run_columns), 0,
	  { .switched = see_switch, .lost = see_loss }, end_runs },
	{ "sched", "the same as sched_slice", run_columns, ROWS(run_columns), 0,
	  { .switched = see_switch, .lost = see_loss }, end_runs },
	{ "thread_state", "states of tasks", state_columns, ROWS(state_columns), 0,
	  { .stayed = see_stay }, NULL },
	{ "slice", "calls, system calls, interrupts, work, locks, requests", span_columns,
	  ROWS(span_columns), ALL_KINDS, { .begin = see_begin, .end = see_end }, NULL },
	{ "wakeup", "waits of tasks for a CPU", wakeup_columns, ROWS(wakeup_columns), 0,
	  { .waited = see_wait }, NULL },
};

/* --- scans */

static void stop_scan(struct interval_scan *s)
{
	for (size_t i = 0; i < s->runs.cap; i++)
		free(s->runs.slots[i].val);
	map_release(&s->runs);
	trace_iter_free(s->it);
	model_free(s->model);
	texts_release(&s->texts);
	s->it = NULL;
	s->model = NULL;
	s->first = s->n = 0;
	s->last_id = 0;
}

static void *open_intervals(struct sql_db *db, const struct sql_table *t)
{
	struct interval_scan *s = xcalloc(1, sizeof(*s));

	s->db = db;
	s->kind = t->data;
	return s;
}

static int begin_intervals(void *scan, const struct sql_conditions *c)
{
	struct interval_scan *s = scan;
	struct model_opts o = { .kinds = s->kind->kinds };
	struct sql_range ts = { INT64_MIN, INT64_MAX, false };
	size_t column = 0;

	stop_scan(s);
	while (strcmp(s->kind->columns[column].name, "ts"))
		column++;
	sql_narrow(c, column, &ts);
	/* states before the range decide about those in it: it is read from the start */
	s->until = ts.most < 0 ? 0 : (uint64_t)ts.most;
	s->ended = ts.empty;
	s->model = model_new(s->db->traces, s->db->n, &o, &s->kind->ops, s, NULL);
	if (!s->model)
		return SQLITE_ERROR;
	s->it = trace_iter_new(s->db->traces, s->db->n, NULL);
	return SQLITE_OK;
}

/* Feeds the model until there is a row. A row that begins up to ->until may end much later. */
static bool next_interval(void *scan)
{
	struct interval_scan *s = scan;
	const struct trace_rec *r;

	if (++s->first >= s->n) {
		s->first = s->n = 0;
		texts_release(&s->texts);
	}
	while (!s->n && !s->ended) {
		r = trace_iter_next(s->it);
		s->db->records += r != NULL;
		if (sql_is_ended(s->db))
			return false;
		s->ended = !r;
		if (r) {
			model_feed(s->model, r);
			continue;
		}
		model_end(s->model);
		if (s->kind->end)
			s->kind->end(s);
	}
	return s->n;
}

static void interval_column(void *scan, int column, sqlite3_context *out)
{
	const struct interval_scan *s = scan;
	const struct sql_cell *c = &s->rows[s->first][column];

	if (c->kind == CELL_INTEGER)
		sqlite3_result_int64(out, c->integer);
	else if (c->kind == CELL_TEXT)
		sqlite3_result_text(out, c->text, -1, SQLITE_TRANSIENT);
}

static void close_intervals(void *scan)
{
	struct interval_scan *s = scan;

	stop_scan(s);
	free(s->rows);
	buf_release(&s->text);
	free(s);
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

int sql_add_intervals(struct sql_db *db, struct ftr_error *err)
{
	for (size_t i = 0; i < ROWS(kinds); i++)
		if (sql_add_table(db, sql_table_new(kinds[i].name, kinds[i].about,
						    kinds[i].columns, kinds[i].nr_columns,
						    &interval_ops, (void *)&kinds[i]), err))
			return -1;
	return 0;
}
