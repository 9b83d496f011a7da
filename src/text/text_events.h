/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Encodes records whose events are text as records of the ring buffer, and makes their formats. */
#ifndef FTR_TEXT_EVENTS_H
#define FTR_TEXT_EVENTS_H

#include "record/capture/capture_formats.h"
#include "text/fields/dump_symbols.h"
#include "text/log/log_dump.h"

struct text_events;

/*
 * Numbers of records: all, events, events with fields, events without a separate format, calls
 * whose arguments are in no known form.
 */
struct text_counts {
	size_t records, events, with_fields, others, without_args;
};

/* An event of the file, with its format. */
struct text_event_kind {
	uint16_t id;
	char    *system, *name;
	struct buf format;		/* the text of its format */
	size_t   records;
};

/* Borrows @syms and @formats, which may be empty. */
struct text_events *text_events_new(const struct dump_syms *syms,
				    const struct format_files *formats);
/* Finds fields only by trying, which takes longer and has the same results. Call it first. */
void text_events_set_slow(struct text_events *e);
/* Ends of calls have results, as with CONFIG_FUNCTION_GRAPH_RETVAL. Call it first. */
void text_events_set_results(struct text_events *e);
/* Calls have arguments, as with the option funcgraph-args. Call it first. */
void text_events_set_args(struct text_events *e);
/* Appends the prototypes of the calls that were encoded; nothing if there are none. */
void text_events_protos(const struct text_events *e, struct buf *out);
/* Appends the bytes of @r, less than 4,000. Returns false if the file can have no more events. */
bool text_events_encode(struct text_events *e, const struct log_dump *d, const struct dump_rec *r,
			struct buf *out);
/* Gets the events used so far, except those of ftrace. Returns their number. */
size_t text_events_kinds(const struct text_events *e, struct text_event_kind *const **v);
/* Returns the counts of encoded records; ->records is 0. */
struct text_counts text_events_count(const struct text_events *e);
void text_events_free(struct text_events *e);

/* Returns format @i of ftrace: function, kernel_stack, print, funcgraph_entry, funcgraph_exit. */
const char *text_events_builtin(const struct text_events *e, size_t i);
#define TEXT_BUILTIN_FORMATS 5

#endif
