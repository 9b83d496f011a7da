/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs queries, prints their rows, and explains their errors. */
#include "sql/sql_result.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "sql/sql_table.h"

#define WIDTH_ROWS 200		/* rows that decide about the widths of columns */
#define WIDTH_MAX  60		/* a wider value moves the rest of its line */

struct result_printer {
	FILE *out;
	bool header;
	int columns;
	uint64_t rows;
	/* tables: values of the first rows, until the widths are known */
	struct strv held;
	int *widths;
	bool *is_right;		/* columns with numbers alone */
};

struct sql_format {
	const char *name;
	void (*begin)(struct result_printer *p, sqlite3_stmt *s);
	void (*row)(struct result_printer *p, sqlite3_stmt *s);
	void (*end)(struct result_printer *p, sqlite3_stmt *s);
};

/* --- values */

static bool is_inside_letter(const char *p)
{
	return ((unsigned char)*p & 0xc0) == 0x80;
}

void sql_row_add_value(sqlite3_stmt *s, int column, size_t most, struct buf *out)
{
	int type = sqlite3_column_type(s, column);
	const char *p = type == SQLITE_BLOB ? sqlite3_column_blob(s, column) :
			(const char *)sqlite3_column_text(s, column);
	size_t all = sqlite3_column_bytes(s, column), n = all < most ? all : most;

	if (type == SQLITE_NULL || !p)
		return;
	if (type == SQLITE_BLOB) {
		for (size_t k = 0; k < n; k++)
			buf_printf(out, "%02x", (unsigned char)p[k]);
	} else {
		while (n && n < all && is_inside_letter(p + n))
			n--;
		text_sanitise(out, p, n, true);
	}
	buf_addstr(out, n < all ? "..." : "");
}

static void add_value(sqlite3_stmt *s, int i, struct buf *out)
{
	sql_row_add_value(s, i, SIZE_MAX, out);
}

bool sql_row_is_number(sqlite3_stmt *s, int column)
{
	return sqlite3_column_type(s, column) == SQLITE_INTEGER ||
	       sqlite3_column_type(s, column) == SQLITE_FLOAT;
}

/* --- an aligned table */

/* Returns the columns of a terminal that a line of text needs: its characters. */
static int text_width(const char *p)
{
	int n = 0;

	for (; *p; p++)
		n += ((unsigned char)*p & 0xc0) != 0x80;
	return n;
}

/* The value of the last column is not filled with blanks; one of several lines stands alone. */
static void put_cell(struct result_printer *p, int i, const char *text)
{
	int fill = p->widths[i] - text_width(text);

	fill = fill < 0 ? 0 : fill;
	if (i)
		fputs("  ", p->out);
	if (p->is_right[i])
		fprintf(p->out, "%*s%s", fill, "", text);
	else
		fprintf(p->out, "%s%*s", text, i + 1 < p->columns ? fill : 0, "");
	if (i + 1 == p->columns)
		putc('\n', p->out);
}

static void begin_table(struct result_printer *p, sqlite3_stmt *s)
{
	p->widths = xcalloc(p->columns, sizeof(*p->widths));
	p->is_right = xcalloc(p->columns, sizeof(*p->is_right));
	for (int i = 0; i < p->columns; i++) {
		p->is_right[i] = true;
		p->widths[i] = p->header ? text_width(sqlite3_column_name(s, i)) : 0;
	}
}

/* Prints the rows that were held to learn the widths. */
static void release_rows(struct result_printer *p, sqlite3_stmt *s)
{
	for (int i = 0; p->header && i < p->columns; i++)
		put_cell(p, i, sqlite3_column_name(s, i));
	for (size_t i = 0; i < p->held.n; i++)
		put_cell(p, i % p->columns, p->held.v[i]);
	strv_release(&p->held);
}

static void hold_value(struct result_printer *p, sqlite3_stmt *s, int i, const char *text)
{
	int width = text_width(text);

	if (strchr(text, '\n'))
		width = 0;
	if (width > WIDTH_MAX)
		width = WIDTH_MAX;
	if (width > p->widths[i])
		p->widths[i] = width;
	if (*text && !sql_row_is_number(s, i))
		p->is_right[i] = false;
	strv_add(&p->held, text);
}

static void table_row(struct result_printer *p, sqlite3_stmt *s)
{
	struct buf text = {0};

	for (int i = 0; i < p->columns; i++) {
		buf_reset(&text);
		buf_addstr(&text, "");
		add_value(s, i, &text);
		if (p->rows < WIDTH_ROWS)
			hold_value(p, s, i, text.data);
		else
			put_cell(p, i, text.data);
	}
	buf_release(&text);
	if (p->rows + 1 == WIDTH_ROWS)
		release_rows(p, s);
}

static void end_table(struct result_printer *p, sqlite3_stmt *s)
{
	if (p->rows < WIDTH_ROWS)
		release_rows(p, s);
	free(p->widths);
	free(p->is_right);
}

/* --- CSV, as RFC 4180 has it, with newlines alone */

static void put_csv(struct result_printer *p, int i, const char *text)
{
	bool quoted = strpbrk(text, ",\"\r\n") || *text == ' ';

	if (i)
		putc(',', p->out);
	if (quoted)
		putc('"', p->out);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', p->out);
		putc(*text, p->out);
	}
	if (quoted)
		putc('"', p->out);
	if (i + 1 == p->columns)
		putc('\n', p->out);
}

static void begin_csv(struct result_printer *p, sqlite3_stmt *s)
{
	for (int i = 0; p->header && i < p->columns; i++)
		put_csv(p, i, sqlite3_column_name(s, i));
}

static void csv_row(struct result_printer *p, sqlite3_stmt *s)
{
	struct buf text = {0};

	for (int i = 0; i < p->columns; i++) {
		buf_reset(&text);
		buf_addstr(&text, "");
		add_value(s, i, &text);
		put_csv(p, i, text.data);
	}
	buf_release(&text);
}

/* --- JSON */

static json_t *json_value(sqlite3_stmt *s, int i)
{
	struct buf text = {0};
	json_t *v;

	switch (sqlite3_column_type(s, i)) {
	case SQLITE_NULL:
		return json_null();
	case SQLITE_INTEGER:
		return json_integer(sqlite3_column_int64(s, i));
	case SQLITE_FLOAT:
		v = json_real(sqlite3_column_double(s, i));
		return v ? v : json_null();
	default:
		buf_addstr(&text, "");
		add_value(s, i, &text);
		v = json_stringn(text.data, text.len);
		buf_release(&text);
		return v ? v : json_null();
	}
}

static void put_object(struct result_printer *p, sqlite3_stmt *s)
{
	json_t *o = json_object();

	for (int i = 0; i < p->columns; i++)
		json_object_set_new(o, sqlite3_column_name(s, i), json_value(s, i));
	json_dumpf(o, p->out, JSON_COMPACT | JSON_ENSURE_ASCII);
	json_decref(o);
}

static void begin_json(struct result_printer *p, sqlite3_stmt *s)
{
	(void)s;
	putc('[', p->out);
}

static void json_row(struct result_printer *p, sqlite3_stmt *s)
{
	fputs(p->rows ? ",\n " : "\n ", p->out);
	put_object(p, s);
}

static void end_json(struct result_printer *p, sqlite3_stmt *s)
{
	(void)s;
	fputs("\n]\n", p->out);
}

static void jsonl_row(struct result_printer *p, sqlite3_stmt *s)
{
	put_object(p, s);
	putc('\n', p->out);
}

/* --- Markdown */

static void put_markdown(struct result_printer *p, int i, const char *text)
{
	fputs(i ? " | " : "| ", p->out);
	for (; *text; text++) {
		if (*text == '|')
			putc('\\', p->out);
		if (*text == '\n')
			fputs("<br>", p->out);
		else
			putc(*text, p->out);
	}
	if (i + 1 == p->columns)
		fputs(" |\n", p->out);
}

static void begin_markdown(struct result_printer *p, sqlite3_stmt *s)
{
	for (int i = 0; i < p->columns; i++)
		put_markdown(p, i, sqlite3_column_name(s, i));
	for (int i = 0; i < p->columns; i++)
		put_markdown(p, i, "---");
}

static void markdown_row(struct result_printer *p, sqlite3_stmt *s)
{
	struct buf text = {0};

	for (int i = 0; i < p->columns; i++) {
		buf_reset(&text);
		buf_addstr(&text, "");
		add_value(s, i, &text);
		put_markdown(p, i, text.data);
	}
	buf_release(&text);
}

static const struct sql_format formats[] = {
	{ "table", begin_table, table_row, end_table },
	{ "csv", begin_csv, csv_row, NULL },
	{ "json", begin_json, json_row, end_json },
	{ "jsonl", NULL, jsonl_row, NULL },
	{ "markdown", begin_markdown, markdown_row, NULL },
};

const struct sql_format *sql_format_find(const char *name)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		if (!strcmp(formats[i].name, name))
			return &formats[i];
	return NULL;
}

void sql_format_names(struct buf *out)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		buf_printf(out, "%s%s", i ? ", " : "", formats[i].name);
}

/* --- errors */

static void take_name(void *ctx, const char *name)
{
	strv_add(ctx, name);
}

#define OWNERS_MAX 4		/* tables that a hint names */

/* Sets the hint: the tables that have the column, if there are any. Returns true then. */
static bool hint_owners(const struct sql_db *db, const char *column, struct ftr_error *err)
{
	struct buf owners = {0};
	size_t n = 0;

	for (size_t i = 0; i < db->nr_tables && n <= OWNERS_MAX; i++) {
		const struct sql_table *t = db->tables[i];

		for (size_t k = 0; k < t->nr_columns; k++) {
			if (strcasecmp(t->columns[k].name, column) || n++ >= OWNERS_MAX)
				continue;
			buf_printf(&owners, "%s%s", owners.len ? ", " : "", t->name);
			break;
		}
	}
	if (n)
		err_hint(err, "the column is in %s%s", owners.data,
			 n > OWNERS_MAX ? ", and others" : "");
	buf_release(&owners);
	return n;
}

/* Sets the hint: the nearest name, for an unknown table, column or function. */
static void hint_name(struct sql_db *db, const char *message, struct ftr_error *err)
{
	static const char *const begins[] = {
		"no such table: ", "no such column: ", "no such function: ",
	};
	struct strv names = {0};
	const char *word = NULL, *near, *dot;

	for (size_t i = 0; i < sizeof(begins) / sizeof(*begins) && !word; i++)
		if (!strncmp(message, begins[i], strlen(begins[i])))
			word = message + strlen(begins[i]);
	if (!word)
		return;
	dot = strrchr(word, '.');
	word = dot ? dot + 1 : word;
	sql_names(db, take_name, &names);
	near = text_closest(word, names.v);
	if (!strncmp(message, begins[1], strlen(begins[1])) && hint_owners(db, word, err))
		;
	else if (near)
		err_hint(err, "did you mean '%s'?", near);
	else if (!strncmp(message, begins[0], strlen(begins[0])))
		err_hint(err, "ftr sql --schema shows the tables of these files");
	strv_release(&names);
}

#define PLACE_BEFORE 40		/* bytes of a long line that are shown before the place */
#define PLACE_LINE 70		/* and in all */

/* Appends the line of the query that has the place @at, or its part around it, and a caret. */
static void add_caret(struct buf *out, const char *query, const char *at)
{
	const char *line = at, *from, *to, *end = strchrnul(at, '\n');
	size_t column = 0;

	while (line > query && line[-1] != '\n')
		line--;
	from = at - line > PLACE_BEFORE ? at - PLACE_BEFORE : line;
	while (from < at && is_inside_letter(from))
		from++;
	to = end - from > PLACE_LINE ? from + PLACE_LINE : end;
	while (to < end && is_inside_letter(to))
		to++;
	buf_printf(out, "  %s", from > line ? "..." : "");
	for (const char *p = from; p < to; p++) {
		column += p < at && !is_inside_letter(p);
		buf_addch(out, *p == '\t' || *p == '\r' ? ' ' : *p);
	}
	buf_printf(out, "%s\n  %*s^", to < end ? "..." : "",
		   (int)column + (from > line ? 3 : 0), "");
}

/* Fills @err: @message, and the line of the query with a caret below the place. */
static int add_place(struct sql_db *db, const char *query, const char *message,
		     struct ftr_error *err)
{
	int at = sqlite3_error_offset(db->db), code = sqlite3_errcode(db->db) & 0xff;
	const char *why = sql_ended_why(db);
	struct buf place = {0};

	if (code == SQLITE_INTERRUPT) {
		err_set(err, FTR_FAILED, "the query was ended: %s", why ? why : "interrupted");
		return why ? err_hint(err, "--max-time allows more") : -1;
	}
	if (code == SQLITE_AUTH) {
		err_set(err, FTR_FAILED, "the query is not allowed: it does more than read: %s",
			message);
		return err_hint(err, "temporary tables and views can be made: CREATE TEMP TABLE");
	}
	if (at < 0 || (size_t)at > strlen(query)) {
		err_set(err, FTR_FAILED, "the query failed: %s", message);
	} else {
		add_caret(&place, query, query + at);
		err_set(err, FTR_FAILED, "%s\n%s", message, place.data);
		buf_release(&place);
	}
	hint_name(db, message, err);
	return -1;
}

static int report_query(struct sql_db *db, const char *query, struct ftr_error *err)
{
	/* SQLite's own text lives until the next call */
	char *message = xstrdup(sqlite3_errmsg(db->db));
	int ret = add_place(db, query, message, err);

	free(message);
	return ret;
}

/* --- running */

/*
 * Runs a statement. Returns the SQLite status of its last step; SQLITE_ROW: the statements that
 * follow are not run.
 */
typedef int (*statement_fn)(sqlite3_stmt *s, const void *ctx);

static int print_statement(sqlite3_stmt *s, const void *ctx)
{
	const struct sql_output *o = ctx;
	const struct sql_format *f = o->format;
	struct result_printer p = {
		.out = o->out, .header = o->header, .columns = sqlite3_column_count(s),
	};
	int ret = sqlite3_step(s);

	if (!p.columns)
		return ret;
	if (ret != SQLITE_ROW && ret != SQLITE_DONE)
		return ret;
	if (o->start)
		o->start();
	if (f->begin)
		f->begin(&p, s);
	while (ret == SQLITE_ROW && !ferror(p.out)) {
		f->row(&p, s);
		p.rows++;
		ret = sqlite3_step(s);
	}
	if (f->end)
		f->end(&p, s);
	return ret;
}

static int read_statement(sqlite3_stmt *s, const void *ctx)
{
	const struct sql_reader *r = ctx;
	bool has_columns = sqlite3_column_count(s);
	int ret;

	if (has_columns)
		r->start(r->ctx, s);
	while ((ret = sqlite3_step(s)) == SQLITE_ROW && has_columns)
		if (!r->row(r->ctx, s))
			return SQLITE_DONE;
	return ret;
}

static int run_all(struct sql_db *db, const char *query, statement_fn run, const void *ctx,
		   struct ftr_error *err)
{
	const char *rest = query;
	sqlite3_stmt *s;
	int ret = SQLITE_DONE;

	while (*rest && ret != SQLITE_ROW) {
		query = rest;
		if (sql_prepare(db, query, &s, &rest) != SQLITE_OK)
			return report_query(db, query, err);
		if (!s)
			continue;
		ret = run(s, ctx);
		if (ret != SQLITE_DONE && ret != SQLITE_ROW) {
			report_query(db, query, err);
			sqlite3_finalize(s);
			return -1;
		}
		sqlite3_finalize(s);
	}
	return 0;
}

static int run_query(struct sql_db *db, const char *query, statement_fn run, const void *ctx,
		     struct ftr_error *err)
{
	int ret;

	sql_start_query(db);
	ret = run_all(db, query, run, ctx, err);
	sql_end_query(db);
	return ret;
}

int sql_run(struct sql_db *db, const char *query, const struct sql_output *o,
	    struct ftr_error *err)
{
	return run_query(db, query, print_statement, o, err);
}

int sql_read(struct sql_db *db, const char *query, const struct sql_reader *r,
	     struct ftr_error *err)
{
	return run_query(db, query, read_statement, r, err);
}
