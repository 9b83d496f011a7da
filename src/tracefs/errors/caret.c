/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Carets that the kernel puts beside what it means (6.1 to 7.2).
 *
 * Event filters add 1 to every place but 0, which is right for parentheses and quotes alone; a
 * field that is not found is pointed at when its name has been read, an operator that does not suit
 * it when the operand is. Hist triggers look up the text in question in the whole command and take
 * the first place where it stands, be it in another word.
 */
#include "tracefs/errors/caret.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#define FILTER "event filter parse error"

static bool in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.';
}

static bool part_starts(const char *text, size_t n, const char *start)
{
	return n >= strlen(start) && !strncmp(text, start, strlen(start));
}

static size_t word_start(const struct caret *c, size_t at)
{
	while (at > 0 && in_word(c->cmd[at - 1]))
		at--;
	return at;
}

static size_t caret_word_len(const struct caret *c, size_t at)
{
	size_t n = 0;

	while (at + n < c->cmd_len && in_word(c->cmd[at + n]))
		n++;
	return n;
}

/* Back to the start of the name that was read last. */
static void to_name(struct caret *c)
{
	size_t at = c->at ? c->at - 1 : 0;

	if (at >= c->cmd_len)
		at = c->cmd_len ? c->cmd_len - 1 : 0;
	while (at > 0 && !in_word(c->cmd[at]))
		at--;
	c->at = word_start(c, at);
}

static void one_back(struct caret *c)
{
	if (c->at)
		c->at--;
}

/* The operator before the operand. */
static void to_operator(struct caret *c)
{
	one_back(c);
	while (c->at > 1 && c->at <= c->cmd_len && c->cmd[c->at - 1] == ' ')
		c->at--;
	while (c->at > 1 && c->at <= c->cmd_len && strchr("!=<>~&", c->cmd[c->at - 1]))
		c->at--;
}

static void stay_put(struct caret *c)
{
	(void)c;
}

/* The last place where @text stands at or behind @from, or cmd_len. */
static size_t last_of(const struct caret *c, const char *text, size_t n, size_t from)
{
	size_t i, found = c->cmd_len;

	for (i = from; n && i + n <= c->cmd_len; i++)
		if (!memcmp(c->cmd + i, text, n))
			found = i;
	return found;
}

/* "a=prio,a=pid": the second. */
static void to_last_assignment(struct caret *c)
{
	size_t n = caret_word_len(c, c->at), i;

	for (i = c->at + 1; n && i + n < c->cmd_len; i++)
		if (!memcmp(c->cmd + i, c->cmd + c->at, n) && c->cmd[i + n] == '=' &&
		    strchr(":,", c->cmd[i - 1]))
			c->at = i;
}

/* What stands in the parentheses of @call. */
static void to_inside(struct caret *c, const char *call)
{
	size_t at = last_of(c, call, strlen(call), 0);

	if (at < c->cmd_len)
		c->at = at + strlen(call);
}

static void to_watched(struct caret *c)
{
	to_inside(c, "onmax(");
	to_inside(c, "onchange(");
}

static void to_match(struct caret *c)
{
	size_t open = last_of(c, "onmatch(", 8, 0);

	if (open < c->cmd_len && c->at < open + 8)
		to_inside(c, "onmatch(");
}

/* A parameter: the word as one, behind the last parenthesis that opens. */
static void to_parameter(struct caret *c)
{
	size_t n = caret_word_len(c, c->at), open = last_of(c, "(", 1, 0), i;

	for (i = open + 1; n && c->at < open && i + n <= c->cmd_len; i++)
		if (!memcmp(c->cmd + i, c->cmd + c->at, n) && strchr("(,$", c->cmd[i - 1])) {
			c->at = i;
			return;
		}
}

static const struct {
	const char *where, *what;
	void (*mend)(struct caret *c);
} mends[] = {
	{ FILTER,  "Field not found",                 to_name },
	{ FILTER,  "Illegal operation for field",     to_operator },
	{ FILTER,  "Too many '('",                    stay_put },
	{ FILTER,  "Too few '('",                     stay_put },
	{ FILTER,  "Missing matching quote",          stay_put },
	{ FILTER,  "Meaningless filter expression",   stay_put },
	{ FILTER,  "",                                one_back },
	{ "hist:", "Variable already defined",        to_last_assignment },
	{ "hist:", "For onmax(x) or onchange(x)",     to_watched },
	{ "hist:", "Invalid subsystem or event name", to_match },
	{ "hist:", "Param type doesn't match",        to_parameter },
};

void caret_mend(struct caret *c)
{
	size_t i;

	for (i = 0; i < sizeof(mends) / sizeof(*mends); i++) {
		if (!part_starts(c->where, c->where_len, mends[i].where) ||
		    !part_starts(c->what, c->what_len, mends[i].what))
			continue;
		mends[i].mend(c);
		return;
	}
}
