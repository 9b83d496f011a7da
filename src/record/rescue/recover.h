/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes finished trace files of what a recorder left when it was killed. */
#ifndef FTR_RECORD_RECOVER_H
#define FTR_RECORD_RECOVER_H

#include <stdbool.h>

#include "base/damage.h"
#include "base/err.h"
#include "base/mem.h"
#include "file/parts/packer.h"

struct recover_plan {
	/*
	 * One trace file that was not finished, or raw data of CPUs ("NAME.cpuN",
	 * "NAME.INSTANCE.cpuN"), or the NAME of such data.
	 */
	const struct strv *files;
	const char *out_path;		/* NULL: in place of the file; of raw data its NAME */
	bool ended;			/* whoever wrote the file is known to have ended */
	const char *from;		/* a trace file that knows the kernel, or NULL */
	const struct buf *oops;		/* the text of an oops that the file is to have, or NULL */
	/*
	 * Raw data of the boot before this one: the kernel's symbols as they lay then, or NULL. Of
	 * this boot are formats alone then, and neither names of tasks nor values.
	 */
	const struct buf *symbols;
	const char *buffer;		/* raw data of one buffer: its name in the file, or NULL */
	const struct buf *lines;	/* lines "key=value" that the file is to have, or NULL */
	struct packing packing;		/* of the new file's metadata */
	void (*say)(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
	void (*warn)(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
	int (*damages)(const struct damages *d);
};

/*
 * Appends what is in the file to @summary. 0; 1 when some of the data is damaged, which was told;
 * -1 with @err: nothing to recover, still being recorded, not written. What it reads from stays as
 * it is until the new file is complete on the disk.
 */
int recover_run(const struct recover_plan *p, struct buf *summary, struct ftr_error *err);

#endif
