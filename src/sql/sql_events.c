/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A table for each event, with its fields; ftrace_event over all of them, and their args. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "sql/sql_scan.h"

/* --- the table of one event */

struct event_table {
	const struct ev_format **formats;	/* of each file, or NULL */
	size_t nr_files;
	struct sql_column *columns;
	size_t nr_fields, cap_columns;
	char **names;			/* of the columns of fields */
	const struct ev_field **fields;	/* ->nr_files for each column, or NULL */
};

struct event_scan {
	struct record_scan records;
	const struct event_table *event;
	struct sql_range *ranges;	/* of each field */
	bool has_ranges;
};

static const struct ev_field *field_of(const struct event_table *e, size_t field, size_t file)
{
	return e->fields[field * e->nr_files + file];
}

static bool is_name_taken(const struct event_table *e, const char *name)
{
	for (size_t i = 0; i < RECORD_COLUMNS; i++)
		if (!strcasecmp(record_columns[i].name, name))
			return true;
	for (size_t i = 0; i < RECORD_EXTRAS; i++)
		if (!strcasecmp(record_extras[i].name, name))
			return true;
	for (size_t i = 0; i < e->nr_fields; i++)
		if (!strcasecmp(e->names[i], name))
			return true;
	return false;
}

/* Adds the column of a field. A name that a column has gets "arg_" in front. */
static void add_field(struct event_table *e, const struct ev_field *f, size_t file)
{
	char *name;

	for (size_t i = 0; i < e->nr_fields; i++) {
		const char *have = e->names[i];

		if (!field_of(e, i, file) && (!strcmp(have, f->name) ||
		    (!strncmp(have, "arg_", 4) && !strcmp(have + 4, f->name)))) {
			e->fields[i * e->nr_files + file] = f;
			return;
		}
	}
	name = is_name_taken(e, f->name) ? xasprintf("arg_%s", f->name) : xstrdup(f->name);
	if (is_name_taken(e, name)) {
		free(name);
		return;
	}
	e->fields = xrealloc(e->fields, (e->nr_fields + 1) * e->nr_files * sizeof(*e->fields));
	memset(e->fields + e->nr_fields * e->nr_files, 0, e->nr_files * sizeof(*e->fields));
	e->fields[e->nr_fields * e->nr_files + file] = f;
	e->names = xrealloc(e->names, (e->nr_fields + 1) * sizeof(*e->names));
	e->names[e->nr_fields++] = name;
}

static void prepare_event(struct sql_table *t)
{
	struct event_table *e = t->data;
	size_t n = 0;

	if (t->columns)
		return;
	for (size_t i = 0; i < e->nr_files; i++) {
		const struct ev_format *f = e->formats[i];

		if (!f || ev_format_ready(f))
			continue;
		for (size_t k = 0; k < f->nr_fields; k++)
			if (!f->fields[k].common)
				add_field(e, &f->fields[k], i);
	}
	e->columns = xcalloc(RECORD_COLUMNS + e->nr_fields + RECORD_EXTRAS, sizeof(*e->columns));
	for (; n < RECORD_COLUMNS; n++)
		e->columns[n] = record_columns[n];
	for (size_t i = 0; i < e->nr_fields; i++) {
		const struct ev_field *f = NULL;
		size_t k;

		for (k = 0; !f; k++)
			f = field_of(e, i, k);
		e->columns[n++] = (struct sql_column){
			e->names[i], record_field_type(f), f->type,
			(record_field_type(f) == SQL_INTEGER ? SQL_TESTED : 0) |
			SQL_UNIT(field_unit(e->formats[k - 1], f)),
		};
	}
	for (size_t i = 0; i < RECORD_EXTRAS; i++)
		e->columns[n++] = record_extras[i];
	t->columns = e->columns;
	t->nr_columns = n;
	t->ts = RECORD_TS;
}

static void release_event(struct sql_table *t)
{
	struct event_table *e = t->data;

	for (size_t i = 0; i < e->nr_fields; i++)
		free(e->names[i]);
	free(e->names);
	free(e->fields);
	free(e->columns);
	free(e->formats);
	free(e);
}

static void *open_events(struct sql_db *db, const struct sql_table *t)
{
	struct event_scan *s = xcalloc(1, sizeof(*s));

	s->event = t->data;
	s->ranges = xcalloc(s->event->nr_fields + 1, sizeof(*s->ranges));
	record_scan_open(&s->records, db);
	return s;
}

static bool is_in_ranges(const struct event_scan *s, const struct trace_rec *r)
{
	uint64_t v;

	for (size_t i = 0; i < s->event->nr_fields; i++) {
		const struct sql_range *range = &s->ranges[i];
		const struct ev_field *f = field_of(s->event, i, r->file);

		if (range->least == INT64_MIN && range->most == INT64_MAX && !range->empty)
			continue;
		if (!f || !ev_get_num(&r->rec, f, &v) || (int64_t)v < range->least ||
		    (int64_t)v > range->most || range->empty)
			return false;
	}
	return true;
}

static const struct trace_rec *next_of_event(void *scan)
{
	struct event_scan *s = scan;
	const struct trace_rec *r;

	do {
		r = record_scan_next(&s->records);
	} while (r && (r->rec.fmt != s->event->formats[r->file] || !r->rec.fmt ||
		       (s->has_ranges && !is_in_ranges(s, r))));
	return r;
}

static int begin_events(void *scan, const struct sql_conditions *c)
{
	struct event_scan *s = scan;

	record_scan_begin(&s->records, c);
	s->has_ranges = false;
	for (size_t i = 0; i < s->event->nr_fields; i++) {
		s->ranges[i] = (struct sql_range){ INT64_MIN, INT64_MAX, false };
		sql_narrow(c, RECORD_COLUMNS + i, &s->ranges[i]);
		s->has_ranges |= s->ranges[i].least != INT64_MIN ||
				 s->ranges[i].most != INT64_MAX || s->ranges[i].empty;
	}
	record_scan_group(&s->records, c, record_parts, RECORD_COLUMNS, next_of_event, s);
	return SQLITE_OK;
}

static bool next_event(void *scan)
{
	struct event_scan *s = scan;

	return s->records.groups ? record_scan_next(&s->records) : next_of_event(scan);
}

static void event_column(void *scan, int column, sqlite3_context *out)
{
	struct event_scan *s = scan;
	size_t field = column - RECORD_COLUMNS;
	const struct ev_field *f;

	if (column < RECORD_COLUMNS) {
		record_scan_column(&s->records, column, out);
	} else if (field >= s->event->nr_fields) {
		record_scan_extra(&s->records, field - s->event->nr_fields, out);
	} else {
		f = field_of(s->event, field, s->records.r->file);
		if (f)
			record_field(s->records.r, f, &s->records.text, out);
	}
}

static void close_events(void *scan)
{
	struct event_scan *s = scan;

	record_scan_close(&s->records);
	free(s->ranges);
	free(s);
}

static const struct sql_table_ops event_ops = {
	.open = open_events, .begin = begin_events, .next = next_event, .column = event_column,
	.close = close_events, .rows = record_estimate, .is_ordered = true,
	.groups = 1 << RECORD_CPU | 1 << RECORD_TID | 1 << RECORD_COMM,
};

/* --- all events */

enum ftrace_column {
	FTRACE_NAME = RECORD_COLUMNS, FTRACE_ARGS, FTRACE_ID, FTRACE_FLAGS, FTRACE_UCPU,
	FTRACE_SYSTEM, FTRACE_EXTRA,
};

static const struct sql_column ftrace_columns[] = {
	{ "ts", SQL_INTEGER, "time stamp", SQL_TESTED | SQL_TIME },
	{ "cpu", SQL_INTEGER, "CPU that recorded it", SQL_TESTED },
	{ "utid", SQL_INTEGER, "task, as in table thread", 0 },
	{ "tid", SQL_INTEGER, "pid of the task", SQL_TESTED | SQL_EXTRA },
	{ "comm", SQL_TEXT, "name of the task", SQL_TESTED | SQL_EXTRA },
	{ "name", SQL_TEXT, "name of the event", 0 },
	{ "arg_set_id", SQL_INTEGER, "its fields, as in table args", 0 },
	{ "id", SQL_INTEGER, "number of the record: the same as arg_set_id", SQL_HIDDEN },
	{ "common_flags", SQL_INTEGER, "flags of the record: interrupts off, in softirq, ...",
	  SQL_HIDDEN },
	{ "ucpu", SQL_INTEGER, "number of the CPU among those of all files", SQL_HIDDEN },
	{ "system", SQL_TEXT, "system of the event", SQL_HIDDEN },
	{ "text", SQL_TEXT, "the event as ftr report prints it", SQL_HIDDEN },
	{ "stack", SQL_INTEGER, "number of its stack, for stack(); NULL: it has none", SQL_HIDDEN },
	{ "buffer", SQL_TEXT, "instance, empty for the top level", SQL_HIDDEN },
	{ "file", SQL_TEXT, "file of the record", SQL_HIDDEN },
	{ "host", SQL_TEXT, "name of the machine, or NULL", SQL_HIDDEN },
};

static void *open_ftrace(struct sql_db *db, const struct sql_table *t)
{
	struct record_scan *s = xcalloc(1, sizeof(*s));

	(void)t;
	record_scan_open(s, db);
	return s;
}

static const struct trace_rec *next_of_all(void *scan)
{
	return record_scan_next(scan);
}

static const unsigned int ftrace_parts[] = {
	[RECORD_CPU] = GROUP_CPU, [RECORD_TID] = GROUP_TID, [RECORD_COMM] = GROUP_COMM,
	[FTRACE_NAME] = GROUP_EVENT, [FTRACE_SYSTEM] = GROUP_SYSTEM,
};

static int begin_ftrace(void *scan, const struct sql_conditions *c)
{
	record_scan_begin(scan, c);
	record_scan_group(scan, c, ftrace_parts, sizeof(ftrace_parts) / sizeof(*ftrace_parts),
			  next_of_all, scan);
	return SQLITE_OK;
}

static bool next_ftrace(void *scan)
{
	return record_scan_next(scan);
}

static void ftrace_column(void *scan, int column, sqlite3_context *out)
{
	struct record_scan *s = scan;
	const struct ev_format *f = s->r->rec.fmt;
	uint64_t flags;

	if (column < RECORD_COLUMNS)
		record_scan_column(s, column, out);
	else if (column >= FTRACE_EXTRA)
		record_scan_extra(s, column - FTRACE_EXTRA, out);
	else if (column == FTRACE_ARGS || column == FTRACE_ID)
		sqlite3_result_int64(out, record_id(s->r));
	else if (column == FTRACE_UCPU)
		sqlite3_result_int64(out, sql_ucpu(s->r->file, s->r->cpu));
	else if (column == FTRACE_FLAGS && !s->r->trace->meta.no_flags &&
		 record_number(s->r, "common_flags", &flags))
		sqlite3_result_int64(out, flags);
	else if (column != FTRACE_FLAGS && f)
		sqlite3_result_text(out, column == FTRACE_NAME ? f->name : f->system, -1,
				    SQLITE_STATIC);
}

static void close_ftrace(void *scan)
{
	record_scan_close(scan);
	free(scan);
}

static const struct sql_table_ops ftrace_ops = {
	.open = open_ftrace, .begin = begin_ftrace, .next = next_ftrace, .column = ftrace_column,
	.close = close_ftrace, .rows = record_estimate, .is_ordered = true,
	.groups = 1 << RECORD_CPU | 1 << RECORD_TID | 1 << RECORD_COMM | 1 << FTRACE_NAME |
		  1 << FTRACE_SYSTEM,
};

/* --- the fields of all events as rows */

enum args_column {
	ARGS_SET, ARGS_KEY, ARGS_FLAT_KEY, ARGS_INT, ARGS_STRING, ARGS_REAL, ARGS_TYPE,
	ARGS_DISPLAY, ARGS_ID,
};

static const struct sql_column args_columns[] = {
	{ "arg_set_id", SQL_INTEGER, "number of the record in ftrace_event", SQL_TESTED },
	{ "key", SQL_TEXT, "name of the field", 0 },
	{ "flat_key", SQL_TEXT, "the same", 0 },
	{ "int_value", SQL_INTEGER, "value of a number", 0 },
	{ "string_value", SQL_TEXT, "value of anything else", 0 },
	{ "real_value", SQL_REAL, "NULL: fields are no real numbers", SQL_HIDDEN },
	{ "value_type", SQL_TEXT, "int, uint or string", 0 },
	{ "display_value", SQL_TEXT, "the value as a text", SQL_HIDDEN },
	{ "id", SQL_INTEGER, "number of the row in one scan of the table", SQL_HIDDEN },
};

struct args_scan {
	struct record_scan records;
	const struct trace_rec *r;
	struct sql_range set;
	bool is_one;			/* ->r is the only record */
	size_t field;
	int64_t rows;
};

static void *open_args(struct sql_db *db, const struct sql_table *t)
{
	struct args_scan *s = xcalloc(1, sizeof(*s));

	(void)t;
	record_scan_open(&s->records, db);
	return s;
}

/* The record of a join is the one at which another scan is: it need not be searched for. */
static int begin_args(void *scan, const struct sql_conditions *c)
{
	static const struct sql_conditions none;
	struct args_scan *s = scan;

	s->set = (struct sql_range){ INT64_MIN, INT64_MAX, false };
	sql_narrow(c, ARGS_SET, &s->set);
	s->r = s->set.least == s->set.most ? record_find(s->records.db, s->set.least) : NULL;
	s->is_one = s->r;
	s->field = s->rows = 0;
	if (!s->is_one)
		record_scan_begin(&s->records, &none);
	return SQLITE_OK;
}

static bool next_arg(void *scan)
{
	struct args_scan *s = scan;

	for (;;) {
		const struct ev_format *f = s->r ? s->r->rec.fmt : NULL;

		while (f && !ev_format_ready(f) && s->field < f->nr_fields)
			if (!f->fields[s->field++].common) {
				s->rows++;
				return true;
			}
		if (s->is_one)
			return false;
		do {
			s->r = record_scan_next(&s->records);
		} while (s->r && (record_id(s->r) < s->set.least ||
				  record_id(s->r) > s->set.most));
		s->field = 0;
		if (!s->r)
			return false;
	}
}

/* Sets the value as a text, whatever its type. */
static void display_value(struct args_scan *s, const struct ev_field *f, sqlite3_context *out)
{
	struct buf *b = &s->records.text;
	uint64_t v;

	if (!ev_get_num(&s->r->rec, f, &v)) {
		record_field(s->r, f, b, out);
		return;
	}
	buf_reset(b);
	if (f->is_signed)
		buf_printf(b, "%" PRId64, (int64_t)v);
	else
		buf_printf(b, "%" PRIu64, v);
	sqlite3_result_text(out, b->data, b->len, SQLITE_TRANSIENT);
}

static void args_column(void *scan, int column, sqlite3_context *out)
{
	struct args_scan *s = scan;
	const struct ev_field *f = &s->r->rec.fmt->fields[s->field - 1];
	bool is_int = record_field_type(f) == SQL_INTEGER;

	switch (column) {
	case ARGS_SET:
		sqlite3_result_int64(out, record_id(s->r));
		break;
	case ARGS_KEY:
	case ARGS_FLAT_KEY:
		sqlite3_result_text(out, f->name, -1, SQLITE_STATIC);
		break;
	case ARGS_INT:
	case ARGS_STRING:
		if (is_int == (column == ARGS_INT))
			record_field(s->r, f, &s->records.text, out);
		break;
	case ARGS_DISPLAY:
		display_value(s, f, out);
		break;
	case ARGS_TYPE:
		sqlite3_result_text(out, !is_int ? "string" : f->is_signed ? "int" : "uint", -1,
				    SQLITE_STATIC);
		break;
	case ARGS_ID:
		sqlite3_result_int64(out, s->rows - 1);
		break;
	}
}

static void close_args(void *scan)
{
	struct args_scan *s = scan;

	record_scan_close(&s->records);
	free(s);
}

static const struct sql_table_ops args_ops = {
	.open = open_args, .begin = begin_args, .next = next_arg, .column = args_column,
	.close = close_args, .rows = record_estimate, .is_keyed = true,
};

/* --- the list of events */

struct named_format {
	const struct ev_format *format;
	size_t file;
};

static int compare_formats(const void *a, const void *b)
{
	const struct named_format *x = a, *y = b;
	int order = strcasecmp(x->format->name, y->format->name);

	if (!order)
		order = strcmp(x->format->system, y->format->system);
	return order ? order : (x->file > y->file) - (x->file < y->file);
}

/* Returns all formats of all files by name. The caller frees them. */
static struct named_format *list_formats(const struct sql_db *db, size_t *n)
{
	struct named_format *all = NULL;
	size_t cap = 0, k;
	struct ev_format *v;

	*n = 0;
	for (size_t i = 0; i < db->n; i++) {
		k = event_meta_formats(&db->traces[i]->meta, NULL, &v);
		while (k--) {
			all = xgrow(all, &cap, *n + 1, sizeof(*all));
			all[(*n)++] = (struct named_format){ &v[k], i };
		}
	}
	if (*n)
		qsort(all, *n, sizeof(*all), compare_formats);
	return all;
}

/* Returns true if a table that is no event's has the name, or another one of the connection. */
static bool is_table(struct sql_db *db, size_t others, const char *name)
{
	if (db->host->has_table && db->host->has_table(db, name))
		return true;
	for (size_t i = 0; i < others; i++)
		if (!strcasecmp(db->tables[i]->name, name))
			return true;
	return false;
}

/*
 * Adds the table of the formats from @v on that have one name and system. @others is the number of
 * tables that are no event's.
 */
static int add_event(struct sql_db *db, const struct named_format *v, size_t n, bool shared,
		     size_t others, struct ftr_error *err)
{
	struct event_table *e = xcalloc(1, sizeof(*e));
	const struct ev_format *f = v->format;
	char *name = shared || is_table(db, others, f->name) ?
		     xasprintf("%s__%s", f->system, f->name) : xstrdup(f->name);
	struct sql_table *t = sql_table_new(name, "records of an event, with its fields", NULL, 0,
					    &event_ops, e);

	free(name);
	e->nr_files = db->n;
	e->formats = xcalloc(db->n, sizeof(*e->formats));
	for (size_t i = 0; i < n; i++)
		e->formats[v[i].file] = v[i].format;
	t->is_event = true;
	t->prepare = prepare_event;
	t->release = release_event;
	return sql_add_table(db, t, err);
}

static bool same_event(const struct named_format *a, const struct named_format *b)
{
	return !strcasecmp(a->format->name, b->format->name) &&
	       !strcmp(a->format->system, b->format->system);
}

static bool same_name(const struct named_format *a, const struct named_format *b)
{
	return !strcasecmp(a->format->name, b->format->name);
}

static int add_all_events(struct sql_db *db, struct ftr_error *err)
{
	size_t n, to, i, others = db->nr_tables;
	struct named_format *v = list_formats(db, &n);
	bool shared;
	int ret = 0;

	for (i = 0; !ret && i < n; i = to) {
		for (to = i + 1; to < n && same_event(&v[i], &v[to]);)
			to++;
		shared = (to < n && same_name(&v[i], &v[to])) || (i && same_name(&v[i], &v[i - 1]));
		ret = add_event(db, v + i, to - i, shared, others, err);
	}
	free(v);
	return ret;
}

#define ROWS(a) (sizeof(a) / sizeof(*(a)))

int sql_add_events(struct sql_db *db, struct ftr_error *err)
{
	if (sql_add_table(db, sql_table_new("ftrace_event", "all records", ftrace_columns,
					    ROWS(ftrace_columns), &ftrace_ops, NULL), err) ||
	    sql_add_table(db, sql_table_new("raw", "the same as ftrace_event", ftrace_columns,
					    ROWS(ftrace_columns), &ftrace_ops, NULL), err) ||
	    sql_add_table(db, sql_table_new("args", "the fields of records", args_columns,
					    ROWS(args_columns), &args_ops, NULL), err))
		return -1;
	return add_all_events(db, err);
}
