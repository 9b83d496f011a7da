/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The key M: to where the span of the selected record ends, or begins. */
#include "browse/browser_priv.h"

void browse_start_ends(struct browse *b)
{
	const struct row *row = browse_row(b);

	if (!row)
		return browse_say(b, GRID_STATUS, "no records are shown");
	browse_stop_ends(b);
	if (!b->ends_source)
		b->ends_source = ends_source_new(b->o->traces, b->o->nr_traces, &b->o->range);
	if (!b->ends_source)
		return browse_say(b, GRID_ERROR, "cannot open the files again");
	b->ends = (struct ends_work){
		.source = b->ends_source, .from = row->at, .first = b->first, .last = b->last,
	};
	job_start(&b->ends_job, "looking for the other end", ends_work_run, &b->ends);
}

/* Where what was found is no row, as it is hidden or in the row of another, the next one is. */
static void go_there(struct browse *b, const struct place *at)
{
	const struct row *row;

	browse_go_to_place(b, at);
	row = browse_row(b);
	if (!row || row->at.ts != at->ts || row->at.seq != at->seq)
		browse_say(b, GRID_STATUS, "the other end has no row of its own here");
}

void browse_take_ends(struct browse *b)
{
	job_end(&b->ends_job);
	if (b->ends.found)
		go_there(b, &b->ends.at);
	else
		browse_say(b, GRID_STATUS, "%s", b->ends.stopped ? "the search was stopped" :
			   b->ends.why);
}

void browse_stop_ends(struct browse *b)
{
	job_stop(&b->ends_job);
	job_end(&b->ends_job);
}
