/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The output file: written beside its name, so that an interrupted run spares an older one. */
#ifndef FTR_RECORD_OUTFILE_H
#define FTR_RECORD_OUTFILE_H

#include <stdint.h>

#include "base/err.h"
#include "base/place.h"

struct outfile {
	struct place at;		/* its folder, held from the start */
	char *path;			/* the name in the end, symbolic links resolved */
	char *part_path;		/* the name until then: "PATH.part-PID" */
	char *spool_path;		/* what was recorded into, when it has to be copied */
	int   fd;
};

/*
 * Creates it (0600, never one that is there). -1 with a hint when the folder can't be written to,
 * @path is a folder or device, or a link on the way is in a folder that others can change.
 */
int outfile_open(struct outfile *o, const char *path, struct ftr_error *err);
/*
 * The same at a place that is held already, and stays the caller's. @old: what has the name, for
 * outfile_replace(), or NULL.
 */
int outfile_open_at(struct outfile *o, const struct place *at, const struct stat *old,
		    struct ftr_error *err);
/*
 * One without a name, in $TMPDIR or /var/tmp, which ends with us: it can't be committed, and has no
 * part_path. -1 with @err.
 */
int outfile_open_nameless(struct outfile *o, struct ftr_error *err);
/*
 * An older file becomes "PATH.old", then ours gets its name. -1 with @err: the data is still in
 * part_path.
 */
int outfile_commit(struct outfile *o, struct ftr_error *err);
/*
 * Ours takes the place of the file that @old is of, which becomes "PATH.old" if @keep. -1 with
 * @err: the name is another file's by now, or as outfile_commit().
 */
int outfile_replace(struct outfile *o, const struct stat *old, bool keep, struct ftr_error *err);
/*
 * What was recorded into our file has to be copied: ->fd and ->part_path become a new one, empty;
 * the other stays until outfile_commit(). 0, or -1 with @err.
 */
int outfile_begin_copy(struct outfile *o, struct ftr_error *err);
/*
 * The file could not be finished: what was recorded into gets the name that was wanted, or another.
 * That name, borrowed. One of which only names are known (->path, ->part_path) is looked for anew,
 * here and when it is dropped.
 */
const char *outfile_keep(struct outfile *o);
/* Nothing is in what was recorded into: it goes. */
void outfile_drop(struct outfile *o);
/*
 * The recorder was killed: its holes leave the file that was recorded into, dat_spool_shrink(). Its
 * size then, 0 when that can't be told, as without ->fd.
 */
uint64_t outfile_shrink(const struct outfile *o);
/* Closes; removes what was not committed. A zeroed one is fine. */
void outfile_release(struct outfile *o);

#endif
