/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The damage that reading has found so far: a scan has a copy, which later reads do not change. */
#include <stdlib.h>

#include "base/damage.h"
#include "base/mem.h"
#include "sql/sql_table.h"

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

int sql_add_damage(struct sql_db *db, struct ftr_error *err)
{
	static const char about[] = "damage of the files that was found so far";

	return sql_add_table(db, sql_table_new("damage", about, damage_columns,
					       sizeof(damage_columns) / sizeof(*damage_columns),
					       &damage_ops, NULL), err);
}
