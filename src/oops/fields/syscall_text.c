/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of a system call, "fd: 3, buf: 0x5649bee807e0", taken apart. Since 6.19 what user memory
 * had stands behind some of the numbers: "filename: 0x7ffd12 "/etc"", "buf: 0x55 (61:0a) "a."", and
 * openat()'s flags are names.
 */
#include <string.h>

#include "oops/fields/field_solver_priv.h"

/* Ends of strings that are tried: a string may have all that ends one. */
#define ENDS_MAX 256

#define MORE "..."		/* what is cut ends with */

struct call_text {
	const struct oops_fields *f;
	struct call_param *v;
	size_t n;
	const char *end;
	unsigned int ends;
};

static bool skip(const char **p, const char *end, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(end - *p) < n || memcmp(*p, word, n))
		return false;
	*p += n;
	return true;
}

static bool is_name(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

/* Digits of @base, so many that the number fits. */
static bool take_digits(const char **p, const char *end, unsigned int base, uint64_t *v)
{
	static const char digits[] = "0123456789abcdef";
	const char *from = *p, *at;

	for (*v = 0; *p < end; ++*p) {
		at = memchr(digits, **p, base);
		if (!at)
			break;
		if (*v > (UINT64_MAX - (at - digits)) / base)
			return false;
		*v = *v * base + (at - digits);
	}
	return *p > from;
}

bool fields_call_hex(const char **p, const char *end, uint64_t *v)
{
	const char *digits = *p;

	if (skip(&digits, end, "0x") && digits < end)
		*p = digits;
	return take_digits(p, end, 16, v);
}

static bool take_name(struct call_text *t, const char **p)
{
	struct call_param *v = &t->v[t->n];
	const struct oops_fields *f = t->f;

	v->name.p = *p;
	while (*p < t->end && is_name(**p))
		++*p;
	v->name.len = *p - v->name.p;
	if (!v->name.len || v->name.len > 60 || !skip(p, t->end, ": "))
		return false;
	if (!f->engine)
		return true;
	return t->n < f->nr_params && strlen(f->params[t->n]) == v->name.len &&
	       !memcmp(f->params[t->n], v->name.p, v->name.len);
}

/* "(61:0a) "a."": the bytes, and as characters if one of them can be printed. */
static bool take_bytes(struct call_text *t, const char **p)
{
	struct call_param *v = &t->v[t->n];
	const char *chars;
	uint64_t byte;
	size_t n = 0;

	v->user = CALL_BYTES;
	for (v->memory.p = *p; *p < t->end && **p != ')' && **p != ','; n++) {
		const char *from = n ? *p + 1 : *p;

		if ((n && **p != ':') || t->end - from < 2)
			return false;
		*p = from;
		if (!take_digits(p, from + 2, 16, &byte) || *p != from + 2)
			return false;
	}
	v->memory.len = *p - v->memory.p;
	skip(p, t->end, ", " MORE);
	if (!skip(p, t->end, ")"))
		return false;
	chars = *p;
	if (!skip(&chars, t->end, " \"") || (size_t)(t->end - chars) < n + 1)
		return true;
	chars += n;
	if (!skip(&chars, t->end, "\""))
		return false;
	skip(&chars, t->end, MORE);
	*p = chars;
	return true;
}

static bool take_rest(struct call_text *t, const char *p);

/* A string, and what is behind it: it ends where the rest of the text can begin. */
static bool take_string(struct call_text *t, const char *p)
{
	size_t n = t->n;

	t->v[n].user = CALL_STRING;
	for (const char *at = p; t->ends++ < ENDS_MAX; at++) {
		at = memchr(at, '"', t->end - at);
		if (!at)
			return false;
		t->v[n].memory = (struct span_text){ p, at - p };
		t->n = n + 1;
		if (take_rest(t, at + 1))
			return true;
	}
	return false;
}

/* A parameter at @p, and all that are behind it. */
static bool take_param(struct call_text *t, const char *p)
{
	struct call_param *v = &t->v[t->n];

	if (t->n == CALL_PARAMS)
		return false;
	*v = (struct call_param){ .user = CALL_NUMBER };
	if (!take_name(t, &p) || !fields_call_hex(&p, t->end, &v->value))
		return false;
	if (skip(&p, t->end, " \""))
		return take_string(t, p);
	if (skip(&p, t->end, " (") && !take_bytes(t, &p))
		return false;
	t->n++;
	return take_rest(t, p);
}

static bool take_rest(struct call_text *t, const char *p)
{
	if (p == t->end)
		return !t->f->engine || t->n == t->f->nr_params;
	return skip(&p, t->end, ", ") && take_param(t, p);
}

/* --- openat() with names of flags: its other numbers are decimal */

static bool take_flags(struct call_text *t, const char **p)
{
	struct call_param *v = &t->v[2];
	const char *from;
	uint64_t more;
	uint32_t bits;

	for (v->value = 0; *p < t->end; v->value |= bits) {
		for (from = *p; *p < t->end && is_name(**p);)
			++*p;
		if (ev_open_flag(from, *p - from, &bits))
			;
		else if (*p - from > 2 && fields_call_hex(&from, *p, &more) && from == *p)
			bits = more;
		else
			return false;
		if (!skip(p, t->end, "|")) {
			v->value |= bits;
			return true;
		}
	}
	return true;
}

/* The mode is told where a file is made. */
static bool take_openat_rest(struct call_text *t, const char *p)
{
	t->v[3].value = 0;
	return skip(&p, t->end, "\", flags: ") && take_flags(t, &p) &&
	       (!skip(&p, t->end, ", mode: ") || take_digits(&p, t->end, 8, &t->v[3].value)) &&
	       p == t->end;
}

static bool take_openat(struct call_text *t, const char *p)
{
	static const struct call_param params[] = {
		{ .name = { "dfd", 3 } }, { .name = { "filename", 8 }, .user = CALL_STRING },
		{ .name = { "flags", 5 } }, { .name = { "mode", 4 } },
	};

	memcpy(t->v, params, sizeof(params));
	t->n = 4;
	if (!skip(&p, t->end, "dfd: ") || !take_digits(&p, t->end, 10, &t->v[0].value) ||
	    !skip(&p, t->end, ", filename: ") || !take_digits(&p, t->end, 10, &t->v[1].value) ||
	    !skip(&p, t->end, " \""))
		return false;
	t->v[1].memory.p = p;
	for (; (p = memchr(p, '"', t->end - p)); p++) {
		t->v[1].memory.len = p - t->v[1].memory.p;
		if (take_openat_rest(t, p))
			return true;
	}
	return false;
}

bool fields_call_params(const struct oops_fields *f, struct span_text text, struct call_param *v,
			size_t *n)
{
	struct call_text t = { .f = f, .v = v, .end = text.p + text.len };
	bool ok;

	if (!strcmp(f->name, "sys_enter_openat") && take_openat(&t, text.p)) {
		*n = t.n;
		return true;
	}
	t.n = 0;
	ok = !text.len || take_param(&t, text.p);
	*n = t.n;
	return ok;
}
