/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Moves the contents of the kernel's buffers to a trace file. */
#ifndef FTR_RECORD_EXTRACT_BUFFERS_H
#define FTR_RECORD_EXTRACT_BUFFERS_H

#include <stdbool.h>

#include "base/err.h"
#include "base/mem.h"
#include "tracefs/session/session.h"

struct extract_plan {
	struct strv instances;		/* names, "" if top level, in the order of the file */
	bool snapshot;			/* reads the snapshots instead of the buffers */
	bool date, force;
	const char *out_path;
	void (*notice)(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
	void (*warn)(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
};

/*
 * Stops tracing while it reads the buffers, so that all CPUs end at the same time, then resumes it
 * and writes the file. Appends a summary to @summary. Returns 0, or -1 with @err if there is no
 * such instance or no snapshot, or if another process reads it and ->force is not set. If data
 * could not be written, the code is FTR_DAMAGED, and the remaining data is beside the file.
 */
int extract_run(struct session *s, const struct extract_plan *p, struct buf *summary,
		struct ftr_error *err);

#endif
