/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The exact times at which modules are loaded and freed. */
#ifndef FTR_RECORD_SYMBOLS_MODLOG_H
#define FTR_RECORD_SYMBOLS_MODLOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracefs/files/tfs.h"

struct module_event {
	uint64_t ns;		/* CLOCK_MONOTONIC */
	bool     freed;	/* it was freed; else it was loaded, before its init function runs */
	char     name[64];
};

/*
 * Begins to watch the kernel's events module:module_load and module_free through perf, which does
 * not change tracefs. NULL if the kernel or our permissions do not allow it.
 */
struct modlog;
struct modlog *modlog_new(const struct tfs *t);
/* Reads new events; call it regularly. @l may be NULL. */
void modlog_read(struct modlog *l);
/* The events read so far, by time; borrowed until the next modlog_read(). */
const struct module_event *modlog_events(const struct modlog *l, size_t *n);
/*
 * Ends watching. If our process must close the perf events, a thread does it, as the kernel waits
 * for grace periods. @l may be NULL.
 */
void modlog_end(struct modlog *l);
void modlog_free(struct modlog *l);

#endif
