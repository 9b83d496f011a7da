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

struct browse_view;

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
	bool (*at)(struct browse_view *v, uint64_t ts, struct row_place *p);
	/* Finds the row at @p, or the first one after it. Returns false if there is none. */
	bool (*find)(struct browse_view *v, struct row_place *p);
	/* Go to the next or previous row. Return false, with @p unchanged, if there is none. */
	bool (*next)(struct browse_view *v, struct row_place *p);
	bool (*prev)(struct browse_view *v, struct row_place *p);
	/* Returns VIEW_NO_TIME if the row has no time. */
	uint64_t (*time)(struct browse_view *v, const struct row_place *p);
	/* Appends the text of a row, and sets its attribute. */
	void (*row)(struct browse_view *v, const struct row_place *p, struct view_row *row);
	enum view_enter (*enter)(struct browse_view *v, const struct row_place *p);
	/* Returns true if rows were not found in time: look for them again. NULL: never. */
	bool (*late)(struct browse_view *v);
	/* Appends the head above the rows. */
	void (*head)(struct browse_view *v, struct buf *out);
	void (*free)(struct browse_view *v);
};

struct browse_view {
	const struct view_ops *ops;
};

static inline bool view_is_late(struct browse_view *v)
{
	return v->ops->late && v->ops->late(v);
}

static inline void view_free(struct browse_view *v)
{
	if (v)
		v->ops->free(v);
}

/* --- a view of ready lines: info, log, details, help, timeline */

struct lines_view;
/* Borrows @head, the text above the lines. */
struct lines_view *lines_view_new(const char *head);
struct browse_view *lines_view(struct lines_view *l);
void lines_view_clear(struct lines_view *l);
size_t lines_view_count(const struct lines_view *l);
/* Adds a line. Enter goes to the time @ts, unless that is VIEW_NO_TIME. */
void lines_view_add(struct lines_view *l, const char *text, size_t len, uint64_t ts,
		    enum grid_attr attr);
/* Adds all lines of a text. */
void lines_view_add_text(struct lines_view *l, const char *text, size_t len);

/*
 * Replaces the lines of @l by the details of the record at @p: fields with types and values, bytes,
 * stack. Returns false if there is no record.
 */
bool details_fill(struct lines_view *l, struct text_rows *r, const struct row_place *p);

/* --- the view of records, in the lines of ftr report */

/* The view owns @rows. */
struct browse_view *events_view_new(struct text_rows *rows);
/* Replaces the rows, with another filter or other columns. The view owns them. */
void events_view_set(struct browse_view *v, struct text_rows *rows);
struct text_rows *events_view_rows(struct browse_view *v);
/* Returns the row at or after a place, borrowed as slices are; NULL if there is none. */
const struct text_row *events_view_row(struct browse_view *v, const struct row_place *p);

/*
 * --- the view of calls, in the lines of ftr graph. It shows a window of them, and a job makes the
 * next window that it needs.
 */

struct browse_view *graph_view_new(void);
/*
 * Sets the task whose calls are shown at a time; @pid -1: any task. If that task is in no call
 * then, its next call is shown if @next_too, else that of any task.
 */
void graph_view_set_task(struct browse_view *v, uint32_t file, int32_t pid, bool next_too);
/*
 * Returns the goal of the next job, or NULL if the view wants nothing. *is_near is true if the view
 * has the place already, and only wants more rows around it.
 */
const struct calls_goal *graph_view_wants(struct browse_view *v, const struct row_place *cursor,
					  bool *is_near);
/* Takes the window of a work that has ended. Sets the place of the work's goal. */
void graph_view_set_window(struct browse_view *v, struct calls_work *w, struct row_place *at);
/* Shows a text, which it borrows, instead of rows. @none: there never will be any rows. */
void graph_view_show_text(struct browse_view *v, const char *text, bool none);

/*
 * Returns the block of a place, borrowed until the next window is taken, and its row. NULL: the row
 * belongs to no call.
 */
const struct calls_block *graph_view_block(struct browse_view *v, const struct row_place *p,
					   uint32_t *row);
/* Folds or unfolds the call. Returns false if it has nothing inside. */
bool graph_view_fold(struct browse_view *v, const struct row_place *p);
/* Folds all calls, also those of later windows, or unfolds all. */
void graph_view_fold_all(struct browse_view *v, struct row_place *cursor);
/* Go to another row of the block, and unfold calls around it. Return false if there is none. */
bool graph_view_caller(struct browse_view *v, struct row_place *p);
bool graph_view_longest(struct browse_view *v, struct row_place *p);
/* From the start of a call to its end, or back. */
bool graph_view_other_end(struct browse_view *v, struct row_place *p);

#endif
