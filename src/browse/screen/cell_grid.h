/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An array of cells. All drawing goes to it; a terminal shows it, and tests print it. */
#ifndef FTR_BROWSE_SCREEN_CELL_GRID_H
#define FTR_BROWSE_SCREEN_CELL_GRID_H

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

/* The look of an attribute. All attributes differ, also without colours. */
enum { GRID_BOLD = 1, GRID_FAINT = 2, GRID_UNDERLINE = 4, GRID_REVERSE = 8 };

/* Colours by their number in terminals; -1 is the terminal's default. */
struct grid_pair { int16_t fg, bg; };

struct grid_look {
	char		 letter;		/* in grid_dump() */
	uint8_t		 mono, coloured;	/* GRID_BOLD etc., without and with colours */
	struct grid_pair dark, light;	/* with 256 colours, for dark and light background */
	struct grid_pair few;			/* with 8 colours */
};

extern const struct grid_look grid_looks[GRID_ATTRS];

/*
 * ch[0] is the character; 0 in the right half of a wide character, which is in the cell before.
 * ch[1] and ch[2] are combining characters, or 0.
 */
struct grid_cell {
	wchar_t ch[3];
	uint8_t attr;
};

#define GRID_SIDE_MAX 2000

struct cell_grid {
	int w, h;
	struct grid_cell *cells;		/* h rows of w */
	int cursor_x, cursor_y;	/* the terminal's cursor; outside of the grid it is hidden */
	bool ascii;			/* nothing beyond ASCII gets into cells */
};

/*
 * grid_init() makes a grid of blanks. grid_resize() clamps sides to 0..GRID_SIDE_MAX and clears.
 * grid_clear() sets all cells to plain blanks and hides the cursor.
 */
void grid_init(struct cell_grid *g, int w, int h, bool ascii);
void grid_resize(struct cell_grid *g, int w, int h);
void grid_release(struct cell_grid *g);
void grid_clear(struct cell_grid *g);

/*
 * All functions below accept any rows and columns, and clip to the grid. A wide character that is
 * partly overwritten becomes a blank.
 *
 * Puts @len bytes of @text at columns [@x, @end) and returns the column after it. wcwidth() gives
 * the width of characters, in the locale that the caller has set. Bytes become \xNN if wcwidth()
 * does not know the character, if they are no UTF-8, or if a terminal would act on them (tabs,
 * too). A wide character cut by an edge becomes a blank. At most two combining characters join the
 * one before; at the start of @text they join a blank.
 */
int grid_print(struct cell_grid *g, int y, int x, int end, const char *text, size_t len,
	       enum grid_attr attr);
/* The same without the first @skip columns of the text, for scrolling. */
int grid_print_from(struct cell_grid *g, int y, int x, int end, const char *text, size_t len,
		    size_t skip, enum grid_attr attr);
/* Returns the number of columns that grid_print() needs for the whole text. */
size_t grid_text_width(const char *text, size_t len, bool ascii);
/* Puts blanks at columns [@x, @end). */
void grid_fill(struct cell_grid *g, int y, int x, int end, enum grid_attr attr);
/* Changes the attribute of cells [@x, @end). A wide character has that of its left half. */
void grid_set_attr(struct cell_grid *g, int y, int x, int end, enum grid_attr attr);

/*
 * Appends the rows as lines of UTF-8 without trailing blanks, then an empty line, then for each row
 * a line with the letter of each cell's attribute, without trailing plain ones.
 */
void grid_dump(const struct cell_grid *g, struct buf *out);
/* Appends a character as UTF-8. @c must be no surrogate, and at most U+10FFFF. */
void grid_add_utf8(struct buf *out, uint32_t c);

#endif
