/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses a histogram as the kernel prints it (events/SYSTEM/EVENT/hist) into columns and rows. */
#ifndef FTR_TRACEFS_HIST_HIST_PARSE_H
#define FTR_TRACEFS_HIST_HIST_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define HIST_COLUMNS 16			/* more than any kernel prints */

enum hist_kind {
	HIST_NUM, HIST_HEX, HIST_STRING,
	HIST_SYM, HIST_SYM_OFFSET,	/* ->num is the address, ->text the symbol */
	/* ->num is the pid or the number of the system call, ->text the name */
	HIST_EXECNAME, HIST_SYSCALL,
	HIST_STACK,			/* ->text: one frame per line, innermost first */
	HIST_LOG2, HIST_BUCKET,		/* range: see hist_range() */
	HIST_PERCENT,	/* ->num: hundredths of a percent; ->text "": the kernel printed ERROR */
	HIST_GRAPH,			/* the kernel's bar; ->num: number of marks, of 20 */
};

struct hist_column {
	char *name;	/* name of the field without modifiers; control bytes escaped */
	enum hist_kind kind;
	uint64_t step;			/* size of a HIST_BUCKET */
	bool is_signed;			/* numbers are two's complement of 64 bits */
};

struct hist_cell {
	uint64_t num;			/* HIST_LOG2: the exponent; HIST_BUCKET: the first value */
	char *text;			/* NULL if there is none; control bytes escaped */
};

struct hist_row {
	struct hist_cell *keys, *vals;	/* one allocation; one cell for each column */
	char *saved;			/* line of onmax() and the like below a row, or NULL */
	unsigned int tries;		/* number of places tried so far as the end of a key */
};

struct hist {
	char *trigger;			/* trigger as the kernel prints it, without its state */
	struct hist_column keys[HIST_COLUMNS], vals[HIST_COLUMNS];
	size_t nr_keys, nr_vals;
	struct hist_row *rows;
	size_t nr_rows, cap_rows;
	uint64_t hits, entries, dropped;	/* the kernel's totals */
	size_t unread;			/* number of rows that could not be parsed */
	bool whole;			/* the text has the totals, so it is complete */
};

/* The type of a column's field in the event's format. */
struct hist_type {
	const char *name;
	bool is_string, is_signed;
};

/*
 * Parses @text, the part of a hist file of one trigger. @types (may be NULL) has @nr_types
 * elements. Without it numbers are unsigned, and a key without modifier is a number if it looks
 * like one. Names of tasks may have any bytes, also newlines: rows that can't be parsed are counted
 * in ->unread. Returns 0, or -1 with @err if @text is no histogram. Call hist_release() in both
 * cases.
 */
int hist_parse(struct hist *h, const char *text, size_t len, const struct hist_type *types,
	       size_t nr_types, struct ftr_error *err);
void hist_release(struct hist *h);

/*
 * Narrows *text and *len to one trigger of a hist file, which may have several: the last that
 * contains @word. Returns false if there is none.
 */
bool hist_cut(const char **text, size_t *len, const char *word);

/*
 * Returns the range of a key of kind HIST_LOG2 or HIST_BUCKET in *lo to *hi, both included. The
 * kernel's log2 rounds up: 2^n is 2^(n-1)+1 to 2^n, and 2^0 is 0 and 1. *negative is true if the
 * key stands for all negative numbers of a signed field (beyond 2^63).
 */
void hist_range(const struct hist_column *c, const struct hist_cell *k, uint64_t *lo, uint64_t *hi,
		bool *negative);

/* The place of a column. */
struct hist_at {
	bool is_val, descending;
	size_t index;
};
/* Finds a column by its name without modifiers, keys first. Returns false if there is none. */
bool hist_find(const struct hist *h, const char *name, struct hist_at *at);
/*
 * Adds a column, "+hitcount" for example: the growth of value @val in each row since @before, an
 * earlier reading of the same histogram (NULL: since 0). Sorts @before.
 */
void hist_add_growth(struct hist *h, struct hist *before, size_t val);
/*
 * Sorts the rows by @by[0], then @by[1], ... If rows are equal in all of them, they are sorted by
 * all keys, ascending.
 */
void hist_sort(struct hist *h, const struct hist_at *by, size_t n);
#endif
