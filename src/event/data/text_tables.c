/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text tables of the recorded kernel: saved_cmdlines and printk_formats. */
#include "event/data/text_tables.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"

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

/* --- task names by pid */

bool comm_table_add(struct comm_table *t, int pid, size_t offset)
{
	uint32_t **page, *at;

	if (offset >= UINT32_MAX)
		return false;
	if (pid < 0 || pid >= LIMIT_COMMS) {
		if (map_get(&t->high, (uint32_t)pid))
			return true;
		if (t->high.n >= COMM_HIGH_MAX)
			return false;
		map_put(&t->high, (uint32_t)pid, (void *)(uintptr_t)(offset + 1));
		t->n++;
		return true;
	}
	page = &t->pages[pid / COMM_PAGE_PIDS];
	if (!*page)
		*page = xcalloc(COMM_PAGE_PIDS, sizeof(**page));
	at = &(*page)[pid % COMM_PAGE_PIDS];
	t->n += !*at;
	*at = *at ? *at : offset + 1;
	return true;
}

bool comm_table_find(const struct comm_table *t, int pid, size_t *offset)
{
	const uint32_t *page;
	uintptr_t found = 0;

	if (pid < 0 || pid >= LIMIT_COMMS) {
		found = (uintptr_t)map_get(&t->high, (uint32_t)pid);
	} else {
		page = t->pages[pid / COMM_PAGE_PIDS];
		found = page ? page[pid % COMM_PAGE_PIDS] : 0;
	}
	*offset = found - 1;
	return found;
}

void comm_table_each(const struct comm_table *t, void (*fn)(void *ctx, int pid, size_t offset),
		     void *ctx)
{
	for (size_t i = 0; i < COMM_PAGES; i++)
		for (size_t k = 0; t->pages[i] && k < COMM_PAGE_PIDS; k++)
			if (t->pages[i][k])
				fn(ctx, i * COMM_PAGE_PIDS + k, t->pages[i][k] - 1);
	for (size_t i = 0; i < t->high.cap; i++)
		if (t->high.slots[i].val)
			fn(ctx, (int)t->high.slots[i].key,
			   (uintptr_t)t->high.slots[i].val - 1);
}

void comm_table_release(struct comm_table *t)
{
	for (size_t i = 0; i < COMM_PAGES; i++)
		free(t->pages[i]);
	map_release(&t->high);
	*t = (struct comm_table){0};
}

/* --- printk_formats */

bool printk_line_next(struct printk_line *line, const char **p, const char *end)
{
	const char *start, *nl, *open;
	char head[24], *stop;

	while (*p && *p < end) {
		start = *p;
		nl = memchr(start, '\n', end - start);
		if (!nl)
			nl = end;
		*p = nl + 1;
		open = memchr(start, '"', nl - start);
		if (!open || (size_t)(open - start) >= sizeof(head))
			continue;
		memcpy(head, start, open - start);
		head[open - start] = 0;
		line->addr = strtoull(head, &stop, 16);
		while (nl > open + 1 && nl[-1] != '"')
			nl--;
		if (stop == head || nl == open + 1)
			continue;
		line->text = open + 1;
		line->len = nl - open - 2;
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
