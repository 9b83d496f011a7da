/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr list functions: some 50,000 lines of the kernel's list, cut up where they lie. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/frame/command.h"
#include "cmd/list.h"
#include "record/symbols/decls.h"

#define PROTOTYPE 3
#define NR_COLUMNS 4

bool list_wanted_function(struct list *l, const char *const *row)
{
	return pick_function(&l->pick, row[0], row[1]);
}

/* "[ffffffff81002014 ]vfs_read[ [module]]", which ends at @end; false if it has no name. */
static bool cut_line(char *line, char *end, bool with_address, const char **row)
{
	char *blank, *bracket;

	row[1] = row[2] = NULL;
	blank = memchr(line, ' ', end - line);
	if (with_address) {
		if (!blank)
			return false;
		row[2] = line;
		*blank = '\0';
		line = blank + 1;
		blank = memchr(line, ' ', end - line);
	}
	row[0] = line;
	if (blank) {
		*blank = '\0';
		bracket = strchr(blank + 1, '[');
		row[1] = bracket ? bracket + 1 : NULL;
		if (bracket)
			bracket[strcspn(bracket, "]")] = '\0';
	}
	return *line;
}

static void cut_lines(struct listing *out, bool with_address)
{
	char *p = out->text.data, *end = p + out->text.len, *nl;
	const char *row[NR_COLUMNS] = {0};

	for (; p < end; p = nl + 1) {
		nl = memchr(p, '\n', end - p);
		if (!nl)
			nl = end;
		*nl = '\0';
		if (cut_line(p, nl, with_address, row))
			listing_add(out, row);
	}
}

#define ADDRS "available_filter_functions_addrs"

/*
 * 1: with their addresses, 0: without. The kernel takes three times as long with them, so they are
 * read only where they are shown.
 */
static int read_functions(struct list *l, struct buf *text, struct ftr_error *err)
{
	int ret = -1;

	if (l->address || l->json)
		ret = tfs_read(&l->t, NULL, ADDRS, text, l->address ? err : NULL);
	if (!ret)
		return 1;
	if (l->address) {
		if (errno == ENOENT) {
			err_set(err, FTR_FAILED, "this kernel does not list addresses of "
				"functions");
			err_hint(err, "it has no '" ADDRS "'; addresses of symbols are in "
				 "/proc/kallsyms");
		}
		return -1;
	}
	ret = tfs_read(&l->t, NULL, "available_filter_functions", text, err);
	if (ret && errno == ENOENT) {
		err_set(err, FTR_FAILED, "this kernel has no list of functions");
		err_hint(err, "it needs CONFIG_FUNCTION_TRACER and CONFIG_DYNAMIC_FTRACE");
	}
	return ret;
}

int list_fill_functions(struct list *l, struct listing *out, struct ftr_error *err)
{
	static const struct column columns[] = {
		{ "function", COL_TEXT, NULL }, { "module", COL_TEXT, NULL },
		{ "address", COL_TEXT, NULL }, [PROTOTYPE] = { "prototype", COL_TEXT, NULL },
	};
	int addresses;

	out->columns = columns;
	out->nr_columns = l->proto ? NR_COLUMNS : PROTOTYPE;
	addresses = read_functions(l, &out->text, err);
	if (addresses < 0)
		return -1;
	out->clean = text_clean(out->text.data, out->text.len, true);
	cut_lines(out, addresses);
	return 0;
}

/* Said once for all: why some have none. */
static void say_without(const struct decls *d, size_t without)
{
	const struct strv *modules = decls_without(d);
	struct buf names = {0};
	size_t i;

	if (!without)
		return;
	for (i = 0; i < modules->n && i < 3; i++)
		buf_printf(&names, "%s'%s'", i ? ", " : "", modules->v[i]);
	if (modules->n > 3)
		buf_printf(&names, " and %zu more", modules->n - 3);
	if (modules->n)
		cmd_say("%zu without a prototype; no BTF of %s", without, names.data);
	else
		cmd_say("%zu without a prototype: BTF does not have them", without);
	buf_release(&names);
}

int list_finish_functions(struct list *l, struct listing *out, struct ftr_error *err)
{
	struct decls *d = l->proto ? decls_open(err) : NULL;
	struct buf text = {0};
	size_t i, without = 0;
	const char **row;

	if (!d)
		return l->proto ? -1 : 0;
	for (i = 0; i < out->n; i++) {
		row = out->cells + i * NR_COLUMNS;
		buf_reset(&text);
		if (decls_add(d, row[1], row[0], &text))
			row[PROTOTYPE] = listing_own(out, xstrndup(text.data, text.len));
		else
			without++;
	}
	say_without(d, without);
	buf_release(&text);
	decls_close(d);
	return 0;
}
