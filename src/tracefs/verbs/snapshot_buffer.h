/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Takes, clears and frees the snapshot buffer of an instance. */
#ifndef FTR_TRACEFS_VERBS_SNAPSHOT_BUFFER_H
#define FTR_TRACEFS_VERBS_SNAPSHOT_BUFFER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "tracefs/files/tfs.h"
#include "tracefs/session/session.h"

#define SNAPSHOT_ALL_CPUS (-1)

/* The values to write to the file "snapshot". */
enum snapshot_act {
	SNAPSHOT_FREE,		/* of all CPUs only */
	SNAPSHOT_TAKE,		/* allocates; one CPU: CONFIG_RING_BUFFER_ALLOW_SWAP */
	SNAPSHOT_CLEAR,		/* keeps the memory */
};

struct snapshot_state {
	bool allocated;
	int64_t entries; /* number of records in it; -1 = the tracer's header does not show it */
};

/*
 * Reads the state. Returns 0, or -1 with @err: no such instance or CPU, a kernel without snapshots,
 * or no permission.
 */
int snapshot_state(const struct tfs *t, const char *instance, int cpu, struct snapshot_state *st,
		   struct ftr_error *err);
/* True if the instance's tracer swaps the buffer with the snapshot, as latency tracers do. */
bool snapshot_is_tracers(const struct tfs *t, const char *instance);
/*
 * Does @act. The end of the session frees a snapshot that this allocated, unless the changes stay.
 * Returns 0, or -1 with @err.
 */
int snapshot_do(struct session *s, const char *instance, int cpu, enum snapshot_act act,
		struct ftr_error *err);
/* Returns the one that holds records: "buffer", else "snapshot", else NULL. Static string. */
const char *snapshot_what_is_held(const struct tfs *t, const char *instance);
/* Returns -1 with @err: @what ("-C") would empty @held of @instance; how to save the records. */
int snapshot_refuse_emptying(const char *what, const char *held, const char *instance,
			     struct ftr_error *err);
/* Returns "snapshot", or "per_cpu/cpu1/snapshot" if @cpu is 1. The caller frees. */
char *snapshot_file(int cpu);

#endif
