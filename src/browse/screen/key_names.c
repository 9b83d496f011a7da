/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of keys, and the parser of scripts. */
#include "browse/screen/key_names.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "browse/screen/cell_grid.h"

#define WORD_MAX 80			/* within angle brackets */

static const struct key_name { int key; const char *name; } key_names[] = {
	{ TUI_UP, "up" },	  { TUI_DOWN, "down" },	    { TUI_LEFT, "left" },
	{ TUI_RIGHT, "right" },	  { TUI_PGUP, "pgup" },	    { TUI_PGDN, "pgdn" },
	{ TUI_HOME, "home" },	  { TUI_END, "end" },	    { TUI_ENTER, "enter" },
	{ TUI_TAB, "tab" },	  { TUI_BACKTAB, "backtab" }, { TUI_ESC, "esc" },
	{ TUI_BACKSPACE, "backspace" }, { TUI_DELETE, "delete" }, { TUI_F1, "f1" },
	{ TUI_RESIZE, "resize" }, { TUI_SUSPEND, "suspend" }, { TUI_GONE, "gone" },
	{ ' ', "space" },	  { '<', "lt" },
};

#define KEY_NAMES (sizeof(key_names) / sizeof(*key_names))

/* Characters that terminals send for named keys. */
static const struct { char c; int key; } named_chars[] = {
	{ '\n', TUI_ENTER }, { '\r', TUI_ENTER }, { '\t', TUI_TAB }, { '\x1b', TUI_ESC },
	{ '\b', TUI_BACKSPACE }, { '\x7f', TUI_BACKSPACE }, { 'Z' & 0x1f, TUI_SUSPEND },
};

int key_of_char(int c)
{
	for (size_t i = 0; i < sizeof(named_chars) / sizeof(*named_chars); i++)
		if (named_chars[i].c == c)
			return named_chars[i].key;
	return c;
}

/* Returns true for a character that scripts contain as it is. */
static bool is_shown(int key)
{
	return key >= ' ' && key != 0x7f && key < KEY_NAMED && !(key >= 0xd800 && key <= 0xdfff);
}

void key_add_name(int key, struct buf *out)
{
	for (size_t i = 0; i < KEY_NAMES; i++) {
		if (key_names[i].key == key) {
			buf_printf(out, "<%s>", key_names[i].name);
			return;
		}
	}
	if (key >= 1 && key <= 26 && key_of_char(key) == key)
		buf_printf(out, "<ctrl-%c>", 'a' + key - 1);
	else if (is_shown(key))
		grid_add_utf8(out, key);
	else
		buf_addstr(out, "<?>");
}

static void step_set_key(struct key_step *step, int key)
{
	step->kind = KEY_STEP_KEY;
	step->key = key;
}

static int step_parse_wait(const char *rest, struct key_step *step, struct ftr_error *err)
{
	step->kind = KEY_STEP_WAIT;
	if (!*rest)
		return 1;
	err_set(err, FTR_USAGE, "a script has '<wait %s>'", rest);
	return err_hint(err, "it is <wait> alone");
}

#define SCREEN_NAME "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"

static int step_parse_screen(const char *rest, struct key_step *step, struct ftr_error *err)
{
	size_t n = strlen(rest);

	step->kind = KEY_STEP_SCREEN;
	if (n && n <= KEY_SCREEN_NAME_MAX && !rest[strspn(rest, SCREEN_NAME)]) {
		memcpy(step->name, rest, n + 1);
		return 1;
	}
	err_set(err, FTR_USAGE, "a script has '<screen %s>', which names no screen", rest);
	return err_hint(err, "a name has letters, digits, '-' and '_', at most %d of them",
			KEY_SCREEN_NAME_MAX);
}

/* Parses a number of 1 to KEY_SIZE_MAX and moves *p after its digits. Returns 0 if it is none. */
static int parse_side(const char **p)
{
	int n = 0;

	while (isdigit((unsigned char)**p) && n <= KEY_SIZE_MAX)
		n = 10 * n + *(*p)++ - '0';
	return n <= KEY_SIZE_MAX ? n : 0;
}

static int step_parse_size(const char *rest, struct key_step *step, struct ftr_error *err)
{
	const char *p = rest;

	step->kind = KEY_STEP_SIZE;
	step->w = parse_side(&p);
	step->h = *p == 'x' ? p++, parse_side(&p) : 0;
	if (step->w && step->h && !*p)
		return 1;
	err_set(err, FTR_USAGE, "a script has '<size %s>', which is not a size", rest);
	return err_hint(err, "<size 80x24> is 80 columns and 24 rows; both are 1 to %d",
			KEY_SIZE_MAX);
}

static const struct {
	const char *name;
	int (*parse)(const char *rest, struct key_step *step, struct ftr_error *err);
} directives[] = {
	{ "wait", step_parse_wait }, { "screen", step_parse_screen }, { "size", step_parse_size },
};

#define DIRECTIVES (sizeof(directives) / sizeof(*directives))

static int refuse_word(const char *word, struct ftr_error *err)
{
	char *names[KEY_NAMES + DIRECTIVES + 1] = {0};
	const char *near;
	size_t i;

	for (i = 0; i < KEY_NAMES; i++)
		names[i] = (char *)key_names[i].name;
	for (i = 0; i < DIRECTIVES; i++)
		names[KEY_NAMES + i] = (char *)directives[i].name;
	near = text_closest(word, names);
	err_set(err, FTR_USAGE, "a script has '<%s>', which is not a key", word);
	if (near)
		return err_hint(err, "did you mean '<%s>'?", near);
	return err_hint(err, "the character < is <lt>; keys are <up>, <enter>, <ctrl-l>, ...");
}

/* Parses the word in angle brackets: a directive with its argument after a blank, or a key. */
static int step_parse_word(char *word, struct key_step *step, struct ftr_error *err)
{
	size_t n = strcspn(word, " "), i;

	for (i = 0; i < DIRECTIVES; i++)
		if (strlen(directives[i].name) == n && !strncmp(word, directives[i].name, n))
			return directives[i].parse(word + n + (word[n] == ' '), step, err);
	for (i = 0; i < KEY_NAMES; i++) {
		if (!strcmp(word, key_names[i].name)) {
			step_set_key(step, key_names[i].key);
			return 1;
		}
	}
	if (strncmp(word, "ctrl-", 5) || !islower((unsigned char)word[5]) || word[6])
		return refuse_word(word, err);
	step_set_key(step, key_of_char(word[5] & 0x1f));
	return 1;
}

static int step_parse_brackets(const char **p, struct key_step *step, struct ftr_error *err)
{
	char word[WORD_MAX + 1];
	size_t n = strcspn(*p + 1, "<>\n");

	snprintf(word, sizeof(word), "%.*s", (int)(n < WORD_MAX ? n : WORD_MAX), *p + 1);
	if ((*p)[n + 1] != '>') {
		err_set(err, FTR_USAGE, "a script has '<%s' without its '>'", word);
		return err_hint(err, "the character < is <lt>");
	}
	if (n > WORD_MAX)
		return refuse_word(word, err);
	if (step_parse_word(word, step, err) < 0)
		return -1;
	*p += n + 2;
	return 1;
}

static int step_parse_char(const char **p, struct key_step *step, struct ftr_error *err)
{
	unsigned char byte = **p;
	uint32_t c = byte;
	size_t len = byte < 0x80 ? 1 : text_utf8(*p, strnlen(*p, 4), &c);

	if (!len || !is_shown(c)) {
		err_set(err, FTR_USAGE, "a script has '\\x%02x', which is not a character", byte);
		return err_hint(err, "scripts are UTF-8; other keys have names as <esc>, <ctrl-l>");
	}
	step_set_key(step, c);
	*p += len;
	return 1;
}

/* Skips newlines and the blanks at the ends of lines. */
static const char *skip_line_ends(const char *p)
{
	const char *to;

	for (;;) {
		to = p + strspn(p, " \t\r");
		if (!*to)
			return to;
		if (*to != '\n')
			return p;
		p = to + 1;
	}
}

int key_script_next(const char **p, struct key_step *step, struct ftr_error *err)
{
	*step = (struct key_step){0};
	*p = skip_line_ends(*p);
	if (!**p)
		return 0;
	return **p == '<' ? step_parse_brackets(p, step, err) : step_parse_char(p, step, err);
}
