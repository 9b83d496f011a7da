/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines of saved_cmdlines, taken apart. */
#include "event/data/comm_lines.h"

#include <stdint.h>
#include <string.h>

#include "base/limits.h"

void comm_line_split(struct comm_line *line, const char *p, const char *end)
{
	const char *at = p;
	int64_t pid = 0;

	for (; at < end && *at >= '0' && *at <= '9' && pid <= INT32_MAX; at++)
		pid = pid * 10 + (*at - '0');
	if (at == p || at == end || *at != ' ' || pid > INT32_MAX)
		*line = (struct comm_line){ -1, p, end - p };
	else
		*line = (struct comm_line){ pid, at + 1, end - at - 1 };
}

bool comm_line_next(struct comm_line *line, const char **p, const char *end)
{
	const char *nl;

	if (!*p || *p >= end || !**p)
		return false;
	nl = memchr(*p, '\n', end - *p);
	if (!nl)
		nl = end;
	comm_line_split(line, *p, *p + strnlen(*p, nl - *p));
	*p = nl + 1;
	return true;
}

size_t comm_name_len(const char *text, size_t len, size_t offset)
{
	size_t n = len - offset < LIMIT_NAME ? len - offset : LIMIT_NAME;
	const char *name = text + offset, *nl = memchr(name, '\n', n);

	return strnlen(name, nl ? (size_t)(nl - name) : n);
}
