/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Saves a trace that survived a crash to the disk, in an order in which nothing can be lost. */
#ifndef FTR_OOPS_COLLECT_H
#define FTR_OOPS_COLLECT_H

#include <stdbool.h>

#include "base/damage.h"
#include "base/mem.h"
#include "tracefs/files/tfs.h"

/* The directory for skeletons of armed boots and for collected traces. */
#define OOPS_DIR "/var/lib/ftr/oops"

struct collect_plan {
	const char *dir;
	const char *instance;		/* "" = top level; if it is NULL all are searched */
	size_t keep;			/* number of newest collected traces to keep; 0 = all */
	bool   if_any;			/* if there is no trace of a crash, that is no error */
	void (*notice)(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
	void (*warn)(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
	int (*damages)(const struct damage_list *d);
	void (*line)(const char *text);	/* shows the current step, as in rec_plan, or is NULL */
};

/*
 * Writes the kernel's text of the buffer to the disk, then reads and writes the sub-buffers, makes
 * the file from them, and only then removes the text. Appends a summary of the file to @summary and
 * its name to @path. If there is no trace of a crash and ->if_any is set, @path stays empty, and
 * @err has the reason. Returns 0, or 1 if some of the data is damaged, which was reported. Returns
 * -1 with @err if there is no trace of a crash, if there is too little room (FTR_DAMAGED, nothing
 * was read), or if the file can't be written; @err then names the files with the data read.
 */
int collect_run(const struct tfs *t, const struct collect_plan *p, struct buf *path,
		struct buf *summary, struct ftr_error *err);

#endif
