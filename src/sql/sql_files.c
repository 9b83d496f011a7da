/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files themselves: their properties, CPUs, losses and damage. */
#include <stdlib.h>
#include <string.h>

#include "base/damage.h"
#include "base/mem.h"
#include "sql/sql_list.h"

#define ROWS(a) (sizeof(a) / sizeof(*(a)))

/* --- trace_file */

enum file_column {
	FILE_NAME, FILE_BYTES, FILE_VERSION, FILE_CLOCK, FILE_CPUS, FILE_START, FILE_END, FILE_WALL,
	FILE_HOST, FILE_KERNEL, FILE_MACHINE, FILE_NUMBER, FILE_BUFFERS, FILE_OFFSET, FILE_RECORDER,
	FILE_FINISHED,
};

static const struct sql_column file_columns[] = {
	{ "name", SQL_TEXT, "name of the file", 0 },
	{ "bytes", SQL_INTEGER, "its size", SQL_UNIT(UNIT_BYTES) },
	{ "version", SQL_INTEGER, "of the format trace.dat", 0 },
	{ "clock", SQL_TEXT, "trace clock, or NULL", 0 },
	{ "cpus", SQL_INTEGER, "number of CPUs", 0 },
	{ "start_ts", SQL_INTEGER, "time of the first record", SQL_TIME },
	{ "end_ts", SQL_INTEGER, "time of the last record", SQL_TIME },
	{ "wall_offset", SQL_INTEGER, "nanoseconds from ts to the time of day; NULL: unknown",
	  SQL_UNIT(UNIT_NS) },
	{ "host", SQL_TEXT, "name of the machine", 0 },
	{ "kernel", SQL_TEXT, "release of its kernel", 0 },
	{ "machine", SQL_TEXT, "its architecture", 0 },
	{ "number", SQL_INTEGER, "number among the files that are read, from 0", 0 },
	{ "buffers", SQL_INTEGER, "number of buffers: the top level and instances", 0 },
	{ "ts_offset", SQL_INTEGER, "what was added to the times of its clock: by the file, by "
	  "--ts-offset, --date, --align-ts", SQL_UNIT(UNIT_NS) },
	{ "recorded_by", SQL_TEXT, "program that recorded it", 0 },
	{ "is_finished", SQL_INTEGER, "0: it is still recorded, or its recorder was killed", 0 },
};

const char *sql_host(struct sql_db *db, unsigned int file)
{
	if (!db->hosts) {
		db->hosts = xcalloc(db->n + 1, sizeof(*db->hosts));
		for (size_t i = 0; i < db->n; i++) {
			struct dat_uname u;

			dat_uname_read(db->traces[i]->dat, &u);
			db->hosts[i] = u.host ? xstrdup(u.host) : NULL;
			free(u.text);
		}
	}
	return db->hosts[file];
}

/* Sets a text of the file, or leaves NULL. */
static void set_option(const struct trace *t, uint16_t id, struct sql_list *l, struct sql_cell *c)
{
	const struct dat_option *o = dat_option(t->dat, id);
	char *text = o ? xstrndup(o->data.p, strnlen(o->data.p, o->data.len)) : NULL;

	if (text)
		text[strcspn(text, "\n")] = '\0';
	cell_set_text(l, c, text);
	free(text);
}

static void fill_files(struct sql_db *db, struct sql_list *l)
{
	for (size_t i = 0; i < db->n; i++) {
		struct trace *t = db->traces[i];
		struct sql_cell *c = sql_list_add(l);
		uint64_t first = UINT64_MAX, last = 0;
		struct dat_uname u;

		cell_set_text(l, &c[FILE_NAME], t->dat->path);
		cell_set_integer(&c[FILE_BYTES], t->dat->file_size);
		cell_set_integer(&c[FILE_VERSION], t->dat->version);
		if (t->dat->nr_buffers && *t->dat->buffers[0].clock)
			cell_set_text(l, &c[FILE_CLOCK], t->dat->buffers[0].clock);
		cell_set_integer(&c[FILE_CPUS], t->dat->nr_cpus);
		trace_bounds(t, &first, &last);
		if (first <= last) {
			cell_set_integer(&c[FILE_START], first);
			cell_set_integer(&c[FILE_END], last);
		}
		if (t->has_wall)
			cell_set_integer(&c[FILE_WALL], t->wall_ns - t->ts_add_ns);
		dat_uname_read(t->dat, &u);
		cell_set_text(l, &c[FILE_HOST], u.host);
		cell_set_text(l, &c[FILE_KERNEL], u.release);
		cell_set_text(l, &c[FILE_MACHINE], u.machine);
		cell_set_integer(&c[FILE_NUMBER], i);
		cell_set_integer(&c[FILE_BUFFERS], t->dat->nr_buffers);
		cell_set_integer(&c[FILE_OFFSET], t->ts_add_ns);
		set_option(t, DAT_VERSION, l, &c[FILE_RECORDER]);
		cell_set_integer(&c[FILE_FINISHED], !t->dat->unfinished || t->dat->whole);
		free(u.text);
	}
}

/* --- info */

enum info_column { INFO_KEY, INFO_VALUE, INFO_FILE };

static const struct sql_column info_columns[] = {
	{ "key", SQL_TEXT, "member of ftr info --json: bytes, clock.name, buffers[0].bytes", 0 },
	{ "value", SQL_ANY, "its value; true and false are 1 and 0", 0 },
	{ "file", SQL_TEXT, "file", 0 },
};

#define INFO_DEPTH 16		/* more than ftr info has */

static void set_value(struct sql_list *l, struct sql_cell *c, json_t *v)
{
	if (json_is_integer(v))
		cell_set_integer(c, json_integer_value(v));
	else if (json_is_boolean(v))
		cell_set_integer(c, json_boolean_value(v));
	else if (json_is_real(v))
		cell_set_real(c, json_real_value(v));
	else
		cell_set_text(l, c, json_string_value(v));
}

static void key_cut(struct buf *key, size_t len)
{
	key->len = len;
	key->data[len] = '\0';
}

/* Adds a row for each value in @v, which has the key in @key. */
static void add_info(struct sql_list *l, const char *file, struct buf *key, json_t *v, int depth)
{
	size_t len = key->len, i;
	struct sql_cell *c;
	const char *name;
	json_t *inner;

	if (json_is_object(v) && depth < INFO_DEPTH) {
		json_object_foreach(v, name, inner) {
			buf_printf(key, "%s%s", len ? "." : "", name);
			add_info(l, file, key, inner, depth + 1);
			key_cut(key, len);
		}
	} else if (json_is_array(v) && depth < INFO_DEPTH) {
		json_array_foreach(v, i, inner) {
			buf_printf(key, "[%zu]", i);
			add_info(l, file, key, inner, depth + 1);
			key_cut(key, len);
		}
	} else {
		c = sql_list_add(l);
		cell_set_text(l, &c[INFO_KEY], key->data);
		set_value(l, &c[INFO_VALUE], v);
		cell_set_text(l, &c[INFO_FILE], file);
	}
}

static void fill_info(struct sql_db *db, struct sql_list *l)
{
	struct buf key = {0};
	json_t *all;

	for (size_t i = 0; db->info && i < db->n; i++) {
		all = db->info(db->traces[i]);
		add_info(l, db->traces[i]->dat->path, &key, all, 0);
		json_decref(all);
	}
	buf_release(&key);
}

/* --- cpu */

enum cpu_column { CPU_NUMBER, CPU_BUFFER, CPU_START, CPU_END, CPU_FILE };

static const struct sql_column cpu_columns[] = {
	{ "cpu", SQL_INTEGER, "number of the CPU", SQL_TESTED },
	{ "buffer", SQL_TEXT, "instance, empty for the top level", 0 },
	{ "start_ts", SQL_INTEGER, "time of its first record", SQL_TIME },
	{ "end_ts", SQL_INTEGER, "time of its last record", SQL_TIME },
	{ "file", SQL_TEXT, "file", 0 },
};

static void fill_cpus(struct sql_db *db, struct sql_list *l)
{
	for (size_t i = 0; i < db->n; i++) {
		struct dat *d = db->traces[i]->dat;

		for (size_t k = 0; k < d->nr_buffers; k++) {
			struct dat_buffer *b = &d->buffers[k];

			for (size_t j = 0; j < b->nr_cpus; j++) {
				struct sql_cell *c = sql_list_add(l);
				uint64_t first, last;

				cell_set_integer(&c[CPU_NUMBER], b->cpus[j].cpu);
				cell_set_text(l, &c[CPU_BUFFER], b->name);
				cell_set_text(l, &c[CPU_FILE], d->path);
				if (!trace_cpu_bounds(db->traces[i], b, &b->cpus[j], &first, &last))
					continue;
				cell_set_integer(&c[CPU_START], first);
				cell_set_integer(&c[CPU_END], last);
			}
		}
	}
}

/* --- lost */

enum lost_column { LOST_TS, LOST_CPU, LOST_EVENTS, LOST_BUFFER, LOST_FILE };

static const struct sql_column lost_columns[] = {
	{ "ts", SQL_INTEGER, "time of the next record of the CPU; NULL: none follows", SQL_TIME },
	{ "cpu", SQL_INTEGER, "CPU", 0 },
	{ "events", SQL_INTEGER, "number of lost events; NULL: unknown", 0 },
	{ "buffer", SQL_TEXT, "instance, empty for the top level", 0 },
	{ "file", SQL_TEXT, "file", 0 },
};

struct lost_scan {
	struct sql_db *db;
	struct trace_iter *it;
	const struct trace_rec *r;
};

static void *open_losses(struct sql_db *db, const struct sql_table *t)
{
	struct lost_scan *s = xcalloc(1, sizeof(*s));

	(void)t;
	s->db = db;
	return s;
}

static int begin_losses(void *scan, const struct sql_conditions *c)
{
	struct lost_scan *s = scan;

	(void)c;
	trace_iter_free(s->it);
	s->it = trace_iter_new(s->db->traces, s->db->n, NULL);
	return SQLITE_OK;
}

static bool next_loss(void *scan)
{
	struct lost_scan *s = scan;

	do {
		s->r = trace_iter_next(s->it);
		s->db->records += s->r != NULL;
	} while (s->r && !s->r->lost && !sql_is_ended(s->db));
	return s->r && !s->db->is_interrupted;
}

static void lost_column(void *scan, int column, sqlite3_context *out)
{
	const struct trace_rec *r = ((const struct lost_scan *)scan)->r;

	switch (column) {
	case LOST_TS:
		if (r->rec.data)
			sqlite3_result_int64(out, r->ts);
		break;
	case LOST_CPU:
		sqlite3_result_int(out, r->cpu);
		break;
	case LOST_EVENTS:
		if (r->lost != RING_LOST_UNKNOWN)
			sqlite3_result_int64(out, r->lost);
		break;
	case LOST_BUFFER:
		sqlite3_result_text(out, r->trace->dat->buffers[r->buffer].name, -1,
				    SQLITE_STATIC);
		break;
	case LOST_FILE:
		sqlite3_result_text(out, r->trace->dat->path, -1, SQLITE_STATIC);
		break;
	}
}

static void close_losses(void *scan)
{
	struct lost_scan *s = scan;

	trace_iter_free(s->it);
	free(s);
}

static const struct sql_table_ops lost_ops = {
	.open = open_losses, .begin = begin_losses, .next = next_loss, .column = lost_column,
	.close = close_losses,
};

/* --- damage: what reading has found so far; a scan has a copy, which later reads do not change */

enum damage_column {
	DAMAGE_FILE, DAMAGE_KIND, DAMAGE_OFFSET, DAMAGE_CPU, DAMAGE_COUNT, DAMAGE_TEXT,
};

static const struct sql_column damage_columns[] = {
	{ "file", SQL_TEXT, "file", 0 },
	{ "kind", SQL_TEXT, "kind of damage", 0 },
	{ "offset", SQL_INTEGER, "offset in the file of the first one of this kind", 0 },
	{ "cpu", SQL_INTEGER, "CPU of the first one", 0 },
	{ "count", SQL_INTEGER, "number of this kind", 0 },
	{ "text", SQL_TEXT, "the line that ftr report prints", 0 },
};

struct damage_scan {
	struct sql_db *db;
	struct damage_list all;
	size_t next;
};

static void *open_damages(struct sql_db *db, const struct sql_table *t)
{
	struct damage_scan *s = xcalloc(1, sizeof(*s));

	(void)t;
	s->db = db;
	return s;
}

static int begin_damages(void *scan, const struct sql_conditions *c)
{
	struct damage_scan *s = scan;

	(void)c;
	damages_release(&s->all);
	s->next = 0;
	for (size_t i = 0; i < s->db->n; i++)
		damages_merge(&s->all, trace_damages(s->db->traces[i]));
	return SQLITE_OK;
}

static bool next_damage(void *scan)
{
	struct damage_scan *s = scan;

	return s->next++ < s->all.n;
}

static void damage_column(void *scan, int column, sqlite3_context *out)
{
	const struct damage_scan *s = scan;
	const struct file_damage *d = &s->all.v[s->next - 1];
	struct buf line = {0};

	switch (column) {
	case DAMAGE_FILE:
		sqlite3_result_text(out, d->file, -1, SQLITE_TRANSIENT);
		break;
	case DAMAGE_KIND:
		sqlite3_result_text(out, d->kind, -1, SQLITE_TRANSIENT);
		break;
	case DAMAGE_OFFSET:
		if (d->offset != DAMAGE_NO_OFFSET)
			sqlite3_result_int64(out, (int64_t)d->offset);
		break;
	case DAMAGE_CPU:
		if (d->cpu >= 0)
			sqlite3_result_int(out, d->cpu);
		break;
	case DAMAGE_COUNT:
		sqlite3_result_int64(out, (int64_t)d->count);
		break;
	case DAMAGE_TEXT:
		damage_describe(d, &line);
		sqlite3_result_text(out, line.data, line.len, SQLITE_TRANSIENT);
		buf_release(&line);
		break;
	}
}

static void close_damages(void *scan)
{
	struct damage_scan *s = scan;

	damages_release(&s->all);
	free(s);
}

static const struct sql_table_ops damage_ops = {
	.open = open_damages, .begin = begin_damages, .next = next_damage,
	.column = damage_column, .close = close_damages,
};

/* --- */

int sql_add_files(struct sql_db *db, struct ftr_error *err)
{
	if (sql_add_table(db, sql_list_new("trace_file", "the files", file_columns,
					   ROWS(file_columns), fill_files), err) ||
	    sql_add_table(db, sql_list_new("info", "what ftr info --quick prints", info_columns,
					   ROWS(info_columns), fill_info), err) ||
	    sql_add_table(db, sql_list_new("cpu", "the CPUs of each buffer", cpu_columns,
					   ROWS(cpu_columns), fill_cpus), err))
		return -1;
	if (sql_add_table(db, sql_table_new("lost", "places where events were lost", lost_columns,
					    ROWS(lost_columns), &lost_ops, NULL), err))
		return -1;
	return sql_add_table(db, sql_table_new("damage", "damage that reading has found so far",
					       damage_columns, ROWS(damage_columns), &damage_ops,
					       NULL), err);
}
