/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The view of calls, in the lines of ftr graph. It shows a window of them; what it has not it
 * wants, and whoever has it made by a job hands it over.
 */
#ifndef FTR_BROWSE_VIEW_GRAPH_H
#define FTR_BROWSE_VIEW_GRAPH_H

#include "browse/work/graph_window.h"
#include "browse/view.h"

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
