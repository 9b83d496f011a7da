/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The records of the function_graph tracer as calls: durations, braces, leaf calls in one line. */
#include "out/fgraph.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cursor.h"
#include "base/poke.h"

#define INDENT		2
#define WIDTH		7	/* of a duration's number, in trace-cmd's layout */
#define NEW_RETVAL	KERNEL_VERSION_OF(6, 13)

static void find_event(struct fgraph_event *e, const struct trace *t, const char *name)
{
	const struct ev_format *f = ev_world_by_name(&t->world, "ftrace", name);

	if (!f || ev_format_ready(f))
		return;
	e->fmt = f;
	e->func = ev_field(f, "func");
	e->depth = ev_field(f, "depth");
	e->args = ev_field(f, "args");
	e->retaddr = ev_field(f, "retaddr");
	e->retval = ev_field(f, "retval");
	e->overrun = ev_field(f, "overrun");
	e->calltime = ev_field(f, "calltime");
	e->rettime = ev_field(f, "rettime");
}

/* A capable kernel has the value in every exit record; whether it was wanted is an option. */
static bool retval_wanted(const struct trace *t)
{
	static const char key[] = "funcgraph-retval";
	const struct dat_blob *meta = &t->dat->ftr_meta;
	const char *at;

	if (!meta->p)
		return false;
	at = memmem(meta->p, meta->len, key, sizeof(key) - 1);
	return at && (at == meta->p || at[-1] != 'o');	/* not "nofuncgraph-retval" */
}

void fgraph_init(struct fgraph *g, const struct trace *t)
{
	*g = (struct fgraph){0};
	find_event(&g->entry[0], t, "funcgraph_entry");
	find_event(&g->entry[1], t, "fgraph_retaddr_entry");
	find_event(&g->exit, t, "funcgraph_exit");
	g->show_retval = g->exit.retval && retval_wanted(t);
	g->old_retval = !g->entry[0].args && t->world.kernel && t->world.kernel < NEW_RETVAL;
}

static bool number(const struct trace_rec *r, const struct ev_field *f, uint64_t *v)
{
	return f && ev_get_num(&r->rec, f, v);
}

char fgraph_mark(uint64_t ns)
{
	static const struct { uint64_t ns; char mark; } marks[] = {
		{ 1000000000, '$' }, { 100000000, '@' }, { 10000000, '*' },
		{ 1000000, '#' }, { 100000, '!' }, { 10000, '+' },
	};
	size_t i;

	if (ns <= 10000)
		return ' ';
	for (i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		if (ns > marks[i].ns)
			return marks[i].mark;
	return ' ';
}

void fgraph_duration(struct buf *out, uint64_t ns, int width)
{
	char *start = buf_poke(out, POKE_DEC_ROOM + 16 + (width > 0 ? width : 0));
	char *p = poke_dec(start, ns / 1000);
	int len = p - start;

	if (len < 7) {
		/* at most 7 digits in all, as in the kernel's text */
		*p++ = '.';
		p = poke_3(p, ns % 1000);
		if (len > 4)
			p = start + 8;
		len = p - start;
	}
	memcpy(p, " us ", 4);
	for (p += 4; len < width; len++)
		*p++ = ' ';
	buf_poked(out, p);
}

/* "+ 65.900 us  |  " */
static void add_duration(struct buf *out, uint64_t ns)
{
	buf_addch(out, fgraph_mark(ns));
	buf_addch(out, ' ');
	fgraph_duration(out, ns, WIDTH);
	buf_add(out, "|  ", 3);
}

void fgraph_indent(struct buf *out, uint64_t depth)
{
	int n = INDENT * (depth > FGRAPH_DEPTH_MAX ? FGRAPH_DEPTH_MAX : depth);
	char *p = buf_poke(out, n);

	memset(p, ' ', n);
	buf_poked(out, p + n);
}

void fgraph_func(struct buf *out, const struct fgraph_event *e, const struct trace_rec *r,
		 uint64_t func)
{
	uint32_t len = 0;
	const uint8_t *p;

	ev_print_func(r->trace->engine, func, false, out);
	if (e->args && ev_get_bytes(&r->rec, e->args, &p, &len) && ev_has_args(&r->rec, len))
		ev_print_args(r->trace->engine, &r->rec, func, p, len, out);
	else
		buf_add(out, "()", 2);
}

/* An error code, sign-extended if only its lower half was returned; else 0. */
static int64_t error_code(uint64_t retval)
{
	int64_t v = retval >> 31 == 1 ? (int32_t)retval : (int64_t)retval;

	return v < 0 && v >= -4095 ? v : 0;
}

void fgraph_retval(struct buf *out, const struct fgraph *g, uint64_t retval, bool hex)
{
	int64_t code = hex ? 0 : error_code(retval);

	buf_addstr(out, g->old_retval ? "= " : "ret=");
	if (code)
		buf_printf(out, "%" PRId64, code);
	else
		buf_printf(out, "0x%" PRIx64, retval);
}

static void add_retval(struct buf *out, const struct fgraph *g, uint64_t retval)
{
	if (!g->show_retval)
		return;
	buf_addstr(out, " /* ");
	fgraph_retval(out, g, retval, false);
	buf_addstr(out, " */");
}

const struct fgraph_event *fgraph_entry_of(const struct fgraph *g, const struct trace_rec *r)
{
	size_t i;

	for (i = 0; i < FGRAPH_ENTRIES; i++)
		if (r->rec.fmt == g->entry[i].fmt)
			return &g->entry[i];
	return NULL;
}

bool fgraph_read_call(const struct fgraph_event *e, const struct trace_rec *r,
		      struct fgraph_call *call)
{
	*call = (struct fgraph_call){0};
	if (e->retaddr)
		number(r, e->retaddr, &call->retaddr);
	return number(r, e->func, &call->func) && number(r, e->depth, &call->depth);
}

bool fgraph_read_return(const struct fgraph *g, const struct trace_rec *r,
			struct fgraph_return *ret)
{
	uint64_t call, back;

	*ret = (struct fgraph_return){0};
	if (!number(r, g->exit.func, &ret->func) || !number(r, g->exit.depth, &ret->depth) ||
	    !number(r, g->exit.calltime, &call) || !number(r, g->exit.rettime, &back))
		return false;
	ret->duration_ns = back - call;
	if (g->exit.retval)
		number(r, g->exit.retval, &ret->retval);
	if (g->exit.overrun)
		number(r, g->exit.overrun, &ret->overrun);
	return true;
}

bool fgraph_take_leaf(const struct fgraph *g, const struct trace_rec *r, struct trace_iter *it,
		      uint64_t func, struct fgraph_return *ret)
{
	const struct trace_rec *next = trace_iter_peek(it);

	if (!next || !next->rec.fmt || next->rec.fmt != g->exit.fmt)
		return false;
	if (next->pid != r->pid || next->lost)
		return false;
	if (!fgraph_read_return(g, next, ret) || ret->func != func)
		return false;
	trace_iter_skip(it);
	return true;
}

static bool entry_text(const struct fgraph *g, const struct fgraph_event *e,
		       const struct trace_rec *r, struct trace_iter *it, struct buf *out)
{
	struct fgraph_return ret;
	struct fgraph_call call;
	bool leaf;

	if (!fgraph_read_call(e, r, &call))
		return false;
	leaf = fgraph_take_leaf(g, r, it, call.func, &ret);
	if (leaf)
		add_duration(out, ret.duration_ns);
	else
		buf_addstr(out, "             |  ");
	fgraph_indent(out, call.depth);
	fgraph_func(out, e, r, call.func);
	buf_addstr(out, leaf ? ";" : " {");
	if (leaf)
		add_retval(out, g, ret.retval);
	return true;
}

static bool exit_text(const struct fgraph *g, const struct trace_rec *r, struct buf *out)
{
	struct fgraph_return ret;

	if (!fgraph_read_return(g, r, &ret))
		return false;
	add_duration(out, ret.duration_ns);
	fgraph_indent(out, ret.depth);
	buf_addch(out, '}');
	add_retval(out, g, ret.retval);
	return true;
}

bool fgraph_text(const struct fgraph *g, const struct trace_rec *r, struct trace_iter *it,
		 struct buf *out)
{
	const struct fgraph_event *e;

	if (!r->rec.fmt)
		return false;
	if (r->rec.fmt == g->exit.fmt)
		return exit_text(g, r, out);
	e = fgraph_entry_of(g, r);
	return e && entry_text(g, e, r, it, out);
}
