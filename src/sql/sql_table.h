/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The interface between a table and the module that shows it to SQLite. */
#ifndef FTR_SQL_SQL_TABLE_H
#define FTR_SQL_SQL_TABLE_H

#include "base/map.h"
#include "output/json/json_schema.h"
#include "sql/sql_db.h"

enum sql_type { SQL_INTEGER, SQL_TEXT, SQL_REAL, SQL_BLOB, SQL_ANY };

enum sql_column_flags {
	SQL_HIDDEN = 1,			/* not in SELECT * */
	SQL_TESTED = 2,			/* the table itself tests = < <= > >= on it */
	SQL_ARGUMENT = 5,		/* hidden; of a table that is called like a function */
	SQL_EXTRA = 8,			/* Perfetto's table does not have it; sql_prepare() */
};

/* The unit of a column's values is part of its flags. */
#define SQL_UNIT(u)	((unsigned int)(u) << 4)
#define SQL_UNIT_OF(c)	((enum value_unit)((c)->flags >> 4))
#define SQL_TIME	SQL_UNIT(UNIT_TIME)

struct sql_column {
	const char *name;
	enum sql_type type;
	const char *about;		/* a phrase for the manual */
	unsigned int flags;		/* enum sql_column_flags, SQL_UNIT() */
};

static inline bool sql_is_argument(const struct sql_column *c)
{
	return (c->flags & SQL_ARGUMENT) == SQL_ARGUMENT;
}

#define SQL_CONDITIONS_MAX 16
#define SQL_GROUPED_BITS 6
#define SQL_GROUPED_MAX (64 / SQL_GROUPED_BITS)
/* A condition that the table tests: "column OP value". */
struct sql_condition {
	int column;
	unsigned char op;		/* SQLITE_INDEX_CONSTRAINT_EQ, LT, LE, GT, GE */
	sqlite3_value *value;		/* borrowed during sql_table_ops.begin() */
};

struct sql_conditions {
	struct sql_condition v[SQL_CONDITIONS_MAX];
	size_t n;
	uint64_t used;			/* bit n: column n is used; bit 63: those from 63 on */
	/* 1 + number of each column by which rows are to be sorted, the first in the lowest bits */
	uint64_t grouped;
	sqlite3_vtab *vtab;		/* its ->zErrMsg gets the reason of a failure */
};

struct sql_table;

struct sql_table_ops {
	/* Returns the memory of a scan, never NULL. */
	void *(*open)(struct sql_db *db, const struct sql_table *t);
	/* Goes before the first row. May be called again. Returns an SQLite status. */
	int  (*begin)(void *scan, const struct sql_conditions *c);
	/* Goes to the next row. Returns false at the end. */
	bool (*next)(void *scan);
	void (*column)(void *scan, int column, sqlite3_context *out);
	void (*close)(void *scan);
	/* Instead of ->close(), of a scan that may be half changed: frees statements; or NULL. */
	void (*abandon)(void *scan);
	/* Returns the expected number of rows without a condition. */
	double (*rows)(struct sql_db *db, const struct sql_table *t);
	bool is_direct;			/* refused in views and triggers of a schema */
	bool is_keyed;			/* an = on a tested column finds its rows at once */
	bool is_ordered;		/* rows come in the order of column ts */
	bool is_sorting;		/* rows can come in the order of any column */
	/* rows can be found by column utid; the first look takes as long as a scan */
	bool keeps_rows;
	/* bit n: column n; rows of which only these are used can come in groups */
	uint64_t groups;
};

struct sql_table {
	char *name;
	const char *about;
	const struct sql_column *columns;
	size_t nr_columns;
	const struct sql_table_ops *ops;
	void *data;			/* for ->ops */
	/* Fills ->columns on first use, or NULL. */
	void (*prepare)(struct sql_table *t);
	void (*release)(struct sql_table *t);	/* or NULL */
	int ts;				/* the column ts, or -1 */
	int key;			/* the column utid, or -1 */
	/* columns that are used by the last plan that finds rows by ->key; 0: there was none */
	uint64_t keyed_used;
	bool is_event;			/* records of one event */
	/* set by sql_add_table() */
	struct sql_db *db;
};

/* --- sql_db.c */

/* A function of queries: ->value, or ->step and ->end of an aggregate. */
struct sql_function {
	const char *name, *args;	/* "X, N" */
	int min_args, max_args;		/* the last ones may be left out */
	enum sql_type type;		/* of the result */
	const char *about;		/* as the manual has it */
	void (*value)(sqlite3_context *out, int argc, sqlite3_value **argv);
	void (*step)(sqlite3_context *ctx, int argc, sqlite3_value **argv);
	void (*end)(sqlite3_context *ctx);
	bool is_of_files;		/* the value depends on the files, too */
};

/* The user data of a function. */
struct sql_function_data {
	struct sql_db *db;
	const struct sql_function *function;
};

static inline struct sql_db *sql_function_db(sqlite3_context *out)
{
	return ((struct sql_function_data *)sqlite3_user_data(out))->db;
}

/*
 * The process that queries run in. An extension is a guest there: it guards each call, and leaves
 * alone what the connection has. Members of the program are NULL, except for the module.
 */
struct sql_host {
	const sqlite3_module *module;
	/* These call the function of the user data. */
	void (*value)(sqlite3_context *out, int argc, sqlite3_value **argv);
	void (*step)(sqlite3_context *ctx, int argc, sqlite3_value **argv);
	void (*end)(sqlite3_context *ctx);
	/* Called as SQLite takes the db as data of a module or function, and as it drops that. */
	void (*get)(struct sql_db *db);
	void (*put_table)(void *table);
	void (*put_function)(void *data);
	/* Returns true if the query that runs was interrupted. */
	bool (*is_interrupted)(struct sql_db *db);
	/* Returns true if the connection has a function, or a virtual table, of this name. */
	bool (*has_function)(struct sql_db *db, const char *name, int args);
	bool (*has_table)(struct sql_db *db, const char *name);
};

struct sql_db {
	sqlite3 *db;
	const struct sql_host *host;
	struct sql_function_data *functions;
	struct trace *const *traces;
	size_t n;
	struct sql_table **tables;
	size_t nr_tables, cap_tables;
	struct sql_threads *threads;	/* made on first use */
	struct sql_counters *counters;	/* made on first use */
	struct sql_stacks *stacks;	/* made on first use */
	json_t *(*info)(struct trace *t);	/* of sql_options */
	char **hosts;			/* made on first use: of each file, or NULL */
	struct sql_guard *guard;
	bool is_declaring;		/* a table declares its columns */
	bool is_used;			/* a query has named a table */
	bool hides_extras;		/* tables are declared without columns of SQL_EXTRA */
	bool is_failed;			/* a scan has ended with an error, which SQLite gets next */
	volatile bool is_interrupted;
	struct record_scan *scans;	/* those that are open */
	struct interval_scan *whole;	/* one that reads the files from the start, or NULL */
	struct interval_scan *intervals;	/* those that are open */
	uint64_t records;		/* records read by scans */
	unsigned int steps;		/* of loops over records */
	uint64_t ts;			/* of the record that was read last */
};

/*
 * Returns a database without tables and functions for the connection @conn. sql_free() frees it
 * after the connection has dropped both.
 */
struct sql_db *sql_attach(sqlite3 *conn, const struct sql_host *host);
/*
 * Replaces all tables by those of @traces, which are borrowed, as is their array. No query may have
 * named a table. Returns 0, or -1 with @err.
 */
int sql_set_traces(struct sql_db *db, struct trace *const *traces, size_t n,
		   struct ftr_error *err);
void sql_free(struct sql_db *db);
/*
 * Prepares the first statement of @query, as sqlite3_prepare_v2(). Our tables have the columns tid
 * and comm, which Perfetto has in its table thread alone: a name that is ambiguous because of them
 * is the other table's, so that queries for Perfetto are answered. Returns an SQLite status.
 */
int sql_prepare(struct sql_db *db, const char *query, sqlite3_stmt **s, const char **rest);
/* Adds a table to the database, which frees it. Returns 0, or -1 with @err. */
int sql_add_table(struct sql_db *db, struct sql_table *t, struct ftr_error *err);
/* Fills ->columns, if that was not done before. */
void sql_prepare_table(struct sql_table *t);
/* Makes a table whose columns and texts are static. */
struct sql_table *sql_table_new(const char *name, const char *about,
				const struct sql_column *columns, size_t nr_columns,
				const struct sql_table_ops *ops, void *data);

/* --- sql_module.c */

extern const sqlite3_module sql_module;
/* Returns the database of a table of this module. */
struct sql_db *sql_vtab_db(const sqlite3_vtab *tab);
/* Closes a scan that may be half changed, as an allocation failed: its memory is lost. */
void sql_abandon_scan(sqlite3_vtab_cursor *cur);
/* Appends the declaration of the table's columns: "(ts INTEGER, cpu INTEGER, ...)". */
void sql_add_columns(const struct sql_table *t, struct buf *out);

/* --- conditions */

/* A range of an integer column. */
struct sql_range {
	int64_t least, most;
	bool empty;			/* no value is in it */
};

/*
 * Narrows @r by the conditions on @column. Values that are no integers narrow as SQLite compares
 * them: a text is greater than any number.
 */
void sql_narrow(const struct sql_conditions *c, int column, struct sql_range *r);

/* --- the tables of each file; return 0, or -1 with @err */

int sql_add_events(struct sql_db *db, struct ftr_error *err);
int sql_add_sched(struct sql_db *db, struct ftr_error *err);
int sql_add_slices(struct sql_db *db, struct ftr_error *err);
int sql_add_spans(struct sql_db *db, struct ftr_error *err);
int sql_add_counters(struct sql_db *db, struct ftr_error *err);
int sql_add_tracks(struct sql_db *db, struct ftr_error *err);
int sql_add_symbols(struct sql_db *db, struct ftr_error *err);
int sql_add_threads(struct sql_db *db, struct ftr_error *err);
int sql_add_files(struct sql_db *db, struct ftr_error *err);
int sql_add_overlap(struct sql_db *db, struct ftr_error *err);
int sql_add_why(struct sql_db *db, struct ftr_error *err);

/* --- sql_threads.c */

/* Returns the utid of the task @pid of the file at @ts, or -1 if it has none. */
int64_t sql_utid(struct sql_db *db, unsigned int file, int pid, int cpu, uint64_t ts);
/* Returns the utid of the first thread of the task's process, or -1 if the file lacks it. */
int64_t sql_upid(struct sql_db *db, int64_t utid);

/* Returns 1 plus the largest utid, 0 without tasks. */
int64_t sql_nr_utids(struct sql_db *db);

/* Returns the number of a CPU among those of all files, as Perfetto counts those of machines. */
static inline int64_t sql_ucpu(unsigned int file, int cpu)
{
	return (int64_t)file << 32 | (uint32_t)cpu;
}

void sql_threads_free(struct sql_threads *t);

/* --- sql_tracks.c */

/*
 * Tracks are Perfetto's way from a slice to its task or CPU, and from a counter to its name. The
 * number of a track contains its type and what it belongs to, so that no list of tracks is needed.
 */
enum track_type {
	TRACK_THREAD,			/* of a utid: system calls, work, marks, locks, probes */
	TRACK_THREAD_CALLS,		/* of a utid: function_graph */
	TRACK_IRQ, TRACK_SOFTIRQ,	/* of a ucpu */
	TRACK_CPU_CALLS,		/* of a ucpu: function_graph of the idle task */
	TRACK_ASYNC,			/* of the utid of a process: marks S, F, G, H, N */
	TRACK_COUNTER,			/* of a number of table counter_track */
	TRACK_TYPES = 8,
};

static inline int64_t track_id(enum track_type type, int64_t of)
{
	return of * TRACK_TYPES + type;
}

/* A counter of a CPU or a process, or of the machine. */
struct counter_track {
	const char *name, *type;	/* "cpufreq", "cpu_frequency" */
	const char *unit;		/* "kHz", or NULL */
	unsigned int file;
	int cpu;			/* -1: of no CPU */
	int64_t upid;			/* utid of a process's first thread; -1: of no process */
};

/* Returns the counters that records have, by their numbers. Reads the files on the first use. */
const struct counter_track *sql_counter_tracks(struct sql_db *db, size_t *n);

/* --- sql_counters.c */

void sql_counters_free(struct sql_counters *c);

/* --- sql_files.c */

/* Returns the name of the machine of a file, or NULL if the file does not have it. */
const char *sql_host(struct sql_db *db, unsigned int file);

/* --- sql_stacks.c */

/* Returns the number of the record's stack, or 0. */
int64_t sql_stack_of(struct sql_db *db, const struct trace_rec *r);
void sql_stacks_free(struct sql_stacks *s);
void sql_get_stack(sqlite3_context *out, int argc, sqlite3_value **argv);
void sql_get_stack_json(sqlite3_context *out, int argc, sqlite3_value **argv);

/* --- sql_functions.c, sql_aggregates.c */

/* A function of queries: either ->value, or an aggregate's ->step and ->end. */
extern const struct sql_function sql_functions[];
extern const size_t sql_nr_functions;

int sql_add_functions(struct sql_db *db, struct ftr_error *err);
/* Appends "top(X[, N])". */
void sql_add_usage(const struct sql_function *f, struct buf *out);

void sql_add_value(sqlite3_context *ctx, int argc, sqlite3_value **argv);
void sql_end_percentile(sqlite3_context *ctx);
void sql_end_stddev(sqlite3_context *ctx);
void sql_add_to_hist(sqlite3_context *ctx, int argc, sqlite3_value **argv);
void sql_end_hist(sqlite3_context *ctx);
void sql_add_to_top(sqlite3_context *ctx, int argc, sqlite3_value **argv);
void sql_end_top(sqlite3_context *ctx);

/* --- sql_guard.c */

int sql_guard_start(struct sql_db *db, const struct sql_options *o, struct ftr_error *err);
/* Returns true if the query is to end: Ctrl-C, or its time is over. */
bool sql_is_over(struct sql_db *db);

#define RECORDS_PER_LOOK 1024

/* The same for loops over records, of which SQLite may see none: it looks at some of them. */
static inline bool sql_is_ended(struct sql_db *db)
{
	if (db->is_interrupted || ++db->steps % RECORDS_PER_LOOK)
		return db->is_interrupted;
	return sql_is_over(db);
}
void sql_guard_free(struct sql_guard *g);

#endif
