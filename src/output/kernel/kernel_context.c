/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What stands before an event in the kernel's trace file: task, CPU, flags, time. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "output/kernel/kernel_format.h"

#define COMM_WIDTH	 16
#define LAT_COMM_WIDTH	 8
#define PID_WIDTH	 7

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

/* %*llu, or %0*llu with @fill '0' */
static void add_wide_number(struct buf *b, uint64_t v, unsigned int width, char fill)
{
	char text[40], *end = text + sizeof(text), *p = write_digits(v, end);

	while (end - p < (int)width)
		*--p = fill;
	buf_add(b, p, end - p);
}

/* "%16s-%-7d " */
static void add_kernel_task(struct kline *l)
{
	const char *comm = kernel_comm(l, l->r->pid);
	char text[16], *end = text + sizeof(text), *p;
	struct buf *b = l->out;
	size_t n = strlen(comm);

	add_spaces(b, n < COMM_WIDTH ? COMM_WIDTH - n : 0);
	buf_add(b, comm, n);
	buf_addch(b, '-');
	p = write_digits(labs((long)l->r->pid), end);
	if (l->r->pid < 0)
		*--p = '-';
	buf_add(b, p, end - p);
	add_spaces(b, end - p < PID_WIDTH ? PID_WIDTH - (end - p) + 1 : 1);
}

static void add_kernel_tgid(struct buf *b, const struct kbuffer *kb, int pid)
{
	uintptr_t tgid = (uintptr_t)map_get(&kb->first->tgids, (uint32_t)pid);

	if (tgid)
		buf_printf(b, "(%7u) ", (unsigned int)tgid);
	else
		buf_addstr(b, "(-------) ");
}

static void add_kernel_flags(struct buf *b, const struct trace_rec *r)
{
	char flags[EV_LATENCY_ROOM];

	buf_add(b, flags, ev_kernel_latency(&r->trace->world, &r->rec, flags));
}

/* The kernel rounds. */
static uint64_t to_us(uint64_t ns)
{
	return (ns + 500) / 1000;
}

static void kernel_time(struct buf *out, uint64_t ts, bool in_ns)
{
	buf_addch(out, ' ');
	if (!in_ns) {
		add_wide_number(out, ts, 12, ' ');
		return;
	}
	add_wide_number(out, to_us(ts) / 1000000, 5, ' ');
	buf_addch(out, '.');
	add_wide_number(out, to_us(ts) % 1000000, 6, '0');
}

static void add_context(struct kline *l)
{
	struct buf *b = l->out;

	add_kernel_task(l);
	if (k_on(l->kb, K_TGID))
		add_kernel_tgid(b, l->kb, l->r->pid);
	buf_addch(b, '[');
	add_wide_number(b, (unsigned int)l->r->cpu, 3, '0');
	buf_addstr(b, "] ");
	if (k_on(l->kb, K_IRQ_INFO))
		add_kernel_flags(b, l->r);
	kernel_time(b, l->ts, l->kb->in_ns);
	buf_addstr(b, ": ");
}

/* --- latency-format */

static uint8_t byte_of(const struct trace_rec *r, const char *name, uint32_t usual)
{
	const struct ev_field *f = r->rec.fmt ? ev_field(r->rec.fmt, name) : NULL;
	uint32_t at = f && f->size == 1 ? f->offset : usual;

	return at < r->rec.len ? r->rec.data[at] : 0;
}

static void add_lat_task(struct kline *l)
{
	const char *comm = kernel_comm(l, l->r->pid);

	if (k_on(l->kb, K_VERBOSE)) {
		buf_printf(l->out, "%16s %7d %3d %d %08x %08" PRIx64 " ", comm, l->r->pid,
			   l->r->cpu, byte_of(l->r, "common_flags", 2),
			   byte_of(l->r, "common_preempt_count", 3) & 0xf, l->kb->index);
		return;
	}
	buf_printf(l->out, "%*.*s-%-7d %3d", LAT_COMM_WIDTH, LAT_COMM_WIDTH, comm, l->r->pid,
		   l->r->cpu);
	add_kernel_flags(l->out, l->r);
}

/* What the time to the next record gives: a mark, or "(+0.012ms)". */
static void add_relative(struct buf *b, const struct kbuffer *kb, uint64_t delta)
{
	if (kb->in_ns)
		delta = to_us(delta);
	if (!k_on(kb, K_VERBOSE))
		buf_addch(b, fgraph_mark(delta * 1000));
	else if (kb->in_ns)
		buf_printf(b, "%" PRIu64 ".%03" PRIu64 "ms", delta / 1000, delta % 1000);
	else
		buf_printf(b, "%" PRIu64, delta);
}

static void make_hole(struct kline *l)
{
	l->kb->hole = l->out->len;
	l->kb->pending_ts = l->ts;
	l->kb->has_hole = true;
}

static void add_lat_time(struct kline *l)
{
	bool verbose = k_on(l->kb, K_VERBOSE), ns = l->kb->in_ns;
	uint64_t t = l->ts - l->kb->time_start;

	if (ns)
		t = to_us(t);
	if (verbose && ns)
		buf_printf(l->out, "[%08" PRIx64 "] %" PRIu64 ".%03" PRIu64 "ms (+", to_us(l->ts),
			   t / 1000, t % 1000);
	else if (verbose)
		buf_printf(l->out, "[%016" PRIx64 "] %" PRIu64 " (+", l->ts, t);
	else
		buf_printf(l->out, ns ? " %4" PRIu64 "us" : " %4" PRIu64, t);
	if (verbose || ns)
		make_hole(l);
	buf_addstr(l->out, verbose ? "): " : ": ");
}

void kernel_settle(struct kbuffer *kb, uint64_t next_ts, struct buf *out)
{
	struct buf *p = &kb->pending;

	if (!p->len)
		return;
	if (kb->has_hole) {
		buf_add(out, p->data, kb->hole);
		add_relative(out, kb, next_ts - kb->pending_ts);
		buf_add(out, p->data + kb->hole, p->len - kb->hole);
	} else {
		buf_add(out, p->data, p->len);
	}
	kb->has_hole = false;
	buf_reset(p);
}

void kernel_context(struct kline *l)
{
	if (!k_on(l->kb, K_CONTEXT))
		return;
	if (k_on(l->kb, K_LATENCY)) {
		add_lat_task(l);
		add_lat_time(l);
	} else {
		add_context(l);
	}
}
