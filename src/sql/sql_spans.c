/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Spans of one kind, with the fields of its events: block_io, lock_wait and pair(). */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "sql/sql_intervals.h"
#include "sql/sql_scan.h"

/* --- block_io: requests, from the issue to the completion */

enum block_column {
	BLOCK_TS, BLOCK_DUR, BLOCK_DEV, BLOCK_SECTOR, BLOCK_SECTORS, BLOCK_RWBS, BLOCK_CPU,
	BLOCK_UTID, BLOCK_TID, BLOCK_COMM, BLOCK_END_CPU, BLOCK_END_UTID, BLOCK_END_TID,
	BLOCK_END_COMM, BLOCK_MARK, BLOCK_FILE,
};

static const struct sql_column block_columns[] = {
	{ "ts", SQL_INTEGER, "issue to the driver; NULL: it was not recorded",
	  SQL_TESTED | SQL_TIME },
	{ "dur", SQL_INTEGER, "time until the completion; NULL: unknown", SQL_TIME },
	{ "dev", SQL_TEXT, "device: MAJOR,MINOR", 0 },
	{ "sector", SQL_INTEGER, "first sector", SQL_UNIT(UNIT_SECTORS) },
	{ "nr_sector", SQL_INTEGER, "number of sectors; 0: a flush", SQL_UNIT(UNIT_SECTORS) },
	{ "rwbs", SQL_TEXT, "kind of request: R, W, WS, FF, ...", 0 },
	{ "cpu", SQL_INTEGER, "CPU of the issue", 0 },
	{ "utid", SQL_INTEGER, "task that issued it, as in table thread", 0 },
	{ "tid", SQL_INTEGER, "its pid", SQL_EXTRA },
	{ "comm", SQL_TEXT, "its name", SQL_EXTRA },
	{ "end_cpu", SQL_INTEGER, "CPU of the completion", 0 },
	{ "end_utid", SQL_INTEGER, "task that ran there, mostly interrupted", 0 },
	{ "end_tid", SQL_INTEGER, "its pid", 0 },
	{ "end_comm", SQL_TEXT, "its name", 0 },
	{ "mark", SQL_TEXT, "remarks: no begin, no end, loss inside, requeued, ...", 0 },
	{ "file", SQL_TEXT, "file", SQL_HIDDEN },
};

/* The fields of a request. A span's ->user is 1 plus its place in ->v. */
struct block_view {
	struct block_fields {
		bool known;
		uint32_t dev, sectors;
		uint64_t sector;
		uint32_t next_free;	/* 1 plus the place of the next unused one, or 0 */
	} *v;
	size_t n, cap;
	uint32_t first_free;
};

#define DEV_MINOR_BITS 20	/* of the kernel's dev_t, include/linux/kdev_t.h */

static void see_issue(void *ctx, struct span *span, const struct trace_rec *r)
{
	struct interval_scan *s = ctx;
	struct block_view *v = s->view;
	struct block_fields *f;
	uint64_t dev, sector, sectors;
	uint32_t place = v->first_free;

	if (place) {
		v->first_free = v->v[place - 1].next_free;
	} else {
		v->v = xgrow(v->v, &v->cap, v->n + 1, sizeof(*v->v));
		place = ++v->n;
	}
	span->user = place;
	f = &v->v[place - 1];
	f->known = r && record_number(r, "dev", &dev) && record_number(r, "sector", &sector) &&
		   record_number(r, "nr_sector", &sectors);
	if (!f->known)
		return;
	f->dev = dev;
	f->sector = sector;
	f->sectors = sectors;
}

static void set_request(struct interval_scan *s, struct sql_cell *c, const struct block_fields *f)
{
	if (!f->known)
		return;
	buf_reset(&s->text);
	buf_printf(&s->text, "%u,%u", f->dev >> DEV_MINOR_BITS,
		   f->dev & ((1u << DEV_MINOR_BITS) - 1));
	interval_set_text(s, &c[BLOCK_DEV], s->text.data, s->text.len);
	cell_set_integer(&c[BLOCK_SECTOR], f->sector);
	cell_set_integer(&c[BLOCK_SECTORS], f->sectors);
}

/* Sets the CPU and the task of the record: cpu, utid, tid, comm. */
static void set_place(struct interval_scan *s, struct sql_cell *c, const struct trace_rec *r)
{
	int64_t utid = sql_utid(s->db, r->file, r->pid, r->cpu, r->ts);
	const char *comm = trace_comm(r->trace, r->pid);

	cell_set_integer(&c[0], r->cpu);
	if (utid >= 0)
		cell_set_integer(&c[1], utid);
	cell_set_integer(&c[2], r->pid);
	interval_set_text(s, &c[3], comm, strlen(comm));
}

static void see_completion(void *ctx, struct span *span, const struct trace_rec *r)
{
	struct interval_scan *s = ctx;
	struct block_view *v = s->view;
	struct block_fields *f = &v->v[span->user - 1];
	struct sql_cell *c = interval_add(s);

	if (!(span->marks & SPAN_NO_BEGIN)) {
		cell_set_integer(&c[BLOCK_TS], span->begin);
		cell_set_integer(&c[BLOCK_CPU], span->cpu_begin);
		if (span->task)
			interval_set_task(s, &c[BLOCK_UTID], span->task);
	}
	interval_set_known(&c[BLOCK_DUR], span->duration);
	set_request(s, c, f);
	interval_set_name(s, &c[BLOCK_RWBS], span);
	if (r && span->cpu_end >= 0)
		set_place(s, &c[BLOCK_END_CPU], r);
	interval_set_marks(s, &c[BLOCK_MARK], span->marks);
	interval_set_file(s, &c[BLOCK_FILE], span->file);
	f->next_free = v->first_free;
	v->first_free = span->user;
}

static void release_block(struct interval_scan *s)
{
	free(((struct block_view *)s->view)->v);
}

/* --- lock_wait: waits of tasks for locks */

enum lock_column {
	LOCK_TS, LOCK_DUR, LOCK_ADDR, LOCK_NAME, LOCK_FLAGS, LOCK_CPU, LOCK_UTID, LOCK_TID,
	LOCK_COMM, LOCK_WAKER_UTID, LOCK_WAKER_TID, LOCK_WAKER_COMM, LOCK_RET, LOCK_MARK, LOCK_FILE,
};

static const struct sql_column lock_columns[] = {
	{ "ts", SQL_INTEGER, "start of the wait; NULL: it was not recorded",
	  SQL_TESTED | SQL_TIME },
	{ "dur", SQL_INTEGER, "its length; NULL: unknown", SQL_TIME },
	{ "lock_addr", SQL_INTEGER, "address of the lock", 0 },
	{ "name", SQL_TEXT, "its symbol, or 0x and its address", 0 },
	{ "flags", SQL_INTEGER, "kind of lock, LCB_F_ of contention_begin; NULL: unknown", 0 },
	{ "cpu", SQL_INTEGER, "CPU at the end", 0 },
	{ "utid", SQL_INTEGER, "task that waited, as in table thread", 0 },
	{ "tid", SQL_INTEGER, "its pid", SQL_EXTRA },
	{ "comm", SQL_TEXT, "its name", SQL_EXTRA },
	{ "waker_utid", SQL_INTEGER, "task that woke it during the wait: it left the lock", 0 },
	{ "waker_tid", SQL_INTEGER, "its pid", 0 },
	{ "waker_comm", SQL_TEXT, "its name", 0 },
	{ "ret", SQL_INTEGER, "0, or an error, of contention_end; NULL: unknown", 0 },
	{ "mark", SQL_TEXT, "remarks: no begin, no end, loss inside, ...", 0 },
	{ "file", SQL_TEXT, "file", SQL_HIDDEN },
};

static void see_contention(void *ctx, struct span *span, const struct trace_rec *r)
{
	uint64_t flags;

	(void)ctx;
	if (r && !(span->marks & SPAN_NO_BEGIN) && record_number(r, "flags", &flags))
		span->user = (flags & UINT32_MAX) + 1;
}

/* Returns the task that woke @t since @begin, or NULL if no task did. */
static const struct task *waker_since(const struct task *t, uint64_t begin)
{
	if (!t->has_come || t->was_delayed == SPAN_UNKNOWN || t->was_delayed > t->came_at ||
	    t->came_at - t->was_delayed < begin || t->waker.kind != WAKER_TASK)
		return NULL;
	return t->waker.who;
}

static void see_acquired(void *ctx, struct span *span, const struct trace_rec *r)
{
	struct interval_scan *s = ctx;
	struct sql_cell *c = interval_add(s);
	const struct task *waker = NULL;
	uint64_t ret;

	if (!(span->marks & SPAN_NO_BEGIN)) {
		cell_set_integer(&c[LOCK_TS], span->begin);
		waker = waker_since(span->task, span->begin);
	}
	interval_set_known(&c[LOCK_DUR], span->duration);
	cell_set_integer(&c[LOCK_ADDR], span->name);
	interval_set_name(s, &c[LOCK_NAME], span);
	if (span->user)
		cell_set_integer(&c[LOCK_FLAGS], span->user - 1);
	if (span->cpu_end >= 0)
		cell_set_integer(&c[LOCK_CPU], span->cpu_end);
	interval_set_task(s, &c[LOCK_UTID], span->task);
	if (waker)
		interval_set_task(s, &c[LOCK_WAKER_UTID], waker);
	if (r && !(span->marks & SPAN_NO_END) && record_number(r, "ret", &ret))
		cell_set_integer(&c[LOCK_RET], ret);
	interval_set_marks(s, &c[LOCK_MARK], span->marks);
	interval_set_file(s, &c[LOCK_FILE], span->file);
}

/* --- pair(BEGIN, END, KEY): spans from one event to another */

enum pair_column {
	PAIR_TS, PAIR_DUR, PAIR_KEY, PAIR_CPU, PAIR_END_CPU, PAIR_UTID, PAIR_TID, PAIR_COMM,
	PAIR_MARK, PAIR_ARG_BEGIN, PAIR_ARG_END, PAIR_ARG_KEY, PAIR_FILE,
};

#define PAIR_ARGS (PAIR_FILE - PAIR_ARG_BEGIN)

static const struct sql_column pair_columns[] = {
	{ "ts", SQL_INTEGER, "time of BEGIN; NULL: it was not recorded", SQL_TESTED | SQL_TIME },
	{ "dur", SQL_INTEGER, "time until END; NULL: unknown", SQL_TIME },
	{ "key", SQL_INTEGER, "value of the field KEY of both; NULL: the task is the key", 0 },
	{ "cpu", SQL_INTEGER, "CPU of BEGIN", 0 },
	{ "end_cpu", SQL_INTEGER, "CPU of END", 0 },
	{ "utid", SQL_INTEGER, "task of BEGIN, as in table thread", 0 },
	{ "tid", SQL_INTEGER, "its pid", SQL_EXTRA },
	{ "comm", SQL_TEXT, "its name", SQL_EXTRA },
	{ "mark", SQL_TEXT, "remarks: no begin, no end, loss inside, ...", 0 },
	{ "begin_event", SQL_TEXT, "argument: the event at the start", SQL_ARGUMENT },
	{ "end_event", SQL_TEXT, "argument: the event at the end", SQL_ARGUMENT },
	{ "key_field", SQL_TEXT, "argument: FIELD, or BEGINFIELD=ENDFIELD; none: the task",
	  SQL_ARGUMENT },
	{ "file", SQL_TEXT, "file", SQL_HIDDEN },
};

struct pair_view {
	char *key[2];			/* the fields of the begin and of the end, or NULL */
};

static const struct ev_format *find_event(const struct trace *t, const char *name)
{
	struct ev_format *v;
	size_t n = event_meta_formats(&t->meta, NULL, &v);

	while (n--)
		if (!strcasecmp(v[n].name, name))
			return &v[n];
	return NULL;
}

static int fail_event(struct interval_scan *s, const char *name)
{
	char *text = xasprintf("no file has an event '%s'", name);
	int ret = interval_fail(s, text);

	free(text);
	return ret;
}

/*
 * Appends SYSTEM:EVENT for EVENT, SYSTEM:EVENT or the table SYSTEM__EVENT. Returns an SQLite
 * status.
 */
static int add_event(struct interval_scan *s, const char *name, struct buf *out)
{
	const struct ev_format *fmt = NULL;
	const char *two = strstr(name, "__");

	for (size_t i = 0; i < s->db->n && !fmt; i++)
		fmt = find_event(s->db->traces[i], name);
	if (fmt)
		buf_printf(out, "%s:%s", fmt->system, fmt->name);
	else if (two && two > name)
		buf_printf(out, "%.*s:%s", (int)(two - name), name, two + 2);
	else if (strchr(name, ':'))
		buf_addstr(out, name);
	else
		return fail_event(s, name);
	return SQLITE_OK;
}

static int add_pair(struct interval_scan *s, const struct sql_conditions *c, struct strv *pairs)
{
	struct pair_view *v = s->view;
	const char *args[PAIR_ARGS] = {0}, *equal;
	struct buf text = {0};
	int ret;

	for (size_t i = 0; i < c->n; i++)
		if (c->v[i].column >= PAIR_ARG_BEGIN && c->v[i].column < PAIR_FILE)
			args[c->v[i].column - PAIR_ARG_BEGIN] =
				(const char *)sqlite3_value_text(c->v[i].value);
	if (!args[0] || !args[1])
		return interval_fail(s, "it takes two events, and a field of both: "
				     "pair('irq_handler_entry', 'irq_handler_exit', 'irq')");
	buf_addstr(&text, "pair=");
	ret = add_event(s, args[0], &text);
	buf_addch(&text, ',');
	if (ret == SQLITE_OK)
		ret = add_event(s, args[1], &text);
	if (args[2] && *args[2]) {
		equal = strchr(args[2], '=');
		v->key[0] = equal ? xstrndup(args[2], equal - args[2]) : xstrdup(args[2]);
		v->key[1] = xstrdup(equal ? equal + 1 : args[2]);
		buf_printf(&text, ",%s", args[2]);
	}
	strv_take(pairs, buf_take(&text));
	return ret;
}

static void see_pair_begin(void *ctx, struct span *span, const struct trace_rec *r)
{
	struct interval_scan *s = ctx;
	const struct pair_view *v = s->view;
	const char *key = v->key[span->marks & SPAN_NO_BEGIN ? 1 : 0];

	if (key)
		record_number(r, key, &span->user);
}

static void see_pair_end(void *ctx, struct span *span, const struct trace_rec *r)
{
	struct interval_scan *s = ctx;
	const struct pair_view *v = s->view;
	struct sql_cell *c = interval_add(s);

	(void)r;
	if (!(span->marks & SPAN_NO_BEGIN)) {
		cell_set_integer(&c[PAIR_TS], span->begin);
		cell_set_integer(&c[PAIR_CPU], span->cpu_begin);
	}
	interval_set_known(&c[PAIR_DUR], span->duration);
	if (v->key[0])
		cell_set_integer(&c[PAIR_KEY], span->user);
	if (span->cpu_end >= 0 && !(span->marks & SPAN_NO_END))
		cell_set_integer(&c[PAIR_END_CPU], span->cpu_end);
	if (span->task)
		interval_set_task(s, &c[PAIR_UTID], span->task);
	interval_set_marks(s, &c[PAIR_MARK], span->marks);
	interval_set_file(s, &c[PAIR_FILE], span->file);
}

static void release_pair(struct interval_scan *s)
{
	struct pair_view *v = s->view;

	free(v->key[0]);
	free(v->key[1]);
}

/* --- */

#define ROWS(a) (sizeof(a) / sizeof(*(a)))
static const struct interval_kind kinds[] = {
	{ .name = "block_io", .about = "requests to block devices", .columns = block_columns,
	  .nr_columns = ROWS(block_columns), .kinds = 1u << SPAN_BLOCK,
	  .ops = { .begin = see_issue, .end = see_completion },
	  .view_bytes = sizeof(struct block_view), .release = release_block },
	{ .name = "lock_wait", .about = "waits of tasks for locks", .columns = lock_columns,
	  .nr_columns = ROWS(lock_columns), .kinds = 1u << SPAN_LOCK,
	  .ops = { .begin = see_contention, .end = see_acquired } },
	{ .name = "pair", .about = "pair(BEGIN, END, KEY): spans from one event to another",
	  .columns = pair_columns, .nr_columns = ROWS(pair_columns),
	  .ops = { .begin = see_pair_begin, .end = see_pair_end },
	  .view_bytes = sizeof(struct pair_view), .release = release_pair, .arguments = add_pair },
};

int sql_add_spans(struct sql_db *db, struct ftr_error *err)
{
	return interval_add_kinds(db, kinds, ROWS(kinds), err);
}
