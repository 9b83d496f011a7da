/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One moment by three clocks: the trace clock, the time of day, CLOCK_MONOTONIC. */
#include "record/capture/clock_moment.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/now.h"

enum { NR_TRIES = 5 };

struct moment {
	uint64_t trace;
	int64_t real_ns, mono_ns;
	int64_t took_ns;		/* within this the clocks were read */
};

/* "now ts:  1234.567890" in seconds, or "now ts: 1234567890" of a clock that does not count ns. */
static bool parse_now(const char *stats, uint64_t *now)
{
	static const char name[] = "now ts:";
	const char *at = strstr(stats, name);
	char *end;
	uint64_t us;

	if (!at)
		return false;
	*now = strtoull(at + sizeof(name) - 1, &end, 10);
	if (*end != '.')
		return *end == '\n';
	us = strtoull(end + 1, NULL, 10);
	/* cut off, not rounded: the middle is nearest */
	*now = *now * 1000000000 + us * 1000 + 500;
	return us < 1000000;
}

static bool read_moment(const struct tfs *t, const char *instance, const char *file,
			struct moment *m)
{
	struct buf text = {0};
	int64_t real, mono, after;
	bool ok;

	real = clock_ns(CLOCK_REALTIME);
	mono = clock_ns(CLOCK_MONOTONIC);
	ok = !tfs_read(t, instance, file, &text, NULL);
	after = clock_ns(CLOCK_MONOTONIC);
	m->took_ns = after - mono;
	m->real_ns = real + m->took_ns / 2;
	m->mono_ns = mono + m->took_ns / 2;
	ok = ok && parse_now(text.data, &m->trace);
	buf_release(&text);
	return ok;
}

int wall_read(const struct tfs *t, const char *instance, struct buf *out)
{
	struct moment best = { .took_ns = INT64_MAX }, m;
	int *cpus = NULL, i;
	size_t n;
	char *file;

	if (tfs_cpus(t, instance, &cpus, &n, NULL) || !n) {
		free(cpus);
		return -1;
	}
	file = xasprintf("per_cpu/cpu%d/stats", cpus[0]);
	for (i = 0; i < NR_TRIES; i++)
		if (read_moment(t, instance, file, &m) && m.took_ns < best.took_ns)
			best = m;
	free(file);
	free(cpus);
	if (best.took_ns == INT64_MAX)
		return -1;
	buf_printf(out, "%" PRIu64 " %" PRId64 " %" PRId64, best.trace, best.real_ns,
		   best.mono_ns);
	return 0;
}

static bool parse_moment(const char *text, uint64_t *trace, uint64_t *mono_ns)
{
	int64_t real;

	return text && sscanf(text, "%" SCNu64 " %" SCNd64 " %" SCNu64, trace, &real, mono_ns) == 3;
}

int wall_line(struct wall_line *l, const char *begin, const char *end, bool ns)
{
	uint64_t trace, mono_ns;
	bool both = parse_moment(begin, &l->trace, &l->mono_ns);

	if (!parse_moment(end, &trace, &mono_ns)) {
		trace = l->trace;
		mono_ns = l->mono_ns;
		if (!both)
			return -1;
		both = false;
	} else if (!both) {
		l->trace = trace;
		l->mono_ns = mono_ns;
	}
	l->trace_span = l->mono_span = 1;
	if (both && trace > l->trace && mono_ns > l->mono_ns) {
		l->trace_span = trace - l->trace;
		l->mono_span = mono_ns - l->mono_ns;
		return 0;
	}
	return ns ? 0 : -1;
}

uint64_t wall_trace(const void *line, uint64_t mono_ns)
{
	const struct wall_line *l = line;
	__int128 by = ((__int128)mono_ns - l->mono_ns) * l->trace_span / l->mono_span;

	return by < -(__int128)l->trace ? 0 : l->trace + (uint64_t)by;
}
