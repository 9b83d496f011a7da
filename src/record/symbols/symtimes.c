/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which symbols of modules were there when. The memory of an init section, and of a module that was
 * unloaded, becomes the next module's. The kernel goes on to list functions of init sections that
 * ftrace knows (ftrace_mod_get_kallsym()), behind all modules, for as long as their module is
 * loaded; of modules that are gone earlier readings have the lines.
 */
#include "record/symbols/symtimes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/sym_lines.h"
#include "record/symbols/symbol_texts.h"

enum {
	PAGE = 4096,			/* two modules never share one at a time */
	FUNCTION_MAX = 1 << 16,		/* no function is larger */
	NEAR_MAX = 512,			/* lines that are looked at before and behind one */
	CODE_MIN = 1 << 24,		/* below are variables of each CPU, by their offsets */
};

/* Of a line in one loading of its module; as pointers, for the map. */
static char seen_core, seen_init;

/* "ffffffffc0401000 t nfs_read\t[nfs]" */
struct line {
	const char *p, *mod;
	size_t len, mod_len;
	uint64_t addr;
};

/* A line during one loading of its module. */
struct stay {
	struct line line;
	uint64_t from, until;
	bool init;
	bool timed;			/* its module collides with another */
};

struct stays {
	struct stay *v;
	size_t n, cap;
};

/* --- lines */

/* The key of @line in the loading of its module that event number @loaded - 1 began. */
static void make_key(struct buf *key, const struct line *line, size_t loaded)
{
	buf_reset(key);
	buf_add(key, &loaded, sizeof(loaded));
	buf_add(key, line->p, line->len);
}

/* &seen_core, &seen_init or NULL */
static const void *seen_in(const struct symtimes *st, const struct line *line, size_t loaded)
{
	struct buf key = {0};
	const void *seen;

	make_key(&key, line, loaded);
	seen = textmap_get(&st->lines, key.data, key.len);
	buf_release(&key);
	return seen;
}

/* The next line of a module, from @*at on: the kernel's own have no tab. */
static bool next_line(const char **at, const char *end, struct line *line)
{
	const char *tab = *at < end ? memchr(*at, '\t', end - *at) : NULL;
	const char *nl = tab ? memchr(tab, '\n', end - tab) : NULL;

	if (!nl)
		return false;
	for (line->p = tab; line->p > *at && line->p[-1] != '\n'; line->p--)
		;
	*at = nl + 1;
	line->len = nl - line->p;
	sym_line_module(tab, nl, &line->mod, &line->mod_len);
	sym_line_addr(line->p, tab, &line->addr);
	return true;
}

/* Not programs of bpf, nor code that the kernel makes itself. */
static bool in_module(const struct line *l)
{
	return l->mod_len && l->addr >= CODE_MIN &&
	       !(l->mod_len == 3 && !memcmp(l->mod, "bpf", 3)) &&
	       memcmp(l->mod, "__builtin__", l->mod_len < 11 ? l->mod_len : 11);
}

static bool same_module(const struct line *a, const struct line *b)
{
	return a->mod_len == b->mod_len && !memcmp(a->mod, b->mod, a->mod_len);
}

static bool is_of(const struct module_event *e, const struct line *l)
{
	return strlen(e->name) == l->mod_len && !memcmp(e->name, l->mod, l->mod_len);
}

/* --- readings */

static size_t loaded_at(const struct module_event *events, size_t n, const struct line *line,
			uint64_t ns)
{
	size_t i, last = 0;

	for (i = 0; i < n && events[i].ns <= ns; i++)
		if (!events[i].freed && is_of(&events[i], line))
			last = i + 1;
	return last;
}

static void note_module_lines(struct symtimes *st, const struct module_event *events, size_t n,
			      const struct buf *text, uint64_t ns)
{
	const char *at = text->data, *end = at + text->len;
	struct line line, last = {0};
	struct textmap met = {0};
	struct buf key = {0};
	size_t loaded = 0;
	bool init = false;

	while (text->len && next_line(&at, end, &line)) {
		if (!in_module(&line))
			continue;
		if (!last.p || !same_module(&line, &last)) {
			loaded = loaded_at(events, n, &line, ns);
			/* a second group of a module's lines, where the order is the kernel's */
			init = textmap_put_borrowed(&met, line.mod, line.mod_len, &met) && ns;
			last = line;
		}
		make_key(&key, &line, loaded);
		if (!textmap_get(&st->lines, key.data, key.len))
			textmap_put(&st->lines, key.data, key.len, init ? &seen_init : &seen_core);
	}
	buf_release(&key);
	textmap_release(&met);
}

void symtimes_note(struct symtimes *st, const struct module_event *events, size_t n,
		   const struct buf *before, const struct buf *reading, uint64_t ns)
{
	if (!n)
		return;
	if (!st->lines.n)
		note_module_lines(st, events, n, before, 0);
	note_module_lines(st, events, n, reading, ns);
}

/* --- stays */

/*
 * Adds a stay of @line. It ends when its module is freed or loaded again, by event @loaded or
 * later.
 */
static void add_stay(struct stays *s, const struct module_event *events, size_t n,
		     const struct line *line, size_t loaded, const void *seen)
{
	size_t end = loaded;

	while (end < n && !is_of(&events[end], line))
		end++;
	s->v = xgrow(s->v, &s->cap, s->n + 1, sizeof(*s->v));
	s->v[s->n++] = (struct stay){
		.line = *line, .init = seen == &seen_init,
		.from = loaded ? events[loaded - 1].ns : 0,
		.until = end < n ? events[end].ns : UINT64_MAX,
	};
}

static void add_stays(const struct symtimes *st, struct stays *s,
		      const struct module_event *events, size_t n, const struct line *line)
{
	const void *seen = seen_in(st, line, 0);
	size_t i, had = s->n, first = 0;

	/*
	 * Lines that were read before the first event of their module belong to an earlier loading
	 * if that event is a free. Otherwise they were read while the module was being loaded: it
	 * is listed before the event comes.
	 */
	while (first < n && !is_of(&events[first], line))
		first++;
	first = first < n && !events[first].freed ? first + 1 : 0;
	if (seen)
		add_stay(s, events, n, line, first, seen);
	for (i = 0; i < n; i++) {
		if (events[i].freed || !is_of(&events[i], line))
			continue;
		seen = seen_in(st, line, i + 1);
		if (seen)
			add_stay(s, events, n, line, i + 1, seen);
	}
	if (s->n == had)
		add_stay(s, events, n, line, first, &seen_core);
}

/* --- collisions */

/* @y is at the place where @x was: then @x is there no more. */
static bool stay_replaces(const struct stay *y, const struct stay *x)
{
	if (same_module(&x->line, &y->line) && x->from == y->from)
		return false;
	if (!x->init && x->until > y->from)
		return false;
	return y->from > x->from || (y->from == x->from && x->init && !y->init);
}

static void end_replaced(struct stay *x, struct stay *y)
{
	if (y->from < x->until)
		x->until = y->from;
	x->timed = y->timed = true;
}

static struct stay *find_nearby(const struct stays *s, size_t i, int way)
{
	const struct stay *x = &s->v[i];
	size_t k = i + way, n = 0;

	for (; k < s->n && n < NEAR_MAX; k += way, n++) {
		if (x->line.addr - s->v[k].line.addr + FUNCTION_MAX > 2 * FUNCTION_MAX)
			break;
		if (stay_replaces(&s->v[k], x))
			return &s->v[k];
	}
	return NULL;
}

/* Another is in the same page, or before and behind @x nearer than a function may be long. */
static void end_collided(struct stays *s, size_t i)
{
	struct stay *x = &s->v[i], *below = find_nearby(s, i, -1), *above = find_nearby(s, i, 1);

	if (below && x->line.addr / PAGE == below->line.addr / PAGE)
		end_replaced(x, below);
	if (above && x->line.addr / PAGE == above->line.addr / PAGE)
		end_replaced(x, above);
	if (below && above && same_module(&below->line, &above->line) &&
	    above->line.addr - below->line.addr < FUNCTION_MAX)
		end_replaced(x, below);
}

/* --- the text */

static int by_stay_module(const void *a, const void *b)
{
	const struct stay *v = a, *w = b;
	const struct line *x = &v->line, *y = &w->line;
	int ret = memcmp(x->mod, y->mod, x->mod_len < y->mod_len ? x->mod_len : y->mod_len);

	if (!ret)
		ret = (x->mod_len > y->mod_len) - (x->mod_len < y->mod_len);
	if (ret)
		return ret;
	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (v->from != w->from)
		return v->from < w->from ? -1 : 1;
	return (x->p > y->p) - (x->p < y->p);
}

struct text_clock {
	uint64_t (*clock)(const void *ctx, uint64_t ns);
	const void *ctx;
};

static void add_span(const struct text_clock *c, uint64_t from, uint64_t until, struct buf *out)
{
	buf_printf(out, "%s%" PRIu64 "-", out->len ? "," : "", from ? c->clock(c->ctx, from) : 0);
	if (until != UINT64_MAX)
		buf_printf(out, "%" PRIu64, until ? c->clock(c->ctx, until) : 0);
}

/* Those of one address, from @i on. Returns where the next one begins. */
static size_t add_spans(const struct stays *s, size_t i, const struct text_clock *c,
			struct buf *out)
{
	const struct line *line = &s->v[i].line;
	uint64_t from = 0, until = 0;
	const struct stay *x;

	for (; i < s->n; i++) {
		x = &s->v[i];
		if (x->line.addr != line->addr || !same_module(&x->line, line))
			break;
		if (x->until <= x->from)
			continue;
		if (x->from > until && until)
			add_span(c, from, until, out);
		if (x->from > until || !until)
			from = x->from;
		if (x->until > until)
			until = x->until;
	}
	add_span(c, from, until, out);
	return i;
}

static void add_run(const struct line *first, const struct line *last, const struct buf *spans,
		    struct buf *out)
{
	if (first && strcmp(spans->data, "0-"))
		buf_printf(out, "%s%" PRIx64 " %" PRIx64 " %.*s %s", out->len ? ";" : "",
			   first->addr, last->addr, (int)first->mod_len, first->mod, spans->data);
}

static void add_runs(const struct stays *s, const struct text_clock *c, struct buf *out)
{
	const struct line *first = NULL, *last = NULL, *line;
	struct buf spans = {0}, now = {0}, swap;
	size_t i;

	for (i = 0; i < s->n; last = line) {
		line = &s->v[i].line;
		buf_reset(&now);
		i = add_spans(s, i, c, &now);
		if (first && same_module(first, line) && !strcmp(now.data, spans.data))
			continue;
		add_run(first, last, &spans, out);
		first = line;
		swap = spans;
		spans = now;
		now = swap;
	}
	add_run(first, last, &spans, out);
	buf_release(&spans);
	buf_release(&now);
}

void symtimes_text(const struct symtimes *st, const struct module_event *events, size_t n,
		   const struct buf *text, uint64_t (*clock)(const void *ctx, uint64_t ns),
		   const void *ctx, struct buf *out)
{
	const char *at = text->data, *end = at + text->len;
	struct text_clock c = { clock, ctx };
	struct textmap timed = {0};
	struct stays s = {0};
	struct line line;
	size_t i, kept = 0;

	while (n && text->len && next_line(&at, end, &line))
		if (in_module(&line))
			add_stays(st, &s, events, n, &line);
	for (i = 0; i < s.n; i++)
		if (s.v[i].init || s.v[i].until != UINT64_MAX)
			end_collided(&s, i);
	/* keep the stays of modules that collide, by module */
	for (i = 0; i < s.n; i++)
		if (s.v[i].timed)
			textmap_put_borrowed(&timed, s.v[i].line.mod, s.v[i].line.mod_len, &s);
	for (i = 0; i < s.n; i++)
		if (textmap_get(&timed, s.v[i].line.mod, s.v[i].line.mod_len))
			s.v[kept++] = s.v[i];
	s.n = kept;
	if (s.n)
		qsort(s.v, s.n, sizeof(*s.v), by_stay_module);
	textmap_release(&timed);
	add_runs(&s, &c, out);
	free(s.v);
}

void symtimes_release(struct symtimes *st)
{
	textmap_release(&st->lines);
}
