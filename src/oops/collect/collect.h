/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Saves a trace that survived a crash to the disk, in an order in which nothing can be lost. */
#ifndef FTR_OOPS_COLLECT_H
#define FTR_OOPS_COLLECT_H

#include <stdbool.h>

#include "base/damage.h"
#include "base/mem.h"
#include "tracefs/files/tfs.h"

/* The folder for the fronts of armed boots and for collected traces. */
#define OOPS_DIR "/var/lib/ftr/oops"

struct collect_plan {
	const char *dir;
	const char *instance;		/* "" = top level; NULL: search for it */
	size_t keep;			/* number of newest collected traces to keep; 0 = all */
	bool   if_any;			/* it is no error if there is no trace of a crash */
	void (*say)(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
	void (*warn)(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
	int (*damages)(const struct damages *d);
	void (*line)(const char *text);	/* shows what is done, as in rec_plan; NULL: nobody looks */
};

/*
 * First the kernel's text of the buffer is written to the disk, then the sub-buffers are read and
 * written, then the file is made from them; only then the text is removed. Appends a summary of the
 * file to @summary and its name to @path. @path stays empty if there is no trace of a crash and
 * ->if_any is set, and @err then says so. 0; 1 if some of the data is damaged, which was reported;
 * -1 with @err: there is no trace of a crash, too little room (FTR_DAMAGED, nothing was read), or
 * the file can't be written; @err then names the files with the data read.
 */
int collect_run(const struct tfs *t, const struct collect_plan *p, struct buf *path,
		struct buf *summary, struct ftr_error *err);

#endif
