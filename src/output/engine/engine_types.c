/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The types of columns in the words of each engine. Spark has no unsigned numbers: they get the
 * next larger type.
 */
#include "output/engine/engine_rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "output/json/json_records.h"

enum { CLICKHOUSE, DUCKDB, SPARK, DIALECTS };

static const struct type_row {
	uint32_t size;
	const char *names[DIALECTS];
	const char *codec;		/* of ClickHouse, or NULL */
} types[] = {
	[ENGINE_I8] = { 1, { "Int8", "TINYINT", "TINYINT" }, NULL },
	[ENGINE_I16] = { 2, { "Int16", "SMALLINT", "SMALLINT" }, NULL },
	[ENGINE_I32] = { 4, { "Int32", "INTEGER", "INT" }, NULL },
	[ENGINE_I64] = { 8, { "Int64", "BIGINT", "BIGINT" }, "ZSTD(3)" },
	[ENGINE_U8] = { 1, { "UInt8", "UTINYINT", "SMALLINT" }, NULL },
	[ENGINE_U16] = { 2, { "UInt16", "USMALLINT", "INT" }, NULL },
	[ENGINE_U32] = { 4, { "UInt32", "UINTEGER", "BIGINT" }, NULL },
	[ENGINE_U64] = { 8, { "UInt64", "UBIGINT", "DECIMAL(20,0)" }, "ZSTD(3)" },
	[ENGINE_STAMP] = { 8, { "UInt64", "UBIGINT", "DECIMAL(20,0)" }, "DoubleDelta, ZSTD(3)" },
	[ENGINE_F64] = { 8, { "Float64", "DOUBLE", "DOUBLE" }, NULL },
	[ENGINE_STRING] = { 0, { "String", "VARCHAR", "STRING" }, NULL },
	[ENGINE_WORD] = { 0, { "LowCardinality(String)", "VARCHAR", "STRING" }, NULL },
	[ENGINE_TIME] = { 8, { "DateTime64(9, 'UTC')", "TIMESTAMP_NS", "TIMESTAMP" },
			  "DoubleDelta, ZSTD(3)" },
};

struct engine_dialect {
	char quote;			/* of names */
	bool has_backslash;		/* which escapes in names */
	const char *nullable, *array;	/* as formats */
	const char *not_null;		/* after the type of a column without NULL */
};

static const struct engine_dialect dialects[DIALECTS] = {
	[CLICKHOUSE] = { '`', true, "Nullable(%s)", "Array(%s)", "" },
	[DUCKDB] = { '"', false, "%s", "%s[]", " NOT NULL" },
	[SPARK] = { '`', false, "%s", "ARRAY<%s>", " NOT NULL" },
};

const char *const engine_dialect_names[] = { "clickhouse", "duckdb", "spark", NULL };

const struct engine_dialect *engine_dialect(size_t i)
{
	return &dialects[i];
}

struct engine_column *engine_columns_add(struct engine_columns *c, const char *name,
					 enum engine_type type)
{
	struct buf b = {0};

	json_add_utf8(&b, name, strlen(name));
	buf_addstr(&b, "");
	c->v = xgrow(c->v, &c->cap, c->n + 1, sizeof(*c->v));
	c->v[c->n] = (struct engine_column){ .name = buf_take(&b), .type = type };
	return &c->v[c->n++];
}

void engine_columns_release(struct engine_columns *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->v[i].name);
	free(c->v);
	*c = (struct engine_columns){0};
}

enum engine_type engine_integer(uint32_t size, bool is_signed)
{
	enum engine_type first = is_signed ? ENGINE_I8 : ENGINE_U8;

	return first + (unsigned int)__builtin_ctz(size);
}

uint32_t engine_type_size(enum engine_type type)
{
	return types[type].size;
}

static void dialect_add_type(const struct engine_dialect *d, const struct engine_column *c,
			     struct buf *out)
{
	const char *name = types[c->type].names[d - dialects];

	if (c->is_array)
		buf_printf(out, d->array, name);
	else if (c->is_nullable)
		buf_printf(out, d->nullable, name);
	else
		buf_addstr(out, name);
}

void engine_add_types(const struct engine_columns *c, struct buf *out)
{
	struct buf type = {0};

	for (size_t i = 0; i < c->n; i++) {
		buf_reset(&type);
		dialect_add_type(&dialects[CLICKHOUSE], &c->v[i], &type);
		engine_add_varint(out, type.len);
		buf_add(out, type.data, type.len);
	}
	buf_release(&type);
}

static void dialect_add_name(const struct engine_dialect *d, const char *name, struct buf *out)
{
	buf_addch(out, d->quote);
	for (; *name; name++) {
		if (*name == d->quote)
			buf_addch(out, d->quote);
		if (*name == '\\' && d->has_backslash)
			buf_addch(out, '\\');
		buf_addch(out, *name);
	}
	buf_addch(out, d->quote);
}

static const struct engine_column *columns_find(const struct engine_columns *c, const char *name)
{
	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(c->v[i].name, name))
			return &c->v[i];
	return NULL;
}

/* Appends the key: rows of a host by time, which makes differences of times small. */
static void dialect_add_order(const struct engine_columns *c, struct buf *out)
{
	const char *time = columns_find(c, "ts") ? "ts" : "trace_ts";
	const struct engine_column *ts = columns_find(c, time);

	if (!ts || ts->is_nullable || !columns_find(c, "host"))
		buf_addstr(out, "\nENGINE = MergeTree\nORDER BY tuple()");
	else
		buf_printf(out, "\nENGINE = MergeTree\nORDER BY (host, trace_id, %s)", time);
}

void engine_add_schema(const struct engine_dialect *d, const char *table,
		       const struct engine_columns *c, struct buf *out)
{
	buf_addstr(out, "CREATE TABLE ");
	dialect_add_name(d, table, out);
	buf_addstr(out, " (\n");
	for (size_t i = 0; i < c->n; i++) {
		const struct engine_column *v = &c->v[i];

		buf_addch(out, '\t');
		dialect_add_name(d, v->name, out);
		buf_addch(out, ' ');
		dialect_add_type(d, v, out);
		buf_addstr(out, v->is_nullable ? "" : d->not_null);
		if (d == &dialects[CLICKHOUSE] && types[v->type].codec)
			buf_printf(out, " CODEC(%s)", types[v->type].codec);
		buf_addstr(out, i + 1 < c->n ? ",\n" : "\n");
	}
	buf_addch(out, ')');
	if (d == &dialects[CLICKHOUSE])
		dialect_add_order(c, out);
	else if (d == &dialects[SPARK])
		buf_addstr(out, "\nUSING parquet");
	buf_addstr(out, ";\n");
}
