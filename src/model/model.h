/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes spans and the states of tasks and CPUs from records. One pass over the merged records calls
 * a view for each start and end of a span (struct span_ops). The rules are in
 * Documentation/design/spans.md.
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
	SPAN_PROBE, SPAN_MARKER, SPAN_ASYNC,
	SPAN_PAIR,			/* and the following ones: pairs of the user */
};
#define SPAN_KINDS_MAX	32
#define SPAN_WAKEUP	SPAN_KINDS_MAX	/* only reported by span_ops.waited */

/* Remarks about a span, in the order in which they are printed. */
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
	/* the fields of a call fill the first two cache lines */
	struct span *below;		/* the next older open span of the key: see span_parent() */
	struct span *above;		/* the next younger one */
	struct task *task;
	uint64_t name;			/* an address, a number, or a const char *: see ->how */
	uint64_t begin, end;		/* timestamps */
	uint64_t duration;		/* SPAN_UNKNOWN if unknown; see span_counts() */
	uint64_t children, irq;		/* parts of ->duration in spans inside of it */
	uint64_t off_begin;		/* model_off() of the task at the start */
	uint64_t open_names;		/* a bit for the name of this and each outer span */
	uint32_t depth;			/* number of spans around it */
	int16_t  cpu_begin, cpu_end;
	uint16_t stream_begin;		/* trace_rec.stream */
	uint8_t  kind;			/* enum span_kind */
	uint8_t  marks;			/* enum span_mark */
	uint8_t  how;			/* enum span_name */
	uint8_t  context;		/* enum span_context */
	bool     is_recursive;		/* a span around it has the same name: span_around() */
	bool     is_interrupt;		/* no parent: it interrupted the span below */
	bool     is_beside;		/* no parent: the kind does not nest */
	bool     below_0;		/* self time or duration would have been negative */
	bool     has_retval;
	bool     begin_computed;	/* no record at its start, which is computed at its exit */
	bool     is_shown;		/* for the view: selected by the user */
	uint16_t file;
	uint32_t place;			/* for the view: index in a list of open spans */
	/* set at the end */
	uint64_t self, off;		/* self time, time off the CPU; SPAN_UNKNOWN if unknown */
	uint64_t retval;		/* of calls and system calls, if ->has_retval */
	uint64_t user;			/* for the view, 0 at first */
	void    *owner;			/* for the view, NULL at first */
	uint64_t inside, inside_off;	/* for a profile: time of spans of its row inside of it */
	/* private to the model */
	struct span_list *list;		/* NULL for calls */
	struct span *task_next, **task_link;
	uint64_t left;			/* block: number of sectors that are not completed; async:
					 * the text that both ends have */
	bool     by_task;		/* its key is, or contains, the task */
	uint8_t  form;			/* bind.form of the event at the start */
	bool     is_merged;		/* two events reported the start */
	uint8_t *args;			/* arguments of the call, ->args_len bytes */
	uint32_t args_len, args_cap;
	uint64_t late_irq, late_begin;	/* of interrupts of its exit; the begin of the first */
	uint64_t end_id;		/* number in both start and end: irq, vec, nr, tgid */
};

enum span_name {
	SPAN_NAME_TEXT,			/* const char *, which outlives the model */
	SPAN_NAME_SYMBOL,		/* an address of the kernel's code or data */
	SPAN_NAME_OBJECT,		/* an address; named if a symbol starts exactly there */
	SPAN_NAME_SYSCALL,		/* the number of a system call */
	SPAN_NAME_IRQ,			/* the number of an interrupt */
	SPAN_NAME_VEC,			/* the number of a softirq */
};

/* Returns the name of a system call by the architecture of the file, or NULL. Static. */
const char *model_syscall_of(const struct trace *t, uint64_t nr);

/* Returns the span of the same kind that contains @s, NULL if there is none. */
static inline struct span *span_parent(const struct span *s)
{
	return s->is_interrupt || s->is_beside ? NULL : s->below;
}

/* Returns the span around @s in time: its parent, or the one it interrupted; else NULL. */
static inline struct span *span_around(const struct span *s)
{
	return s->is_beside ? NULL : s->below;
}

/* Returns true if the span is part of sums, averages and percentiles. */
static inline bool span_counts(const struct span *s)
{
	return s->duration != SPAN_UNKNOWN && !(s->marks & SPAN_LOSS);
}

/* Returns the time on a CPU: the duration without ->off, at least 0. */
static inline uint64_t span_on(const struct span *s)
{
	if (s->duration == SPAN_UNKNOWN || s->off == SPAN_UNKNOWN)
		return s->duration;
	return s->duration > s->off ? s->duration - s->off : 0;
}

/* The kinds of wakers of tasks. Their names: model_add_waker(). */
enum waker_kind {
	WAKER_UNKNOWN,
	WAKER_TASK,			/* ->who is a struct task */
	WAKER_IRQ,			/* ->number, and ->who: const char *, the handler's name */
	WAKER_SOFTIRQ,			/* ->number */
	WAKER_TIMER,			/* in a hard interrupt; ->func is its function, or 0 */
	WAKER_SOFT_TIMER,		/* the same in a softirq */
	WAKER_VECTOR,			/* an interrupt without a handler; ->who is its name */
	/* known only by the context of the record: no interrupt is known to be open */
	WAKER_HARDIRQ, WAKER_SOFTIRQ_ANY, WAKER_NMI,
};

struct waker {
	const void *who;
	int32_t number;
	uint8_t kind;			/* enum waker_kind */
	uint8_t form;			/* bind.form of the event at its start */
	int16_t cpu;			/* of a waking: the CPU of its record */
	uint64_t func;			/* an address in the kernel */
};

enum task_state {
	TASK_UNKNOWN, TASK_NEW, TASK_RUNNING, TASK_RUNNABLE, TASK_PREEMPTED, TASK_DEAD,
	TASK_ASLEEP,			/* and the following ones, by the text of prev_state */
};
#define TASK_STATES_MAX	64
#define TASK_TIMES	10		/* states with an entry in task.times */

struct state_time {
	uint64_t time, count;
};

/* States that a filtered recording does not show: see trace/recorded_filters.h. */
enum task_unseen {
	UNSEEN_WAITS = 1,		/* states in which it does not run */
	UNSEEN_RUNS = 2,		/* it may run at any time */
	UNSEEN_PLACE = 4,		/* another task may run on its CPU since */
};

struct task {
	uint32_t file;
	int32_t  pid;
	uint32_t nr;			/* number of earlier tasks with the pid */
	int32_t  cpu;			/* CPU of the present or last run, or -1; pid 0: its CPU */
	char     name[TASK_NAME_MAX + 1];
	bool     has_name;
	bool     is_listed;		/* in file_time.off, the list of tasks off the CPU */
	bool     is_forked;		/* its fork was recorded */
	uint8_t  state;			/* enum task_state */
	uint8_t  unseen;		/* enum task_unseen */
	bool     waits;			/* ->waiting_since counts: runnable, preempted or new */
	uint64_t since;			/* start of ->state */
	uint64_t off_sum;		/* time off the CPU before ->since */
	struct span *calls;		/* function_graph: the youngest open call */
	uint64_t first;			/* 1 + time of its first record or switch; 0: none yet */
	uint64_t user;			/* for the view, 0 at first */
	uint64_t waiting_since;
	bool     was_runnable;		/* it seemed to be runnable before it became unknown */
	uint8_t  woken_by;		/* bind.form of the event that made it runnable */
	bool     is_woken;		/* since its last switch out */
	uint64_t missed_at;		/* last time at which a record of it was found missing */
	uint64_t lost_delays;		/* number of delays over a loss, which are in no sum */
	uint64_t broken_delays;		/* number of delays without a known end */
	struct state_time times[TASK_TIMES];
	uint64_t delays, delay_sum, delay_max, delay_max_at, unwoken;
	uint64_t came_at, left_at;	/* times of the last switch in, out */
	bool     has_come, has_left;	/* they are set */
	bool     is_known;		/* at its last switch out it was known to run there */
	/* time off before the last switch in: all, since its waking, preempted; or SPAN_UNKNOWN */
	uint64_t was_off, was_delayed, was_preempted;
	uint64_t woken_at;		/* a waking while preempted or not yet seen, or 0 */
	struct waker waker;		/* of its last waking */
	struct waker early;		/* of a waking while it ran, before it left its CPU */
	bool     woken_early;		/* ->waker is ->early */
	uint64_t sys_nr;		/* number of its last system call that ended */
	uint8_t  sys_form;		/* bind.form of the event at that end */
	bool     sys_ended;		/* since then neither an enter nor the other exit */
	uint32_t softirqs;		/* number of softirqs that it runs, with PREEMPT_RT */
	uint32_t id;			/* tasks are numbered in the order of their appearance */
	struct span *spans;		/* its open spans except ->calls */
	struct state_more {
		struct state_more *next;
		struct state_time t;
		uint8_t state;
	} *more;			/* times of states beyond TASK_TIMES */
	struct task *next;		/* in the list of all tasks */
	struct task *next_off;		/* in file_time.off */
};

/* Returns the time and count of a state. */
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
struct marker_fields;

/*
 * The callbacks of a view, in the order of the records. Each begin() is followed by one end(), for
 * a span without a start at once. @s is valid until end() returns. @r is NULL at the end of all
 * records.
 */
struct span_ops {
	void (*begin)(void *ctx, struct span *s, const struct trace_rec *r);
	void (*end)(void *ctx, struct span *s, const struct trace_rec *r);
	/* a record that neither starts nor ends a span of the kinds that are read */
	void (*event)(void *ctx, struct task *t, const struct trace_rec *r);
	/* r->lost events are missing before @r */
	void (*lost)(void *ctx, const struct trace_rec *r);
	/* @prev has its new state already, @next still has its old one */
	void (*switched)(void *ctx, struct task *prev, struct task *next,
			 const struct trace_rec *r);
	/* @t was in ->state, @c ran ->task or was lost, from @from to @to; in the order of time */
	void (*stayed)(void *ctx, struct task *t, uint64_t from, uint64_t to);
	void (*cpu_stayed)(void *ctx, struct model_cpu *c, uint64_t from, uint64_t to);
	/* @t, which runs, is woken by ->early */
	void (*woken_early)(void *ctx, struct task *t, const struct trace_rec *r);
	/* ->irqs interrupts, or if that is 0 softirqs, ran on top of the task of @c */
	void (*topped)(void *ctx, struct model_cpu *c, uint64_t from, uint64_t to);
	/* the interrupts that are open on @c, c->tops, have changed at @ts */
	void (*interrupted)(void *ctx, struct model_cpu *c, uint64_t ts);
	/* records are missing: the interrupts on top of @c are unknown */
	void (*top_gap)(void *ctx, struct model_cpu *c, uint64_t from, uint64_t to);
	/*
	 * records of @c are missing: the state of @t, the task that ran there or NULL, is unknown
	 */
	void (*gap)(void *ctx, struct model_cpu *c, struct task *t, uint64_t from, uint64_t to);
	/*
	 * A span of kind SPAN_WAKEUP: ->task waited for a CPU, and @r switches to it. It has the
	 * mark "no begin" if no waking was recorded. @r is NULL for tasks that wait at the end.
	 */
	void (*waited)(void *ctx, struct span *s, const struct trace_rec *r);
	/*
	 * with the kind SPAN_MARKER: @t sets a counter (C) or notes a moment (I, N), see markers.h;
	 * the texts of @k are borrowed
	 */
	void (*marked)(void *ctx, struct task *t, const struct marker_fields *k,
		       const struct trace_rec *r);
};

/* --- the model */

struct model;

struct model_opts {
	uint32_t kinds;			/* bits 1 << enum span_kind of the kinds to read */
	const struct strv *pairs;	/* "NAME=BEGIN,END[,KEY]", or NULL; always read */
	const char *instance;		/* the instance to read of each file, or NULL */
	bool cpus;			/* also read irq, softirq and power events for CPUs */
};

/* The times of one level: an idle state, or a frequency in kHz. */
struct cpu_value {
	struct cpu_value *next;
	uint64_t value;
	struct state_time t;
};

struct cpu_levels {
	struct cpu_value *first;	/* levels met so far, the lowest first */
	struct cpu_value *now;		/* the present level, NULL if unknown */
	uint32_t n;			/* number of levels */
	uint64_t since;			/* start of ->now */
};

#define MODEL_TOPS_MAX	8	/* open interrupts on one CPU; more are damage */

/* The state of a CPU, and its times up to now. */
struct model_cpu {
	uint32_t file;
	int32_t  cpu;
	struct task *task;		/* running task; pid 0: the CPU is idle; NULL: unknown */
	uint32_t id;			/* CPUs are numbered in the order of their first records */
	bool     switched;		/* one of its sched_switch was read */
	bool     lost;			/* records were lost, and no sched_switch came since */
	uint64_t switched_at;		/* the time of its first sched_switch */
	uint64_t since;			/* start of the present state */
	uint64_t proved;		/* time of the last record of ->task there */
	uint64_t busy, idle, unknown;	/* times */
	/* with model_opts.cpus */
	uint32_t irqs, softirqs;	/* number of nested ones at present */
	uint64_t top_since;		/* ->irq and ->softirq are counted up to here */
	uint64_t irq, softirq;		/* time in irqs; in softirqs without irqs on top */
	struct cpu_levels idle_state, frequency;
	struct waker tops[MODEL_TOPS_MAX];	/* open interrupts, the innermost is the last */
	uint32_t nr_tops;
	uint64_t user;			/* for the view, 0 at first */
	struct model_cpu *next;
};

/*
 * Borrows all arguments; copies only the words of @o->pairs. Returns NULL with @err if a pair
 * cannot be parsed, or if the instance does not exist. The caller frees the model with
 * model_free().
 */
struct model *model_new(struct trace *const *traces, size_t n, const struct model_opts *o,
			const struct span_ops *ops, void *ctx, struct ftr_error *err);
/* Processes the next of the merged records. */
void model_feed(struct model *m, const struct trace_rec *r);
/*
 * Returns the next record of @it for model_feed(), or NULL at the end. Those that would change
 * nothing, as the records before and after them are of the same task and CPU, are passed: *n grows
 * by 1 and their number. @it must be read by this function alone.
 */
const struct trace_rec *model_next(struct model *m, struct trace_iter *it, uint32_t *n);
/* Lets model_next() return all records of a type, before the first record is read. */
void model_watch(struct model *m, unsigned int file, uint16_t type);
/*
 * Returns true if @r, a kernel stack, is in the buffer that is read: @o->instance, or the first
 * buffer of its file with a kernel stack.
 */
bool model_reads_stack(struct model *m, const struct trace_rec *r);
/* Returns true from the call of model_end() on. */
bool model_has_ended(const struct model *m);
/* Ends the pass: closes open spans, and extends the times of states to the last record. */
void model_end(struct model *m);
void model_free(struct model *m);

/* Return the first task or CPU. ->next has the others, in the order of their first records. */
const struct task *model_tasks(const struct model *m);
const struct model_cpu *model_cpus(const struct model *m);
size_t model_nr_streams(const struct model *m);
size_t model_live(const struct model *m);	/* number of open spans */
uint64_t model_refused(const struct model *m);	/* spans dropped: too many were open */
/*
 * Append a line "# ..." with the reason why states are unknown, or nothing: records are lost;
 * switches are missing, as later records show; tasks and CPUs were not recorded, see
 * trace/recorded_filters.h.
 */
void model_add_losses(const struct model *m, struct buf *out);
void model_add_missed(const struct model *m, struct buf *out);
void model_add_filters(const struct model *m, struct buf *out);
/* Return true if there were records of this kind, or a sched_switch. */
bool model_met(const struct model *m, enum span_kind kind);
bool model_met_switch(const struct model *m);
/* Returns true if the states of tasks and CPUs of this file are known: it has a sched_switch. */
bool model_has_states(const struct model *m, unsigned int file);

/* Returns "function_graph", or the name of a pair. For built-in kinds @m may be NULL. */
const char *model_kind_name(const struct model *m, unsigned int kind);
/* Returns the built-in kind of this name, -1 if there is none. */
int model_kind_of(const char *name);
/* Returns the kind of spans that an event starts or ends, -1 if it does neither. */
int model_kind_of_event(const struct event_meta *meta, const struct ev_format *fmt);
/* Returns the name of the kind that @name most likely meant, or NULL: text_closest(). */
const char *model_kind_near(const char *name);
/* Appends the names of all built-in kinds, for messages: "function_graph, syscall, ..." */
void model_add_kinds(struct buf *out);
/* Returns "running", "S". */
const char *model_state_name(const struct model *m, unsigned int state);
unsigned int model_nr_states(const struct model *m);
/* Appends the name of a span, sanitised: a function, a system call, an interrupt. */
void model_add_name(const struct model *m, const struct span *s, struct buf *out);
void model_add_named(const struct model *m, unsigned int file, uint64_t name, enum span_name how,
		     struct buf *out);
/*
 * Returns the module of a span's function, "[kernel]" if it is in no module, NULL if the function
 * is no symbol.
 */
const char *model_module_of(const struct model *m, const struct span *s, size_t *len);
/* Returns the task's name, or "<...>". The caller must sanitise it. */
const char *model_task_name(const struct model *m, const struct task *t);
/*
 * Appends "NAME-PID", "irq 25 (virtio0)", "softirq NET_RX", "timer", "hard interrupt". Returns
 * false and appends nothing if the waker is unknown.
 */
bool model_add_waker(const struct model *m, const struct waker *w, struct buf *out);
/* Appends "NAME-PID", sanitised. */
void model_add_task(const struct model *m, const struct task *t, struct buf *out);
/* Appends "1234", "1234.1": the second task with that pid, "0/3": the idle task of CPU 3. */
void model_add_task_id(const struct task *t, struct buf *out);
/* Returns the time off the CPU of @t since its first record. */
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
