/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: the symbol that contains an address. The table has no list of all symbols: it is asked
 * for one address at a time, WHERE address = N, or as symbol(N).
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sql/sql_table.h"

enum symbol_column { SYMBOL_NAME, SYMBOL_MODULE, SYMBOL_OFFSET, SYMBOL_SIZE, SYMBOL_ADDRESS };

static const struct sql_column symbol_columns[] = {
	{ "name", SQL_TEXT, "name of the symbol", 0 },
	{ "module", SQL_TEXT, "its module; NULL: the kernel itself", 0 },
	{ "offset", SQL_INTEGER, "address minus the start of the symbol", SQL_UNIT(UNIT_BYTES) },
	{ "size", SQL_INTEGER, "bytes up to the next symbol; NULL: unknown", SQL_UNIT(UNIT_BYTES) },
	{ "address", SQL_INTEGER, "the address that is looked for", SQL_ARGUMENT },
};

struct symbol_scan {
	struct sql_db *db;
	bool has_row;
	uint64_t address, offset, size;
	const char *name, *module;	/* borrowed, with their lengths */
	size_t name_len, module_len;
};

static void *open_symbols(struct sql_db *db, const struct sql_table *t)
{
	struct symbol_scan *s = xcalloc(1, sizeof(*s));

	(void)t;
	s->db = db;
	return s;
}

static void find_symbol(struct symbol_scan *s)
{
	struct ev_syms *syms;

	s->name = NULL;
	for (size_t i = 0; i < s->db->n && !s->name; i++) {
		syms = s->db->traces[i]->meta.syms;
		if (!syms)
			continue;
		s->name = ev_syms_find(syms, s->address, &s->name_len, &s->module, &s->module_len,
				       &s->offset);
		s->size = ev_syms_size(syms, s->address);
	}
}

static int begin_symbols(void *scan, const struct sql_conditions *c)
{
	struct symbol_scan *s = scan;

	s->has_row = false;
	if (!c->n) {
		sqlite3_free(c->vtab->zErrMsg);
		c->vtab->zErrMsg = sqlite3_mprintf("symbol: it needs an address: symbol(N), or "
						   "WHERE address = N");
		return SQLITE_ERROR;
	}
	if (sqlite3_value_type(c->v[0].value) != SQLITE_INTEGER)
		return SQLITE_OK;
	s->address = sqlite3_value_int64(c->v[0].value);
	find_symbol(s);
	s->has_row = s->name;
	return SQLITE_OK;
}

static bool next_symbol(void *scan)
{
	struct symbol_scan *s = scan;
	bool has_row = s->has_row;

	s->has_row = false;
	return has_row;
}

static void symbol_column(void *scan, int column, sqlite3_context *out)
{
	const struct symbol_scan *s = scan;

	switch (column) {
	case SYMBOL_NAME:
		sqlite3_result_text(out, s->name, s->name_len, SQLITE_TRANSIENT);
		break;
	case SYMBOL_MODULE:
		if (s->module)
			sqlite3_result_text(out, s->module, s->module_len, SQLITE_TRANSIENT);
		break;
	case SYMBOL_OFFSET:
		sqlite3_result_int64(out, (int64_t)s->offset);
		break;
	case SYMBOL_SIZE:
		if (s->size)
			sqlite3_result_int64(out, (int64_t)s->size);
		break;
	case SYMBOL_ADDRESS:
		sqlite3_result_int64(out, (int64_t)s->address);
		break;
	}
}

static double symbol_rows(struct sql_db *db, const struct sql_table *t)
{
	(void)db;
	(void)t;
	return 1;
}

static const struct sql_table_ops symbol_ops = {
	.open = open_symbols, .begin = begin_symbols, .next = next_symbol,
	.column = symbol_column, .close = free, .rows = symbol_rows,
};

int sql_add_symbols(struct sql_db *db, struct ftr_error *err)
{
	return sql_add_table(db, sql_table_new("symbol", "the symbol of an address", symbol_columns,
					       sizeof(symbol_columns) / sizeof(*symbol_columns),
					       &symbol_ops, NULL), err);
}
