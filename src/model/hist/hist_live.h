/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One histogram in an instance of its own: set up, read, stopped. */
#ifndef FTR_MODEL_HIST_LIVE_H
#define FTR_MODEL_HIST_LIVE_H

#include "base/err.h"
#include "base/mem.h"
#include "model/hist/hist_spec.h"
#include "model/hist/hist_types.h"
#include "tracefs/session/session.h"

struct hist_live {
	struct session *s;		/* borrowed */
	char  *event;			/* "system/event" */
	char  *name;			/* "system:event" */
	char   instance[32];
	char  *line;
	struct hist_types types;
};

/*
 * The one event that @word means ("sched_switch", "sched:sched_switch") in ->event. -1 with @err
 * and a did-you-mean, or the names of those that it may mean.
 */
int hist_live_find(struct hist_live *l, const struct tfs *t, const char *word,
		   struct ftr_error *err);
/*
 * Makes the instance and the trigger: it counts from here on. What was made goes with the session.
 * What this kernel's histograms lack is named. @spec is changed where kernels have two names
 * for the same (common_stacktrace was stacktrace).
 */
int hist_live_begin(struct hist_live *l, struct session *s, struct hist_spec *spec,
		    struct ftr_error *err);
/* It counts no more, so that what is read after it is of one moment. */
void hist_live_pause(struct hist_live *l);
int hist_live_read(struct hist_live *l, struct buf *text, struct ftr_error *err);
void hist_live_release(struct hist_live *l);

#endif
