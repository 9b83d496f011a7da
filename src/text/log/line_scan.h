/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rest of a line, which is parsed from left to right: words, blanks, numbers, names. */
#ifndef FTR_TEXT_LOG_LINE_SCAN_H
#define FTR_TEXT_LOG_LINE_SCAN_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "text/log/log_dump.h"

struct line_scanner {
	const char *p, *end;
};

/* Compiled into a comparison of constants where @word is one. */
static inline bool scan_word(struct line_scanner *s, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(s->end - s->p) < n || memcmp(s->p, word, n))
		return false;
	s->p += n;
	return true;
}

static inline bool scan_char(struct line_scanner *s, char c)
{
	if (s->p == s->end || *s->p != c)
		return false;
	s->p++;
	return true;
}

static inline void scan_blanks(struct line_scanner *s)
{
	while (s->p < s->end && *s->p == ' ')
		s->p++;
}

static inline bool scan_is_digit(char c)
{
	return (unsigned char)(c - '0') < 10;
}

/* Parses decimal digits. Returns their number: 0 if there are none, or more than 18. */
static inline unsigned int scan_digits(struct line_scanner *s, uint64_t *v)
{
	const char *p = s->p, *limit = s->end - p > 19 ? p + 19 : s->end;
	uint64_t n = 0;

	while (p < limit && scan_is_digit(*p))
		n = n * 10 + *p++ - '0';
	if (p - s->p > 18)
		return 0;
	*v = n;
	n = p - s->p;
	s->p = p;
	return n;
}

static inline bool scan_number(struct line_scanner *s, uint64_t *v)
{
	return scan_digits(s, v) > 0;
}

static inline struct span_text scan_rest(const struct line_scanner *s)
{
	return (struct span_text){ s->p, s->end - s->p };
}

/* The characters of names of events: letters, digits, underscores. */
extern const bool scan_is_name[256];

static inline struct span_text scan_name(struct line_scanner *s)
{
	const char *from = s->p, *p = from;

	while (p < s->end && scan_is_name[(unsigned char)*p])
		p++;
	s->p = p;
	return (struct span_text){ from, p - from };
}

/* If @t ends with @tail, sets *before to the text before that, which may be empty. */
static inline bool span_cut_tail(struct span_text t, const char *tail, struct span_text *before)
{
	size_t n = strlen(tail);

	if (t.len < n || memcmp(t.p + t.len - n, tail, n))
		return false;
	*before = (struct span_text){ t.p, t.len - n };
	return true;
}

static inline bool span_is(struct span_text t, const char *word)
{
	return t.len == strlen(word) && !memcmp(t.p, word, t.len);
}

/* Removes the blanks around a text. */
static inline struct span_text span_trim(struct span_text t)
{
	while (t.len && *t.p == ' ') {
		t.p++;
		t.len--;
	}
	while (t.len && t.p[t.len - 1] == ' ')
		t.len--;
	return t;
}

/* Parses lower-case hexadecimal digits, at most 16. Returns their number. */
static inline unsigned int scan_hex(struct line_scanner *s, uint64_t *v)
{
	unsigned int n = 0;

	for (*v = 0; s->p < s->end && n < 16; n++, s->p++) {
		char c = *s->p;

		if (scan_is_digit(c))
			*v = *v << 4 | (c - '0');
		else if (c >= 'a' && c <= 'f')
			*v = *v << 4 | (c - 'a' + 10);
		else
			break;
	}
	return n;
}

#endif
