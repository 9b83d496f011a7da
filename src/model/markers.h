/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Marks of spans and counters in the style of atrace: "B|PID|NAME" ... "E|PID", "S|PID|NAME|COOKIE"
 * ... "F|PID|NAME|COOKIE", "C|PID|NAME|VALUE". Programs write them to trace_marker, and the events
 * of some drivers are printed so. The rules are in Documentation/design/spans.md.
 */
#ifndef FTR_MODEL_MARKERS_H
#define FTR_MODEL_MARKERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/event.h"
#include "trace/trace.h"

/* The form of an event's marks. */
enum marker_form {
	MARKER_NONE,
	MARKER_TEXT,		/* the text of a field */
	MARKER_RENDERED,	/* the text of the record, as it is printed */
	MARKER_VALUED,		/* the same, and each mark has a value behind its name */
};

/* A mark. Texts are borrowed from the record, or from the buffer given to marker_read(). */
struct marker_fields {
	char letter;			/* B E S F G H C I N */
	bool is_real;			/* of C: the value is ->real */
	int32_t tgid;			/* the PID of the mark, 0 without one */
	const char *name;		/* of H: the track; of E mostly empty */
	size_t len;
	const char *track;		/* of G, H, N */
	size_t track_len;
	int64_t number;			/* the cookie, or the value */
	double real;
};

/*
 * Returns the form of the marks that records of @fmt may have, MARKER_NONE if they never have any;
 * *text is the field of MARKER_TEXT, else NULL. @fmt must be ready: ev_format_ready().
 */
enum marker_form marker_form_of(const struct ev_format *fmt, const struct ev_field **text);
/*
 * Reads the mark of a record; @f is the field of MARKER_TEXT. Returns false if there is none. The
 * engine of the trace renders other forms, into @text.
 */
bool marker_read(enum marker_form form, const struct ev_field *f, const struct trace_rec *r,
		 struct buf *text, struct marker_fields *k);
/* Parses a text, with or without the line's end. Returns false if it is no mark. */
bool marker_parse(const char *text, size_t len, struct marker_fields *k);

#endif
