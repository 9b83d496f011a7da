/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Event lines in the columns of trace-cmd 3.4: task-pid, [cpu], flags, time, event, text. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/poke.h"
#include "base/text.h"
#include "output/fgraph_text.h"
#include "output/line_source.h"
#include "output/task_slot.h"

#define IDS	    65536
#define NAME_WIDTH  22		/* of "event:" and the blanks after it */
#define TASK_TEXT   44
#define FLAGS_LEN   5
#define MS_NS	    1000000u
#define OTHERS_ROOM 48		/* flags, a blank, 20 digits of time and a colon; copied by 16 */

/* Label, task-pid and [cpu] of one task on one CPU: a cache line. */
struct task_text {
	struct task_slot slot;
	char     text[TASK_TEXT + 4];
};
_Static_assert(sizeof(struct task_text) == 64, "a slot is a cache line");

/* The text of the millisecond that the last time stamp was in. */
struct ms_text {
	uint64_t start, span;	/* in ns; a span of 0: none */
	uint32_t len;
	char     text[16];	/* " 12345.678" */
};

/*
 * The columns of a line before the event: label, task-pid, [cpu], flags, time. Columns that are
 * equal in the next line are kept as text.
 */
struct line_heads {
	struct task_text tasks[TASK_SLOTS];
	const struct buffer_labels *labels;
	bool   latency, nanoseconds;
	char   flags[256][4];		/* three letters for each value */
	char   counts[256][4];		/* two letters */
	struct ms_text ms;
	struct buf text;		/* a task that does not fit its slot */
};

/* The state of one event: equal for all of its records. */
struct text_event {
	struct text_event *next;	/* the next event of the same file */
	struct ev_latency flags;
	bool   fgraph;
	size_t len;
	char   name[];			/* " event:" padded, for poke_text() */
};

/* The state of one file: equal for all of its records. */
struct text_file {
	struct fgraph fgraph;
	struct text_event **events;	/* by event id; NULL before the first record of an event */
	struct text_event *met;		/* list of all in ->events */
};

struct text_sink {
	struct text_file *files;
	size_t nr_files;
	struct buffer_labels labels;
	struct line_heads heads;
};

/* --- the columns before the event */

static void add_blanks(struct buf *b, size_t n)
{
	static const char blanks[] = "                                ";

	buf_add(b, blanks, n < sizeof(blanks) ? n : sizeof(blanks) - 1);
}

/* Fills slot @t, if the text fits, and returns the text of @len bytes for poke_text(). */
static __attribute__((noinline)) const char *new_task(struct line_heads *h, struct task_text *t,
						      const struct trace_rec *r, size_t *len)
{
	const char *comm = trace_comm(r->trace, r->pid);
	size_t comm_len = strlen(comm), width = h->latency ? 8 : 16, before;
	struct buf *b = &h->text;

	buf_reset(b);
	labels_add(h->labels, b, r);
	if (h->latency && comm_len > width)
		comm_len = width;
	add_blanks(b, comm_len < width ? width - comm_len : 0);
	buf_add(b, comm, comm_len);
	before = b->len;
	buf_printf(b, "-%d", r->pid);
	width = b->len - before;
	add_blanks(b, width < 6 ? 6 - width : 0);
	buf_printf(b, h->latency ? " %3u" : " [%03u] ", (unsigned int)r->cpu);
	buf_reserve(b, POKE_TEXT_ROOM(0));
	*len = b->len;
	if (b->len <= TASK_TEXT) {
		task_slot_set(&t->slot, r, b->len);
		memcpy(t->text, b->data, b->len);
	}
	return b->data;
}

/* Returns label, task-pid and [cpu] of @len bytes for poke_text(). */
static inline const char *task_text(struct line_heads *h, const struct trace_rec *r, size_t *len)
{
	struct task_text *t = &h->tasks[task_slot_of(r)];

	if (__builtin_expect(!task_slot_fits(&t->slot, r), 0))
		return new_task(h, t, r, len);
	*len = t->slot.len;
	return t->text;
}

/* Writes at least @width characters, filled with blanks. */
static char *poke_padded(char *p, uint64_t v, size_t width)
{
	char text[POKE_DEC_ROOM];
	size_t len = poke_dec(text, v) - text;

	for (; width > len; width--)
		*p++ = ' ';
	memcpy(p, text, len);
	return p + len;
}

static __attribute__((noinline)) void new_ms(struct ms_text *m, uint64_t ns)
{
	uint64_t v = ns / MS_NS;
	char text[32] = "", *p = text;

	m->start = v * MS_NS;
	m->span = MS_NS;
	*p++ = ' ';
	p = poke_padded(p, v / 1000, 5);
	*p++ = '.';
	p = poke_3(p, v % 1000);
	/* the seconds of 2^64 ns have 11 digits */
	m->len = p - text;
	memcpy(m->text, text, sizeof(m->text));
}

static inline char *poke_time(struct line_heads *h, char *p, uint64_t ns)
{
	struct ms_text *m = &h->ms;
	uint32_t part;

	/* trace-cmd rounds; a time stamp that would wrap is damage anyway */
	if (!h->nanoseconds && ns < UINT64_MAX - 500)
		ns += 500;
	if (__builtin_expect(ns - m->start >= m->span, 0))
		new_ms(m, ns);
	part = ns - m->start;
	memcpy(p, m->text, sizeof(m->text));
	p = poke_3(p + m->len, part / 1000);
	return h->nanoseconds ? poke_3(p, part % 1000) : p;
}

/*
 * Writes the columns after the text in @b, with @room for more, and returns their end: the caller
 * calls buf_poked().
 */
static char *heads_poke(struct line_heads *h, struct buf *b, const struct trace_rec *r,
			const struct ev_latency *flags, size_t room)
{
	size_t len;
	const char *task = task_text(h, r, &len);
	char *p = buf_poke(b, POKE_TEXT_ROOM(len) + OTHERS_ROOM + room);

	p = poke_text(p, task, len);
	memcpy(p, h->flags[ev_latency_flags(flags, &r->rec)], 4);
	memcpy(p + 3, h->counts[ev_latency_count(flags, &r->rec)], 4);
	if (__builtin_expect(flags->unknown, 0))
		memset(p, ' ', FLAGS_LEN);
	p += FLAGS_LEN;
	if (r->trace->clock_is_ns) {
		p = poke_time(h, p, r->ts);
	} else {
		*p++ = ' ';
		p = poke_padded(p, r->ts, 12);
	}
	*p++ = ':';
	return p;
}

/* --- the sink */

static void text_begin(struct out_state *o)
{
	struct text_sink *x = xcalloc(1, sizeof(*x));
	struct line_heads *h = &x->heads;
	char letters[6];
	size_t i;

	x->nr_files = o->nr_traces;
	x->files = xcalloc(x->nr_files + 1, sizeof(*x->files));
	for (i = 0; i < x->nr_files; i++) {
		fgraph_init(&x->files[i].fgraph, o->traces[i]);
		x->files[i].events = xcalloc(IDS, sizeof(struct text_event *));
	}
	labels_init(&x->labels, o);
	h->labels = &x->labels;
	h->latency = o->opts.latency;
	h->nanoseconds = o->opts.nanoseconds;
	for (i = 0; i < 256; i++) {
		ev_latency_letters(i, i, letters);
		memcpy(h->flags[i], letters, 3);
		memcpy(h->counts[i], letters + 3, 2);
	}
	o->priv = x;
}

static void text_end(struct out_state *o)
{
	struct text_sink *x = o->priv;
	struct text_event *e;
	size_t i;

	for (i = 0; i < x->nr_files; i++) {
		for (; (e = x->files[i].met); free(e))
			x->files[i].met = e->next;
		free(x->files[i].events);
	}
	buf_release(&x->heads.text);
	labels_release(&x->labels);
	free(x->files);
	free(x);
	o->priv = NULL;
}

static __attribute__((noinline)) struct text_event *new_event(struct text_file *f,
							      const struct trace_rec *r)
{
	const struct ev_format *fmt = r->rec.fmt;
	struct buf name = {0};
	struct text_event *e;

	buf_addch(&name, ' ');
	text_sanitise(&name, fmt->name, strlen(fmt->name), false);
	buf_addch(&name, ':');
	do {
		buf_addch(&name, ' ');
	} while (name.len <= NAME_WIDTH);
	e = xcalloc(1, sizeof(*e) + POKE_TEXT_ROOM(name.len));
	e->len = name.len;
	memcpy(e->name, name.data, name.len);
	e->next = f->met;
	f->met = e;
	e->fgraph = fgraph_has(&f->fgraph, fmt);
	ev_latency_of(&r->trace->meta, fmt, &e->flags);
	buf_release(&name);
	return e;
}

/* A record is one line in --raw, also if its strings contain newlines. */
static __attribute__((noinline)) void add_raw(struct buf *b, const struct trace_rec *r)
{
	size_t from = b->len;

	ev_render_raw(r->trace->engine, &r->rec, b);
	for (; from < b->len; from++)
		if (b->data[from] == '\n')
			b->data[from] = ' ';
	buf_addch(b, '\n');
}

/* Adds the line of a record whose type has no format: as blk, or the type and the bytes. */
static __attribute__((noinline)) void add_formatless(struct out_state *o, const struct trace_rec *r)
{
	static const struct ev_latency usual = { .flags_off = 2, .count_off = 3 };
	static const char hex[] = "0123456789abcdef";
	struct text_sink *x = o->priv;
	struct buf *b = &o->buf;
	size_t from;

	buf_poked(b, heads_poke(&x->heads, b, r, &usual, 0));
	from = b->len;
	buf_printf(b, " %-*s", NAME_WIDTH - 1, "blk:");
	/* blk is the one type that never has a format file */
	if (o->opts.raw || !ev_render_blk(r->trace->engine, &r->rec, r->cpu, r->ts, b)) {
		b->len = from;
		buf_printf(b, " [type %u]:%*s", r->type, r->type > 999 ? 8 : 10, "");
		for (uint32_t i = 0; i < r->rec.len; i++) {
			buf_addch(b, hex[r->rec.data[i] >> 4]);
			buf_addch(b, hex[r->rec.data[i] & 15]);
		}
	}
	buf_addch(b, '\n');
}

static void text_event(struct out_state *o, const struct trace_rec *r, struct trace_iter *it)
{
	struct text_sink *x = o->priv;
	struct text_file *f = &x->files[r->file];
	struct buf *b = &o->buf;
	struct text_event *e;
	size_t from;
	char *p;

	if (!r->rec.fmt) {
		add_formatless(o, r);
		return;
	}
	e = f->events[r->rec.fmt->id];
	if (__builtin_expect(!e, 0))
		e = f->events[r->rec.fmt->id] = new_event(f, r);
	p = heads_poke(&x->heads, b, r, &e->flags, POKE_TEXT_ROOM(e->len));
	buf_poked(b, poke_text(p, e->name, e->len));
	if (o->opts.raw) {
		add_raw(b, r);
		return;
	}
	from = b->len;
	if (e->fgraph && fgraph_text(&f->fgraph, r, it, o->calls, b)) {
		buf_addch(b, '\n');
		return;
	}
	ev_render(r->trace->engine, &r->rec, r->cpu, r->ts, b);
	if (b->len == from || b->data[b->len - 1] != '\n')
		buf_addch(b, '\n');
}

static void text_lost(struct out_state *o, const struct trace_rec *r)
{
	const struct text_sink *x = o->priv;

	labels_lost(&x->labels, &o->buf, r);
}

const struct out_ops out_text = {
	.parallel = true,
	.begin = text_begin,
	.event = text_event,
	.lost = text_lost,
	.end = text_end,
};
