/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options that stand for one control file each (tracefs/knobs.h): arguments, and writing them. */
#ifndef FTR_RECORD_SETTINGS_H
#define FTR_RECORD_SETTINGS_H

#include "base/opt.h"
#include "record/plan/plan.h"
#include "tracefs/session/session.h"

/*
 * The setter of all of them, in the form of opt_fn with the plan as ctx. What each buffer has by
 * itself goes to the last -B.
 */
int settings_option(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
/*
 * Writes them. What the kernel refuses is tried again after the others, as some bound each other.
 * -1 with the first that is refused even so.
 */
int settings_apply(struct session *s, const char *instance, const struct rec_settings *list,
		   struct ftr_error *err);
/* Does one of them give the size of some CPUs' buffers? */
bool settings_size_cpus(const struct rec_settings *list);
void settings_release(struct rec_settings *list);

#endif
