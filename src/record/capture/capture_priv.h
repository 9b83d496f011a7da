/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What capture.c and capture_end.c share. */
#ifndef FTR_RECORD_CAPTURE_PRIV_H
#define FTR_RECORD_CAPTURE_PRIV_H

#include "record/capture/capture.h"
#include "record/setup/worker_thread.h"

struct capture {
	struct captured got;		/* the first: captured_free() */

	bool     all_formats;		/* of what the data can have in it nothing is known */
	bool     wants_btf;
	struct capture_hooks hooks;

	/* the thread's while it runs, as are formats, symbols and what belongs to them */
	struct buf state;		/* modules and dynamic events of the last reading */
	struct buf values;		/* kvalues.h */
	struct strv modules;		/* "NAME SIZE ADDRESS", all that were seen */
	struct worker worker;
};

/* One more of ->got.notes. */
void capture_lacks(struct capture *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A file of tracefs; empty, but not NULL, if it can't be read. */
void capture_text(const struct capture *c, const char *instance, const char *file, struct buf *out);
/* Notes the time of day beside the clock of a buffer. */
void capture_wall(struct capture *c, const char *what, const char *name, const char *instance);

#endif
