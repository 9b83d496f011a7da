/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which tasks and CPUs a buffer has no events of, as its recorder noted it. */
#ifndef FTR_TRACE_RECORDED_FILTERS_H
#define FTR_TRACE_RECORDED_FILTERS_H

#include "base/map.h"
#include "trace/trace.h"

/*
 * A sched_switch is recorded if one of its two tasks is in set_event_pid and one of them is not in
 * set_event_notrace_pid; a waking if that holds of the task that wakes or of the one that is woken
 * (event_filter_pid_sched_switch_probe_pre() and those behind it, kernel/trace/trace_events.c).
 */
struct trace_filters {
	bool has_pids;			/* only tasks of ->pids have events */
	bool forks;			/* a child is in the lists that its parent is in */
	struct map pids, hidden;	/* pid + 1, to anything */
	char *cpumask;	/* of the CPUs that have events, as the kernel prints it; NULL: all */
};

/* Reads them for buffer @nr of the file. Release them, also where there are none. */
void trace_filters_read(const struct trace *t, size_t nr, struct trace_filters *out);
void trace_filters_release(struct trace_filters *f);

static inline bool trace_filters_any(const struct trace_filters *f)
{
	return f->has_pids || f->hidden.n || f->cpumask;
}

#endif
