/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzz target: last_boot_info, up to the first NUL; what is understood of it is written and read again. Behind that
 * /proc/modules, NUL and /proc/kallsyms, whose symbols are moved by it.
 */
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "fuzz.h"
#include "oops/collect/collect_priv.h"

static void write_again(const struct last_boot *l, struct buf *out)
{
	buf_addstr(out, "");
	for (size_t i = 0; i < l->n; i++)
		buf_printf(out, "%" PRIx64 "\t%s\n", l->v[i].at, l->v[i].name);
	if (l->kind == LAST_BOOT_DELTAS)
		buf_printf(out, "text delta:\t%" PRId64 "\ndata delta:\t%" PRId64 "\n", l->text_delta, l->data_delta);
	else if (l->kind == LAST_BOOT_ADDRESSES)
		buf_printf(out, "%" PRIx64 "\t[kernel]\n", l->text);
	else if (l->kind == LAST_BOOT_CURRENT)
		buf_addstr(out, "# Current\n");
}

static void check_same(const struct last_boot *a, const struct last_boot *b)
{
	FUZZ_ASSERT(a->kind == b->kind && a->n == b->n);
	FUZZ_ASSERT(a->kind != LAST_BOOT_ADDRESSES || a->text == b->text);
	FUZZ_ASSERT(a->kind != LAST_BOOT_DELTAS ||
		    (a->text_delta == b->text_delta && a->data_delta == b->data_delta));
	for (size_t i = 0; i < a->n; i++) {
		FUZZ_ASSERT(*a->v[i].name && !strchr(a->v[i].name, '\n'));
		FUZZ_ASSERT(a->v[i].at == b->v[i].at && !strcmp(a->v[i].name, b->v[i].name));
		FUZZ_ASSERT(last_boot_module(a, a->v[i].name, strlen(a->v[i].name)));
	}
}

/* Each line that comes out is one that went in, at another address; no module is both placed and not. */
static void check_moved(const struct buf *symbols, const struct buf *moved, const struct strv *unplaced)
{
	const char *p = moved->data, *end = p + moved->len, *nl;

	for (; p < end; p = nl + 1) {
		nl = memchr(p, '\n', end - p);
		FUZZ_ASSERT(nl && nl - p > 17 && p[16] == ' ');
		FUZZ_ASSERT(memmem(symbols->data, symbols->len, p + 16, nl + 1 - p - 16));
		for (size_t i = 0; i < unplaced->n; i++) {
			char *tag = NULL;
			int n = asprintf(&tag, "\t[%s]\n", unplaced->v[i]);

			if (strchr(unplaced->v[i], '\t'))
				n = INT_MAX;	/* no such name can stand there */
			FUZZ_ASSERT(n > nl + 1 - p || memcmp(nl + 1 - n, tag, n));
			free(tag);
		}
	}
}

static void move(const struct last_boot *l, const char *modules, const char *text, size_t len)
{
	struct buf symbols = {0}, moved = {0};
	struct strv unplaced = {0};

	buf_add(&symbols, text, len);
	if (collect_move_symbols(l, &symbols, modules, &moved, &unplaced))
		check_moved(&symbols, &moved, &unplaced);
	else
		FUZZ_ASSERT(!moved.len && !unplaced.n);
	buf_release(&symbols);
	buf_release(&moved);
	strv_release(&unplaced);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	size_t n = strnlen(text, size), at = n + (n < size), k = strnlen(text + at, size - at);
	char *copy = xstrndup(text, n), *modules = xstrndup(text + at, k);
	struct last_boot l = {0}, again = {0}, raw = {0};
	struct buf b = {0};

	at += k + (at + k < size);
	last_boot_parse(&l, copy, n);
	write_again(&l, &b);
	last_boot_parse(&again, b.data, b.len);
	check_same(&l, &again);
	last_boot_parse(&raw, text, size);
	move(&l, modules, text + at, size - at);
	last_boot_release(&l);
	last_boot_release(&again);
	last_boot_release(&raw);
	buf_release(&b);
	free(copy);
	free(modules);
	return 0;
}
