/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Watches when modules are loaded and freed, and finds out when their symbols are valid. */
#ifndef FTR_RECORD_SYMBOLS_SYMTIMES_H
#define FTR_RECORD_SYMBOLS_SYMTIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/mem.h"
#include "tracefs/files/tfs.h"

struct module_event {
	uint64_t ns;		/* time by CLOCK_MONOTONIC */
	bool     freed;	/* it was freed; if not, it was loaded, before its init function runs */
	char     name[64];
};

/*
 * Starts to watch the kernel's events module:module_load and module_free through perf, which does
 * not change tracefs. Returns NULL if the kernel or our permissions do not allow it.
 */
struct module_log;
struct module_log *modlog_new(const struct tfs *t);
/* Reads new events; call it regularly. @l may be NULL. */
void modlog_read(struct module_log *l);
/* Returns the events read so far, by time; borrowed until the next modlog_read(). */
const struct module_event *modlog_events(const struct module_log *l, size_t *n);
/*
 * Ends watching. If our process must close the perf events a thread does it, as the kernel waits
 * for grace periods. @l may be NULL.
 */
void modlog_end(struct module_log *l);
void modlog_free(struct module_log *l);

/* The lines read for each loading of a module. Starts zeroed. */
struct symbol_times {
	struct textmap lines;
};

/*
 * Notes the lines of @reading, a reading of /proc/kallsyms that ended at @ns and is not sorted yet.
 * @before is the last reading before the first of @events; it may be empty.
 */
void symtimes_note(struct symbol_times *st, const struct module_event *events, size_t n,
		   const struct buf *before, const struct buf *reading, uint64_t ns);
/*
 * Appends "symbol_times" of trace.dat(5) for @text, the sorted lines of all readings, or nothing if
 * no addresses collide. @clock converts nanoseconds of CLOCK_MONOTONIC to the trace clock.
 */
void symtimes_text(const struct symbol_times *st, const struct module_event *events, size_t n,
		   const struct buf *text, uint64_t (*clock)(const void *ctx, uint64_t ns),
		   const void *ctx, struct buf *out);
void symtimes_release(struct symbol_times *st);

#endif
