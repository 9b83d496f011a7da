/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The place of a file: its folder, held open, and its name there. */
#ifndef FTR_BASE_DIR_FILE_H
#define FTR_BASE_DIR_FILE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/err.h"

/* A zeroed place is none. */
struct place {
	int   dir;	/* the folder (O_PATH) */
	char *name;	/* in the folder; no link when it was looked up; NULL: none */
	char *path;	/* for messages: as given, or the target of a link */
	bool  foreign;	/* others can change the folder's entries */
};

/*
 * Walks to @path folder by folder, and holds each open while it looks up the next. The file itself
 * need not exist. A link is followed only in a folder that nobody else can change: it belongs to
 * root or the caller, and neither group nor others may write to it, sticky or not. -1 with @err: a
 * link in another folder, which is named, or a folder that can't be searched.
 */
int place_open(struct place *p, const char *path, struct ftr_error *err);
/* A copy, which is released on its own. */
struct place place_dup(const struct place *p);
void place_release(struct place *p);

/* True if @name in the folder is now the file of @st. Does not follow a link. */
bool place_is(const struct place *p, const char *name, const struct stat *st);
/* Opens a file without a name in the folder. Returns its descriptor, or -1 with errno. */
int place_tmpfile(const struct place *p);
/* Writes the folder's names to disk (fsync). 0, or -1 with errno. */
int place_sync(const struct place *p);
/* Removes the name of a file that place_open() finds at @path. */
void place_unlink(const char *path);
/* The last part of @path, borrowed. */
const char *place_base(const char *path);

#endif
