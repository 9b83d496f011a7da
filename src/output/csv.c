/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records as a table: CSV as in RFC 4180. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "output/line_columns.h"
#include "output/line_source.h"
#include "output/open_calls.h"

struct csv_sink {
	struct column_state *cells;
	bool files, instances;		/* a column for each is written */
};

/* Doubles the quotes after @from. Returns how many there were. */
static size_t double_quotes(struct buf *b, size_t from)
{
	size_t i, at, n = 0;

	for (i = from; i < b->len; i++)
		n += b->data[i] == '"';
	if (!n)
		return 0;
	buf_reserve(b, n);
	at = b->len += n;
	b->data[at] = '\0';
	for (i = at - n; i-- > from;) {
		b->data[--at] = b->data[i];
		if (b->data[i] == '"')
			b->data[--at] = '"';
	}
	return n;
}

/*
 * Quotes a cell that a spreadsheet would run as a formula: tasks choose their names, and the user
 * who opens the table does not mean to run them.
 */
static void guard_cell(struct buf *b, size_t from, bool raw)
{
	if (raw || !text_is_formula(b->data + from, b->len - from))
		return;
	buf_addch(b, ' ');
	memmove(b->data + from + 1, b->data + from, b->len - 1 - from);
	b->data[from] = '\'';
}

/* Makes the text after @from a cell, in quotes if it needs them. */
static void close_cell(struct buf *b, size_t from, bool raw)
{
	size_t i;

	guard_cell(b, from, raw);
	for (i = from; i < b->len; i++)
		if (strchr("\",\r\n", b->data[i]))
			break;
	if (i == b->len)
		return;
	double_quotes(b, from);
	buf_add(b, "\"\"", 2);
	memmove(b->data + from + 1, b->data + from, b->len - 2 - from);
	b->data[from] = '"';
}

static void add_cell(struct buf *b, const char *value, bool raw)
{
	size_t from = b->len;

	text_sanitise(b, value, strlen(value), false);
	close_cell(b, from, raw);
}

/* Adds the text always in quotes: a name that is not known yet may follow at its end. */
static void add_text_cell(struct csv_sink *x, struct out_state *o, const struct trace_rec *r,
			  size_t i)
{
	struct call_tracker *c = o->calls;
	size_t from, len, guesses = c->nr_guesses;
	struct calls_guess *g;

	buf_addch(&o->buf, '"');
	from = o->buf.len;
	cells_add(x->cells, o, r, o->opts.columns, i);
	len = o->buf.len;
	guard_cell(&o->buf, from, o->opts.raw);
	calls_moved(c, from, o->buf.len - len);
	double_quotes(&o->buf, from);
	if (c->nr_guesses > guesses) {
		/* a name that calls_settle() may insert into the cell is a part of it */
		g = &c->guesses[c->nr_guesses - 1];
		double_quotes(&c->names, g->name);
		g->len = c->names.len - g->name;
	}
	buf_addch(&o->buf, '"');
}

static void csv_begin(struct out_state *o)
{
	const struct line_columns *c = o->opts.columns;
	struct csv_sink *x = xcalloc(1, sizeof(*x));
	struct buf *b = &o->buf;
	size_t i;

	x->cells = cells_new(o);
	x->files = o->nr_traces > 1;
	x->instances = out_has_instances(o);
	o->priv = x;
	buf_addstr(b, x->files ? "file," : "");
	buf_addstr(b, x->instances ? "buffer," : "");
	for (i = 0; i < columns_count(c); i++) {
		buf_addstr(b, i ? "," : "");
		add_cell(b, columns_name(c, i), o->opts.raw);
	}
	buf_addstr(b, "\r\n");
}

static void csv_end(struct out_state *o)
{
	struct csv_sink *x = o->priv;

	cells_free(x->cells);
	free(x);
	o->priv = NULL;
}

static void csv_event(struct out_state *o, const struct trace_rec *r, struct trace_iter *it)
{
	const struct line_columns *c = o->opts.columns;
	const struct dat *d = r->trace->dat;
	struct csv_sink *x = o->priv;
	struct buf *b = &o->buf;
	size_t i, from;

	(void)it;
	if (x->files) {
		add_cell(b, d->path, o->opts.raw);
		buf_addch(b, ',');
	}
	if (x->instances) {
		add_cell(b, d->buffers[r->buffer].name, o->opts.raw);
		buf_addch(b, ',');
	}
	for (i = 0; i < columns_count(c); i++) {
		if (i)
			buf_addch(b, ',');
		from = b->len;
		if (!strcmp(columns_name(c, i), "text")) {
			add_text_cell(x, o, r, i);
			continue;
		}
		cells_add(x->cells, o, r, c, i);
		close_cell(b, from, o->opts.raw);
	}
	buf_add(b, "\r\n", 2);
}

const struct out_ops *csv_ops(const struct line_columns *c)
{
	static const struct out_ops ordered = {
		.begin = csv_begin, .event = csv_event, .end = csv_end,
	};
	static const struct out_ops parallel = {
		.parallel = true, .begin = csv_begin, .event = csv_event, .end = csv_end,
	};

	return columns_ordered(c) ? &ordered : &parallel;
}
