/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tasks of all files: a utid is one life of a pid in one file; each CPU has an idle task. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/model.h"
#include "output/line_source.h"
#include "sql/sql_list.h"
#include "sql/sql_scan.h"

/* One life of a pid. Its utid is the number that the model gives the task. */
struct task_life {
	unsigned int file;
	int pid, cpu;			/* cpu: of an idle task */
	uint32_t nr;			/* number of earlier lives */
	int64_t utid;
	int64_t upid;			/* utid of its process's first thread, or -1 */
	uint64_t begin;			/* time of its first record, plus 1 */
	uint64_t born, freed;		/* times plus 1; 0: not recorded */
	char name[TASK_NAME_MAX + 1];
	struct task_life *next;		/* the next life of the pid */
};

/* A record about the begin or the end of a task. */
struct life_mark {
	unsigned int file;
	int pid;
	bool is_end;
	uint64_t ts;
};

struct sql_threads {
	struct life_mark *marks;	/* in the order of time; only while the files are read */
	size_t nr_marks, cap_marks;
	struct task_life *v;		/* in the order of utid */
	size_t n;
	struct map by_pid;		/* pid_key() -> the first life */
	bool is_part;			/* the query was ended while it was made */
};

static uint64_t pid_key(unsigned int file, int pid, int cpu)
{
	return (uint64_t)file << 32 | (pid ? (uint32_t)pid : 0x80000000u | (uint32_t)cpu);
}

static void note_begin(void *ctx, struct task *t, const struct trace_rec *r)
{
	(void)ctx;
	if (t && !t->user)
		t->user = r->ts + 1;
}

static void note_switch(void *ctx, struct task *prev, struct task *next, const struct trace_rec *r)
{
	note_begin(ctx, prev, r);
	note_begin(ctx, next, r);
}

/* Perfetto takes task_newtask as the begin; sched_process_fork follows it. */
static const struct {
	const char *event, *field;
	bool is_end;
} life_events[] = {
	{ "task_newtask", "pid", false },
	{ "sched_process_fork", "child_pid", false },
	{ "sched_process_free", "pid", true },
};

static void note_life(struct sql_threads *t, const struct trace_rec *r)
{
	const char *name = r->rec.fmt ? r->rec.fmt->name : "";
	uint64_t pid;

	/* most records are of other events */
	if (*name != 't' && *name != 's')
		return;
	for (size_t i = 0; i < sizeof(life_events) / sizeof(*life_events); i++) {
		if (strcmp(name, life_events[i].event) ||
		    !record_number(r, life_events[i].field, &pid))
			continue;
		t->marks = xgrow(t->marks, &t->cap_marks, t->nr_marks + 1, sizeof(*t->marks));
		t->marks[t->nr_marks++] = (struct life_mark){
			r->file, (int)pid, life_events[i].is_end, r->ts,
		};
	}
}

static int compare_utids(const void *a, const void *b)
{
	const struct task_life *x = a, *y = b;

	return (x->utid > y->utid) - (x->utid < y->utid);
}

/* Links the lives of a pid, which come in the order of their number. */
static void link_lives(struct sql_threads *t)
{
	for (size_t i = 0; i < t->n; i++) {
		struct task_life *life = &t->v[i];
		uint64_t key = pid_key(life->file, life->pid, life->cpu);
		struct task_life *first = map_get(&t->by_pid, key);

		if (!first) {
			map_put(&t->by_pid, key, life);
			continue;
		}
		while (first->next && first->next->nr < life->nr)
			first = first->next;
		life->next = first->next;
		first->next = life;
	}
}

static void take_tasks(struct sql_threads *t, const struct model *m)
{
	const struct task *task;

	for (task = model_tasks(m); task; task = task->next)
		t->n++;
	t->v = xcalloc(t->n + 1, sizeof(*t->v));
	t->n = 0;
	for (task = model_tasks(m); task; task = task->next) {
		struct task_life *life = &t->v[t->n++];

		*life = (struct task_life){
			.file = task->file, .pid = task->pid, .cpu = task->pid ? -1 : task->cpu,
			.nr = task->nr, .utid = task->id, .begin = task->user,
		};
		snprintf(life->name, sizeof(life->name), "%s", model_task_name(m, task));
	}
	qsort(t->v, t->n, sizeof(*t->v), compare_utids);
	link_lives(t);
}

/* Gives each life its own marks: the first begin and the first end after the life before it. */
static void set_marks(struct sql_threads *t)
{
	for (size_t i = 0; i < t->nr_marks; i++) {
		const struct life_mark *mark = &t->marks[i];
		struct task_life *life = map_get(&t->by_pid, pid_key(mark->file, mark->pid, 0));

		/* a begin is before the first record of its life, an end after it */
		while (life && life->next &&
		       (mark->is_end ? life->next->begin && life->next->begin <= mark->ts + 1
				     : life->begin && life->begin < mark->ts + 1))
			life = life->next;
		if (!life || (!mark->is_end && life->begin && life->begin < mark->ts + 1))
			continue;
		if (mark->is_end)
			life->freed = mark->ts + 1;
		else if (!life->born)
			life->born = mark->ts + 1;
	}
	free(t->marks);
	t->marks = NULL;
	t->nr_marks = t->cap_marks = 0;
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
		return life->utid;
	first = map_get(&t->by_pid, pid_key(life->file, tgid, 0));
	while (first && first->next && first->next->begin && first->next->begin <= life->begin)
		first = first->next;
	return first ? first->utid : -1;
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

/* Reads the files once. They have no tasks if the model can't be made. */
static const struct sql_threads *read_threads(struct sql_db *db)
{
	static const struct span_ops ops = { .event = note_begin, .switched = note_switch };
	static const struct model_opts none;
	struct sql_threads *t = db->threads;
	const struct trace_rec *r;
	struct trace_iter *it;
	struct model *m;

	if (t && !t->is_part)
		return t;
	sql_threads_free(t);
	db->threads = t = xcalloc(1, sizeof(*t));
	m = model_new(db->traces, db->n, &none, &ops, NULL, NULL);
	if (!m)
		return t;
	it = trace_iter_new(db->traces, db->n, NULL);
	while ((r = trace_iter_next(it)) && !sql_is_ended(db)) {
		model_feed(m, r);
		note_life(t, r);
		db->records++;
	}
	trace_iter_free(it);
	model_end(m);
	t->is_part = db->is_interrupted;
	take_tasks(t, m);
	set_marks(t);
	find_processes(db, t);
	model_free(m);
	return t;
}

int64_t sql_utid(struct sql_db *db, unsigned int file, int pid, int cpu, uint64_t ts)
{
	const struct sql_threads *t = read_threads(db);
	const struct task_life *life = map_get(&t->by_pid, pid_key(file, pid, cpu));

	while (life && life->next && life->next->begin && life->next->begin <= ts + 1)
		life = life->next;
	return life ? life->utid : -1;
}

int64_t sql_upid(struct sql_db *db, int64_t utid)
{
	const struct sql_threads *t = read_threads(db);

	for (size_t from = 0, to = t->n; from < to;) {
		size_t at = (from + to) / 2;

		if (t->v[at].utid == utid)
			return t->v[at].upid;
		if (t->v[at].utid < utid)
			from = at + 1;
		else
			to = at;
	}
	return -1;
}

int64_t sql_nr_utids(struct sql_db *db)
{
	const struct sql_threads *t = read_threads(db);

	return t->n ? t->v[t->n - 1].utid + 1 : 0;
}

void sql_threads_free(struct sql_threads *t)
{
	if (!t)
		return;
	free(t->marks);
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
	{ "start_ts", SQL_INTEGER, "time at which it was made; NULL: not recorded", 0 },
	{ "end_ts", SQL_INTEGER, "time of its sched_process_free; NULL: not recorded", 0 },
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

		cell_set_integer(&c[THREAD_UTID], life->utid);
		cell_set_integer(&c[THREAD_TID], life->pid);
		cell_set_text(l, &c[THREAD_NAME], name_of(life));
		if (life->upid >= 0) {
			cell_set_integer(&c[THREAD_UPID], life->upid);
			cell_set_integer(&c[THREAD_MAIN], life->upid == life->utid);
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
	{ "start_ts", SQL_INTEGER, "time at which its first thread was made", 0 },
	{ "end_ts", SQL_INTEGER, "time of its sched_process_free; NULL: not recorded", 0 },
	{ "id", SQL_INTEGER, "the same as upid", SQL_HIDDEN | SQL_TESTED },
	{ "file", SQL_TEXT, "file of the process", 0 },
};

static void fill_processes(struct sql_db *db, struct sql_list *l)
{
	const struct sql_threads *t = read_threads(db);

	for (size_t i = 0; i < t->n; i++) {
		const struct task_life *life = &t->v[i];
		struct sql_cell *c;

		if (life->upid != life->utid)
			continue;
		c = sql_list_add(l);
		cell_set_integer(&c[PROCESS_UPID], life->utid);
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
