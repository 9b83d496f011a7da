/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kinds of texts that have records of a trace, and how each is recognised. */
#ifndef FTR_TEXT_LOG_TEXT_TYPES_H
#define FTR_TEXT_LOG_TEXT_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text_line;
struct line_form;
struct line_scanner;

struct text_type {
	const char *name;	/* as a user names it: "trace-cmd" */
	const char *title;	/* for messages: "the text of trace-cmd report" */
	bool plain;		/* its lines have no prefixes of logs */
	bool padded;		/* the text of an event starts at a column */
	/* Parses the context before the event. */
	bool (*context)(struct line_scanner *s, struct text_line *l);
	bool (*body)(const struct line_form *f, struct line_scanner s, struct text_line *l);
	bool (*frame)(struct line_scanner s, struct text_line *l);
	/*
	 * Returns true if a text starts so. @text starts with a line of its own; ->skip of the form
	 * may be set. NULL: the type is never recognised by its first lines.
	 */
	bool (*starts)(const char *text, size_t len, struct line_form *form);
};

/* All types; the rows that are more definite stand first. */
extern const struct text_type text_types[];
extern const size_t text_types_nr;

/* Returns the type of that name, or NULL. */
const struct text_type *text_type_find(const char *name);
/*
 * Finds the type of a text by its first lines, and sets @form and the offset at which the trace
 * starts. @forced, if it is not NULL, is taken for the type. Returns false if the text does not
 * start with a trace: then it may be a log with dumps.
 */
bool text_type_recognise(const char *text, size_t len, const struct text_type *forced,
			 struct line_form *form, size_t *at);

#endif
