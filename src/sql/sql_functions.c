/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of queries: values as people read them; the table of all functions. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "model/model.h"
#include "sql/sql_table.h"
#include "trace/filter.h"

/* --- values */

static void get_symbol(sqlite3_context *out, int argc, sqlite3_value **argv)
{
	const struct sql_db *db = sql_function_db(out);
	uint64_t addr = sqlite3_value_int64(argv[0]), off;
	size_t len, mod_len;
	const char *name = NULL, *mod;
	struct buf b = {0};

	(void)argc;
	for (size_t i = 0; i < db->n && !name; i++)
		name = db->traces[i]->meta.syms ?
		       ev_syms_find(db->traces[i]->meta.syms, addr, &len, &mod, &mod_len, &off) :
		       NULL;
	if (!name)
		return;
	buf_add(&b, name, len);
	if (off)
		buf_printf(&b, "+0x%" PRIx64, off);
	if (mod)
		buf_printf(&b, " [%.*s]", (int)mod_len, mod);
	sqlite3_result_text(out, b.data, b.len, SQLITE_TRANSIENT);
	buf_release(&b);
}

static void get_duration(sqlite3_context *out, int argc, sqlite3_value **argv)
{
	static const struct {
		double unit;
		const char *name;
	} units[] = { { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" } };
	double v = sqlite3_value_double(argv[0]), size = v < 0 ? -v : v;
	char text[64];

	(void)argc;
	if (sqlite3_value_type(argv[0]) == SQLITE_NULL)
		return;
	snprintf(text, sizeof(text), "%.0f ns", v);
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (size < units[i].unit)
			continue;
		snprintf(text, sizeof(text), "%.3f %s", v / units[i].unit, units[i].name);
		break;
	}
	sqlite3_result_text(out, text, -1, SQLITE_TRANSIENT);
}

static void get_errno(sqlite3_context *out, int argc, sqlite3_value **argv)
{
	int64_t v = sqlite3_value_int64(argv[0]);
	const char *name;

	(void)argc;
	if (v < -4095 || v > 4095)
		return;
	name = strerrorname_np(v < 0 ? -v : v);
	if (name && v)
		sqlite3_result_text(out, name, -1, SQLITE_STATIC);
}

static void get_wall_time(sqlite3_context *out, int argc, sqlite3_value **argv)
{
	const struct sql_db *db = sql_function_db(out);
	uint64_t ns;
	char text[64];
	struct tm tm;
	time_t s;

	(void)argc;
	for (size_t i = 0; i < db->n; i++) {
		if (sqlite3_value_type(argv[0]) == SQLITE_NULL ||
		    !trace_time_of_day(db->traces[i], sqlite3_value_int64(argv[0]), &ns))
			continue;
		s = ns / 1000000000;
		if (!gmtime_r(&s, &tm))
			return;
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm);
		snprintf(text + strlen(text), 16, ".%09u", (unsigned int)(ns % 1000000000));
		sqlite3_result_text(out, text, -1, SQLITE_TRANSIENT);
		return;
	}
}

static void get_syscall(sqlite3_context *out, int argc, sqlite3_value **argv)
{
	const struct sql_db *db = sql_function_db(out);
	const char *name;

	(void)argc;
	if (sqlite3_value_type(argv[0]) == SQLITE_NULL || !db->n)
		return;
	name = model_syscall_of(db->traces[0], sqlite3_value_int64(argv[0]));
	if (name)
		sqlite3_result_text(out, name, -1, SQLITE_STATIC);
}

/* SQLite has [^a-z] alone, and no backslash. */
static void match_glob(sqlite3_context *out, int argc, sqlite3_value **argv)
{
	const char *pattern = (const char *)sqlite3_value_text(argv[0]);
	const char *text = (const char *)sqlite3_value_text(argv[1]);

	(void)argc;
	if (pattern && text)
		sqlite3_result_int(out, glob_match(pattern, sqlite3_value_bytes(argv[0]), text,
						   sqlite3_value_bytes(argv[1]), false));
}

/* --- */

const struct sql_function sql_functions[] = {
	{ "hist", "X, BASE", 1, 2, SQL_TEXT,
	  "a histogram by powers of two, or of BASE, as the tools of bcc print it",
	  .step = sql_add_to_hist, .end = sql_end_hist },
	{ "percentile", "X, P", 2, 2, SQL_INTEGER,
	  "the least value that P percent do not exceed, at most 0.8 % high",
	  .step = sql_add_value, .end = sql_end_percentile },
	{ "stddev", "X", 1, 1, SQL_REAL, "the standard deviation",
	  .step = sql_add_value, .end = sql_end_stddev },
	{ "top", "X, N", 1, 2, SQL_TEXT,
	  "the N (10) most frequent values with their counts, as a JSON object, which json_each() "
	  "makes rows of: {\"read\":12,\"write\":3}; exact up to 10,000 different values, "
	  "with more a count may be too low by 1/10,000 of all rows; a text counts by its first "
	  "256 bytes", .step = sql_add_to_top, .end = sql_end_top },
	{ "dur", "NS", 1, 1, SQL_TEXT, "nanoseconds as people read them: \"1.234 ms\"",
	  .value = get_duration },
	{ "sym", "ADDRESS", 1, 1, SQL_TEXT, "the symbol of an address: \"vfs_read+0x12\"",
	  .value = get_symbol, .is_of_files = true },
	{ "stack", "ID", 1, 1, SQL_TEXT,
	  "the functions of a stack, the outermost first: \"ksys_read;vfs_read\"; ID is a value of "
	  "a column stack", .value = sql_get_stack, .is_of_files = true },
	{ "stack_json", "ID", 1, 1, SQL_TEXT,
	  "the same as a JSON array, the innermost first, of objects with the members address, "
	  "name, offset (in bytes) and module, or file for user space",
	  .value = sql_get_stack_json, .is_of_files = true },
	{ "syscall_name", "NR", 1, 1, SQL_TEXT,
	  "the system call with this number on the architecture of the first file: \"read\"",
	  .value = get_syscall, .is_of_files = true },
	{ "errno_name", "N", 1, 1, SQL_TEXT, "\"ENOENT\" for 2 and -2",
	  .value = get_errno },
	{ "walltime", "TS", 1, 1, SQL_TEXT, "the time of day in UTC, if a file has it",
	  .value = get_wall_time, .is_of_files = true },
	{ "glob", "PATTERN, TEXT", 2, 2, SQL_INTEGER,
	  "1 if the pattern matches, as in the options of ftr: * ? [a-z] [!a-z] and \\ before a "
	  "character; TEXT GLOB PATTERN is the same",
	  .value = match_glob },
};
const size_t sql_nr_functions = sizeof(sql_functions) / sizeof(*sql_functions);

void sql_add_usage(const struct sql_function *f, struct buf *out)
{
	const char *p = f->args, *comma;

	buf_printf(out, "%s(", f->name);
	for (int i = 0; *p; i++) {
		comma = strchr(p, ',');
		buf_printf(out, "%s%s%.*s", i >= f->min_args ? "[" : "", i ? ", " : "",
			   (int)(comma ? comma - p : (ptrdiff_t)strlen(p)), p);
		p = comma ? comma + 2 : "";
	}
	for (int i = f->min_args; i < f->max_args; i++)
		buf_addch(out, ']');
	buf_addch(out, ')');
}

/* Calls of a value, a step or an end go by way of the host, if it guards them. */
static int create_function(struct sql_db *db, struct sql_function_data *data, int nr_args)
{
	const struct sql_function *f = data->function;
	const struct sql_host *h = db->host;
	int flags = SQLITE_UTF8 | SQLITE_INNOCUOUS;

	if (!f->is_of_files)
		flags |= SQLITE_DETERMINISTIC;
	if (h->get)
		h->get(db);
	return sqlite3_create_function_v2(db->db, f->name, nr_args, flags, data,
					  f->value && h->value ? h->value : f->value,
					  f->step && h->step ? h->step : f->step,
					  f->end && h->end ? h->end : f->end, h->put_function);
}

int sql_add_functions(struct sql_db *db, struct ftr_error *err)
{
	const struct sql_host *h = db->host;

	db->functions = xcalloc(sql_nr_functions, sizeof(*db->functions));
	for (size_t i = 0; i < sql_nr_functions; i++) {
		const struct sql_function *f = &sql_functions[i];

		db->functions[i] = (struct sql_function_data){ db, f };
		for (int n = f->min_args; n <= f->max_args; n++) {
			if (h->has_function && h->has_function(db, f->name, n))
				continue;
			if (create_function(db, &db->functions[i], n) != SQLITE_OK)
				return err_set(err, FTR_FAILED, "cannot make the function '%s': %s",
					       f->name, sqlite3_errmsg(db->db));
		}
	}
	return 0;
}
