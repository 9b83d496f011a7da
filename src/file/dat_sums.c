/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Verifies the checksums that ftr puts into its files. */
#include <inttypes.h>
#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/mem.h"
#include "file/dat_priv.h"
#include "file/dat_write.h"

#define TABLE_HEAD (4 + 4)		/* version, number of ranges */
#define DONE_BYTES (DAT_OPTION_HEADER + 8)

static uint64_t hash_around(const uint8_t *from, const uint8_t *gap, const uint8_t *end)
{
	XXH3_state_t *state = XXH3_createState();
	uint64_t hash;

	XXH3_64bits_reset(state);
	XXH3_64bits_update(state, from, gap - from);
	XXH3_64bits_update(state, gap + 8, end - gap - 8);
	hash = XXH3_64bits_digest(state);
	XXH3_freeState(state);
	return hash;
}

static void read_ranges(struct dat *d, struct cursor *c, uint32_t n)
{
	struct dat_priv *p = d->priv;
	uint64_t off = 0;
	uint16_t cpu;
	size_t i;

	p->sums = xcalloc(n, sizeof(*p->sums));
	p->nr_sums = n;
	for (i = 0; i < n; i++) {
		p->sums[i].off = off;
		p->sums[i].hash = cur_u64(c);
		p->sums[i].len = cur_u32(c);
		p->sums[i].section = cur_u16(c);
		cpu = cur_u16(c);
		p->sums[i].cpu = cpu == DAT_SUM_NO_CPU ? -1 : cpu & INT16_MAX;
		off += p->sums[i].len;
	}
}

static bool ranges_add_up(const struct dat_priv *p, uint64_t start)
{
	const struct dat_sum *last;

	if (!p->nr_sums)
		return !start;
	last = &p->sums[p->nr_sums - 1];
	return last->off + last->len == start;
}

/* Loads the table from the section at @start that ends at @end. False when none is there, or a damaged one. */
static bool load_table(struct dat *d, uint64_t start, uint64_t end)
{
	struct dat_priv *p = d->priv;
	struct cursor c = cur_init(p->map, end, d->big);
	uint64_t payload, n;

	cur_seek(&c, start);
	cur_bytes(&c, DAT_SECTION_HEADER);
	if (cur_u16(&c) != DAT_FTR_SUMS)
		return false;
	payload = cur_u32(&c);
	if (cur_left(&c) < DONE_BYTES || payload != cur_left(&c) - DONE_BYTES ||
	    payload < TABLE_HEAD + 16)
		return false;
	if (get_u64(p->map + end - DONE_BYTES - 8, d->big) !=
	    hash_around(p->map + start, p->map + end - DONE_BYTES - 8, p->map + end))
		return false;
	n = (payload - TABLE_HEAD - 16) / DAT_SUM_ENTRY;
	if (cur_u32(&c) != DAT_SUMS_VERSION || cur_u32(&c) != n)
		return false;
	read_ranges(d, &c, n);
	if (ranges_add_up(p, start))
		return true;
	p->nr_sums = 0;
	free(p->sums);
	p->sums = NULL;
	return false;
}

static void verify(struct dat *d, struct dat_sum *s)
{
	if (s->checked)
		return;
	s->checked = true;
	if (XXH3_64bits(d->priv->map + s->off, s->len) == s->hash)
		return;
	damage_note(&d->damages, "checksum mismatch", d->path, s->off, s->cpu, "%s%s%s in %" PRIu32 " bytes",
		    s->section == DAT_SUM_HEADER ? "initial header" : "section '",
		    s->section == DAT_SUM_HEADER ? "" : dat_section_text(s->section),
		    s->section == DAT_SUM_HEADER ? "" : "'", s->len);
}

static void verify_meta(struct dat *d)
{
	struct dat_priv *p = d->priv;
	size_t i;

	for (i = 0; i < p->nr_sums; i++)
		if (p->sums[i].cpu < 0)
			verify(d, &p->sums[i]);
}

void dat_sums_load(struct dat *d)
{
	struct dat_priv *p = d->priv;
	uint64_t start;

	if (d->version != 7 || p->size < DAT_SUMS_TRAILER)
		return;
	start = get_u64(p->map + p->size - DAT_SUMS_TRAILER, d->big);
	if (start < p->size && load_table(d, start, p->size))
		verify_meta(d);
}

/* Our table has an OPTIONS section to itself. "trace-cmd convert" copies the option into a file that it is not about. */
static bool section_of_its_own(const struct dat *d, uint64_t start, uint64_t end)
{
	const struct dat_section *s = d->priv->sections;
	size_t i;

	for (i = 0; i < d->priv->nr_sections; i++)
		if (s[i].off == start && s[i].end == end)
			return true;
	return false;
}

void dat_sums_option(struct dat *d)
{
	const struct dat_option *o = dat_option(d, DAT_FTR_SUMS);
	uint64_t start, end;

	if (d->priv->nr_sums || !o)
		return;
	start = o->data.off - DAT_OPTION_HEADER - DAT_SECTION_HEADER;
	end = o->data.off + o->data.len + DONE_BYTES;
	if (!section_of_its_own(d, start, end))
		return;
	if (load_table(d, start, end))
		verify_meta(d);
	else
		damage_note(&d->damages, "table of checksums is damaged", d->path, o->data.off, -1,
			    "other bytes can't be verified");
}

void dat_sums_touch(struct dat *d, uint64_t off, uint64_t len)
{
	struct dat_priv *p = d->priv;
	size_t lo = 0, hi = p->nr_sums, mid;

	while (hi - lo > 1) {
		mid = (lo + hi) / 2;
		if (p->sums[mid].off <= off)
			lo = mid;
		else
			hi = mid;
	}
	for (; lo < p->nr_sums && p->sums[lo].off < off + len; lo++)
		verify(d, &p->sums[lo]);
}

uint64_t dat_verify(struct dat *d)
{
	size_t i;

	for (i = 0; i < d->priv->nr_sums; i++)
		verify(d, &d->priv->sums[i]);
	/* the table vouches for itself, too */
	return d->priv->nr_sums ? d->priv->nr_sums + 1 : 0;
}
