/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turns the texts of a file's metadata - symbols, strings of trace_printk(), task names - into the
 * addresses and pids that match, so that no text is searched for each record.
 */
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "base/sym_lines.h"
#include "event/data/comm_lines.h"
#include "event/data/printk_lines.h"
#include "trace/filter_priv.h"

/* The size of a symbol at most, as in src/event/data/syms.c. */
#define REACH_MAX (16 << 20)

static void ranges_add(struct ranges *r, uint64_t from, uint64_t to)
{
	if (r->n && r->v[r->n - 1].to == from) {
		r->v[r->n - 1].to = to;
		return;
	}
	r->v = xgrow(r->v, &r->cap, r->n + 1, sizeof(*r->v));
	r->v[r->n++] = (struct range){ from, to };
}

/* Compares with the symbol that was at @v at the time @ts. */
static bool timed_match(const struct ranges *r, uint64_t v, uint64_t ts)
{
	struct ev_syms *syms = r->w->syms;
	const char *name, *around;
	uint64_t off, off_around;
	size_t len;

	ts = ev_world_clock(r->w, ts);
	name = ev_syms_find_at(syms, ts, v, &len, &off);
	if (r->pat)
		return name && pattern_match(r->pat, name, len) != r->pat->not;
	around = ev_syms_find_at(syms, ts, r->addr, &len, &off_around);
	return name && around && v - off == r->addr - off_around;
}

bool ranges_have(const struct ranges *r, uint64_t v, uint64_t ts)
{
	size_t n;

	if (r->w && ev_syms_moving(r->w->syms, v))
		return timed_match(r, v, ts);
	n = SEARCH_ABOVE(i, 0, r->n, r->v[i].from <= v);
	return n && v < r->v[n - 1].to;
}

/* --- symbols */

static int by_symbol_addr(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

static void build_symtab(struct symtab *t)
{
	const char *p, *end, *nl, *name;
	bool sorted = true;
	struct symbol s;
	char type;

	if (t->built)
		return;
	t->built = true;
	p = t->text = ev_world_text(t->w, EV_KALLSYMS, &t->len);
	if (!p || t->len > UINT32_MAX)
		return;
	for (end = p + t->len; p < end; p = nl + 1) {
		nl = memchr(p, '\n', end - p);
		if (!nl)
			nl = end;
		name = sym_line_name(p, nl, &s.addr, &type);
		if (!name)
			continue;
		s.name = name - t->text;
		s.name_len = sym_word_len(name, nl);
		sorted = sorted && (!t->n || t->v[t->n - 1].addr <= s.addr);
		t->v = xgrow(t->v, &t->cap, t->n + 1, sizeof(*t->v));
		t->v[t->n++] = s;
	}
	if (!sorted)
		qsort(t->v, t->n, sizeof(*t->v), by_symbol_addr);
}

void symtab_release(struct symtab *t)
{
	free(t->v);
	*t = (struct symtab){0};
}

/* Returns the end of a symbol: the next address that has one. */
static uint64_t symbol_end(const struct symtab *t, size_t i)
{
	uint64_t addr = t->v[i].addr, end = addr + REACH_MAX;

	for (i++; i < t->n && t->v[i].addr == addr;)
		i++;
	return i < t->n && t->v[i].addr - addr < REACH_MAX ? t->v[i].addr : end;
}

void ranges_of_symbols(struct ranges *r, struct symtab *t, const struct pattern *p)
{
	uint64_t done = 0;	/* an address that was added by another name */

	build_symtab(t);
	r->pat = p;
	r->w = ev_syms_timed(t->w->syms) ? t->w : NULL;
	for (size_t i = 0; i < t->n; i++) {
		const struct symbol *s = &t->v[i];

		if (s->addr == done || pattern_match(p, t->text + s->name, s->name_len) == p->not)
			continue;
		done = s->addr;
		ranges_add(r, s->addr, symbol_end(t, i));
	}
}

void ranges_around(struct ranges *r, struct symtab *t, uint64_t addr)
{
	build_symtab(t);
	r->addr = addr;
	r->w = ev_syms_timed(t->w->syms) ? t->w : NULL;
	for (size_t i = 0; i < t->n; i++) {
		if (t->v[i].addr > addr || addr >= symbol_end(t, i))
			continue;
		ranges_add(r, t->v[i].addr, symbol_end(t, i));
		return;
	}
}

/* --- strings of trace_printk() */

static int by_range_start(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return (x->from > y->from) - (x->from < y->from);
}

void ranges_of_strings(struct ranges *r, const struct ev_world *w, const struct pattern *p)
{
	size_t len;
	const char *at = ev_world_text(w, EV_PRINTK, &len), *end = at + len;
	struct printk_line line;
	struct buf text = {0};

	buf_reserve(&text, 1);
	while (printk_line_next(&line, &at, end)) {
		buf_reset(&text);
		printk_line_unescape(&text, &line);
		if (pattern_match(p, text.data, text.len) == p->not)
			continue;
		r->v = xgrow(r->v, &r->cap, r->n + 1, sizeof(*r->v));
		r->v[r->n++] = (struct range){ line.addr, line.addr + 1 };
	}
	if (r->n)
		qsort(r->v, r->n, sizeof(*r->v), by_range_start);
	buf_release(&text);
}

/* --- task names */

#define PID_LIMIT (1 << 22)	/* the kernel's PID_MAX_LIMIT */

static void pid_set_put(struct pid_set *s, uint32_t pid, bool match)
{
	uint32_t want = (pid / 64 + 1) * 64;

	if (want > s->nr_bits) {
		s->bits = xrealloc(s->bits, want / 64 * 2 * sizeof(*s->bits));
		memset(s->bits + s->nr_bits / 64 * 2, 0,
		       (want - s->nr_bits) / 64 * 2 * sizeof(*s->bits));
		s->nr_bits = want;
	}
	/* the first line of a pid counts, as in the kernel's own lookup */
	if (s->bits[2 * (pid / 64)] >> pid % 64 & 1)
		return;
	s->bits[2 * (pid / 64)] |= 1ULL << pid % 64;
	s->bits[2 * (pid / 64) + 1] |= (uint64_t)match << pid % 64;
}

void pid_set_of_comms(struct pid_set *set, const struct ev_world *w, comm_fn match, void *ctx)
{
	size_t len;
	const char *p = ev_world_text(w, EV_CMDLINES, &len), *end = p + len;
	struct comm_line line;

	pid_set_put(set, 0, match(ctx, "<idle>", 6));
	set->others = match(ctx, "<...>", 5);
	while (comm_line_next(&line, &p, end))
		if (line.pid >= 0 && line.pid < PID_LIMIT)
			pid_set_put(set, line.pid, match(ctx, line.name, line.len));
}

void pid_set_add(struct pid_set *s, uint32_t pid)
{
	if (pid < PID_LIMIT)
		pid_set_put(s, pid, true);
}

void pid_set_free(void *set)
{
	struct pid_set *s = set;

	if (s)
		free(s->bits);
	free(s);
}

void ranges_free(void *ranges)
{
	struct ranges *r = ranges;

	if (r)
		free(r->v);
	free(r);
}
