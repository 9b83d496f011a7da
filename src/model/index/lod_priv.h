/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of the level-of-detail index, and the structures that it consists of. */
#ifndef FTR_MODEL_INDEX_LOD_PRIV_H
#define FTR_MODEL_INDEX_LOD_PRIV_H

#include "model/index/lod_index.h"
#include "model/model_priv.h"

/*
 * --- rows: the values of one task or CPU over the time of a file, in little memory. Time is
 * divided into buckets of 2^shift units. An entry has the time in each value within a bucket, and
 * the value at its end; a bucket without a change has no entry. Level 0 has the buckets, and each
 * node of a higher level has 8 nodes of the level below, as long as there are many entries.
 */

/* The buckets of all rows; times are from @first to @last. */
struct lod_scale {
	uint64_t first, last;
	unsigned int shift;
};

struct lod_time {
	uint32_t value;
	uint64_t time;
};

/* Sums of times by value, in the order of the first appearance. */
struct lod_tally {
	struct lod_time *v;
	size_t n, cap;
	/* private: value -> its index in ->v, valid if ->turn is that of the tally + 1 */
	struct lod_spot {
		uint32_t turn, at;
	} *spots;
	size_t nr_spots;
	uint32_t turn;
};

/* A zeroed row is empty. */
struct lod_row {
	uint64_t begin, done;		/* the row has values from ->begin to ->done */
	bool     started;
	/* private */
	bool     has_entry;
	uint32_t value, end;		/* the latest value; that at the end of the last entry */
	uint64_t bucket;		/* the bucket that is being filled */
	struct lod_time *v;		/* its times */
	size_t   n, cap;
	struct lod_level *levels;
	size_t   nr_levels;
};

typedef void (*lod_fn)(void *ctx, uint32_t value, uint64_t from, uint64_t to);

/* Returns the bucket of a time. */
uint64_t lod_bucket(const struct lod_scale *c, uint64_t ts);
/* Returns the start of a bucket, UINT64_MAX after the last one. */
uint64_t lod_bucket_start(const struct lod_scale *c, uint64_t bucket);
/* Returns the number of buckets. */
uint64_t lod_buckets(const struct lod_scale *c);

/* Adds time with @value. Time before the end of the previous call is ignored. */
void lod_row_add(struct lod_row *s, const struct lod_scale *c, uint32_t value, uint64_t from,
		 uint64_t to);
/*
 * Calls @fn for the values in buckets from @a on and before @b, in the order of time. Where values
 * change, the times within a node are made up, but not their sums, nor the order in which values
 * first appear.
 */
void lod_row_walk(const struct lod_row *s, const struct lod_scale *c, uint64_t a, uint64_t b,
		  lod_fn fn, void *ctx);
/* Sets the value at the end of the bucket before @bucket. Returns false if the row starts later. */
bool lod_row_at(const struct lod_row *s, uint64_t bucket, uint32_t *value);
void lod_row_release(struct lod_row *s);

/* --- the index */

/*
 * The values in rows. A task: its state, and above that the number of softirqs that it is in if it
 * does not run (PREEMPT_RT). A CPU: 0, or twice 1 + the number of its task, plus 1 if it is lost.
 * On top of a CPU: the number of irqs, and above that the number of softirqs.
 */
#define LOD_STATE	0x7fu
#define LOD_WAITED	0x80u	/* was runnable; unknown, as it is woken again later */
#define LOD_DEPTH_SHIFT	8	/* bits */
#define LOD_DEPTH_MAX	15u	/* nested irqs or softirqs; more are damage */

struct lod_task {
	struct lod_row row;
	uint32_t file, nr;
	int32_t  pid, cpu;		/* ->cpu of idle tasks */
	uint32_t later;			/* number of the next task with the pid, or 0 */
	bool     known, has_name;
	uint8_t  unseen;		/* enum task_unseen */
	bool     came_late;		/* unknown from the file's start to its first record */
	char     name[TASK_NAME_MAX + 1];
};

struct lod_cpu {
	struct lod_row row, top;
	uint32_t file;
	int32_t  cpu;
	bool     switched;
	uint64_t switched_at;
};

struct lod_gap {
	uint64_t from, to;
	uint32_t cpu, task;		/* number of the CPU; 1 + number of the task, or 0 */
};

/* The buffer whose events of a kind are read, and the time since when. */
struct lod_bound {
	uint16_t buffer;
	uint64_t since;
};

struct lod_file {
	uint64_t first, last;
	bool     switched;
	struct lod_bound sched, cpu;
};

struct lod_stream {
	bool     known;
	bool     lost_first, lost_last;	/* records before the first, after the last one are lost */
	uint16_t buffer;
	uint32_t cpu;
	uint64_t first, last;
};

struct lod_index {
	struct lod_scale scale;
	struct lod_task *tasks;	/* by the numbers that tasks have in the pass */
	size_t   nr_tasks, cap_tasks;
	struct lod_cpu *cpus;
	size_t   nr_cpus, cap_cpus;
	struct lod_gaps {
		struct lod_gap *v;
		size_t n, cap;
	} gaps, top_gaps;		/* in the order of ->to */
	/* times at which dead tasks ran again, as threads got their pids; sorted at the end */
	struct lod_times {
		uint64_t *v;
		size_t n, cap;
	} revivals;
	/* set by lod_index_end() */
	struct lod_file *files;
	size_t   nr_files;
	struct lod_stream *streams;
	size_t   nr_streams;
	struct strv states;		/* texts of the sleep states */
	struct map  by_pid;		/* file and pid -> 1 + the number of the first task */
};

/* Returns the key of ->by_pid. Later tasks with the pid are linked by ->later. */
uint64_t lod_pid_key(uint32_t file, int pid);

#endif
