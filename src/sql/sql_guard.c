/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Limits of queries. A query from a stranger can read the trace, compute, and keep temporary tables
 * in memory. It can't write a file, open one, load code or change settings that do.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/now.h"
#include "sql/sql_table.h"

#define QUERY_BYTES_MAX	  1000000
#define QUERY_DEPTH_MAX	  200
#define VALUE_BYTES_MAX	  (256 << 20)
#define STEPS_PER_LOOK	  10000		/* instructions of SQLite between two looks at the clock */

struct sql_guard {
	uint64_t max_ns, until;
	char why[64];
	bool (*look)(void *ctx, uint64_t ts);	/* of sql_options, with ->ctx */
	void *ctx;
};

/* Pragmas that only tell something. */
static const char *const pragmas[] = {
	"table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo",
	"function_list", "module_list", "pragma_list", "collation_list", "database_list",
	"compile_options", "case_sensitive_like",
};

/* Functions that read or write files, or run code, in builds of SQLite that have them. */
static const char *const functions[] = {
	"load_extension", "readfile", "writefile", "edit", "fts3_tokenizer", "writestring",
	"zipfile", "sqlar_compress", "eval",
};

/*
 * Tables of SQLite itself that are allowed. SQLite declares such a table on first use, which the
 * authorizer would take for the CREATE TABLE of a query: they are used before there is one.
 */
static const char *const tables[] = {
	"json_each", "json_tree", "pragma_function_list", "pragma_table_info",
	"pragma_table_xinfo", "pragma_table_list", "pragma_compile_options",
};

static void use_tables(sqlite3 *db)
{
	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
		char query[64];
		sqlite3_stmt *s;

		snprintf(query, sizeof(query), "SELECT 1 FROM %s", tables[i]);
		if (sqlite3_prepare_v2(db, query, -1, &s, NULL) == SQLITE_OK)
			sqlite3_finalize(s);
	}
}

static bool is_listed(const char *const *v, size_t n, const char *name)
{
	for (size_t i = 0; name && i < n; i++)
		if (!strcasecmp(v[i], name))
			return true;
	return false;
}

static int authorise(void *ctx, int action, const char *a, const char *b, const char *base,
		     const char *inner)
{
	bool is_temp = base && !strcmp(base, "temp");

	(void)inner;
	if (((const struct sql_db *)ctx)->is_declaring)
		return SQLITE_OK;
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_RECURSIVE:
	case SQLITE_CREATE_TEMP_TABLE:
	case SQLITE_CREATE_TEMP_VIEW:
	case SQLITE_CREATE_TEMP_INDEX:
	case SQLITE_DROP_TEMP_TABLE:
	case SQLITE_DROP_TEMP_VIEW:
	case SQLITE_DROP_TEMP_INDEX:
	case SQLITE_TRANSACTION:
		return SQLITE_OK;
	case SQLITE_FUNCTION:
		return is_listed(functions, sizeof(functions) / sizeof(*functions), b) ?
		       SQLITE_DENY : SQLITE_OK;
	case SQLITE_PRAGMA:
		return is_listed(pragmas, sizeof(pragmas) / sizeof(*pragmas), a) ? SQLITE_OK
										 : SQLITE_DENY;
	case SQLITE_INSERT:
	case SQLITE_UPDATE:
	case SQLITE_DELETE:
	case SQLITE_REINDEX:
	case SQLITE_ANALYZE:
		/* making a temporary table or view writes its row of sqlite_temp_master */
		return is_temp || (a && !strcmp(a, "sqlite_temp_master")) ? SQLITE_OK : SQLITE_DENY;
	default:
		return SQLITE_DENY;
	}
}

static int look_at_clock(void *ctx)
{
	struct sql_db *db = ctx;
	struct sql_guard *g = db->guard;

	/* Ctrl-C before SQLite has begun is not SQLite's */
	if (db->is_interrupted || (db->host->is_interrupted && db->host->is_interrupted(db)))
		return 1;
	if (g && g->look && g->look(g->ctx, db->ts))
		return 1;
	if (!g || !g->until || now_ns() < g->until)
		return 0;
	snprintf(g->why, sizeof(g->why), "it took longer than %g s", g->max_ns / 1e9);
	return 1;
}

/* KiB that a sort may take before SQLite writes runs of it to a temporary file, and merges them. */
#define SORT_IN_MEMORY "PRAGMA cache_size = -16384"

static void set_limits(sqlite3 *db)
{
	sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, QUERY_BYTES_MAX);
	sqlite3_limit(db, SQLITE_LIMIT_EXPR_DEPTH, QUERY_DEPTH_MAX);
	sqlite3_limit(db, SQLITE_LIMIT_LENGTH, VALUE_BYTES_MAX);
	sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_limit(db, SQLITE_LIMIT_TRIGGER_DEPTH, 1);
}

int sql_guard_start(struct sql_db *db, const struct sql_options *o, struct ftr_error *err)
{
	db->guard = xcalloc(1, sizeof(*db->guard));
	db->guard->max_ns = o->max_ns;
	db->guard->look = o->look;
	db->guard->ctx = o->ctx;
	set_limits(db->db);
	if (o->memory_max)
		sqlite3_hard_heap_limit64(o->memory_max);
	sqlite3_db_config(db->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(db->db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
	use_tables(db->db);
	sqlite3_exec(db->db, SORT_IN_MEMORY, NULL, NULL, NULL);
	sqlite3_progress_handler(db->db, STEPS_PER_LOOK, look_at_clock, db);
	if (sqlite3_set_authorizer(db->db, authorise, db) == SQLITE_OK)
		return 0;
	return err_set(err, FTR_FAILED, "cannot limit queries: %s", sqlite3_errmsg(db->db));
}

void sql_start_query(struct sql_db *db)
{
	db->guard->why[0] = '\0';
	db->guard->until = db->guard->max_ns ? now_ns() + db->guard->max_ns : 0;
}

void sql_end_query(struct sql_db *db)
{
	db->is_interrupted = false;
}

const char *sql_ended_why(const struct sql_db *db)
{
	return db->guard->why[0] ? db->guard->why : NULL;
}

bool sql_is_over(struct sql_db *db)
{
	if (!db->is_interrupted && look_at_clock(db))
		db->is_interrupted = true;
	return db->is_interrupted;
}

void sql_guard_free(struct sql_guard *g)
{
	free(g);
}
