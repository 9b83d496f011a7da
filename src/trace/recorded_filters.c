/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which tasks and CPUs a buffer has no events of. */
#include "trace/trace.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool read_pids(const struct dat *d, const char *key, const char *buffer, struct map *out)
{
	size_t len;
	const char *p = dat_ftr_value_of(d, key, buffer, &len), *end = p ? p + len : NULL;
	bool found = p;
	uint32_t pid;

	for (; p < end; p++) {
		if (!isdigit((unsigned char)*p))
			continue;
		for (pid = 0; p < end && isdigit((unsigned char)*p); p++)
			pid = pid * 10 + (*p - '0');
		map_put(out, pid + 1ull, out);
	}
	return found;
}

void trace_filters_read(const struct trace *t, size_t nr, struct trace_filters *out)
{
	const char *name = t->dat->buffers[nr].name, *mask;
	size_t len;

	*out = (struct trace_filters){0};
	out->has_pids = read_pids(t->dat, DAT_EVENT_PID_KEY, name, &out->pids);
	read_pids(t->dat, DAT_EVENT_NOTRACE_PID_KEY, name, &out->hidden);
	out->forks = dat_ftr_value_of(t->dat, DAT_EVENT_FORK_KEY, name, &len);
	mask = dat_ftr_value_of(t->dat, DAT_CPUMASK_KEY, name, &len);
	if (mask)
		out->cpumask = xstrndup(mask, len);
}

void trace_filters_release(struct trace_filters *f)
{
	map_release(&f->pids);
	map_release(&f->hidden);
	free(f->cpumask);
	*f = (struct trace_filters){0};
}
