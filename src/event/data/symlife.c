/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When the symbols of modules were there: memory of one module becomes another's. */
#include "event/data/symlife.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/search.h"

#define FUNCTION_MAX (1 << 16)	/* a function reaches no further behind its symbol */
#define NAME_MAX_LEN 64		/* the kernel's MODULE_NAME_LEN is less */

struct span {
	uint64_t from, until;	/* 0, UINT64_MAX: without an end */
	uint32_t first, end;	/* the same as numbers of moments; UINT32_MAX: without an end */
};

/* Symbols of one module, from the first to the last address. */
struct run {
	uint64_t first, last;
	const char *mod;
	size_t mod_len;
	uint32_t span, nr_spans;
};

struct lives {
	struct run *runs;	/* by module, then by address */
	struct span *spans;
	uint64_t *moments;
	size_t nr_runs, cap_runs, nr_spans, cap_spans, nr_moments, cap_moments;
	uint64_t low, high;	/* what ->runs lie within */
};

/* --- parsing */

static bool take_life_number(const char **p, const char *end, unsigned int base, uint64_t *v)
{
	static const char digits[] = "0123456789abcdef";
	const char *start = *p, *at;

	for (*v = 0; *p < end && (at = memchr(digits, **p, base)); (*p)++)
		if (__builtin_mul_overflow(*v, base, v) ||
		    __builtin_add_overflow(*v, (uint64_t)(at - digits), v))
			return false;
	return *p > start;
}

static bool take_char(const char **p, const char *end, char c)
{
	return *p < end && *(*p)++ == c;
}

/* "FROM-UNTIL" or "FROM-", not before @after. */
static bool take_span(struct lives *l, const char **p, const char *end, uint64_t after)
{
	struct span s = { .until = UINT64_MAX };

	if (!take_life_number(p, end, 10, &s.from) || !take_char(p, end, '-'))
		return false;
	if (*p < end && **p != ',' && !take_life_number(p, end, 10, &s.until))
		return false;
	if (s.from < after || s.until < s.from)
		return false;
	l->spans = xgrow(l->spans, &l->cap_spans, l->nr_spans + 1, sizeof(*l->spans));
	l->spans[l->nr_spans++] = s;
	return true;
}

/* "FIRST LAST MODULE SPAN,SPAN,..." */
static bool take_run(struct lives *l, const char *p, const char *end, struct run *r)
{
	const char *blank;
	uint64_t after = 0;

	if (!take_life_number(&p, end, 16, &r->first) || !take_char(&p, end, ' ') ||
	    !take_life_number(&p, end, 16, &r->last) || !take_char(&p, end, ' '))
		return false;
	blank = memchr(p, ' ', end - p);
	if (!blank || blank == p || blank - p > NAME_MAX_LEN || r->last < r->first)
		return false;
	r->mod = p;
	r->mod_len = blank - p;
	r->span = l->nr_spans;
	for (p = blank; p < end; r->nr_spans++) {
		if (!take_char(&p, end, r->nr_spans ? ',' : ' ') || !take_span(l, &p, end, after))
			return false;
		after = l->spans[l->nr_spans - 1].until;
	}
	return r->nr_spans;
}

static void take_runs(struct lives *l, const char *p, const char *end)
{
	const char *stop;
	size_t had;

	for (; p < end; p = stop + 1) {
		struct run r = {0};

		stop = memchr(p, ';', end - p);
		if (!stop)
			stop = end;
		had = l->nr_spans;
		if (!take_run(l, p, stop, &r)) {
			l->nr_spans = had;
			continue;
		}
		l->runs = xgrow(l->runs, &l->cap_runs, l->nr_runs + 1, sizeof(*l->runs));
		l->runs[l->nr_runs++] = r;
		l->low = r.first < l->low ? r.first : l->low;
		l->high = r.last > l->high ? r.last : l->high;
	}
}

/* --- moments */

static int by_moment(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static int compare_module(const struct run *r, const char *mod, size_t len)
{
	int ret = memcmp(r->mod, mod, r->mod_len < len ? r->mod_len : len);

	return ret ? ret : (r->mod_len > len) - (r->mod_len < len);
}

static int by_module_first(const void *a, const void *b)
{
	const struct run *x = a, *y = b;
	int ret = compare_module(x, y->mod, y->mod_len);

	if (ret)
		return ret;
	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return (x->mod > y->mod) - (x->mod < y->mod);
}

static void add_moment(struct lives *l, uint64_t at)
{
	l->moments = xgrow(l->moments, &l->cap_moments, l->nr_moments + 1, sizeof(*l->moments));
	l->moments[l->nr_moments++] = at;
}

static void sort_moments(struct lives *l)
{
	size_t i, n = 0;

	if (l->nr_moments)
		qsort(l->moments, l->nr_moments, sizeof(*l->moments), by_moment);
	for (i = 0; i < l->nr_moments; i++)
		if (!n || l->moments[n - 1] != l->moments[i])
			l->moments[n++] = l->moments[i];
	l->nr_moments = n;
}

static void number_spans(struct lives *l)
{
	struct span *s, *end = l->spans + l->nr_spans;

	for (s = l->spans; s < end; s++) {
		if (s->from)
			add_moment(l, s->from);
		if (s->until != UINT64_MAX)
			add_moment(l, s->until);
	}
	sort_moments(l);
	for (s = l->spans; s < end; s++) {
		s->first = s->from ? lives_when(l, s->from) : 0;
		s->end = s->until == UINT64_MAX ? UINT32_MAX : lives_when(l, s->until);
	}
}

struct lives *lives_new(const char *text, size_t len)
{
	struct lives *l;

	if (!text || len >= UINT32_MAX)
		return NULL;
	l = xcalloc(1, sizeof(*l));
	l->low = UINT64_MAX;
	take_runs(l, text, text + len);
	if (!l->nr_runs) {
		lives_free(l);
		return NULL;
	}
	qsort(l->runs, l->nr_runs, sizeof(*l->runs), by_module_first);
	number_spans(l);
	return l;
}

void lives_free(struct lives *l)
{
	if (!l)
		return;
	free(l->runs);
	free(l->spans);
	free(l->moments);
	free(l);
}

/* --- asking */

uint64_t *lives_moments(struct lives *l, size_t *n)
{
	*n = l->nr_moments;
	return l->moments;
}

uint32_t lives_when(const struct lives *l, uint64_t ts)
{
	return SEARCH_ABOVE(i, 0, l->nr_moments, l->moments[i] <= ts);
}

/* A run of a module before @mod, or of it and not above @addr. */
static bool starts_by(const struct run *r, const char *mod, size_t mod_len, uint64_t addr)
{
	int way = compare_module(r, mod, mod_len);

	return way < 0 || (!way && r->first <= addr);
}

uint32_t lives_of(const struct lives *l, const char *mod, size_t mod_len, uint64_t addr)
{
	size_t n;

	if (addr < l->low || addr > l->high || mod_len > NAME_MAX_LEN)
		return 0;
	n = SEARCH_ABOVE(i, 0, l->nr_runs, starts_by(&l->runs[i], mod, mod_len, addr));
	if (!n || compare_module(&l->runs[n - 1], mod, mod_len) || addr > l->runs[n - 1].last)
		return 0;
	return n;
}

bool lives_have(const struct lives *l, uint32_t life, uint32_t when)
{
	const struct run *r = life ? &l->runs[life - 1] : NULL;
	const struct span *s = r ? l->spans + r->span : NULL;
	size_t n;

	if (!r)
		return true;
	if (when > l->nr_moments)
		when = l->nr_moments;
	n = SEARCH_ABOVE(i, 0, r->nr_spans, s[i].first <= when);
	return n && when < s[n - 1].end;
}

bool lives_touch(const struct lives *l, uint64_t addr)
{
	return addr >= l->low && addr - l->low <= l->high - l->low + FUNCTION_MAX;
}
