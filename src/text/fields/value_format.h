/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The format of an event whose texts are "name=value ...", made from these texts. */
#ifndef FTR_TEXT_FIELDS_VALUE_FORMAT_H
#define FTR_TEXT_FIELDS_VALUE_FORMAT_H

#include "base/mem.h"
#include "text/log/log_dump.h"

/* Texts of one event. */
struct value_texts {
	const char *event;
	const struct span_text *v;	/* some of its texts */
	size_t n;
	/* print fmts of the event that can't be solved: they show the bases of numbers */
	const char *prints[8];
	size_t nr_prints;
};

/*
 * Appends the fields and the print fmt of texts that are "name=value ..." throughout. Returns false
 * if they are not. A value is a number if its text, and the conversion that printed it, leave no
 * doubt about the number; else it is a string.
 */
bool format_of_values(const struct value_texts *t, struct buf *out);

#endif
