/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Binary search beside a walk from one end to the other. */
#include "base/search.h"

#include "tap.h"

#define MOST 33

static const int *looked_at;

/* Counts what is looked at, and that it is within @n. */
static int value_at(const int *v, size_t i, size_t n, unsigned int *steps)
{
	(*steps)++;
	if (i >= n || v != looked_at)
		abort();
	return v[i];
}

static size_t walk_above(const int *v, size_t from, size_t to, int key)
{
	while (from < to && v[from] <= key)
		from++;
	return from;
}

static unsigned int most_steps(size_t n)
{
	unsigned int steps = 0;

	for (; n; n /= 2)
		steps++;
	return steps;
}

/* Each value twice, all lengths and beginnings, keys on, between and beyond the values. */
static void test_all(void)
{
	unsigned int bad = 0, bad_last = 0, slow = 0, steps;
	size_t i, from, to, above, last;
	int v[MOST], key;

	looked_at = v;
	for (i = 0; i < MOST; i++)
		v[i] = i / 2 * 2;
	for (from = 0; from < 4; from++) {
		for (to = from; to <= MOST; to++) {
			for (key = -1; key <= MOST + 1; key++) {
				above = walk_above(v, from, to, key);
				steps = 0;
				bad += SEARCH_ABOVE(at, from, to, value_at(v, at, to, &steps) <= key) != above;
				slow += steps > most_steps(to - from);
				last = above > from ? above - 1 : from;
				bad_last += SEARCH_LAST(at, from, to,
							value_at(v, at, to, &steps) <= key) != last;
			}
		}
	}
	TAP_EQ(bad, 0, "the first above");
	TAP_EQ(bad_last, 0, "the last that is not above, else the first");
	TAP_EQ(slow, 0, "no more steps than the length has bits");
}

static void test_arguments(void)
{
	static const char *const words[] = { "cpu", "irq", "irq", "sched" };
	size_t from = 0, i = 7, at;

	at = SEARCH_ABOVE(i, from++, 4, strcmp(words[i], "irq") < 0);
	TAP_OK(at == 1 && from == 1 && i == 7, "the first that is not less; bounds are taken once");
	at = SEARCH_LAST(i, from--, 4, strcmp(words[i], "irq") <= 0);
	TAP_OK(at == 2 && from == 0, "the last that is not greater");
	TAP_EQ(SEARCH_LAST(i, 0, 0, words[i] != NULL), 0, "the last of nothing is the first");
	TAP_EQ(SEARCH_ABOVE(i, 5, 4, words[i] != NULL), 5, "bounds that are crossed");
}

int main(void)
{
	test_all();
	test_arguments();
	return tap_done();
}
