/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Verbs below a command: "ftr trigger add". A command with verbs has ->verbs and .run = verbs_run,
 * but no options.
 */
#ifndef FTR_CMD_FRAME_COMMAND_VERBS_H
#define FTR_CMD_FRAME_COMMAND_VERBS_H

#include "cmd/frame/command.h"

/*
 * Runs the verb argv[1]. A table of verbs is an array of struct cmd that ends with a zeroed row.
 * The members used are ->name, ->usage (after "ftr COMMAND VERB "), ->summary, ->options, ->flags
 * and ->run. ->run gets as @self a copy of the row with the whole name ("trigger add"), and the
 * verb as argv[0], so that cmd_parse() works as in a command. A row called "" runs if there is no
 * verb: no arguments, or only options.
 */
int verbs_run(const struct cmd *self, int argc, char **argv);

/*
 * Returns the row of the verb @name, or of its synonym in the command, as "del" and "remove"; NULL
 * if there is none.
 */
const struct cmd *verbs_row(const struct cmd *self, const char *name);
/*
 * Finds the verb @name of @self, as verbs_row() does, and copies its row, with the whole name, to
 * @verb. Returns 0, or -1 with @err, which names the nearest verb. ->name is valid until the next
 * call.
 */
int verbs_find(const struct cmd *self, const char *name, struct cmd *verb, struct ftr_error *err);
/* Appends the text of -h for a command's verbs: the usage of each, then their options. */
void verbs_help(const struct cmd *self, struct buf *out);

#endif
