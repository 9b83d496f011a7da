/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A list with columns. Sorts it, and prints it aligned for a terminal or as JSON. */
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

struct column {
	const char *name;
	enum column_kind kind;
	const char *unit;
};

/* Rows of cells; NULL is an empty cell. Rows are sorted by the first column. */
struct listing {
	const struct column *columns;
	size_t nr_columns;
	const char **cells;	/* row by row */
	size_t n, cap;		/* rows; ->cap counts cells */
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
/* Print to stdout. @what: the name of the list; @instance: NULL for the top level. */
void listing_print(const struct listing *l);
void listing_print_json(const struct listing *l, const char *what, const char *instance);
void listing_release(struct listing *l);

#endif
