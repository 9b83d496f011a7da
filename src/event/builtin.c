/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events of ftrace itself whose print fmt says little: rendered as the kernel's trace file shows
 * them.
 */
#include <inttypes.h>
#include <string.h>

#include "base/cursor.h"
#include "base/text.h"
#include "event/engine.h"

#define TRAMPOLINE 0x7fffffff	/* what the kernel (6.6 and later) writes for one in a stack */

static uint64_t number(const struct ev_rec *r, const char *name)
{
	const struct ev_field *f = ev_field(r->fmt, name);
	uint64_t v = 0;

	if (f)
		ev_get_num(r, f, &v);
	return v;
}

static bool bytes(const struct ev_rec *r, const char *name, const uint8_t **p, uint32_t *len)
{
	const struct ev_field *f = ev_field(r->fmt, name);

	return f && ev_get_bytes(r, f, p, len);
}

static uint64_t get_long(const struct ev_rec *r, const uint8_t *p)
{
	return r->long_size == 8 ? get_u64(p, r->big) : get_u32(p, r->big);
}

/*
 * Text that may end with a newline, which then is the line's; if it does not, the kernel's line
 * does not end either.
 */
static void add_text(struct ev_engine *e, struct buf *out, const char *s, size_t n)
{
	n = strnlen(s, n);
	if (n && s[n - 1] == '\n' && !e->bytes)
		n--;
	engine_text(e, out, s, n, false);
}

/*
 * Since 6.13 with func-args: the registers of six arguments follow; only BTF knows their names and
 * types.
 */
static void print_args(const struct ev_rec *r, struct buf *out)
{
	const uint8_t *p;
	uint32_t len;

	if (!bytes(r, "args", &p, &len) || len < 6u * r->long_size)
		return;
	buf_addch(out, '(');
	for (int i = 0; i < 6; i++)
		buf_printf(out, "%s0x%" PRIx64, i ? ", " : "", get_long(r, p + i * r->long_size));
	buf_addch(out, ')');
}

static void own_function(struct ev_engine *e, const struct ev_rec *r, uint64_t ts, struct buf *out)
{
	uint64_t parent = number(r, "parent_ip");

	(void)ts;
	kernel_ip(e, number(r, "ip"), out);
	print_args(r, out);
	if (e->style.no_parent || !parent)
		return;
	buf_addstr(out, " <-");
	kernel_ip(e, parent, out);
}

/* The kernel folds calls that repeat: the last one was this long before the record. */
static void own_func_repeats(struct ev_engine *e, const struct ev_rec *r, uint64_t ts,
			     struct buf *out)
{
	uint64_t delta = number(r, "top_delta_ts") << 32 | number(r, "bottom_delta_ts");
	uint64_t last_us = (ts - delta) / 1000;

	own_function(e, r, ts, out);
	buf_printf(out, " (repeats: %" PRIu64 ", last_ts: %5" PRIu64 ".%06" PRIu64 ")",
		   number(r, "count"),
		   last_us / 1000000, last_us % 1000000);
}

/* Entries to show: ->size of them where the record has that field; ~0 ends a stack early. */
static uint32_t stack_depth(const struct ev_rec *r, const uint8_t *p, uint32_t len)
{
	uint64_t none = r->long_size == 8 ? UINT64_MAX : UINT32_MAX;
	uint32_t max = len / r->long_size, n = 0;

	if (ev_field(r->fmt, "size") && number(r, "size") < max)
		max = number(r, "size");
	while (n < max && get_long(r, p + n * r->long_size) != none)
		n++;
	return n;
}

static void own_kernel_stack(struct ev_engine *e, const struct ev_rec *r, uint64_t ts,
			     struct buf *out)
{
	const uint8_t *p;
	uint32_t len, n;

	(void)ts;
	buf_addstr(out, "<stack trace>");
	n = bytes(r, "caller", &p, &len) ? stack_depth(r, p, len) : 0;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t addr = get_long(r, p + i * r->long_size);

		buf_addstr(out, "\n => ");
		if (addr == TRAMPOLINE)
			buf_addstr(out, "[FTRACE TRAMPOLINE]");
		else
			kernel_ip(e, addr, out);
	}
}

static void own_user_stack(struct ev_engine *e, const struct ev_rec *r, uint64_t ts,
			   struct buf *out)
{
	const uint8_t *p;
	uint32_t len, n;
	uint64_t addr;

	(void)ts;
	(void)e;
	buf_addstr(out, "<user stack trace>");
	n = bytes(r, "caller", &p, &len) ? stack_depth(r, p, len) : 0;
	for (uint32_t i = 0; i < n; i++) {
		addr = get_long(r, p + i * r->long_size);
		if (!addr)
			break;
		buf_printf(out, "\n =>  <%0*" PRIx64 ">", 2 * r->long_size, addr);
	}
}

static void caller_prefix(struct ev_engine *e, const struct ev_rec *r, struct buf *out)
{
	if (e->style.message)
		return;
	kernel_ip(e, number(r, "ip"), out);
	buf_addstr(out, ": ");
}

static void own_print(struct ev_engine *e, const struct ev_rec *r, uint64_t ts, struct buf *out)
{
	const uint8_t *p;
	uint32_t len;

	(void)ts;
	caller_prefix(e, r, out);
	if (bytes(r, "buf", &p, &len))
		add_text(e, out, (const char *)p, len);
}

static void own_bputs(struct ev_engine *e, const struct ev_rec *r, uint64_t ts, struct buf *out)
{
	uint64_t addr = number(r, "str");
	const char *s = printk_find(e, addr);

	(void)ts;
	caller_prefix(e, r, out);
	if (s)
		add_text(e, out, s, strlen(s));
	else
		buf_printf(out, "(no string at 0x%" PRIx64 ")", addr);
}

static void own_bprint(struct ev_engine *e, const struct ev_rec *r, uint64_t ts, struct buf *out)
{
	uint64_t addr = number(r, "fmt");
	const char *fmt = printk_find(e, addr);
	struct buf text = { 0 };
	const uint8_t *p;
	uint32_t len;

	(void)ts;
	caller_prefix(e, r, out);
	if (!fmt) {
		buf_printf(out, "(no format at 0x%" PRIx64 ")", addr);
	} else if (bytes(r, "buf", &p, &len)) {
		bprint_format(e, fmt, p, len, r->big, &text);
		if (text.len)
			add_text(e, out, text.data, text.len);
	}
	buf_release(&text);
}

static void own_raw_data(struct ev_engine *e, const struct ev_rec *r, uint64_t ts, struct buf *out)
{
	const uint8_t *p;
	uint32_t len;

	(void)e;
	(void)ts;
	buf_printf(out, "# %" PRIx64 " buf:", number(r, "id"));
	if (!bytes(r, "buf", &p, &len))
		return;
	for (uint32_t i = 0; i < len; i++)
		buf_printf(out, " %02x", p[i]);
}

static const struct {
	const char *event;
	own_fn own;
	const char *needs[3];	/* fields without which the print fmt is used */
} builtins[] = {
	{ "function", own_function, { "ip", "parent_ip" } },
	{ "func_repeats", own_func_repeats, { "ip", "parent_ip", "count" } },
	{ "kernel_stack", own_kernel_stack, { "caller" } },
	{ "user_stack", own_user_stack, { "caller" } },
	{ "print", own_print, { "ip", "buf" } },
	{ "bputs", own_bputs, { "ip", "str" } },
	{ "bprint", own_bprint, { "ip", "fmt", "buf" } },
	{ "raw_data", own_raw_data, { "id", "buf" } },
};

static bool has_all(const struct ev_format *fmt, const char *const needs[3])
{
	for (int i = 0; i < 3 && needs[i]; i++)
		if (!ev_field(fmt, needs[i]))
			return false;
	return true;
}

own_fn builtin_find(const struct ev_format *fmt)
{
	if (strcmp(fmt->system, "ftrace"))
		return NULL;
	for (size_t i = 0; i < sizeof(builtins) / sizeof(*builtins); i++)
		if (!strcmp(fmt->name, builtins[i].event))
			return has_all(fmt, builtins[i].needs) ? builtins[i].own : NULL;
	return NULL;
}
