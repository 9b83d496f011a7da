/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The folder for crash data, and the record of each armed boot in it. */
#ifndef FTR_OOPS_ARM_ARMED_BOOTS_H
#define FTR_OOPS_ARM_ARMED_BOOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"

/* One armed boot, "BOOT_ID.armed": lines "key=value". A boot that was disarmed ended in order. */
struct oops_boot {
	char    *id;			/* /proc/sys/kernel/random/boot_id */
	uint64_t nr;			/* counts up, whatever the clock says; 0 = none */
	int64_t  began;			/* start of the boot, seconds since 1970 */
	bool     ended;			/* disarmed */
	struct strv places;		/* instances that are armed; "" = top level */
};

/*
 * /var/lib/ftr/oops, or $FTR_OOPS_DIR, made if missing, 0700 and ours. NULL with @err. The caller
 * frees.
 */
char *oops_folder(struct ftr_error *err);
/*
 * Waits for the lock of the folder and takes it: writing a front keeps an instance busy that
 * disarming removes. Returns a descriptor, whose close() releases the lock. -1 if there is no
 * folder.
 */
int oops_folder_lock(void);
/* "FOLDER/BOOT_ID.front" of this boot. NULL with @err. The caller frees. */
char *oops_front_path(struct ftr_error *err);

/* Fills @b for this boot, without places; ->nr is the next one. -1 with @err. */
int oops_boot_now(struct oops_boot *b, struct ftr_error *err);
/* Reads the record of this boot. 1, or 0 if there is none. */
int oops_boot_read_now(struct oops_boot *b);
/* ->nr of the boot @id by its record in @folder. */
uint64_t oops_boot_nr(const char *folder, const char *id);
/* Writes the record of a boot to the disk (fsync). -1 with @err. */
int oops_boot_write(const struct oops_boot *b, struct ftr_error *err);
void oops_boot_release(struct oops_boot *b);

/*
 * Number of consecutive armed boots, directly before this one, that lasted under ten minutes and
 * did not end in order. The start of the next boot counts as a boot's end. How long a boot lasted
 * is not known if the clock went back, or each boot begins with the same time, as without a
 * battery.
 */
unsigned int oops_short_boots(void);
enum { OOPS_SHORT_BOOTS = 3, OOPS_SHORT_SECONDS = 600 };
/* Removes records and fronts of all but the newest boots. */
void oops_boots_prune(void);

#endif
