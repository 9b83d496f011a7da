/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The records of a dump as bytes, with the formats that these need. */
#ifndef FTR_OOPS_EVENTS_H
#define FTR_OOPS_EVENTS_H

#include "oops/syms.h"

struct formats;
struct oops_events;

/* An event as it stands in the file. */
struct oops_kind {
	uint16_t id;
	char    *system, *name;
	struct buf format;		/* its text */
	size_t   records;
};

/* @syms and @formats (may be empty) are borrowed. */
struct oops_events *oops_events_new(const struct oops_syms *syms, const struct formats *formats);
/* Appends the bytes of @r, less than 4,000. False when the file can have no more events. */
bool oops_events_encode(struct oops_events *e, const struct dump *d, const struct dump_rec *r,
			struct buf *out);
/* Those that were needed, ftrace's own not among them. */
size_t oops_events_kinds(const struct oops_events *e, struct oops_kind *const **v);
/* Records of events, and those of them that have fields. */
void oops_events_count(const struct oops_events *e, size_t *events, size_t *with_fields);
void oops_events_free(struct oops_events *e);

/* Of ftrace itself: function, kernel_stack, funcgraph_entry, funcgraph_exit, print. */
extern const char *const oops_builtin_formats[];
#define OOPS_BUILTIN_FORMATS 5

#endif
