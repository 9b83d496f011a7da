/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The metadata of a file, read on first use: formats, texts, and task names from saved_cmdlines,
 * which all views share; the filters that it was recorded with.
 */
#include "trace/trace_priv.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "event/btf/btf.h"
#include "event/data/text_tables.h"
#include "event/data/usermaps.h"

#define SOME	    16	/* formats that are read together */
#define NR_SECTIONS 2

/* The built-in events have a separate section, and the tracers need no other. */
static const uint16_t sections[NR_SECTIONS] = { DAT_FTRACE_EVENTS, DAT_EVENT_FORMATS };

static void add_shared_format(struct trace_shared *s, const struct dat_format *text)
{
	size_t at = s->nr_formats;
	const struct ev_format *had;
	struct ev_format *f = &s->formats[at];
	struct ftr_error err;

	if (ev_format_slice(f, text->system, text->text.p, text->text.len, &err)) {
		damage_note(&s->damages, TRACE_BAD_FORMAT, s->dat->path, text->text.off, -1, "%s",
			    err.msg);
		ev_format_release(f);
		return;
	}
	s->format_offs[at] = text->text.off;
	/* two formats of one id can't both be meant; the first is kept, as in libtraceevent */
	had = s->by_id[f->id] ? &s->formats[s->by_id[f->id] - 1] : NULL;
	if (!had)
		s->by_id[f->id] = at + 1;
	else if (strcmp(had->name, f->name))
		damage_note(&s->damages, "two event formats with one id", s->dat->path,
			    text->text.off, -1, "%s and %s", had->name, f->name);
	__atomic_store_n(&s->nr_formats, at + 1, __ATOMIC_RELEASE);
}

/* Reads some more formats. Returns false at the end of section @upto. */
static bool read_more_formats(struct trace_shared *s, uint8_t upto)
{
	const struct dat_format *v;
	size_t n, end = s->taken + SOME;

	if (s->sections >= upto)
		return false;
	n = dat_formats_upto(s->dat, sections[s->sections], end, &v);
	for (; s->taken < n && s->nr_formats < LIMIT_FORMATS; s->taken++)
		add_shared_format(s, &v[s->taken]);
	if (s->taken < n)
		damage_note(&s->damages, "too many event formats", s->dat->path,
			    v[s->taken].text.off, -1, NULL);
	if (s->taken != end) {
		s->taken = 0;
		__atomic_store_n(&s->sections, s->sections + 1, __ATOMIC_RELEASE);
	}
	return true;
}

static size_t shared_formats(void *ctx, const char *system, struct ev_format **v)
{
	struct trace_shared *s = ctx;
	uint8_t upto = system && !strcmp(system, "ftrace") ? 1 : NR_SECTIONS;

	if (__atomic_load_n(&s->sections, __ATOMIC_ACQUIRE) < upto) {
		pthread_mutex_lock(&s->lock);
		while (read_more_formats(s, upto))
			;
		pthread_mutex_unlock(&s->lock);
	}
	*v = s->formats;
	return __atomic_load_n(&s->nr_formats, __ATOMIC_ACQUIRE);
}

/* Returns the format of @id, and reads as many formats as that takes. */
static const struct ev_format *shared_by_id(void *ctx, uint16_t id)
{
	struct trace_shared *s = ctx;
	uint32_t at;

	pthread_mutex_lock(&s->lock);
	while (!s->by_id[id] && read_more_formats(s, NR_SECTIONS))
		;
	at = s->by_id[id];
	pthread_mutex_unlock(&s->lock);
	return at ? &s->formats[at - 1] : NULL;
}

/*
 * Returns the prototypes that ftr's recorder wrote. trace-cmd writes the kernel's BTF instead: the
 * prototypes are made from it on first use.
 */
static const char *shared_protos(struct trace_shared *s, size_t *len)
{
	const struct dat_blob *b = dat_text(s->dat, DAT_FTR_PROTOS);
	struct btf_file f;
	struct ftr_error err;

	*len = b->len;
	if (b->p)
		return b->p;
	b = dat_text(s->dat, DAT_BTF_FILE);
	if (!b->p)
		return NULL;
	if (!__atomic_load_n(&s->protos_built, __ATOMIC_ACQUIRE)) {
		f = (struct btf_file){ .p = b->p, .len = b->len };
		pthread_mutex_lock(&s->lock);
		if (!s->protos_built && btf_protos(&f, 1, NULL, &s->protos, &err))
			damage_note(&s->damages, "BTF damaged", s->dat->path, b->off, -1, "%s",
				    err.msg);
		__atomic_store_n(&s->protos_built, 1, __ATOMIC_RELEASE);
		pthread_mutex_unlock(&s->lock);
	}
	*len = s->protos.len;
	return s->protos.data;
}

static const char *shared_text(void *ctx, enum ev_text which, size_t *len)
{
	static const uint16_t ids[] = {
		[EV_KALLSYMS] = DAT_KALLSYMS, [EV_PRINTK] = DAT_PRINTK,
		[EV_CMDLINES] = DAT_CMDLINES,
	};
	struct trace_shared *s = ctx;
	const struct dat_blob *b;

	if (which == EV_PROTOS)
		return shared_protos(s, len);
	b = dat_text(s->dat, ids[which]);
	*len = b->len;
	return b->p;
}

static bool get_near(void *ctx, uint64_t addr, size_t more, struct ev_near *out)
{
	struct trace_shared *s = ctx;
	struct dat_near near;

	if (!dat_symbols_near(s->dat, addr, more, &near))
		return false;
	*out = (struct ev_near){
		.p = near.p, .len = near.len, .begins = near.begins, .ends = near.ends,
	};
	return true;
}

struct trace_shared *trace_shared_new(struct dat *d)
{
	struct trace_shared *s = xcalloc(1, sizeof(*s));

	s->dat = d;
	pthread_mutex_init(&s->lock, NULL);
	s->formats = xcalloc(LIMIT_FORMATS, sizeof(*s->formats));
	s->format_offs = xcalloc(LIMIT_FORMATS, sizeof(*s->format_offs));
	s->by_id = xcalloc(TRACE_TYPES, sizeof(*s->by_id));
	s->loader = (struct ev_loader){
		.ctx = s, .formats = shared_formats, .by_id = shared_by_id, .text = shared_text,
		.near = get_near,
	};
	return s;
}

void trace_shared_free(struct trace_shared *s)
{
	size_t i;

	if (!s)
		return;
	for (i = 0; i < s->nr_formats; i++)
		ev_format_release(&s->formats[i]);
	free(s->formats);
	free(s->format_offs);
	free(s->by_id);
	trace_comms_release(s);
	buf_release(&s->protos);
	ev_maps_free(s->maps);
	damages_release(&s->damages);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

const struct ev_format trace_no_format;

const struct ev_format *trace_resolve(struct trace *t, uint16_t type)
{
	const struct ev_format *f = event_meta_find_id(&t->meta, type);

	if (!f || ev_format_ready(f))
		f = &trace_no_format;
	t->by_type[type] = f;
	return f;
}

/* Stores where each name is in the text. */
static void fill_comms(struct trace_shared *s)
{
	const struct dat_blob *b = dat_text(s->dat, DAT_CMDLINES);
	const char *p = b->p, *end = b->p + b->len;
	struct comm_line line;

	while (comm_line_next(&line, &p, end)) {
		if (!line.len)
			continue;
		if (line.pid < 0) {
			if (*line.name < '0' || *line.name > '9')
				damage_note(&s->damages, "unreadable line in the saved comms",
					    s->dat->path, b->off, -1, NULL);
			continue;
		}
		if (!comm_table_add(&s->comm_lines, line.pid, line.name - b->p))
			damage_note(&s->damages, "too many task names", s->dat->path, b->off, -1,
				    "more than %d", COMM_HIGH_MAX);
		else if (line.len > LIMIT_NAME)
			damage_note(&s->damages, "name of a task is too long", s->dat->path,
				    b->off, -1, "more than %d bytes", LIMIT_NAME);
	}
}

static struct trace_shared *load_comms(const struct trace *t)
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

void trace_comms_release(struct trace_shared *s)
{
	size_t i;

	/* the names of a live trace are separate blocks */
	for (i = 0; !s->names.last && i < s->comms.cap; i++)
		free(s->comms.slots[i].val);
	map_release(&s->comms);
	texts_release(&s->names);
	comm_table_release(&s->comm_lines);
}

size_t trace_nr_comms(const struct trace *t)
{
	const struct trace_shared *s = load_comms(t);

	return t->live ? s->comms.n : s->comm_lines.n;
}

/* Pids, in no order. */
struct pid_array {
	int *v;
	size_t n;
};

static void add_pid(void *ctx, int pid, size_t offset)
{
	struct pid_array *p = ctx;

	(void)offset;
	p->v[p->n++] = pid;
}

int *trace_comm_pids(const struct trace *t)
{
	const struct trace_shared *s = load_comms(t);
	struct pid_array p = { xcalloc(trace_nr_comms(t) + 1, sizeof(*p.v)), 0 };

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

static const char *find_comm(const struct trace *t, int pid)
{
	struct trace_shared *s = load_comms(t);
	const struct dat_blob *b;
	struct buf text = {0};
	const char *comm = NULL;
	size_t offset;

	/* a live trace has one thread, and no lines */
	if (t->live) {
		comm = map_get(&s->comms, (uint32_t)pid);
	} else if (comm_table_find(&s->comm_lines, pid, &offset)) {
		pthread_mutex_lock(&s->lock);
		comm = map_get(&s->comms, (uint32_t)pid);
		if (!comm) {
			b = dat_text(s->dat, DAT_CMDLINES);
			text_sanitise(&text, b->p + offset, comm_name_len(b->p, b->len, offset),
				      false);
			comm = texts_add(&s->names, text.data, text.len);
			map_put(&s->comms, (uint32_t)pid, (void *)(uintptr_t)comm);
			buf_release(&text);
		}
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
		*c = (struct trace_comm_slot){ (int64_t)pid + 1, find_comm(t, pid) };
	return c->comm;
}

static bool read_pids(const struct dat *d, const char *key, const char *buffer, struct map *out)
{
	size_t len;
	const char *p = dat_ftr_value_of(d, key, buffer, &len), *end = p ? p + len : NULL;
	bool found = p;
	uint32_t pid;

	for (; p < end; p++) {
		if (!isdigit((unsigned char)*p))
			continue;
		for (pid = 0; p < end && isdigit((unsigned char)*p); p++)
			pid = pid * 10 + (*p - '0');
		map_put(out, pid + 1ull, out);
	}
	return found;
}

void trace_filters_read(const struct trace *t, size_t nr, struct trace_filters *out)
{
	const char *name = t->dat->buffers[nr].name, *mask;
	size_t len;

	*out = (struct trace_filters){0};
	out->has_pids = read_pids(t->dat, DAT_EVENT_PID_KEY, name, &out->pids);
	read_pids(t->dat, DAT_EVENT_NOTRACE_PID_KEY, name, &out->hidden);
	out->forks = dat_ftr_value_of(t->dat, DAT_EVENT_FORK_KEY, name, &len);
	mask = dat_ftr_value_of(t->dat, DAT_CPUMASK_KEY, name, &len);
	if (mask)
		out->cpumask = xstrndup(mask, len);
}

void trace_filters_release(struct trace_filters *f)
{
	map_release(&f->pids);
	map_release(&f->hidden);
	free(f->cpumask);
	*f = (struct trace_filters){0};
}
