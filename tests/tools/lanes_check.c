/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lanes out of the pyramid beside those of one pass over all records: lanes_check [--seed N]
 * [--ranges N] [--shift N] FILE... keeps every interval that the model tells in a pass, cuts it to
 * random ranges, fills lanes with it and counts its sums; the pyramid of the same pass has to have
 * the same in each column, for each task and CPU. Prints how many ranges and columns were compared,
 * the most records that were read for one, and what differs. Also looked at is where sub-buffers
 * begin, by trace_cpu_spread() and by reading the times of all.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/index/lod_index.h"
#include "trace/trace_priv.h"

#define WIDTHS 120

struct state_report {
	uint32_t what;			/* number of the task or CPU */
	uint32_t doing;			/* a state; of a CPU: 1 + the number of the task */
	bool     lost;
	uint64_t from, to;
};

struct state_reports {
	struct state_report *v;
	size_t n, cap;
};

struct check {
	struct trace **traces;
	size_t nr_traces;
	struct model *model;
	struct lod_index *p;
	struct state_reports tasks, cpus, irqs, softirqs, gaps;
	struct task *fake_tasks;	/* as lanes know them */
	struct model_cpu *fake_cpus;
	size_t nr_tasks, nr_cpus;
	uint64_t first, last, from, to;
	uint32_t width;
	uint64_t records, most_records, columns;
	unsigned int bad;
};

/* --- the pass */

static void report(struct state_reports *t, struct state_report state_report)
{
	t->v = xgrow(t->v, &t->cap, t->n + 1, sizeof(*t->v));
	t->v[t->n++] = state_report;
}

static void task_stayed(void *ctx, struct task *t, uint64_t from, uint64_t to)
{
	struct check *c = ctx;

	report(&c->tasks, (struct state_report){ t->id, t->state, false, from, to });
	lod_index_stayed(c->p, t, from, to);
}

static void cpu_stayed(void *ctx, struct model_cpu *cpu, uint64_t from, uint64_t to)
{
	struct check *c = ctx;

	report(&c->cpus, (struct state_report){ cpu->id, cpu->task ? cpu->task->id + 1 : 0, cpu->lost, from,
				      to });
	lod_index_cpu_stayed(c->p, cpu, from, to);
}

static void cpu_topped(void *ctx, struct model_cpu *cpu, uint64_t from, uint64_t to)
{
	struct check *c = ctx;

	report(cpu->irqs ? &c->irqs : &c->softirqs,
	       (struct state_report){ cpu->id, 0, false, from, to });
	lod_index_topped(c->p, cpu, from, to);
}

static void top_gap(void *ctx, struct model_cpu *cpu, uint64_t from, uint64_t to)
{
	lod_index_top_gap(((struct check *)ctx)->p, cpu, from, to);
}

static void cpu_gap(void *ctx, struct model_cpu *cpu, struct task *t, uint64_t from, uint64_t to)
{
	struct check *c = ctx;

	report(&c->gaps, (struct state_report){ cpu->id, t ? t->id + 1 : 0, true, from, to });
	lod_index_gap(c->p, cpu, t, from, to);
}

static const struct span_ops pass_ops = {
	.stayed = task_stayed, .cpu_stayed = cpu_stayed, .topped = cpu_topped, .gap = cpu_gap,
	.top_gap = top_gap,
};

static bool feed(void *ctx, struct model *m, uint64_t since, uint64_t until)
{
	struct check *c = ctx;
	struct trace_iter *it = trace_iter_new_range(c->traces, c->nr_traces, NULL, since, until);
	const struct trace_rec *r;

	for (; (r = trace_iter_next(it)); c->records++)
		model_feed(m, r);
	trace_iter_free(it);
	return true;
}

static void copy_identities(struct check *c)
{
	for (const struct task *t = model_tasks(c->model); t; t = t->next)
		c->nr_tasks = t->id + 1;
	for (const struct model_cpu *cpu = model_cpus(c->model); cpu; cpu = cpu->next)
		c->nr_cpus = cpu->id + 1;
	c->fake_tasks = xcalloc(c->nr_tasks + 1, sizeof(*c->fake_tasks));
	c->fake_cpus = xcalloc(c->nr_cpus + 1, sizeof(*c->fake_cpus));
	for (const struct task *t = model_tasks(c->model); t; t = t->next)
		c->fake_tasks[t->id] = (struct task){ .id = t->id, .pid = t->pid, .nr = t->nr };
	for (const struct model_cpu *cpu = model_cpus(c->model); cpu; cpu = cpu->next)
		c->fake_cpus[cpu->id] = (struct model_cpu){ .id = cpu->id, .cpu = cpu->cpu };
}

/* --- what is to be */

static uint64_t inside(const struct check *c, const struct state_report *t)
{
	uint64_t from = t->from > c->from ? t->from : c->from, to = t->to < c->to ? t->to : c->to;

	return to > from ? to - from : 0;
}

static void expect_tasks(struct check *c, struct state_lanes *l)
{
	for (size_t i = 0; i < c->nr_tasks; i++) {
		c->fake_tasks[i].user = 0;
		memset(c->fake_tasks[i].times, 0, sizeof(c->fake_tasks[i].times));
	}
	for (size_t i = 0; i < c->tasks.n; i++) {
		struct state_report *t = &c->tasks.v[i];
		struct task *task = &c->fake_tasks[t->what];

		task->state = t->doing;
		if (!inside(c, t))
			continue;
		lanes_stayed(l, task, t->from, t->to);
		if (t->doing < TASK_TIMES)
			task->times[t->doing].time += inside(c, t);
	}
}

static void expect_cpus(struct check *c, struct state_lanes *l)
{
	for (size_t i = 0; i < c->nr_cpus; i++)
		c->fake_cpus[i] = (struct model_cpu){ .id = i, .cpu = c->fake_cpus[i].cpu };
	for (size_t i = 0; i < c->cpus.n; i++) {
		struct state_report *t = &c->cpus.v[i];
		struct model_cpu *cpu = &c->fake_cpus[t->what];

		cpu->task = t->doing ? &c->fake_tasks[t->doing - 1] : NULL;
		cpu->lost = t->lost;
		if (!inside(c, t))
			continue;
		lanes_cpu_stayed(l, cpu, t->from, t->to);
		*(!t->doing || t->lost ? &cpu->unknown : cpu->task->pid ? &cpu->busy :
		  &cpu->idle) += inside(c, t);
	}
	for (size_t i = 0; i < c->irqs.n; i++)
		c->fake_cpus[c->irqs.v[i].what].irq += inside(c, &c->irqs.v[i]);
	for (size_t i = 0; i < c->softirqs.n; i++)
		c->fake_cpus[c->softirqs.v[i].what].softirq += inside(c, &c->softirqs.v[i]);
}

static struct state_lanes *expect(struct check *c)
{
	struct state_lanes *l = lanes_new(c->from, c->to, c->width);

	lanes_bind(l, c->model);
	expect_tasks(c, l);
	expect_cpus(c, l);
	for (size_t i = 0; i < c->gaps.n; i++) {
		const struct state_report *t = &c->gaps.v[i];

		lanes_gap(l, &c->fake_cpus[t->what],
			  t->doing ? &c->fake_tasks[t->doing - 1] : NULL, t->from, t->to);
	}
	lanes_end(l);
	return l;
}

/* --- what is */

static void differs(struct check *c, const char *what, unsigned int of, uint64_t at, uint64_t want,
		    uint64_t got)
{
	if (c->bad++ < 20)
		printf("%" PRIu64 " to %" PRIu64 ", %u columns: %s %u: %" PRIu64 ": %" PRIu64
		       ", not %" PRIu64 "\n", c->from, c->to, c->width, what, of, at, got, want);
}

static uint64_t task_in(const struct state_lane *lane, uint32_t column)
{
	return lane->tasks && lane->tasks[column] ? lane->tasks[column]->id + 1 : 0;
}

static void compare_lane(struct check *c, const char *what, unsigned int of, uint32_t width,
			 const struct state_lane *want, const struct state_lane *got)
{
	if (!want || !got) {
		if (want || got)
			differs(c, what, of, UINT32_MAX, !!want, !!got);
		return;
	}
	for (uint32_t i = 0; i < width; i++) {
		bool lost = want->losses && want->losses[i], has = got->losses && got->losses[i];

		if (want->states[i] != got->states[i])
			differs(c, what, of, i, want->states[i], got->states[i]);
		if (task_in(want, i) != task_in(got, i))
			differs(c, "task on CPU", of, i, task_in(want, i), task_in(got, i));
		if (lost != has)
			differs(c, "loss on", of, i, lost, has);
	}
	if (want->lost != got->lost)
		differs(c, "losses of", of, 0, want->lost, got->lost);
	c->columns += width;
}

static void compare_tasks(struct check *c, const struct state_lanes *want,
			  const struct state_lanes *got, const struct model *m)
{
	bool *there = xcalloc(c->nr_tasks + 1, sizeof(*there));

	for (const struct task *t = model_tasks(m); t; t = t->next) {
		const struct task *fake = &c->fake_tasks[t->id];

		if (t->id >= c->nr_tasks || there[t->id] || fake->pid != t->pid ||
		    fake->nr != t->nr) {
			differs(c, "identity of", t->id, 0, 0, t->pid);
			continue;
		}
		there[t->id] = true;
		compare_lane(c, "task", t->id, lanes_width(want), lanes_of_task(want, fake),
			     lanes_of_task(got, t));
		for (unsigned int i = 0; i < TASK_TIMES; i++)
			if (i != TASK_DEAD && fake->times[i].time != t->times[i].time)
				differs(c, "time of task", t->id, i, fake->times[i].time,
					t->times[i].time);
	}
	for (size_t i = 0; i < c->nr_tasks; i++)
		if (!there[i] && lanes_of_task(want, &c->fake_tasks[i]))
			differs(c, "task", i, UINT32_MAX, 1, 0);
	free(there);
}

static void compare_cpus(struct check *c, const struct state_lanes *want,
			 const struct state_lanes *got, const struct model *m)
{
	for (const struct model_cpu *cpu = model_cpus(m); cpu; cpu = cpu->next) {
		const struct model_cpu *fake = &c->fake_cpus[cpu->id];
		const uint64_t sums[][2] = {
			{ fake->busy, cpu->busy }, { fake->idle, cpu->idle },
			{ fake->unknown, cpu->unknown }, { fake->irq, cpu->irq },
			{ fake->softirq, cpu->softirq },
		};

		compare_lane(c, "CPU", cpu->id, lanes_width(want), lanes_of_cpu(want, fake),
			     lanes_of_cpu(got, cpu));
		for (size_t i = 0; i < sizeof(sums) / sizeof(*sums); i++)
			if (sums[i][0] != sums[i][1])
				differs(c, "sum of CPU", cpu->id, i, sums[i][0], sums[i][1]);
	}
}

static void compare(struct check *c)
{
	struct state_lanes *want = expect(c), *got = lanes_new(c->from, c->to, c->width);
	struct lod_fill *f = lod_fill_new(c->p, got, c->from, c->to);
	struct model_opts o = { .cpus = true };
	struct ftr_error err;
	struct model *m = model_new(c->traces, c->nr_traces, &o, &lod_fill_ops, f, &err);

	c->records = 0;
	lod_fill_run(f, m, feed, c);
	if (c->records > c->most_records)
		c->most_records = c->records;
	compare_tasks(c, want, got, m);
	compare_cpus(c, want, got, m);
	lod_fill_free(f);
	model_free(m);
	lanes_free(want);
	lanes_free(got);
}

/* --- where sub-buffers begin */

static uint32_t column_at(const struct state_lanes *l, const struct check *c, uint64_t ts)
{
	return ts < c->from || ts > c->to ? UINT32_MAX : lanes_column(l, ts);
}

static void compare_spread(struct check *c, struct trace *t, struct dat_buffer *b,
			   struct dat_cpu *cpu)
{
	struct dat_cursor at = { .dat = t->dat, .buffer = b, .cpu = cpu };
	struct state_lanes *l = lanes_new(c->from, c->to, c->width);
	uint32_t width = lanes_width(l), column;
	bool *want = xcalloc(width, sizeof(*want)), *got = xcalloc(width, sizeof(*got));
	uint64_t ts;

	for (uint64_t page = 0; page < cpu->nr_pages; page += dat_chunk_pages(cpu)) {
		column = dat_cursor_ts(&at, page, &ts) ? column_at(l, c, trace_time(t, cpu->cpu, ts)) :
			 UINT32_MAX;
		if (column != UINT32_MAX)
			want[column] = true;
	}
	trace_cpu_spread(t, b, cpu, c->from, c->to, got, width);
	for (uint32_t i = 0; i < width; i++)
		if (want[i] != got[i])
			differs(c, "data of CPU", cpu->cpu, i, want[i], got[i]);
	dat_cursor_release(&at);
	lanes_free(l);
	free(want);
	free(got);
}

static void compare_spreads(struct check *c)
{
	for (size_t i = 0; i < c->nr_traces; i++) {
		struct dat *d = c->traces[i]->dat;

		for (size_t k = 0; k < d->nr_buffers; k++)
			for (size_t n = 0; n < d->buffers[k].nr_cpus; n++)
				compare_spread(c, c->traces[i], &d->buffers[k],
					       &d->buffers[k].cpus[n]);
	}
}

/* --- ranges */

static uint64_t any_below(uint64_t n)
{
	return n ? ((uint64_t)random() << 31 ^ random()) % n : 0;
}

/* The whole, columns of leaves, columns of a part of a leaf, anything. */
static void choose_range(struct check *c, unsigned int i)
{
	uint64_t all = c->last - c->first, leaf = lod_index_bucket(c->p), column, columns;

	c->width = 1 + any_below(WIDTHS);
	c->from = c->first;
	c->to = c->last;
	if (i < 4)
		return;
	column = i % 2 ? leaf << any_below(6) : leaf >> any_below(8);
	if (!column || i % 3 == 0 || column > all / c->width) {
		c->from = c->first + any_below(all);
		c->to = c->from + any_below(i % 4 ? leaf * 2 : c->last - c->from);
		return;
	}
	columns = all / column + 1 - c->width;
	c->from = c->first + any_below(columns) * column;
	c->to = c->from + c->width * column;
}

static void check_files(struct check *c, unsigned int ranges, unsigned int shift)
{
	struct model_opts o = { .cpus = true };
	struct ftr_error err;

	c->first = UINT64_MAX;
	for (size_t i = 0; i < c->nr_traces; i++)
		trace_bounds(c->traces[i], &c->first, &c->last);
	if (c->first > c->last)
		return;
	c->p = lod_index_new(c->first, c->last, shift);
	c->model = model_new(c->traces, c->nr_traces, &o, &pass_ops, c, &err);
	feed(c, c->model, 0, UINT64_MAX);
	model_end(c->model);
	lod_index_end(c->p, c->model);
	copy_identities(c);
	for (unsigned int i = 0; i < ranges; i++) {
		choose_range(c, i);
		compare(c);
		if (i % 8 == 0)
			compare_spreads(c);
	}
	printf("%u ranges, %" PRIu64 " columns, at most %" PRIu64 " records, %u differ\n", ranges,
	       c->columns, c->most_records, c->bad);
	lod_index_free(c->p);
	model_free(c->model);
	free(c->fake_tasks);
	free(c->fake_cpus);
}

int main(int argc, char **argv)
{
	unsigned int ranges = 100, shift = 20, seed = 1;
	struct trace *traces[16];
	struct check c = { .traces = traces };
	struct ftr_error err = {0};

	for (int i = 1; i < argc && c.nr_traces < 16; i++) {
		unsigned int *number = !strcmp(argv[i], "--ranges") ? &ranges :
			!strcmp(argv[i], "--shift") ? &shift : !strcmp(argv[i], "--seed") ? &seed :
			NULL;

		if (number && i + 1 < argc) {
			*number = strtoul(argv[++i], NULL, 10);
			continue;
		}
		traces[c.nr_traces] = trace_open(argv[i], &err);
		if (!traces[c.nr_traces++]) {
			fprintf(stderr, "%s\n", err.msg);
			return 1;
		}
	}
	srandom(seed);
	check_files(&c, ranges, shift);
	for (size_t i = 0; i < c.nr_traces; i++)
		trace_close(traces[i]);
	free(c.tasks.v);
	free(c.cpus.v);
	free(c.irqs.v);
	free(c.softirqs.v);
	free(c.gaps.v);
	return c.bad ? 3 : 0;
}
