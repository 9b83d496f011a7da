/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Scans of records, and the columns that every row of a record has. */
#ifndef FTR_SQL_SQL_SCAN_H
#define FTR_SQL_SQL_SCAN_H

#include "sql/sql_table.h"

/* The columns of a record that are the same for all events, in the order of the tables. */
enum record_column {
	RECORD_TS, RECORD_CPU, RECORD_UTID, RECORD_TID, RECORD_COMM, RECORD_COLUMNS,
};
/* The hidden ones, after the fields of the event. */
enum record_extra {
	RECORD_TEXT, RECORD_STACK, RECORD_BUFFER, RECORD_FILE, RECORD_HOST, RECORD_EXTRAS,
};
extern const unsigned int record_parts[RECORD_COLUMNS];	/* enum group_part, or 0 */
extern const struct sql_column record_columns[RECORD_COLUMNS], record_extras[RECORD_EXTRAS];

/* What records of a group have in common. */
enum group_part {
	GROUP_CPU = 1, GROUP_TID = 2, GROUP_COMM = 4, GROUP_EVENT = 8, GROUP_SYSTEM = 16,
};

struct record_scan {
	struct sql_db *db;
	struct trace_iter *it;
	struct sql_range cpu, tid;
	char *comm;			/* the only name of tasks, or NULL */
	const struct trace_rec *r;	/* the current record, or NULL */
	bool ended;
	struct buf text;		/* for one value at a time */
	struct record_groups *groups;	/* the rows come from them, or NULL */
	struct record_scan *next;	/* in the list of running scans */
};

void record_scan_open(struct record_scan *s, struct sql_db *db);
/* Starts from the first record in the ranges of the conditions on the first columns. */
void record_scan_begin(struct record_scan *s, const struct sql_conditions *c);
/*
 * Counts the groups of the records that @next returns, if the conditions ask for groups; @parts has
 * the part of each column or 0. record_scan_next() has the rows of the groups then.
 */
void record_scan_group(struct record_scan *s, const struct sql_conditions *c,
		       const unsigned int *parts, size_t n,
		       const struct trace_rec *(*next)(void *scan), void *scan);
/* Goes to the next record in the ranges. Returns NULL at the end. */
const struct trace_rec *record_scan_next(struct record_scan *s);
/* Sets the value of a column of record_columns, or of record_extras. */
void record_scan_column(struct record_scan *s, enum record_column column, sqlite3_context *out);
void record_scan_extra(struct record_scan *s, enum record_extra column, sqlite3_context *out);
void record_scan_close(struct record_scan *s);

/* --- sql_groups.c */

/*
 * Counts the records that @next returns until NULL. Two of one group are equal in @parts, and the
 * groups are sorted by @order, at most SQL_GROUPED_MAX of these parts up to a 0. Never returns
 * NULL.
 */
struct record_groups *record_groups_read(struct sql_db *db, unsigned int parts,
					 const unsigned int *order,
					 const struct trace_rec *(*next)(void *scan), void *scan);
/* Returns a record of the group of the next row, or NULL at the end. Only its parts are valid. */
const struct trace_rec *record_groups_next(struct record_groups *g);
void record_groups_free(struct record_groups *g);

/* Returns a number for the record in all files: by it the record is found again. */
int64_t record_id(const struct trace_rec *r);
/* Returns the current record of a running scan with this number, or NULL. */
const struct trace_rec *record_find(struct sql_db *db, int64_t id);
/* Returns the estimated number of records in all files. */
double record_estimate(struct sql_db *db, const struct sql_table *t);
/* Sets the value of a field. */
void record_field(const struct trace_rec *r, const struct ev_field *f, struct buf *room,
		  sqlite3_context *out);
/* Reads a number field of the record. Returns false if it has none of this name. */
bool record_number(const struct trace_rec *r, const char *field, uint64_t *v);
/* Returns the type of the column for a field. */
enum sql_type record_field_type(const struct ev_field *f);

#endif
