/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What commands that show histograms have in common. */
#ifndef FTR_CMD_HIST_SHOW_H
#define FTR_CMD_HIST_SHOW_H

#include "output/hist_text.h"
#include "tracefs/hist/hist_parse.h"

/* What fits on the terminal; @top as in struct hist_look. */
struct hist_look hist_terminal(size_t top);
/*
 * Says what was dropped, with @hint (may be NULL) against it, and what could not be read: then
 * FTR_DAMAGED, else FTR_OK.
 */
int hist_warn(const struct hist *h, const char *hint);

#endif
