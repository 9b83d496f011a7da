/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Control files: how each kind is read, compared, written and put back. */
#ifndef FTR_TRACEFS_CONTROL_H
#define FTR_TRACEFS_CONTROL_H

#include <stdbool.h>

#include "base/err.h"
#include "base/mem.h"
#include "tracefs/files/tfs.h"

/* What must be noted beside the file itself before it is changed. */
enum control_side {
	SIDE_NONE,
	SIDE_SIZE,		/* buffer_size_kb: per CPU where the CPUs differ */
	SIDE_SUBBUF,		/* changing the sub-buffer size rounds the buffer size anew */
	SIDE_EVENTS,		/* stands for the files of many events */
	SIDE_PRINTK_DEST,	/* taken away from the instance that has it */
	SIDE_SET_EVENT,		/* enables events: their own files count */
	SIDE_ACTIONS,		/* its words switch tracing or events on and off later */
	SIDE_OPTIONS,		/* trace_options: a word turns one option on or off */
	SIDE_SNAPSHOT,		/* may allocate the snapshot buffer */
	SIDE_FORK,		/* lets children into the lists of pids */
	SIDE_TRACER,		/* latency tracers begin tracing_max_latency anew */
	SIDE_LINES,		/* definitions: session_line() notes each line's undoing */
};

/* One kind of control file. */
struct control {
	const char *pattern;	/* of the path below the top level or the instance */
	/*
	 * The value in the form in which two readings of the same state are equal; the caller
	 * frees.
	 */
	char *(*canon)(const char *text);
	/* Puts back @old, which was read from @path. 0, or -1 with errno and @err. */
	int (*restore)(const struct tfs *t, const char *path, const char *old,
		       struct ftr_error *err);
	enum control_side side;
	bool list;		/* words, added by appending and cleared by truncating */
	bool has_log;		/* what is refused is explained in error_log */
};

/*
 * Never NULL: what the table does not name is a plain value. @path may start with
 * "instances/NAME/".
 */
const struct control *control_of(const char *path);
/*
 * @path without "instances/NAME/"; *instance (may be NULL) gets the name (the caller frees) or
 * NULL.
 */
const char *control_split(const char *path, char **instance);

/*
 * Opens for writing with @flags (O_TRUNC or O_APPEND), writes @text and a newline, and closes. No
 * signal interrupts it half-way. -1 with errno.
 */
int control_write(const struct tfs *t, const char *path, int flags, const char *text);
/*
 * One write a word through one open file: the kernel takes one word a call. *bad is the first word
 * refused, or n.
 */
int control_write_words(const struct tfs *t, const char *path, int flags, const struct strv *words,
			size_t *bad);

/* Whole set_ftrace_filter or set_ftrace_notrace, with its commands and pending module filters. */
int functions_restore(const struct tfs *t, const char *path, const char *old,
		      struct ftr_error *err);
char *functions_canon(const char *text);
/* Is @word a command ("func:traceoff:3") rather than functions? */
bool functions_is_command(const char *word);
/* Takes the command @word, as it was once written, away. */
int functions_remove(const struct tfs *t, const char *path, const char *word,
		     struct ftr_error *err);
/*
 * The same of "SYSTEM:EVENT:mod:NAME" in set_event, @noted by set_event_note() before it was
 * written: with the events that were on. Those of them that go off by it are enabled again.
 */
int set_event_remove(const struct tfs *t, const char *path, const char *noted,
		     struct ftr_error *err);
/* The caller frees. */
char *set_event_note(const struct tfs *t, const char *path, const char *word);

/*
 * Brings the lines of a file, that are added and removed one by one ("!line"), to those of @old.
 * Counters that ran down meanwhile do not count as a difference.
 */
int lines_restore(const struct tfs *t, const char *path, const char *old, struct ftr_error *err);
char *lines_canon(const char *text);
/* "traceoff:count=3 if x" without its counter and state; *count gets 3, or -1. The caller frees. */
char *lines_base(const char *line, long *count);

#endif
