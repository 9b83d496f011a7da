/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes finished trace files from the files of a killed recorder. */
#ifndef FTR_RECORD_RESCUE_RESCUE_H
#define FTR_RECORD_RESCUE_RESCUE_H

#include <stdbool.h>

#include "base/damage.h"
#include "base/err.h"
#include "base/mem.h"
#include "file/compress.h"

struct recover_plan {
	/*
	 * An unfinished trace file, or files with raw data of CPUs ("NAME.cpuN",
	 * "NAME.INSTANCE.cpuN"), or the NAME of such data.
	 */
	const struct strv *files;
	const char *out_path;		/* NULL: replace the file, or use the NAME of raw data */
	bool ended;			/* the writer of the file has certainly ended */
	const char *from;		/* a trace file with the metadata of the kernel, or NULL */
	const struct buf *oops;		/* the text of an oops, to put into the file, or NULL */
	/*
	 * For raw data of the previous boot: the symbols with the addresses of that boot, or NULL.
	 * If it is set, only formats are read from this boot, no names of tasks and no values.
	 */
	const struct buf *symbols;
	const char *buffer;	/* for raw data of one buffer: its name in the file, or NULL */
	const struct buf *lines;	/* lines "key=value" to put into the file, or NULL */
	struct compress_opts packing;		/* compression of the new file's metadata */
	void (*notice)(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
	void (*warn)(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
	int (*damages)(const struct damage_list *d);
};

/*
 * Appends a summary of the file to @summary. Returns 0, or 1 if some of the data is damaged, which
 * was reported. Returns -1 with @err if there is nothing to recover, if the recording still runs,
 * or if the file can't be written. The source is unchanged until the new file is complete on the
 * disk.
 */
int recover_run(const struct recover_plan *p, struct buf *summary, struct ftr_error *err);

#endif
