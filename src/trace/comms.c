/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Task names by pid, from the saved_cmdlines of a trace file. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "event/data/comm_lines.h"
#include "trace/priv.h"

static void add_trace_comm(struct trace_shared *s, int pid, const char *comm, size_t len)
{
	struct buf text = {0};

	/* the first line of a pid counts, as in the kernel's own lookup */
	if (map_get(&s->comms, (uint32_t)pid))
		return;
	if (s->comms.n >= LIMIT_COMMS) {
		damage_note(&s->damages, "too many task names", s->dat->path,
			    dat_text(s->dat, DAT_CMDLINES)->off, -1, "more than %d", LIMIT_COMMS);
		return;
	}
	if (len > LIMIT_NAME)
		damage_note(&s->damages, "name of a task is too long", s->dat->path,
			    dat_text(s->dat, DAT_CMDLINES)->off, -1, "more than %d bytes",
			    LIMIT_NAME);
	text_sanitise(&text, comm, len < LIMIT_NAME ? len : LIMIT_NAME, false);
	map_put(&s->comms, (uint32_t)pid, texts_add(&s->names, text.data, text.len));
	buf_release(&text);
}

static void fill_comms(struct trace_shared *s)
{
	const struct dat_blob *b = dat_text(s->dat, DAT_CMDLINES);
	const char *p = b->p, *end = b->p + b->len;
	struct comm_line line;

	while (comm_line_next(&line, &p, end)) {
		if (!line.len)
			continue;
		if (line.pid >= 0)
			add_trace_comm(s, line.pid, line.name, line.len);
		else if (*line.name < '0' || *line.name > '9')
			damage_note(&s->damages, "unreadable line in the saved comms", s->dat->path,
				    b->off, -1, NULL);
	}
}

static const struct map *get_comms(struct trace_shared *s)
{
	if (__atomic_load_n(&s->comms_built, __ATOMIC_ACQUIRE))
		return &s->comms;
	pthread_mutex_lock(&s->lock);
	if (!s->comms_built)
		fill_comms(s);
	__atomic_store_n(&s->comms_built, 1, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&s->lock);
	return &s->comms;
}

void trace_comms_release(struct trace_shared *s)
{
	size_t i;

	/* without a file each has a block of its own */
	for (i = 0; !s->names.last && i < s->comms.cap; i++)
		free(s->comms.slots[i].val);
	map_release(&s->comms);
	texts_release(&s->names);
}

size_t trace_nr_comms(const struct trace *t)
{
	return get_comms(t->shared)->n;
}

void trace_comm_names(const struct trace *t, struct strv *names)
{
	const struct map *m = get_comms(t->shared);

	for (size_t i = 0; i < m->cap; i++)
		if (m->slots[i].val)
			strv_add(names, m->slots[i].val);
}

int *trace_comm_pids(const struct trace *t)
{
	const struct map *m = get_comms(t->shared);
	int *pids = xcalloc(m->n + 1, sizeof(*pids));
	size_t n = 0;

	for (size_t i = 0; i < m->cap; i++)
		if (m->slots[i].val)
			pids[n++] = (int)m->slots[i].key;
	return pids;
}

static const char *look_up_comm(const struct trace *t, int pid)
{
	const char *comm = map_get(get_comms(t->shared), (uint32_t)pid);

	return comm ? comm : "<...>";
}

const char *trace_comm(const struct trace *t, int pid)
{
	struct trace_comm_slot *c = &t->comm_cache[(uint32_t)pid % TRACE_COMM_SLOTS];

	if (!pid)
		return "<idle>";
	if (c->pid != (int64_t)pid + 1 || !c->comm)
		*c = (struct trace_comm_slot){ (int64_t)pid + 1, look_up_comm(t, pid) };
	return c->comm;
}
