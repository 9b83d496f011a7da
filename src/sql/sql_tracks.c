/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables of tracks: each task and each CPU has some, whether slices are on them or not. */
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sql/sql_list.h"

#define ROWS(a) (sizeof(a) / sizeof(*(a)))

static const struct track_name {
	const char *type;
	const char *name;		/* of a CPU's track, with its number; or NULL */
} track_names[TRACK_TYPES] = {
	[TRACK_THREAD] = { "thread_execution", NULL },
	[TRACK_THREAD_CALLS] = { "thread_funcgraph", NULL },
	[TRACK_IRQ] = { "cpu_irq", "Irq Cpu %d" },
	[TRACK_SOFTIRQ] = { "cpu_softirq", "SoftIrq Cpu %d" },
	[TRACK_CPU_CALLS] = { "cpu_funcgraph", "swapper%d -funcgraph" },
	[TRACK_ASYNC] = { "atrace_async_slice", NULL },
};

/* All tables of tracks have these columns, and thread_track, for example, those of a task. */
enum track_column { COL_ID, COL_NAME, COL_TYPE, COL_PARENT, COL_OF, COL_UCPU };

#define TRACK_COLUMNS \
	{ "id", SQL_INTEGER, "number of the track", SQL_TESTED }, \
	{ "name", SQL_TEXT, "name; NULL: that of its task", 0 }, \
	{ "type", SQL_TEXT, "thread_execution, cpu_irq, process_memory, ...", 0 }, \
	{ "parent_id", SQL_INTEGER, "NULL: there are no tracks inside of tracks", SQL_HIDDEN }

static const struct sql_column track_columns[] = { TRACK_COLUMNS };
static const struct sql_column thread_track_columns[] = {
	TRACK_COLUMNS,
	{ "utid", SQL_INTEGER, "task, as in table thread", SQL_TESTED },
};
static const struct sql_column cpu_track_columns[] = {
	TRACK_COLUMNS,
	{ "cpu", SQL_INTEGER, "CPU", SQL_TESTED },
	{ "ucpu", SQL_INTEGER, "number of the CPU among those of all files", SQL_HIDDEN },
};
static const struct sql_column process_track_columns[] = {
	TRACK_COLUMNS,
	{ "upid", SQL_INTEGER, "process, as in table process", SQL_TESTED },
};

static struct sql_cell *add_track(struct sql_list *l, int64_t id, const char *name,
				  const char *type)
{
	struct sql_cell *c = sql_list_add(l);

	cell_set_integer(&c[COL_ID], id);
	cell_set_text(l, &c[COL_NAME], name);
	cell_set_text(l, &c[COL_TYPE], type);
	return c;
}

/* --- tasks and processes */

static void add_of_tasks(struct sql_db *db, struct sql_list *l, enum track_type type)
{
	int64_t n = sql_nr_utids(db);

	for (int64_t utid = 0; utid < n; utid++) {
		struct sql_cell *c = add_track(l, track_id(type, utid), NULL,
					       track_names[type].type);

		if (l->columns > COL_OF)
			cell_set_integer(&c[COL_OF], utid);
	}
}

static void fill_thread_tracks(struct sql_db *db, struct sql_list *l)
{
	add_of_tasks(db, l, TRACK_THREAD);
	add_of_tasks(db, l, TRACK_THREAD_CALLS);
}

static void fill_process_tracks(struct sql_db *db, struct sql_list *l)
{
	add_of_tasks(db, l, TRACK_ASYNC);
}

/* --- CPUs */

static void add_of_cpu(struct sql_list *l, unsigned int file, int cpu)
{
	static const enum track_type types[] = { TRACK_IRQ, TRACK_SOFTIRQ, TRACK_CPU_CALLS };
	struct sql_cell *c;
	char name[64];

	for (size_t i = 0; i < ROWS(types); i++) {
		const struct track_name *t = &track_names[types[i]];

		snprintf(name, sizeof(name), t->name, cpu);
		c = add_track(l, track_id(types[i], sql_ucpu(file, cpu)), name, t->type);
		if (l->columns <= COL_OF)
			continue;
		cell_set_integer(&c[COL_OF], cpu);
		cell_set_integer(&c[COL_UCPU], sql_ucpu(file, cpu));
	}
}

/* Instances share the CPUs of their file. */
static void fill_cpu_tracks(struct sql_db *db, struct sql_list *l)
{
	for (size_t i = 0; i < db->n; i++) {
		const struct dat *d = db->traces[i]->dat;
		struct map seen = {0};

		for (size_t k = 0; k < d->nr_buffers; k++)
			for (size_t j = 0; j < d->buffers[k].nr_cpus; j++) {
				int cpu = d->buffers[k].cpus[j].cpu;

				if (!map_put(&seen, (uint32_t)cpu, l))
					add_of_cpu(l, i, cpu);
			}
		map_release(&seen);
	}
}

/* --- counters */

enum counter_track_column {
	CT_ID, CT_NAME, CT_TYPE, CT_PARENT, CT_UNIT, CT_DESCRIPTION, CT_OF, CT_UCPU,
};

#define COUNTER_TRACK_COLUMNS \
	TRACK_COLUMNS, \
	{ "unit", SQL_TEXT, "unit of the values: kHz, Hz, bytes; NULL: none", SQL_HIDDEN }, \
	{ "description", SQL_TEXT, "NULL", SQL_HIDDEN }

static const struct sql_column counter_track_columns[] = { COUNTER_TRACK_COLUMNS };
static const struct sql_column cpu_counter_track_columns[] = {
	COUNTER_TRACK_COLUMNS,
	{ "cpu", SQL_INTEGER, "CPU", SQL_TESTED },
	{ "ucpu", SQL_INTEGER, "number of the CPU among those of all files", SQL_HIDDEN },
};
static const struct sql_column process_counter_track_columns[] = {
	COUNTER_TRACK_COLUMNS,
	{ "upid", SQL_INTEGER, "process, or a task whose process is unknown", SQL_TESTED },
};

/* Adds a counter to a table that has the column unit. */
static struct sql_cell *add_counter(struct sql_list *l, size_t i, const struct counter_track *t)
{
	struct sql_cell *c = add_track(l, track_id(TRACK_COUNTER, i), t->name, t->type);

	cell_set_text(l, &c[CT_UNIT], t->unit);
	return c;
}

static void fill_counter_tracks(struct sql_db *db, struct sql_list *l)
{
	size_t n;
	const struct counter_track *v = sql_counter_tracks(db, &n);

	for (size_t i = 0; i < n; i++)
		add_counter(l, i, &v[i]);
}

static void fill_cpu_counter_tracks(struct sql_db *db, struct sql_list *l)
{
	size_t n;
	const struct counter_track *v = sql_counter_tracks(db, &n);
	struct sql_cell *c;

	for (size_t i = 0; i < n; i++) {
		if (v[i].cpu < 0)
			continue;
		c = add_counter(l, i, &v[i]);
		cell_set_integer(&c[CT_OF], v[i].cpu);
		cell_set_integer(&c[CT_UCPU], sql_ucpu(v[i].file, v[i].cpu));
	}
}

static void fill_process_counter_tracks(struct sql_db *db, struct sql_list *l)
{
	size_t n;
	const struct counter_track *v = sql_counter_tracks(db, &n);

	for (size_t i = 0; i < n; i++)
		if (v[i].upid >= 0)
			cell_set_integer(&add_counter(l, i, &v[i])[CT_OF], v[i].upid);
}

/* --- all */

static void fill_tracks(struct sql_db *db, struct sql_list *l)
{
	const struct counter_track *counters;
	size_t n;

	fill_thread_tracks(db, l);
	fill_cpu_tracks(db, l);
	fill_process_tracks(db, l);
	counters = sql_counter_tracks(db, &n);
	for (size_t i = 0; i < n; i++)
		add_track(l, track_id(TRACK_COUNTER, i), counters[i].name, counters[i].type);
}

static const struct track_table {
	const char *name, *about;
	const struct sql_column *columns;
	size_t nr_columns;
	void (*fill)(struct sql_db *db, struct sql_list *l);
} tables[] = {
	{ "track", "where slices and counters belong", track_columns, ROWS(track_columns),
	  fill_tracks },
	{ "thread_track", "tracks of tasks", thread_track_columns, ROWS(thread_track_columns),
	  fill_thread_tracks },
	{ "process_track", "tracks of processes", process_track_columns,
	  ROWS(process_track_columns), fill_process_tracks },
	{ "cpu_track", "tracks of CPUs", cpu_track_columns, ROWS(cpu_track_columns),
	  fill_cpu_tracks },
	{ "counter_track", "counters", counter_track_columns, ROWS(counter_track_columns),
	  fill_counter_tracks },
	{ "cpu_counter_track", "counters of CPUs", cpu_counter_track_columns,
	  ROWS(cpu_counter_track_columns), fill_cpu_counter_tracks },
	{ "process_counter_track", "counters of processes", process_counter_track_columns,
	  ROWS(process_counter_track_columns), fill_process_counter_tracks },
};

int sql_add_tracks(struct sql_db *db, struct ftr_error *err)
{
	for (size_t i = 0; i < ROWS(tables); i++)
		if (sql_add_table(db, sql_list_new(tables[i].name, tables[i].about,
						   tables[i].columns, tables[i].nr_columns,
						   tables[i].fill), err))
			return -1;
	return 0;
}
