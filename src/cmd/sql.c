/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr sql: answers queries in SQL from trace files, whose records are read as tables. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/term.h"
#include "base/text.h"
#include "cmd/command_parts.h"
#include "cmd/frame/command.h"
#include "cmd/frame/selection.h"
#include "cmd/sql_examples.h"
#include "cmd/sql_shell.h"
#include "sql/sql_result.h"

struct sql_args {
	struct selection select;	/* first: options of files write to it */
	const char *script;		/* -f */
	const struct sql_format *format;
	bool no_header, schema, examples;
	struct sql_options limits;
};

static int set_format(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct sql_args *a = ctx;

	(void)arg;
	(void)err;
	a->format = sql_format_find(o->name);
	return 0;
}

static int set_max_time(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct sql_args *a = ctx;

	(void)o;
	if (!text_duration(arg, &a->limits.max_ns) && a->limits.max_ns)
		return 0;
	err_set(err, FTR_USAGE, "--max-time takes a time, not '%s'", arg);
	return err_hint(err, "write it as 500ms, 10s, 2min");
}

static int set_memory(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct sql_args *a = ctx;

	(void)o;
	if (!text_size(arg, 1 << 20, &a->limits.memory_max) && a->limits.memory_max)
		return 0;
	err_set(err, FTR_USAGE, "--memory-limit takes a size, not '%s'", arg);
	return err_hint(err, "write it as 100M or 2G");
}

#define AT(member) offsetof(struct sql_args, member)
static const struct opt options[] = {
	OPT_GROUP("Input"),
	SELECT_FILES,
	{ 'f', "file", "FILE", "read the query from FILE", opt_str, AT(script) },
	OPT_GROUP("Output"),
	{ 0, "table", NULL, "print an aligned table (the default)", set_format, 0 },
	{ 0, "csv", NULL, "print CSV", set_format, 0 },
	{ 0, "json", NULL, "print a JSON array of objects", set_format, 0 },
	{ 0, "jsonl", NULL, "print one JSON object on each line", set_format, 0 },
	{ 0, "markdown", NULL, "print a table in Markdown", set_format, 0 },
	{ 0, "no-header", NULL, "leave out the names of columns", opt_flag, AT(no_header) },
	OPT_GROUP("Limits"),
	{ 0, "max-time", "TIME", "end a query that takes longer", set_max_time, 0 },
	{ 0, "memory-limit", "SIZE", "refuse more memory to SQLite", set_memory, 0 },
	OPT_GROUP("Help"),
	{ 0, "schema", NULL, "print the tables of the files; with --json for programs", opt_flag,
	  AT(schema) },
	{ 0, "examples", NULL, "print queries that people ask", opt_flag, AT(examples) },
	OPT_END
};
#undef AT

/* --- */

static struct sql_db *running;

static void interrupt_query(int sig)
{
	(void)sig;
	if (running)
		sql_interrupt(running);
}

static void print_schema(const struct sql_db *db, bool json)
{
	struct buf text = {0};
	json_t *schema;

	term_pager_start();
	if (json) {
		schema = sql_schema(db);
		json_dumpf(schema, stdout, JSON_INDENT(1) | JSON_ENSURE_ASCII);
		putchar('\n');
		json_decref(schema);
		return;
	}
	sql_add_schema(db, NULL, &text);
	fwrite(text.data, 1, text.len, stdout);
	buf_release(&text);
}

/*
 * The words are the query, but for names of files: both "ftr sql QUERY FILE", as other commands
 * have it, and "ftr sql FILE QUERY", as sqlite3 has it.
 */
static int read_query(struct sql_args *a, int argc, char **argv, int first, struct buf *query,
		      struct ftr_error *err)
{
	bool is_quoted = a->script;
	const char *missing = NULL;
	struct stat st;

	if (a->script && io_read_input(a->script, query))
		return err_sys(err, "cannot read '%s'", a->script);
	for (; first < argc; first++) {
		const char *word = argv[first];

		if (!stat(word, &st) && !S_ISDIR(st.st_mode)) {
			strv_add(&a->select.files, word);
			continue;
		}
		buf_printf(query, "%s%s", query->len ? " " : "", word);
		if (strpbrk(word, " \t\n;"))
			is_quoted = true;
		else
			missing = word;
	}
	if (!is_quoted || !missing)
		return 0;
	errno = ENOENT;
	return err_sys(err, "cannot open '%s'", missing);
}

/* --- clocks of several files */

/* These are sched_clock(), kernel/trace/trace_clock.c: the last two only keep CPUs together. */
static const char *const sched_clocks[] = { "local", "global", "perf" };

static const char *clock_of(const struct trace *t)
{
	const char *clock = t->dat->nr_buffers ? t->dat->buffers[0].clock : "";

	for (size_t i = 0; i < sizeof(sched_clocks) / sizeof(*sched_clocks); i++)
		if (!strcmp(clock, sched_clocks[i]))
			return sched_clocks[0];
	return clock;
}

/* Returns true if both have times of one clock, or if a file does not name its clock. */
static bool have_same_clock(const struct trace *a, const struct trace *b)
{
	const char *one = clock_of(a), *other = clock_of(b);

	return !*one || !*other || !strcmp(one, other) || (a->date_only_ns && b->date_only_ns);
}

/*
 * Queries compare times, and tables merge by them. Returns 0, or -1 with @err if two files have no
 * clock in common and no option shifts one of them.
 */
static int check_clocks(const struct selection *s, struct ftr_error *err)
{
	bool is_chosen = s->raw_ts || s->nr_offsets;

	for (size_t i = 1; i < s->nr_traces; i++) {
		const struct trace *a = s->traces[0], *b = s->traces[i];

		if (span_check_clocks_of(a, b, err))
			return -1;
		if (is_chosen || have_same_clock(a, b))
			continue;
		err_set(err, FTR_FAILED, "'%s' and '%s' have no clock in common: '%s' and '%s'",
			a->dat->path, b->dat->path, a->dat->buffers[0].clock,
			b->dat->buffers[0].clock);
		if (a->has_wall && b->has_wall)
			return err_hint(err, "--date takes the time of day of both");
		return err_hint(err, "'-i %s --ts-offset NS' shifts one; 0 takes the times as they "
				"are", b->dat->path);
	}
	return 0;
}

/* --- */

static bool show_progress(void *ctx, uint64_t ts)
{
	progress_show(ctx, ts);
	return false;
}

static struct read_progress progress;
static const struct selection *progress_of;

static void begin_query(void)
{
	progress_start(&progress, progress_of);
}

static void end_query(void)
{
	progress_end(&progress);
}

/* Rows are output, which has its place on the terminal. */
static void start_output(void)
{
	line_end();
	if (isatty(STDOUT_FILENO))
		progress.wanted = false;
	term_pager_start();
}

/* Without a query it is a shell. */
static int start_shell(const struct sql_args *a, struct sql_db *db)
{
	struct sql_shell s = {
		.db = db, .format = a->format, .header = !a->no_header,
		.begin = begin_query, .start = start_output, .end = end_query,
	};

	return sql_shell_run(&s);
}

/* Returns the exit status, or -1 with @err. */
static int answer(struct sql_args *a, const char *query, struct ftr_error *err)
{
	const struct sql_output o = {
		.format = a->format, .header = !a->no_header, .out = stdout,
		.start = start_output,
	};
	struct sigaction on = { .sa_handler = interrupt_query }, old;
	struct sql_db *db;
	int ret = 0;

	if (selection_open(&a->select, err) || (!a->schema && check_clocks(&a->select, err)))
		return -1;
	progress_of = &a->select;
	a->limits.look = show_progress;
	a->limits.ctx = &progress;
	db = sql_open(a->select.traces, a->select.nr_traces, &a->limits, err);
	if (!db)
		return -1;
	running = db;
	sigaction(SIGINT, &on, &old);
	if (a->schema) {
		print_schema(db, a->format == sql_format_find("json"));
	} else if (!query) {
		ret = start_shell(a, db);
	} else {
		begin_query();
		ret = sql_run(db, query, &o, err);
		end_query();
	}
	sigaction(SIGINT, &old, NULL);
	running = NULL;
	sql_close(db);
	return ret;
}

/* --- for ftr export */

struct query_output {
	int fd, failed;		/* ->failed: the errno of the first write that failed, or 0 */
};

/* A write function of fopencookie(), which returns 0 on failure. */
static ssize_t write_rows(void *cookie, const char *p, size_t n)
{
	struct query_output *o = cookie;

	if (!io_write_all(o->fd, p, n))
		return n;
	if (!o->failed)
		o->failed = errno;
	return 0;
}

int sql_export(const struct selection *s, const char *query, const char *format, int fd,
	       struct ftr_error *err)
{
	const cookie_io_functions_t io = { .write = write_rows };
	const struct sql_options limits = { .info = info_object };
	struct query_output to = { .fd = fd };
	struct sql_output o = { .format = sql_format_find(format), .header = true };
	struct sql_db *db;
	int ret;

	if (check_clocks(s, err) || !(db = sql_open(s->traces, s->nr_traces, &limits, err)))
		return -1;
	o.out = fopencookie(&to, "w", io);
	if (!o.out) {
		sql_close(db);
		return err_sys(err, "cannot write the rows");
	}
	ret = sql_run(db, query, &o, err);
	fclose(o.out);
	sql_close(db);
	if (!to.failed)
		return ret;
	errno = to.failed;
	return err_write(err, "cannot write to standard output");
}

/* Writes a table of one file. */
static int export_table(struct trace *t, const char *query, const struct sql_engine *o,
			struct ftr_error *err)
{
	const struct sql_options limits = { .info = info_object };
	struct sql_db *db = sql_open(&t, 1, &limits, err);
	int ret = db ? sql_write_engine(db, query, o, err) : -1;

	sql_close(db);
	return ret;
}

/* Returns SELECT * FROM "TABLE". The caller frees it. */
static char *select_all(const char *table)
{
	struct buf b = {0};

	buf_addstr(&b, "SELECT * FROM \"");
	for (; *table; table++) {
		buf_addch(&b, *table);
		if (*table == '"')
			buf_addch(&b, '"');
	}
	buf_addstr(&b, "\"");
	return buf_take(&b);
}

bool sql_has_table(const struct selection *s, const char *name)
{
	const struct sql_options limits = {0};
	struct ftr_error err = {0};
	struct sql_db *db = sql_open(s->traces, s->nr_traces, &limits, &err);
	bool found = db && sql_has_own_table(db, name);

	sql_close(db);
	return found;
}

int sql_export_engine(const struct selection *s, const struct engine_export *e, int fd,
		      struct ftr_error *err)
{
	const struct sql_options limits = { .info = info_object };
	struct sql_engine o = {
		.format = e->format, .fd = fd, .schema = e->schema,
		.table = e->table ? e->table : "query",
	};
	struct sql_db *db;
	char *query;
	int ret = 0;

	if (e->query) {
		if (check_clocks(s, err) ||
		    !(db = sql_open(s->traces, s->nr_traces, &limits, err)))
			return -1;
		ret = sql_write_engine(db, e->query, &o, err);
		sql_close(db);
		return ret;
	}
	query = select_all(e->table);
	for (size_t i = 0; !ret && i < (e->schema ? 1 : s->nr_traces); i++) {
		o.file = s->traces[i];
		o.no_header = i;
		ret = export_table(s->traces[i], query, &o, err);
	}
	free(query);
	return ret;
}

/* --- */

static int run_sql(const struct cmd *self, int argc, char **argv)
{
	struct sql_args a = { .format = sql_format_find("table"), .limits.info = info_object };
	struct ftr_error err = {0};
	struct buf query = {0};
	int status, damaged, first = cmd_parse(self, argc, argv, &a, &status);

	if (first < 0)
		goto out;
	if (a.examples) {
		term_pager_start();
		sql_print_examples();
		status = FTR_OK;
		goto out;
	}
	status = read_query(&a, argc, argv, first, &query, &err) ? -1 : 0;
	if (!status)
		status = answer(&a, query.data, &err);
	if (status < 0)
		status = cmd_fail(&err);
	damaged = selection_report_damages(&a.select);
	status = status ? status : damaged;
out:
	buf_release(&query);
	selection_release(&a.select);
	return status;
}

static const char *const examples[] = {
	"ftr sql 'SELECT name, count(*) FROM ftrace_event GROUP BY name'",
	"ftr sql --csv 'SELECT ts, dur, comm FROM wakeup ORDER BY dur DESC LIMIT 10'",
	"ftr sql trace.dat                  (a shell, as sqlite3 has it)",
	"ftr sql --schema | less",
	NULL
};

const struct cmd cmd_sql = {
	.name = "sql",
	.usage = "[OPTIONS] [FILE]... [QUERY]",
	.summary = "answer queries in SQL from trace files",
	.examples = examples,
	.options = options,
	.run = run_sql,
};
