/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keys as numbers, and scripts of them. */
#ifndef FTR_BROWSE_SCREEN_KEY_NAMES_H
#define FTR_BROWSE_SCREEN_KEY_NAMES_H

#include "base/err.h"

struct buf;

/*
 * A key is the code point of its character, or one of these. Enter, tab, escape and backspace are
 * never characters; other control characters (1 is Ctrl-A) are.
 */
#define KEY_NAMED 0x110000
#define KEY_CTRL_C ('C' & 0x1f)

enum tui_key {
	TUI_UP = KEY_NAMED, TUI_DOWN, TUI_LEFT, TUI_RIGHT, TUI_PGUP, TUI_PGDN, TUI_HOME, TUI_END,
	TUI_ENTER, TUI_TAB, TUI_BACKTAB, TUI_ESC, TUI_BACKSPACE, TUI_DELETE, TUI_F1,
	TUI_RESIZE,		/* the terminal's size has changed */
	TUI_SUSPEND,		/* Ctrl-Z */
	TUI_GONE,		/* the terminal is gone; no further keys */
	TUI_KEYS_END
};

/* Returns the key of a terminal's character: \n and \r are TUI_ENTER. */
int key_of_char(int c);
/*
 * Appends a key in the form of scripts: "a", "<up>", "<space>", "<ctrl-l>"; "<?>" if it is no key.
 */
void key_add_name(int key, struct buf *out);

#define KEY_SCREEN_NAME_MAX 64
#define KEY_SIZE_MAX 1000

enum key_step_kind { KEY_STEP_KEY, KEY_STEP_WAIT, KEY_STEP_SCREEN, KEY_STEP_SIZE };

struct key_step {
	enum key_step_kind kind;
	int  key;				/* KEY_STEP_KEY */
	char name[KEY_SCREEN_NAME_MAX + 1];	/* KEY_STEP_SCREEN: letters, digits, '-', '_' */
	int  w, h;				/* KEY_STEP_SIZE: 1 to KEY_SIZE_MAX */
};

/*
 * Parses the next step of a script in UTF-8 and moves *@p after it: a character, a key by its name
 * like <up>, <wait>, <screen NAME>, <size WxH>. Newlines and blanks before newlines are ignored.
 * Returns 1: a step; 0: the end; -1 with @err (FTR_USAGE), and *@p is at the error.
 */
int key_script_next(const char **p, struct key_step *step, struct ftr_error *err);

#endif
