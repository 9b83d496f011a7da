/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lists. One with columns is sorted, and printed aligned for a terminal or as JSON. JSON of many
 * rows is printed row by row.
 */
#ifndef FTR_CMD_LISTING_H
#define FTR_CMD_LISTING_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"

enum column_kind {
	COL_TEXT,		/* JSON: a string, or null */
	COL_NUMBER,		/* JSON: a number, or null; right-aligned, followed by its unit */
	COL_FLAG,		/* text: the column's name if set; JSON: true or false */
};

struct listing_column {
	const char *name;
	enum column_kind kind;
	const char *unit;
};

/* Rows of cells; NULL is an empty cell. listing_sort() sorts rows by the first column. */
struct listing {
	const struct listing_column *columns;
	size_t nr_columns;
	const char **cells;	/* row by row */
	size_t n;		/* number of rows */
	size_t cap;		/* allocated cells */
	size_t total;		/* number of rows before the selection */
	struct strv owned;	/* cells owned by the list */
	struct buf text;	/* text of a file that cells point into */
	bool clean;		/* no cell needs escaping for a terminal */
	/*
	 * Appends data of a row besides its cells: lines to @text, or members to @object. May be
	 * NULL.
	 */
	void (*more)(void *ctx, const char *const *row, struct buf *text, json_t *object);
	void *ctx;
};

/*
 * Appends a row of ->nr_columns cells, borrowed. listing_own() takes ownership of a text for a
 * cell.
 */
void listing_add(struct listing *l, const char *const *row);
const char *listing_own(struct listing *l, char *text);
void listing_sort(struct listing *l);
/* Print the list to stdout. @what: the name of the list; @instance: NULL for the top level. */
void listing_print(const struct listing *l);
void listing_print_json(const struct listing *l, const char *what, const char *instance);
void listing_release(struct listing *l);

/*
 * A JSON object on stdout with lists of many rows: a row is printed when it is made, so that memory
 * does not depend on the number of rows. Starts zeroed.
 */
struct json_rows {
	bool any_member, any_row;	/* the next member or row needs a comma before it */
	struct buf out;			/* text that is not written yet */
};

void json_rows_begin(struct json_rows *r);
/* Each takes ownership of @value. A member belongs to the object, a row to the list. */
void json_rows_add_member(struct json_rows *r, const char *name, json_t *value);
void json_rows_begin_list(struct json_rows *r, const char *name);
void json_rows_add_row(struct json_rows *r, json_t *value);
void json_rows_end_list(struct json_rows *r);
void json_rows_end(struct json_rows *r);

#endif
