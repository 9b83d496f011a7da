/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes spans and the states of tasks and CPUs from records. One pass over the merged records calls
 * a view for each begin and end (struct span_ops). The rules are in Documentation/design/spans.md.
 */
#ifndef FTR_MODEL_MODEL_H
#define FTR_MODEL_MODEL_H

#include "base/err.h"
#include "base/mem.h"
#include "model/span.h"

struct model_opts {
	uint32_t kinds;			/* bits 1 << enum span_kind of the kinds to read */
	const struct strv *pairs;	/* "NAME=BEGIN,END[,KEY]", or NULL; always read */
	const char *instance;		/* the instance to read of each file, or NULL */
	bool cpus;			/* also read what CPUs do: irq, softirq, power */
};

/* Times of one level: of an idle state, or of a frequency in kHz. */
struct cpu_value {
	struct cpu_value *next;
	uint64_t value;
	struct state_time t;
};

struct cpu_levels {
	struct cpu_value *first;	/* levels met so far, the lowest first */
	struct cpu_value *now;		/* or NULL */
	uint32_t n;
	uint64_t since;
};

#define MODEL_TOPS_MAX	8	/* interrupts that are open on one CPU; more are damage */

/* What a CPU did up to now. */
struct model_cpu {
	uint32_t file;
	int32_t  cpu;
	struct task *task;		/* running task; pid 0: the CPU is idle; NULL: unknown */
	uint32_t id;			/* CPUs are numbered in the order of their first records */
	bool     switched;		/* a sched_switch of it was read */
	bool     lost;			/* records were lost, and no sched_switch came since */
	uint64_t switched_at;		/* the time of its first sched_switch */
	uint64_t since;			/* start of the present state */
	uint64_t proved;		/* time of the last record of ->task there */
	uint64_t busy, idle, unknown;
	/* with model_opts.cpus */
	uint32_t irqs, softirqs;	/* nested ones that run now */
	uint64_t top_since;
	uint64_t irq, softirq;		/* time in irqs; in softirqs without irqs on top */
	struct cpu_levels idle_state, frequency;
	struct waker tops[MODEL_TOPS_MAX];	/* open interrupts, the innermost is the last */
	uint32_t nr_tops;
	uint64_t user;			/* for the view, 0 at first */
	struct model_cpu *next;
};

/*
 * Borrows all arguments; copies only the words of @o->pairs. NULL with @err: a pair can't be
 * parsed, or the instance does not exist.
 */
struct model *model_new(struct trace *const *traces, size_t n, const struct model_opts *o,
			const struct span_ops *ops, void *ctx, struct ftr_error *err);
/* Takes the next of the merged records. */
void model_feed(struct model *m, const struct trace_rec *r);
/*
 * True if @r, a kernel stack, is in the buffer that is read: @o->instance, or the first buffer of
 * its file with a kernel stack.
 */
bool model_reads_stack(struct model *m, const struct trace_rec *r);
/* Ends the pass: closes open spans, and extends the times of states to the last record. */
void model_end(struct model *m);
void model_free(struct model *m);

/* The first task or CPU. ->next has the others, in the order of their first records. */
const struct task *model_tasks(const struct model *m);
const struct model_cpu *model_cpus(const struct model *m);
size_t model_nr_streams(const struct model *m);
size_t model_live(const struct model *m);	/* spans that are open */
uint64_t model_refused(const struct model *m);	/* begins dropped because there were too many */
/*
 * They append a line "# ..." of what makes states unknown, or nothing: records are lost; others
 * show that one is missing, by which a task came to run or left; tasks and CPUs were not recorded,
 * see trace/recorded_filters.h.
 */
void model_add_losses(const struct model *m, struct buf *out);
void model_add_missed(const struct model *m, struct buf *out);
void model_add_filters(const struct model *m, struct buf *out);
/* True if there were records of this kind. */
bool model_met(const struct model *m, enum span_kind kind);
bool model_met_switch(const struct model *m);
/* True if the states of tasks and CPUs of this file are known: it has a sched_switch. */
bool model_has_states(const struct model *m, unsigned int file);

/* "function_graph", or the name of a pair; for the former @m may be NULL. */
const char *model_kind_name(const struct model *m, unsigned int kind);
/* The kind of this name, -1 if there is none. */
int model_kind_of(const char *name);
/* The kind of the spans that an event of the world begins or ends, -1 if it does neither. */
int model_kind_of_event(const struct ev_world *world, const struct ev_format *fmt);
/* The name of the kind that @name most likely meant, or NULL: text_closest(). */
const char *model_kind_near(const char *name);
/* Appends the names of all built-in kinds, for messages: "function_graph, syscall, ..." */
void model_add_kinds(struct buf *out);
/* "running", "S". */
const char *model_state_name(const struct model *m, unsigned int state);
unsigned int model_nr_states(const struct model *m);
/* Appends the name of a span, sanitised: a function, a system call, an interrupt. */
void model_add_name(const struct model *m, const struct span *s, struct buf *out);
void model_add_named(const struct model *m, unsigned int file, uint64_t name, enum span_name how,
		     struct buf *out);
/*
 * The module of a span's function, "[kernel]" if it is in no module; NULL if the function is no
 * symbol.
 */
const char *model_module_of(const struct model *m, const struct span *s, size_t *len);
/* The task's name, or "<...>". The caller must sanitise it. */
const char *model_task_name(const struct model *m, const struct task *t);
/*
 * Appends "NAME-PID", "irq 25 (virtio0)", "softirq NET_RX", "timer", "hard interrupt"; false and
 * nothing if it is not known.
 */
bool model_add_waker(const struct model *m, const struct waker *w, struct buf *out);
/* Appends "NAME-PID", sanitised. */
void model_add_task(const struct model *m, const struct task *t, struct buf *out);
/* "1234", "1234.1": the second task with that pid, "0/3": the idle task of CPU 3. */
void model_add_task_id(const struct task *t, struct buf *out);
/* Time that @t did not run, since its first record. */
uint64_t model_off(const struct model *m, const struct task *t);

/*
 * A copy of the model's state, without the data of views. Restore it in the same model: tasks and
 * open spans then have the same addresses as before.
 */
struct model_copy;
struct model_copy *model_save(const struct model *m);
void model_restore(struct model *m, const struct model_copy *c);
size_t model_copy_bytes(const struct model_copy *c);
void model_copy_free(struct model_copy *c);

#endif
