/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files by which each boot keeps a trace over a crash: arguments for GRUB, and systemd units.
 */
#ifndef FTR_OOPS_BOOT_BOOT_INSTALL_H
#define FTR_OOPS_BOOT_BOOT_INSTALL_H

#include <stdbool.h>

#include "base/err.h"
#include "base/mem.h"
#include "oops/boot/boot_arguments.h"

enum { BOOT_FILES = 5 };

struct boot_file {
	const char *path;	/* on the machine that boots */
	bool        link;	/* a link; ->text is its target */
	struct buf  text;
};

/* Zeroed before the first use. */
struct boot_files {
	const char *root; /* the folder of the root file system, "" = this machine's; borrowed */
	struct boot_file v[BOOT_FILES];
};

/*
 * Makes the contents of the files for @m. The units run this program. -1 with @err: its path can't
 * be used in a unit.
 */
int boot_files_make(struct boot_files *f, const char *root, const struct boot_machine *m,
		    struct ftr_error *err);
/* The path of this program. NULL with @err. The caller frees. */
char *boot_program(struct ftr_error *err);
/*
 * Writes all files. Each gets its name when it is complete and on the disk. Without @force it fails
 * before any write if a file exists with other content. -1 with @err.
 */
int boot_files_write(const struct boot_files *f, bool force, struct ftr_error *err);
/*
 * Removes the files of boot_files_write(), for any machine. @gone gets their paths. Without @force
 * it fails before any removal if a file was changed. -1 with @err.
 */
int boot_files_remove(const char *root, bool force, struct strv *gone, struct ftr_error *err);
void boot_files_release(struct boot_files *f);

#endif
