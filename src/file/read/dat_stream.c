/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace file that is written front to back, as into a pipe. */
#include "file/spool/dat_stream.h"

#include <inttypes.h>

#include "file/parts/dat_priv.h"
#include "file/write/dat_write_priv.h"

#define NUMBERS 8	/* of the body of a chunk */

static void section(uint16_t id, uint64_t size, struct buf *out)
{
	buf_u16(out, id);
	buf_u16(out, 0);
	buf_u32(out, 0);	/* there are no STRINGS */
	buf_u64(out, size);
}

void dat_stream_head(const struct dat_spool *s, struct buf *out)
{
	struct dat_spool as = *s;
	struct buf body = {0};

	as.state = DAT_SPOOL_STREAM;
	dat_spool_encode(&as, &body);
	section(DAT_FTR_SPOOL, body.len, out);
	buf_add(out, body.data, body.len);
	buf_release(&body);
}

void dat_stream_chunk(uint32_t buffer, uint32_t region, uint64_t size, struct buf *out)
{
	section(DAT_FTR_CHUNK, NUMBERS + size, out);
	buf_u32(out, buffer);
	buf_u32(out, region);
}

/* Of each section that the writer has one: an option that tells where it is. */
static bool names_section(uint16_t id)
{
	return id == DAT_BUFFER || (id >= DAT_STRINGS && id <= DAT_CMDLINES) || id == DAT_BTF_FILE;
}

void dat_stream_options(const struct dat_writer *w, struct buf *out)
{
	struct cursor c = cur_init(w->options.data, w->options.len, __BYTE_ORDER__ ==
				   __ORDER_BIG_ENDIAN__);
	struct buf body = {0};
	const uint8_t *p;
	uint32_t len;
	uint16_t id;

	while (cur_left(&c)) {
		id = cur_u16(&c);
		len = cur_u32(&c);
		p = cur_bytes(&c, len);
		if (p && !names_section(id))
			buf_add(&body, p - DAT_OPTION_HEADER, DAT_OPTION_HEADER + len);
	}
	buf_u16(&body, DAT_DONE);
	buf_u32(&body, 8);
	buf_u64(&body, 0);
	section(DAT_DONE, body.len, out);
	buf_add(out, body.data, body.len);
	buf_release(&body);
}

void dat_stream_end(uint64_t at, struct buf *out)
{
	section(DAT_FTR_END, sizeof(at), out);
	buf_u64(out, at);
}

void dat_stream_find_end(struct dat *d)
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
		damage_note(&d->damages, "bytes behind the end of the stream", d->path, end->end,
			    -1, "%" PRIu64 " bytes", d->file_size - end->end);
}

/* The CPU whose data it is, and its buffer. NULL: there is none. */
static struct dat_cpu *cpu_of(struct dat *d, const struct dat_spool *s, const uint8_t *body,
			      struct dat_buffer **b)
{
	uint32_t buffer = get_u32(body, d->big), region = get_u32(body + 4, d->big);

	if (buffer >= d->nr_buffers || d->buffers[buffer].nr_cpus != s->bufs[buffer].n ||
	    region >= s->bufs[buffer].n)
		return NULL;
	*b = &d->buffers[buffer];
	return &(*b)->cpus[region];
}

/* One that is cut is the last of the file: its last sub-buffer did not get there. */
static void load_chunk(struct dat *d, const struct dat_spool *s, const struct dat_section *chunk)
{
	uint64_t size = chunk->end - chunk->body - NUMBERS, rest;
	struct dat_buffer *b;
	struct dat_cpu *c = cpu_of(d, s, d->priv->map + chunk->body, &b);

	rest = c ? size % b->layout.subbuf_size : 0;
	if (!c || (rest && !chunk->cut))
		damage_note(&d->damages, "section FTR_CHUNK damaged", d->path, chunk->off,
			    c ? c->cpu : -1, c ? NULL : "it is of no CPU");
	if (c && size > rest)
		dat_add_run(c, chunk->body + NUMBERS, size - rest, false);
}

void dat_stream_load(struct dat *d, const struct dat_spool *s)
{
	const struct dat_priv *p = d->priv;
	size_t i, k;

	for (i = 0; i < p->nr_chunks; i++)
		load_chunk(d, s, &p->chunks[i]);
	for (i = 0; i < d->nr_buffers; i++)
		for (k = 0; k < d->buffers[i].nr_cpus; k++)
			dat_number_runs(&d->buffers[i].cpus[k], d->buffers[i].layout.subbuf_size);
}
