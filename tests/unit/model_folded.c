/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ways: their lines, in order, whatever the names are; sums that end. */
#include "model/flame/folded_stacks.h"
#include "tap.h"

static uint32_t step(struct folded_stacks *w, uint32_t from, const char *name)
{
	return folded_add_frame(w, from, folded_add_name(w, name, strlen(name)));
}

static bool folds_to(const struct folded_stacks *w, unsigned int columns, const char *wanted)
{
	struct buf lines = {0};
	bool same;

	buf_addstr(&lines, "");
	folded_print(w, columns, &lines);
	same = !strcmp(lines.data, wanted);
	if (!same)
		printf("# wanted:\n%s# got:\n%s", wanted, lines.data);
	buf_release(&lines);
	return same;
}

/* In the order in which they are met: late names, a way before the one that it begins with. */
static struct folded_stacks *make_folded(void)
{
	struct folded_stacks *w = folded_new();
	uint32_t b = step(w, 0, "b"), a = step(w, 0, "a"), ab = step(w, a, "b");

	folded_add(w, b, 0, 1);
	folded_add(w, step(w, ab, "c"), 0, 20);
	folded_add(w, ab, 0, 3);
	folded_add(w, ab, 0, 4);
	folded_add(w, step(w, a, "Z"), 1, 6);
	folded_add(w, step(w, step(w, b, "nothing"), "at all"), 0, 0);
	return w;
}

static void test_order(void)
{
	struct folded_stacks *w = make_folded(), *turned = folded_reverse(w);

	folded_sort(w);
	folded_sort(turned);
	TAP_OK(folds_to(w, 1, "a;b 7\na;b;c 20\nb 1\n"), "one number: 0 is left out");
	TAP_OK(folds_to(w, 2, "a;Z 0 6\na;b 7 0\na;b;c 20 0\nb 1 0\n"), "two numbers");
	TAP_OK(folds_to(turned, 2, "Z;a 0 6\nb 1 0\nb;a 7 0\nc;b;a 20 0\n"), "reversed");
	TAP_OK(folded_root(w)->all[0] == 28 && folded_root(w)->all[1] == 6, "the sums of all");
	folded_free(w);
	folded_free(turned);
}

static void test_names(void)
{
	struct folded_stacks *w = folded_new();

	folded_add(w, step(w, 0, "a;b"), 0, 1);
	folded_add(w, step(w, 0, "a:b"), 0, 2);
	folded_add(w, step(w, 0, "new\nline 5"), 0, 4);
	folded_add(w, step(w, step(w, 0, ""), "\x1b[2J\xff"), 0, 8);
	folded_sort(w);
	TAP_OK(folds_to(w, 1, ";\\x1b[2J\\xff 8\na:b 3\nnew\\x0aline 5 4\n"),
	       "names that read the same are one, no line is two");
	folded_free(w);
}

static void test_sums(void)
{
	struct folded_stacks *w = folded_new();
	uint32_t a = step(w, 0, "a");

	folded_add(w, a, 0, UINT64_MAX - 1);
	folded_add(w, a, 0, 5);
	folded_add(w, step(w, a, "b"), 0, 7);
	folded_sort(w);
	TAP_OK(folds_to(w, 1, "a 18446744073709551615\na;b 7\n"), "sums stop");
	TAP_OK(folded_root(w)->all[0] == UINT64_MAX, "that of all, too");
	folded_free(w);
}

static void test_nothing(void)
{
	struct folded_stacks *w = folded_new();

	folded_sort(w);
	TAP_OK(folds_to(w, 2, ""), "no ways, no lines");
	folded_free(w);
}

int main(void)
{
	test_order();
	test_names();
	test_sums();
	test_nothing();
	return tap_done();
}
