/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Verifies the checksums that ftr puts into its files.
 *
 * A sum over every byte of a recording must cost next to nothing compared with writing and reading
 * the data. It is XXH64 of libxxhash. CRC-32 of zlib is much slower. XXH3 is as fast as XXH64, but
 * only with vector instructions: an emulated machine, as used to debug kernels, takes four times
 * as long for it, a noticeable part of the recorder's time. Tables of version 1, which contain
 * XXH3, are still verified.
 */
#include <inttypes.h>
#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/mem.h"
#include "base/search.h"
#include "file/read/dat_priv.h"

#define TABLE_HEAD (4 + 4)		/* version, number of ranges */
#define SUM_BLOCK  (32u << 10)		/* bytes that are read at once to be hashed */

uint64_t dat_sum(const void *p, size_t n)
{
	return XXH64(p, n, 0);
}

static uint64_t range_hash(const struct dat_priv *d, uint64_t off, uint64_t n)
{
	return d->sums_are_xxh3 ? XXH3_64bits(d->map + off, n) : dat_sum(d->map + off, n);
}

/* Loads the table from the section from @start to @end. Returns false if it is invalid. */
static bool load_table(struct dat *d, uint64_t start, uint64_t end)
{
	struct dat_priv *p = d->priv;
	struct cursor c = cur_init(p->map, end, d->big);
	uint32_t version, i;
	uint64_t n, off = 0;
	struct dat_sum *s;
	uint16_t cpu;

	if (end - start < DAT_SECTION_HEADER + TABLE_HEAD + DAT_SUMS_TRAILER)
		return false;
	cur_seek(&c, start);
	if (cur_u16(&c) != DAT_FTR_SUMS)
		return false;
	cur_seek(&c, start + DAT_SECTION_HEADER);
	n = (cur_left(&c) - TABLE_HEAD - DAT_SUMS_TRAILER) / DAT_SUM_ENTRY;
	version = cur_u32(&c);
	p->sums_are_xxh3 = version == 1;
	/* the hash is checked last: a sparse file may be larger than anybody can read */
	if (!version || version > DAT_SUMS_VERSION || cur_u32(&c) != n ||
	    get_u64(p->map + end - 8, d->big) != range_hash(p, start, end - 8 - start))
		return false;
	p->sums = xcalloc(n, sizeof(*p->sums));
	p->nr_sums = n;
	for (i = 0; i < n; i++) {
		s = &p->sums[i];
		s->off = off;
		s->hash = cur_u64(&c);
		s->len = cur_u32(&c);
		s->section = cur_u16(&c);
		cpu = cur_u16(&c);
		s->cpu = cpu == DAT_SUM_NO_CPU ? -1 : cpu & INT16_MAX;
		off += s->len;
	}
	if (off == start)
		return true;
	p->nr_sums = 0;
	free(p->sums);
	p->sums = NULL;
	return false;
}

/* Two threads may hash the same range: they get the same result. */
static bool sum_set_state(struct dat_sum *s, uint64_t hash)
{
	bool good = hash == s->hash;

	__atomic_store_n(&s->state, good ? DAT_SUM_GOOD : DAT_SUM_BAD, __ATOMIC_RELAXED);
	return good;
}

/*
 * Reads a range and hashes it, block by block, each while it is in the first-level cache. Blocks
 * are read to @to, each @step bytes after the last one.
 */
static bool read_hashed(const struct dat *d, const struct dat_sum *s, uint8_t *to, uint32_t step,
			uint64_t *sum)
{
	XXH64_state_t hash;
	uint32_t at, n;

	XXH64_reset(&hash, 0);
	for (at = 0; at < s->len; at += n) {
		n = s->len - at < SUM_BLOCK ? s->len - at : SUM_BLOCK;
		if (!dat_read_at(d, to, n, s->off + at))
			return false;
		XXH64_update(&hash, to, n);
		to += step;
	}
	*sum = XXH64_digest(&hash);
	return true;
}

/* Returns true if the checksum of the range is right. System calls read it in blocks. */
static bool sum_is_good(const struct dat *d, struct dat_sum *s)
{
	uint8_t state = __atomic_load_n(&s->state, __ATOMIC_RELAXED), block[SUM_BLOCK];
	uint64_t hash;

	if (state != DAT_SUM_UNKNOWN)
		return state == DAT_SUM_GOOD;
	if (d->priv->sums_are_xxh3 || !read_hashed(d, s, block, 0, &hash))
		hash = range_hash(d->priv, s->off, s->len);
	return sum_set_state(s, hash);
}

static void verify_sum(struct dat *d, struct dat_sum *s, struct damage_list *to)
{
	bool header = s->section == DAT_SUM_HEADER;

	if (sum_is_good(d, s) || !to)
		return;
	damage_note_once(to, s->off, "checksum mismatch", d->path, s->off, s->cpu,
			 "%s%s%s in %" PRIu32 " bytes", header ? "initial header" : "section '",
			 header ? "" : dat_section_text(s->section), header ? "" : "'", s->len);
}

void dat_sums_meta(struct dat *d)
{
	struct dat_priv *p = d->priv;
	size_t i;

	for (i = 0; i < p->nr_sums; i++)
		if (p->sums[i].cpu < 0)
			verify_sum(d, &p->sums[i], &d->damages);
}

void dat_sums_load(struct dat *d)
{
	struct dat_priv *p = d->priv;
	uint64_t start;

	if (d->version != 7 || p->size < DAT_SUMS_TRAILER ||
	    dat_is_hole(d, p->size - DAT_SUMS_TRAILER))
		return;
	start = get_u64(p->map + p->size - DAT_SUMS_TRAILER, d->big);
	if (start < p->size)
		load_table(d, start, p->size);
}

void dat_sums_walked(struct dat *d)
{
	const struct dat_priv *p = d->priv;
	const struct dat_section *s = p->sections, *end = s + p->nr_sections;
	const struct dat_section *last = p->nr_sections ? end - 1 : NULL;

	/* the table is found by its id or, if that is damaged, by the offset in its trailer */
	while (s < end && s->id != DAT_FTR_SUMS)
		s++;
	if (s == end)
		s = last && p->walked && last->end - last->body >= DAT_SUMS_TRAILER &&
		    get_u64(p->map + last->end - DAT_SUMS_TRAILER, d->big) == last->off ?
		    last : NULL;
	if (p->nr_sums || (s && load_table(d, s->off, s->end)))
		return;
	/* the writer puts both of ftr's sections into a file, or none */
	if (s || (d->ftr_meta.p && !d->truncated))
		damage_note(&d->damages, s ? "table of checksums is damaged" :
			    "table of checksums is missing", d->path, s ? s->off : d->file_size, -1,
			    "other bytes can't be verified");
}

/* Returns the last range that starts at or before @off. */
static size_t find_range(const struct dat_priv *p, uint64_t off)
{
	return SEARCH_LAST(i, 0, p->nr_sums, p->sums[i].off <= off);
}

void dat_sums_touch(struct dat *d, uint64_t off, uint64_t len, struct damage_list *to, size_t *hint)
{
	struct dat_priv *p = d->priv;
	size_t i = *hint;

	if (!p->nr_sums)
		return;
	if (p->sums[i].off > off || p->sums[i].off + p->sums[i].len <= off)
		i = find_range(p, off);
	for (; i < p->nr_sums && p->sums[i].off < off + len; i++) {
		*hint = i;
		verify_sum(d, &p->sums[i], to);
	}
}

struct dat_sum *dat_sums_unknown(const struct dat *d, uint64_t off, uint64_t len, size_t *hint)
{
	const struct dat_priv *p = d->priv;
	size_t i = *hint;

	if (!p->nr_sums)
		return NULL;
	if (p->sums[i].off > off || p->sums[i].off + p->sums[i].len <= off)
		i = find_range(p, off);
	for (*hint = i; i < p->nr_sums && p->sums[i].off < off + len; i++)
		if (__atomic_load_n(&p->sums[i].state, __ATOMIC_RELAXED) == DAT_SUM_UNKNOWN)
			return &p->sums[i];
	return NULL;
}

bool dat_sums_read(const struct dat *d, struct dat_sum *s, void *to)
{
	uint64_t hash;

	if (d->priv->sums_are_xxh3) {
		if (!dat_read_at(d, to, s->len, s->off))
			return false;
		hash = XXH3_64bits(to, s->len);
	} else if (!read_hashed(d, s, to, SUM_BLOCK, &hash)) {
		return false;
	}
	sum_set_state(s, hash);
	return true;
}

bool dat_sums_vouch(const struct dat *d, uint64_t off, uint64_t end)
{
	const struct dat_priv *p = d->priv;
	size_t i;

	for (i = p->nr_sums ? find_range(p, off) : 0; i < p->nr_sums && p->sums[i].off < end; i++)
		if (!sum_is_good(d, &p->sums[i]))
			return false;
	return p->nr_sums;
}

bool dat_has_sums(const struct dat *d)
{
	return d->priv->nr_sums;
}

uint64_t dat_verify(struct dat *d)
{
	size_t i;

	for (i = 0; i < d->priv->nr_sums; i++)
		verify_sum(d, &d->priv->sums[i], &d->damages);
	/* the table has a checksum, too */
	return d->priv->nr_sums ? d->priv->nr_sums + 1 : 0;
}
