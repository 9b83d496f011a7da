/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The times of modules' symbols, for modules that were loaded to the memory of earlier ones. */
#ifndef FTR_RECORD_SYMBOLS_SYMTIMES_H
#define FTR_RECORD_SYMBOLS_SYMTIMES_H

#include "base/map.h"
#include "record/symbols/modlog.h"

/* The lines read for each loading of a module. Starts zeroed. */
struct symtimes {
	struct textmap lines;
};

/*
 * Notes the lines of @reading, a reading of /proc/kallsyms that ended at @ns and is not sorted yet.
 * @before is the last reading before the first of @events; it may be empty.
 */
void symtimes_note(struct symtimes *st, const struct module_event *events, size_t n,
		   const struct buf *before, const struct buf *reading, uint64_t ns);
/*
 * Appends "symbol_times" of trace.dat(5) for @text, the sorted lines of all readings. Nothing if no
 * addresses collide. @clock converts nanoseconds of CLOCK_MONOTONIC to the trace clock.
 */
void symtimes_text(const struct symtimes *st, const struct module_event *events, size_t n,
		   const struct buf *text, uint64_t (*clock)(const void *ctx, uint64_t ns),
		   const void *ctx, struct buf *out);
void symtimes_release(struct symtimes *st);

#endif
