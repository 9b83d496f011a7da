/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads single lines from the text of an event's format file. To read records use
 * ev_format_parse(), see data.h.
 */
#ifndef FTR_EVENT_FORMAT_LINES_H
#define FTR_EVENT_FORMAT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strv;

/* "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;"; borrowed from the text. */
struct format_field {
	const char *decl, *name;	/* not NUL-terminated */
	size_t decl_len, name_len;
	uint32_t offset, size;
	bool is_signed;
};

/* Parses the next field and moves *p after it. Returns false if there are no more. */
bool format_field_next(struct format_field *f, const char **p);
/* Finds the first field called @name. Returns false if there is none. */
bool format_field_find(struct format_field *f, const char *text, const char *name);
/* Appends the names of the fields; with @common also those that all events have. */
void format_field_names(const char *text, bool common, struct strv *out);
/* Returns the name in the first line, of *len bytes, borrowed; NULL if it has none. */
const char *format_name(const char *text, size_t text_len, size_t *len);
bool format_id(const char *text, uint16_t *id);
/* Returns the text after "print fmt: ", of *len bytes, borrowed; NULL if there is none. */
const char *format_print_fmt(const char *text, size_t *len);

#endif
