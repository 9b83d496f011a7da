/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's function_graph layout: calls with durations, other events as comments between them,
 * banners at the switch to another task.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "output/kernel/kernel_format.h"

#define DURATION_WIDTH	8
#define PROC_WIDTH	14
#define PROC_COMM	7	/* characters of a comm */
#define RULE " ------------------------------------------\n"
#define NO_DURATION	"              |  "

static void add_graph_cpu(struct kernel_line *l)
{
	buf_printf(l->out, " %*d) ", l->kb->cpu_width, l->r->cpu);
}

/* Adds "   bash-1234  ", centred. */
static void add_proc(struct kernel_line *l, int pid)
{
	const char *comm = kernel_comm(l, pid);
	char text[64];
	int n, pad;

	n = snprintf(text, sizeof(text), "%.*s-%d", PROC_COMM, comm, pid);
	pad = n < PROC_WIDTH ? PROC_WIDTH - n : 0;
	buf_printf(l->out, "%*s%s%*s", pad / 2, "", text, pad - pad / 2, "");
}

static void add_banner(struct kernel_line *l)
{
	int before = l->cpu->last_pid;

	if (before == l->r->pid)
		return;
	l->cpu->last_pid = l->r->pid;
	if (before == -1)
		return;
	buf_addstr(l->out, RULE);
	add_graph_cpu(l);
	add_proc(l, before);
	buf_addstr(l->out, " => ");
	add_proc(l, l->r->pid);
	buf_addstr(l->out, "\n" RULE "\n");
}

/* Adds the columns before a call. Absolute times are truncated here, not rounded as elsewhere. */
static void add_graph_columns(struct kernel_line *l)
{
	const struct kbuffer *kb = l->kb;
	uint64_t us = l->ts / 1000;
	char flags[EV_LATENCY_ROOM];

	if (!k_on(kb, K_CONTEXT))
		return;
	if (k_on(kb, G_ABSTIME))
		buf_printf(l->out, "%5" PRIu64 ".%06" PRIu64 " |  ", us / 1000000, us % 1000000);
	if (k_on(kb, G_RELTIME))
		buf_printf(l->out, "%9" PRIu64 " us |  ", (l->ts - kb->time_start) / 1000);
	if (k_on(kb, G_CPU))
		add_graph_cpu(l);
	if (k_on(kb, G_PROC)) {
		add_proc(l, l->r->pid);
		buf_addstr(l->out, " | ");
	}
	if (!k_on(kb, K_LATENCY))
		return;
	ev_kernel_latency(&kb->trace->meta, &l->r->rec, flags);
	buf_printf(l->out, " %s | ", flags);
}

static bool shows_duration(const struct kbuffer *kb)
{
	return k_on(kb, G_DURATION) && k_on(kb, K_CONTEXT);
}

static void add_duration(struct kernel_line *l, uint64_t ns)
{
	if (!shows_duration(l->kb))
		return;
	buf_addch(l->out, k_on(l->kb, G_OVERHEAD) ? fgraph_mark(ns) : ' ');
	buf_addch(l->out, ' ');
	fgraph_duration(l->out, ns, DURATION_WIDTH);
	buf_addstr(l->out, "|  ");
}

static void add_no_duration(struct kernel_line *l)
{
	if (shows_duration(l->kb))
		buf_addstr(l->out, NO_DURATION);
}

/* --- interrupts */

static bool is_irq(const struct kbuffer *kb, uint64_t func)
{
	return kb->irq_end && func >= kb->irq_start && func < kb->irq_end;
}

/* Adds the line before an interrupt's first function, or after its last one. */
static void add_irq(struct kernel_line *l, uint64_t func, const char *arrow)
{
	bool wide = shows_duration(l->kb);

	if (!is_irq(l->kb, func))
		return;
	add_graph_columns(l);
	buf_addstr(l->out, wide ? "  " : "");
	buf_addstr(l->out, arrow);
	buf_addstr(l->out, wide ? " |\n" : "\n");
}

/*
 * Returns true with nofuncgraph-irqs for the functions inside of an interrupt, and for its first
 * one.
 */
static bool hides_entry(struct kernel_line *l, const struct fgraph_call *call)
{
	if (k_on(l->kb, G_IRQS))
		return false;
	if (l->cpu->depth_irq >= 0)
		return true;
	if (!is_irq(l->kb, call->func))
		return false;
	l->cpu->depth_irq = call->depth;
	return true;
}

/* --- calls */

static int clamp_depth(uint64_t depth)
{
	return depth > FGRAPH_DEPTH_MAX ? FGRAPH_DEPTH_MAX : depth;
}

static void add_entry_line(struct kernel_line *l, const struct fgraph_event *e)
{
	bool retval = k_on(l->kb, G_RETVAL), retaddr = k_on(l->kb, G_RETADDR) && e->retaddr, leaf;
	struct fgraph_return ret;
	struct fgraph_call call;

	fgraph_read_call(e, l->r, &call);
	if (hides_entry(l, &call))
		return;
	add_banner(l);
	add_irq(l, call.func, "==========>");
	add_graph_columns(l);
	leaf = fgraph_consume_leaf(l->kb->fgraph, l->r, l->it, call.func, &ret);
	l->cpu->depth = clamp_depth(call.depth) - leaf;
	if (leaf) {
		calls_leaf(&l->cpu->open, call.depth);
		add_duration(l, ret.duration_ns);
	} else {
		calls_enter(&l->cpu->open, call.depth, call.func);
		add_no_duration(l);
	}
	fgraph_indent(l->out, call.depth);
	fgraph_func(l->out, e, l->r, call.func);
	buf_addstr(l->out, leaf ? ";" : " {");
	retval &= leaf;
	if (retval || retaddr)
		buf_addstr(l->out, " /*");
	if (retaddr) {
		buf_addstr(l->out, " <-");
		ev_print_ip(l->r->trace->engine, call.retaddr, true, l->out);
	}
	if (retval) {
		buf_addch(l->out, ' ');
		fgraph_retval(l->out, l->kb->fgraph, ret.retval, k_on(l->kb, G_RETVAL_HEX));
	}
	buf_addstr(l->out, retval || retaddr ? " */\n" : "\n");
	if (leaf)
		add_irq(l, ret.func, "<==========");
}

static void add_return_line(struct kernel_line *l)
{
	bool retval = k_on(l->kb, G_RETVAL), match;
	struct kernel_cpu *cpu = l->cpu;
	struct fgraph_return ret;

	fgraph_read_return(l->kb->fgraph, l->r, &ret);
	if (!k_on(l->kb, G_IRQS) && cpu->depth_irq != -1) {
		if (cpu->depth_irq >= (int64_t)ret.depth)
			cpu->depth_irq = -1;
		return;
	}
	match = calls_leave(&cpu->open, ret.depth, ret.func) == CALLS_MATCH;
	cpu->depth = clamp_depth(ret.depth) - 1;
	add_banner(l);
	add_graph_columns(l);
	add_duration(l, ret.duration_ns);
	fgraph_indent(l->out, ret.depth);
	buf_addch(l->out, '}');
	/* the function is named if its entry is not in the trace */
	if (!match || retval || k_on(l->kb, G_TAIL))
		fgraph_end(l->out, l->r, &ret, retval ? l->kb->fgraph : NULL,
			   k_on(l->kb, G_RETVAL_HEX));
	buf_addch(l->out, '\n');
	if (k_on(l->kb, G_OVERRUN))
		buf_printf(l->out, " (Overruns: %" PRIu64 ")\n", ret.overrun);
	add_irq(l, ret.func, "<==========");
}

/* --- other events */

/* Returns false for an unknown type: the kernel then prints it as outside of this layout. */
static bool add_comment_line(struct kernel_line *l)
{
	struct ev_engine *e = l->r->trace->engine;

	add_banner(l);
	add_graph_columns(l);
	add_no_duration(l);
	if (l->cpu->depth > 0)
		fgraph_indent(l->out, l->cpu->depth + 1);
	buf_addstr(l->out, "/* ");
	if (!l->r->rec.fmt)
		return false;
	ev_set_style(e, &l->kb->message);
	ev_render_kernel(e, &l->r->rec, l->r->cpu, l->ts, l->out);
	if (l->out->data[l->out->len - 1] == '\n')
		l->out->data[--l->out->len] = '\0';
	buf_addstr(l->out, " */\n");
	return true;
}

bool kernel_graph(struct kernel_line *l)
{
	const struct ev_format *f = l->r->rec.fmt;
	const struct fgraph_event *e;

	if (f && f == l->kb->fgraph->exit.fmt) {
		add_return_line(l);
		return true;
	}
	e = f ? fgraph_entry_of(l->kb->fgraph, l->r) : NULL;
	if (e) {
		add_entry_line(l, e);
		return true;
	}
	if (f && !strcmp(f->system, "ftrace") &&
	    (!strcmp(f->name, "function") || !strcmp(f->name, "kernel_stack")))
		return false;
	return add_comment_line(l);
}
