/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files that make each boot keep a trace over a crash: arguments for GRUB, units of systemd. */
#ifndef FTR_OOPS_INSTALL_H
#define FTR_OOPS_INSTALL_H

#include <stdbool.h>

#include "base/err.h"
#include "base/mem.h"
#include "oops/boot/arguments.h"

enum { BOOT_FILES = 5 };

struct boot_file {
	const char *path;	/* on the machine that boots */
	bool        link;	/* @text is what it leads to */
	struct buf  text;
};

/* Zeroed before the first use. */
struct boot_files {
	const char *root;	/* the folder that will be /, "" = this machine's; borrowed */
	struct boot_file v[BOOT_FILES];
};

/*
 * What the files have for @m, the units naming the program that is running. -1 with @err: a unit
 * can't name it.
 */
int boot_files_make(struct boot_files *f, const char *root, const struct boot_machine *m,
		    struct ftr_error *err);
/* The path of this program. NULL with @err. The caller frees. */
char *boot_program(struct ftr_error *err);
/*
 * Writes all, each under its name when it is whole and on the disk. -1 with @err, before anything
 * is written: one is there with other content, unless @force.
 */
int boot_files_write(const struct boot_files *f, bool force, struct ftr_error *err);
/*
 * Takes those away that boot_files_write() has written, whatever machine it was for; @gone gets
 * their paths. -1 with @err, before anything is removed: one was changed, unless @force.
 */
int boot_files_remove(const char *root, bool force, struct strv *gone, struct ftr_error *err);
void boot_files_release(struct boot_files *f);

#endif
