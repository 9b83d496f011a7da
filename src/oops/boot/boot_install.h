/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes each boot keep a trace over a crash: the kernel's boot arguments, and the files with them
 * for GRUB, and with the units of systemd.
 */
#ifndef FTR_OOPS_BOOT_BOOT_INSTALL_H
#define FTR_OOPS_BOOT_BOOT_INSTALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"

enum { BOOT_CPU_KB = 1024 };		/* default size of a CPU's buffer */

/* The machine. Members that are zero or empty, except ->cpu_kb, get the values of this machine. */
struct boot_machine {
	char     release[65];		/* as 'uname -r' prints it */
	uint32_t kernel;		/* version of the release: 6.12 is 60012 */
	uint64_t cpus, memory;		/* memory in bytes */
	uint64_t cpu_kb;
};

/* Returns ->kernel for a release such as 6.12.1, or 0 if @release is none. */
uint32_t boot_kernel_of(const char *release);
/* Sets the members that are not set. -1 with @err if the machine's memory is too small. */
int boot_machine_complete(struct boot_machine *m, struct ftr_error *err);
/*
 * Gets the next argument in @word, and its reason, some lines, in *reason. *i starts at 0. Returns
 * false after the last one.
 */
bool boot_argument_next(const struct boot_machine *m, size_t *i, struct buf *word,
			const char **reason);
/* Appends all arguments, separated by blanks. */
void boot_arguments_line(const struct boot_machine *m, struct buf *out);

/* --- files */

enum { BOOT_FILES = 5 };

struct boot_file {
	const char *path;	/* path on the machine that boots */
	bool        link;	/* it is a link, and ->text its target */
	struct buf  text;
};

/* The files. It is zeroed before the first use. */
struct boot_files {
	const char *root;	/* directory of the root file system, "": this machine; borrowed */
	struct boot_file v[BOOT_FILES];
};

/*
 * Makes the contents of the files for @m. The units run this program. Returns -1 with @err if its
 * path can't be used in a unit.
 */
int boot_files_make(struct boot_files *f, const char *root, const struct boot_machine *m,
		    struct ftr_error *err);
/* Returns the path of this program, or NULL with @err; the caller frees. */
char *boot_program(struct ftr_error *err);
/*
 * Writes all files. Each gets its name when it is complete and on the disk. Without @force it fails
 * before any write if a file exists with other content. Returns 0, or -1 with @err.
 */
int boot_files_write(const struct boot_files *f, bool force, struct ftr_error *err);
/*
 * Removes the files of boot_files_write(), for any machine. @gone gets their paths. Without @force
 * it fails before any removal if a file was changed. Returns 0, or -1 with @err.
 */
int boot_files_remove(const char *root, bool force, struct strv *gone, struct ftr_error *err);
void boot_files_release(struct boot_files *f);

#endif
