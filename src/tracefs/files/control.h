/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Control files: how each kind is read, compared, written and restored. */
#ifndef FTR_TRACEFS_CONTROL_H
#define FTR_TRACEFS_CONTROL_H

#include <stdbool.h>

#include "base/err.h"
#include "base/mem.h"
#include "tracefs/files/tfs.h"

/* What must be noted besides the file's value before a change. */
enum control_side {
	SIDE_NONE,
	SIDE_SIZE,		/* buffer_size_kb: the sizes per CPU, if they differ */
	SIDE_SUBBUF,		/* a change of the sub-buffer size rounds the buffer size */
	SIDE_EVENTS,		/* changes the files of many events */
	SIDE_PRINTK_DEST,	/* the instance that has it now loses it */
	SIDE_SET_EVENT,		/* enables events: the state is in their own files */
	SIDE_ACTIONS,		/* its words turn tracing or events on and off later */
	SIDE_OPTIONS,		/* trace_options: a word turns one option on or off */
	SIDE_SNAPSHOT,		/* may allocate the snapshot buffer */
	SIDE_FORK,		/* adds children to the lists of pids */
	SIDE_TRACER,		/* latency tracers reset tracing_max_latency */
	SIDE_LINES,		/* definitions: session_line() notes how to undo each line */
};

/* One kind of control file. */
struct control {
	const char *pattern;	/* of the path below the top level or the instance */
	/*
	 * The canonical form of a value: two readings of the same state are equal in it. The caller
	 * frees.
	 */
	char *(*canon)(const char *text);
	/* Restores @old, which was read from @path. 0, or -1 with errno and @err. */
	int (*restore)(const struct tfs *t, const char *path, const char *old,
		       struct ftr_error *err);
	enum control_side side;
	bool list;		/* a list of words: O_APPEND adds, O_TRUNC clears */
	bool has_log;		/* error_log explains a refused write */
};

/*
 * The kind of the file @path. Never NULL: a file that is not in the table has a plain value. @path
 * may start with "instances/NAME/".
 */
const struct control *control_of(const char *path);
/*
 * @path without "instances/NAME/"; *instance (may be NULL) gets the name (the caller frees) or
 * NULL.
 */
const char *control_split(const char *path, char **instance);

/*
 * Opens @path for writing with @flags (O_TRUNC or O_APPEND), writes @text and a newline, and
 * closes. Signals do not interrupt it. -1 with errno.
 */
int control_write(const struct tfs *t, const char *path, int flags, const char *text);
/*
 * Writes each word with its own write() to one open file, as the kernel takes one word per call.
 * *bad is the index of the first word refused, or n. -1 with errno.
 */
int control_write_words(const struct tfs *t, const char *path, int flags, const struct strv *words,
			size_t *bad);

/* More than the header of any tracer, which is followed by records. */
#define SNAPSHOT_HEAD_BYTES 1024

/*
 * Reads the first bytes of @path, the file "snapshot" of an instance or a CPU, as a string. -1 with
 * errno.
 */
int snapshot_head(const struct tfs *t, const char *path, char *text, size_t size);
/* True if the snapshot buffer of @instance is allocated. */
bool snapshot_allocated(const struct tfs *t, const char *instance);

/*
 * Restores all of set_ftrace_filter or set_ftrace_notrace, with commands and pending module
 * filters.
 */
int functions_restore(const struct tfs *t, const char *path, const char *old,
		      struct ftr_error *err);
char *functions_canon(const char *text);
/* True if @word is a command ("func:traceoff:3"), not functions. */
bool functions_is_command(const char *word);
/* Removes the command @word, in the form in which it was written. */
int functions_remove(const struct tfs *t, const char *path, const char *word,
		     struct ftr_error *err);
/*
 * Removes "SYSTEM:EVENT:mod:NAME" from set_event. @noted is the result of set_event_note() before
 * the write, with the events enabled then. Those that the removal disables are enabled again.
 */
int set_event_remove(const struct tfs *t, const char *path, const char *noted,
		     struct ftr_error *err);
/* Makes the note for set_event_remove(), before the write. The caller frees. */
char *set_event_note(const struct tfs *t, const char *path, const char *word);

/*
 * Restores the lines @old of a file whose lines are added and removed ("!line") one by one. A
 * difference only in a counter that ran down is ignored.
 */
int lines_restore(const struct tfs *t, const char *path, const char *old, struct ftr_error *err);
char *lines_canon(const char *text);
/* "traceoff:count=3 if x" without its counter and state; *count gets 3, or -1. The caller frees. */
char *lines_base(const char *line, long *count);

/* The effect of reading a control file. */
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
