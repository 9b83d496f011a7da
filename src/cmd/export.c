/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr export: the records of trace files for other programs. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/text.h"
#include "cmd/command_parts.h"
#include "cmd/flame_source.h"
#include "cmd/frame/command.h"
#include "cmd/frame/command_output.h"
#include "cmd/frame/selection.h"
#include "output/engine/engine_rows.h"
#include "output/json/json_records.h"
#include "output/json/json_schema.h"
#include "output/line_columns.h"
#include "output/perfetto/perfetto.h"

struct export_args;

enum { FROM_RECORDS = 1, FROM_QUERY = 2, FROM_TABLE = 4 };

/* An output format. Records are written by a sink or by a function, rows of a query by ftr sql. */
struct export_format {
	const char *name;
	unsigned int from;		/* FROM_* that it writes */
	bool binary;
	const struct out_ops *ops;
	int (*check)(const struct export_args *e, struct ftr_error *err);
	void (*report)(void);		/* reports records that the format lacks, or NULL */
	int (*write)(struct export_args *e, int fd, struct ftr_error *err);
};

struct export_args {
	struct flame_source of;		/* first: options of spans and records write to it */
	const struct export_format *to;
	const char *output;
	struct out_opts opts;
	const char *fields;
	const char *query;		/* --sql, or NULL */
	const char *table;		/* --table, or NULL */
	bool schema;
	const struct engine_dialect *dialect;	/* of --schema; NULL: none was named */
	struct event_table *event;	/* while its records are written */
};

/* --- the formats */

static int check_perfetto(const struct export_args *e, struct ftr_error *err)
{
	const struct selection *s = &e->of.spans.select;

	return perfetto_check_clocks(s->traces, s->nr_traces, err);
}

static int check_perf(const struct export_args *e, struct ftr_error *err)
{
	const struct selection *s = &e->of.spans.select;

	for (size_t i = 0; i < s->nr_traces; i++)
		if (!s->traces[i]->clock_is_ns)
			return err_set(err, FTR_FAILED, "the clock of '%s' does not count "
				       "nanoseconds, as the times of perf do",
				       s->traces[i]->dat->path);
	return 0;
}

static void warn_perfetto(void)
{
	if (perfetto_left_out())
		cmd_warn("%" PRIu64 " events are left out: Perfetto has no CPUs above %d and no "
			 "times beyond 2^63", perfetto_left_out(), PERFETTO_CPUS - 1);
}

static int write_folded(struct export_args *e, int fd, struct ftr_error *err)
{
	struct folded_stacks *w = folded_new();
	struct buf lines = {0};
	int ret = flame_source_read(&e->of, 0, false, w, err);

	if (!ret) {
		if (e->of.none.len)
			cmd_notice("%s", e->of.none.data);
		folded_sort(w);
		folded_print(w, 1, &lines);
		if (io_write_all(fd, lines.data, lines.len))
			ret = err_write(err, "cannot write to standard output");
	}
	buf_release(&lines);
	folded_free(w);
	return ret;
}

static bool is_record_chosen(void *ctx, const struct trace_rec *r)
{
	return span_is_selected(ctx, r);
}

static bool is_task_chosen(void *ctx, const struct model *m, const struct task *t)
{
	const struct span_args *a = ctx;

	return a->all || span_task_is_selected(a, m, t);
}

/* Writes spans of the chosen kinds, or of all kinds except pairs, and the states of tasks. */
static int write_chrome(struct export_args *e, int fd, struct ftr_error *err)
{
	struct span_args *a = &e->of.spans;
	struct chrome_choice choice = { is_record_chosen, is_task_chosen, a };
	struct model_opts o = { .pairs = &a->pairs, .instance = a->instance, .cpus = true };
	struct chrome_trace *c = chrome_new(fd, &choice);
	struct model *m = NULL;
	int ret = -1;

	if (!span_kinds(a, (1u << SPAN_PAIR) - 1, &o.kinds, err))
		m = model_new(a->select.traces, a->select.nr_traces, &o, chrome_ops(), c, err);
	if (m) {
		chrome_bind(c, m);
		span_read(a, m, chrome_failed(c));
		model_free(m);
		ret = chrome_end(c, err);
	}
	if (!ret && !chrome_nr_events(c) && !selection_report_none(&a->select, false))
		cmd_notice("no calls, other spans or states are in these records: "
			   "'ftr record -e sched -p function_graph' records some");
	chrome_free(c);
	return ret;
}

static const struct export_format formats[] = {
	{ "perfetto", FROM_RECORDS, true, &out_perfetto, check_perfetto, warn_perfetto, NULL },
	{ "json", FROM_RECORDS | FROM_QUERY, false, &out_json, NULL, NULL, NULL },
	{ "csv", FROM_RECORDS | FROM_QUERY | FROM_TABLE, false, NULL, NULL, NULL, NULL },
	{ "folded", FROM_RECORDS, false, NULL, NULL, NULL, write_folded },
	{ "chrome", FROM_RECORDS, false, NULL, NULL, NULL, write_chrome },
	{ "rowbinary", FROM_TABLE | FROM_QUERY, true, NULL, NULL, NULL, NULL },
	{ "jsonl", FROM_TABLE | FROM_QUERY, false, NULL, NULL, NULL, NULL },
	{ "text:perf", FROM_RECORDS, false, &out_perf, check_perf, NULL, NULL },
	{ "markdown", FROM_QUERY, false, NULL, NULL, NULL, NULL },
};
#define NR_FORMATS (sizeof(formats) / sizeof(*formats))

static int set_to(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	const char *words[NR_FORMATS + 1] = {0};
	struct export_args *e = ctx;
	int word;

	for (size_t i = 0; i < NR_FORMATS; i++)
		words[i] = formats[i].name;
	word = opt_word(o, arg, words, err);
	if (word < 0)
		return -1;
	e->to = &formats[word];
	return 0;
}

static int set_schema(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct export_args *e = ctx;
	int word = arg ? opt_word(o, arg, engine_dialect_names, err) : 0;

	if (word < 0)
		return -1;
	e->schema = true;
	e->dialect = arg ? engine_dialect(word) : NULL;
	return 0;
}

#define AT(member) offsetof(struct export_args, member)
static const struct opt options[] = {
	OPT_GROUP("Input"),
	SELECT_FILES,
	OPT_GROUP("Selection"),
	SELECT_RECORDS,
	OPT_GROUP("Output"),
	{ 0, "to", "FORMAT", "write this format: perfetto, json, csv, ..., see the manual",
	  set_to, 0 },
	{ 0, "table", "TABLE", "rowbinary, jsonl, csv: write an event or a table of ftr sql",
	  opt_str, AT(table) },
	{ 0, "sql", "QUERY", "csv, json, jsonl, markdown, rowbinary: rows of a query", opt_str,
	  AT(query) },
	{ 'o', "output", "FILE", "write to FILE instead of standard output", opt_str, AT(output) },
	{ 0, "json-safe", NULL, "json: write numbers beyond 2^53 as strings", opt_flag,
	  AT(opts.json_safe) },
	{ 0, "text", NULL, "json: add the text of each record", opt_flag, AT(opts.json_text) },
	{ 0, "schema", "[ENGINE]", "describe json, or CREATE TABLE: clickhouse, duckdb, spark",
	  set_schema, 0 },
	{ 0, "fields", "LIST", "csv: write these columns, as report --fields takes them",
	  opt_str, AT(fields) },
	{ 0, "raw", NULL, "csv: write all fields as text, and no ' before formulas", opt_flag,
	  AT(opts.raw) },
	SPAN_QUIET_OPT,
	OPT_GROUP("For folded and chrome, what to write"),
	FLAME_SOURCE_OPTS,
	OPT_GROUP("Rendering"),
	{ 'j', "jobs", "N", "json, csv: render in N threads (default: CPUs, at most 8)",
	  selection_set_threads, 0 },
	SELECT_PLUGINS,
	OPT_END
};

static const char *const examples[] = {
	"ftr export --to perfetto -o trace.pftrace",
	"ftr export --to json --event sched a.dat | jq -c .fields",
	"ftr export --to chrome --kind syscall -o calls.json",
	"ftr export --to csv --sql 'SELECT ts, dur, comm FROM wakeup' -o waits.csv",
	NULL
};

/* --- checks */

static bool writes_spans(const struct export_format *f)
{
	return f->write;
}

static bool is_csv(const struct export_format *f)
{
	return !strcmp(f->name, "csv");
}

/* Returns true if the types of columns are written, or are needed for the rows. */
static bool is_typed(const struct export_args *e)
{
	return e->table || (e->query && (e->dialect || !strcmp(e->to->name, "rowbinary") ||
					 (e->schema && engine_format_find(e->to->name) >= 0)));
}

/* Returns -1 with @err for options of records together with a query, and formats of the other. */
static int check_query(const struct export_args *e, struct ftr_error *err)
{
	const struct { bool given; const char *name; } others[] = {
		{ e->schema && !is_typed(e), "--schema" }, { e->fields, "--fields" },
		{ e->opts.raw, "--raw" }, { e->opts.json_text, "--text" },
		{ e->opts.json_safe, "--json-safe" },
		{ e->of.spans.select.range.threads, "-j" },
	};

	if (!e->query && !(e->to->from & FROM_RECORDS)) {
		err_set(err, FTR_USAGE, "'%s' is a format for the rows of a query", e->to->name);
		return err_hint(err, "--sql QUERY asks one%s; --to json and --to csv write records",
				e->to->from & FROM_TABLE ? ", --table EVENT is one" : "");
	}
	if (!e->query)
		return 0;
	if (!(e->to->from & FROM_QUERY)) {
		err_set(err, FTR_USAGE, "'%s' does not export the rows of a query", e->to->name);
		return err_hint(err, "--to csv, json, jsonl, markdown and rowbinary do");
	}
	if (selection_chooses(&e->of.spans.select) || e->of.spans.select.negate) {
		err_set(err, FTR_USAGE, "options that select records do not work with --sql");
		return err_hint(err, "use WHERE in the query: WHERE cpu = 0 AND comm GLOB 'a*'");
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (others[i].given)
			return err_set(err, FTR_USAGE, "%s does not work with --sql",
				       others[i].name);
	return 0;
}

/* Returns -1 with @err for options and formats that do not work with --table. */
static int check_table(const struct export_args *e, struct ftr_error *err)
{
	const struct { bool given; const char *name; } others[] = {
		{ e->query, "--sql" }, { e->fields, "--fields" }, { e->opts.raw, "--raw" },
		{ e->opts.json_text, "--text" }, { e->opts.json_safe, "--json-safe" },
	};

	if (!e->table)
		return 0;
	if (!(e->to->from & FROM_TABLE)) {
		err_set(err, FTR_USAGE, "'%s' does not export a table", e->to->name);
		return err_hint(err, "--to rowbinary, jsonl and csv do");
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (others[i].given)
			return err_set(err, FTR_USAGE, "%s does not work with --table",
				       others[i].name);
	return 0;
}

static int check_schema(const struct export_args *e, struct ftr_error *err)
{
	if (!e->schema || is_typed(e) || (!e->dialect && !strcmp(e->to->name, "json")))
		return 0;
	if (!e->dialect)
		return err_set(err, FTR_USAGE, "--schema works with --to json only");
	err_set(err, FTR_USAGE, "--schema of an engine needs a table");
	return err_hint(err, "--table EVENT, --table TABLE or --sql QUERY name one");
}

static int check_args(struct export_args *e, struct ftr_error *err)
{
	const struct flame_source *s = &e->of;
	bool of_spans = s->spans.kinds.n || s->spans.pairs.n || s->spans.instance,
	     of_stacks = s->stacks || s->weight || s->off_cpu;

	if (!e->to && e->schema)
		set_to(e, NULL, e->table || e->query ? "rowbinary" : "json", err);
	if (!e->to) {
		err_set(err, FTR_USAGE, "no format to export to was given");
		return err_hint(err, "'ftr export --to perfetto -o FILE'; -h lists the formats");
	}
	if ((of_spans && !writes_spans(e->to)) || (of_stacks && strcmp(e->to->name, "folded"))) {
		err_set(err, FTR_USAGE, "'%s' does not export %s", e->to->name,
			of_stacks ? "stacks" : "kinds of spans");
		return err_hint(err, "--to folded%s does", of_stacks ? "" : " and --to chrome");
	}
	if (check_table(e, err) || (!e->table && check_query(e, err)) || check_schema(e, err))
		return -1;
	if ((e->opts.json_safe || e->opts.json_text) && strcmp(e->to->name, "json"))
		return err_set(err, FTR_USAGE, "--json-safe and --text work with --to json only");
	if (e->fields && !is_csv(e->to))
		return err_set(err, FTR_USAGE, "--fields works with --to csv only");
	if (e->opts.raw && !is_csv(e->to))
		return err_set(err, FTR_USAGE, "--raw works with --to csv only");
	if (flame_source_check(s, err))
		return -1;
	if (!e->to->binary || e->schema || (e->output && strcmp(e->output, "-")) ||
	    !isatty(STDOUT_FILENO))
		return 0;
	err_set(err, FTR_USAGE, "'%s' is a binary format, which is not written to a terminal",
		e->to->name);
	return err_hint(err, "'-o FILE' writes it to a file");
}

/* --- records through a sink */

static int write_records(struct export_args *e, int fd, struct ftr_error *err)
{
	struct selection *s = &e->of.spans.select;
	struct out_state out = {
		.traces = s->traces, .nr_traces = s->nr_traces, .fd = fd, .opts = e->opts,
		.ops = e->to->ops,
	};
	struct line_columns *columns = NULL;
	struct read_progress progress;
	struct out_match which;
	int ret;

	if (e->event) {
		out.opts.table = e->event;
		out.ops = event_table_ops(engine_format_find(e->to->name));
	} else if (is_csv(e->to)) {
		columns = columns_parse(e->fields ? e->fields : CSV_COLUMNS, s->traces,
					s->nr_traces, err);
		if (!columns)
			return -1;
		out.opts.columns = columns;
		out.ops = csv_ops(columns);
	}
	selection_match(s, &which);
	progress_watch(&progress, s, &which);
	ret = out_render(&out, &s->range, &which, err);
	progress_end(&progress);
	columns_free(columns);
	/* JSON contains the losses. */
	if (!ret && out.ops != &out_json)
		selection_report_losses(&out.losses);
	if (!ret && !out.shown)
		selection_report_none(s, false);
	return ret;
}

/* --- the records of an event, tables and typed queries for engines */

static void warn_rows(const struct export_args *e)
{
	const struct event_table_counts *c = event_table_counts(e->event);

	if (!c->rows && !selection_chooses(&e->of.spans.select))
		cmd_notice("no record of '%s' is in these files", e->table);
	if (c->cut)
		cmd_warn("%" PRIu64 " records of '%s' are left out: they are shorter than its "
			 "fields", c->cut, e->table);
	if (c->outside)
		cmd_warn("%" PRIu64 " strings and arrays are empty: they are not inside of their "
			 "records", c->outside);
}

static int write_event(struct export_args *e, int fd, struct ftr_error *err)
{
	const char *lacks = event_table_lacks_time(e->event);
	struct buf text = {0};
	int ret;

	if (lacks)
		cmd_notice("'%s' has no time of day: rows have the time of the trace clock alone",
			   lacks);
	if (!e->schema) {
		ret = write_records(e, fd, err);
		if (!ret)
			warn_rows(e);
		return ret;
	}
	engine_add_schema(e->dialect ? e->dialect : engine_dialect(0), event_table_name(e->event),
			  event_table_columns(e->event), &text);
	ret = io_write_all(fd, text.data, text.len) ?
	      err_write(err, "cannot write to standard output") : 0;
	buf_release(&text);
	return ret;
}

/* Writes the table of ftr sql, or else the event of the name, as ftr sql reads a name. */
static int write_typed(struct export_args *e, int fd, struct ftr_error *err)
{
	struct selection *s = &e->of.spans.select;
	const struct engine_export x = {
		.query = e->query, .table = e->table,
		.format = engine_format_find(e->to->name),
		.schema = !e->schema ? NULL : e->dialect ? e->dialect : engine_dialect(0),
	};
	int ret;

	if (e->table) {
		if (!sql_has_table(s, e->table))
			e->event = event_table_new(s->traces, s->nr_traces, e->table, err);
		if (e->event) {
			ret = write_event(e, fd, err);
			event_table_free(e->event);
			e->event = NULL;
			return ret;
		}
		if (err->code)
			return -1;
		if (selection_chooses(s) || s->negate) {
			err_set(err, FTR_USAGE, "options that select records need the table of an "
				"event, not '%s'", e->table);
			return err_hint(err, "--sql 'SELECT * FROM %s WHERE ...' selects",
					e->table);
		}
	}
	return sql_export_engine(s, &x, fd, err);
}

static int write_schema(struct export_args *e, int fd, struct ftr_error *err)
{
	const struct selection *s = &e->of.spans.select;
	json_t *schema = json_lines_schema(s->traces, s->nr_traces, e->opts.json_text);
	char *text = json_dumps(schema, JSON_INDENT(1) | JSON_ENSURE_ASCII);
	int ret = 0;

	if (io_write_all(fd, text, strlen(text)) || io_write_all(fd, "\n", 1))
		ret = err_write(err, "cannot write to standard output");
	free(text);
	json_decref(schema);
	return ret;
}

static int write_query(struct export_args *e, int fd, struct ftr_error *err)
{
	return sql_export(&e->of.spans.select, e->query, e->to->name, fd, err);
}

/* --- the command */

static int open_files(struct export_args *e, int first, int argc, char **argv,
		      struct ftr_error *err)
{
	struct selection *s = &e->of.spans.select;

	if (writes_spans(e->to))
		return span_open(&e->of.spans, first, argc, argv, err);
	for (; first < argc; first++)
		strv_add(&s->files, argv[first]);
	return selection_open(s, err) || selection_compile(s, err) ? -1 : 0;
}

/* Returns -1 with @err if the output is an input file: that is mapped while it is read. */
static int check_output(const struct export_args *e, struct ftr_error *err)
{
	const struct selection *s = &e->of.spans.select;
	struct stat st;

	if (!e->output || stat(e->output, &st) || !S_ISREG(st.st_mode))
		return 0;
	for (size_t i = 0; i < s->nr_traces; i++)
		if (s->traces[i]->dat->dev == st.st_dev && s->traces[i]->dat->ino == st.st_ino)
			return err_set(err, FTR_FAILED, "'%s' is an input file, and would be "
				       "replaced", e->output);
	return 0;
}

/* Writes the output file. Returns -1 with @err, and 0 if the reader of a pipe went away. */
static int export_all(struct export_args *e, struct ftr_error *err)
{
	int (*write)(struct export_args *e, int fd, struct ftr_error *err) =
		is_typed(e) ? write_typed : e->query ? write_query :
		e->schema ? write_schema : e->to->write ? e->to->write : write_records;
	struct command_output to;
	int ret;

	if ((e->to->check && e->to->check(e, err)) || check_output(e, err) ||
	    output_open(&to, e->output, err))
		return -1;
	ret = write(e, to.fd, err);
	/* Keep the old file if the new one is incomplete. */
	if (!ret && !e->of.spans.signal)
		ret = output_commit(&to, err);
	output_release(&to);
	/* The writers do not know the file name. */
	if (ret && err->sys && err->code == FTR_DAMAGED && e->output && strcmp(e->output, "-")) {
		errno = err->sys;
		err_write(err, "cannot write '%s'", e->output);
	}
	if (ret)
		/* A closed pipe is no error: its reader has seen enough. */
		return err->sys == EPIPE ? 0 : -1;
	if (e->to->report)
		e->to->report();
	return 0;
}

static int run_export(const struct cmd *self, int argc, char **argv)
{
	struct ftr_error err = {0};
	struct export_args e = {0};
	int status, first = cmd_parse(self, argc, argv, &e, &status);

	if (first >= 0) {
		status = FTR_OK;
		if (check_args(&e, &err) || open_files(&e, first, argc, argv, &err) ||
		    export_all(&e, &err))
			status = cmd_fail(&err);
	}
	flame_source_release(&e.of);
	return span_close(&e.of.spans, status);
}

const struct cmd cmd_export = {
	.name = "export",
	.usage = "--to FORMAT [OPTIONS] [FILE...]",
	.summary = "write records for other programs: Perfetto, JSON and others",
	.examples = examples,
	.options = options,
	.run = run_export,
};
