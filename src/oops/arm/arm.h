/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arms a flight recording that survives a crash, and disarms it. */
#ifndef FTR_OOPS_ARM_H
#define FTR_OOPS_ARM_H

#include <stdbool.h>

#include "base/err.h"
#include "record/setup/plan.h"
#include "record/setup/plan_apply.h"
#include "tracefs/files/tfs.h"
#include "tracefs/session/session.h"

struct oops_skeleton;

/* The buffers that the kernel dumps to its console at an oops. */
enum oops_dump {
	/* ALL, or NO if the buffer survives, a kdump kernel is loaded, or nothing panics */
	OOPS_DUMP_CHOOSE,
	OOPS_DUMP_NO,
	OOPS_DUMP_CPU,		/* the buffer of the CPU that oopsed */
	OOPS_DUMP_ALL,
};

/* The plan of arming. Borrowed by struct oops_armed. */
struct oops_arm_plan {
	struct rec_plan plan;		/* must be the first member: plan_options.h */
	enum oops_dump dump;
	bool panic_on_oops, softlockup_panic, hung_task_panic, traceoff_on_warning;
	char *panic_timeout;		/* seconds; NULL: do not change it */
	bool oom;			/* an OOM kill stops recording, too */
	bool again;			/* arm also after short boots */
};

/* The state of arming. It is zeroed before the first use. */
struct oops_armed {
	struct oops_arm_plan *p;
	struct rec_setup up;
	struct oops_skeleton *skeleton;
	char *skeleton_path;
	char *boot_instance;		/* the instance in reserved memory; NULL: there is none */
	bool top;			/* the top level is armed */
	enum oops_dump dump;		/* the choice; it is never OOPS_DUMP_CHOOSE */
	bool lives_on;			/* no dump was chosen, as an oops is no panic */
};

/* Returns true if this boot is armed, and was not disarmed. */
bool oops_is_armed(void);
/* Returns -1 with @err if this boot is armed already, or after short boots. */
int oops_arm_allowed(const struct oops_arm_plan *p, struct ftr_error *err);
/*
 * Arms through @s. The order: place and dump, settings, the skeleton on the disk, the record of the
 * boot, tracing on. Returns -1 with @err, code FTR_USAGE if the plan is invalid.
 */
int oops_arm_set_up(struct oops_armed *a, struct session *s, struct oops_arm_plan *p,
		    struct ftr_error *err);
void oops_armed_release(struct oops_armed *a);

/* Returns true if an oops stops the recording in @instance ("" = top level). */
bool oops_stops(const struct tfs *t, const char *instance);

/*
 * Writes the skeleton to @path and to the disk, and replaces the file there. If it is written again
 * it has the earlier metadata, too, as the buffer may have code of modules that were unloaded.
 * Returns 0, or -1 with @err.
 */
int oops_skeleton_write(struct oops_skeleton *f, const char *path, struct ftr_error *err);
/* Borrows @t from now on. */
void oops_skeleton_move(struct oops_skeleton *f, const struct tfs *t);
/* Returns true if a module was loaded or unloaded since the last writing. */
bool oops_skeleton_is_old(const struct oops_skeleton *f);

/*
 * Restores the settings that arming changed, and notes that this boot ended in order. *n gets the
 * number of changes restored. @others gets a sentence about each change that is left. Returns 0, or
 * -1 with @err.
 */
int oops_disarm(struct tfs *t, size_t *n, struct strv *others, struct ftr_error *err);

#endif
