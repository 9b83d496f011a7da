/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Views, which panes show: rows, each at a place, most of them at a time. Moving, searching,
 * marking and splitting use only the functions in struct view_ops.
 */
#ifndef FTR_BROWSE_VIEW_H
#define FTR_BROWSE_VIEW_H

#include "base/mem.h"
#include "browse/screen/cell_grid.h"
#include "browse/work/graph_window.h"
#include "output/rows/text_rows.h"

#define VIEW_NO_TIME UINT64_MAX

struct view;

/* The action of Enter on a row. */
enum view_enter { VIEW_STAYS, VIEW_DETAILS, VIEW_GOES };

struct view_row {
	struct buf text;
	enum grid_attr attr;
};

struct view_ops {
	/*
	 * Finds the first row not before @ts, else the last one. Returns false if there are none.
	 */
	bool (*at)(struct view *v, uint64_t ts, struct place *p);
	/* Finds the row at @p, or the first one after it. Returns false if there is none. */
	bool (*find)(struct view *v, struct place *p);
	/* Go to the next or previous row. Return false, with @p unchanged, if there is none. */
	bool (*next)(struct view *v, struct place *p);
	bool (*prev)(struct view *v, struct place *p);
	/* Returns VIEW_NO_TIME if the row has no time. */
	uint64_t (*time)(struct view *v, const struct place *p);
	/* Appends the text of a row, and sets its attribute. */
	void (*row)(struct view *v, const struct place *p, struct view_row *row);
	enum view_enter (*enter)(struct view *v, const struct place *p);
	/* Returns true if rows were not found in time: look for them again. NULL: never. */
	bool (*late)(struct view *v);
	/* Appends the head above the rows. */
	void (*head)(struct view *v, struct buf *out);
	void (*free)(struct view *v);
};

struct view {
	const struct view_ops *ops;
};

static inline bool view_is_late(struct view *v)
{
	return v->ops->late && v->ops->late(v);
}

static inline void view_free(struct view *v)
{
	if (v)
		v->ops->free(v);
}

/* --- a view of ready lines: info, log, details, help, timeline */

struct lines;
/* Borrows @head, the text above the lines. */
struct lines *lines_view_new(const char *head);
struct view *lines_view(struct lines *l);
void lines_view_clear(struct lines *l);
size_t lines_view_count(const struct lines *l);
/* Adds a line. Enter goes to the time @ts, unless that is VIEW_NO_TIME. */
void lines_view_add(struct lines *l, const char *text, size_t len, uint64_t ts,
		    enum grid_attr attr);
/* Adds all lines of a text. */
void lines_view_add_text(struct lines *l, const char *text, size_t len);

/*
 * Replaces the lines of @l by the details of the record at @p: fields with types and values, bytes,
 * stack. Returns false if there is no record.
 */
bool details_fill(struct lines *l, struct rows *r, const struct place *p);

/* --- the view of records, in the lines of ftr report */

/* The view owns @rows. */
struct view *events_view_new(struct rows *rows);
/* Replaces the rows, with another filter or other columns. The view owns them. */
void events_view_set(struct view *v, struct rows *rows);
struct rows *events_view_rows(struct view *v);
/* Returns the row at or after a place, borrowed as slices are; NULL if there is none. */
const struct row *events_view_row(struct view *v, const struct place *p);

/*
 * --- the view of calls, in the lines of ftr graph. It shows a window of them, and a job makes the
 * next window that it needs.
 */

struct view *graph_view_new(void);
/*
 * Sets the task whose calls are shown at a time; @pid -1: any task. If that task is in no call
 * then, its next call is shown if @next_too, else that of any task.
 */
void graph_view_set_task(struct view *v, uint32_t file, int32_t pid, bool next_too);
/*
 * Returns the goal of the next job, or NULL if the view wants nothing. *is_near is true if the view
 * has the place already, and only wants more rows around it.
 */
const struct calls_goal *graph_view_wants(struct view *v, const struct place *cursor,
					  bool *is_near);
/* Takes the window of a work that has ended. Sets the place of the work's goal. */
void graph_view_set_window(struct view *v, struct calls_work *w, struct place *at);
/* Shows a text, which it borrows, instead of rows. @none: there never will be any rows. */
void graph_view_show_text(struct view *v, const char *text, bool none);

/*
 * Returns the block of a place, borrowed until the next window is taken, and its row. NULL: the row
 * belongs to no call.
 */
const struct calls_block *graph_view_block(struct view *v, const struct place *p, uint32_t *row);
/* Folds or unfolds the call. Returns false if it has nothing inside. */
bool graph_view_fold(struct view *v, const struct place *p);
/* Folds all calls, also those of later windows, or unfolds all. */
void graph_view_fold_all(struct view *v, struct place *cursor);
/* Go to another row of the block, and unfold calls around it. Return false if there is none. */
bool graph_view_caller(struct view *v, struct place *p);
bool graph_view_longest(struct view *v, struct place *p);
/* From the start of a call to its end, or back. */
bool graph_view_other_end(struct view *v, struct place *p);

#endif
