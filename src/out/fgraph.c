/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The records of the function_graph tracer as calls: durations, braces, leaf calls in one line. */
#include "out/fgraph.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cursor.h"

#define INDENT	  2
#define DEPTH_MAX 512	/* the kernel's stacks hold fewer; larger numbers are damage */

static void find_event(struct fgraph_event *e, const struct trace *t, const char *name)
{
	size_t i;

	for (i = 0; i < t->world.nr_formats; i++) {
		const struct ev_format *f = &t->world.formats[i];

		if (strcmp(f->system, "ftrace") || strcmp(f->name, name))
			continue;
		e->fmt = f;
		e->func = ev_field(f, "func");
		e->depth = ev_field(f, "depth");
		e->args = ev_field(f, "args");
		e->retval = ev_field(f, "retval");
		e->calltime = ev_field(f, "calltime");
		e->rettime = ev_field(f, "rettime");
		return;
	}
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
}

static bool number(const struct trace_rec *r, const struct ev_field *f, uint64_t *v)
{
	return f && ev_get_num(&r->rec, f, v);
}

/* Marks of the kernel's Documentation/trace/ftrace.rst, for durations beyond these many ns. */
static char overhead(uint64_t ns)
{
	static const struct { uint64_t ns; char mark; } marks[] = {
		{ 1000000000, '$' }, { 100000000, '@' }, { 10000000, '*' },
		{ 1000000, '#' }, { 100000, '!' }, { 10000, '+' },
	};
	size_t i;

	for (i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		if (ns > marks[i].ns)
			return marks[i].mark;
	return ' ';
}

/* "+ 65.900 us  |  ": seven places for the number, fewer decimals when it is large. */
static void add_duration(struct buf *out, uint64_t ns)
{
	char text[32];
	int len = snprintf(text, sizeof(text), "%" PRIu64, ns / 1000);

	if (len < 7) {
		/* at most 7 digits in all, as in the kernel's text */
		snprintf(text + len, sizeof(text) - len, ".%03u", (unsigned int)(ns % 1000));
		if (len > 4)
			text[8] = '\0';
		len = strlen(text);
	}
	buf_printf(out, "%c %s us %*s|  ", overhead(ns), text, len < 7 ? 7 - len : 0, "");
}

static void add_indent(struct buf *out, uint64_t depth)
{
	buf_printf(out, "%*s", (int)(depth > DEPTH_MAX ? DEPTH_MAX : depth) * INDENT, "");
}

/* "name(0x1, 0x2)": arguments are registers, there is no type information in the record. */
static void add_call(struct buf *out, const struct fgraph_event *e, const struct trace_rec *r,
		     uint64_t func)
{
	uint32_t len = 0, at, size = r->rec.long_size;
	const uint8_t *p;

	ev_print_func(r->trace->engine, func, false, out);
	buf_addch(out, '(');
	if (e->args && ev_get_bytes(&r->rec, e->args, &p, &len)) {
		for (at = 0; at + size <= len; at += size)
			buf_printf(out, "%s0x%" PRIx64, at ? ", " : "",
				   size == 8 ? get_u64(p + at, r->rec.big) :
					       get_u32(p + at, r->rec.big));
	}
	buf_addch(out, ')');
}

static void add_retval(struct buf *out, const struct fgraph *g, uint64_t retval)
{
	int64_t v = (int64_t)retval;

	if (!g->show_retval)
		return;
	/* error codes are shown as such, as the kernel does */
	if (v < 0 && v >= -4095)
		buf_printf(out, " /* ret=%" PRId64 " */", v);
	else
		buf_printf(out, " /* ret=0x%" PRIx64 " */", retval);
}

/* What an exit says; false when the record is too short for it. */
struct fgraph_return {
	uint64_t func, duration_ns, retval;
};

static bool read_return(const struct fgraph *g, const struct trace_rec *r,
			struct fgraph_return *ret)
{
	uint64_t call, back;

	*ret = (struct fgraph_return){0};
	if (!number(r, g->exit.func, &ret->func) || !number(r, g->exit.calltime, &call) ||
	    !number(r, g->exit.rettime, &back))
		return false;
	ret->duration_ns = back - call;
	if (g->exit.retval)
		number(r, g->exit.retval, &ret->retval);
	return true;
}

/*
 * The exit of the same call, if it is the very next record of this CPU. After a loss it need not be
 * the same call.
 */
static bool take_leaf(const struct fgraph *g, const struct trace_rec *r, struct trace_iter *it,
		      uint64_t func, struct fgraph_return *ret)
{
	const struct trace_rec *next = trace_iter_peek(it);

	if (!next || !next->rec.fmt || next->rec.fmt != g->exit.fmt)
		return false;
	if (next->pid != r->pid || next->lost)
		return false;
	if (!read_return(g, next, ret) || ret->func != func)
		return false;
	trace_iter_skip(it);
	return true;
}

static bool entry_text(const struct fgraph *g, const struct fgraph_event *e,
		       const struct trace_rec *r, struct trace_iter *it, struct buf *out)
{
	struct fgraph_return ret;
	uint64_t func, depth;
	bool leaf;

	if (!number(r, e->func, &func) || !number(r, e->depth, &depth))
		return false;
	leaf = take_leaf(g, r, it, func, &ret);
	if (leaf)
		add_duration(out, ret.duration_ns);
	else
		buf_addstr(out, "             |  ");
	add_indent(out, depth);
	add_call(out, e, r, func);
	buf_addstr(out, leaf ? ";" : " {");
	if (leaf)
		add_retval(out, g, ret.retval);
	return true;
}

static bool exit_text(const struct fgraph *g, const struct trace_rec *r, struct buf *out)
{
	struct fgraph_return ret;
	uint64_t depth;

	if (!read_return(g, r, &ret) || !number(r, g->exit.depth, &depth))
		return false;
	add_duration(out, ret.duration_ns);
	add_indent(out, depth);
	buf_addch(out, '}');
	add_retval(out, g, ret.retval);
	return true;
}

bool fgraph_text(const struct fgraph *g, const struct trace_rec *r, struct trace_iter *it,
		 struct buf *out)
{
	size_t i;

	if (!r->rec.fmt)
		return false;
	if (r->rec.fmt == g->exit.fmt)
		return exit_text(g, r, out);
	for (i = 0; i < FGRAPH_ENTRIES; i++)
		if (r->rec.fmt == g->entry[i].fmt)
			return entry_text(g, &g->entry[i], r, it, out);
	return false;
}
