/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The regions of a trace file during the recording, and the section that lists them. */
#include "file/read/dat_regions.h"

#include <stdlib.h>

#include "base/cursor.h"
#include "file/read/dat_priv.h"

#define META_MAX  (1ULL << 30)		/* a hole: it costs nothing */
#define REGION_MIN (1ULL << 20)
#define UNIT       (2ULL << 20)		/* regions start at its multiples */
#define HEADS      (1ULL << 16)		/* room for section headers after a region's data */

struct dat_spool_buffer *dat_spool_add(struct dat_spool *s, const char *name, const char *clock,
				       uint32_t subbuf_size)
{
	struct dat_spool_buffer *b;

	s->bufs = xrealloc(s->bufs, (s->n + 1) * sizeof(*s->bufs));
	b = &s->bufs[s->n++];
	*b = (struct dat_spool_buffer){
		.name = xstrdup(name), .clock = xstrdup(clock), .subbuf_size = subbuf_size,
		.head = DAT_SECTION_HEADER,
	};
	return b;
}

void dat_spool_add_cpu(struct dat_spool_buffer *b, int cpu)
{
	b->v = xrealloc(b->v, (b->n + 1) * sizeof(*b->v));
	b->v[b->n++] = (struct dat_region){ .cpu = cpu };
}

void dat_spool_add_packed(struct dat_spool *s)
{
	struct dat_spool *packed = xcalloc(1, sizeof(*packed));
	struct dat_spool_buffer *b;
	size_t i, k;

	for (i = 0; i < s->n; i++) {
		b = dat_spool_add(packed, s->bufs[i].name, s->bufs[i].clock,
				  s->bufs[i].subbuf_size);
		for (k = 0; k < s->bufs[i].n; k++) {
			dat_spool_add_cpu(b, s->bufs[i].v[k].cpu);
			b->v[k].packed = true;
		}
	}
	s->packed = packed;
}

void dat_spool_take_packed(struct dat_spool *s)
{
	struct dat_spool_buffer *raw = s->bufs;

	s->bufs = s->packed->bufs;
	s->packed->bufs = raw;
}

static size_t count_regions(const struct dat_spool *s)
{
	size_t i, n = 0;

	for (i = 0; i < s->n; i++)
		n += s->bufs[i].n;
	return n;
}

/* Lays out the regions from @at on, one per @stride. Returns their end. */
static uint64_t lay_regions(struct dat_spool *s, uint64_t at, uint64_t stride)
{
	size_t i, k;

	for (i = 0; i < s->n; i++)
		for (k = 0; k < s->bufs[i].n; k++, at += stride) {
			s->bufs[i].v[k].at = at;
			s->bufs[i].v[k].limit = stride - HEADS;
		}
	return at;
}

bool dat_spool_lay(struct dat_spool *s, uint64_t max, uint64_t disk)
{
	uint64_t meta_end = max / 8 < META_MAX ? max / 8 : META_MAX, stride;
	size_t n = count_regions(s) * (s->packed ? 2 : 1);

	meta_end = meta_end < disk ? meta_end : disk;
	stride = n ? (max - meta_end) / n : 0;
	stride = stride < disk ? stride : disk + UNIT + HEADS;
	stride -= stride % UNIT;
	meta_end += UNIT - meta_end % UNIT;
	if (stride < REGION_MIN + HEADS)
		return false;
	s->room = meta_end;
	if (s->packed)
		meta_end = lay_regions(s->packed, meta_end, stride);
	lay_regions(s, meta_end, stride);
	return true;
}

void dat_spool_release(struct dat_spool *s)
{
	size_t i;

	for (i = 0; i < s->n; i++) {
		free(s->bufs[i].name);
		free(s->bufs[i].clock);
		free(s->bufs[i].v);
	}
	if (s->packed)
		dat_spool_release(s->packed);
	free(s->packed);
	free(s->bufs);
	free(s->text);
	memset(s, 0, sizeof(*s));
}

void dat_spool_encode(const struct dat_spool *s, struct buf *out)
{
	const char *text = s->text ? s->text : "";
	const struct dat_spool_buffer *b;
	const struct dat_region *r;

	buf_u32(out, DAT_SPOOL_VERSION);
	buf_u32(out, s->state);
	buf_u64(out, s->meta_end);
	buf_u32(out, strlen(text));
	buf_addstr(out, text);
	buf_u32(out, s->n);
	for (b = s->bufs; b < s->bufs + s->n; b++) {
		buf_add(out, b->name, strlen(b->name) + 1);
		buf_add(out, b->clock, strlen(b->clock) + 1);
		buf_u32(out, b->subbuf_size);
		buf_u32(out, b->head);
		buf_u32(out, b->n);
		for (r = b->v; r < b->v + b->n; r++) {
			buf_u32(out, r->cpu);
			buf_u32(out, r->packed);
			buf_u64(out, r->at);
			buf_u64(out, r->limit);
			buf_u64(out, r->size);
		}
	}
	if (!s->cut_from)
		return;
	buf_u64(out, s->cut_from);
	buf_u64(out, s->cut_to);
}

size_t dat_spool_joins(const struct dat_spool *s, struct dat_join **v, uint64_t *end)
{
	struct dat_join *all = xcalloc(count_regions(s) + s->n + 2, sizeof(*all)), *j = all;
	uint64_t shift = s->cut_to ? s->cut_to - s->cut_from : 0, at = s->meta_end - shift;
	size_t i, k;

	*end = UINT64_MAX;
	*v = all;
	if (shift)
		*j++ = (struct dat_join){ .to = s->cut_from, .hole = shift };
	for (i = 0; i < s->n; i++) {
		struct dat_spool_buffer *b = &s->bufs[i];

		*j = (struct dat_join){ .buf = b, .first = true, .head = at };
		at += b->head;
		for (k = 0; k < b->n; k++) {
			if (!b->v[k].size)
				continue;
			j->buf = b;
			j->region = &b->v[k];
			j->to = dat_align_up(at, b->subbuf_size);
			if (b->v[k].at - shift < j->to)
				return 0;
			j->hole = b->v[k].at - shift - j->to;
			shift += j->hole;
			at = j->to + b->v[k].size;
			*++j = (struct dat_join){0};
		}
		j += j->first;
	}
	*end = at;
	return j - all;
}

bool dat_spool_joins_fit(const struct dat_spool *s)
{
	struct dat_join *v;
	uint64_t end;

	dat_spool_joins(s, &v, &end);
	free(v);
	return end != UINT64_MAX;
}

/* *free_at is the first byte that is in no region yet. */
static bool decode_region(struct dat_spool_buffer *b, struct cursor *c,
			  enum dat_spool_state state, uint64_t *free_at)
{
	struct dat_region r = { .cpu = cur_u32(c) };
	uint32_t packed;
	bool sealed;

	packed = cur_u32(c);
	r.at = cur_u64(c);
	r.limit = cur_u64(c);
	r.size = cur_u64(c);
	if (c->bad || r.cpu < 0 || r.cpu >= LIMIT_CPUS)
		return false;
	if (state == DAT_SPOOL_STREAM) {
		b->v[b->n++] = (struct dat_region){ .cpu = r.cpu };
		return true;
	}
	if (r.at < *free_at || r.at % b->subbuf_size || r.at > INT64_MAX ||
	    r.limit > INT64_MAX - r.at)
		return false;
	sealed = state == DAT_SPOOL_SEALED;
	if (packed > 1 || ((sealed || packed) && r.size > r.limit) ||
	    (sealed && !packed && r.size % b->subbuf_size))
		return false;
	r.packed = packed;
	*free_at = r.at + r.limit;
	b->v[b->n++] = r;
	return true;
}

static bool decode_buffer(struct dat_spool *s, struct cursor *c, uint64_t *free_at)
{
	const char *name = cur_str(c), *clock = cur_str(c);
	uint32_t subbuf = cur_u32(c), head = cur_u32(c), n = cur_u32(c);
	struct dat_spool_buffer *b;

	if (c->bad || !dat_page_size_ok(subbuf) || head < DAT_SECTION_HEADER || head > HEADS ||
	    n > LIMIT_CPUS)
		return false;
	b = dat_spool_add(s, name, clock, subbuf);
	b->head = head;
	b->v = xcalloc(n + 1, sizeof(*b->v));
	while (b->n < n)
		if (!decode_region(b, c, s->state, free_at))
			return false;
	return true;
}

bool dat_spool_decode(struct dat_spool *s, const void *body, size_t len, bool big,
		      uint64_t meta_min)
{
	struct cursor c = cur_init(body, len, big);
	uint64_t free_at = meta_min;
	uint32_t version = cur_u32(&c), n;
	const uint8_t *text;
	bool sealed;

	memset(s, 0, sizeof(*s));
	s->state = cur_u32(&c);
	s->meta_end = cur_u64(&c);
	n = cur_u32(&c);
	text = cur_bytes(&c, n);
	sealed = s->state == DAT_SPOOL_SEALED;
	if (!text || version != DAT_SPOOL_VERSION || s->state > DAT_SPOOL_STREAM)
		return false;
	if (sealed && s->meta_end < meta_min)
		return false;
	s->text = xstrndup((const char *)text, n);
	n = cur_u32(&c);
	if (c.bad || n > LIMIT_BUFFERS)
		goto bad;
	if (sealed)
		free_at = s->meta_end;
	while (s->n < n)
		if (!decode_buffer(s, &c, &free_at))
			goto bad;
	/* older files do not have these numbers */
	if (sealed && cur_left(&c) >= 16) {
		s->cut_from = cur_u64(&c);
		s->cut_to = cur_u64(&c);
	}
	if (s->cut_to &&
	    (s->cut_from < meta_min || s->cut_from > s->cut_to || s->cut_to > s->meta_end))
		goto bad;
	if (!sealed || dat_spool_joins_fit(s))
		return true;
bad:
	dat_spool_release(s);
	return false;
}

uint64_t dat_spool_bytes(const struct dat_spool *s)
{
	uint64_t end = s->meta_end;
	size_t i, k;

	for (i = 0; i < s->n; i++)
		for (k = 0; k < s->bufs[i].n; k++)
			if (s->bufs[i].v[k].size)
				end = s->bufs[i].v[k].at + s->bufs[i].v[k].size;
	return end;
}

size_t dat_spool_locate(struct dat_spool *s, uint64_t file_size, bool *all)
{
	uint64_t size = dat_spool_bytes(s), end, gone = 0;
	struct dat_join *v;
	size_t n = dat_spool_joins(s, &v, &end), i, done = 0;

	for (i = 0; i < n && size > file_size; i++) {
		size -= v[i].hole;
		gone += v[i].hole;
		done = i + 1;
	}
	for (*all = true, i = 0; i < n; i++) {
		*all &= i < done || !v[i].hole;
		if (v[i].region)
			v[i].region->at = i < done ? v[i].to : v[i].region->at - gone;
	}
	free(v);
	return done;
}
