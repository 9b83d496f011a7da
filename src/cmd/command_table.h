/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks up commands, and prints the page that lists them. */
#ifndef FTR_CMD_COMMAND_TABLE_H
#define FTR_CMD_COMMAND_TABLE_H

#include "cmd/frame/command.h"

/* The row of command @name, or NULL with @err, which names the nearest command. */
const struct cmd *cmd_find(const char *name, struct ftr_error *err);
/* Prints 'ftr help': the everyday commands by purpose, or with @all all commands. */
void cmd_print_overview(bool all);
/* Prints the text of 'ftr' without arguments: the first steps. */
void cmd_print_first_steps(void);
/* Options before the command, which the main program sets. */
extern const struct opt cmd_global_options[];

#endif
