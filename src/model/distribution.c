/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A distribution of durations: exact sums, and percentiles from buckets. */
#include "model/distribution.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

#define BUCKET_BITS	7u	/* log2 of DIST_BUCKETS */

_Static_assert(DIST_BUCKETS == 1u << BUCKET_BITS, "a power of two");

void dist_add_bucket(struct value_dist *d, uint64_t v)
{
	/* power 0 has the values below DIST_BUCKETS; others use the bits after the highest one */
	unsigned int power = v < DIST_BUCKETS ? 0 : 64 - __builtin_clzll(v) - BUCKET_BITS;
	unsigned int bucket = power ? v >> (power - 1) & (DIST_BUCKETS - 1) : v;

	dist_add(d, v);
	if (!d->buckets)
		d->buckets = xcalloc(DIST_POWERS, sizeof(*d->buckets));
	if (!d->buckets[power])
		d->buckets[power] = xcalloc(DIST_BUCKETS, sizeof(**d->buckets));
	d->buckets[power][bucket]++;
}

void dist_merge(struct value_dist *d, const struct value_dist *from)
{
	if (!from->count)
		return;
	if (!d->count || from->min < d->min)
		d->min = from->min;
	if (from->max > d->max)
		d->max = from->max;
	d->count += from->count;
	d->sum += from->sum;
	d->squares += from->squares;
	if (from->buckets && !d->buckets)
		d->buckets = xcalloc(DIST_POWERS, sizeof(*d->buckets));
	for (unsigned int p = 0; from->buckets && p < DIST_POWERS; p++) {
		if (!from->buckets[p])
			continue;
		if (!d->buckets[p])
			d->buckets[p] = xcalloc(DIST_BUCKETS, sizeof(**d->buckets));
		for (unsigned int i = 0; i < DIST_BUCKETS; i++)
			d->buckets[p][i] += from->buckets[p][i];
	}
}

uint64_t dist_percentile(const struct value_dist *d, double percent)
{
	uint64_t rank = ceil(d->count * percent / 100), seen = 0, top;

	for (unsigned int p = 0; d->buckets && p < DIST_POWERS; p++) {
		for (unsigned int i = 0; d->buckets[p] && i < DIST_BUCKETS; i++) {
			seen += d->buckets[p][i];
			if (!d->buckets[p][i] || seen < rank)
				continue;
			/* the largest value of the bucket */
			top = p ? ((DIST_BUCKETS + i + 1ull) << (p - 1)) - 1 : i;
			return top > d->max ? d->max : top;
		}
	}
	return d->max;
}

double dist_mean(const struct value_dist *d)
{
	return d->count ? (double)d->sum / d->count : 0;
}

/* Subtracts integers: the difference of two large, nearly equal numbers stays exact. */
double dist_stddev(const struct value_dist *d)
{
	unsigned __int128 n = d->count, sum = d->sum, of_sum;

	if (!d->count)
		return 0;
	if (d->squares > ~(unsigned __int128)0 / n || d->sum > UINT64_MAX / 2)
		return sqrt((double)d->squares / d->count - dist_mean(d) * dist_mean(d));
	of_sum = sum * sum;
	return sqrt((double)(n * d->squares - of_sum)) / d->count;
}

void dist_release(struct value_dist *d)
{
	for (unsigned int p = 0; d->buckets && p < DIST_POWERS; p++)
		free(d->buckets[p]);
	free(d->buckets);
	*d = (struct value_dist){0};
}
