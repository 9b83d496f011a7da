/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Selects the files and the records that a command reads, and the plugins that render them: option
 * rows, and the selection that they fill.
 */
#ifndef FTR_CMD_FRAME_SELECTION_H
#define FTR_CMD_FRAME_SELECTION_H

#include <pthread.h>

#include "base/mem.h"
#include "base/opt.h"
#include "output/pipeline.h"
#include "trace/filter.h"
#include "trace/trace.h"

struct ev_plugins;

struct plugin_args {
	struct strv paths;	/* --plugin */
	struct strv options;	/* -O */
	bool none;		/* -N: without the plugins that came with ftr */
};

enum plugins_when {
	PLUGINS_NOW,
	PLUGINS_LATE,		/* load plugins that allow it when they are needed */
	PLUGINS_TRACEEVENT,	/* now, and also those of libtraceevent */
};

/*
 * Loads the plugins of --plugin and those that came with ftr. Prints on stderr which of the latter
 * cannot be loaded. Returns NULL with @err if one of the former cannot.
 */
struct ev_plugins *plugins_load(const struct plugin_args *a, enum plugins_when when,
				struct ftr_error *err);
/* Prints on stderr which late plugins could not be loaded. Call it at the end. */
void plugins_report_late(const struct ev_plugins *s);
void plugin_args_release(struct plugin_args *a);

#define TRACE_FILE "trace.dat"	/* the file written and read if no name is given */

/*
 * Starts zeroed. The rows below fill it. The command sets its own members before selection_open(),
 * which sets the rest.
 */
struct selection {
	struct strv files;
	struct filter_spec spec;
	bool negate;			/* -v was seen */
	int64_t ts_offset_ns;		/* for files without an entry in ->offsets */
	struct file_offset {
		size_t  file;
		int64_t ns;
	} *offsets;			/* files with --ts-offset after -i */
	size_t nr_offsets, cap_offsets;
	bool date, nodate, align_ts, raw_ts;
	struct plugin_args plugin_args;
	/* set by the command */
	const char *engine;		/* see trace_set_engine(); NULL: ftr's own */
	bool kernel_times;		/* times as in the kernel's text: without DATE and OFFSET */

	struct ev_plugins *plugins;
	struct trace **traces;
	size_t nr_traces;
	size_t *file_of;		/* index in ->files of each trace */
	struct filter **filters;	/* one per trace */
	struct out_range range;		/* the CPUs and times to read */
};

/* Rows of an option table whose context starts with a struct selection. */
#define SELECT_AT(member) offsetof(struct selection, member)
#define SELECT_FILES \
	{ 'i', "input", "FILE", \
	  "read FILE (repeatable; default " TRACE_FILE "; -: standard input)", \
	  opt_strv, SELECT_AT(files) }, \
	{ 0, "ts-offset", "NS", "add NS nanoseconds to time stamps; after -i: of that file",	\
	  selection_set_ts_offset, 0 },	\
	{ 0, "date", NULL, "show time stamps as time of day", opt_flag, SELECT_AT(date) }, \
	{ 0, "nodate", NULL, "ignore the date that record --date noted", opt_flag, \
	  SELECT_AT(nodate) }, \
	{ 0, "align-ts", NULL, "count time stamps from the first event", opt_flag, \
	  SELECT_AT(align_ts) }, \
	{ 0, "raw-ts", NULL, "show time stamps as they were recorded", opt_flag, SELECT_AT(raw_ts) }
#define SELECT_RECORDS \
	{ 'F', "filter", "FILTER", "select what matches 'EVENT: EXPRESSION' (repeatable: any)", \
	  selection_set_filter, 0 }, \
	{ 'v', NULL, NULL, "the -F that follow leave out what matches", opt_flag, \
	  SELECT_AT(negate) }, \
	{ 0, "event", "GLOB", \
	  "select events: a name, system, system:name (repeatable)", opt_strv, \
	  SELECT_AT(spec.events) }, \
	SELECT_WHERE, \
	{ 'I', "no-hardirq", NULL, "leave out what was recorded in hard interrupts", opt_flag, \
	  SELECT_AT(spec.no_hardirq) }, \
	{ 'S', "no-softirq", NULL, "leave out what was recorded in soft interrupts", opt_flag, \
	  SELECT_AT(spec.no_softirq) }
#define SELECT_WHERE \
	{ 0, "cpu", "LIST", "select these CPUs, as 0,2-5", selection_set_cpus, 0 }, \
	{ 0, "pid", "PID[,PID]", "select these tasks", selection_set_pids, 0 }, \
	{ 0, "comm", "GLOB", "select tasks of this name (repeatable)", opt_strv, \
	  SELECT_AT(spec.comms) }, \
	{ 0, "since", "TIME", "from TIME: 1234.5, +2ms after the first, -1s before the last",	\
	  selection_set_since, 0 },	\
	{ 0, "until", "TIME", "up to TIME, given as for --since", selection_set_until, 0 }
#define SELECT_PLUGINS \
	{ 0, "plugin", "PATH", "load an event plugin, or all of a folder (repeatable)", opt_strv, \
	  SELECT_AT(plugin_args.paths) }, \
	{ 'N', "no-plugins", NULL, "do not load the plugins that came with ftr", opt_flag, \
	  SELECT_AT(plugin_args.none) }, \
	{ 'O', NULL, "PLUGIN:OPTION[=VALUE]", "set an option of a plugin (repeatable)", opt_strv, \
	  SELECT_AT(plugin_args.options) }

int selection_set_filter(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
int selection_set_pids(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
int selection_set_cpus(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
int selection_set_since(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
int selection_set_until(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
int selection_set_threads(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
int selection_set_ts_offset(void *ctx, const struct opt *o, const char *arg,
			    struct ftr_error *err);

/*
 * Opens the files (trace.dat if none was named) with their plugins and times. Prints which files
 * are given twice. Returns 0, or -1 with @err, and then ->traces has the files opened so far.
 */
int selection_open(struct selection *s, struct ftr_error *err);
/*
 * Compiles the selection of records for the open files: ->filters and ->range. Returns 0, or -1
 * with @err.
 */
int selection_compile(struct selection *s, struct ftr_error *err);
/* Fills @m for out_render(). */
void selection_match(struct selection *s, struct out_match *m);
/* Returns true if the filters select @rec. */
bool selection_has(const struct selection *s, const struct trace_rec *rec);
/* Returns true if an option selects records. */
bool selection_chooses(const struct selection *s);
/*
 * For a selection that shows no record: prints, or appends, which options match none and what the
 * files have. Returns false, with nothing printed, if no option selects, or if some record matches.
 * Reads the files, as far as needed, or until @stops, which may be NULL, returns true.
 */
bool selection_report_none(const struct selection *s, bool nanoseconds);
bool selection_add_none(const struct selection *s, bool nanoseconds, bool (*stops)(void *ctx),
			void *ctx, struct buf *out);
/* Prints the losses of the recording, for outputs that cannot show them. */
void selection_report_losses(const struct out_losses *lost);
/* Returns true if the engine is libtraceevent. */
bool selection_uses_tep(const struct selection *s);
/*
 * Prints the damage of the files as warnings. Call it last, so that a pager does not scroll them
 * away. Returns the exit status: FTR_OK or FTR_DAMAGED.
 */
int selection_report_damages(const struct selection *s);
void selection_release(struct selection *s);

/* --- the share of the files that was read, on a terminal after the first second */

struct read_progress;

/* The context of one thread of out_render(). */
struct progress_watcher {
	struct read_progress *p;
	void *ctx;			/* ctx of ->inner */
	uint32_t n;			/* records so far */
};

struct read_progress {
	bool wanted, shown;
	uint64_t next;			/* time of the next display, now_ns() */
	uint64_t first, last;		/* time stamps of the first and the last record */
	struct out_match inner;		/* the caller's @m of progress_watch() */
	struct progress_watcher outer;
	pthread_mutex_t lock;
};

/* Starts the display. It shows nothing if line_wanted() returns false. */
void progress_start(struct read_progress *p, const struct selection *s);
/* Shows the progress for a record of @ts. Call it regularly. */
void progress_show(struct read_progress *p, uint64_t ts);
/* Starts the display for out_render(): wraps @m to see the records that it matches. */
void progress_watch(struct read_progress *p, const struct selection *s, struct out_match *m);
/* Removes the display. */
void progress_end(struct read_progress *p);

/* --- selection_none.c: options that match nothing, and the choices in the files */

struct select_none;

/* Borrows @s, which is compiled. Release it with select_none_free(). */
struct select_none *select_none_new(const struct selection *s);
/*
 * Accounts a record, or one that starts a span. Returns true once each kind of option has matched
 * something, and there is no need to read on.
 */
bool select_none_see(struct select_none *n, const struct trace_rec *r);
/* Accounts a task of a file, and the CPU where it ran last. */
void select_none_see_task(struct select_none *n, size_t file, int cpu, int pid, const char *comm);
/*
 * Appends "no WHAT matches OPTION; FILE has ...", without a newline. Returns false, with nothing
 * appended, if no option selects, if all options together match something, or if nothing but
 * records was accounted.
 */
bool select_none_add(const struct select_none *n, const char *what, bool nanoseconds,
		     struct buf *out);
void select_none_free(struct select_none *n);
/* Closes the views of trace_views() by which the files of @s were read once more. */
void select_views_close(const struct selection *s, struct trace **views);

/* Names with the number of times that each was met. */
struct none_names;

struct none_names *none_names_new(void);
void none_names_count(struct none_names *names, const char *name, uint64_t times);
/* Appends "; LABEL a, b, c, 12 more": first the one nearest to @asked, then the most frequent. */
void none_names_add(const struct none_names *names, const char *label, const char *asked,
		    struct buf *out);
/* Returns true if one of them matches one of @globs. */
bool none_names_match(const struct none_names *names, const struct strv *globs);
size_t none_names_nr(const struct none_names *names);
void none_names_free(struct none_names *names);

#endif
