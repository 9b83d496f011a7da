/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Marks of spans and counters in the style of atrace: "B|PID|NAME" ... "E|PID", "S|PID|NAME|COOKIE"
 * ... "F|PID|NAME|COOKIE", "C|PID|NAME|VALUE". Programs write them to trace_marker, and drivers
 * have events of the name tracing_mark_write. The rules are in Documentation/design/spans.md.
 */
#ifndef FTR_MODEL_MARKERS_H
#define FTR_MODEL_MARKERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/event.h"
#include "trace/trace.h"

#define MARKER_FIELDS	5

/* The form of an event's marks, and the meaning of its fields. */
enum marker_form {
	MARKER_NONE,
	MARKER_TEXT,		/* the text of field 0 */
	MARKER_RENDERED,	/* the text of the record: bprint, bputs */
	MARKER_FIELD,		/* fields: name, pid, type, value or NULL, prefix or NULL */
	MARKER_BEGIN,		/* the same, but type is 1 for a begin, 0 for an end */
};

/* A mark. Texts are borrowed from the record, or from the buffer given to marker_read(). */
struct marker_fields {
	char letter;			/* B E S F G H C I N */
	bool is_real;			/* of C: the value is ->real */
	int32_t tgid;			/* the PID of the mark, 0 without one */
	const char *name;		/* of H: the track */
	size_t len;
	const char *track;		/* of G, H, N */
	size_t track_len;
	int64_t number;			/* the cookie, or the value */
	double real;
};

/*
 * Returns the form of the marks that records of @fmt may have, MARKER_NONE if they never have any;
 * sets the fields. @fmt must be ready: ev_format_ready().
 */
enum marker_form marker_form_of(const struct ev_format *fmt, const struct ev_field **f);
/*
 * Reads the mark of a record. Returns false if it has none. @text is a buffer for texts that the
 * record does not have as they are.
 */
bool marker_read(enum marker_form form, const struct ev_field *const *f, const struct trace_rec *r,
		 struct buf *text, struct marker_fields *k);
/* Parses a text, with or without the line's end. Returns false if it is no mark. */
bool marker_parse(const char *text, size_t len, struct marker_fields *k);

#endif
