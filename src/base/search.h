/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Binary search in sorted data, in which the comparison is an expression, so a step costs no call;
 * a comparison for qsort().
 */
#ifndef FTR_BASE_SEARCH_H
#define FTR_BASE_SEARCH_H

#include <stddef.h>
#include <stdint.h>

/*
 * Finds the first index in [@from, @to) for which @below is false; @to if there is none. @below is
 * an expression of the index, whose name is @i:
 *
 *	SEARCH_ABOVE(i, 0, n, v[i].addr <= addr)		the first that is greater
 *	SEARCH_ABOVE(i, 0, n, strcmp(v[i].name, name) < 0)	the first that is not less
 *
 * @below must be true up to some index and false from there on. If @to is not greater than @from
 * the result is @from.
 */
#define SEARCH_ABOVE(i, from, to, below) ({			\
	size_t lo_ = (from), hi_ = (to), i;			\
								\
	while (lo_ < hi_) {					\
		i = lo_ + (hi_ - lo_) / 2;			\
		if (below)					\
			lo_ = i + 1;				\
		else						\
			hi_ = i;				\
	}							\
	lo_;							\
})

/*
 * Finds the last index for which @below is true. @from is not tested, and is the result if there is
 * none.
 */
#define SEARCH_LAST(i, from, to, below) ({			\
	size_t first_ = (from);					\
								\
	SEARCH_ABOVE(i, first_ + 1, to, below) - 1;		\
})

/* Compares two uint64_t, for qsort() and bsearch(). */
static inline int u64_compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

#endif
