/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Has what is recorded written to the disk now and then, so that a loss of power leaves it. */
#ifndef FTR_RECORD_SYNC_H
#define FTR_RECORD_SYNC_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "record/recorder.h"
#include "record/worker.h"

/* Zeroed is one that does not run. */
struct sync {
	struct worker worker;
	struct recorder **recs;
	size_t   nr_recs;
	int      fd;
	uint64_t every_ns;
};

/*
 * Every @ns, in a thread of its own, all that the recorders @recs have and what the kernel's
 * buffers hold goes into the file behind @fd and to the disk, together with the file's name. Until
 * sync_stop() these stay. 0, or -1 with @err.
 */
int sync_start(struct sync *s, struct recorder **recs, size_t n, int fd, uint64_t ns,
	       struct ftr_error *err);
void sync_stop(struct sync *s);

#endif
