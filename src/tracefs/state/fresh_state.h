/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of tracefs after boot: reads the settings that differ from it, and resets them, no
 * matter who changed them. The reset writes no journal.
 */
#ifndef FTR_TRACEFS_STATE_FRESH_STATE_H
#define FTR_TRACEFS_STATE_FRESH_STATE_H

#include "base/err.h"
#include "base/mem.h"
#include "tracefs/files/tfs.h"
#include "tracefs/state/setting_table.h"

/* A setting that differs. */
struct state_item {
	const struct tracefs_setting *setting;
	char *what;		/* name of the control file; "events", "options", "records", ... */
	struct strv values;	/* value, or each entry of a list */
};

/* The top level or an instance. */
struct instance_state {
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
 * Returns 0, or -1 with @err if there is no such instance. The caller releases @s in both cases.
 */
int state_read(const struct tfs *t, const char *instance, struct instance_state *s,
	       struct ftr_error *err);
void state_release(struct instance_state *s);

/* A step of the reset, for ->dry_run. */
struct fresh_step {
	char *file;			/* "current_tracer", "instances/x", "events", ... */
	struct strv now;		/* value, or entries of a list */
	char *then;			/* value after the step: "nop", "none", "removed" */
};

struct reset_plan {
	bool dynamic_events;		/* also remove dynamic events */
	bool sysctl;			/* also reset sysctls of the administrator */
	bool dry_run;			/* change nothing, fill ->steps */
	struct fresh_step *steps;
	size_t n, cap;
	/* a sentence about each sysctl of the administrator that is left */
	struct strv admin;
	size_t settings, instances;	/* numbers of settings changed and instances removed */
	size_t definitions;		/* number of dynamic events left */
	struct strv left;		/* a sentence about each failure */
};

/*
 * Resets the top level, and the settings that exist once for the kernel. Returns 0, or -1 with @err
 * if they can't be read.
 */
int fresh_top(const struct tfs *t, struct reset_plan *f, struct ftr_error *err);
/*
 * Removes instance @name. If that fails, it resets its settings. If @live, from fresh_live(), has
 * the instance, it is left alone.
 */
void fresh_instance(const struct tfs *t, const char *name, const struct strv *live,
		    struct reset_plan *f);
/* Appends the instances that running ftr commands made for themselves. 0, or -1 with @err. */
int fresh_live(struct strv *names, struct ftr_error *err);
void fresh_release(struct reset_plan *f);

#endif
