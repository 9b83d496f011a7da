/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A histogram as the kernel prints it (events/SYSTEM/EVENT/hist), as columns and rows. */
#ifndef FTR_MODEL_HIST_H
#define FTR_MODEL_HIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define HIST_COLUMNS 16			/* more than any kernel prints */

enum hist_kind {
	HIST_NUM, HIST_HEX, HIST_STRING,
	HIST_SYM, HIST_SYM_OFFSET,	/* ->num is the address, ->text the symbol */
	HIST_EXECNAME, HIST_SYSCALL,	/* ->num is the pid or the number, ->text the name */
	HIST_STACK,			/* ->text: a frame a line, the innermost first */
	HIST_LOG2, HIST_BUCKET,		/* a range: hist_range() */
	HIST_PERCENT,			/* ->num: hundredths; ->text "": the kernel says ERROR */
	HIST_GRAPH,			/* the kernel's own bar; ->num: how many of 20 marks */
};

struct hist_column {
	char *name;			/* of the field, without modifiers; control bytes escaped */
	enum hist_kind kind;
	uint64_t step;			/* HIST_BUCKET */
	bool is_signed;			/* numbers are two's complement of 64 bits */
};

struct hist_cell {
	uint64_t num;			/* HIST_LOG2: the exponent; HIST_BUCKET: where it begins */
	char *text;			/* NULL if there is none; control bytes escaped */
};

struct hist_row {
	struct hist_cell *keys, *vals;	/* one allocation; as many as there are columns */
	char *saved;			/* what onmax() and its like print below a row, or NULL */
	unsigned int tries;		/* places where a key may end that were looked at */
};

struct hist {
	char *trigger;			/* as the kernel writes it, without its state */
	struct hist_column keys[HIST_COLUMNS], vals[HIST_COLUMNS];
	size_t nr_keys, nr_vals;
	struct hist_row *rows;
	size_t nr_rows, cap_rows;
	uint64_t hits, entries, dropped;	/* the kernel's totals */
	size_t unread;			/* rows that could not be taken apart */
	bool whole;			/* there were totals */
};

/* What the event's format says of a column; by the name of the field. */
struct hist_type {
	const char *name;
	bool is_string, is_signed;
};

/*
 * @text: the file, of one trigger. @types (may be NULL) has @nr_types elements; without it numbers
 * are unsigned, and a key without modifier is a number when it looks like one. Texts of tasks may
 * hold anything, line ends too: a row that can't be taken apart is counted in ->unread. -1 with
 * @err when this is no histogram. hist_release() in any case.
 */
int hist_parse(struct hist *h, const char *text, size_t len, const struct hist_type *types,
	       size_t nr_types, struct ftr_error *err);
void hist_release(struct hist *h);

/*
 * Narrows *text to that of one trigger: a hist file has one behind the other. It is the last
 * whose trigger has @word in it. False if there is none.
 */
bool hist_cut(const char **text, size_t *len, const char *word);

/*
 * The numbers that a key of a range kind stands for, both included. The kernel's log2 rounds up:
 * 2^n is 2^(n-1)+1 to 2^n, 2^0 is 0 and 1. *negative: what lies there are the negative numbers of
 * a signed field (beyond 2^63), which log2 puts into one place.
 */
void hist_range(const struct hist_column *c, const struct hist_cell *k, uint64_t *lo, uint64_t *hi,
		bool *negative);

/* Where a column is: hist_find() by name, among keys first. */
struct hist_at {
	bool is_val, descending;
	size_t index;
};
/* False if there is no such column. @name may have modifiers, which don't count. */
bool hist_find(const struct hist *h, const char *name, struct hist_at *at);
/*
 * Appends to each row how much value @val has grown since @before, an earlier reading of the same
 * histogram (NULL: since it was 0), as a column of its own: "+hitcount". Sorts @before.
 */
void hist_add_growth(struct hist *h, struct hist *before, size_t val);
/* By @by[0], then @by[1], ...; what is equal by all keys, ascending. */
void hist_sort(struct hist *h, const struct hist_at *by, size_t n);
#endif
