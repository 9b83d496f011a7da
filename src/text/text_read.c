/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the traces in a text. */
#include "text/text_read.h"

int text_read(struct text_read *r, int fd, const char *path, const struct text_type *type,
	      struct text_progress *progress, struct ftr_error *err)
{
	*r = (struct text_read){ .dumps.progress = progress };
	if (text_input_map(&r->input, fd, path, err))
		return -1;
	if (!r->input.len)
		return 0;
	dumps_find(&r->dumps, r->input.p, r->input.len, type);
	for (size_t i = 0; i < r->dumps.n; i++)
		r->filled += r->dumps.v[i].n > 0;
	return 0;
}

/* If the first dump has all records, a second one, of the panic after the oops, is empty. */
bool text_read_takes(const struct text_read *r, size_t i)
{
	return r->dumps.v[i].n || (!r->filled && !i);
}

void text_read_release(struct text_read *r)
{
	dumps_release(&r->dumps);
	text_input_release(&r->input);
}
