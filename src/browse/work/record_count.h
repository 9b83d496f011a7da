/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One pass over all records in a thread beside the handling of keys: counts the records that are
 * shown, and finds losses and damage.
 */
#ifndef FTR_BROWSE_WORK_RECORD_COUNT_H
#define FTR_BROWSE_WORK_RECORD_COUNT_H

#include "browse/work/background_job.h"
#include "browse/work/block_index.h"
#include "browse/work/hidden_records.h"
#include "output/pipeline.h"

struct scan_loss {
	uint64_t ts, lost;		/* ->lost may be RING_LOST_UNKNOWN */
	int32_t  cpu;
	unsigned int stream;
};

struct scan {
	struct trace *const *traces;
	size_t nr_traces;
	const struct out_range *range;
	const struct out_match *which;
	uint64_t first, last;
	size_t losses_max;		/* of ->losses */
	bool counts;			/* also count all records by event, task and CPU */
	/* appends why no record is shown; NULL: not asked for */
	void (*add_none)(void *ctx, bool (*stops)(void *ctx), void *stop_ctx, struct buf *out);
	void *ctx;
	uint32_t index_pages;	/* sub-buffers in a block of ->index, of all records; 0: no index */
	/* the result, valid when the job has ended */
	bool whole;			/* the pass was complete, not stopped */
	uint64_t records;		/* number of records shown */
	struct scan_loss *losses;	/* the first ->losses_max, by time */
	size_t nr_losses, cap_losses;
	uint64_t all_losses;
	struct damages *damages;	/* of each file */
	struct hide_counts by;
	struct buf none;		/* of ->add_none */
	struct index *index;		/* NULL: not asked for, or the pass was stopped */
};

/* For job_start(). */
void scan_run(struct job *j, void *ctx);
void scan_release(struct scan *s);

#endif
