/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The graph: jobs make the windows that it wants, and search in it. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "browse/browser_priv.h"

static int graph_pane(const struct browser_state *b)
{
	int i = b->active;

	if (b->kinds[i] == VIEW_GRAPH)
		return i;
	return b->nr_panes > 1 && b->kinds[!i] == VIEW_GRAPH ? !i : -1;
}

void browse_set_calls_task(struct browser_state *b, bool next_too)
{
	graph_view_set_task(b->views[VIEW_GRAPH], b->selected.file,
			    b->selected.any ? b->selected.pid : -1, next_too);
}

static void start_calls(struct browser_state *b, const struct calls_goal *goal, const char *name)
{
	browse_stop_calls(b);
	if (!b->calls_source)
		b->calls_source = calls_source_new(b->o->traces, b->o->nr_traces, &b->o->range,
						   b->o->which);
	if (!b->calls_source)
		return graph_view_show_text(b->views[VIEW_GRAPH], "cannot open the files again",
					    true);
	b->calls = (struct calls_work){
		.source = b->calls_source, .goal = *goal, .first = b->first, .last = b->last,
	};
	b->calls_stopped = false;
	job_start(&b->calls_job, name, calls_work_run, &b->calls);
}

static bool goal_is_search(const struct calls_goal *g)
{
	return g->kind == CALLS_TEXT || g->kind == CALLS_FUNCTION;
}

bool browse_searches_calls(const struct browser_state *b)
{
	return b->calls_job.run && goal_is_search(&b->calls.goal);
}

bool browse_seeks_calls(const struct browser_state *b)
{
	return b->calls_job.run && b->calls.goal.kind != CALLS_AHEAD && !b->calls_near;
}

void browse_start_calls(struct browser_state *b)
{
	int i = graph_pane(b);
	const struct calls_goal *now = &b->calls.goal, *want;
	struct calls_goal goal = { .kind = CALLS_AHEAD };
	bool is_near;

	if (i < 0)
		return;
	want = graph_view_wants(b->views[VIEW_GRAPH], &b->panes[i].cursor, &is_near);
	if (!want) {
		if (b->calls_source && !b->calls_job.run && !b->calls_stopped &&
		    !calls_source_is_whole(b->calls_source))
			start_calls(b, &goal, "reading calls");
		return;
	}
	/* a search goes on; so does the job that makes this goal, or one for the last request */
	if (b->calls_job.run && now->kind != CALLS_AHEAD &&
	    (goal_is_search(now) || is_near ||
	     (now->kind == want->kind && now->ts == want->ts && now->number == want->number &&
	      now->row == want->row && now->file == want->file && now->pid == want->pid &&
	      now->next_too == want->next_too)))
		return;
	goal = *want;
	start_calls(b, &goal, "calls");
	b->calls_near = is_near;
}

static void graph_show_text(struct browser_state *b, const char *text, bool none)
{
	int i = graph_pane(b);

	graph_view_show_text(b->views[VIEW_GRAPH], text, none);
	if (i >= 0)
		pane_refresh(&b->panes[i]);
}

static void add_span_line(struct buf *out, const char *name, uint64_t records, const char *where)
{
	struct buf n = {0};

	text_grouped(&n, records);
	buf_printf(out, "\n  %-12s %14s  %s", name, n.data, where);
	buf_release(&n);
}

/* Appends a line for each other kind of span that the files have, with the command to show it. */
static void add_other_spans(const struct browser_state *b, struct buf *out)
{
	uint64_t records[SPAN_PAIR + 1] = {0};	/* the last one: sched_switch */
	const size_t before = out->len;

	for (size_t i = 0; i < b->nr_counts && b->counts[i].kind == HIDE_EVENT; i++) {
		const struct hide_count *c = &b->counts[i];
		const struct event_meta *meta = &b->o->traces[hide_count_file(c)]->meta;
		const struct ev_format *fmt = hide_count_format(c, b->o->traces);
		int kind = fmt ? model_kind_of_event(meta, fmt) : -1;

		if (fmt && fmt == event_meta_find_name(meta, "sched", "sched_switch"))
			kind = SPAN_PAIR;
		if (kind >= 0)
			records[kind] += c->records;
	}
	for (int i = 0; i < SPAN_PAIR; i++) {
		char *command = xasprintf("ftr graph --kind %s", model_kind_name(NULL, i));

		if (records[i])
			add_span_line(out, model_kind_name(NULL, i), records[i], command);
		free(command);
	}
	if (records[SPAN_PAIR])
		add_span_line(out, "sched_switch", records[SPAN_PAIR], "the timeline, key 4");
	buf_addstr(out, out->len > before ?
		   "\nin the events, M goes from one end of a span to the other" :
		   "\nthere are none of other spans either");
}

void browse_show_no_calls(struct browser_state *b)
{
	struct buf *text = &b->no_calls;

	buf_reset(text);
	buf_addstr(text, "no records of function_graph: "
		   "'ftr record -p function_graph' records them");
	if (b->counts || b->counted)
		add_other_spans(b, text);
	else
		buf_addstr(text, "\nrecords of other spans are shown when all are counted");
	graph_show_text(b, text->data, true);
}

static void graph_show_place(struct browser_state *b, struct calls_work *w)
{
	struct row_place at;
	int i = graph_pane(b);

	if (goal_is_search(&w->goal))
		browse_note_jump(b);
	graph_view_set_window(b->views[VIEW_GRAPH], w, &at);
	if (i < 0)
		return;
	if (b->calls_near)
		pane_refresh(&b->panes[i]);
	else
		pane_go_to_place(&b->panes[i], &at);
	if (goal_is_search(&w->goal))
		browse_follow(b);
	if (w->wrapped)
		browse_message(b, GRID_STATUS, w->goal.backward ?
			       "the search went on from the end" :
			       "the search went on from the beginning");
}

void browse_finish_calls(struct browser_state *b)
{
	struct calls_work *w = &b->calls;

	job_end(&b->calls_job);
	if (w->goal.kind != CALLS_AHEAD) {
		if (w->found)
			graph_show_place(b, w);
		else if (w->stopped && !goal_is_search(&w->goal))
			graph_show_text(b, "the reading was stopped; g, Home and End go on",
					false);
		else if (!goal_is_search(&w->goal))
			browse_show_no_calls(b);
		else if (w->stopped)
			browse_message(b, GRID_STATUS, "the search was stopped");
		else if (w->goal.kind == CALLS_TEXT)
			browse_message(b, GRID_STATUS, "not found: %s", w->goal.text);
		else
			browse_message(b, GRID_STATUS, "no %s call of this function",
				       w->goal.backward ? "earlier" : "later");
	}
	b->calls_stopped = w->stopped;
	b->calls_near = false;
	calls_work_release(w);
}

void browse_stop_calls(struct browser_state *b)
{
	if (!b->calls_job.run)
		return;
	job_stop(&b->calls_job);
	job_end(&b->calls_job);
	calls_work_release(&b->calls);
	b->calls_near = false;
}

void browse_find_call(struct browser_state *b, enum calls_goal_kind kind, bool backward)
{
	struct browse_view *v = b->views[VIEW_GRAPH];
	struct calls_goal g = { .kind = kind, .backward = backward };
	const struct calls_block *block;
	const struct row_place *at = &browse_pane(b)->cursor;
	uint32_t row = at->line;

	block = graph_view_block(v, at, &row);
	if (kind == CALLS_FUNCTION && (!block || block->nodes[block->rows[row].node].kind ==
				       BLOCK_EVENT))
		return browse_message(b, GRID_STATUS, "no call is selected");
	g.number = at->ts;
	g.row = row;
	if (kind == CALLS_FUNCTION)
		g.function = block->nodes[block->rows[row].node];
	else
		g.text = xstrdup(b->search);
	g.exact = b->search_exact;
	start_calls(b, &g, "searching");
}
