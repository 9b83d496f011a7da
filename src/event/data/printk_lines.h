/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines of printk_formats: `0xffffffff81234567 : "text\n"`, strings of trace_printk(). */
#ifndef FTR_EVENT_PRINTK_LINES_H
#define FTR_EVENT_PRINTK_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

struct printk_line {
	uint64_t addr;
	const char *text;	/* between the quotes, with the kernel's escapes */
	size_t len;
};

/* Parses the next line and moves *p behind it. Skips lines of another form. False at the end. */
bool printk_line_next(struct printk_line *line, const char **p, const char *end);
/* Appends the text with the kernel's escapes undone. */
void printk_line_unescape(struct buf *out, const struct printk_line *line);

#endif
