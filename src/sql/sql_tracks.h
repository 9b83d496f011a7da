/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tracks are Perfetto's way from a slice to its task or CPU, and from a counter to its name. The
 * number of a track contains its type and what it belongs to, so that no list of tracks is needed.
 */
#ifndef FTR_SQL_SQL_TRACKS_H
#define FTR_SQL_SQL_TRACKS_H

#include "sql/sql_list.h"

enum track_type {
	TRACK_THREAD,			/* of a utid: system calls, work, marks, locks, probes */
	TRACK_THREAD_CALLS,		/* of a utid: function_graph */
	TRACK_IRQ, TRACK_SOFTIRQ,	/* of a ucpu */
	TRACK_CPU_CALLS,		/* of a ucpu: function_graph of the idle task */
	TRACK_ASYNC,			/* of the utid of a process: marks S, F, G, H, N */
	TRACK_COUNTER,			/* of a number of table counter_track */
	TRACK_TYPES = 8,
};

static inline int64_t track_id(enum track_type type, int64_t of)
{
	return of * TRACK_TYPES + type;
}

/* A counter of a CPU or a process, or of the machine. */
struct counter_track {
	const char *name, *type;	/* "cpufreq", "cpu_frequency" */
	unsigned int file;
	int cpu;			/* -1: of no CPU */
	int64_t upid;			/* utid of a process's first thread; -1: of no process */
};

/* Returns the counters that records have, by their numbers. Reads the files on the first use. */
const struct counter_track *sql_counter_tracks(struct sql_db *db, size_t *n);

#endif
