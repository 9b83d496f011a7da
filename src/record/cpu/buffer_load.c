/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The load of a recording: the kernel's counters of its buffers, since they were added.
 *
 * The live line, --max-rate, the list of CPUs that lost events and --dry-run need the amounts of
 * recorded and lost data. per_cpu/cpuN/stats has them: the events of each CPU that wait, were read
 * and were overwritten. The bytes are those in the file and those that wait; overwritten records
 * count with the average size. Each CPU's file takes time to read. So all counters are read at
 * most four times a second and for at most a fiftieth of a processor's time, but at least once a
 * second.
 */
#include "record/cpu/buffer_load.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { LOST_NAMED = 4 };		/* CPUs that are listed by number */

/* A counter that is less than before was reset, as the buffer was emptied in between. */
static uint64_t count_since(uint64_t now, uint64_t first)
{
	return now >= first ? now - first : now;
}

static uint64_t events_written(const struct tfs_stats *st)
{
	return st->entries + st->read_events + st->overrun;
}

uint64_t load_events(const struct load_cpu *c)
{
	return count_since(events_written(&c->now), events_written(&c->first));
}

static uint64_t cpu_overrun(const struct load_cpu *c)
{
	return count_since(c->now.overrun, c->first.overrun);
}

static uint64_t cpu_dropped(const struct load_cpu *c)
{
	return count_since(c->now.commit_overrun, c->first.commit_overrun) +
	       count_since(c->now.dropped, c->first.dropped);
}

uint64_t load_lost(const struct load_cpu *c, bool overrun)
{
	return cpu_dropped(c) + (overrun ? cpu_overrun(c) : 0);
}

void load_add(struct buffer_load *l, const char *instance)
{
	char *file, *line;
	struct load_cpu *c;
	int *cpus = NULL;
	size_t i, n;

	if (tfs_cpus(l->t, instance, &cpus, &n, NULL))
		return;
	l->v = xgrow(l->v, &l->cap, l->n + n, sizeof(*l->v));
	for (i = 0; i < n; i++) {
		file = xasprintf("per_cpu/cpu%d/buffer_size_kb", cpus[i]);
		line = tfs_line(l->t, instance, file);
		c = &l->v[l->n++];
		*c = (struct load_cpu){
			.instance = xstrdup(instance ? instance : ""), .cpu = cpus[i],
			.room = strtoull(line, NULL, 10) * 1024,
		};
		tfs_stats(l->t, instance, cpus[i], &c->first);
		c->now = c->first;
		free(line);
		free(file);
	}
	free(cpus);
}

void load_read(struct buffer_load *l)
{
	struct tfs_stats st;
	size_t i;

	for (i = 0; i < l->n; i++)
		if (!tfs_stats(l->t, l->v[i].instance, l->v[i].cpu, &st))
			l->v[i].now = st;
}

void load_sum(const struct buffer_load *l, const char *instance, struct load_sum *out)
{
	const struct load_cpu *c;
	unsigned int percent;

	*out = (struct load_sum){0};
	for (c = l->v; c < l->v + l->n; c++) {
		if (instance && strcmp(instance, c->instance))
			continue;
		out->events += load_events(c);
		out->overrun += cpu_overrun(c);
		out->dropped += cpu_dropped(c);
		out->waiting += c->now.bytes;
		out->room += c->room;
		percent = c->room ? c->now.bytes * 100 / c->room : 0;
		if (percent > out->percent)
			out->percent = percent < 100 ? percent : 100;
	}
}

uint64_t load_bytes(const struct load_sum *s, uint64_t taken)
{
	uint64_t there = taken + s->waiting;
	uint64_t kept = s->events > s->overrun ? s->events - s->overrun : 1;

	return there + (uint64_t)((double)there / kept * s->overrun);
}

/*
 * Returns the CPU with the most lost events that is not in @named, or NULL. qsort() has no context
 * argument, and lists of CPUs are short.
 */
static const struct load_cpu *worst_cpu(const struct buffer_load *l, bool overrun,
					const bool *named)
{
	const struct load_cpu *c, *found = NULL;

	for (c = l->v; c < l->v + l->n; c++)
		if (!named[c - l->v] && load_lost(c, overrun) &&
		    (!found || load_lost(c, overrun) > load_lost(found, overrun)))
			found = c;
	return found;
}

void load_describe_lost(const struct buffer_load *l, bool overrun, struct buf *out)
{
	bool *named = xcalloc(l->n + 1, sizeof(*named));
	const struct load_cpu *c;
	size_t i, others = 0;

	for (i = 0; i < LOST_NAMED && (c = worst_cpu(l, overrun, named)); i++) {
		named[c - l->v] = true;
		buf_printf(out, "%sCPU %d", i ? ", " : "", c->cpu);
		if (*c->instance)
			buf_printf(out, " of '%s'", c->instance);
		buf_addstr(out, " (");
		text_grouped(out, load_lost(c, overrun));
		buf_addstr(out, ")");
	}
	for (i = 0; i < l->n; i++)
		others += !named[i] && load_lost(&l->v[i], overrun);
	if (others)
		buf_printf(out, " and %zu other%s", others, others == 1 ? "" : "s");
	free(named);
}

void load_release(struct buffer_load *l)
{
	size_t i;

	for (i = 0; i < l->n; i++)
		free(l->v[i].instance);
	free(l->v);
	*l = (struct buffer_load){0};
}
