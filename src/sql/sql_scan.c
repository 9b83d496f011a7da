/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Scans of records in the order of time. */
#include "sql/sql_scan.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

const struct sql_column record_columns[RECORD_COLUMNS] = {
	{ "ts", SQL_INTEGER, "time stamp", SQL_TESTED | SQL_TIME },
	{ "cpu", SQL_INTEGER, "CPU that recorded it", SQL_TESTED },
	{ "utid", SQL_INTEGER, "task, as in table thread", 0 },
	{ "tid", SQL_INTEGER, "pid of the task", SQL_TESTED | SQL_EXTRA },
	{ "comm", SQL_TEXT, "name of the task", SQL_TESTED | SQL_EXTRA },
};

const unsigned int record_parts[RECORD_COLUMNS] = {
	[RECORD_CPU] = GROUP_CPU, [RECORD_TID] = GROUP_TID, [RECORD_COMM] = GROUP_COMM,
};

const struct sql_column record_extras[RECORD_EXTRAS] = {
	{ "text", SQL_TEXT, "the event as ftr report prints it", SQL_HIDDEN },
	{ "stack", SQL_INTEGER, "number of its stack, for stack(); NULL: it has none", SQL_HIDDEN },
	{ "buffer", SQL_TEXT, "instance, empty for the top level", SQL_HIDDEN },
	{ "file", SQL_TEXT, "file of the record", SQL_HIDDEN },
	{ "host", SQL_TEXT, "name of the machine, or NULL", SQL_HIDDEN },
};

#define RECORD_BYTES 48		/* of a usual record, for estimates */

double record_estimate(struct sql_db *db, const struct sql_table *t)
{
	double bytes = 0;

	(void)t;
	for (size_t i = 0; i < db->n; i++)
		bytes += db->traces[i]->dat->file_size;
	return bytes / RECORD_BYTES + 1;
}

void record_scan_open(struct record_scan *s, struct sql_db *db)
{
	*s = (struct record_scan){ .db = db, .next = db->scans };
	db->scans = s;
}

/* An = on comm narrows; SQLite tests all else. */
static void take_comm(struct record_scan *s, const struct sql_conditions *c)
{
	free(s->comm);
	s->comm = NULL;
	for (size_t i = 0; i < c->n && !s->comm; i++)
		if (c->v[i].column == RECORD_COMM && c->v[i].op == SQLITE_INDEX_CONSTRAINT_EQ &&
		    sqlite3_value_type(c->v[i].value) == SQLITE_TEXT)
			s->comm = xstrdup((const char *)sqlite3_value_text(c->v[i].value));
}

void record_scan_begin(struct record_scan *s, const struct sql_conditions *c)
{
	struct sql_range ts = { INT64_MIN, INT64_MAX, false };
	uint64_t since, until;

	trace_iter_free(s->it);
	record_groups_free(s->groups);
	s->groups = NULL;
	s->it = NULL;
	s->r = NULL;
	s->cpu = s->tid = ts;
	sql_narrow(c, RECORD_TS, &ts);
	sql_narrow(c, RECORD_CPU, &s->cpu);
	sql_narrow(c, RECORD_TID, &s->tid);
	take_comm(s, c);
	s->ended = ts.empty || s->cpu.empty || s->tid.empty || ts.most < 0;
	if (s->ended)
		return;
	/* a time beyond INT64_MAX is negative in SQL: such files are read whole */
	since = ts.least < 0 ? 0 : ts.least;
	until = ts.most == INT64_MAX ? UINT64_MAX : (uint64_t)ts.most + 1;
	s->it = trace_iter_new_range(s->db->traces, s->db->n, NULL, since, until);
}

static bool is_wanted(const struct record_scan *s, const struct trace_rec *r)
{
	return r->rec.data && r->cpu >= s->cpu.least && r->cpu <= s->cpu.most &&
	       r->pid >= s->tid.least && r->pid <= s->tid.most &&
	       (!s->comm || !strcmp(trace_comm(r->trace, r->pid), s->comm));
}

const struct trace_rec *record_scan_next(struct record_scan *s)
{
	if (s->groups) {
		s->r = record_groups_next(s->groups);
		return s->r;
	}
	if (s->ended)
		return NULL;
	do {
		s->r = trace_iter_next(s->it);
		if (s->r) {
			s->db->records++;
			s->db->ts = s->r->ts;
		}
		if (sql_is_ended(s->db))
			s->r = NULL;
	} while (s->r && !is_wanted(s, s->r));
	s->ended = !s->r;
	return s->r;
}

void record_scan_group(struct record_scan *s, const struct sql_conditions *c,
		       const unsigned int *parts, size_t n,
		       const struct trace_rec *(*next)(void *scan), void *scan)
{
	unsigned int all = 0, order[SQL_GROUPED_MAX + 1] = {0};
	size_t k = 0;

	if (!c->grouped)
		return;
	for (size_t i = 0; i < n; i++)
		if (c->used >> i & 1)
			all |= parts[i];
	for (uint64_t left = c->grouped; left; left >>= SQL_GROUPED_BITS)
		order[k++] = parts[(left & ((1u << SQL_GROUPED_BITS) - 1)) - 1];
	s->groups = record_groups_read(s->db, all, order, next, scan);
}

void record_scan_column(struct record_scan *s, enum record_column column, sqlite3_context *out)
{
	const struct trace_rec *r = s->r;
	int64_t utid;

	switch (column) {
	case RECORD_TS:
		sqlite3_result_int64(out, r->ts);
		return;
	case RECORD_CPU:
		sqlite3_result_int(out, r->cpu);
		return;
	case RECORD_UTID:
		utid = sql_utid(s->db, r->file, r->pid, r->cpu, r->ts);
		if (utid >= 0)
			sqlite3_result_int64(out, utid);
		return;
	case RECORD_TID:
		sqlite3_result_int(out, r->pid);
		return;
	case RECORD_COMM:
		sqlite3_result_text(out, trace_comm(r->trace, r->pid), -1, SQLITE_TRANSIENT);
		return;
	default:
		return;
	}
}

void record_scan_extra(struct record_scan *s, enum record_extra column, sqlite3_context *out)
{
	const struct trace_rec *r = s->r;
	int64_t stack;

	switch (column) {
	case RECORD_STACK:
		stack = sql_stack_of(s->db, r);
		if (stack)
			sqlite3_result_int64(out, stack);
		return;
	case RECORD_HOST:
		sqlite3_result_text(out, sql_host(s->db, r->file), -1, SQLITE_STATIC);
		return;
	case RECORD_TEXT:
		if (!r->rec.fmt)
			return;
		buf_reset(&s->text);
		buf_addstr(&s->text, "");
		ev_render(r->trace->engine, &r->rec, r->cpu, r->ts, &s->text);
		sqlite3_result_text(out, s->text.data, s->text.len, SQLITE_TRANSIENT);
		return;
	case RECORD_BUFFER:
		sqlite3_result_text(out, r->trace->dat->buffers[r->buffer].name, -1,
				    SQLITE_STATIC);
		return;
	case RECORD_FILE:
		sqlite3_result_text(out, r->trace->dat->path, -1, SQLITE_STATIC);
		return;
	default:
		return;
	}
}

void record_scan_close(struct record_scan *s)
{
	struct record_scan **at = &s->db->scans;

	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	trace_iter_free(s->it);
	record_groups_free(s->groups);
	free(s->comm);
	buf_release(&s->text);
}

/* --- numbers of records */

#define ID_FILE_SHIFT 48	/* bits of an offset */

int64_t record_id(const struct trace_rec *r)
{
	uint64_t off = r->file_off & ((1ull << ID_FILE_SHIFT) - 1);

	return (int64_t)((uint64_t)r->file << ID_FILE_SHIFT | off);
}

const struct trace_rec *record_find(struct sql_db *db, int64_t id)
{
	for (const struct record_scan *s = db->scans; s; s = s->next)
		if (s->r && record_id(s->r) == id)
			return s->r;
	return NULL;
}

/* --- fields */

enum sql_type record_field_type(const struct ev_field *f)
{
	if (f->kind == EV_FIXED && (f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8))
		return SQL_INTEGER;
	return f->is_string || f->kind == EV_ARRAY || f->elem_size > 1 ? SQL_TEXT : SQL_BLOB;
}

bool record_number(const struct trace_rec *r, const char *field, uint64_t *v)
{
	const struct ev_field *f = NULL;

	if (r->rec.fmt && !ev_format_ready(r->rec.fmt))
		f = ev_field(r->rec.fmt, field);
	return f && ev_get_num(&r->rec, f, v);
}

void record_field(const struct trace_rec *r, const struct ev_field *f, struct buf *room,
		  sqlite3_context *out)
{
	const uint8_t *p;
	uint32_t len;
	uint64_t v;

	if (ev_get_num(&r->rec, f, &v)) {
		sqlite3_result_int64(out, (int64_t)v);
	} else if (!ev_get_bytes(&r->rec, f, &p, &len)) {
		sqlite3_result_null(out);
	} else if (f->is_string) {
		sqlite3_result_text(out, (const char *)p, strnlen((const char *)p, len),
				    SQLITE_TRANSIENT);
	} else if (record_field_type(f) == SQL_BLOB) {
		sqlite3_result_blob(out, p, len, SQLITE_TRANSIENT);
	} else {
		buf_reset(room);
		ev_render_field(&r->rec, f, room);
		sqlite3_result_text(out, room->data, room->len, SQLITE_TRANSIENT);
	}
}
