/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions by numbers, as Perfetto interns them. */
#include <stdlib.h>

#include "base/map.h"
#include "output/perfetto/perfetto_priv.h"

#define FEW	    4096	/* addresses in the cache, a power of two */
#define SYMBOLS_MAX (1u << 18)	/* in all files; a kernel has some 100,000 functions */

/* An address of a file, and its number. */
struct known_addr {
	const struct trace *trace;
	uint64_t addr, iid;
};

struct pf_symbols {
	struct known_addr few[FEW];
	struct map *by_file;		/* address -> number, one for each of ->files */
	const struct trace **files;	/* the files met so far */
	size_t nr_files;
	struct textmap names;		/* name -> number, for addresses whose names change */
	uint64_t nr;			/* numbers in use */
	uint64_t **known;		/* per sequence: a bit for each number whose name it has */
	size_t *known_words;
	size_t nr_sequences;
};

struct pf_symbols *pf_symbols_new(size_t nr_sequences)
{
	struct pf_symbols *s = xcalloc(1, sizeof(*s));

	s->known = xcalloc(nr_sequences + 1, sizeof(*s->known));
	s->known_words = xcalloc(nr_sequences + 1, sizeof(*s->known_words));
	s->nr_sequences = nr_sequences;
	return s;
}

void pf_symbols_forget(struct pf_symbols *s)
{
	for (size_t i = 0; i < s->nr_files; i++)
		map_release(&s->by_file[i]);
	for (size_t i = 0; i < s->nr_sequences; i++) {
		free(s->known[i]);
		s->known[i] = NULL;
		s->known_words[i] = 0;
	}
	textmap_release(&s->names);
	memset(s->few, 0, sizeof(s->few));
	s->nr = 0;
}

void pf_symbols_free(struct pf_symbols *s)
{
	if (!s)
		return;
	pf_symbols_forget(s);
	free(s->by_file);
	free(s->files);
	free(s->known);
	free(s->known_words);
	free(s);
}

bool pf_symbols_full(const struct pf_symbols *s)
{
	return s->nr >= SYMBOLS_MAX;
}

static struct map *find_addresses(struct pf_symbols *s, const struct trace *t)
{
	size_t i;

	for (i = 0; i < s->nr_files && s->files[i] != t;)
		i++;
	if (i == s->nr_files) {
		s->nr_files++;
		s->files = xrealloc(s->files, s->nr_files * sizeof(*s->files));
		s->by_file = xrealloc(s->by_file, s->nr_files * sizeof(*s->by_file));
		s->files[i] = t;
		s->by_file[i] = (struct map){0};
	}
	return &s->by_file[i];
}

static uint64_t find_number(struct pf_symbols *s, struct trace *t, uint64_t addr)
{
	struct known_addr *k = &s->few[(addr >> 4 ^ addr >> 16) & (FEW - 1)];
	const char *name;
	uintptr_t iid;
	struct map *m;
	size_t len;

	if (__builtin_expect(k->addr == addr && k->trace == t && k->iid, 1))
		return k->iid;
	if (t->meta.syms && ev_syms_moving(t->meta.syms, addr)) {
		/* the function at an address changes with the modules: the number is the name's */
		name = ev_func_text(t->engine, addr, &len);
		iid = (uintptr_t)textmap_get(&s->names, name, len);
		if (!iid) {
			iid = ++s->nr;
			textmap_put(&s->names, name, len, (void *)iid);
		}
		return iid;
	}
	m = find_addresses(s, t);
	iid = (uintptr_t)map_get(m, addr);
	if (!iid) {
		iid = ++s->nr;
		map_put(m, addr, (void *)iid);
	}
	*k = (struct known_addr){ t, addr, iid };
	return iid;
}

uint64_t pf_symbol(struct pf_symbols *s, struct trace *t, size_t seq, uint64_t addr,
		   struct buf *interned)
{
	uint64_t iid = find_number(s, t, addr), bit = 1ull << (iid & 63), *word;
	size_t word_nr = iid >> 6, cap = s->known_words[seq], len, at;
	const char *name;

	if (word_nr >= cap) {
		s->known[seq] = xgrow(s->known[seq], &s->known_words[seq], word_nr + 1,
				      sizeof(*word));
		memset(s->known[seq] + cap, 0, (s->known_words[seq] - cap) * sizeof(*word));
	}
	word = &s->known[seq][word_nr];
	if (__builtin_expect(!(*word & bit), 0)) {
		*word |= bit;
		name = ev_func_text(t->engine, addr, &len);
		at = proto_begin(interned, INTERNED_SYMBOL);
		proto_add_number(interned, 1, iid);
		proto_add_bytes(interned, 2, name, len);
		proto_end(interned, at);
	}
	return iid;
}
