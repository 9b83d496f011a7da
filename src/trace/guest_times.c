/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Times of a guest on the clock of its host.
 *
 * trace-cmd compares the two clocks while it records both, and notes samples for each virtual CPU
 * in the option TIME_SHIFT of the guest's file. They are used as trace-cmd uses them
 * (timestamp_host_sync() of its trace-input.c), so that both print the same times: before the
 * first sample and after the last one the nearest two count, and a CPU with a single sample is not
 * scaled. Products have 128 bits here, as a fraction of 48 bits exceeds 64.
 */
#include <stdlib.h>

#include "base/cursor.h"
#include "base/mem.h"
#include "base/search.h"
#include "trace/trace_priv.h"

#define INTERPOLATE 1u		/* flag: offsets between two samples change evenly */
#define SAMPLE_BYTES 24		/* of a sample without its fraction */

struct guest_sample {
	uint64_t time;			/* raw time of the guest at which the rest was measured */
	int64_t  offset;		/* is added to scaled raw times */
	uint64_t scaling;		/* raw times count * ->scaling / 2^->fraction */
	uint32_t fraction;
};

struct guest_cpu {
	struct guest_sample *v;		/* by time, each with another one */
	size_t n;
};

struct guest_times {
	bool interpolate;
	struct guest_cpu *cpus;
	size_t nr_cpus;
};

/* --- the option */

static int by_sample_time(const void *a, const void *b)
{
	return u64_compare(&((const struct guest_sample *)a)->time,
			   &((const struct guest_sample *)b)->time);
}

static void read_samples(struct cursor *c, struct guest_cpu *cpu)
{
	uint32_t n = cur_u32(c);
	size_t i;

	if (c->bad || n > cur_left(c) / SAMPLE_BYTES) {
		c->bad = true;
		return;
	}
	cpu->v = xcalloc(n + 1, sizeof(*cpu->v));
	cpu->n = n;
	for (i = 0; i < n; i++)
		cpu->v[i].time = cur_u64(c);
	for (i = 0; i < n; i++)
		cpu->v[i].offset = cur_u64(c);
	for (i = 0; i < n; i++)
		cpu->v[i].scaling = cur_u64(c);
}

/* Older files have no fractions. */
static void read_fractions(struct cursor *c, struct guest_times *g)
{
	uint64_t fraction;
	size_t i, k;

	for (i = 0; i < g->nr_cpus && cur_left(c); i++)
		for (k = 0; k < g->cpus[i].n; k++) {
			fraction = cur_u64(c);
			c->bad |= fraction > 63;
			g->cpus[i].v[k].fraction = fraction & 63;
		}
}

/* Sorts the samples. Of those with equal times the first one counts. */
static void sort_samples(struct guest_cpu *cpu)
{
	size_t i, n = 0;

	if (cpu->n)
		qsort(cpu->v, cpu->n, sizeof(*cpu->v), by_sample_time);
	for (i = 0; i < cpu->n; i++)
		if (!n || cpu->v[i].time != cpu->v[n - 1].time)
			cpu->v[n++] = cpu->v[i];
	cpu->n = n;
}

struct guest_times *guest_times_read(const struct dat_option *o, bool big, bool *ok)
{
	struct cursor c = cur_init(o->data.p, o->data.len, big);
	struct guest_times *g = xcalloc(1, sizeof(*g));
	uint32_t n;
	size_t i;

	cur_u64(&c);
	g->interpolate = cur_u32(&c) & INTERPOLATE;
	n = cur_u32(&c);
	c.bad |= n > cur_left(&c) / 4;
	g->nr_cpus = c.bad ? 0 : n;
	g->cpus = xcalloc(g->nr_cpus + 1, sizeof(*g->cpus));
	for (i = 0; i < g->nr_cpus && !c.bad; i++)
		read_samples(&c, &g->cpus[i]);
	if (!c.bad)
		read_fractions(&c, g);
	for (i = 0; i < g->nr_cpus; i++)
		sort_samples(&g->cpus[i]);
	*ok = !c.bad;
	if (*ok && g->nr_cpus)
		return g;
	guest_times_free(g);
	return NULL;
}

void guest_times_free(struct guest_times *g)
{
	size_t i;

	if (!g)
		return;
	for (i = 0; i < g->nr_cpus; i++)
		free(g->cpus[i].v);
	free(g->cpus);
	free(g);
}

/* --- times */

/* Converts a time by a sample and the next one. */
static uint64_t convert_time(const struct guest_times *g, uint64_t raw,
			     const struct guest_sample *a, const struct guest_sample *b)
{
	uint64_t scaled = (unsigned __int128)raw * a->scaling >> a->fraction;
	__int128 delta, change;

	if (!g->interpolate)
		return scaled + (uint64_t)a->offset;
	delta = (__int128)b->time - a->time;
	change = ((__int128)raw - a->time) * ((__int128)b->offset - a->offset) + delta / 2;
	return scaled + (uint64_t)a->offset + (uint64_t)(change / delta);
}

uint64_t guest_times_to_host(const struct guest_times *g, int cpu, uint64_t raw)
{
	const struct guest_cpu *c;
	size_t at;

	if (cpu < 0 || (size_t)cpu >= g->nr_cpus || !g->cpus[cpu].n)
		return raw;
	c = &g->cpus[cpu];
	if (c->n == 1)
		return raw + (uint64_t)c->v[0].offset;
	at = SEARCH_LAST(i, 0, c->n - 1, c->v[i].time <= raw);
	return convert_time(g, raw, &c->v[at], &c->v[at + 1]);
}
