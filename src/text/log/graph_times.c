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
 * by chance take 11 passes with 2 CPUs, and 30 to 55 with 4 to 16.
 */
#include "text/log/graph_times.h"

#include <stdlib.h>

#define PASSES_MAX   64
#define KEY_OF_CPU   (1ull << 32)
/* Durations have seven digits: a call that is later by less is in order. */
#define SLACK(duration) (100 + (duration) / 1000000)

struct graph_times {
	struct dump_rec *v;
	size_t n;
	uint32_t *other;		/* index + 1 of the other end of a call, 0: there is none */
	uint64_t *least;		/* earliest times: those of the kernel, as solved */
	uint64_t *cpu_ns;		/* time of the last record of a CPU */
	size_t   nr_cpus;
	size_t   first_known;		/* index of the first record with a time, or ->n */
};

/* The exit of a leaf function has the line of its entry. */
static bool is_leaf_exit(const struct graph_times *g, size_t i)
{
	return i && g->v[i].kind == DUMP_EXIT && g->v[i - 1].kind == DUMP_ENTRY &&
	       g->v[i].line == g->v[i - 1].line;
}

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
		key = (r->pid > 0 ? (uint64_t)r->pid : KEY_OF_CPU | (uint64_t)r->cpu) << 20;
		key |= r->depth & 0xfffff;
		if (r->kind == DUMP_ENTRY) {
			map_put(&open, key, (void *)(i + 1));
			continue;
		}
		entry = (size_t)map_get(&open, key);
		if (!entry || g->other[entry - 1] || !r->duration_ns)
			continue;
		g->other[entry - 1] = i + 1;
		g->other[i] = entry;
	}
	map_release(&open);
}

static void pass_forward(struct graph_times *g)
{
	uint64_t line_ns = 0, least;

	for (size_t i = 0; i < g->nr_cpus; i++)
		g->cpu_ns[i] = 0;
	for (size_t i = 0; i < g->n; i++) {
		struct dump_rec *r = &g->v[i];
		bool leaf = is_leaf_exit(g, i);

		least = g->cpu_ns[r->cpu];
		if (!leaf && line_ns + 1 > least)
			least = line_ns + 1;
		if (g->least[i] > least)
			least = g->least[i];
		if (r->kind == DUMP_EXIT && g->other[i] &&
		    g->v[g->other[i] - 1].ns + r->duration_ns > least)
			least = g->v[g->other[i] - 1].ns + r->duration_ns;
		if (r->ns < least)
			r->ns = least;
		g->cpu_ns[r->cpu] = r->ns;
		if (!leaf)
			line_ns = r->ns;
	}
}

/* Moves the entries of calls that take longer than their durations. Returns false if none does. */
static bool pass_backward(struct graph_times *g)
{
	bool moved = false;

	for (size_t i = g->n; i-- > 0;) {
		const struct dump_rec *r = &g->v[i];
		struct dump_rec *entry;

		if (r->kind != DUMP_EXIT || !g->other[i])
			continue;
		entry = &g->v[g->other[i] - 1];
		if (entry->ns + r->duration_ns + SLACK(r->duration_ns) >= r->ns)
			continue;
		entry->ns = r->ns - r->duration_ns;
		moved = true;
	}
	return moved;
}

static void solve(struct graph_times *g)
{
	for (size_t i = 0; i < g->n; i++)
		g->v[i].ns = 0;
	for (int pass = 0; pass < PASSES_MAX; pass++) {
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
		if (g->v[i].kind == DUMP_EXIT && g->v[i].duration_ns > g->v[i].ns + room)
			room = g->v[i].duration_ns - g->v[i].ns;
	return room;
}

/*
 * Times of the kernel count from the first of them, which is as late as the records before it need.
 * Returns the number to add to all times.
 */
static uint64_t solve_with_known(struct graph_times *g)
{
	uint64_t first = g->v[g->first_known].ns, start;
	uint64_t *known = xcalloc(g->n, sizeof(*known));

	for (size_t i = g->first_known; i < g->n; i++)
		known[i] = g->v[i].made_time || g->v[i].ns < first ? 0 : g->v[i].ns - first + 1;
	solve(g);
	start = g->v[g->first_known].ns;
	for (size_t i = g->first_known; i < g->n; i++)
		g->least[i] = known[i] ? known[i] - 1 + start : 0;
	solve(g);
	free(known);
	start = g->v[g->first_known].ns;
	return first > start ? first - start : 0;
}

void graph_times_make(struct dump_rec *v, size_t n)
{
	struct graph_times g = { .v = v, .n = n };
	uint64_t add;

	if (!n || n >= UINT32_MAX)
		return;
	g.other = xcalloc(n, sizeof(*g.other));
	g.least = xcalloc(n, sizeof(*g.least));
	for (size_t i = 0; i < n; i++)
		if ((size_t)v[i].cpu >= g.nr_cpus)
			g.nr_cpus = v[i].cpu + 1;
	g.cpu_ns = xcalloc(g.nr_cpus, sizeof(*g.cpu_ns));
	find_calls(&g);
	while (g.first_known < n && v[g.first_known].made_time)
		g.first_known++;
	if (g.first_known < n) {
		add = solve_with_known(&g);
	} else {
		solve(&g);
		add = find_room(&g);
	}
	for (size_t i = 0; i < n; i++)
		v[i].ns += add;
	free(g.other);
	free(g.least);
	free(g.cpu_ns);
}
