/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options and function of ftr import, and of ftr oops parse, which works the same. */
#ifndef FTR_CMD_FRAME_TEXT_IMPORT_H
#define FTR_CMD_FRAME_TEXT_IMPORT_H

#include "cmd/frame/command.h"

extern const struct opt import_options[];
int import_run(const struct cmd *self, int argc, char **argv);

#endif
