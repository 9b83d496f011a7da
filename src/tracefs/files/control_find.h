/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds any control file by its name, and tells if reading it has effects. */
#ifndef FTR_TRACEFS_FILES_CONTROL_FIND_H
#define FTR_TRACEFS_FILES_CONTROL_FIND_H

#include <stdbool.h>

#include "base/err.h"
#include "base/mem.h"
#include "tracefs/files/tfs.h"

enum content_kind {
	CONTENT_PLAIN,		/* reading it changes nothing */
	CONTENT_TEXT_PIPE,	/* trace_pipe: a read consumes the lines, and never ends */
	CONTENT_RAW,		/* trace_pipe_raw, snapshot_raw: the same with sub-buffers */
	CONTENT_NEVER,		/* free_buffer: closing it shrinks the buffer */
	CONTENT_FOLDER,
};

/*
 * Finds @name, a path without ".." below @instance (NULL = top level) or, with @cpu >= 0, below its
 * per_cpu/cpuN. *path (the caller frees) is the path below tracefs. -1 with @err and a
 * did-you-mean.
 */
int content_find(const struct tfs *t, const char *instance, int cpu, const char *name, char **path,
		 enum content_kind *kind, struct ftr_error *err);
/* Appends the entries of a folder, sorted. Folders end in "/". */
int content_list(const struct tfs *t, const char *path, struct strv *out, struct ftr_error *err);

#endif
