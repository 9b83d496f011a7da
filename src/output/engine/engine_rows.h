/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows for engines that a site already runs, ClickHouse, DuckDB, Spark: one table of types, the
 * bytes of values in each format, and the rows of one event.
 */
#ifndef FTR_OUTPUT_ENGINE_ENGINE_ROWS_H
#define FTR_OUTPUT_ENGINE_ENGINE_ROWS_H

#include "output/pipeline.h"

/* --- engine_types.c: columns, and their types in the words of each engine */

enum engine_type {
	ENGINE_I8, ENGINE_I16, ENGINE_I32, ENGINE_I64,
	ENGINE_U8, ENGINE_U16, ENGINE_U32, ENGINE_U64,
	ENGINE_STAMP,			/* ENGINE_U64 that grows from row to row: a time stamp */
	ENGINE_F64, ENGINE_STRING,
	ENGINE_WORD,			/* a string with few different values */
	ENGINE_TIME,			/* nanoseconds since 1970, UTC */
};

struct engine_column {
	char *name;			/* valid UTF-8 */
	enum engine_type type;
	bool is_nullable;
	bool is_array;			/* never nullable */
};

struct engine_columns {
	struct engine_column *v;
	size_t n, cap;
};

/* Appends a column, whose name is made valid UTF-8. */
struct engine_column *engine_columns_add(struct engine_columns *c, const char *name,
					 enum engine_type type);
void engine_columns_release(struct engine_columns *c);

/* Returns the type of whole numbers of @size bytes: 1, 2, 4 or 8. */
enum engine_type engine_integer(uint32_t size, bool is_signed);
/* Returns the bytes of a number of this type in RowBinary; 0: it is a string. */
uint32_t engine_type_size(enum engine_type type);

/* Appends the types of ClickHouse, each with its length, as RowBinary has them after the names. */
void engine_add_types(const struct engine_columns *c, struct buf *out);

struct engine_dialect;

/* The names of all dialects, NULL-terminated: "clickhouse", "duckdb", "spark". */
extern const char *const engine_dialect_names[];
/* Returns the dialect with this index of engine_dialect_names. */
const struct engine_dialect *engine_dialect(size_t i);
/* Appends CREATE TABLE in the dialect. */
void engine_add_schema(const struct engine_dialect *d, const char *table,
		       const struct engine_columns *c, struct buf *out);

/* --- engine_values.c: formats, and values as their bytes */

enum engine_format {
	ENGINE_ROWBINARY,		/* ClickHouse's RowBinaryWithNamesAndTypes */
	ENGINE_JSONL,			/* a JSON object on each line */
	ENGINE_CSV,			/* RFC 4180 with newlines alone; NULL is an empty cell */
};

/* Returns the format of this name, "rowbinary", "jsonl" or "csv", or -1. */
int engine_format_find(const char *name);
/* Appends the start of the output: names and types of the columns, as far as the format has it. */
void engine_add_header(enum engine_format f, const struct engine_columns *c, struct buf *out);
/* Appends the bytes before value @i of a row: its key, a comma. */
void engine_add_key(enum engine_format f, const struct engine_columns *c, size_t i,
		    struct buf *out);
/* Appends the bytes after the last value of a row. */
void engine_add_row_end(enum engine_format f, struct buf *out);

/*
 * Append a value of a column that is not nullable. For a nullable one call engine_add_there()
 * before it, or engine_add_null() instead. A signed number comes sign-extended.
 * engine_add_time() is for times.
 */
void engine_add_number(enum engine_format f, enum engine_type type, uint64_t v, struct buf *out);
void engine_add_real(enum engine_format f, double v, struct buf *out);
/* Bytes that are no UTF-8 become U+00XX, as in JSON lines. */
void engine_add_string(enum engine_format f, const char *s, size_t len, struct buf *out);
void engine_add_null(enum engine_format f, struct buf *out);
void engine_add_there(enum engine_format f, struct buf *out);
/* Appends the number of elements of an array, or what is before, between and after them. */
void engine_add_array(enum engine_format f, size_t n, struct buf *out);
void engine_add_array_comma(enum engine_format f, struct buf *out);
void engine_add_array_end(enum engine_format f, struct buf *out);
/* Appends an unsigned LEB128, as RowBinary has it for lengths. */
void engine_add_varint(struct buf *out, uint64_t v);

/* The text of a second, which mostly is that of the next time, too. Zeroed at first. */
struct engine_second {
	uint64_t after;			/* the second after it; 0: none */
	char text[32];
};
/* Appends @ns since 1970, as text "2026-11-28 09:07:17.971275541". */
void engine_add_time(enum engine_format f, struct engine_second *s, uint64_t ns, struct buf *out);

/* --- event_rows.c: the records of one event as rows */

struct event_table;

/*
 * Makes the table of the event @name: "kmalloc", "kmem:kmalloc", or "kmem__kmalloc" as in SQL.
 * Returns NULL without @err if no file has the event, and with @err if two systems have it, or if
 * its format cannot be parsed. event_table_free() frees it; it accepts NULL.
 */
struct event_table *event_table_new(struct trace *const *traces, size_t n, const char *name,
				    struct ftr_error *err);
void event_table_free(struct event_table *t);
const struct engine_columns *event_table_columns(const struct event_table *t);
/* Returns a name for CREATE TABLE, borrowed. */
const char *event_table_name(const struct event_table *t);
/* Returns the path of the first file without a time of day, as there is no ts then, or NULL. */
const char *event_table_lacks_time(const struct event_table *t);
/* Returns the sink for records. Set out_opts.table. */
const struct out_ops *event_table_ops(enum engine_format f);

struct event_table_counts {
	uint64_t rows;
	uint64_t cut;		/* records left out, as they are shorter than their fields */
	uint64_t outside;		/* strings and arrays outside of their records: empty */
};
/* Returns the counts of out_render(), borrowed. */
const struct event_table_counts *event_table_counts(const struct event_table *t);

/* --- columns of a file that are the same in each row */

/* Returns the name of the machine of a file, or "" if the file lacks it. The caller frees it. */
char *engine_host(const struct trace *t);
/* Returns the file's trace id as 16 hexadecimal digits, or "". The caller frees it. */
char *engine_trace_id(const struct trace *t);

#endif
