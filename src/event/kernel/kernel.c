/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of the kernel's trace file behind their context. Most are "name: " and the print fmt;
 * events of ftrace itself, syscalls and probes have printers of their own in the kernel, and here.
 */
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/text.h"
#include "event/kernel/kernel.h"
#include "event/print/conv.h"

#define KRETPROBE "[unknown/kretprobe'd]"

void ev_set_style(struct ev_engine *e, const struct ev_style *style)
{
	e->style = style ? *style : (struct ev_style){0};
}

void engine_text(struct ev_engine *e, struct buf *out, const char *s, size_t n, bool keep_nl)
{
	if (e->bytes)
		buf_add(out, s, n);
	else
		text_sanitise(out, s, n, keep_nl);
}

/* --- addresses */

/* Functions whose return a kretprobe took seem to return here. */
static bool is_kretprobe(const char *name, size_t n)
{
	static const char *const names[] = { "arch_rethook_trampoline", "__kretprobe_trampoline" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (n == strlen(names[i]) && !memcmp(name, names[i], n))
			return true;
	return false;
}

void kernel_make_ip(void *engine, uint64_t addr, unsigned int kind, struct buf *out)
{
	const struct ev_engine *e = engine;
	const char *mod, *name;
	size_t n, mod_n;
	uint64_t off;

	if (!addr) {
		buf_addch(out, '0');
		return;
	}
	name = ev_syms_find(e->syms, addr, &n, &mod, &mod_n, &off);
	if (name && ev_syms_listed_only(mod, mod_n))
		name = NULL;
	if (name && !off && is_kretprobe(name, n))
		buf_addstr(out, KRETPROBE);
	else if (kind == SYMTEXT_IP_OFFSET)
		conv_symbol(e->syms, out, addr, true);
	else if (name)
		text_sanitise(out, name, n, false);
	else
		put_number(out, addr, 16, PUT_ALT | PUT_ZERO, 10, -1);
}

void kernel_ip_number(struct ev_engine *e, uint64_t addr, struct buf *out)
{
	buf_add(out, " <", 2);
	put_hex_fixed(out, addr, 2 * e->w->long_size);
	buf_addch(out, '>');
}

void ev_print_ip(struct ev_engine *e, uint64_t addr, bool offset, struct buf *out)
{
	kernel_ip_with(e, addr, offset ? SYMTEXT_IP_OFFSET : SYMTEXT_IP, out);
}

/* --- lines */

static void line_event(struct ev_engine *e, const struct ev_rec *r, int cpu, uint64_t ts,
		       struct buf *out)
{
	buf_addstr(out, r->fmt->name);
	buf_addstr(out, ": ");
	ev_render(e, r, cpu, ts, out);
	buf_addch(out, '\n');
}

static void line_ftrace(struct ev_engine *e, const struct ev_rec *r, int cpu, uint64_t ts,
			struct buf *out)
{
	ev_render(e, r, cpu, ts, out);
	buf_addch(out, '\n');
}

/* What was written ends the line, or does not. */
static void line_print(struct ev_engine *e, const struct ev_rec *r, int cpu, uint64_t ts,
		       struct buf *out)
{
	ev_render(e, r, cpu, ts, out);
}

/* blk has no format file. */
static void line_unknown(struct ev_engine *e, const struct ev_rec *r, int cpu, uint64_t ts,
			 struct buf *out)
{
	if (!ev_render_blk(e, r, cpu, ts, out)) {
		buf_addstr(out, "Unknown type ");
		put_dec(out, r->len >= 2 ? get_u16(r->data, r->big) : 0);
	}
	buf_addch(out, '\n');
}

static bool starts(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

static bool is_print(const struct ev_format *f)
{
	return !strcmp(f->name, "print") || !strcmp(f->name, "bprint") || !strcmp(f->name, "bputs");
}

static kernel_line_fn find_line(struct ev_engine *e, const struct ev_format *f)
{
	if (!strcmp(f->system, "ftrace"))
		return is_print(f) ? line_print : line_ftrace;
	if (!strcmp(f->system, "syscalls") && ev_field(f, "__syscall_nr")) {
		if (starts(f->name, "sys_enter_"))
			return kernel_sys_enter;
		if (starts(f->name, "sys_exit_"))
			return kernel_sys_exit;
	}
	if (!strcmp(f->system, "synthetic"))
		return kernel_synth;
	if (ev_field(f, "__probe_ip") || ev_field(f, "__probe_ret_ip"))
		return kernel_probe;
	if (kernel_is_eprobe(e->w, f))
		return kernel_eprobe;
	return line_event;
}

struct kernel_kind {
	kernel_line_fn line;
};

static kernel_line_fn line_of(struct ev_engine *e, const struct ev_format *f)
{
	struct kernel_kind *k = map_get(&e->kinds, (uintptr_t)f);

	if (!k) {
		k = xcalloc(1, sizeof(*k));
		k->line = find_line(e, f);
		map_put(&e->kinds, (uintptr_t)f, k);
	}
	return k->line;
}

void ev_render_kernel(struct ev_engine *e, const struct ev_rec *r, int cpu, uint64_t ts,
		      struct buf *out)
{
	e->bytes = true;
	if (r->fmt && e->style.fields)
		kernel_fields(e, r, out);
	else if (r->fmt)
		line_of(e, r->fmt)(e, r, cpu, ts, out);
	else
		line_unknown(e, r, cpu, ts, out);
	e->bytes = false;
}

void kernel_release(struct ev_engine *e)
{
	for (size_t i = 0; i < e->kinds.cap; i++)
		if (e->kinds.slots[i].val)
			free(e->kinds.slots[i].val);
	map_release(&e->kinds);
}
