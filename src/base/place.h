/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a file is: its folder, held open, and its name there. */
#ifndef FTR_BASE_PLACE_H
#define FTR_BASE_PLACE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/err.h"

/* Zeroed is none. */
struct place {
	int   dir;	/* the folder (O_PATH) */
	char *name;	/* in the folder: no link, but as long as others leave it so; NULL: none */
	char *path;	/* for messages: as given; of a link what it leads to */
	bool  foreign;	/* others can change what is in the folder */
};

/*
 * Walks to @path, folder by folder, each held while the next is looked up. The file itself need not
 * be there. A link is followed only in a folder that no others can change: root's or the caller's,
 * which neither group nor others may write to, sticky or not. -1 with @err: a link elsewhere, which
 * is named, or a folder that can't be searched.
 */
int place_open(struct place *p, const char *path, struct ftr_error *err);
/* The same place once more. */
struct place place_dup(const struct place *p);
void place_release(struct place *p);

/* Whether @st is of the same file as what has the name @name in the folder now; follows no link. */
bool place_is(const struct place *p, const char *name, const struct stat *st);
/* A file without a name in the folder, or -1 with errno. */
int place_tmpfile(const struct place *p);
/* Names in the folder are on the disk then. 0, or -1 with errno. */
int place_sync(const struct place *p);
/* Takes the name of a file away, as place_open() finds it. */
void place_unlink(const char *path);
/* The last part of @path, borrowed. */
const char *place_base(const char *path);

#endif
