/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lanes of a range out of the pyramid, and of the records of leaves in which columns begin. */
#include <stdlib.h>

#include "model/index/lod_priv.h"

struct fill_cpu {
	uint64_t busy, idle, unknown, irq, softirq;
};

struct pyramid_fill {
	const struct pyramid *p;
	struct lanes *lanes;
	uint64_t from, to;
	struct model *m;
	struct task **tasks;		/* by the pyramid's numbers; NULL: not met yet */
	struct model_cpu **cpus;
	unsigned int nr_states;
	uint64_t *times;		/* of each task, of each state */
	struct fill_cpu *sums;
	uint64_t begin, end;		/* of what is read, and counts */
	size_t at;			/* the task or CPU whose strip is walked */
};

struct pyramid_fill *pyramid_fill_new(const struct pyramid *p, struct lanes *l, uint64_t from,
				      uint64_t to)
{
	struct pyramid_fill *f = xcalloc(1, sizeof(*f));

	f->p = p;
	f->lanes = l;
	f->from = from;
	f->to = to;
	f->tasks = xcalloc(p->nr_tasks + 1, sizeof(*f->tasks));
	f->cpus = xcalloc(p->nr_cpus + 1, sizeof(*f->cpus));
	f->nr_states = TASK_ASLEEP + p->states.n;
	f->times = xcalloc(p->nr_tasks * f->nr_states + 1, sizeof(*f->times));
	f->sums = xcalloc(p->nr_cpus + 1, sizeof(*f->sums));
	return f;
}

void pyramid_fill_free(struct pyramid_fill *f)
{
	if (!f)
		return;
	free(f->tasks);
	free(f->cpus);
	free(f->times);
	free(f->sums);
	free(f);
}

/* --- tasks */

static struct task *fill_task(struct pyramid_fill *f, size_t i)
{
	const struct pyramid_task *pt = &f->p->tasks[i];

	if (!f->tasks[i]) {
		f->tasks[i] = task_put(f->m, pt->file, pt->pid, pt->cpu, pt->nr);
		f->tasks[i]->id = i;
	}
	return f->tasks[i];
}

/* One that the model has met by itself gets its number; before lanes know it. */
static void adopt_task(struct pyramid_fill *f, struct task *t)
{
	uintptr_t i = (uintptr_t)map_get(&f->p->by_pid, pyramid_pid_key(t->file, t->pid));

	for (; i; i = f->p->tasks[i - 1].later ? f->p->tasks[i - 1].later + 1 : 0) {
		const struct pyramid_task *pt = &f->p->tasks[i - 1];

		if (pt->nr != t->nr || (!t->pid && pt->cpu != t->cpu) || f->tasks[i - 1])
			continue;
		f->tasks[i - 1] = t;
		t->id = i - 1;
		return;
	}
}

/* False: the pass did not meet it. */
static bool know_task(struct pyramid_fill *f, struct task *t)
{
	if (t->id >= f->p->nr_tasks)
		adopt_task(f, t);
	return t->id < f->p->nr_tasks;
}

/* --- times */

static void count_task(struct pyramid_fill *f, struct task *t, uint64_t from, uint64_t to)
{
	if (t->state < f->nr_states)
		f->times[t->id * f->nr_states + t->state] += to - from;
	lanes_stayed(f->lanes, t, from, to);
}

static void count_cpu(struct pyramid_fill *f, struct model_cpu *c, uint64_t from, uint64_t to)
{
	struct fill_cpu *sums = &f->sums[c->id];

	if (!c->task || c->lost)
		sums->unknown += to - from;
	else if (c->task->pid)
		sums->busy += to - from;
	else
		sums->idle += to - from;
	lanes_cpu_stayed(f->lanes, c, from, to);
}

static void count_top(struct pyramid_fill *f, const struct model_cpu *c, bool irq, uint64_t time)
{
	if (irq)
		f->sums[c->id].irq += time;
	else
		f->sums[c->id].softirq += time;
}

/* --- out of strips */

static void task_was(void *ctx, uint32_t what, uint64_t from, uint64_t to)
{
	struct pyramid_fill *f = ctx;
	struct task *t = fill_task(f, f->at);

	t->state = what & WHAT_STATE;
	count_task(f, t, from, to);
}

static void cpu_was(void *ctx, uint32_t what, uint64_t from, uint64_t to)
{
	struct pyramid_fill *f = ctx;
	struct model_cpu *c = f->cpus[f->at];

	c->task = what >> 1 ? fill_task(f, (what >> 1) - 1) : NULL;
	c->lost = what & 1;
	count_cpu(f, c, from, to);
}

static void top_was(void *ctx, uint32_t what, uint64_t from, uint64_t to)
{
	struct pyramid_fill *f = ctx;

	if (what)
		count_top(f, f->cpus[f->at], what & WHAT_STATE, to - from);
}

static bool is_during(const struct strip *s, uint64_t begin, uint64_t end)
{
	return s->begin < end && s->done > begin;
}

/* Leaves from @a on and before @b, of one column. */
static void fill_leaves(struct pyramid_fill *f, uint64_t a, uint64_t b)
{
	const struct pyramid *p = f->p;
	uint64_t begin = strip_leaf_begin(&p->scale, a), end = strip_leaf_begin(&p->scale, b);

	for (f->at = 0; f->at < p->nr_tasks; f->at++)
		if (is_during(&p->tasks[f->at].strip, begin, end))
			strip_walk(&p->tasks[f->at].strip, &p->scale, a, b, task_was,
				   f);
	for (f->at = 0; f->at < p->nr_cpus; f->at++) {
		strip_walk(&p->cpus[f->at].strip, &p->scale, a, b, cpu_was, f);
		strip_walk(&p->cpus[f->at].top, &p->scale, a, b, top_was, f);
	}
}

/* --- out of records */

/* What counts of a stretch of time that the model tells: the pass ended with the file. */
static bool cut(const struct pyramid_fill *f, uint32_t file, uint64_t *from, uint64_t *to)
{
	const struct pyramid_file *pf = &f->p->files[file];

	*from = *from > f->begin ? *from : f->begin;
	*to = *to < f->end ? *to : f->end;
	*to = *to < pf->last ? *to : pf->last;
	return *from < *to;
}

static void task_stayed(void *ctx, struct task *t, uint64_t from, uint64_t to)
{
	struct pyramid_fill *f = ctx;

	if (know_task(f, t) && cut(f, t->file, &from, &to))
		count_task(f, t, from, to);
}

static void cpu_stayed(void *ctx, struct model_cpu *c, uint64_t from, uint64_t to)
{
	struct pyramid_fill *f = ctx;

	if (c->id >= f->p->nr_cpus || (c->task && !know_task(f, c->task)))
		return;
	if (cut(f, c->file, &from, &to))
		count_cpu(f, c, from, to);
}

static void cpu_topped(void *ctx, struct model_cpu *c, uint64_t from, uint64_t to)
{
	struct pyramid_fill *f = ctx;

	if (c->id < f->p->nr_cpus && cut(f, c->file, &from, &to))
		count_top(f, c, c->irqs, to - from);
}

/* Gaps are those that the pass knows. */
const struct span_ops pyramid_fill_ops = {
	.stayed = task_stayed, .cpu_stayed = cpu_stayed, .topped = cpu_topped,
};

/* --- the model as it was at the begin of a leaf */

static void seed_file(struct pyramid_fill *f, size_t file, uint64_t ts)
{
	const struct pyramid_file *pf = &f->p->files[file];
	struct model_state *s = &f->m->s;
	bool started = pf->first < ts;

	s->times[file] = (struct file_time){
		.first = pf->first, .last = started ? ts : 0, .started = started,
	};
	s->buffers[file][MODEL_KIND_SCHED] = pf->sched.since < ts ? pf->sched.buffer : 0;
	if (pf->sched.since < ts && pf->sched.buffer && pf->sched.buffer != UINT16_MAX)
		tasks_filter(f->m, file, pf->sched.buffer - 1);
	s->buffers[file][MODEL_KIND_CPU] = pf->cpu.since < ts ? pf->cpu.buffer : 0;
}

static bool spans(const struct pyramid_gap *gap, uint64_t ts)
{
	return gap->from < ts && gap->to >= ts;
}

/* May the stream lose switches? */
static bool may_lose(const struct pyramid_fill *f, const struct pyramid_stream *ps)
{
	const struct pyramid_file *pf = &f->p->files[f->p->cpus[ps->cpu].file];

	return !pf->sched.buffer || pf->sched.buffer == ps->buffer + 1u;
}

/* The model is in a gap of this stream. */
static void seed_gap(struct pyramid_fill *f, size_t stream)
{
	const struct pyramid_stream *ps = &f->p->streams[stream];
	uint32_t file = f->p->cpus[ps->cpu].file;
	struct stream_at *st = &f->m->s.streams[stream];

	if (st->in_gap || !may_lose(f, ps))
		return;
	st->in_gap = true;
	f->m->s.times[file].gaps++;
}

static void seed_gaps(struct pyramid_fill *f, uint64_t ts)
{
	const struct pyramid *p = f->p;

	for (size_t i = 0; i < p->gaps.n; i++)
		for (size_t k = 0; k < p->nr_streams && spans(&p->gaps.v[i], ts); k++)
			if (p->streams[k].known && p->streams[k].cpu == p->gaps.v[i].cpu)
				seed_gap(f, k);
}

static void seed_stream(struct pyramid_fill *f, size_t stream, uint64_t ts)
{
	const struct pyramid_stream *ps = &f->p->streams[stream];
	struct stream_at *st = &f->m->s.streams[stream];

	*st = (struct stream_at){ .pid = -1 };
	if (ps->known && ps->first < ts)
		*st = (struct stream_at){
			.known = true, .buffer = ps->buffer, .cpu = f->cpus[ps->cpu], .pid = -1,
			.first = ps->first, .last = ts,
		};
	if ((ps->lost_first && ps->first >= ts) || (ps->lost_last && ps->last < ts))
		seed_gap(f, stream);
}

/* Another one has its pid by then: it is dead, and nobody asks for it. */
static bool is_past(const struct pyramid *p, const struct pyramid_task *pt, uint64_t ts)
{
	const struct pyramid_task *later = &p->tasks[pt->later];

	return pt->pid && pt->later && later->strip.started && later->strip.begin < ts;
}

/* What it does at the begin of a leaf; false: nothing, or nobody needs to know. */
static bool task_at(const struct pyramid *p, const struct pyramid_task *pt, uint64_t leaf,
		    uint32_t *what)
{
	uint64_t ts = strip_leaf_begin(&p->scale, leaf);

	*what = pt->came_late ? TASK_UNKNOWN : TASK_DEAD;
	if (!pt->strip.started || pt->strip.begin >= ts)
		return pt->came_late;
	if (pt->strip.done < ts) {
		*what = TASK_DEAD;
		return !is_past(p, pt, ts);
	}
	return strip_at(&pt->strip, leaf, what);
}

static void seed_task(struct pyramid_fill *f, size_t i, uint64_t leaf, uint64_t ts)
{
	const struct pyramid_task *pt = &f->p->tasks[i];
	uint32_t what = TASK_DEAD;
	struct task *t;
	uint64_t first;

	if (!task_at(f->p, pt, leaf, &what) && !f->tasks[i])
		return;
	first = f->p->files[pt->file].first;
	t = fill_task(f, i);
	t->unseen = pt->unseen;
	t->state = what & WHAT_WAITED ? TASK_RUNNABLE : what & WHAT_STATE;
	t->is_listed = false;
	state_note_off(f->m, t);
	t->softirqs = what >> WHAT_DEEP;
	t->since = ts > first ? ts : first;
	t->waits = false;
	/* the next waking shows that a run is missing; else a sched_wakeup is of the same waking */
	t->woken_by = what & WHAT_WAITED ? WAKEUP : WAKING;
	if (t->pid)
		t->cpu = -1;
}

static void seed_top(struct pyramid_fill *f, struct model_cpu *c, uint32_t what)
{
	uint32_t softirqs = what >> WHAT_DEEP;

	c->irqs = what & WHAT_STATE;
	c->softirqs = 0;
	if (!f->m->files[c->file].trace->world.rt)
		c->softirqs = softirqs;
	else if (c->task)
		c->task->softirqs = softirqs;
}

static void seed_cpu(struct pyramid_fill *f, size_t i, uint64_t leaf, uint64_t ts)
{
	const struct pyramid_cpu *pc = &f->p->cpus[i];
	uint64_t first = f->p->files[pc->file].first;
	struct model_cpu *c = f->cpus[i];
	uint32_t what = 0;

	strip_at(&pc->strip, leaf, &what);
	c->task = what >> 1 ? fill_task(f, (what >> 1) - 1) : NULL;
	c->lost = what & 1;
	c->switched = pc->switched && pc->switched_at < ts;
	c->since = c->top_since = ts > first ? ts : first;
	c->proved = 0;
	/* a CPU behind a gap keeps its task, which may have come to run elsewhere since */
	if (c->task && !c->lost && c->task->pid && c->task->state == TASK_RUNNING)
		c->task->cpu = c->cpu;
	what = 0;
	strip_at(&pc->top, leaf, &what);
	seed_top(f, c, what);
}

static void seed(struct pyramid_fill *f, uint64_t leaf)
{
	const struct pyramid *p = f->p;
	uint64_t ts = strip_leaf_begin(&p->scale, leaf);

	for (size_t i = 0; i < p->nr_files; i++)
		seed_file(f, i, ts);
	for (size_t i = 0; i < p->nr_streams; i++)
		seed_stream(f, i, ts);
	seed_gaps(f, ts);
	for (size_t i = 0; i < p->nr_tasks; i++)
		seed_task(f, i, leaf, ts);
	for (size_t i = 0; i < p->nr_cpus; i++)
		seed_cpu(f, i, leaf, ts);
	for (size_t i = 0; i < f->m->nr_binds; i++)
		f->m->binds[i].buffer = 0;
	f->m->s.generation++;
}

/* What was lost from before @ts on is told by a record behind it, which is not read. */
static void lose_at_end(struct pyramid_fill *f, uint64_t ts)
{
	const struct pyramid_gaps *tops = &f->p->top_gaps, *gaps = &f->p->gaps;

	for (size_t i = 0; i < tops->n; i++)
		if (spans(&tops->v[i], ts))
			cpu_lose_top(f->m, f->cpus[tops->v[i].cpu], tops->v[i].from, ts);
	for (size_t i = 0; i < gaps->n; i++)
		if (spans(&gaps->v[i], ts))
			state_lose(f->m, f->cpus[gaps->v[i].cpu], gaps->v[i].from);
	/* behind the last record of a stream no record tells */
	for (size_t i = 0; i < f->p->nr_streams; i++) {
		const struct pyramid_stream *ps = &f->p->streams[i];

		if (ps->known && ps->lost_last && ps->last < ts && may_lose(f, ps) &&
		    !f->m->s.streams[i].in_gap)
			state_lose(f->m, f->cpus[ps->cpu], ps->last);
	}
}

/*
 * A record behind @leaf's begin, which is not read, may tell that what tasks and CPUs did before it
 * is unknown: the pass knew that.
 */
static void forget_at_end(struct pyramid_fill *f, uint64_t leaf)
{
	const struct pyramid *p = f->p;
	uint32_t what;

	for (struct task *t = f->m->s.first_task; t; t = t->next) {
		what = TASK_DEAD;
		if (know_task(f, t) && task_at(p, &p->tasks[t->id], leaf, &what) &&
		    (what & WHAT_STATE) == TASK_UNKNOWN)
			state_forget(f->m, t);
	}
	for (size_t i = 0; i < p->nr_cpus; i++) {
		what = 0;
		strip_at(&p->cpus[i].strip, leaf, &what);
		if (!(what >> 1))
			state_forget_cpu(f->m, f->cpus[i]);
	}
}

/* Leaves from @a on and before @b; what is told of the time from @from to @to counts. */
static bool read_leaves(struct pyramid_fill *f, uint64_t a, uint64_t b, uint64_t from, uint64_t to,
			pyramid_read_fn read, void *ctx)
{
	/* to the end of the last leaf, even if less of it counts */
	uint64_t end = strip_leaf_begin(&f->p->scale, b);

	f->begin = from;
	f->end = to;
	seed(f, a);
	if (!read(ctx, f->m, strip_leaf_begin(&f->p->scale, a), end))
		return false;
	lose_at_end(f, end);
	if (b < strip_leaves(&f->p->scale))
		forget_at_end(f, b);
	states_count(f->m, end);
	for (struct task *t = f->m->s.first_task; t; t = t->next)
		know_task(f, t);
	return true;
}

/* --- the range */

/* Where the column of @ts ends. */
static uint64_t column_end(const struct pyramid_fill *f, uint64_t ts)
{
	return lanes_begin(f->lanes, lanes_column(f->lanes, ts) + 1);
}

/* The begin of the leaf behind @leaf, at most the range's end. */
static uint64_t leaf_end(const struct pyramid_fill *f, uint64_t leaf)
{
	uint64_t end = strip_leaf_begin(&f->p->scale, leaf + 1);

	return end < f->to ? end : f->to;
}

/* Is all of the leaf in one column? Behind the last record there is nothing to tell. */
static bool is_whole(const struct pyramid_fill *f, uint64_t leaf)
{
	const struct strip_scale *c = &f->p->scale;
	uint64_t begin = strip_leaf_begin(c, leaf), end, column;

	if (begin < f->from)
		return false;
	end = strip_leaf_begin(c, leaf + 1);
	column = column_end(f, begin);
	return end <= column || column >= c->last;
}

/* The leaf behind the last one from @leaf on that is whole, as @leaf is, and of its column. */
static uint64_t whole_leaves(const struct pyramid_fill *f, uint64_t leaf)
{
	const struct strip_scale *c = &f->p->scale;
	uint64_t end = column_end(f, strip_leaf_begin(c, leaf));

	return end >= c->last ? strip_leaves(c) : strip_leaf(c, end);
}

static bool fill_range(struct pyramid_fill *f, pyramid_read_fn read, void *ctx)
{
	uint64_t ts = f->from, leaf, next;

	while (ts < f->to && ts < f->p->scale.last) {
		leaf = strip_leaf(&f->p->scale, ts);
		if (is_whole(f, leaf)) {
			next = whole_leaves(f, leaf);
			fill_leaves(f, leaf, next);
		} else {
			for (next = leaf + 1; leaf_end(f, next - 1) < f->to && !is_whole(f, next);)
				next++;
			if (!read_leaves(f, leaf, next, ts, leaf_end(f, next - 1), read, ctx))
				return false;
		}
		ts = leaf_end(f, next - 1);
	}
	return true;
}

static void begin_model(struct pyramid_fill *f, struct model *m)
{
	const struct pyramid *p = f->p;

	f->m = m;
	lanes_bind(f->lanes, m);
	m->s.all_tasks = p->nr_tasks;
	for (size_t i = 0; i < p->states.n; i++)
		state_named(m, p->states.v[i]);
	for (size_t i = 0; i < p->nr_cpus; i++)
		f->cpus[i] = model_cpu_of(m, p->cpus[i].file, p->cpus[i].cpu);
}

static bool is_all(const struct pyramid_fill *f)
{
	return f->from <= f->p->scale.first && f->to >= f->p->scale.last;
}

static void end_task(struct pyramid_fill *f, size_t i)
{
	const struct pyramid_task *pt = &f->p->tasks[i];
	struct task *t = f->tasks[i];

	t->has_name = pt->has_name;
	memcpy(t->name, pt->name, sizeof(t->name));
	for (unsigned int state = 0; state < f->nr_states; state++)
		if (f->times[i * f->nr_states + state] || task_time(t, state)->time)
			state_time_of(f->m, t, state)->time = f->times[i * f->nr_states + state];
}

static void end_cpu(const struct fill_cpu *sums, struct model_cpu *c)
{
	c->busy = sums->busy;
	c->idle = sums->idle;
	c->unknown = sums->unknown;
	c->irq = sums->irq;
	c->softirq = sums->softirq;
}

static void fill_gap(struct pyramid_fill *f, const struct pyramid_gap *gap)
{
	if (gap->to >= f->from && gap->from <= f->to)
		lanes_gap(f->lanes, f->cpus[gap->cpu],
			  gap->task ? fill_task(f, gap->task - 1) : NULL, gap->from, gap->to);
}

static void end_model(struct pyramid_fill *f)
{
	const struct pyramid *p = f->p;

	for (size_t i = 0; i < p->gaps.n; i++)
		fill_gap(f, &p->gaps.v[i]);
	for (size_t i = 0; i < p->nr_tasks; i++) {
		if (p->tasks[i].known && is_all(f))
			fill_task(f, i);
		if (f->tasks[i])
			end_task(f, i);
	}
	for (size_t i = 0; i < p->nr_cpus; i++)
		end_cpu(&f->sums[i], f->cpus[i]);
	for (size_t i = 0; i < p->nr_files; i++)
		f->m->s.times[i].switched = p->files[i].switched;
	lanes_end(f->lanes);
}

bool pyramid_fill_run(struct pyramid_fill *f, struct model *m, pyramid_read_fn read, void *ctx)
{
	begin_model(f, m);
	if (!fill_range(f, read, ctx))
		return false;
	end_model(f);
	return true;
}

bool pyramid_fill_has(const struct pyramid_fill *f, const struct task *t)
{
	return is_all(f) || lanes_of_task(f->lanes, t);
}
