/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Formats of events in the form for the writer of a trace file. */
#include "record/file/dat_formats.h"

#include <stdlib.h>
#include <string.h>

static int compare_by_system_event(const void *a, const void *b)
{
	const struct format_file *const *x = a, *const *y = b;
	int by = strcmp((*x)->system, (*y)->system);

	if (!by)
		by = strcmp((*x)->event, (*y)->event);
	/* if an event occurs twice, in the order of the input */
	return by ? by : (*x > *y) - (*x < *y);
}

size_t dat_formats_list(const struct format_files *f, bool builtin, struct dat_write_format **v)
{
	const struct format_file **sorted = xcalloc(f->n, sizeof(*sorted));
	size_t i, n = 0;

	for (i = 0; i < f->n; i++)
		if (builtin == !strcmp(f->v[i].system, "ftrace"))
			sorted[n++] = &f->v[i];
	qsort(sorted, n, sizeof(*sorted), compare_by_system_event);
	*v = xcalloc(n, sizeof(**v));
	for (i = 0; i < n; i++)
		(*v)[i] = (struct dat_write_format){
			.system = sorted[i]->system, .text = sorted[i]->text, .len = sorted[i]->len,
		};
	free(sorted);
	return n;
}
