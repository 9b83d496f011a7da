/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A distribution of durations: exact sums, and percentiles from buckets. */
#include "model/distribution.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

#define BUCKET_BITS	7u	/* DIST_BUCKETS is so many bits */

_Static_assert(DIST_BUCKETS == 1u << BUCKET_BITS, "a power of two");

/* Values below DIST_BUCKETS are power 0; each further power has the bits behind its first one. */
static unsigned int power_of(uint64_t v)
{
	return v < DIST_BUCKETS ? 0 : 64 - __builtin_clzll(v) - BUCKET_BITS;
}

static unsigned int bucket_of(uint64_t v, unsigned int power)
{
	return power ? v >> (power - 1) & (DIST_BUCKETS - 1) : v;
}

/* The largest value that falls there. */
static uint64_t top_of(unsigned int power, unsigned int bucket)
{
	if (!power)
		return bucket;
	return ((uint64_t)(DIST_BUCKETS + bucket) << (power - 1)) + ((1ull << (power - 1)) - 1);
}

void dist_add_bucket(struct dist *d, uint64_t v)
{
	unsigned int power = power_of(v);

	dist_add(d, v);
	if (!d->buckets)
		d->buckets = xcalloc(DIST_POWERS, sizeof(*d->buckets));
	if (!d->buckets[power])
		d->buckets[power] = xcalloc(DIST_BUCKETS, sizeof(**d->buckets));
	d->buckets[power][bucket_of(v, power)]++;
}

static void merge_power(struct dist *d, const struct dist *from, unsigned int power)
{
	if (!from->buckets[power])
		return;
	if (!d->buckets[power])
		d->buckets[power] = xcalloc(DIST_BUCKETS, sizeof(**d->buckets));
	for (unsigned int i = 0; i < DIST_BUCKETS; i++)
		d->buckets[power][i] += from->buckets[power][i];
}

void dist_merge(struct dist *d, const struct dist *from)
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
	for (unsigned int p = 0; from->buckets && p < DIST_POWERS; p++)
		merge_power(d, from, p);
}

uint64_t dist_percentile(const struct dist *d, double percent)
{
	uint64_t rank = ceil(d->count * percent / 100), seen = 0, top;

	for (unsigned int p = 0; d->buckets && p < DIST_POWERS; p++) {
		for (unsigned int i = 0; d->buckets[p] && i < DIST_BUCKETS; i++) {
			seen += d->buckets[p][i];
			if (!d->buckets[p][i] || seen < rank)
				continue;
			top = top_of(p, i);
			return top > d->max ? d->max : top;
		}
	}
	return d->max;
}

double dist_mean(const struct dist *d)
{
	return d->count ? (double)d->sum / d->count : 0;
}

/* The difference is made of whole numbers: two large ones that are nearly equal stay exact. */
double dist_stddev(const struct dist *d)
{
	unsigned __int128 n = d->count, sum = d->sum, of_sum;

	if (!d->count)
		return 0;
	if (d->squares > ~(unsigned __int128)0 / n || d->sum > UINT64_MAX / 2)
		return sqrt((double)d->squares / d->count - dist_mean(d) * dist_mean(d));
	of_sum = sum * sum;
	return sqrt((double)(n * d->squares - of_sum)) / d->count;
}

void dist_release(struct dist *d)
{
	for (unsigned int p = 0; d->buckets && p < DIST_POWERS; p++)
		free(d->buckets[p]);
	free(d->buckets);
	*d = (struct dist){0};
}
