/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records as a table: CSV as RFC 4180 has it. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "output/line_columns.h"
#include "output/line_label.h"
#include "output/open_calls.h"

struct csv {
	struct cells *cells;
	bool files, instances;		/* there are columns for them */
};

/* Doubles the quotes behind @from; returns how many there were. */
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

static bool needs_quotes(const struct buf *b, size_t from)
{
	for (size_t i = from; i < b->len; i++)
		if (strchr("\",\r\n", b->data[i]))
			return true;
	return false;
}

/* Tasks choose their names, and who opens the table in a spreadsheet does not mean to run them. */
static void guard_cell(struct buf *b, size_t from, bool raw)
{
	if (raw || !text_is_formula(b->data + from, b->len - from))
		return;
	buf_addch(b, ' ');
	memmove(b->data + from + 1, b->data + from, b->len - 1 - from);
	b->data[from] = '\'';
}

/* Makes what stands behind @from a cell. */
static void close_cell(struct buf *b, size_t from, bool raw)
{
	guard_cell(b, from, raw);
	if (!needs_quotes(b, from))
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

/* A name that calls_settle() may put into the cell is a part of it. */
static void quote_guess(struct calls *c, size_t before)
{
	struct calls_guess *g;

	if (c->nr_guesses == before)
		return;
	g = &c->guesses[c->nr_guesses - 1];
	double_quotes(&c->names, g->name);
	g->len = c->names.len - g->name;
}

/* Always in quotes: at its end there may be a name that is not known yet. */
static void add_text_cell(struct csv *x, struct out *o, const struct trace_rec *r, size_t i)
{
	size_t from, len, guesses = o->calls->nr_guesses;

	buf_addch(&o->buf, '"');
	from = o->buf.len;
	cells_add(x->cells, o, r, o->opts.columns, i);
	len = o->buf.len;
	guard_cell(&o->buf, from, o->opts.raw);
	calls_moved(o->calls, from, o->buf.len - len);
	double_quotes(&o->buf, from);
	quote_guess(o->calls, guesses);
	buf_addch(&o->buf, '"');
}

static bool is_text(const struct columns *c, size_t i)
{
	return !strcmp(columns_name(c, i), "text");
}

static void add_names(const struct csv *x, struct out *o)
{
	const struct columns *c = o->opts.columns;
	struct buf *b = &o->buf;
	size_t i;

	buf_addstr(b, x->files ? "file," : "");
	buf_addstr(b, x->instances ? "buffer," : "");
	for (i = 0; i < columns_count(c); i++) {
		buf_addstr(b, i ? "," : "");
		add_cell(b, columns_name(c, i), o->opts.raw);
	}
	buf_addstr(b, "\r\n");
}

static void csv_begin(struct out *o)
{
	struct csv *x = xcalloc(1, sizeof(*x));

	x->cells = cells_new(o);
	x->files = o->nr_traces > 1;
	x->instances = out_has_instances(o);
	o->priv = x;
	add_names(x, o);
}

static void csv_end(struct out *o)
{
	struct csv *x = o->priv;

	cells_free(x->cells);
	free(x);
	o->priv = NULL;
}

static void add_source(const struct csv *x, const struct trace_rec *r, struct out *o)
{
	const struct dat *d = r->trace->dat;
	struct buf *b = &o->buf;

	if (x->files) {
		add_cell(b, d->path, o->opts.raw);
		buf_addch(b, ',');
	}
	if (x->instances) {
		add_cell(b, d->buffers[r->buffer].name, o->opts.raw);
		buf_addch(b, ',');
	}
}

static void csv_event(struct out *o, const struct trace_rec *r, struct trace_iter *it)
{
	const struct columns *c = o->opts.columns;
	struct csv *x = o->priv;
	size_t i, from;

	(void)it;
	add_source(x, r, o);
	for (i = 0; i < columns_count(c); i++) {
		if (i)
			buf_addch(&o->buf, ',');
		from = o->buf.len;
		if (is_text(c, i)) {
			add_text_cell(x, o, r, i);
			continue;
		}
		cells_add(x->cells, o, r, c, i);
		close_cell(&o->buf, from, o->opts.raw);
	}
	buf_add(&o->buf, "\r\n", 2);
}

const struct out_ops *csv_ops(const struct columns *c)
{
	static const struct out_ops ordered = {
		.begin = csv_begin, .event = csv_event, .end = csv_end,
	};
	static const struct out_ops parallel = {
		.parallel = true, .begin = csv_begin, .event = csv_event, .end = csv_end,
	};

	return columns_ordered(c) ? &ordered : &parallel;
}
