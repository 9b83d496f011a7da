/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The place of a file: its directory, which is held open, and its name there. */
#ifndef FTR_BASE_DIR_FILE_H
#define FTR_BASE_DIR_FILE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/err.h"

/* A zeroed place is empty. */
struct dir_file {
	int   dir;	/* the directory (O_PATH) */
	char *name;	/* in the directory; no link when it was looked up; NULL: empty */
	char *path;	/* for messages: as given, or the target of a link */
	bool  foreign;	/* others can change the directory's entries */
};

/*
 * Walks to @path directory by directory, and holds each open while it looks up the next. The file
 * itself need not exist. A link is followed only in a directory that nobody else can change: it
 * belongs to root or the caller, and neither group nor others may write to it, sticky or not.
 * Returns 0, or -1 with @err if there is a link in another directory, or if a directory can't be
 * searched.
 */
int place_open(struct dir_file *p, const char *path, struct ftr_error *err);
/* Returns a copy, which must be released, too. */
struct dir_file place_dup(const struct dir_file *p);
void place_release(struct dir_file *p);

/* Returns true if @name in the directory is now the file of @st. Does not follow a link. */
bool place_is(const struct dir_file *p, const char *name, const struct stat *st);
/* Opens a file without a name in the directory. Returns its descriptor, or -1 with errno. */
int place_tmpfile(const struct dir_file *p);
/* Writes the directory's names to disk (fsync). Returns 0, or -1 with errno. */
int place_sync(const struct dir_file *p);
/* Removes the name of a file that place_open() finds at @path. */
void place_unlink(const char *path);
/* Returns the last part of @path, borrowed. */
const char *place_base(const char *path);

#endif
