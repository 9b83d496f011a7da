/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What all views of a file share, read when it is first asked for: formats, texts, comms. */
#include <stdlib.h>
#include <string.h>

#include "event/btf/btf.h"
#include "event/data/usermaps.h"
#include "trace/trace_priv.h"

#define SOME	    16	/* formats that are read together */
#define NR_SECTIONS 2

/* The built-in events have a section of their own, which is all that the tracers need. */
static const uint16_t sections[NR_SECTIONS] = { DAT_FTRACE_EVENTS, DAT_EVENT_FORMATS };

/* Two formats of one id can't both be meant; the first is kept, as in libtraceevent. */
static void index_format(struct trace_shared *s, size_t at, uint64_t off)
{
	const struct ev_format *f = &s->formats[at], *had;

	if (!s->by_id[f->id]) {
		s->by_id[f->id] = at + 1;
		return;
	}
	had = &s->formats[s->by_id[f->id] - 1];
	if (strcmp(had->name, f->name))
		damage_note(&s->damages, "two event formats with one id", s->dat->path, off, -1,
			    "%s and %s", had->name, f->name);
}

static void add_shared_format(struct trace_shared *s, const struct dat_format *text)
{
	size_t at = s->nr_formats;
	struct ev_format *f = &s->formats[at];
	struct ftr_error err;

	if (ev_format_slice(f, text->system, text->text.p, text->text.len, &err)) {
		damage_note(&s->damages, TRACE_BAD_FORMAT, s->dat->path, text->text.off, -1, "%s",
			    err.msg);
		ev_format_release(f);
		return;
	}
	s->format_offs[at] = text->text.off;
	index_format(s, at, text->text.off);
	__atomic_store_n(&s->nr_formats, at + 1, __ATOMIC_RELEASE);
}

/* Some more of the section that is being read; false if that was all of it. */
static bool add_some(struct trace_shared *s, uint16_t section)
{
	const struct dat_format *v;
	size_t n = dat_formats_upto(s->dat, section, s->taken + SOME, &v), end = s->taken + SOME;

	for (; s->taken < n && s->nr_formats < LIMIT_FORMATS; s->taken++)
		add_shared_format(s, &v[s->taken]);
	if (s->taken < n)
		damage_note(&s->damages, "too many event formats", s->dat->path,
			    v[s->taken].text.off, -1, NULL);
	return s->taken == end;
}

/* Reads on; false at the end of section @upto. */
static bool more_formats(struct trace_shared *s, uint8_t upto)
{
	if (s->sections >= upto)
		return false;
	if (!add_some(s, sections[s->sections])) {
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
		while (more_formats(s, upto))
			;
		pthread_mutex_unlock(&s->lock);
	}
	*v = s->formats;
	return __atomic_load_n(&s->nr_formats, __ATOMIC_ACQUIRE);
}

/* Reads as many formats as it takes to meet this one. */
static const struct ev_format *shared_by_id(void *ctx, uint16_t id)
{
	struct trace_shared *s = ctx;
	uint32_t at;

	pthread_mutex_lock(&s->lock);
	while (!s->by_id[id] && more_formats(s, NR_SECTIONS))
		;
	at = s->by_id[id];
	pthread_mutex_unlock(&s->lock);
	return at ? &s->formats[at - 1] : NULL;
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

static const char *shared_protos(struct trace_shared *s, size_t *len)
{
	const struct dat_blob *b = dat_text(s->dat, DAT_FTR_PROTOS);

	*len = b->len;
	return b->p ? b->p : protos_of_btf(s, len);
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
	const struct ev_format *f = ev_world_by_id(&t->world, type);

	if (!f || ev_format_ready(f))
		f = &trace_no_format;
	t->by_type[type] = f;
	return f;
}
