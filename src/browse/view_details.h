/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All of one record: its fields with their types and values, its bytes, its stack. */
#ifndef FTR_BROWSE_VIEW_DETAILS_H
#define FTR_BROWSE_VIEW_DETAILS_H

#include "browse/view_lines.h"

/* Fills @l, which is emptied first. False: there is no record at @p. */
bool details_fill(struct lines *l, struct rows *r, const struct place *p);

#endif
