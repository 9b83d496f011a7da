/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options that set one control file each (tracefs/state/setting_table.h): parses and writes them.
 */
#ifndef FTR_RECORD_SETUP_PLAN_SETTINGS_H
#define FTR_RECORD_SETUP_PLAN_SETTINGS_H

#include "base/opt.h"
#include "record/setup/plan.h"
#include "tracefs/session/session.h"

/*
 * The setter of all these options, an opt_fn with the plan as ctx. Files that each buffer has are
 * set for the last -B.
 */
int settings_option(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
/*
 * Writes the settings. A refused one is tried again after the others, as some limit each other. -1
 * with the first that is still refused.
 */
int settings_apply(struct session *s, const char *instance, const struct rec_settings *list,
		   struct ftr_error *err);
/* True if a setting sets the buffer size of some CPUs. */
bool settings_size_cpus(const struct rec_settings *list);
void settings_release(struct rec_settings *list);

#endif
