/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When modules came and went, to the moment, while it is watched. */
#ifndef FTR_RECORD_MODLOG_H
#define FTR_RECORD_MODLOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracefs/files/tfs.h"

struct module_event {
	uint64_t ns;		/* CLOCK_MONOTONIC */
	bool     freed;		/* it went; else it was loaded, and its init function is to run */
	char     name[64];
};

/*
 * Begins to watch: the kernel's events module:module_load and module_free, through perf, which
 * changes nothing in tracefs. NULL where the kernel or our rights do not allow it.
 */
struct modlog;
struct modlog *modlog_new(const struct tfs *t);
/* Takes what has come; must be called now and then. NULL is fine. */
void modlog_read(struct modlog *l);
/* What was taken, by time; borrowed until the next modlog_read(). */
const struct module_event *modlog_events(const struct modlog *l, size_t *n);
/*
 * Ends watching, in a thread if it must be done by us: the kernel waits for grace periods. NULL is
 * fine.
 */
void modlog_end(struct modlog *l);
void modlog_free(struct modlog *l);

#endif
