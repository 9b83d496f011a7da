/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace that is not in a file: the caller pushes its sub-buffers as they come. */
#include "trace/trace_merge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/text.h"

/* The sub-buffers of one CPU that the iterator may still read. */
struct live_cpu {
	struct dat_source source;
	uint32_t subbuf_size;
	uint64_t first;			/* number of pages[0] */
	uint8_t **pages;
	size_t   n, cap;
};

struct trace_live {
	struct trace *t;
	struct trace_live_source from;
	struct ev_loader loader;
	char    *header_page;
	struct strv systems;		/* the systems with all their formats loaded */
	bool     all_formats;
	struct live_cpu **cpus;		/* one array per buffer */
	struct buf meta;		/* lines as in the session's section of a file */
	struct trace_iter *it;
};

/* --- formats and texts */

static void want_formats(struct trace_live *l, const char *system)
{
	if (l->all_formats || (system && strv_has(&l->systems, system)))
		return;
	if (system)
		strv_add(&l->systems, system);
	l->all_formats = !system;
	l->from.formats(l->from.ctx, system);
}

static size_t live_formats(void *ctx, const char *system, struct ev_format **v)
{
	struct trace_live *l = ctx;

	want_formats(l, system);
	*v = l->t->shared->formats;
	return l->t->shared->nr_formats;
}

static const struct ev_format *live_by_id(void *ctx, uint16_t id)
{
	struct trace_live *l = ctx;
	struct trace_shared *s = l->t->shared;

	if (!s->by_id[id]) {
		/* new ones come with modules and dynamic events */
		l->all_formats = false;
		want_formats(l, NULL);
	}
	return s->by_id[id] ? &s->formats[s->by_id[id] - 1] : NULL;
}

static const char *live_text(void *ctx, enum ev_text which, size_t *len)
{
	struct trace_live *l = ctx;

	*len = 0;
	return l->from.text(l->from.ctx, which, len);
}

static const char *live_comm(void *ctx, int pid)
{
	const struct trace_live *l = ctx;

	return map_get(&l->t->shared->comms, (uint32_t)pid);
}

void trace_live_format(struct trace *t, const char *system, const char *text, size_t len)
{
	struct trace_shared *s = t->shared;
	struct ev_format *f = &s->formats[s->nr_formats];
	struct ftr_error err;

	if (s->nr_formats == LIMIT_FORMATS)
		return;
	if (ev_format_slice(f, system, text, len, &err)) {
		ev_format_release(f);
		*f = (struct ev_format){0};
		return;
	}
	s->by_id[f->id] = ++s->nr_formats;
}

void trace_live_comm(struct trace *t, int pid, const char *comm, size_t len)
{
	const char *had = map_get(&t->shared->comms, (uint32_t)pid);
	struct buf text = {0};

	text_sanitise(&text, comm, len, false);
	if (text.len && (!had || strcmp(had, text.data))) {
		free(map_put(&t->shared->comms, (uint32_t)pid, buf_take(&text)));
		t->comm_cache[(uint32_t)pid % TRACE_COMM_SLOTS] = (struct trace_comm_slot){0};
	}
	buf_release(&text);
}

void trace_live_tsc(struct trace *t, uint32_t mult, uint32_t shift)
{
	t->tsc_mult = mult;
	t->tsc_shift = shift;
	t->clock_is_ns = true;
}

/* --- sub-buffers */

static const uint8_t *get_page(void *ctx, uint64_t page, size_t *len)
{
	const struct live_cpu *c = ctx;

	if (page < c->first || page - c->first >= c->n)
		return NULL;
	*len = c->subbuf_size;
	return c->pages[page - c->first];
}

bool trace_live_push(struct trace *t, size_t buffer, size_t cpu, uint8_t *mem, uint64_t *last)
{
	struct dat_buffer *b = &t->dat->buffers[buffer];
	struct live_cpu *c = &t->live->cpus[buffer][cpu];
	struct ring_record rec;
	struct ring_page pg;
	bool any = false;

	c->pages = xgrow(c->pages, &c->cap, c->n + 1, sizeof(*c->pages));
	c->pages[c->n++] = mem;
	b->cpus[cpu].nr_pages++;
	if (ring_page_open(&pg, &b->layout, mem, b->layout.subbuf_size) != RING_OK)
		return false;
	for (; ring_page_next(&pg, &rec) == RING_OK; any = true)
		if (last)
			*last = trace_time(t, b->cpus[cpu].cpu, rec.ts);
	return any;
}

/* Frees the sub-buffers before @open, all of which have been handed out. */
static void drop_pages(struct live_cpu *c, uint64_t open)
{
	size_t n = open > c->first ? open - c->first : 0, i;

	n = n < c->n ? n : c->n;
	for (i = 0; i < n; i++)
		free(c->pages[i]);
	memmove(c->pages, c->pages + n, (c->n - n) * sizeof(*c->pages));
	c->first += n;
	c->n -= n;
}

struct trace_iter *trace_live_iter(struct trace *t, uint64_t until)
{
	struct trace_iter *it = t->live->it;
	struct cpu_stream *s;
	size_t i;

	for (i = 0; i < it->nr_streams; i++) {
		s = &it->streams[i];
		if (!s->have)
			stream_next(s);
		if (s->page && s->data.cpu->nr_pages)
			drop_pages(s->data.cpu->source->ctx, s->page - 1);
	}
	trace_iter_heap(it);
	it->last = until;
	return it;
}

/* --- life */

static int add_live_buffer(struct trace_live *l, size_t at, const struct trace_live_buffer *from,
			   struct ftr_error *err)
{
	struct dat_buffer *b = &l->t->dat->buffers[at];
	size_t i;

	/* the lines that a file's section has: sinks read from it which options were set */
	if (from->options)
		buf_printf(&l->meta, "trace_options%s%s=%s\n", *from->name ? "." : "", from->name,
			   from->options);
	l->t->dat->ftr_meta = (struct dat_blob){ .p = l->meta.data, .len = l->meta.len };
	b->name = xstrdup(from->name);
	b->clock = xstrdup(from->clock);
	b->cpus = xcalloc(from->nr_cpus + 1, sizeof(*b->cpus));
	b->nr_cpus = from->nr_cpus;
	l->cpus[at] = xcalloc(from->nr_cpus + 1, sizeof(**l->cpus));
	for (i = 0; i < from->nr_cpus; i++) {
		l->cpus[at][i].subbuf_size = from->subbuf_size;
		l->cpus[at][i].source = (struct dat_source){ get_page, &l->cpus[at][i] };
		b->cpus[i] = (struct dat_cpu){
			.cpu = from->cpus[i], .source = &l->cpus[at][i].source,
		};
	}
	if (!ring_layout_parse(&b->layout, l->header_page, strlen(l->header_page), RING_HOST_BIG,
			       sizeof(long), from->subbuf_size))
		return 0;
	return err_set(err, FTR_FAILED, "events/header_page makes no sense");
}

static void trace_fill_live_meta(struct trace *t)
{
	struct event_meta *w = &t->meta;
	unsigned int major, minor;
	struct utsname u;

	w->loader = &t->live->loader;
	w->big = RING_HOST_BIG;
	w->long_size = sizeof(long);
	w->page_size = t->dat->page_size;
	w->header_page = t->live->header_page;
	w->header_page_len = strlen(t->live->header_page);
	w->syms = ev_syms_new_lazy(w->loader);
	ev_syms_sorted(w->syms);
	if (uname(&u) || sscanf(u.release, "%u.%u", &major, &minor) != 2)
		return;
	w->kernel = KERNEL_VERSION_OF(major, minor);
	w->rt = strstr(u.release, "-rt") != NULL;
}

struct trace *trace_live_new(const struct trace_live_source *from, const char *header_page,
			     const struct trace_live_buffer *bufs, size_t n, struct ftr_error *err)
{
	struct trace *t = xcalloc(1, sizeof(*t));
	struct trace_live *l = xcalloc(1, sizeof(*l));
	struct dat *d = xcalloc(1, sizeof(*d));
	size_t i;

	t->live = l;
	t->dat = d;
	*l = (struct trace_live){ .t = t, .from = *from, .header_page = xstrdup(header_page) };
	l->loader = (struct ev_loader){
		.ctx = l, .formats = live_formats, .by_id = live_by_id, .text = live_text,
		.comm = live_comm,
	};
	d->path = xstrdup("trace_pipe_raw");
	d->version = 7;
	d->big = RING_HOST_BIG;
	d->long_size = sizeof(long);
	d->page_size = n ? bufs[0].subbuf_size : 4096;
	d->compression = "none";
	d->buffers = xcalloc(n + 1, sizeof(*d->buffers));
	d->nr_buffers = n;
	t->shared = trace_shared_new(d);
	t->shared->comms_built = 1;
	l->cpus = xcalloc(n + 1, sizeof(*l->cpus));
	for (i = 0; i < n; i++)
		if (add_live_buffer(l, i, &bufs[i], err))
			goto fail;
	trace_caches_init(t);
	trace_fill_live_meta(t);
	t->type_off = 0;
	t->pid_off = 4;
	trace_time_init(t);
	t->engine = ev_engine_new(&t->meta, NULL, err);
	if (!t->engine)
		goto fail;
	l->it = trace_iter_alloc(&t, 1, NULL);
	return t;
fail:
	trace_live_free(t);
	return NULL;
}

void trace_live_free(struct trace *t)
{
	struct trace_live *l = t ? t->live : NULL;
	struct dat *d = t ? t->dat : NULL;
	size_t i, k;

	if (!t)
		return;
	trace_iter_free(l->it);
	ev_engine_free(t->engine);
	ev_syms_free(t->meta.syms);
	trace_shared_free(t->shared);
	for (i = 0; i < d->nr_buffers; i++) {
		for (k = 0; l->cpus[i] && k < d->buffers[i].nr_cpus; k++) {
			drop_pages(&l->cpus[i][k], UINT64_MAX);
			free(l->cpus[i][k].pages);
		}
		free(l->cpus[i]);
		free(d->buffers[i].name);
		free(d->buffers[i].clock);
		free(d->buffers[i].cpus);
	}
	free(l->cpus);
	free(d->buffers);
	damages_release(&d->damages);
	free(d->path);
	free(d);
	strv_release(&l->systems);
	buf_release(&l->meta);
	free(l->header_page);
	free(l);
	t->engine = NULL;
	t->is_view = true;	/* trace_close() frees only the caches, nothing shared */
	trace_close(t);
}
