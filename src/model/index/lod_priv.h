/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside the pyramid. */
#ifndef FTR_MODEL_INDEX_LOD_PRIV_H
#define FTR_MODEL_INDEX_LOD_PRIV_H

#include "model/index/lod_index.h"
#include "model/index/lod_row.h"
#include "model/model_priv.h"

/*
 * What a task does: its state, and, where it does not run, how many softirqs it is in (with
 * PREEMPT_RT) above that. A CPU: 0, or twice 1 + the number of its task, and 1 if it is lost. On
 * top: how many irqs, and above that softirqs.
 */
#define WHAT_STATE	0x7fu
#define WHAT_WAITED	0x80u	/* unknown, as a task that was runnable is woken again behind */
#define WHAT_DEEP	8	/* bits */
#define WHAT_DEEPEST	15u	/* irqs, softirqs: what is more is damage */

struct pyramid_task {
	struct strip strip;
	uint32_t file, nr;
	int32_t  pid, cpu;		/* ->cpu of idle tasks */
	uint32_t later;			/* the number of the one that has the pid next; 0: none */
	bool     known, has_name;
	uint8_t  unseen;		/* enum task_unseen */
	bool     came_late;		/* unknown from the file's begin to its first record */
	char     name[TASK_NAME_MAX + 1];
};

struct pyramid_cpu {
	struct strip strip, top;
	uint32_t file;
	int32_t  cpu;
	bool     switched;
	uint64_t switched_at;
};

struct pyramid_gap {
	uint64_t from, to;
	uint32_t cpu, task;		/* numbers; ->task: 1 + that, or 0 */
};

/* Which buffer's events count, of a file, and since when. */
struct pyramid_bound {
	uint16_t buffer;
	uint64_t since;
};

struct pyramid_file {
	uint64_t first, last;
	bool     switched;
	struct pyramid_bound sched, cpu;
};

struct pyramid_stream {
	bool     known;
	bool     lost_first, lost_last;	/* what is before its first record, behind its last one */
	uint16_t buffer;
	uint32_t cpu;
	uint64_t first, last;
};

struct pyramid {
	struct strip_scale scale;
	struct pyramid_task *tasks;	/* by the numbers that tasks have in the pass */
	size_t   nr_tasks, cap_tasks;
	struct pyramid_cpu *cpus;
	size_t   nr_cpus, cap_cpus;
	struct pyramid_gaps {
		struct pyramid_gap *v;
		size_t n, cap;
	} gaps, top_gaps;		/* in the order of ->to */
	/* by pyramid_end() */
	struct pyramid_file *files;
	size_t   nr_files;
	struct pyramid_stream *streams;
	size_t   nr_streams;
	struct strv states;		/* the texts of those asleep */
	struct map  by_pid;		/* file and pid: 1 + the number of the first task */
};

/* The tasks of a pid are a list, in the order in which they came: see ->later. */
uint64_t pyramid_pid_key(uint32_t file, int pid);

#endif
