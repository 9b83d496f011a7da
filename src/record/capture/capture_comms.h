/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The last name of each pid, from the most reliable source. */
#ifndef FTR_RECORD_CAPTURE_CAPTURE_COMMS_H
#define FTR_RECORD_CAPTURE_CAPTURE_COMMS_H

#include <stdint.h>

#include "base/map.h"
#include "base/mem.h"

/*
 * Sources of a name, the least reliable first. A strong event names a task that runs or changes its
 * name. A weak one names another task, which may change its name later without an event.
 */
enum comm_rank {
	COMM_PROC_START,		/* /proc before the run */
	COMM_CAPTURED,			/* capture_comm() */
	COMM_EVENT_WEAK,		/* waking, fork: the name of another task */
	COMM_SAVED,			/* saved_cmdlines: the pid may be an earlier task's */
	COMM_PROC_END,			/* alive after the run */
	COMM_EVENT,			/* sched_switch, exec, rename, exit */
};

#define COMM_LEN 64			/* TASK_COMM_LEN is 16; a later kernel may have more */

struct comm {
	int      pid;
	enum comm_rank rank;
	uint64_t ts;			/* time of the event; within a rank the latest counts */
	char     name[COMM_LEN];
};

/* Zeroed comms are empty. */
struct task_comms {
	struct map by_pid;		/* pid -> struct comm, owned */
};

/*
 * Sets the name of @pid, unless a better source has set it. @name has at most @len bytes and ends
 * at a NUL. An empty name is ignored. Newlines become blanks.
 */
void comms_set(struct task_comms *c, int pid, enum comm_rank rank, uint64_t ts, const char *name,
	       size_t len);
/* Sets names from the lines of saved_cmdlines: "PID COMM". */
void comms_add_saved(struct task_comms *c, const char *text);
/* Sets the name of a task or thread that lives now, unless a better source has set it. */
void comms_add_task(struct task_comms *c, enum comm_rank rank, int pid);
/* Sets the names of all tasks and threads that live now. */
void comms_add_proc(struct task_comms *c, enum comm_rank rank);
/* Sets all names of @from with their sources. */
void comms_merge(struct task_comms *c, const struct task_comms *from);
const char *comms_get(const struct task_comms *c, int pid);		/* NULL if unknown */
/* Appends lines "PID COMM" sorted by pid, "0 <idle>" first. */
void comms_text(const struct task_comms *c, struct buf *out);
void comms_release(struct task_comms *c);

#endif
