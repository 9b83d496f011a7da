/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr browse: trace files in a terminal. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/term.h"
#include "base/text.h"
#include "browse/browser.h"
#include "cmd/command_parts.h"
#include "cmd/frame/command.h"
#include "cmd/frame/selection.h"
#include "output/line_columns.h"

struct browse_args {
	struct selection select;	/* first: SELECT_* options write to it */
	struct browse_opts show;
	const char *fields;
	const char *keys;		/* --keys: the file, or NULL */
	const char *size;
};

static int set_theme(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	static const char *const words[] = { "dark", "light", "mono", NULL };
	static const enum screen_theme themes[] = { SCREEN_DARK, SCREEN_LIGHT, SCREEN_MONO };
	struct browse_args *a = ctx;
	int word = opt_word(o, arg, words, err);

	if (word < 0)
		return -1;
	a->show.theme = themes[word];
	return 0;
}

#define AT(member) offsetof(struct browse_args, member)
static const struct opt options[] = {
	OPT_GROUP("Input"),
	SELECT_FILES,
	OPT_GROUP("Selection"),
	{ 0, "event", "GLOB", "select events: a name, system, system:name (repeatable)",
	  opt_strv, SELECT_AT(spec.events) },
	SELECT_WHERE,
	OPT_GROUP("At the start"),
	{ 0, "at", "TIME", "begin at TIME: 1234.5, +2ms, or -1s before the last event", opt_str,
	  AT(show.at) },
	{ 0, "view", "NAME", "begin with one pane: events, graph, timeline, info, ...",
	  opt_str, AT(show.view) },
	{ 'F', "filter", "FILTER", "show only what matches, as the key F does", opt_str,
	  AT(show.filter) },
	{ 0, "fields", "LIST", "show these columns, as report --fields takes them", opt_str,
	  AT(fields) },
	OPT_GROUP("Screen"),
	{ 't', "nanoseconds", NULL, "print time stamps with nine digits", opt_flag,
	  AT(show.out.nanoseconds) },
	{ 'R', "raw", NULL, "show all fields of each record", opt_flag, AT(show.out.raw) },
	{ 0, "theme", "THEME", "dark, light, or mono (no colours)", set_theme, 0 },
	{ 0, "ascii", NULL, "draw with ASCII characters only", opt_flag, AT(show.ascii) },
	OPT_GROUP("Without a terminal"),
	{ 0, "keys", "FILE", "read keys from FILE; <screen NAME> writes a screen", opt_str,
	  AT(keys) },
	{ 0, "size", "WxH", "size of the screen for --keys, in cells (80x24)", opt_str, AT(size) },
	{ 0, "dump", "DIR", "write DIR/NAME.txt at each <screen NAME>", opt_str,
	  AT(show.script.dump_dir) },
	{ 0, "timing", "FILE", "write the time that each key took into FILE", opt_str,
	  AT(show.script.timing) },
	OPT_GROUP("Rendering"),
	SELECT_PLUGINS,
	OPT_END
};

static const char *const examples[] = {
	"ftr browse                       trace.dat, from the beginning",
	"ftr browse --at -1s a.dat        the last second before the end",
	"ftr browse -F 'sched_switch: next_prio < 100' host.dat guest.dat",
	NULL
};

/* --- keys and screens from files */

/*
 * Reads the file of --keys and --size. Returns the keys in @text, which the caller frees, or NULL
 * if --keys is not given. Returns -1 with @err if an option is wrong or the file cannot be read.
 */
static int read_script(struct browse_args *a, char **text, struct ftr_error *err)
{
	struct browse_script *script = &a->show.script;
	struct buf b = {0};
	int end = 0;

	*text = NULL;
	if (!a->keys) {
		if (!a->size && !script->dump_dir && !script->timing)
			return 0;
		err_set(err, FTR_USAGE, "--size, --dump and --timing work with --keys only");
		return err_hint(err, "with --keys FILE no terminal is needed");
	}
	if (io_read_input(a->keys, &b)) {
		buf_release(&b);
		return err_sys(err, "cannot read '%s'", a->keys);
	}
	script->w = 80;
	script->h = 24;
	if (a->size && (sscanf(a->size, "%4dx%4d%n", &script->w, &script->h, &end) != 2 ||
			a->size[end] || script->w <= 0 || script->h <= 0)) {
		buf_release(&b);
		err_set(err, FTR_USAGE, "'%s' is not a size of a screen", a->size);
		return err_hint(err, "write columns and rows as 80x24");
	}
	buf_addstr(&b, "");
	*text = buf_take(&b);
	script->keys = *text;
	return 0;
}

/*
 * Returns -1 with @err if neither a terminal nor --keys is there. Sets the widths of characters to
 * those of UTF-8, and asks for ASCII if the terminal cannot show UTF-8.
 */
static int check_terminal(struct browse_args *a, struct ftr_error *err)
{
	if (!a->keys && !isatty(STDOUT_FILENO)) {
		err_set(err, FTR_USAGE, "standard output is not a terminal");
		return err_hint(err, "use 'ftr report' for text");
	}
	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		a->show.ascii = true;
	else if (!a->keys && !term_utf8())
		a->show.ascii = true;
	return 0;
}

/* --- the browser */

static void add_info(void *ctx, struct buf *out)
{
	const struct selection *s = ctx;

	for (size_t i = 0; i < s->nr_traces; i++) {
		if (i)
			buf_addch(out, '\n');
		info_add_text(s->traces[i], NULL, out);
	}
}

static void add_none(void *ctx, bool (*stops)(void *ctx), void *stop_ctx, struct buf *out)
{
	selection_add_none(ctx, false, stops, stop_ctx, out);
}

static int browse_files(struct browse_args *a, struct ftr_error *err)
{
	struct line_columns *columns = NULL;
	struct out_match which;
	int ret;

	if (a->fields) {
		columns = columns_parse(a->fields, a->select.traces, a->select.nr_traces, err);
		if (!columns)
			return -1;
	}
	selection_match(&a->select, &which);
	a->show.out.columns = columns;
	a->show.out.escape = true;
	a->show.traces = a->select.traces;
	a->show.nr_traces = a->select.nr_traces;
	a->show.range = a->select.range;
	a->show.which = &which;
	a->show.add_info = add_info;
	a->show.add_none = add_none;
	a->show.ctx = &a->select;
	a->show.info_object = info_object;
	ret = browse_run(&a->show, err);
	columns_free(columns);
	return ret;
}

static int run_browse(const struct cmd *self, int argc, char **argv)
{
	struct ftr_error err = {0};
	struct browse_args a = {0};
	char *keys = NULL;
	int status, first = cmd_parse(self, argc, argv, &a, &status), failed;

	if (first < 0)
		goto out;
	for (; first < argc; first++)
		strv_add(&a.select.files, argv[first]);
	failed = read_script(&a, &keys, &err) || check_terminal(&a, &err) ||
		 selection_open(&a.select, &err) || selection_compile(&a.select, &err) ||
		 browse_files(&a, &err);
	status = selection_report_damages(&a.select);
	if (failed)
		status = cmd_fail(&err);
out:
	free(keys);
	selection_release(&a.select);
	return status;
}

const struct cmd cmd_browse = {
	.name = "browse",
	.usage = "[OPTIONS] [FILE...]",
	.summary = "look at trace files in the terminal",
	.examples = examples,
	.options = options,
	.flags = CMD_EVERYDAY,
	.run = run_browse,
};
