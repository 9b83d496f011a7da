/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recordings whose process and guardian were both killed. */
#ifndef FTR_RECORD_ORPHAN_H
#define FTR_RECORD_ORPHAN_H

#include "base/err.h"
#include "base/mem.h"
#include "record/lane/buffer.h"
#include "tracefs/session/session.h"

/* What the journal notes of a file that is recorded into. */
struct orphan {
	const char *part;		/* its name until it is complete */
	const char *path;
	struct orphan_buffer {
		const char *instance, *batches;		/* ""; NULL */
	} *bufs;
	size_t n;
	char *text;			/* what orphan_read() let the others point to */
};

/* The note's text and back; whatever paths hold. */
void orphan_write(struct buf *b, const struct orphan *o);
void orphan_read(struct orphan *o, const char *text);
void orphan_release(struct orphan *o);

/*
 * Notes in the journal what orphan_complete_all() needs. Before recorder_start(), and once more
 * without buffers when all is taken and tracefs is about to be put back.
 */
int orphan_note(struct session *s, const char *part_path, const char *path,
		const struct lane_buffer *bufs, size_t n, struct ftr_error *err);
/*
 * For all runs that are dead: stops tracing, takes what the kernel's buffers still hold into the
 * file that was recorded into, and gives it its name, which is added to @files. Before
 * session_recover_all(), which empties the buffers. Goes on after failures; -1 with the first.
 */
int orphan_complete_all(const struct tfs *t, struct strv *files, struct ftr_error *err);

#endif
