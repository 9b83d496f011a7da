/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types of a histogram's columns, out of its event's format. */
#include "tracefs/hist/hist_types.h"

#include <stdlib.h>

void hist_types_read(struct hist_types *h, const struct tfs *t, const char *event)
{
	char *file = xasprintf("events/%s/format", event);
	size_t i;

	*h = (struct hist_types){0};
	if (!tfs_read(t, NULL, file, &h->format, NULL) &&
	    !ev_format_parse(&h->fmt, "", h->format.data, h->format.len, NULL)) {
		h->v = xcalloc(h->fmt.nr_fields + 1, sizeof(*h->v));
		for (i = 0; i < h->fmt.nr_fields; i++)
			h->v[h->n++] = (struct hist_type){
				.name = h->fmt.fields[i].name,
				.is_string = h->fmt.fields[i].is_string,
				.is_signed = h->fmt.fields[i].is_signed,
			};
	}
	free(file);
}

void hist_types_release(struct hist_types *h)
{
	ev_format_release(&h->fmt);
	buf_release(&h->format);
	free(h->v);
	*h = (struct hist_types){0};
}
