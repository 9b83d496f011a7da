/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside the browser: its state, and what keys do with it. */
#ifndef FTR_BROWSE_BROWSER_PRIV_H
#define FTR_BROWSE_BROWSER_PRIV_H

#include "trace/filter.h"
#include "browse/browser.h"
#include "browse/work/row_search.h"
#include "browse/pane.h"
#include "browse/work/record_count.h"
#include "browse/work/timeline_lanes.h"

#define PANES	 2
#define NR_MARKS 52		/* a to z, A to Z */
#define MARK_A	 26		/* the markers are the marks A and B */
#define MARK_B	 27
#define NO_TIME	 VIEW_NO_TIME
#define LANES_ALL 64

enum view_kind {
	VIEW_EVENTS, VIEW_DETAIL, VIEW_GRAPH, VIEW_TIMELINE, VIEW_INFO, VIEW_LOG, VIEW_HELP,
	VIEW_SHOWN, VIEW_KINDS
};
#define NR_NUMBERED VIEW_SHOWN	/* views with a number as key */

/* A line that is typed: a text to search for, a filter, a time. */
struct prompt {
	const char *label;		/* "/", "filter: " */
	struct buf text;
	size_t at;			/* the cursor, in bytes */
};

/* What a prompt is for, or the next key. */
enum asking {
	ASK_NOTHING, ASK_SEARCH, ASK_SEARCH_BACK, ASK_TIME, ASK_FILTER, ASK_MARK, ASK_GO_MARK,
};

/* What a key acts on: it waits until that is known. */
enum key_acts {
	ON_ROW,			/* the selected row of the pane that has the keys */
	ON_TIME,		/* its time, which the timeline has before it has lanes */
	ON_PLACE,		/* what a search or a step selects */
	AT_ONCE,		/* neither */
};

struct keys_ahead {
	int *v;
	size_t n, cap;
};

/* Times that were left, the last one at the end. */
struct times {
	uint64_t *v;
	size_t n, cap;
};

/* What of the records is shown, beside what was selected on the command line. */
struct browse_filter {
	char *text;
	struct filter_spec spec;
	struct filter **filters;	/* of each file; NULL: all */
	size_t nr;
	struct hidden hidden;
	const struct out_match *under;
};

/* Whose records the steps go to, and whose lanes are marked. */
struct browse_selection {
	bool     any;
	uint32_t file;
	int32_t  pid, cpu;
	uint16_t type;
};

struct browse {
	const struct browse_opts *o;
	struct out_opts out;
	uint64_t first, last;		/* times of all files */
	struct grid grid;
	struct view *views[VIEW_KINDS];
	struct lines *texts[VIEW_KINDS];	/* of those that are lines */
	struct pane panes[PANES];
	enum view_kind kinds[PANES];	/* what each shows */
	enum view_kind before[PANES];	/* and before that: where q goes back to */
	int nr_panes, active;
	bool usual;			/* they are as at the start: on low screens there is one */
	struct pane closed;		/* the other one, which S brings back */
	enum view_kind closed_kind;
	int closed_at;			/* -1: it showed the same, or there was none */
	struct browse_selection selected;
	struct place left;		/* the row of the events over which another view came */
	uint64_t left_ts;		/* NO_TIME: none did */
	bool ended;
	bool begun;			/* what goes on beside the keys: after the first screen */
	uint64_t deadline;		/* of the rows of events */
	struct buf message;
	enum grid_attr message_attr;
	struct keys_ahead ahead;	/* keys that wait, the first one first */
	enum asking asking;
	struct prompt prompt;
	char *search;
	bool search_back, search_exact;
	uint64_t marks[NR_MARKS];	/* NO_TIME: not set */
	struct times back, forward;
	struct browse_filter *filter;	/* NULL: none */
	struct strv filters;		/* texts of those before */
	struct out_match which;		/* of rows and of counting */
	struct job find_job, scan_job, between_job;
	struct find find;
	struct scan scan, between;	/* all records; those from marker A to B */
	struct out_range between_range;
	bool between_counted;
	uint64_t between_records;
	struct hide_count *counts;	/* rows of VIEW_SHOWN */
	size_t nr_counts;
	/* the timeline: what it shows, or is being made to show */
	struct job lanes_job, pass_job;
	struct lanes_work lanes_all;	/* ended, of all of the time */
	struct lanes_work lanes;
	struct pass pass;		/* ->pyramid: NULL until it has ended */
	uint64_t lanes_from, lanes_to;
	unsigned int lanes_shift;	/* a column is 2^ that long, or LANES_ALL: all is shown */
	uint64_t lanes_records;		/* that were read for them so far */
	unsigned int lanes_width;	/* columns of the screen; 0: nothing was made yet */
	enum timeline_sort lanes_sort;
	struct timeline_lines lanes_text;	/* of the lines that are shown */
	size_t lanes_count;		/* lines that are lanes */
	uint32_t lanes_columns;		/* of time */
	size_t lanes_lines;		/* the most there were; 0: nothing was made yet */
	bool lanes_none;		/* no sched_switch in all of the files */
	/* the graph: NULL until it was shown once */
	struct calls_source *calls_source;
	struct job calls_job;
	struct calls_work calls;
	struct buf no_calls;		/* what the graph says where there are none; else empty */
	struct ends_source *ends_source;	/* NULL until M was pressed once */
	struct job ends_job;
	struct ends_work ends;
	bool calls_stopped;		/* nothing is read ahead until something is wanted */
	bool calls_near;		/* only the rows around those that are shown are made */
	struct index *index;		/* of all records; NULL: not all were read yet */
	struct find_waking waking;	/* of ->find */
	bool counted;			/* ->scan has ended for this filter */
	uint64_t records;		/* that are shown, when ->counted */
	bool logged;			/* losses and damages are in the log */
};

#define BROWSE_NO_LANES "no sched_switch: 'ftr record -e sched' records when tasks run"
#define QUICK_MS 100	/* what is done within it is as if it had been done at once */
#define TICK_MS	 200	/* how often a percentage is drawn anew */

/* --- browser.c */

extern const char *const browse_views[];	/* the names, by enum view_kind; then NULL */

struct pane *browse_pane(struct browse *b);
/* A message in the last line, until the next key. */
void browse_say(struct browse *b, enum grid_attr attr, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Has a view in the pane with the keys: they go to the other pane if that shows it already. */
void browse_show(struct browse *b, enum view_kind kind);
/* Shows it in this pane, whatever the other one does. */
void browse_show_here(struct browse *b, enum view_kind kind);
/* Two panes, or only the one that has the keys. */
void browse_split(struct browse *b);
/* The selected time, where the pane that has the keys has rows without times. */
void browse_set_time(struct browse *b, uint64_t ts);
/* That of the last row before @ts, NO_TIME: none is; the time before where no events are shown. */
uint64_t browse_time_before(struct browse *b, uint64_t ts);
/* It leaves the row that is selected, which [ comes back to. */
void browse_jumps(struct browse *b);
/* The row that is selected in the events, even if another view has the keys; NULL: none. */
const struct row *browse_row(struct browse *b);
/* Notes what is selected: of that row, or, for its part, the lane that is selected. */
void browse_select(struct browse *b);
/* What the line of the timeline is about at the place; NULL: nothing. */
const struct timeline_line *browse_lane(const struct browse *b, const struct place *at);
/* Is that lane one of what is selected? */
bool browse_lane_is_selected(const struct browse *b, const struct place *at);
/* The selected task's line, if it has one. */
bool browse_find_lane(const struct browse *b, struct place *at);
/* To a time in all panes; @jump: [ comes back to where it was. */
void browse_go(struct browse *b, uint64_t ts, bool jump);
void browse_go_to_place(struct browse *b, const struct place *at);
/* The time of the row that is selected, or of the other pane's. */
uint64_t browse_time(const struct browse *b);
/* Other panes follow the one that has the keys. */
void browse_follow(struct browse *b);
/* As they are shown. */
struct rows *browse_new_rows(struct browse *b);
/* They are shown otherwise from now on. False, which is said: all is as it was. */
bool browse_renew_rows(struct browse *b);
/* Keys are heard at least so often, however far away the rows are. */
void browse_begin_rows(struct browse *b);
/* Are there rows that were not found in time? */
bool browse_is_late(const struct browse *b);
/* Goes on with looking for them. */
void browse_look_on(struct browse *b);
void browse_add_time(const struct browse *b, struct buf *out, uint64_t ts);

/* The next form that the files have, which is said. */
void browse_next_times(struct browse *b);
/* Marker A may be elsewhere. */
void browse_renew_times(struct browse *b);
/* What the form of rows has beside the time itself: "  +0.000012 since A". */
void browse_add_other_time(const struct browse *b, struct buf *out, uint64_t ts);

/* --- browser_work.c: filters and what goes on beside the keys */

/* -1 with @err where the text is no filter; "": none. */
int browse_set_filter(struct browse *b, const char *text, struct ftr_error *err);
void browse_filter_free(struct browse_filter *f);
void browse_start_find(struct browse *b, enum find_kind kind, bool backward);
/* Counts the records from marker A to B, where both are set. */
void browse_start_between(struct browse *b);
/* Hides or shows the event, task or CPU of a row of VIEW_SHOWN. */
void browse_toggle(struct browse *b, size_t row);
/* From a lane to the events: the first record of its task or CPU from the selected time on. */
void browse_enter_lane(struct browse *b);

/* --- browser_graph.c: calls, made beside the keys */

/* Has made what the graph wants, where it is shown. */
void browse_start_calls(struct browse *b);
/* Whose calls it goes to from now on: those of the selected task, as graph_view_set_task(). */
void browse_set_calls_task(struct browse *b, bool next_too);
/* Is the place being made that the graph goes to? */
bool browse_seeks_calls(const struct browse *b);
/* Does a search go on in the graph? */
bool browse_searches_calls(const struct browse *b);
/* Looks in the graph for the next text, or call of the same function. */
void browse_find_call(struct browse *b, enum calls_goal_kind kind, bool backward);
/* There are none, but which other spans there are, as soon as that is counted. */
void browse_show_no_calls(struct browse *b);
/* When the job has ended, or to end it at once. */
void browse_take_calls(struct browse *b);
void browse_stop_calls(struct browse *b);

/* To the other end of the span of the selected record. */
void browse_start_ends(struct browse *b);
void browse_take_ends(struct browse *b);
void browse_stop_ends(struct browse *b);

/* --- all work */

/* The first screen is there, which other work would only have delayed. */
void browse_begin_work(struct browse *b);
/* Starts what the views that are shown want, and goes on already or not. */
void browse_start_wanted(struct browse *b);
/* After a key: what it asked for is waited for a little, as if it had been done at once. */
void browse_take_key_results(struct browse *b);
/* Takes what has ended; waits so long at most for the first that goes on. */
void browse_take_results(struct browse *b, unsigned int wait_ms);
bool browse_is_busy(const struct browse *b);
/* Does a search or a step go on, which selects another row when it ends? */
bool browse_is_asked(const struct browse *b);
/*
 * Asks it to stop; where none goes on, all else that does. False: nothing goes on that was not
 * asked already.
 */
bool browse_interrupt(struct browse *b);
void browse_stop_jobs(struct browse *b);
/* "searching 40 %, counting 12 %" */
void browse_add_work(struct browse *b, struct buf *out);

/* --- browser_timeline.c: the timeline */

/*
 * Makes the lines of the timeline where they are not those that are wanted: of another width, or
 * without the selected time.
 */
void browse_start_lanes(struct browse *b, bool anew);
/* Shows the time around the selected one: twice, or half as much of it; all of it. */
void browse_zoom(struct browse *b, bool in);
void browse_zoom_all(struct browse *b);
/* The selected time a column of the timeline further, or back. */
void browse_move_column(struct browse *b, bool back);
/* Which column of its lines the selected time is in; -1: none. */
int browse_time_column(const struct browse *b);
/* Their jobs have ended. */
void browse_take_lanes(struct browse *b);
void browse_take_pass(struct browse *b);
/* Stops them; the pass over all records goes on, but at the end. */
void browse_stop_lanes(struct browse *b);

/* --- the others */

void browse_draw(struct browse *b);
/* True if a filter that was typed, or V, hides records. */
bool browse_has_filter(const struct browse *b);
int browse_script(struct browse *b, struct ftr_error *err);
int browse_terminal(struct browse *b, struct ftr_error *err);

void browse_key(struct browse *b, int key);
enum key_acts browse_key_acts(const struct browse *b, int key);

/* --- browser_keys.c: the prompt, keys typed ahead */

void prompt_draw(const struct prompt *p, struct grid *g, int y);
void prompt_release(struct prompt *p);

/* Does what the key is for; where what it acts on is not known yet, when that is. */
void browse_press(struct browse *b, int key);
/* Is there a key that waited and need not wait any more? Presses it. */
bool browse_ahead_is_ready(const struct browse *b);
void browse_press_ahead(struct browse *b);

#endif
