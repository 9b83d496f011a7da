/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a trace.dat that is being recorded, or whose recording was cut off, see dat_regions.h; and
 * one that was written front to back, whose data is in chunks between the sections.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "file/read/dat_priv.h"
#include "file/read/dat_regions.h"

#define TEXT_AT   (4 + 4 + 8 + 4)	/* offset of the text in the body of DAT_FTR_SPOOL */
#define TAIL      8			/* bytes that show whether a section is complete */
#define STEPS_MAX 1024			/* steps of joining that are tried for a cut file */
#define ZEROS_MAX (64ULL << 20)		/* without known holes, the data ends before this many */

/* --- the data of a CPU */

struct cpu_region {
	struct dat *d;
	struct dat_cpu *c;
	uint64_t subbuf, start, end;
};

static void cpu_add_run(struct dat_cpu *c, uint64_t off, uint64_t len, bool hole)
{
	struct dat_cpu_priv *p = c->priv;
	struct dat_run *last = p->nr_runs ? &p->runs[p->nr_runs - 1] : NULL;

	if (last && last->hole == hole && last->off + last->len == off) {
		last->len += len;
		return;
	}
	p->runs = xgrow(p->runs, &p->cap_runs, p->nr_runs + 1, sizeof(*p->runs));
	p->runs[p->nr_runs++] = (struct dat_run){ .off = off, .len = len, .hole = hole };
}

static void push_run(struct cpu_region *r, uint64_t off, uint64_t end, bool hole)
{
	if (off < end)
		cpu_add_run(r->c, off, end - off, hole);
}

/* Searches the end of the data, as the file system does not report the holes that must be there. */
static uint64_t end_of_data(const struct cpu_region *r, uint64_t at)
{
	uint64_t last = at, left;

	for (; at < r->end && at - last < ZEROS_MAX; at += r->subbuf) {
		left = r->end - at < r->subbuf ? r->end - at : r->subbuf;
		if (!mem_is_zero(r->d->priv->map + at, left))
			last = at + left;
	}
	return last;
}

/*
 * Finds the next data at or after @at: from *from to *to, whole sub-buffers. Returns false if there
 * is none.
 */
static bool next_data(const struct cpu_region *r, uint64_t at, uint64_t *from, uint64_t *to)
{
	off_t data = lseek(r->d->priv->fd, at, SEEK_DATA), hole;

	if (data < 0 && errno == ENXIO)
		return false;
	*from = data < 0 ? at : (uint64_t)data;
	if (*from >= r->end)
		return false;
	hole = lseek(r->d->priv->fd, *from, SEEK_HOLE);
	*to = hole < 0 || (uint64_t)hole > r->end ? r->end : (uint64_t)hole;
	if (*to == r->end && r->d->priv->sparse && *to - *from > ZEROS_MAX)
		*to = end_of_data(r, *from);
	*from -= (*from - r->start) % r->subbuf;
	*to += (r->subbuf - (*to - r->start) % r->subbuf) % r->subbuf;
	*to = *to < r->end ? *to : r->end;
	*from = *from < at ? at : *from;
	return *to > *from;
}

/* Drops zeroes at the end, which are no data while the file is being recorded. */
static void trim_runs(struct cpu_region *r)
{
	struct dat_cpu_priv *p = r->c->priv;
	struct dat_run *last;
	uint64_t part;

	while (p->nr_runs) {
		last = &p->runs[p->nr_runs - 1];
		while (!last->hole && last->len) {
			part = last->len % r->subbuf ? last->len % r->subbuf : r->subbuf;
			if (!mem_is_zero(r->d->priv->map + last->off + last->len - part, part))
				return;
			last->len -= part;
		}
		p->nr_runs--;
	}
}

/* Drops zeroes at the start: a recording that keeps the latest data has dropped the oldest. */
static void skip_dropped(struct cpu_region *r)
{
	struct dat_cpu_priv *p = r->c->priv;
	struct dat_run *first = p->runs;
	size_t n = 0;

	for (; n < p->nr_runs; n++, first++) {
		while (!first->hole && first->len >= r->subbuf &&
		       mem_is_zero(r->d->priv->map + first->off, r->subbuf)) {
			first->off += r->subbuf;
			first->len -= r->subbuf;
		}
		if (!first->hole && first->len)
			break;
	}
	if (!p->nr_runs)
		return;
	memmove(p->runs, p->runs + n, (p->nr_runs - n) * sizeof(*p->runs));
	p->nr_runs -= n;
	if (p->nr_runs)
		r->c->off = p->runs[0].off;
}

/* A single run without holes is not listed, as in every other file. */
static void cpu_number_runs(struct dat_cpu *c, uint32_t subbuf_size)
{
	struct dat_cpu_priv *p = c->priv;
	size_t i;

	c->size = 0;
	for (i = 0; i < p->nr_runs; i++) {
		struct dat_run *r = &p->runs[i];

		r->page = c->nr_pages;
		c->nr_pages += r->hole ? 1 : (r->len + subbuf_size - 1) / subbuf_size;
		c->size += r->hole ? 0 : r->len;
	}
	if (p->nr_runs > 1 || (p->nr_runs && p->runs[0].hole))
		return;
	c->off = p->nr_runs ? p->runs[0].off : c->off;
	free(p->runs);
	p->runs = NULL;
	p->nr_runs = p->cap_runs = 0;
}

/* @known: ->size of the region is the size of its data. */
static void bound_region(struct dat *d, struct dat_buffer *b, const struct dat_region *from,
			 bool known)
{
	struct dat_cpu *c = &b->cpus[b->nr_cpus - 1];
	uint64_t size = known ? from->size : from->limit, at = c->off, data, end;
	struct cpu_region r = { .d = d, .c = c, .subbuf = b->layout.subbuf_size, .start = c->off };
	uint64_t room = c->off < d->file_size ? d->file_size - c->off : 0;
	size_t len;

	if (known && size > room)
		damage_note(&d->damages, "CPU data is cut off", d->path, c->off, c->cpu,
			    "%" PRIu64 " of %" PRIu64 " bytes are there", room, size);
	r.end = c->off + (size < room ? size : room);
	if (from->packed) {
		c->size = r.end > c->off ? r.end - c->off : 0;
		if (c->size)
			dat_index_packed(d, b, c);
		return;
	}
	while (at < r.end && next_data(&r, at, &data, &end)) {
		push_run(&r, at, data, true);
		push_run(&r, data, end, false);
		at = end;
	}
	push_run(&r, at, r.end, true);
	if (!known)
		trim_runs(&r);
	if (!known && dat_ftr_value(d, DAT_KEEP_KEY, &len))
		skip_dropped(&r);
	cpu_number_runs(c, r.subbuf);
}

static void load_spool_buffer(struct dat *d, const struct dat_spool_buffer *from, bool sealed)
{
	struct dat_buffer *b = dat_add_buffer(d, from->name, from->clock, 0);
	const struct dat_region *r;
	size_t cap = 0;

	dat_set_layout(d, b, from->subbuf_size);
	for (r = from->v; r < from->v + from->n; r++) {
		if (b->nr_cpus && r->cpu <= b->cpus[b->nr_cpus - 1].cpu) {
			damage_note(&d->damages, "CPU table damaged", d->path, r->at, r->cpu,
				    "in section 'FTR_SPOOL'");
			continue;
		}
		if (dat_add_cpu(d, b, &cap, r->cpu, r->at, 0) && !d->streamed)
			bound_region(d, b, r, sealed || r->packed);
	}
}

/* --- the state of a sealed file whose parts are being joined */

/* Returns the offsets of all regions, and counts those with data. The caller frees the result. */
static uint64_t *region_places(const struct dat_spool *s, size_t *filled)
{
	uint64_t *v = NULL;
	size_t cap = 0, n = 0, i, k;

	*filled = 0;
	for (i = 0; i < s->n; i++)
		for (k = 0; k < s->bufs[i].n; k++) {
			v = xgrow(v, &cap, n + 1, sizeof(*v));
			v[n++] = s->bufs[i].v[k].at;
			*filled += s->bufs[i].v[k].size != 0;
		}
	return v;
}

static void restore_places(struct dat_spool *s, const uint64_t *v)
{
	size_t i, k;

	for (i = 0; i < s->n; i++)
		for (k = 0; k < s->bufs[i].n; k++)
			s->bufs[i].v[k].at = *v++;
}

/* Returns true if a region starts with sub-buffers or chunks. Only the layout of @b is set. */
static bool region_is_plausible(const struct dat *d, const struct dat_buffer *b,
				const struct dat_region *r)
{
	struct ring_page pg;

	if (!r->size || r->at >= d->file_size || dat_is_hole(d, r->at))
		return false;
	if (r->packed)
		return dat_chunks_plausible(d, b, r->at);
	return d->file_size - r->at >= b->layout.subbuf_size &&
	       ring_page_open(&pg, &b->layout, d->priv->map + r->at,
			      b->layout.subbuf_size) == RING_OK &&
	       pg.ts && ring_page_check(&pg) == RING_OK;
}

static size_t count_plausible(const struct dat *d, const struct dat_spool *s)
{
	struct dat_buffer b = {0};
	size_t i, k, n = 0;

	for (i = 0; i < s->n; i++) {
		if (ring_layout_parse(&b.layout, d->header_page.p, d->header_page.len, d->big,
				      d->long_size, s->bufs[i].subbuf_size))
			ring_layout_parse(&b.layout, NULL, 0, d->big, d->long_size,
					  s->bufs[i].subbuf_size);
		for (k = 0; k < s->bufs[i].n; k++)
			n += region_is_plausible(d, &b, &s->bufs[i].v[k]);
	}
	return n;
}

/*
 * Finds the number of steps after which most of the data would be where there is data now, and the
 * file's size then. *whole: all of the data is there.
 */
static size_t likely_steps(struct dat *d, struct dat_spool *s, const struct dat_join *v, size_t n,
			   uint64_t *likely, bool *whole)
{
	size_t steps, score, best = 0, found = 0, filled;
	uint64_t size = dat_spool_bytes(s), *at = region_places(s, &filled);
	bool all;

	*likely = size;
	for (steps = 0; steps <= n; steps++) {
		dat_spool_locate(s, size, &all);
		score = count_plausible(d, s);
		restore_places(s, at);
		if (score > best) {
			best = score;
			found = steps;
			*likely = size;
		}
		if (steps < n)
			size -= v[steps].hole;
	}
	*whole = best == filled && *likely <= d->file_size;
	free(at);
	return found;
}

/*
 * Finds out how many steps of joining were done. The size of a sealed file shows it, unless more
 * follows the data or the file was cut: then the data shows it. Returns true if all were done.
 */
static bool locate_joined(struct dat *d, struct dat_spool *s)
{
	uint64_t end, had = dat_spool_bytes(s), size = d->file_size;
	struct dat_join *v;
	size_t n = dat_spool_joins(s, &v, &end), i;
	/* in a larger file the raw data is not yet cut off */
	bool known = had <= size, all;

	for (i = 0; i < n && !known; i++) {
		had -= v[i].hole;
		known = had == size;
	}
	if (!known && n <= STEPS_MAX) {
		i = likely_steps(d, s, v, n, &size, &known);
		if (!known)
			damage_note(&d->damages, "file is cut off", d->path, d->file_size, -1,
				    "its data was found by its shape");
	}
	dat_spool_locate(s, size, &all);
	free(v);
	return known && i == n && all;
}

/* --- sections */

static uint64_t first_data(const struct dat_spool *s, uint64_t none)
{
	bool sealed = s->state == DAT_SPOOL_SEALED;
	size_t i, k;

	for (i = 0; i < s->n; i++)
		for (k = 0; k < s->bufs[i].n; k++)
			if (!sealed || s->bufs[i].v[k].size)
				return s->bufs[i].v[k].at;
	return none;
}

/* Keeps the sections before the data and, once all is joined, those after it. */
static void drop_inner_sections(struct dat *d, const struct dat_spool *s, bool joined)
{
	uint64_t data = first_data(s, d->file_size), end = joined ? 0 : UINT64_MAX;
	struct dat_priv *p = d->priv;
	struct dat_section *from, *to = p->sections;
	const struct dat_region *r;
	size_t i;

	for (i = 0; joined && i < s->n; i++)
		for (r = s->bufs[i].v; r < s->bufs[i].v + s->bufs[i].n; r++)
			if (r->size && r->at + r->size > end)
				end = r->at + r->size;

	for (from = p->sections; from < p->sections + p->nr_sections; from++)
		if (from->end <= data || from->off >= end)
			*to++ = *from;
	p->nr_sections = to - p->sections;
	map_release(&p->by_off);
	/* only complete sections are left, whose headers show where their contents end */
	p->walked = true;
}

/*
 * Texts end with a line feed, so a section with zeroes at its end was not written completely; only
 * options end with zeroes. A stream is written front to back.
 */
static bool section_whole(struct dat *d, const struct dat_section *s)
{
	uint64_t len = s->end - s->body;

	if (!s->cut && (d->streamed || s->id == DAT_DONE || len <= TAIL ||
			(!dat_is_hole(d, s->end - TAIL) &&
			 !mem_is_zero(d->priv->map + s->end - TAIL, TAIL))))
		return true;
	damage_note_once(&d->damages, s->off, "section was not written to its end", d->path, s->off,
			 -1, "section '%s'", dat_section_text(s->id));
	return false;
}

/* Returns the last complete section with this id, or NULL. */
static struct dat_section *last_section(struct dat *d, uint16_t id)
{
	struct dat_priv *p = d->priv;
	size_t i;

	for (i = p->nr_sections; i--;)
		if (p->sections[i].id == id && section_whole(d, &p->sections[i]))
			return &p->sections[i];
	return NULL;
}

static void load_sections(struct dat *d)
{
	static const uint16_t ids[] = {
		DAT_FTRACE_EVENTS, DAT_EVENT_FORMATS, DAT_KALLSYMS, DAT_PRINTK, DAT_CMDLINES,
		DAT_FTR_PROTOS,	   DAT_BTF_FILE,      DAT_FTR_LATENCY,   DAT_FTR_OOPS,
	};
	struct dat_section *s;
	struct dat_part *part;
	size_t i;

	for (i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		s = last_section(d, ids[i]);
		part = dat_part(d, ids[i]);
		if (!s)
			continue;
		part->found = true;
		part->sec = *s;
	}
	s = last_section(d, DAT_DONE);
	if (s)
		dat_v7_read_options(d, s);
	s = last_section(d, DAT_FTR_META);
	if (s)
		d->ftr_meta = (struct dat_blob){
			.p = (const char *)d->priv->map + s->body, .off = s->body,
			.len = strnlen((const char *)d->priv->map + s->body, s->end - s->body),
		};
}

static void note_unfinished(struct dat *d)
{
	static const struct {
		uint16_t id;
		const char *what;
	} parts[] = {
		{ DAT_FTRACE_EVENTS, "formats of ftrace's events" },
		{ DAT_EVENT_FORMATS, "event formats" }, { DAT_KALLSYMS, "kernel symbols" },
		{ DAT_CMDLINES, "task names" }, { DAT_PRINTK, "trace_printk formats" },
	};
	struct buf b = {0};
	size_t i;

	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (!dat_part(d, parts[i].id)->found)
			buf_printf(&b, "%s%s", b.len ? ", " : "", parts[i].what);
	if (!dat_option(d, DAT_CPUSTAT))
		buf_printf(&b, "%sstatistics", b.len ? ", " : "");
	if (dat_lacks_latency(d))
		buf_printf(&b, "%sthe longest latency", b.len ? ", " : "");
	if (b.len)
		damage_note(&d->damages, DAT_UNFINISHED, d->path, DAMAGE_NO_OFFSET, -1,
			    "; missing: %s", b.data);
	else
		damage_note(&d->damages, DAT_UNFINISHED, d->path, DAMAGE_NO_OFFSET, -1, NULL);
	buf_release(&b);
}

/* Loads the list of regions. *joined: all parts of a sealed file are at their final places. */
static void load_spool(struct dat *d, const struct dat_section *sec, struct dat_spool *s,
		       bool *joined)
{
	const uint8_t *body = d->priv->map + sec->body;

	if (!dat_spool_decode(s, body, sec->end - sec->body, d->big, sec->end)) {
		damage_note(&d->damages, "section FTR_SPOOL damaged", d->path, sec->off, -1,
			    "it has the offsets of the data");
		return;
	}
	d->ftr_meta = (struct dat_blob){
		.p = (const char *)body + TEXT_AT, .len = strlen(s->text),
		.off = sec->body + TEXT_AT,
	};
	d->streamed = s->state == DAT_SPOOL_STREAM;
	*joined = s->state == DAT_SPOOL_SEALED && locate_joined(d, s);
}

/* --- streams */

static void stream_find_end(struct dat *d)
{
	struct dat_priv *p = d->priv;
	const struct dat_section *end = &p->sections[p->nr_sections - 1];

	/* there is nothing but sections */
	p->walked = true;
	if (end->id != DAT_FTR_END || end->cut)
		return;
	d->whole = end->end - end->body == 8 && get_u64(p->map + end->body, d->big) == end->off;
	if (!d->whole)
		damage_note(&d->damages, "section FTR_END damaged", d->path, end->off, -1, NULL);
	if (end->end != d->file_size)
		damage_note(&d->damages, "bytes after the end of the stream", d->path, end->end,
			    -1, "%" PRIu64 " bytes", d->file_size - end->end);
}

static void stream_load(struct dat *d, const struct dat_spool *s)
{
	const struct dat_section *chunk = d->priv->chunks, *end = chunk + d->priv->nr_chunks;
	uint32_t buffer, region;
	uint64_t size, rest;
	struct dat_cpu *c;
	size_t i, k;

	for (; chunk < end; chunk++) {
		buffer = get_u32(d->priv->map + chunk->body, d->big);
		region = get_u32(d->priv->map + chunk->body + 4, d->big);
		if (buffer >= d->nr_buffers || d->buffers[buffer].nr_cpus != s->bufs[buffer].n ||
		    region >= s->bufs[buffer].n) {
			damage_note(&d->damages, "section FTR_CHUNK damaged", d->path, chunk->off,
				    -1, "it belongs to no CPU");
			continue;
		}
		c = &d->buffers[buffer].cpus[region];
		size = chunk->end - chunk->body - DAT_STREAM_NUMBERS;
		/* only the last chunk may be cut, and lack a part of its last sub-buffer */
		rest = size % d->buffers[buffer].layout.subbuf_size;
		if (rest && !chunk->cut)
			damage_note(&d->damages, "section FTR_CHUNK damaged", d->path, chunk->off,
				    c->cpu, NULL);
		if (size > rest)
			cpu_add_run(c, chunk->body + DAT_STREAM_NUMBERS, size - rest, false);
	}
	for (i = 0; i < d->nr_buffers; i++)
		for (k = 0; k < d->buffers[i].nr_cpus; k++)
			cpu_number_runs(&d->buffers[i].cpus[k], d->buffers[i].layout.subbuf_size);
}

/* --- opening */

bool dat_unfinished_open(struct dat *d)
{
	struct dat_priv *p = d->priv;
	const struct dat_section *sec = p->sections, *headers;
	struct dat_spool s = {0};
	struct dat_blob uname = {0};
	bool joined = false;
	size_t i;

	while (sec < p->sections + p->nr_sections && sec->id != DAT_FTR_SPOOL)
		sec++;
	if (sec == p->sections + p->nr_sections)
		return false;
	d->unfinished = true;
	/* checksums are written together with the final initial header */
	p->nr_sums = 0;
	/* the layout of sub-buffers comes first: data is recognised by it */
	headers = last_section(d, DAT_HEADER_INFO);
	p->walked = true;
	if (headers)
		dat_v7_read_meta(d, headers, DAT_HEADER_INFO);
	load_spool(d, sec, &s, &joined);
	if (d->streamed)
		stream_find_end(d);
	else
		drop_inner_sections(d, &s, joined);
	/* the text in the front, which a section with all keys replaces as soon as there is one */
	uname.p = dat_ftr_value(d, "uname", &uname.len);
	uname.off = uname.p ? d->ftr_meta.off + (uname.p - d->ftr_meta.p) : 0;
	load_sections(d);
	/* readers expect it among the options */
	if (uname.p && !dat_option(d, DAT_UNAME))
		dat_add_option_entry(d, DAT_UNAME, uname);
	if (!d->whole)
		note_unfinished(d);
	for (i = 0; i < s.n && dat_may_add_buffer(d, sec->off); i++)
		load_spool_buffer(d, &s.bufs[i], s.state == DAT_SPOOL_SEALED);
	if (d->streamed)
		stream_load(d, &s);
	dat_spool_release(&s);
	return true;
}
