/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What all views of a file share, read when it is first asked for: formats, texts, comms. */
#include <stdlib.h>
#include <string.h>

#include "event/btf.h"
#include "trace/priv.h"

/* Ids have 16 bits; the room is for those that two formats claim, too. It is touched when used. */
#define FORMATS_MAX (TRACE_TYPES + TRACE_TYPES / 2)

/* Two formats of one id can't both be meant; the first is kept, as in libtraceevent. */
static void index_format(struct trace_shared *s, struct ev_format *f, uint64_t off)
{
	struct ev_format *had = map_put(&s->by_id, f->id, f);

	if (!had)
		return;
	map_put(&s->by_id, f->id, had);
	if (strcmp(had->name, f->name))
		damage_note(&s->damages, "two event formats with one id", s->dat->path, off, -1,
			    "%s and %s", had->name, f->name);
}

static void add_format(struct trace_shared *s, const struct dat_format *text, size_t at)
{
	struct ev_format *f = &s->formats[at];
	struct ftr_error err;

	if (ev_format_slice(f, text->system, text->text.p, text->text.len, &err)) {
		damage_note(&s->damages, TRACE_BAD_FORMAT, s->dat->path, text->text.off, -1, "%s",
			    err.msg);
		ev_format_release(f);
		return;
	}
	s->format_offs[at] = text->text.off;
	index_format(s, f, text->text.off);
	__atomic_store_n(&s->nr_formats, at + 1, __ATOMIC_RELEASE);
}

static void add_formats(struct trace_shared *s, uint16_t section)
{
	const struct dat_format *v;
	size_t i, n = dat_formats(s->dat, section, &v);

	for (i = 0; i < n && s->nr_formats < FORMATS_MAX; i++)
		add_format(s, &v[i], s->nr_formats);
	if (i < n)
		damage_note(&s->damages, "too many event formats", s->dat->path, v[i].text.off, -1,
			    NULL);
}

/* The built-in events have a section of their own, which is all that the tracers need. */
static void load_formats(struct trace_shared *s, bool all)
{
	uint8_t want = all ? 2 : 1;

	if (__atomic_load_n(&s->sections, __ATOMIC_ACQUIRE) >= want)
		return;
	pthread_mutex_lock(&s->lock);
	if (s->sections < 1)
		add_formats(s, DAT_FTRACE_EVENTS);
	if (s->sections < want && all)
		add_formats(s, DAT_EVENT_FORMATS);
	if (s->sections < want)
		__atomic_store_n(&s->sections, want, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&s->lock);
}

static size_t get_formats(void *ctx, const char *system, struct ev_format **v)
{
	struct trace_shared *s = ctx;

	load_formats(s, !system || strcmp(system, "ftrace"));
	*v = s->formats;
	return __atomic_load_n(&s->nr_formats, __ATOMIC_ACQUIRE);
}

static const struct ev_format *get_by_id(void *ctx, uint16_t id)
{
	struct trace_shared *s = ctx;
	const struct ev_format *f;
	int all;

	for (all = 0, f = NULL; !f && all < 2; all++) {
		load_formats(s, all);
		pthread_mutex_lock(&s->lock);
		f = map_get(&s->by_id, id);
		pthread_mutex_unlock(&s->lock);
	}
	return f;
}

/* trace-cmd keeps the kernel's BTF itself: its prototypes are made from it once. */
static void build_protos(struct trace_shared *s, const struct dat_blob *b)
{
	struct btf_file f = { .p = b->p, .len = b->len };
	struct ftr_error err;

	if (btf_protos(&f, 1, NULL, &s->protos, &err))
		damage_note(&s->damages, "BTF damaged", s->dat->path, b->off, -1, "%s", err.msg);
}

static const char *protos_of_btf(struct trace_shared *s, size_t *len)
{
	const struct dat_blob *b = dat_text(s->dat, DAT_BTF_FILE);

	if (!b->p)
		return NULL;
	if (!__atomic_load_n(&s->protos_built, __ATOMIC_ACQUIRE)) {
		pthread_mutex_lock(&s->lock);
		if (!s->protos_built)
			build_protos(s, b);
		__atomic_store_n(&s->protos_built, 1, __ATOMIC_RELEASE);
		pthread_mutex_unlock(&s->lock);
	}
	*len = s->protos.len;
	return s->protos.data;
}

static const char *get_protos(struct trace_shared *s, size_t *len)
{
	const struct dat_blob *b = dat_text(s->dat, DAT_FTR_PROTOS);

	*len = b->len;
	return b->p ? b->p : protos_of_btf(s, len);
}

static const char *get_text(void *ctx, enum ev_text which, size_t *len)
{
	static const uint16_t ids[] = {
		[EV_KALLSYMS] = DAT_KALLSYMS, [EV_PRINTK] = DAT_PRINTK,
		[EV_CMDLINES] = DAT_CMDLINES,
	};
	struct trace_shared *s = ctx;
	const struct dat_blob *b;

	if (which == EV_PROTOS)
		return get_protos(s, len);
	b = dat_text(s->dat, ids[which]);
	*len = b->len;
	return b->p;
}

struct trace_shared *trace_shared_new(struct dat *d)
{
	struct trace_shared *s = xcalloc(1, sizeof(*s));

	s->dat = d;
	pthread_mutex_init(&s->lock, NULL);
	s->formats = xcalloc(FORMATS_MAX, sizeof(*s->formats));
	s->format_offs = xcalloc(FORMATS_MAX, sizeof(*s->format_offs));
	s->loader = (struct ev_loader){
		.ctx = s, .formats = get_formats, .by_id = get_by_id, .text = get_text,
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
	map_release(&s->by_id);
	trace_comms_release(s);
	buf_release(&s->protos);
	damages_release(&s->damages);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

const struct ev_format trace_no_format;

const struct ev_format *trace_resolve(struct trace *t, uint16_t type)
{
	const struct ev_format *f = ev_world_by_id(&t->world, type);

	if (!f || ev_format_ready(f))
		f = &trace_no_format;
	t->by_type[type] = f;
	return f;
}
