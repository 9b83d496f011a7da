/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looking up commands, and the page that lists them. */
#ifndef FTR_CMD_TABLE_H
#define FTR_CMD_TABLE_H

#include "cmd/frame/cmd.h"

/* The row called @name, or NULL with an error that names the nearest one. */
const struct cmd *cmd_find(const char *name, struct ftr_error *err);
/* What 'ftr help' prints: the everyday commands by what they are for, or with @all every one. */
void cmd_print_overview(bool all);
/* What 'ftr' alone prints: how to begin. */
void cmd_print_first_steps(void);
/* Options that stand before the command; the main program sets them. */
extern const struct opt cmd_global_options[];

#endif
