/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Config files: defaults of the options of each command. Format: Documentation/man/ftr.conf.5. */
#ifndef FTR_CMD_CONFIG_H
#define FTR_CMD_CONFIG_H

#include <stdbool.h>

#include "base/err.h"
#include "base/opt.h"
#include "cmd/frame/command.h"

/*
 * Reads $FTR_CONFIG, or /etc/ftr.conf and ~/.config/ftr/config. Missing files are no error. The
 * contents stay until the program ends, as options point to them. Warns of a section for none of
 * @commands, a table like cmd_table. Returns 0, or -1 with @err (file:line, code FTR_USAGE).
 */
int config_load(const struct cmd *const *commands, struct ftr_error *err);
/* Disables config files, for --no-config. */
void config_off(void);
/*
 * Sets the options of @section by the setters of @table, except options in @argv, which take
 * precedence. Pass the same arguments as to opt_parse(). Returns 0, or -1 with @err (file:line).
 */
int config_apply(const char *section, const struct opt *table, bool stop_at_word, int argc,
		 char **argv, void *ctx, struct ftr_error *err);

#endif
