/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records become spans and states of tasks and CPUs: what is going on at any time of a trace. One
 * pass over merged records tells views what begins and ends (struct span_ops). The rules are in
 * Documentation/spans.md.
 */
#ifndef FTR_MODEL_MODEL_H
#define FTR_MODEL_MODEL_H

#include "base/err.h"
#include "base/mem.h"
#include "model/span.h"

struct model_opts {
	uint32_t kinds;			/* bits 1 << enum span_kind that are read */
	const struct strv *pairs;	/* "NAME=BEGIN,END[,KEY]", or NULL; always read */
	const char *instance;		/* read this one of each file, or NULL */
	bool cpus;			/* what CPUs do on top: irq, softirq, power */
};

/* Times of one level: of an idle state, or of a frequency in kHz. */
struct cpu_value {
	struct cpu_value *next;
	uint64_t value;
	struct state_time t;
};

struct cpu_levels {
	struct cpu_value *first;	/* those that were met, the lowest first */
	struct cpu_value *now;		/* or NULL */
	uint32_t n;
	uint64_t since;
};

/* What a CPU did, until model_end() or now. */
struct model_cpu {
	uint32_t file;
	int32_t  cpu;
	struct task *task;		/* that runs there: of pid 0 it is idle; NULL unknown */
	uint32_t id;			/* CPUs are numbered in the order in which they came */
	bool     switched;		/* a sched_switch of it was read */
	bool     lost;			/* a gap, and no sched_switch behind it yet */
	uint64_t switched_at;		/* the time of its first sched_switch */
	uint64_t since;			/* of what it does */
	uint64_t busy, idle, unknown;
	/* with model_opts.cpus */
	uint32_t irqs, softirqs;	/* that run on top of that now */
	uint64_t top_since;
	uint64_t irq, softirq;		/* time in them; in a softirq without irqs on top */
	struct cpu_levels idle_state, frequency;
	uint64_t user;			/* the view's, 0 at first */
	struct model_cpu *next;
};

/*
 * Borrows all but the words of @o->pairs. NULL with @err: a pair that can't be read, no such
 * instance.
 */
struct model *model_new(struct trace *const *traces, size_t n, const struct model_opts *o,
			const struct span_ops *ops, void *ctx, struct ftr_error *err);
/* Takes the next of the merged records. */
void model_feed(struct model *m, const struct trace_rec *r);
/* Of a kernel's stack: is it in the first buffer of its file that has one, or the instance? */
bool model_reads_stack(struct model *m, const struct trace_rec *r);
/* All were fed: what is open ends, times of states reach to the last record. */
void model_end(struct model *m);
void model_free(struct model *m);

/* The first; ->next has the others, in the order in which they came. */
const struct task *model_tasks(const struct model *m);
const struct model_cpu *model_cpus(const struct model *m);
size_t model_nr_streams(const struct model *m);
size_t model_live(const struct model *m);	/* spans that are open */
uint64_t model_refused(const struct model *m);	/* begins that were too many to keep */
/* Did records of this kind come? */
bool model_met(const struct model *m, enum span_kind kind);
bool model_met_switch(const struct model *m);
/* Is it known what tasks and CPUs of this file did? A sched_switch of it was read. */
bool model_has_states(const struct model *m, unsigned int file);

/* "function_graph"; of a pair its own name. */
const char *model_kind_name(const struct model *m, unsigned int kind);
/* The kind of this name, -1 if there is none. */
int model_kind_of(const char *name);
/* The name of the kind that @name most likely meant, or NULL: text_closest(). */
const char *model_kind_near(const char *name);
/* The names of all that are built in, for messages: "function_graph, syscall, ..." */
void model_add_kinds(struct buf *out);
/* "running", "S". */
const char *model_state_name(const struct model *m, unsigned int state);
unsigned int model_nr_states(const struct model *m);
/* Appends what the span is of: a function, a system call, an interrupt; sanitised. */
void model_add_name(const struct model *m, const struct span *s, struct buf *out);
void model_add_named(const struct model *m, unsigned int file, uint64_t name, enum span_name how,
		     struct buf *out);
/* The module of a function, "[kernel]" for those of no module; NULL for what is no symbol. */
const char *model_module_of(const struct model *m, const struct span *s, size_t *len);
/* Its name, or "<...>"; sanitised when printed by the caller. */
const char *model_task_name(const struct model *m, const struct task *t);
/* "1234", "1234.1": the second task with that pid, "0/3": the idle task of CPU 3. */
void model_add_task_id(const struct task *t, struct buf *out);
/* Time in which @t was off the CPUs since its first record. */
uint64_t model_off(const struct model *m, const struct task *t);

/*
 * The model as it is, without what views keep. It is restored in the model that it was saved of;
 * tasks and open spans are then at the same addresses again.
 */
struct model_copy;
struct model_copy *model_save(const struct model *m);
void model_restore(struct model *m, const struct model_copy *c);
size_t model_copy_bytes(const struct model_copy *c);
void model_copy_free(struct model_copy *c);

#endif
