/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Config files: defaults of the options of each command. Format: Documentation/ftr.conf.5. */
#ifndef FTR_CMD_CONFIG_H
#define FTR_CMD_CONFIG_H

#include <stdbool.h>

#include "base/err.h"
#include "base/opt.h"
#include "cmd/frame/cmd.h"

/*
 * Reads $FTR_CONFIG, or /etc/ftr.conf and ~/.config/ftr/config; what is not there is fine. Kept
 * until the program ends: options point into it. A section that none of @commands has, a table as
 * cmd_table, is warned of. -1 with @err (file:line, code FTR_USAGE).
 */
int config_load(const struct cmd *const *commands, struct ftr_error *err);
/* Nothing is to be taken from files: --no-config. */
void config_off(void);
/*
 * Sets what @section has through the rows of @table, except options that stand in @argv, which win.
 * Call it with the arguments that opt_parse() gets. -1 with @err (file:line).
 */
int config_apply(const char *section, const struct opt *table, bool stop_at_word, int argc,
		 char **argv, void *ctx, struct ftr_error *err);

#endif
