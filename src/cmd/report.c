/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr report: the records of trace files as event lines. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/map.h"
#include "base/sym_lines.h"
#include "base/term.h"
#include "base/text.h"
#include "cmd/frame/command.h"
#include "cmd/frame/selection.h"
#include "event/data/text_tables.h"
#include "event/plugin/plugin.h"
#include "output/json/json_records.h"
#include "output/line_columns.h"
#include "output/pipeline.h"

struct report_args {
	struct selection select;	/* first: SELECT_* options write to it */
	bool     stacks;		/* --stacks */
	struct map shown;		/* --stacks: CPU -> was its last record shown */
	const char *fields;		/* --fields */
	unsigned int lists;		/* enum report_list: printed instead of records */
	struct out_opts out;
	const struct out_ops *format;	/* NULL: text */
	bool     json, csv;		/* --json, --csv */
	bool     quiet;
};

/* Lists that can be printed instead of records, in this order. */
enum report_list {
	LIST_CPUS = 1, LIST_FIRST = 2, LIST_LAST = 4, LIST_STAT = 8, LIST_EVENTS = 16,
	LIST_FORMATS = 32, LIST_FUNCTIONS = 64, LIST_PRINTK = 128, LIST_UNAME = 256,
	LIST_VERSION = 512,
};

static int set_engine(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct report_args *r = ctx;

	(void)o;
	r->select.engine = arg;
	if (ev_engine_known(arg))
		return 0;
	err_set(err, FTR_USAGE, "unknown engine '%s'", arg);
	return err_hint(err, "there are: ftr, traceevent");
}

static int set_format(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	static const struct out_ops *const formats[] = { &out_text, &out_kernel };
	static const char *const words[] = { "text", "kernel", NULL };
	struct report_args *r = ctx;
	int word = opt_word(o, arg, words, err);

	if (word < 0)
		return -1;
	r->format = formats[word];
	r->select.kernel_times = formats[word] == &out_kernel;
	return 0;
}

static int set_list(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct report_args *r = ctx;

	(void)arg;
	(void)err;
	r->lists |= o->off;
	return 0;
}

#define AT(member) offsetof(struct report_args, member)
static const struct opt options[] = {
	OPT_GROUP("Input"),
	SELECT_FILES,
	OPT_GROUP("Selection"),
	SELECT_RECORDS,
	{ 0, "stacks", NULL, "print the stacks that follow what is shown", opt_flag, AT(stacks) },
	OPT_GROUP("Output"),
	{ 0, "format", "FORMAT", "print text, or kernel: as the kernel's trace file",
	  set_format, 0 },
	{ 0, "json", NULL, "print JSON: one object per record, one per line", opt_flag,
	  AT(json) },
	{ 0, "json-safe", NULL, "json: write numbers beyond 2^53 as strings", opt_flag,
	  AT(out.json_safe) },
	{ 0, "text", NULL, "json: add the text of each record", opt_flag, AT(out.json_text) },
	{ 0, "csv", NULL, "print CSV: one row per record, the columns of --fields", opt_flag,
	  AT(csv) },
	{ 'R', "raw", NULL, "print all fields of each record, one line per record",
	  opt_flag, AT(out.raw) },
	{ 'l', "latency", NULL, "print the latency format: CPU and flags together", opt_flag,
	  AT(out.latency) },
	{ 't', "nanoseconds", NULL, "print time stamps with nine digits",
	  opt_flag, AT(out.nanoseconds) },
	{ 0, "fields", "LIST", "print these columns: task, cpu, time, event, text, FIELD...",
	  opt_str, AT(fields) },
	{ 0, "ts-diff", NULL, "print the time since the line before, in parentheses", opt_flag,
	  AT(out.ts_diff) },
	{ 0, "boundary", NULL, "mark where sub-buffers start", opt_flag, AT(out.boundary) },
	{ 'w', "wakeup", NULL, "print latencies from sched_wakeup to sched_switch", opt_flag,
	  AT(out.wakeup) },
	{ 'q', "quiet", NULL, "print no remarks on standard error", opt_flag, AT(quiet) },
	OPT_GROUP("Instead of records"),
	{ 0, "cpus", NULL, "print the CPUs that have data", set_list, LIST_CPUS },
	{ 0, "first-event", NULL, "print the time of the first event of each CPU", set_list,
	  LIST_FIRST },
	{ 0, "last-event", NULL, "print the time of the last event of each CPU",
	  set_list, LIST_LAST },
	{ 0, "stat", NULL, "print the kernel's statistics at the end of the recording", set_list,
	  LIST_STAT },
	{ 0, "uname", NULL, "print the machine that was recorded", set_list, LIST_UNAME },
	{ 0, "version", NULL, "print the version of the recorder", set_list, LIST_VERSION },
	{ 'E', "list-events", NULL, "print the events that the file knows",
	  set_list, LIST_EVENTS },
	{ 0, "events", NULL, "print the formats of these events", set_list, LIST_FORMATS },
	{ 'f', "functions", NULL, "print the symbols, by address", set_list, LIST_FUNCTIONS },
	{ 'P', "printk", NULL, "print the strings of trace_printk(), by address", set_list,
	  LIST_PRINTK },
	OPT_GROUP("Rendering"),
	{ 'j', "jobs", "N", "render in N threads (default: number of CPUs, at most 8)",
	  selection_set_threads, 0 },
	{ 0, "engine", "NAME", "render records with this engine: ftr or traceevent",
	  set_engine, 0 },
	SELECT_PLUGINS,
	OPT_END
};

static const char *const examples[] = {
	"ftr report                       trace.dat as event lines",
	"ftr report -F 'sched_switch: next_prio < 100' --cpu 0-3 a.dat",
	"ftr report host.dat guest.dat    several files, merged by time",
	"ftr report --csv --fields time,cpu,next_comm --event sched_switch > a.csv",
	"ftr report --json | jq 'select(.fields.prev_pid == 1)'",
	"ssh HOST ftr record -o - -e sched -- sleep 1 | ftr report -",
	NULL
};

/* --- lists: CPUs and their first and last events */

static void list_cpus(struct buf *b, const struct report_args *r, struct trace *t)
{
	const uint64_t *cpus = r->select.spec.cpus;
	uint64_t first, last;
	int cpu;

	for (size_t i = 0; i < t->dat->nr_buffers; i++) {
		struct dat_buffer *db = &t->dat->buffers[i];

		buf_printf(b, "CPUs with data%s%s:\n", *db->name ? " of instance " : "", db->name);
		for (size_t k = 0; k < db->nr_cpus; k++) {
			cpu = db->cpus[k].cpu;
			if (cpus && (cpu < 0 || cpu >= FILTER_CPU_BITS ||
				     !(cpus[cpu / 64] >> cpu % 64 & 1)))
				continue;
			if (!trace_cpu_bounds(t, db, &db->cpus[k], &first, &last))
				continue;
			buf_printf(b, "%3d", cpu);
			if (r->lists & LIST_FIRST) {
				buf_addstr(b, "\tFirst event: ");
				trace_add_time(b, t, first, r->out.nanoseconds);
			}
			if (r->lists & LIST_LAST) {
				buf_addstr(b, "\tLast event: ");
				trace_add_time(b, t, last, r->out.nanoseconds);
			}
			buf_addch(b, '\n');
		}
	}
}

/* --- lists: the kernel's statistics */

static void list_stat(struct buf *b, const struct report_args *r, struct trace *t)
{
	(void)r;
	for (size_t i = 0; i < t->dat->nr_buffers; i++) {
		const struct dat_buffer *db = &t->dat->buffers[i];
		size_t n = db->stats ? strlen(db->stats) : 0;

		if (*db->name)
			buf_printf(b, "Instance %s:\n", db->name);
		buf_addstr(b, db->stats ? db->stats : "no statistics\n");
		if (db->stats && (!n || db->stats[n - 1] != '\n'))
			buf_addch(b, '\n');
	}
}

/* --- lists: options that are a text */

static void list_text(struct buf *b, const struct trace *t, uint16_t id)
{
	const struct dat_option *o = dat_option(t->dat, id);

	if (o)
		buf_add(b, o->data.p, strnlen(o->data.p, o->data.len));
	buf_addstr(b, o ? "\n" : "not in the file\n");
}

static void list_uname(struct buf *b, const struct report_args *r, struct trace *t)
{
	(void)r;
	list_text(b, t, DAT_UNAME);
}

static void list_version(struct buf *b, const struct report_args *r, struct trace *t)
{
	(void)r;
	list_text(b, t, DAT_VERSION);
}

/* --- lists: events */

static int by_full_name(const void *a, const void *b)
{
	const struct ev_format *x = *(struct ev_format *const *)a;
	const struct ev_format *y = *(struct ev_format *const *)b;
	int order = strcmp(x->system, y->system);

	return order ? order : strcmp(x->name, y->name);
}

static void list_events(struct buf *b, const struct report_args *r, struct trace *t)
{
	struct ev_format *v;
	size_t i, n = event_meta_formats(&t->meta, NULL, &v);
	struct ev_format **sorted = xcalloc(n + 1, sizeof(struct ev_format *));

	(void)r;
	for (i = 0; i < n; i++)
		sorted[i] = &v[i];
	qsort(sorted, n, sizeof(struct ev_format *), by_full_name);
	for (i = 0; i < n; i++)
		buf_printf(b, "%s:%s\n", sorted[i]->system, sorted[i]->name);
	free(sorted);
}

static void add_dat_formats(struct buf *b, struct dat *d, uint16_t id)
{
	const struct dat_format *v;
	size_t n = dat_formats(d, id, &v);

	for (size_t i = 0; i < n; i++) {
		buf_printf(b, "system: %s\n", v[i].system);
		buf_add(b, v[i].text.p, strnlen(v[i].text.p, v[i].text.len));
		buf_addch(b, '\n');
	}
}

static void list_formats(struct buf *b, const struct report_args *r, struct trace *t)
{
	(void)r;
	add_dat_formats(b, t->dat, DAT_FTRACE_EVENTS);
	add_dat_formats(b, t->dat, DAT_EVENT_FORMATS);
}

/* --- lists: symbols and strings */

struct address_text {
	uint64_t addr;
	const char *text;
	size_t len;
};

static int by_address_text(const void *a, const void *b)
{
	const struct address_text *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return (x->text > y->text) - (x->text < y->text);
}

/*
 * Parses the next line of an address and its text at *p, and advances *p. Returns false at the end.
 */
typedef bool (*address_fn)(struct address_text *a, const char **p, const char *end);

/* Parses a line "ADDRESS TYPE NAME\t[MODULE]" of kallsyms. */
static bool next_symbol(struct address_text *a, const char **p, const char *end)
{
	const char *line, *nl;
	char type;

	for (a->text = NULL; !a->text && *p < end; *p = nl + 1) {
		line = *p;
		nl = memchr(line, '\n', end - line);
		if (!nl)
			nl = end;
		a->text = sym_line_head(line, nl, &a->addr, &type);
		a->len = a->text ? nl - a->text : 0;
	}
	return a->text;
}

/* Parses a line of printk_formats; the text loses a "\n" at its end. */
static bool next_string(struct address_text *a, const char **p, const char *end)
{
	struct printk_line line;

	if (!printk_line_next(&line, p, end))
		return false;
	if (line.len >= 2 && !memcmp(line.text + line.len - 2, "\\n", 2))
		line.len -= 2;
	*a = (struct address_text){ line.addr, line.text, line.len };
	return true;
}

static void list_addresses(struct buf *b, struct trace *t, enum ev_text which, address_fn next)
{
	struct address_text *v = NULL, a;
	size_t len, n = 0, cap = 0, i;
	const char *p = event_meta_text(&t->meta, which, &len), *end = p + strnlen(p ? p : "", len);

	while (p && next(&a, &p, end)) {
		v = xgrow(v, &cap, n + 1, sizeof(*v));
		v[n++] = a;
	}
	if (n)
		qsort(v, n, sizeof(*v), by_address_text);
	for (i = 0; i < n; i++) {
		buf_printf(b, "%016" PRIx64 " ", v[i].addr);
		for (; v[i].len; v[i].len--, v[i].text++)
			buf_addch(b, *v[i].text == '\t' ? ' ' : *v[i].text);
		buf_addch(b, '\n');
	}
	free(v);
}

static void list_functions(struct buf *b, const struct report_args *r, struct trace *t)
{
	(void)r;
	list_addresses(b, t, EV_KALLSYMS, next_symbol);
}

static void list_printk(struct buf *b, const struct report_args *r, struct trace *t)
{
	(void)r;
	list_addresses(b, t, EV_PRINTK, next_string);
}

/* Prints the lists of each file, with control bytes escaped. */
static void report_lists(struct report_args *r)
{
	static const struct {
		unsigned int bits;
		void (*list)(struct buf *b, const struct report_args *r, struct trace *t);
	} lists[] = {
		{ LIST_CPUS | LIST_FIRST | LIST_LAST, list_cpus }, { LIST_STAT, list_stat },
		{ LIST_UNAME, list_uname }, { LIST_VERSION, list_version },
		{ LIST_EVENTS, list_events }, { LIST_FORMATS, list_formats },
		{ LIST_FUNCTIONS, list_functions }, { LIST_PRINTK, list_printk },
	};
	struct buf b = {0}, clean = {0};
	size_t i, k;

	for (i = 0; i < r->select.nr_traces; i++) {
		buf_reset(&b);
		buf_reset(&clean);
		if (r->select.nr_traces > 1)
			buf_printf(&b, "%s:\n", r->select.traces[i]->dat->path);
		for (k = 0; k < sizeof(lists) / sizeof(*lists); k++)
			if (r->lists & lists[k].bits)
				lists[k].list(&b, r, r->select.traces[i]);
		text_sanitise(&clean, b.len ? b.data : "", b.len, true);
		fwrite(clean.data, 1, clean.len, stdout);
	}
	buf_release(&clean);
	buf_release(&b);
}

/* --- the longest latency, as text of the tracer that measured it */

/*
 * Prints the text of a latency, after a line with its file and instance if @path is not NULL. A
 * program gets the kernel's bytes, see text_sanitise(). A text with an unfinished last line was cut
 * off, and gets a newline.
 */
static void print_latency(const struct report_args *r, const char *path,
			  const struct dat_latency *l)
{
	struct buf out = {0};

	if (path) {
		buf_addstr(&out, "# ");
		text_sanitise(&out, path, strlen(path), false);
		if (*l->buffer) {
			buf_addstr(&out, ", instance '");
			text_sanitise(&out, l->buffer, strlen(l->buffer), false);
			buf_addch(&out, '\'');
		}
		buf_addstr(&out, ":\n");
	}
	if (r->select.kernel_times && !term_reached(STDOUT_FILENO))
		buf_add(&out, l->text, l->len);
	else
		text_sanitise(&out, l->text, l->len, true);
	if (l->len && l->text[l->len - 1] != '\n')
		buf_addch(&out, '\n');
	fwrite(out.len ? out.data : "", 1, out.len, stdout);
	buf_release(&out);
}

static bool has_data(const struct report_args *r)
{
	const struct dat *d;
	size_t i, b, k;

	for (i = 0; i < r->select.nr_traces; i++)
		for (d = r->select.traces[i]->dat, b = 0; b < d->nr_buffers; b++)
			for (k = 0; k < d->buffers[b].nr_cpus; k++)
				if (d->buffers[b].cpus[k].size)
					return true;
	return false;
}

/*
 * Prints the longest latencies as the tracers wrote them, unless options choose records or fields.
 * Returns true if the files have no other data.
 */
static bool report_latencies(const struct report_args *r)
{
	struct trace *const *traces = r->select.traces;
	struct dat_latency l;
	size_t i, at, n = 0;

	for (i = 0; i < r->select.nr_traces; i++)
		for (at = 0; dat_latency_next(traces[i]->dat, &at, &l);)
			n++;
	if (!n || selection_chooses(&r->select) || r->fields || r->out.raw || r->json || r->csv)
		return false;
	for (i = 0; i < r->select.nr_traces; i++)
		for (at = 0; dat_latency_next(traces[i]->dat, &at, &l);)
			print_latency(r, n > 1 ? traces[i]->dat->path : NULL, &l);
	fflush(stdout);
	return !has_data(r);
}

/* --- records */

/*
 * Selects a stack together with the record before it on its CPU, as trace-cmd does. Only their
 * order in the file connects them.
 */
static bool match_stacks(void *ctx, const struct trace_rec *rec)
{
	static char yes[] = "y", no[] = "n";
	uint64_t key = (uint64_t)rec->file << 48 | (uint64_t)rec->buffer << 32 | (uint32_t)rec->cpu;
	const struct ev_format *f = rec->rec.fmt;
	struct report_args *r = ctx;
	const char *before;
	bool hit = selection_has(&r->select, rec);

	if (!f || strcmp(f->system, "ftrace") ||
	    (strcmp(f->name, "kernel_stack") && strcmp(f->name, "user_stack"))) {
		map_put(&r->shown, key, hit ? yes : no);
		return hit;
	}
	before = map_get(&r->shown, key);
	return hit || (before && *before == 'y');
}

static bool wants_columns(const struct report_args *r)
{
	return r->fields || r->out.ts_diff || r->out.boundary || r->out.wakeup;
}

/* Returns true if options need lines of text, which CSV and JSON do not have. */
static bool wants_lines(const struct report_args *r)
{
	return r->format || r->out.latency || r->out.ts_diff || r->out.boundary ||
	       r->out.wakeup || r->lists;
}

static int check_report_opts(const struct report_args *r, struct ftr_error *err)
{
	if (!r->json && (r->out.json_safe || r->out.json_text)) {
		err_set(err, FTR_USAGE, "--%s works with --json only",
			r->out.json_safe ? "json-safe" : "text");
		return err_hint(err, "lines of text do not depend on it");
	}
	if (r->json && (wants_lines(r) || r->csv || r->fields || r->out.raw ||
			r->out.nanoseconds)) {
		err_set(err, FTR_USAGE, "--json prints records in its own form");
		return err_hint(err, "leave out the other options of output");
	}
	if (r->csv && wants_lines(r)) {
		err_set(err, FTR_USAGE, "--csv prints a table of records");
		return err_hint(err, "of the options of output only --fields, -t and -R go with "
				"it");
	}
	if (r->format != &out_kernel || !wants_columns(r))
		return 0;
	err_set(err, FTR_USAGE, "--format=kernel has a fixed form of lines");
	return err_hint(err, "leave out --fields, --ts-diff, --boundary and -w");
}

/* Prints the records in the format that the options choose. Returns -1 with @err. */
static int print_all(struct report_args *r, struct ftr_error *err)
{
	bool for_programs = r->json || r->csv || r->format == &out_kernel;
	struct line_columns *columns = NULL;
	struct out_state out = {
		.opts = r->out, .fd = STDOUT_FILENO,
		.traces = r->select.traces, .nr_traces = r->select.nr_traces,
	};
	struct out_match which;
	int ret;

	if (r->fields || r->csv) {
		columns = columns_parse(r->fields ? r->fields : CSV_COLUMNS, r->select.traces,
					r->select.nr_traces, err);
		if (!columns)
			return -1;
	}
	if (r->json)
		out.ops = &out_json;
	else if (r->csv)
		out.ops = csv_ops(columns);
	else if (wants_columns(r))
		out.ops = columns_ops(columns, &r->out);
	else
		out.ops = r->format ? r->format : &out_text;
	selection_match(&r->select, &which);
	if (r->stacks && which.match)
		which = (struct out_match){ .match = match_stacks, .ctx = r };
	/* libtraceevent keeps a state that threads would share. */
	if (selection_uses_tep(&r->select) || ev_plugins_ordered(r->select.plugins))
		r->select.range.threads = 1;
	out.opts.columns = columns;
	out.opts.colour = !for_programs && term_colour(STDOUT_FILENO);
	out.opts.escape = term_reached(STDOUT_FILENO);
	ret = out_render(&out, &r->select.range, &which, err);
	columns_free(columns);
	if (!ret && r->csv)
		selection_report_losses(&out.losses);
	if (!ret && !out.shown)
		selection_report_none(&r->select, r->out.nanoseconds);
	return ret;
}

static int run_report(const struct cmd *self, int argc, char **argv)
{
	struct ftr_error err = {0};
	struct report_args r = {0};
	int status, first = cmd_parse(self, argc, argv, &r, &status);

	if (first < 0)
		goto out;
	for (; first < argc; first++)
		strv_add(&r.select.files, argv[first]);
	cmd_quiet |= r.quiet;
	if (check_report_opts(&r, &err) || selection_open(&r.select, &err) ||
	    selection_compile(&r.select, &err)) {
		selection_report_damages(&r.select);
		status = cmd_fail(&err);
		goto out;
	}
	if (r.lists) {
		report_lists(&r);
		status = selection_report_damages(&r.select);
		goto out;
	}
	if (!report_latencies(&r) && print_all(&r, &err)) {
		/* A closed pipe is no error: its reader has seen enough. */
		status = err.sys == EPIPE ? FTR_OK : cmd_fail(&err);
		goto out;
	}
	status = selection_report_damages(&r.select);
out:
	map_release(&r.shown);
	selection_release(&r.select);
	return status;
}

const struct cmd cmd_report = {
	.name = "report",
	.usage = "[OPTIONS] [FILE...]",
	.summary = "print the records of trace files",
	.examples = examples,
	.options = options,
	.flags = CMD_PAGER | CMD_EVERYDAY,
	.run = run_report,
};
