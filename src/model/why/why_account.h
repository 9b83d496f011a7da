/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The account of a task's time: each nanosecond of an interval goes to one row, by the call that
 * the task was in, by the activity of its CPU while it waited, and by the end of its sleep. One
 * pass of the model makes it. The time of the task that woke a sleeper is found in the recent
 * states of all tasks, which are kept from the start of the oldest stay on that is not accounted.
 */
#ifndef FTR_MODEL_WHY_ACCOUNT_H
#define FTR_MODEL_WHY_ACCOUNT_H

#include "model/model.h"

#define WHY_WORKERS	UINT32_MAX

/* The activity of a task, or the reason why it did not run. Rows of why_words have the words. */
enum why_kind {
	WHY_RAN,			/* in ->label */
	WHY_INTERRUPTED,		/* ->cause ran on top of it */
	WHY_PREEMPTED,			/* by ->cause */
	WHY_WAITED,			/* woken, while its CPU ran ->cause */
	WHY_CAME_OUT,			/* woken, while ->cause, its CPU, was idle */
	WHY_MOVED,			/* waited, and came to run on another CPU: see why_hint() */
	WHY_NEW,			/* forked, and not woken for the first time */
	WHY_READY,			/* waited for a CPU, of which nothing is known */
	WHY_ASLEEP,			/* in ->label, until ->cause */
	WHY_BLOCKED,			/* the same, not interruptible */
	WHY_STOPPED,			/* the same, by a signal or a tracer */
	WHY_NOT_FOLLOWED,		/* by the waker: its states are not kept so long */
	WHY_NOT_KNOWN,			/* records are lost, or it is before the first record */
	WHY_KINDS,
};

/* A row. A sleep contains rows of its waker's time inside of it, which add up to ->time. */
struct why_row {
	uint8_t  kind;			/* enum why_kind */
	uint32_t label, cause;		/* numbers of items, 0: none */
	uint32_t depth;			/* 0: of the task itself */
	uint64_t time, count;
	uint64_t longest, longest_at;	/* the longest stay, and its start */
	uint32_t request;		/* private: the request that ended the longest stay, or 0 */
	uint32_t worker;		/* private: the worker, id + 1, or WHY_WORKERS: several */
	uint64_t last_from, last_to;	/* private: the last stay */
	uint32_t parent, next, first; /* rows: number, 0 none; ->first is the first inside of it */
};

/* An interval of one task, or with ->file, of all tasks of a file. */
struct why_span {
	uint64_t from, to;
	uint32_t file;
};

#define WHY_AHEAD_WORDS 16

/* The account of a task. */
struct why_account {
	struct task *task;
	struct why_span *in;		/* the intervals, or NULL: all its time */
	size_t   nr_in, cap_in;
	size_t   nr_met;		/* number of intervals in which the task was there */
	size_t   last_met;		/* private: index + 1 of the last of these */
	uint32_t first;			/* its first row: number, 0 none */
	uint32_t nr_ahead;		/* private: rows of waits for a task that had the CPU */
	uint64_t ahead[WHY_AHEAD_WORDS];	/* private: bits of hashes of these tasks */
	uint32_t next;			/* private: the next account of the task, 0: none */
	uint32_t original;		/* private: that of an earlier task with the pid, 0: none */
	uint64_t time;			/* the sum of its rows */
	uint64_t from, to;		/* of the first and the last stay */
};

struct why_opts {
	uint32_t depth;			/* wakers that are followed: 0 none, 1 those of the task */
	size_t memory;			/* bytes for the states of tasks; 0: 64 MiB */
	bool names_only;		/* words without pids and addresses, to be compared */
	/* only these intervals of all tasks, sorted by file and time, apart; NULL: all time */
	const struct why_span *in;
	size_t nr_in;
	uint64_t from, to;		/* only this time is accounted; all: 0, UINT64_MAX */
	/* returns true if the time of @t is accounted; called once for each task */
	bool (*wants)(void *ctx, const struct task *t);
	void *ctx;
};

/* The tasks that a word names, which is borrowed. */
struct why_tasks {
	const char *word;		/* PID, NAME-PID or a glob; NULL: all tasks */
	int32_t pid;			/* 0: it is a glob */
};

void why_tasks_parse(struct why_tasks *t, const char *word);
/* Returns true if the pid, the name, or NAME-PID of the task fits. */
bool why_tasks_have(const struct why_tasks *t, const struct model *m, const struct task *task);

struct why;

/* Borrows @o. The caller frees with why_free(). */
struct why *why_new(const struct why_opts *o);
void why_free(struct why *w);
/* Returns the callbacks for model_new(), whose context is @w, and the kinds of spans to read. */
const struct span_ops *why_ops(void);
uint32_t why_kinds(void);
/* Sets the model before it reads. */
void why_bind(struct why *w, struct model *m);
/*
 * Restricts the account of the task with this pid to an interval, after those before it; call it
 * before reading. Each of several tasks with the pid has an account.
 */
void why_add_span(struct why *w, uint32_t file, int32_t pid, uint64_t from, uint64_t to);
/*
 * Adds an account of one interval of the task that has this pid in it, beside others of it. Returns
 * its index in why_accounts().
 */
size_t why_add_account(struct why *w, uint32_t file, int32_t pid, uint64_t from, uint64_t to);

/*
 * After model_end(): the accounts in the order in which their tasks appeared, and their rows. Those
 * without any time have no row.
 */
struct why_account *why_accounts(struct why *w, size_t *n);
const struct why_row *why_row(const struct why *w, uint32_t nr);
/* Sorts the rows of a list, the largest first, and those inside of them; returns the new first. */
uint32_t why_sort(struct why *w, uint32_t first);
/* Appends "asleep in read until irq 25 (virtio0)". */
void why_add_row(const struct why *w, const struct why_row *r, struct buf *out);
/*
 * Return the parts of the words of a row: "asleep", "read", "irq 25 (virtio0)". The last two append
 * nothing and return false if the row has no such part.
 */
const char *why_word(const struct why_row *r);
bool why_add_label(const struct why *w, const struct why_row *r, struct buf *out);
bool why_add_cause(const struct why *w, const struct why_row *r, struct buf *out);
/*
 * Sets the first sector and the number of sectors of the disk request that ended the longest stay
 * of the row. Returns false if none did.
 */
bool why_longest_request(const struct why *w, const struct why_row *r, uint64_t *sector,
			 uint64_t *nr_sector);
/*
 * Returns the task whose time the rows inside of a sleep @r are: the waker, or the worker of a
 * work; NULL if there is none, or if several workers ended such sleeps.
 */
const struct task *why_waker(const struct why *w, const struct why_row *r);
/* Appends its name; "the workers" for several. */
void why_add_waker(const struct why *w, const struct why_row *r, struct buf *out);
/* Returns the events that would name the cause of the row, "irq:irq_handler_entry", or NULL. */
const char *why_hint(const struct why *w, const struct why_row *r);

#endif
