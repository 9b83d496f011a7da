/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trace files as tables of SQLite: virtual tables read the files, nothing is imported. SQLite sorts
 * and joins; records, spans and states come from the rooms trace and model.
 */
#ifndef FTR_SQL_SQL_DB_H
#define FTR_SQL_SQL_DB_H

#include <jansson.h>

#include "sql/sql_sqlite.h"
#include "trace/trace.h"

struct sql_options {
	uint64_t max_ns;		/* limit for the time of a query, 0: none */
	uint64_t memory_max;		/* limit for SQLite's memory in bytes, 0: none */
	/* returns the metadata of a file, a new reference, for the table info; NULL: it is empty */
	json_t *(*info)(struct trace *t);
	/*
	 * Called now and then, in the thread of the query, with the time of the record that a scan
	 * has read last. Returns true if the query has to end. Or NULL.
	 */
	bool (*look)(void *ctx, uint64_t ts);
	void *ctx;
};

struct sql_db;

/*
 * Makes a database in memory whose tables are those of @traces, which are borrowed. Returns NULL
 * with @err. The files are read when a query does, not before.
 */
struct sql_db *sql_open(struct trace *const *traces, size_t n, const struct sql_options *o,
			struct ftr_error *err);
/* Starts the time of --max-time, before a query. */
void sql_start_query(struct sql_db *db);
/* Forgets that a query was interrupted, before the next one may be. */
void sql_end_query(struct sql_db *db);
/* Returns the reason why the last query was ended, or NULL: "it took longer than 2 s". */
const char *sql_ended_why(const struct sql_db *db);
/* Returns the number of records that scans have read so far. */
uint64_t sql_records_read(const struct sql_db *db);
/* Ends the query that runs, from a signal handler. */
void sql_interrupt(struct sql_db *db);
void sql_close(struct sql_db *db);

/* --- the schema */

/* Returns all tables with their columns, and all functions, a new reference. */
json_t *sql_schema(const struct sql_db *db);
/*
 * Appends the table @name as CREATE TABLE, or the function @name as a comment; all of them if it is
 * NULL. Returns false if there is none.
 */
bool sql_add_schema(const struct sql_db *db, const char *name, struct buf *out);
/* Returns true if there is a table @name that is not the table of an event. */
bool sql_has_own_table(const struct sql_db *db, const char *name);
/* Appends the names of all tables, a line each, with their texts. */
void sql_add_tables(const struct sql_db *db, struct buf *out);
/* Appends a line for each function that SQLite does not have: "top(X[, N]): ...". */
void sql_add_function_list(struct buf *out);
/* Calls @each for the names of tables, then of columns, then of functions. */
void sql_names(const struct sql_db *db, void (*each)(void *ctx, const char *name), void *ctx);

#endif
