/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The columns of flags in a text: their number and meaning differ between kernels, and one line
 * does not show which it is. The letters are kept until the text is read; then its header, the
 * kernel's version and all lines decide.
 */
#ifndef FTR_TEXT_LOG_FLAG_COLUMNS_H
#define FTR_TEXT_LOG_FLAG_COLUMNS_H

#include "text/log/log_dump.h"

#define FLAG_CONTEXT 1		/* a letter of an interrupt */
#define FLAG_LAZY    2		/* of need-resched only, not a depth */
#define FLAG_DEPTH   4		/* any other than '.' and a letter of an interrupt */
extern const uint8_t flag_letters[256];

/* The observations in a text. A zeroed struct is empty. */
struct flag_columns {
	size_t lines[DUMP_LETTERS + 1];	/* number of records, by their number of columns */
	uint8_t third, fourth, last;	/* of five columns: kinds of letters, FLAG_ */
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
	c->lines[r->columns]++;
	if (r->columns != 5)
		return;
	c->third |= flag_letters[(unsigned char)r->letters[2]];
	c->fourth |= flag_letters[(unsigned char)r->letters[3]];
	c->last |= flag_letters[(unsigned char)r->letters[4]];
}

/* Sets the flags of all records from their letters, and the counts of the dump. */
void flag_columns_apply(const struct flag_columns *c, struct log_dump *d);

/*
 * Sets ->flags of the records without flags to the hard and soft interrupts that are open at them,
 * ->contexts_known and ->lacks_wakers of the dump. The records of each CPU are in the order of
 * their times. In record_contexts.c.
 */
void contexts_infer(struct log_dump *d);

#endif
