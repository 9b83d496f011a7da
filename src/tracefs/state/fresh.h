/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Brings tracefs to what a kernel has after boot, whoever changed it; nothing is journalled. */
#ifndef FTR_TRACEFS_FRESH_H
#define FTR_TRACEFS_FRESH_H

#include "base/err.h"
#include "tracefs/files/tfs.h"

/* What would be done. */
struct fresh_step {
	char *file;			/* "current_tracer", "instances/x", "events", ... */
	struct strv now;		/* its value, or entries of a list */
	char *then;			/* "nop", "none", "removed" */
};

struct fresh {
	bool dynamic_events;		/* remove these too */
	bool sysctl;			/* also the sysctls that are the administrator's */
	bool dry_run;			/* change nothing, fill ->steps */
	struct fresh_step *steps;
	size_t n, cap;
	struct strv admin;		/* those sysctls when they are left: a sentence each */
	size_t settings, instances;	/* how many were changed, removed */
	size_t definitions;		/* dynamic events that are left */
	struct strv left;		/* what could not be done: a sentence each */
};

/* The top level, with what exists once for the kernel. -1 when it can't be read. */
int fresh_top(const struct tfs *t, struct fresh *f, struct ftr_error *err);
/*
 * Removes instance @name, or at least clears it. One that a running ftr made is left alone; @live:
 * fresh_live()'s.
 */
void fresh_instance(const struct tfs *t, const char *name, const struct strv *live,
		    struct fresh *f);
/* Instances that running commands have made for themselves. */
int fresh_live(struct strv *names, struct ftr_error *err);
void fresh_release(struct fresh *f);

#endif
