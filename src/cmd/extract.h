/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What ftr snapshot save has of ftr extract. */
#ifndef FTR_CMD_EXTRACT_H
#define FTR_CMD_EXTRACT_H

#include "cmd/frame/command.h"

/* Options and function of a row: as 'ftr extract -s'. */
extern const struct opt extract_snapshot_options[];
int extract_snapshot(const struct cmd *self, int argc, char **argv);

#endif
