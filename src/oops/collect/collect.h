/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Takes a trace that outlived a crash to the disk, in an order in which nothing is lost. */
#ifndef FTR_OOPS_COLLECT_H
#define FTR_OOPS_COLLECT_H

#include <stdbool.h>

#include "base/damage.h"
#include "base/mem.h"
#include "tracefs/files/tfs.h"

/* Where armed boots leave their fronts, and collected traces are kept. */
#define OOPS_DIR "/var/lib/ftr/oops"

struct collect_plan {
	const char *dir;
	const char *instance;		/* "" = top level; NULL: it is looked for */
	size_t keep;			/* so many collected traces stay, the newest; 0 = all */
	bool   if_any;			/* that there is no trace of a crash is no error */
	void (*say)(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
	void (*warn)(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
	int (*damages)(const struct damages *d);
};

/*
 * The kernel's text of the buffer is on the disk before a sub-buffer is taken out of the kernel,
 * the sub-buffers are before they become a file, and that is before the text goes. Appends what is
 * in the file to @summary, its name to @path, which stays empty when there is no trace of a crash
 * and that is no error. 0; 1 when some of the data is damaged, which was told; -1 with @err: no
 * trace of a crash is there, too little room (FTR_DAMAGED, nothing was taken), not written: what
 * was taken lies beside, and is named.
 */
int collect_run(const struct tfs *t, const struct collect_plan *p, struct buf *path,
		struct buf *summary, struct ftr_error *err);

#endif
