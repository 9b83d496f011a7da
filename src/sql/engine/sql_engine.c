/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of a query for engines, whose columns have one type each. A column of a table has the
 * declared type. The type of an expression is known from its values alone: rows are held until
 * HELD_ROWS have shown it, and a later value that does not fit is an error, not another value.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/io.h"
#include "base/mem.h"
#include "sql/sql_result.h"

#define HELD_ROWS 1000
#define FLUSH_AT  (64u << 10)

struct engine_output {
	const struct sql_engine *o;
	struct engine_columns columns;
	size_t first;			/* number of columns before those of the query */
	bool *is_open;			/* the type of each column of the query is not known yet */
	bool is_holding, has_started;
	sqlite3_value **held;
	size_t nr_held, cap_held;	/* values */
	struct buf before;		/* the columns of the file as bytes */
	struct buf out;
	uint64_t rows;
	struct ftr_error *err;
	bool is_failed;
};

static bool output_fail(struct engine_output *e)
{
	e->is_failed = true;
	return false;
}

static bool output_flush(struct engine_output *e)
{
	if (io_write_all(e->o->fd, e->out.data, e->out.len)) {
		err_write(e->err, "cannot write to standard output");
		return output_fail(e);
	}
	buf_reset(&e->out);
	return true;
}

/* --- types */

static bool column_declared_type(const char *decl, enum engine_type *type)
{
	static const struct { const char *name; enum engine_type type; } types[] = {
		{ "INTEGER", ENGINE_I64 }, { "REAL", ENGINE_F64 }, { "TEXT", ENGINE_STRING },
		{ "BLOB", ENGINE_STRING },
	};

	for (size_t i = 0; decl && i < sizeof(types) / sizeof(*types); i++)
		if (!strcasecmp(decl, types[i].name)) {
			*type = types[i].type;
			return true;
		}
	return false;
}

/* Widens the type of an open column by a value. */
static void column_learn_type(struct engine_column *c, sqlite3_value *v, bool *is_met)
{
	static const enum engine_type types[] = {
		[SQLITE_INTEGER] = ENGINE_I64, [SQLITE_FLOAT] = ENGINE_F64,
		[SQLITE_TEXT] = ENGINE_STRING, [SQLITE_BLOB] = ENGINE_STRING,
	};
	enum engine_type type;

	if (sqlite3_value_type(v) == SQLITE_NULL)
		return;
	type = types[sqlite3_value_type(v)];
	/* a string has all values, and a real number the integers */
	if (!*is_met || type == ENGINE_STRING ||
	    (c->type == ENGINE_I64 && type == ENGINE_F64))
		c->type = type;
	*is_met = true;
}

static void output_learn_types(struct engine_output *e)
{
	size_t n = e->columns.n - e->first;

	for (size_t i = 0; i < n; i++) {
		bool is_met = false;

		for (size_t k = i; e->is_open[i] && k < e->nr_held; k += n)
			column_learn_type(&e->columns.v[e->first + i], e->held[k], &is_met);
	}
}

/* --- values */

static void output_add_text(struct engine_output *e, sqlite3_value *v)
{
	bool is_blob = sqlite3_value_type(v) == SQLITE_BLOB;
	const char *p = is_blob ? sqlite3_value_blob(v) : (const char *)sqlite3_value_text(v);
	size_t len = sqlite3_value_bytes(v);
	struct buf hex = {0};

	for (size_t i = 0; is_blob && i < len; i++)
		buf_printf(&hex, "%02x", (unsigned char)p[i]);
	if (is_blob)
		engine_add_string(e->o->format, hex.len ? hex.data : "", hex.len, &e->out);
	else
		engine_add_string(e->o->format, p ? p : "", p ? len : 0, &e->out);
	buf_release(&hex);
}

static bool output_add_value(struct engine_output *e, const struct engine_column *c,
			     sqlite3_value *v)
{
	static const char *const words[] = {
		[SQLITE_INTEGER] = "an integer", [SQLITE_FLOAT] = "a real number",
		[SQLITE_TEXT] = "a text", [SQLITE_BLOB] = "bytes",
	};
	enum engine_format f = e->o->format;
	int type = sqlite3_value_type(v);

	if (type == SQLITE_NULL) {
		engine_add_null(f, &e->out);
		return true;
	}
	engine_add_there(f, &e->out);
	if (c->type == ENGINE_STRING) {
		output_add_text(e, v);
	} else if (c->type == ENGINE_I64 && type == SQLITE_INTEGER) {
		engine_add_number(f, c->type, (uint64_t)sqlite3_value_int64(v), &e->out);
	} else if (c->type == ENGINE_F64 && (type == SQLITE_INTEGER || type == SQLITE_FLOAT)) {
		engine_add_real(f, sqlite3_value_double(v), &e->out);
	} else {
		err_set(e->err, FTR_FAILED, "column '%s' has %s in row %" PRIu64 ", and %s in rows "
			"before", c->name, words[type], e->rows + 1,
			c->type == ENGINE_I64 ? "integers" : "numbers");
		err_hint(e->err, "CAST('%s' AS TEXT) makes it one type", c->name);
		return output_fail(e);
	}
	return true;
}

static bool output_add_row(struct engine_output *e, sqlite3_stmt *s, sqlite3_value **v)
{
	for (size_t i = e->first; i < e->columns.n; i++) {
		if (i == e->first)
			buf_add(&e->out, e->before.data, e->before.len);
		engine_add_key(e->o->format, &e->columns, i, &e->out);
		if (!output_add_value(e, &e->columns.v[i], v ? v[i - e->first] :
				      sqlite3_column_value(s, (int)(i - e->first))))
			return false;
	}
	engine_add_row_end(e->o->format, &e->out);
	e->rows++;
	return e->out.len < FLUSH_AT || output_flush(e);
}

/* --- rows */

/* Writes the start, now that the types are known, and the rows that were held. */
static bool output_release_rows(struct engine_output *e)
{
	size_t n = e->columns.n - e->first;
	bool ret = true;

	if (!e->has_started)
		return true;
	output_learn_types(e);
	e->is_holding = false;
	if (e->o->schema)
		engine_add_schema(e->o->schema, e->o->table, &e->columns, &e->out);
	else if (!e->o->no_header)
		engine_add_header(e->o->format, &e->columns, &e->out);
	for (size_t i = 0; !e->o->schema && ret && i < e->nr_held; i += n)
		ret = output_add_row(e, NULL, e->held + i);
	for (size_t i = 0; i < e->nr_held; i++)
		sqlite3_value_free(e->held[i]);
	e->nr_held = 0;
	return ret;
}

/* Adds the columns of the file, and their bytes before each row. */
static void output_add_file(struct engine_output *e)
{
	const char *const names[] = { "host", "trace_id" };
	const struct trace *t = e->o->file;
	char *words[] = { engine_host(t), engine_trace_id(t) };
	enum engine_format f = e->o->format;
	struct buf *b = &e->before;
	uint64_t ns;

	for (size_t i = 0; i < 2; i++) {
		engine_columns_add(&e->columns, names[i], ENGINE_WORD);
		engine_add_key(f, &e->columns, i, b);
		engine_add_string(f, words[i], strlen(words[i]), b);
		free(words[i]);
	}
	engine_columns_add(&e->columns, "wall_offset_ns", ENGINE_I64)->is_nullable = true;
	engine_add_key(f, &e->columns, 2, b);
	if (trace_time_of_day(t, 0, &ns)) {
		engine_add_there(f, b);
		engine_add_number(f, ENGINE_I64, ns, b);
	} else {
		engine_add_null(f, b);
	}
	e->first = e->columns.n;
}

static void output_start_rows(void *ctx, sqlite3_stmt *s)
{
	struct engine_output *e = ctx;
	int n = sqlite3_column_count(s);

	if (e->has_started) {
		err_set(e->err, FTR_FAILED, "the query has several statements with rows");
		output_fail(e);
		return;
	}
	e->has_started = true;
	e->is_open = xcalloc(n, sizeof(*e->is_open));
	if (e->o->file)
		output_add_file(e);
	for (int i = 0; i < n; i++) {
		struct engine_column *c = engine_columns_add(&e->columns, sqlite3_column_name(s, i),
							     ENGINE_STRING);

		c->is_nullable = true;
		/* tables of several files need the same types: no value decides there */
		e->is_open[i] = !column_declared_type(sqlite3_column_decltype(s, i), &c->type) &&
				!e->o->file;
		e->is_holding |= e->is_open[i];
	}
	if (!e->is_holding)
		output_release_rows(e);
}

static bool output_take_row(void *ctx, sqlite3_stmt *s)
{
	struct engine_output *e = ctx;
	size_t n = e->columns.n - e->first;

	if (e->is_failed || (e->o->schema && !e->is_holding))
		return false;
	if (!e->is_holding)
		return output_add_row(e, s, NULL);
	e->held = xgrow(e->held, &e->cap_held, e->nr_held + n, sizeof(*e->held));
	for (size_t i = 0; i < n; i++) {
		sqlite3_value *v = sqlite3_value_dup(sqlite3_column_value(s, (int)i));

		if (!v) {
			err_set(e->err, FTR_FAILED, "no memory for the first rows");
			return output_fail(e);
		}
		e->held[e->nr_held++] = v;
	}
	return e->nr_held < HELD_ROWS * n || output_release_rows(e);
}

int sql_write_engine(struct sql_db *db, const char *query, const struct sql_engine *o,
		     struct ftr_error *err)
{
	struct engine_output e = { .o = o, .err = err };
	const struct sql_reader reader = {
		.start = output_start_rows, .row = output_take_row, .ctx = &e,
	};
	int ret = sql_read(db, query, &reader, err);

	if (!ret && !e.is_failed && e.is_holding)
		output_release_rows(&e);
	if (!ret && !e.is_failed)
		output_flush(&e);
	for (size_t i = 0; i < e.nr_held; i++)
		sqlite3_value_free(e.held[i]);
	free(e.held);
	free(e.is_open);
	engine_columns_release(&e.columns);
	buf_release(&e.before);
	buf_release(&e.out);
	return ret || e.is_failed ? -1 : 0;
}
