/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Probes and what returns from them: the function is where both are. Their fields are those of
 * kernel/trace/trace_probe.h: __probe_ip of a begin, __probe_func and __probe_ret_ip of a return,
 * of uprobes too.
 */
#include "model/model_priv.h"

/* Where the function begins that holds the address; in user space the address itself. */
static uint64_t function_of(const struct model *m, const struct at *at, uint64_t addr)
{
	const char *mod;
	size_t len, mod_len;
	uint64_t off;

	if (!ev_syms_find(m->files[at->r->file].trace->world.syms, addr, &len, &mod, &mod_len,
			  &off) || ev_syms_listed_only(mod, mod_len))
		return addr;
	return addr - off;
}

static void probe_begin(struct model *m, const struct bind *b, const struct at *at)
{
	struct span *s;
	uint64_t addr;

	if (!at_num(at, b->f[0], &addr))
		return;
	addr = function_of(m, at, addr);
	s = span_begin(m, list_of(m, SPAN_PROBE, (uintptr_t)at->task, addr, true), SPAN_PROBE,
		       addr, SPAN_NAME_SYMBOL, true, at);
	if (s)
		span_begun(m, s, at);
}

static void probe_return(struct model *m, const struct bind *b, const struct at *at)
{
	struct span_list *list;
	uint64_t addr;

	if (!at_num(at, b->f[0], &addr))
		return;
	addr = function_of(m, at, addr);
	list = list_of(m, SPAN_PROBE, (uintptr_t)at->task, addr, true);
	if (list->young)
		span_end_now(m, list->young, 0, at);
	else
		span_lone_end(m, list, SPAN_PROBE, addr, SPAN_NAME_SYMBOL, true, at);
}

/* Without any return in the file a probe is an event, it begins nothing. */
static bool has_returns(const struct ev_world *world)
{
	struct ev_format *v;
	size_t n = ev_world_formats(world, NULL, &v);

	for (size_t i = 0; i < n; i++)
		if (!ev_format_ready(&v[i]) && ev_field(&v[i], "__probe_ret_ip"))
			return true;
	return false;
}

bool probe_has_spans(const struct ev_world *world, const struct ev_format *fmt)
{
	return ev_field(fmt, "__probe_func") ||
	       (ev_field(fmt, "__probe_ip") && has_returns(world));
}

bool probe_bind(struct model *m, struct bind *b, const struct ev_format *fmt)
{
	b->kind = SPAN_PROBE;
	b->f[0] = ev_field(fmt, "__probe_func");
	b->on = probe_return;
	if (b->f[0])
		return true;
	b->f[0] = ev_field(fmt, "__probe_ip");
	b->on = probe_begin;
	return probe_has_spans(&m->files[b->file].trace->world, fmt);
}
