/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists with columns, as text and as JSON; JSON that is written row by row. */
#include "cmd/frame/listing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define WRITE_AT (64u << 10)	/* bytes of JSON rows that are kept */
#define WIDEST 44		/* a longer cell moves the cells after it */

/* --- JSON row by row, as json_dumpf(JSON_INDENT(1)) writes the whole */

struct json_indent {
	struct buf *out;
	int blanks;		/* after each newline */
};

/* Adds JSON with more indentation. Strings contain no newlines: JSON escapes them as \n. */
static int add_shifted(const char *data, size_t n, void *ctx)
{
	struct json_indent *s = ctx;
	const char *nl;

	while ((nl = memchr(data, '\n', n))) {
		buf_add(s->out, data, nl + 1 - data);
		buf_printf(s->out, "%*s", s->blanks, "");
		n -= nl + 1 - data;
		data = nl + 1;
	}
	buf_add(s->out, data, n);
	return 0;
}

static void write_rows(struct json_rows *r)
{
	fwrite(r->out.data, 1, r->out.len, stdout);
	buf_reset(&r->out);
}

static void add_name(struct json_rows *r, const char *name)
{
	buf_printf(&r->out, "%s\n \"%s\": ", r->any_member ? "," : "", name);
	r->any_member = true;
}

void json_rows_begin(struct json_rows *r)
{
	*r = (struct json_rows){0};
	buf_addch(&r->out, '{');
}

static void add_value(struct json_rows *r, json_t *value, int blanks)
{
	struct json_indent s = { &r->out, blanks };

	json_dump_callback(value, add_shifted, &s,
			   JSON_INDENT(1) | JSON_ENSURE_ASCII | JSON_ENCODE_ANY);
	json_decref(value);
}

void json_rows_add_member(struct json_rows *r, const char *name, json_t *value)
{
	add_name(r, name);
	add_value(r, value, 1);
}

void json_rows_begin_list(struct json_rows *r, const char *name)
{
	add_name(r, name);
	buf_addch(&r->out, '[');
	r->any_row = false;
}

void json_rows_add_row(struct json_rows *r, json_t *value)
{
	buf_addstr(&r->out, r->any_row ? ",\n  " : "\n  ");
	add_value(r, value, 2);
	r->any_row = true;
	if (r->out.len >= WRITE_AT)
		write_rows(r);
}

void json_rows_end_list(struct json_rows *r)
{
	buf_addstr(&r->out, r->any_row ? "\n ]" : "]");
}

void json_rows_end(struct json_rows *r)
{
	buf_addstr(&r->out, "\n}\n");
	write_rows(r);
	buf_release(&r->out);
}

/* --- columns */

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

/* A row to sort. ->first has eight bytes of its name as a number, which decide most comparisons. */
struct row_key {
	uint64_t first;
	const char *const *row;
};

static int compare_keys(const void *a, const void *b)
{
	const struct row_key *x = a, *y = b;
	int ret = (x->first > y->first) - (x->first < y->first);

	if (!ret)
		ret = strcmp(x->row[0], y->row[0]);
	/* equal names keep their order */
	return ret ? ret : (x->row > y->row) - (x->row < y->row);
}

void listing_sort(struct listing *l)
{
	struct row_key *keys = xcalloc(l->n + 1, sizeof(*keys));
	const char **sorted = xcalloc(l->n * l->nr_columns + 1, sizeof(*sorted)), **to = sorted;
	const char *name;
	size_t i, c;

	for (i = 0; i < l->n; i++) {
		keys[i].row = l->cells + i * l->nr_columns;
		name = keys[i].row[0];
		for (c = 0; c < sizeof(keys[i].first) && name[c]; c++)
			keys[i].first |= (uint64_t)(unsigned char)name[c] << 8 * (7 - c);
	}
	qsort(keys, l->n, sizeof(*keys), compare_keys);
	for (i = 0; i < l->n; i++)
		for (c = 0; c < l->nr_columns; c++)
			*to++ = keys[i].row[c];
	free(l->cells);
	l->cells = sorted;
	l->cap = l->n * l->nr_columns + 1;
	free(keys);
}

static const char *cell_text(const struct listing_column *c, const char *cell)
{
	return !cell ? "" : c->kind == COL_FLAG ? c->name : cell;
}

/* Adds a row. Columns that are empty in all rows have no width and are left out. */
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
		buf_reserve(out, gap);
		memset(out->data + out->len, ' ', gap);
		out->len += gap;
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
	size_t *widths = xcalloc(l->nr_columns, sizeof(*widths)), i, c, len;
	const char *const *row;
	struct buf out = {0};

	for (i = 0, row = l->cells; i < l->n; i++, row += l->nr_columns)
		for (c = 0; c < l->nr_columns; c++) {
			if (!row[c] || widths[c] == WIDEST)
				continue;
			len = strlen(cell_text(&l->columns[c], row[c]));
			if (len > widths[c])
				widths[c] = len < WIDEST ? len : WIDEST;
		}
	for (i = 0, row = l->cells; i < l->n; i++, row += l->nr_columns) {
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

static json_t *json_listing_cell(const struct listing_column *c, const char *cell)
{
	json_t *v = NULL;

	if (c->kind == COL_FLAG)
		return json_boolean(cell != NULL);
	if (!cell)
		return json_null();
	if (c->kind == COL_NUMBER)
		return json_integer(strtoll(cell, NULL, 10));
	v = json_string(cell);
	/* the library refuses bytes that are no UTF-8 */
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
