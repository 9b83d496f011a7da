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
	struct dir_file at;		/* its directory, held open from the start */
	char *path;			/* the final name, with symbolic links resolved */
	char *part_path;		/* the name until then: "PATH.part-PID" */
	char *spool_path; /* the file recorded into, if the data has to be copied, else NULL */
	int   fd;
};

/*
 * Creates the temporary file (0600, O_EXCL). Returns 0, or -1 with @err and a hint if the directory
 * is not writable, if @path is a directory or device, or if a link in @path is in a directory that
 * others can change.
 */
int outfile_open(struct outfile *o, const char *path, struct ftr_error *err);
/*
 * The same in a directory that is already open; @at stays the caller's. @old is the file that has
 * the name now, for outfile_replace(), or NULL.
 */
int outfile_open_at(struct outfile *o, const struct dir_file *at, const struct stat *old,
		    struct ftr_error *err);
/*
 * Like outfile_open(), but the temporary file gets its name only by outfile_commit(): of a run that
 * is killed before, nothing is left. Where the file system has no such files it has a name at once.
 */
int outfile_open_unseen(struct outfile *o, const char *path, struct ftr_error *err);
/*
 * Creates a file without a name in $TMPDIR or /var/tmp. It ends with the process: it has no
 * part_path and can't be committed. Returns 0, or -1 with @err.
 */
int outfile_open_nameless(struct outfile *o, struct ftr_error *err);
/*
 * Renames an older file to "PATH.old" and gives the new file its name. Returns 0, or -1 with @err
 * if the data is still in part_path.
 */
int outfile_commit(struct outfile *o, struct ftr_error *err);
/*
 * Replaces the file of @old by the new file; the old one becomes "PATH.old" if @keep. Returns 0, or
 * -1 with @err if another file has the name by now, or as outfile_commit().
 */
int outfile_replace(struct outfile *o, const struct stat *old, bool keep, struct ftr_error *err);
/*
 * Starts a copy of the recording: ->fd and ->part_path become those of a new empty file. The file
 * recorded into stays, as ->spool_path, until outfile_commit(). Returns 0, or -1 with @err.
 */
int outfile_begin_copy(struct outfile *o, struct ftr_error *err);
/*
 * Keeps a file that could not be finished: the file recorded into gets the final name or, if that
 * fails, keeps its name. Returns that name, borrowed. If only ->path and ->part_path are set, this
 * and outfile_drop() look up the directory again.
 */
const char *outfile_keep(struct outfile *o);
/* Removes the file recorded into if it has no data. */
void outfile_drop(struct outfile *o);
/*
 * Removes the holes of the file recorded into after its recorder was killed, see
 * dat_spool_shrink(). Returns its size or its bytes on the disk; 0 on failure or without ->fd.
 */
uint64_t outfile_shrink(const struct outfile *o);
/* Closes the file, and removes files that were not committed. @o may be zeroed. */
void outfile_release(struct outfile *o);

/*
 * The numbered files of one recording: FILE.0001, FILE.0002, ... A zeroed series has no file yet.
 */
struct file_series {
	unsigned int last;		/* the number of the last file */
	struct strv done;		/* finished files that were not removed */
};

/* Makes @s continue after the numbers of existing files, so that no file is replaced. */
void series_begin(struct file_series *s, const char *path);
/* Returns the name of the next file, which the caller frees. */
char *series_next(struct file_series *s, const char *path);
/* Adds the finished file @name. Removes the oldest files, so that at most @max stay. */
void series_add(struct file_series *s, const char *name, size_t max);
void series_release(struct file_series *s);

#endif
