/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes the times of a function graph whose lines have none, out of their order and the durations.
 *
 * The lines of all CPUs stand in the order of time. A clock that counts durations line by line
 * contradicts them: while a call of 28 ms ends on one CPU, the calls around the line of another CPU
 * would have to take that long, too. So times are the least ones for which
 *
 *	each line is later than the line before it, and
 *	each exit is its call's duration after its entry.
 *
 * A pass forwards moves records after those before them, and exits after their entries. A pass
 * backwards moves the entries of exits that became late. The real times fulfil all this, so that
 * there are such times, but for the rounding of durations. Graphs of 20,000 records that are drawn
 * by chance take 11 passes with 2 CPUs, and 30 to 55 with 4 to 16. Long graphs get fewer passes, so
 * that a line costs no more: calls that are still too long then keep their durations alone.
 */
#include "text/log/graph_times.h"

#include <stdlib.h>
#include <string.h>

#define PASSES_MAX   64
#define PASSES_LEAST 12
#define PASSES_LINES 4000000	/* records of all passes, above PASSES_LEAST */
#define KEY_OF_CPU   (1ull << 32)
/* Durations have seven digits: a call that is later by less is in order. */
#define SLACK(duration) (100 + (duration) / 1000000)

/* An exit, and the entry of its call. */
struct graph_call {
	uint32_t entry, exit;		/* indices of records */
	uint64_t duration_ns;
	uint64_t reach_ns;		/* longest time that is no longer than the duration */
};

/* What a pass needs of a record. */
struct graph_step {
	uint64_t least;			/* earliest time: the kernel's, as solved */
	uint32_t call;			/* of an exit: index + 1 of its call, 0: none */
	uint16_t cpu;
	bool     is_leaf;		/* an exit that has the line of its entry */
};

struct graph_times {
	struct dump_rec *v;
	size_t n;
	struct graph_step *steps;	/* of each record */
	uint64_t *ns;			/* time of each record */
	struct graph_call *calls;	/* in the order of their exits */
	size_t   nr_calls;
	uint64_t *cpu_ns;		/* time of the last record of a CPU */
	size_t   nr_cpus;
	size_t   first_known;		/* index of the first record with a time, or ->n */
};

/* Finds both ends of each call: of one task and depth. The idle tasks are one for each CPU. */
static void find_calls(struct graph_times *g)
{
	struct map open = {0};
	uint64_t key;
	size_t entry;

	for (size_t i = 0; i < g->n; i++) {
		const struct dump_rec *r = &g->v[i];

		if (r->kind != DUMP_ENTRY && r->kind != DUMP_EXIT)
			continue;
		if (g->steps[i].is_leaf && r->duration_ns) {
			entry = i;
		} else {
			key = (r->pid > 0 ? (uint64_t)r->pid : KEY_OF_CPU | (uint64_t)r->cpu) << 20;
			key |= r->depth & 0xfffff;
			if (r->kind == DUMP_ENTRY) {
				if (i + 1 == g->n || !g->steps[i + 1].is_leaf)
					map_put(&open, key, (void *)(i + 1));
				continue;
			}
			if (!r->duration_ns)
				continue;
			/* each entry has one exit */
			entry = (size_t)map_put(&open, key, (void *)(g->n + 1));
			if (!entry || entry > g->n)
				continue;
		}
		g->calls[g->nr_calls] = (struct graph_call){
			entry - 1, i, r->duration_ns, r->duration_ns + SLACK(r->duration_ns),
		};
		g->steps[i].call = ++g->nr_calls;
	}
	map_release(&open);
}

static void pass_forward(struct graph_times *g)
{
	uint64_t line_ns = 0, least;

	for (size_t i = 0; i < g->nr_cpus; i++)
		g->cpu_ns[i] = 0;
	for (size_t i = 0; i < g->n; i++) {
		const struct graph_step *step = &g->steps[i];
		const struct graph_call *c;

		least = g->cpu_ns[step->cpu];
		if (!step->is_leaf && line_ns + 1 > least)
			least = line_ns + 1;
		if (step->least > least)
			least = step->least;
		if (step->call) {
			c = &g->calls[step->call - 1];
			if (g->ns[c->entry] + c->duration_ns > least)
				least = g->ns[c->entry] + c->duration_ns;
		}
		if (g->ns[i] > least)
			least = g->ns[i];
		g->ns[i] = g->cpu_ns[step->cpu] = least;
		if (!step->is_leaf)
			line_ns = least;
	}
}

static bool is_late(const struct graph_times *g, const struct graph_call *c)
{
	return g->ns[c->entry] + c->reach_ns < g->ns[c->exit];
}

/* Moves the entries of calls that take longer than their durations. Returns false if none does. */
static bool pass_backward(struct graph_times *g)
{
	bool moved = false;

	for (size_t i = g->nr_calls; i-- > 0;) {
		const struct graph_call *c = &g->calls[i];

		if (!is_late(g, c))
			continue;
		g->ns[c->entry] = g->ns[c->exit] - c->duration_ns;
		moved = true;
	}
	return moved;
}

static void solve(struct graph_times *g)
{
	size_t passes = PASSES_LINES / g->n;

	passes = passes > PASSES_MAX ? PASSES_MAX : passes < PASSES_LEAST ? PASSES_LEAST : passes;
	memset(g->ns, 0, g->n * sizeof(*g->ns));
	while (passes--) {
		pass_forward(g);
		if (!pass_backward(g))
			return;
	}
	pass_forward(g);
}

/* Returns what is to be added so that calls from before the text start after 0. */
static uint64_t find_room(const struct graph_times *g)
{
	uint64_t room = 0;

	for (size_t i = 0; i < g->n; i++)
		if (g->v[i].kind == DUMP_EXIT && g->v[i].duration_ns > g->ns[i] + room)
			room = g->v[i].duration_ns - g->ns[i];
	return room;
}

/*
 * Times of the kernel count from the first of them, which is as late as the records before it need.
 * Returns the number to add to all times.
 */
static uint64_t solve_with_known(struct graph_times *g)
{
	uint64_t first = g->v[g->first_known].ns, start;

	solve(g);
	start = g->ns[g->first_known];
	for (size_t i = g->first_known; i < g->n; i++)
		if (!g->v[i].made_time && g->v[i].ns >= first)
			g->steps[i].least = g->v[i].ns - first + start;
	solve(g);
	start = g->ns[g->first_known];
	return first > start ? first - start : 0;
}

static void start_steps(struct graph_times *g)
{
	g->first_known = g->n;
	for (size_t i = 0; i < g->n; i++) {
		const struct dump_rec *r = &g->v[i];

		if ((size_t)r->cpu >= g->nr_cpus)
			g->nr_cpus = r->cpu + 1;
		if (!r->made_time && g->first_known == g->n)
			g->first_known = i;
		g->steps[i].cpu = r->cpu;
		g->steps[i].is_leaf = i && r->kind == DUMP_EXIT && r[-1].kind == DUMP_ENTRY &&
				      r->line == r[-1].line;
	}
	g->cpu_ns = xcalloc(g->nr_cpus, sizeof(*g->cpu_ns));
}

size_t graph_times_make(struct dump_rec *v, size_t n)
{
	struct graph_times g = { .v = v, .n = n };
	size_t late = 0;
	uint64_t add;

	if (!n || n >= UINT32_MAX)
		return 0;
	g.steps = xcalloc(n, sizeof(*g.steps));
	g.ns = xcalloc(n, sizeof(*g.ns));
	g.calls = xcalloc(n, sizeof(*g.calls));
	start_steps(&g);
	find_calls(&g);
	if (g.first_known < n) {
		add = solve_with_known(&g);
	} else {
		solve(&g);
		add = find_room(&g);
	}
	for (size_t i = 0; i < g.nr_calls; i++)
		late += is_late(&g, &g.calls[i]);
	for (size_t i = 0; i < n; i++)
		v[i].ns = g.ns[i] + add;
	free(g.steps);
	free(g.ns);
	free(g.calls);
	free(g.cpu_ns);
	return late;
}
