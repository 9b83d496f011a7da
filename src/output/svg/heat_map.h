/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Heat maps: values by time and power of two. */
#ifndef FTR_OUTPUT_SVG_HEAT_MAP_H
#define FTR_OUTPUT_SVG_HEAT_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"

#define HEAT_COLUMNS	150
#define HEAT_ROWS	64

struct heat {
	uint64_t from, to;		/* times of the picture, both included */
	uint64_t counts[HEAT_COLUMNS][HEAT_ROWS];
};

struct heat_words {
	const char *title;		/* any bytes */
	const char *unit;		/* of the rows: "usecs" */
	bool is_ns;			/* times are nanoseconds */
};

/* Counts a value; @row as in output/svg/log2_hist.h. Times outside count at the nearest end. */
void heat_add(struct heat *h, uint64_t ts, unsigned int row);
void heat_draw(const struct heat *h, const struct heat_words *w, struct buf *svg);

#endif
