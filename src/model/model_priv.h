/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to the model and model/index. */
#ifndef FTR_MODEL_PRIV_H
#define FTR_MODEL_PRIV_H

#include <string.h>

#include "base/map.h"
#include "model/arena.h"
#include "model/fgraph.h"
#include "model/markers.h"
#include "model/model.h"
#include "trace/trace.h"

#define MODEL_KIND_SCHED SPAN_KINDS_MAX		/* for the buffer of sched and task events */
#define MODEL_KIND_CPU	 (SPAN_KINDS_MAX + 1) /* for the buffer of irq, softirq and power events */
#define MODEL_KIND_STACK (SPAN_KINDS_MAX + 2)	/* kernel stacks */
#define MODEL_KIND_WAKER (SPAN_KINDS_MAX + 3) /* irq, softirq and timer events, for wakers */
#define MODEL_KIND_MOMENT (SPAN_KINDS_MAX + 4) /* counters and instants of markers */
#define MODEL_KINDS	 (SPAN_KINDS_MAX + 5)
#define MODEL_LIVE_MAX	 (1u << 20)		/* open spans; more are damage */
#define MODEL_LIST_MAX	 1024u			/* open spans of one key */
#define MODEL_FIELDS	 5

struct model_bind;

/* A record with its task and its stream. */
struct model_rec {
	struct task *task;
	struct stream_at *stream;
	const struct trace_rec *r;
};

typedef void (*bind_fn)(struct model *m, const struct model_bind *b, const struct model_rec *at);

/* The action for records of one type of one file. */
struct model_bind {
	bind_fn on;			/* NULL: nothing */
	uint8_t kind;	/* kind whose buffer is read: enum span_kind, MODEL_KIND_SCHED, ... */
	uint8_t form;			/* variant of the event: see the kind */
	const struct ev_field *f[MODEL_FIELDS];
	uint32_t flags_off;		/* of common_flags */
	const struct fgraph *fgraph;
	const struct fgraph_event *entry;
	uint32_t file;
	uint32_t next;			/* next action for the same records: number + 1, or 0 */
	uint32_t buffer;		/* the buffer to read: number + 1, or 0 while unknown */
	uint32_t met;			/* its bit of model_state.met */
	/* NULL, or returns true for those of the event's records that are of the kind */
	bool (*fits)(struct model *m, const struct model_bind *b, const struct trace_rec *r);
	const char *letters;		/* markers: those of the kind */
};

/* A row of the table of kinds: an event, its action, and the fields it uses. */
struct kind_event {
	const char *system, *name;	/* of the event; "sys_enter_*" matches by prefix */
	uint8_t kind;
	bind_fn on;
	uint8_t form;
	const char *fields[MODEL_FIELDS];	/* NULL: none; "?name": may be missing */
};

/* The open spans of a key. */
struct span_list {
	uint64_t kind, a, b;		/* the key; @a and @b depend on the kind */
	struct span *young, *old;	/* the youngest and the oldest one */
	uint32_t n;
	uint32_t refused;		/* markers: begins without a span, whose ends are to come */
	struct span_list *next;		/* in its slot of the table, or in ->free_lists */
};

/* One CPU of one buffer. */
struct stream_at {
	bool     known;
	uint16_t buffer;
	struct model_cpu *cpu;
	int      pid;			/* pid of the last record; its task is ->task */
	uint32_t generation;		/* ->task is valid for this model_state.generation */
	struct task *task;
	uint64_t first, last;		/* times of its first and last record */
	uint64_t gap;			/* time of the end of the last gap; 0: none */
	bool     had_gap;
	bool     lost_first;		/* records before its first one are lost */
	bool     in_gap;		/* records after ->last, or the file's start, are lost */
	struct task *lost;		/* the task that ran when the gap started, or NULL */
};

/* The state that model_save() copies. All memory that it points to is in ->arena. */
struct model_state {
	struct stream_at *streams;
	uint16_t (*buffers)[MODEL_KINDS];	/* per file and kind: number + 1, 0 none */
	uint64_t (*bound)[MODEL_KINDS];		/* times from which that is valid */
	uint64_t **gap_until;	/* per file and buffer: the end of the latest gap that has begun */
	struct task **tasks;	/* table of the tasks that have a pid now, by file and pid */
	size_t tasks_cap, nr_tasks;
	struct task *first_task, *last_task;
	uint32_t all_tasks;
	uint32_t generation;		/* changes when a pid gets another task */
	struct model_cpu *cpus, **last_cpu;
	struct model_cpu **cpu_table;	/* hash table of ->cpus by file and CPU */
	size_t cpu_table_cap;
	uint32_t nr_cpus;
	struct span_list **lists;
	size_t lists_cap, nr_lists;
	struct span_list *free_lists;
	struct span *free_spans;
	struct span *cpu_spans;		/* open spans whose key is no task */
	size_t live;
	uint64_t refused;
	uint64_t all_gaps;		/* number of gaps in buffers with sched events */
	uint64_t missed, missed_at;	/* places where a switch is missing, the time of the last */
	/*
	 * The records start in the middle of a file, and in them a thread gets the pid of a dead
	 * leader. The task before a stream's first record is not known then, and may be the thread.
	 */
	bool revives;
	struct file_time {
		uint64_t first, last;	/* timestamps of the first and the latest record */
		bool started;		/* ->first is set */
		bool switched;		/* a sched_switch was read */
		uint32_t gaps;		/* CPUs in a gap, in the buffer with sched events */
		uint64_t gap_end;	/* end of the last gap, 0 if none has ended */
		struct task *off;	/* list of tasks that were off the CPU, and may be still */
		bool depths_agree;	/* an exit had the depth of its call: see call_spans.c */
		bool has_entries;	/* an entry of a call was read */
		uint32_t exits, begun;	/* without entries: exits read, calls opened */
	} *times;			/* per file */
	uint32_t met;			/* bits of the kinds that had records */
};

/* The machine of a file, for the numbers of its system calls. */
enum syscall_arch {
	SYSCALL_UNKNOWN,
	SYSCALL_X86_64,
	SYSCALL_ARM64,
};

struct model_file {
	struct trace *trace;
	uint16_t *bind_of;		/* by type: number of its first action + 1, 0 if unknown */
	uint8_t *ignored;		/* by type: TRACE_IGNORED, TYPE_WATCHED, or 0 */
	struct fgraph fgraph;
	bool fgraph_ready;
	bool exits_known;		/* ->exits is set */
	struct lone_exits *exits;		/* NULL: the file has entries, too */
	struct map syscalls;		/* number + 1 -> name, from events in system syscalls */
	struct map states;		/* prev_state + 1 -> enum task_state + 1 */
	struct trace_filters filters;	/* filters of the buffer with sched events */
	bool filters_known;
	bool lacks_contexts;		/* trace_lacks_contexts() */
	enum syscall_arch arch;
};

/* --pair; index 0 has the event that starts spans, 1 the one that ends them. */
struct model_pair {
	char *name, *system[2], *event[2], *key[2];
};

struct model {
	struct model_state s;
	struct arena arena;
	const struct span_ops *ops;
	void *ctx;
	uint32_t kinds;
	bool cpus;
	bool ended;
	size_t nr_files, nr_streams;
	struct model_file *files;
	const uint8_t *without_effect;	/* by type, after the last record; see model_next() */
	struct model_bind *binds;
	size_t nr_binds, cap_binds;
	struct model_pair *pairs;
	size_t nr_pairs;
	struct textmap texts;		/* one copy of each name of a span or a state */
	const char *states[TASK_STATES_MAX];
	unsigned int nr_states;
	struct buf scratch;
	struct marker_fields marker;		/* of the record that is fed */
	struct buf marker_text;
};

/* --- fields */

/*
 * Reads a number. Returns false if the record is too short. The fast path is for plain fields in
 * host byte order: nearly all.
 */
static inline bool at_num(const struct model_rec *at, const struct ev_field *f, uint64_t *v)
{
	const struct ev_rec *rec = &at->r->rec;
	int32_t n;

	if (f->kind == EV_FIXED && rec->big == RING_HOST_BIG && f->offset + f->size <= rec->len) {
		if (f->size == 4) {
			memcpy(&n, rec->data + f->offset, 4);
			*v = f->is_signed ? (uint64_t)n : (uint32_t)n;
			return true;
		}
		if (f->size == 8) {
			memcpy(v, rec->data + f->offset, 8);
			return true;
		}
	}
	return ev_get_num(rec, f, v);
}

/* Sets *p to a text of *len bytes before its NUL. Returns false if the record is too short. */
bool at_text(const struct model_rec *at, const struct ev_field *f, const char **p, size_t *len);
/* Returns a unique copy of the text, valid as long as the model. */
const char *model_text(struct model *m, const char *p, size_t len);

/* @machine as in uname(): "x86_64", "aarch64". Returns SYSCALL_UNKNOWN for NULL and all others. */
enum syscall_arch syscall_arch_of(const char *machine);
/* Returns the name in the kernel's headers, "read", as a static string; NULL if there is none. */
const char *syscall_name(enum syscall_arch arch, uint64_t nr);
/*
 * Returns the name of a system call from the table of the file's machine, else from its events;
 * NULL if neither has it.
 */
const char *model_syscall_name(const struct model *m, unsigned int file, uint64_t nr);
/* Returns true if spans of this kind, or the records of a MODEL_KIND_, are read. */
bool model_reads_kind(const struct model *m, unsigned int kind);
/* model.c: adds an action for the same records before action *nr. */
void bind_add(struct model *m, const struct model_bind *b, uint32_t *nr);
struct model_cpu *model_cpu_of(struct model *m, uint32_t file, int32_t cpu);

/* --- tasks.c */

/* Returns the task of @r, and makes it the task of its stream. */
struct task *stream_set_task(struct model *m, const struct trace_rec *r);
/* Notes the time of the first record or switch of a task. */
static inline void task_see(struct task *t, uint64_t ts)
{
	if (!t->first)
		t->first = ts + 1;
}

/* Returns the task that has the pid now, a new one if there is none; @cpu counts for pid 0. */
struct task *task_of(struct model *m, uint32_t file, int pid, int cpu);
void task_fork(struct model *m, const struct model_bind *b, const struct model_rec *at);
void task_exec(struct model *m, const struct model_bind *b, const struct model_rec *at);
void task_rename(struct model *m, const struct model_bind *b, const struct model_rec *at);
/*
 * Makes the running task @from go on as @to. A thread that execs gets the pid of its leader, which
 * has ended for that (de_thread()); the sched_process_exec comes later.
 */
void task_take_over(struct model *m, struct task *from, struct task *to,
		    const struct model_rec *at);
void task_set_name(struct task *t, const char *p, size_t len);
void tasks_init(struct model *m);
/* Marks the tasks that were not recorded in buffer @nr, which has the events of sched. */
void tasks_filter(struct model *m, uint32_t file, uint16_t nr);
/*
 * Adds a task known from another source: @file, @pid, @nr and, for pid 0, @cpu. It gets the pid
 * unless a later task has it.
 */
struct task *task_add_known(struct model *m, uint32_t file, int pid, int cpu, uint32_t nr);

/* --- states.c */

void state_switch(struct model *m, const struct model_bind *b, const struct model_rec *at);
void state_waking(struct model *m, const struct model_bind *b, const struct model_rec *at);
void state_wakeup(struct model *m, const struct model_bind *b, const struct model_rec *at);
void state_migrate(struct model *m, const struct model_bind *b, const struct model_rec *at);
/*
 * Makes the task that runs on the CPU of @at go on as @t, which has ended but made the record or is
 * switched out there.
 */
void state_check_leader(struct model *m, struct task *t, const struct model_rec *at);
/* Returns true if @buffer has the switches of @file, or if none of its buffers is known to. */
bool state_buffer_has_switches(const struct model *m, uint32_t file, uint16_t buffer);
/* Starts the state of @t, which a fork has made. */
void state_new(struct model *m, struct task *t, const struct model_rec *at);
/* Makes the state of @t unknown if its ->unseen makes it unreliable. */
void state_hide(struct model *m, struct task *t);
/* Ends a task whose pid a fork has given to another task. */
void state_end_task(struct model *m, struct task *t, const struct model_rec *at);
/* Ends @from; @to runs in its place. */
void state_take_over(struct model *m, struct task *from, struct task *to,
		     const struct model_rec *at);
/* Notes that @at->task runs, as it made a record on a CPU whose first switch was not read yet. */
void state_note_running(struct model *m, const struct model_rec *at);
/* Starts a gap in @st after its last record. @r is a record of its CPU and buffer. */
void state_begin_gap(struct model *m, struct stream_at *st, const struct trace_rec *r);
/* Ends the gap before @at, whether or not its start was known. */
void state_end_gap(struct model *m, struct stream_at *st, const struct model_rec *at);
/* Adds @t to the list of tasks that are off the CPU. */
void state_note_off(struct model *m, struct task *t);
void states_end(struct model *m);
/* Adds the times of all present states up to @ts. */
void states_count(struct model *m, uint64_t ts);
/* Make the state of @t, or of @c, unknown since the last time when it was known. */
void state_forget(struct model *m, struct task *t);
void state_forget_cpu(struct model *m, struct model_cpu *c);
/* Makes @c, its running task, and all tasks that do not run unknown from @ts on. */
void state_lose(struct model *m, struct model_cpu *c, uint64_t ts);
/* Returns the number of a sleep state by its letters, a new one if it is unknown. */
unsigned int state_named(struct model *m, const char *name);
/* Returns the time and count of @t in this state. */
struct state_time *state_time_of(struct model *m, struct task *t, unsigned int state);
void states_init(struct model *m);

/* Returns true if records later than @begin were lost. */
static inline bool stream_lost_since(const struct stream_at *st, uint64_t begin)
{
	return st->had_gap && st->gap > begin;
}

/* bind.form of the events that wake tasks. */
enum { WAKING, WAKEUP, WAKEUP_NEW };

/* --- cpus.c */

/* bind.form and waker.form of interrupts. */
enum {
	FORM_IRQ, FORM_SOFTIRQ, FORM_TIMER_IRQ, FORM_HRTIMER, FORM_TIMER, FORM_RESCHEDULE,
	FORM_CALL, FORM_CALL_SINGLE, FORM_IRQ_WORK, FORM_PLATFORM, FORM_THERMAL, FORM_IPI,
};

/* Returns the waker in a record that wakes a task. */
struct waker waker_of(const struct model *m, const struct model_bind *b,
		      const struct model_rec *at);
/* Forgets the open interrupts of @c: they have ended, or it is not known which are open. */
void wakers_clear(const struct model *m, struct model_cpu *c, uint64_t ts);
void cpu_irq_entry(struct model *m, const struct model_bind *b, const struct model_rec *at);
void cpu_irq_exit(struct model *m, const struct model_bind *b, const struct model_rec *at);
void cpu_softirq_entry(struct model *m, const struct model_bind *b, const struct model_rec *at);
void cpu_softirq_exit(struct model *m, const struct model_bind *b, const struct model_rec *at);
void cpu_enter_idle(struct model *m, const struct model_bind *b, const struct model_rec *at);
void cpu_set_frequency(struct model *m, const struct model_bind *b, const struct model_rec *at);
/* Adds the time of irqs and softirqs up to @ts. Call it before they change. */
void cpu_count_top(const struct model *m, struct model_cpu *c, uint64_t ts);
/* Ends irqs and softirqs at @from, and counts no time of them before @to. */
void cpu_lose_top(const struct model *m, struct model_cpu *c, uint64_t from, uint64_t to);
void cpu_gap(struct model *m, const struct stream_at *st, const struct model_rec *at);
void cpus_end(struct model *m);

/* --- spans.c */

/* Returns the list of open spans of a key. If there is none: a new one if @make, else NULL. */
struct span_list *span_list_of(struct model *m, uint64_t kind, uint64_t a, uint64_t b, bool make);
/* Returns true, and counts it, if there are too many open spans for one more on @list. */
bool span_refuse(struct model *m, const struct span_list *list);
/*
 * Opens a span on top of @list, or of the task's calls if @list is NULL. Returns NULL if there are
 * too many.
 */
struct span *span_begin(struct model *m, struct span_list *list, unsigned int kind, uint64_t name,
			enum span_name how, bool by_task, const struct model_rec *at);
/* Sets ->is_recursive if a span around @s has the same name. Call it when its parent is known. */
void span_note_name(struct span *s);
/* Calls the view's begin(). Call it when the span is complete. */
void span_begun(struct model *m, struct span *s, const struct model_rec *at);
/* Ends a span. @duration: SPAN_UNKNOWN if it is not known. */
void span_end(struct model *m, struct span *s, unsigned int marks, uint64_t duration,
	      const struct model_rec *at);
/* The same with the time since the span's start as duration, unless @marks make that unknown. */
void span_end_now(struct model *m, struct span *s, unsigned int marks, const struct model_rec *at);
/* Ends the spans of @list that are younger than @s, with the mark "no end". @s NULL: all. */
void spans_cut(struct model *m, struct span_list *list, const struct span *s,
	       const struct model_rec *at);
/* Makes a span for an end without a start. */
void span_lone_end(struct model *m, struct span_list *list, unsigned int kind, uint64_t name,
		   enum span_name how, bool by_task, const struct model_rec *at);
/* Moves @s, the oldest of its list, to another key. */
void span_rekey(struct model *m, struct span *s, uint64_t a, uint64_t b);
void spans_of_task_end(struct model *m, struct task *t, unsigned int marks,
		       const struct model_rec *at);
void spans_of_task_move(struct model *m, struct task *from, struct task *to,
			const struct model_rec *at);
void spans_end(struct model *m);
void spans_init(struct model *m);

/* --- the kinds */

extern const struct kind_event kind_events[];	/* span_kinds.c; ends with a row without system */
extern const struct kind_event cpu_events[];	/* their actions for the times of CPUs */
extern const struct kind_event waker_events[];	/* their actions for wakers; cpus.c */
/* Returns the context by the flags of the record; needs @b->flags_off. In call_spans.c. */
enum span_context record_context(const struct model_bind *b, const struct trace_rec *r);
void call_entry(struct model *m, const struct model_bind *b, const struct model_rec *at);
void call_exit(struct model *m, const struct model_bind *b, const struct model_rec *at);
/* Opens the calls of a file without entries that start up to the time of @r. */
void calls_begin_before(struct model *m, const struct trace_rec *r);
void exits_free(struct lone_exits *x);
void syscall_enter(struct model *m, const struct model_bind *b, const struct model_rec *at);
void syscall_exit(struct model *m, const struct model_bind *b, const struct model_rec *at);
/*
 * Returns true if @fmt is a return probe, or a probe in a file with return probes. Without these a
 * probe is an event and starts no span.
 */
bool probe_has_spans(const struct event_meta *meta, const struct ev_format *fmt);
/* Sets the action of @b if @fmt is a probe with spans, else returns false. */
bool probe_bind(struct model *m, struct model_bind *b, const struct ev_format *fmt);
/* Adds actions for the marks in records of @fmt before action *nr. In markers.c. */
void markers_bind(struct model *m, uint32_t file, const struct ev_format *fmt, uint32_t *nr);
/* Parses the arguments of --pair. Fails on syntax, and on events and fields that no file has. */
int pairs_parse(struct model *m, const struct strv *pairs, struct ftr_error *err);
/* Adds actions for the pairs with events of @fmt before action *nr. */
void pairs_bind(struct model *m, uint32_t file, const struct ev_format *fmt, uint32_t *nr);
void pairs_release(struct model *m);

#endif
