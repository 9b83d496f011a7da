/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Completion of command lines for shells, from the command table and the live tracefs. */
#ifndef FTR_CMD_COMPLETE_H
#define FTR_CMD_COMPLETE_H

#include "base/err.h"
#include "base/mem.h"

/*
 * What may stand for the last of @words, the command line behind "ftr": lines "WORD\tWHAT" into
 * @out. A line ":files" or ":commands" leaves it to the shell. What can't be read gives nothing.
 */
void complete_words(char *const *words, size_t n, struct buf *out);
/* The script that hooks this into @shell: bash, zsh, fish. NULL with @err (FTR_USAGE). */
const char *complete_script(const char *shell, struct ftr_error *err);
/* Every option of every command: COMMAND, letter, long name, argument, help, tabs between. */
void complete_option_table(struct buf *out);

#endif
