/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes up addresses for the names in a dump. */
#include "text/fields/dump_symbols.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "text/log/line_scan.h"

#define FIRST		0xffffffff81000000ULL
#define SIZE_UNKNOWN	0x1000
#define MODULE_ALIGN	0x1000
#define SIZE_MAX_SANE	(16u << 20)
#define SYMS_MAX	(1u << 20)
/* The kernel has this address in a stack for a trampoline of ftrace. */
#define TRAMPOLINE	0x7fffffff

struct dump_symbol {
	struct span_text name, module;
	uint64_t addr, size;
	size_t   order;				/* of its first text */
	bool     last;				/* the last one of its module */
	struct dump_symbol *same;		/* the next one with the same hash */
};

/* Functions that an event shows without an offset, as %ps prints them, by the word before them. */
static const char *const words[] = { "function=", "function ", "func=", "fn=", "call_site=",
				     "address=", "ip=", "tasklet=", "<- " };
#define NR_WORDS (sizeof(words) / sizeof(*words))

/* Records of a name in which all words are searched for; later ones have the words of these. */
#define SAMPLES 64

struct event_words {
	struct span_text *texts;	/* of the first records */
	size_t records, cap;
	unsigned int words;		/* bits of ->words that records had */
	bool     mark;			/* its text starts with the function that printed it */
};

/* Texts of symbols that were met last, by their hash. */
#define SEEN_SLOTS 4096		/* a power of two */

struct seen_symbol {
	struct span_text text;		/* with the offset and the module; empty: none */
	const struct dump_symbol *sym;	/* NULL: the text has none */
	uint64_t off;
};

/* Events that were met last: most have their own slot. */
#define LAST_EVENTS 256

struct last_event {
	struct span_text name;
	struct event_words *words;
};

struct dump_syms {
	struct last_event *last;	/* LAST_EVENTS */
	struct seen_symbol *seen;	/* SEEN_SLOTS */
	struct dump_symbol **v;
	size_t n, cap;
	struct map by_hash;
	struct textmap events;		/* name -> struct event_words * */
};

/* A name, split into its parts. */
struct symbol_parts {
	struct span_text name, module;
	uint64_t off, size;		/* 0: unknown */
};

static uint64_t hash_symbol(struct span_text a, struct span_text b)
{
	return hash_two(a.p, a.len, b.p, b.len);
}

/* Returns the slot of a symbol's text, which may have another text. */
static struct seen_symbol *seen_slot(const struct dump_syms *s, struct span_text t)
{
	return &s->seen[hash_bytes(t.p, t.len) & (SEEN_SLOTS - 1)];
}

/* Parses "0x2f" at *p. */
static bool parse_hex_digits(const char **p, const char *end, uint64_t *v)
{
	const char *from;

	if (end - *p < 3 || (*p)[0] != '0' || (*p)[1] != 'x')
		return false;
	from = *p += 2;
	for (*v = 0; *p < end && *p - from < 16; ++*p) {
		char c = **p;

		if (c >= '0' && c <= '9')
			*v = *v << 4 | (c - '0');
		else if (c >= 'a' && c <= 'f')
			*v = *v << 4 | (c - 'a' + 10);
		else
			break;
	}
	return *p > from;
}

/* Returns true if the offset and the size can be those of a function. */
static bool check_size(const struct symbol_parts *s)
{
	return s->size <= SIZE_MAX_SANE && s->off <= SIZE_MAX_SANE &&
	       (!s->size || s->off < s->size);
}

static void parse_symbol(struct span_text t, struct symbol_parts *s)
{
	const char *open, *plus, *p, *end;

	*s = (struct symbol_parts){ .name = t };
	if (!t.len)
		return;
	open = t.len > 3 && t.p[t.len - 1] == ']' ? memmem(t.p, t.len, " [", 2) : NULL;
	if (open && open > t.p) {
		s->module = (struct span_text){ open + 2, t.p + t.len - 1 - (open + 2) };
		s->name.len = open - t.p;
	}
	plus = memchr(s->name.p, '+', s->name.len);
	if (!plus || plus == s->name.p)
		return;
	p = plus + 1;
	end = s->name.p + s->name.len;
	if (!parse_hex_digits(&p, end, &s->off))
		return;
	if (p < end && *p == '/')
		p++;
	if (p < end && !parse_hex_digits(&p, end, &s->size))
		s->size = 0;
	if (!check_size(s)) {
		s->size = 0;
		s->off = 0;
		return;
	}
	s->name.len = plus - s->name.p;
}

static struct dump_symbol *find_sym(const struct dump_syms *s, const struct symbol_parts *sp)
{
	struct dump_symbol *y = map_get(&s->by_hash, hash_symbol(sp->name, sp->module));

	while (y && (!span_same(y->name, sp->name) || !span_same(y->module, sp->module)))
		y = y->same;
	return y;
}

/* Returns the symbol, or NULL if it gets none. */
static struct dump_symbol *note_parts(struct dump_syms *s, const struct symbol_parts *sp)
{
	struct dump_symbol *y;

	if (!sp->name.len || sp->name.len + sp->module.len > 900 || s->n == SYMS_MAX)
		return NULL;
	y = find_sym(s, sp);
	if (!y) {
		y = xcalloc(1, sizeof(*y));
		y->name = sp->name;
		y->module = sp->module;
		y->order = s->n;
		s->v = xgrow(s->v, &s->cap, s->n + 1, sizeof(*s->v));
		s->v[s->n++] = y;
		y->same = map_put(&s->by_hash, hash_symbol(y->name, y->module), y);
	}
	if (sp->size > y->size)
		y->size = sp->size;
	if (sp->off >= y->size && sp->off)
		y->size = sp->off + 1;
	return y;
}

static void note_sym(struct dump_syms *s, struct span_text t)
{
	struct seen_symbol *seen = seen_slot(s, t);
	struct symbol_parts sp;

	if (span_same(seen->text, t))
		return;
	parse_symbol(t, &sp);
	*seen = (struct seen_symbol){ t, note_parts(s, &sp), sp.off };
}

/* The characters of symbols, and of "0x2f/0x80" after them. */
static const bool symbol_chars[256] = {
	['0' ... '9'] = true, ['A' ... 'Z'] = true, ['a' ... 'z'] = true, ['_'] = true,
	['.'] = true,
};
static const bool offset_chars[256] = {
	['0' ... '9'] = true, ['a' ... 'f'] = true, ['x'] = true, ['/'] = true,
};

static bool is_symbol_char(char c)
{
	return symbol_chars[(unsigned char)c];
}

/* Returns the end of " [module]" at @p, or @p if there is none. */
static inline const char *skip_module(const char *p, const char *end)
{
	struct line_scanner s = { p + 2, end };

	if (end - p < 4 || p[0] != ' ' || p[1] != '[')
		return p;
	scan_name(&s);
	while (s.p < end && (is_symbol_char(*s.p) || *s.p == '-'))
		s.p++;
	return s.p < end && *s.p == ']' && s.p > p + 2 ? s.p + 1 : p;
}

/* Returns the start of the name that ends at @p. */
static inline const char *symbol_start(const char *from, const char *p)
{
	scan_block b;
	unsigned int others;

	while (p - from >= (long)sizeof(b)) {
		memcpy(&b, p - sizeof(b), sizeof(b));
		others = scan_not_name(b ^ ((b == '.') & ('.' ^ '_')));
		if (others)
			return p - sizeof(b) + 32 - __builtin_clz(others);
		p -= sizeof(b);
	}
	while (p > from && is_symbol_char(p[-1]))
		p--;
	return p;
}

/* Returns the end of "0x2f/0x80 [mod]" at @p. */
static inline const char *offset_end(const char *p, const char *end)
{
	scan_block b;
	unsigned int others;

	if (end - p >= (long)sizeof(b)) {
		memcpy(&b, p, sizeof(b));
		others = scan_block_bits(~(((b >= '/') & (b <= '9')) | ((b >= 'a') & (b <= 'f')) |
					   (b == 'x')));
		p += others ? __builtin_ctz(others) : 16;
	}
	while (p < end && offset_chars[(unsigned char)*p])
		p++;
	return skip_module(p, end);
}

/* Adds the symbol "name+0x1/0x2 [mod]", whose plus is at @plus. Returns false if it is none. */
static bool note_offset(struct dump_syms *s, struct span_text t, const char *plus,
			struct seen_symbol *seen)
{
	const char *end = t.p + t.len, *at = plus + 1, *module;
	struct symbol_parts sp = { .name = { t.p, plus - t.p } };

	if (!sp.name.len || !parse_hex_digits(&at, end, &sp.off))
		return false;
	if (at < end && *at == '/' && (at++, !parse_hex_digits(&at, end, &sp.size)))
		return false;
	module = skip_module(at, end);
	if (module > at)
		sp.module = (struct span_text){ at + 2, module - 1 - (at + 2) };
	if (!check_size(&sp))
		return false;
	*seen = (struct seen_symbol){ t, note_parts(s, &sp), sp.off };
	return true;
}

/*
 * Adds the symbols "name+0x1/0x2 [mod]" in the text of an event, as %pS prints them. The size is
 * missing in texts of trace-cmd.
 */
static void note_text(struct dump_syms *s, struct span_text t)
{
	const char *p = t.p, *end = t.p + t.len;
	struct seen_symbol *seen;
	struct span_text one;

	for (; (p = memchr(p, '+', end - p)); p++) {
		if (end - p < 4 || p[1] != '0' || p[2] != 'x')
			continue;
		one.p = symbol_start(t.p, p);
		one.len = offset_end(p + 3, end) - one.p;
		seen = seen_slot(s, one);
		if (!span_same(seen->text, one))
			note_offset(s, one, p, seen);
	}
}

/* Adds the function that follows the word in the text. Returns false if there is none. */
static bool note_after_word(struct dump_syms *s, const char *word, struct span_text t)
{
	const char *p = memmem(t.p, t.len, word, strlen(word)), *end = t.p + t.len, *to;

	if (!p || (p > t.p && is_symbol_char(p[-1])))
		return false;
	p += strlen(word);
	for (to = p; to < end && is_symbol_char(*to);)
		to++;
	/* addresses are no names, and symbols with an offset were added by it */
	if (to == p || (*p >= '0' && *p <= '9') || (to < end && *to == '+'))
		return false;
	note_sym(s, (struct span_text){ p, skip_module(to, end) - p });
	return true;
}

struct span_text dump_syms_printer(struct span_text text)
{
	const char *p = text.p, *end = text.p + text.len;

	while (p < end && is_symbol_char(*p))
		p++;
	p = skip_module(p, end);
	if (end - p < 2 || p[0] != ':' || p[1] != ' ')
		p = text.p;
	return (struct span_text){ text.p, p - text.p };
}

static struct event_words *get_words(struct dump_syms *s, struct span_text name)
{
	static const char *const marks[] = { "print", "bprint", "bputs" };
	struct event_words *w = textmap_get(&s->events, name.p, name.len);

	if (w)
		return w;
	w = xcalloc(1, sizeof(*w));
	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		w->mark |= span_same(name, (struct span_text){ marks[i], strlen(marks[i]) });
	textmap_put_borrowed(&s->events, name.p, name.len, w);
	return w;
}

static inline struct event_words *find_words(struct dump_syms *s, struct span_text name)
{
	struct last_event *last = &s->last[span_slot(name) % LAST_EVENTS];

	if (!last->words || !span_same(last->name, name))
		*last = (struct last_event){ name, get_words(s, name) };
	return last->words;
}

/* Adds the functions in the text of an event. */
static void note_event(struct dump_syms *s, const struct dump_rec *r)
{
	static const char writer[] = "tracing_mark_write";
	struct event_words *w = find_words(s, r->name);
	unsigned int words_left;

	note_text(s, r->text);
	if (w->mark)
		note_sym(s, dump_syms_printer(r->text));
	if (!w->records && span_same(r->name, (struct span_text){ writer, sizeof(writer) - 1 }))
		note_sym(s, r->name);
	words_left = w->records < SAMPLES ? (1u << NR_WORDS) - 1 : w->words;
	for (; words_left; words_left &= words_left - 1)
		if (note_after_word(s, words[__builtin_ctz(words_left)], r->text))
			w->words |= words_left & -words_left;
	if (w->records == SAMPLES)
		return;
	w->texts = xgrow(w->texts, &w->cap, w->records + 1, sizeof(*w->texts));
	w->texts[w->records++] = r->text;
}

/* Orders symbols by their modules, the kernel first, and then as they were found. */
static int compare_symbols(const void *a, const void *b)
{
	const struct dump_symbol *const *x = a, *const *y = b;
	size_t n = (*x)->module.len < (*y)->module.len ? (*x)->module.len : (*y)->module.len;
	int order = n ? memcmp((*x)->module.p, (*y)->module.p, n) : 0;

	if (!order && (*x)->module.len != (*y)->module.len)
		order = (*x)->module.len < (*y)->module.len ? -1 : 1;
	return order ? order : (*x)->order < (*y)->order ? -1 : 1;
}

/* Sets the addresses. Those of a module are in one range, as sizes of symbols end with it. */
static void place_symbols(struct dump_syms *s)
{
	uint64_t at = FIRST;

	if (s->n)
		qsort(s->v, s->n, sizeof(*s->v), compare_symbols);
	for (size_t i = 0; i < s->n; i++) {
		struct dump_symbol *y = s->v[i];

		y->addr = at;
		at += y->size ? y->size : SIZE_UNKNOWN;
		y->last = i + 1 == s->n || !span_same(y->module, s->v[i + 1]->module);
		if (y->last)
			at = (at | (MODULE_ALIGN - 1)) + 1;
	}
}

struct dump_syms *dump_syms_new(const struct log_dump *d)
{
	struct dump_syms *s = xcalloc(1, sizeof(*s));

	s->seen = xcalloc(SEEN_SLOTS, sizeof(*s->seen));
	s->last = xcalloc(LAST_EVENTS, sizeof(*s->last));
	for (size_t i = 0; i < d->n; i++) {
		const struct dump_rec *r = &d->v[i];

		if (r->kind == DUMP_EVENT)
			note_event(s, r);
		else if (r->kind == DUMP_FUNCTION || r->kind == DUMP_ENTRY || r->kind == DUMP_EXIT)
			note_sym(s, r->name);
		if (r->kind == DUMP_FUNCTION)
			note_sym(s, r->text);
	}
	for (size_t i = 0; i < d->nr_frames; i++)
		note_sym(s, d->frames[i]);
	place_symbols(s);
	return s;
}

uint64_t dump_syms_addr(const struct dump_syms *s, struct span_text name)
{
	static const char trampoline[] = "[FTRACE TRAMPOLINE]";
	struct seen_symbol *seen;
	struct symbol_parts sp;
	struct dump_symbol *y;

	if (name.len == sizeof(trampoline) - 1 && !memcmp(name.p, trampoline, name.len))
		return TRAMPOLINE;
	seen = seen_slot(s, name);
	if (seen->sym && span_same(seen->text, name))
		return seen->sym->addr + seen->off;
	parse_symbol(name, &sp);
	y = find_sym(s, &sp);
	if (!y)
		return 0;
	*seen = (struct seen_symbol){ name, y, sp.off };
	return y->addr + sp.off;
}

bool dump_syms_bare(const struct dump_syms *s, struct span_text text, uint64_t *addr)
{
	const char *plus = memchr(text.p, '+', text.len), *end = text.p + text.len, *at, *first;
	struct symbol_parts sp;
	struct dump_symbol *y;

	if (!plus)
		return false;
	at = plus + 1;
	sp = (struct symbol_parts){ .name = { text.p, plus - text.p } };
	if (!parse_hex_digits(&at, end, &sp.off))
		return false;
	/* the offset has no leading zeros */
	first = plus + 3;
	if (*first == '0' && at - first > 1)
		return false;
	if (at < end && skip_module(at, end) == end)
		sp.module = (struct span_text){ at + 2, end - 1 - (at + 2) };
	else if (at < end)
		return false;
	y = find_sym(s, &sp);
	if (!y || sp.off >= y->size)
		return false;
	*addr = y->addr + sp.off;
	return true;
}

size_t dump_syms_samples(const struct dump_syms *s, const char *name, const struct span_text **v)
{
	const struct event_words *w = textmap_get(&s->events, name, strlen(name));

	*v = w ? w->texts : NULL;
	return w ? w->records : 0;
}

static void print_name(struct buf *out, struct span_text t)
{
	for (size_t i = 0; i < t.len; i++)
		buf_addch(out, (unsigned char)t.p[i] <= ' ' ? '_' : t.p[i]);
}

static void print_symbol(struct buf *out, uint64_t addr, struct span_text name,
			 struct span_text module)
{
	buf_printf(out, "%016llx T ", (unsigned long long)addr);
	print_name(out, name);
	if (module.len) {
		buf_addstr(out, "\t[");
		print_name(out, module);
		buf_addch(out, ']');
	}
	buf_addch(out, '\n');
}

void dump_syms_print(const struct dump_syms *s, struct buf *out)
{
	static const struct span_text end = { "_etext", 6 };

	for (size_t i = 0; i < s->n; i++) {
		const struct dump_symbol *y = s->v[i];

		print_symbol(out, y->addr, y->name, y->module);
		/* the next symbol is the end of one */
		if (y->last)
			print_symbol(out, y->addr + (y->size ? y->size : SIZE_UNKNOWN), end,
				     y->module);
	}
}

void dump_syms_free(struct dump_syms *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++)
		free(s->v[i]);
	for (size_t i = 0; i < s->events.cap; i++) {
		struct event_words *w = s->events.slots[i].val;

		if (w)
			free(w->texts);
		free(w);
	}
	free(s->v);
	free(s->seen);
	free(s->last);
	map_release(&s->by_hash);
	textmap_release(&s->events);
	free(s);
}
