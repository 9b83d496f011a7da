/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command table's row, and what commands share when they speak to the user. */
#ifndef FTR_CMD_CMD_H
#define FTR_CMD_CMD_H

#include "base/damage.h"
#include "base/err.h"
#include "base/opt.h"

enum cmd_flags {
	CMD_PAGER = 1,		/* stdout goes through a pager when it is a terminal */
	CMD_WORDS_LAST = 2,	/* options end at the first word (record -- COMMAND) */
	CMD_EVERYDAY = 4,	/* stands in 'ftr -h', which has 24 lines */
};

/*
 * One command = one file = one row of the table in cmd/table.c. Help, man check and completion read
 * it.
 */
struct cmd {
	const char *name;
	const char *usage;	/* after "ftr NAME ": "[OPTIONS] [-- COMMAND [ARGS...]]" */
	const char *summary;	/* one line */
	const char *const *examples;	/* three lines, NULL-terminated */
	const struct opt *options;
	unsigned int flags;	/* enum cmd_flags */
	const struct cmd *verbs;	/* NULL, or a table as in verbs.h; no options then */
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
extern const struct cmd cmd_sqlhist, cmd_synth;
extern const struct cmd cmd_trigger, cmd_snapshot;
extern const struct cmd cmd_hist;
extern const struct cmd cmd_listen;
extern const struct cmd cmd_mark;
extern const struct cmd cmd_recover;
extern const struct cmd cmd_diff, cmd_graph, cmd_profile, cmd_sched, cmd_timeline;
extern const struct cmd cmd_flame, cmd_export, cmd_browse;
extern const struct cmd cmd_latency;
extern const struct cmd cmd_oops;

/*
 * opt_parse() by the command's row. Returns the index of the first operand; or -1 after it printed
 * help (then *status is 0, help is on stdout) or the error and a pointer to -h (then *status is
 * FTR_USAGE).
 */
int cmd_parse(const struct cmd *self, int argc, char **argv, void *ctx, int *status);
/* The text that -h and 'ftr help NAME' print. */
void cmd_print_help(const struct cmd *self);

/*
 * "ftr: MSG" and "hint: HINT" on stderr, with colour on a terminal. Returns err->code (at least 1).
 */
int cmd_fail(const struct ftr_error *err);
/* On stdout, with what a terminal would act on escaped, but for tabs and newlines. */
void cmd_print(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* A line on stderr as it is, cleaned alike, unless it is empty or under cmd_quiet. */
void cmd_line(const struct buf *line, const char *before);
/* A remark on stderr, "ftr: ..." with newline; quiet under cmd_quiet. */
void cmd_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void cmd_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
extern bool cmd_quiet;
/* The setter of -q: opt_flag(), and cmd_quiet. */
int cmd_set_quiet(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
/* Prints each kind of damage as a warning line. Returns FTR_DAMAGED if there was any, else 0. */
int cmd_damages(const struct damages *d);

#endif
