/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Verbs below a command: "ftr trigger add". A command with verbs has ->verbs and .run = verbs_run;
 * it has no options of its own.
 */
#ifndef FTR_CMD_VERBS_H
#define FTR_CMD_VERBS_H

#include "cmd/frame/cmd.h"

/*
 * A table of verbs is an array of struct cmd that ends with a zeroed row. Of a row count name,
 * usage (behind "ftr COMMAND VERB "), summary, options, flags and run; it gets its own row as
 * @self, with the whole name ("trigger add") in it, and the verb as argv[0]: cmd_parse() works as
 * in a command. A row called "" is what runs when no verb was given, but options or nothing.
 */
int verbs_run(const struct cmd *self, int argc, char **argv);

/*
 * The verb @name of @self with its whole name, into @verb; 0, or -1 with an error that names the
 * nearest one. Its name is good until the next call.
 */
int verbs_find(const struct cmd *self, const char *name, struct cmd *verb, struct ftr_error *err);
/* What -h shows of a command's verbs: each with its usage, then their options. */
void verbs_help(const struct cmd *self, struct buf *out);

#endif
