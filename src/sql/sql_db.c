/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens the database, and knows its tables. */
#include "sql/sql_db.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "sql/sql_table.h"

void sql_prepare_table(struct sql_table *t)
{
	if (t->prepare)
		t->prepare(t);
}

struct sql_table *sql_table_new(const char *name, const char *about,
				const struct sql_column *columns, size_t nr_columns,
				const struct sql_table_ops *ops, void *data)
{
	struct sql_table *t = xcalloc(1, sizeof(*t));

	*t = (struct sql_table){
		.name = xstrdup(name), .about = about, .columns = columns,
		.nr_columns = nr_columns, .ops = ops, .data = data, .ts = -1, .key = -1,
	};
	for (size_t i = 0; i < nr_columns; i++) {
		if (t->ts < 0 && !strcmp(columns[i].name, "ts"))
			t->ts = i;
		if (t->key < 0 && !strcmp(columns[i].name, "utid"))
			t->key = i;
	}
	return t;
}

static void free_table(struct sql_table *t)
{
	if (t->release)
		t->release(t);
	free(t->name);
	free(t);
}

static int create_module(struct sql_db *db, struct sql_table *t)
{
	if (db->host->get)
		db->host->get(db);
	return sqlite3_create_module_v2(db->db, t->name, db->host->module, t, db->host->put_table);
}

/* Columns are declared anew when a query names the table next. */
static void hide_extras(struct sql_db *db, bool hide)
{
	if (db->hides_extras == hide)
		return;
	db->hides_extras = hide;
	for (size_t i = 0; i < db->nr_tables; i++)
		create_module(db, db->tables[i]);
}

int sql_prepare(struct sql_db *db, const char *query, sqlite3_stmt **s, const char **rest)
{
	static const char ambiguous[] = "ambiguous column name: ";
	int ret;

	hide_extras(db, false);
	ret = sqlite3_prepare_v2(db->db, query, -1, s, rest);
	if (ret == SQLITE_OK ||
	    strncmp(sqlite3_errmsg(db->db), ambiguous, sizeof(ambiguous) - 1))
		return ret;
	hide_extras(db, true);
	if (sqlite3_prepare_v2(db->db, query, -1, s, rest) == SQLITE_OK)
		return SQLITE_OK;
	/* the message is that of the first attempt */
	hide_extras(db, false);
	return sqlite3_prepare_v2(db->db, query, -1, s, rest);
}

int sql_add_table(struct sql_db *db, struct sql_table *t, struct ftr_error *err)
{
	t->db = db;
	db->tables = xgrow(db->tables, &db->cap_tables, db->nr_tables + 1, sizeof(*db->tables));
	db->tables[db->nr_tables++] = t;
	if (db->host->has_table && db->host->has_table(db, t->name)) {
		db->nr_tables--;
		err_set(err, FTR_FAILED, "the connection has another virtual table '%s'", t->name);
		free_table(t);
		return -1;
	}
	if (create_module(db, t) == SQLITE_OK)
		return 0;
	return err_set(err, FTR_FAILED, "cannot make the table '%s': %s", t->name,
		       sqlite3_errmsg(db->db));
}

/* Events come last: a table with one of the other names is called system__event. */
static int add_tables(struct sql_db *db, struct ftr_error *err)
{
	return sql_add_files(db, err) || sql_add_threads(db, err) || sql_add_sched(db, err) ||
	       sql_add_slices(db, err) || sql_add_spans(db, err) || sql_add_counters(db, err) ||
	       sql_add_tracks(db, err) || sql_add_symbols(db, err) || sql_add_overlap(db, err) ||
	       sql_add_why(db, err) || sql_add_events(db, err) ? -1 : 0;
}

struct sql_db *sql_attach(sqlite3 *conn, const struct sql_host *host)
{
	struct sql_db *db = xcalloc(1, sizeof(*db));

	db->db = conn;
	db->host = host;
	return db;
}

int sql_set_traces(struct sql_db *db, struct trace *const *traces, size_t n,
		   struct ftr_error *err)
{
	while (db->nr_tables) {
		struct sql_table *t = db->tables[--db->nr_tables];

		sqlite3_create_module_v2(db->db, t->name, NULL, NULL, NULL);
		free_table(t);
	}
	db->traces = traces;
	db->n = n;
	return n ? add_tables(db, err) : 0;
}

static const struct sql_host program = { .module = &sql_module };

struct sql_db *sql_open(struct trace *const *traces, size_t n, const struct sql_options *o,
			struct ftr_error *err)
{
	struct sql_db *db = sql_attach(NULL, &program);

	db->info = o->info;
	/* else jansson opens /dev/urandom for it during a query, which opens nothing */
	json_object_seed((size_t)hash_secret[0] | 1);
	if (sqlite3_open_v2(":memory:", &db->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW |
			    SQLITE_OPEN_NOMUTEX,
			    NULL) != SQLITE_OK) {
		err_set(err, FTR_FAILED, "cannot start SQLite: %s", sqlite3_errmsg(db->db));
		sql_close(db);
		return NULL;
	}
	sqlite3_extended_result_codes(db->db, 1);
	if (sql_set_traces(db, traces, n, err) || sql_add_functions(db, err) ||
	    sql_guard_start(db, o, err)) {
		sql_close(db);
		return NULL;
	}
	return db;
}

uint64_t sql_records_read(const struct sql_db *db)
{
	return db->records;
}

void sql_interrupt(struct sql_db *db)
{
	db->is_interrupted = true;
	sqlite3_interrupt(db->db);
}

void sql_close(struct sql_db *db)
{
	if (!db)
		return;
	sqlite3_close_v2(db->db);
	sql_free(db);
}

void sql_free(struct sql_db *db)
{
	for (size_t i = 0; i < db->nr_tables; i++)
		free_table(db->tables[i]);
	free(db->tables);
	free(db->functions);
	sql_threads_free(db->threads);
	sql_counters_free(db->counters);
	sql_stacks_free(db->stacks);
	for (size_t i = 0; db->hosts && i < db->n; i++)
		free(db->hosts[i]);
	free(db->hosts);
	sql_guard_free(db->guard);
	free(db);
}

/* --- the schema */

static const char *const json_types[] = {
	[SQL_INTEGER] = "integer", [SQL_TEXT] = "text", [SQL_REAL] = "real", [SQL_BLOB] = "blob",
	[SQL_ANY] = "any",
};

static json_t *column_object(const struct sql_db *db, const struct sql_column *c)
{
	json_t *o = json_pack("{s:o, s:s}", "name", json_text_of(c->name), "type",
			      json_types[c->type]);
	const char *unit = unit_name(SQL_UNIT_OF(c), db->n && db->traces[0]->clock_is_ns);

	if (c->about)
		json_object_set_new(o, "about", json_text_of(c->about));
	if (unit)
		json_object_set_new(o, "unit", json_string(unit));
	if (c->flags & SQL_HIDDEN)
		json_object_set_new(o, "hidden", json_true());
	if (sql_is_argument(c))
		json_object_set_new(o, "argument", json_true());
	return o;
}

static json_t *function_list(void)
{
	json_t *list = json_array();
	struct buf usage = {0};

	for (size_t i = 0; i < sql_nr_functions; i++) {
		const struct sql_function *f = &sql_functions[i];

		sql_add_usage(f, &usage);
		json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:i, s:i, s:s, s:s}",
			"name", f->name, "usage", usage.data,
			"kind", f->value ? "scalar" : "aggregate",
			"min_arguments", f->min_args, "max_arguments", f->max_args,
			"type", json_types[f->type], "about", f->about));
		buf_reset(&usage);
	}
	buf_release(&usage);
	return list;
}

json_t *sql_schema(const struct sql_db *db)
{
	json_t *tables = json_array(), *columns;

	for (size_t i = 0; i < db->nr_tables; i++) {
		const struct sql_table *t = db->tables[i];

		sql_prepare_table(db->tables[i]);
		columns = json_array();
		for (size_t k = 0; k < t->nr_columns; k++)
			json_array_append_new(columns, column_object(db, &t->columns[k]));
		json_array_append_new(tables, json_pack("{s:o, s:s, s:b, s:o}",
			"name", json_text_of(t->name), "about", t->about, "event", t->is_event,
			"columns", columns));
	}
	return json_pack("{s:o, s:o}", "tables", tables, "functions", function_list());
}

static bool add_functions(const char *name, const char *before, struct buf *out)
{
	bool found = false;

	for (size_t i = 0; i < sql_nr_functions; i++) {
		if (name && strcasecmp(sql_functions[i].name, name))
			continue;
		buf_addstr(out, before);
		sql_add_usage(&sql_functions[i], out);
		buf_printf(out, ": %s\n", sql_functions[i].about);
		found = true;
	}
	return found;
}

bool sql_add_schema(const struct sql_db *db, const char *name, struct buf *out)
{
	bool found = false;

	for (size_t i = 0; i < db->nr_tables; i++) {
		const struct sql_table *t = db->tables[i];

		if (name && strcasecmp(t->name, name))
			continue;
		sql_prepare_table(db->tables[i]);
		buf_printf(out, "CREATE TABLE \"%s\"", t->name);
		sql_add_columns(t, out);
		buf_printf(out, ";  -- %s\n", t->about);
		found = true;
	}
	return found | add_functions(name, "-- function ", out);
}

bool sql_has_own_table(const struct sql_db *db, const char *name)
{
	for (size_t i = 0; i < db->nr_tables; i++)
		if (!db->tables[i]->is_event && !strcasecmp(db->tables[i]->name, name))
			return true;
	return false;
}

void sql_add_function_list(struct buf *out)
{
	add_functions(NULL, "", out);
}

void sql_add_tables(const struct sql_db *db, struct buf *out)
{
	for (size_t i = 0; i < db->nr_tables; i++)
		buf_printf(out, "%-32s  %s\n", db->tables[i]->name, db->tables[i]->about);
}

void sql_names(const struct sql_db *db, void (*each)(void *ctx, const char *name), void *ctx)
{
	sqlite3_stmt *s;

	for (size_t i = 0; i < db->nr_tables; i++)
		each(ctx, db->tables[i]->name);
	for (size_t i = 0; i < db->nr_tables; i++) {
		sql_prepare_table(db->tables[i]);
		for (size_t k = 0; k < db->tables[i]->nr_columns; k++)
			each(ctx, db->tables[i]->columns[k].name);
	}
	if (sqlite3_prepare_v2(db->db, "SELECT DISTINCT name FROM pragma_function_list", -1, &s,
			       NULL) != SQLITE_OK)
		return;
	while (sqlite3_step(s) == SQLITE_ROW)
		each(ctx, (const char *)sqlite3_column_text(s, 0));
	sqlite3_finalize(s);
}
