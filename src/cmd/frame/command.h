/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The row of the command table, and the output functions that all commands use. */
#ifndef FTR_CMD_FRAME_COMMAND_H
#define FTR_CMD_FRAME_COMMAND_H

#include "base/damage.h"
#include "base/err.h"
#include "base/opt.h"

enum cmd_flags {
	CMD_PAGER = 1,		/* stdout goes through a pager when it is a terminal */
	CMD_WORDS_LAST = 2,	/* options end at the first word (record -- COMMAND) */
	CMD_EVERYDAY = 4,	/* listed in 'ftr -h', which has 24 lines */
};

/*
 * A command: one file, and one row of the table in cmd/command_table.c. Help, man check and
 * completion read the row.
 */
struct cmd {
	const char *name;
	const char *usage;	/* after "ftr NAME ": "[OPTIONS] [-- COMMAND [ARGS...]]" */
	const char *summary;	/* one line */
	const char *const *examples;	/* three lines, NULL-terminated */
	const struct opt *options;
	unsigned int flags;	/* enum cmd_flags */
	const struct cmd *verbs;	/* NULL, or as in command_verbs.h; ->options is then NULL */
	/*
	 * argv[0] is the command's name. Returns the exit status. Called after global options are
	 * set; parses with cmd_parse().
	 */
	int (*run)(const struct cmd *self, int argc, char **argv);
};

extern const struct cmd *const cmd_table[];	/* NULL-terminated, in the order of 'ftr help -a' */
extern const struct cmd cmd_check;
extern const struct cmd cmd_probe;
extern const struct cmd cmd_options, cmd_set_pid, cmd_stack;
extern const struct cmd cmd_start, cmd_set, cmd_stop, cmd_restart, cmd_clear, cmd_reset;
extern const struct cmd cmd_stat, cmd_show, cmd_extract, cmd_stream;
extern const struct cmd cmd_record, cmd_report, cmd_info, cmd_list, cmd_check_events, cmd_help;
extern const struct cmd cmd_sql, cmd_sqlhist, cmd_synth;
extern const struct cmd cmd_trigger, cmd_snapshot;
extern const struct cmd cmd_hist;
extern const struct cmd cmd_import;
extern const struct cmd cmd_listen;
extern const struct cmd cmd_mark;
extern const struct cmd cmd_recover;
extern const struct cmd cmd_split, cmd_convert, cmd_merge, cmd_dump, cmd_scrub;
extern const struct cmd cmd_diff, cmd_graph, cmd_profile, cmd_sched, cmd_timeline;
extern const struct cmd cmd_flame, cmd_export, cmd_browse;
extern const struct cmd cmd_latency, cmd_why;
extern const struct cmd cmd_oops;

/*
 * Calls opt_parse() with the command's options. Returns the index of the first operand; -1 with
 * *status 0 after it printed help on stdout; -1 with *status FTR_USAGE after it printed the error
 * and a hint at -h.
 */
int cmd_parse(const struct cmd *self, int argc, char **argv, void *ctx, int *status);
/* Prints the text of -h and of 'ftr help NAME'. */
void cmd_print_help(const struct cmd *self);

/* Sets the options that owners_hint() searches: @global before the command, those of @commands. */
void owners_know(const struct opt *global, const struct cmd *const *commands);
/*
 * Hints at the commands that have @option ("-x", "--name"), which @self lacks; NULL: it was given
 * before the command. The hint of @err is kept before it, unless the option is global.
 */
void owners_hint(const struct cmd *self, const char *option, struct ftr_error *err);

/*
 * Prints "ftr: MSG" and "hint: HINT" on stderr, with colour on a terminal. Returns err->code, or
 * FTR_FAILED if that is 0.
 */
int cmd_fail(const struct ftr_error *err);
/*
 * Prints on stdout, with the bytes escaped that a terminal would act on, except tabs and newlines.
 */
void cmd_print(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/*
 * Prints @before and @line, escaped by text_sanitise(), on stderr. Prints nothing if @line is empty
 * or cmd_quiet is set.
 */
void cmd_line(const struct buf *line, const char *before);
/* Prints a remark, "ftr: ..." with newline, on stderr; nothing if cmd_quiet is set. */
void cmd_notice(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void cmd_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
extern bool cmd_quiet;
/* The setter of -q: calls opt_flag() and sets cmd_quiet. */
int cmd_set_quiet(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
/* Prints each kind of damage as a warning line. Returns FTR_DAMAGED if there was any, else 0. */
int cmd_damages(const struct damage_list *d);

/* --- a line on standard error that is rewritten in place */

/*
 * Returns true if such a line makes sense: standard error is a terminal and, with a command,
 * standard output is a plain file or a device like /dev/null. Else the command would write to the
 * same terminal.
 */
bool line_wanted(bool with_command);
/*
 * Replaces the line by @text, cut to the terminal's width. NULL removes the line; do that before
 * any other output, except that of cmd_notice(), cmd_warn() and cmd_fail(). Shows nothing while the
 * process is in the background.
 */
void line_show(const char *text);
/* Removes the line, if there is one. */
void line_end(void);

#endif
