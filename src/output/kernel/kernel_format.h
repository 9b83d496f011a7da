/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of the sink "kernel": options and state of each buffer. */
#ifndef FTR_OUTPUT_KERNEL_KERNEL_FORMAT_H
#define FTR_OUTPUT_KERNEL_KERNEL_FORMAT_H

#include "output/fgraph_text.h"
#include "output/pipeline.h"

/* trace_options that change the text; bits of struct kbuffer.options. kernel_opts.c has names. */
enum {
	K_PRINT_PARENT	= 1u << 0,
	K_SYM_OFFSET	= 1u << 1,
	K_SYM_ADDR	= 1u << 2,
	K_VERBOSE	= 1u << 3,
	K_TRACE_PRINTK	= 1u << 4,
	K_ANNOTATE	= 1u << 5,
	K_MSG_ONLY	= 1u << 6,
	K_CONTEXT	= 1u << 7,
	K_LATENCY	= 1u << 8,
	K_TGID		= 1u << 9,
	K_IRQ_INFO	= 1u << 10,
	K_DISPLAY_GRAPH	= 1u << 11,
	K_BITMASK_LIST	= 1u << 12,
	K_FIELDS	= 1u << 13,
	K_RAW		= 1u << 14,
	K_HEX		= 1u << 15,
	/* of function_graph */
	G_OVERRUN	= 1u << 16,
	G_CPU		= 1u << 17,
	G_OVERHEAD	= 1u << 18,
	G_PROC		= 1u << 19,
	G_DURATION	= 1u << 20,
	G_ABSTIME	= 1u << 21,
	G_RELTIME	= 1u << 22,	/* set by latency tracers with display-graph alone */
	G_IRQS		= 1u << 23,
	G_TAIL		= 1u << 24,
	G_RETVAL	= 1u << 25,
	G_RETVAL_HEX	= 1u << 26,
	G_RETADDR	= 1u << 27,
	G_ALL		= 0x0fff0000u,
	K_BIN		= 1u << 28,
	K_BLK_CLASSIC	= 1u << 29,
	K_USER_OBJECTS	= 1u << 30,
};

struct kernel_cpu {
	int      last_pid;		/* function_graph: pid of the line before, -1: none yet */
	int      depth;			/* depth of comments */
	int64_t  depth_irq;		/* nofuncgraph-irqs: depth of the irq code, -1: outside */
	struct open_calls open;
	bool     started;		/* its "buffer started" was printed */
	bool     head_lost;		/* events are missing before the first one */
};

/* One buffer of one file: it has a separate tracer and separate options. */
struct kbuffer {
	const struct trace *trace;
	const struct fgraph *fgraph;
	uint32_t options;
	struct ev_style style;		/* of an event with its name */
	struct ev_style message;	/* of the text alone, as in comments */
	bool     graph;			/* function_graph's layout */
	bool     blk, mmio;		/* tracer blk, mmiotrace */
	bool     overrun;		/* events are missing: annotate the start of each CPU */
	bool     in_ns;
	int      cpu_width;
	struct map cpus;		/* CPU -> struct kernel_cpu * */
	/* the first buffer of this file: its next five members are valid for all buffers */
	struct kbuffer *first;
	struct map tgids;		/* pid -> tgid */
	struct map comms;	/* pid -> char *, owned: the kernel's name, if not trace_comm() */
	bool     irq_known;
	uint64_t irq_start, irq_end;	/* __irqentry_text_start and _end, 0 unknown */
	uint64_t index;			/* number of the record from 0, without leaf exits */
	uint64_t time_start;		/* the origin of relative times */
	bool     any;

	/* latency-format: the last line waits for the next one's time */
	struct buf pending;
	size_t   hole;			/* offset in ->pending where that time belongs */
	uint64_t pending_ts;
	bool     has_hole;
};

/* A record that is being printed. */
struct kernel_line {
	struct kbuffer *kb;
	struct kernel_cpu *cpu;		/* the record's CPU */
	const struct trace_rec *r;
	struct trace_iter *it;
	struct buf *out;
	uint64_t ts;			/* time by the kernel's clock */
};

static inline bool k_on(const struct kbuffer *kb, uint32_t option)
{
	return kb->options & option;
}

/* kernel_opts.c: sets everything that does not change from record to record. */
void kbuffer_init(struct kbuffer *kb, struct kbuffer *first, const struct trace *t, size_t nr);
void kbuffer_release(struct kbuffer *kb);
/* Returns the state of a CPU, which is made if it is new. */
struct kernel_cpu *kbuffer_cpu(struct kbuffer *kb, int cpu);

/* Returns the kernel's name of a task. */
const char *kernel_comm(const struct kernel_line *l, int pid);

/*
 * kernel_graph.c: prints a record in the layout of function_graph. Returns false for stacks and
 * function records, which keep their own lines.
 */
bool kernel_graph(struct kernel_line *l);

#endif
