/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A line that is typed. */
#include "browse/prompt.h"

#include <string.h>

#include "browse/screen/key_names.h"

#define PROMPT_MAX 4096		/* bytes, as of a filter */

void prompt_open(struct prompt *p, const char *label, const char *text)
{
	buf_reset(&p->text);
	buf_addstr(&p->text, text);
	p->label = label;
	p->at = p->text.len;
}

void prompt_release(struct prompt *p)
{
	buf_release(&p->text);
}

/* The begin of the character before, or of the one behind, a place. */
static size_t char_before(const struct buf *b, size_t at)
{
	while (at && ((uint8_t)b->data[--at] & 0xc0) == 0x80)
		;
	return at;
}

static size_t char_behind(const struct buf *b, size_t at)
{
	if (at < b->len)
		at++;
	while (at < b->len && ((uint8_t)b->data[at] & 0xc0) == 0x80)
		at++;
	return at;
}

static void cut(struct prompt *p, size_t from, size_t to)
{
	memmove(p->text.data + from, p->text.data + to, p->text.len - to + 1);
	p->text.len -= to - from;
	p->at = from;
}

static void type_char(struct prompt *p, int c)
{
	struct buf one = {0};
	char *at;

	grid_add_utf8(&one, c);
	if (p->text.len + one.len <= PROMPT_MAX) {
		buf_reserve(&p->text, one.len);
		at = p->text.data + p->at;
		memmove(at + one.len, at, p->text.len - p->at + 1);
		memcpy(at, one.data, one.len);
		p->text.len += one.len;
		p->at += one.len;
	}
	buf_release(&one);
}

static void erase(struct prompt *p)
{
	if (p->at)
		cut(p, char_before(&p->text, p->at), p->at);
}

enum prompt_end prompt_key(struct prompt *p, int key)
{
	switch (key) {
	case TUI_ENTER:
		return PROMPT_DONE;
	case TUI_ESC:
		return PROMPT_GIVEN_UP;
	case TUI_BACKSPACE:
		if (!p->text.len)
			return PROMPT_GIVEN_UP;
		erase(p);
		break;
	case TUI_DELETE:
		cut(p, p->at, char_behind(&p->text, p->at));
		break;
	case TUI_LEFT:
		p->at = char_before(&p->text, p->at);
		break;
	case TUI_RIGHT:
		p->at = char_behind(&p->text, p->at);
		break;
	case TUI_HOME:
		p->at = 0;
		break;
	case TUI_END:
		p->at = p->text.len;
		break;
	default:
		if (key >= ' ' && key < KEY_NAMED && key != 0x7f)
			type_char(p, key);
	}
	return PROMPT_TYPING;
}

void prompt_draw(const struct prompt *p, struct grid *g, int y)
{
	int x, room;
	size_t before = grid_text_width(p->text.data, p->at, g->ascii);

	grid_fill(g, y, 0, g->w, GRID_PLAIN);
	x = grid_put(g, y, 0, g->w, p->label, strlen(p->label), GRID_HEAD);
	room = g->w - x - 1 > 1 ? g->w - x - 1 : 1;
	grid_put_from(g, y, x, g->w, p->text.data, p->text.len,
		      before > (size_t)room ? before - room : 0, GRID_PLAIN);
	g->cursor_x = x + (before > (size_t)room ? (size_t)room : before);
	g->cursor_y = y;
}
