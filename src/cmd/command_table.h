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

/*
 * complete.c: appends what may stand for the last of @words, the command line after "ftr", as lines
 * "WORD\tMEANING". A line ":files" or ":commands" leaves it to the shell. Files that cannot be read
 * give nothing.
 */
void complete_words(char *const *words, size_t n, struct buf *out);
/* complete.c: the script that completes for @shell: bash, zsh, fish. NULL with @err (FTR_USAGE). */
const char *complete_script(const char *shell, struct ftr_error *err);
/* complete.c: every option: COMMAND, letter, long name, argument, help, tabs between. */
void complete_option_table(struct buf *out);

#endif
