/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lays out the trace file that is recorded into. */
#ifndef FTR_RECORD_FILE_RAW_SPOOL_H
#define FTR_RECORD_FILE_RAW_SPOOL_H

#include "base/err.h"
#include "file/read/dat_regions.h"
#include "record/cpu/recorder.h"

/*
 * Lays out a region in the empty file @fd for each CPU of each buffer, and makes the recorders
 * write to it. @packed: another region for the same data compressed. 1; 0 if the file system has no
 * sparse files, or too little room (RLIMIT_FSIZE); -1 with @err.
 */
int spool_lay(struct dat_spool *s, int fd, const struct lane_buffer *bufs, size_t n,
	      char *const *clocks, bool packed, struct ftr_error *err);
#endif
