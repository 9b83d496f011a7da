/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Wakings in the compact form of a bundle (CompactSched in ftrace_event_bundle.proto): lists, each
 * with an entry for each waking. Only of these Perfetto takes the flags, and so knows which were in
 * an interrupt. They name no task: it is the one to which the CPU switched last.
 */
#include <stdlib.h>

#include "base/map.h"
#include "base/text.h"
#include "output/perfetto/perfetto_priv.h"

#define NAME_MAX	64	/* bytes of a name; the kernel has 16 */

/* Numbers in CompactSched. */
enum { COMPACT_NAMES = 5, COMPACT_LISTS = 7 };
/* The lists follow each other from COMPACT_LISTS on. A time is the difference to the one before. */
enum { LIST_TIME, LIST_PID, LIST_CPU, LIST_PRIO, LIST_NAME, LIST_FLAGS, LISTS };

struct waking {
	uint64_t v[LISTS];		/* what goes into the lists */
	char name[NAME_MAX];
	size_t len;
};

struct pf_wakings {
	const struct ev_format *waking, *switched;	/* of which the fields are known */
	const struct ev_field *comm, *pid, *prio, *cpu, *next;
	uint32_t flags_off;
	int *running;			/* the task of the CPU's last switch; PF_NOBODY: unknown */
	uint64_t last;			/* time of the last waking in the bundle */
	struct waking held;
	struct buf lists[LISTS];
	struct buf names;		/* fields of CompactSched */
	struct textmap numbers;		/* of the names in ->names, from 1 on */
	uintptr_t nr_names;
};

struct pf_wakings *pf_wakings_new(int *running)
{
	struct pf_wakings *w = xcalloc(1, sizeof(*w));

	w->running = running;
	return w;
}

void pf_wakings_free(struct pf_wakings *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < LISTS; i++)
		buf_release(&w->lists[i]);
	buf_release(&w->names);
	textmap_release(&w->numbers);
	free(w);
}

void pf_wakings_lost(struct pf_wakings *w)
{
	*w->running = PF_NOBODY;
}

void pf_wakings_switched(struct pf_wakings *w, const struct trace_rec *r)
{
	uint64_t next;

	if (w->switched != r->rec.fmt)
		w->next = ev_field(r->rec.fmt, "next_pid");
	w->switched = r->rec.fmt;
	*w->running = w->next && ev_get_num(&r->rec, w->next, &next) ? (int32_t)next : PF_NOBODY;
}

/* Old kernels have the field success, which the compact form lacks. */
static void find_waking_fields(struct pf_wakings *w, const struct ev_format *fmt)
{
	uint32_t count_off;

	w->waking = fmt;
	w->comm = ev_field(fmt, "comm");
	w->pid = ev_field(fmt, "pid");
	w->prio = ev_field(fmt, "prio");
	w->cpu = ev_field(fmt, "success") ? NULL : ev_field(fmt, "target_cpu");
	ev_latency_offsets(fmt, &w->flags_off, &count_off);
}

static void add_packed(struct buf *b, uint64_t v)
{
	buf_poked(b, proto_varint(buf_poke(b, PROTO_VARINT_MAX), v));
}

bool pf_wakings_hold(struct pf_wakings *w, const struct trace_rec *r)
{
	struct waking *h = &w->held;
	const uint8_t *comm;
	uint32_t len;

	if (*w->running != r->pid)
		return false;
	if (w->waking != r->rec.fmt)
		find_waking_fields(w, r->rec.fmt);
	if (!w->comm || !w->pid || !w->prio || !w->cpu || w->flags_off >= r->rec.len ||
	    r->ts < w->last || !ev_get_bytes(&r->rec, w->comm, &comm, &len) ||
	    !ev_get_num(&r->rec, w->pid, &h->v[LIST_PID]) ||
	    !ev_get_num(&r->rec, w->prio, &h->v[LIST_PRIO]) ||
	    !ev_get_num(&r->rec, w->cpu, &h->v[LIST_CPU]))
		return false;
	h->v[LIST_TIME] = r->ts;
	h->v[LIST_FLAGS] = r->rec.data[w->flags_off];
	h->len = strnlen((const char *)comm, len < NAME_MAX ? len : NAME_MAX);
	memcpy(h->name, comm, h->len);
	return true;
}

static uintptr_t number_of_name(struct pf_wakings *w, const char *name, size_t len)
{
	uintptr_t number = (uintptr_t)textmap_get(&w->numbers, name, len);
	struct buf clean = {0};

	if (number)
		return number;
	number = ++w->nr_names;
	textmap_put(&w->numbers, name, len, (void *)number);
	text_sanitise(&clean, name, len, true);
	proto_add_bytes(&w->names, COMPACT_NAMES, clean.len ? clean.data : "", clean.len);
	buf_release(&clean);
	return number;
}

void pf_wakings_take(struct pf_wakings *w)
{
	struct waking *h = &w->held;
	uint64_t ts = h->v[LIST_TIME];

	h->v[LIST_TIME] -= w->last;
	h->v[LIST_NAME] = number_of_name(w, h->name, h->len) - 1;
	for (size_t i = 0; i < LISTS; i++)
		add_packed(&w->lists[i], h->v[i]);
	w->last = ts;
}

void pf_wakings_end(struct pf_wakings *w, struct buf *bundle)
{
	size_t at;

	if (!w->nr_names)
		return;
	at = proto_begin(bundle, BUNDLE_COMPACT);
	buf_add(bundle, w->names.data, w->names.len);
	for (size_t i = 0; i < LISTS; i++) {
		proto_add_bytes(bundle, COMPACT_LISTS + i, w->lists[i].data, w->lists[i].len);
		buf_reset(&w->lists[i]);
	}
	proto_end(bundle, at);
	buf_reset(&w->names);
	textmap_release(&w->numbers);
	w->nr_names = 0;
	w->last = 0;
}
