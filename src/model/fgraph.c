/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers in the records of the function_graph tracer, and the options that it had. */
#include "model/fgraph.h"

#define NEW_RETVAL	KERNEL_VERSION_OF(6, 13)

/* Fields of the events, their place in struct fgraph_event, and their size on 64-bit machines. */
static const struct {
	const char *name;
	size_t member;
	uint32_t size;
} fields[] = {
	{ "func", offsetof(struct fgraph_event, func), 8 },
	{ "depth", offsetof(struct fgraph_event, depth), 4 },
	{ "args", offsetof(struct fgraph_event, args), 0 },
	{ "retaddr", offsetof(struct fgraph_event, retaddr), 8 },
	{ "retval", offsetof(struct fgraph_event, retval), 8 },
	{ "overrun", offsetof(struct fgraph_event, overrun), 4 },
	{ "calltime", offsetof(struct fgraph_event, calltime), 8 },
	{ "rettime", offsetof(struct fgraph_event, rettime), 8 },
};

/* Finds the event @name of the file and its fields. Leaves @e zeroed if there is none. */
static void fgraph_event_init(struct fgraph_event *e, const struct trace *t, const char *name)
{
	const struct ev_format *f = event_meta_find_name(&t->meta, "ftrace", name);

	if (!f || ev_format_ready(f))
		return;
	e->fmt = f;
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		const struct ev_field *field = ev_field(f, fields[i].name);
		uint32_t len = 0;

		*(const struct ev_field **)((char *)e + fields[i].member) = field;
		if (field && fields[i].size)
			len = field->kind == EV_FIXED && field->size == fields[i].size ?
			      field->offset + field->size : UINT32_MAX;
		if (len > e->plain_len)
			e->plain_len = len;
	}
	if (t->dat->big != RING_HOST_BIG || !e->func || !e->depth)
		e->plain_len = UINT32_MAX;
}

/* Returns true if this option of the tracer was set: a whole word, not "noNAME" or "NAME-hex". */
static bool trace_had_option(const struct trace *t, const char *name)
{
	const char *at = (const char *)t->dat->ftr_meta.p, *end = at + t->dat->ftr_meta.len;
	size_t len = strlen(name);

	for (; at && (at = memmem(at, end - at, name, len)); at += len)
		if (at > (const char *)t->dat->ftr_meta.p && strchr(" =", at[-1]) &&
		    (at + len == end || strchr(" \n", at[len])))
			return true;
	return false;
}

void fgraph_init(struct fgraph *g, const struct trace *t)
{
	*g = (struct fgraph){0};
	fgraph_event_init(&g->entry[0], t, "funcgraph_entry");
	fgraph_event_init(&g->entry[1], t, "fgraph_retaddr_entry");
	fgraph_event_init(&g->exit, t, "funcgraph_exit");
	if (!g->exit.calltime || !g->exit.rettime)
		g->exit.plain_len = UINT32_MAX;
	/* kernels with the option have the field in every exit record, set or not */
	g->show_retval = g->exit.retval && trace_had_option(t, "funcgraph-retval");
	g->show_name = g->show_retval || trace_had_option(t, "funcgraph-tail");
	g->old_retval = !g->entry[0].args && t->meta.kernel && t->meta.kernel < NEW_RETVAL;
}

bool fgraph_has(const struct fgraph *g, const struct ev_format *fmt)
{
	return fmt && (fmt == g->exit.fmt || fmt == g->entry[0].fmt || fmt == g->entry[1].fmt);
}

/* --- the numbers of a record */

static bool field_number(const struct trace_rec *r, const struct ev_field *f, uint64_t *v)
{
	return f && ev_get_num(&r->rec, f, v);
}

bool fgraph_read_call(const struct fgraph_event *e, const struct trace_rec *r,
		      struct fgraph_call *call)
{
	if (r->rec.len >= e->plain_len) {
		*call = (struct fgraph_call){
			.func = fgraph_plain_8(r, e->func), .depth = fgraph_plain_4(r, e->depth),
			.retaddr = e->retaddr ? fgraph_plain_8(r, e->retaddr) : 0,
		};
		return true;
	}
	*call = (struct fgraph_call){0};
	if (e->retaddr)
		field_number(r, e->retaddr, &call->retaddr);
	return field_number(r, e->func, &call->func) && field_number(r, e->depth, &call->depth);
}

bool fgraph_read_return(const struct fgraph *g, const struct trace_rec *r,
			struct fgraph_return *ret)
{
	const struct fgraph_event *e = &g->exit;
	uint64_t call, back;

	if (r->rec.len >= e->plain_len) {
		call = fgraph_plain_8(r, e->calltime);
		back = fgraph_plain_8(r, e->rettime);
		*ret = (struct fgraph_return){
			.func = fgraph_plain_8(r, e->func), .depth = fgraph_plain_4(r, e->depth),
			.retval = e->retval ? fgraph_plain_8(r, e->retval) : 0,
			.overrun = e->overrun ? fgraph_plain_4(r, e->overrun) : 0,
		};
	} else {
		*ret = (struct fgraph_return){0};
		if (!field_number(r, e->func, &ret->func) ||
		    !field_number(r, e->depth, &ret->depth) ||
		    !field_number(r, e->calltime, &call) || !field_number(r, e->rettime, &back))
			return false;
		field_number(r, e->retval, &ret->retval);
		field_number(r, e->overrun, &ret->overrun);
	}
	ret->duration_ns = back - call;
	ret->backwards = back < call;
	return true;
}

const struct fgraph_event *fgraph_entry_of(const struct fgraph *g, const struct trace_rec *r)
{
	size_t i;

	for (i = 0; i < FGRAPH_ENTRIES; i++)
		if (r->rec.fmt == g->entry[i].fmt)
			return &g->entry[i];
	return NULL;
}
