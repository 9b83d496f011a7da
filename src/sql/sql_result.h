/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints the rows of a query: as an aligned table, CSV, JSON, or Markdown. */
#ifndef FTR_SQL_SQL_RESULT_H
#define FTR_SQL_SQL_RESULT_H

#include <stdio.h>

#include "output/engine/engine_rows.h"
#include "sql/sql_db.h"

struct sql_format;

/* Returns the format of this name, or NULL: "table", "csv", "json", "jsonl", "markdown". */
const struct sql_format *sql_format_find(const char *name);
/* Appends the names of all formats: "table, csv, ...". */
void sql_format_names(struct buf *out);

/* The output of a query. */
struct sql_output {
	const struct sql_format *format;
	bool header;			/* with the names of columns */
	FILE *out;
	void (*start)(void);		/* called before the first output, or NULL */
};

/*
 * Runs all statements of @query and prints their rows. Returns 0, or -1 with @err, whose message
 * may have several lines: the query with a caret below the place. Ends early, without an error, if
 * writing fails.
 */
int sql_run(struct sql_db *db, const char *query, const struct sql_output *o,
	    struct ftr_error *err);

/* Gets the rows of a query, instead of printing them. */
struct sql_reader {
	/* called before the rows of each statement that has columns */
	void (*start)(void *ctx, sqlite3_stmt *s);
	/* returns false if it takes no more rows of this statement */
	bool (*row)(void *ctx, sqlite3_stmt *s);
	void *ctx;
};

/* Runs all statements of @query. Returns as sql_run() does. */
int sql_read(struct sql_db *db, const char *query, const struct sql_reader *r,
	     struct ftr_error *err);
/* Rows of a query for an engine: its columns have one type each. */
struct sql_engine {
	enum engine_format format;
	int fd;
	/* writes CREATE TABLE ->table in this dialect instead of rows; or NULL */
	const struct engine_dialect *schema;
	const char *table;
	/* the only file of the database: rows have its host and trace id in front; or NULL */
	const struct trace *file;
	bool no_header;			/* rows of another file came before */
};

/*
 * Runs all statements of @query, of which one has rows, and writes them. Returns 0, or -1 with @err
 * as sql_run(): also if a column has values of several types, or if writing fails (FTR_DAMAGED).
 */
int sql_write_engine(struct sql_db *db, const char *query, const struct sql_engine *o,
		     struct ftr_error *err);

/*
 * Appends the value of a column as text, as tables have it, and "..." if it has more than @most
 * bytes. Bytes on which a terminal acts are escaped, newlines are not.
 */
void sql_row_add_value(sqlite3_stmt *s, int column, size_t most, struct buf *out);
/* Returns true if the value of a column is an integer or a real number. */
bool sql_row_is_number(sqlite3_stmt *s, int column);

#endif
