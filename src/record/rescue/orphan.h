/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Completes recordings whose process and guardian were both killed. */
#ifndef FTR_RECORD_ORPHAN_H
#define FTR_RECORD_ORPHAN_H

#include "base/err.h"
#include "base/mem.h"
#include "record/cpu/recorder.h"
#include "tracefs/session/session.h"

/* The journal's note of a file that is recorded into. */
struct orphan_file {
	const char *part;		/* its path until it is complete */
	const char *path;
	struct orphan_buffer {
		const char *instance, *batches;		/* "" = top level; NULL: no batches */
	} *bufs;
	size_t n;
	char *text;			/* memory of the strings, after orphan_read() */
};

/* Write and parse the text of the note. Paths may have any bytes. */
void orphan_write(struct buf *b, const struct orphan_file *o);
void orphan_read(struct orphan_file *o, const char *text);
void orphan_release(struct orphan_file *o);

/*
 * Notes in the journal the arguments of orphan_complete_all(). Call it before recorder_start().
 * Call it again without buffers when all data was read, before tracefs is restored. Returns 0, or
 * -1 with @err.
 */
int orphan_note(struct session *s, const char *part_path, const char *path,
		const struct recorded_buffer *bufs, size_t n, struct ftr_error *err);
/*
 * For each dead run, stops tracing, moves the data left in the kernel's buffers to the run's file,
 * and gives the file its name, which is appended to @files. Call it before session_recover_all(),
 * which empties the buffers. If one run fails it goes on with the next. Returns 0, or -1 with the
 * first error.
 */
int orphan_complete_all(const struct tfs *t, struct strv *files, struct ftr_error *err);

#endif
