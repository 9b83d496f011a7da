/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr list functions: some 50,000 lines of the kernel's list, cut up where they lie. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/list.h"

bool list_wanted_function(struct list *l, const char *const *row)
{
	return pick_function(&l->pick, row[0], row[1]);
}

/* "[ffffffff81002014 ]vfs_read[ [module]]"; false if it has no name. */
static bool cut_line(char *line, bool with_address, const char *row[3])
{
	char *p = line, *bracket;

	row[1] = row[2] = NULL;
	if (with_address) {
		row[2] = p;
		p += strcspn(p, " ");
		if (*p)
			*p++ = '\0';
	}
	row[0] = p;
	p += strcspn(p, " \t");
	bracket = strchr(p, '[');
	*p = '\0';
	if (bracket) {
		row[1] = bracket + 1;
		bracket[strcspn(bracket, "]")] = '\0';
	}
	return *row[0];
}

static void cut_lines(struct listing *out, bool with_address)
{
	char *p = out->text.data, *end = p + out->text.len, *nl;
	const char *row[4] = {0};

	for (; p < end; p = nl + 1) {
		nl = memchr(p, '\n', end - p);
		if (!nl)
			nl = end;
		*nl = '\0';
		if (cut_line(p, with_address, row))
			listing_add(out, row);
	}
}

int list_fill_functions(struct list *l, struct listing *out, struct ftr_error *err)
{
	static const struct column columns[] = {
		{ "function", COL_TEXT, NULL }, { "module", COL_TEXT, NULL },
		{ "address", COL_TEXT, NULL },
	};
	bool addresses;

	out->columns = columns;
	out->nr_columns = 3;
	addresses = !tfs_read(&l->t, NULL, "available_filter_functions_addrs", &out->text, NULL);
	if (!addresses && tfs_read(&l->t, NULL, "available_filter_functions", &out->text, err)) {
		if (errno == ENOENT) {
			err_set(err, FTR_FAILED, "this kernel has no list of functions");
			err_hint(err, "it needs CONFIG_FUNCTION_TRACER and CONFIG_DYNAMIC_FTRACE");
		}
		return -1;
	}
	out->clean = text_clean(out->text.data, out->text.len, true);
	cut_lines(out, addresses);
	return 0;
}
