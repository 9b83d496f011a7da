/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Descriptions of values for programs: the units of fields, and the members of JSON lines. */
#ifndef FTR_OUTPUT_JSON_JSON_SCHEMA_H
#define FTR_OUTPUT_JSON_JSON_SCHEMA_H

#include <jansson.h>

#include "trace/trace.h"

enum value_unit {
	UNIT_NONE,
	UNIT_TIME,			/* of the trace clock: mostly nanoseconds */
	UNIT_NS, UNIT_BYTES, UNIT_SECTORS, UNIT_KHZ, UNIT_HZ, UNIT_JIFFIES, UNIT_MILLIDEGREES,
};

/* Returns "ns", "bytes", "512-byte sectors"; NULL for UNIT_NONE. */
const char *unit_name(enum value_unit u, bool clock_is_ns);
/* Returns the unit of a field of an event, as far as the kernel's print fmts say. */
enum value_unit field_unit(const struct ev_format *fmt, const struct ev_field *f);
/* Returns a text of a file, whose bytes may be any, as a JSON string: see json_add_utf8(). */
json_t *json_text_of(const char *text);
/*
 * Returns an object, a new reference, that describes the JSON lines of the files: "members", a
 * list, and "events", a list with the fields of each event. @text: lines have the member text.
 */
json_t *json_lines_schema(struct trace *const *traces, size_t n, bool text);

#endif
