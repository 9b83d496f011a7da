/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Manages the directory for crash data, and the record of each armed boot in it. */
#ifndef FTR_OOPS_ARM_ARMED_BOOTS_H
#define FTR_OOPS_ARM_ARMED_BOOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"

/*
 * An armed boot, as in "BOOT_ID.armed": lines "key=value". A boot that was disarmed ended in order.
 */
struct oops_boot {
	char    *id;			/* /proc/sys/kernel/random/boot_id */
	uint64_t nr;			/* number of the boot; it never goes back; 0: unknown */
	int64_t  began;			/* start of the boot, seconds since 1970 */
	bool     ended;			/* disarmed */
	struct strv places;		/* instances that are armed; "" = top level */
};

/*
 * Returns /var/lib/ftr/oops, or $FTR_OOPS_DIR. It is created if it is missing, has mode 0700, and
 * belongs to this user. NULL with @err. The caller frees.
 */
char *oops_dir(struct ftr_error *err);
/*
 * Waits for the lock of the directory: writing a skeleton keeps an instance busy that disarming
 * removes. Returns a descriptor, whose close() releases the lock, or -1 if there is no directory.
 */
int oops_dir_lock(void);
/*
 * Returns the path "DIR/BOOT_ID.front" of this boot's skeleton, or NULL with @err; the caller
 * frees.
 */
char *oops_skeleton_path(struct ftr_error *err);

/* Fills @b for this boot, without places; ->nr is the next number. Returns -1 with @err. */
int oops_boot_now(struct oops_boot *b, struct ftr_error *err);
/* Reads the record of this boot. Returns 1, or 0 if there is none. */
int oops_boot_read_now(struct oops_boot *b);
/* Returns ->nr of the boot @id by its record in @dir, or 0. */
uint64_t oops_boot_nr(const char *dir, const char *id);
/* Writes the record of a boot to the disk (fsync). Returns -1 with @err. */
int oops_boot_write(const struct oops_boot *b, struct ftr_error *err);
void oops_boot_release(struct oops_boot *b);

/*
 * Returns the number of consecutive armed boots, directly before this one, that lasted under ten
 * minutes and did not end in order. The start of the next boot counts as a boot's end. The duration
 * of a boot is not known if the clock went back, or if each boot starts at the same time, as
 * without a battery.
 */
unsigned int oops_short_boots(void);
enum { OOPS_SHORT_BOOTS = 3, OOPS_SHORT_SECONDS = 600 };
/* Removes records and skeletons of all but the newest boots. */
void oops_boots_prune(void);

#endif
