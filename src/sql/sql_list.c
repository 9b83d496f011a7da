/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables that are made whole on first use. Any integer column finds its rows by binary search. */
#include "sql/sql_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/search.h"

struct list_scan {
	struct sql_db *db;
	struct sql_list *list;
	struct sql_range range;
	const uint32_t *order;		/* rows in the order of the column, or NULL */
	size_t column;
	bool is_range;			/* only the rows of ->range */
	size_t at, end;			/* the next row is ->at */
	size_t row;
};

struct sql_cell *sql_list_add(struct sql_list *l)
{
	struct sql_cell *c;

	l->cells = xgrow(l->cells, &l->cap, (l->rows + 1) * l->columns, sizeof(*l->cells));
	c = &l->cells[l->rows++ * l->columns];
	memset(c, 0, l->columns * sizeof(*c));
	return c;
}

void cell_set_integer(struct sql_cell *c, int64_t v)
{
	c->kind = CELL_INTEGER;
	c->integer = v;
}

void cell_set_real(struct sql_cell *c, double v)
{
	c->kind = CELL_REAL;
	c->real = v;
}

void cell_set_text(struct sql_list *l, struct sql_cell *c, const char *text)
{
	if (!text)
		return;
	c->kind = CELL_TEXT;
	c->text = texts_add(&l->texts, text, strlen(text));
}

void cell_result(const struct sql_cell *c, sqlite3_destructor_type texts, sqlite3_context *out)
{
	switch (c->kind) {
	case CELL_INTEGER:
		sqlite3_result_int64(out, c->integer);
		break;
	case CELL_REAL:
		sqlite3_result_double(out, c->real);
		break;
	case CELL_TEXT:
		sqlite3_result_text(out, c->text, -1, texts);
		break;
	case CELL_NULL:
		break;
	}
}

static void release_list(struct sql_table *t)
{
	struct sql_list *l = t->data;

	for (size_t i = 0; i < l->columns; i++)
		free(l->by[i]);
	free(l->by);
	free(l->cells);
	texts_release(&l->texts);
	free(l);
}

struct sql_table *sql_list_new(const char *name, const char *about,
			       const struct sql_column *columns, size_t nr_columns,
			       void (*fill)(struct sql_db *db, struct sql_list *l))
{
	struct sql_list *l = xcalloc(1, sizeof(*l));
	struct sql_table *t = sql_table_new(name, about, columns, nr_columns, &sql_list_ops, l);

	l->columns = nr_columns;
	l->by = xcalloc(nr_columns + 1, sizeof(*l->by));
	l->fill = fill;
	t->release = release_list;
	return t;
}

/* --- rows by a column */

static const struct sql_cell *cell_at(const struct sql_list *l, size_t row, size_t column)
{
	return &l->cells[row * l->columns + column];
}

struct column_order {
	const struct sql_list *list;
	size_t column;
};

/* NULL is less than any number, a number than any text; rows of one value keep their order. */
static int compare_rows(const void *a, const void *b, void *ctx)
{
	const struct column_order *o = ctx;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct sql_cell *x = cell_at(o->list, i, o->column);
	const struct sql_cell *y = cell_at(o->list, k, o->column);

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->kind == CELL_INTEGER && x->integer != y->integer)
		return x->integer < y->integer ? -1 : 1;
	if (x->kind == CELL_TEXT && strcmp(x->text, y->text))
		return strcmp(x->text, y->text);
	return (i > k) - (i < k);
}

static const uint32_t *rows_by(struct sql_list *l, size_t column)
{
	struct column_order o = { l, column };

	if (l->by[column])
		return l->by[column];
	l->by[column] = xcalloc(l->rows + 1, sizeof(*l->by[column]));
	for (size_t i = 0; i < l->rows; i++)
		l->by[column][i] = i;
	qsort_r(l->by[column], l->rows, sizeof(*l->by[column]), compare_rows, &o);
	return l->by[column];
}

static bool is_below(const struct sql_cell *c, int64_t v)
{
	return c->kind == CELL_NULL || (c->kind == CELL_INTEGER && c->integer < v);
}

/*
 * Returns the first row, of those in the order of a column, whose value is at least @v. Numbers of
 * tasks, tracks and CPUs have no gaps: the place of one is known by the first.
 */
static size_t find_row(const struct sql_list *l, const uint32_t *order, size_t column, int64_t v)
{
	const struct sql_cell *first = l->rows ? cell_at(l, order[0], column) : NULL;
	uint64_t guess = first && first->kind == CELL_INTEGER ? (uint64_t)v - first->integer
							       : l->rows;

	if (guess < l->rows && cell_at(l, order[guess], column)->integer == v &&
	    (!guess || cell_at(l, order[guess - 1], column)->integer < v))
		return guess;
	return SEARCH_ABOVE(k, 0, l->rows, is_below(cell_at(l, order[k], column), v));
}

/* --- scans */

static void *open_list(struct sql_db *db, const struct sql_table *t)
{
	struct list_scan *s = xcalloc(1, sizeof(*s));

	s->db = db;
	s->list = t->data;
	return s;
}

static void fill_list(struct sql_db *db, struct sql_list *l)
{
	l->rows = 0;
	l->fill(db, l);
	l->is_filled = !db->is_interrupted;
}

static int begin_list(void *scan, const struct sql_conditions *c)
{
	struct list_scan *s = scan;
	struct sql_list *l = s->list;

	/* a join opens all of its tables before it begins to read one */
	if (!l->is_filled)
		fill_list(s->db, l);
	s->order = c->grouped ? rows_by(l, c->grouped - 1) : NULL;
	s->is_range = false;
	s->at = 0;
	s->end = l->rows;
	for (size_t i = 0; i < c->n && !s->order; i++) {
		struct sql_range r = { INT64_MIN, INT64_MAX, false };

		if (c->v[i].op != SQLITE_INDEX_CONSTRAINT_EQ)
			continue;
		s->column = c->v[i].column;
		sql_narrow(c, s->column, &r);
		if (r.empty || r.least == INT64_MIN)
			continue;
		s->order = rows_by(l, s->column);
		s->at = find_row(l, s->order, s->column, r.least);
		s->range = r;
		s->is_range = true;
	}
	return SQLITE_OK;
}

static bool next_list(void *scan)
{
	struct list_scan *s = scan;
	const struct sql_cell *c;

	if (s->at >= s->end)
		return false;
	s->row = s->order ? s->order[s->at] : s->at;
	s->at++;
	if (!s->is_range)
		return true;
	c = cell_at(s->list, s->row, s->column);
	return c->kind == CELL_INTEGER && c->integer <= s->range.most;
}

static void list_column(void *scan, int column, sqlite3_context *out)
{
	const struct list_scan *s = scan;

	cell_result(cell_at(s->list, s->row, column), SQLITE_STATIC, out);
}

#define LEAST_ROWS 1000

static double list_rows(struct sql_db *db, const struct sql_table *t)
{
	const struct sql_list *l = t->data;

	(void)db;
	/* plans do not depend on whether an earlier query has filled the list */
	return l->is_filled && l->rows > LEAST_ROWS ? l->rows : LEAST_ROWS;
}

const struct sql_table_ops sql_list_ops = {
	.open = open_list, .begin = begin_list, .next = next_list, .column = list_column,
	.close = free, .rows = list_rows, .is_keyed = true, .is_sorting = true,
};
