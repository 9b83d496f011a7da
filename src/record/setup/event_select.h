/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which events a buffer records: the -e of a plan, resolved against what the kernel has. */
#ifndef FTR_RECORD_SETUP_EVENT_SELECT_H
#define FTR_RECORD_SETUP_EVENT_SELECT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "record/setup/plan.h"
#include "tracefs/files/tfs.h"

struct rec_chosen {
	char *path;			/* "system/event" */
	const struct rec_event *by;	/* the last -e that matched it */
	bool  on;			/* false: a -v disables it */
	bool  done;			/* already enabled with its whole system */
};

struct rec_selection {
	struct rec_chosen *v;		/* sorted by path */
	size_t n, cap;
	struct strv of_modules;		/* "SYSTEM:EVENT:mod:NAME" for set_event */
};

/*
 * Changes nothing in tracefs. -1 with a did-you-mean hint for a pattern that matches nothing; with
 * p->ignore_missing that is only a remark. "PATTERN:mod:NAME" is left to the kernel, which keeps it
 * until the module comes: nothing lists which events are whose.
 */
int select_events(const struct tfs *t, const struct rec_plan *p, const struct rec_buffer *b,
		  struct rec_selection *out, struct ftr_error *err);
void select_release(struct rec_selection *sel);

#endif
