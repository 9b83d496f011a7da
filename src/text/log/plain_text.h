/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses texts that start with a trace, whose lines have no prefixes: in several threads. */
#ifndef FTR_TEXT_LOG_PLAIN_TEXT_H
#define FTR_TEXT_LOG_PLAIN_TEXT_H

#include "text/log/dump_reader.h"

/*
 * Parses the lines of @text as @form has them; @line is the number of its first line. "# tracer: "
 * starts another dump. Returns the bytes up to the first line of another kind: the head of a dump
 * in a log.
 */
size_t plain_text_parse(struct log_dumps *d, const char *text, size_t len,
			const struct line_form *form, uint32_t line);
/* Appends a dump; if there are too many the first one goes. @instance is copied. */
struct log_dump *log_dumps_add(struct log_dumps *d, struct span_text instance);

#endif
