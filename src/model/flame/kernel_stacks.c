/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kernel stacks and the records that they belong to. */
#include "model/flame/kernel_stacks.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"

#define TRAMPOLINE	0x7fffffff	/* kernel/trace/trace.h: FTRACE_TRAMPOLINE_MARKER */

struct stacks {
	struct model *model;
	struct frames *frames;
	struct ways *ways;
	struct stack_owner *owners;	/* per stream */
	const struct ev_format *fmt;	/* of the last record, and its kind */
	enum stack_kind kind;
	bool met;
	struct map own;			/* addresses met so far, by file: enum own */
};

/* Whether a function is the tracer's own. */
enum own { OWN_UNKNOWN, OWN_YES, OWN_NO };

struct stacks *stacks_new(struct model *m, struct frames *f, struct ways *w)
{
	struct stacks *s = xcalloc(1, sizeof(*s));

	s->model = m;
	s->frames = f;
	s->ways = w;
	s->owners = xcalloc(model_nr_streams(m) + 1, sizeof(*s->owners));
	return s;
}

void stacks_free(struct stacks *s)
{
	if (!s)
		return;
	map_release(&s->own);
	free(s->owners);
	free(s);
}

/* --- which are stacks */

static enum stack_kind kind_of_format(const struct ev_format *fmt)
{
	if (strcmp(fmt->system, "ftrace"))
		return STACK_NONE;
	if (!strcmp(fmt->name, "user_stack"))
		return STACK_OTHER;
	return strcmp(fmt->name, "kernel_stack") ? STACK_NONE : STACK_KERNEL;
}

/* The format of a CPU's records is mostly that of the one before. */
static enum stack_kind find_kind(struct stacks *s, const struct ev_format *fmt)
{
	if (fmt == s->fmt)
		return s->kind;
	s->fmt = fmt;
	s->kind = fmt ? kind_of_format(fmt) : STACK_NONE;
	return s->kind;
}

enum stack_kind stacks_kind(struct stacks *s, const struct trace_rec *r)
{
	enum stack_kind kind = find_kind(s, r->rec.fmt);

	if (kind != STACK_KERNEL)
		return kind;
	if (!model_reads_stack(s->model, r))
		return STACK_OTHER;
	s->met = true;
	return kind;
}

struct stack_owner *stacks_owner(struct stacks *s, const struct trace_rec *r)
{
	return &s->owners[r->stream];
}

bool stacks_met(const struct stacks *s)
{
	return s->met;
}

/* --- what is in them */

static uint64_t read_long(const struct ev_rec *r, const uint8_t *p)
{
	uint64_t v = 0;

	for (unsigned int i = 0; i < r->long_size; i++)
		v = v << 8 | p[r->big ? i : r->long_size - 1u - i];
	return v;
}

/* How many addresses there are: ~0 ends a stack early. */
static uint32_t count_addresses(const struct ev_rec *r, const uint8_t *p, uint32_t len)
{
	uint64_t none = r->long_size == 8 ? UINT64_MAX : UINT32_MAX;
	uint32_t n = 0;

	while ((n + 1) * r->long_size <= len && read_long(r, p + n * r->long_size) != none)
		n++;
	return n;
}

static uint32_t name_address(struct stacks *s, const struct trace_rec *r, uint64_t addr)
{
	if (addr == TRAMPOLINE)
		return frame_text(s->frames, "[FTRACE TRAMPOLINE]");
	return frame_name(s->frames, r->file, addr, SPAN_NAME_SYMBOL);
}

/*
 * The functions that record an event, which stand in front of the one that has it: include/trace/
 * trace_events.h and tracepoint.h make them of its name.
 */
static bool is_own_name(const char *name)
{
	static const char *const begins[] = {
		"__traceiter_", "trace_event_raw_event_", "trace_event_buffer_", "perf_trace_",
		"__bpf_trace_", "bpf_trace_run",
	};

	for (size_t i = 0; i < sizeof(begins) / sizeof(*begins); i++)
		if (!strncmp(name, begins[i], strlen(begins[i])))
			return true;
	return false;
}

static bool is_own(struct stacks *s, const struct trace_rec *r, uint64_t addr)
{
	uint64_t key = hash_two(&addr, sizeof(addr), &r->file, sizeof(r->file));
	enum own own = (uintptr_t)map_get(&s->own, key);
	struct buf name = {0};

	if (own != OWN_UNKNOWN)
		return own == OWN_YES;
	model_add_named(s->model, r->file, addr, SPAN_NAME_SYMBOL, &name);
	own = name.len && is_own_name(name.data) ? OWN_YES : OWN_NO;
	map_put(&s->own, key, (void *)(uintptr_t)own);
	buf_release(&name);
	return own == OWN_YES;
}

uint32_t stacks_walk(struct stacks *s, const struct trace_rec *r, uint32_t from)
{
	const struct ev_field *f = ev_format_ready(r->rec.fmt) ? NULL :
				   ev_field(r->rec.fmt, "caller");
	uint32_t len, n, first = 0;
	const uint8_t *p;

	if (!f || !ev_get_bytes(&r->rec, f, &p, &len))
		return from;
	n = count_addresses(&r->rec, p, len);
	while (first < n && is_own(s, r, read_long(&r->rec, p + first * r->rec.long_size)))
		first++;
	while (n-- > first)
		from = ways_step(s->ways, from, name_address(s, r, read_long(&r->rec, p +
							n * r->rec.long_size)));
	return from;
}
