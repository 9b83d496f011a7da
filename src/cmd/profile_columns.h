/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Columns of profiles: parsing, values, and output. */
#ifndef FTR_CMD_PROFILE_COLUMNS_H
#define FTR_CMD_PROFILE_COLUMNS_H

#include "model/span_profile.h"

#define FIELD_NAME_MAX	24

/* A column. */
struct profile_column {
	const struct field_kind *kind;
	double percent;			/* of a percentile: 0 to 100 */
	char   name[FIELD_NAME_MAX];
};

/* Parses "total", "p99.9". Returns -1 with @err if there is no such column. */
int field_parse(struct profile_column *f, const char *name, struct ftr_error *err);
double field_value(const struct profile_column *f, const struct profile_row *r);
/* Returns true if the column needs the buckets of rows. */
bool field_is_percentile(const struct profile_column *f);
/* Returns true if the values are numbers, not times. */
bool field_is_count(const struct profile_column *f);
/* Returns "Total", "p99". */
const char *field_title(const struct profile_column *f);
/* Appends " Total (us)", at least 11 wide; without the unit if times are not in nanoseconds. */
void field_add_title(struct buf *b, const struct profile_column *f, bool is_ns);
void field_add_value(struct buf *b, const struct profile_column *f, const struct profile_row *r,
		     bool is_ns);
/*
 * Appends a cell of CSV, in quotes if it contains a comma, a quote or a newline (RFC 4180). Unless
 * @raw, a ' protects a text that a spreadsheet would take as a formula.
 */
void field_add_csv(struct buf *b, const char *text, bool raw);

#endif
