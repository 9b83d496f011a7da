/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Patterns that texts are held against: exact, the kernel's globs, regular expressions. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "trace/filter_priv.h"

static int fold_char(char c, bool fold)
{
	return fold ? tolower((unsigned char)c) : (unsigned char)c;
}

/*
 * One character of the pattern against @c. *step is what it takes of the pattern. A '[' that is not
 * closed is itself, as in the kernel.
 */
static bool one_match(const char *pat, const char *end, char c, bool fold, size_t *step)
{
	const char *p = pat + 1;
	bool not = false, hit = false;
	int from, to, want = fold_char(c, fold);

	*step = 1;
	if (*pat == '?')
		return true;
	if (*pat == '\\' && p < end) {
		*step = 2;
		return fold_char(*p, fold) == want;
	}
	if (*pat != '[')
		return fold_char(*pat, fold) == want;
	if (p < end && (*p == '!' || *p == '^')) {
		not = true;
		p++;
	}
	do {		/* a ']' that comes first is one of the characters */
		if (p >= end)
			return want == '[';
		from = to = fold_char(*p++, fold);
		if (end - p > 1 && p[0] == '-' && p[1] != ']') {
			to = fold_char(p[1], fold);
			p += 2;
		}
		hit |= from <= want && want <= to;
	} while (p >= end || *p != ']');
	*step = p + 1 - pat;
	return hit != not;
}

bool glob_match(const char *pat, size_t pat_len, const char *text, size_t len, bool fold)
{
	const char *p = pat, *pend = pat + pat_len, *t = text, *tend = text + len;
	const char *star = NULL, *back = NULL;	/* where the last '*' may take one more */
	size_t step;

	while (t < tend) {
		if (p < pend && *p == '*') {
			star = ++p;
			back = t;
		} else if (p < pend && one_match(p, pend, *t, fold, &step)) {
			p += step;
			t++;
		} else if (star) {
			p = star;
			t = ++back;
		} else {
			return false;
		}
	}
	while (p < pend && *p == '*')
		p++;
	return p == pend;
}

static void set_pattern_text(struct pattern *p, enum pat_kind kind, const char *text, size_t len)
{
	p->kind = kind;
	p->text = xstrndup(text, len);
	p->len = len;
}

void pattern_exact(struct pattern *p, const char *text, size_t len)
{
	set_pattern_text(p, PAT_FULL, text, len);
}

/*
 * The kernel tells full, front, middle and end from true globs. Where it differs - a pattern that
 * begins with a digit is no glob there, and "*x" looks at the end of a fixed array instead of the
 * text's - its documentation is followed, not its code.
 */
void pattern_glob(struct pattern *p, const char *text, size_t len)
{
	bool front, end;
	size_t i;

	p->not = len && *text == '!';
	text += p->not;
	len -= p->not;
	front = len && *text == '*';
	end = len > front && text[len - 1] == '*';
	for (i = front; i < len - end; i++)
		if (strchr("*?[\\", text[i]))
			break;
	if (i < len - end)
		set_pattern_text(p, PAT_GLOB, text, len);
	else if (front && end)
		set_pattern_text(p, PAT_MIDDLE, text + 1, len - 2);
	else if (front)
		set_pattern_text(p, PAT_END, text + 1, len - 1);
	else
		set_pattern_text(p, end ? PAT_FRONT : PAT_FULL, text, len - end);
}

int pattern_regex(struct pattern *p, const char *text, size_t len)
{
	set_pattern_text(p, PAT_REGEX, text, len);
	if (!regcomp(&p->regex, p->text, REG_ICASE | REG_NOSUB))
		return 0;
	free(p->text);
	p->text = NULL;
	p->kind = PAT_FULL;
	return -1;
}

/* regexec() wants an end; REG_STARTEND would do without, but sanitizers do not know it. */
static bool regex_match(const regex_t *regex, const char *text, size_t len)
{
	char small[256], *copy = len < sizeof(small) ? small : xmalloc(len + 1);
	bool hit;

	memcpy(copy, text, len);
	copy[len] = '\0';
	hit = !regexec(regex, copy, 0, NULL, 0);
	if (copy != small)
		free(copy);
	return hit;
}

bool pattern_match(const struct pattern *p, const char *text, size_t len)
{
	switch (p->kind) {
	case PAT_FULL:
		return len == p->len && !memcmp(text, p->text, len);
	case PAT_FRONT:
		return len >= p->len && !memcmp(text, p->text, p->len);
	case PAT_MIDDLE:
		return memmem(text, len, p->text, p->len) != NULL;
	case PAT_END:
		return len >= p->len && !memcmp(text + len - p->len, p->text, p->len);
	case PAT_GLOB:
		return glob_match(p->text, p->len, text, len, false);
	case PAT_REGEX:
		return regex_match(&p->regex, text, len);
	}
	return false;
}

void pattern_release(struct pattern *p)
{
	if (p->kind == PAT_REGEX)
		regfree(&p->regex);
	free(p->text);
	*p = (struct pattern){0};
}
