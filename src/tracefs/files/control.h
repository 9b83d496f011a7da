/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Control files: how each kind is read, compared, written and restored, and finding any of them. */
#ifndef FTR_TRACEFS_CONTROL_H
#define FTR_TRACEFS_CONTROL_H

#include <stdbool.h>

#include "base/err.h"
#include "base/mem.h"
#include "tracefs/files/tfs.h"

/* The values to note before a change, besides the file's own. */
enum control_side {
	SIDE_NONE,
	SIDE_SIZE,		/* buffer_size_kb: the sizes per CPU, if they differ */
	SIDE_SUBBUF,		/* a change of the sub-buffer size rounds the buffer size */
	SIDE_EVENTS,		/* changes the files of many events */
	SIDE_PRINTK_DEST,	/* the instance that has trace_printk's output now loses it */
	SIDE_SET_EVENT,		/* enables events: their own files have the state */
	SIDE_ACTIONS,		/* its words turn tracing or events on and off later */
	SIDE_OPTIONS,		/* trace_options: a word turns one option on or off */
	SIDE_SNAPSHOT,		/* may allocate the snapshot buffer */
	SIDE_FORK,		/* adds children to the lists of pids */
	SIDE_TRACER,		/* latency tracers reset tracing_max_latency */
	SIDE_LINES,		/* definitions: session_line() notes how to undo each line */
};

/* A kind of control files. */
struct control_file {
	const char *pattern;	/* matches the path without "instances/NAME/" */
	/* Returns the canonical form, which is equal for the same state. The caller frees. */
	char *(*canon)(const char *text);
	/* Restores @old, which was read from @path. Returns 0, or -1 with errno and @err. */
	int (*restore)(const struct tfs *t, const char *path, const char *old,
		       struct ftr_error *err);
	enum control_side side;
	bool list;		/* a list of words: O_APPEND adds, O_TRUNC clears */
	bool has_log;		/* error_log explains a refused write */
};

/*
 * Returns the kind of the file @path, which may start with "instances/NAME/". Never NULL: if a file
 * is not in the table, it has a plain value.
 */
const struct control_file *control_of(const char *path);
/* Returns @path without "instances/NAME/". *instance, if any, gets NAME (caller frees) or NULL. */
const char *control_split(const char *path, char **instance);

/*
 * Opens @path for writing with @flags (O_TRUNC or O_APPEND), writes @text and a newline, and
 * closes. Signals do not interrupt it. Returns 0, or -1 with errno.
 */
int control_write(const struct tfs *t, const char *path, int flags, const char *text);
/*
 * Writes each word with its own write() to one open file, as the kernel parses one word per call.
 * *bad gets the index of the first word refused, or n. Returns 0, or -1 with errno.
 */
int control_write_words(const struct tfs *t, const char *path, int flags, const struct strv *words,
			size_t *bad);

/* More than the header of any tracer, which records follow. */
#define SNAPSHOT_HEAD_BYTES 1024

/*
 * Reads the first bytes of @path, the file "snapshot" of an instance or a CPU, as a string. Returns
 * 0, or -1 with errno.
 */
int snapshot_head(const struct tfs *t, const char *path, char *text, size_t size);
/* True if the snapshot buffer of @instance is allocated. */
bool snapshot_allocated(const struct tfs *t, const char *instance);

/* Restores set_ftrace_filter or set_ftrace_notrace, with commands and pending module filters. */
int functions_restore(const struct tfs *t, const char *path, const char *old,
		      struct ftr_error *err);
char *functions_canon(const char *text);
/* True if @word is a command ("func:traceoff:3"), not functions. */
bool functions_is_command(const char *word);
/*
 * Removes the command @word, in the form in which it was written. Returns 0, also if the command is
 * gone already, or -1 with @err.
 */
int functions_remove(const struct tfs *t, const char *path, const char *word,
		     struct ftr_error *err);
/*
 * Removes "SYSTEM:EVENT:mod:NAME" from set_event. @noted is the result of set_event_note() before
 * the write, with the events enabled then. If the removal disables one of these, it is enabled
 * again. Returns 0, or -1 with @err.
 */
int set_event_remove(const struct tfs *t, const char *path, const char *noted,
		     struct ftr_error *err);
/* Returns the note for set_event_remove(), made before the write. The caller frees. */
char *set_event_note(const struct tfs *t, const char *path, const char *word);

/*
 * Restores the lines @old of a file whose lines are added and removed ("!line") one by one. If a
 * line differs only in a counter that ran down, it stays.
 */
int lines_restore(const struct tfs *t, const char *path, const char *old, struct ftr_error *err);
char *lines_canon(const char *text);
/* Returns "traceoff:count=3 if x" without count and state; *count is 3, or -1. The caller frees. */
char *lines_base(const char *line, long *count);

/* The effect of reading a control file. */
enum content_kind {
	CONTENT_PLAIN,		/* reading it changes nothing */
	CONTENT_TEXT_PIPE,	/* trace_pipe: a read consumes the lines, and never ends */
	CONTENT_RAW,		/* trace_pipe_raw, snapshot_raw: the same with sub-buffers */
	CONTENT_NEVER,		/* free_buffer: closing it shrinks the buffer */
	CONTENT_DIR,
};

/*
 * Finds @name, a path without ".." in @instance (NULL = top level) or, with @cpu >= 0, in its
 * per_cpu/cpuN. *path, which the caller frees, gets the path in tracefs. Returns 0, or -1 with @err
 * and a did-you-mean.
 */
int content_find(const struct tfs *t, const char *instance, int cpu, const char *name, char **path,
		 enum content_kind *kind, struct ftr_error *err);
/* Appends the entries of a directory, sorted; directories end in "/". 0, or -1 with @err. */
int content_list(const struct tfs *t, const char *path, struct strv *out, struct ftr_error *err);

#endif
