/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lays out the trace file that is recorded into. */
#ifndef FTR_RECORD_SPOOL_H
#define FTR_RECORD_SPOOL_H

#include "base/err.h"
#include "file/parts/dat_spool.h"
#include "record/lane/buffer.h"

/*
 * A region of the file behind @fd, which is empty, for each CPU of each buffer, and the recorders'
 * data goes there; @packed: one more for that data compressed. 1 when that is done, 0 when this
 * file system has no sparse files or too little room (RLIMIT_FSIZE), -1 with @err.
 */
int spool_lay(struct dat_spool *s, int fd, const struct lane_buffer *bufs, size_t n,
	      char *const *clocks, bool packed, struct ftr_error *err);
#endif
