/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints histograms of powers of two in the form of the bcc tools. */
#ifndef FTR_OUTPUT_SVG_LOG2_HIST_H
#define FTR_OUTPUT_SVG_LOG2_HIST_H

#include "base/mem.h"

/*
 * Appends the rows from the first to the last that is not 0. Row 0 counts 0 and 1; row i counts
 * values from 2^i up to 2^(i + 1) - 1. @label is the unit: "usecs".
 */
void log2_draw(struct buf *out, const uint64_t *rows, size_t n, const char *label);
/* The first and the last value of a row. */
static inline uint64_t log2_from(unsigned int row)
{
	return row ? 1ull << row : 0;
}

static inline uint64_t log2_to(unsigned int row)
{
	return (1ull << row << 1) - 1;
}

#endif
