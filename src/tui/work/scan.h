/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One pass over all records beside the keys: how many are shown, what was lost, what is damaged. */
#ifndef FTR_TUI_SCAN_H
#define FTR_TUI_SCAN_H

#include "out/out.h"
#include "tui/index/index.h"
#include "tui/work/hide.h"
#include "tui/work/job.h"

#define SCAN_LOSSES_MAX 10000u

struct scan_loss {
	uint64_t ts, lost;		/* RING_LOST_UNKNOWN: so many as nobody knows */
	int32_t  cpu;
};

struct scan {
	struct trace *const *traces;
	size_t nr_traces;
	const struct out_range *range;
	const struct out_match *which;
	uint64_t first, last;
	bool counts;			/* also by event, task and CPU, whatever @which says */
	uint32_t index_pages;		/* of a block of ->index, of all records; 0: none is made */
	/* the result, when the job has ended */
	bool whole;			/* it was not stopped */
	uint64_t records;		/* that are shown */
	struct scan_loss *losses;	/* the first SCAN_LOSSES_MAX */
	size_t nr_losses, cap_losses;
	uint64_t all_losses;
	struct damages *damages;	/* of each file */
	struct hide_counts by;
	struct index *index;		/* NULL: not asked for, or it was stopped */
};

/* For job_start(). */
void scan_run(struct job *j, void *ctx);
void scan_release(struct scan *s);

#endif
