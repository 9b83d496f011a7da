/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A distribution of durations: its sums are exact, its percentiles come from buckets. */
#ifndef FTR_MODEL_DISTRIBUTION_H
#define FTR_MODEL_DISTRIBUTION_H

#include <stdbool.h>
#include <stdint.h>

#define DIST_BUCKETS	128u	/* for each power of two: percentiles are at most 0.8 % high */
#define DIST_POWERS	58u	/* each value below DIST_BUCKETS has its own bucket */

/* A zeroed distribution is empty. */
struct value_dist {
	uint64_t count, sum, min, max;
	unsigned __int128 squares;	/* sum of the squares */
	uint32_t **buckets;		/* by power, NULL if empty; see dist_add_bucket() */
};

/* Adds a value without buckets: for a distribution whose percentiles are not used. */
static inline void dist_add(struct value_dist *d, uint64_t v)
{
	if (!d->count || v < d->min)
		d->min = v;
	if (v > d->max)
		d->max = v;
	d->count++;
	d->sum += v;
	d->squares += (unsigned __int128)v * v;
}

/* The same with buckets. Use only one of the two functions for a distribution. */
void dist_add_bucket(struct value_dist *d, uint64_t v);
/* Adds all values of @from, which must have used the same function. */
void dist_merge(struct value_dist *d, const struct value_dist *from);
/*
 * The least value that @percent of all values do not exceed, at most 0.8 % high. 0 if there are no
 * values.
 */
uint64_t dist_percentile(const struct value_dist *d, double percent);
double dist_mean(const struct value_dist *d);
/* The standard deviation of the population: the divisor is the count. */
double dist_stddev(const struct value_dist *d);
void dist_release(struct value_dist *d);

#endif
