/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pyramid, as the pass fills it. */
#include <stdlib.h>

#include "model/index/lod_priv.h"

#define LEAVES_BITS 28		/* leaves at most */

struct pyramid *pyramid_new(uint64_t first, uint64_t last, unsigned int shift)
{
	struct pyramid *p = xcalloc(1, sizeof(*p));

	while ((last - first) >> shift >> LEAVES_BITS)
		shift++;
	p->scale = (struct strip_scale){ first, last, shift };
	return p;
}

static struct pyramid_task *task_at(struct pyramid *p, const struct task *t)
{
	size_t had = p->nr_tasks;

	if (t->id < had)
		return &p->tasks[t->id];
	p->tasks = xgrow(p->tasks, &p->cap_tasks, t->id + 1, sizeof(*p->tasks));
	p->nr_tasks = t->id + 1;
	memset(p->tasks + had, 0, (p->nr_tasks - had) * sizeof(*p->tasks));
	return &p->tasks[t->id];
}

static struct pyramid_cpu *cpu_at(struct pyramid *p, const struct model_cpu *c)
{
	size_t had = p->nr_cpus;

	if (c->id < had)
		return &p->cpus[c->id];
	p->cpus = xgrow(p->cpus, &p->cap_cpus, c->id + 1, sizeof(*p->cpus));
	p->nr_cpus = c->id + 1;
	memset(p->cpus + had, 0, (p->nr_cpus - had) * sizeof(*p->cpus));
	return &p->cpus[c->id];
}

static uint32_t depth(uint32_t n)
{
	return n < WHAT_DEEPEST ? n : WHAT_DEEPEST;
}

/*
 * Of a task that runs its softirqs are on top of the CPU. One that is dead takes no memory: its
 * strip ends there, unless it comes back.
 */
void pyramid_stayed(struct pyramid *p, const struct task *t, uint64_t from, uint64_t to)
{
	struct pyramid_task *pt = task_at(p, t);
	uint32_t what = t->state;

	if (t->state == TASK_DEAD && pt->strip.started) {
		strip_rest(&pt->strip);
		return;
	}
	if (pt->strip.started)
		strip_add(&pt->strip, &p->scale, TASK_DEAD, p->scale.first, from);
	else
		/* one that a fork made was not there before, even if it is unknown from then on */
		pt->came_late = t->state == TASK_UNKNOWN && !t->is_forked;
	if (t->state == TASK_UNKNOWN && t->was_runnable)
		what |= WHAT_WAITED;
	if (t->state != TASK_RUNNING)
		what |= depth(t->softirqs) << WHAT_DEEP;
	strip_add(&pt->strip, &p->scale, what, from, to);
}

void pyramid_cpu_stayed(struct pyramid *p, const struct model_cpu *c, uint64_t from, uint64_t to)
{
	uint32_t what = c->task ? (c->task->id + 1) << 1 : 0;

	strip_add(&cpu_at(p, c)->strip, &p->scale, what | c->lost, from, to);
}

void pyramid_topped(struct pyramid *p, const struct model_cpu *c, uint64_t from, uint64_t to)
{
	uint32_t softirqs = c->softirqs;
	struct strip *top = &cpu_at(p, c)->top;

	if (!softirqs && c->task && !c->lost)
		softirqs = c->task->softirqs;
	strip_add(top, &p->scale, 0, p->scale.first, from);
	strip_add(top, &p->scale, depth(c->irqs) | depth(softirqs) << WHAT_DEEP, from, to);
}

static void add_gap(struct pyramid_gaps *gaps, struct pyramid_gap gap)
{
	gaps->v = xgrow(gaps->v, &gaps->cap, gaps->n + 1, sizeof(*gaps->v));
	gaps->v[gaps->n++] = gap;
}

void pyramid_gap(struct pyramid *p, const struct model_cpu *c, const struct task *t, uint64_t from,
		 uint64_t to)
{
	cpu_at(p, c);
	if (t)
		task_at(p, t);
	add_gap(&p->gaps, (struct pyramid_gap){
		.from = from, .to = to, .cpu = c->id, .task = t ? t->id + 1 : 0,
	});
}

void pyramid_top_gap(struct pyramid *p, const struct model_cpu *c, uint64_t from, uint64_t to)
{
	cpu_at(p, c);
	add_gap(&p->top_gaps, (struct pyramid_gap){
		.from = from, .to = to, .cpu = c->id,
	});
}

/* --- the end */

uint64_t pyramid_pid_key(uint32_t file, int pid)
{
	return ((uint64_t)file << 32 | (uint32_t)pid) + 1;
}

static void end_task(struct pyramid *p, const struct task *t)
{
	struct pyramid_task *pt = task_at(p, t);

	*pt = (struct pyramid_task){
		.strip = pt->strip, .file = t->file, .nr = t->nr, .pid = t->pid, .cpu = t->cpu,
		.known = true, .has_name = t->has_name, .came_late = pt->came_late,
		.unseen = t->unseen,
	};
	memcpy(pt->name, t->name, sizeof(pt->name));
}

/* From the last one on, so that each finds who comes next. */
static void chain_tasks(struct pyramid *p)
{
	uintptr_t next;

	for (size_t i = p->nr_tasks; i--;) {
		struct pyramid_task *pt = &p->tasks[i];

		if (!pt->known)
			continue;
		next = (uintptr_t)map_put(&p->by_pid, pyramid_pid_key(pt->file, pt->pid),
					  (void *)(uintptr_t)(i + 1));
		pt->later = next ? next - 1 : 0;
	}
}

static struct pyramid_bound bound_of(const struct model *m, size_t file, unsigned int kind)
{
	return (struct pyramid_bound){ m->s.buffers[file][kind], m->s.bound[file][kind] };
}

static void end_files(struct pyramid *p, const struct model *m)
{
	p->nr_files = m->nr_files;
	p->files = xcalloc(m->nr_files + 1, sizeof(*p->files));
	for (size_t i = 0; i < m->nr_files; i++)
		p->files[i] = (struct pyramid_file){
			.first = m->s.times[i].first, .last = m->s.times[i].last,
			.switched = m->s.times[i].switched,
			.sched = bound_of(m, i, MODEL_KIND_SCHED),
			.cpu = bound_of(m, i, MODEL_KIND_CPU),
		};
	p->nr_streams = m->nr_streams;
	p->streams = xcalloc(m->nr_streams + 1, sizeof(*p->streams));
	for (size_t i = 0; i < m->nr_streams; i++) {
		const struct stream_at *st = &m->s.streams[i];

		if (st->known)
			p->streams[i] = (struct pyramid_stream){
				.known = true, .buffer = st->buffer, .cpu = st->cpu->id,
				.first = st->first, .last = st->last,
				.lost_first = st->lost_first, .lost_last = st->in_gap,
			};
	}
	for (unsigned int i = TASK_ASLEEP; i < m->nr_states; i++)
		strv_add(&p->states, m->states[i]);
}

static void end_cpu(struct pyramid *p, const struct model_cpu *c, struct strip_tally *t)
{
	struct pyramid_cpu *pc = cpu_at(p, c);

	pc->file = c->file;
	pc->cpu = c->cpu;
	pc->switched = c->switched;
	pc->switched_at = c->switched_at;
	strip_end(&pc->strip, &p->scale, t);
	if (pc->top.started)
		strip_add(&pc->top, &p->scale, 0, p->scale.first, p->scale.last);
	strip_end(&pc->top, &p->scale, t);
}

void pyramid_end(struct pyramid *p, const struct model *m)
{
	struct strip_tally tally = {0};

	for (const struct task *t = model_tasks(m); t; t = t->next)
		end_task(p, t);
	for (size_t i = 0; i < p->nr_tasks; i++)
		strip_end(&p->tasks[i].strip, &p->scale, &tally);
	for (const struct model_cpu *c = model_cpus(m); c; c = c->next)
		end_cpu(p, c, &tally);
	chain_tasks(p);
	end_files(p, m);
	strip_tally_release(&tally);
}

void pyramid_free(struct pyramid *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->nr_tasks; i++)
		strip_release(&p->tasks[i].strip);
	for (size_t i = 0; i < p->nr_cpus; i++) {
		strip_release(&p->cpus[i].strip);
		strip_release(&p->cpus[i].top);
	}
	strv_release(&p->states);
	map_release(&p->by_pid);
	free(p->tasks);
	free(p->cpus);
	free(p->gaps.v);
	free(p->top_gaps.v);
	free(p->files);
	free(p->streams);
	free(p);
}

uint64_t pyramid_leaf(const struct pyramid *p)
{
	return (uint64_t)1 << p->scale.shift;
}

bool pyramid_has_states(const struct pyramid *p)
{
	for (size_t i = 0; i < p->nr_files; i++)
		if (p->files[i].switched)
			return true;
	return false;
}
