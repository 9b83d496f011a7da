/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by commands that change tracefs: the session of a change, the buffers it is for. */
#ifndef FTR_CMD_FRAME_TRACEFS_CHANGE_H
#define FTR_CMD_FRAME_TRACEFS_CHANGE_H

#include <stdbool.h>

#include "base/err.h"
#include "base/mem.h"
#include "cmd/frame/command.h"
#include "tracefs/files/tfs.h"
#include "tracefs/session/session.h"

/* The fate of the changes at the end of the command. */
enum change_end {
	CHANGE_STANDS,		/* they stay until ftr reset: start, set, trigger, probe */
	CHANGE_GOES,		/* they are restored at once: hist, stream */
};

/*
 * Opens tracefs and a session and runs @make, with the signals of sig_hold() held: check for them
 * with sig_held() or sig_wait(). If @make fails, or a signal arrives during a CHANGE_STANDS,
 * everything is restored. Prints the error. Returns the exit status, 128+n for a signal.
 */
int cmd_change(enum change_end end,
	       int (*make)(struct session *s, void *ctx, struct ftr_error *err), void *ctx);

/* --- the buffers that a command acts on: the top level, instances by name, or all */

struct buffer_args {
	struct strv names;		/* -B */
	bool all, top;			/* -a, -t */
};

/* Rows of an option table whose context starts with a struct buffer_args. */
#define BUFFER_OPTS \
	{ 'B', "buffer", "INSTANCE", "use INSTANCE instead of the top level (repeatable)", \
	  buffer_name, 0 }, \
	{ 'a', "all-instances", NULL, "use all instances", opt_flag, \
	  offsetof(struct buffer_args, all) }, \
	{ 't', "top", NULL, "with -B, -a: include the top level", opt_flag, \
	  offsetof(struct buffer_args, top) }

int buffer_name(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
void buffer_args_release(struct buffer_args *a);
/* Returns true if the command line selects buffers. If not, the top level is used. */
bool buffers_chosen(const struct buffer_args *a);
/*
 * Appends the names of the selected buffers, "" = the top level. -a skips instances without @file.
 * Returns 0, or -1 with @err.
 */
int buffers_resolve(const struct buffer_args *a, const struct tfs *t, const char *file,
		    struct strv *out, struct ftr_error *err);
/* Appends "the top level, instance 'x'". */
void buffers_describe(const struct strv *names, struct buf *out);
/* ftr stop, ftr restart: sets tracing_on of the buffers in argv. Returns the exit status. */
int buffers_switch(const struct cmd *self, int argc, char **argv, bool on);
/*
 * Returns 0 if argv has no operands from @first on; else prints an error and returns the exit
 * status.
 */
int no_operands(const struct cmd *self, int first, int argc, char **argv);

#endif
