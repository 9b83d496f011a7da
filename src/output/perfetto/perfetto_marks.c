/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Marks in the style of systrace, which Perfetto makes slices and counters of: "B|PID|NAME",
 * "E|PID" or "E", "C|PID|NAME|VALUE", "S|PID|NAME|COOKIE" and so on. It counts any other text as an
 * error.
 */
#include "output/perfetto/perfetto_priv.h"

/* What stands behind "X|PID": n a name, i a number; r the rest, which may be empty or have bars. */
static const struct mark {
	char letter;
	const char *fields;
} marks[] = {
	{ 'B', "r" }, { 'E', "" }, { 'C', "ni" }, { 'S', "ni" }, { 'F', "ni" }, { 'I', "n" },
	{ 'N', "nn" }, { 'G', "nni" }, { 'H', "ni" },
};

struct text {
	const char *p, *end;
};

/* The field up to the next bar, or the end, of @t; false if there is none. */
static bool next_field(struct text *t, struct text *field)
{
	const char *bar;

	if (t->p == t->end || *t->p != '|')
		return false;
	t->p++;
	bar = memchr(t->p, '|', t->end - t->p);
	*field = (struct text){ t->p, bar ? bar : t->end };
	t->p = field->end;
	return true;
}

static bool is_number(struct text f, size_t most)
{
	const char *p = f.p;

	if (p < f.end && *p == '-')
		p++;
	if (p == f.end || (size_t)(f.end - p) > most)
		return false;
	while (p < f.end && *p >= '0' && *p <= '9')
		p++;
	return p == f.end;
}

static bool has_fields(struct text t, const char *fields)
{
	struct text f;

	for (; *fields && *fields != 'r'; fields++) {
		if (!next_field(&t, &f) || (*fields == 'n' && f.p == f.end) ||
		    (*fields == 'i' && !is_number(f, 18)))
			return false;
	}
	return true;
}

bool pf_is_mark(const char *s, size_t len)
{
	struct text t = { s + 1, s + len }, pid;

	if (!len || (len > 1 && s[1] != '|'))
		return false;
	if (*s == 'E' && len <= 2)
		return true;
	if (!next_field(&t, &pid) || *pid.p == '-' || !is_number(pid, 9))
		return false;
	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		if (marks[i].letter == *s)
			return has_fields(t, marks[i].fields);
	return false;
}
