/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes a dump as a trace.dat file. */
#ifndef FTR_OOPS_DUMP_FILE_H
#define FTR_OOPS_DUMP_FILE_H

#include "base/err.h"
#include "oops/fields/dump_symbols.h"
#include "oops/log/log_dump.h"
#include "record/capture/capture_formats.h"

struct oops_events;

/*
 * Reads formats of events from @path: a trace file, a directory like "events" of tracefs, or a text
 * with "@@FILE SYSTEM/EVENT/format" before each format. If @path is NULL it reads them from the
 * running kernel, if that is possible. Returns 0, or -1 with @err.
 */
int oops_formats_read(struct format_files *f, const char *path, struct ftr_error *err);

/* Numbers of records: all, events, events with fields, events without a separate format. */
struct oops_counts {
	size_t records, events, with_fields, others;
};

/*
 * Writes a new file @path. If @formats is empty all events get one field, the text. @lines has more
 * lines "key=value" for the file, or is NULL. Returns 0, or -1 with @err.
 */
int oops_file_write(const char *path, const struct log_dump *d, const struct format_files *formats,
		    const struct buf *lines, struct oops_counts *counts, struct ftr_error *err);

/* --- the records alone */

/* An event of the file, with its format. */
struct oops_kind {
	uint16_t id;
	char    *system, *name;
	struct buf format;		/* the text of its format */
	size_t   records;
};

/* Borrows @syms and @formats, which may be empty. */
struct oops_events *oops_events_new(const struct oops_syms *syms,
				    const struct format_files *formats);
/* Appends the bytes of @r, less than 4,000. Returns false if the file can have no more events. */
bool oops_events_encode(struct oops_events *e, const struct log_dump *d, const struct dump_rec *r,
			struct buf *out);
/* Gets the events used so far, except those of ftrace. Returns their number. */
size_t oops_events_kinds(const struct oops_events *e, struct oops_kind *const **v);
/* Returns the counts of encoded records; ->records is 0. */
struct oops_counts oops_events_count(const struct oops_events *e);
void oops_events_free(struct oops_events *e);

/* Formats of ftrace: function, kernel_stack, funcgraph_entry, funcgraph_exit, print. */
extern const char *const oops_builtin_formats[];
#define OOPS_BUILTIN_FORMATS 5

#endif
