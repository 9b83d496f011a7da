/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Predicts how much of a trace would survive if the kernel crashed now. It changes nothing. */
#ifndef FTR_OOPS_ARM_CRASH_PREVIEW_H
#define FTR_OOPS_ARM_CRASH_PREVIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"
#include "tracefs/files/tfs.h"

/* A mechanism by which a trace may survive. */
struct oops_row {
	const char *name;		/* "persistent buffer" */
	bool survives;			/* a part of the trace would survive */
	struct buf how_much;		/* size of that part, in words */
	struct strv missing;		/* conditions that are not met, and how to meet them */
	struct strv obstacles;		/* conditions that reduce or endanger it */
};

/* The size of the dump on the console. */
struct oops_dump_size {
	uint64_t lines, bytes, seconds;	/* time at 115200 baud */
};

enum { OOPS_ROWS = 4 };

struct oops_look {
	char *boot_instance;		/* the instance in reserved memory; NULL: there is none */
	struct strv places;		/* instances armed in this boot; "" = top level */
	struct strv unstopped;	/* those of ->places that an oops in a task does not stop */
	bool armed;
	struct oops_row rows[OOPS_ROWS];	/* buffer, dump, pstore, kdump */
	struct oops_dump_size dump;
};

/*
 * Returns the instance of the boot command line whose buffer is in reserved memory and can record,
 * or NULL; the caller frees.
 */
char *oops_boot_instance(const struct tfs *t);
bool oops_kdump_loaded(void);
/*
 * Returns true if a sysctl of this machine makes an oops, a warning, a lockup or a hung task a
 * panic.
 */
bool oops_panics(void);
/* Returns the size of the kernel's log (log_buf_len) in bytes. */
uint64_t oops_log_bytes(void);

/* Fills @l. @t is NULL if tracefs can't be used. */
void oops_look(struct oops_look *l, const struct tfs *t);
void oops_look_release(struct oops_look *l);

#endif
