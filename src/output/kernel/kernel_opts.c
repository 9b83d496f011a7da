/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the kernel would print a buffer: its tracer and trace_options, from ftr's own lines in the
 * file, or the kernel's defaults and what the first records are.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/sym_lines.h"
#include "base/text.h"
#include "output/kernel/kernel_format.h"
#include "output/line_source.h"

static const struct {
	const char *name;
	uint32_t option;
	bool     on;			/* by default */
} names[] = {
	{ "print-parent", K_PRINT_PARENT, true }, { "sym-offset", K_SYM_OFFSET, false },
	{ "sym-addr", K_SYM_ADDR, false }, { "verbose", K_VERBOSE, false },
	{ "trace_printk", K_TRACE_PRINTK, true }, { "annotate", K_ANNOTATE, true },
	{ "printk-msg-only", K_MSG_ONLY, false }, { "context-info", K_CONTEXT, true },
	{ "latency-format", K_LATENCY, false }, { "record-tgid", K_TGID, false },
	{ "irq-info", K_IRQ_INFO, true }, { "display-graph", K_DISPLAY_GRAPH, false },
	{ "bitmask-list", K_BITMASK_LIST, false }, { "fields", K_FIELDS, false },
	{ "raw", K_RAW, false }, { "hex", K_HEX, false }, { "bin", K_BIN, false },
	{ "blk_classic", K_BLK_CLASSIC, false }, { "sym-userobj", K_USER_OBJECTS, false },
	{ "funcgraph-overrun", G_OVERRUN, false }, { "funcgraph-cpu", G_CPU, true },
	{ "funcgraph-overhead", G_OVERHEAD, true }, { "funcgraph-proc", G_PROC, false },
	{ "funcgraph-duration", G_DURATION, true }, { "funcgraph-abstime", G_ABSTIME, false },
	{ "funcgraph-irqs", G_IRQS, true }, { "funcgraph-tail", G_TAIL, false },
	{ "funcgraph-retval", G_RETVAL, false }, { "funcgraph-retval-hex", G_RETVAL_HEX, false },
	{ "funcgraph-retaddr", G_RETADDR, false },
};

/* Tracers with function_graph's layout; the others when display-graph is set. */
static const struct {
	const char *name;
	uint32_t options;		/* instead of the funcgraph ones, which it has not */
} graph_tracers[] = {
	{ "function_graph", 0 },
	{ "wakeup", G_CPU | G_PROC | G_RELTIME | G_DURATION | G_OVERHEAD | G_IRQS },
	{ "wakeup_rt", G_CPU | G_PROC | G_RELTIME | G_DURATION | G_OVERHEAD | G_IRQS },
	{ "wakeup_dl", G_CPU | G_PROC | G_RELTIME | G_DURATION | G_OVERHEAD | G_IRQS },
	{ "irqsoff", G_CPU | G_PROC | G_RELTIME | G_DURATION },
	{ "preemptoff", G_CPU | G_PROC | G_RELTIME | G_DURATION },
	{ "preemptirqsoff", G_CPU | G_PROC | G_RELTIME | G_DURATION },
};

#define NR(table) (sizeof(table) / sizeof(*(table)))

static uint32_t default_options(void)
{
	uint32_t options = 0;
	size_t i;

	for (i = 0; i < NR(names); i++)
		if (names[i].on)
			options |= names[i].option;
	return options;
}

static void set_kernel_option(uint32_t *options, const char *word, size_t len)
{
	size_t i, n;

	for (i = 0; i < NR(names); i++) {
		n = strlen(names[i].name);
		if (len == n && !memcmp(word, names[i].name, n))
			*options |= names[i].option;
		else if (len == n + 2 && !memcmp(word, "no", 2) &&
			 !memcmp(word + 2, names[i].name, n))
			*options &= ~names[i].option;
	}
}

static void parse_options(uint32_t *options, const char *p, size_t len)
{
	const char *end = p + len, *blank;

	for (; p < end; p = blank + 1) {
		blank = memchr(p, ' ', end - p);
		if (!blank)
			blank = end;
		set_kernel_option(options, p, blank - p);
	}
}

/* --- what the first sub-buffers tell */

static bool is_graph_record(const struct kbuffer *kb, const struct ring_record *rec)
{
	const struct trace *t = kb->trace;
	const struct fgraph *g = kb->fgraph;
	uint16_t type;
	size_t i;

	if (rec->len < 8 || t->type_off > rec->len - 2)
		return false;
	type = get_u16(rec->data + t->type_off, t->dat->big);
	for (i = 0; i < FGRAPH_ENTRIES; i++)
		if (g->entry[i].fmt && g->entry[i].fmt->id == type)
			return true;
	return g->exit.fmt && g->exit.fmt->id == type;
}

/* Looks at one CPU; true if it has calls of function_graph. */
static bool scan_cpu(struct kbuffer *kb, struct dat_buffer *b, struct dat_cpu *c)
{
	struct ring_record rec;
	struct ring_page pg;
	const uint8_t *mem;
	uint64_t off;
	size_t len;

	mem = dat_page(kb->trace->dat, b, c, 0, &len, &off);
	if (!mem || ring_page_open(&pg, &b->layout, mem, len) != RING_OK)
		return false;
	if (pg.lost) {
		kbuffer_cpu(kb, c->cpu)->head_lost = true;
		kb->overrun = true;
	}
	while (ring_page_next(&pg, &rec) == RING_OK)
		if (is_graph_record(kb, &rec))
			return true;
	return false;
}

/* "overrun: N" of any CPU, but not "commit overrun: N" */
static bool stats_overrun(const char *stats)
{
	const char *at = stats;

	for (; at && (at = strstr(at, "overrun: ")); at++)
		if ((at == stats || at[-1] == '\n') && strtoull(at + 9, NULL, 10))
			return true;
	return false;
}

static bool scan_buffer(struct kbuffer *kb, struct dat_buffer *b)
{
	bool graph = false;
	size_t i;

	for (i = 0; i < b->nr_cpus; i++)
		graph |= scan_cpu(kb, b, &b->cpus[i]);
	kb->overrun |= stats_overrun(b->stats);
	return graph;
}

/* --- */

static bool set_tracer(struct kbuffer *kb, const char *tracer, size_t len)
{
	size_t i;

	for (i = 0; i < NR(graph_tracers); i++) {
		if (strlen(graph_tracers[i].name) != len ||
		    memcmp(graph_tracers[i].name, tracer, len))
			continue;
		if (!graph_tracers[i].options)
			return true;
		if (!k_on(kb, K_DISPLAY_GRAPH))
			return false;
		kb->options = (kb->options & ~G_ALL) | graph_tracers[i].options;
		return true;
	}
	return false;
}

static uint64_t symbol_value(const struct trace *t, const char *name)
{
	size_t len;
	const char *text = ev_world_text(&t->world, EV_KALLSYMS, &len);

	return sym_text_find(text, len, name);
}

static void find_irq_text(struct kbuffer *first, const struct trace *t)
{
	first->irq_known = true;
	first->irq_start = symbol_value(t, "__irqentry_text_start");
	if (first->irq_start)
		first->irq_end = symbol_value(t, "__irqentry_text_end");
}

static void set_styles(struct kbuffer *kb)
{
	kb->style = (struct ev_style){
		.sym_offset = k_on(kb, K_SYM_OFFSET), .sym_addr = k_on(kb, K_SYM_ADDR),
		.no_parent = !k_on(kb, K_PRINT_PARENT), .verbose = k_on(kb, K_VERBOSE),
		.bitmask_list = k_on(kb, K_BITMASK_LIST),
		.user_addrs = !k_on(kb, K_USER_OBJECTS),
		.blk_classic = kb->blk && k_on(kb, K_BLK_CLASSIC),
		.comms = &kb->first->comms,
	};
	kb->message = kb->style;
	kb->style.fields = k_on(kb, K_FIELDS);
	kb->message.message = true;
}

void kbuffer_init(struct kbuffer *kb, struct kbuffer *first, const struct trace *t, size_t nr)
{
	struct dat_buffer *b = &t->dat->buffers[nr];
	const char *tracer, *options;
	size_t len, options_len;
	unsigned int cpus = t->dat->nr_cpus;
	bool graph;

	kb->trace = t;
	kb->first = first;
	kb->in_ns = t->clock_is_ns;
	kb->options = default_options();
	options = dat_ftr_value_of(t->dat, "trace_options", b->name, &options_len);
	if (options)
		parse_options(&kb->options, options, options_len);
	for (kb->cpu_width = 1; cpus > 10; cpus = (cpus + 9) / 10)
		kb->cpu_width++;
	graph = scan_buffer(kb, b);
	tracer = dat_ftr_value_of(t->dat, "tracer", b->name, &len);
	kb->blk = tracer && len == 3 && !memcmp(tracer, "blk", 3);
	kb->mmio = tracer && len == 9 && !memcmp(tracer, "mmiotrace", 9);
	kb->graph = tracer ? set_tracer(kb, tracer, len) : graph;
	if (!kb->fgraph->exit.retval)
		kb->options &= ~G_RETVAL;
	if (k_on(kb, K_TGID) && !first->tgids.n)
		tgids_read(&first->tgids, t);
	if (kb == first)
		kernel_comms_read(kb);
	if (kb->graph && !first->irq_known)
		find_irq_text(first, t);
	set_styles(kb);
}

struct kcpu *kbuffer_cpu(struct kbuffer *kb, int cpu)
{
	struct kcpu *c = map_get(&kb->cpus, (uint32_t)cpu);

	if (c)
		return c;
	c = xcalloc(1, sizeof(*c));
	c->last_pid = -1;
	c->depth_irq = -1;
	map_put(&kb->cpus, (uint32_t)cpu, c);
	return c;
}

void kbuffer_release(struct kbuffer *kb)
{
	size_t i;

	for (i = 0; i < kb->cpus.cap; i++)
		if (kb->cpus.slots[i].val)
			free(kb->cpus.slots[i].val);
	map_release(&kb->cpus);
	map_release(&kb->tgids);
	kernel_comms_release(kb);
	buf_release(&kb->pending);
}
