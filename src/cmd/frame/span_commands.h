/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What commands on the model share: options, the pass over all records, what is said at its end. */
#ifndef FTR_CMD_FRAME_SPAN_COMMANDS_H
#define FTR_CMD_FRAME_SPAN_COMMANDS_H

#include "base/map.h"
#include "cmd/frame/selection.h"
#include "model/model.h"

/* Zeroed at first; the rows below fill it. */
struct span_args {
	struct selection select;	/* first: its own rows */
	struct strv kinds;		/* --kind */
	struct strv pairs;		/* --pair */
	const char *instance;		/* -B */
	struct strv names;		/* globs: spans of other names are left out */
	bool quiet, json;
	bool fixed;			/* no option chooses the kind */

	bool all;			/* all that is read is shown */
	int  signal;			/* that ended the reading early, or 0 */
	struct slots verdicts;		/* of names met so far; see span_has_name() */
};

/* Rows of an option table whose context begins with a struct span_args. */
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

/* The bits of --kind; @usual if there are none and no pairs. -1 with @err for what is no kind. */
int span_kinds(const struct span_args *a, uint32_t usual, uint32_t *kinds, struct ftr_error *err);
/* Takes the operands of argv from @first on as files, opens them, compiles what selects. */
int span_open(struct span_args *a, int first, int argc, char **argv, struct ftr_error *err);
/*
 * Feeds all records of the range to @m, and ends it. On a terminal says how far it is, after a
 * second. Ends early for a signal, or where @stop, which may be NULL, becomes true.
 */
void span_read(struct span_args *a, struct model *m, const bool *stop);
/*
 * What was wanted has to be there: records of one of @kinds, and of sched_switch if @switches. -1
 * with @err, which says how to record it.
 */
int span_check(struct span_args *a, const struct model *m, uint32_t kinds, bool switches,
	       struct ftr_error *err);
/* What a command shows, and nothing was. */
enum span_none { SPAN_NONE_SPANS, SPAN_NONE_WAITS, SPAN_NONE_SWITCHES };
/*
 * Where nothing is shown and options select: reads once more, and appends or prints which option
 * matches nothing, and what there is. False if they match, or none selects.
 */
bool span_add_none(struct span_args *a, const struct model_opts *o, enum span_none which,
		   struct buf *out);
bool span_say_none(struct span_args *a, const struct model_opts *o, enum span_none which);
/* The names of functions, and other spans, whether they are selected or not; NULL: not readable. */
struct none_names *span_read_names(struct span_args *a, const struct model_opts *o);
/*
 * Says that no span has a name that matches one of @globs, of @option, and which names there are.
 * False if there is one.
 */
bool span_say_no_name(struct span_args *a, const struct model_opts *o, const char *option,
		      const struct strv *globs);
/*
 * -1 with @err: a picture would show nothing. @why is the text, NULL: there is nothing to draw.
 * Where a file is damaged that is the reason, and the status.
 */
int span_fail_empty(const struct span_args *a, const char *why, struct ftr_error *err);
/* Says that no @what is as long as @option wants, and how long the longest is. */
void span_say_longest(const struct span_args *a, const char *what, const char *option,
		      uint64_t longest);
/* The same for tasks, of a model that has read all. */
bool span_add_no_task(const struct span_args *a, const struct model *m, struct buf *out);
bool span_say_no_task(const struct span_args *a, const struct model *m);
/* -1 with @err if there is a range, in which @what is not; 0 without one. */
int span_fail_range(const struct span_args *a, const char *what, struct ftr_error *err);
/* -1 with @err: no record is in the range; it says which times there are. */
int span_say_no_records(const struct span_args *a, struct ftr_error *err);
/* Says that there is no sched_switch; -1. */
int span_say_no_switches(const struct span_args *a, struct ftr_error *err);
/* Whether the record that begins a span, or ends one without begin, is of what is to be shown. */
static inline bool span_is_selected(const struct span_args *a, const struct trace_rec *r)
{
	return a->all || selection_has(&a->select, r);
}
/*
 * True if the name of @s matches one of ->names, with its module or without. Each name is looked at
 * once.
 */
bool span_has_name(struct span_args *a, const struct model *m, const struct span *s);
/* A length of time of the command line: a number with a unit, or of a clock without seconds. */
struct span_limit {
	uint64_t ns, units;
	bool whole;			/* no unit: ->units is good */
	bool given;
};

/* -1 if @text is no length of time. */
int span_limit_parse(struct span_limit *l, const char *text);
/*
 * Sets @value to @l in the units of the files' clock. -1 with @err if @l, of @option, is told in
 * seconds and the clock has none.
 */
int span_limit_of(const struct span_args *a, const char *option, const struct span_limit *l,
		  uint64_t *value, struct ftr_error *err);
int span_check_clocks_of(const struct trace *a, const struct trace *b, struct ftr_error *err);
/* -1 with @err if the files count time in different units: their times can't be put together. */
int span_check_clocks(const struct span_args *a, struct ftr_error *err);
/* Whether --cpu lets it through. */
bool span_cpu_is_selected(const struct span_args *a, int cpu);
/* Whether --pid, --comm and --cpu, where the task ran last, let it through. */
bool span_task_is_selected(const struct span_args *a, const struct model *m,
			   const struct task *t);
/* "# in no sum: 2 no end, 1 loss inside"; nothing where no span has marks. */
void span_add_marks(struct buf *out, const uint64_t *marks, uint64_t below_0);
/* Lines "# ..." of what makes states unknown (@states), and of what was not recorded. */
void span_add_unknown(struct buf *out, const struct model *m, bool states);
/* The last lines of a table, "# ...", as remarks where the output has no place for them. */
void span_say_lines(const struct buf *lines);
/*
 * What is left to say: damages, the signal. Returns the exit status: 128 + n for a signal,
 * FTR_DAMAGED, or @status.
 */
int span_close(struct span_args *a, int status);

#endif
