/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of tasks by pid. */
#include "event/data/comm_table.h"

#include <stdlib.h>

#include "base/mem.h"

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
