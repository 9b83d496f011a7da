/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The metadata of several trace files as that of one. */
#ifndef FTR_REWRITE_JOINED_META_H
#define FTR_REWRITE_JOINED_META_H

#include "rewrite/rewrite.h"

/* The texts of a file, in this order. */
enum joined_text { JOINED_SYMBOLS, JOINED_PRINTK, JOINED_COMMS, JOINED_TEXTS };

/* Returns the id of its section. */
uint16_t joined_text_id(enum joined_text which);

struct joined_formats {
	struct dat_format *v;		/* the texts are those of the files */
	size_t n, cap;
};

/* It borrows from the files. Zeroed it is empty. */
struct joined_meta {
	struct joined_formats builtin, events;	/* those of ftrace, the others */
	struct buf texts[JOINED_TEXTS];
	size_t renamed;			/* tasks with another name in an earlier file */
	struct buf lines;		/* ftr's own lines of the other files' buffers */
};

/*
 * Joins the metadata of the files whose buffers are p->bufs. p->meta is the first of them. Returns
 * 0, or -1 with @err if records of one would be printed with the formats or symbols of another:
 * two formats with one ID, or an address with two names. Release it, also on failure.
 */
int joined_meta_make(struct joined_meta *m, const struct rewrite_plan *p, struct ftr_error *err);
void joined_meta_release(struct joined_meta *m);

#endif
