/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The grid of cells: clips, measures characters, and escapes bytes that a terminal would act on. */
#include "browse/screen/cell_grid.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/text.h"

#define ESCAPE_WIDTH 4			/* \xNN */

/*
 * Blue, orange and white can be distinguished by users who see no red or no green. States of tasks
 * are bars of block elements, which would be holes if reversed: without colours they are not.
 */
const struct grid_look grid_looks[GRID_ATTRS] = {
#define B GRID_BOLD
#define F GRID_FAINT
#define U GRID_UNDERLINE
#define R GRID_REVERSE
/*			letter	mono	     coloured	dark	      light	    8 colours */
	[GRID_PLAIN]	= { '.', 0,	     0,		{ -1, -1 },   { -1, -1 },   { -1, -1 } },
	[GRID_HEAD]	= { 'h', B | U,	     B,		{ 231, 24 },  { 231, 25 },  { 7, 4 } },
	[GRID_SELECTED]	= { 's', R,	     0,		{ 231, 31 },  { 16, 153 },  { 0, 7 } },
	[GRID_DIM]	= { 'd', F,	     0,		{ 246, -1 },  { 242, -1 },  { 6, -1 } },
	[GRID_MARK]	= { 'm', R | F | U,  B,		{ 215, -1 },  { 130, -1 },  { 3, -1 } },
	[GRID_FOUND]	= { 'f', R | U,	     0,		{ 16, 215 },  { 16, 215 },  { 0, 3 } },
	[GRID_LOSS]	= { 'l', R | B | U,  B,		{ 208, 236 }, { 130, 230 }, { 3, 4 } },
	[GRID_ERROR]	= { 'e', R | B,	     B,		{ 231, 130 }, { 231, 130 }, { 7, 3 } },
	[GRID_STATUS]	= { 'S', R | F,	     0,		{ 254, 238 }, { 235, 252 }, { 0, 6 } },
	[GRID_BUSY]	= { 'b', B,	     0,		{ 39, -1 },   { 26, -1 },   { 4, -1 } },
	[GRID_WAIT]	= { 'w', U,	     0,		{ 208, -1 },  { 166, -1 },  { 3, -1 } },
	[GRID_SLEEP]	= { 'z', F | U,	     0,		{ 253, -1 },  { 248, -1 },  { 7, -1 } },
	[GRID_TASK]	= { 't', B | F,	     B,		{ 117, -1 },  { 25, -1 },   { 6, -1 } },
#undef B
#undef F
#undef U
#undef R
};

/* The characters beyond ASCII that ftr itself draws, and their replacements in ASCII. */
static const struct { uint32_t c; char ascii; } replacements[] = {
	{ 0x2502, '|' }, { 0x2500, '-' },			/* lines */
	{ 0x2581, '.' }, { 0x2582, ':' }, { 0x2583, '-' },	/* blocks of one to eight eighths */
	{ 0x2584, '=' }, { 0x2585, '+' }, { 0x2586, '*' },
	{ 0x2587, '%' }, { 0x2588, '#' },
	{ 0x2026, '.' },					/* an ellipsis */
	{ 0x25b8, '>' }, { 0x25be, 'v' },			/* folded, unfolded */
};

static int clamp_side(int n)
{
	return n < 0 ? 0 : n < GRID_SIDE_MAX ? n : GRID_SIDE_MAX;
}

void grid_init(struct cell_grid *g, int w, int h, bool ascii)
{
	*g = (struct cell_grid){ .ascii = ascii };
	grid_resize(g, w, h);
}

void grid_resize(struct cell_grid *g, int w, int h)
{
	free(g->cells);
	g->w = clamp_side(w);
	g->h = clamp_side(h);
	g->cells = g->w && g->h ? xcalloc((size_t)g->w * g->h, sizeof(*g->cells)) : NULL;
	grid_clear(g);
}

void grid_release(struct cell_grid *g)
{
	if (!g)
		return;
	free(g->cells);
	g->cells = NULL;
	g->w = g->h = 0;
}

void grid_clear(struct cell_grid *g)
{
	for (size_t i = 0; i < (size_t)g->w * g->h; i++)
		g->cells[i] = (struct grid_cell){ .ch = { ' ' } };
	g->cursor_x = g->cursor_y = -1;
}

/* Returns NULL outside of the grid. */
static struct grid_cell *cell_at(const struct cell_grid *g, int y, int x)
{
	return y >= 0 && y < g->h && x >= 0 && x < g->w ? &g->cells[(size_t)y * g->w + x] : NULL;
}

static bool is_right_half(const struct grid_cell *c)
{
	return c && !c->ch[0];
}

static void cell_set_text(struct grid_cell *c, wchar_t ch)
{
	c->ch[0] = ch;
	c->ch[1] = c->ch[2] = 0;
}

/* A wide character that loses one of its cells leaves a blank in the other one. */
static void cell_write(struct cell_grid *g, int y, int x, wchar_t ch, enum grid_attr attr)
{
	struct grid_cell *c = cell_at(g, y, x), *right = cell_at(g, y, x + 1);

	if (!c)
		return;
	if (is_right_half(c))
		cell_set_text(c - 1, ' ');
	if (is_right_half(right))
		cell_set_text(right, ' ');
	cell_set_text(c, ch);
	c->attr = attr < GRID_ATTRS ? attr : GRID_PLAIN;
}

/* A character of text: its bytes and columns. An escaped one is a single byte, shown as \xNN. */
struct text_glyph {
	size_t	 len;
	uint32_t c;
	int	 width;
	bool	 escaped;
};

/* Reads a character beyond ASCII. Returns false if it must be escaped. */
static bool glyph_read_wide(struct text_glyph *gl, const char *s, size_t n, bool ascii)
{
	gl->len = text_utf8(s, n, &gl->c);
	if (!gl->len || text_acts(gl->c))
		return false;
	if (!ascii) {
		gl->width = wcwidth(gl->c);
		return gl->width >= 0 && gl->width <= 2;
	}
	for (size_t i = 0; i < sizeof(replacements) / sizeof(*replacements); i++)
		if (replacements[i].c == gl->c) {
			gl->c = replacements[i].ascii;
			return true;
		}
	return false;
}

static struct text_glyph glyph_read(const char *s, size_t n, bool ascii)
{
	unsigned char byte = *s;
	struct text_glyph gl = { .len = 1, .c = byte, .width = 1 };

	if (byte < 0x80 ? byte >= ' ' && byte != 0x7f : glyph_read_wide(&gl, s, n, ascii))
		return gl;
	return (struct text_glyph){ .len = 1, .c = byte, .width = ESCAPE_WIDTH, .escaped = true };
}

/* The position at which text continues. Columns from @left to before @end are drawn. */
struct grid_pen {
	struct cell_grid *g;
	int	y, left, end;
	int64_t at;			/* column; before @left while text is skipped */
	int	base;			/* column that combining characters join; -1: not shown */
	enum grid_attr attr;
};

static void pen_char(struct grid_pen *p, uint32_t c, int width)
{
	int64_t from = p->at > p->left ? p->at : p->left, to = p->at + width;

	if (p->at < p->left || to > p->end) {
		/* an edge cuts the character: blanks take its place */
		for (; from < to && from < p->end; from++)
			cell_write(p->g, p->y, from, ' ', p->attr);
		p->base = -1;
	} else {
		cell_write(p->g, p->y, p->at, c, p->attr);
		if (width == 2)
			cell_write(p->g, p->y, p->at + 1, 0, p->attr);
		p->base = p->at;
	}
	p->at = to < p->end ? to : p->end;
}

static void pen_glyph(struct grid_pen *p, const struct text_glyph *gl, bool first)
{
	static const char hex[] = "0123456789abcdef";
	const char text[ESCAPE_WIDTH] = { '\\', 'x', hex[gl->c >> 4 & 15], hex[gl->c & 15] };
	struct grid_cell *base;

	if (gl->escaped) {
		for (size_t i = 0; i < sizeof(text) && p->at < p->end; i++)
			pen_char(p, (unsigned char)text[i], 1);
		return;
	}
	if (gl->width) {
		pen_char(p, gl->c, gl->width);
		return;
	}
	/* a combining character joins the one before; the first one of a text joins a blank */
	if (first && p->at < p->end)
		pen_char(p, ' ', 1);
	base = cell_at(p->g, p->y, p->base);
	if (base && !base->ch[1])
		base->ch[1] = gl->c;
	else if (base && !base->ch[2])
		base->ch[2] = gl->c;
}

int grid_print_from(struct cell_grid *g, int y, int x, int end, const char *text, size_t len,
		    size_t skip, enum grid_attr attr)
{
	int64_t hidden = skip < INT32_MAX ? skip : INT32_MAX;
	struct grid_pen p = { .g = g, .y = y, .left = x > 0 ? x : 0, .end = end < g->w ? end : g->w,
			 .at = x - hidden, .base = -1, .attr = attr };
	struct text_glyph gl;

	if (p.end <= x)
		return x;
	for (size_t i = 0; i < len; i += gl.len) {
		gl = glyph_read(text + i, len - i, g->ascii);
		if (p.at >= p.end && gl.width)
			break;
		pen_glyph(&p, &gl, !i);
	}
	return p.at > x ? p.at : x;
}

int grid_print(struct cell_grid *g, int y, int x, int end, const char *text, size_t len,
	       enum grid_attr attr)
{
	return grid_print_from(g, y, x, end, text, len, 0, attr);
}

size_t grid_text_width(const char *text, size_t len, bool ascii)
{
	size_t width = 0;
	struct text_glyph gl;

	for (size_t i = 0; i < len; i += gl.len) {
		gl = glyph_read(text + i, len - i, ascii);
		width += !i && !gl.width ? 1 : gl.width;
	}
	return width;
}

void grid_fill(struct cell_grid *g, int y, int x, int end, enum grid_attr attr)
{
	end = end < g->w ? end : g->w;
	for (x = x > 0 ? x : 0; x < end; x++)
		cell_write(g, y, x, ' ', attr);
}

void grid_set_attr(struct cell_grid *g, int y, int x, int end, enum grid_attr attr)
{
	struct grid_cell *c;

	end = end < g->w ? end : g->w;
	for (x = x > 0 ? x : 0; x < end; x++) {
		c = cell_at(g, y, x);
		if (c)
			c->attr = attr < GRID_ATTRS ? attr : GRID_PLAIN;
	}
}

void grid_add_utf8(struct buf *out, uint32_t c)
{
	static const uint8_t lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	int len = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4, shift = 6 * (len - 1);

	buf_addch(out, (char)(lead[len] | c >> shift));
	while (shift) {
		shift -= 6;
		buf_addch(out, (char)(0x80 | (c >> shift & 0x3f)));
	}
}

static void dump_cell_text(const struct grid_cell *c, struct buf *out)
{
	for (int i = 0; i < 3 && c->ch[i]; i++)
		grid_add_utf8(out, c->ch[i]);
}

static void dump_cell_attr(const struct grid_cell *c, struct buf *out)
{
	buf_addch(out, grid_looks[c->attr].letter);
}

static void dump_rows(const struct cell_grid *g, struct buf *out, char cut,
		      void (*dump)(const struct grid_cell *c, struct buf *out))
{
	size_t from;

	for (int y = 0; y < g->h; y++) {
		from = out->len;
		for (int x = 0; x < g->w; x++)
			dump(cell_at(g, y, x), out);
		while (out->len > from && out->data[out->len - 1] == cut)
			out->len--;
		buf_addch(out, '\n');
	}
}

void grid_dump(const struct cell_grid *g, struct buf *out)
{
	dump_rows(g, out, ' ', dump_cell_text);
	buf_addch(out, '\n');
	dump_rows(g, out, '.', dump_cell_attr);
}
