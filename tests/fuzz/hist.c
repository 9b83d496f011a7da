/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzz target: a word up to the first NUL, a hist file behind it, cut to a trigger and read. */
#include <string.h>

#include "fuzz.h"
#include "tracefs/hist/hist_parse.h"

static const char head[] = "# event histogram\n#\n# trigger info: ";

static size_t heads(const char *text, size_t len)
{
	const char *p = text, *end = text + len;
	size_t n = 0;

	for (; (p = memmem(p, end - p, head, strlen(head))); p++)
		n++;
	return n;
}

/* Is the word in the line of the trigger whose histogram begins there? */
static bool in_first(const char *text, size_t len, const char *word)
{
	const char *info = text + strlen(head), *eol = memchr(info, '\n', text + len - info);

	return memmem(text, (eol ? eol : text + len) - text, word, strlen(word));
}

/* One histogram, whose trigger has the word, and none behind it that has. */
static void check_cut(const char *text, size_t len, const char *part, size_t n, const char *word)
{
	const char *p, *end = text + len;

	FUZZ_ASSERT(part >= text && part + n <= end && n >= strlen(head));
	FUZZ_ASSERT(!memcmp(part, head, strlen(head)) && heads(part, n) == 1);
	FUZZ_ASSERT(in_first(part, n, word));
	for (p = part + 1; (p = memmem(p, end - p, head, strlen(head))); p++)
		FUZZ_ASSERT(!in_first(p, end - p, word));
}

static void read_ranges(const struct hist *h, size_t key)
{
	const struct hist_column *c = &h->keys[key];
	uint64_t lo, hi;
	bool negative;

	for (size_t i = 0; i < h->nr_rows && (c->kind == HIST_LOG2 || c->kind == HIST_BUCKET); i++) {
		hist_range(c, &h->rows[i].keys[key], &lo, &hi, &negative);
		fuzz_sink += lo + hi + negative;
	}
}

static void read_hist(const char *text, size_t len)
{
	struct hist_at by = { .descending = len & 1 };
	struct ftr_error err = {0};
	struct hist h;

	if (!hist_parse(&h, text, len, NULL, 0, &err)) {
		FUZZ_ASSERT(h.nr_keys && h.nr_keys <= HIST_COLUMNS && h.nr_vals <= HIST_COLUMNS);
		hist_sort(&h, &by, 1);
		for (size_t i = 0; i < h.nr_keys; i++)
			read_ranges(&h, i);
	} else {
		FUZZ_ASSERT(*err.msg);
	}
	hist_release(&h);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t n = strnlen((const char *)data, size), at = n + (n < size);
	size_t len = size - at, part_len = len;
	char *word = strndup((const char *)data, n);
	const char *text = (const char *)data + at, *part = text;

	if (hist_cut(&part, &part_len, word))
		check_cut(text, len, part, part_len, word);
	else
		FUZZ_ASSERT(part == text && part_len == len);
	read_hist(part, part_len);
	free(word);
	return 0;
}
