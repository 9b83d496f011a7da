/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The output file. It is written under a temporary name beside the final one, so that an
 * interrupted run leaves an older file alone.
 */
#ifndef FTR_RECORD_OUTFILE_H
#define FTR_RECORD_OUTFILE_H

#include <stdint.h>

#include "base/dir_file.h"
#include "base/err.h"
#include "base/mem.h"

struct outfile {
	struct place at;		/* its folder, held from the start */
	char *path;			/* the final name, symbolic links resolved */
	char *part_path;		/* the name until then: "PATH.part-PID" */
	char *spool_path;		/* the file recorded into, if it has to be copied */
	int   fd;
};

/*
 * Creates the temporary file (0600, O_EXCL). -1 with @err and a hint if the folder is not writable,
 * @path is a folder or device, or a link on the way is in a folder that others can change.
 */
int outfile_open(struct outfile *o, const char *path, struct ftr_error *err);
/*
 * The same at a place that is open already; the caller keeps it. @old: the file that has the name
 * now, for outfile_replace(), or NULL.
 */
int outfile_open_at(struct outfile *o, const struct place *at, const struct stat *old,
		    struct ftr_error *err);
/*
 * Creates a file without a name in $TMPDIR or /var/tmp. It ends with the process: it has no
 * part_path and can't be committed. -1 with @err.
 */
int outfile_open_nameless(struct outfile *o, struct ftr_error *err);
/*
 * Renames an older file to "PATH.old" and gives the new file its name. -1 with @err: the data is
 * still in part_path.
 */
int outfile_commit(struct outfile *o, struct ftr_error *err);
/*
 * Replaces the file of @old by the new file; the old one becomes "PATH.old" if @keep. -1 with @err:
 * another file has the name by now, or as outfile_commit().
 */
int outfile_replace(struct outfile *o, const struct stat *old, bool keep, struct ftr_error *err);
/*
 * For a recording that has to be copied: ->fd and ->part_path become those of a new empty file. The
 * file recorded into stays, as ->spool_path, until outfile_commit(). 0, or -1 with @err.
 */
int outfile_begin_copy(struct outfile *o, struct ftr_error *err);
/*
 * Keeps a file that could not be finished: the file recorded into gets the final name, or keeps its
 * own. Returns that name, borrowed. If only ->path and ->part_path are set, this and outfile_drop()
 * look up the folder again.
 */
const char *outfile_keep(struct outfile *o);
/* Removes a file recorded into that has no data. */
void outfile_drop(struct outfile *o);
/*
 * Removes the holes of the file recorded into after its recorder was killed, see
 * dat_spool_shrink(). Returns its size, or what it takes of the disk, 0 on failure or without ->fd.
 */
uint64_t outfile_shrink(const struct outfile *o);
/* Closes, and removes files that were not committed. @o may be zeroed. */
void outfile_release(struct outfile *o);

/*
 * The numbered files of one recording: FILE.0001, FILE.0002, ... A zeroed series has no file yet.
 */
struct series {
	unsigned int last;		/* the number of the last file */
	struct strv done;		/* finished files that were not removed */
};

/* Continues after the numbers of existing files, so that none is replaced. */
void series_begin(struct series *s, const char *path);
/* The name of the next file; the caller frees. */
char *series_next(struct series *s, const char *path);
/* Adds the finished file @name. Removes the oldest files, so that at most @max stay. */
void series_add(struct series *s, const char *name, size_t max);
void series_release(struct series *s);

#endif
