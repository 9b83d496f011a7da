/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records as the lines of perf script, with its fields comm, tid, cpu, time, event, trace, ip, sym,
 * symoff and dso (tools/perf/builtin-script.c). Readers take a stack from its event's line to an
 * empty line. perf itself pads names of tasks only where no event has a stack, and most readers
 * want the name in the first column, so it is never padded here.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/poke.h"
#include "base/text.h"
#include "event/data/usermaps.h"
#include "model/kernel_stack.h"
#include "output/pipeline.h"

#define USER_FRAMES 8		/* kernel/trace/trace.h: FTRACE_STACK_ENTRIES */

enum perf_stack { STACK_NONE, STACK_KERNEL, STACK_USER };

struct perf_sink {
	struct model *model;		/* for the functions that record an event */
	struct stack_words words;
	struct map names;		/* format -> "system:event:" */
	struct string_pool texts;	/* which has them */
	bool is_open;			/* the last line has no empty line after it */
};

static void perf_begin(struct out_state *o)
{
	static const struct model_opts none;
	static const struct span_ops ops;
	struct perf_sink *x = xcalloc(1, sizeof(*x));

	x->model = model_new(o->traces, o->nr_traces, &none, &ops, NULL, NULL);
	o->priv = x;
}

static void perf_end(struct out_state *o)
{
	struct perf_sink *x = o->priv;

	stack_words_release(&x->words);
	map_release(&x->names);
	texts_release(&x->texts);
	model_free(x->model);
	free(x);
	o->priv = NULL;
}

static enum perf_stack perf_stack(const struct trace_rec *r)
{
	const struct ev_format *f = r->rec.fmt;

	if (!f || strcmp(f->system, "ftrace"))
		return STACK_NONE;
	return !strcmp(f->name, "kernel_stack") ? STACK_KERNEL :
	       !strcmp(f->name, "user_stack") ? STACK_USER : STACK_NONE;
}

/* Names of the kernel's text and of paths may have any bytes, and a frame is one line. */
static void perf_add_word(struct buf *b, const char *s, size_t len)
{
	text_sanitise(b, s, len, false);
}

static void perf_add_frame(struct buf *b, const struct trace_rec *r, uint64_t addr)
{
	struct ev_syms *syms = r->trace->meta.syms;
	const char *name, *module = NULL;
	size_t len = 0, module_len = 0;
	uint64_t off = 0;

	buf_printf(b, "\t%16" PRIx64 " ", addr);
	if (addr == STACK_TRAMPOLINE) {
		buf_addstr(b, "[FTRACE_TRAMPOLINE] ([kernel.kallsyms])\n");
		return;
	}
	name = syms ? ev_syms_find(syms, addr, &len, &module, &module_len, &off) : NULL;
	if (name) {
		perf_add_word(b, name, len);
		buf_printf(b, "+0x%" PRIx64, off);
	} else {
		buf_addstr(b, "[unknown]");
	}
	buf_addstr(b, " ([");
	perf_add_word(b, module ? module : "kernel.kallsyms", module ? module_len : 15);
	buf_addstr(b, "])\n");
}

static bool perf_add_kernel(struct out_state *o, const struct trace_rec *r)
{
	struct perf_sink *x = o->priv;
	struct kernel_stack k;

	if (!kernel_stack_read(r, &k))
		return false;
	for (uint32_t i = x->model ? kernel_stack_skip_tracer(&x->words, x->model, &k) : 0;
	     i < k.n; i++)
		perf_add_frame(&o->buf, r, kernel_stack_addr(&k, i));
	return true;
}

static bool perf_add_user(struct out_state *o, const struct trace_rec *r)
{
	const struct ev_field *tgid;
	struct kernel_stack k;
	uint64_t addr, start, id = 0;
	const char *path;
	uint32_t i;

	if (!kernel_stack_read(r, &k))
		return false;
	tgid = ev_field(r->rec.fmt, "tgid");
	if (tgid)
		ev_get_num(&r->rec, tgid, &id);
	for (i = 0; i < k.n && i < USER_FRAMES && (addr = kernel_stack_addr(&k, i)); i++) {
		path = ev_maps_find(r->trace->meta.maps, (int)id, addr, &start);
		buf_printf(&o->buf, "\t%16" PRIx64 " [unknown] (", addr);
		if (path)
			perf_add_word(&o->buf, path, strlen(path));
		else
			buf_addstr(&o->buf, "[unknown]");
		buf_addstr(&o->buf, ")\n");
	}
	return i;
}

static bool perf_add_stack(struct out_state *o, const struct trace_rec *r, enum perf_stack kind)
{
	return kind == STACK_KERNEL ? perf_add_kernel(o, r) :
	       kind == STACK_USER && perf_add_user(o, r);
}

/* Adds the stacks that belong to the last record, and consumes them. Returns true for any. */
static bool perf_add_next(struct out_state *o, int pid, struct trace_iter *it)
{
	enum perf_stack last = STACK_NONE, kind;
	const struct trace_rec *next;
	bool any = false;

	/* that of the kernel comes before that of user space */
	while ((next = trace_iter_peek(it)) && next->pid == pid && !next->lost &&
	       (kind = perf_stack(next)) > last) {
		any |= perf_add_stack(o, next, kind);
		last = kind;
		trace_iter_skip(it);
	}
	return any;
}

static void perf_add_comm(struct buf *b, const struct trace_rec *r)
{
	const char *comm = r->pid < 0 ? "<...>" : trace_comm(r->trace, r->pid);

	/* the names that perf has for the idle task and for a task without a name */
	if (!r->pid)
		buf_addstr(b, "swapper");
	else if (!strcmp(comm, "<...>"))
		buf_printf(b, ":%d", r->pid);
	else
		buf_addstr(b, comm);
}

/* Adds the text of the event as one line. */
static void perf_add_text(struct buf *b, const struct trace_rec *r)
{
	size_t from = b->len;
	char *p;

	ev_render(r->trace->engine, &r->rec, r->cpu, r->ts, b);
	while (b->len > from && b->data[b->len - 1] == '\n')
		b->len--;
	for (p = b->data + from; (p = memchr(p, '\n', b->data + b->len - p)); p++)
		*p = ' ';
}

/* Returns "system:event:" of a format, which is made once. */
static const char *perf_name(struct perf_sink *x, const struct ev_format *f)
{
	char *name = map_get(&x->names, (uintptr_t)f);
	struct buf b = {0};

	if (name)
		return name;
	perf_add_word(&b, f->system, strlen(f->system));
	buf_addch(&b, ':');
	perf_add_word(&b, f->name, strlen(f->name));
	buf_addch(&b, ':');
	name = texts_add(&x->texts, b.data, b.len);
	map_put(&x->names, (uintptr_t)f, name);
	buf_release(&b);
	return name;
}

/* Writes @v with blanks or zeros in front, at least @width characters. */
static char *perf_poke(char *p, uint64_t v, size_t width, char fill)
{
	char digits[POKE_DEC_ROOM];
	size_t n = poke_dec(digits, v) - digits;

	for (; width > n; width--)
		*p++ = fill;
	return (char *)memcpy(p, digits, n) + n;
}

static void perf_add_line(struct perf_sink *x, struct buf *b, const struct trace_rec *r,
			  enum perf_stack kind)
{
	char *p;

	perf_add_comm(b, r);
	p = buf_poke(b, 4 * POKE_DEC_ROOM);
	*p++ = ' ';
	if (r->pid < 0)
		*p++ = '-';
	p = perf_poke(p, (uint64_t)llabs(r->pid), r->pid < 0 ? 4 : 5, ' ');
	p = (char *)memcpy(p, " [", 2) + 2;
	p = perf_poke(p, (uint32_t)r->cpu, 3, '0');
	p = (char *)memcpy(p, "] ", 2) + 2;
	p = perf_poke(p, r->ts / 1000000000, 5, ' ');
	*p++ = '.';
	p = perf_poke(p, r->ts % 1000000000 / 1000, 6, '0');
	p = (char *)memcpy(p, ": ", 2) + 2;
	buf_poked(b, p);
	if (!r->rec.fmt) {
		buf_printf(b, "ftrace:type_%u:\n", r->type);
		return;
	}
	buf_addstr(b, perf_name(x, r->rec.fmt));
	if (!kind) {
		buf_addch(b, ' ');
		perf_add_text(b, r);
	}
	buf_addch(b, '\n');
}

static void perf_event(struct out_state *o, const struct trace_rec *r, struct trace_iter *it)
{
	struct perf_sink *x = o->priv;
	struct buf *b = &o->buf;
	enum perf_stack kind = perf_stack(r);
	size_t from = b->len;
	bool has_stack;

	perf_add_line(x, b, r, kind);
	has_stack = kind ? perf_add_stack(o, r, kind) : perf_add_next(o, r->pid, it);
	if (has_stack && x->is_open) {
		/* without an empty line the stack would be that of the event before, too */
		buf_addch(b, '\n');
		memmove(b->data + from + 1, b->data + from, b->len - 1 - from);
		b->data[from] = '\n';
	}
	if (has_stack)
		buf_addch(b, '\n');
	x->is_open = !has_stack;
}

const struct out_ops out_perf = { .begin = perf_begin, .event = perf_event, .end = perf_end };
