/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads a trace file that was written front to back: the data is in chunks between the sections. */
#include <inttypes.h>

#include "file/read/dat_priv.h"
#include "file/read/dat_regions.h"

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
static struct dat_cpu *chunk_cpu(struct dat *d, const struct dat_spool *s, const uint8_t *body,
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
	uint64_t size = chunk->end - chunk->body - DAT_STREAM_NUMBERS, rest;
	struct dat_buffer *b;
	struct dat_cpu *c = chunk_cpu(d, s, d->priv->map + chunk->body, &b);

	rest = c ? size % b->layout.subbuf_size : 0;
	if (!c || (rest && !chunk->cut))
		damage_note(&d->damages, "section FTR_CHUNK damaged", d->path, chunk->off,
			    c ? c->cpu : -1, c ? NULL : "it belongs to no CPU");
	if (c && size > rest)
		dat_add_run(c, chunk->body + DAT_STREAM_NUMBERS, size - rest, false);
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
