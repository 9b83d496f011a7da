/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Queries of the browser: the lines of their rows, written by hand; the limits; times; errors; stopping. */
#include <locale.h>
#include <string.h>
#include <unistd.h>

#include "browse/work/query_work.h"

#include "made.h"
#include "tap.h"

#ifdef WITHOUT_SQLITE
int main(void)
{
	TAP_SKIP("queries of the browser", "built without SQLite");
	return 0;
}
#else

#define RECURSIVE(n) "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < " #n ") "

static char dir[] = "/tmp/ftr-query-XXXXXX";
static struct query_work work;

static void ask(struct trace **t, const char *query, bool stop)
{
	struct background_job job = { .name = "querying", .stop = stop };

	query_work_clear(&work);
	work.traces = t;
	work.nr_traces = 1;
	work.first = UINT64_MAX;
	trace_bounds(*t, &work.first, &work.last);
	work.query = xstrdup(query);
	query_work_run(&job, &work);
}

/* The lines of the answer, with a bar after each. */
static char *lines_of(void)
{
	struct buf all = {0};

	buf_addstr(&all, "");
	for (size_t i = 0; i < work.nr_lines; i++) {
		buf_add(&all, work.text.data + work.lines[i].at, work.lines[i].len);
		buf_addch(&all, '|');
	}
	buf_addstr(&all, "");
	return buf_take(&all);
}

static void test_lines(struct trace **t)
{
	static const struct { const char *name, *query, *lines; size_t rows; } rows[] = {
		{ "numbers are flush right, texts flush left",
		  "SELECT 1 AS a, 'x' AS b, 7 AS long_name UNION ALL SELECT 22, 'yy', 8.5",
		  " a  b   long_name| 1  x           7|22  yy        8.5|", 2 },
		{ "nothing ends a line, and is no text", "SELECT 5 AS n, NULL AS m UNION ALL SELECT NULL, NULL",
		  "n  m|5||", 2 },
		{ "a value of several lines", "SELECT 'a' || char(10) || 'bcd' AS x, 1 AS y, 'e' || char(10) || 'f' AS z",
		  "x    y  z|a    1  e|bcd     f|", 1 },
		{ "a wide letter has two columns", "SELECT '漢' AS a, 1 AS b UNION ALL SELECT 'xyz', 2",
		  "a    b|漢   1|xyz  2|", 2 },
		{ "a long value moves the rest of its line", "SELECT printf('%.70c', 'a') AS a, 'b' AS b",
		  "a                                                             b|"
		  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa  b|", 1 },
		{ "a tab is a blank, control characters are escaped", "SELECT 'a' || char(9) || 'b' || char(27) AS a",
		  "a|a b\\x1b|", 1 },
		{ "a name with a newline", "SELECT 1 AS \"a\nb\"", "a\\x0ab|     1|", 1 },
		{ "no row", "SELECT 1 AS a WHERE 0", "a|", 0 },
		{ "no column", "CREATE TEMP TABLE kept AS SELECT 3 AS n", "", 0 },
		{ "a table of an earlier query", "SELECT n FROM kept", "n|3|", 1 },
		{ "the last statement with rows", "SELECT 1 AS a; SELECT 2 AS b; DROP TABLE kept;", "b|2|", 1 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char *got;

		ask(t, rows[i].query, false);
		got = lines_of();
		if (!TAP_OK(!strcmp(got, rows[i].lines), rows[i].name))
			printf("# %s\n", got);
		TAP_OK(!work.failed && !work.more && work.nr_rows == rows[i].rows, rows[i].name);
		free(got);
	}
}

static void test_times(struct trace **t)
{
	char query[200];
	uint64_t first = UINT64_MAX, last = 0;

	trace_bounds(*t, &first, &last);
	snprintf(query, sizeof(query), "VALUES (%llu), (%llu), (%llu), (%llu), (-1), (NULL), ('%llu')",
		 (unsigned long long)first, (unsigned long long)last, (unsigned long long)first - 1,
		 (unsigned long long)last + 1, (unsigned long long)first);
	for (int named = 0; named < 2; named++) {
		char all[260];

		snprintf(all, sizeof(all), "SELECT column1 AS %s FROM (%s)", named ? "TS" : "tss", query);
		ask(t, all, false);
		TAP_EQ(work.nr_lines, 8, "a line for each row");
		TAP_OK(work.lines[0].ts == UINT64_MAX, "the names have no time");
		TAP_OK(work.lines[1].ts == (named ? first : UINT64_MAX), "the first time");
		TAP_OK(work.lines[2].ts == (named ? last : UINT64_MAX), "the last time");
		for (size_t i = 3; i < work.nr_lines; i++)
			TAP_OK(work.lines[i].ts == UINT64_MAX, "no time of the file");
	}
	ask(t, "SELECT ts FROM ftrace_event ORDER BY ts DESC LIMIT 1", false);
	TAP_OK(work.lines[1].ts == last, "the time of a record is the one of the browser");
}

static void test_limits(struct trace **t)
{
	size_t bytes = 0;

	ask(t, RECURSIVE(10000) "SELECT x FROM c", false);
	TAP_OK(work.nr_rows == 10000 && !work.more, "10,000 rows");
	ask(t, RECURSIVE(10001) "SELECT x FROM c", false);
	TAP_OK(work.nr_rows == 10000 && work.more, "one row more: it is not shown");
	ask(t, RECURSIVE(10001) "SELECT x FROM c; SELECT 1", false);
	TAP_OK(work.nr_rows == 1 && !work.more, "more rows of an earlier statement");
	ask(t, "SELECT zeroblob(20000) AS a UNION ALL SELECT replace(hex(zeroblob(10000)), '0', 'ü')", false);
	TAP_EQ(work.lines[1].len, 2 * 16384 + 3, "a long blob is cut");
	TAP_EQ(work.lines[2].len, 16384 + 3, "a long text is cut");
	ask(t, "SELECT 'a' || replace(hex(zeroblob(10000)), '0', 'ü')", false);
	TAP_EQ(work.lines[1].len, 16383 + 3, "between two characters");
	ask(t, RECURSIVE(10000) "SELECT hex(zeroblob(8000)) FROM c", false);
	for (size_t i = 0; i < work.nr_lines; i++)
		bytes += work.lines[i].len;
	TAP_OK(work.more && work.nr_rows == 1049 && bytes < 17 << 20, "16 MiB of values");
	ask(t, RECURSIVE(1000) "SELECT replace(hex(zeroblob(8000)), '0', char(10)) AS a, 1 AS b FROM c", false);
	TAP_OK(work.more && work.nr_lines == 20000 && work.nr_rows == 2, "20,000 lines");
}

static void test_cells(struct trace **t)
{
	struct buf query = {0};

	buf_addstr(&query, RECURSIVE(10000) "SELECT x");
	for (int i = 1; i < 2000; i++)
		buf_printf(&query, ",'' AS c%d", i);
	buf_addstr(&query, " FROM c");
	ask(t, query.data, false);
	TAP_OK(work.more && work.nr_rows == 255, "512,000 values, names included");
	buf_release(&query);
}

static void test_failures(struct trace **t)
{
	ask(t, "SELECT nix", false);
	TAP_OK(work.failed && !work.stopped && !work.nr_lines, "an error");
	TAP_OK(!!strstr(work.err.msg, "no such column: nix\n"), "its first line");
	ask(t, RECURSIVE(1000000000000) "SELECT count(*) FROM c", true);
	TAP_OK(work.failed && work.stopped, "a query that is stopped");
	TAP_OK(work.nr_lines == 1 && !work.nr_rows, "it has the rows so far");
	ask(t, "SELECT count(*) > 0 AS a FROM ftrace_event", true);
	TAP_OK(work.stopped, "a short scan that is stopped");
	ask(t, "SELECT count(*) > 0 AS a FROM ftrace_event", false);
	TAP_OK(!work.failed && work.nr_rows == 1, "the next query runs");
}

int main(void)
{
	char *path;
	struct ftr_error err = {0};
	struct trace *t = NULL;

	if (!mkdtemp(dir) || !setlocale(LC_CTYPE, "C.UTF-8"))
		return 1;
	path = xasprintf("%s/made.dat", dir);
	if (run("python3 %s/tests/oracle/mkdat.py %s --seed 1 --records 2000 > /dev/null", top(), path))
		t = trace_open(path, &err);
	TAP_OK(!!t, "a file is made");
	if (t) {
		test_lines(&t);
		test_times(&t);
		test_limits(&t);
		test_cells(&t);
		test_failures(&t);
	}
	query_work_release(&work);
	trace_close(t);
	run("rm -rf %s", dir);
	free(path);
	return tap_done();
}
#endif
