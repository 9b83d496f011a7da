/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Symbol lookup in a kallsyms text. One that is sorted by address, as ftr records it, is searched
 * where it lies, so that the first line of a report touches a few pages of it; or a part of it is,
 * where it need not be decompressed as a whole for that. Any other one, and a sorted one after many
 * searches, gets an index of offsets into the text.
 */
#include "event/data/data.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/search.h"
#include "base/sym_lines.h"
#include "event/data/symlife.h"

/*
 * kallsyms has no sizes: a symbol reaches to the next one, but an address this far above is in no
 * function (a user address, or memory of a module that is gone).
 */
#define REACH_MAX	(16 << 20)
#define BUILTIN_REACH	4096	/* trampolines and probe slots lie in pages of their own */
#define MODULE_PAGE	4096	/* each part of a module takes whole pages */

#define LINE_MAX_LEN	LIMIT_SYMBOL_LINE	/* longer lines, or ... */
#define WALK_MAX	4096	/* more lines in a row that name nothing: the index is better */
#define OTHERS_MAX	1024	/* symbols of other times that lie within a function */
#define TEXT_SEARCHES	16384	/* take twice as long as an index; but no thread waits */

/* Some lines, or all of them. */
struct span {
	const char *text;
	size_t      len;
	bool        begins, ends;	/* there are no lines before or behind it */
};

struct sym {
	uint64_t addr;
	uint32_t name;		/* offset into the text of the span */
	uint32_t rank;		/* among equal addresses: functions first */
};

struct sym_index {
	struct sym *v;
	size_t n, cap;
	uint32_t *lives;		/* of each symbol, symlife.h; NULL: always */
};

/* What a search gives: a symbol, and the next one, with an address of 0 for none. */
struct found {
	struct sym sym, next;
	struct span in;
};

/* Any thread may ask: what changes is behind the lock, or made once and published by a release. */
struct ev_syms {
	const struct ev_loader *from;	/* of the text, NULL when it is here */
	struct span all;
	size_t      left_out;		/* lines behind it */
	atomic_bool loaded;
	atomic_bool sorted;		/* by address; until a search meets something else */
	atomic_uint searches;		/* in the text */
	_Atomic(struct sym_index *) index;
	pthread_mutex_t lock;
	struct lives *lives;		/* NULL: the same symbols at any time */
	struct ev_syms *of;		/* of a view: whose it is */
	uint32_t when;			/* of a view: its time, symlife.h */
};

/* Takes a text as far as it has not too many lines. */
static void set_syms_text(struct ev_syms *s, const char *text, size_t len)
{
	const char *p = text, *end, *nl;
	size_t n = 0;

	s->all = (struct span){ text, text && len <= UINT32_MAX ? len : 0, true, true };
	/* as few bytes can't be so many lines */
	if (s->all.len / strlen("1 T a\n") <= LIMIT_SYMBOLS)
		return;
	for (end = text + len; p < end; p = nl + 1) {
		if (n++ == LIMIT_SYMBOLS)
			s->all.len = p - text;
		nl = memchr(p, '\n', end - p);
		if (!nl)
			break;
	}
	s->left_out = n > LIMIT_SYMBOLS ? n - LIMIT_SYMBOLS : 0;
}

struct ev_syms *ev_syms_new(const char *kallsyms, size_t len)
{
	struct ev_syms *s = xcalloc(1, sizeof(*s));

	set_syms_text(s, kallsyms, len);
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

uint64_t *ev_syms_times(struct ev_syms *s, const char *text, size_t len, size_t *n)
{
	*n = 0;
	s->lives = lives_new(text, len);
	return s->lives ? lives_moments(s->lives, n) : NULL;
}

bool ev_syms_timed(const struct ev_syms *s)
{
	return s && s->lives;
}

struct ev_syms *ev_syms_view(struct ev_syms *of)
{
	struct ev_syms *s = ev_syms_new(NULL, 0);

	s->of = of;
	s->when = LIVES_LAST;
	return s;
}

bool ev_syms_turn(struct ev_syms *s, uint64_t ts)
{
	uint32_t when = lives_when(s->of->lives, ts);
	bool other = when != s->when;

	s->when = when;
	return other;
}

/* --- lines */

/* The symbol of the line [p, end), false for none. */
static bool parse_sym_line(const struct span *in, const char *p, const char *end, struct sym *sym)
{
	char type;
	const char *name = sym_line_name(p, end, &sym->addr, &type);

	if (!name)
		return false;
	sym->name = name - in->text;
	sym->rank = !sym_is_type(type, 'T', 'W');
	return true;
}

uint64_t sym_text_find(const char *text, size_t len, const char *name)
{
	char *word = xasprintf(" %s\n", name), type;
	const char *at = text ? memmem(text, len, word, strlen(word)) : NULL, *line = at;
	uint64_t addr = 0;

	while (line > text && line[-1] != '\n')
		line--;
	if (at && sym_line_head(line, text + len, &addr, &type) != at + 1)
		addr = 0;
	free(word);
	return addr;
}

/* --- the index */

/* Ties: functions before data, then the order of the file, which is the kernel's. */
static int compare_syms(const void *a, const void *b)
{
	const struct sym *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return (x->name > y->name) - (x->name < y->name);
}

/* The module of a symbol, NULL for the kernel's own. */
static const char *module_of(const struct span *in, const struct sym *sym, size_t *len)
{
	const char *name = in->text + sym->name, *end = in->text + in->len, *mod;

	sym_line_module(name + sym_word_len(name, end), end, &mod, len);
	return mod;
}

static void find_lives(const struct ev_syms *s, struct sym_index *x)
{
	const char *mod;
	size_t i, len;

	x->lives = xcalloc(x->n + 1, sizeof(*x->lives));
	for (i = 0; i < x->n; i++) {
		mod = module_of(&s->all, &x->v[i], &len);
		x->lives[i] = mod ? lives_of(s->lives, mod, len, x->v[i].addr) : 0;
	}
}

/* Of several at one address only the first is ever asked for. */
static void drop_equals(struct sym_index *x)
{
	size_t i, n = x->n != 0;

	for (i = 1; i < x->n; i++)
		if (x->v[i].addr != x->v[n - 1].addr)
			x->v[n++] = x->v[i];
	x->n = n;
}

/* False: it does not belong behind the others. */
static bool push_sym(const struct ev_syms *s, struct sym_index *x, const struct sym *sym)
{
	const struct sym *last = x->n ? &x->v[x->n - 1] : NULL;
	bool in_order = true;

	if (last && last->addr >= sym->addr) {
		in_order = compare_syms(last, sym) < 0;
		if (in_order && !s->lives)
			return true;
	}
	x->v = xgrow(x->v, &x->cap, x->n + 1, sizeof(*x->v));
	x->v[x->n++] = *sym;
	return in_order;
}

static struct sym_index *build_index(const struct ev_syms *s)
{
	struct sym_index *x = xcalloc(1, sizeof(*x));
	const char *p = s->all.text, *end = p + s->all.len, *nl;
	bool sorted = true;
	struct sym sym;

	for (; p < end; p = nl + 1) {
		nl = memchr(p, '\n', end - p);
		if (!nl)
			nl = end;
		if (nl - p <= LINE_MAX_LEN && parse_sym_line(&s->all, p, nl, &sym))
			sorted &= push_sym(s, x, &sym);
	}
	if (!sorted)
		qsort(x->v, x->n, sizeof(*x->v), compare_syms);
	if (s->lives)
		find_lives(s, x);
	else if (!sorted)
		drop_equals(x);
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
		x = build_index(s);
		atomic_store_explicit(&s->index, x, memory_order_release);
	}
	pthread_mutex_unlock(&s->lock);
	return x;
}

/* Where the symbols above @addr begin. */
static size_t index_above(const struct sym_index *x, uint64_t addr)
{
	return SEARCH_ABOVE(i, 0, x->n, x->v[i].addr <= addr);
}

/* The symbol with the largest address that is not above @addr. */
static bool index_search(const struct sym_index *x, uint64_t addr, struct found *f)
{
	size_t lo = index_above(x, addr);

	f->next = lo < x->n ? x->v[lo] : (struct sym){0};
	if (!lo || addr - x->v[lo - 1].addr > REACH_MAX)
		return false;
	f->sym = x->v[lo - 1];
	return true;
}

/* The same among the symbols that were there then. */
static bool index_search_when(const struct sym_index *x, const struct lives *l, uint32_t when,
			      uint64_t addr, struct found *f)
{
	size_t above = index_above(x, addr), i, end = above + OTHERS_MAX;
	const struct sym *best = NULL, *v = x->v;

	for (i = above; i < x->n && i < end && !lives_have(l, x->lives[i], when); i++)
		;
	f->next = i < x->n && i < end ? v[i] : (struct sym){0};
	end = above < OTHERS_MAX ? 0 : above - OTHERS_MAX;
	for (i = above; i-- > end && (!best || v[i].addr == best->addr);)
		if (lives_have(l, x->lives[i], when))
			best = &v[i];
	if (!best || addr - best->addr > REACH_MAX)
		return false;
	f->sym = *best;
	return true;
}

/* --- a sorted text */

enum answer { NONE, FOUND, UNABLE };

/* Where the line of the byte at @at starts; SIZE_MAX: too far away. */
static size_t span_line_start(const struct span *in, size_t at)
{
	size_t from = at > LINE_MAX_LEN ? at - LINE_MAX_LEN : 0;
	const char *nl = memrchr(in->text + from, '\n', at - from);

	return nl ? (size_t)(nl - in->text) + 1 : from ? SIZE_MAX : 0;
}

/* Behind the line's newline, or the end of the text; SIZE_MAX: too far away. */
static size_t span_line_end(const struct span *in, size_t at)
{
	size_t left = in->len - at;
	const char *nl = memchr(in->text + at, '\n', left < LINE_MAX_LEN ? left : LINE_MAX_LEN);

	return nl ? (size_t)(nl - in->text) + 1 : left < LINE_MAX_LEN ? in->len : SIZE_MAX;
}

/*
 * Sets *at to the first line whose address is above @addr. The lines before and behind that place
 * have been looked at: whatever the rest of the text is like, they are in order.
 */
static bool text_bisect(const struct span *in, uint64_t addr, size_t *at)
{
	size_t lo = 0, hi = in->len, start, end;
	uint64_t here;
	char type;

	while (lo < hi) {
		start = span_line_start(in, lo + (hi - lo) / 2);
		end = start == SIZE_MAX ? SIZE_MAX : span_line_end(in, start);
		if (end == SIZE_MAX || !sym_line_head(in->text + start, in->text + end, &here,
						       &type))
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
static enum answer text_back(const struct span *in, size_t at, uint64_t addr, struct sym *best)
{
	enum answer ret = NONE;
	struct sym sym;
	size_t start;

	for (int i = 0; at; i++, at = start) {
		start = span_line_start(in, at - 1);
		if (start == SIZE_MAX || i == WALK_MAX)
			return UNABLE;
		if (!parse_sym_line(in, in->text + start, in->text + at, &sym))
			continue;
		if (sym.addr > addr)
			return UNABLE;
		if (addr - sym.addr > REACH_MAX || (ret == FOUND && sym.addr != best->addr))
			break;
		if (ret == NONE || sym.rank <= best->rank)
			*best = sym;
		ret = FOUND;
	}
	return at || in->begins ? ret : UNABLE;
}

static bool text_next(const struct span *in, size_t at, struct sym *next)
{
	size_t end;

	*next = (struct sym){0};
	for (int i = 0; at < in->len; i++, at = end) {
		end = span_line_end(in, at);
		if (end == SIZE_MAX || i == WALK_MAX)
			return false;
		if (parse_sym_line(in, in->text + at, in->text + end, next))
			return true;
	}
	*next = (struct sym){0};
	return in->ends;
}

static enum answer text_search(const struct span *in, uint64_t addr, struct found *f)
{
	enum answer ret;
	size_t at;

	if (!text_bisect(in, addr, &at) || !text_next(in, at, &f->next))
		return UNABLE;
	ret = text_back(in, at, addr, &f->sym);
	return ret == FOUND && f->next.addr && f->next.addr <= f->sym.addr ? UNABLE : ret;
}

/* In the lines that are there without the rest. At their edges some more are needed. */
static enum answer near_search(const struct ev_loader *from, uint64_t addr, struct found *f)
{
	enum answer ret = UNABLE;
	struct ev_near some;
	size_t more;

	for (more = 0; ret == UNABLE && more < 2; more++) {
		if (!from->near(from->ctx, addr, more, &some))
			return UNABLE;
		f->in = (struct span){ some.p, some.len, some.begins, some.ends };
		ret = text_search(&f->in, addr, f);
	}
	return ret;
}

/* --- both */

static void load_text(struct ev_syms *s)
{
	const char *text;
	size_t len;

	pthread_mutex_lock(&s->lock);
	if (!s->loaded) {
		text = s->from->text(s->from->ctx, EV_KALLSYMS, &len);
		set_syms_text(s, text, len);
		atomic_store_explicit(&s->loaded, true, memory_order_release);
	}
	pthread_mutex_unlock(&s->lock);
}

static void ensure_text(struct ev_syms *s)
{
	if (!atomic_load_explicit(&s->loaded, memory_order_acquire))
		load_text(s);
}

/* The text is good for this search: sorted as far as was seen, and the index not yet due. */
static bool text_will_do(struct ev_syms *s)
{
	return !s->lives && atomic_load_explicit(&s->sorted, memory_order_relaxed) &&
	       atomic_fetch_add_explicit(&s->searches, 1, memory_order_relaxed) < TEXT_SEARCHES;
}

/* Before all of the text is there. */
static enum answer search_parts(struct ev_syms *s, uint64_t addr, struct found *f)
{
	if (atomic_load_explicit(&s->loaded, memory_order_acquire) || !s->from->near ||
	    !text_will_do(s))
		return UNABLE;
	return near_search(s->from, addr, f);
}

static enum answer search_whole(struct ev_syms *s, uint64_t addr, struct found *f)
{
	const struct sym_index *x = atomic_load_explicit(&s->index, memory_order_acquire);
	enum answer ret = UNABLE;

	f->in = s->all;
	if (!x && text_will_do(s)) {
		ret = text_search(&s->all, addr, f);
		if (ret == UNABLE)
			s->sorted = false;
	}
	if (ret != UNABLE)
		return ret;
	return index_search(x ? x : get_index(s), addr, f) ? FOUND : NONE;
}

static bool search_when(struct ev_syms *s, uint32_t when, uint64_t addr, struct found *f)
{
	enum answer ret = search_parts(s, addr, f);

	if (ret != UNABLE)
		return ret == FOUND;
	ensure_text(s);
	if (!s->lives)
		return search_whole(s, addr, f) == FOUND;
	f->in = s->all;
	return index_search_when(get_index(s), s->lives, when, addr, f);
}

bool ev_syms_listed_only(const char *mod, size_t len)
{
	static const char builtin[] = "__builtin__";

	return mod && len >= sizeof(builtin) - 1 && !memcmp(mod, builtin, sizeof(builtin) - 1);
}

/* Not bpf programs, nor what the kernel made itself: they lie anywhere. */
static bool is_real_module(const char *mod, size_t len)
{
	return mod && !ev_syms_listed_only(mod, len) && (len != 3 || memcmp(mod, "bpf", 3) != 0);
}

/*
 * Where the symbol that was found ends: at the next one; the last one of a module (@mod) where its
 * pages end.
 */
static uint64_t sym_end_addr(const struct found *f, const char *mod, size_t len)
{
	uint64_t page_end = (f->sym.addr | (MODULE_PAGE - 1)) + 1;
	const char *next_mod;
	size_t next_len;

	if (!f->next.addr)
		return page_end;
	if (!is_real_module(mod, len))
		return f->next.addr;
	next_mod = module_of(&f->in, &f->next, &next_len);
	if (next_mod && next_len == len && !memcmp(next_mod, mod, len))
		return f->next.addr;
	return f->next.addr < page_end ? f->next.addr : page_end;
}

static const char *find_sym_name(struct ev_syms *s, uint32_t when, uint64_t addr, size_t *name_len,
				 const char **mod, size_t *mod_len, uint64_t *off)
{
	const char *name;
	struct found f;

	if (!search_when(s, when, addr, &f))
		return NULL;
	name = f.in.text + f.sym.name;
	*name_len = sym_word_len(name, f.in.text + f.in.len);
	*mod = module_of(&f.in, &f.sym, mod_len);
	*off = addr - f.sym.addr;
	if (*mod && ev_syms_listed_only(*mod, *mod_len))
		return *off < BUILTIN_REACH ? name : NULL;
	if (is_real_module(*mod, *mod_len) && addr >= sym_end_addr(&f, *mod, *mod_len))
		return NULL;
	return name;
}

const char *ev_syms_find(struct ev_syms *s, uint64_t addr, size_t *name_len, const char **mod,
			 size_t *mod_len, uint64_t *off)
{
	if (!s)
		return NULL;
	return s->of ? find_sym_name(s->of, s->when, addr, name_len, mod, mod_len, off) :
		       find_sym_name(s, LIVES_LAST, addr, name_len, mod, mod_len, off);
}

bool ev_syms_moving(const struct ev_syms *s, uint64_t addr)
{
	return s && s->lives && lives_touch(s->lives, addr);
}

const char *ev_syms_find_at(struct ev_syms *s, uint64_t ts, uint64_t addr, size_t *name_len,
			    uint64_t *off)
{
	const char *mod;
	size_t mod_len;

	return find_sym_name(s, lives_when(s->lives, ts), addr, name_len, &mod, &mod_len, off);
}

uint64_t ev_syms_size(struct ev_syms *s, uint64_t addr)
{
	uint32_t when = s && s->of ? s->when : LIVES_LAST;
	const char *mod;
	struct found f;
	size_t len;

	if (s && s->of)
		s = s->of;
	if (!s || !search_when(s, when, addr, &f))
		return 0;
	mod = module_of(&f.in, &f.sym, &len);
	return sym_end_addr(&f, mod, len) - f.sym.addr;
}

size_t ev_syms_left_out(struct ev_syms *s)
{
	if (!s)
		return 0;
	s = s->of ? s->of : s;
	return atomic_load_explicit(&s->loaded, memory_order_acquire) ? s->left_out : 0;
}

void ev_syms_free(struct ev_syms *s)
{
	struct sym_index *x = s ? s->index : NULL;

	if (x) {
		free(x->v);
		free(x->lives);
	}
	free(x);
	if (s) {
		lives_free(s->lives);
		pthread_mutex_destroy(&s->lock);
	}
	free(s);
}
