/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts that the commands share which write trace files out of others. */
#ifndef FTR_CMD_FILES_NEW_FILE_H
#define FTR_CMD_FILES_NEW_FILE_H

#include "base/opt.h"
#include "rewrite/rewrite.h"

/* --drop, whose struct rewrite_drop is at this offset in the context. */
#define DROP_OPTION(offset)								\
	{ 0, "drop", "PARTS", "without formats of events that have no record, symbols, btf",	\
	  set_drop, offset }

/* The setter of DROP_OPTION. */
int set_drop(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
/*
 * Sets the names that no option has set, of the operands from argv[@first] on: the last one is the
 * new file, as in trace-cmd, and the one before it the source, by default TRACE_FILE. @name is the
 * command's, for a hint. Returns 0, or -1 with @err.
 */
int set_in_and_out(const char **in, const char **out, const char *name, int argc, char **argv,
		   int first, struct ftr_error *err);
/* Prints what is in the new file @path. */
void notice_totals(const char *path, const struct rewrite_totals *t);

#endif
