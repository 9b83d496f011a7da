/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The records of the function_graph tracer as calls: durations, braces, leaf calls in one line.
 *
 * A leaf call is one line if its exit is the next record of the same CPU, as in the kernel.
 * trace-cmd compares the next record of all CPUs, so the same call may look different with the
 * load of other CPUs.
 */
#include "output/fgraph_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cursor.h"
#include "base/poke.h"

#define INDENT		2
#define WIDTH		7	/* of a duration's number, in trace-cmd's layout */
#define NO_DURATION	"             |  "
#define DURATION_ROOM	(POKE_DEC_ROOM + 32)
#define INDENT_ROOM	POKE_BLANKS_ROOM(INDENT * FGRAPH_DEPTH_MAX)

/* --- the parts of a line */

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

/* Writes "65.900 us ", then blanks up to @width of the number. Returns the end. */
static inline char *poke_duration(char *p, uint64_t ns, int width)
{
	char *start = p;
	int len;

	p = poke_dec(p, ns / 1000);
	len = p - start;
	if (len < 7) {
		/* at most 7 digits, as in the kernel's text */
		*p++ = '.';
		p = poke_3(p, ns % 1000);
		if (len > 4)
			p = start + 8;
		len = p - start;
	}
	memcpy(p, " us             ", 16);
	return p + 4 + (len < width ? width - len : 0);
}

void fgraph_duration(struct buf *out, uint64_t ns, int width)
{
	buf_poked(out, poke_duration(buf_poke(out, DURATION_ROOM), ns, width));
}

/* Writes "+ 65.900 us  |  ". Returns the end. */
static inline char *poke_marked(char *p, uint64_t ns)
{
	*p++ = fgraph_mark(ns);
	*p++ = ' ';
	p = poke_duration(p, ns, WIDTH);
	memcpy(p, "|  ", 3);
	return p + 3;
}

static inline char *poke_indent(char *p, uint64_t depth)
{
	return poke_blanks(p, INDENT * (depth > FGRAPH_DEPTH_MAX ? FGRAPH_DEPTH_MAX : depth));
}

void fgraph_indent(struct buf *out, uint64_t depth)
{
	buf_poked(out, poke_indent(buf_poke(out, INDENT_ROOM), depth));
}

/* Adds "(count=0x1)", or "()" if the record has no arguments. */
static void add_call_args(struct buf *out, const struct ev_field *args, const struct trace_rec *r,
			  uint64_t func)
{
	uint32_t len = 0;
	const uint8_t *p;

	if (args && ev_get_bytes(&r->rec, args, &p, &len) && ev_has_args(&r->rec, args, len))
		ev_print_args(r->trace->engine, &r->rec, func, p, len, out);
	else
		buf_add(out, "()", 2);
}

void fgraph_func(struct buf *out, const struct fgraph_event *e, const struct trace_rec *r,
		 uint64_t func)
{
	ev_print_func(r->trace->engine, func, false, out);
	add_call_args(out, e->args, r, func);
}

void fgraph_retval(struct buf *out, const struct fgraph *g, uint64_t retval, bool hex)
{
	/* an error code is sign-extended if only its lower half was returned */
	int64_t code = retval >> 31 == 1 ? (int32_t)retval : (int64_t)retval;

	buf_addstr(out, g->old_retval ? "= " : "ret=");
	if (!hex && code < 0 && code >= -4095)
		buf_printf(out, "%" PRId64, code);
	else
		buf_printf(out, "0x%" PRIx64, retval);
}

void fgraph_end(struct buf *out, const struct trace_rec *r, const struct fgraph_return *ret,
		const struct fgraph *g, bool hex)
{
	buf_addstr(out, " /* ");
	ev_print_func(r->trace->engine, ret->func, false, out);
	if (g) {
		buf_addch(out, ' ');
		fgraph_retval(out, g, ret->retval, hex);
	}
	buf_addstr(out, " */");
}

/* Returns the exit that follows @r, which may be that of its call; NULL if none follows. */
static inline const struct trace_rec *peek_exit(const struct fgraph *g, const struct trace_rec *r,
						struct trace_iter *it)
{
	const struct trace_rec *next = it ? trace_iter_peek(it) : NULL;

	if (!next || !next->rec.fmt || next->rec.fmt != g->exit.fmt)
		return NULL;
	return next->pid == r->pid && !next->lost ? next : NULL;
}

bool fgraph_consume_leaf(const struct fgraph *g, const struct trace_rec *r, struct trace_iter *it,
			 uint64_t func, struct fgraph_return *ret)
{
	const struct trace_rec *next = peek_exit(g, r, it);

	if (!next || !fgraph_read_return(g, next, ret) || ret->func != func)
		return false;
	trace_iter_skip(it);
	return true;
}

/* Consumes the exit as fgraph_consume_leaf(), with the values that the default text needs. */
static inline bool consume_leaf(const struct fgraph *g, const struct trace_rec *r,
				struct trace_iter *it, uint64_t func, struct fgraph_end *end,
				uint64_t *retval)
{
	const struct trace_rec *next = peek_exit(g, r, it);

	if (!next || !fgraph_read_end(g, next, end) || end->func != func)
		return false;
	if (g->show_retval)
		ev_get_num(&next->rec, g->exit.retval, retval);
	trace_iter_skip(it);
	return true;
}

static bool entry_text(const struct fgraph *g, const struct fgraph_event *e,
		       const struct trace_rec *r, struct trace_iter *it, struct call_tracker *calls,
		       struct buf *out)
{
	struct open_calls *open = &calls->cpus[r->stream];
	struct fgraph_call call;
	uint64_t retval = 0;
	struct fgraph_end end;
	const char *name;
	size_t len;
	bool leaf;
	char *p;

	if (!fgraph_read_call(e, r, &call))
		return false;
	leaf = consume_leaf(g, r, it, call.func, &end, &retval);
	name = ev_func_text(r->trace->engine, call.func, &len);
	p = buf_poke(out, DURATION_ROOM + INDENT_ROOM + POKE_TEXT_ROOM(len) + 4);
	if (leaf) {
		calls_leaf(open, call.depth);
		p = poke_marked(p, end.duration_ns);
	} else {
		calls_enter(open, call.depth, call.func);
		memcpy(p, NO_DURATION, sizeof(NO_DURATION) - 1);
		p += sizeof(NO_DURATION) - 1;
	}
	p = poke_text(poke_indent(p, call.depth), name, len);
	if (!e->args) {
		memcpy(p, "()", 2);
		p += 2;
	} else {
		buf_poked(out, p);
		add_call_args(out, e->args, r, call.func);
		p = buf_poke(out, 4);
	}
	memcpy(p, leaf ? "; " : " {", 2);
	buf_poked(out, p + (leaf ? 1 : 2));
	if (leaf && g->show_retval) {
		buf_addstr(out, " /* ");
		fgraph_retval(out, g, retval, false);
		buf_addstr(out, " */");
	}
	return true;
}

/* Adds the function's name, or keeps it as a guess if it may turn out not to be due. */
static __attribute__((noinline)) void add_end_name(const struct fgraph *g,
						   const struct trace_rec *r,
						   enum calls_end how, struct call_tracker *calls,
						   struct buf *out)
{
	bool sure = how != CALLS_MAYBE || g->show_name;
	size_t from = calls->names.len;
	struct fgraph_return ret;

	fgraph_read_return(g, r, &ret);
	fgraph_end(sure ? out : &calls->names, r, &ret, g->show_retval ? g : NULL, false);
	if (!sure)
		calls_guess(calls, out->len, from, r->stream, ret.depth, ret.func);
}

bool fgraph_text(const struct fgraph *g, const struct trace_rec *r, struct trace_iter *it,
		 struct call_tracker *calls, struct buf *out)
{
	const struct fgraph_event *e;
	struct fgraph_end end;
	enum calls_end how;
	char *p;

	if (!r->rec.fmt)
		return false;
	if (r->rec.fmt != g->exit.fmt) {
		e = fgraph_entry_of(g, r);
		return e && entry_text(g, e, r, it, calls, out);
	}
	if (!fgraph_read_end(g, r, &end))
		return false;
	p = poke_marked(buf_poke(out, DURATION_ROOM + INDENT_ROOM), end.duration_ns);
	p = poke_indent(p, end.depth);
	*p++ = '}';
	buf_poked(out, p);
	how = calls_leave(&calls->cpus[r->stream], end.depth, end.func);
	if (how != CALLS_MATCH || g->show_name)
		add_end_name(g, r, how, calls, out);
	return true;
}
