/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Distributions beside sorted values and numbers worked out by hand. */
#include <math.h>
#include <stdlib.h>

#include "model/distribution.h"
#include "tap.h"

#define MOST 20000

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* The least value that @percent of all do not exceed. */
static uint64_t sorted_percentile(const uint64_t *v, size_t n, double percent)
{
	size_t rank = ceil(n * percent / 100);

	return v[rank ? rank - 1 : 0];
}

/* Values of all sizes: each power of two is as likely. */
static uint64_t random_value(void)
{
	return ((uint64_t)random() << 31 | random()) >> random() % 62;
}

static void test_percentiles(void)
{
	static const double percents[] = { 0.1, 1, 25, 50, 90, 99, 99.9, 100 };
	static uint64_t v[MOST];
	unsigned int low = 0, high = 0;

	srandom(7);
	for (size_t n = 1; n <= MOST; n = n * 3 + 1) {
		struct value_dist d = {0};

		for (size_t i = 0; i < n; i++) {
			v[i] = random_value();
			dist_add_bucket(&d, v[i]);
		}
		qsort(v, n, sizeof(*v), by_size);
		for (size_t i = 0; i < sizeof(percents) / sizeof(*percents); i++) {
			uint64_t want = sorted_percentile(v, n, percents[i]);
			uint64_t got = dist_percentile(&d, percents[i]);

			low += got < want;
			high += got - want > want * 0.008;
		}
		low += d.min != v[0] || d.max != v[n - 1];
		dist_release(&d);
	}
	TAP_EQ(low, 0, "no percentile is low");
	TAP_EQ(high, 0, "none is more than 0.8 % high");
}

/* Two distributions added are the one of all their values. */
static void test_merge(void)
{
	struct value_dist all = {0}, half[2] = {{0}, {0}}, none = {0};
	unsigned int differ = 0;

	for (size_t i = 0; i < 5000; i++) {
		uint64_t v = random_value();

		dist_add_bucket(&all, v);
		dist_add_bucket(&half[i % 3 == 0], v);
	}
	dist_merge(&none, &half[0]);
	dist_merge(&none, &half[1]);
	dist_merge(&none, &(struct value_dist){0});
	for (double percent = 1; percent <= 100; percent++)
		differ += dist_percentile(&none, percent) != dist_percentile(&all, percent);
	TAP_EQ(differ, 0, "percentiles of both together");
	TAP_OK(none.count == all.count && none.sum == all.sum && none.min == all.min &&
	       none.max == all.max && none.squares == all.squares, "and all else");
	dist_release(&all);
	dist_release(&none);
	dist_release(&half[0]);
	dist_release(&half[1]);
}

/* 2, 4, 4, 4, 5, 5, 7, 9: mean 5, deviation 2. */
static void test_moments(void)
{
	static const uint64_t v[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
	struct value_dist d = {0};

	for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++)
		dist_add(&d, v[i]);
	TAP_EQ(d.count, 8, "count");
	TAP_EQ(d.sum, 40, "sum");
	TAP_EQ(d.min, 2, "min");
	TAP_EQ(d.max, 9, "max");
	TAP_OK(dist_mean(&d) == 5, "mean");
	TAP_OK(dist_stddev(&d) == 2, "deviation");
	d = (struct value_dist){0};
	for (size_t i = 0; i < 1000; i++)
		dist_add(&d, (1ull << 50) + (i & 1) * 2);
	TAP_OK(dist_stddev(&d) == 1, "deviation of large values that are nearly equal");
}

static void test_none(void)
{
	struct value_dist d = {0};

	TAP_OK(!dist_percentile(&d, 50) && dist_mean(&d) == 0 && dist_stddev(&d) == 0, "no values");
	dist_add_bucket(&d, UINT64_MAX);
	TAP_OK(dist_percentile(&d, 50) == UINT64_MAX, "the largest value");
	dist_release(&d);
}

int main(void)
{
	test_percentiles();
	test_merge();
	test_moments();
	test_none();
	return tap_done();
}
