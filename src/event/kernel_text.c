/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of the kernel's trace file behind their context. Most are "name: " and the print fmt;
 * events of ftrace itself, syscalls and probes have printers of their own in the kernel, and here.
 */
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "event/kernel_text.h"
#include "event/print/number_text.h"

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

static bool name_starts(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

static bool is_print(const struct ev_format *f)
{
	return !strcmp(f->name, "print") || !strcmp(f->name, "bprint") || !strcmp(f->name, "bputs");
}

static kernel_line_fn choose_line(struct ev_engine *e, const struct ev_format *f)
{
	if (!strcmp(f->system, "ftrace"))
		return is_print(f) ? line_print : line_ftrace;
	if (!strcmp(f->system, "syscalls") && ev_field(f, "__syscall_nr")) {
		if (name_starts(f->name, "sys_enter_"))
			return kernel_sys_enter;
		if (name_starts(f->name, "sys_exit_"))
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

static kernel_line_fn cached_line(struct ev_engine *e, const struct ev_format *f)
{
	struct kernel_kind *k = map_get(&e->kinds, (uintptr_t)f);

	if (!k) {
		k = xcalloc(1, sizeof(*k));
		k->line = choose_line(e, f);
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
		cached_line(e, r->fmt)(e, r, cpu, ts, out);
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
