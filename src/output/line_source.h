/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The source of a line: its file and instance as a prefix "a.dat:second: ", its process. */
#ifndef FTR_OUTPUT_LINE_SOURCE_H
#define FTR_OUTPUT_LINE_SOURCE_H

#include "output/pipeline.h"

/* One text per buffer, all of the same width. ->v is NULL if no prefix is needed. */
struct buffer_labels {
	char ***v;		/* [file][buffer] */
	size_t nr_files;
	size_t *nr_buffers;	/* [file] */
};

/* Returns true if any file of @o has an instance. */
bool out_has_instances(const struct out_state *o);
/* Makes labels if there are several files or instances. Free with labels_release(). */
void labels_init(struct buffer_labels *l, const struct out_state *o);
static inline void labels_add(const struct buffer_labels *l, struct buf *b,
			      const struct trace_rec *r)
{
	if (l->v)
		buf_addstr(b, l->v[r->file][r->buffer]);
}
/* Appends the line for events lost before @r: "CPU:1 [12 EVENTS DROPPED]". */
void labels_lost(const struct buffer_labels *l, struct buf *b, const struct trace_rec *r);
void labels_release(struct buffer_labels *l);

/*
 * Fills @tgids: pid -> thread group, as (void *)(uintptr_t). It stays empty if they were not
 * recorded.
 */
void tgids_read(struct map *tgids, const struct trace *t);

#endif
