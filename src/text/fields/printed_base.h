/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The base of "name=10" in the text of an event: print fmts have %x without "0x" before it. */
#ifndef FTR_TEXT_FIELDS_PRINTED_BASE_H
#define FTR_TEXT_FIELDS_PRINTED_BASE_H

#include <stdbool.h>
#include <stddef.h>

enum printed_base {
	BASE_OF_TEXT,		/* the text itself shows it: digits without "0x" are decimal */
	BASE_HEX,		/* digits without "0x" are hexadecimal */
	BASE_NONE,		/* the text is no number, or its base is not known */
};

/*
 * Sets the base of the value @name, of @len bytes, as the print fmt @print has it. Returns false if
 * it has no such value.
 */
bool base_of_print(const char *print, const char *name, size_t len, enum printed_base *base);
/* Returns the base of the value in the texts of @event, without its print fmt. */
enum printed_base base_of_event(const char *event, const char *name, size_t len);

#endif
