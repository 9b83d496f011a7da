/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Columns of rows of a profile: what is in them, and how they are printed. */
#ifndef FTR_CMD_PROFILE_COLUMNS_H
#define FTR_CMD_PROFILE_COLUMNS_H

#include "model/span_profile.h"

#define FIELD_NAME_MAX	24

/* One that is printed. */
struct field {
	const struct field_kind *kind;
	double percent;			/* of a percentile */
	char   name[FIELD_NAME_MAX];
};

/* "total", "p99.9"; -1 with @err for what is none. */
int field_parse(struct field *f, const char *name, struct ftr_error *err);
double field_value(const struct field *f, const struct profile_row *r);
/* Then rows need buckets. */
bool field_is_percentile(const struct field *f);
/* A number, not a time. */
bool field_is_count(const struct field *f);
/* "Total", "p99" */
const char *field_title(const struct field *f);
/* " Total (us)", at least 11 wide; without the unit where times are no nanoseconds. */
void field_add_title(struct buf *b, const struct field *f, bool is_ns);
void field_add_value(struct buf *b, const struct field *f, const struct profile_row *r,
		     bool is_ns);
/*
 * A name of comma-separated output: with a comma, quote or newline in quotes, RFC 4180. Unless
 * @raw, it has a ' before what a spreadsheet would take for a formula.
 */
void field_add_csv(struct buf *b, const char *text, bool raw);

#endif
