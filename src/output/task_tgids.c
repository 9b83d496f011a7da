/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which process a task belongs to, where the file says it. */
#include "output/task_tgids.h"

#include <stdio.h>
#include <string.h>

/* "PID TGID;PID TGID" */
void tgids_read(struct map *tgids, const struct trace *t)
{
	size_t len;
	const char *text = dat_ftr_value(t->dat, "saved_tgids", &len), *end = text + len, *semi;
	int pid, tgid;

	for (; text && text < end; text = semi + 1) {
		char line[40] = "";

		semi = memchr(text, ';', end - text);
		if (!semi)
			semi = end;
		if ((size_t)(semi - text) >= sizeof(line))
			continue;
		memcpy(line, text, semi - text);
		if (sscanf(line, "%d %d", &pid, &tgid) == 2 && tgid > 0)
			map_put(tgids, (uint32_t)pid, (void *)(uintptr_t)tgid);
	}
}
