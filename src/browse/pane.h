/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A part of the screen with the rows of a view around the selected one. */
#ifndef FTR_BROWSE_PANE_H
#define FTR_BROWSE_PANE_H

#include "browse/view.h"

#define PANE_PINNED 2

struct browse_pane {
	struct browse_view *view;
	struct row_place cursor, top;	/* the selected row and the first row shown */
	bool   any;			/* there is a row */
	bool   is_cut;			/* rows above ->top are late: they have to be found again */
	bool   wrap;			/* long rows continue in the next line */
	size_t skip;			/* columns scrolled out to the left */
	/* set by pane_draw(): number of rows that scroll, and the pinned ones above them */
	int    rows;
	struct row_place pinned[PANE_PINNED];
	int    nr_pinned;
};

/* Marks that are drawn into a pane besides its rows. */
struct pane_marks {
	const char *found;		/* a text that is marked where it occurs, or NULL */
	bool exact;			/* ->found is case-sensitive */
	/* returns the attribute of a character one column wide; NULL: that of the row */
	enum grid_attr (*look)(const char *text);
	size_t look_from, look_to;	/* columns for ->look, in lines without a # at the start */
	int column;			/* a marked column of these lines, or -1 */
	/*
	 * Sets at most @most rows that are pinned above the others if @top is the first of those.
	 * Returns their number. NULL: none.
	 */
	int (*pinned)(void *ctx, const struct row_place *top, struct row_place *rows, int most);
	/* returns true for rows whose label is marked; NULL: none */
	bool (*is_marked)(void *ctx, const struct row_place *at);
	size_t label;			/* columns of the label */
	/* returns the letter of the mark at this time, or a blank */
	char (*letter)(void *ctx, uint64_t ts);
	/* appends to the head above the rows, when ->rows and ->pinned of the pane are set */
	void (*add_head)(void *ctx, const struct browse_pane *p, struct buf *out);
	void *ctx;
};

/* Shows another view, at a time, or at the first row if @ts is VIEW_NO_TIME. */
void pane_set(struct browse_pane *p, struct browse_view *view, uint64_t ts);
/* Selects the row nearest to the selected one, after the rows of the view have changed. */
void pane_refresh(struct browse_pane *p);
/* Goes to the first row not before a time, and scrolls it to the middle of the pane. */
void pane_go(struct browse_pane *p, uint64_t ts);
void pane_go_to_place(struct browse_pane *p, const struct row_place *at);
/* Moves @rows rows down, or up if negative. Returns false if there was no row to move to. */
bool pane_move(struct browse_pane *p, int rows);
/* Returns the time of the selected row, VIEW_NO_TIME if it has none. */
uint64_t pane_time(const struct browse_pane *p);
/* Draws the pane in lines @y to before @end; the first line is the head. */
void pane_draw(struct browse_pane *p, struct cell_grid *g, int y, int end, bool active,
	       const struct pane_marks *marks);

#endif
