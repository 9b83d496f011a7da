/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The columns of flags in a text: their number and meaning differ between kernels, and one line
 * does not show which it is. The letters are kept until the text is read; then its header, the
 * kernel's version and all lines decide.
 */
#ifndef FTR_TEXT_LOG_FLAG_COLUMNS_H
#define FTR_TEXT_LOG_FLAG_COLUMNS_H

#include "text/log/log_dump.h"

/* The observations in a text. A zeroed struct is empty. */
struct flag_columns {
	size_t lines[DUMP_LETTERS + 1];	/* number of records, by their number of columns */
	bool   context_third, context_fourth;	/* of five: a letter of an interrupt stands there */
	bool   lazy_third;		/* of five: a letter of need-resched stands there */
	bool   depth_fourth;		/* of five: a depth stands there */
	bool   depth_last;		/* of five: the last one is not 0 */
	char   header[DUMP_LETTERS + 1];	/* a letter for each column of the header */
	unsigned int version;		/* of the kernel: 515 for 5.15, 0: unknown */
	bool   is_rt;			/* the kernel has the patches for real time */
};

/* Adds a line of a header, "#  _-----=> irqs-off" or "# nop latency trace v1.1.5 on 6.1.0". */
void flag_columns_header(struct flag_columns *c, struct span_text line);
/* Adds the version in a line of a log: "Linux version 6.1.0", "Not tainted 6.1.0". */
void flag_columns_log(struct flag_columns *c, struct span_text line);

/* Adds the letters of a record. */
static inline void flag_columns_add(struct flag_columns *c, const struct dump_rec *r)
{
	static const char contexts[] = "HhsZz", lazy[] = "NnpBLbl";

	c->lines[r->columns]++;
	if (r->columns != 5)
		return;
	if (r->letters[2] != '.') {
		c->context_third |= strchr(contexts, r->letters[2]) != NULL;
		c->lazy_third |= strchr(lazy, r->letters[2]) && r->letters[2] != 'b';
	}
	if (r->letters[3] != '.') {
		c->context_fourth |= strchr(contexts, r->letters[3]) != NULL;
		c->depth_fourth |= !strchr(contexts, r->letters[3]);
	}
	c->depth_last |= r->letters[4] != '.';
}

/* Sets the flags of all records from their letters, and the counts of the dump. */
void flag_columns_apply(const struct flag_columns *c, struct log_dump *d);

#endif
