/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Made times of function graphs: graphs with times that are drawn by chance, without these times. The
 * result has to have the order of the lines and the durations, which are all that the text has.
 */

#include "tap.h"
#include "text/log/graph_times.h"

#define CPUS	4
#define RECORDS 2000
#define DEPTH	6

static uint64_t state = 7;

static uint64_t draw(uint64_t below)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (state >> 33) % below;
}

struct graph {
	struct dump_rec v[2 * RECORDS];
	uint64_t real[2 * RECORDS];
	size_t entry[2 * RECORDS];	/* of an exit: index + 1 of its entry */
	size_t n;
};

static struct dump_rec *add(struct graph *g, int cpu, int pid, enum dump_kind kind, uint64_t ns)
{
	struct dump_rec *r = &g->v[g->n];

	*r = (struct dump_rec){ .kind = kind, .cpu = cpu, .pid = pid, .line = g->n,
				.made_time = true };
	g->real[g->n++] = ns;
	return r;
}

/* Calls of nanoseconds to milliseconds on each CPU, nested and leaves. */
static void fill(struct graph *g)
{
	size_t open[CPUS][DEPTH];
	uint32_t depth[CPUS] = {0};
	uint64_t ns = 1000, took;
	struct dump_rec *r;
	int cpu;

	memset(g, 0, sizeof(*g));
	while (g->n < RECORDS) {
		cpu = draw(CPUS);
		ns += draw(20) ? 1 + draw(900) : draw(20000000);
		if (depth[cpu] && (draw(2) || depth[cpu] == DEPTH)) {
			size_t entry = open[cpu][--depth[cpu]];

			r = add(g, cpu, 100 + cpu, DUMP_EXIT, ns);
			r->depth = depth[cpu];
			r->duration_ns = ns - g->real[entry];
			g->entry[g->n - 1] = entry + 1;
		} else if (draw(3)) {
			open[cpu][depth[cpu]] = g->n;
			add(g, cpu, 100 + cpu, DUMP_ENTRY, ns)->depth = depth[cpu];
			depth[cpu]++;
		} else {
			/* a leaf is over before the next line of its CPU; that comes with the next time */
			took = 1 + draw(50);
			add(g, cpu, 100 + cpu, DUMP_ENTRY, ns)->depth = depth[cpu];
			r = add(g, cpu, 100 + cpu, DUMP_EXIT, ns + took);
			r->depth = depth[cpu];
			r->line = g->v[g->n - 2].line;
			r->duration_ns = took;
			g->entry[g->n - 1] = g->n - 1;
			ns += took;
		}
	}
}

static bool in_order(const struct graph *g)
{
	uint64_t line = 0, cpu[CPUS] = {0};

	for (size_t i = 0; i < g->n; i++) {
		const struct dump_rec *r = &g->v[i];
		bool leaf = i && r->kind == DUMP_EXIT && r->line == g->v[i - 1].line;

		if (r->ns < cpu[r->cpu] || (!leaf && r->ns < line))
			return false;
		cpu[r->cpu] = r->ns;
		if (!leaf)
			line = r->ns;
	}
	return true;
}

/* Returns the largest difference of a call's time from its duration. */
static uint64_t worst(const struct graph *g)
{
	uint64_t most = 0, took, off;

	for (size_t i = 0; i < g->n; i++) {
		if (!g->entry[i])
			continue;
		took = g->v[i].ns - g->v[g->entry[i] - 1].ns;
		off = took > g->v[i].duration_ns ? took - g->v[i].duration_ns :
						   g->v[i].duration_ns - took;
		/* durations have seven digits */
		off = off > g->v[i].duration_ns / 1000000 ? off - g->v[i].duration_ns / 1000000 : 0;
		most = off > most ? off : most;
	}
	return most;
}

static void random_graphs(struct graph *g)
{
	bool order = true;
	uint64_t most = 0, off;

	for (int round = 0; round < 30; round++) {
		fill(g);
		graph_times_make(g->v, g->n);
		order &= in_order(g);
		off = worst(g);
		most = off > most ? off : most;
	}
	TAP_OK(order, "lines keep their order");
	TAP_OK(most <= 200, "calls take their durations");
	printf("# at most %" PRIu64 " ns off\n", most);
}

/* An exit without its entry: the call started before the text, at or after 0. */
static void earlier_calls(struct graph *g)
{
	memset(g, 0, sizeof(*g));
	add(g, 0, 5, DUMP_EVENT, 0);
	add(g, 0, 5, DUMP_EXIT, 0)->duration_ns = 7000;
	add(g, 1, 6, DUMP_EXIT, 0)->duration_ns = 3000;
	graph_times_make(g->v, g->n);
	TAP_OK(g->v[1].ns >= 7000 && in_order(g), "a call from before the text starts after 0");
}

/* Records with times of the kernel: those before the first of them end there. */
static void known_times(struct graph *g)
{
	struct dump_rec *r;

	memset(g, 0, sizeof(*g));
	add(g, 0, 5, DUMP_ENTRY, 0);
	r = add(g, 0, 5, DUMP_EXIT, 0);
	r->duration_ns = 4000;
	r = add(g, 0, 5, DUMP_STACK, 0);
	r->made_time = false;
	r->ns = 1000000;
	add(g, 1, 6, DUMP_EVENT, 0);
	r = add(g, 0, 5, DUMP_STACK, 0);
	r->made_time = false;
	r->ns = 2000000;
	graph_times_make(g->v, g->n);
	TAP_OK(g->v[2].ns == 1000000 && g->v[4].ns == 2000000, "times of the kernel stay");
	TAP_OK(g->v[0].ns < 1000000 && g->v[1].ns - g->v[0].ns == 4000 && in_order(g),
	       "a call before them ends there");
}

int main(void)
{
	static struct graph g;

	random_graphs(&g);
	earlier_calls(&g);
	known_times(&g);
	TAP_EQ(graph_times_make(g.v, 0), 0, "no records have no calls");
	return tap_done();
}
