/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes recorded data to the disk regularly, so that it survives a loss of power. */
#ifndef FTR_RECORD_FILE_DISK_SYNC_H
#define FTR_RECORD_FILE_DISK_SYNC_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "record/cpu/recorder.h"
#include "record/setup/worker_thread.h"

/* A zeroed sync does not run. */
struct sync {
	struct worker worker;
	struct recorder **recs;
	size_t   nr_recs;
	int      fd;
	uint64_t every_ns;
	struct sync_cpu *cpus;	/* CPUs of all recorders; NULL: leave the page cache alone */
};

/*
 * Starts a thread. Every @ns it writes all data of @recs, and the data in the kernel's buffers, to
 * the file @fd and to the disk, with the file's name. @recs and @fd must stay valid until
 * sync_stop(). @leave: once data is on the disk and was read, drop it from the page cache. Joining
 * the file's parts would later drop it all at once. 0, or -1 with @err.
 */
int sync_start(struct sync *s, struct recorder **recs, size_t n, int fd, uint64_t ns, bool leave,
	       struct ftr_error *err);
void sync_stop(struct sync *s);
/*
 * Writes the rest of the data to the disk in the background. Call it after recorder_stop() and
 * sync_stop(). @fd must stay valid until the next sync_stop(), which waits for the end.
 */
void sync_rest(struct sync *s, int fd);

#endif
