/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slice: spans of all kinds, which may be inside each other, and instants of marks. */
#include <string.h>

#include "base/text.h"
#include "model/markers.h"
#include "sql/sql_intervals.h"

enum span_column {
	SPAN_ID, SPAN_TS, SPAN_DUR, SPAN_TRACK, SPAN_CATEGORY, SPAN_NAME, SPAN_DEPTH, SPAN_PARENT,
	SPAN_SELF, SPAN_CPU, SPAN_UTID, SPAN_TID, SPAN_COMM, SPAN_RET, SPAN_MARK, SPAN_CAT,
	SPAN_SLICE_ID, SPAN_ARGS, SPAN_FILE,
};

static const struct sql_column span_columns[] = {
	{ "id", SQL_INTEGER, "number of the span, in the order of the starts", 0 },
	{ "ts", SQL_INTEGER, "start of the span; NULL: it was not recorded",
	  SQL_TESTED | SQL_TIME },
	{ "dur", SQL_INTEGER, "its length; NULL: unknown", SQL_TIME },
	{ "track_id", SQL_INTEGER, "its task or CPU, as in table track; NULL: neither", 0 },
	{ "category", SQL_TEXT, "function_graph, syscall, irq, softirq, work, lock, block, ...",
	  0 },
	{ "name", SQL_TEXT, "function, system call, interrupt, ...", 0 },
	{ "depth", SQL_INTEGER, "number of spans of its kind around it", 0 },
	{ "parent_id", SQL_INTEGER, "the span around it; NULL: none", 0 },
	{ "self_dur", SQL_INTEGER, "length without the spans inside of it; NULL: unknown",
	  SQL_TIME },
	{ "cpu", SQL_INTEGER, "CPU at its end", SQL_EXTRA },
	{ "utid", SQL_INTEGER, "task, as in table thread", SQL_EXTRA },
	{ "tid", SQL_INTEGER, "its pid", SQL_EXTRA },
	{ "comm", SQL_TEXT, "its name", SQL_EXTRA },
	{ "ret", SQL_INTEGER, "return value; NULL: not recorded", 0 },
	{ "mark", SQL_TEXT, "remarks: no begin, no end, loss inside, ...", 0 },
	{ "cat", SQL_TEXT, "the same as category", SQL_HIDDEN },
	{ "slice_id", SQL_INTEGER, "the same as id", SQL_HIDDEN },
	{ "arg_set_id", SQL_INTEGER, "NULL: spans have no args", SQL_HIDDEN },
	{ "file", SQL_TEXT, "file", SQL_HIDDEN },
};

static int64_t cpu_of(const struct span *s)
{
	return sql_ucpu(s->file, s->cpu_begin >= 0 ? s->cpu_begin : s->cpu_end);
}

/* Returns the number of the span's track, -1 if it has none. */
static int64_t track_of(const struct interval_scan *scan, const struct span *s)
{
	const struct task *t = s->task;
	int64_t upid;

	if (s->kind == SPAN_IRQ)
		return track_id(TRACK_IRQ, cpu_of(s));
	/* with PREEMPT_RT softirqs run in tasks */
	if (s->kind == SPAN_SOFTIRQ && !scan->db->traces[s->file]->meta.rt)
		return track_id(TRACK_SOFTIRQ, cpu_of(s));
	if (s->kind == SPAN_BLOCK || !t)
		return -1;
	if (s->kind == SPAN_FUNCTION_GRAPH)
		return t->pid ? track_id(TRACK_THREAD_CALLS, t->id)
			      : track_id(TRACK_CPU_CALLS, sql_ucpu(t->file, t->cpu));
	if (s->kind != SPAN_ASYNC)
		return track_id(TRACK_THREAD, t->id);
	upid = sql_upid(scan->db, t->id);
	return track_id(TRACK_ASYNC, upid >= 0 ? upid : t->id);
}

struct slices_view {
	uint64_t open;			/* spans that have started up to ->until */
};

static bool has_open_span(const struct interval_scan *s, uint64_t ts)
{
	(void)ts;
	return ((const struct slices_view *)s->view)->open;
}

static void see_begin(void *ctx, struct span *s, const struct trace_rec *r)
{
	struct interval_scan *scan = ctx;

	(void)r;
	s->user = ++scan->last_id;
	s->place = s->begin <= scan->until;
	((struct slices_view *)scan->view)->open += s->place;
	if (s->kind == SPAN_MARKER && s->task)
		s->task->user = (uintptr_t)s;
}

static void set_category(struct interval_scan *s, struct sql_cell *c, unsigned int kind)
{
	const char *category = model_kind_name(s->model, kind);

	interval_set_word(&c[SPAN_CATEGORY], category);
	interval_set_word(&c[SPAN_CAT], category);
}

static void set_id(struct sql_cell *c, int64_t id)
{
	cell_set_integer(&c[SPAN_ID], id);
	c[SPAN_SLICE_ID] = c[SPAN_ID];
}

static void see_end(void *ctx, struct span *span, const struct trace_rec *r)
{
	struct interval_scan *s = ctx;
	const struct span *parent = span_parent(span);
	struct sql_cell *c = interval_add(s);
	int64_t track = track_of(s, span);

	(void)r;
	if (span->user)
		((struct slices_view *)s->view)->open -= span->place;
	if (span->kind == SPAN_MARKER && span->task)
		span->task->user = (uintptr_t)parent;
	set_id(c, span->user);
	if (!(span->marks & SPAN_NO_BEGIN))
		cell_set_integer(&c[SPAN_TS], span->begin);
	interval_set_known(&c[SPAN_DUR], span->duration);
	if (track >= 0)
		cell_set_integer(&c[SPAN_TRACK], track);
	set_category(s, c, span->kind);
	interval_set_name(s, &c[SPAN_NAME], span);
	cell_set_integer(&c[SPAN_DEPTH], span->depth);
	if (parent)
		cell_set_integer(&c[SPAN_PARENT], parent->user);
	if (span->duration != SPAN_UNKNOWN)
		interval_set_known(&c[SPAN_SELF], span->self);
	if (span->cpu_end >= 0)
		cell_set_integer(&c[SPAN_CPU], span->cpu_end);
	if (span->task)
		interval_set_task(s, &c[SPAN_UTID], span->task);
	if (span->has_retval)
		cell_set_integer(&c[SPAN_RET], span->retval);
	interval_set_marks(s, &c[SPAN_MARK], span->marks);
	interval_set_file(s, &c[SPAN_FILE], span->file);
}

/* A mark I or N is a slice of no length, as in Perfetto. task.user is the youngest open mark B. */
static void see_instant(void *ctx, struct task *t, const struct marker_fields *k,
			const struct trace_rec *r)
{
	struct interval_scan *s = ctx;
	const struct span *around = k->letter == 'I' ? (const struct span *)(uintptr_t)t->user
						     : NULL;
	struct sql_cell *c;
	int64_t upid;

	if (k->letter != 'I' && k->letter != 'N')
		return;
	c = interval_add(s);
	upid = k->letter == 'N' ? sql_upid(s->db, t->id) : -1;
	set_id(c, ++s->last_id);
	cell_set_integer(&c[SPAN_TS], r->ts);
	cell_set_integer(&c[SPAN_DUR], 0);
	cell_set_integer(&c[SPAN_TRACK], track_id(k->letter == 'I' ? TRACK_THREAD : TRACK_ASYNC,
						  upid >= 0 ? upid : t->id));
	set_category(s, c, k->letter == 'I' ? SPAN_MARKER : SPAN_ASYNC);
	buf_reset(&s->text);
	buf_addstr(&s->text, "");
	text_sanitise(&s->text, k->name, k->len, false);
	interval_set_text(s, &c[SPAN_NAME], s->text.data, s->text.len);
	cell_set_integer(&c[SPAN_DEPTH], around ? around->depth + 1 : 0);
	if (around)
		cell_set_integer(&c[SPAN_PARENT], around->user);
	cell_set_integer(&c[SPAN_SELF], 0);
	cell_set_integer(&c[SPAN_CPU], r->cpu);
	interval_set_task(s, &c[SPAN_UTID], t);
	interval_set_file(s, &c[SPAN_FILE], r->file);
}

/* --- */

#define ROWS(a) (sizeof(a) / sizeof(*(a)))
#define ALL_KINDS ((1u << SPAN_PAIR) - 1)
#define SLICES(word, text) \
	{ .name = word, .about = text, .columns = span_columns, \
	  .nr_columns = ROWS(span_columns), .kinds = ALL_KINDS, \
	  .ops = { .begin = see_begin, .end = see_end, .marked = see_instant }, \
	  .view_bytes = sizeof(struct slices_view), .has_open = has_open_span }

static const struct interval_kind kinds[] = {
	SLICES("slice", "calls, system calls, interrupts, work, locks, requests, marks"),
	SLICES("slices", "the same as slice"),
};

int sql_add_slices(struct sql_db *db, struct ftr_error *err)
{
	return interval_add_kinds(db, kinds, ROWS(kinds), err);
}
