/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Encodes the records of a dump, and makes the formats for them. */
#ifndef FTR_OOPS_DUMP_RECORDS_H
#define FTR_OOPS_DUMP_RECORDS_H

#include "oops/fields/dump_symbols.h"

struct formats;
struct oops_events;

/* Records of a file; those of events, with fields, and as other_event, as there are too many. */
struct oops_counts {
	size_t records, events, with_fields, others;
};

/* An event of the file. */
struct oops_kind {
	uint16_t id;
	char    *system, *name;
	struct buf format;		/* its text */
	size_t   records;
};

/* Borrows @syms and @formats, which may be empty. */
struct oops_events *oops_events_new(const struct oops_syms *syms, const struct formats *formats);
/* Appends the bytes of @r, less than 4,000. False if the file can have no more events. */
bool oops_events_encode(struct oops_events *e, const struct dump *d, const struct dump_rec *r,
			struct buf *out);
/* The events used so far, except those of ftrace itself. Returns their number. */
size_t oops_events_kinds(const struct oops_events *e, struct oops_kind *const **v);
/* ->records is 0: it counts what the file takes. */
struct oops_counts oops_events_count(const struct oops_events *e);
void oops_events_free(struct oops_events *e);

/* Formats of ftrace itself: function, kernel_stack, funcgraph_entry, funcgraph_exit, print. */
extern const char *const oops_builtin_formats[];
#define OOPS_BUILTIN_FORMATS 5

#endif
