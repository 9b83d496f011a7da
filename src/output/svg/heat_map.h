/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Distributions over powers of two: as text like that of the bcc tools, over time as heat maps. */
#ifndef FTR_OUTPUT_SVG_HEAT_MAP_H
#define FTR_OUTPUT_SVG_HEAT_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"

/*
 * Appends the rows from the first to the last that is not 0. Row 0 counts 0 and 1; row i counts
 * values from 2^i up to 2^(i + 1) - 1. @label is the unit: "usecs".
 */
void log2_draw(struct buf *out, const uint64_t *rows, size_t n, const char *label);
/* Return the first and the last value of a row. */
static inline uint64_t log2_from(unsigned int row)
{
	return row ? 1ull << row : 0;
}

static inline uint64_t log2_to(unsigned int row)
{
	return (1ull << row << 1) - 1;
}

#define HEAT_COLUMNS	150
#define HEAT_ROWS	64

struct heat_map {
	uint64_t from, to;		/* time stamps at the edges, both included */
	uint64_t counts[HEAT_COLUMNS][HEAT_ROWS];
};

struct heat_words {
	const char *title;		/* any bytes */
	const char *unit;		/* of the rows: "usecs" */
	bool is_ns;			/* times are nanoseconds */
};

/* Counts a value; @row as in log2_draw(). Times outside count at the nearest end. */
void heat_add(struct heat_map *h, uint64_t ts, unsigned int row);
/* Draws the map into an empty buffer. */
void heat_draw(const struct heat_map *h, const struct heat_words *w, struct buf *svg);

#endif
