/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the name of each pid stands in a text of saved_cmdlines: 4 bytes for each pid that the
 * kernel can have, so that a text of a few compressed kilobytes does not become a large map.
 */
#ifndef FTR_EVENT_COMM_TABLE_H
#define FTR_EVENT_COMM_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"
#include "base/map.h"

#define COMM_PAGE_PIDS	4096
#define COMM_PAGES	(LIMIT_COMMS / COMM_PAGE_PIDS)
#define COMM_HIGH_MAX	65536		/* pids that no kernel has */

/* Zeroed is empty. */
struct comm_table {
	size_t n;			/* pids with a name */
	/* private */
	uint32_t *pages[COMM_PAGES];	/* by pid: 1 + offset */
	struct map high;		/* of pids from LIMIT_COMMS on */
};

/*
 * Notes that the name of @pid stands at @offset, unless it has one. False if there is no room: too
 * many pids that no kernel has, or an offset beyond 4 GiB.
 */
bool comm_table_add(struct comm_table *t, int pid, size_t offset);
/* False if @pid has no name. */
bool comm_table_find(const struct comm_table *t, int pid, size_t *offset);
/* Calls @fn for each pid with a name, in no order. */
void comm_table_each(const struct comm_table *t, void (*fn)(void *ctx, int pid, size_t offset),
		     void *ctx);
void comm_table_release(struct comm_table *t);

#endif
