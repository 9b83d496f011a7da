/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads last_boot_info: two deltas on 6.12, addresses of the kernel and its modules on 7.2. */
#include "tracefs/state/last_boot.h"

#include <stdlib.h>
#include <string.h>

#define NUMBER_MAX 32		/* bytes of a number, its sign and blanks before it */

/* Parses @len bytes, which must be one number. Returns false if they are not. */
static bool parse_whole_number(const char *p, size_t len, int base, uint64_t *v)
{
	char text[NUMBER_MAX], *end;

	if (!len || len >= sizeof(text))
		return false;
	memcpy(text, p, len);
	text[len] = '\0';
	*v = base == 16 ? strtoull(text, &end, 16) : (uint64_t)strtoll(text, &end, base);
	return end != text && !*end;
}

/* Parses "text delta:\t-4096". */
static bool parse_delta(const char *p, size_t len, const char *name, int64_t *delta)
{
	size_t n = strlen(name);
	uint64_t v;

	if (len <= n || memcmp(p, name, n) || !parse_whole_number(p + n, len - n, 10, &v))
		return false;
	*delta = v;
	return true;
}

/* Parses "ffffffff81000000\t[kernel]" or "ffffffffc0123000\text4". */
static void parse_address(struct last_boot *l, const char *p, size_t len)
{
	static const char kernel[] = "[kernel]";
	const char *tab = memchr(p, '\t', len), *name = tab ? tab + 1 : p + len;
	size_t n = p + len - name;
	uint64_t v;

	if (!n || memchr(name, '\0', n) || !parse_whole_number(p, tab - p, 16, &v))
		return;
	if (n == sizeof(kernel) - 1 && !memcmp(name, kernel, n)) {
		l->kind = LAST_BOOT_ADDRESSES;
		l->text = v;
		return;
	}
	l->v = xgrow(l->v, &l->cap, l->n + 1, sizeof(*l->v));
	l->v[l->n++] = (struct last_boot_module){ xstrndup(name, n), v };
}

void last_boot_parse(struct last_boot *l, const char *text, size_t len)
{
	static const char current[] = "# Current";
	const char *p = text, *end = text + len, *nl;
	size_t n;

	for (; p < end; p = nl + 1) {
		nl = memchr(p, '\n', end - p);
		nl = nl ? nl : end;
		n = nl - p;
		if (n == sizeof(current) - 1 && !memcmp(p, current, n))
			l->kind = LAST_BOOT_CURRENT;
		else if (parse_delta(p, n, "text delta:", &l->text_delta))
			l->kind = LAST_BOOT_DELTAS;
		else if (!parse_delta(p, n, "data delta:", &l->data_delta))
			parse_address(l, p, n);
	}
}

void last_boot_read(struct last_boot *l, const struct tfs *t, const char *instance)
{
	struct buf text = {0};

	if (tfs_exists(t, instance, "last_boot_info") &&
	    !tfs_read(t, instance, "last_boot_info", &text, NULL))
		last_boot_parse(l, text.data, text.len);
	buf_release(&text);
}

const struct last_boot_module *last_boot_module(const struct last_boot *l, const char *name,
						size_t len)
{
	size_t i;

	for (i = 0; i < l->n; i++)
		if (strlen(l->v[i].name) == len && !memcmp(l->v[i].name, name, len))
			return &l->v[i];
	return NULL;
}

void last_boot_release(struct last_boot *l)
{
	size_t i;

	for (i = 0; i < l->n; i++)
		free(l->v[i].name);
	free(l->v);
	*l = (struct last_boot){0};
}

int last_boot_holds(const struct tfs *t, const char *instance, bool *sure)
{
	struct last_boot l = {0};
	enum last_boot_kind kind;

	last_boot_read(&l, t, instance);
	kind = l.kind;
	last_boot_release(&l);
	*sure = kind == LAST_BOOT_ADDRESSES;
	return (*sure || kind == LAST_BOOT_DELTAS) && tfs_has_data(t, instance);
}
