/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Takes what lies in the kernel's buffers into a trace file. */
#ifndef FTR_RECORD_EXTRACT_H
#define FTR_RECORD_EXTRACT_H

#include <stdbool.h>

#include "base/err.h"
#include "base/mem.h"
#include "tracefs/session/session.h"

struct extract_plan {
	struct strv instances;		/* "" = top level; in the order of the file */
	bool snapshot;			/* the snapshot of each instead of its buffer */
	bool date, force;
	const char *out_path;
	void (*say)(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
	void (*warn)(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
};

/*
 * Stops tracing while it empties the buffers, so that all CPUs end at the same time, lets it go on
 * and writes the file. Appends what there was to @summary. -1 with @err: no such instance, no
 * snapshot, others read it and force is not given; code FTR_DAMAGED when data could not be written,
 * what there is of it is then beside the file.
 */
int extract_run(struct session *s, const struct extract_plan *p, struct buf *summary,
		struct ftr_error *err);

#endif
