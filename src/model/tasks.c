/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tasks: which one has a pid at a time, their names, forks, renames and execs. */
#include <inttypes.h>
#include <stdio.h>

#include "base/text.h"
#include "model/model_priv.h"

#define TASKS_FIRST	256u

/* Returns the slot of a task in the table, an empty one if it is unknown. */
static struct task **task_slot(struct model *m, uint32_t file, int pid, int cpu)
{
	/* all idle tasks have pid 0: their CPU distinguishes them */
	uint64_t key = (uint64_t)file << 33 ^ (uint32_t)pid ^ (pid ? 0 : (uint64_t)(cpu + 1) << 40);
	size_t mask = m->s.tasks_cap - 1, i = key * 0x9e3779b97f4a7c15u >> 32 & mask;
	const struct task *t;

	for (; (t = m->s.tasks[i]); i = (i + 1) & mask)
		if (t->pid == pid && t->file == file && (pid || t->cpu == cpu))
			break;
	return &m->s.tasks[i];
}

static void tasks_grow(struct model *m)
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
	tasks_grow(m);
}

/* --- tasks that the kernel did not record */

static void task_set_unseen(const struct trace_filters *f, struct task *t, bool listed, bool hidden)
{
	t->unseen = t->pid && f->cpumask ? UNSEEN_WAITS : 0;
	if (f->has_pids && !listed)
		t->unseen |= UNSEEN_WAITS | UNSEEN_RUNS | UNSEEN_PLACE;
	/* two hidden tasks may run in succession */
	else if (hidden)
		t->unseen |= UNSEEN_WAITS | UNSEEN_RUNS;
}

static void task_filter(struct model *m, struct task *t)
{
	const struct trace_filters *f = &m->files[t->file].filters;

	if (trace_filters_any(f))
		task_set_unseen(f, t, map_get(&f->pids, t->pid + 1ull),
				map_get(&f->hidden, t->pid + 1ull));
}

void tasks_filter(struct model *m, uint32_t file, uint16_t nr)
{
	struct model_file *f = &m->files[file];

	if (!f->filters_known)
		trace_filters_read(f->trace, nr, &f->filters);
	f->filters_known = true;
	for (struct task *t = m->s.first_task; t && trace_filters_any(&f->filters); t = t->next)
		if (t->file == file) {
			task_filter(m, t);
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
	task_filter(m, t);
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
		tasks_grow(m);
		slot = task_slot(m, file, pid, cpu);
	}
	*slot = task_new(m, file, pid, cpu);
	return *slot;
}

struct task *task_add_known(struct model *m, uint32_t file, int pid, int cpu, uint32_t nr)
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

void task_take_over(struct model *m, struct task *from, struct task *to, const struct model_rec *at)
{
	/* it was noticed before the exec was recorded */
	if (from->state == TASK_DEAD && to->state == TASK_RUNNING)
		return;
	spans_of_task_move(m, from, to, at);
	state_take_over(m, from, to, at);
}

struct task *stream_set_task(struct model *m, const struct trace_rec *r)
{
	struct stream_at *st = &m->s.streams[r->stream];
	struct task *t = task_of(m, r->file, r->pid, r->cpu);
	struct model_rec at = { .task = t, .stream = st, .r = r };

	/*
	 * The last switch of a task is recorded before it is done, and the functions of the switch
	 * return after it. A record of another task shows that nothing more comes.
	 */
	if (st->task ? st->task != t : m->s.revives) {
		if (st->task && st->task->state == TASK_DEAD)
			spans_of_task_end(m, st->task, SPAN_BY_EXIT, &at);
		if (state_buffer_has_switches(m, r->file, r->buffer))
			state_check_leader(m, t, &at);
	}
	st->pid = r->pid;
	st->task = t;
	st->generation = m->s.generation;
	task_see(t, r->ts);
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

void task_fork(struct model *m, const struct model_bind *b, const struct model_rec *at)
{
	const struct trace_filters *f = &m->files[at->r->file].filters;
	const struct task *parent = at->task;
	struct task *before, *t;
	bool listed;
	uint64_t pid;
	const char *name;
	size_t len;

	if (!at_num(at, b->f[0], &pid) || !(int32_t)pid)
		return;
	before = *task_slot(m, at->r->file, (int32_t)pid, at->r->cpu);
	t = task_of(m, at->r->file, (int32_t)pid, at->r->cpu);
	/* an earlier task had the pid, and names in records are its names */
	if (before) {
		spans_of_task_end(m, before, SPAN_BY_EXIT, at);
		state_end_task(m, before, at);
		t = task_new(m, at->r->file, (int32_t)pid, at->r->cpu);
		t->nr = before->nr + 1;
		*task_slot(m, t->file, t->pid, t->cpu) = t;
		m->s.generation++;
	}
	/* with event-fork the kernel removes the pids of ended tasks and adds children */
	if (f->forks && trace_filters_any(f)) {
		listed = !(parent->unseen & UNSEEN_PLACE);
		task_set_unseen(f, t, listed, listed && parent->unseen & UNSEEN_RUNS);
	}
	state_new(m, t, at);
	if (b->f[1] && at_text(at, b->f[1], &name, &len))
		task_set_name(t, name, len);
}

void task_exec(struct model *m, const struct model_bind *b, const struct model_rec *at)
{
	uint64_t pid, old;
	struct task *t, *from;
	const char *name, *slash;
	size_t len;

	if (!at_num(at, b->f[0], &pid) || !at_num(at, b->f[1], &old))
		return;
	t = task_of(m, at->r->file, (int32_t)pid, at->r->cpu);
	if ((int32_t)pid && (int32_t)old && pid != old) {
		from = task_of(m, at->r->file, (int32_t)old, at->r->cpu);
		task_take_over(m, from, t, at);
	}
	if (!b->f[2] || !at_text(at, b->f[2], &name, &len))
		return;
	/* the name is the last part of the path: kbasename() in begin_new_exec() */
	slash = memrchr(name, '/', len);
	if (slash) {
		len -= slash + 1 - name;
		name = slash + 1;
	}
	task_set_name(t, name, len < TASK_NAME_MAX ? len : TASK_NAME_MAX - 1);
}

void task_rename(struct model *m, const struct model_bind *b, const struct model_rec *at)
{
	uint64_t pid;
	const char *name;
	size_t len;

	if (at_num(at, b->f[0], &pid) && at_text(at, b->f[1], &name, &len))
		task_set_name(task_of(m, at->r->file, (int32_t)pid, at->r->cpu), name, len);
}

/* --- names */

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
