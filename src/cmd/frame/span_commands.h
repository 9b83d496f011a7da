/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by commands on the model: options, the pass over all records, remarks at its end. */
#ifndef FTR_CMD_FRAME_SPAN_COMMANDS_H
#define FTR_CMD_FRAME_SPAN_COMMANDS_H

#include "base/map.h"
#include "cmd/frame/selection.h"
#include "model/model.h"

/* Starts zeroed; the rows below fill it. */
struct span_args {
	struct selection select;	/* first: its own rows */
	struct strv kinds;		/* --kind */
	struct strv pairs;		/* --pair */
	const char *instance;		/* -B */
	struct strv names;		/* globs: spans of other names are left out */
	bool quiet, json;
	bool fixed;			/* no option chooses the kind */

	bool all;			/* no option selects records */
	int  signal;			/* the signal that ended the pass early, or 0 */
	struct slots verdicts;		/* of names met so far; see span_has_name() */
};

/* Rows of an option table whose context starts with a struct span_args. */
#define SPAN_AT(member) offsetof(struct span_args, member)
#define SPAN_KIND_OPTS \
	{ 0, "kind", "KIND", "function_graph (default), syscall, irq, ... (repeatable)",	\
	  opt_strv, SPAN_AT(kinds) },	\
	{ 0, "pair", "NAME=BEGIN,END[,KEY]", \
	  "make spans from event BEGIN to END (repeatable)", opt_strv, \
	  SPAN_AT(pairs) }, \
	SPAN_BUFFER_OPT
#define SPAN_BUFFER_OPT \
	{ 'B', "buffer", "INSTANCE", "read INSTANCE, not the first buffer with such records", \
	  opt_str, SPAN_AT(instance) }
#define SPAN_QUIET_OPT \
	{ 'q', "quiet", NULL, "print no remarks on standard error", cmd_set_quiet, SPAN_AT(quiet) }

/*
 * Sets *@kinds to the bits of --kind, or to @usual if there are none and no pairs. Returns 0, or -1
 * with @err for an unknown kind.
 */
int span_kinds(const struct span_args *a, uint32_t usual, uint32_t *kinds, struct ftr_error *err);
/*
 * Opens the files, also the operands of argv from @first on, and compiles the selection. Returns 0,
 * or -1 with @err.
 */
int span_open(struct span_args *a, int first, int argc, char **argv, struct ftr_error *err);
/*
 * Feeds all records of the range to @m, and ends it. Shows the progress on a terminal, after a
 * second. Ends early for a signal, or if @stop, which may be NULL, becomes true.
 */
void span_read(struct span_args *a, struct model *m, const bool *stop);
/*
 * Checks that the files have records of one of @kinds, and of sched_switch if @switches. Returns 0,
 * or -1 with @err, whose hint is the command to record them.
 */
int span_check(struct span_args *a, const struct model *m, uint32_t kinds, bool switches,
	       struct ftr_error *err);
/* The items that a command shows, of which none was shown. */
enum span_none { SPAN_NONE_SPANS, SPAN_NONE_WAITS, SPAN_NONE_SWITCHES };
/*
 * For options that select and a command that shows nothing: reads once more, and appends or prints
 * which option matches nothing, and the choices in the files. Returns false if they match, or if no
 * option selects.
 */
bool span_add_none(struct span_args *a, const struct model_opts *o, enum span_none which,
		   struct buf *out);
bool span_report_none(struct span_args *a, const struct model_opts *o, enum span_none which);
/*
 * Reads the names of functions, and other spans, whether they are selected or not. Returns NULL if
 * they cannot be read. Free with none_names_free().
 */
struct none_names *span_read_names(struct span_args *a, const struct model_opts *o);
/*
 * Prints that no span has a name that matches one of @globs, of @option, and the names in the
 * files. Returns false if one matches.
 */
bool span_report_no_name(struct span_args *a, const struct model_opts *o, const char *option,
			 const struct strv *globs);
/*
 * Fails for a picture that would show nothing: returns -1 with @err. @why is the text, NULL: there
 * is nothing to draw. If a file is damaged that is the status.
 */
int span_fail_empty(const struct span_args *a, const char *why, struct ftr_error *err);
/* Prints that no @what is as long as @option requires, and the length of the longest. */
void span_report_longest(const struct span_args *a, const char *what, const char *option,
			 uint64_t longest);
/* Append or print the same for tasks of a model after its pass, if none is shown. */
bool span_add_no_task(const struct span_args *a, const struct model *m, struct buf *out);
bool span_report_no_task(const struct span_args *a, const struct model *m);
/* Returns -1 with @err if there is a range, in which @what is missing; 0 without a range. */
int span_fail_range(const struct span_args *a, const char *what, struct ftr_error *err);
/* Fails as no record is in the range: returns -1 with @err, which has the times of the files. */
int span_fail_no_records(const struct span_args *a, struct ftr_error *err);
/* Fails as there is no sched_switch: returns -1 with @err. */
int span_fail_no_switches(const struct span_args *a, struct ftr_error *err);
/*
 * Appends a command line of ftr report that prints the records of an interval. It repeats the
 * options that change times, so that its times match. Aligned times need all files.
 */
void span_add_report(const struct span_args *a, uint32_t file, uint64_t from, uint64_t to,
		     struct buf *out);
/* Returns true if the record that starts a span, or ends one without a start, is selected. */
static inline bool span_is_selected(const struct span_args *a, const struct trace_rec *r)
{
	return a->all || selection_has(&a->select, r);
}
/*
 * Returns true if the name of @s matches one of ->names, with its module or without. Each name is
 * matched once.
 */
bool span_has_name(struct span_args *a, const struct model *m, const struct span *s);
/* A duration of the command line: a number with a unit, or in units of a clock without seconds. */
struct span_limit {
	uint64_t ns, units;
	bool whole;			/* no unit: ->units is valid */
	bool given;
};

/* Returns 0, or -1 if @text is no duration. */
int span_limit_parse(struct span_limit *l, const char *text);
/*
 * Sets *@value to @l in the units of the files' clock. Returns 0, or -1 with @err if @l, of
 * @option, is in seconds and the clock does not count them.
 */
int span_limit_of(const struct span_args *a, const char *option, const struct span_limit *l,
		  uint64_t *value, struct ftr_error *err);
int span_check_clocks_of(const struct trace *a, const struct trace *b, struct ftr_error *err);
/* Returns -1 with @err if the files count time in different units: they cannot be merged. */
int span_check_clocks(const struct span_args *a, struct ftr_error *err);
/* Returns true if --cpu selects the CPU. */
bool span_cpu_is_selected(const struct span_args *a, int cpu);
/* Returns true if --pid, --comm and --cpu, for the CPU where it ran last, select the task. */
bool span_task_is_selected(const struct span_args *a, const struct model *m,
			   const struct task *t);
/* Appends "# in no sum: 2 no end, 1 loss inside"; nothing if no span has marks. */
void span_add_marks(struct buf *out, const uint64_t *marks, uint64_t below_0);
/* Appends lines "# ..." on the reasons of unknown states (@states), and on the filters. */
void span_add_unknown(struct buf *out, const struct model *m, bool states);
/* Prints the last lines of a table, "# ...", as remarks, for outputs without a place for them. */
void span_print_remarks(const struct buf *lines);
/*
 * Prints the damages and the signal, and releases @a. Returns the exit status: 128 + n for a
 * signal, @status, or FTR_DAMAGED.
 */
int span_close(struct span_args *a, int status);

#endif
