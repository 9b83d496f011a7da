/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lanes out of the pyramid are those that all intervals of a random past fill by themselves, in any
 * range of whole leaves: states, tasks, losses, sums. tests/tools/lanes_check does it with files.
 */
#include "model/index/lod_index.h"
#include "model/model_priv.h"
#include "tap.h"

#define SEED	20261125u
#define ZOOMS	1000
#define TASKS	24
#define CPUS	5
#define FIRST	1000003u
#define ALL	(1u << 17)		/* units of time */
#define SHIFT	5
#define STRETCHES 800			/* of each lane at most */
#define STATES	9

struct stretch {
	uint64_t from, to;
	uint32_t what;			/* a state; of a CPU: 1 + a task, or 0 */
	bool     lost;
};

struct past {
	struct stretch *v;
	size_t n;
};

static struct past tasks[TASKS], cpus[CPUS], gaps;

static uint64_t any_below(uint64_t n)
{
	return n ? (uint64_t)random() % n : 0;
}

/* Most of them short, and of a length that others have: ties. */
static uint64_t any_time(void)
{
	switch (random() % 8) {
	case 0:
		return any_below(ALL / 8);
	case 1:
		return 1 + any_below(3);
	default:
		return (1 + any_below(8)) * (random() % 2 ? 16 : 100);
	}
}

static void make_past(struct past *p, uint64_t begin, uint32_t whats, bool loses)
{
	p->v = xcalloc(STRETCHES, sizeof(*p->v));
	for (uint64_t ts = begin; ts < FIRST + ALL && p->n < STRETCHES; p->n++) {
		struct stretch *s = &p->v[p->n];

		s->from = ts;
		s->to = p->n + 1 < STRETCHES ? ts + any_time() + 1 : FIRST + ALL;
		s->to = s->to < FIRST + ALL ? s->to : FIRST + ALL;
		s->what = any_below(whats);
		s->lost = loses && random() % 8 == 0;
		ts = s->to;
	}
}

static void make_all(void)
{
	for (size_t i = 0; i < TASKS; i++)
		make_past(&tasks[i], FIRST + (i % 3 ? 0 : any_below(ALL)), STATES, false);
	for (size_t i = 0; i < CPUS; i++)
		make_past(&cpus[i], FIRST, TASKS / (i + 1) + 1, true);
	gaps.v = xcalloc(100, sizeof(*gaps.v));
	for (; gaps.n < 100; gaps.n++) {
		gaps.v[gaps.n].from = FIRST + any_below(ALL);
		gaps.v[gaps.n].to = gaps.v[gaps.n].from + any_below(ALL / 100);
		gaps.v[gaps.n].what = any_below(TASKS + 1);
	}
}

/* A model with these tasks, the first ones idle, and CPUs. */
static struct model *make_model(const struct span_ops *ops, void *ctx, struct task **t,
				struct model_cpu **c)
{
	static const char *const asleep[] = { "S", "D", "I" };
	struct model_opts o = { .cpus = true };
	struct model *m = model_new(NULL, 0, &o, ops, ctx, NULL);

	for (size_t i = 0; i < sizeof(asleep) / sizeof(*asleep); i++)
		state_named(m, asleep[i]);
	for (int i = 0; i < TASKS; i++)
		t[i] = task_add_known(m, 0, i < CPUS ? 0 : i, i, 0);
	for (int i = 0; i < CPUS; i++)
		c[i] = model_cpu_of(m, 0, i);
	return m;
}

/* --- what is told, in the order of the times in which it ends */

struct state_report {
	struct lod_index *p;		/* or: */
	struct state_lanes *l;
	struct task *t[TASKS];
	struct model_cpu *c[CPUS];
};

static void report_task(struct state_report *to, size_t i, const struct stretch *s)
{
	to->t[i]->state = s->what;
	if (to->p)
		lod_index_stayed(to->p, to->t[i], s->from, s->to);
	else
		lanes_stayed(to->l, to->t[i], s->from, s->to);
}

static void report_cpu(struct state_report *to, size_t i, const struct stretch *s)
{
	to->c[i]->task = s->what ? to->t[s->what - 1] : NULL;
	to->c[i]->lost = s->lost;
	if (to->p)
		lod_index_cpu_stayed(to->p, to->c[i], s->from, s->to);
	else
		lanes_cpu_stayed(to->l, to->c[i], s->from, s->to);
}

static bool is_in(const struct stretch *s, uint64_t from, uint64_t to)
{
	return s->from < to && s->to > from;
}

static void report_all(struct state_report *state_report, uint64_t from, uint64_t to)
{
	for (size_t i = 0; i < TASKS; i++)
		for (size_t k = 0; k < tasks[i].n; k++)
			if (is_in(&tasks[i].v[k], from, to))
				report_task(state_report, i, &tasks[i].v[k]);
	for (size_t i = 0; i < CPUS; i++)
		for (size_t k = 0; k < cpus[i].n; k++)
			if (is_in(&cpus[i].v[k], from, to))
				report_cpu(state_report, i, &cpus[i].v[k]);
	for (size_t i = 0; i < gaps.n; i++) {
		const struct stretch *s = &gaps.v[i];
		struct task *t = s->what ? state_report->t[s->what - 1] : NULL;

		if (state_report->p)
			lod_index_gap(state_report->p, state_report->c[i % CPUS], t, s->from,
				      s->to);
		else
			lanes_gap(state_report->l, state_report->c[i % CPUS], t, s->from, s->to);
	}
}

/* --- zooms */

struct zoom {
	struct state_report want;
	struct state_lanes *got;
	const struct model *m;
	uint64_t from, to;
	bool states, who, losses, sums;
};

static bool none_read(void *ctx, struct model *m, uint64_t since, uint64_t until)
{
	(void)m;
	(void)since;
	(void)until;
	*(bool *)ctx = true;
	return true;
}

static uint32_t id_at(const struct state_lane *l, uint32_t column)
{
	return l->tasks[column] ? l->tasks[column]->id + 1 : 0;
}

static void compare_lane(struct zoom *z, const struct state_lane *want,
			 const struct state_lane *got)
{
	uint32_t width = lanes_width(z->got);

	if (!want || !got) {
		z->states &= want == got;
		return;
	}
	z->losses &= want->lost == got->lost && !want->losses == !got->losses;
	for (uint32_t i = 0; i < width; i++) {
		z->states &= want->states[i] == got->states[i];
		if (want->tasks)
			z->who &= id_at(want, i) == id_at(got, i);
		if (want->losses && got->losses)
			z->losses &= want->losses[i] == got->losses[i];
	}
}

static uint64_t time_in(const struct past *p, const struct zoom *z, uint32_t what)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < p->n; i++)
		if (p->v[i].what == what && is_in(&p->v[i], z->from, z->to))
			sum += (p->v[i].to < z->to ? p->v[i].to : z->to) -
			       (p->v[i].from > z->from ? p->v[i].from : z->from);
	return sum;
}

static uint64_t unknown_in(const struct past *p, const struct zoom *z)
{
	struct past lost = *p;
	uint64_t sum = 0;

	for (lost.n = 1; lost.v < p->v + p->n; lost.v++)
		if (lost.v->lost || !lost.v->what)
			sum += time_in(&lost, z, lost.v->what);
	return sum;
}

static void compare(struct zoom *z)
{
	size_t id = 0;

	for (const struct task *t = model_tasks(z->m); t; t = t->next) {
		compare_lane(z, lanes_of_task(z->want.l, z->want.t[t->id]),
			     lanes_of_task(z->got, t));
		for (unsigned int state = 0; state < STATES; state++)
			z->sums &= task_time(t, state)->time == time_in(&tasks[t->id], z, state);
	}
	for (const struct model_cpu *c = model_cpus(z->m); c; c = c->next, id++) {
		compare_lane(z, lanes_of_cpu(z->want.l, z->want.c[id]), lanes_of_cpu(z->got, c));
		z->sums &= c->busy + c->idle + c->unknown == z->to - z->from;
		z->sums &= c->unknown == unknown_in(&cpus[id], z);
	}
	z->sums &= id == CPUS;
}

/* Columns of 2^n leaves; false: records would have been read. */
static bool zoom(const struct lod_index *p, struct zoom *z)
{
	unsigned int bits = any_below(10);
	uint64_t column = lod_index_bucket(p) << bits, width = 1 + any_below(ALL / column);
	struct model_opts o = { .cpus = true };
	struct lod_fill *f;
	struct model *m, *direct;
	bool read = false;

	z->from = FIRST + any_below(ALL / column + 1 - width) * column;
	z->to = z->from + width * column;
	z->want.l = lanes_new(z->from, z->to, width);
	direct = make_model(&(struct span_ops){0}, NULL, z->want.t, z->want.c);
	lanes_bind(z->want.l, direct);
	report_all(&z->want, z->from, z->to);
	lanes_end(z->want.l);
	z->got = lanes_new(z->from, z->to, width);
	f = lod_fill_new(p, z->got, z->from, z->to);
	m = model_new(NULL, 0, &o, &lod_fill_ops, f, NULL);
	z->m = m;
	lod_fill_run(f, m, none_read, &read);
	compare(z);
	lanes_free(z->want.l);
	lanes_free(z->got);
	lod_fill_free(f);
	model_free(m);
	model_free(direct);
	return !read;
}

int main(void)
{
	struct state_report pass = { .p = lod_index_new(FIRST, FIRST + ALL, SHIFT) };
	struct model *m = make_model(&(struct span_ops){0}, NULL, pass.t, pass.c);
	struct zoom z = { .states = true, .who = true, .losses = true, .sums = true };
	bool alone = true;

	printf("# seed %u\n", SEED);
	srandom(SEED);
	make_all();
	report_all(&pass, FIRST, FIRST + ALL);
	lod_index_end(pass.p, m);
	model_free(m);
	for (int i = 0; i < ZOOMS; i++)
		alone &= zoom(pass.p, &z);
	TAP_OK(z.states, "states of 1,000 random zooms");
	TAP_OK(z.who, "who ran longest on CPUs");
	TAP_OK(z.losses, "losses");
	TAP_OK(z.sums, "sums");
	TAP_OK(alone, "no records were read");
	lod_index_free(pass.p);
	for (size_t i = 0; i < TASKS; i++)
		free(tasks[i].v);
	for (size_t i = 0; i < CPUS; i++)
		free(cpus[i].v);
	free(gaps.v);
	return tap_done();
}
