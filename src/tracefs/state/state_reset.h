/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Resets tracefs to its state after boot, whoever changed it. It writes no journal. */
#ifndef FTR_TRACEFS_STATE_STATE_RESET_H
#define FTR_TRACEFS_STATE_STATE_RESET_H

#include "base/err.h"
#include "tracefs/files/tfs.h"

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
