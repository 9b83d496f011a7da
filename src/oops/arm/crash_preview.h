/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds what the kernel would leave of a trace if it crashed now. Changes nothing. */
#ifndef FTR_OOPS_ARM_CRASH_PREVIEW_H
#define FTR_OOPS_ARM_CRASH_PREVIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"
#include "tracefs/files/tfs.h"

/* One mechanism. */
struct oops_row {
	const char *name;		/* "persistent buffer" */
	bool survives;			/* a part of the trace would survive */
	struct buf how_much;		/* how much, in words */
	struct strv missing;		/* if not: what is missing, and how to get it */
	struct strv in_the_way;		/* what reduces or endangers it */
};

/* Size of the dump on the console. */
struct oops_dump_size {
	uint64_t lines, bytes, seconds;	/* at 115200 baud */
};

enum { OOPS_ROWS = 4 };

struct oops_look {
	char *boot_instance;		/* with reserved memory, NULL = none */
	struct strv places;		/* armed in this boot; "" = top level */
	struct strv unstopped;	/* of these, the ones that an oops in a task does not stop */
	bool armed;
	struct oops_row rows[OOPS_ROWS];	/* buffer, dump, pstore, kdump */
	struct oops_dump_size dump;
};

/*
 * The instance of the boot command line whose buffer is in reserved memory and takes records, or
 * NULL. The caller frees.
 */
char *oops_boot_instance(const struct tfs *t);
bool oops_kdump_loaded(void);
/* True if a sysctl of this machine makes an oops, a warning, a lockup or a hung task a panic. */
bool oops_panics(void);
/* Size of the kernel's log (log_buf_len). */
uint64_t oops_log_bytes(void);

/* @t is NULL if tracefs can't be used. */
void oops_look(struct oops_look *l, const struct tfs *t);
void oops_look_release(struct oops_look *l);

#endif
