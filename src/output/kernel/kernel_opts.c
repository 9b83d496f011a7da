/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tracer and the trace_options by which the kernel would print a buffer: from ftr's own lines
 * in the file, or from the kernel's defaults and the types of the first records. Also the names of
 * tasks as the kernel had them in saved_cmdlines, if the file has later ones.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/sym_lines.h"
#include "base/text.h"
#include "event/data/text_tables.h"
#include "output/kernel/kernel_format.h"
#include "output/line_source.h"

/* Reads "PID COMM\nPID COMM\n", with newlines and backslashes as \n and \\. */
static void kernel_comms_read(struct kbuffer *kb)
{
	size_t len;
	const char *text = dat_ftr_value(kb->trace->dat, "kernel_comms", &len), *p = text, *end;
	struct buf bytes = {0}, shown = {0};
	struct comm_line line;

	for (end = text + len; text && p < end;) {
		/* unescape one line, which ends at "\\n" */
		buf_reset(&bytes);
		for (; p < end; p++) {
			if (*p == '\\' && p + 1 < end && *++p == 'n')
				break;
			buf_addch(&bytes, *p);
		}
		p += p < end;
		comm_line_split(&line, bytes.data, bytes.data + bytes.len);
		if (line.pid < 0 || map_get(&kb->comms, (uint32_t)line.pid))
			continue;
		text_sanitise(&shown, line.name, line.len, false);
		map_put(&kb->comms, (uint32_t)line.pid, buf_take(&shown));
	}
	buf_release(&bytes);
}

const char *kernel_comm(const struct kernel_line *l, int pid)
{
	const char *comm = map_get(&l->kb->first->comms, (uint32_t)pid);

	return comm ? comm : trace_comm(l->r->trace, pid);
}

static const struct {
	const char *name;
	uint32_t option;
	bool     on;			/* the default value */
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

/* Tracers with function_graph's layout; all except the first one only with display-graph. */
static const struct {
	const char *name;
	uint32_t options;		/* replace the funcgraph options, which it lacks */
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

/* --- the first sub-buffers */

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

/*
 * Reads the first sub-buffer of each CPU for losses before it. Returns true if one has calls of
 * function_graph.
 */
static bool scan_buffer(struct kbuffer *kb, struct dat_buffer *b)
{
	const char *at = b->stats;
	struct ring_record rec;
	struct ring_page pg;
	const uint8_t *mem;
	bool graph = false;
	struct dat_cpu *c;
	uint64_t off;
	size_t len;

	for (c = b->cpus; c < b->cpus + b->nr_cpus; c++) {
		mem = dat_page(kb->trace->dat, b, c, 0, &len, &off);
		if (!mem || ring_page_open(&pg, &b->layout, mem, len) != RING_OK)
			continue;
		if (pg.lost) {
			kbuffer_cpu(kb, c->cpu)->head_lost = true;
			kb->overrun = true;
		}
		while (!graph && ring_page_next(&pg, &rec) == RING_OK)
			graph = is_graph_record(kb, &rec);
	}
	/* "overrun: N" of any CPU, but not "commit overrun: N" */
	for (; at && (at = strstr(at, "overrun: ")); at++)
		if ((at == b->stats || at[-1] == '\n') && strtoull(at + 9, NULL, 10))
			kb->overrun = true;
	return graph;
}

/* --- life */

/* Returns true if the tracer prints in function_graph's layout. */
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

static uint64_t find_symbol(const struct trace *t, const char *name)
{
	size_t len;
	const char *text = event_meta_text(&t->meta, EV_KALLSYMS, &len);

	return sym_text_find(text, len, name);
}

void kbuffer_init(struct kbuffer *kb, struct kbuffer *first, const struct trace *t, size_t nr)
{
	struct dat_buffer *b = &t->dat->buffers[nr];
	const char *tracer, *p, *end, *blank;
	unsigned int cpus = t->dat->nr_cpus;
	size_t len, i;
	bool graph;

	kb->trace = t;
	kb->first = first;
	kb->in_ns = t->clock_is_ns;
	for (i = 0; i < NR(names); i++)
		kb->options |= names[i].on ? names[i].option : 0;
	p = dat_ftr_value_of(t->dat, "trace_options", b->name, &len);
	for (end = p ? p + len : NULL; p && p < end; p = blank + 1) {
		blank = memchr(p, ' ', end - p);
		if (!blank)
			blank = end;
		set_kernel_option(&kb->options, p, blank - p);
	}
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
	if (kb->graph && !first->irq_known) {
		first->irq_known = true;
		first->irq_start = find_symbol(t, "__irqentry_text_start");
		if (first->irq_start)
			first->irq_end = find_symbol(t, "__irqentry_text_end");
	}
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

struct kernel_cpu *kbuffer_cpu(struct kbuffer *kb, int cpu)
{
	struct kernel_cpu *c = map_get(&kb->cpus, (uint32_t)cpu);

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
	for (i = 0; i < kb->comms.cap; i++)
		if (kb->comms.slots[i].val)
			free(kb->comms.slots[i].val);
	map_release(&kb->comms);
	map_release(&kb->tgids);
	buf_release(&kb->pending);
}
