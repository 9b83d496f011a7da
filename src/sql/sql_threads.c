/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tasks of all files: a utid is one life of a pid in one file; each CPU has an idle task. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/model.h"
#include "output/line_source.h"
#include "sql/sql_list.h"

/* One life of a pid. Its utid is the number that the model gives the task. */
struct task_life {
	unsigned int file;
	int pid, cpu;			/* cpu: of an idle task */
	uint32_t nr;			/* number of earlier lives */
	int64_t utid;
	uint64_t begin;			/* time of its first record */
	char name[TASK_NAME_MAX + 1];
	struct task_life *next;		/* the next life of the pid */
};

struct sql_threads {
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
		db->records++;
	}
	trace_iter_free(it);
	model_end(m);
	t->is_part = db->is_interrupted;
	take_tasks(t, m);
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

void sql_threads_free(struct sql_threads *t)
{
	if (!t)
		return;
	free(t->v);
	map_release(&t->by_pid);
	free(t);
}

/* --- the tables */

enum thread_column {
	THREAD_UTID, THREAD_TID, THREAD_NAME, THREAD_UPID, THREAD_MAIN, THREAD_IDLE, THREAD_START,
	THREAD_FILE,
};

static const struct sql_column thread_columns[] = {
	{ "utid", SQL_INTEGER, "number of one life of a pid in one file", SQL_TESTED },
	{ "tid", SQL_INTEGER, "pid of the task, as the kernel calls it", SQL_TESTED },
	{ "name", SQL_TEXT, "last name of the task", 0 },
	{ "upid", SQL_INTEGER, "its process, as in table process; NULL if unknown", SQL_TESTED },
	{ "is_main_thread", SQL_INTEGER, "1: the first thread of its process", 0 },
	{ "is_idle", SQL_INTEGER, "1: the idle task of a CPU", 0 },
	{ "start_ts", SQL_INTEGER, "time of its first record", 0 },
	{ "file", SQL_TEXT, "file of the task", 0 },
};

/* Returns the utid of the main thread of @life's process, or -1 if the file does not have it. */
static int64_t process_of(const struct sql_threads *t, const struct map *tgids,
			  const struct task_life *life)
{
	int tgid = (int)(uintptr_t)map_get(&tgids[life->file], (uint32_t)life->pid);
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

static struct map *read_tgids(struct sql_db *db)
{
	struct map *tgids = xcalloc(db->n + 1, sizeof(*tgids));

	for (size_t i = 0; i < db->n; i++)
		tgids_read(&tgids[i], db->traces[i]);
	return tgids;
}

static void free_tgids(struct sql_db *db, struct map *tgids)
{
	for (size_t i = 0; i < db->n; i++)
		map_release(&tgids[i]);
	free(tgids);
}

static void fill_threads(struct sql_db *db, struct sql_list *l)
{
	const struct sql_threads *t = read_threads(db);
	struct map *tgids = read_tgids(db);

	for (size_t i = 0; i < t->n; i++) {
		const struct task_life *life = &t->v[i];
		struct sql_cell *c = sql_list_add(l);
		int64_t upid = process_of(t, tgids, life);

		cell_set_integer(&c[THREAD_UTID], life->utid);
		cell_set_integer(&c[THREAD_TID], life->pid);
		cell_set_text(l, &c[THREAD_NAME], life->name);
		if (upid >= 0) {
			cell_set_integer(&c[THREAD_UPID], upid);
			cell_set_integer(&c[THREAD_MAIN], upid == life->utid);
		}
		cell_set_integer(&c[THREAD_IDLE], !life->pid);
		if (life->begin)
			cell_set_integer(&c[THREAD_START], life->begin - 1);
		cell_set_text(l, &c[THREAD_FILE], db->traces[life->file]->dat->path);
	}
	free_tgids(db, tgids);
}

enum process_column { PROCESS_UPID, PROCESS_PID, PROCESS_NAME, PROCESS_FILE };

static const struct sql_column process_columns[] = {
	{ "upid", SQL_INTEGER, "utid of its first thread", SQL_TESTED },
	{ "pid", SQL_INTEGER, "pid of its first thread: what user space calls pid", SQL_TESTED },
	{ "name", SQL_TEXT, "last name of its first thread", 0 },
	{ "file", SQL_TEXT, "file of the process", 0 },
};

static void fill_processes(struct sql_db *db, struct sql_list *l)
{
	const struct sql_threads *t = read_threads(db);
	struct map *tgids = read_tgids(db);

	for (size_t i = 0; i < t->n; i++) {
		const struct task_life *life = &t->v[i];
		struct sql_cell *c;

		if (process_of(t, tgids, life) != life->utid)
			continue;
		c = sql_list_add(l);
		cell_set_integer(&c[PROCESS_UPID], life->utid);
		cell_set_integer(&c[PROCESS_PID], life->pid);
		cell_set_text(l, &c[PROCESS_NAME], life->name);
		cell_set_text(l, &c[PROCESS_FILE], db->traces[life->file]->dat->path);
	}
	free_tgids(db, tgids);
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
