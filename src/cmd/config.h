/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Config files: defaults of the options of each command. Format: Documentation/ftr.conf.5. */
#ifndef FTR_CMD_CONFIG_H
#define FTR_CMD_CONFIG_H

#include <stdbool.h>

#include "base/err.h"
#include "base/opt.h"

/*
 * Reads $FTR_CONFIG, or /etc/ftr.conf and ~/.config/ftr/config; what is not there is fine. Kept
 * until the program ends: options point into it. -1 with @err (file:line, code FTR_USAGE).
 */
int config_load(struct ftr_error *err);
/* Nothing is to be taken from files: --no-config. */
void config_off(void);
/*
 * Sets what @section has through the rows of @table, except options that stand in @argv, which win.
 * Call it with the arguments that opt_parse() gets. -1 with @err (file:line).
 */
int config_apply(const char *section, const struct opt *table, bool stop_at_word, int argc,
		 char **argv, void *ctx, struct ftr_error *err);
/* Takes the text of one file, for tests and for config_load(); @file is for messages. */
int config_parse(const char *file, const char *text, struct ftr_error *err);

#endif
