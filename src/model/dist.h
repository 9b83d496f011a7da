/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A distribution of durations: exact sums, and percentiles from buckets. */
#ifndef FTR_MODEL_DIST_H
#define FTR_MODEL_DIST_H

#include <stdbool.h>
#include <stdint.h>

#define DIST_BUCKETS	128u	/* of each power of two: at most 0.8 % high */
#define DIST_POWERS	58u	/* below DIST_BUCKETS each value has one of its own */

/* Zeroed is empty. */
struct dist {
	uint64_t count, sum, min, max;
	unsigned __int128 squares;	/* sum of the squares */
	uint32_t **buckets;		/* by power, NULL where nothing is; see dist_add_bucket() */
};

/* Adds a value, without buckets: percentiles will not be asked for. */
static inline void dist_add(struct dist *d, uint64_t v)
{
	if (!d->count || v < d->min)
		d->min = v;
	if (v > d->max)
		d->max = v;
	d->count++;
	d->sum += v;
	d->squares += (unsigned __int128)v * v;
}

/* The same with buckets; a distribution gets all its values in one of the two ways. */
void dist_add_bucket(struct dist *d, uint64_t v);
/* Adds all values of another, which got its values in the same way. */
void dist_merge(struct dist *d, const struct dist *from);
/* The least value that @percent of all do not exceed, at most 0.8 % high; 0 if there are none. */
uint64_t dist_percentile(const struct dist *d, double percent);
double dist_mean(const struct dist *d);
/* Of the values themselves, not of a sample: divided by the count. */
double dist_stddev(const struct dist *d);
void dist_release(struct dist *d);

#endif
