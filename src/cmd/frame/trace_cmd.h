/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace-cmd's words, and what to type in ftr. */
#ifndef FTR_CMD_TRACE_CMD_H
#define FTR_CMD_TRACE_CMD_H

#include <stdbool.h>

#include "base/err.h"

struct buf;

/*
 * Hints at what trace-cmd's @option ("-s", "--name"; "" for the verb itself) of @verb is in ftr,
 * behind the hint that @err has. False: it is no word of trace-cmd's, or means the same in ftr.
 */
bool trace_cmd_hint(const char *verb, const char *option, struct ftr_error *err);
/* Of a verb that ftr does not have; @argv[0] is the verb. The options say what was wanted. */
void trace_cmd_hint_verb(int argc, char **argv, struct ftr_error *err);
/* All rows, with tabs between: verb, options, their argument, kind, ftr's words, remark. */
void trace_cmd_table(struct buf *out);

#endif
