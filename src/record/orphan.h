/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recordings whose process and guardian were both killed. */
#ifndef FTR_RECORD_ORPHAN_H
#define FTR_RECORD_ORPHAN_H

#include "base/err.h"
#include "base/mem.h"
#include "record/meta.h"
#include "tracefs/session.h"

/* Notes in the journal what orphan_complete_all() needs. Before recorder_start(). */
int orphan_note(struct session *s, const char *part_path, const char *path,
		const struct meta_buffer *bufs, size_t n, struct ftr_error *err);
/*
 * For all runs that are dead: stops tracing, takes what the kernel's buffers still hold into the
 * file that was recorded into, and gives it its name, which is added to @files. Before
 * session_recover_all(), which empties the buffers. Goes on after failures; -1 with the first.
 */
int orphan_complete_all(const struct tfs *t, struct strv *files, struct ftr_error *err);

#endif
