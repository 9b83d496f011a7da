/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Symbol lookup in a kallsyms text: an index of offsets into the text, built in one pass on first
 * use.
 */
#include "event/event.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/*
 * kallsyms has no sizes: a symbol reaches to the next one, but an address this far above is in no
 * function (a user address, or memory of a module that is gone).
 */
#define REACH_MAX	(16 << 20)
#define BUILTIN_REACH	4096	/* trampolines and probe slots lie in pages of their own */
#define MODULE_PAGE	4096	/* each part of a module takes whole pages */
#define CACHE_SLOTS	1024

struct sym {
	uint64_t addr;
	uint32_t name;		/* offset into the text */
	uint32_t rank;		/* among equal addresses: functions first */
};

struct slot {
	uint64_t addr;
	const struct sym *sym;
	bool     used;
};

struct ev_syms {
	const struct ev_loader *from;	/* of the text, NULL when it is here */
	const char *text;
	size_t      len;
	bool        built;
	struct sym *v;
	size_t      n, cap;
	struct slot cache[CACHE_SLOTS];
};

struct ev_syms *ev_syms_new(const char *kallsyms, size_t len)
{
	struct ev_syms *s = xcalloc(1, sizeof(*s));

	s->text = kallsyms;
	s->len = kallsyms && len <= UINT32_MAX ? len : 0;
	return s;
}

struct ev_syms *ev_syms_new_lazy(const struct ev_loader *from)
{
	struct ev_syms *s = ev_syms_new(NULL, 0);

	s->from = from;
	return s;
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Parses "ADDR T " at @p; returns where the name starts, or NULL. */
static const char *parse_head(const char *p, const char *end, uint64_t *addr, char *type)
{
	const char *start = p;

	for (*addr = 0; p < end && hex_value(*p) >= 0; p++)
		*addr = *addr << 4 | hex_value(*p);
	if (p == start || p - start > 16 || end - p < 4 || p[0] != ' ' || p[2] != ' ')
		return NULL;
	*type = p[1];
	return p + 3;
}

/*
 * Absolute symbols (per-CPU offsets on x86) are no addresses. Data symbols stay: %ps of a pointer
 * to data is named by the kernel too. Addresses read as 0 when kptr_restrict hides them.
 */
static void add_line(struct ev_syms *s, const char *p, const char *end)
{
	struct sym sym;
	const char *name;
	char type;

	name = parse_head(p, end, &sym.addr, &type);
	if (!name || !sym.addr || strchr("aAuU", type) || !isgraph((unsigned char)*name))
		return;
	sym.name = name - s->text;
	sym.rank = !strchr("tTwW", type);
	s->v = xgrow(s->v, &s->cap, s->n + 1, sizeof(*s->v));
	s->v[s->n++] = sym;
}

/* Ties: functions before data, then the order of the file, which is the kernel's. */
static int compare(const void *a, const void *b)
{
	const struct sym *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return (x->name > y->name) - (x->name < y->name);
}

static bool in_order(const struct ev_syms *s)
{
	for (size_t i = 1; i < s->n; i++)
		if (compare(&s->v[i - 1], &s->v[i]) > 0)
			return false;
	return true;
}

static void load_text(struct ev_syms *s)
{
	size_t len;

	if (!s->from)
		return;
	s->text = s->from->text(s->from->ctx, EV_KALLSYMS, &len);
	s->len = len <= UINT32_MAX ? len : 0;
}

static void build(struct ev_syms *s)
{
	const char *p, *end, *nl;

	s->built = true;
	load_text(s);
	p = s->text;
	end = p + s->len;
	for (; p < end; p = nl + 1) {
		nl = memchr(p, '\n', end - p);
		if (!nl)
			nl = end;
		add_line(s, p, nl);
	}
	if (s->n && !in_order(s))
		qsort(s->v, s->n, sizeof(*s->v), compare);
}

/* The first of the symbols with the largest address that is not above @addr. */
static const struct sym *search(const struct ev_syms *s, uint64_t addr)
{
	size_t lo = 0, hi = s->n, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (s->v[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo || addr - s->v[lo - 1].addr > REACH_MAX)
		return NULL;
	for (lo--; lo && s->v[lo - 1].addr == s->v[lo].addr; lo--)
		;
	return &s->v[lo];
}

static const struct sym *cached_search(struct ev_syms *s, uint64_t addr)
{
	struct slot *c = &s->cache[(addr * 0x9e3779b97f4a7c15ULL) >> 54];

	_Static_assert(CACHE_SLOTS == 1 << (64 - 54), "the hash picks a slot");
	if (!c->used || c->addr != addr)
		*c = (struct slot){ addr, search(s, addr), true };
	return c->sym;
}

static size_t word_len(const char *p, const char *end)
{
	const char *start = p;

	while (p < end && isgraph((unsigned char)*p))
		p++;
	return p - start;
}

/* "[nfs]" behind the name, without the brackets. */
static void find_module(const char *p, const char *end, const char **mod, size_t *mod_len)
{
	size_t n;

	*mod = NULL;
	*mod_len = 0;
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	n = word_len(p, end);
	if (n > 2 && p[0] == '[' && p[n - 1] == ']') {
		*mod = p + 1;
		*mod_len = n - 2;
	}
}

/* Code that the kernel made itself: "[__builtin__ftrace]", "[__builtin__kprobes]". */
static bool in_builtin(const char *mod, size_t len)
{
	static const char builtin[] = "__builtin__";

	return len >= sizeof(builtin) - 1 && !memcmp(mod, builtin, sizeof(builtin) - 1);
}

const char *ev_syms_find(struct ev_syms *s, uint64_t addr, size_t *name_len, const char **mod,
			 size_t *mod_len, uint64_t *off)
{
	const struct sym *sym;
	const char *name, *end;

	if (!s)
		return NULL;
	if (!s->built)
		build(s);
	sym = cached_search(s, addr);
	if (!sym)
		return NULL;
	end = s->text + s->len;
	name = s->text + sym->name;
	*name_len = word_len(name, end);
	find_module(name + *name_len, end, mod, mod_len);
	*off = addr - sym->addr;
	return *mod && in_builtin(*mod, *mod_len) && *off >= BUILTIN_REACH ? NULL : name;
}

/* The next symbol that lies above ends this one; that of a module also where its pages end. */
uint64_t ev_syms_size(struct ev_syms *s, uint64_t addr)
{
	const struct sym *sym, *next, *end = s ? s->v + s->n : NULL;
	const char *mod;
	size_t n;

	if (!s || !s->built)
		return 0;
	sym = cached_search(s, addr);
	if (!sym)
		return 0;
	for (next = sym; next < end && next->addr == sym->addr; next++)
		;
	n = word_len(s->text + sym->name, s->text + s->len);
	find_module(s->text + sym->name + n, s->text + s->len, &mod, &n);
	if (next == end || (mod && next->addr - sym->addr > REACH_MAX))
		return (addr | (MODULE_PAGE - 1)) + 1 - sym->addr;
	return next->addr - sym->addr;
}

void ev_syms_free(struct ev_syms *s)
{
	if (s)
		free(s->v);
	free(s);
}
