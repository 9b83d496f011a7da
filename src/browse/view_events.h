/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The view of records, in the lines of ftr report. */
#ifndef FTR_BROWSE_VIEW_EVENTS_H
#define FTR_BROWSE_VIEW_EVENTS_H

#include "browse/view.h"

/* Takes @rows. */
struct view *events_view_new(struct rows *rows);
/* Other rows from now on, which it takes: another filter, other columns. */
void events_view_set(struct view *v, struct rows *rows);
struct rows *events_view_rows(struct view *v);
/* The row at or behind a place; NULL if there is none. Borrowed as slices are. */
const struct row *events_view_row(struct view *v, const struct place *p);

#endif
