/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command table in the order of 'ftr help -a', and the global options. */
#include "cmd/command_table.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/term.h"
#include "base/text.h"
#include "cmd/frame/config.h"
#include "cmd/frame/trace_cmd.h"

const struct cmd *const cmd_table[] = {
	&cmd_record,
	&cmd_stream,
	&cmd_extract,
	&cmd_oops,
	&cmd_import,
	&cmd_recover,
	&cmd_split,
	&cmd_convert,
	&cmd_merge,
	&cmd_listen,
	&cmd_report,
	&cmd_graph,
	&cmd_profile,
	&cmd_latency,
	&cmd_why,
	&cmd_sched,
	&cmd_timeline,
	&cmd_flame,
	&cmd_diff,
	&cmd_sql,
	&cmd_browse,
	&cmd_info,
	&cmd_dump,
	&cmd_scrub,
	&cmd_export,
	&cmd_start,
	&cmd_set,
	&cmd_stop,
	&cmd_restart,
	&cmd_mark,
	&cmd_clear,
	&cmd_reset,
	&cmd_snapshot,
	&cmd_trigger,
	&cmd_hist,
	&cmd_probe,
	&cmd_synth,
	&cmd_sqlhist,
	&cmd_options,
	&cmd_set_pid,
	&cmd_stack,
	&cmd_stat,
	&cmd_show,
	&cmd_list,
	&cmd_check,
	&cmd_check_events,
	&cmd_help,
	NULL,
};

/* Headings of the overview, each with the first command below it. */
static const struct {
	const struct cmd *first;
	const char *title;
} groups[] = {
	{ &cmd_record, "Record into a trace file" },
	{ &cmd_report, "Look at trace files" },
	{ &cmd_start, "Control the live kernel" },
	{ &cmd_stat, "Ask about the kernel" },
};

static int set_colour(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	(void)ctx;
	(void)o;
	if (!term_set_colour(arg))
		return 0;
	err_set(err, FTR_USAGE, "unknown colour mode '%s'", arg);
	return err_hint(err, "--color takes auto, always or never");
}

static int set_no_pager(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	(void)ctx;
	(void)o;
	(void)arg;
	(void)err;
	term_no_pager();
	return 0;
}

static int set_no_config(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	(void)ctx;
	(void)o;
	(void)arg;
	(void)err;
	config_off();
	return 0;
}

static int print_version(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	(void)o;
	(void)arg;
	(void)err;
	*(bool *)ctx = true;
	printf("ftr %s\n", FTR_VERSION);
	return 0;
}

const struct opt cmd_global_options[] = {
	OPT_GROUP("Options before the command"),
	{ 0, "color", "WHEN", "auto, always or never; NO_COLOR is honoured", set_colour, 0 },
	{ 0, "no-pager", NULL, "do not page long output on a terminal", set_no_pager, 0 },
	{ 0, "no-config", NULL, "take no defaults from config files", set_no_config, 0 },
	{ 'V', "version", NULL, "print the version", print_version, 0 },
	OPT_END
};

const struct cmd *cmd_find(const char *name, struct ftr_error *err)
{
	const char *near;
	char *names[sizeof(cmd_table) / sizeof(*cmd_table)];
	size_t i;

	for (i = 0; cmd_table[i]; i++) {
		if (!strcmp(cmd_table[i]->name, name))
			return cmd_table[i];
		names[i] = (char *)cmd_table[i]->name;
	}
	names[i] = NULL;
	near = text_closest(name, names);
	err_set(err, FTR_USAGE, "'%s' is not a command of ftr", name);
	if (trace_cmd_hint(name, "", err))
		return NULL;
	if (near)
		err_hint(err, "did you mean 'ftr %s'?", near);
	else
		err_hint(err, "'ftr help' lists the commands");
	return NULL;
}

void cmd_print_overview(bool all)
{
	struct buf out = {0};
	size_t i, k;

	buf_addstr(&out, "ftr - configure ftrace, record raw ring buffers, read them back\n\n"
			 "Usage: ftr [OPTIONS] COMMAND [ARGS]\n\n");
	for (i = 0; cmd_table[i]; i++) {
		for (k = 0; k < sizeof(groups) / sizeof(*groups); k++)
			if (groups[k].first == cmd_table[i])
				buf_printf(&out, "%s:\n", groups[k].title);
		if (all || cmd_table[i]->flags & CMD_EVERYDAY)
			buf_printf(&out, "  %-14s%s\n", cmd_table[i]->name, cmd_table[i]->summary);
	}
	if (all)
		opt_help(cmd_global_options, &out);
	buf_printf(&out, "\n%s'ftr COMMAND -h' explains one.\n",
		   all ? "" : "'ftr help -a' lists all commands and options, ");
	fwrite(out.data, 1, out.len, stdout);
	buf_release(&out);
}

void cmd_print_first_steps(void)
{
	fputs("ftr shows what the kernel did. To begin:\n\n"
	      "  ftr record -p function_graph -l 'vfs_*' -- ls    record function calls\n"
	      "  ftr report                                       read them back\n"
	      "  ftr record -e sched -- sleep 1                   record events\n"
	      "  ftr info                                         what a file holds\n"
	      "  ftr help                                         everything else\n", stdout);
}
