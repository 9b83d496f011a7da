/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Built-in renderers of the events of ftrace itself, whose print fmt does not have the form of the
 * kernel's trace file (kernel/trace/trace_output.c).
 *
 * Before Linux 6.14 trace_printk() packed %hd and %hhd as 2 bytes and 1, since then each is an
 * int. The record does not contain that, so the version of the recorded kernel decides.
 */
#include <string.h>

#include "base/cursor.h"
#include "event/data/usermaps.h"
#include "event/handle/engine_priv.h"
#include "event/print/conv.h"
#include "event/print/number_text.h"

/* Returns the value of the renderer's @i-th field, 0 if the record or the kernel lacks it. */
static inline uint64_t builtin_num(const struct ev_slot *s, const struct ev_rec *r, unsigned int i)
{
	const struct ev_field *f = s->f[i];
	uint64_t v = 0;

	if (f && f->kind == EV_FIXED && f->size == 8 && f->offset + 8 <= r->len)
		return get_u64(r->data + f->offset, r->big);
	if (f)
		ev_get_num(r, f, &v);
	return v;
}

/* Returns the bytes from the start of the @i-th field to the end of the record, NULL if none. */
static inline const uint8_t *builtin_rest(const struct ev_slot *s, const struct ev_rec *r,
					  unsigned int i, uint32_t *len)
{
	const struct ev_field *f = s->f[i];

	*len = f && f->offset < r->len ? r->len - f->offset : 0;
	return *len ? r->data + f->offset : NULL;
}

static inline uint64_t builtin_long(const struct ev_rec *r, const uint8_t *p)
{
	return r->long_size == 8 ? get_u64(p, r->big) : get_u32(p, r->big);
}

/*
 * Appends seconds with six decimals, rounded as in the kernel. @width is that of the integer part.
 */
static void builtin_seconds(struct buf *out, uint64_t ts_ns, int width)
{
	uint64_t us = (ts_ns + 500) / 1000;

	buf_add_number(out, us / 1000000, 10, 0, width, -1);
	buf_addch(out, '.');
	buf_add_number(out, us % 1000000, 10, NUM_ZERO, 6, -1);
}

/*
 * --- trace_printk() in binary: the arguments as vbin_printf() of the kernel packs them. Each is
 * aligned to its size, 64-bit ones to 4. Strings are inline with their NUL. Of the pointers only
 * the plain ones and symbols are values; all others were recorded as text.
 */

struct bstr_printer {
	struct conv_env env;
	struct cursor args;
	struct buf *out;
	bool narrow;	/* %hd has 2 bytes, %hhd only 1 */
	bool values;	/* all pointers are values */
};

static uint64_t bprint_read_number(struct bstr_printer *b, unsigned int size)
{
	unsigned int align = size > 4 ? 4 : size;

	cur_seek(&b->args, (cur_pos(&b->args) + align - 1) / align * align);
	switch (size) {
	case 1:
		return cur_u8(&b->args);
	case 2:
		return cur_u16(&b->args);
	case 4:
		return cur_u32(&b->args);
	}
	return cur_u64(&b->args);
}

/*
 * Prints one conversion. The old names of %ps and %pS, F and f, are values if they exist. A pointer
 * of another kind was recorded as text.
 */
static void print_conv(struct bstr_printer *b, const struct printf_conv *c)
{
	int width = c->width_arg ? (int32_t)bprint_read_number(b, 4) : c->width;
	int prec = c->prec_arg ? (int32_t)bprint_read_number(b, 4) : c->prec;
	const char *s;

	switch (c->kind) {
	case '%':
		buf_addch(b->out, '%');
		break;
	case 's':
		s = cur_str(&b->args);
		if (s)
			conv_str(&b->env, b->out, c, width, prec, s, strlen(s));
		break;
	case 'c':
		conv_char(&b->env, b->out, c, width, bprint_read_number(b, 1));
		break;
	case 'p':
		if (b->values || !c->ext[0] || strchr("sSxKeF", c->ext[0]) ||
		    (c->ext[0] == 'f' && c->ext[1] != 'w')) {
			conv_value(&b->env, b->out, c, width, prec,
				   bprint_read_number(b, b->env.long_size));
			break;
		}
		s = cur_str(&b->args);
		if (s)
			buf_addstr(b->out, s);
		break;
	default:
		conv_int(b->out, c, width, prec,
			 bprint_read_number(b, c->size < 4 && !b->narrow ? 4 : c->size));
	}
}

/* Appends the text of a trace_printk() from its format and packed arguments, not sanitised. */
static void bprint_format(struct ev_engine *e, const char *fmt, const uint8_t *args, uint32_t len,
			  bool big, struct buf *out)
{
	const char *end = fmt + strlen(fmt), *at;
	uint32_t kernel = e->w->kernel;
	struct bstr_printer b = {
		.env = {
			.syms = e->syms, .symbols = &e->symbols,
			.long_size = e->w->long_size, .big = big, .raw = true,
		},
		.args = cur_init(args, len, big), .out = out,
		/*
		 * Until 6.13 numbers of one and two bytes were packed in these; since then in an
		 * int.
		 */
		.narrow = kernel < KERNEL_VERSION_OF(6, 14),
		/* Before 4.16 every pointer was a value. */
		.values = kernel && kernel < KERNEL_VERSION_OF(4, 16),
	};
	struct printf_conv c;
	size_t n;

	while (fmt < end && !b.args.bad) {
		at = memchr(fmt, '%', end - fmt);
		if (!at)
			at = end;
		buf_add(out, fmt, at - fmt);
		fmt = at;
		if (at == end)
			break;
		n = conv_parse(fmt, end, b.env.long_size, &c);
		if (!n)
			break;
		print_conv(&b, &c);
		fmt += n;
	}
	if (b.args.bad)
		buf_addstr(out, " <arguments cut>");
}

/* --- tracers hwlat, osnoise, timerlat, wakeup and branch */

static void add_num(struct buf *out, const char *before, uint64_t v, int width)
{
	buf_addstr(out, before);
	buf_add_number(out, v, 10, NUM_SIGN, width, -1);
}

/*
 * If a kernel has a generic sched_clock() (not x86) it can't read the time in an NMI, which stays
 * 0.
 */
static void builtin_hwlat(struct ev_engine *e, const struct ev_slot *s, const struct ev_rec *r,
			  uint64_t ts, struct buf *out)
{
	(void)e;
	(void)ts;
	buf_addch(out, '#');
	buf_add_number(out, builtin_num(s, r, 0), 10, NUM_LEFT, 5, -1);
	add_num(out, " inner/outer(us): ", builtin_num(s, r, 1), 4);
	buf_addch(out, '/');
	buf_add_number(out, builtin_num(s, r, 2), 10, NUM_LEFT, 5, -1);
	add_num(out, " ts:", builtin_num(s, r, 3), -1);
	buf_addch(out, '.');
	buf_add_number(out, builtin_num(s, r, 4), 10, NUM_SIGN | NUM_ZERO, 9, -1);
	add_num(out, " count:", (int32_t)builtin_num(s, r, 5), -1);
	if (!builtin_num(s, r, 6))
		return;
	if (builtin_num(s, r, 7))
		add_num(out, " nmi-total:", builtin_num(s, r, 7), -1);
	add_num(out, " nmi-count:", builtin_num(s, r, 6), -1);
}

static void builtin_osnoise(struct ev_engine *e, const struct ev_slot *s, const struct ev_rec *r,
			    uint64_t ts, struct buf *out)
{
	uint64_t runtime = builtin_num(s, r, 0), noise = builtin_num(s, r, 1);
	/* the time left to the measuring thread, in percent with five digits */
	uint64_t ratio = runtime ? (runtime - noise) * 10000000 / runtime : 0;

	(void)e;
	(void)ts;
	buf_add_dec(out, runtime);
	buf_addch(out, ' ');
	buf_add_number(out, noise, 10, 0, 10, -1);
	buf_addch(out, ' ');
	buf_add_number(out, ratio / 100000, 10, 0, 3, -1);
	buf_addch(out, '.');
	buf_add_number(out, ratio % 100000, 10, NUM_ZERO, 5, -1);
	buf_addch(out, ' ');
	buf_add_number(out, builtin_num(s, r, 2), 10, 0, 7, -1);
	for (unsigned int i = 3; i < 8; i++)
		add_num(out, " ", builtin_num(s, r, i), 6);
}

static void builtin_timerlat(struct ev_engine *e, const struct ev_slot *s, const struct ev_rec *r,
			     uint64_t ts, struct buf *out)
{
	static const char *const contexts[] = { "irq", "thread", "user-ret" };
	uint64_t context = builtin_num(s, r, 1);
	const char *name = context < 3 ? contexts[context] : "?";

	(void)e;
	(void)ts;
	buf_addch(out, '#');
	buf_add_number(out, builtin_num(s, r, 0), 10, NUM_LEFT, 5, -1);
	buf_addstr(out, " context ");
	buf_add_padded(out, name, strlen(name), 6, false);
	buf_addstr(out, " timer_latency ");
	buf_add_number(out, builtin_num(s, r, 2), 10, 0, 9, -1);
	buf_add(out, " ns", 3);
}

/* Prints pid, prio and state as "%7d:%3d:%c"; the state is an index of the kernel's task states. */
static void add_task_state(struct buf *out, const struct ev_slot *s, const struct ev_rec *r,
			   unsigned int first)
{
	static const char states[] = "RSDTtXZPI";
	uint64_t state = builtin_num(s, r, first + 2);

	buf_add_number(out, (int32_t)builtin_num(s, r, first), 10, NUM_SIGN, 7, -1);
	buf_addch(out, ':');
	buf_add_number(out, builtin_num(s, r, first + 1), 10, 0, 3, -1);
	buf_addch(out, ':');
	buf_addch(out, state < sizeof(states) - 1 ? states[state] : '?');
}

static void add_switch(struct ev_engine *e, const struct ev_slot *s, const struct ev_rec *r,
		       const char *arrow, struct buf *out)
{
	const char *comm = comm_find(e, builtin_num(s, r, 4));

	buf_addch(out, ' ');
	add_task_state(out, s, r, 0);
	buf_addstr(out, arrow);
	buf_add_number(out, (int32_t)builtin_num(s, r, 3), 10, NUM_SIGN | NUM_ZERO, 3, -1);
	buf_add(out, "] ", 2);
	add_task_state(out, s, r, 4);
	buf_addch(out, ' ');
	engine_text(e, out, comm, strlen(comm), false);
}

static void builtin_context_switch(struct ev_engine *e, const struct ev_slot *s,
				   const struct ev_rec *r, uint64_t ts, struct buf *out)
{
	(void)ts;
	add_switch(e, s, r, " ==> [", out);
}

static void builtin_wakeup(struct ev_engine *e, const struct ev_slot *s, const struct ev_rec *r,
			   uint64_t ts, struct buf *out)
{
	(void)ts;
	add_switch(e, s, r, "   + [", out);
}

static void add_field_text(struct ev_engine *e, const struct ev_slot *s, const struct ev_rec *r,
			   unsigned int i, struct buf *out)
{
	const uint8_t *p;
	uint32_t len;

	if (ev_get_bytes(r, s->f[i], &p, &len))
		engine_text(e, out, (const char *)p, strnlen((const char *)p, len), false);
}

static void builtin_branch(struct ev_engine *e, const struct ev_slot *s, const struct ev_rec *r,
			   uint64_t ts, struct buf *out)
{
	(void)ts;
	buf_addstr(out, builtin_num(s, r, 0) ? "[  ok  ] " : "[ MISS ] ");
	add_field_text(e, s, r, 1, out);
	buf_addch(out, ':');
	add_field_text(e, s, r, 2, out);
	add_num(out, ":", (int32_t)builtin_num(s, r, 3), -1);
}

/* --- tracer mmiotrace: its lines have the time inside and no context before */

/* enum mm_io_opcode of include/linux/mmiotrace.h */
enum { MMIO_READ = 1, MMIO_WRITE, MMIO_PROBE, MMIO_UNPROBE, MMIO_UNKNOWN_OP };

static void add_time_id(struct buf *out, uint64_t ts, uint64_t map_id)
{
	builtin_seconds(out, ts, -1);
	buf_addch(out, ' ');
	buf_add_number(out, (int32_t)map_id, 10, NUM_SIGN, -1, -1);
}

static void add_mmio_number(struct buf *out, uint64_t v)
{
	buf_addch(out, ' ');
	buf_add_0x(out, v);
}

static void builtin_mmio_rw(struct ev_engine *e, const struct ev_slot *s, const struct ev_rec *r,
			    uint64_t ts, struct buf *out)
{
	uint64_t op = builtin_num(s, r, 0), value = builtin_num(s, r, 4);

	(void)e;
	if (op == MMIO_UNKNOWN_OP) {
		buf_addstr(out, "UNKNOWN ");
	} else if (op == MMIO_READ || op == MMIO_WRITE) {
		buf_addstr(out, op == MMIO_READ ? "R " : "W ");
		buf_add_dec(out, builtin_num(s, r, 1));
		buf_addch(out, ' ');
	} else {
		buf_addstr(out, "rw what?");
		return;
	}
	add_time_id(out, ts, builtin_num(s, r, 2));
	add_mmio_number(out, builtin_num(s, r, 3));
	if (op != MMIO_UNKNOWN_OP)
		add_mmio_number(out, value);
	/* three bytes of the unknown instruction */
	for (int shift = 16; op == MMIO_UNKNOWN_OP && shift >= 0; shift -= 8) {
		buf_addch(out, shift == 16 ? ' ' : ',');
		buf_add_hex_fixed(out, value >> shift, 2);
	}
	add_mmio_number(out, builtin_num(s, r, 5));
	buf_addstr(out, " 0");
}

static void builtin_mmio_map(struct ev_engine *e, const struct ev_slot *s, const struct ev_rec *r,
			     uint64_t ts, struct buf *out)
{
	uint64_t op = builtin_num(s, r, 0);

	(void)e;
	if (op != MMIO_PROBE && op != MMIO_UNPROBE) {
		buf_addstr(out, "map what?");
		return;
	}
	buf_addstr(out, op == MMIO_PROBE ? "MAP " : "UNMAP ");
	add_time_id(out, ts, builtin_num(s, r, 1));
	for (unsigned int i = 2; i < 5 && op == MMIO_PROBE; i++)
		add_mmio_number(out, builtin_num(s, r, i));
	buf_addstr(out, " 0x0 0");
}

#define TRAMPOLINE	0x7fffffff	/* marks a trampoline in a stack, since 6.6 */
#define USER_FRAMES	8

/*
 * Appends text. If it ends with a newline, that is the line's. If it does not, the kernel's line
 * does not end either.
 */
static void add_line_text(struct ev_engine *e, struct buf *out, const char *s, size_t n)
{
	if (n && s[n - 1] == '\n' && !e->bytes)
		n--;
	engine_text(e, out, s, n, false);
}

/* --- functions and stacks */

/* Prefetches as if the next record were one of these, too, after a header of four bytes. */
static inline void expect_next_function(const struct ev_engine *e, const struct ev_slot *s,
					const struct ev_rec *r)
{
	unsigned int kind = e->style.sym_offset ? SYMTEXT_IP_OFFSET : SYMTEXT_IP;
	struct ev_rec next = *r;

	if (r->behind <= 4)
		return;
	next.data += r->len + 4;
	next.len = r->behind - 4;
	symtext_expect(&e->symbols, builtin_num(s, &next, 0), kind);
	symtext_expect(&e->symbols, builtin_num(s, &next, 1), kind);
}

static void builtin_function(struct ev_engine *e, const struct ev_slot *s, const struct ev_rec *r,
			     uint64_t ts, struct buf *out)
{
	uint64_t ip = builtin_num(s, r, 0), parent = builtin_num(s, r, 1);
	const uint8_t *p;
	uint32_t len;

	(void)ts;
	expect_next_function(e, s, r);
	kernel_ip(e, ip, out);
	/* since 6.15 with func-args */
	if (s->f[5]) {
		p = builtin_rest(s, r, 5, &len);
		if (ev_has_args(r, s->f[5], len))
			ev_print_args(e, r, ip, p, len, out);
	}
	if (e->style.no_parent || !parent)
		return;
	buf_add(out, " <-", 3);
	kernel_ip(e, parent, out);
}

/* The kernel folds calls that repeat: the record has the time since the last one. */
static void builtin_func_repeats(struct ev_engine *e, const struct ev_slot *s,
				 const struct ev_rec *r, uint64_t ts, struct buf *out)
{
	uint64_t delta = builtin_num(s, r, 3) << 32 | builtin_num(s, r, 4);

	builtin_function(e, s, r, ts, out);
	buf_addstr(out, " (repeats: ");
	buf_add_dec(out, builtin_num(s, r, 2));
	buf_addstr(out, ", last_ts: ");
	builtin_seconds(out, ts - delta, 5);
	buf_addch(out, ')');
}

/*
 * Prints addresses to the end of the record, as the size of the array in the format file may be
 * wrong; ~0 ends a stack early.
 */
static void builtin_kernel_stack(struct ev_engine *e, const struct ev_slot *s,
				 const struct ev_rec *r, uint64_t ts, struct buf *out)
{
	uint64_t none = r->long_size == 8 ? UINT64_MAX : UINT32_MAX, addr;
	const uint8_t *p;
	uint32_t len;

	(void)ts;
	buf_addstr(out, "<stack trace>");
	p = builtin_rest(s, r, 0, &len);
	for (; len >= r->long_size; len -= r->long_size, p += r->long_size) {
		addr = builtin_long(r, p);
		if (addr == none)
			break;
		buf_add(out, "\n => ", 5);
		if (addr == TRAMPOLINE)
			buf_addstr(out, "[FTRACE TRAMPOLINE]");
		else
			kernel_ip(e, addr, out);
	}
}

static void builtin_user_stack(struct ev_engine *e, const struct ev_slot *s, const struct ev_rec *r,
			       uint64_t ts, struct buf *out)
{
	const uint8_t *p;
	const char *path;
	uint64_t addr, start;
	uint32_t len;

	(void)ts;
	buf_addstr(out, "<user stack trace>");
	p = builtin_rest(s, r, 0, &len);
	for (int i = 0; i < USER_FRAMES && len >= r->long_size; i++) {
		addr = builtin_long(r, p);
		if (!addr)
			break;
		buf_add(out, "\n => ", 5);
		/* the mapped file and the offset from its start, as with the option sym-userobj */
		path = e->style.user_addrs ? NULL :
			ev_maps_find(e->w->maps, builtin_num(s, r, 1), addr, &start);
		if (path) {
			engine_text(e, out, path, strlen(path), false);
			buf_addstr(out, "[+");
			buf_add_0x(out, addr - start);
			buf_addch(out, ']');
		}
		if (!path || e->style.sym_addr) {
			buf_add(out, " <", 2);
			buf_add_hex_fixed(out, addr, 2 * r->long_size);
			buf_addch(out, '>');
		}
		p += r->long_size;
		len -= r->long_size;
	}
}

/* --- texts that were printed into the buffer */

static void print_caller(struct ev_engine *e, const struct ev_slot *s, const struct ev_rec *r,
			 struct buf *out)
{
	if (e->style.message)
		return;
	kernel_ip(e, builtin_num(s, r, 0), out);
	buf_add(out, ": ", 2);
}

static void builtin_print(struct ev_engine *e, const struct ev_slot *s, const struct ev_rec *r,
			  uint64_t ts, struct buf *out)
{
	const uint8_t *p;
	uint32_t len;

	(void)ts;
	print_caller(e, s, r, out);
	p = builtin_rest(s, r, 1, &len);
	if (p)
		add_line_text(e, out, (const char *)p, strnlen((const char *)p, len));
}

static void print_unknown(struct buf *out, const char *what, uint64_t addr)
{
	buf_addch(out, '(');
	buf_addstr(out, what);
	buf_addstr(out, " at ");
	buf_add_0x(out, addr);
	buf_addch(out, ')');
}

static void builtin_bputs(struct ev_engine *e, const struct ev_slot *s, const struct ev_rec *r,
			  uint64_t ts, struct buf *out)
{
	uint64_t addr = builtin_num(s, r, 1);
	const char *text = ev_printk_at(e, addr);

	(void)ts;
	print_caller(e, s, r, out);
	if (text)
		add_line_text(e, out, text, strlen(text));
	else
		print_unknown(out, "no string", addr);
}

static void builtin_bprint(struct ev_engine *e, const struct ev_slot *s, const struct ev_rec *r,
			   uint64_t ts, struct buf *out)
{
	uint64_t addr = builtin_num(s, r, 1);
	const char *fmt = ev_printk_at(e, addr);
	const uint8_t *p;
	uint32_t len;

	(void)ts;
	print_caller(e, s, r, out);
	if (!fmt) {
		print_unknown(out, "no format", addr);
		return;
	}
	p = builtin_rest(s, r, 2, &len);
	buf_reset(&e->text);
	bprint_format(e, fmt, p, len, r->big, &e->text);
	if (e->text.len)
		add_line_text(e, out, e->text.data, e->text.len);
}

static void builtin_raw_data(struct ev_engine *e, const struct ev_slot *s, const struct ev_rec *r,
			     uint64_t ts, struct buf *out)
{
	const uint8_t *p;
	uint32_t len;

	(void)e;
	(void)ts;
	buf_add(out, "# ", 2);
	buf_add_hex(out, builtin_num(s, r, 0));
	buf_addstr(out, " buf:");
	p = builtin_rest(s, r, 1, &len);
	for (uint32_t i = 0; i < len; i++) {
		buf_addch(out, ' ');
		buf_add_hex_fixed(out, p[i], 2);
	}
}

/* --- the renderers by event */

static const struct builtin_event {
	const char *event;
	builtin_fn builtin;
	unsigned int needs;	/* number of the first fields that must exist */
	const char *fields[BUILTIN_FIELDS];
} builtins[] = {
	{ "function", builtin_function, 2, { "ip", "parent_ip", [5] = "args" } },
	{ "func_repeats", builtin_func_repeats, 5,
	  { "ip", "parent_ip", "count", "top_delta_ts", "bottom_delta_ts" } },
	{ "kernel_stack", builtin_kernel_stack, 1, { "caller" } },
	{ "user_stack", builtin_user_stack, 1, { "caller", "tgid" } },
	{ "print", builtin_print, 2, { "ip", "buf" } },
	{ "bputs", builtin_bputs, 2, { "ip", "str" } },
	{ "bprint", builtin_bprint, 3, { "ip", "fmt", "buf" } },
	{ "raw_data", builtin_raw_data, 2, { "id", "buf" } },
	{ "hwlat", builtin_hwlat, 8,
	  { "seqnum", "duration", "outer_duration", "tv_sec", "tv_nsec", "count", "nmi_count",
	    "nmi_total_ts" } },
	{ "osnoise", builtin_osnoise, 8,
	  { "runtime", "noise", "max_sample", "hw_count", "nmi_count", "irq_count",
	    "softirq_count", "thread_count" } },
	{ "timerlat", builtin_timerlat, 3, { "seqnum", "context", "timer_latency" } },
	{ "context_switch", builtin_context_switch, 7,
	  { "prev_pid", "prev_prio", "prev_state", "next_cpu", "next_pid", "next_prio",
	    "next_state" } },
	{ "wakeup", builtin_wakeup, 7,
	  { "prev_pid", "prev_prio", "prev_state", "next_cpu", "next_pid", "next_prio",
	    "next_state" } },
	{ "branch", builtin_branch, 4, { "correct", "func", "file", "line" } },
	{ "mmiotrace_rw", builtin_mmio_rw, 6,
	  { "opcode", "width", "map_id", "phys", "value", "pc" } },
	{ "mmiotrace_map", builtin_mmio_map, 5, { "opcode", "map_id", "phys", "virt", "len" } },
};

void builtin_bind(struct ev_slot *s)
{
	const struct builtin_event *b = builtins, *end = b + sizeof(builtins) / sizeof(*builtins);

	if (strcmp(s->fmt->system, "ftrace"))
		return;
	while (b < end && strcmp(s->fmt->name, b->event))
		b++;
	if (b == end)
		return;
	for (unsigned int i = 0; i < BUILTIN_FIELDS; i++) {
		s->f[i] = b->fields[i] ? ev_field(s->fmt, b->fields[i]) : NULL;
		if (!s->f[i] && i < b->needs)
			return;
	}
	s->builtin = b->builtin;
}
