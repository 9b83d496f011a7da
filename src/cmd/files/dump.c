/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr dump: prints the sections and options of a trace file with their places, and their texts. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/frame/command.h"
#include "cmd/frame/selection.h"
#include "cmd/frame/trace_input.h"
#include "trace/trace.h"

struct dump_args {
	const char *in;
	bool validate, all;
	/* parts, as dump_parts has them */
	bool summary, sections, options, data, head_page, head_event, builtin, events, systems;
	bool symbols, printk, comms, clock, meta;
};

#define AT(member) .off = offsetof(struct dump_args, member)
static const struct opt options[] = {
	{ 'i', "input", "FILE", "read FILE (default " TRACE_FILE "; -: standard input)", opt_str,
	  AT(in) },
	OPT_GROUP("Places and sizes"),
	{ 0, "summary", NULL, "print version, byte order, sizes and numbers", opt_flag,
	  AT(summary) },
	{ 0, "sections", NULL, "print the sections", opt_flag, AT(sections) },
	{ 0, "options", NULL, "print the options with their values", opt_flag, AT(options) },
	{ 0, "flyrecord", NULL, "print the data of each CPU", opt_flag, AT(data) },
	OPT_GROUP("Contents"),
	{ 0, "head-page", NULL, "print the format of the head of sub-buffers", opt_flag,
	  AT(head_page) },
	{ 0, "head-event", NULL, "print the format of the head of events", opt_flag,
	  AT(head_event) },
	{ 0, "ftrace-events", NULL, "print the formats of the events of ftrace", opt_flag,
	  AT(builtin) },
	{ 0, "systems", NULL, "print the systems, with their number of events", opt_flag,
	  AT(systems) },
	{ 0, "events", NULL, "print the formats of the other events", opt_flag, AT(events) },
	{ 0, "kallsyms", NULL, "print the symbols", opt_flag, AT(symbols) },
	{ 0, "printk", NULL, "print the texts of trace_printk()", opt_flag, AT(printk) },
	{ 0, "cmd-lines", NULL, "print pids and names of tasks", opt_flag, AT(comms) },
	{ 0, "clock", NULL, "print the clocks, the one in use in brackets", opt_flag, AT(clock) },
	{ 0, "meta", NULL, "print the lines that ftr adds", opt_flag, AT(meta) },
	{ 0, "all", NULL, "print all of them", opt_flag, AT(all) },
	OPT_GROUP("Checks"),
	{ 'v', "validate", NULL, "read the metadata, and say only what is damaged", opt_flag,
	  AT(validate) },
	OPT_END
};
#undef AT

static const char *const examples[] = {
	"ftr dump                            places of sections, options and data",
	"ftr dump --options trace.dat        the options alone, with their values",
	"ftr dump --events trace.dat         the formats of events",
	NULL
};

/* --- places and sizes */

static void dump_summary(struct dat *d)
{
	const struct dat_format *v;

	printf("file: %s\n", d->path);
	printf("version: %d\n", d->version);
	printf("byte order: %s\n", d->big ? "big endian" : "little endian");
	printf("bytes of a long: %u\n", d->long_size);
	printf("bytes of a page: %" PRIu32 "\n", d->page_size);
	printf("compression: %s\n", d->compression);
	printf("bytes: %" PRIu64 "\n", d->file_size);
	printf("CPUs: %u\n", d->nr_cpus);
	printf("buffers: %zu\n", d->nr_buffers);
	printf("options: %zu\n", d->nr_options);
	printf("formats: %zu of ftrace, %zu others\n", dat_formats(d, DAT_FTRACE_EVENTS, &v),
	       dat_formats(d, DAT_EVENT_FORMATS, &v));
}

static void dump_sections(struct dat *d)
{
	struct dat_section_info *v;
	size_t n = dat_list_sections(d, &v);

	printf("%12s %12s %12s  %s\n", "OFFSET", "BYTES", "UNPACKED", "SECTION");
	for (size_t i = 0; i < n; i++) {
		printf("%12" PRIu64 " %12" PRIu64, v[i].off, v[i].end - v[i].off);
		if (v[i].unpacked)
			printf(" %12" PRIu64, v[i].unpacked);
		else
			printf(" %12s", v[i].packed ? "in chunks" : "-");
		printf("  %s%s\n", v[i].name, v[i].cut ? " (cut off)" : "");
	}
	free(v);
}

/* The lines of a value after the first one stand below it. */
static void dump_value(const struct buf *b)
{
	const char *p = b->data, *end = p + b->len, *eol;

	for (; p < end; p = eol + (eol < end)) {
		eol = memchr(p, '\n', end - p);
		eol = eol ? eol : end;
		if (p != b->data)
			printf("%42s", "");
		fwrite(p, 1, eol - p, stdout);
		putchar('\n');
	}
	if (!b->len)
		putchar('\n');
}

static void dump_options(struct dat *d)
{
	struct buf value = {0};

	/* an option of a compressed section has the place of the section */
	printf("%12s %12s  %-14s VALUE\n", "OFFSET", "BYTES", "OPTION");
	for (size_t i = 0; i < d->nr_options; i++) {
		const struct dat_option *o = &d->options[i];

		buf_reset(&value);
		dat_option_words(d, o, &value);
		printf("%12" PRIu64 " %12zu  %-*s", o->data.off, o->data.len, value.len ? 15 : 0,
		       dat_option_name(o->id));
		dump_value(&value);
	}
	buf_release(&value);
}

static void dump_data(struct dat *d)
{
	printf("%12s %12s %12s %5s  %s\n", "OFFSET", "BYTES", "SUB-BUFFERS", "CPU", "INSTANCE");
	for (size_t b = 0; b < d->nr_buffers; b++) {
		const struct dat_buffer *at = &d->buffers[b];

		for (const struct dat_cpu *c = at->cpus; c < at->cpus + at->nr_cpus; c++)
			printf("%12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %5d  %s\n", c->off,
			       c->size, c->nr_pages, c->cpu, *at->name ? at->name : "-");
	}
}

/* --- contents */

static void dump_text(const char *p, size_t len)
{
	len = p ? strnlen(p, len) : 0;
	if (!len)
		return;
	fwrite(p, 1, len, stdout);
	if (p[len - 1] != '\n')
		putchar('\n');
}

static void dump_head_page(struct dat *d)
{
	dump_text(d->header_page.p, d->header_page.len);
}

static void dump_head_event(struct dat *d)
{
	dump_text(d->header_event.p, d->header_event.len);
}

static void dump_formats(struct dat *d, uint16_t id)
{
	const struct dat_format *v;
	size_t n = dat_formats(d, id, &v);

	for (size_t i = 0; i < n; i++) {
		printf("%ssystem: %s\n", i ? "\n" : "", v[i].system);
		dump_text(v[i].text.p, v[i].text.len);
	}
}

static void dump_builtin(struct dat *d)
{
	dump_formats(d, DAT_FTRACE_EVENTS);
}

static void dump_events(struct dat *d)
{
	dump_formats(d, DAT_EVENT_FORMATS);
}

/* The formats of a system stand together. */
static void dump_systems(struct dat *d)
{
	const struct dat_format *v;
	size_t n = dat_formats(d, DAT_EVENT_FORMATS, &v), i, from = 0;

	for (i = 1; i <= n; i++) {
		if (i < n && !strcmp(v[i].system, v[from].system))
			continue;
		printf("%-24s %zu\n", v[from].system, i - from);
		from = i;
	}
}

static void dump_blob(struct dat *d, uint16_t id)
{
	const struct dat_blob *b = dat_text(d, id);

	dump_text(b->p, b->len);
}

static void dump_symbols(struct dat *d)
{
	dump_blob(d, DAT_KALLSYMS);
}

static void dump_printk(struct dat *d)
{
	dump_blob(d, DAT_PRINTK);
}

static void dump_comms(struct dat *d)
{
	dump_blob(d, DAT_CMDLINES);
}

static void dump_clock(struct dat *d)
{
	const struct dat_option *o = dat_option(d, DAT_TRACECLOCK);

	if (o)
		dump_text(o->data.p, o->data.len);
	for (size_t i = 0; !o && i < d->nr_buffers; i++)
		printf("[%s]\n", d->buffers[i].clock);
}

static void dump_meta(struct dat *d)
{
	dump_text(d->ftr_meta.p, d->ftr_meta.len);
}

/* --- the parts, in the order in which they are printed */

static const struct dump_part {
	size_t at;			/* of the flag in struct dump_args */
	const char *title;
	bool usual;			/* printed if no part is named */
	void (*print)(struct dat *d);
} parts[] = {
#define PART(member, title, usual) { offsetof(struct dump_args, member), title, usual, \
				     dump_##member }
	PART(summary, "Summary", true), PART(sections, "Sections", true),
	PART(options, "Options", true), PART(data, "Data", true),
	PART(head_page, "Head of sub-buffers", false),
	PART(head_event, "Head of events", false),
	PART(builtin, "Formats of ftrace", false), PART(systems, "Systems", false),
	PART(events, "Formats", false), PART(symbols, "Symbols", false),
	PART(printk, "Texts of trace_printk()", false), PART(comms, "Names of tasks", false),
	PART(clock, "Clocks", false), PART(meta, "Lines of ftr", false),
#undef PART
};
#define NR_PARTS (sizeof(parts) / sizeof(*parts))

static bool names_part(const struct dump_args *a, const struct dump_part *p)
{
	return a->all || *(const bool *)((const char *)a + p->at);
}

static void dump_parts(const struct dump_args *a, struct dat *d)
{
	size_t named = 0, printed = 0;

	for (size_t i = 0; i < NR_PARTS; i++)
		named += names_part(a, &parts[i]);
	for (size_t i = 0; i < NR_PARTS; i++) {
		if (named ? !names_part(a, &parts[i]) : !parts[i].usual)
			continue;
		/* a single part is as it is, for other programs */
		if (named != 1)
			printf("%s%s\n", printed++ ? "\n" : "", parts[i].title);
		parts[i].print(d);
	}
}

static int run_dump(const struct cmd *self, int argc, char **argv)
{
	struct dump_args a = {0};
	struct ftr_error err = {0};
	struct trace *t;
	int status, first = cmd_parse(self, argc, argv, &a, &status);

	if (first < 0)
		return status;
	if (first < argc && !a.in)
		a.in = argv[first++];
	if (first < argc) {
		err_set(&err, FTR_USAGE, "unexpected word '%s'", argv[first]);
		return cmd_fail(&err);
	}
	t = trace_open_last(a.in ? a.in : TRACE_FILE, &err);
	if (!t)
		return cmd_fail(&err);
	dat_settle(t->dat);
	if (!a.validate)
		dump_parts(&a, t->dat);
	status = cmd_damages(&t->dat->damages) ? FTR_DAMAGED : FTR_OK;
	if (a.validate && !status)
		printf("%s: the metadata is sound\n", t->dat->path);
	trace_close(t);
	return status;
}

const struct cmd cmd_dump = {
	.name = "dump",
	.usage = "[OPTIONS] [FILE]",
	.summary = "print sections and options of a trace file, with places",
	.examples = examples,
	.options = options,
	.flags = CMD_PAGER,
	.run = run_dump,
};
