/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A pane whose rows take longer than a drawing may shows in the end what it shows of quick ones. */
#include "base/mem.h"
#include "browse/pane.h"

#include "tap.h"

#define NR_ROWS 200
#define LINES	20		/* of rows, below the head */

static bool known[NR_ROWS];	/* has been read */
static int budget;		/* how many more may be read */
static bool late;

static bool row_read(uint64_t n, struct row_place *p)
{
	if (n >= NR_ROWS)
		return false;
	if (!known[n] && !budget) {
		late = true;
		return false;
	}
	budget -= !known[n];
	known[n] = true;
	*p = (struct row_place){ .ts = n };
	return true;
}

static bool slow_at(struct browse_view *v, uint64_t ts, struct row_place *p)
{
	(void)v;
	return row_read(ts, p);
}

static bool slow_find(struct browse_view *v, struct row_place *p)
{
	(void)v;
	return row_read(p->ts, p);
}

static bool slow_next(struct browse_view *v, struct row_place *p)
{
	(void)v;
	return row_read(p->ts + 1, p);
}

static bool slow_prev(struct browse_view *v, struct row_place *p)
{
	(void)v;
	return row_read(p->ts - 1, p);
}

static uint64_t slow_time(struct browse_view *v, const struct row_place *p)
{
	(void)v;
	return p->ts;
}

static void slow_row(struct browse_view *v, const struct row_place *p, struct view_row *row)
{
	(void)v;
	buf_printf(&row->text, "row %u", (unsigned)p->ts);
}

static bool slow_late(struct browse_view *v)
{
	(void)v;
	return late;
}

static void slow_head(struct browse_view *v, struct buf *out)
{
	(void)v;
	buf_addstr(out, "rows");
}

static const struct view_ops slow_ops = {
	.at = slow_at, .find = slow_find, .next = slow_next, .prev = slow_prev, .time = slow_time,
	.row = slow_row, .late = slow_late, .head = slow_head,
};

static struct browse_view view = { &slow_ops };

static char no_letter(void *ctx, uint64_t ts)
{
	(void)ctx;
	(void)ts;
	return ' ';
}

static void no_head(void *ctx, const struct browse_pane *p, struct buf *out)
{
	(void)ctx;
	(void)p;
	(void)out;
}

static const struct pane_marks marks = { .letter = no_letter, .add_head = no_head, .column = -1 };

static void pane_show(struct browse_pane *p, struct cell_grid *g)
{
	grid_clear(g);
	pane_draw(p, g, 0, g->h, true, &marks);
}

/* As browse does until nothing is late: so many rows may be read for each drawing. */
static int pane_look_on(struct browse_pane *p, struct cell_grid *g, int rows)
{
	int n = 0;

	do {
		late = false;
		budget = rows;
		if (!p->any || p->is_cut)
			pane_refresh(p);
		pane_show(p, g);
	} while (late && ++n < NR_ROWS);
	return n;
}

/* To row @from, then by @move rows or to row @to. Then all is forgotten, and read @rows at once. */
struct pane_motion { int from, move, to; const char *name; };

static void pane_walk(const struct pane_motion *w, int rows, struct cell_grid *g, struct buf *shown)
{
	struct browse_pane p = { .view = &view };

	late = false;
	budget = NR_ROWS;
	pane_go(&p, w->from);
	pane_show(&p, g);
	if (w->move)
		pane_move(&p, w->move);
	else
		pane_go(&p, w->to);
	memset(known, 0, sizeof(known));
	pane_look_on(&p, g, rows);
	grid_dump(g, shown);
	memset(known, 0, sizeof(known));
}

static void test_slow_rows(void)
{
	static const struct pane_motion motions[] = {
		{ 100, 0, 50, "a jump" },
		{ 100, 0, 3, "a jump to the begin" },
		{ 100, 0, NR_ROWS - 3, "a jump to the end" },
		{ 100, 15, 0, "down, out of sight" },
		{ 100, -15, 0, "up, out of sight" },
		{ 100, 5, 0, "down, in sight" },
		{ NR_ROWS - 12, 11, 0, "down to the end" },
		{ 12, -12, 0, "up to the begin" },
	};
	struct cell_grid g;
	int rows;

	grid_init(&g, 20, LINES + 1, false);
	for (size_t i = 0; i < sizeof(motions) / sizeof(*motions); i++) {
		struct buf quick = {0}, slow = {0};

		pane_walk(&motions[i], NR_ROWS, &g, &quick);
		for (rows = 1; rows < 2 * LINES; rows++) {
			buf_reset(&slow);
			pane_walk(&motions[i], rows, &g, &slow);
			if (strcmp(quick.data, slow.data))
				break;
		}
		TAP_EQ(rows, 2 * LINES, motions[i].name);
		if (rows < 2 * LINES)
			printf("# quick:\n%s\n# slow:\n%s\n", quick.data, slow.data);
		buf_release(&quick);
		buf_release(&slow);
	}
	grid_release(&g);
}

int main(void)
{
	test_slow_rows();
	return tap_done();
}
