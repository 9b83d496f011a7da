/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside the browser: its state, and what keys do with it. */
#ifndef FTR_TUI_PRIV_H
#define FTR_TUI_PRIV_H

#include "filter/filter.h"
#include "tui/browse.h"
#include "tui/details.h"
#include "tui/events.h"
#include "tui/find.h"
#include "tui/lines.h"
#include "tui/pane.h"
#include "tui/prompt.h"
#include "tui/scan.h"
#include "tui/timeline.h"

#define PANES	 2
#define NR_MARKS 52		/* a to z, A to Z */
#define MARK_A	 26		/* the markers are the marks A and B */
#define MARK_B	 27
#define NO_TIME	 VIEW_NO_TIME

enum view_kind {
	VIEW_EVENTS, VIEW_DETAIL, VIEW_TIMELINE, VIEW_INFO, VIEW_LOG, VIEW_HELP, VIEW_SHOWN,
	VIEW_KINDS
};
#define NR_NUMBERED VIEW_SHOWN	/* views with a number as key */

/* What a prompt is for, or the next key. */
enum asking {
	ASK_NOTHING, ASK_SEARCH, ASK_SEARCH_BACK, ASK_TIME, ASK_FILTER, ASK_MARK, ASK_GO_MARK,
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

struct browse {
	const struct browse_opts *o;
	struct out_opts out;
	const struct out_ops *ops;
	uint64_t first, last;		/* times of all files */
	struct grid grid;
	struct view *views[VIEW_KINDS];
	struct lines *texts[VIEW_KINDS];	/* of those that are lines */
	struct pane panes[PANES];
	enum view_kind kinds[PANES];	/* what each shows */
	enum view_kind before[PANES];	/* and before that: where q goes back to */
	int nr_panes, active;
	struct place left;		/* the row of the events over which another view came */
	uint64_t left_ts;		/* NO_TIME: none did */
	bool ended;
	uint64_t deadline;		/* of the rows of events */
	struct buf message;
	enum grid_attr message_attr;
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
	struct job lanes_job;
	struct lanes_work lanes;
	uint64_t lanes_from, lanes_to;
	unsigned int lanes_width;	/* columns of the screen; 0: nothing was made yet */
	enum timeline_sort lanes_sort;
	size_t lanes_column;		/* where lanes begin in a line, and how many columns */
	uint32_t lanes_columns;
	struct index *index;		/* of all records; NULL: not all were read yet */
	struct find_waking waking;	/* of ->find */
	bool counted;			/* ->scan has ended for this filter */
	uint64_t records;		/* that are shown, when ->counted */
	bool logged;			/* losses and damages are in the log */
};

#define QUICK_MS 100	/* what is done within it is as if it had been done at once */
#define TICK_MS	 200	/* how often a percentage is drawn anew */

/* --- browse.c */

extern const char *const browse_views[];	/* the names, by enum view_kind; then NULL */

struct pane *browse_pane(struct browse *b);
/* A message in the last line, until the next key. */
void browse_say(struct browse *b, enum grid_attr attr, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Shows a view in the pane that has the keys. */
void browse_show(struct browse *b, enum view_kind kind);
/* The selected time, where the pane that has the keys has rows without times. */
void browse_set_time(struct browse *b, uint64_t ts);
/* It leaves the row that is selected, which [ comes back to. */
void browse_jumps(struct browse *b);
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

/* --- browse_work.c: filters and what goes on beside the keys */

/* -1 with @err where the text is no filter; "": none. */
int browse_set_filter(struct browse *b, const char *text, struct ftr_error *err);
void browse_filter_free(struct browse_filter *f);
void browse_start_find(struct browse *b, enum find_kind kind, bool backward);
void browse_start_scan(struct browse *b);
/* Counts the records from marker A to B, where both are set. */
void browse_start_between(struct browse *b);
/* Hides or shows the event, task or CPU of a row of VIEW_SHOWN. */
void browse_toggle(struct browse *b, size_t row);
/* Makes the lines of the timeline anew where they are not those that are wanted. */
void browse_start_lanes(struct browse *b, bool anew);
/* Shows the time around the selected one: twice, or half as much of it. */
void browse_zoom(struct browse *b, bool in);
/* The selected time a column of the timeline further, or back. */
void browse_move_column(struct browse *b, bool back);
/* Which column of its lines the selected time is in; -1: none. */
int browse_time_column(const struct browse *b);
/* Takes what has ended; waits so long at most for the first that goes on. */
void browse_take_results(struct browse *b, unsigned int wait_ms);
bool browse_is_busy(const struct browse *b);
void browse_stop_jobs(struct browse *b);
/* "searching 40 %, counting 12 %" */
void browse_add_work(struct browse *b, struct buf *out);

/* --- the others */

void browse_draw(struct browse *b);
int browse_script(struct browse *b, struct ftr_error *err);
int browse_terminal(struct browse *b, struct ftr_error *err);

void browse_key(struct browse *b, int key);

#endif
