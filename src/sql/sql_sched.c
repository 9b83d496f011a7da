/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What tasks do: runs on CPUs (sched_slice), states (thread_state), waits for a CPU (wakeup). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "sql/sql_intervals.h"
#include "sql/sql_scan.h"

/* --- sched_slice: a run of a task on a CPU, from switch to switch */

enum slice_column {
	RUN_ID, RUN_TS, RUN_DUR, RUN_CPU, RUN_UTID, RUN_TID, RUN_COMM, RUN_END_STATE, RUN_PRIORITY,
	RUN_LOST, RUN_UCPU, RUN_TS_END, RUN_FILE,
};

static const struct sql_column run_columns[] = {
	{ "id", SQL_INTEGER, "number of the run, in the order of the starts", 0 },
	{ "ts", SQL_INTEGER, "start of the run", SQL_TESTED | SQL_TIME },
	{ "dur", SQL_INTEGER, "its length; NULL: no end was recorded", SQL_TIME },
	{ "cpu", SQL_INTEGER, "CPU", 0 },
	{ "utid", SQL_INTEGER, "task, as in table thread", 0 },
	{ "tid", SQL_INTEGER, "its pid", SQL_EXTRA },
	{ "comm", SQL_TEXT, "its name", SQL_EXTRA },
	{ "end_state", SQL_TEXT, "prev_state in the kernel's letters: S, D, R, R+", 0 },
	{ "priority", SQL_INTEGER, "next_prio of the switch at its start", 0 },
	{ "lost", SQL_INTEGER, "1: records of the CPU were lost inside of it", 0 },
	{ "ucpu", SQL_INTEGER, "number of the CPU among those of all files", SQL_HIDDEN },
	{ "ts_end", SQL_INTEGER, "end of the run; NULL: not recorded", SQL_HIDDEN | SQL_TIME },
	{ "file", SQL_TEXT, "file", SQL_HIDDEN },
};

/* The run of a task that goes on, on one CPU of one file. */
struct open_run {
	bool known;
	uint64_t ts;
	int64_t id, utid, tid, priority;
	char comm[TASK_NAME_MAX + 1];
};

struct runs_view {
	struct map open;		/* file and CPU -> struct open_run */
};

static struct open_run *run_on(struct interval_scan *s, unsigned int file, int cpu)
{
	struct runs_view *v = s->view;
	uint64_t key = (uint64_t)file << 32 | (uint32_t)cpu;
	struct open_run *run = map_get(&v->open, key);

	if (!run) {
		run = xcalloc(1, sizeof(*run));
		map_put(&v->open, key, run);
	}
	return run;
}

/* Adds a row; @r is the switch at its end, or NULL: the end is unknown. */
static void set_end_state(struct interval_scan *s, struct sql_cell *c, const struct trace_rec *r)
{
	const struct ev_field *f = r->rec.fmt ? ev_field(r->rec.fmt, "prev_state") : NULL;

	if (!f)
		return;
	buf_reset(&s->text);
	ev_render_word(r->trace->engine, &r->rec, f, r->cpu, r->ts, &s->text);
	if (s->text.len)
		interval_set_text(s, c, s->text.data, s->text.len);
}

static struct sql_cell *add_run(struct interval_scan *s, const struct open_run *run,
				unsigned int file, int cpu, const struct trace_rec *r)
{
	struct sql_cell *c = interval_add(s);

	cell_set_integer(&c[RUN_ID], run->id);
	cell_set_integer(&c[RUN_TS], run->ts);
	if (r) {
		cell_set_integer(&c[RUN_DUR], r->ts - run->ts);
		cell_set_integer(&c[RUN_TS_END], r->ts);
	}
	cell_set_integer(&c[RUN_CPU], cpu);
	cell_set_integer(&c[RUN_UCPU], sql_ucpu(file, cpu));
	cell_set_integer(&c[RUN_UTID], run->utid);
	cell_set_integer(&c[RUN_TID], run->tid);
	interval_set_text(s, &c[RUN_COMM], run->comm, strlen(run->comm));
	if (r && interval_is_used(s, &c[RUN_END_STATE]))
		set_end_state(s, &c[RUN_END_STATE], r);
	if (run->priority >= 0)
		cell_set_integer(&c[RUN_PRIORITY], run->priority);
	interval_set_file(s, &c[RUN_FILE], file);
	return c;
}

static void see_switch(void *ctx, struct task *prev, struct task *next, const struct trace_rec *r)
{
	struct interval_scan *s = ctx;
	struct open_run *run = run_on(s, r->file, r->cpu);
	uint64_t v;

	/* if another task leaves, the end of the run is missing */
	if (run->known)
		add_run(s, run, r->file, r->cpu, run->tid == prev->pid ? r : NULL);
	run->known = true;
	run->ts = r->ts;
	run->id = s->last_id++;
	run->utid = next->id;
	run->tid = next->pid;
	run->priority = -1;
	if (interval_is_used(s, &s->row[RUN_PRIORITY]) && record_number(r, "next_prio", &v))
		run->priority = (int64_t)v;
	if (interval_is_used(s, &s->row[RUN_COMM]))
		snprintf(run->comm, sizeof(run->comm), "%s", model_task_name(s->model, next));
}

/* The end of a run over a loss is unknown: the next switch may be another task's. */
static void see_loss(void *ctx, const struct trace_rec *r)
{
	struct interval_scan *s = ctx;
	struct open_run *run = run_on(s, r->file, r->cpu);

	if (!run->known)
		return;
	cell_set_integer(&add_run(s, run, r->file, r->cpu, NULL)[RUN_LOST], 1);
	run->known = false;
}

static bool has_open_run(const struct interval_scan *s, uint64_t ts)
{
	const struct runs_view *v = s->view;

	for (size_t i = 0; i < v->open.cap; i++) {
		const struct open_run *run = v->open.slots[i].val;

		if (run && run->known && run->ts <= ts)
			return true;
	}
	return false;
}

static int compare_slots(const void *a, const void *b)
{
	const struct map_slot *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

static void end_runs(struct interval_scan *s)
{
	struct runs_view *v = s->view;

	/* the map is not used any more: its order is that of hashes, which differ each time */
	if (v->open.cap)
		qsort(v->open.slots, v->open.cap, sizeof(*v->open.slots), compare_slots);
	for (size_t i = 0; i < v->open.cap; i++) {
		const struct open_run *run = v->open.slots[i].val;
		uint64_t key = v->open.slots[i].key;

		if (run && run->known)
			add_run(s, run, key >> 32, (int)(uint32_t)key, NULL);
	}
}

static void release_runs(struct interval_scan *s)
{
	struct runs_view *v = s->view;

	for (size_t i = 0; i < v->open.cap; i++)
		free(v->open.slots[i].val);
	map_release(&v->open);
}

/* --- thread_state: what a task does, from one change to the next */

enum state_column {
	STATE_ID, STATE_TS, STATE_DUR, STATE_CPU, STATE_UTID, STATE_TID, STATE_COMM, STATE_NAME,
	STATE_IO_WAIT, STATE_BLOCKED, STATE_WAKER, STATE_IRQ, STATE_UCPU, STATE_FILE,
};

static const struct sql_column state_columns[] = {
	{ "id", SQL_INTEGER, "number of the row in one scan of the table", 0 },
	{ "ts", SQL_INTEGER, "start of the state", SQL_TESTED | SQL_TIME },
	{ "dur", SQL_INTEGER, "its length", SQL_TIME },
	{ "cpu", SQL_INTEGER, "CPU on which it runs; NULL: it does not run", 0 },
	{ "utid", SQL_INTEGER, "task, as in table thread", 0 },
	{ "tid", SQL_INTEGER, "its pid", SQL_EXTRA },
	{ "comm", SQL_TEXT, "its name", SQL_EXTRA },
	{ "state", SQL_TEXT, "Running, R, R+ (preempted), S, D, ...; NULL: unknown", 0 },
	{ "io_wait", SQL_INTEGER, "1: it slept for I/O, by sched_blocked_reason", 0 },
	{ "blocked_function", SQL_TEXT, "function that slept, by sched_blocked_reason", 0 },
	{ "waker_utid", SQL_INTEGER, "task that woke it, for R", 0 },
	{ "irq_context", SQL_INTEGER, "1: an interrupt woke it, for R", 0 },
	{ "ucpu", SQL_INTEGER, "number of the CPU among those of all files", SQL_HIDDEN },
	{ "file", SQL_TEXT, "file", SQL_HIDDEN },
};

/* A sched_blocked_reason. The kernel records it when it wakes the task. */
struct blocked_reason {
	bool known;
	bool io_wait;
	uint64_t caller;		/* an address in the kernel */
};

struct state_row {
	uint64_t from, to;
	uint32_t file;
	int32_t tid, cpu;		/* cpu: -1 if it does not run */
	int64_t utid, waker;		/* waker: -1 if unknown */
	int8_t irq;			/* -1: unknown */
	bool is_asleep;
	char comm[TASK_NAME_MAX + 1];
	char word[32];			/* the state, "" if unknown */
	struct blocked_reason reason;
};

/* The last state of a task, which a sched_blocked_reason may belong to. */
struct held_state {
	bool has_row;
	struct state_row row;
	struct blocked_reason next;	/* for the state that follows, if it is a sleep */
};

struct states_view {
	struct map held;		/* file and pid -> struct held_state */
	const struct ev_format **reasons;	/* sched_blocked_reason of each file, or NULL */
	bool has_reasons;
};

/* The user word of a task that was switched out while it could run. */
enum { LEFT_PREEMPTED, LEFT_RUNNABLE };

static const char *state_word(const struct model *m, const struct task *t)
{
	switch (t->state) {
	case TASK_UNKNOWN:
		return "";
	case TASK_RUNNING:
		return "Running";
	case TASK_NEW:
	case TASK_RUNNABLE:
		return "R";
	case TASK_PREEMPTED:
		return t->user == LEFT_RUNNABLE ? "R" : "R+";
	case TASK_DEAD:
		return "X";
	}
	return model_state_name(m, t->state);
}

static void start_states(struct interval_scan *s)
{
	struct states_view *v = s->view;

	v->reasons = xcalloc(s->db->n + 1, sizeof(*v->reasons));
	for (size_t i = 0; i < s->db->n; i++) {
		v->reasons[i] = event_meta_find_name(&s->db->traces[i]->meta, "sched",
						     "sched_blocked_reason");
		v->has_reasons |= v->reasons[i] != NULL;
	}
	/* it would be called for each record */
	if (!v->has_reasons)
		s->ops.event = NULL;
}

static void set_function(struct interval_scan *s, struct sql_cell *c, const struct state_row *row)
{
	struct ev_syms *syms = s->db->traces[row->file]->meta.syms;
	size_t len, mod_len;
	const char *name, *mod;
	uint64_t off;

	name = syms ? ev_syms_find(syms, row->reason.caller, &len, &mod, &mod_len, &off) : NULL;
	if (name)
		interval_set_text(s, c, name, len);
}

static void add_state(struct interval_scan *s, const struct state_row *row)
{
	struct sql_cell *c = interval_add(s);

	cell_set_integer(&c[STATE_ID], s->last_id++);
	cell_set_integer(&c[STATE_TS], row->from);
	cell_set_integer(&c[STATE_DUR], row->to - row->from);
	if (row->cpu >= 0) {
		cell_set_integer(&c[STATE_CPU], row->cpu);
		cell_set_integer(&c[STATE_UCPU], sql_ucpu(row->file, row->cpu));
	}
	cell_set_integer(&c[STATE_UTID], row->utid);
	cell_set_integer(&c[STATE_TID], row->tid);
	interval_set_text(s, &c[STATE_COMM], row->comm, strlen(row->comm));
	if (*row->word)
		interval_set_text(s, &c[STATE_NAME], row->word, strlen(row->word));
	if (row->reason.known) {
		cell_set_integer(&c[STATE_IO_WAIT], row->reason.io_wait);
		set_function(s, &c[STATE_BLOCKED], row);
	}
	if (row->waker >= 0)
		cell_set_integer(&c[STATE_WAKER], row->waker);
	if (row->irq >= 0)
		cell_set_integer(&c[STATE_IRQ], row->irq);
	interval_set_file(s, &c[STATE_FILE], row->file);
}

static void fill_state(const struct interval_scan *s, const struct task *t, struct state_row *row)
{
	row->file = t->file;
	row->tid = t->pid;
	row->utid = t->id;
	row->cpu = t->state == TASK_RUNNING ? t->cpu : -1;
	row->waker = row->irq = -1;
	row->is_asleep = t->state >= TASK_ASLEEP;
	if (interval_is_used(s, &s->row[STATE_COMM]))
		snprintf(row->comm, sizeof(row->comm), "%s", model_task_name(s->model, t));
	if (interval_is_used(s, &s->row[STATE_NAME]))
		snprintf(row->word, sizeof(row->word), "%s", state_word(s->model, t));
	if (t->state != TASK_RUNNABLE || t->waker.kind == WAKER_UNKNOWN)
		return;
	row->irq = t->waker.kind != WAKER_TASK;
	if (!row->irq)
		row->waker = ((const struct task *)t->waker.who)->id;
}

/* R+ is a preemption inside of the kernel; a task that leaves with R has called schedule(). */
static void see_leave(void *ctx, struct task *prev, struct task *next, const struct trace_rec *r)
{
	const struct ev_field *f = r->rec.fmt ? ev_field(r->rec.fmt, "prev_state") : NULL;
	struct interval_scan *s = ctx;

	(void)next;
	if (!f || prev->state != TASK_PREEMPTED)
		return;
	buf_reset(&s->text);
	buf_addstr(&s->text, "");
	ev_render_word(r->trace->engine, &r->rec, f, r->cpu, r->ts, &s->text);
	prev->user = !strcmp(s->text.data, "R") ? LEFT_RUNNABLE : LEFT_PREEMPTED;
}

static struct held_state *held_of(struct states_view *v, unsigned int file, int pid)
{
	uint64_t key = (uint64_t)file << 32 | (uint32_t)pid;
	struct held_state *h = map_get(&v->held, key);

	if (!h) {
		h = xcalloc(1, sizeof(*h));
		map_put(&v->held, key, h);
	}
	return h;
}

static void see_stay(void *ctx, struct task *t, uint64_t from, uint64_t to)
{
	struct interval_scan *s = ctx;
	struct states_view *v = s->view;
	struct state_row row = { .from = from, .to = to };
	struct held_state *h;

	/* Perfetto has no states of idle tasks */
	if (!t->pid)
		return;
	fill_state(s, t, &row);
	if (!v->has_reasons) {
		add_state(s, &row);
		return;
	}
	h = held_of(v, t->file, t->pid);
	if (h->has_row)
		add_state(s, &h->row);
	if (row.is_asleep)
		row.reason = h->next;
	h->next.known = false;
	h->row = row;
	h->has_row = true;
}

/* The sleep has ended already if its waking was recorded, else it lasts. */
static void see_reason(void *ctx, struct task *t, const struct trace_rec *r)
{
	struct interval_scan *s = ctx;
	struct states_view *v = s->view;
	const struct ev_format *fmt = v->reasons[r->file];
	struct blocked_reason reason = { .known = true };
	uint64_t pid, io_wait;
	struct held_state *h;

	(void)t;
	if (!fmt || r->rec.fmt != fmt || !record_number(r, "pid", &pid) ||
	    !record_number(r, "io_wait", &io_wait) || !record_number(r, "caller", &reason.caller))
		return;
	reason.io_wait = io_wait;
	h = held_of(v, r->file, (int)pid);
	if (h->has_row && h->row.is_asleep)
		h->row.reason = reason;
	else
		h->next = reason;
}

static void end_states(struct interval_scan *s)
{
	struct states_view *v = s->view;

	if (v->held.cap)
		qsort(v->held.slots, v->held.cap, sizeof(*v->held.slots), compare_slots);
	for (size_t i = 0; i < v->held.cap; i++) {
		const struct held_state *h = v->held.slots[i].val;

		if (h && h->has_row)
			add_state(s, &h->row);
	}
}

static void release_states(struct interval_scan *s)
{
	struct states_view *v = s->view;

	for (size_t i = 0; i < v->held.cap; i++)
		free(v->held.slots[i].val);
	map_release(&v->held);
	free(v->reasons);
}

/* --- wakeup: a task waits for a CPU */

enum wakeup_column {
	WAKE_TS, WAKE_DUR, WAKE_CPU, WAKE_UTID, WAKE_TID, WAKE_COMM, WAKE_WAKER, WAKE_MARK,
	WAKE_FILE,
};

static const struct sql_column wakeup_columns[] = {
	{ "ts", SQL_INTEGER, "time of the waking; NULL: it was not recorded",
	  SQL_TESTED | SQL_TIME },
	{ "dur", SQL_INTEGER, "time until it ran; NULL: unknown", SQL_TIME },
	{ "cpu", SQL_INTEGER, "CPU on which it ran", 0 },
	{ "utid", SQL_INTEGER, "task, as in table thread", 0 },
	{ "tid", SQL_INTEGER, "its pid", SQL_EXTRA },
	{ "comm", SQL_TEXT, "its name", SQL_EXTRA },
	{ "waker", SQL_TEXT, "task, interrupt or timer that woke it; NULL: unknown", 0 },
	{ "mark", SQL_TEXT, "remarks: no begin, no end, loss inside, ...", 0 },
	{ "file", SQL_TEXT, "file", SQL_HIDDEN },
};

static void see_wait(void *ctx, struct span *span, const struct trace_rec *r)
{
	struct interval_scan *s = ctx;
	struct sql_cell *c = interval_add(s);

	(void)r;
	if (!(span->marks & SPAN_NO_BEGIN))
		cell_set_integer(&c[WAKE_TS], span->begin);
	interval_set_known(&c[WAKE_DUR], span->duration);
	if (span->cpu_end >= 0)
		cell_set_integer(&c[WAKE_CPU], span->cpu_end);
	interval_set_task(s, &c[WAKE_UTID], span->task);
	buf_reset(&s->text);
	if (interval_is_used(s, &c[WAKE_WAKER]) &&
	    model_add_waker(s->model, &span->task->waker, &s->text) && s->text.len)
		interval_set_text(s, &c[WAKE_WAKER], s->text.data, s->text.len);
	interval_set_marks(s, &c[WAKE_MARK], span->marks);
	interval_set_file(s, &c[WAKE_FILE], span->file);
}

static bool has_open_wait(const struct interval_scan *s, uint64_t ts)
{
	for (const struct task *t = model_tasks(s->model); t; t = t->next)
		if (t->waits && t->waiting_since <= ts)
			return true;
	return false;
}

/* --- */

#define ROWS(a) (sizeof(a) / sizeof(*(a)))
#define RUNS(word, text) \
	{ .name = word, .about = text, .columns = run_columns, .nr_columns = ROWS(run_columns), \
	  .ops = { .switched = see_switch, .lost = see_loss }, \
	  .view_bytes = sizeof(struct runs_view), .has_open = has_open_run, .end = end_runs, \
	  .release = release_runs }

static const struct interval_kind kinds[] = {
	RUNS("sched_slice", "runs of tasks on CPUs"),
	RUNS("sched", "the same as sched_slice"),
	{ .name = "thread_state", .about = "states of tasks", .columns = state_columns,
	  .nr_columns = ROWS(state_columns),
	  .ops = { .stayed = see_stay, .event = see_reason, .switched = see_leave },
	  .view_bytes = sizeof(struct states_view), .start = start_states,
	  .end = end_states, .release = release_states },
	{ .name = "wakeup", .about = "waits of tasks for a CPU", .columns = wakeup_columns,
	  .nr_columns = ROWS(wakeup_columns), .ops = { .waited = see_wait },
	  .has_open = has_open_wait },
};

int sql_add_sched(struct sql_db *db, struct ftr_error *err)
{
	return interval_add_kinds(db, kinds, ROWS(kinds), err);
}
