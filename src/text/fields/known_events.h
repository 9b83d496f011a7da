/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Formats of well-known events, for texts whose kernel's formats are not known. */
#ifndef FTR_TEXT_FIELDS_KNOWN_EVENTS_H
#define FTR_TEXT_FIELDS_KNOWN_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"

/* A format of one or more events. Kernels of different versions have different formats. */
struct known_event {
	const char *system, *names;	/* ->names has blanks between them */
	const char *fields;		/* declarations with "; " between them */
	const char *fmt;		/* the string of the print fmt */
	/*
	 * The arguments of ->fmt. A name alone is a field. NULL: all fields in their order.
	 */
	const char *args;
	/* The string and arguments of a text that differs from the kernel's, or NULL. */
	const char *text, *text_args;
};

/* Returns the next row for @name after @prev, or the first one if @prev is NULL; NULL: no more. */
const struct known_event *known_event_next(const char *name, const struct known_event *prev);
/* Appends the lines of the fields of a format, without the common ones. */
void known_event_fields(const struct known_event *k, struct buf *out);
/* Returns true if the field is a number here: names that it has are those of all kernels. */
bool known_event_has_number(const char *event, const char *field);
/* Append the print fmt: that of the kernel, and that of the text. */
void known_event_print(const struct known_event *k, struct buf *out);
void known_event_text(const struct known_event *k, struct buf *out);

#endif
