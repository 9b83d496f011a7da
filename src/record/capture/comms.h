/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The name of each pid: the one it had last, by the best witness. */
#ifndef FTR_RECORD_COMMS_H
#define FTR_RECORD_COMMS_H

#include <stdint.h>

#include "base/map.h"
#include "base/mem.h"

/*
 * Who says it, the weakest first. Strong events speak of a task that runs or changes its name; weak
 * ones of another task, which may change its name afterwards unseen.
 */
enum comm_rank {
	COMM_PROC_START,		/* /proc before the run */
	COMM_TOLD,			/* capture_comm() */
	COMM_EVENT_WEAK,		/* waking, fork: other tasks' names */
	COMM_SAVED,			/* saved_cmdlines: may be an earlier task's */
	COMM_PROC_END,			/* alive after the run */
	COMM_EVENT,			/* sched_switch, exec, rename, exit */
};

#define COMM_LEN 64			/* TASK_COMM_LEN is 16; room for what may come */

struct comm {
	int      pid;
	enum comm_rank rank;
	uint64_t ts;			/* the latest event of that rank wins */
	char     name[COMM_LEN];
};

/* Zeroed is empty. */
struct comms {
	struct map by_pid;		/* pid -> struct comm, owned */
};

/*
 * @name of at most @len bytes, cut at a NUL. Names that are empty are not taken, newlines become
 * blanks.
 */
void comms_set(struct comms *c, int pid, enum comm_rank rank, uint64_t ts, const char *name,
	       size_t len);
/* Lines of saved_cmdlines: "PID COMM". */
void comms_add_saved(struct comms *c, const char *text);
/* The task (a thread too) if it lives now, unless a better witness has spoken. */
void comms_add_task(struct comms *c, enum comm_rank rank, int pid);
/* Tasks (threads too) that live now. */
void comms_add_proc(struct comms *c, enum comm_rank rank);
/* All that @from knows, as if it had been said here. */
void comms_merge(struct comms *c, const struct comms *from);
const char *comms_get(const struct comms *c, int pid);		/* NULL when unknown */
/* "PID COMM" lines by pid, "0 <idle>" first. */
void comms_text(const struct comms *c, struct buf *out);
void comms_release(struct comms *c);

#endif
