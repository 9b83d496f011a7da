/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of queries: distributions as aggregates, and values as people read them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "model/distribution.h"
#include "sql/sql_table.h"

/* --- values */

/* sym(ADDRESS): "vfs_read+0x12"; NULL if no symbol contains it. */
static void get_symbol(sqlite3_context *out, int argc, sqlite3_value **argv)
{
	const struct sql_db *db = ((struct sql_function_data *)sqlite3_user_data(out))->db;
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

/* dur(NANOSECONDS): "1.234 ms". */
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

/* errno_name(NUMBER): "ENOENT" for 2 and for -2. */
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

/* walltime(TS): the time of day in UTC by the first file that has it; else NULL. */
static void get_wall_time(sqlite3_context *out, int argc, sqlite3_value **argv)
{
	const struct sql_db *db = ((struct sql_function_data *)sqlite3_user_data(out))->db;
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

/* --- distributions: numbers below 0 count as 0 */

struct dist_state {
	struct value_dist *dist;
	double percent;
};

static struct dist_state *dist_of(sqlite3_context *ctx)
{
	struct dist_state *s = sqlite3_aggregate_context(ctx, sizeof(*s));

	if (!s) {
		sqlite3_result_error_nomem(ctx);
		return NULL;
	}
	if (!s->dist)
		s->dist = xcalloc(1, sizeof(*s->dist));
	return s;
}

static void add_value(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	struct dist_state *s;
	int64_t v;

	if (sqlite3_value_numeric_type(argv[0]) != SQLITE_INTEGER &&
	    sqlite3_value_numeric_type(argv[0]) != SQLITE_FLOAT)
		return;
	s = dist_of(ctx);
	if (!s)
		return;
	v = sqlite3_value_int64(argv[0]);
	dist_add_bucket(s->dist, v < 0 ? 0 : v);
	if (argc > 1)
		s->percent = sqlite3_value_double(argv[1]);
}

static struct dist_state *end_dist(sqlite3_context *ctx)
{
	struct dist_state *s = sqlite3_aggregate_context(ctx, 0);

	return s && s->dist ? s : NULL;
}

static void free_dist(struct dist_state *s)
{
	dist_release(s->dist);
	free(s->dist);
	s->dist = NULL;
}

/* percentile(X, P): the least value that P percent do not exceed, at most 0.8 % high. */
static void end_percentile(sqlite3_context *ctx)
{
	struct dist_state *s = end_dist(ctx);

	if (!s)
		return;
	if (s->percent >= 0 && s->percent <= 100)
		sqlite3_result_int64(ctx, dist_percentile(s->dist, s->percent));
	else
		sqlite3_result_error(ctx, "percentile() takes a percentage from 0 to 100", -1);
	free_dist(s);
}

static void end_stddev(sqlite3_context *ctx)
{
	struct dist_state *s = end_dist(ctx);

	if (!s)
		return;
	sqlite3_result_double(ctx, dist_stddev(s->dist));
	free_dist(s);
}

#define HIST_POWERS 64
#define HIST_STARS  40
static const char stars[] = "****************************************";

struct hist_state {
	uint64_t count[HIST_POWERS + 1];	/* [0]: 0 and 1; [N]: from 2^N to 2^(N+1) - 1 */
};

static void add_to_hist(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	struct hist_state *h;
	int64_t v;

	(void)argc;
	if (sqlite3_value_numeric_type(argv[0]) != SQLITE_INTEGER &&
	    sqlite3_value_numeric_type(argv[0]) != SQLITE_FLOAT)
		return;
	h = sqlite3_aggregate_context(ctx, sizeof(*h));
	if (!h) {
		sqlite3_result_error_nomem(ctx);
		return;
	}
	v = sqlite3_value_int64(argv[0]);
	h->count[v < 2 ? 0 : 63 - __builtin_clzll(v)]++;
}

/* hist(X): a line for each power of two, "1024 -> 2047 : 12 |****|", as bcc's tools print them. */
static void end_hist(sqlite3_context *ctx)
{
	const struct hist_state *h = sqlite3_aggregate_context(ctx, 0);
	unsigned int first = HIST_POWERS, last = 0;
	struct buf b = {0};
	uint64_t most = 0;

	for (unsigned int i = 0; h && i < HIST_POWERS; i++) {
		if (!h->count[i])
			continue;
		first = i < first ? i : first;
		last = i;
		most = h->count[i] > most ? h->count[i] : most;
	}
	if (!most)
		return;
	for (unsigned int i = first; i <= last; i++) {
		int n = h->count[i] * HIST_STARS / most;

		buf_printf(&b, "%s%20" PRIu64 " -> %-20" PRIu64 " : %-8" PRIu64 " |%.*s%*s|",
			   i > first ? "\n" : "", i ? (uint64_t)1 << i : 0,
			   ((uint64_t)2 << i) - 1, h->count[i], n, stars, HIST_STARS - n, "");
	}
	sqlite3_result_text(ctx, b.data, b.len, SQLITE_TRANSIENT);
	buf_release(&b);
}

/* --- */

#define FUNCTION_FLAGS (SQLITE_UTF8 | SQLITE_INNOCUOUS)
/* The value depends on the arguments alone, not on the files. */
#define FUNCTION_CONSTANT (FUNCTION_FLAGS | SQLITE_DETERMINISTIC)

static const struct sql_function list[] = {
	{ "sym", 1, FUNCTION_FLAGS, get_symbol, NULL, NULL },
	{ "dur", 1, FUNCTION_CONSTANT, get_duration, NULL, NULL },
	{ "errno_name", 1, FUNCTION_CONSTANT, get_errno, NULL, NULL },
	{ "walltime", 1, FUNCTION_FLAGS, get_wall_time, NULL, NULL },
	{ "percentile", 2, FUNCTION_CONSTANT, NULL, add_value, end_percentile },
	{ "stddev", 1, FUNCTION_CONSTANT, NULL, add_value, end_stddev },
	{ "hist", 1, FUNCTION_CONSTANT, NULL, add_to_hist, end_hist },
};

/* Calls of a value, a step or an end go by way of the host, if it guards them. */
static int create_function(struct sql_db *db, struct sql_function_data *data)
{
	const struct sql_function *f = data->function;
	const struct sql_host *h = db->host;

	if (h->get)
		h->get(db);
	return sqlite3_create_function_v2(db->db, f->name, f->args, f->flags, data,
					  f->value && h->value ? h->value : f->value,
					  f->step && h->step ? h->step : f->step,
					  f->end && h->end ? h->end : f->end, h->put_function);
}

int sql_add_functions(struct sql_db *db, struct ftr_error *err)
{
	db->functions = xcalloc(sizeof(list) / sizeof(*list), sizeof(*db->functions));
	for (size_t i = 0; i < sizeof(list) / sizeof(*list); i++) {
		db->functions[i] = (struct sql_function_data){ db, &list[i] };
		if (db->host->has_function &&
		    db->host->has_function(db, list[i].name, list[i].args))
			continue;
		if (create_function(db, &db->functions[i]) != SQLITE_OK)
			return err_set(err, FTR_FAILED, "cannot make the function '%s': %s",
				       list[i].name, sqlite3_errmsg(db->db));
	}
	return 0;
}
