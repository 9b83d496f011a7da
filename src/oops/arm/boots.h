/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The folder of what is kept for a crash, and in it a record of each armed boot. */
#ifndef FTR_OOPS_BOOTS_H
#define FTR_OOPS_BOOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"

/*
 * One armed boot, "BOOT_ID.armed": lines "key=value". It ended in order when it was disarmed
 * before its end.
 */
struct oops_boot {
	char    *id;			/* /proc/sys/kernel/random/boot_id */
	int64_t  began;			/* of the boot, seconds since 1970 */
	bool     ended;			/* disarmed */
	struct strv places;		/* instances that are armed; "" = top level */
};

/*
 * /var/lib/ftr/oops, or $FTR_OOPS_DIR, made if missing, 0700 and ours. NULL with @err. The caller
 * frees.
 */
char *oops_folder(struct ftr_error *err);
/*
 * While it is open nobody else has it: writing a front keeps an instance busy, which disarming is
 * to remove. It waits. -1 where there is no folder.
 */
int oops_folder_lock(void);
/* "FOLDER/BOOT_ID.front" of this boot. NULL with @err. The caller frees. */
char *oops_front_path(struct ftr_error *err);

/* This boot, without places. -1 with @err. */
int oops_boot_now(struct oops_boot *b, struct ftr_error *err);
/* What is on record of this boot: 1, or 0 when nothing is. */
int oops_boot_read_now(struct oops_boot *b);
/* Puts it on record, on the disk when it returns. -1 with @err. */
int oops_boot_write(const struct oops_boot *b, struct ftr_error *err);
void oops_boot_release(struct oops_boot *b);

/*
 * How many armed boots in a row before this one, the last of them first, lasted under ten minutes
 * and did not end in order. What is known of a boot's end is when the next boot began.
 */
unsigned int oops_short_boots(void);
enum { OOPS_SHORT_BOOTS = 3, OOPS_SHORT_SECONDS = 600 };
/* Removes records and fronts of all but the newest boots. */
void oops_boots_prune(void);

#endif
