/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command table: lookup, the overview, completion. */
#ifndef FTR_CMD_COMMAND_TABLE_H
#define FTR_CMD_COMMAND_TABLE_H

#include "cmd/frame/command.h"

/* Returns the command @name, or NULL with @err, which names the nearest command. */
const struct cmd *cmd_find(const char *name, struct ftr_error *err);
/* Prints 'ftr help': the everyday commands by purpose, or all commands if @all. */
void cmd_print_overview(bool all);
/* Prints the text of 'ftr' without arguments: the first steps. */
void cmd_print_first_steps(void);
/* Options before the command, which the main program sets. */
extern const struct opt cmd_global_options[];

/*
 * complete.c: appends words that complete the last of @words, the command line after "ftr", as
 * lines "WORD\tMEANING". A line ":files" or ":commands" leaves it to the shell. Files that cannot
 * be read are skipped without a message.
 */
void complete_words(char *const *words, size_t n, struct buf *out);
/*
 * complete.c: returns the completion script of @shell: bash, zsh or fish. Returns NULL with @err
 * (FTR_USAGE) if the shell is unknown.
 */
const char *complete_script(const char *shell, struct ftr_error *err);
/*
 * complete.c: appends a line for each option of each command, with tabs between the columns
 * COMMAND, letter, long name, argument, help.
 */
void complete_option_table(struct buf *out);

#endif
