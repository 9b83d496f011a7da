/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tasks of all files: a utid is one life of a pid in one file; each CPU has an idle task. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/search.h"
#include "model/model.h"
#include "output/line_source.h"
#include "sql/sql_intervals.h"
#include "sql/sql_scan.h"

enum life_kind { LIFE_BORN, LIFE_FREED, LIFE_EXEC };

/* One life of a pid. Its utid is the number that the model gives the task. */
struct task_life {
	const struct task *task;	/* while the files are read, then NULL */
	unsigned int file;
	int pid, cpu;			/* cpu: of an idle task */
	int64_t upid;			/* utid of its process's first thread, or -1 */
	uint64_t begin;			/* time of its first record, plus 1; 0: it has none */
	uint64_t born, freed;		/* times plus 1; 0: not recorded */
	uint64_t from;			/* the pid is its own from this time on, plus 1 */
	unsigned int born_by;		/* index of the event of ->born */
	char name[TASK_NAME_MAX + 1];
};

/* The lives of one pid, in their order. */
struct pid_lives {
	size_t *v;			/* utids */
	size_t n, cap;
	size_t born, other;		/* places of the last birth, and of the last other mark */
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
	uint64_t asked;			/* time of the last question */
	struct life_marks marks;
	struct task_life *v;		/* by utid */
	size_t n, cap;
	struct pid_lives *pids;
	size_t nr_pids, cap_pids;
	struct map by_pid;		/* pid_key() -> 1 + index in ->pids */
	bool is_part;			/* the query was ended while it was made */
};

static uint64_t pid_key(unsigned int file, int pid, int cpu)
{
	return (uint64_t)file << 32 | (pid ? (uint32_t)pid : 0x80000000u | (uint32_t)cpu);
}

static struct pid_lives *lives_of(const struct sql_threads *t, unsigned int file, int pid, int cpu)
{
	uintptr_t at = (uintptr_t)map_get(&t->by_pid, pid_key(file, pid, cpu));

	return at ? &t->pids[at - 1] : NULL;
}

static struct task_life *nth_life(const struct sql_threads *t, const struct pid_lives *p, size_t i)
{
	return &t->v[p->v[i]];
}

/* Returns the life that has the pid at @ts, or NULL. */
static struct task_life *life_at(const struct sql_threads *t, unsigned int file, int pid, int cpu,
				 uint64_t ts)
{
	const struct pid_lives *p = lives_of(t, file, pid, cpu);
	size_t i;

	if (!p)
		return NULL;
	if (!t->model)
		return nth_life(t, p, SEARCH_LAST(k, 0, p->n, nth_life(t, p, k)->from <= ts + 1));
	/* the files are read up to @ts: mostly it is the last one */
	for (i = p->n - 1; i; i--) {
		uint64_t first = nth_life(t, p, i)->task->first;

		if (first && first <= ts + 1)
			break;
	}
	return nth_life(t, p, i);
}

/* --- begins and ends of tasks */

/* Perfetto takes task_newtask as the begin; sched_process_fork follows it. */
static const struct {
	const char *system, *event, *field, *flags;
	enum life_kind kind;
} life_events[LIFE_EVENTS] = {
	{ "task", "task_newtask", "pid", "clone_flags", LIFE_BORN },
	{ "sched", "sched_process_fork", "child_pid", NULL, LIFE_BORN },
	{ "sched", "sched_process_free", "pid", NULL, LIFE_FREED },
	{ "sched", "sched_process_exec", "pid", NULL, LIFE_EXEC },
};

#define CLONE_THREAD_FLAG 0x10000	/* include/uapi/linux/sched.h */

void life_marks_start(struct life_marks *marks, const struct sql_db *db, struct model *m)
{
	const struct ev_format *fmt;

	marks->formats = xcalloc(db->n + 1, sizeof(*marks->formats));
	for (size_t file = 0; file < db->n; file++)
		for (size_t i = 0; i < LIFE_EVENTS; i++) {
			fmt = event_meta_find_name(&db->traces[file]->meta, life_events[i].system,
						   life_events[i].event);
			marks->formats[file][i] = fmt;
			if (fmt)
				model_watch(m, file, fmt->id);
		}
}

static void note_life(struct life_marks *marks, const struct trace_rec *r, size_t event)
{
	const char *with_flags = life_events[event].flags;
	struct life_mark *m;
	uint64_t pid, flags;

	if (!record_number(r, life_events[event].field, &pid))
		return;
	marks->v = xgrow(marks->v, &marks->cap, marks->n + 1, sizeof(*marks->v));
	m = &marks->v[marks->n++];
	*m = (struct life_mark){ .file = r->file, .pid = (int)pid, .event = event,
				 .parent = r->pid, .flags = -1, .utid = -1, .ts = r->ts };
	if (with_flags && record_number(r, with_flags, &flags))
		m->flags = (int64_t)flags;
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

/*
 * A birth is before the first record of its life, and two events may report it; other marks are
 * after the first record. Marks come in the order of time, so that the places only move on.
 */
static struct task_life *life_of_mark(const struct sql_threads *t, struct pid_lives *p,
				      const struct life_mark *mark)
{
	struct task_life *life;

	if (life_events[mark->event].kind == LIFE_BORN) {
		for (; p->born < p->n; p->born++) {
			life = nth_life(t, p, p->born);
			if (!(life->begin && life->begin < mark->ts + 1) &&
			    !(life->born && life->born_by == mark->event))
				return life;
		}
		return NULL;
	}
	for (; p->other + 1 < p->n; p->other++) {
		life = nth_life(t, p, p->other + 1);
		if (!life->begin || life->begin > mark->ts + 1)
			break;
	}
	return nth_life(t, p, p->other);
}

/* Finds the life of each mark, and sets the times of births and ends. */
static void set_times_of_lives(struct sql_threads *t, struct life_marks *marks)
{
	for (size_t i = 0; i < marks->n; i++) {
		struct life_mark *mark = &marks->v[i];
		struct pid_lives *p = lives_of(t, mark->file, mark->pid, 0);
		struct task_life *life = p ? life_of_mark(t, p, mark) : NULL;

		if (!life)
			continue;
		mark->utid = life - t->v;
		if (life_events[mark->event].kind == LIFE_FREED)
			life->freed = mark->ts + 1;
		if (life_events[mark->event].kind != LIFE_BORN || life->born)
			continue;
		life->born = mark->ts + 1;
		life->born_by = mark->event;
	}
}

/* A life without a record has no time of its own. */
static void set_starts(struct sql_threads *t)
{
	for (size_t i = 0; i < t->nr_pids; i++) {
		const struct pid_lives *p = &t->pids[i];
		uint64_t from = UINT64_MAX;

		for (size_t k = p->n; k--;) {
			struct task_life *life = nth_life(t, p, k);
			uint64_t first = life->born ? life->born : life->begin;

			from = first && first < from ? first : from;
			life->from = from;
		}
	}
}

/* --- lives */

static struct pid_lives *add_pid(struct sql_threads *t, const struct task_life *life)
{
	struct pid_lives *p = lives_of(t, life->file, life->pid, life->cpu);

	if (p)
		return p;
	t->pids = xgrow(t->pids, &t->cap_pids, t->nr_pids + 1, sizeof(*t->pids));
	p = &t->pids[t->nr_pids++];
	*p = (struct pid_lives){0};
	map_put(&t->by_pid, pid_key(life->file, life->pid, life->cpu),
		(void *)(uintptr_t)t->nr_pids);
	return p;
}

/* Takes the tasks that the model has made since. It numbers them in the order of its list. */
static void take_tasks(struct sql_threads *t, const struct model *m)
{
	const struct task *task = t->last ? t->last->next : model_tasks(m);

	for (; task; task = task->next) {
		struct pid_lives *p;

		t->v = xgrow(t->v, &t->cap, t->n + 1, sizeof(*t->v));
		t->v[t->n] = (struct task_life){
			.task = task, .file = task->file, .pid = task->pid,
			.cpu = task->pid ? -1 : task->cpu, .upid = -1,
		};
		p = add_pid(t, &t->v[t->n]);
		p->v = xgrow(p->v, &p->cap, p->n + 1, sizeof(*p->v));
		p->v[p->n++] = t->n++;
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
	first = life_at(t, life->file, tgid, 0, life->begin - 1);
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

/*
 * A task made without CLONE_THREAD is the first of its process, and so is one that has made an
 * exec: begin_new_exec() gives it the pid of the process. A process goes on with each new thread.
 */
static void set_process(const struct sql_threads *t, const struct life_mark *mark)
{
	struct task_life *life = &t->v[mark->utid];
	const struct task_life *parent;
	bool has_flags = mark->flags >= 0;

	if (life_events[mark->event].kind == LIFE_EXEC ||
	    (has_flags && !(mark->flags & CLONE_THREAD_FLAG))) {
		life->upid = mark->utid;
	} else if (has_flags && mark->parent) {
		parent = life_at(t, mark->file, mark->parent, 0, mark->ts);
		if (parent && parent->upid >= 0)
			life->upid = parent->upid;
	}
}

/* Takes all that is known at the end of the files from a model that has read them whole. */
static void finish_lives(struct sql_threads *t, struct model *m, struct life_marks *marks)
{
	take_tasks(t, m);
	for (size_t i = 0; i < t->n; i++) {
		struct task_life *life = &t->v[i];

		life->begin = life->task->first;
		snprintf(life->name, sizeof(life->name), "%s", model_task_name(m, life->task));
		life->task = NULL;
	}
	set_times_of_lives(t, marks);
	set_starts(t);
}

static void finish_processes(struct sql_db *db, struct sql_threads *t,
			     const struct life_marks *marks)
{
	find_processes(db, t);
	for (size_t i = 0; i < marks->n; i++)
		if (marks->v[i].utid >= 0)
			set_process(t, &marks->v[i]);
}

/* --- reading */

/* The files have no tasks if the model can't be made. */
static void start_reading(struct sql_db *db, struct sql_threads *t)
{
	static const struct model_opts none;
	static const struct span_ops ops;
	uint32_t n = 0;

	t->model = model_new(db->traces, db->n, &none, &ops, NULL, NULL);
	if (!t->model)
		return;
	life_marks_start(&t->marks, db, t->model);
	t->it = trace_iter_new(db->traces, db->n, NULL);
	t->r = model_next(t->model, t->it, &n);
	db->records += n;
}

/* Feeds the records up to a time. Returns false if the query is to end. */
static bool read_until(struct sql_db *db, struct sql_threads *t, uint64_t ts)
{
	uint32_t n = 0;

	while (t->r && t->r->ts <= ts && !t->is_part) {
		t->is_part = sql_is_ended(db);
		if (t->is_part)
			break;
		model_feed(t->model, t->r);
		life_marks_see(&t->marks, t->r);
		db->ts = t->r->ts;
		t->r = model_next(t->model, t->it, &n);
	}
	db->records += n;
	return !t->is_part;
}

/* Frees all but the tasks: they are whole. */
static void stop_reading(struct sql_threads *t)
{
	trace_iter_free(t->it);
	model_free(t->model);
	t->it = NULL;
	t->model = NULL;
}

static void read_rest(struct sql_db *db, struct sql_threads *t)
{
	read_until(db, t, UINT64_MAX);
	model_end(t->model);
	finish_lives(t, t->model, &t->marks);
	stop_reading(t);
	finish_processes(db, t, &t->marks);
	life_marks_release(&t->marks);
}

static struct sql_threads *threads_of(struct sql_db *db)
{
	if (db->threads && !db->threads->is_part)
		return db->threads;
	sql_threads_free(db->threads);
	db->threads = xcalloc(1, sizeof(*db->threads));
	return db->threads;
}

static bool is_finished(const struct sql_threads *t)
{
	return !t->model && t->n;
}

/* Reads the files to their end, or lets a scan of intervals do so that has begun. */
static const struct sql_threads *read_threads(struct sql_db *db)
{
	struct sql_threads *t = threads_of(db);
	struct life_marks *marks;
	struct model *m;
	bool is_read;

	if (is_finished(t))
		return t;
	is_read = !t->model && interval_read_ahead(db, &m, &marks);
	/* rows that were made meanwhile may have asked for tasks */
	t = threads_of(db);
	if (is_finished(t))
		return t;
	if (!t->model && is_read) {
		finish_lives(t, m, marks);
		finish_processes(db, t, marks);
		return t;
	}
	if (!t->model)
		start_reading(db, t);
	if (t->model)
		read_rest(db, t);
	return t;
}

int64_t sql_utid(struct sql_db *db, unsigned int file, int pid, int cpu, uint64_t ts)
{
	struct sql_threads *t = threads_of(db);
	const struct task_life *life;

	if (!t->model && !t->n)
		start_reading(db, t);
	if (t->model && ts < t->asked)
		read_rest(db, t);
	if (t->model) {
		t->asked = ts;
		read_until(db, t, ts);
		take_tasks(t, t->model);
	}
	life = life_at(t, file, pid, cpu, ts);
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
	life_marks_release(&t->marks);
	for (size_t i = 0; i < t->nr_pids; i++)
		free(t->pids[i].v);
	free(t->pids);
	free(t->v);
	map_release(&t->by_pid);
	free(t);
}

/* --- the tables */

enum thread_column {
	THREAD_UTID, THREAD_TID, THREAD_NAME, THREAD_UPID, THREAD_MAIN, THREAD_IDLE, THREAD_START,
	THREAD_END, THREAD_ID, THREAD_FILE, THREAD_HOST,
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
	{ "host", SQL_TEXT, "name of its machine, or NULL", SQL_HIDDEN },
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
		cell_set_text(l, &c[THREAD_HOST], sql_host(db, life->file));
	}
}

enum process_column {
	PROCESS_UPID, PROCESS_PID, PROCESS_NAME, PROCESS_START, PROCESS_END, PROCESS_ID,
	PROCESS_FILE, PROCESS_HOST,
};

static const struct sql_column process_columns[] = {
	{ "upid", SQL_INTEGER, "utid of its first thread", SQL_TESTED },
	{ "pid", SQL_INTEGER, "pid of its first thread: what user space calls pid", SQL_TESTED },
	{ "name", SQL_TEXT, "last name of its first thread", 0 },
	{ "start_ts", SQL_INTEGER, "time at which its first thread was made", SQL_TIME },
	{ "end_ts", SQL_INTEGER, "time of its sched_process_free; NULL: not recorded", SQL_TIME },
	{ "id", SQL_INTEGER, "the same as upid", SQL_HIDDEN | SQL_TESTED },
	{ "file", SQL_TEXT, "file of the process", 0 },
	{ "host", SQL_TEXT, "name of its machine, or NULL", SQL_HIDDEN },
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
		cell_set_text(l, &c[PROCESS_HOST], sql_host(db, life->file));
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
