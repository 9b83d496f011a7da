/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Task names by pid, from the saved_cmdlines of a trace file. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "event/data/comm_lines.h"
#include "trace/trace_priv.h"

static void note_trace_comm(struct trace_shared *s, const struct dat_blob *b,
			    const struct comm_line *line)
{
	if (!comm_table_add(&s->comm_lines, line->pid, line->name - b->p))
		damage_note(&s->damages, "too many task names", s->dat->path, b->off, -1,
			    "more than %d", COMM_HIGH_MAX);
	else if (line->len > LIMIT_NAME)
		damage_note(&s->damages, "name of a task is too long", s->dat->path, b->off, -1,
			    "more than %d bytes", LIMIT_NAME);
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
			note_trace_comm(s, b, &line);
		else if (*line.name < '0' || *line.name > '9')
			damage_note(&s->damages, "unreadable line in the saved comms", s->dat->path,
				    b->off, -1, NULL);
	}
}

static struct trace_shared *with_comms(const struct trace *t)
{
	struct trace_shared *s = t->shared;

	if (__atomic_load_n(&s->comms_built, __ATOMIC_ACQUIRE))
		return s;
	pthread_mutex_lock(&s->lock);
	if (!s->comms_built)
		fill_comms(s);
	__atomic_store_n(&s->comms_built, 1, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&s->lock);
	return s;
}

/* Under the lock: the name as it is shown, which stays. */
static const char *make_name(struct trace_shared *s, int pid, size_t offset)
{
	const struct dat_blob *b = dat_text(s->dat, DAT_CMDLINES);
	struct buf text = {0};
	const char *name;

	text_sanitise(&text, b->p + offset, comm_name_len(b->p, b->len, offset), false);
	name = texts_add(&s->names, text.data, text.len);
	map_put(&s->comms, (uint32_t)pid, (void *)(uintptr_t)name);
	buf_release(&text);
	return name;
}

void trace_comms_release(struct trace_shared *s)
{
	size_t i;

	/* without a file each has a block of its own */
	for (i = 0; !s->names.last && i < s->comms.cap; i++)
		free(s->comms.slots[i].val);
	map_release(&s->comms);
	texts_release(&s->names);
	comm_table_release(&s->comm_lines);
}

size_t trace_nr_comms(const struct trace *t)
{
	const struct trace_shared *s = with_comms(t);

	return t->live ? s->comms.n : s->comm_lines.n;
}

/* Pids, in no order. */
struct pids {
	int *v;
	size_t n;
};

static void add_pid(void *ctx, int pid, size_t offset)
{
	struct pids *p = ctx;

	(void)offset;
	p->v[p->n++] = pid;
}

int *trace_comm_pids(const struct trace *t)
{
	const struct trace_shared *s = with_comms(t);
	struct pids p = { xcalloc(trace_nr_comms(t) + 1, sizeof(*p.v)), 0 };

	comm_table_each(&s->comm_lines, add_pid, &p);
	for (size_t i = 0; t->live && i < s->comms.cap; i++)
		if (s->comms.slots[i].val)
			add_pid(&p, (int)s->comms.slots[i].key, 0);
	return p.v;
}

void trace_comm_names(const struct trace *t, struct strv *names)
{
	int *pids = trace_comm_pids(t);

	for (size_t i = 0, n = trace_nr_comms(t); i < n; i++)
		strv_add(names, trace_comm(t, pids[i]));
	free(pids);
}

static const char *look_up_comm(const struct trace *t, int pid)
{
	struct trace_shared *s = with_comms(t);
	const char *comm;
	size_t offset;

	/* what lives has one thread, and no lines */
	if (t->live)
		comm = map_get(&s->comms, (uint32_t)pid);
	else if (!comm_table_find(&s->comm_lines, pid, &offset))
		comm = NULL;
	else {
		pthread_mutex_lock(&s->lock);
		comm = map_get(&s->comms, (uint32_t)pid);
		if (!comm)
			comm = make_name(s, pid, offset);
		pthread_mutex_unlock(&s->lock);
	}
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
