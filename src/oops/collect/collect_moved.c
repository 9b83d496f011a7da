/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Computes the addresses that the running kernel's symbols had in an earlier boot. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/sym_lines.h"
#include "oops/collect/collect_priv.h"

/* A module that is loaded now. */
struct placed_module {
	char    *name;
	uint64_t now;				/* start address of its code */
	const struct last_boot_module *then;	/* its address then; NULL: unknown */
};

struct address_moves {
	uint64_t text, data;		/* addresses now minus addresses then */
	uint64_t first;			/* _text now: addresses below it do not change */
	struct placed_module *v;
	size_t n, cap;
	const struct placed_module *last; /* the last result: symbols of a module are adjacent */
};

/* A line of /proc/kallsyms: "ffffffff81000000 T _text", "ffffffffc0001000 t fn\t[ext4]". */
struct symbol_line {
	uint64_t at;
	char     type;
	const char *rest, *end;		/* the line from the type on */
	const char *module;		/* NULL: it belongs to the kernel itself */
	size_t   module_len;
};

static bool split_symbol(const char *p, const char *end, struct symbol_line *s)
{
	const char *name, *tab = memrchr(p, '\t', end - p);

	*s = (struct symbol_line){ .end = end };
	name = sym_line_head(p, end, &s->at, &s->type);
	if (!name)
		return false;
	s->rest = name - 2;
	/* symbols with other names in brackets move with the kernel */
	if (tab && tab >= name && end - tab > 3 && tab[1] == '[' && end[-1] == ']') {
		s->module = tab + 2;
		s->module_len = end - 1 - s->module;
	}
	return true;
}

static bool is_code(char type)
{
	return strchr("tTwW", type);
}

uint64_t collect_text_address(const char *symbols, size_t len)
{
	return sym_text_find(symbols, len, "_text");
}

uint64_t collect_text_then(const struct last_boot *l, uint64_t text_now)
{
	if (l->kind == LAST_BOOT_ADDRESSES)
		return l->text;
	return l->kind == LAST_BOOT_DELTAS && text_now ? text_now - l->text_delta : 0;
}

static const struct placed_module *find_placed(struct address_moves *m, const char *name,
					       size_t len)
{
	const struct placed_module *p = m->last;
	size_t i;

	if (p && strlen(p->name) == len && !memcmp(p->name, name, len))
		return p;
	for (i = 0; i < m->n; i++)
		if (strlen(m->v[i].name) == len && !memcmp(m->v[i].name, name, len))
			return m->last = &m->v[i];
	return NULL;
}

/* Adds the modules in lines like "ext4 1028096 1 - Live 0xffffffffc0001000". */
static void add_modules(struct address_moves *m, const struct last_boot *l, const char *modules)
{
	struct strv lines = {0}, f = {0};
	size_t i;

	strv_split(&lines, modules, "\n");
	for (i = 0; i < lines.n; i++) {
		strv_split(&f, lines.v[i], " ");
		if (f.n >= 6 && !find_placed(m, f.v[0], strlen(f.v[0]))) {
			m->v = xgrow(m->v, &m->cap, m->n + 1, sizeof(*m->v));
			m->last = NULL;	/* the array may have moved */
			m->v[m->n++] = (struct placed_module){
				.name = xstrdup(f.v[0]), .now = strtoull(f.v[5], NULL, 16),
				.then = last_boot_module(l, f.v[0], strlen(f.v[0])),
			};
		}
		strv_release(&f);
	}
	strv_release(&lines);
}

/*
 * Computes the address of a symbol then. Returns false if it is unknown: only the code of modules
 * is placed, as their data is in other memory whose address is not recorded.
 */
static bool move_symbol(struct address_moves *m, const struct symbol_line *s, uint64_t *at)
{
	const struct placed_module *p;

	if (!s->module) {
		*at = s->at < m->first ? s->at : s->at - (is_code(s->type) ? m->text : m->data);
		return true;
	}
	p = is_code(s->type) ? find_placed(m, s->module, s->module_len) : NULL;
	if (!p || !p->then || !p->now)
		return false;
	*at = s->at - p->now + p->then->at;
	return true;
}

/* Adds modules whose functions stay numbers: without an address then, or not loaded now. */
static void list_unplaced(const struct address_moves *m, const struct last_boot *l,
			  struct strv *out)
{
	size_t i, k;

	for (i = 0; i < m->n; i++)
		if (!m->v[i].then || !m->v[i].now)
			strv_add(out, m->v[i].name);
	for (i = 0; i < l->n; i++) {
		for (k = 0; k < m->n && strcmp(m->v[k].name, l->v[i].name); k++)
			;
		if (k == m->n)
			strv_add(out, l->v[i].name);
	}
	strv_sort_unique(out);
}

bool collect_move_symbols(const struct last_boot *l, const struct buf *symbols,
			  const char *modules, struct buf *out, struct strv *unplaced)
{
	struct address_moves m = { .first = collect_text_address(symbols->data, symbols->len) };
	uint64_t then = collect_text_then(l, m.first), at;
	const char *p, *end, *nl;
	struct symbol_line s;

	if (!m.first || !then)
		return false;
	m.text = m.first - then;
	m.data = l->kind == LAST_BOOT_DELTAS ? (uint64_t)l->data_delta : m.text;
	add_modules(&m, l, modules);
	end = symbols->data + symbols->len;
	for (p = symbols->data; p < end; p = nl + 1) {
		nl = memchr(p, '\n', end - p);
		if (!nl)
			break;
		if (!split_symbol(p, nl, &s) || !move_symbol(&m, &s, &at))
			continue;
		buf_printf(out, "%0*" PRIx64 " ", (int)(2 * sizeof(long)), at);
		buf_add(out, s.rest, nl + 1 - s.rest);
	}
	list_unplaced(&m, l, unplaced);
	for (size_t i = 0; i < m.n; i++)
		free(m.v[i].name);
	free(m.v);
	return true;
}
