/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets up a flight recording that is to survive a crash, and puts it back. */
#ifndef FTR_OOPS_ARM_H
#define FTR_OOPS_ARM_H

#include <stdbool.h>

#include "base/err.h"
#include "record/plan/plan.h"
#include "record/setup/setup.h"
#include "oops/arm/front.h"
#include "tracefs/session/session.h"

/* What the kernel writes to its console when it oopses. */
enum oops_dump {
	OOPS_DUMP_CHOOSE,	/* all CPUs, unless the buffer or a kdump kernel survives */
	OOPS_DUMP_NO,
	OOPS_DUMP_CPU,		/* the buffer of the CPU that oopsed */
	OOPS_DUMP_ALL,
};

/* Borrowed by what is armed. */
struct oops_arm_plan {
	struct rec_plan plan;		/* first: the rows of plan_options.h */
	enum oops_dump dump;
	bool panic_on_oops, softlockup_panic, hung_task_panic, traceoff_on_warning;
	char *panic_timeout;		/* seconds as a word, NULL = not asked for */
	bool again;			/* also after boots that were short */
};

/* Zeroed before the first use. */
struct oops_armed {
	struct oops_arm_plan *p;
	struct rec_setup up;
	struct oops_front *front;
	char *front_path;
	char *boot_instance;		/* with reserved memory, NULL = there is none */
	bool top;			/* it is the top level that is armed */
	enum oops_dump dump;		/* as it was decided */
};

/* Is this boot armed, and has nobody put that back? */
bool oops_is_armed(void);
/* Refuses after boots that were short, and where this boot is armed. -1 with @err. */
int oops_arm_allowed(const struct oops_arm_plan *p, struct ftr_error *err);
/*
 * All of it, through @s; tracing is on when it returns. The order: place and dump, settings, the
 * front on the disk, the record of the boot, tracing. -1 with @err, code FTR_USAGE where the plan
 * makes no sense.
 */
int oops_arm_set_up(struct oops_armed *a, struct session *s, struct oops_arm_plan *p,
		    struct ftr_error *err);
void oops_armed_release(struct oops_armed *a);

/*
 * Puts back what arming changed, and notes that this boot ended in order. *n changes were put back;
 * @others gets a sentence about each thing that is left. 0, or -1 with @err.
 */
int oops_disarm(struct tfs *t, size_t *n, struct strv *others, struct ftr_error *err);

#endif
