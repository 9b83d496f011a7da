/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Histograms of powers of two, as the tools of bcc print them. */
#ifndef FTR_OUT_LOG2_H
#define FTR_OUT_LOG2_H

#include "base/mem.h"

/*
 * Appends the rows from the first to the last one that has something: row 0 counts 0 and 1, row i
 * what is from 2^i on below 2^(i + 1). @label says what is counted: "usecs".
 */
void log2_draw(struct buf *out, const uint64_t *rows, size_t n, const char *label);
/* The numbers that a row is of, both included. */
static inline uint64_t log2_from(unsigned int row)
{
	return row ? 1ull << row : 0;
}

static inline uint64_t log2_to(unsigned int row)
{
	return (1ull << row << 1) - 1;
}

#endif
