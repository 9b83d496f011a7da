/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hints for trace-cmd's options and commands: the equivalent in ftr. */
#ifndef FTR_CMD_TRACE_CMD_H
#define FTR_CMD_TRACE_CMD_H

#include <stdbool.h>

#include "base/err.h"

struct buf;

/*
 * Appends to the hint of @err the equivalent in ftr of trace-cmd's @option ("-s", "--name"; "" for
 * the verb itself) of @verb. Returns false if trace-cmd has no such option, or if it is the same in
 * ftr.
 */
bool trace_cmd_hint(const char *verb, const char *option, struct ftr_error *err);
/* The same for a verb that ftr lacks, which is @argv[0]. Its options decide the hint. */
void trace_cmd_hint_verb(int argc, char **argv, struct ftr_error *err);
/* Appends all rows, separated by tabs: verb, option, argument, kind, ftr's equivalent, remark. */
void trace_cmd_table(struct buf *out);

#endif
