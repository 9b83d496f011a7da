/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Symbol lookup in a kallsyms text. A text that is sorted by address, as ftr records it, is
 * searched in place, so that the first line of a report touches a few pages of it. If the text is
 * compressed only the parts around an address are decompressed. An unsorted text, and a sorted one
 * after many searches, gets an index of offsets into the text.
 *
 * kallsyms has no sizes, so an address in code that is gone (init functions, unloaded modules)
 * would be shown by the symbol before it. A module's memory consists of whole pages: the last
 * symbol of a module reaches to the end of its page. Addresses after it stay numbers, as in the
 * kernel.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/search.h"
#include "base/sym_lines.h"
#include "event/data/data.h"

#define MOMENT_LAST UINT32_MAX	/* the time after all others */

/* --- times at which the symbols of modules exist: memory of one module becomes another's */

#define FUNCTION_MAX (1 << 16)	/* largest size of a function in bytes */
#define NAME_MAX_LEN 64		/* bytes; the kernel's MODULE_NAME_LEN is less */

struct time_span {
	uint64_t from, until;	/* times; 0, UINT64_MAX: without an end */
	uint32_t first, end;	/* the same as numbers of moments; UINT32_MAX: without an end */
};

/* Symbols of one module, from the first to the last address. */
struct module_symbols {
	uint64_t first, last;
	const char *mod;
	size_t mod_len;
	uint32_t span, nr_spans;	/* in sym_times.spans */
};

struct sym_times {
	struct module_symbols *runs;	/* by module, then by address */
	struct time_span *spans;
	uint64_t *moments;	/* times at which something changes, in order */
	size_t nr_runs, cap_runs, nr_spans, cap_spans, nr_moments, cap_moments;
	uint64_t low, high;	/* the lowest and highest address of ->runs */
};

/* --- parsing */

static bool parse_times_number(const char **p, const char *end, unsigned int base, uint64_t *v)
{
	static const char digits[] = "0123456789abcdef";
	const char *start = *p, *at;

	for (*v = 0; *p < end && (at = memchr(digits, **p, base)); (*p)++)
		if (__builtin_mul_overflow(*v, base, v) ||
		    __builtin_add_overflow(*v, (uint64_t)(at - digits), v))
			return false;
	return *p > start;
}

static bool parse_char(const char **p, const char *end, char c)
{
	return *p < end && *(*p)++ == c;
}

/* Parses "FROM-UNTIL" or "FROM-". Returns false if it is invalid or starts before @after. */
static bool parse_time_span(struct sym_times *t, const char **p, const char *end, uint64_t after)
{
	struct time_span s = { .until = UINT64_MAX };

	if (!parse_times_number(p, end, 10, &s.from) || !parse_char(p, end, '-'))
		return false;
	if (*p < end && **p != ',' && !parse_times_number(p, end, 10, &s.until))
		return false;
	if (s.from < after || s.until < s.from)
		return false;
	t->spans = xgrow(t->spans, &t->cap_spans, t->nr_spans + 1, sizeof(*t->spans));
	t->spans[t->nr_spans++] = s;
	return true;
}

/* Parses "FIRST LAST MODULE SPAN,SPAN,..." without its ";". Returns false if it is invalid. */
static bool parse_run(struct sym_times *t, const char *p, const char *end, struct module_symbols *r)
{
	const char *blank;
	uint64_t after = 0;

	if (!parse_times_number(&p, end, 16, &r->first) || !parse_char(&p, end, ' ') ||
	    !parse_times_number(&p, end, 16, &r->last) || !parse_char(&p, end, ' '))
		return false;
	blank = memchr(p, ' ', end - p);
	if (!blank || blank == p || blank - p > NAME_MAX_LEN || r->last < r->first)
		return false;
	r->mod = p;
	r->mod_len = blank - p;
	r->span = t->nr_spans;
	for (p = blank; p < end; r->nr_spans++) {
		if (!parse_char(&p, end, r->nr_spans ? ',' : ' ') ||
		    !parse_time_span(t, &p, end, after))
			return false;
		after = t->spans[t->nr_spans - 1].until;
	}
	return r->nr_spans;
}

static int compare_module(const struct module_symbols *r, const char *mod, size_t len)
{
	int ret = memcmp(r->mod, mod, r->mod_len < len ? r->mod_len : len);

	return ret ? ret : (r->mod_len > len) - (r->mod_len < len);
}

static int by_module_first(const void *a, const void *b)
{
	const struct module_symbols *x = a, *y = b;
	int ret = compare_module(x, y->mod, y->mod_len);

	if (ret)
		return ret;
	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return (x->mod > y->mod) - (x->mod < y->mod);
}

static void sym_times_free(struct sym_times *t)
{
	if (!t)
		return;
	free(t->runs);
	free(t->spans);
	free(t->moments);
	free(t);
}

static uint32_t sym_times_number(const struct sym_times *t, uint64_t ts)
{
	return SEARCH_ABOVE(i, 0, t->nr_moments, t->moments[i] <= ts);
}

static void add_moment(struct sym_times *t, uint64_t at)
{
	t->moments = xgrow(t->moments, &t->cap_moments, t->nr_moments + 1, sizeof(*t->moments));
	t->moments[t->nr_moments++] = at;
}

/* Collects the moments of all spans in order, and sets ->first and ->end of the spans. */
static void number_spans(struct sym_times *t)
{
	struct time_span *s, *end = t->spans + t->nr_spans;
	size_t i, n = 0;

	for (s = t->spans; s < end; s++) {
		if (s->from)
			add_moment(t, s->from);
		if (s->until != UINT64_MAX)
			add_moment(t, s->until);
	}
	if (t->nr_moments)
		qsort(t->moments, t->nr_moments, sizeof(*t->moments), u64_compare);
	for (i = 0; i < t->nr_moments; i++)
		if (!n || t->moments[n - 1] != t->moments[i])
			t->moments[n++] = t->moments[i];
	t->nr_moments = n;
	for (s = t->spans; s < end; s++) {
		s->first = s->from ? sym_times_number(t, s->from) : 0;
		s->end = s->until == UINT64_MAX ? UINT32_MAX : sym_times_number(t, s->until);
	}
}

/*
 * Parses "symbol_times" of trace.dat(5): @text of @len bytes, borrowed. Times become small numbers:
 * the number of moments with a change up to the time. Returns NULL if the text has no times.
 */
static struct sym_times *sym_times_new(const char *text, size_t len)
{
	const char *p = text, *end = text + len, *stop;
	struct sym_times *t;
	struct module_symbols r;
	size_t had;

	if (!text || len >= UINT32_MAX)
		return NULL;
	t = xcalloc(1, sizeof(*t));
	t->low = UINT64_MAX;
	for (; p < end; p = stop + 1) {
		stop = memchr(p, ';', end - p);
		if (!stop)
			stop = end;
		r = (struct module_symbols){0};
		had = t->nr_spans;
		if (!parse_run(t, p, stop, &r)) {
			t->nr_spans = had;
			continue;
		}
		t->runs = xgrow(t->runs, &t->cap_runs, t->nr_runs + 1, sizeof(*t->runs));
		t->runs[t->nr_runs++] = r;
		t->low = r.first < t->low ? r.first : t->low;
		t->high = r.last > t->high ? r.last : t->high;
	}
	if (!t->nr_runs) {
		sym_times_free(t);
		return NULL;
	}
	qsort(t->runs, t->nr_runs, sizeof(*t->runs), by_module_first);
	number_spans(t);
	return t;
}

/* Returns true for a run of a module before @mod, or of @mod and not above @addr. */
static bool run_starts_by(const struct module_symbols *r, const char *mod, size_t mod_len,
			  uint64_t addr)
{
	int diff = compare_module(r, mod, mod_len);

	return diff < 0 || (!diff && r->first <= addr);
}

/* Returns the run of a symbol as a number for sym_times_have(); 0: the symbol always exists. */
static uint32_t sym_times_run(const struct sym_times *t, const char *mod, size_t mod_len,
			      uint64_t addr)
{
	size_t n;

	if (addr < t->low || addr > t->high || mod_len > NAME_MAX_LEN)
		return 0;
	n = SEARCH_ABOVE(i, 0, t->nr_runs, run_starts_by(&t->runs[i], mod, mod_len, addr));
	if (!n || compare_module(&t->runs[n - 1], mod, mod_len) || addr > t->runs[n - 1].last)
		return 0;
	return n;
}

/* Returns true if a symbol of the run number @run exists at the moment number @when. */
static bool sym_times_have(const struct sym_times *t, uint32_t run, uint32_t when)
{
	const struct module_symbols *r = run ? &t->runs[run - 1] : NULL;
	const struct time_span *s = r ? t->spans + r->span : NULL;
	size_t n;

	if (!r)
		return true;
	if (when > t->nr_moments)
		when = t->nr_moments;
	n = SEARCH_ABOVE(i, 0, r->nr_spans, s[i].first <= when);
	return n && when < s[n - 1].end;
}

/* --- symbols */

/*
 * kallsyms has no sizes: a symbol reaches to the next one, but an address this far above is in no
 * function (a user address, or memory of a module that is gone).
 */
#define REACH_MAX	(16 << 20)
#define BUILTIN_REACH	4096	/* trampolines and probe slots have separate pages */
#define MODULE_PAGE	4096	/* each part of a module takes whole pages */

#define LINE_MAX_LEN	LIMIT_SYMBOL_LINE	/* bytes; if a line is longer, or ... */
#define WALK_MAX	4096	/* more lines in a row have no symbol, the index is better */
#define OTHERS_MAX	1024	/* most symbols of other times within a function */
#define TEXT_SEARCHES	16384	/* searches take twice the time of an index, but no thread waits */

/* Some lines of the text, or all of it. */
struct kallsyms_lines {
	const char *text;
	size_t      len;
	bool        begins, ends;	/* there are no lines before or after it */
};

struct kallsyms_symbol {
	uint64_t addr;
	uint32_t name;		/* offset into the text of the span */
	uint32_t rank;		/* among equal addresses: functions first */
};

struct sym_index {
	struct kallsyms_symbol *v;
	size_t n, cap;
	uint32_t *times;		/* sym_times_run() of each symbol; NULL: all always exist */
};

/* The result of a search: a symbol, and the next one, whose address is 0 if there is none. */
struct found_symbol {
	struct kallsyms_symbol sym, next;
	struct kallsyms_lines in;
};

/*
 * Any thread may search: members that change are under the lock, or are set once and published by a
 * release.
 */
struct ev_syms {
	const struct ev_loader *from;	/* loads the text; NULL if it is in memory */
	struct kallsyms_lines all;
	size_t      left_out;		/* number of lines after ->all */
	atomic_bool loaded;
	atomic_bool sorted;		/* by address, unless a search has found otherwise */
	atomic_uint searches;		/* number of searches in the text */
	_Atomic(struct sym_index *) index;
	pthread_mutex_t lock;
	struct sym_times *times;	/* NULL: the same symbols at any time */
	struct ev_syms *of;		/* the symbols that a view shows */
	uint32_t when;			/* of a view: its time, sym_times_number() */
};

/* Sets the text, up to LIMIT_SYMBOLS lines of it. */
static void set_syms_text(struct ev_syms *s, const char *text, size_t len)
{
	const char *p = text, *end, *nl;
	size_t n = 0;

	s->all = (struct kallsyms_lines){ text, text && len <= UINT32_MAX ? len : 0, true, true };
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
	s->times = sym_times_new(text, len);
	if (!s->times)
		return NULL;
	*n = s->times->nr_moments;
	return s->times->moments;
}

bool ev_syms_timed(const struct ev_syms *s)
{
	return s && s->times;
}

struct ev_syms *ev_syms_view(struct ev_syms *of)
{
	struct ev_syms *s = ev_syms_new(NULL, 0);

	s->of = of;
	s->when = MOMENT_LAST;
	return s;
}

bool ev_syms_turn(struct ev_syms *s, uint64_t ts)
{
	uint32_t when = sym_times_number(s->of->times, ts);
	bool other = when != s->when;

	s->when = when;
	return other;
}

/* --- lines */

/* Parses the line [p, end). Returns false if it has no symbol. */
static bool parse_sym_line(const struct kallsyms_lines *in, const char *p, const char *end,
			   struct kallsyms_symbol *sym)
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
	const struct kallsyms_symbol *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return (x->name > y->name) - (x->name < y->name);
}

/* Returns the module of a symbol, NULL if it belongs to the kernel itself. */
static const char *sym_module(const struct kallsyms_lines *in, const struct kallsyms_symbol *sym,
			      size_t *len)
{
	const char *name = in->text + sym->name, *end = in->text + in->len, *mod;

	sym_line_module(name + sym_word_len(name, end), end, &mod, len);
	return mod;
}

static struct sym_index *build_index(const struct ev_syms *s)
{
	struct sym_index *x = xcalloc(1, sizeof(*x));
	const char *p = s->all.text, *end = p + s->all.len, *nl, *mod;
	const struct kallsyms_symbol *last;
	bool sorted = true;
	struct kallsyms_symbol sym;
	size_t i, n, len;

	for (; p < end; p = nl + 1) {
		nl = memchr(p, '\n', end - p);
		if (!nl)
			nl = end;
		if (nl - p > LINE_MAX_LEN || !parse_sym_line(&s->all, p, nl, &sym))
			continue;
		last = x->n ? &x->v[x->n - 1] : NULL;
		if (last && last->addr >= sym.addr) {
			if (compare_syms(last, &sym) >= 0)
				sorted = false;
			else if (!s->times)
				continue;
		}
		x->v = xgrow(x->v, &x->cap, x->n + 1, sizeof(*x->v));
		x->v[x->n++] = sym;
	}
	if (!sorted)
		qsort(x->v, x->n, sizeof(*x->v), compare_syms);
	if (s->times) {
		x->times = xcalloc(x->n + 1, sizeof(*x->times));
		for (i = 0; i < x->n; i++) {
			mod = sym_module(&s->all, &x->v[i], &len);
			x->times[i] = mod ? sym_times_run(s->times, mod, len, x->v[i].addr) : 0;
		}
	} else if (!sorted) {
		/* lookups return only the first symbol of an address */
		for (i = n = 1; i < x->n; i++)
			if (x->v[i].addr != x->v[n - 1].addr)
				x->v[n++] = x->v[i];
		x->n = n;
	}
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

/* Returns the index of the first symbol above @addr. */
static size_t index_above(const struct sym_index *x, uint64_t addr)
{
	return SEARCH_ABOVE(i, 0, x->n, x->v[i].addr <= addr);
}

/* Finds the symbol with the largest address that is not above @addr. */
static bool index_search(const struct sym_index *x, uint64_t addr, struct found_symbol *f)
{
	size_t lo = index_above(x, addr);

	f->next = lo < x->n ? x->v[lo] : (struct kallsyms_symbol){0};
	if (!lo || addr - x->v[lo - 1].addr > REACH_MAX)
		return false;
	f->sym = x->v[lo - 1];
	return true;
}

/* The same among the symbols that exist at @when. */
static bool index_search_when(const struct sym_index *x, const struct sym_times *t, uint32_t when,
			      uint64_t addr, struct found_symbol *f)
{
	size_t above = index_above(x, addr), i, end = above + OTHERS_MAX;
	const struct kallsyms_symbol *best = NULL, *v = x->v;

	for (i = above; i < x->n && i < end && !sym_times_have(t, x->times[i], when); i++)
		;
	f->next = i < x->n && i < end ? v[i] : (struct kallsyms_symbol){0};
	end = above < OTHERS_MAX ? 0 : above - OTHERS_MAX;
	for (i = above; i-- > end && (!best || v[i].addr == best->addr);)
		if (sym_times_have(t, x->times[i], when))
			best = &v[i];
	if (!best || addr - best->addr > REACH_MAX)
		return false;
	f->sym = *best;
	return true;
}

/* --- a sorted text */

enum answer { NONE, FOUND, UNABLE };

/* Returns the start of the line around the byte @at, SIZE_MAX if it is too far away. */
static size_t span_line_start(const struct kallsyms_lines *in, size_t at)
{
	size_t from = at > LINE_MAX_LEN ? at - LINE_MAX_LEN : 0;
	const char *nl = memrchr(in->text + from, '\n', at - from);

	return nl ? (size_t)(nl - in->text) + 1 : from ? SIZE_MAX : 0;
}

/*
 * Returns the offset after the line's newline, or the end of the text; SIZE_MAX if it is too far
 * away.
 */
static size_t span_line_end(const struct kallsyms_lines *in, size_t at)
{
	size_t left = in->len - at;
	const char *nl = memchr(in->text + at, '\n', left < LINE_MAX_LEN ? left : LINE_MAX_LEN);

	return nl ? (size_t)(nl - in->text) + 1 : left < LINE_MAX_LEN ? in->len : SIZE_MAX;
}

/*
 * Sets *at to the first line whose address is above @addr. The lines before and after that offset
 * were read and are in order, even if the rest of the text is unsorted. Returns false if the text
 * can't be searched.
 */
static bool text_bisect(const struct kallsyms_lines *in, uint64_t addr, size_t *at)
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

/* Finds the first symbol of the largest address among the lines before @at. */
static enum answer text_search_back(const struct kallsyms_lines *in, size_t at, uint64_t addr,
				    struct kallsyms_symbol *best)
{
	enum answer ret = NONE;
	struct kallsyms_symbol sym;
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

static bool text_search_next(const struct kallsyms_lines *in, size_t at,
			     struct kallsyms_symbol *next)
{
	size_t end;

	*next = (struct kallsyms_symbol){0};
	for (int i = 0; at < in->len; i++, at = end) {
		end = span_line_end(in, at);
		if (end == SIZE_MAX || i == WALK_MAX)
			return false;
		if (parse_sym_line(in, in->text + at, in->text + end, next))
			return true;
	}
	*next = (struct kallsyms_symbol){0};
	return in->ends;
}

static enum answer text_search(const struct kallsyms_lines *in, uint64_t addr,
			       struct found_symbol *f)
{
	enum answer ret;
	size_t at;

	if (!text_bisect(in, addr, &at) || !text_search_next(in, at, &f->next))
		return UNABLE;
	ret = text_search_back(in, at, addr, &f->sym);
	return ret == FOUND && f->next.addr && f->next.addr <= f->sym.addr ? UNABLE : ret;
}

/* --- lookups */

/*
 * Returns true if the text can be searched: it is sorted as far as known, and an index is not worth
 * its time yet.
 */
static bool can_search_text(struct ev_syms *s)
{
	return !s->times && atomic_load_explicit(&s->sorted, memory_order_relaxed) &&
	       atomic_fetch_add_explicit(&s->searches, 1, memory_order_relaxed) < TEXT_SEARCHES;
}

/* Finds the symbol that contains @addr at the moment number @when. False if there is none. */
static bool search_when(struct ev_syms *s, uint32_t when, uint64_t addr, struct found_symbol *f)
{
	bool loaded = atomic_load_explicit(&s->loaded, memory_order_acquire);
	const struct sym_index *x;
	enum answer ret = UNABLE;
	struct ev_near some;
	const char *text;
	size_t len;

	/* Before the whole text is loaded, search some lines; at their edges more are needed. */
	if (!loaded && s->from->near && can_search_text(s)) {
		for (size_t more = 0; ret == UNABLE && more < 2; more++) {
			if (!s->from->near(s->from->ctx, addr, more, &some))
				break;
			f->in = (struct kallsyms_lines){ some.p, some.len, some.begins, some.ends };
			ret = text_search(&f->in, addr, f);
		}
		if (ret != UNABLE)
			return ret == FOUND;
	}
	if (!loaded) {
		pthread_mutex_lock(&s->lock);
		if (!s->loaded) {
			text = s->from->text(s->from->ctx, EV_KALLSYMS, &len);
			set_syms_text(s, text, len);
			atomic_store_explicit(&s->loaded, true, memory_order_release);
		}
		pthread_mutex_unlock(&s->lock);
	}
	f->in = s->all;
	if (s->times)
		return index_search_when(get_index(s), s->times, when, addr, f);
	x = atomic_load_explicit(&s->index, memory_order_acquire);
	if (!x && can_search_text(s)) {
		ret = text_search(&s->all, addr, f);
		if (ret != UNABLE)
			return ret == FOUND;
		s->sorted = false;
	}
	return index_search(x ? x : get_index(s), addr, f);
}

bool ev_syms_listed_only(const char *mod, size_t len)
{
	static const char builtin[] = "__builtin__";

	return mod && len >= sizeof(builtin) - 1 && !memcmp(mod, builtin, sizeof(builtin) - 1);
}

/*
 * Returns false for bpf programs and code that the kernel generated, which may be at any address.
 */
static bool is_real_module(const char *mod, size_t len)
{
	return mod && !ev_syms_listed_only(mod, len) && (len != 3 || memcmp(mod, "bpf", 3) != 0);
}

/*
 * Returns the end address of the found symbol: that of the next one, or for the last symbol of the
 * module @mod the end of its page.
 */
static uint64_t sym_end_addr(const struct found_symbol *f, const char *mod, size_t len)
{
	uint64_t page_end = (f->sym.addr | (MODULE_PAGE - 1)) + 1;
	const char *next_mod;
	size_t next_len;

	if (!f->next.addr)
		return page_end;
	if (!is_real_module(mod, len))
		return f->next.addr;
	next_mod = sym_module(&f->in, &f->next, &next_len);
	if (next_mod && next_len == len && !memcmp(next_mod, mod, len))
		return f->next.addr;
	return f->next.addr < page_end ? f->next.addr : page_end;
}

static const char *find_sym_name(struct ev_syms *s, uint32_t when, uint64_t addr, size_t *name_len,
				 const char **mod, size_t *mod_len, uint64_t *off)
{
	const char *name;
	struct found_symbol f;

	if (!search_when(s, when, addr, &f))
		return NULL;
	name = f.in.text + f.sym.name;
	*name_len = sym_word_len(name, f.in.text + f.in.len);
	*mod = sym_module(&f.in, &f.sym, mod_len);
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
		       find_sym_name(s, MOMENT_LAST, addr, name_len, mod, mod_len, off);
}

bool ev_syms_moving(const struct ev_syms *s, uint64_t addr)
{
	const struct sym_times *t = s ? s->times : NULL;

	return t && addr >= t->low && addr - t->low <= t->high - t->low + FUNCTION_MAX;
}

const char *ev_syms_find_at(struct ev_syms *s, uint64_t ts, uint64_t addr, size_t *name_len,
			    uint64_t *off)
{
	const char *mod;
	size_t mod_len;

	return find_sym_name(s, sym_times_number(s->times, ts), addr, name_len, &mod, &mod_len,
			     off);
}

uint64_t ev_syms_size(struct ev_syms *s, uint64_t addr)
{
	uint32_t when = s && s->of ? s->when : MOMENT_LAST;
	const char *mod;
	struct found_symbol f;
	size_t len;

	if (s && s->of)
		s = s->of;
	if (!s || !search_when(s, when, addr, &f))
		return 0;
	mod = sym_module(&f.in, &f.sym, &len);
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
		free(x->times);
	}
	free(x);
	if (s) {
		sym_times_free(s->times);
		pthread_mutex_destroy(&s->lock);
	}
	free(s);
}
