/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The snapshot buffer of an instance: taken, cleared, freed. */
#ifndef FTR_TRACEFS_SNAPSHOT_H
#define FTR_TRACEFS_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "tracefs/files/tfs.h"
#include "tracefs/session/session.h"

#define SNAPSHOT_ALL_CPUS (-1)

/* What the file "snapshot" is written: its numbers are the kernel's. */
enum snapshot_act {
	SNAPSHOT_FREE,		/* all CPUs only */
	SNAPSHOT_TAKE,		/* allocates; one CPU: CONFIG_RING_BUFFER_ALLOW_SWAP */
	SNAPSHOT_CLEAR,		/* keeps the memory */
};

struct snapshot_state {
	bool allocated;
	int64_t entries;	/* that it holds; -1 = the tracer's header does not tell */
};

/* -1 with @err: no such instance or CPU, a kernel without snapshots, no rights. */
int snapshot_state(const struct tfs *t, const char *instance, int cpu, struct snapshot_state *st,
		   struct ftr_error *err);
/*
 * Does the tracer that is set there swap the buffer with the snapshot, as those do that keep the
 * longest latency?
 */
bool snapshot_is_tracers(const struct tfs *t, const char *instance);
/* Does @act; closing the session unless it stands frees what it allocated. -1 with @err. */
int snapshot_do(struct session *s, const char *instance, int cpu, enum snapshot_act act,
		struct ftr_error *err);
/* What holds records there: "buffer", else "snapshot"; NULL = neither does. A literal. */
const char *snapshot_what_is_held(const struct tfs *t, const char *instance);
/* Always -1 with @err: @what ("-C") would empty @held there, and how the records are saved. */
int snapshot_refuse_emptying(const char *what, const char *held, const char *instance,
			     struct ftr_error *err);
/* "snapshot", "per_cpu/cpu1/snapshot". The caller frees. */
char *snapshot_file(int cpu);

#endif
