/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is shown in a pane: rows, each at a place, most of them at a time. All that moves, searches,
 * marks and splits knows views by this table alone.
 */
#ifndef FTR_BROWSE_VIEW_H
#define FTR_BROWSE_VIEW_H

#include "base/mem.h"
#include "browse/screen/cell_grid.h"
#include "browse/work/graph_window.h"
#include "output/rows/text_rows.h"

#define VIEW_NO_TIME UINT64_MAX

struct view;

/* What Enter does on a row. */
enum view_enter { VIEW_STAYS, VIEW_DETAILS, VIEW_GOES };

struct view_row {
	struct buf text;
	enum grid_attr attr;
};

struct view_ops {
	/* The first row not before @ts, else the last one; false: there are none. */
	bool (*at)(struct view *v, uint64_t ts, struct place *p);
	/* The row at @p, or the first one behind it; false: there is none. */
	bool (*find)(struct view *v, struct place *p);
	/* To the row behind or before; false, and @p as it was, where there is none. */
	bool (*next)(struct view *v, struct place *p);
	bool (*prev)(struct view *v, struct place *p);
	/* VIEW_NO_TIME of rows that have none. */
	uint64_t (*time)(struct view *v, const struct place *p);
	void (*row)(struct view *v, const struct place *p, struct view_row *row);
	enum view_enter (*enter)(struct view *v, const struct place *p);
	/* Were rows asked for that take longer? NULL: never. They are to be asked for again. */
	bool (*late)(struct view *v);
	/* What stands above the rows. */
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
/* @head, which stands above the lines, is borrowed. */
struct lines *lines_view_new(const char *head);
struct view *lines_view(struct lines *l);
void lines_view_clear(struct lines *l);
size_t lines_view_count(const struct lines *l);
/* A line; @ts is VIEW_NO_TIME, or where Enter goes. */
void lines_view_add(struct lines *l, const char *text, size_t len, uint64_t ts,
		    enum grid_attr attr);
/* All lines of a text. */
void lines_view_add_text(struct lines *l, const char *text, size_t len);

/* Fills @l, which is emptied first. False: there is no record at @p. */
bool details_fill(struct lines *l, struct rows *r, const struct place *p);

/* --- the view of records, in the lines of ftr report */

/* Takes @rows. */
struct view *events_view_new(struct rows *rows);
/* Other rows from now on, which it takes: another filter, other columns. */
void events_view_set(struct view *v, struct rows *rows);
struct rows *events_view_rows(struct view *v);
/* The row at or behind a place; NULL if there is none. Borrowed as slices are. */
const struct row *events_view_row(struct view *v, const struct place *p);

/*
 * --- the view of calls, in the lines of ftr graph. It shows a window of them, and a job makes the
 * next window that it needs.
 */

struct view *graph_view_new(void);
/*
 * Whose calls are gone to at a time; @pid -1: anybody's. Where that task is in none, its next one
 * is, if @next_too, else anybody's.
 */
void graph_view_set_task(struct view *v, uint32_t file, int32_t pid, bool next_too);
/*
 * What is to be made for it, or NULL. Where it has the place already @is_near is true: only the way
 * on from there is missing.
 */
const struct calls_goal *graph_view_wants(struct view *v, const struct place *cursor,
					  bool *is_near);
/* Takes the window of a work that has ended, and where it found its goal. */
void graph_view_take(struct view *v, struct calls_work *w, struct place *at);
/* There is nothing, @none: and never will be; why, in lines, borrowed. */
void graph_view_say(struct view *v, const char *text, bool none);

/* The row and its block, NULL: it is none of a call. Borrowed until the next window is taken. */
const struct calls_block *graph_view_block(struct view *v, const struct place *p, uint32_t *row);
/* Hides or shows what is inside of the call; false: nothing is. */
bool graph_view_fold(struct view *v, const struct place *p);
/* All calls, those to come too, or none. */
void graph_view_fold_all(struct view *v, struct place *cursor);
/* From a row to another one in its block; what hides it is unfolded. False: there is none. */
bool graph_view_caller(struct view *v, struct place *p);
bool graph_view_longest(struct view *v, struct place *p);
/* Where the call ends or, from there, begins. */
bool graph_view_other_end(struct view *v, struct place *p);

#endif
