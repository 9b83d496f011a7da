/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An array of cells that all drawing goes into: a terminal shows it, tests print it. */
#ifndef FTR_TUI_CELL_GRID_H
#define FTR_TUI_CELL_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

struct buf;

enum grid_attr {
	GRID_PLAIN, GRID_HEAD, GRID_SELECTED, GRID_DIM, GRID_MARK, GRID_FOUND, GRID_LOSS,
	GRID_ERROR, GRID_STATUS, GRID_BUSY, GRID_WAIT, GRID_SLEEP, GRID_TASK,
	GRID_ATTRS
};

/* How an attribute looks. Without colour no two look alike. */
enum { GRID_BOLD = 1, GRID_FAINT = 2, GRID_UNDERLINE = 4, GRID_REVERSE = 8 };

/* Colours by the numbers that terminals have for them; -1 is the terminal's own. */
struct grid_pair { int16_t fg, bg; };

struct grid_look {
	char		 letter;		/* in grid_dump() */
	uint8_t		 mono, coloured;	/* GRID_BOLD and others, without and with colours */
	struct grid_pair dark, light;		/* of 256 colours, by what the background is */
	struct grid_pair few;			/* of 8 */
};

extern const struct grid_look grid_looks[GRID_ATTRS];

/*
 * ch[0] is 0 in the right half of a wide character, whose left half is before it; ch[1] and ch[2]
 * are combining characters, 0 where there is none.
 */
struct cell {
	wchar_t ch[3];
	uint8_t attr;
};

#define GRID_SIDE_MAX 2000

struct grid {
	int w, h;
	struct cell *cells;		/* h rows of w */
	int cursor_x, cursor_y;		/* where the terminal's cursor is; outside: it is hidden */
	bool ascii;			/* nothing beyond ASCII gets into cells */
};

/*
 * grid_init() makes an empty one. grid_resize() takes sides of 0 to GRID_SIDE_MAX, others are
 * brought there, and clears; grid_clear() makes plain blanks of all cells and hides the cursor.
 */
void grid_init(struct grid *g, int w, int h, bool ascii);
void grid_resize(struct grid *g, int w, int h);
void grid_release(struct grid *g);
void grid_clear(struct grid *g);

/*
 * In all of these what is outside of the grid is not drawn, rows and columns of any number may be
 * given. A wide character that is overwritten in part leaves a blank.
 *
 * Puts @len bytes of @text from column @x on, up to before @end, and returns the column behind it.
 * Characters are as wide as wcwidth() says in the locale that the caller has set; what it does not
 * know, bytes that are no UTF-8 and what a terminal would act on (tabs, too) become \xNN, byte by
 * byte. A wide character that is cut by an edge leaves a blank. Combining characters join the one
 * before, at most two; at the beginning of @text they stand on a blank.
 */
int grid_put(struct grid *g, int y, int x, int end, const char *text, size_t len,
	     enum grid_attr attr);
/* The same without the first @skip columns of the text: scrolled to the left. */
int grid_put_from(struct grid *g, int y, int x, int end, const char *text, size_t len, size_t skip,
		  enum grid_attr attr);
/* The columns that grid_put() needs for all of it. */
size_t grid_text_width(const char *text, size_t len, bool ascii);
/* Blanks from @x to before @end. */
void grid_fill(struct grid *g, int y, int x, int end, enum grid_attr attr);
/* Another look for what is there; a wide character has that of its left half. */
void grid_set_attr(struct grid *g, int y, int x, int end, enum grid_attr attr);

/*
 * Appends the rows as lines of UTF-8 without blanks at their ends, an empty line, and again a line
 * for each row: the letter of each cell's attribute, plain ones at the end left out.
 */
void grid_dump(const struct grid *g, struct buf *out);
/* Appends a character as UTF-8; no surrogate, at most U+10FFFF. */
void grid_add_utf8(struct buf *out, uint32_t c);

#endif
