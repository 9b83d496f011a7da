/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The numbered files of one recording: FILE.0001, FILE.0002, ... */
#ifndef FTR_RECORD_FILE_FILE_SERIES_H
#define FTR_RECORD_FILE_FILE_SERIES_H

#include "base/mem.h"

/* A zeroed series has no file yet. */
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
