/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lanes of a range: from the rows of the index, and from the records of the buckets in which
 * columns start or end.
 */
#include <stdlib.h>

#include "model/index/lod_priv.h"

struct fill_cpu {
	uint64_t busy, idle, unknown, irq, softirq;
};

struct lod_fill {
	const struct lod_index *p;
	struct state_lanes *lanes;
	uint64_t from, to;
	struct model *m;
	struct task **tasks;		/* by the index's numbers; NULL: not met yet */
	struct model_cpu **cpus;
	unsigned int nr_states;
	uint64_t *times;		/* for each task, for each state */
	struct fill_cpu *sums;		/* for each CPU */
	uint64_t begin, end;		/* the part of the records' times that counts */
	size_t at;			/* number of the task or CPU whose row is walked */
};

struct lod_fill *lod_fill_new(const struct lod_index *p, struct state_lanes *l,
			      uint64_t from, uint64_t to)
{
	struct lod_fill *f = xcalloc(1, sizeof(*f));

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

void lod_fill_free(struct lod_fill *f)
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

static struct task *fill_task(struct lod_fill *f, size_t i)
{
	const struct lod_task *pt = &f->p->tasks[i];

	if (!f->tasks[i]) {
		f->tasks[i] = task_add_known(f->m, pt->file, pt->pid, pt->cpu, pt->nr);
		f->tasks[i]->id = i;
	}
	return f->tasks[i];
}

/*
 * Gives a task that the model has met by itself its number in the index. Returns false if the pass
 * did not meet it.
 */
static bool fill_knows_task(struct lod_fill *f, struct task *t)
{
	uintptr_t i;

	if (t->id < f->p->nr_tasks)
		return true;
	i = (uintptr_t)map_get(&f->p->by_pid, lod_pid_key(t->file, t->pid));
	for (; i; i = f->p->tasks[i - 1].later ? f->p->tasks[i - 1].later + 1 : 0) {
		const struct lod_task *pt = &f->p->tasks[i - 1];

		if (pt->nr != t->nr || (!t->pid && pt->cpu != t->cpu) || f->tasks[i - 1])
			continue;
		f->tasks[i - 1] = t;
		t->id = i - 1;
		return true;
	}
	return false;
}

/* --- times */

static void fill_count_task(struct lod_fill *f, struct task *t, uint64_t from, uint64_t to)
{
	if (t->state < f->nr_states)
		f->times[t->id * f->nr_states + t->state] += to - from;
	lanes_stayed(f->lanes, t, from, to);
}

static void fill_count_cpu(struct lod_fill *f, struct model_cpu *c, uint64_t from, uint64_t to)
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

static void fill_count_top(struct lod_fill *f, const struct model_cpu *c, bool irq,
			   uint64_t time)
{
	if (irq)
		f->sums[c->id].irq += time;
	else
		f->sums[c->id].softirq += time;
}

/* --- from rows */

static void row_task(void *ctx, uint32_t value, uint64_t from, uint64_t to)
{
	struct lod_fill *f = ctx;
	struct task *t = fill_task(f, f->at);

	t->state = value & LOD_STATE;
	fill_count_task(f, t, from, to);
}

static void row_cpu(void *ctx, uint32_t value, uint64_t from, uint64_t to)
{
	struct lod_fill *f = ctx;
	struct model_cpu *c = f->cpus[f->at];

	c->task = value >> 1 ? fill_task(f, (value >> 1) - 1) : NULL;
	c->lost = value & 1;
	fill_count_cpu(f, c, from, to);
}

static void row_top(void *ctx, uint32_t value, uint64_t from, uint64_t to)
{
	struct lod_fill *f = ctx;

	if (value)
		fill_count_top(f, f->cpus[f->at], value & LOD_STATE, to - from);
}

/* Fills buckets from @a on and before @b, which are all in one column. */
static void fill_from_rows(struct lod_fill *f, uint64_t a, uint64_t b)
{
	const struct lod_index *p = f->p;
	uint64_t start = lod_bucket_start(&p->scale, a), end = lod_bucket_start(&p->scale, b);

	for (f->at = 0; f->at < p->nr_tasks; f->at++) {
		const struct lod_row *row = &p->tasks[f->at].row;

		if (row->begin < end && row->done > start)
			lod_row_walk(row, &p->scale, a, b, row_task, f);
	}
	for (f->at = 0; f->at < p->nr_cpus; f->at++) {
		lod_row_walk(&p->cpus[f->at].row, &p->scale, a, b, row_cpu, f);
		lod_row_walk(&p->cpus[f->at].top, &p->scale, a, b, row_top, f);
	}
}

/* --- from records */

/*
 * Cuts a time that the model reports to the part that counts, at most to the end of the file.
 * Returns false if nothing is left.
 */
static bool fill_cut(const struct lod_fill *f, uint32_t file, uint64_t *from, uint64_t *to)
{
	const struct lod_file *pf = &f->p->files[file];

	*from = *from > f->begin ? *from : f->begin;
	*to = *to < f->end ? *to : f->end;
	*to = *to < pf->last ? *to : pf->last;
	return *from < *to;
}

static void task_stayed(void *ctx, struct task *t, uint64_t from, uint64_t to)
{
	struct lod_fill *f = ctx;

	if (fill_knows_task(f, t) && fill_cut(f, t->file, &from, &to))
		fill_count_task(f, t, from, to);
}

static void cpu_stayed(void *ctx, struct model_cpu *c, uint64_t from, uint64_t to)
{
	struct lod_fill *f = ctx;

	if (c->id >= f->p->nr_cpus || (c->task && !fill_knows_task(f, c->task)))
		return;
	if (fill_cut(f, c->file, &from, &to))
		fill_count_cpu(f, c, from, to);
}

static void cpu_topped(void *ctx, struct model_cpu *c, uint64_t from, uint64_t to)
{
	struct lod_fill *f = ctx;

	if (c->id < f->p->nr_cpus && fill_cut(f, c->file, &from, &to))
		fill_count_top(f, c, c->irqs, to - from);
}

/* Gaps are those of the pass. */
const struct span_ops lod_fill_ops = {
	.stayed = task_stayed, .cpu_stayed = cpu_stayed, .topped = cpu_topped,
};

/* --- the model's state at the start of a bucket */

static void seed_file(struct lod_fill *f, size_t file, uint64_t ts)
{
	const struct lod_file *pf = &f->p->files[file];
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

static bool gap_spans(const struct lod_gap *gap, uint64_t ts)
{
	return gap->from < ts && gap->to >= ts;
}

/* Returns true if the stream may lose switches. */
static bool may_lose(const struct lod_fill *f, const struct lod_stream *ps)
{
	const struct lod_file *pf = &f->p->files[f->p->cpus[ps->cpu].file];

	return !pf->sched.buffer || pf->sched.buffer == ps->buffer + 1u;
}

/* Puts the model in a gap of this stream. */
static void seed_gap(struct lod_fill *f, size_t stream)
{
	const struct lod_stream *ps = &f->p->streams[stream];
	uint32_t file = f->p->cpus[ps->cpu].file;
	struct stream_at *st = &f->m->s.streams[stream];

	if (st->in_gap || !may_lose(f, ps))
		return;
	st->in_gap = true;
	f->m->s.times[file].gaps++;
}

static void seed_stream(struct lod_fill *f, size_t stream, uint64_t ts)
{
	const struct lod_stream *ps = &f->p->streams[stream];
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

/* Sets the task's value at the start of a bucket. Returns false if the model does not need it. */
static bool fill_task_at(const struct lod_index *p, const struct lod_task *pt, uint64_t bucket,
			 uint32_t *value)
{
	uint64_t ts = lod_bucket_start(&p->scale, bucket);
	const struct lod_row *later = pt->later ? &p->tasks[pt->later].row : NULL;

	*value = pt->came_late ? TASK_UNKNOWN : TASK_DEAD;
	if (!pt->row.started || pt->row.begin >= ts)
		return pt->came_late;
	if (pt->row.done < ts) {
		*value = TASK_DEAD;
		/* a later task that has its pid by then replaces it */
		return !(pt->pid && later && later->started && later->begin < ts);
	}
	return lod_row_at(&pt->row, bucket, value);
}

static void seed_task(struct lod_fill *f, size_t i, uint64_t bucket, uint64_t ts)
{
	const struct lod_task *pt = &f->p->tasks[i];
	uint32_t value = TASK_DEAD;
	struct task *t;
	uint64_t first;

	if (!fill_task_at(f->p, pt, bucket, &value) && !f->tasks[i])
		return;
	first = f->p->files[pt->file].first;
	t = fill_task(f, i);
	t->unseen = pt->unseen;
	t->state = value & LOD_WAITED ? TASK_RUNNABLE : value & LOD_STATE;
	t->is_listed = false;
	state_note_off(f->m, t);
	t->softirqs = value >> LOD_DEPTH_SHIFT;
	t->since = ts > first ? ts : first;
	t->waits = false;
	/* with WAKEUP the next waking shows a missing run; with WAKING a sched_wakeup does not */
	t->woken_by = value & LOD_WAITED ? WAKEUP : WAKING;
	if (t->pid)
		t->cpu = -1;
}

static void seed_cpu(struct lod_fill *f, size_t i, uint64_t bucket, uint64_t ts)
{
	const struct lod_cpu *pc = &f->p->cpus[i];
	uint64_t first = f->p->files[pc->file].first;
	struct model_cpu *c = f->cpus[i];
	uint32_t value = 0;

	lod_row_at(&pc->row, bucket, &value);
	c->task = value >> 1 ? fill_task(f, (value >> 1) - 1) : NULL;
	c->lost = value & 1;
	c->switched = pc->switched && pc->switched_at < ts;
	c->since = c->top_since = ts > first ? ts : first;
	c->proved = 0;
	/* after a gap a CPU keeps its task, which may have come to run elsewhere since */
	if (c->task && !c->lost && c->task->pid && c->task->state == TASK_RUNNING)
		c->task->cpu = c->cpu;
	value = 0;
	lod_row_at(&pc->top, bucket, &value);
	c->irqs = value & LOD_STATE;
	c->softirqs = 0;
	if (!f->m->files[c->file].trace->meta.rt)
		c->softirqs = value >> LOD_DEPTH_SHIFT;
	else if (c->task)
		c->task->softirqs = value >> LOD_DEPTH_SHIFT;
}

static void seed_model(struct lod_fill *f, uint64_t bucket)
{
	const struct lod_index *p = f->p;
	uint64_t ts = lod_bucket_start(&p->scale, bucket);

	for (size_t i = 0; i < p->nr_files; i++)
		seed_file(f, i, ts);
	for (size_t i = 0; i < p->nr_streams; i++)
		seed_stream(f, i, ts);
	for (size_t i = 0; i < p->gaps.n; i++)
		for (size_t k = 0; k < p->nr_streams && gap_spans(&p->gaps.v[i], ts); k++)
			if (p->streams[k].known && p->streams[k].cpu == p->gaps.v[i].cpu)
				seed_gap(f, k);
	for (size_t i = 0; i < p->nr_tasks; i++)
		seed_task(f, i, bucket, ts);
	for (size_t i = 0; i < p->nr_cpus; i++)
		seed_cpu(f, i, bucket, ts);
	for (size_t i = 0; i < f->m->nr_binds; i++)
		f->m->binds[i].buffer = 0;
	f->m->s.generation++;
}

/* Applies the losses that span @ts. The record after @ts that reports them is not read. */
static void lose_at_end(struct lod_fill *f, uint64_t ts)
{
	const struct lod_gaps *tops = &f->p->top_gaps, *gaps = &f->p->gaps;

	for (size_t i = 0; i < tops->n; i++)
		if (gap_spans(&tops->v[i], ts))
			cpu_lose_top(f->m, f->cpus[tops->v[i].cpu], tops->v[i].from, ts);
	for (size_t i = 0; i < gaps->n; i++)
		if (gap_spans(&gaps->v[i], ts))
			state_lose(f->m, f->cpus[gaps->v[i].cpu], gaps->v[i].from);
	/* no record reports a loss at the end of a stream */
	for (size_t i = 0; i < f->p->nr_streams; i++) {
		const struct lod_stream *ps = &f->p->streams[i];

		if (ps->known && ps->lost_last && ps->last < ts && may_lose(f, ps) &&
		    !f->m->s.streams[i].in_gap)
			state_lose(f->m, f->cpus[ps->cpu], ps->last);
	}
}

/*
 * Makes tasks and CPUs unknown that the pass found to be unknown before the start of @bucket. It
 * learned that from records after that start, which are not read.
 */
static void forget_at_end(struct lod_fill *f, uint64_t bucket)
{
	const struct lod_index *p = f->p;
	uint32_t value;

	for (struct task *t = f->m->s.first_task; t; t = t->next) {
		value = TASK_DEAD;
		if (fill_knows_task(f, t) && fill_task_at(p, &p->tasks[t->id], bucket, &value) &&
		    (value & LOD_STATE) == TASK_UNKNOWN)
			state_forget(f->m, t);
	}
	for (size_t i = 0; i < p->nr_cpus; i++) {
		value = 0;
		lod_row_at(&p->cpus[i].row, bucket, &value);
		if (!(value >> 1))
			state_forget_cpu(f->m, f->cpus[i]);
	}
}

/* Returns true if a dead task runs again at from <= ts < to. */
static bool revives_within(const struct lod_index *p, uint64_t from, uint64_t to)
{
	size_t a = 0, b = p->revivals.n, mid;

	while (a < b) {
		mid = a + (b - a) / 2;
		if (p->revivals.v[mid] < from)
			a = mid + 1;
		else
			b = mid;
	}
	return a < p->revivals.n && p->revivals.v[a] < to;
}

/* Fills buckets from @a on and before @b; times from @from to @to count. False if stopped. */
static bool fill_from_records(struct lod_fill *f, uint64_t a, uint64_t b, uint64_t from,
			      uint64_t to, lod_read_fn read, void *ctx)
{
	/* reads to the end of the last bucket, even if less of it counts */
	uint64_t end = lod_bucket_start(&f->p->scale, b);

	f->begin = from;
	f->end = to;
	seed_model(f, a);
	f->m->s.revives = revives_within(f->p, lod_bucket_start(&f->p->scale, a), end);
	if (!read(ctx, f->m, lod_bucket_start(&f->p->scale, a), end))
		return false;
	lose_at_end(f, end);
	if (b < lod_buckets(&f->p->scale))
		forget_at_end(f, b);
	states_count(f->m, end);
	for (struct task *t = f->m->s.first_task; t; t = t->next)
		fill_knows_task(f, t);
	return true;
}

/* --- the range */

/* Returns the end of the column of @ts. */
static uint64_t column_end(const struct lod_fill *f, uint64_t ts)
{
	return lanes_begin(f->lanes, lanes_column(f->lanes, ts) + 1);
}

/* Returns the end of the bucket, at most the end of the range. */
static uint64_t bucket_end(const struct lod_fill *f, uint64_t bucket)
{
	uint64_t end = lod_bucket_start(&f->p->scale, bucket + 1);

	return end < f->to ? end : f->to;
}

/* Returns true if the whole bucket is in one column. Time after the last record does not matter. */
static bool is_whole(const struct lod_fill *f, uint64_t bucket)
{
	const struct lod_scale *c = &f->p->scale;
	uint64_t begin = lod_bucket_start(c, bucket), end, column;

	if (begin < f->from)
		return false;
	end = lod_bucket_start(c, bucket + 1);
	column = column_end(f, begin);
	return end <= column || column >= c->last;
}

static bool fill_range(struct lod_fill *f, lod_read_fn read, void *ctx)
{
	const struct lod_scale *c = &f->p->scale;
	uint64_t ts = f->from, bucket, next, end;

	while (ts < f->to && ts < c->last) {
		bucket = lod_bucket(c, ts);
		if (is_whole(f, bucket)) {
			/* all whole buckets of the column */
			end = column_end(f, lod_bucket_start(c, bucket));
			next = end >= c->last ? lod_buckets(c) : lod_bucket(c, end);
			fill_from_rows(f, bucket, next);
		} else {
			next = bucket + 1;
			while (bucket_end(f, next - 1) < f->to && !is_whole(f, next))
				next++;
			if (!fill_from_records(f, bucket, next, ts, bucket_end(f, next - 1), read,
					       ctx))
				return false;
		}
		ts = bucket_end(f, next - 1);
	}
	return true;
}

static bool is_all(const struct lod_fill *f)
{
	return f->from <= f->p->scale.first && f->to >= f->p->scale.last;
}

static void fill_end(struct lod_fill *f)
{
	const struct lod_index *p = f->p;

	for (size_t i = 0; i < p->gaps.n; i++) {
		const struct lod_gap *gap = &p->gaps.v[i];

		if (gap->to >= f->from && gap->from <= f->to)
			lanes_gap(f->lanes, f->cpus[gap->cpu],
				  gap->task ? fill_task(f, gap->task - 1) : NULL, gap->from,
				  gap->to);
	}
	for (size_t i = 0; i < p->nr_tasks; i++) {
		const uint64_t *times = &f->times[i * f->nr_states];
		struct task *t;

		if (p->tasks[i].known && is_all(f))
			fill_task(f, i);
		t = f->tasks[i];
		if (!t)
			continue;
		t->has_name = p->tasks[i].has_name;
		memcpy(t->name, p->tasks[i].name, sizeof(t->name));
		for (unsigned int state = 0; state < f->nr_states; state++)
			if (times[state] || task_time(t, state)->time)
				state_time_of(f->m, t, state)->time = times[state];
	}
	for (size_t i = 0; i < p->nr_cpus; i++) {
		struct model_cpu *c = f->cpus[i];

		c->busy = f->sums[i].busy;
		c->idle = f->sums[i].idle;
		c->unknown = f->sums[i].unknown;
		c->irq = f->sums[i].irq;
		c->softirq = f->sums[i].softirq;
	}
	for (size_t i = 0; i < p->nr_files; i++)
		f->m->s.times[i].switched = p->files[i].switched;
	lanes_end(f->lanes);
}

bool lod_fill_run(struct lod_fill *f, struct model *m, lod_read_fn read, void *ctx)
{
	const struct lod_index *p = f->p;

	f->m = m;
	lanes_bind(f->lanes, m);
	m->s.all_tasks = p->nr_tasks;
	for (size_t i = 0; i < p->states.n; i++)
		state_named(m, p->states.v[i]);
	for (size_t i = 0; i < p->nr_cpus; i++)
		f->cpus[i] = model_cpu_of(m, p->cpus[i].file, p->cpus[i].cpu);
	if (!fill_range(f, read, ctx))
		return false;
	fill_end(f);
	return true;
}

bool lod_fill_has(const struct lod_fill *f, const struct task *t)
{
	return is_all(f) || lanes_of_task(f->lanes, t);
}
