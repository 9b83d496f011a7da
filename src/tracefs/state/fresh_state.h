/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of tracefs after boot: reads the settings that differ from it, and resets them, whoever
 * changed them. The reset writes no journal.
 */
#ifndef FTR_TRACEFS_STATE_FRESH_STATE_H
#define FTR_TRACEFS_STATE_FRESH_STATE_H

#include "base/err.h"
#include "base/mem.h"
#include "tracefs/files/tfs.h"
#include "tracefs/state/setting_table.h"

/* One setting that differs. */
struct state_item {
	const struct knob *knob;
	char *what;		/* name of the control file; "events", "options", "records", ... */
	struct strv values;	/* its value, or each entry of a list */
};

/* The top level or an instance. */
struct state {
	char *instance;		/* "" = top level */
	struct state_item *v;
	size_t n, cap;
};

/*
 * Reads the control files of @instance (NULL = top level, with the files that exist once for the
 * kernel) that can be read without effect: none that consume (trace_pipe), and never free_buffer,
 * whose close shrinks the buffer. Keeps only what differs from a fresh kernel, in the order of the
 * table (setting_table.h):
 *
 *	files by their names	current_tracer, trace_clock, set_ftrace_filter, ...
 *	/proc/sys/kernel/...	ftrace_enabled, stack_tracer_enabled, by their full paths
 *	options			"sym-offset", "nooverwrite"
 *	events			enabled ones, "system:event"
 *	filter, trigger		"system:event: TEXT"
 *	snapshot		"allocated"
 *	records			"cpu0: 12, 3 overwritten"
 *
 * -1 with @err if there is no such instance.
 */
int state_read(const struct tfs *t, const char *instance, struct state *s, struct ftr_error *err);
void state_release(struct state *s);

/* A step, for ->dry_run. */
struct fresh_step {
	char *file;			/* "current_tracer", "instances/x", "events", ... */
	struct strv now;		/* its value, or entries of a list */
	char *then;			/* "nop", "none", "removed" */
};

struct fresh {
	bool dynamic_events;		/* remove these too */
	bool sysctl;			/* reset also sysctls of the administrator */
	bool dry_run;			/* change nothing, fill ->steps */
	struct fresh_step *steps;
	size_t n, cap;
	struct strv admin;		/* a sentence about each such sysctl that is left */
	size_t settings, instances;	/* numbers of settings changed and instances removed */
	size_t definitions;		/* number of dynamic events left */
	struct strv left;		/* a sentence about each thing that could not be done */
};

/*
 * Resets the top level, and the settings that exist once for the kernel. -1 with @err if they can't
 * be read.
 */
int fresh_top(const struct tfs *t, struct fresh *f, struct ftr_error *err);
/*
 * Removes instance @name, or at least clears it. Instances in @live, from fresh_live(), are left
 * alone.
 */
void fresh_instance(const struct tfs *t, const char *name, const struct strv *live,
		    struct fresh *f);
/* Appends the instances that running ftr commands have made for themselves. -1 with @err. */
int fresh_live(struct strv *names, struct ftr_error *err);
void fresh_release(struct fresh *f);

#endif
