/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The key Y: the account of a task's time. In the graph it is that of the selected call, else that
 * of the selected task from marker A to B, of a lane in the time shown, or of the span that the
 * selected record begins or ends.
 */
#include <string.h>

#include "browse/browser_priv.h"

void browse_start_why(struct browser_state *b, uint32_t file, int32_t pid, uint64_t from,
		      uint64_t to)
{
	struct lines_view *lines = b->texts[VIEW_WHY];
	static const char wait[] = "the files are being read";

	if (pid <= 0)
		return browse_message(b, GRID_STATUS, pid ? "the span belongs to no task" :
				      "the idle task has no account");
	browse_stop_why(b);
	b->why = (struct account_work){
		.traces = b->o->traces, .nr_traces = b->o->nr_traces, .first = b->first,
		.last = b->last, .file = file, .pid = pid, .from = from, .to = to,
	};
	lines_view_clear(lines);
	lines_view_add_text(lines, wait, sizeof(wait) - 1);
	browse_note_jump(b);
	browse_show(b, VIEW_WHY);
	job_start(&b->why_job, "accounting", account_work_run, &b->why);
}

void browse_stop_why(struct browser_state *b)
{
	if (!b->why_job.run)
		return;
	job_stop(&b->why_job);
	browse_finish_why(b);
}

/* Shows the first row, in each pane with the account. */
static void go_to_first_row(struct browser_state *b)
{
	struct row_place at = { .seq = b->why.first_row };

	for (int i = 0; i < b->nr_panes; i++)
		if (b->kinds[i] == VIEW_WHY)
			pane_go_to_place(&b->panes[i], &at);
}

void browse_finish_why(struct browser_state *b)
{
	struct lines_view *lines = b->texts[VIEW_WHY];
	const struct account_work *w = &b->why;

	job_end(&b->why_job);
	lines_view_clear(lines);
	if (w->none)
		lines_view_add_text(lines, w->none, strlen(w->none));
	for (size_t i = 0; i < w->nr_lines; i++)
		lines_view_add(lines, w->text.data + w->lines[i].at, w->lines[i].len,
			       w->lines[i].ts, GRID_PLAIN);
	go_to_first_row(b);
	if (b->kinds[b->active] == VIEW_WHY)
		browse_follow(b);
	account_work_release(&b->why);
}

static bool ask_in_graph(struct browser_state *b)
{
	const struct calls_block *block;
	const struct block_node *n;
	uint32_t row;

	block = graph_view_block(b->views[VIEW_GRAPH], &browse_pane(b)->cursor, &row);
	n = block ? &block->nodes[block->rows[row].node] : NULL;
	if (!n || n->kind == BLOCK_EVENT)
		return false;
	if (n->duration == SPAN_UNKNOWN)
		browse_message(b, GRID_STATUS, "how long the call took was not recorded");
	else
		browse_start_why(b, block->file, block->pid, n->begin, n->begin + n->duration);
	return true;
}

void browse_ask_why(struct browser_state *b)
{
	uint64_t from = b->marks[MARK_A], to = b->marks[MARK_B];
	bool on_lanes = b->kinds[b->active] == VIEW_TIMELINE;
	const struct timeline_line *lane = on_lanes ? browse_lane(b, &browse_pane(b)->cursor) :
					   NULL;

	if (b->kinds[b->active] == VIEW_GRAPH && ask_in_graph(b))
		return;
	browse_select(b);
	if (on_lanes && (!lane || lane->kind != TIMELINE_LINE_TASK))
		browse_message(b, GRID_STATUS, "this is for the lane of a task");
	else if (from != NO_TIME && to != NO_TIME && b->selected.any)
		browse_start_why(b, b->selected.file, b->selected.pid, from < to ? from : to,
				 from < to ? to : from);
	else if (on_lanes)
		browse_start_why(b, lane->file, lane->id, b->lanes_from, b->lanes_to);
	else
		browse_start_ends(b, true);
}
