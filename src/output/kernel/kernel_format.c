/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records as the kernel's trace file shows them, byte for byte: the body of it, by the tracer and
 * the options that each buffer was recorded with.
 */
#include "output/kernel/kernel_format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "output/line_source.h"

struct kfile {
	struct fgraph fgraph;
	struct kbuffer *buffers;	/* as the file's */
};

struct kernel {
	struct kfile *files;
	struct labels labels;
	struct buf escaped;		/* what goes to a terminal, before it is sanitised */
};

static struct kbuffer *buffer_of(const struct out *o, const struct trace_rec *r)
{
	const struct kernel *k = o->priv;

	return &k->files[r->file].buffers[r->buffer];
}

static void kernel_begin(struct out *o)
{
	struct kernel *k = xcalloc(1, sizeof(*k));
	size_t i, n;

	labels_init(&k->labels, o);
	k->files = xcalloc(o->nr_traces + 1, sizeof(*k->files));
	for (i = 0; i < o->nr_traces; i++) {
		const struct trace *t = o->traces[i];
		struct kfile *f = &k->files[i];

		fgraph_init(&f->fgraph, t);
		f->buffers = xcalloc(t->dat->nr_buffers + 1, sizeof(*f->buffers));
		for (n = 0; n < t->dat->nr_buffers; n++) {
			f->buffers[n].fgraph = &f->fgraph;
			kbuffer_init(&f->buffers[n], f->buffers, t, n);
		}
	}
	o->priv = k;
}

/* --- one record */

/*
 * Where the buffer of a CPU begins, if older records of any CPU were overwritten. The kernel leaves
 * it out for the first two records of all.
 */
static void annotate_start(struct kline *l)
{
	if (!k_on(l->kb, K_ANNOTATE) || !l->kb->overrun || l->cpu->started)
		return;
	l->cpu->started = true;
	if (l->kb->index > 1)
		buf_printf(l->out, "##### CPU %u buffer started ####\n", (unsigned int)l->r->cpu);
}

static bool message_only(const struct kline *l)
{
	const struct ev_format *f = l->r->rec.fmt;

	if (!k_on(l->kb, K_MSG_ONLY) || !k_on(l->kb, K_TRACE_PRINTK))
		return false;
	return f && !strcmp(f->system, "ftrace") &&
	       (!strcmp(f->name, "print") || !strcmp(f->name, "bprint") ||
		!strcmp(f->name, "bputs"));
}

/* Such lines have all of it; other events between them have a context. */
static bool is_classic_blk(const struct kline *l)
{
	return l->kb->style.blk_classic && !l->r->rec.fmt;
}

static void add_styled_event(struct kline *l, const struct ev_style *style)
{
	struct ev_engine *e = l->r->trace->engine;

	ev_set_style(e, style);
	ev_render_kernel(e, &l->r->rec, l->r->cpu, l->ts, l->out);
}

/* mmiotrace: accesses and mappings, with the time inside, markers, and nothing else. */
static void mmio_line(struct kline *l)
{
	const struct ev_format *f = l->r->rec.fmt;
	const char *name = f && !strcmp(f->system, "ftrace") ? f->name : "";
	uint64_t us = (l->ts + 500) / 1000;

	if (!strcmp(name, "print"))
		buf_printf(l->out, "MARK %" PRIu64 ".%06" PRIu64 " ", us / 1000000, us % 1000000);
	else if (strncmp(name, "mmiotrace_", 10))
		return;
	add_styled_event(l, &l->kb->message);
}

static void render_kline(struct kline *l)
{
	if (l->kb->mmio) {
		mmio_line(l);
		return;
	}
	if (l->kb->graph && kernel_graph(l))
		return;
	if (message_only(l) || is_classic_blk(l)) {
		add_styled_event(l, &l->kb->message);
		return;
	}
	if (kernel_raw(l))
		return;
	annotate_start(l);
	kernel_context(l);
	add_styled_event(l, &l->kb->style);
}

static void start_line(const struct kernel *k, struct kline *l)
{
	if (!l->kb->any)
		l->kb->time_start = l->ts;
	l->kb->any = true;
	labels_add(&k->labels, l->out, l->r);
}

/* What was added from @from on, without control bytes. */
static void escape_added(struct out *o, size_t from)
{
	struct kernel *k = o->priv;

	if (!o->opts.escape || text_clean(o->buf.data + from, o->buf.len - from, true))
		return;
	buf_reset(&k->escaped);
	buf_add(&k->escaped, o->buf.data + from, o->buf.len - from);
	o->buf.len = from;
	text_sanitise(&o->buf, k->escaped.data, k->escaped.len, true);
}

/* With latency-format a line is complete when the next record's time is known. */
static void kernel_event(struct out *o, const struct trace_rec *r, struct trace_iter *it)
{
	struct kbuffer *kb = buffer_of(o, r);
	size_t from = o->buf.len;
	struct kline l = {
		.kb = kb, .cpu = kbuffer_cpu(kb, r->cpu), .r = r, .it = it,
		.ts = r->ts - (uint64_t)r->trace->date_ns,
	};

	l.out = k_on(kb, K_LATENCY) ? &kb->pending : &o->buf;
	kernel_settle(kb, l.ts, &o->buf);
	start_line(o->priv, &l);
	render_kline(&l);
	kb->index++;
	if (o->buf.len > from)
		escape_added(o, from);
}

/*
 * The kernel's trace file does not tell of what was overwritten before the first record of a CPU;
 * annotate_start() does. Losses between records are trace_pipe's lines.
 */
static void kernel_lost(struct out *o, const struct trace_rec *r)
{
	const struct kernel *k = o->priv;
	struct kbuffer *kb = buffer_of(o, r);
	struct kcpu *c = kbuffer_cpu(kb, r->cpu);
	struct buf *to = &o->buf;

	if (c->head_lost) {
		c->head_lost = false;
		return;
	}
	kernel_settle(kb, r->ts - (uint64_t)r->trace->date_ns, to);
	labels_add(&k->labels, to, r);
	if (r->lost == RING_LOST_UNKNOWN)
		buf_printf(to, "CPU:%d [LOST EVENTS]\n", r->cpu);
	else
		buf_printf(to, "CPU:%d [LOST %" PRIu64 " EVENTS]\n", r->cpu, r->lost);
}

static void end_file(struct out *o, struct kfile *f, size_t nr_buffers)
{
	size_t n;

	for (n = 0; n < nr_buffers; n++) {
		kernel_settle(&f->buffers[n], f->buffers[n].pending_ts, &o->buf);
		kbuffer_release(&f->buffers[n]);
	}
	free(f->buffers);
}

static void kernel_end(struct out *o)
{
	struct kernel *k = o->priv;
	size_t i;

	for (i = 0; i < o->nr_traces; i++)
		end_file(o, &k->files[i], o->traces[i]->dat->nr_buffers);
	free(k->files);
	labels_release(&k->labels);
	buf_release(&k->escaped);
	free(k);
	o->priv = NULL;
}

const struct out_ops out_kernel = {
	.begin = kernel_begin,
	.event = kernel_event,
	.lost = kernel_lost,
	.end = kernel_end,
};
