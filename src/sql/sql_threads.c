/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tasks of all files: a utid is one life of a pid in one file; each CPU has an idle task. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/model.h"
#include "output/line_source.h"
#include "sql/sql_intervals.h"
#include "sql/sql_scan.h"

/* One life of a pid. Its utid is the number that the model gives the task. */
struct task_life {
	const struct task *task;	/* while the files are read, then NULL */
	unsigned int file;
	int pid, cpu;			/* cpu: of an idle task */
	int64_t upid;			/* utid of its process's first thread, or -1 */
	uint64_t begin;			/* time of its first record, plus 1 */
	uint64_t born, freed;		/* times plus 1; 0: not recorded */
	char name[TASK_NAME_MAX + 1];
	size_t next;			/* 1 + utid of the next life of the pid, or 0 */
};

/*
 * The tasks of all files. A query for the task of one record needs the records before it only, so
 * the files are read as far as queries need them.
 */
struct sql_threads {
	struct model *model;		/* NULL: all is known */
	struct trace_iter *it;
	const struct trace_rec *r;	/* the next record */
	const struct task *last;	/* the last task of the model that is in ->v */
	struct life_marks marks;
	struct task_life *v;		/* by utid */
	size_t n, cap;
	struct map by_pid;		/* pid_key() -> 1 + utid of the first life */
	bool is_part;			/* the query was ended while it was made */
};

static uint64_t pid_key(unsigned int file, int pid, int cpu)
{
	return (uint64_t)file << 32 | (pid ? (uint32_t)pid : 0x80000000u | (uint32_t)cpu);
}

static struct task_life *first_life(const struct sql_threads *t, unsigned int file, int pid,
				    int cpu)
{
	uintptr_t at = (uintptr_t)map_get(&t->by_pid, pid_key(file, pid, cpu));

	return at ? &t->v[at - 1] : NULL;
}

static struct task_life *next_life(const struct sql_threads *t, const struct task_life *life)
{
	return life->next ? &t->v[life->next - 1] : NULL;
}

static uint64_t life_begin(const struct task_life *life)
{
	return life->task ? life->task->first : life->begin;
}

/* Returns the life that began last at or before the time @until - 1. */
static const struct task_life *life_at(const struct sql_threads *t, const struct task_life *life,
				       uint64_t until)
{
	const struct task_life *next;

	while (life && (next = next_life(t, life)) && life_begin(next) && life_begin(next) <= until)
		life = next;
	return life;
}

/* --- begins and ends of tasks */

/* Perfetto takes task_newtask as the begin; sched_process_fork follows it. */
static const struct {
	const char *system, *event, *field;
	bool is_end;
} life_events[LIFE_EVENTS] = {
	{ "task", "task_newtask", "pid", false },
	{ "sched", "sched_process_fork", "child_pid", false },
	{ "sched", "sched_process_free", "pid", true },
};

void life_marks_start(struct life_marks *marks, const struct sql_db *db)
{
	marks->formats = xcalloc(db->n + 1, sizeof(*marks->formats));
	for (size_t file = 0; file < db->n; file++)
		for (size_t i = 0; i < LIFE_EVENTS; i++)
			marks->formats[file][i] =
				event_meta_find_name(&db->traces[file]->meta, life_events[i].system,
						     life_events[i].event);
}

static void note_life(struct life_marks *marks, const struct trace_rec *r, size_t event)
{
	uint64_t pid;

	if (!record_number(r, life_events[event].field, &pid))
		return;
	marks->v = xgrow(marks->v, &marks->cap, marks->n + 1, sizeof(*marks->v));
	marks->v[marks->n++] = (struct life_mark){
		r->file, (int)pid, life_events[event].is_end, r->ts,
	};
}

void life_marks_note(struct life_marks *marks, const struct trace_rec *r)
{
	for (size_t i = 0; i < LIFE_EVENTS; i++)
		if (r->rec.fmt == marks->formats[r->file][i] && r->rec.fmt)
			note_life(marks, r, i);
}

void life_marks_release(struct life_marks *marks)
{
	free(marks->formats);
	free(marks->v);
	*marks = (struct life_marks){0};
}

/* Gives each life its own marks: the first begin and the first end after the life before it. */
static void set_marks(struct sql_threads *t, const struct life_marks *marks)
{
	for (size_t i = 0; i < marks->n; i++) {
		const struct life_mark *mark = &marks->v[i];
		struct task_life *life = first_life(t, mark->file, mark->pid, 0), *next;

		/* a begin is before the first record of its life, an end after it */
		while (life && (next = next_life(t, life)) &&
		       (mark->is_end ? next->begin && next->begin <= mark->ts + 1
				     : life->begin && life->begin < mark->ts + 1))
			life = next;
		if (!life || (!mark->is_end && life->begin && life->begin < mark->ts + 1))
			continue;
		if (mark->is_end)
			life->freed = mark->ts + 1;
		else if (!life->born)
			life->born = mark->ts + 1;
	}
}

/* --- lives */

static void link_life(struct sql_threads *t, const struct task_life *life)
{
	struct task_life *before = first_life(t, life->file, life->pid, life->cpu);

	if (!before) {
		map_put(&t->by_pid, pid_key(life->file, life->pid, life->cpu),
			(void *)(uintptr_t)t->n);
		return;
	}
	while (before->next)
		before = &t->v[before->next - 1];
	before->next = t->n;
}

/* Takes the tasks that the model has made since. It numbers them in the order of its list. */
static void take_tasks(struct sql_threads *t, const struct model *m)
{
	const struct task *task = t->last ? t->last->next : model_tasks(m);

	for (; task; task = task->next) {
		struct task_life *life;

		t->v = xgrow(t->v, &t->cap, t->n + 1, sizeof(*t->v));
		life = &t->v[t->n++];
		*life = (struct task_life){
			.task = task, .file = task->file, .pid = task->pid,
			.cpu = task->pid ? -1 : task->cpu, .upid = -1,
		};
		link_life(t, life);
		t->last = task;
	}
}

/* Returns the utid of the main thread of @life's process, or -1 if the file does not have it. */
static int64_t process_of(const struct sql_threads *t, const struct map *tgids,
			  const struct task_life *life)
{
	int tgid = (int)(uintptr_t)map_get(tgids, (uint32_t)life->pid);
	const struct task_life *first;

	if (!tgid || !life->pid)
		return -1;
	if (tgid == life->pid)
		return life - t->v;
	first = life_at(t, first_life(t, life->file, tgid, 0), life->begin);
	return first ? first - t->v : -1;
}

static void find_processes(struct sql_db *db, struct sql_threads *t)
{
	for (size_t file = 0; file < db->n; file++) {
		struct map tgids = {0};

		tgids_read(&tgids, db->traces[file]);
		for (size_t i = 0; i < t->n; i++)
			if (t->v[i].file == file)
				t->v[i].upid = process_of(t, &tgids, &t->v[i]);
		map_release(&tgids);
	}
}

/* Takes all that is known at the end of the files from a model that has read them whole. */
static void finish_threads(struct sql_db *db, struct sql_threads *t, struct model *m,
			   const struct life_marks *marks)
{
	take_tasks(t, m);
	for (size_t i = 0; i < t->n; i++) {
		struct task_life *life = &t->v[i];

		life->begin = life->task->first;
		snprintf(life->name, sizeof(life->name), "%s", model_task_name(m, life->task));
		life->task = NULL;
	}
	set_marks(t, marks);
	find_processes(db, t);
}

/* --- reading */

static void stop_reading(struct sql_threads *t)
{
	trace_iter_free(t->it);
	model_free(t->model);
	life_marks_release(&t->marks);
	t->it = NULL;
	t->model = NULL;
}

/* The files have no tasks if the model can't be made. */
static void start_reading(struct sql_db *db, struct sql_threads *t)
{
	static const struct model_opts none;
	static const struct span_ops ops;

	t->model = model_new(db->traces, db->n, &none, &ops, NULL, NULL);
	if (!t->model)
		return;
	life_marks_start(&t->marks, db);
	t->it = trace_iter_new(db->traces, db->n, NULL);
	t->r = trace_iter_next(t->it);
}

/* Feeds the records up to a time. Returns false if the query is to end. */
static bool read_until(struct sql_db *db, struct sql_threads *t, uint64_t ts)
{
	while (t->r && t->r->ts <= ts) {
		if (sql_is_ended(db)) {
			t->is_part = true;
			return false;
		}
		model_feed(t->model, t->r);
		life_marks_see(&t->marks, t->r);
		db->records++;
		t->r = trace_iter_next(t->it);
	}
	return true;
}

static struct sql_threads *threads_of(struct sql_db *db)
{
	if (db->threads && !db->threads->is_part)
		return db->threads;
	sql_threads_free(db->threads);
	db->threads = xcalloc(1, sizeof(*db->threads));
	return db->threads;
}

/* Reads the files to their end, or lets a scan of intervals do so that has begun. */
static const struct sql_threads *read_threads(struct sql_db *db)
{
	struct sql_threads *t = threads_of(db);
	const struct life_marks *marks;
	struct model *m;
	bool is_read;

	if (!t->model && t->n)
		return t;
	is_read = !t->model && interval_read_ahead(db, &m, &marks);
	/* rows that were made meanwhile may have asked for tasks */
	t = threads_of(db);
	if (!t->model && t->n)
		return t;
	if (!t->model && is_read) {
		finish_threads(db, t, m, marks);
		return t;
	}
	if (!t->model)
		start_reading(db, t);
	if (!t->model)
		return t;
	read_until(db, t, UINT64_MAX);
	model_end(t->model);
	finish_threads(db, t, t->model, &t->marks);
	stop_reading(t);
	return t;
}

int64_t sql_utid(struct sql_db *db, unsigned int file, int pid, int cpu, uint64_t ts)
{
	struct sql_threads *t = threads_of(db);
	const struct task_life *life;

	if (!t->model && !t->n)
		start_reading(db, t);
	if (t->model) {
		read_until(db, t, ts);
		take_tasks(t, t->model);
	}
	life = life_at(t, first_life(t, file, pid, cpu), ts + 1);
	return life ? life - t->v : -1;
}

int64_t sql_upid(struct sql_db *db, int64_t utid)
{
	const struct sql_threads *t = read_threads(db);

	return utid >= 0 && (uint64_t)utid < t->n ? t->v[utid].upid : -1;
}

int64_t sql_nr_utids(struct sql_db *db)
{
	return read_threads(db)->n;
}

void sql_threads_free(struct sql_threads *t)
{
	if (!t)
		return;
	stop_reading(t);
	free(t->v);
	map_release(&t->by_pid);
	free(t);
}

/* --- the tables */

enum thread_column {
	THREAD_UTID, THREAD_TID, THREAD_NAME, THREAD_UPID, THREAD_MAIN, THREAD_IDLE, THREAD_START,
	THREAD_END, THREAD_ID, THREAD_FILE,
};

static const struct sql_column thread_columns[] = {
	{ "utid", SQL_INTEGER, "number of one life of a pid in one file", SQL_TESTED },
	{ "tid", SQL_INTEGER, "pid of the task, as the kernel calls it", SQL_TESTED },
	{ "name", SQL_TEXT, "last name of the task; NULL: unknown", 0 },
	{ "upid", SQL_INTEGER, "its process, as in table process; NULL if unknown", SQL_TESTED },
	{ "is_main_thread", SQL_INTEGER, "1: the first thread of its process", 0 },
	{ "is_idle", SQL_INTEGER, "1: the idle task of a CPU", 0 },
	{ "start_ts", SQL_INTEGER, "time at which it was made; NULL: not recorded", SQL_TIME },
	{ "end_ts", SQL_INTEGER, "time of its sched_process_free; NULL: not recorded", SQL_TIME },
	{ "id", SQL_INTEGER, "the same as utid", SQL_HIDDEN | SQL_TESTED },
	{ "file", SQL_TEXT, "file of the task", 0 },
};

/* Returns NULL for a task without a name. */
static const char *name_of(const struct task_life *life)
{
	return strcmp(life->name, "<...>") ? life->name : NULL;
}

static void set_times(struct sql_cell *start, struct sql_cell *end, const struct task_life *life)
{
	if (life->born)
		cell_set_integer(start, life->born - 1);
	if (life->freed)
		cell_set_integer(end, life->freed - 1);
}

static void fill_threads(struct sql_db *db, struct sql_list *l)
{
	const struct sql_threads *t = read_threads(db);

	for (size_t i = 0; i < t->n; i++) {
		const struct task_life *life = &t->v[i];
		struct sql_cell *c = sql_list_add(l);

		cell_set_integer(&c[THREAD_UTID], i);
		cell_set_integer(&c[THREAD_TID], life->pid);
		cell_set_text(l, &c[THREAD_NAME], name_of(life));
		if (life->upid >= 0) {
			cell_set_integer(&c[THREAD_UPID], life->upid);
			cell_set_integer(&c[THREAD_MAIN], life->upid == (int64_t)i);
		}
		cell_set_integer(&c[THREAD_IDLE], !life->pid);
		set_times(&c[THREAD_START], &c[THREAD_END], life);
		c[THREAD_ID] = c[THREAD_UTID];
		cell_set_text(l, &c[THREAD_FILE], db->traces[life->file]->dat->path);
	}
}

enum process_column {
	PROCESS_UPID, PROCESS_PID, PROCESS_NAME, PROCESS_START, PROCESS_END, PROCESS_ID,
	PROCESS_FILE,
};

static const struct sql_column process_columns[] = {
	{ "upid", SQL_INTEGER, "utid of its first thread", SQL_TESTED },
	{ "pid", SQL_INTEGER, "pid of its first thread: what user space calls pid", SQL_TESTED },
	{ "name", SQL_TEXT, "last name of its first thread", 0 },
	{ "start_ts", SQL_INTEGER, "time at which its first thread was made", SQL_TIME },
	{ "end_ts", SQL_INTEGER, "time of its sched_process_free; NULL: not recorded", SQL_TIME },
	{ "id", SQL_INTEGER, "the same as upid", SQL_HIDDEN | SQL_TESTED },
	{ "file", SQL_TEXT, "file of the process", 0 },
};

static void fill_processes(struct sql_db *db, struct sql_list *l)
{
	const struct sql_threads *t = read_threads(db);

	for (size_t i = 0; i < t->n; i++) {
		const struct task_life *life = &t->v[i];
		struct sql_cell *c;

		if (life->upid != (int64_t)i)
			continue;
		c = sql_list_add(l);
		cell_set_integer(&c[PROCESS_UPID], i);
		cell_set_integer(&c[PROCESS_PID], life->pid);
		cell_set_text(l, &c[PROCESS_NAME], name_of(life));
		set_times(&c[PROCESS_START], &c[PROCESS_END], life);
		c[PROCESS_ID] = c[PROCESS_UPID];
		cell_set_text(l, &c[PROCESS_FILE], db->traces[life->file]->dat->path);
	}
}

#define ROWS(a) (sizeof(a) / sizeof(*(a)))

int sql_add_threads(struct sql_db *db, struct ftr_error *err)
{
	if (sql_add_table(db, sql_list_new("thread", "the tasks", thread_columns,
					   ROWS(thread_columns), fill_threads), err))
		return -1;
	return sql_add_table(db, sql_list_new("process", "processes whose threads are known",
					      process_columns, ROWS(process_columns),
					      fill_processes), err);
}
