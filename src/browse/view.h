/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is shown in a pane: rows, each at a place, most of them at a time. All that moves, searches,
 * marks and splits knows views by this table alone.
 */
#ifndef FTR_BROWSE_VIEW_H
#define FTR_BROWSE_VIEW_H

#include "base/mem.h"
#include "browse/screen/cell_grid.h"
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

#endif
