/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A part of the screen with the rows of a view around one that is selected. */
#ifndef FTR_BROWSE_PANE_H
#define FTR_BROWSE_PANE_H

#include "browse/view.h"

#define PANE_PINNED 2

struct pane {
	struct view *view;
	struct place cursor, top;	/* the selected row and the first that is shown */
	bool   any;			/* there is a row */
	bool   is_cut;			/* rows above it take longer: go there again */
	bool   wrap;			/* long rows go on in the next line */
	size_t skip;			/* columns that are scrolled out to the left */
	/* of the last drawing: rows that scroll, and above them those that stay */
	int    rows;
	struct place pinned[PANE_PINNED];
	int    nr_pinned;
};

/* What is drawn into a pane beside its rows. */
struct pane_marks {
	const char *found;		/* a text to be shown where it stands, or NULL */
	bool exact;
	/* how the character at a place looks, which is a column wide; NULL: as its row does */
	enum grid_attr (*look)(const char *text);
	size_t look_from, look_to;	/* columns of lines that do not begin with # */
	int column;			/* of lines that do not begin with #; -1: none */
	/*
	 * Which rows, @most at most, stay above the others when @top is the first of these. Returns
	 * how many. NULL: none does.
	 */
	int (*pinned)(void *ctx, const struct place *top, struct place *rows, int most);
	/* rows whose first columns are marked; NULL: none */
	bool (*is_marked)(void *ctx, const struct place *at);
	size_t label;			/* how many columns these are */
	/* the letter in front of a row at this time, or a blank */
	char (*letter)(void *ctx, uint64_t ts);
	/* appends to what stands above the rows, when it is known which these are */
	void (*add_head)(void *ctx, const struct pane *p, struct buf *out);
	void *ctx;
};

/* Another view, at a time, or at the first row of what has no times. */
void pane_set(struct pane *p, struct view *view, uint64_t ts);
/* The view has other rows: the nearest row to the one that was selected is. */
void pane_refresh(struct pane *p);
/* To the first row not before a time; it comes to the middle of the pane. */
void pane_go(struct pane *p, uint64_t ts);
void pane_go_to_place(struct pane *p, const struct place *at);
/* So many rows down, or up below 0. False: it was at the end. */
bool pane_move(struct pane *p, int rows);
/* VIEW_NO_TIME: the selected row has none. */
uint64_t pane_time(const struct pane *p);
/* Draws rows @y to before @end, the first of them with what the view says of itself. */
void pane_draw(struct pane *p, struct grid *g, int y, int end, bool active,
	       const struct pane_marks *marks);

#endif
