/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables of intervals that the model makes of records. A kind of table adds rows from the callbacks
 * of the model; the scan feeds the model until there is one.
 */
#ifndef FTR_SQL_SQL_INTERVALS_H
#define FTR_SQL_SQL_INTERVALS_H

#include "model/model.h"
#include "sql/sql_list.h"

#define INTERVAL_CELLS_MAX 24

struct interval_scan;

struct interval_kind {
	const char *name, *about;
	const struct sql_column *columns;
	size_t nr_columns;
	uint32_t kinds;			/* of model_opts */
	struct span_ops ops;		/* the context is the interval_scan */
	size_t view_bytes;		/* of ->view, which is zeroed for each scan */
	/* prepares ->view, and may take callbacks away from ->ops; or NULL */
	void (*start)(struct interval_scan *s);
	/*
	 * Returns true if rows that start up to @ts may come after records of a later time. NULL:
	 * nearly always some do.
	 */
	bool (*has_open)(const struct interval_scan *s, uint64_t ts);
	/* adds the rows that are open at the end; or NULL */
	void (*end)(struct interval_scan *s);
	/* frees what ->view points to; or NULL */
	void (*release)(struct interval_scan *s);
	/*
	 * Appends pairs of events for model_opts.pairs, made of the arguments of a table that is
	 * called like a function. Returns an SQLite status; interval_fail() sets the reason. NULL:
	 * the table has no arguments.
	 */
	int (*arguments)(struct interval_scan *s, const struct sql_conditions *c,
			 struct strv *pairs);
};

/* A record about the begin or the end of a task, or about its process. */
struct life_mark {
	unsigned int file;
	int pid;
	unsigned int event;		/* one of LIFE_EVENTS */
	int parent;			/* the task that made it */
	int64_t flags;			/* of its clone(), or -1 */
	int64_t utid;			/* of the task whose mark it is, or -1; set at the end */
	uint64_t ts;
};

#define LIFE_EVENTS 4

/* Those of the records that were read so far. */
struct life_marks {
	const struct ev_format *(*formats)[LIFE_EVENTS];	/* of each file */
	struct life_mark *v;		/* in the order of time */
	size_t n, cap;
};

/* The rows of a table by the utid of their task. */
struct kept_rows {
	bool is_on, is_whole;
	struct buf *of;			/* by utid: packed rows */
	size_t n, cap;
	struct textmap texts;		/* one copy of each text of a row */
	int64_t utid, most;		/* tasks that are asked for: rows of the first come next */
	size_t at;			/* offset of the next row */
};

struct interval_scan {
	struct sql_db *db;
	const struct sql_table *table;
	struct interval_scan *next_open;	/* of ->db->intervals */
	const struct interval_kind *kind;
	struct span_ops ops;		/* of the kind */
	int ts;				/* number of the column */
	struct trace_iter *it;
	struct model *model;
	bool ended;
	bool is_feeding;		/* the model calls */
	uint64_t until;			/* only rows that start up to then are asked for */
	uint64_t look_at;		/* ->read of the next look whether any of them is open */
	uint64_t read;			/* records since the first one after ->until */
	uint64_t now;			/* time of the last record */
	struct sql_cell row[INTERVAL_CELLS_MAX];	/* the row that was added last */
	bool has_row;
	/* the columns that are used: their numbers, and the place of each in a row of ->cells */
	uint8_t columns[INTERVAL_CELLS_MAX], places[INTERVAL_CELLS_MAX];
	size_t width;
	uint64_t used;			/* bit n: column n is used */
	struct sql_cell *cells;		/* of rows that are ready: first .. n */
	size_t first, n, cap;
	struct string_pool texts;	/* of the rows that are ready */
	size_t text_bytes;
	struct kept_rows kept;
	struct life_marks marks;	/* if the scan is ->db->whole */
	struct strv pairs;
	void *view;
	int64_t last_id;		/* number of rows or spans so far, for the view */
	struct buf text;		/* for one value at a time */
	sqlite3_vtab *vtab;
};

/* Adds a row of NULLs. Returns its cells, borrowed until the next row. */
struct sql_cell *interval_add(struct interval_scan *s);
/* Returns false for a cell of the last row that nobody asks for. */
static inline bool interval_is_used(const struct interval_scan *s, const struct sql_cell *c)
{
	return s->used >> (c - s->row) & 1;
}

/* Sets a copy of a text. */
void interval_set_text(struct interval_scan *s, struct sql_cell *c, const char *text, size_t len);
/* Sets a text that lives longer than the scan. */
void interval_set_word(struct sql_cell *c, const char *text);
/* Sets the cells of a task: utid, tid, comm. */
void interval_set_task(struct interval_scan *s, struct sql_cell *c, const struct task *t);
/* Sets the name of a span. */
void interval_set_name(struct interval_scan *s, struct sql_cell *c, const struct span *span);
/* Sets the path of the file. */
void interval_set_file(struct interval_scan *s, struct sql_cell *c, unsigned int file);
/* Sets the remarks about a span, enum span_mark, if there are any. */
void interval_set_marks(struct interval_scan *s, struct sql_cell *c, uint8_t marks);
/* Sets a time or length that is not SPAN_UNKNOWN. */
void interval_set_known(struct sql_cell *c, uint64_t v);
/* Ends the query with a message. Returns SQLITE_ERROR. */
int interval_fail(struct interval_scan *s, const char *what);
/* Runs a scan to its end, and calls @then before the scan is freed. */
void interval_run(struct sql_db *db, const struct interval_kind *kind,
		  void (*then)(void *ctx, struct interval_scan *s), void *ctx);
/*
 * Reads the files to their end for a scan that reads them whole, and keeps its rows; also for one
 * that has not started, but will be asked for the rows of one task after another. Returns false if
 * there is none, or its rows are too many; else its model at the end and marks, borrowed.
 */
bool interval_read_ahead(struct sql_db *db, struct model **m, struct life_marks **marks);
/* Adds the tables of @n kinds. Returns 0, or -1 with @err. */
int interval_add_kinds(struct sql_db *db, const struct interval_kind *kinds, size_t n,
		       struct ftr_error *err);

/* --- sql_threads.c */

/* Starts to note marks of the records that @m is fed with. */
void life_marks_start(struct life_marks *marks, const struct sql_db *db, struct model *m);
void life_marks_note(struct life_marks *marks, const struct trace_rec *r);

static inline void life_marks_see(struct life_marks *marks, const struct trace_rec *r)
{
	const struct ev_format *const *formats = marks->formats[r->file], *fmt = r->rec.fmt;

	/* most records are of other events */
	if (__builtin_expect(fmt == formats[0] || fmt == formats[1] || fmt == formats[2] ||
			     fmt == formats[3], 0))
		life_marks_note(marks, r);
}

void life_marks_release(struct life_marks *marks);

#endif
