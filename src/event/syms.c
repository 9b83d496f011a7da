/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Symbol lookup in a kallsyms text. One that is sorted by address, as ftr records it, is searched
 * where it lies, so that the first line of a report touches a few pages of it; any other one, and a
 * sorted one after many searches, gets an index of offsets into the text.
 */
#include "event/event.h"

#include <ctype.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/mem.h"

/*
 * kallsyms has no sizes: a symbol reaches to the next one, but an address this far above is in no
 * function (a user address, or memory of a module that is gone).
 */
#define REACH_MAX	(16 << 20)
#define BUILTIN_REACH	4096	/* trampolines and probe slots lie in pages of their own */
#define MODULE_PAGE	4096	/* each part of a module takes whole pages */

#define LINE_MAX_LEN	1024	/* longer lines, or ... */
#define WALK_MAX	4096	/* more lines in a row that name nothing: the index is better */
#define TEXT_SEARCHES	16384	/* take twice as long as an index; but no thread waits */

struct sym {
	uint64_t addr;
	uint32_t name;		/* offset into the text */
	uint32_t rank;		/* among equal addresses: functions first */
};

struct sym_index {
	struct sym *v;
	size_t n, cap;
};

/* What a search gives: a symbol, and the next one, with an address of 0 for none. */
struct found {
	struct sym sym, next;
};

/* Any thread may ask: what changes is behind the lock, or made once and published by a release. */
struct ev_syms {
	const struct ev_loader *from;	/* of the text, NULL when it is here */
	const char *text;
	size_t      len;
	atomic_bool loaded;
	atomic_bool sorted;		/* by address; until a search meets something else */
	atomic_uint searches;		/* in the text */
	_Atomic(struct sym_index *) index;
	pthread_mutex_t lock;
};

struct ev_syms *ev_syms_new(const char *kallsyms, size_t len)
{
	struct ev_syms *s = xcalloc(1, sizeof(*s));

	s->text = kallsyms;
	s->len = kallsyms && len <= UINT32_MAX ? len : 0;
	s->loaded = true;
	pthread_mutex_init(&s->lock, NULL);
	return s;
}

struct ev_syms *ev_syms_new_lazy(const struct ev_loader *from)
{
	struct ev_syms *s = ev_syms_new(NULL, 0);

	s->from = from;
	s->loaded = !from;
	return s;
}

void ev_syms_sorted(struct ev_syms *s)
{
	s->sorted = true;
}

/* --- lines */

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

#define BYTES(b) (0x0101010101010101ULL * (b))

/* Eight digits at a time, as nearly all lines of 64-bit kernels have them: 0-9 and a-f. */
static bool hex8(const char *p, uint64_t *v)
{
	uint64_t x = get_u64(p, false), letters = x >> 6 & BYTES(1);
	uint64_t n = (x & BYTES(0x0f)) + letters * 9;

	/* letters alone are 10 and more, nothing is above 15, and these are the codes of both */
	if (((n + BYTES(6)) >> 4 & BYTES(0x0f)) != letters ||
	    n + BYTES('0') + letters * ('a' - 10 - '0') != x)
		return false;
	n = (n << 4 | n >> 8) & 0x00ff00ff00ff00ff;
	n = (n << 8 | n >> 16) & 0x0000ffff0000ffff;
	*v = *v << 32 | ((n << 16 | n >> 32) & 0xffffffff);
	return true;
}

/* Parses "ADDR T " at @p; returns where the name starts, or NULL. */
static const char *parse_head(const char *p, const char *end, uint64_t *addr, char *type)
{
	const char *start = p;

	*addr = 0;
	if (end - p > 16 && hex8(p, addr) && hex8(p + 8, addr))
		p += 16;
	else
		*addr = 0;
	for (; p < end && hex_value(*p) >= 0; p++)
		*addr = *addr << 4 | hex_value(*p);
	if (p == start || p - start > 16 || end - p < 4 || p[0] != ' ' || p[2] != ' ')
		return NULL;
	*type = p[1];
	return p + 3;
}

static bool is_type(char type, char this, char that)
{
	type &= ~0x20;	/* small for local ones */
	return type == this || type == that;
}

/*
 * The symbol of the line [p, end), false for none. Absolute symbols (per-CPU offsets on x86) are no
 * addresses. Data symbols stay: %ps of a pointer to data is named by the kernel too. Addresses read
 * as 0 when kptr_restrict hides them.
 */
static bool parse_line(const struct ev_syms *s, const char *p, const char *end, struct sym *sym)
{
	const char *name;
	char type;

	name = parse_head(p, end, &sym->addr, &type);
	if (!name || !sym->addr || !type || is_type(type, 'A', 'U') ||
	    !isgraph((unsigned char)*name))
		return false;
	sym->name = name - s->text;
	sym->rank = !is_type(type, 'T', 'W');
	return true;
}

/* --- the index */

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

static bool in_order(const struct sym_index *x)
{
	for (size_t i = 1; i < x->n; i++)
		if (compare(&x->v[i - 1], &x->v[i]) > 0)
			return false;
	return true;
}

static struct sym_index *build(const struct ev_syms *s)
{
	struct sym_index *x = xcalloc(1, sizeof(*x));
	const char *p = s->text, *end = p + s->len, *nl;
	struct sym sym;

	for (; p < end; p = nl + 1) {
		nl = memchr(p, '\n', end - p);
		if (!nl)
			nl = end;
		if (!parse_line(s, p, nl, &sym))
			continue;
		x->v = xgrow(x->v, &x->cap, x->n + 1, sizeof(*x->v));
		x->v[x->n++] = sym;
	}
	if (x->n && !in_order(x))
		qsort(x->v, x->n, sizeof(*x->v), compare);
	return x;
}

static const struct sym_index *get_index(struct ev_syms *s)
{
	struct sym_index *x = atomic_load_explicit(&s->index, memory_order_acquire);

	if (x)
		return x;
	pthread_mutex_lock(&s->lock);
	x = atomic_load_explicit(&s->index, memory_order_relaxed);
	if (!x) {
		x = build(s);
		atomic_store_explicit(&s->index, x, memory_order_release);
	}
	pthread_mutex_unlock(&s->lock);
	return x;
}

/* The first of the symbols with the largest address that is not above @addr. */
static bool index_search(const struct sym_index *x, uint64_t addr, struct found *f)
{
	size_t lo = 0, hi = x->n, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (x->v[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	f->next = lo < x->n ? x->v[lo] : (struct sym){0};
	if (!lo || addr - x->v[lo - 1].addr > REACH_MAX)
		return false;
	for (lo--; lo && x->v[lo - 1].addr == x->v[lo].addr; lo--)
		;
	f->sym = x->v[lo];
	return true;
}

/* --- a sorted text */

enum answer { NONE, FOUND, UNABLE };

/* Where the line of the byte at @at starts; SIZE_MAX: too far away. */
static size_t line_start(const struct ev_syms *s, size_t at)
{
	size_t from = at > LINE_MAX_LEN ? at - LINE_MAX_LEN : 0;
	const char *nl = memrchr(s->text + from, '\n', at - from);

	return nl ? (size_t)(nl - s->text) + 1 : from ? SIZE_MAX : 0;
}

/* Behind the line's newline, or the end of the text; SIZE_MAX: too far away. */
static size_t line_end(const struct ev_syms *s, size_t at)
{
	size_t left = s->len - at;
	const char *nl = memchr(s->text + at, '\n', left < LINE_MAX_LEN ? left : LINE_MAX_LEN);

	return nl ? (size_t)(nl - s->text) + 1 : left < LINE_MAX_LEN ? s->len : SIZE_MAX;
}

/*
 * Sets *at to the first line whose address is above @addr. The lines before and behind that place
 * have been looked at: whatever the rest of the text is like, they are in order.
 */
static bool text_bisect(const struct ev_syms *s, uint64_t addr, size_t *at)
{
	size_t lo = 0, hi = s->len, start, end;
	uint64_t here;
	char type;

	while (lo < hi) {
		start = line_start(s, lo + (hi - lo) / 2);
		end = start == SIZE_MAX ? SIZE_MAX : line_end(s, start);
		if (end == SIZE_MAX || !parse_head(s->text + start, s->text + end, &here, &type))
			return false;
		if (here <= addr)
			lo = end;
		else
			hi = start;
	}
	*at = lo;
	return true;
}

/* The best symbol of the largest address among the lines before @at. */
static enum answer text_back(const struct ev_syms *s, size_t at, uint64_t addr, struct sym *best)
{
	enum answer ret = NONE;
	struct sym sym;
	size_t start;

	for (int i = 0; at; i++, at = start) {
		start = line_start(s, at - 1);
		if (start == SIZE_MAX || i == WALK_MAX)
			return UNABLE;
		if (!parse_line(s, s->text + start, s->text + at, &sym))
			continue;
		if (sym.addr > addr)
			return UNABLE;
		if (addr - sym.addr > REACH_MAX || (ret == FOUND && sym.addr != best->addr))
			break;
		if (ret == NONE || sym.rank <= best->rank)
			*best = sym;
		ret = FOUND;
	}
	return ret;
}

static bool text_next(const struct ev_syms *s, size_t at, struct sym *next)
{
	size_t end;

	*next = (struct sym){0};
	for (int i = 0; at < s->len; i++, at = end) {
		end = line_end(s, at);
		if (end == SIZE_MAX || i == WALK_MAX)
			return false;
		if (parse_line(s, s->text + at, s->text + end, next))
			return true;
	}
	*next = (struct sym){0};
	return true;
}

static enum answer text_search(const struct ev_syms *s, uint64_t addr, struct found *f)
{
	enum answer ret;
	size_t at;

	if (!text_bisect(s, addr, &at) || !text_next(s, at, &f->next))
		return UNABLE;
	ret = text_back(s, at, addr, &f->sym);
	return ret == FOUND && f->next.addr && f->next.addr <= f->sym.addr ? UNABLE : ret;
}

/* --- both */

static void load_text(struct ev_syms *s)
{
	size_t len;

	pthread_mutex_lock(&s->lock);
	if (!s->loaded) {
		s->text = s->from->text(s->from->ctx, EV_KALLSYMS, &len);
		s->len = s->text && len <= UINT32_MAX ? len : 0;
		atomic_store_explicit(&s->loaded, true, memory_order_release);
	}
	pthread_mutex_unlock(&s->lock);
}

/* The text is good for this search: sorted as far as was seen, and the index not yet due. */
static bool text_will_do(struct ev_syms *s)
{
	return atomic_load_explicit(&s->sorted, memory_order_relaxed) &&
	       atomic_fetch_add_explicit(&s->searches, 1, memory_order_relaxed) < TEXT_SEARCHES;
}

static bool search(struct ev_syms *s, uint64_t addr, struct found *f)
{
	const struct sym_index *x;
	enum answer ret;

	if (!atomic_load_explicit(&s->loaded, memory_order_acquire))
		load_text(s);
	x = atomic_load_explicit(&s->index, memory_order_acquire);
	if (!x && text_will_do(s)) {
		ret = text_search(s, addr, f);
		if (ret != UNABLE)
			return ret == FOUND;
		s->sorted = false;
	}
	return index_search(x ? x : get_index(s), addr, f);
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

bool ev_syms_listed_only(const char *mod, size_t len)
{
	static const char builtin[] = "__builtin__";

	return mod && len >= sizeof(builtin) - 1 && !memcmp(mod, builtin, sizeof(builtin) - 1);
}

/* Not bpf programs, nor what the kernel made itself: they lie anywhere. */
static bool is_module(const char *mod, size_t len)
{
	return mod && !ev_syms_listed_only(mod, len) && (len != 3 || memcmp(mod, "bpf", 3) != 0);
}

/* The module of a symbol, NULL for the kernel's own. */
static const char *module_of(const struct ev_syms *s, const struct sym *sym, size_t *len)
{
	const char *name = s->text + sym->name, *end = s->text + s->len, *mod;

	find_module(name + word_len(name, end), end, &mod, len);
	return mod;
}

/*
 * Where the symbol that was found ends: at the next one; the last one of a module (@mod) where its
 * pages end.
 */
static uint64_t end_of(const struct ev_syms *s, const struct found *f, const char *mod, size_t len)
{
	uint64_t page_end = (f->sym.addr | (MODULE_PAGE - 1)) + 1;
	const char *next_mod;
	size_t next_len;

	if (!f->next.addr)
		return page_end;
	if (!is_module(mod, len))
		return f->next.addr;
	next_mod = module_of(s, &f->next, &next_len);
	if (next_mod && next_len == len && !memcmp(next_mod, mod, len))
		return f->next.addr;
	return f->next.addr < page_end ? f->next.addr : page_end;
}

const char *ev_syms_find(struct ev_syms *s, uint64_t addr, size_t *name_len, const char **mod,
			 size_t *mod_len, uint64_t *off)
{
	const char *name;
	struct found f;

	if (!s || !search(s, addr, &f))
		return NULL;
	name = s->text + f.sym.name;
	*name_len = word_len(name, s->text + s->len);
	*mod = module_of(s, &f.sym, mod_len);
	*off = addr - f.sym.addr;
	if (*mod && ev_syms_listed_only(*mod, *mod_len))
		return *off < BUILTIN_REACH ? name : NULL;
	if (is_module(*mod, *mod_len) && addr >= end_of(s, &f, *mod, *mod_len))
		return NULL;
	return name;
}

uint64_t ev_syms_size(struct ev_syms *s, uint64_t addr)
{
	const char *mod;
	struct found f;
	size_t len;

	if (!s || !search(s, addr, &f))
		return 0;
	mod = module_of(s, &f.sym, &len);
	return end_of(s, &f, mod, len) - f.sym.addr;
}

void ev_syms_free(struct ev_syms *s)
{
	struct sym_index *x = s ? s->index : NULL;

	if (x)
		free(x->v);
	free(x);
	if (s)
		pthread_mutex_destroy(&s->lock);
	free(s);
}
