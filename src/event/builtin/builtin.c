/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events of ftrace itself whose print fmt says little: rendered as the kernel's trace file shows
 * them (kernel/trace/trace_output.c).
 */
#include "event/builtin/builtin.h"

#include <string.h>

#include "event/data/usermaps.h"
#include "event/print/number_text.h"

#define TRAMPOLINE	0x7fffffff	/* what the kernel (6.6 and later) has for one in a stack */
#define USER_FRAMES	8

void own_seconds(struct buf *out, uint64_t ts_ns, int width)
{
	uint64_t us = (ts_ns + 500) / 1000;

	put_number(out, us / 1000000, 10, 0, width, -1);
	buf_addch(out, '.');
	put_number(out, us % 1000000, 10, PUT_ZERO, 6, -1);
}

/*
 * Text that may end with a newline, which then is the line's; if it does not, the kernel's line
 * does not end either.
 */
static void add_line_text(struct ev_engine *e, struct buf *out, const char *s, size_t n)
{
	if (n && s[n - 1] == '\n' && !e->bytes)
		n--;
	engine_text(e, out, s, n, false);
}

/* --- functions and stacks */

/* Since 6.15 with func-args. */
static void print_args(struct ev_engine *e, const struct ev_slot *s, const struct ev_rec *r,
		       uint64_t ip, struct buf *out)
{
	const uint8_t *p;
	uint32_t len;

	p = own_rest(s, r, 5, &len);
	if (ev_has_args(r, len))
		ev_print_args(e, r, ip, p, len, out);
}

/* As if the next record were one of these, too, behind a header of four bytes. */
static inline void expect_next(const struct ev_engine *e, const struct ev_slot *s,
			       const struct ev_rec *r)
{
	unsigned int kind = e->style.sym_offset ? SYMTEXT_IP_OFFSET : SYMTEXT_IP;
	struct ev_rec next = *r;

	if (r->behind <= 4)
		return;
	next.data += r->len + 4;
	next.len = r->behind - 4;
	symtext_expect(&e->symbols, own_num(s, &next, 0), kind);
	symtext_expect(&e->symbols, own_num(s, &next, 1), kind);
}

static void own_function(struct ev_engine *e, const struct ev_slot *s, const struct ev_rec *r,
			 uint64_t ts, struct buf *out)
{
	uint64_t ip = own_num(s, r, 0), parent = own_num(s, r, 1);

	(void)ts;
	expect_next(e, s, r);
	kernel_ip(e, ip, out);
	if (s->f[5])
		print_args(e, s, r, ip, out);
	if (e->style.no_parent || !parent)
		return;
	buf_add(out, " <-", 3);
	kernel_ip(e, parent, out);
}

/* The kernel folds calls that repeat: the last one was this long before the record. */
static void own_func_repeats(struct ev_engine *e, const struct ev_slot *s, const struct ev_rec *r,
			     uint64_t ts, struct buf *out)
{
	uint64_t delta = own_num(s, r, 3) << 32 | own_num(s, r, 4);

	own_function(e, s, r, ts, out);
	buf_addstr(out, " (repeats: ");
	put_dec(out, own_num(s, r, 2));
	buf_addstr(out, ", last_ts: ");
	own_seconds(out, ts - delta, 5);
	buf_addch(out, ')');
}

/* All of the record, whatever the format file says of the array's size; ~0 ends a stack early. */
static void own_kernel_stack(struct ev_engine *e, const struct ev_slot *s, const struct ev_rec *r,
			     uint64_t ts, struct buf *out)
{
	uint64_t none = r->long_size == 8 ? UINT64_MAX : UINT32_MAX, addr;
	const uint8_t *p;
	uint32_t len;

	(void)ts;
	buf_addstr(out, "<stack trace>");
	p = own_rest(s, r, 0, &len);
	for (; len >= r->long_size; len -= r->long_size, p += r->long_size) {
		addr = own_long(r, p);
		if (addr == none)
			break;
		buf_add(out, "\n => ", 5);
		if (addr == TRAMPOLINE)
			buf_addstr(out, "[FTRACE TRAMPOLINE]");
		else
			kernel_ip(e, addr, out);
	}
}

/* As the kernel has it with sym-userobj, from the live process: by what began a mapping. */
static bool user_object(struct ev_engine *e, int tgid, uint64_t addr, struct buf *out)
{
	const char *path;
	uint64_t start;

	path = e->style.user_addrs ? NULL : ev_maps_find(e->w->maps, tgid, addr, &start);
	if (!path)
		return false;
	engine_text(e, out, path, strlen(path), false);
	buf_addstr(out, "[+");
	put_0x(out, addr - start);
	buf_addch(out, ']');
	return true;
}

static void own_user_stack(struct ev_engine *e, const struct ev_slot *s, const struct ev_rec *r,
			   uint64_t ts, struct buf *out)
{
	const uint8_t *p;
	uint64_t addr;
	uint32_t len;

	(void)ts;
	buf_addstr(out, "<user stack trace>");
	p = own_rest(s, r, 0, &len);
	for (int i = 0; i < USER_FRAMES && len >= r->long_size; i++) {
		addr = own_long(r, p);
		if (!addr)
			break;
		buf_add(out, "\n => ", 5);
		if (!user_object(e, own_num(s, r, 1), addr, out) || e->style.sym_addr) {
			buf_add(out, " <", 2);
			put_hex_fixed(out, addr, 2 * r->long_size);
			buf_addch(out, '>');
		}
		p += r->long_size;
		len -= r->long_size;
	}
}

/* --- what was printed into the buffer */

static void caller_prefix(struct ev_engine *e, const struct ev_slot *s, const struct ev_rec *r,
			  struct buf *out)
{
	if (e->style.message)
		return;
	kernel_ip(e, own_num(s, r, 0), out);
	buf_add(out, ": ", 2);
}

static void own_print(struct ev_engine *e, const struct ev_slot *s, const struct ev_rec *r,
		      uint64_t ts, struct buf *out)
{
	const uint8_t *p;
	uint32_t len;

	(void)ts;
	caller_prefix(e, s, r, out);
	p = own_rest(s, r, 1, &len);
	if (p)
		add_line_text(e, out, (const char *)p, strnlen((const char *)p, len));
}

static void unknown_text(struct buf *out, const char *what, uint64_t addr)
{
	buf_addch(out, '(');
	buf_addstr(out, what);
	buf_addstr(out, " at ");
	put_0x(out, addr);
	buf_addch(out, ')');
}

static void own_bputs(struct ev_engine *e, const struct ev_slot *s, const struct ev_rec *r,
		      uint64_t ts, struct buf *out)
{
	uint64_t addr = own_num(s, r, 1);
	const char *text = ev_printk_at(e, addr);

	(void)ts;
	caller_prefix(e, s, r, out);
	if (text)
		add_line_text(e, out, text, strlen(text));
	else
		unknown_text(out, "no string", addr);
}

static void own_bprint(struct ev_engine *e, const struct ev_slot *s, const struct ev_rec *r,
		       uint64_t ts, struct buf *out)
{
	uint64_t addr = own_num(s, r, 1);
	const char *fmt = ev_printk_at(e, addr);
	const uint8_t *p;
	uint32_t len;

	(void)ts;
	caller_prefix(e, s, r, out);
	if (!fmt) {
		unknown_text(out, "no format", addr);
		return;
	}
	p = own_rest(s, r, 2, &len);
	buf_reset(&e->text);
	bprint_format(e, fmt, p, len, r->big, &e->text);
	if (e->text.len)
		add_line_text(e, out, e->text.data, e->text.len);
}

static void own_raw_data(struct ev_engine *e, const struct ev_slot *s, const struct ev_rec *r,
			 uint64_t ts, struct buf *out)
{
	const uint8_t *p;
	uint32_t len;

	(void)e;
	(void)ts;
	buf_add(out, "# ", 2);
	put_hex(out, own_num(s, r, 0));
	buf_addstr(out, " buf:");
	p = own_rest(s, r, 1, &len);
	for (uint32_t i = 0; i < len; i++) {
		buf_addch(out, ' ');
		put_hex_fixed(out, p[i], 2);
	}
}

/* --- which is for what */

static const struct builtin {
	const char *event;
	own_fn own;
	unsigned int needs;	/* so many of the fields must be there */
	const char *fields[BUILTIN_FIELDS];
} builtins[] = {
	{ "function", own_function, 2, { "ip", "parent_ip", [5] = "args" } },
	{ "func_repeats", own_func_repeats, 5,
	  { "ip", "parent_ip", "count", "top_delta_ts", "bottom_delta_ts" } },
	{ "kernel_stack", own_kernel_stack, 1, { "caller" } },
	{ "user_stack", own_user_stack, 1, { "caller", "tgid" } },
	{ "print", own_print, 2, { "ip", "buf" } },
	{ "bputs", own_bputs, 2, { "ip", "str" } },
	{ "bprint", own_bprint, 3, { "ip", "fmt", "buf" } },
	{ "raw_data", own_raw_data, 2, { "id", "buf" } },
	{ "hwlat", own_hwlat, 8,
	  { "seqnum", "duration", "outer_duration", "tv_sec", "tv_nsec", "count", "nmi_count",
	    "nmi_total_ts" } },
	{ "osnoise", own_osnoise, 8, { "runtime", "noise", "max_sample", "hw_count", "nmi_count",
				       "irq_count", "softirq_count", "thread_count" } },
	{ "timerlat", own_timerlat, 3, { "seqnum", "context", "timer_latency" } },
	{ "context_switch", own_context_switch, 7,
	  { "prev_pid", "prev_prio", "prev_state", "next_cpu", "next_pid", "next_prio",
	    "next_state" } },
	{ "wakeup", own_wakeup, 7,
	  { "prev_pid", "prev_prio", "prev_state", "next_cpu", "next_pid", "next_prio",
	    "next_state" } },
	{ "branch", own_branch, 4, { "correct", "func", "file", "line" } },
	{ "mmiotrace_rw", own_mmio_rw, 6, { "opcode", "width", "map_id", "phys", "value", "pc" } },
	{ "mmiotrace_map", own_mmio_map, 5, { "opcode", "map_id", "phys", "virt", "len" } },
};

static const struct builtin *find_builtin(const struct ev_format *fmt)
{
	if (strcmp(fmt->system, "ftrace"))
		return NULL;
	for (size_t i = 0; i < sizeof(builtins) / sizeof(*builtins); i++)
		if (!strcmp(fmt->name, builtins[i].event))
			return &builtins[i];
	return NULL;
}

void builtin_bind(struct ev_slot *s)
{
	const struct builtin *b = find_builtin(s->fmt);

	if (!b)
		return;
	for (unsigned int i = 0; i < BUILTIN_FIELDS; i++) {
		s->f[i] = b->fields[i] ? ev_field(s->fmt, b->fields[i]) : NULL;
		if (!s->f[i] && i < b->needs)
			return;
	}
	s->own = b->own;
}
