/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tokens of a filter, and errors that point at one. */
#include "trace/filter_priv.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "base/text.h"

#define EXCERPT 64		/* bytes of a long filter that are shown */

static bool is_field_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static void scan_number(struct scan *s)
{
	const char *p = s->text + s->at;
	int ret;

	while (is_field_char(p[s->len]))
		s->len++;
	ret = text_c_integer(p, p + s->len, &s->num);
	s->kind = ret ? TOK_BAD : TOK_NUM;
	s->why = !ret ? NULL : ret == -ERANGE ? "it does not fit in 64 bits" :
		 "that is not a number";
}

static void scan_quoted(struct scan *s)
{
	const char *p = s->text + s->at, quote = *p++;

	while (*p && *p != quote)
		p += *p == '\\' && p[1] ? 2 : 1;
	s->kind = *p ? TOK_STR : TOK_BAD;
	s->why = "the quote is not closed";
	s->len = *p ? p + 1 - (s->text + s->at) : 1;
}

static void scan_op(struct scan *s)
{
	static const char *const two[] = {
		"&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "=~", "!~",
	};
	const char *p = s->text + s->at;

	s->kind = TOK_OP;
	s->len = 1;
	for (size_t i = 0; i < sizeof(two) / sizeof(*two); i++)
		if (!strncmp(p, two[i], 2))
			s->len = 2;
	if (!strchr("-+*/%&|^!~<>=(){}.", *p)) {
		s->kind = TOK_BAD;
		s->why = "that character can be in quotes only";
	}
}

void scan_next(struct scan *s)
{
	if (s->kind == TOK_BAD)
		return;
	while (isspace((unsigned char)s->text[s->pos]))
		s->pos++;
	s->at = s->pos;
	s->len = 0;
	if (!s->text[s->at])
		s->kind = TOK_END;
	else if (isdigit((unsigned char)s->text[s->at]))
		scan_number(s);
	else if (s->text[s->at] == '"' || s->text[s->at] == '\'')
		scan_quoted(s);
	else if (!is_field_char(s->text[s->at]))
		scan_op(s);
	else
		for (s->kind = TOK_NAME; is_field_char(s->text[s->at + s->len]);)
			s->len++;
	s->pos = s->at + s->len;
}

void scan_start(struct scan *s, const char *text, size_t from)
{
	*s = (struct scan){ .text = text, .pos = from, .kind = TOK_OP };
	scan_next(s);
}

void scan_word(struct scan *s)
{
	const char *p = s->text + s->at;

	if (s->kind == TOK_END || s->kind == TOK_STR)
		return;
	while (*p && !isspace((unsigned char)*p) && *p != ')' && strncmp(p, "&&", 2) &&
	       strncmp(p, "||", 2))
		p++;
	s->len = p - (s->text + s->at);
	s->pos = s->at + s->len;
	s->kind = s->len ? TOK_NAME : TOK_OP;
}

bool scan_is(const struct scan *s, const char *word)
{
	return (s->kind == TOK_OP || s->kind == TOK_NAME) && strlen(word) == s->len &&
	       !memcmp(s->text + s->at, word, s->len);
}

bool scan_take(struct scan *s, const char *op)
{
	if (s->kind != TOK_OP || !scan_is(s, op))
		return false;
	scan_next(s);
	return true;
}

/* UTF-8: only the first byte of a character takes a column. */
static bool takes_column(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

/* The text around [at, at + len) on a line of its own, and the mark below it. */
static void add_excerpt(struct buf *b, const char *text, size_t at, size_t len)
{
	size_t n = strlen(text), from = 0, to = n, i;

	if (n > EXCERPT && at > EXCERPT / 2)
		from = at - EXCERPT / 2;
	if (n - from > EXCERPT)
		to = from + EXCERPT;
	buf_addstr(b, from ? "\n  ..." : "\n  ");
	for (i = from; i < to; i++)
		buf_addch(b, isspace((unsigned char)text[i]) ? ' ' : text[i]);
	buf_addstr(b, to < n ? "...\n  " : "\n  ");
	buf_addstr(b, from ? "   " : "");
	for (i = from; i < at && i < to; i++)
		if (takes_column(text[i]))
			buf_addch(b, ' ');
	buf_addch(b, '^');
	for (i++; i < at + len && i < to; i++)
		if (takes_column(text[i]))
			buf_addch(b, '~');
}

int filter_fail(struct ftr_error *err, const char *text, size_t at, size_t len, const char *fmt,
		...)
{
	struct buf what = {0}, shown = {0};
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(&what, fmt, ap);
	va_end(ap);
	add_excerpt(&shown, text, at, len);
	err_set(err, FTR_USAGE, "cannot understand the filter: %.400s%s", what.data, shown.data);
	buf_release(&what);
	buf_release(&shown);
	return err_hint(err, "a filter looks like "
			"'sched_switch: next_prio < 100 && next_comm ~ \"kw*\"'");
}
