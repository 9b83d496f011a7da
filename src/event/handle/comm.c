/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Task names by pid from saved_cmdlines, for the events whose text names tasks. */
#include "base/limits.h"
#include "event/data/comm_lines.h"
#include "event/handle/engine.h"

static void build_comm_map(struct ev_shared *sh)
{
	struct comm_line line;
	size_t len;
	const char *p = ev_world_text(sh->w, EV_CMDLINES, &len), *end = p + len;

	while (comm_line_next(&line, &p, end)) {
		if (line.pid < 0 || !line.len || map_get(&sh->comms, (uint32_t)line.pid) ||
		    sh->comms.n >= LIMIT_COMMS)
			continue;
		if (line.len > LIMIT_NAME)
			line.len = LIMIT_NAME;
		map_put(&sh->comms, (uint32_t)line.pid, texts_add(&sh->texts, line.name, line.len));
	}
}

static const char *find_saved_comm(struct ev_shared *sh, int32_t pid)
{
	if (!atomic_load_explicit(&sh->comms_built, memory_order_acquire)) {
		pthread_mutex_lock(&sh->printk_lock);
		if (!sh->comms_built) {
			build_comm_map(sh);
			atomic_store_explicit(&sh->comms_built, true, memory_order_release);
		}
		pthread_mutex_unlock(&sh->printk_lock);
	}
	return map_get(&sh->comms, (uint32_t)pid);
}

const char *comm_find(struct ev_engine *e, int32_t pid)
{
	const struct ev_loader *from = e->w->loader;
	const char *comm = NULL;

	if (pid <= 0)
		return pid ? "<XXX>" : "<idle>";
	if (e->style.comms)
		comm = map_get(e->style.comms, (uint32_t)pid);
	if (!comm && from && from->comm)
		comm = from->comm(from->ctx, pid);
	if (!comm)
		comm = find_saved_comm(e->sh, pid);
	return comm ? comm : "<...>";
}
