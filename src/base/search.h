/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Binary search over what is in order, by an expression: no call for each step. */
#ifndef FTR_BASE_SEARCH_H
#define FTR_BASE_SEARCH_H

#include <stddef.h>

/*
 * The first index from @from on, and below @to, of what lies above; @to where nothing does. @below
 * is an expression with the index, which the caller names by @i:
 *
 *	SEARCH_ABOVE(i, 0, n, v[i].addr <= addr)		the first that is greater
 *	SEARCH_ABOVE(i, 0, n, strcmp(v[i].name, name) < 0)	the first that is not less
 *
 * It must not hold for any behind one for which it does not hold. Where @to is not above @from the
 * answer is @from.
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

/* The last index for which @below holds, else @from, which is not looked at. */
#define SEARCH_LAST(i, from, to, below) ({			\
	size_t first_ = (from);					\
								\
	SEARCH_ABOVE(i, first_ + 1, to, below) - 1;		\
})

#endif
