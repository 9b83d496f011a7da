/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tasks: who a pid is at a time, how it is called, forks, renames and execs. */
#include <inttypes.h>
#include <stdio.h>

#include "base/text.h"
#include "model/model_priv.h"

#define TASKS_FIRST	256u

/* The idle tasks have a pid in common: they are told apart by their CPU. */
static uint64_t task_hash(uint32_t file, int pid, int cpu)
{
	uint64_t key = (uint64_t)file << 33 ^ (uint32_t)pid ^ (pid ? 0 : (uint64_t)(cpu + 1) << 40);

	return key * 0x9e3779b97f4a7c15u;
}

static bool is_task(const struct task *t, uint32_t file, int pid, int cpu)
{
	return t->pid == pid && t->file == file && (pid || t->cpu == cpu);
}

/* Where a task is or would be in the table. */
static struct task **task_slot(struct model *m, uint32_t file, int pid, int cpu)
{
	size_t mask = m->s.tasks_cap - 1, i = task_hash(file, pid, cpu) >> 32 & mask;

	while (m->s.tasks[i] && !is_task(m->s.tasks[i], file, pid, cpu))
		i = (i + 1) & mask;
	return &m->s.tasks[i];
}

static void grow_table(struct model *m)
{
	struct task **old = m->s.tasks;
	size_t n = m->s.tasks_cap;

	m->s.tasks_cap = n ? n * 2 : TASKS_FIRST;
	m->s.tasks = arena_alloc(&m->arena, m->s.tasks_cap * sizeof(*m->s.tasks));
	for (size_t i = 0; i < n; i++)
		if (old[i])
			*task_slot(m, old[i]->file, old[i]->pid, old[i]->cpu) = old[i];
}

void tasks_init(struct model *m)
{
	grow_table(m);
}

/* --- tasks of which the kernel recorded nothing */

static void set_unseen(const struct trace_filters *f, struct task *t, bool listed, bool hidden)
{
	t->unseen = t->pid && f->cpumask ? UNSEEN_WAITS : 0;
	if (f->has_pids && !listed)
		t->unseen |= UNSEEN_WAITS | UNSEEN_RUNS | UNSEEN_PLACE;
	/* one of them may run after another */
	else if (hidden)
		t->unseen |= UNSEEN_WAITS | UNSEEN_RUNS;
}

static void filter_task(struct model *m, struct task *t)
{
	const struct trace_filters *f = &m->files[t->file].filters;

	if (trace_filters_any(f))
		set_unseen(f, t, map_get(&f->pids, t->pid + 1ull),
			   map_get(&f->hidden, t->pid + 1ull));
}

/* With event-fork the kernel takes a pid off its lists where the task ends, and adds children. */
static void filter_child(struct model *m, struct task *t, const struct task *parent)
{
	const struct trace_filters *f = &m->files[t->file].filters;

	if (f->forks && trace_filters_any(f))
		set_unseen(f, t, !(parent->unseen & UNSEEN_PLACE),
			   parent->unseen & UNSEEN_RUNS && !(parent->unseen & UNSEEN_PLACE));
}

void tasks_filter(struct model *m, uint32_t file, uint16_t nr)
{
	struct model_file *f = &m->files[file];

	if (!f->filters_known)
		trace_filters_read(f->trace, nr, &f->filters);
	f->filters_known = true;
	for (struct task *t = m->s.first_task; t && trace_filters_any(&f->filters); t = t->next)
		if (t->file == file) {
			filter_task(m, t);
			state_hide(m, t);
		}
}

/* --- by pid */

static struct task *task_new(struct model *m, uint32_t file, int pid, int cpu)
{
	struct task *t = arena_alloc(&m->arena, sizeof(*t));

	t->file = file;
	t->pid = pid;
	t->cpu = pid ? -1 : cpu;
	t->id = m->s.all_tasks++;
	t->since = m->s.times[file].first;
	filter_task(m, t);
	if (m->s.last_task)
		m->s.last_task->next = t;
	else
		m->s.first_task = t;
	m->s.last_task = t;
	return t;
}

struct task *task_of(struct model *m, uint32_t file, int pid, int cpu)
{
	struct task **slot = task_slot(m, file, pid, cpu);

	if (*slot)
		return *slot;
	if (++m->s.nr_tasks * 4 > m->s.tasks_cap * 3) {
		grow_table(m);
		slot = task_slot(m, file, pid, cpu);
	}
	*slot = task_new(m, file, pid, cpu);
	return *slot;
}

struct task *task_put(struct model *m, uint32_t file, int pid, int cpu, uint32_t nr)
{
	struct task *has = *task_slot(m, file, pid, cpu), *t;

	t = has ? task_new(m, file, pid, cpu) : task_of(m, file, pid, cpu);
	t->nr = nr;
	if (has && has->nr < nr) {
		*task_slot(m, file, pid, cpu) = t;
		m->s.generation++;
	}
	return t;
}

/*
 * The last switch of a task is told before it is done: what was called for that returns behind it.
 * Only another task's record says that nothing of it will return.
 */
static void end_before(struct model *m, struct stream_at *st, struct task *now,
		       const struct trace_rec *r)
{
	struct at at = { .task = now, .stream = st, .r = r };

	if (st->task && st->task != now && st->task->state == TASK_DEAD)
		spans_of_task_end(m, st->task, SPAN_BY_EXIT, &at);
}

struct task *task_get(struct model *m, const struct trace_rec *r, int pid)
{
	struct stream_at *st = &m->s.streams[r->stream];
	struct task *t = task_of(m, r->file, pid, r->cpu);

	if (pid == r->pid) {
		end_before(m, st, t, r);
		st->pid = pid;
		st->task = t;
		st->generation = m->s.generation;
	}
	return t;
}

void task_set_name(struct task *t, const char *p, size_t len)
{
	if (!t->pid)
		return;
	if (len > TASK_NAME_MAX)
		len = TASK_NAME_MAX;
	t->has_name = true;
	if (len < sizeof(t->name) && !memcmp(t->name, p, len) && !t->name[len])
		return;
	memcpy(t->name, p, len);
	t->name[len] = '\0';
}

/* --- events: child_pid, child_comm; old_pid, pid, filename; pid, newcomm */

void task_fork(struct model *m, const struct bind *b, const struct at *at)
{
	uint64_t pid;
	struct task *before, *t;
	const char *name;
	size_t len;

	if (!at_num(at, b->f[0], &pid) || !(int32_t)pid)
		return;
	before = *task_slot(m, at->r->file, (int32_t)pid, at->r->cpu);
	t = task_of(m, at->r->file, (int32_t)pid, at->r->cpu);
	/* whom records have named is another */
	if (before) {
		spans_of_task_end(m, before, SPAN_BY_EXIT, at);
		state_dies(m, before, at);
		t = task_new(m, at->r->file, (int32_t)pid, at->r->cpu);
		t->nr = before->nr + 1;
		*task_slot(m, t->file, t->pid, t->cpu) = t;
		m->s.generation++;
	}
	filter_child(m, t, at->task);
	state_new(m, t, at);
	if (b->f[1] && at_text(at, b->f[1], &name, &len))
		task_set_name(t, name, len);
}

/* Of a path its last part, as the kernel's kbasename() in begin_new_exec(). */
static void set_exec_name(struct task *t, const struct at *at, const struct ev_field *filename)
{
	const char *p, *slash;
	size_t len;

	if (!filename || !at_text(at, filename, &p, &len))
		return;
	slash = memrchr(p, '/', len);
	if (slash) {
		len -= slash + 1 - p;
		p = slash + 1;
	}
	task_set_name(t, p, len < TASK_NAME_MAX ? len : TASK_NAME_MAX - 1);
}

/* A thread that execs goes on under the pid of its leader, which ended for that (de_thread()). */
static void take_over(struct model *m, struct task *from, struct task *to, const struct at *at)
{
	spans_of_task_move(m, from, to, at);
	state_take_over(m, from, to, at);
}

void task_exec(struct model *m, const struct bind *b, const struct at *at)
{
	uint64_t pid, old;
	struct task *t;

	if (!at_num(at, b->f[0], &pid) || !at_num(at, b->f[1], &old))
		return;
	t = task_of(m, at->r->file, (int32_t)pid, at->r->cpu);
	if ((int32_t)pid && (int32_t)old && pid != old)
		take_over(m, task_of(m, at->r->file, (int32_t)old, at->r->cpu), t, at);
	set_exec_name(t, at, b->f[2]);
}

void task_rename(struct model *m, const struct bind *b, const struct at *at)
{
	uint64_t pid;
	const char *name;
	size_t len;

	if (at_num(at, b->f[0], &pid) && at_text(at, b->f[1], &name, &len))
		task_set_name(task_of(m, at->r->file, (int32_t)pid, at->r->cpu), name, len);
}

/* --- for outside */

const char *model_task_name(const struct model *m, const struct task *t)
{
	return t->has_name ? t->name : trace_comm(m->files[t->file].trace, t->pid);
}

void model_add_task_id(const struct task *t, struct buf *out)
{
	buf_printf(out, "%" PRId32, t->pid);
	if (!t->pid)
		buf_printf(out, "/%" PRId32, t->cpu);
	if (t->nr)
		buf_printf(out, ".%" PRIu32, t->nr);
}

void model_add_task(const struct model *m, const struct task *t, struct buf *out)
{
	const char *name = model_task_name(m, t);

	text_sanitise(out, name, strlen(name), false);
	buf_addch(out, '-');
	model_add_task_id(t, out);
}
