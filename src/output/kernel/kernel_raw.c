/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's options raw, hex and bin: numbers without words. Only events of ftrace itself have a
 * text for them, all others show their type.
 */
#include <inttypes.h>
#include <string.h>

#include "output/kernel/kernel_format.h"

enum { RAW, HEX, BIN };

static uint64_t raw_number(const struct kline *l, const char *name)
{
	const struct ev_field *f = ev_field(l->r->rec.fmt, name);
	uint64_t v = 0;

	if (f)
		ev_get_num(&l->r->rec, f, &v);
	return l->r->rec.long_size == 8 ? v : (uint32_t)v;
}

/* Hexadecimal digits with a blank, or bytes in the recorded machine's order. */
static void raw_put(const struct kline *l, int how, uint64_t v, int size)
{
	if (how == HEX) {
		buf_printf(l->out, "%0*" PRIx64 " ", 2 * size, v);
		return;
	}
	for (int i = 0; i < size; i++)
		buf_addch(l->out, v >> 8 * (l->r->rec.big ? size - 1 - i : i));
}

static void raw_message(struct kline *l)
{
	struct ev_engine *e = l->r->trace->engine;

	ev_set_style(e, &l->kb->message);
	ev_render_kernel(e, &l->r->rec, l->r->cpu, l->ts, l->out);
}

static void raw_function(struct kline *l, int how)
{
	int size = l->r->rec.long_size;

	if (how == RAW) {
		buf_printf(l->out, "%" PRIx64 " %" PRIx64 "\n", raw_number(l, "ip"),
			   raw_number(l, "parent_ip"));
		return;
	}
	raw_put(l, how, raw_number(l, "ip"), size);
	raw_put(l, how, raw_number(l, "parent_ip"), size);
}

static void raw_print(struct kline *l, int how)
{
	(void)how;
	buf_printf(l->out, "# %" PRIx64 " ", raw_number(l, "ip"));
	raw_message(l);
}

static void raw_printk(struct kline *l, int how)
{
	(void)how;
	buf_printf(l->out, ": %" PRIx64 " : ", raw_number(l, "ip"));
	raw_message(l);
}

static void raw_repeats(struct kline *l, int how)
{
	(void)how;
	buf_printf(l->out, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", raw_number(l, "ip"),
		   raw_number(l, "parent_ip"), raw_number(l, "count"),
		   raw_number(l, "top_delta_ts") << 32 | raw_number(l, "bottom_delta_ts"));
}

static void raw_data(struct kline *l, int how)
{
	(void)how;
	raw_message(l);
}

static const struct {
	const char *event;
	bool hex;			/* it has a form for hex and bin, too */
	void (*add)(struct kline *l, int how);
} events[] = {
	{ "function", true, raw_function }, { "print", false, raw_print },
	{ "bprint", false, raw_printk }, { "bputs", false, raw_printk },
	{ "func_repeats", false, raw_repeats }, { "raw_data", false, raw_data },
};

static void raw_add_event(struct kline *l, int how)
{
	const struct ev_format *f = l->r->rec.fmt;
	size_t i;

	for (i = 0; !strcmp(f->system, "ftrace") && i < sizeof(events) / sizeof(*events); i++) {
		if (!strcmp(f->name, events[i].event) && (how == RAW || events[i].hex)) {
			events[i].add(l, how);
			return;
		}
	}
	buf_printf(l->out, "type: %u\n", l->r->type);
}

static void add_numbers(struct kline *l, int how)
{
	if (!k_on(l->kb, K_CONTEXT))
		return;
	if (how == RAW) {
		buf_printf(l->out, "%d %d %" PRIu64 " ", l->r->pid, l->r->cpu, l->ts);
		return;
	}
	raw_put(l, how, (uint32_t)l->r->pid, 4);
	raw_put(l, how, (uint32_t)l->r->cpu, 4);
	raw_put(l, how, l->ts, 8);
}

bool kernel_raw(struct kline *l)
{
	int how = k_on(l->kb, K_BIN) ? BIN : k_on(l->kb, K_HEX) ? HEX : RAW;

	if (!k_on(l->kb, K_BIN | K_HEX | K_RAW))
		return false;
	add_numbers(l, how);
	if (l->r->rec.fmt)
		raw_add_event(l, how);
	else if (how == RAW)
		buf_printf(l->out, "%u ?\n", l->r->type);
	if (how == HEX)
		buf_addch(l->out, '\n');
	return true;
}
