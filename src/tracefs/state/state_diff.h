/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The settings of tracefs that differ from those after boot. */
#ifndef FTR_TRACEFS_STATE_STATE_DIFF_H
#define FTR_TRACEFS_STATE_STATE_DIFF_H

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

#endif
