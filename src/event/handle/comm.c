/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Task names by pid from saved_cmdlines, for the events whose text names tasks. */
#include <string.h>

#include "base/limits.h"
#include "event/handle/engine.h"

/* "PID COMM", where COMM may have blanks. The first line of a pid counts. */
static void add_comm_line(struct ev_shared *sh, const char *p, const char *end)
{
	const char *start = p;
	uint32_t pid = 0;

	for (; p < end && *p >= '0' && *p <= '9' && p - start < 10; p++)
		pid = pid * 10 + (*p - '0');
	if (p == start || p == end || *p != ' ' || p + 1 == end || map_get(&sh->comms, pid) ||
	    sh->comms.n >= LIMIT_COMMS)
		return;
	p++;
	if (end - p > LIMIT_NAME)
		end = p + LIMIT_NAME;
	map_put(&sh->comms, pid, texts_add(&sh->texts, p, strnlen(p, end - p)));
}

static void build_comm_map(struct ev_shared *sh)
{
	const char *p, *end, *nl;
	size_t len;

	p = ev_world_text(sh->w, EV_CMDLINES, &len);
	for (end = p + len; p && p < end; p = nl + 1) {
		nl = memchr(p, '\n', end - p);
		if (!nl)
			nl = end;
		add_comm_line(sh, p, nl);
	}
}

const char *comm_find(struct ev_engine *e, int32_t pid)
{
	struct ev_shared *sh = e->sh;
	const char *comm;

	if (pid <= 0)
		return pid ? "<XXX>" : "<idle>";
	if (!atomic_load_explicit(&sh->comms_built, memory_order_acquire)) {
		pthread_mutex_lock(&sh->printk_lock);
		if (!sh->comms_built) {
			build_comm_map(sh);
			atomic_store_explicit(&sh->comms_built, true, memory_order_release);
		}
		pthread_mutex_unlock(&sh->printk_lock);
	}
	comm = map_get(&sh->comms, (uint32_t)pid);
	return comm ? comm : "<...>";
}
