/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records as the kernel's trace file shows them, byte for byte: the body of the file, by the
 * tracer and the options that each buffer was recorded with.
 *
 * With latency-format the kernel marks a line by the time to the next record of any CPU, so a line
 * is printed when the next record is known.
 */
#include "output/kernel/kernel_format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "output/line_source.h"

#define COMM_WIDTH	 16
#define LAT_COMM_WIDTH	 8
#define PID_WIDTH	 7

/* --- the columns before an event: task, CPU, flags, time */

static void add_spaces(struct buf *b, size_t n)
{
	static const char some[] = "                ";

	for (; n > sizeof(some) - 1; n -= sizeof(some) - 1)
		buf_add(b, some, sizeof(some) - 1);
	buf_add(b, some, n);
}

static char *write_digits(uint64_t v, char *end)
{
	do {
		*--end = '0' + v % 10;
		v /= 10;
	} while (v);
	return end;
}

/* Prints as %*llu, or as %0*llu with @fill '0'. */
static void add_wide_number(struct buf *b, uint64_t v, unsigned int width, char fill)
{
	char text[40], *end = text + sizeof(text), *p = write_digits(v, end);

	while (end - p < (int)width)
		*--p = fill;
	buf_add(b, p, end - p);
}

static void add_kernel_flags(struct buf *b, const struct trace_rec *r)
{
	char flags[EV_LATENCY_ROOM];

	buf_add(b, flags, ev_kernel_latency(&r->trace->meta, &r->rec, flags));
}

/* Rounds, as the kernel does. */
static uint64_t to_us(uint64_t ns)
{
	return (ns + 500) / 1000;
}

static void add_context(struct kernel_line *l)
{
	const char *comm = kernel_comm(l, l->r->pid);
	char text[16], *end = text + sizeof(text), *p;
	struct buf *b = l->out;
	size_t n = strlen(comm);
	uintptr_t tgid;

	/* "%16s-%-7d " */
	add_spaces(b, n < COMM_WIDTH ? COMM_WIDTH - n : 0);
	buf_add(b, comm, n);
	buf_addch(b, '-');
	p = write_digits(labs((long)l->r->pid), end);
	if (l->r->pid < 0)
		*--p = '-';
	buf_add(b, p, end - p);
	add_spaces(b, end - p < PID_WIDTH ? PID_WIDTH - (end - p) + 1 : 1);
	if (k_on(l->kb, K_TGID)) {
		tgid = (uintptr_t)map_get(&l->kb->first->tgids, (uint32_t)l->r->pid);
		if (tgid)
			buf_printf(b, "(%7u) ", (unsigned int)tgid);
		else
			buf_addstr(b, "(-------) ");
	}
	buf_addch(b, '[');
	add_wide_number(b, (unsigned int)l->r->cpu, 3, '0');
	buf_addstr(b, "] ");
	if (k_on(l->kb, K_IRQ_INFO))
		add_kernel_flags(b, l->r);
	buf_addch(b, ' ');
	if (l->kb->in_ns) {
		add_wide_number(b, to_us(l->ts) / 1000000, 5, ' ');
		buf_addch(b, '.');
		add_wide_number(b, to_us(l->ts) % 1000000, 6, '0');
	} else {
		add_wide_number(b, l->ts, 12, ' ');
	}
	buf_addstr(b, ": ");
}

/* Returns a field of one byte, which is at offset @usual if the format lacks it. */
static uint8_t common_byte(const struct trace_rec *r, const char *name, uint32_t usual)
{
	const struct ev_field *f = r->rec.fmt ? ev_field(r->rec.fmt, name) : NULL;
	uint32_t at = f && f->size == 1 ? f->offset : usual;

	return at < r->rec.len ? r->rec.data[at] : 0;
}

/*
 * Adds the columns of latency-format. The time to the next record belongs into a hole, which
 * kernel_settle() fills.
 */
static void add_latency_context(struct kernel_line *l)
{
	bool verbose = k_on(l->kb, K_VERBOSE), ns = l->kb->in_ns;
	const char *comm = kernel_comm(l, l->r->pid);
	uint64_t t = l->ts - l->kb->time_start;

	if (verbose) {
		buf_printf(l->out, "%16s %7d %3d %d %08x %08" PRIx64 " ", comm, l->r->pid,
			   l->r->cpu, common_byte(l->r, "common_flags", 2),
			   common_byte(l->r, "common_preempt_count", 3) & 0xf, l->kb->index);
	} else {
		buf_printf(l->out, "%*.*s-%-7d %3d", LAT_COMM_WIDTH, LAT_COMM_WIDTH, comm,
			   l->r->pid, l->r->cpu);
		add_kernel_flags(l->out, l->r);
	}
	if (ns)
		t = to_us(t);
	if (verbose && ns)
		buf_printf(l->out, "[%08" PRIx64 "] %" PRIu64 ".%03" PRIu64 "ms (+", to_us(l->ts),
			   t / 1000, t % 1000);
	else if (verbose)
		buf_printf(l->out, "[%016" PRIx64 "] %" PRIu64 " (+", l->ts, t);
	else
		buf_printf(l->out, ns ? " %4" PRIu64 "us" : " %4" PRIu64, t);
	if (verbose || ns) {
		l->kb->hole = l->out->len;
		l->kb->pending_ts = l->ts;
		l->kb->has_hole = true;
	}
	buf_addstr(l->out, verbose ? "): " : ": ");
}

/* Completes the line that waits for the time of the next one, and moves it to @out. */
static void kernel_settle(struct kbuffer *kb, uint64_t next_ts, struct buf *out)
{
	uint64_t delta = next_ts - kb->pending_ts;
	struct buf *p = &kb->pending;

	if (!p->len)
		return;
	if (kb->has_hole) {
		/* a mark, or "(+0.012ms)" */
		if (kb->in_ns)
			delta = to_us(delta);
		buf_add(out, p->data, kb->hole);
		if (!k_on(kb, K_VERBOSE))
			buf_addch(out, fgraph_mark(delta * 1000));
		else if (kb->in_ns)
			buf_printf(out, "%" PRIu64 ".%03" PRIu64 "ms", delta / 1000, delta % 1000);
		else
			buf_printf(out, "%" PRIu64, delta);
		buf_add(out, p->data + kb->hole, p->len - kb->hole);
	} else {
		buf_add(out, p->data, p->len);
	}
	kb->has_hole = false;
	buf_reset(p);
}

/*
 * --- the options raw, hex and bin: numbers without words. Only events of ftrace itself have a text
 * for them, all others show their type.
 */

enum { RAW, HEX, BIN };

static uint64_t raw_number(const struct kernel_line *l, const char *name)
{
	const struct ev_field *f = ev_field(l->r->rec.fmt, name);
	uint64_t v = 0;

	if (f)
		ev_get_num(&l->r->rec, f, &v);
	return l->r->rec.long_size == 8 ? v : (uint32_t)v;
}

/* Prints hexadecimal digits with a blank, or writes bytes in the recorded machine's order. */
static void raw_add_number(const struct kernel_line *l, int how, uint64_t v, int size)
{
	if (how == HEX) {
		buf_printf(l->out, "%0*" PRIx64 " ", 2 * size, v);
		return;
	}
	for (int i = 0; i < size; i++)
		buf_addch(l->out, v >> 8 * (l->r->rec.big ? size - 1 - i : i));
}

static void raw_message(struct kernel_line *l)
{
	struct ev_engine *e = l->r->trace->engine;

	ev_set_style(e, &l->kb->message);
	ev_render_kernel(e, &l->r->rec, l->r->cpu, l->ts, l->out);
}

static void raw_function(struct kernel_line *l, int how)
{
	int size = l->r->rec.long_size;

	if (how == RAW) {
		buf_printf(l->out, "%" PRIx64 " %" PRIx64 "\n", raw_number(l, "ip"),
			   raw_number(l, "parent_ip"));
		return;
	}
	raw_add_number(l, how, raw_number(l, "ip"), size);
	raw_add_number(l, how, raw_number(l, "parent_ip"), size);
}

static void raw_print(struct kernel_line *l, int how)
{
	(void)how;
	buf_printf(l->out, "# %" PRIx64 " ", raw_number(l, "ip"));
	raw_message(l);
}

static void raw_printk(struct kernel_line *l, int how)
{
	(void)how;
	buf_printf(l->out, ": %" PRIx64 " : ", raw_number(l, "ip"));
	raw_message(l);
}

static void raw_repeats(struct kernel_line *l, int how)
{
	(void)how;
	buf_printf(l->out, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", raw_number(l, "ip"),
		   raw_number(l, "parent_ip"), raw_number(l, "count"),
		   raw_number(l, "top_delta_ts") << 32 | raw_number(l, "bottom_delta_ts"));
}

static void raw_data(struct kernel_line *l, int how)
{
	(void)how;
	raw_message(l);
}

static const struct {
	const char *event;
	bool hex;			/* the event has a form for hex and bin, too */
	void (*add)(struct kernel_line *l, int how);
} events[] = {
	{ "function", true, raw_function }, { "print", false, raw_print },
	{ "bprint", false, raw_printk }, { "bputs", false, raw_printk },
	{ "func_repeats", false, raw_repeats }, { "raw_data", false, raw_data },
};
#define NR_EVENTS (sizeof(events) / sizeof(*events))

/* Prints a record if one of these options is set; returns false if none is. */
static bool kernel_raw(struct kernel_line *l)
{
	int how = k_on(l->kb, K_BIN) ? BIN : k_on(l->kb, K_HEX) ? HEX : RAW;
	const struct ev_format *f = l->r->rec.fmt;
	size_t i = NR_EVENTS;

	if (!k_on(l->kb, K_BIN | K_HEX | K_RAW))
		return false;
	if (k_on(l->kb, K_CONTEXT) && how == RAW) {
		buf_printf(l->out, "%d %d %" PRIu64 " ", l->r->pid, l->r->cpu, l->ts);
	} else if (k_on(l->kb, K_CONTEXT)) {
		raw_add_number(l, how, (uint32_t)l->r->pid, 4);
		raw_add_number(l, how, (uint32_t)l->r->cpu, 4);
		raw_add_number(l, how, l->ts, 8);
	}
	if (f && !strcmp(f->system, "ftrace"))
		for (i = 0; i < NR_EVENTS; i++)
			if (!strcmp(f->name, events[i].event) && (how == RAW || events[i].hex))
				break;
	if (!f && how == RAW)
		buf_printf(l->out, "%u ?\n", l->r->type);
	else if (i < NR_EVENTS)
		events[i].add(l, how);
	else if (f)
		buf_printf(l->out, "type: %u\n", l->r->type);
	if (how == HEX)
		buf_addch(l->out, '\n');
	return true;
}

/* --- the sink */

struct kernel_file {
	struct fgraph fgraph;
	struct kbuffer *buffers;	/* in the order of the file's buffers */
};

struct kernel_sink {
	struct kernel_file *files;
	struct buffer_labels labels;
	struct buf escaped;		/* text for a terminal, before it is sanitised */
};

static struct kbuffer *get_kbuffer(const struct out_state *o, const struct trace_rec *r)
{
	const struct kernel_sink *k = o->priv;

	return &k->files[r->file].buffers[r->buffer];
}

static void kernel_begin(struct out_state *o)
{
	struct kernel_sink *k = xcalloc(1, sizeof(*k));
	size_t i, n;

	labels_init(&k->labels, o);
	k->files = xcalloc(o->nr_traces + 1, sizeof(*k->files));
	for (i = 0; i < o->nr_traces; i++) {
		const struct trace *t = o->traces[i];
		struct kernel_file *f = &k->files[i];

		fgraph_init(&f->fgraph, t);
		f->buffers = xcalloc(t->dat->nr_buffers + 1, sizeof(*f->buffers));
		for (n = 0; n < t->dat->nr_buffers; n++) {
			f->buffers[n].fgraph = &f->fgraph;
			kbuffer_init(&f->buffers[n], f->buffers, t, n);
		}
	}
	o->priv = k;
}

static void add_styled_event(struct kernel_line *l, const struct ev_style *style)
{
	struct ev_engine *e = l->r->trace->engine;

	ev_set_style(e, style);
	ev_render_kernel(e, &l->r->rec, l->r->cpu, l->ts, l->out);
}

static void render_kline(struct kernel_line *l)
{
	const struct ev_format *f = l->r->rec.fmt;
	const char *name = f && !strcmp(f->system, "ftrace") ? f->name : "";
	bool is_print = !strcmp(name, "print");
	uint64_t us = (l->ts + 500) / 1000;

	if (l->kb->mmio) {
		/* mmiotrace prints accesses and mappings, with their own time, and markers */
		if (is_print)
			buf_printf(l->out, "MARK %" PRIu64 ".%06" PRIu64 " ", us / 1000000,
				   us % 1000000);
		if (is_print || !strncmp(name, "mmiotrace_", 10))
			add_styled_event(l, &l->kb->message);
		return;
	}
	if (l->kb->graph && kernel_graph(l))
		return;
	if (k_on(l->kb, K_MSG_ONLY) && k_on(l->kb, K_TRACE_PRINTK) &&
	    (is_print || !strcmp(name, "bprint") || !strcmp(name, "bputs"))) {
		add_styled_event(l, &l->kb->message);
		return;
	}
	/* a line of blk_classic contains its context; other events between them need one */
	if (l->kb->style.blk_classic && !f) {
		add_styled_event(l, &l->kb->message);
		return;
	}
	if (kernel_raw(l))
		return;
	/*
	 * The start of a CPU's buffer, if older records of any CPU were overwritten. The kernel
	 * prints none for the first two records of all.
	 */
	if (k_on(l->kb, K_ANNOTATE) && l->kb->overrun && !l->cpu->started) {
		l->cpu->started = true;
		if (l->kb->index > 1)
			buf_printf(l->out, "##### CPU %u buffer started ####\n",
				   (unsigned int)l->r->cpu);
	}
	if (k_on(l->kb, K_CONTEXT) && k_on(l->kb, K_LATENCY))
		add_latency_context(l);
	else if (k_on(l->kb, K_CONTEXT))
		add_context(l);
	add_styled_event(l, &l->kb->style);
}

/* With latency-format a line is complete when the next record's time is known. */
static void kernel_event(struct out_state *o, const struct trace_rec *r, struct trace_iter *it)
{
	struct kernel_sink *k = o->priv;
	struct kbuffer *kb = get_kbuffer(o, r);
	struct buf *b = &o->buf;
	size_t from = b->len;
	struct kernel_line l = {
		.kb = kb, .cpu = kbuffer_cpu(kb, r->cpu), .r = r, .it = it,
		.ts = r->ts - (uint64_t)r->trace->date_ns,
	};

	l.out = k_on(kb, K_LATENCY) ? &kb->pending : b;
	kernel_settle(kb, l.ts, b);
	if (!kb->any)
		kb->time_start = l.ts;
	kb->any = true;
	labels_add(&k->labels, l.out, r);
	render_kline(&l);
	kb->index++;
	if (b->len > from && o->opts.escape && !text_clean(b->data + from, b->len - from, true)) {
		buf_reset(&k->escaped);
		buf_add(&k->escaped, b->data + from, b->len - from);
		b->len = from;
		text_sanitise(b, k->escaped.data, k->escaped.len, true);
	}
}

/*
 * The kernel's trace file has no line for records that were overwritten before the first one of a
 * CPU, except "buffer started". Losses between records are the lines of trace_pipe.
 */
static void kernel_lost(struct out_state *o, const struct trace_rec *r)
{
	const struct kernel_sink *k = o->priv;
	struct kbuffer *kb = get_kbuffer(o, r);
	struct kernel_cpu *c = kbuffer_cpu(kb, r->cpu);
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

static void kernel_end(struct out_state *o)
{
	struct kernel_sink *k = o->priv;
	struct kbuffer *kb;
	size_t i;

	for (i = 0; i < o->nr_traces; i++) {
		for (kb = k->files[i].buffers;
		     kb < k->files[i].buffers + o->traces[i]->dat->nr_buffers; kb++) {
			kernel_settle(kb, kb->pending_ts, &o->buf);
			kbuffer_release(kb);
		}
		free(k->files[i].buffers);
	}
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
