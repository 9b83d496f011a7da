/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines of printk_formats, taken apart. */
#include "event/data/printk_lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static bool split_printk_line(struct printk_line *line, const char *p, const char *end)
{
	const char *open = memchr(p, '"', end - p);
	char head[24], *stop;

	if (!open || (size_t)(open - p) >= sizeof(head))
		return false;
	memcpy(head, p, open - p);
	head[open - p] = 0;
	line->addr = strtoull(head, &stop, 16);
	while (end > open + 1 && end[-1] != '"')
		end--;
	line->text = open + 1;
	line->len = end > open + 1 ? end - open - 2 : 0;
	return stop > head && end > open + 1;
}

bool printk_line_next(struct printk_line *line, const char **p, const char *end)
{
	const char *start, *nl;

	while (*p && *p < end) {
		start = *p;
		nl = memchr(start, '\n', end - start);
		if (!nl)
			nl = end;
		*p = nl + 1;
		if (split_printk_line(line, start, nl))
			return true;
	}
	return false;
}

void printk_line_unescape(struct buf *out, const struct printk_line *line)
{
	static const char from[] = "ntr", to[] = "\n\t\r";
	const char *p = line->text, *end = p + line->len, *at;

	for (; p < end; p++) {
		if (*p != '\\' || p + 1 == end) {
			buf_addch(out, *p);
			continue;
		}
		p++;
		at = *p ? strchr(from, *p) : NULL;
		buf_addch(out, at ? to[at - from] : *p);
	}
}
