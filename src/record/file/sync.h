/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Has what is recorded written to the disk now and then, so that a loss of power leaves it. */
#ifndef FTR_RECORD_SYNC_H
#define FTR_RECORD_SYNC_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "record/lane/recorder.h"
#include "record/plan/worker.h"

/* Zeroed is one that does not run. */
struct sync {
	struct worker worker;
	struct recorder **recs;
	size_t   nr_recs;
	int      fd;
	uint64_t every_ns;
	struct sync_cpu *cpus;		/* of all recorders, or NULL: the page cache keeps all */
};

/*
 * Every @ns, in a thread of its own, all that the recorders @recs have and what the kernel's
 * buffers hold goes into the file behind @fd and to the disk, together with the file's name. Until
 * sync_stop() these stay. @leave: the page cache gives up what is on the disk and was read, as
 * joining the parts of a file does with all that is still there. 0, or -1 with @err.
 */
int sync_start(struct sync *s, struct recorder **recs, size_t n, int fd, uint64_t ns, bool leave,
	       struct ftr_error *err);
void sync_stop(struct sync *s);
/*
 * After recorder_stop() and sync_stop(): what is not on the disk yet is on its way, beside what the
 * caller does. Until the next sync_stop(), which waits, @fd stays.
 */
void sync_rest(struct sync *s, int fd);

#endif
