/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events, tasks and CPUs whose records are hidden. A pass over all records, in a job: counts the
 * shown records, and the records of each event, task and CPU; finds losses and damage.
 */
#ifndef FTR_BROWSE_WORK_RECORD_COUNT_H
#define FTR_BROWSE_WORK_RECORD_COUNT_H

#include "browse/work/background_job.h"
#include "browse/work/block_index.h"
#include "output/pipeline.h"

enum hide_kind { HIDE_EVENT, HIDE_TASK, HIDE_CPU, HIDE_KINDS };

/* If zeroed, nothing is hidden. */
struct hidden_records {
	struct hidden_keys {
		uint64_t *v;		/* sorted */
		size_t n, cap;
	} kinds[HIDE_KINDS];
};

bool hidden_has(const struct hidden_records *h, enum hide_kind kind, uint64_t key);
/* Hides the records of a key, or shows them again. */
void hidden_toggle(struct hidden_records *h, enum hide_kind kind, uint64_t key);
bool hidden_any(const struct hidden_records *h);
bool hidden_record(const struct hidden_records *h, const struct trace_rec *r);
void hidden_copy(struct hidden_records *to, const struct hidden_records *from);
void hidden_release(struct hidden_records *h);

/* The number of records of an event, a task or a CPU. */
struct hide_count {
	uint64_t key, records;
	enum hide_kind kind;
};

#define HIDE_RECENT_BITS 7

/* Zeroed counts are empty. */
struct hide_counts {
	struct map maps[HIDE_KINDS];	/* key -> records, without the ones below */
	uint64_t *events;		/* 65,536 numbers of records of ->file, or NULL */
	uint64_t file;
	/* tasks and CPUs: records of the last key, that key, and other recent ones by hash */
	uint64_t run[HIDE_KINDS], of[HIDE_KINDS];
	struct hide_recent {
		uint64_t key, records;
	} recent[HIDE_KINDS][1 << HIDE_RECENT_BITS];
};

/* Counts a record. It is fast if the records of a file and of a CPU come in succession. */
void hide_count_record(struct hide_counts *c, const struct trace_rec *r);
/* Returns *n counts by kind, the most frequent first. The caller frees them. Releases @c. */
struct hide_count *hide_counts_finish(struct hide_counts *c, size_t *n);
unsigned int hide_count_file(const struct hide_count *c);
/* Returns the format of a HIDE_EVENT, NULL if it has none. */
const struct ev_format *hide_count_format(const struct hide_count *c, struct trace *const *traces);
/* Appends "sched:sched_switch", "bash-12", "CPU 3"; with several files also the file's name. */
void hide_add_name(const struct hide_count *c, struct trace *const *traces, size_t n,
		   struct buf *out);

/* --- the pass */

struct scan_loss {
	uint64_t ts, lost;		/* ->lost may be RING_LOST_UNKNOWN */
	int32_t  cpu;
	unsigned int stream;
};

struct record_scan {
	struct trace *const *traces;
	size_t nr_traces;
	const struct out_range *range;
	const struct out_match *which;
	uint64_t first, last;		/* times of the files, for the percentage */
	size_t losses_max;		/* maximum of ->nr_losses */
	bool counts;			/* also count all records by event, task and CPU */
	/* appends the reason why no record is shown; may be NULL */
	void (*add_none)(void *ctx, bool (*stops)(void *ctx), void *stop_ctx, struct buf *out);
	void *ctx;
	uint32_t index_pages;		/* sub-buffers in a block of ->index; 0: no index */
	/* the result, valid when the job has ended */
	bool whole;			/* the pass was complete, not stopped */
	uint64_t records;		/* number of records shown */
	struct scan_loss *losses;	/* the first ->losses_max, by time */
	size_t nr_losses, cap_losses;
	uint64_t all_losses;
	struct damage_list *damages;	/* of each file */
	struct hide_counts by;
	struct buf none;		/* the text of ->add_none */
	struct block_index *index;		/* of all records; NULL: none wanted, or stopped */
};

/* A job_fn for job_start(); @ctx is the struct record_scan. */
void scan_run(struct background_job *j, void *ctx);
void scan_release(struct record_scan *s);

#endif
