/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A list of things with columns: sorted, aligned for a terminal, or as JSON. */
#ifndef FTR_CMD_LISTING_H
#define FTR_CMD_LISTING_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"

enum column_kind {
	COL_TEXT,		/* JSON: a string, or null */
	COL_NUMBER,		/* JSON: a number, or null; right-aligned, with its unit behind */
	COL_FLAG,		/* text: the column's name where it is set; JSON: true or false */
};

struct column {
	const char *name;
	enum column_kind kind;
	const char *unit;
};

/* Rows of cells; NULL is an empty cell. The first column is what rows are sorted by. */
struct listing {
	const struct column *columns;
	size_t nr_columns;
	const char **cells;	/* row by row */
	size_t n, cap;		/* rows; ->cap counts cells */
	size_t total;		/* of which the rows are those that were wanted */
	struct strv owned;	/* cells that nobody else keeps */
	struct buf text;	/* a file whose pieces are cells */
	bool clean;		/* no cell has bytes that a terminal would act on */
	/* What a row has beyond its cells: lines of text, or members of its object. Or NULL. */
	void (*more)(void *ctx, const char *const *row, struct buf *text, json_t *object);
	void *ctx;
};

/* Appends a row of ->nr_columns cells, which must stay where they are; listing_own() keeps one. */
void listing_add(struct listing *l, const char *const *row);
const char *listing_own(struct listing *l, char *text);
void listing_sort(struct listing *l);
/* To stdout. @what: the name of the list, @instance: NULL for the top level. */
void listing_print(const struct listing *l);
void listing_print_json(const struct listing *l, const char *what, const char *instance);
void listing_release(struct listing *l);

#endif
