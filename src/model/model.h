/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes spans and the states of tasks and CPUs from records. One pass over the merged records calls
 * a view for each begin and end (struct span_ops). The rules are in Documentation/design/spans.md.
 */
#ifndef FTR_MODEL_MODEL_H
#define FTR_MODEL_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "trace/trace.h"

#define SPAN_UNKNOWN	UINT64_MAX
#define TASK_NAME_MAX	16	/* the kernel's TASK_COMM_LEN */

enum span_kind {
	SPAN_FUNCTION_GRAPH, SPAN_SYSCALL, SPAN_IRQ, SPAN_SOFTIRQ, SPAN_WORK, SPAN_LOCK, SPAN_BLOCK,
	SPAN_PROBE, SPAN_PAIR,		/* and those behind it: the user's own */
};
#define SPAN_KINDS_MAX	32
#define SPAN_WAKEUP	SPAN_KINDS_MAX	/* of no events alone: see span_ops.waited */

/* What is to be said of a span; in the order in which they are printed. */
enum span_mark {
	SPAN_NO_BEGIN = 1, SPAN_NO_END = 2, SPAN_BY_EXIT = 4, SPAN_OPEN = 8, SPAN_LOSS = 16,
	SPAN_REQUEUED = 32,
};
#define SPAN_MARKS	6
/* "no begin", "no end", "ended by exit", "open at the end", "loss inside", "requeued" */
extern const char *const span_mark_names[SPAN_MARKS];

/* The context of a call, by the flags of its record. */
enum span_context { SPAN_IN_TASK, SPAN_IN_SOFTIRQ, SPAN_IN_HARDIRQ, SPAN_IN_NMI };

struct task;

/* Times are ->ts of records and differences of them; nanoseconds where the clock counts these. */
struct span {
	/* what a call needs is in the first two lines of the cache */
	struct span *below;		/* older, of the same key: see ->parent */
	struct span *above;
	struct task *task;
	uint64_t name;			/* an address, a number, or a const char * as ->how says */
	uint64_t begin, end;
	uint64_t duration;		/* SPAN_UNKNOWN where it is not known; see span_counts() */
	uint64_t children, irq;		/* of that, in spans inside of it */
	uint64_t off_begin;		/* of the task, at the begin */
	uint64_t open_names;		/* a bit for the name of this and each one around */
	uint32_t depth;
	int16_t  cpu_begin, cpu_end;
	uint16_t stream_begin;		/* trace_rec.stream */
	uint8_t  kind;			/* enum span_kind */
	uint8_t  marks;			/* enum span_mark */
	uint8_t  how;			/* enum span_name */
	uint8_t  context;		/* enum span_context */
	bool     is_recursive;		/* one around it has the same name, see span_around() */
	bool     is_interrupt;		/* no parent: the one below was interrupted */
	bool     is_beside;		/* no parent: the kind does not nest */
	bool     below_0;		/* self or duration would have been below 0 */
	bool     has_retval;
	bool     told_late;		/* no record is at its begin, which its exit tells */
	bool     is_shown;		/* the view's: it is of what was selected */
	uint16_t file;
	uint32_t place;			/* the view's, in a list of open spans */
	/* set at the end */
	uint64_t self, off;		/* SPAN_UNKNOWN where not known */
	uint64_t retval;		/* of calls and system calls, see ->has_retval */
	uint64_t user;			/* the view's, 0 at first; so is this: */
	void    *owner;
	uint64_t inside, inside_off;	/* of a profile: time of spans of its row inside of it */
	/* the model's */
	struct span_list *list;
	struct span *task_next, **task_link;
	uint64_t left;			/* block: sectors that are not done yet */
	bool     by_task;		/* its key is the task, or has it */
	uint8_t  form;			/* of which event its begin was */
	bool     is_merged;		/* two events told its begin */
	uint8_t *args;			/* of its begin, ->args_len bytes */
	uint32_t args_len, args_cap;
	uint64_t end_id;		/* what its end has in common with it: irq, vec, nr */
};

enum span_name {
	SPAN_NAME_TEXT,			/* const char *, which outlives the model */
	SPAN_NAME_SYMBOL,		/* an address of the kernel's code or data */
	SPAN_NAME_OBJECT,		/* an address, named where a symbol begins just there */
	SPAN_NAME_SYSCALL,		/* the number of a system call */
	SPAN_NAME_IRQ,			/* the number of an interrupt */
	SPAN_NAME_VEC,			/* the number of a softirq */
};

/* The span inside of which @s is, of the same kind; NULL if there is none. */
static inline struct span *span_parent(const struct span *s)
{
	return s->is_interrupt || s->is_beside ? NULL : s->below;
}

/* The span in whose time @s lies: its parent, or what it interrupted; NULL if there is none. */
static inline struct span *span_around(const struct span *s)
{
	return s->is_beside ? NULL : s->below;
}

/* Whether it is in sums, averages and percentiles. */
static inline bool span_counts(const struct span *s)
{
	return s->duration != SPAN_UNKNOWN && !(s->marks & SPAN_LOSS);
}

/* Time on a CPU: the duration without ->off, at least 0. */
static inline uint64_t span_on(const struct span *s)
{
	if (s->duration == SPAN_UNKNOWN || s->off == SPAN_UNKNOWN)
		return s->duration;
	return s->duration > s->off ? s->duration - s->off : 0;
}

/* Who or what woke a task. Names: model_add_waker(). */
enum waker_kind {
	WAKER_UNKNOWN,
	WAKER_TASK,			/* ->who is a struct task */
	WAKER_IRQ,			/* ->number, and ->who: const char *, the handler's name */
	WAKER_SOFTIRQ,			/* ->number */
	WAKER_TIMER,
	/* by the context of the record alone: no interrupt is known to be open */
	WAKER_HARDIRQ, WAKER_SOFTIRQ_ANY, WAKER_NMI,
};

struct waker {
	const void *who;
	int32_t number;
	uint8_t kind;			/* enum waker_kind */
};

enum task_state {
	TASK_UNKNOWN, TASK_NEW, TASK_RUNNING, TASK_RUNNABLE, TASK_PREEMPTED, TASK_DEAD,
	TASK_ASLEEP,			/* and those behind it, one for each text of prev_state */
};
#define TASK_STATES_MAX	64
#define TASK_TIMES	10		/* states of which tasks have a place of their own */

struct state_time {
	uint64_t time, count;
};

/* What a recording that was limited has no events of: see trace/recorded_filters.h. */
enum task_unseen {
	UNSEEN_WAITS = 1,		/* what it does while it does not run */
	UNSEEN_RUNS = 2,		/* it may run, or not, at any time */
	UNSEEN_PLACE = 4,		/* where it came to run another may run since */
};

struct task {
	uint32_t file;
	int32_t  pid;
	uint32_t nr;			/* how many had the pid before it */
	int32_t  cpu;			/* where it runs or ran last, or -1; of pid 0 its own */
	char     name[TASK_NAME_MAX + 1];
	bool     has_name;
	bool     is_listed;		/* among those that are off the CPU */
	bool     is_forked;		/* a fork made it, which was recorded */
	uint8_t  state;			/* enum task_state */
	uint8_t  unseen;		/* enum task_unseen */
	bool     waits;			/* ->waiting_since counts: runnable, preempted or new */
	uint64_t since;			/* of ->state */
	uint64_t off_sum;		/* time that it did not run, before ->since */
	struct span *calls;		/* function_graph: the youngest that is open */
	uint64_t seq;			/* records of it that were read */
	uint64_t user;			/* the view's, 0 at first */
	uint64_t waiting_since;
	bool     was_runnable;		/* unknown now: it was held for runnable before */
	uint8_t  woken_by;		/* by which event it became runnable */
	uint64_t missed_at;		/* the last time when a record of it was found missing */
	uint64_t lost_delays;		/* delays over a loss, which are in no sum */
	uint64_t broken_delays;		/* those that have no known end */
	struct state_time times[TASK_TIMES];
	uint64_t delays, delay_sum, delay_max, delay_max_at, unwoken;
	uint64_t came_at, left_at;	/* switched in, out */
	bool     has_come, has_left;
	bool     is_known;		/* at its last switch out it was known to run there */
	/* before it was switched in: all, since its waking, preempted; or SPAN_UNKNOWN */
	uint64_t was_off, was_delayed, was_preempted;
	uint64_t woken_at;		/* a waking while it was preempted, or 0 */
	struct waker waker;		/* of its last waking */
	uint64_t sys_nr;		/* of its last system call that ended */
	uint8_t  sys_form;		/* by which event */
	bool     sys_ended;		/* none has begun since, and no other event told its end */
	uint32_t softirqs;		/* that it runs, with PREEMPT_RT */
	uint32_t id;			/* tasks are numbered in the order in which they came */
	struct span *spans;		/* all others of it that are open */
	struct state_more {
		struct state_more *next;
		struct state_time t;
		uint8_t state;
	} *more;			/* times of states beyond TASK_TIMES */
	struct task *next;		/* of all */
	struct task *next_off;		/* of those that are off the CPU */
};

static inline const struct state_time *task_time(const struct task *t, unsigned int state)
{
	static const struct state_time none;

	if (state < TASK_TIMES)
		return &t->times[state];
	for (const struct state_more *m = t->more; m; m = m->next)
		if (m->state == state)
			return &m->t;
	return &none;
}

struct model_cpu;

/*
 * What a view is told, in the order of the records. Every begin has one end; a span without a begin
 * is told both at once. @s is good until end() returns. @r is NULL at the end of all records.
 */
struct span_ops {
	void (*begin)(void *ctx, struct span *s, const struct trace_rec *r);
	void (*end)(void *ctx, struct span *s, const struct trace_rec *r);
	/* a record that is neither begin nor end of a kind that is read */
	void (*event)(void *ctx, struct task *t, const struct trace_rec *r);
	/* r->lost events are missing before @r */
	void (*lost)(void *ctx, const struct trace_rec *r);
	/* @prev has its new state already, @next still has the one before */
	void (*switched)(void *ctx, struct task *prev, struct task *next,
			 const struct trace_rec *r);
	/* @t was in ->state, and @c did what it does, from one time to another; in their order */
	void (*stayed)(void *ctx, struct task *t, uint64_t from, uint64_t to);
	void (*cpu_stayed)(void *ctx, struct model_cpu *c, uint64_t from, uint64_t to);
	/* interrupts ran on top of what @c does, as many as ->irqs, else softirqs */
	void (*topped)(void *ctx, struct model_cpu *c, uint64_t from, uint64_t to);
	/* it is not known any more what runs on top of it: records are missing */
	void (*top_gap)(void *ctx, struct model_cpu *c, uint64_t from, uint64_t to);
	/* records of @c are missing; of @t, or NULL, it is not known any more what it does */
	void (*gap)(void *ctx, struct model_cpu *c, struct task *t, uint64_t from, uint64_t to);
	/*
	 * A span of kind SPAN_WAKEUP: ->task waited for a CPU, and @r switches to it. One that
	 * slept and was not woken has "no begin". @r is NULL for those that wait at the end.
	 */
	void (*waited)(void *ctx, struct span *s, const struct trace_rec *r);
};

/* --- the model */

struct model;

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
