/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Draws flame graphs: ways as a picture with search and zoom. */
#ifndef FTR_OUTPUT_SVG_FLAME_SVG_H
#define FTR_OUTPUT_SVG_FLAME_SVG_H

#include "model/flame/folded_stacks.h"

struct flame_look {
	const char *title;		/* any bytes */
	const char *note;		/* a line below, or NULL */
	const char *unit;		/* unit of the numbers; NULL: nanoseconds */
	bool is_diff;			/* column 0 is before, column 1 now */
};

/* Draws sorted ways into an empty buffer. Frames narrower than a tenth of a unit are left out. */
void flame_draw(struct buf *svg, const struct ways *w, const struct flame_look *look);

#endif
