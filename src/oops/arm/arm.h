/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arms a flight recording that survives a crash, and disarms it. */
#ifndef FTR_OOPS_ARM_H
#define FTR_OOPS_ARM_H

#include <stdbool.h>

#include "base/err.h"
#include "oops/arm/skeleton.h"
#include "record/setup/plan.h"
#include "record/setup/plan_apply.h"
#include "tracefs/session/session.h"

/* What the kernel dumps to its console at an oops. */
enum oops_dump {
	/* all CPUs; none if the buffer survives, a kdump kernel is loaded, or nothing panics */
	OOPS_DUMP_CHOOSE,
	OOPS_DUMP_NO,
	OOPS_DUMP_CPU,		/* the buffer of the CPU that oopsed */
	OOPS_DUMP_ALL,
};

/* Borrowed by struct oops_armed. */
struct oops_arm_plan {
	struct rec_plan plan;		/* first: the rows of plan_options.h */
	enum oops_dump dump;
	bool panic_on_oops, softlockup_panic, hung_task_panic, traceoff_on_warning;
	char *panic_timeout;		/* seconds as a word, NULL = not asked for */
	bool oom;			/* an OOM kill stops recording, too */
	bool again;			/* arm also after short boots */
};

/* Zeroed before the first use. */
struct oops_armed {
	struct oops_arm_plan *p;
	struct rec_setup up;
	struct oops_front *front;
	char *front_path;
	char *boot_instance;		/* with reserved memory, NULL = there is none */
	bool top;			/* the top level is armed */
	enum oops_dump dump;		/* the choice made */
	bool lives_on;			/* an oops is no panic: chosen so, for that reason */
};

/* True if this boot is armed, and was not disarmed. */
bool oops_is_armed(void);
/* -1 with @err if this boot is armed already, or after short boots. */
int oops_arm_allowed(const struct oops_arm_plan *p, struct ftr_error *err);
/*
 * Arms through @s. The order: place and dump, settings, the front on the disk, the record of the
 * boot, tracing on. -1 with @err, code FTR_USAGE if the plan is invalid.
 */
int oops_arm_set_up(struct oops_armed *a, struct session *s, struct oops_arm_plan *p,
		    struct ftr_error *err);
void oops_armed_release(struct oops_armed *a);

/*
 * Restores what arming changed, and notes that this boot ended in order. *n gets the number of
 * changes restored. @others gets a sentence about each change that is left. 0, or -1 with @err.
 */
int oops_disarm(struct tfs *t, size_t *n, struct strv *others, struct ftr_error *err);

#endif
