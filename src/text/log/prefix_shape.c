/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The shape of what loggers, consoles and mails put before and after the lines of a log. */
#include "text/log/prefix_shape.h"

#include <string.h>

#define PREFIX_MAX 256			/* bytes before the text of a line */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
	return is_digit(c) || c == '_' || ((c | 32) >= 'a' && (c | 32) <= 'z') || (c & 0x80);
}

static char closing_bracket(char c)
{
	return c == '[' ? ']' : c == '(' ? ')' : c == '<' ? '>' : c == '{' ? '}' : '\0';
}

/* Returns the length of a group at @p that has a letter, or 0. */
static size_t group_length(const char *p, const char *end)
{
	char close = closing_bracket(*p);
	const char *to = close ? memchr(p, close, end - p) : NULL;

	for (const char *at = p; to && at < to; at++)
		if (is_word(*at) && !is_digit(*at))
			return to + 1 - p;
	return 0;
}

bool shape_learn(struct prefix_shape *s, const char *line, size_t len, size_t at, size_t text_len)
{
	size_t i = 0, group;
	bool digits;

	*s = (struct prefix_shape){ .tail_len = len - at - text_len };
	if (at > PREFIX_MAX || s->tail_len > sizeof(s->tail))
		return false;
	memcpy(s->tail, line + at + text_len, s->tail_len);
	while (at && line[at - 1] == ' ') {
		s->blanks++;
		at--;
	}
	while (i < at) {
		if (line[i] == ' ') {
			i++;
			continue;
		}
		if (s->n == SHAPE_PARTS)
			return false;
		group = group_length(line + i, line + at);
		if (group) {
			s->parts[s->n++] = (struct shape_part){ PART_GROUP,
								line[i + group - 1] };
			i += group;
			continue;
		}
		if (!is_word(line[i])) {
			s->parts[s->n++] = (struct shape_part){ PART_CHAR, line[i++] };
			continue;
		}
		digits = true;
		for (; i < at && is_word(line[i]); i++)
			digits &= is_digit(line[i]);
		s->parts[s->n++] = (struct shape_part){ digits ? PART_DIGITS : PART_WORD, 0 };
	}
	return true;
}

static void skip_blanks(const char **p, const char *end)
{
	while (*p < end && **p == ' ')
		++*p;
}

/* Returns true if the part @next, or for the last one the end of the prefix, is at @p. */
static bool part_comes(const struct shape_part *next, const char *p, const char *end)
{
	if (!next || p == end)
		return true;
	skip_blanks(&p, end);
	if (p == end)
		return false;
	return next->kind == PART_CHAR ? *p == next->c :
	       next->kind == PART_GROUP ? closing_bracket(*p) == next->c :
	       next->kind == PART_DIGITS ? is_digit(*p) : is_word(*p);
}

/* Skips a word: names of tasks may have other characters than letters, but hardly blanks. */
static bool match_word(const struct shape_part *next, const char **p, const char *end)
{
	const char *from = *p;

	while (*p < end && is_word(**p))
		++*p;
	while (*p < end && **p != ' ' && (*p == from || !part_comes(next, *p, end)))
		++*p;
	return *p > from;
}

static bool match_part(const struct prefix_shape *s, size_t i, const char **p, const char *end)
{
	const struct shape_part *next = i + 1 < s->n ? &s->parts[i + 1] : NULL;
	const char *from;

	skip_blanks(p, end);
	if (*p == end)
		return false;
	switch (s->parts[i].kind) {
	case PART_CHAR:
		return *(*p)++ == s->parts[i].c;
	case PART_GROUP:
		if (closing_bracket(**p) != s->parts[i].c)
			return false;
		from = memchr(*p, s->parts[i].c, end - *p);
		*p = from ? from + 1 : *p;
		return from;
	case PART_DIGITS:
		for (from = *p; *p < end && is_digit(**p);)
			++*p;
		return *p > from;
	}
	return match_word(next, p, end);
}

/* Finds printk's time in a prefix: "[   12.345678]", and since 4.x sometimes with nine digits. */
static bool find_time(const char *p, const char *end, uint64_t *ns)
{
	uint64_t seconds, part;
	size_t digits;

	while ((p = memchr(p, '[', end - p))) {
		p++;
		skip_blanks(&p, end);
		for (seconds = digits = 0; p < end && is_digit(*p) && digits < 11; digits++)
			seconds = seconds * 10 + *p++ - '0';
		if (!digits || p == end || *p != '.')
			continue;
		p++;
		for (part = digits = 0; p < end && is_digit(*p) && digits < 10; digits++)
			part = part * 10 + *p++ - '0';
		if ((digits != 6 && digits != 9) || p == end || *p != ']')
			continue;
		*ns = seconds * 1000000000 + part * (digits == 6 ? 1000 : 1);
		return true;
	}
	return false;
}

size_t shape_match(const struct prefix_shape *s, const char *line, size_t len, size_t *tail,
		   uint64_t *ns, bool *timed)
{
	const char *end = line + (len < PREFIX_MAX ? len : PREFIX_MAX), *p = line;

	for (size_t i = 0; i < s->n; i++)
		if (!match_part(s, i, &p, end))
			return SIZE_MAX;
	for (size_t i = 0; i < s->blanks; i++, p++) {
		/* an empty line may have lost them */
		if (p == line + len)
			break;
		if (p == end || *p != ' ')
			return SIZE_MAX;
	}
	*tail = 0;
	if (s->tail_len && len - (p - line) >= s->tail_len &&
	    !memcmp(line + len - s->tail_len, s->tail, s->tail_len))
		*tail = s->tail_len;
	*timed = find_time(line, p, ns);
	return p - line;
}
