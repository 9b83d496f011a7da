/* SPDX-License-Identifier: GPL-2.0-or-later */
/* No record of a selection was shown: what could have been chosen. */
#include <stdlib.h>

#include "base/text.h"
#include "cmd/frame/cmd.h"
#include "cmd/frame/select.h"

/* What all files have. */
struct content {
	uint64_t records, first, last;
	uint64_t cpus[TRACE_CPU_BITS / 64];
};

bool selection_chooses(const struct selection *sel)
{
	const struct filter_spec *s = &sel->spec;

	return s->rules || s->events.n || s->comms.n || s->nr_pids || s->cpus || s->no_hardirq ||
	       s->no_softirq || s->since.kind != FILTER_ANY_TIME ||
	       s->until.kind != FILTER_ANY_TIME;
}

static void count_content(struct content *c, struct trace *t, struct dat_buffer *b)
{
	uint64_t n;
	size_t i;

	for (i = 0; i < b->nr_cpus; i++) {
		n = trace_cpu_count(t, b, &b->cpus[i]);
		c->records += n;
		if (n && b->cpus[i].cpu >= 0 && b->cpus[i].cpu < TRACE_CPU_BITS)
			c->cpus[b->cpus[i].cpu / 64] |= 1ull << b->cpus[i].cpu % 64;
	}
}

static int count_cpus(const struct content *c)
{
	int n = 0;

	for (size_t i = 0; i < sizeof(c->cpus) / sizeof(*c->cpus); i++)
		n += __builtin_popcountll(c->cpus[i]);
	return n;
}

static bool has_cpu(const struct content *c, int cpu)
{
	return cpu < TRACE_CPU_BITS && c->cpus[cpu / 64] >> cpu % 64 & 1;
}

/* " on CPUs 0,2-5": the numbers as --cpu takes them. */
static void add_cpus(struct buf *b, const struct content *c)
{
	const char *comma = "";
	int cpu, end;

	buf_addstr(b, count_cpus(c) == 1 ? " on CPU " : " on CPUs ");
	for (cpu = 0; cpu < TRACE_CPU_BITS; cpu = end + 1) {
		for (end = cpu; has_cpu(c, end); end++)
			;
		if (end == cpu)
			continue;
		buf_printf(b, "%s%d", comma, cpu);
		if (end > cpu + 1)
			buf_printf(b, "-%d", end - 1);
		comma = ",";
	}
}

/* As lines show it: those of the kernel's format are without DATE and OFFSET. */
static void add_shown_time(struct buf *b, const struct selection *s, uint64_t ts,
			   bool nanoseconds)
{
	const struct trace *t = s->traces[0];

	trace_add_time(b, t, s->kernel_times ? ts - (uint64_t)t->date_ns : ts, nanoseconds);
}

static void say_content(const struct selection *s, const struct content *c, bool nanoseconds)
{
	char *has = s->nr_traces == 1 ? xasprintf("'%s' has", s->traces[0]->dat->path) :
		    xasprintf("the %zu files have", s->nr_traces);
	struct buf b = {0};

	text_grouped(&b, c->records);
	buf_printf(&b, " record%s from ", c->records == 1 ? "" : "s");
	add_shown_time(&b, s, c->first, nanoseconds);
	buf_addstr(&b, " to ");
	add_shown_time(&b, s, c->last, nanoseconds);
	add_cpus(&b, c);
	if (c->records)
		cmd_say("no record matches; %s %s", has, b.data);
	else
		cmd_say("no record matches; %s no records", has);
	buf_release(&b);
	free(has);
}

void selection_say_none(const struct selection *s, bool nanoseconds)
{
	struct content c = { .first = UINT64_MAX };
	size_t i, k;

	if (cmd_quiet || !selection_chooses(s))
		return;
	for (i = 0; i < s->nr_traces; i++) {
		trace_bounds(s->traces[i], &c.first, &c.last);
		for (k = 0; k < s->traces[i]->dat->nr_buffers; k++)
			count_content(&c, s->traces[i], &s->traces[i]->dat->buffers[k]);
	}
	say_content(s, &c, nanoseconds);
}

void selection_say_losses(const struct out_losses *lost)
{
	struct buf b = {0};

	text_grouped(&b, lost->events);
	if (lost->events)
		cmd_say("%s events were lost in the recording%s", b.data,
			lost->unknown ? ", and an unknown number of others" : "");
	else if (lost->unknown)
		cmd_say("an unknown number of events was lost in the recording");
	buf_release(&b);
}
