/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists with columns, as text and as JSON. */
#include "cmd/frame/listing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define WIDEST 44	/* longer cells push what is behind them */

void listing_add(struct listing *l, const char *const *row)
{
	size_t at = l->n++ * l->nr_columns;

	l->cells = xgrow(l->cells, &l->cap, at + l->nr_columns, sizeof(*l->cells));
	memcpy(l->cells + at, row, l->nr_columns * sizeof(*row));
}

const char *listing_own(struct listing *l, char *text)
{
	strv_take(&l->owned, text);
	return text;
}

/* A row to sort: the first eight bytes of its name as a number settle most comparisons. */
struct key {
	uint64_t first;
	const char *const *row;
};

static uint64_t first_bytes(const char *name)
{
	uint64_t v = 0;
	unsigned int n = 0;

	for (; n < sizeof(v) && name[n]; n++)
		v = v << 8 | (unsigned char)name[n];
	return n ? v << 8 * (sizeof(v) - n) : 0;
}

static int by_row_name(const void *a, const void *b)
{
	const struct key *x = a, *y = b;
	int ret = (x->first > y->first) - (x->first < y->first);

	if (!ret)
		ret = strcmp(x->row[0], y->row[0]);
	/* as they came */
	return ret ? ret : (x->row > y->row) - (x->row < y->row);
}

void listing_sort(struct listing *l)
{
	struct key *keys = xcalloc(l->n + 1, sizeof(*keys));
	const char **sorted = xcalloc(l->n * l->nr_columns + 1, sizeof(*sorted)), **to = sorted;
	size_t i, c;

	for (i = 0; i < l->n; i++) {
		keys[i].row = l->cells + i * l->nr_columns;
		keys[i].first = first_bytes(keys[i].row[0]);
	}
	qsort(keys, l->n, sizeof(*keys), by_row_name);
	for (i = 0; i < l->n; i++)
		for (c = 0; c < l->nr_columns; c++)
			*to++ = keys[i].row[c];
	free(l->cells);
	l->cells = sorted;
	l->cap = l->n * l->nr_columns + 1;
	free(keys);
}

static const char *cell_text(const struct column *c, const char *cell)
{
	return !cell ? "" : c->kind == COL_FLAG ? c->name : cell;
}

static void measure_columns(const struct listing *l, size_t *widths)
{
	const char *const *row = l->cells;
	size_t i, c, len;

	for (i = 0; i < l->n; i++, row += l->nr_columns)
		for (c = 0; c < l->nr_columns; c++) {
			if (!row[c] || widths[c] == WIDEST)
				continue;
			len = strlen(cell_text(&l->columns[c], row[c]));
			if (len > widths[c])
				widths[c] = len < WIDEST ? len : WIDEST;
		}
}

static void add_padding(struct buf *out, size_t n)
{
	buf_reserve(out, n);
	memset(out->data + out->len, ' ', n);
	out->len += n;
}

/* Columns that are empty throughout have no width and take no room. */
static void add_row(const struct listing *l, const char *const *row, const size_t *widths,
		    struct buf *out)
{
	size_t c, len, left, gap = 0;
	const char *cell;

	for (c = 0; c < l->nr_columns; c++) {
		if (!widths[c])
			continue;
		cell = cell_text(&l->columns[c], row[c]);
		len = strlen(cell);
		left = len < widths[c] ? widths[c] - len : 0;
		if (!len) {
			gap += 2 + left;
			continue;
		}
		if (l->columns[c].kind == COL_NUMBER)
			gap += left;
		add_padding(out, gap);
		if (l->clean)
			buf_add(out, cell, len);
		else
			text_sanitise(out, cell, len, false);
		if (l->columns[c].unit)
			buf_printf(out, " %s", l->columns[c].unit);
		gap = 2 + (l->columns[c].kind == COL_NUMBER ? 0 : left);
	}
	buf_addch(out, '\n');
}

void listing_print(const struct listing *l)
{
	size_t *widths = xcalloc(l->nr_columns, sizeof(*widths)), i;
	const char *const *row;
	struct buf out = {0};

	measure_columns(l, widths);
	for (i = 0; i < l->n; i++) {
		row = l->cells + i * l->nr_columns;
		add_row(l, row, widths, &out);
		if (l->more)
			l->more(l->ctx, row, &out, NULL);
		if (out.len < 1 << 16)
			continue;
		fwrite(out.data, 1, out.len, stdout);
		buf_reset(&out);
	}
	fwrite(out.data ? out.data : "", 1, out.len, stdout);
	buf_release(&out);
	free(widths);
}

static json_t *json_listing_cell(const struct column *c, const char *cell)
{
	json_t *v = NULL;

	if (c->kind == COL_FLAG)
		return json_boolean(cell != NULL);
	if (!cell)
		return json_null();
	if (c->kind == COL_NUMBER)
		return json_integer(strtoll(cell, NULL, 10));
	v = json_string(cell);
	/* not UTF-8 */
	return v ? v : json_null();
}

void listing_print_json(const struct listing *l, const char *what, const char *instance)
{
	json_t *items = json_array(), *all, *o;
	const char *const *row;
	size_t i, c;

	for (i = 0; i < l->n; i++) {
		row = l->cells + i * l->nr_columns;
		o = json_object();
		for (c = 0; c < l->nr_columns; c++)
			json_object_set_new(o, l->columns[c].name,
					    json_listing_cell(&l->columns[c], row[c]));
		if (l->more)
			l->more(l->ctx, row, NULL, o);
		json_array_append_new(items, o);
	}
	all = json_pack("{s:s, s:s?, s:I, s:o}", "list", what, "instance", instance, "total",
			(json_int_t)l->total, "items", items);
	json_dumpf(all, stdout, JSON_INDENT(1) | JSON_ENSURE_ASCII);
	putchar('\n');
	json_decref(all);
}

void listing_release(struct listing *l)
{
	free(l->cells);
	strv_release(&l->owned);
	buf_release(&l->text);
	*l = (struct listing){0};
}
