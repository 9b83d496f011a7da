/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which symbols of modules were there when, where one module's memory became another's. */
#ifndef FTR_RECORD_SYMTIMES_H
#define FTR_RECORD_SYMTIMES_H

#include "base/map.h"
#include "base/mem.h"
#include "record/capture/symbols/modlog.h"

/* Which lines were read of which loading of a module. Zeroed is empty. */
struct symtimes {
	struct map lines;
};

/*
 * Before it is sorted: a reading of /proc/kallsyms that ended at @ns. Of what was read before
 * @events began only @before, the last of it, is needed; it may be empty.
 */
void symtimes_note(struct symtimes *st, const struct module_event *events, size_t n,
		   const struct buf *before, const struct buf *reading, uint64_t ns);
/*
 * Appends what "symbol_times" of trace.dat(5) says of @text, sorted lines of all readings: nothing
 * where no addresses collide. @clock turns nanoseconds of CLOCK_MONOTONIC into the trace clock.
 */
void symtimes_text(const struct symtimes *st, const struct module_event *events, size_t n,
		   const struct buf *text, uint64_t (*clock)(const void *ctx, uint64_t ns),
		   const void *ctx, struct buf *out);
void symtimes_release(struct symtimes *st);

#endif
