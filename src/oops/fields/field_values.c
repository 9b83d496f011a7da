/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values for texts, found by trying. */
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "oops/fields/field_solver_priv.h"

/* Units that print fmts turn one into another: HZ, sectors, pages, parts of a second. */
static const uint32_t factors[] = { 1000, 1000000, 1000000000, 100, 250, 10, 4, 512, 1024, 4096 };
#define NR_FACTORS (sizeof(factors) / sizeof(*factors))

/* What is tried for one value, in its order. */
struct candidates {
	uint64_t v[600];
	size_t   n;
};

static void add(struct candidates *c, uint64_t v)
{
	if (c->n < sizeof(c->v) / sizeof(*c->v))
		c->v[c->n++] = v;
}

/* The number that all of @t is, by the conversion's letter; false if it is none. */
static bool read_number(struct span_text t, char letter, uint64_t *v)
{
	static const char hex[] = "0123456789abcdef";
	unsigned int base = strchr("xXp", letter) ? 16 : letter == 'o' ? 8 : 10;
	bool minus = false;
	const char *p = t.p, *end = t.p + t.len, *at;

	while (p < end && *p == ' ')
		p++;
	while (end > p && end[-1] == ' ')
		end--;
	if (p < end && *p == '-') {
		minus = true;
		p++;
	}
	if (end - p > 2 && p[0] == '0' && (p[1] | 32) == 'x') {
		base = 16;
		p += 2;
	}
	if (p == end || end - p > 22)
		return false;
	for (*v = 0; p < end; p++) {
		at = memchr(hex, *p >= 'A' && *p <= 'F' ? *p | 32 : *p, base);
		if (!at)
			return false;
		*v = *v * base + (at - hex);
	}
	if (minus)
		*v = -*v;
	return true;
}

static char letter_of(const struct conv *c)
{
	const char *p = c->spec + strcspn(c->spec, "pdiuxXosc");

	return *p ? *p : 's';
}

static bool is_name(char c)
{
	return c == '_' || c == '-' || (c >= '0' && c <= '9') ||
	       ((c | 32) >= 'a' && (c | 32) <= 'z');
}

/* Does the piece have the name as a word of its own? */
static bool has_word(struct span_text t, const char *name)
{
	size_t len = strlen(name);
	const char *p = t.p, *end = t.p + t.len;

	if (!len)
		return false;
	while ((p = memmem(p, end - p, name, len))) {
		if ((p == t.p || !is_name(p[-1]) || !is_name(*name)) &&
		    (p + len == end || !is_name(p[len]) || !is_name(name[len - 1])))
			return true;
		p++;
	}
	return false;
}

/* The sum of the names in a piece; as letters, where the names are not words. */
static bool read_names(const struct conv *c, struct span_text t, uint64_t *v)
{
	bool any = false;

	*v = 0;
	for (size_t i = 0; i < c->nr_table; i++) {
		if (!has_word(t, c->table[i].name))
			continue;
		*v |= c->table[i].value;
		any = true;
	}
	for (size_t i = 0; !any && i < c->nr_table; i++)
		if (*c->table[i].name &&
		    memmem(t.p, t.len, c->table[i].name, strlen(c->table[i].name)))
			*v |= c->table[i].value;
	return c->nr_table > 0;
}

/* What one conversion says of its value. */
static bool read_conv(const struct oops_fields *f, const struct conv *c, struct span_text t,
		      uint64_t *v)
{
	if (c->nr_table)
		return read_names(c, t, v);
	if (read_number(t, letter_of(c), v))
		return true;
	*v = oops_syms_addr(f->solver->syms, t);
	return *v;
}

/* All conversions together: parts of a number that are shown apart, as of a device. */
static void add_parts(const struct oops_fields *f, size_t var, struct candidates *c)
{
	uint64_t sum = 0, v, first = 0, n = 0, names = 0;

	for (size_t i = 0; i < f->p->nr_groups; i++) {
		const struct group *g = &f->p->groups[i];

		if (g->vars != 1u << var)
			continue;
		for (size_t j = g->first; j < g->first + g->n; j++) {
			const struct conv *conv = &f->p->convs[j];

			if (!read_conv(f, conv, f->solver->pieces[i], &v))
				continue;
			sum |= v << conv->shift;
			if (conv->nr_table)
				names |= v;
			else if (n++ == 0)
				first = v;
			add(c, v);
		}
	}
	if (c->n)
		add(c, sum);
	if (n == 2)
		for (size_t k = 0; k < 3; k++)
			add(c, first * factors[k] + c->v[1]);
	for (unsigned int bit = 0; names && bit < 64; bit++)
		add(c, names | 1ull << bit);
	for (size_t k = 0; n && k < NR_FACTORS; k++) {
		add(c, first * factors[k]);
		add(c, first / factors[k]);
	}
}

static void add_tables(const struct oops_fields *f, size_t var, struct candidates *c)
{
	for (size_t i = 0; i < f->p->nr_convs; i++) {
		const struct conv *conv = &f->p->convs[i];

		if (!(conv->vars & 1u << var))
			continue;
		for (size_t j = 0; j < conv->nr_table; j++)
			add(c, conv->table[j].value);
	}
	for (unsigned int small = 0; small < 32; small++)
		add(c, small);
	for (unsigned int bit = 5; bit < 64; bit++)
		add(c, 1ull << bit);
	add(c, UINT64_MAX);
}

/* --- trying */

static bool try_value(struct oops_fields *f, size_t var, uint64_t v, size_t index,
		      const struct buf *want)
{
	f->solver->values[var].num = v;
	fields_build(f);
	return fields_shows(f, index, want->data, want->len);
}

static bool try_all(struct oops_fields *f, size_t var, const struct candidates *c, size_t index,
		    const struct buf *want)
{
	for (size_t i = 0; i < c->n; i++)
		if (try_value(f, var, c->v[i], index, want))
			return true;
	return false;
}

/* The place of the text, which may hold another one. */
static struct cached *cached_for(struct oops_fields *f, size_t var, const struct buf *text)
{
	if (!f->cache[var])
		f->cache[var] = xcalloc(CACHE_SLOTS, sizeof(**f->cache));
	return &f->cache[var][hash_bytes(text->data, text->len) % CACHE_SLOTS];
}

static bool is_cached(const struct cached *k, const struct buf *text)
{
	return k->text && k->len == text->len &&
	       (!k->len || !memcmp(k->text, text->data, k->len));
}

static void keep_cached_text(struct cached *k, const struct buf *text)
{
	free(k->text);
	*k = (struct cached){ .text = xmalloc(text->len + 1), .len = text->len };
	if (k->len)
		memcpy(k->text, text->data, k->len);
}

static bool find_number(struct oops_fields *f, size_t var)
{
	struct candidates c = { .n = 0 };
	struct buf want = {0};
	struct cached *k;

	fields_expect_var(f, var, &want);
	k = cached_for(f, var, &want);
	if (!is_cached(k, &want)) {
		keep_cached_text(k, &want);
		add_parts(f, var, &c);
		add_tables(f, var, &c);
		k->good = try_all(f, var, &c, 1 + var, &want);
		k->value = f->solver->values[var].num;
	}
	buf_release(&want);
	f->solver->values[var].num = k->good ? k->value : 0;
	return k->good;
}

static struct span_text trim(struct span_text t)
{
	while (t.len && *t.p == ' ') {
		t.p++;
		t.len--;
	}
	while (t.len && t.p[t.len - 1] == ' ')
		t.len--;
	return t;
}

/* A string: as it stands, or without the blanks that fill a column. */
static bool find_string(struct oops_fields *f, size_t var)
{
	const struct var *v = &f->p->vars[var];
	struct buf want = {0};
	bool ok = false;

	fields_expect_var(f, var, &want);
	for (size_t i = 0; i < f->p->nr_groups && !ok; i++) {
		if (f->p->groups[i].vars != 1u << var)
			continue;
		for (int trimmed = 0; trimmed < 2 && !ok; trimmed++) {
			struct span_text s = f->solver->pieces[i];

			if (trimmed)
				s = trim(s);
			if (s.len >= (v->kind == VAR_CHARS ? v->size : 2000))
				continue;
			f->solver->values[var].str = s;
			f->solved |= 1u << var;
			fields_build(f);
			ok = fields_shows(f, 1 + var, want.data, want.len);
		}
	}
	if (!ok)
		f->solved &= ~(1u << var);
	buf_release(&want);
	return ok;
}

/* --- what depends on several values, of which one is not known */

static bool find_last(struct oops_fields *f, size_t group, size_t var)
{
	const struct group *g = &f->p->groups[group];
	struct span_text piece = f->solver->pieces[group];
	struct buf want = {0};
	struct candidates c = { .n = 0 };
	uint64_t n = 0;
	bool ok;

	if (f->p->vars[var].kind != VAR_NUM)
		return false;
	if (g->n == 1 && read_conv(f, &f->p->convs[g->first], piece, &n))
		add(&c, n);
	for (size_t i = 0; i < f->p->nr_vars; i++) {
		if (i == var || !(g->vars & 1u << i))
			continue;
		add(&c, f->solver->values[i].num - n);
		add(&c, f->solver->values[i].num + n);
		add(&c, n - f->solver->values[i].num);
	}
	add_tables(f, var, &c);
	buf_add(&want, piece.p, piece.len);
	ok = try_all(f, var, &c, 1 + f->p->nr_vars + group, &want);
	if (!ok)
		f->solver->values[var].num = 0;
	buf_release(&want);
	return ok;
}

static bool find_rest(struct oops_fields *f)
{
	bool more = true;

	while (more) {
		more = false;
		for (size_t i = 0; i < f->p->nr_groups; i++) {
			uint32_t left = f->p->groups[i].vars & ~f->solved;

			if (!left || left & (left - 1))
				continue;
			if (!find_last(f, i, __builtin_ctz(left)))
				return false;
			f->solved |= left;
			more = true;
		}
	}
	return f->solved == (f->p->nr_vars == 32 ? UINT32_MAX : (1u << f->p->nr_vars) - 1);
}

/* Is the value shown by itself? */
static bool is_alone(const struct oops_fields *f, size_t var)
{
	for (size_t i = 0; i < f->p->nr_groups; i++)
		if (f->p->groups[i].vars == 1u << var)
			return true;
	return false;
}

bool fields_find_values(struct oops_fields *f)
{
	memset(f->solver->values, 0, sizeof(f->solver->values));
	f->solved = 0;
	for (size_t i = 0; i < f->p->nr_vars; i++) {
		if (!is_alone(f, i))
			continue;
		if (!(f->p->vars[i].kind == VAR_NUM ? find_number(f, i) : find_string(f, i)))
			return false;
		f->solved |= 1u << i;
	}
	return find_rest(f);
}
