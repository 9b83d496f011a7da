/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The buffers that a command acts on: the top level, instances by name, or all. */
#ifndef FTR_CMD_FRAME_BUFFER_OPTIONS_H
#define FTR_CMD_FRAME_BUFFER_OPTIONS_H

#include <stdbool.h>

#include "base/mem.h"
#include "cmd/frame/command.h"
#include "tracefs/files/tfs.h"

struct buffer_args {
	struct strv names;		/* -B */
	bool all, top;			/* -a, -t */
};

/* Rows of an option table whose context begins with a struct buffer_args. */
#define BUFFER_OPTS \
	{ 'B', "buffer", "INSTANCE", "use INSTANCE instead of the top level (repeatable)", \
	  buffer_name, 0 }, \
	{ 'a', "all-instances", NULL, "use all instances", opt_flag, \
	  offsetof(struct buffer_args, all) }, \
	{ 't', "top", NULL, "with -B, -a: include the top level", opt_flag, \
	  offsetof(struct buffer_args, top) }

int buffer_name(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
void buffer_args_release(struct buffer_args *a);
/* True if the command line selects buffers. If not, the top level is used. */
bool buffers_chosen(const struct buffer_args *a);
/*
 * Appends the names of the selected buffers, "" = the top level. -a skips instances without @file.
 * -1 with @err.
 */
int buffers_resolve(const struct buffer_args *a, const struct tfs *t, const char *file,
		    struct strv *out, struct ftr_error *err);
/* Appends "the top level, instance 'x'". */
void buffers_describe(const struct strv *names, struct buf *out);
/* ftr stop, ftr restart: sets tracing_on of the buffers in argv. Returns the exit status. */
int buffers_switch(const struct cmd *self, int argc, char **argv, bool on);
/* 0 if argv has no operands from @first on. Else prints an error and returns the exit status. */
int no_operands(const struct cmd *self, int first, int argc, char **argv);

#endif
