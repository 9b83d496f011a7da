/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables that are made whole on first use, and kept: tasks, files, symbols. */
#ifndef FTR_SQL_SQL_LIST_H
#define FTR_SQL_SQL_LIST_H

#include "sql/sql_table.h"

/* A value: an integer, a text (borrowed from the list's pool), or NULL. */
struct sql_cell {
	enum { CELL_NULL, CELL_INTEGER, CELL_TEXT, CELL_REAL } kind;
	union {
		int64_t integer;
		double real;
		const char *text;
	};
};

struct sql_list {
	size_t columns;
	struct sql_cell *cells;		/* ->columns for each row */
	size_t rows, cap;
	struct string_pool texts;
	/* Adds all rows; called once. */
	void (*fill)(struct sql_db *db, struct sql_list *l);
	bool is_filled;
	uint32_t **by;			/* rows in the order of each column, or NULL */
};

extern const struct sql_table_ops sql_list_ops;

/* Makes a table of a list, which @fill fills. */
struct sql_table *sql_list_new(const char *name, const char *about,
			       const struct sql_column *columns, size_t nr_columns,
			       void (*fill)(struct sql_db *db, struct sql_list *l));
/* Adds a row of NULLs. Returns its cells, borrowed until the next row. */
struct sql_cell *sql_list_add(struct sql_list *l);
void cell_set_integer(struct sql_cell *c, int64_t v);
void cell_set_real(struct sql_cell *c, double v);
/* Copies @text; NULL stays NULL. */
void cell_set_text(struct sql_list *l, struct sql_cell *c, const char *text);
/* Passes the value to SQLite; @texts: SQLITE_STATIC if texts live as long as the statement. */
void cell_result(const struct sql_cell *c, sqlite3_destructor_type texts, sqlite3_context *out);

#endif
