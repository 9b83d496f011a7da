/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libftr_sqlite.so: the tables of ftr sql in any connection of SQLite. The process is not ours: no
 * signal handler, no plugin, nothing on its standard error, and memory that runs out is an error.
 *
 * Each connection has its files, its tables and its functions, and SQLite lets one thread at a time
 * into a connection. Connections share nothing that changes, so that each may have its thread.
 *
 * After an allocation failed, the objects that were used may be half changed. They are neither used
 * nor freed any more: all tables of this connection return SQLITE_NOMEM until it is closed. To free
 * them, each allocation of the reader would have to be known to its connection.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "sql/sql_table.h"

SQLITE_EXTENSION_INIT1

/* It has SQLITE_INNOCUOUS, a list of modules, and sqlite3_create_module_v2() that drops one. */
#define OLDEST_SQLITE 3031000

/* SQLite makes tables with these names when a query names them: no event may come before them. */
static const char *const reserved[] = { "pragma_", "sqlite_", "json" };

struct sql_extension {
	struct sql_host host;		/* first: the database points to it */
	struct sql_db *db;
	struct trace **traces;
	size_t n;
	unsigned int users;		/* functions and modules of the connection, and its init */
	bool is_broken;			/* an allocation has failed */
	size_t cursors;			/* open ones */
	struct strv others;		/* virtual tables of the connection that are not ours */
};

static struct sql_extension *extension_of(const struct sql_db *db)
{
	return (struct sql_extension *)db->host;
}

/*
 * Leaves the function with @failed if an allocation has failed, or does so from here to
 * mem_guard_leave().
 */
#define GUARD(x, g, failed)			\
	do {					\
		if ((x)->is_broken)		\
			return failed;		\
		mem_guard_enter(&(g));		\
		if (setjmp((g).env)) {		\
			(x)->is_broken = true;	\
			return failed;		\
		}				\
	} while (0)

/* --- users */

static void get_extension(struct sql_db *db)
{
	extension_of(db)->users++;
}

static void put_extension(struct sql_extension *x)
{
	if (--x->users || x->is_broken)
		return;
	sql_free(x->db);
	for (size_t i = 0; i < x->n; i++)
		trace_close(x->traces[i]);
	free(x->traces);
	strv_release(&x->others);
	free(x);
}

static void put_table(void *table)
{
	put_extension(extension_of(((struct sql_table *)table)->db));
}

static void put_function(void *data)
{
	put_extension(extension_of(((struct sql_function_data *)data)->db));
}

static void put_open(void *x)
{
	put_extension(x);
}

/* --- functions */

static const struct sql_function *function_of(sqlite3_context *out)
{
	return ((struct sql_function_data *)sqlite3_user_data(out))->function;
}

static struct sql_extension *function_extension(sqlite3_context *out)
{
	return extension_of(((struct sql_function_data *)sqlite3_user_data(out))->db);
}

static void guarded_value(sqlite3_context *out, int argc, sqlite3_value **argv)
{
	struct mem_guard g;

	GUARD(function_extension(out), g, sqlite3_result_error_nomem(out));
	function_of(out)->value(out, argc, argv);
	mem_guard_leave(&g);
}

static void guarded_step(sqlite3_context *out, int argc, sqlite3_value **argv)
{
	struct mem_guard g;

	GUARD(function_extension(out), g, sqlite3_result_error_nomem(out));
	function_of(out)->step(out, argc, argv);
	mem_guard_leave(&g);
}

static void guarded_end(sqlite3_context *out)
{
	struct mem_guard g;

	GUARD(function_extension(out), g, sqlite3_result_error_nomem(out));
	function_of(out)->end(out);
	mem_guard_leave(&g);
}

/* --- tables */

static struct sql_extension *vtab_extension(const sqlite3_vtab *tab)
{
	return extension_of(sql_vtab_db(tab));
}

static int guarded_connect(sqlite3 *conn, void *table, int argc, const char *const *argv,
			   sqlite3_vtab **out, char **why)
{
	struct mem_guard g;
	int ret;

	GUARD(extension_of(((struct sql_table *)table)->db), g, SQLITE_NOMEM);
	ret = sql_module.xConnect(conn, table, argc, argv, out, why);
	mem_guard_leave(&g);
	return ret;
}

static int guarded_plan(sqlite3_vtab *tab, sqlite3_index_info *info)
{
	struct mem_guard g;
	int ret;

	GUARD(vtab_extension(tab), g, SQLITE_NOMEM);
	ret = sql_module.xBestIndex(tab, info);
	mem_guard_leave(&g);
	return ret;
}

static int disconnect(sqlite3_vtab *tab)
{
	return sql_module.xDisconnect(tab);
}

/* The end of all queries is the end of an interrupt, as for SQLite itself. */
static int guarded_open(sqlite3_vtab *tab, sqlite3_vtab_cursor **out)
{
	struct sql_extension *x = vtab_extension(tab);
	struct mem_guard g;
	int ret;

	GUARD(x, g, SQLITE_NOMEM);
	if (!x->cursors)
		x->db->is_interrupted = false;
	ret = sql_module.xOpen(tab, out);
	x->cursors++;
	mem_guard_leave(&g);
	return ret;
}

static int guarded_close(sqlite3_vtab_cursor *cur)
{
	struct sql_extension *x = vtab_extension(cur->pVtab);
	struct mem_guard g;
	int ret;

	if (x->is_broken)
		sql_abandon_scan(cur);
	GUARD(x, g, SQLITE_OK);
	x->cursors--;
	ret = sql_module.xClose(cur);
	mem_guard_leave(&g);
	return ret;
}

/* A new recording over the old one is found here, before the map of the file is read. */
static int check_files(const struct sql_extension *x, sqlite3_vtab *tab)
{
	for (size_t i = 0; i < x->n; i++) {
		if (!dat_is_cut(x->traces[i]->dat))
			continue;
		sqlite3_free(tab->zErrMsg);
		tab->zErrMsg = sqlite3_mprintf("'%s' was cut short after ftr_open(): open it in a "
					       "new connection", x->traces[i]->dat->path);
		return SQLITE_ERROR;
	}
	return SQLITE_OK;
}

static int guarded_filter(sqlite3_vtab_cursor *cur, int number, const char *plan, int argc,
			  sqlite3_value **argv)
{
	struct sql_extension *x = vtab_extension(cur->pVtab);
	struct mem_guard g;
	int ret = check_files(x, cur->pVtab);

	if (ret != SQLITE_OK)
		return ret;
	GUARD(x, g, SQLITE_NOMEM);
	ret = sql_module.xFilter(cur, number, plan, argc, argv);
	mem_guard_leave(&g);
	return ret;
}

static int guarded_next(sqlite3_vtab_cursor *cur)
{
	struct mem_guard g;
	int ret;

	GUARD(vtab_extension(cur->pVtab), g, SQLITE_NOMEM);
	ret = sql_module.xNext(cur);
	mem_guard_leave(&g);
	return ret;
}

static int at_end(sqlite3_vtab_cursor *cur)
{
	return vtab_extension(cur->pVtab)->is_broken || sql_module.xEof(cur);
}

static int guarded_column(sqlite3_vtab_cursor *cur, sqlite3_context *out, int column)
{
	struct mem_guard g;
	int ret;

	GUARD(vtab_extension(cur->pVtab), g, SQLITE_NOMEM);
	ret = sql_module.xColumn(cur, out, column);
	mem_guard_leave(&g);
	return ret;
}

static int get_row(sqlite3_vtab_cursor *cur, sqlite3_int64 *row)
{
	return sql_module.xRowid(cur, row);
}

static const sqlite3_module guarded_module = {
	.iVersion = 1,
	.xConnect = guarded_connect,
	.xBestIndex = guarded_plan,
	.xDisconnect = disconnect,
	.xOpen = guarded_open,
	.xClose = guarded_close,
	.xFilter = guarded_filter,
	.xNext = guarded_next,
	.xEof = at_end,
	.xColumn = guarded_column,
	.xRowid = get_row,
};

/*
 * A scan may read many records before SQLite looks at its flag, which a new statement does at once.
 * sqlite3_is_interrupted() came with SQLite 3.41.
 */
static bool is_interrupted(struct sql_db *db)
{
	sqlite3_stmt *s = NULL;
	int ret = sqlite3_prepare_v2(db->db, "SELECT 1", -1, &s, NULL);

	sqlite3_finalize(s);
	return (ret & 0xff) == SQLITE_INTERRUPT;
}

/* --- what the connection has besides */

static bool conn_has_function(sqlite3 *conn, const char *name, int args)
{
	sqlite3_stmt *s;
	bool has;

	if (sqlite3_prepare_v2(conn, "SELECT 1 FROM pragma_function_list WHERE name = ?1 "
			       "COLLATE NOCASE AND narg IN (?2, -1)", -1, &s, NULL) != SQLITE_OK)
		return false;
	sqlite3_bind_text(s, 1, name, -1, SQLITE_STATIC);
	sqlite3_bind_int(s, 2, args);
	has = sqlite3_step(s) == SQLITE_ROW;
	sqlite3_finalize(s);
	return has;
}

static bool has_function(struct sql_db *db, const char *name, int args)
{
	return conn_has_function(db->db, name, args);
}

/* No statement is open while memory is allocated: it would stay open. */
static void list_others(struct sql_extension *x)
{
	sqlite3_stmt *s;
	char *names = NULL;

	strv_release(&x->others);
	if (sqlite3_prepare_v2(x->db->db, "SELECT group_concat(name, char(10)) FROM "
			       "pragma_module_list", -1, &s, NULL) != SQLITE_OK)
		return;
	if (sqlite3_step(s) == SQLITE_ROW && sqlite3_column_type(s, 0) != SQLITE_NULL)
		names = sqlite3_mprintf("%s", sqlite3_column_text(s, 0));
	sqlite3_finalize(s);
	if (names)
		strv_split(&x->others, names, "\n");
	sqlite3_free(names);
}

static bool has_table(struct sql_db *db, const char *name)
{
	const struct strv *others = &extension_of(db)->others;

	for (size_t i = 0; i < sizeof(reserved) / sizeof(*reserved); i++)
		if (!strncasecmp(name, reserved[i], strlen(reserved[i])))
			return true;
	for (size_t i = 0; i < others->n; i++)
		if (!strcasecmp(others->v[i], name))
			return true;
	return false;
}

/* --- ftr_open(FILE): the number of files that the tables have */

static bool is_open(const struct sql_extension *x, const struct trace *t)
{
	for (size_t i = 0; i < x->n; i++)
		if (x->traces[i]->dat->ino == t->dat->ino && x->traces[i]->dat->dev == t->dat->dev)
			return true;
	return false;
}

/* Makes the tables of the first @n traces. Returns 0, or -1 with @err. */
static int set_tables(struct sql_extension *x, size_t n, struct ftr_error *err)
{
	sql_set_traces(x->db, NULL, 0, NULL);
	list_others(x);
	return sql_set_traces(x->db, x->traces, n, err);
}

static int add_file(struct sql_extension *x, const char *path, struct ftr_error *err)
{
	struct trace *t = trace_open(path, err);

	if (!t && err->code == FTR_FAILED && !err->sys)
		err_hint(err, "'ftr import' makes a trace file of a text");
	if (!t)
		return -1;
	if (is_open(x, t)) {
		trace_close(t);
		return 0;
	}
	if (x->db->is_used) {
		trace_close(t);
		err_set(err, FTR_FAILED, "cannot add '%s': the tables are in use", path);
		return err_hint(err, "open all files before the first query, or take a new "
				"connection");
	}
	x->traces = xrealloc(x->traces, (x->n + 1) * sizeof(*x->traces));
	x->traces[x->n] = t;
	if (!set_tables(x, x->n + 1, err)) {
		x->n++;
		return 0;
	}
	set_tables(x, x->n, NULL);
	trace_close(t);
	return -1;
}

static void report_error(sqlite3_context *out, const struct ftr_error *err)
{
	char *text = sqlite3_mprintf(*err->hint ? "%s\nhint: %s" : "%s", err->msg, err->hint);

	if (text)
		sqlite3_result_error(out, text, -1);
	else
		sqlite3_result_error_nomem(out);
	sqlite3_free(text);
}

static void open_file(sqlite3_context *out, int argc, sqlite3_value **argv)
{
	struct sql_extension *x = sqlite3_user_data(out);
	const char *path = (const char *)sqlite3_value_text(argv[0]);
	struct ftr_error err = {0};
	struct mem_guard g;

	(void)argc;
	if (!path || !*path || !strcmp(path, DAT_INPUT)) {
		sqlite3_result_error(out, "ftr_open() takes the name of a trace file", -1);
		return;
	}
	GUARD(x, g, sqlite3_result_error_nomem(out));
	if (add_file(x, path, &err))
		report_error(out, &err);
	else
		sqlite3_result_int64(out, x->n);
	mem_guard_leave(&g);
}

/* --- */

static int add_functions(struct sql_extension *x, sqlite3 *conn, char **why)
{
	struct ftr_error err = {0};
	struct mem_guard g;

	GUARD(x, g, SQLITE_NOMEM);
	x->db = sql_attach(conn, &x->host);
	if (sql_add_functions(x->db, &err)) {
		*why = sqlite3_mprintf("%s", err.msg);
		mem_guard_leave(&g);
		return SQLITE_ERROR;
	}
	mem_guard_leave(&g);
	x->users++;
	return sqlite3_create_function_v2(conn, "ftr_open", 1, SQLITE_UTF8 | SQLITE_DIRECTONLY, x,
					  open_file, NULL, NULL, put_open);
}

static int start_extension(sqlite3 *conn, char **why)
{
	struct sql_extension *x = calloc(1, sizeof(*x));
	int ret;

	if (!x) {
		*why = sqlite3_mprintf("out of memory");
		return SQLITE_NOMEM;
	}
	x->host = (struct sql_host){
		.module = &guarded_module,
		.value = guarded_value, .step = guarded_step, .end = guarded_end,
		.get = get_extension, .put_table = put_table, .put_function = put_function,
		.is_interrupted = is_interrupted,
		.has_function = has_function, .has_table = has_table,
	};
	x->users = 1;
	ret = add_functions(x, conn, why);
	if (ret == SQLITE_NOMEM)
		*why = sqlite3_mprintf("out of memory");
	put_extension(x);
	return ret;
}

int sqlite3_ftrsqlite_init(sqlite3 *conn, char **why, const sqlite3_api_routines *api);

/* SQLite makes this name of that of the file: "sqlite3_" LETTERS "_init". */
int sqlite3_ftrsqlite_init(sqlite3 *conn, char **why, const sqlite3_api_routines *api)
{
	const sqlite3_api_routines *before = __atomic_load_n(&sqlite3_api, __ATOMIC_ACQUIRE);

	/*
	 * This is SQLITE_EXTENSION_INIT2 for threads that load it at the same time. Two copies of
	 * SQLite in one process have two tables, and all code here uses one.
	 */
	if (!before)
		__atomic_compare_exchange_n(&sqlite3_api, &before, api, false, __ATOMIC_ACQ_REL,
					    __ATOMIC_ACQUIRE);
	if (before && before != api) {
		*why = api->mprintf("ftr: another SQLite library of this process has loaded the "
				    "extension");
		return SQLITE_ERROR;
	}
	if (sqlite3_libversion_number() < OLDEST_SQLITE) {
		*why = sqlite3_mprintf("ftr: SQLite %s is too old, 3.31 is needed",
				       sqlite3_libversion());
		return SQLITE_ERROR;
	}
	if (conn_has_function(conn, "ftr_open", 1))
		return SQLITE_OK;
	return start_extension(conn, why);
}
