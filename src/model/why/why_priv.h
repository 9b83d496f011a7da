/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to the account of a task's time: its history, and the labels and causes of rows. */
#ifndef FTR_MODEL_WHY_PRIV_H
#define FTR_MODEL_WHY_PRIV_H

#include "base/map.h"
#include "event/event.h"
#include "model/kernel_stack.h"
#include "model/model_priv.h"
#include "model/why/why_account.h"

/* moves of one wait that are known; the others count to the last */
#define WHY_MOVES_MAX	8

enum item_kind {
	ITEM_NONE,
	/* labels; the last is a function inside of another label, ->extra */
	ITEM_USER, ITEM_FAULT, ITEM_SPAN, ITEM_SLEPT_AT,
	/* causes, and activities of a CPU */
	ITEM_TASK, ITEM_CPU, ITEM_IRQ, ITEM_VECTOR, ITEM_SOFTIRQ, ITEM_TIMER_IRQ, ITEM_TIMER,
	ITEM_SOFT_TIMER, ITEM_HARDIRQ,
	ITEM_SOFTIRQ_ANY, ITEM_LEFT_SOFTIRQS, ITEM_NMI, ITEM_UNKNOWN, ITEM_NO_WAKING, ITEM_END,
	ITEM_LOST, ITEM_WORK, ITEM_SIGNAL, ITEM_BLOCK, ITEM_LOCK, ITEM_FUTEX, ITEM_OTHERS,
};

/* A label or a cause. Equal ones are one item. */
struct why_item {
	uint8_t  kind;			/* enum item_kind */
	uint8_t  how;			/* ITEM_SPAN: enum span_name */
	uint16_t file;
	uint32_t extra;			/* a number, or the id of a task, by the kind */
	uint64_t value;			/* an address, a number or a pointer, by the kind */
	/* no part of the key: whether the system call is futex */
	enum { FUTEX_UNKNOWN, FUTEX_YES, FUTEX_NO } futex;
};

/* A CPU did the same from ->from to the start of the next segment. */
struct why_segment {
	uint64_t from;
	struct task *task;		/* NULL: not known */
	uint32_t label, top;		/* items: the task's call; the interrupt on top of it */
};

/* A request to a disk. */
struct why_request {
	uint64_t sector, nr_sector;
};

struct why_cpu {
	struct model_cpu *c;
	struct why_segment *v;
	size_t n, cap;
	/* the last block request that ended in the innermost of ->done_tops open interrupts */
	uint32_t done_task;		/* id + 1 of the task that issued it, 0: none */
	uint32_t done_tops;
	struct waker irq;		/* the last one that has begun, ->kind 0: none */
	uint64_t done_dev;
	struct why_request done;
};

/* A task was in a state. A wait is divided where the task was moved. */
struct why_stay {
	uint64_t from, to;
	uint32_t label;			/* asleep: the call it slept in */
	uint32_t cause;			/* asleep: the end of it */
	union {
		int32_t  cpu;		/* where it ran or waited, -1 unknown */
		/* asleep: number of the request, or id + 1 of the worker, that ended it; 0: none */
		uint32_t request, worker;
	};
	uint8_t  state;			/* enum task_state */
	bool     is_moved;		/* it waited on more than one CPU, it is not known when */
};

/* A waiting task left the queue of CPU ->from. */
struct why_move {
	uint64_t at;
	int32_t  from;
};

/* An account of a task, whose first interval starts at ->from. */
struct why_todo {
	uint64_t from;
	uint32_t nr;			/* number of the account */
};

struct why_task {
	struct task *t;
	struct why_stay *v;
	size_t   n, cap;
	size_t   accounted;		/* v[0..accounted) are in its rows */
	uint32_t account;		/* number of its first account, 0: none or all have ended */
	/* [0..nr_open) have begun, and from [next_todo] on they have not; the latter by ->from */
	struct why_todo *todo;
	size_t   nr_todo, cap_todo, nr_open, next_todo;
	/* items: the calls that it is in, 0: none */
	uint32_t syscall, function, work, base;
	uint32_t slept_in;		/* the label when it left its CPU */
	/* item: the cause of a waking before it left its CPU; and why_stay.request of it */
	uint32_t early, early_number;
	uint64_t lock;			/* the lock that it waits for, 0: none */
	uint64_t futex;			/* address of the futex that it is in, 0: none */
	uint32_t queued_by;		/* id + 1 of the task that queued ->work, 0: unknown */
	int32_t  left_cpu;		/* where it left its CPU */
	struct why_move moves[WHY_MOVES_MAX];	/* those of its present wait */
	uint32_t nr_moves;
	bool     is_faulting;		/* a page fault was recorded, and no system call since */
};

/* Actions for events that the model does not read. */
enum why_action {
	ACTION_UNKNOWN, ACTION_NONE, ACTION_MIGRATE, ACTION_ISSUE, ACTION_COMPLETE, ACTION_SIGNAL,
	ACTION_FAULT, ACTION_QUEUE, ACTION_STACK,
};

struct why_event {
	uint8_t action;			/* enum why_action */
	const struct ev_field *a, *b, *c;	/* ->c may be NULL */
};

struct why {
	struct why_opts opts;
	struct model *m;
	struct why_item *items;
	size_t   nr_items, cap_items;
	struct slots item_slots;
	struct why_task **tasks;	/* by task.id */
	size_t   cap_tasks;
	struct why_cpu *cpus;
	size_t   nr_cpus, cap_cpus;
	struct map cpu_map;		/* file and CPU -> number + 1 */
	struct why_account *accounts;
	size_t   nr_accounts, cap_accounts;
	struct why_row *rows;		/* row 0 is none */
	size_t   nr_rows, cap_rows;
	struct slots row_slots;
	struct map spans;		/* file and pid -> number of an account + 1 */
	struct why_event **events;	/* per file, by type; NULL: not met yet */
	size_t   nr_files;
	struct map requests;		/* device and sector -> id + 1 of the task */
	/* those that ended a sleep; number 0 is none, and beyond WHY_REQUESTS none are kept */
	struct why_request *done;
	size_t   nr_done, cap_done;
	struct map works;		/* work -> id + 1 of the task that queued it */
	struct stack_words words;
	struct task *next;		/* the task that is switched in */
	bool     has_migrations;
	bool     is_rt;			/* a ktimers/N was woken: PREEMPT_RT */
	size_t   bytes, swept;		/* of history, now and after the last sweep */
	uint64_t forgotten;		/* nothing before this time is kept */
	uint64_t now;			/* the time of the last callback */
};

/* The place of rows: those of an account, or those inside of a row of it. */
struct why_place {
	uint32_t account, parent;
	uint32_t depth;
};

/* Returns NULL if nothing of the task was met. */
struct why_task *why_task_known(const struct why *w, const struct task *t);
/* Adds the part of a stay of @t from @from to @to to rows. */
void why_rows_add(struct why *w, const struct why_place *at, const struct task *t,
		  const struct why_stay *s, uint64_t from, uint64_t to);
/* Gives the task its accounts, if it has any. */
void why_account_add(struct why *w, struct why_task *wt);
/*
 * Adds the stays of the task to its rows, but for the last @left. The accounts whose intervals have
 * begun are the first in ->todo; those that have ended leave it.
 */
void why_account_stays(struct why *w, struct why_task *wt, size_t left);
/*
 * Returns the task that woke a sleeper, whose time is followed; NULL for other causes, and for a
 * work: its worker is why_stay.worker.
 */
struct task *why_cause_task(const struct why *w, uint32_t cause);

#endif
