/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to the browser: its state, and the functions that keys, jobs and drawing share. */
#ifndef FTR_BROWSE_BROWSER_PRIV_H
#define FTR_BROWSE_BROWSER_PRIV_H

#include "trace/filter.h"
#include "browse/browser.h"
#include "browse/work/account_work.h"
#include "browse/work/query_work.h"
#include "browse/work/row_search.h"
#include "browse/pane.h"
#include "browse/work/record_count.h"
#include "browse/work/timeline_lanes.h"

#define PANES	 2
#define NR_MARKS 52		/* a to z, A to Z */
#define MARK_A	 26		/* the markers are the marks A and B */
#define MARK_B	 27
#define NO_TIME	 VIEW_NO_TIME
#define LANES_ALL 64		/* browse.lanes_shift: the timeline shows all of the time */

enum view_kind {
	VIEW_EVENTS, VIEW_DETAIL, VIEW_GRAPH, VIEW_TIMELINE, VIEW_INFO, VIEW_LOG, VIEW_HELP,
	VIEW_SHOWN, VIEW_WHY, VIEW_QUERY, VIEW_KINDS
};
#define NR_NUMBERED VIEW_SHOWN	/* views with a number as key */

/* A line that is typed: a text to search for, a filter, a time. */
struct browse_prompt {
	const char *label;		/* "/", "filter: " */
	struct buf text;
	size_t at;			/* the cursor, in bytes */
};

/* The purpose of the open prompt, or of the next key. */
enum asking {
	ASK_NOTHING, ASK_SEARCH, ASK_SEARCH_BACK, ASK_TIME, ASK_FILTER, ASK_QUERY, ASK_MARK,
	ASK_GO_MARK,
};

/* The target of a key. The key waits until the target is known. */
enum key_acts {
	ON_ROW,			/* the selected row of the active pane */
	ON_TIME,		/* the time of that row; the timeline has it before its lanes */
	ON_PLACE,		/* the result of a search or a step */
	AT_ONCE,		/* none */
};

/* Keys that wait, the first one first. */
struct keys_ahead {
	int *v;
	size_t n, cap;
};

/* Times before jumps, the latest one last. */
struct jump_times {
	uint64_t *v;
	size_t n, cap;
};

/* A filter that was typed and hidden events, tasks and CPUs, on top of the command line's. */
struct browse_filter {
	char *text;
	struct filter_spec spec;
	struct filter **filters;	/* one for each file; NULL: all records match */
	size_t nr;
	struct hidden_records hidden;
	const struct out_match *under;	/* the match of the command line */
};

/* The task, CPU and event of the selected row: steps go to their records, lanes are marked. */
struct browse_selection {
	bool     any;
	uint32_t file;
	int32_t  pid, cpu;
	uint16_t type;
};

struct browser_state {
	const struct browse_opts *o;
	struct out_opts out;
	uint64_t first, last;		/* first and last time of all files */
	struct cell_grid grid;
	struct browse_view *views[VIEW_KINDS];
	struct lines_view *texts[VIEW_KINDS];	/* of views that consist of ready lines */
	struct browse_pane panes[PANES];
	enum view_kind kinds[PANES];	/* the view of each pane */
	enum view_kind before[PANES];	/* the view before it: q goes back there */
	int nr_panes, active;		/* the active pane gets the keys */
	bool usual;			/* panes as at the start; only one on low screens */
	struct browse_pane closed;		/* the pane that S opens again */
	enum view_kind closed_kind;
	int closed_at;			/* its index; -1: the same view as the other, or none */
	struct browse_selection selected;
	struct row_place left;		/* the row of the events that another view replaced */
	uint64_t left_ts;		/* its time, or NO_TIME */
	bool ended;
	bool begun;			/* jobs may run: the first screen was shown */
	uint64_t deadline;		/* ns; rows of events that take longer are late */
	struct buf message;		/* in the last lines, until the next key */
	enum grid_attr message_attr;
	struct keys_ahead ahead;
	enum asking asking;
	struct browse_prompt prompt;
	char *search;			/* the last text that was searched for, or NULL */
	bool search_back, search_exact;
	uint64_t marks[NR_MARKS];	/* NO_TIME: not set */
	struct jump_times back, forward;
	struct browse_filter *filter;	/* NULL: none */
	struct strv filters;		/* texts of earlier filters */
	struct out_match which;		/* the records that are shown and counted */
	struct background_job find_job, scan_job, between_job;
	struct row_search find;
	struct record_scan scan, between;	/* of all records; of those from marker A to B */
	struct out_range between_range;
	bool between_counted;
	uint64_t between_records;
	struct hide_count *counts;	/* rows of VIEW_SHOWN */
	size_t nr_counts;
	/* the timeline that is shown or being made */
	struct background_job lanes_job, pass_job;
	struct lanes_work lanes_all;	/* the last result for all of the time */
	struct lanes_work lanes;
	struct lod_pass pass;		/* ->lod is NULL until the job has ended */
	uint64_t lanes_from, lanes_to;
	unsigned int lanes_shift;	/* a column is 2^lanes_shift units of time, or LANES_ALL */
	uint64_t lanes_records;		/* number of records read for lanes so far */
	unsigned int lanes_width;	/* columns of the screen; 0: no lanes were made yet */
	enum timeline_sort lanes_sort;
	struct timeline_lines lanes_text;	/* the lines that are shown */
	size_t lanes_count;		/* number of lines that are lanes */
	uint32_t lanes_columns;		/* columns of time */
	size_t lanes_lines;		/* largest number of lines so far; 0: none yet */
	bool lanes_none;		/* no file has a sched_switch */
	/* the graph; NULL until it was shown once */
	struct calls_source *calls_source;
	struct background_job calls_job;
	struct calls_work calls;
	struct buf no_calls;		/* text of a graph without calls; else empty */
	struct ends_source *ends_source;	/* NULL until M was pressed once */
	struct background_job ends_job;
	struct ends_work ends;
	bool ends_why;			/* account for the span instead of going to its end */
	struct background_job why_job;
	struct account_work why;
	struct background_job query_job;
	struct query_work query;
	struct strv queries;		/* texts of earlier queries, the latest last */
	size_t query_at;		/* the one in the prompt; ->queries.n: none of them */
	struct row_place query_row;	/* the row of the query that another view replaced */
	bool calls_stopped;		/* do not read ahead until the graph wants a window */
	bool calls_near;		/* the job only adds rows around the window */
	struct block_index *index;		/* of all records; NULL: not all were read yet */
	struct find_waking waking;	/* belongs to ->find */
	bool counted;			/* ->scan has ended for this filter */
	uint64_t records;		/* number of records shown, if ->counted */
	bool logged;			/* losses and damage are in the log */
};

#define BROWSE_NO_LANES "no sched_switch: 'ftr record -e sched' records when tasks run"
#define QUICK_MS 100	/* a job that ends within this time seems to end at once */
#define TICK_MS	 200	/* time between two updates of percentages */

/* --- browser.c */

extern const char *const browse_views[];	/* names by enum view_kind; ends with NULL */

/* Returns the active pane. */
struct browse_pane *browse_pane(struct browser_state *b);
/* Shows a message in the last line, until the next key. */
void browse_message(struct browser_state *b, enum grid_attr attr, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Shows a view in the active pane; if the other pane has it already, that becomes active. */
void browse_show(struct browser_state *b, enum view_kind kind);
/* Shows a view in the active pane, even if the other pane has it, too. */
void browse_show_here(struct browser_state *b, enum view_kind kind);
/* Opens the second pane, or closes the inactive one. */
void browse_split(struct browser_state *b);
/* Sets the selected time while the rows of the active pane have no times. */
void browse_set_time(struct browser_state *b, uint64_t ts);
/*
 * Returns the time of the last row before @ts, NO_TIME if there is none. If no events are shown it
 * returns @ts - 1.
 */
uint64_t browse_time_before(struct browser_state *b, uint64_t ts);
/* Keeps the selected time before a jump, for the key [. */
void browse_note_jump(struct browser_state *b);
/* Returns the row selected in the events, even if another view is active; NULL if there is none. */
const struct text_row *browse_row(struct browser_state *b);
/* Sets ->selected from that row; in the timeline, task or CPU from the selected lane. */
void browse_select(struct browser_state *b);
/* Returns the lane of a line of the timeline, NULL if the line is no lane. */
const struct timeline_line *browse_lane(const struct browser_state *b, const struct row_place *at);
/* Returns true if the lane is that of the selected task or CPU. */
bool browse_lane_is_selected(const struct browser_state *b, const struct row_place *at);
/* Finds the line of the selected task. Returns false if it has none. */
bool browse_find_lane(const struct browser_state *b, struct row_place *at);
/* Goes to a time in all panes. With @jump the key [ goes back. */
void browse_go(struct browser_state *b, uint64_t ts, bool jump);
/* Goes to a row of the events in all panes, as a jump. */
void browse_go_to_place(struct browser_state *b, const struct row_place *at);
/* Returns the time of the selected row, or of that of the other pane, or NO_TIME. */
uint64_t browse_time(const struct browser_state *b);
/* Moves the other pane to the time of the active one. */
void browse_follow(struct browser_state *b);
/* Returns new rows of the events, as they are shown at present. NULL: no memory for views. */
struct text_rows *browse_new_rows(struct browser_state *b);
/* Replaces the rows of the events. Shows a message and returns false if that fails. */
bool browse_renew_rows(struct browser_state *b);
/* Sets the deadline for rows to QUICK_MS from now, so that keys are handled in time. */
void browse_set_deadline(struct browser_state *b);
/* Returns true if there are rows that were not found before the deadline. */
bool browse_is_late(const struct browser_state *b);
/* Continues to search for late rows. */
void browse_retry_rows(struct browser_state *b);
/* Appends a time in seconds, in the precision of the rows. */
void browse_add_time(const struct browser_state *b, struct buf *out, uint64_t ts);

/* Changes to the next form of times that all files support, and shows its name. */
void browse_next_times(struct browser_state *b);
/* Renews the rows if their times depend on marker A and it has changed. */
void browse_renew_times(struct browser_state *b);
/* Appends the time in the form of the rows if it is a special one: "  +0.000012 since A". */
void browse_add_other_time(const struct browser_state *b, struct buf *out, uint64_t ts);

/* --- browser_work.c: filters and jobs */

/* Returns -1 with @err if @text is no filter; "" removes the filter. */
int browse_set_filter(struct browser_state *b, const char *text, struct ftr_error *err);
void browse_filter_free(struct browse_filter *f);
/* Starts a search or a step from the selected row. */
void browse_start_find(struct browser_state *b, enum find_kind kind, bool backward);
/* Counts the records from marker A to B if both are set. */
void browse_start_between(struct browser_state *b);
/* Hides or shows the event, task or CPU of a row of VIEW_SHOWN. */
void browse_toggle_hidden(struct browser_state *b, size_t row);
/* Goes from a lane to the first record of its task or CPU from the selected time on. */
void browse_enter_lane(struct browser_state *b);

/* --- browser_graph.c: the jobs of the graph */

/* Starts a job for the window that the graph wants, if it is shown. */
void browse_start_calls(struct browser_state *b);
/* Sets the task whose calls the graph shows to the selected one: see graph_view_set_task(). */
void browse_set_calls_task(struct browser_state *b, bool next_too);
/* Returns true while a job makes the window that the graph goes to. */
bool browse_seeks_calls(const struct browser_state *b);
/* Returns true while a job searches in the graph. */
bool browse_searches_calls(const struct browser_state *b);
/* Searches the graph for the next text, or for the next call of the same function. */
void browse_find_call(struct browser_state *b, enum calls_goal_kind kind, bool backward);
/* Shows that there are no calls, and the other kinds of spans as soon as they are counted. */
void browse_show_no_calls(struct browser_state *b);
/* Takes the result of the job that has ended; stops the job. */
void browse_finish_calls(struct browser_state *b);
void browse_stop_calls(struct browser_state *b);

/* --- browser_work.c: the other end of the span of the selected record */

/*
 * Starts the search; goes to its result, or accounts for the span, or shows why there is none.
 */
void browse_start_ends(struct browser_state *b, bool accounts);
void browse_finish_ends(struct browser_state *b);

/* --- browser_why.c: the account of a task's time */

/* Starts it for the selected call, task, lane or span. */
void browse_ask_why(struct browser_state *b);
/* Shows the view of it, and starts the job for this task and time. */
void browse_start_why(struct browser_state *b, uint32_t file, int32_t pid, uint64_t from,
		      uint64_t to);
void browse_finish_why(struct browser_state *b);
void browse_stop_why(struct browser_state *b);

/* --- browser_query.c: queries in SQL */

/* Opens the prompt for a query; replaces its text by the query before or after the recalled one. */
void browse_ask_query(struct browser_state *b);
void browse_recall_query(struct browser_state *b, bool back);
/* Shows the view of the rows, and starts the job. An empty text shows the rows there were last. */
void browse_start_query(struct browser_state *b, const char *text);
void browse_finish_query(struct browser_state *b);
void browse_stop_query(struct browser_state *b);
/* Appends the number of rows and the query to the head of the view. */
void browse_add_query(const struct browser_state *b, struct buf *out);
/* Keeps the names of columns above scrolled rows, as pane_marks.pinned. */
int browse_pin_names(const struct browser_state *b, const struct row_place *top,
		     struct row_place *rows);

/* --- all work */

/* Allows jobs, which would have delayed the first screen, and starts them. */
void browse_allow_jobs(struct browser_state *b);
/* Starts the jobs that the visible views want, unless they run already. */
void browse_start_wanted(struct browser_state *b);
/* After a key: waits up to QUICK_MS for the job that it started, as if it had ended at once. */
void browse_finish_key_jobs(struct browser_state *b);
/* Takes the results of jobs that have ended. Waits at most @wait_ms for the first running one. */
void browse_finish_jobs(struct browser_state *b, unsigned int wait_ms);
/* Returns true if a job runs. */
bool browse_is_busy(const struct browser_state *b);
/* Returns true if a search or a step runs, which selects another row when it ends. */
bool browse_is_asked(const struct browser_state *b);
/*
 * Asks searches and steps to stop, or all jobs if there are none. Returns false if no job runs that
 * was not asked before.
 */
bool browse_interrupt(struct browser_state *b);
/* Stops all jobs and waits for them; the pass for the timeline only at the end of the program. */
void browse_stop_jobs(struct browser_state *b);
/* Appends "searching 40 %, counting 12 %". */
void browse_add_jobs(struct browser_state *b, struct buf *out);

/* --- browser_timeline.c: the timeline */

/*
 * Makes the lines of the timeline if their width is wrong, if the selected time is outside of their
 * range, or if @anew.
 */
void browse_start_lanes(struct browser_state *b, bool anew);
/* Shows half, or twice as much time around the selected one; all of the time. */
void browse_zoom(struct browser_state *b, bool in);
void browse_zoom_all(struct browser_state *b);
/* Selects the time of the next column of the timeline, or of the last earlier one with records. */
void browse_move_column(struct browser_state *b, bool back);
/* Returns the column of the selected time in the lines of the timeline, -1 if there is none. */
int browse_time_column(const struct browser_state *b);
/* Take the results of jobs that have ended. */
void browse_finish_lanes(struct browser_state *b);
void browse_finish_pass(struct browser_state *b);
/* Stops making lanes; the pass over all records is stopped only at the end of the program. */
void browse_stop_lanes(struct browser_state *b);

/* --- other files */

/* Draws the screen into ->grid, and starts the jobs that it needs. */
void browse_draw(struct browser_state *b);
/* Returns true if a typed filter, or V, hides records. */
bool browse_has_filter(const struct browser_state *b);
/* Run the browser until it ends: by a script, in a terminal. Return -1 with @err on failure. */
int browse_script(struct browser_state *b, struct ftr_error *err);
int browse_terminal(struct browser_state *b, struct ftr_error *err);

/* Handles a key at once. */
void browse_key(struct browser_state *b, int key);
/* Returns the target that a key waits for; AT_ONCE while a prompt is open. */
enum key_acts browse_key_acts(const struct browser_state *b, int key);

/* --- browser_keys.c: the prompt, keys typed ahead */

/* Opens the prompt with @text. Borrows @label. */
void browse_ask(struct browser_state *b, enum asking what, const char *label, const char *text);
void prompt_draw(const struct browse_prompt *p, struct cell_grid *g, int y);
void prompt_release(struct browse_prompt *p);

/* Handles a key, or lets it wait until its target is known. */
void browse_press_key(struct browser_state *b, int key);
/* Returns true if the first waiting key need not wait any longer. */
bool browse_waiting_is_ready(const struct browser_state *b);
/* Handles the first waiting key if it is ready. */
void browse_press_waiting(struct browser_state *b);

#endif
