/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Task names by pid from saved_cmdlines, for the events whose text names tasks. */
#include "event/data/comm_lines.h"
#include "event/handle/engine_priv.h"

static void build_comm_table(struct ev_shared *sh)
{
	struct comm_line line;
	size_t len;
	const char *text = ev_world_text(sh->w, EV_CMDLINES, &len), *p = text, *end = p + len;

	while (comm_line_next(&line, &p, end))
		if (line.pid >= 0 && line.len)
			comm_table_add(&sh->comm_lines, line.pid, line.name - text);
}

/* The name that stands at @offset; it stays. Under the lock. */
static const char *make_comm(struct ev_shared *sh, int32_t pid, size_t offset)
{
	size_t len;
	const char *text = ev_world_text(sh->w, EV_CMDLINES, &len), *name;

	name = texts_add(&sh->texts, text + offset, comm_name_len(text, len, offset));
	map_put(&sh->comms, (uint32_t)pid, (void *)(uintptr_t)name);
	return name;
}

static const char *find_saved_comm(struct ev_shared *sh, int32_t pid)
{
	const char *comm = NULL;
	size_t offset;

	if (!atomic_load_explicit(&sh->comms_built, memory_order_acquire)) {
		pthread_mutex_lock(&sh->printk_lock);
		if (!sh->comms_built) {
			build_comm_table(sh);
			atomic_store_explicit(&sh->comms_built, true, memory_order_release);
		}
		pthread_mutex_unlock(&sh->printk_lock);
	}
	if (!comm_table_find(&sh->comm_lines, pid, &offset))
		return NULL;
	pthread_mutex_lock(&sh->printk_lock);
	comm = map_get(&sh->comms, (uint32_t)pid);
	if (!comm)
		comm = make_comm(sh, pid, offset);
	pthread_mutex_unlock(&sh->printk_lock);
	return comm;
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
