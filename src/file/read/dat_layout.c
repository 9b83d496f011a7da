/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The places of the raw sub-buffers of each CPU, and the index of compressed chunks. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "file/compress.h"
#include "file/read/dat_priv.h"

#define CHUNK_PAGES    256	/* trace-cmd puts 10 sub-buffers into one */
#define CHUNK_MEASURES 4	/* odd chunks of a CPU whose size is measured at open */
#define NEIGHBOURS     64	/* entries with data that are checked for the end of a CPU's data */

bool dat_page_size_ok(uint64_t size)
{
	return size >= 512 && size <= RING_SUBBUF_MAX && !(size & (size - 1));
}

bool dat_is_hole(const struct dat *d, uint64_t off)
{
	off_t data;

	if (!d->priv->sparse || off >= d->file_size)
		return false;
	errno = 0;
	data = lseek(d->priv->fd, off, SEEK_DATA);
	return data < 0 ? errno == ENXIO : (uint64_t)data > off;
}

bool dat_add_cpu(struct dat *d, struct dat_buffer *b, size_t *cap, int cpu, uint64_t off,
		 uint64_t size)
{
	if (d->priv->nr_cpu_entries >= LIMIT_CPU_ENTRIES) {
		damage_note(&d->damages, "too many CPUs", d->path, off, cpu,
			    "more than %d of all buffers", LIMIT_CPU_ENTRIES);
		return false;
	}
	d->priv->nr_cpu_entries++;
	b->cpus = xgrow(b->cpus, cap, b->nr_cpus + 1, sizeof(*b->cpus));
	b->cpus[b->nr_cpus++] = (struct dat_cpu){
		.cpu = cpu,
		.off = off,
		.size = size,
		.priv = xcalloc(1, sizeof(struct dat_cpu_priv)),
	};
	return true;
}

void dat_release_cpu(struct dat_cpu *c)
{
	if (!c->priv)
		return;
	free(c->priv->chunks);
	free(c->priv->runs);
	free(c->priv);
}

static uint64_t max_chunk_bytes(const struct dat *d, const struct dat_buffer *b)
{
	uint64_t max = (uint64_t)CHUNK_PAGES * b->layout.subbuf_size;
	uint64_t each = LIMIT_CHUNKS / (d->priv->nr_cpu_entries + 1);

	if (each < LIMIT_CHUNK_LEAST)
		each = LIMIT_CHUNK_LEAST;
	if (each > LIMIT_CHUNK)
		each = LIMIT_CHUNK;
	return max < each ? max : each;
}

/* A chunk is recognised by its header and the first bytes of its data. */
#define CHUNK_START (DAT_CHUNK_HEADER + 4)

/* Parses the header @p of the chunk at @at. Returns false if it is invalid. */
static bool chunk_starts(const struct dat *d, const struct dat_buffer *b, const uint8_t *p,
			 uint64_t at, uint64_t end, struct dat_chunk *k)
{
	k->off = at + DAT_CHUNK_HEADER;
	k->csize = get_u32(p, d->big);
	k->usize = get_u32(p + 4, d->big);
	return k->csize && k->csize <= end - k->off && k->usize &&
	       k->usize <= max_chunk_bytes(d, b) && compressed_start(p + DAT_CHUNK_HEADER);
}

static bool read_chunk(const struct dat *d, const struct dat_buffer *b, uint64_t at, uint64_t end,
		       struct dat_chunk *k)
{
	return at <= end && end - at >= CHUNK_START &&
	       chunk_starts(d, b, d->priv->map + at, at, end, k);
}

/*
 * Like read_chunk(), for one far from the last one: a page fault for each costs more than a system
 * call, and ten times as much on a virtual machine without nested page tables.
 */
static bool read_far_chunk(const struct dat *d, const struct dat_buffer *b, uint64_t at,
			   uint64_t end, struct dat_chunk *k)
{
	uint8_t start[CHUNK_START];

	if (at > end || end - at < CHUNK_START)
		return false;
	if (d->priv->fd < 0 || pread(d->priv->fd, start, CHUNK_START, at) != CHUNK_START)
		return read_chunk(d, b, at, end, k);
	return chunk_starts(d, b, start, at, end, k);
}

/* Returns true if the chunk header at @at is followed by another one, or by the end. */
static bool plausible_chunk(const struct dat *d, const struct dat_buffer *b, uint64_t at,
			    uint64_t end)
{
	struct dat_chunk k, after;
	uint64_t next;

	if (!read_chunk(d, b, at, end, &k))
		return false;
	next = k.off + k.csize;
	return end - next < d->page_size || read_chunk(d, b, next, end, &after);
}

static void push_cpu_chunk(struct dat_buffer *b, struct dat_cpu *c, struct dat_chunk *k)
{
	struct dat_cpu_priv *p = c->priv;

	k->page = c->nr_pages;
	p->chunks = xgrow(p->chunks, &p->cap_chunks, p->nr_chunks + 1, sizeof(*p->chunks));
	p->chunks[p->nr_chunks++] = *k;
	if (p->chunk_bytes < k->usize)
		p->chunk_bytes = k->usize;
	c->nr_pages += dat_align_up(k->usize, b->layout.subbuf_size) / b->layout.subbuf_size;
}

/*
 * Decompresses a chunk to find its size. Returns 0, or -1 if it is damaged. The result is kept, as
 * the last chunk of a CPU is tried twice.
 */
static int try_chunk(struct dat *d, const struct dat_buffer *b, const struct dat_chunk *k,
		     size_t *done)
{
	struct dat_priv *p = d->priv;
	struct dat_tried *t = &p->tried;
	uint64_t room = max_chunk_bytes(d, b);

	if (t->off != k->off || t->csize != k->csize || t->room != room) {
		*t = (struct dat_tried){ .off = k->off, .csize = k->csize, .room = room };
		t->ret = -1;
		/*
		 * Several chunks may claim the same bytes, so the sum of all tries is limited; the
		 * chunks of undamaged CPUs stay far below.
		 */
		p->tried_packed += k->csize;
		if (p->tried_bytes < LIMIT_TRIED && p->tried_packed <= 2 * d->file_size) {
			/* fresh memory for each of many CPUs would take longer than the tries */
			if (p->tried_room < room) {
				free(p->tried_mem);
				p->tried_mem = xmalloc(room);
				p->tried_room = room;
			}
			t->ret = decompress_all(&p->unpacker, p->tried_mem, room, p->map + k->off,
						k->csize, &t->done);
		}
		p->tried_bytes += t->done;
	}
	*done = t->done;
	return t->ret;
}

/* Measures the real size of a chunk whose size differs from the first one's. */
static void measure_chunk(struct dat *d, struct dat_buffer *b, struct dat_cpu *c,
			  struct dat_chunk *k)
{
	size_t done = 0;
	int ret = try_chunk(d, b, k, &done);

	if (ret || !done || done == k->usize)
		return;
	damage_note(&d->damages, "compressed chunk damaged", d->path, k->off - DAT_CHUNK_HEADER,
		    c->cpu, "it has %zu bytes, not %" PRIu32, done, k->usize);
	k->usize = done;
}

/*
 * Handles a damaged header: the next valid one shows where its chunk ends. The chunk itself is kept
 * if it starts like compressed data. Returns the offset of the next header, 0 for none.
 */
static uint64_t fix_chunk(struct dat *d, struct dat_buffer *b, struct dat_cpu *c, uint64_t at,
			  uint64_t end)
{
	struct dat_chunk k = { .off = at + DAT_CHUNK_HEADER };
	uint64_t next = at + 1, stop;

	while (next < end && !plausible_chunk(d, b, next, end))
		next++;
	next = next < end ? next : 0;
	stop = next ? next : end;
	damage_note(&d->damages, "compressed chunk damaged", d->path, at, c->cpu, "its header");
	if (at + CHUNK_START >= stop || !compressed_start(d->priv->map + k.off) ||
	    stop - k.off > UINT32_MAX)
		return next;
	k.csize = stop - k.off;
	measure_chunk(d, b, c, &k);
	if (k.usize)
		push_cpu_chunk(b, c, &k);
	return next;
}

/*
 * Returns true if the size of a chunk is right: another chunk follows, or the end where it is due;
 * or it can be decompressed to the last byte. Stores the chunk that follows in @after; ->off 0 if
 * none was found.
 */
static bool chunk_ends_well(struct dat *d, struct dat_buffer *b, const struct dat_chunk *k,
			    bool last, uint64_t end, struct dat_chunk *after)
{
	uint64_t next = k->off + k->csize;
	size_t done;

	after->off = 0;
	if (last ? end - next < b->layout.subbuf_size : read_far_chunk(d, b, next, end, after))
		return true;
	after->off = 0;
	return !try_chunk(d, b, k, &done);
}

/* Lists the chunks from @c->off up to @end. Returns the offset of their end. */
static uint64_t index_chunks(struct dat *d, struct dat_buffer *b, struct dat_cpu *c, uint64_t end)
{
	uint64_t at = c->off + 4;
	struct dat_chunk k = {0}, after = {0};
	uint32_t n, i, odd = 0;

	if (end < at)
		return c->off;
	n = get_u32(d->priv->map + c->off, d->big);
	for (i = 0; at && (i < n || read_far_chunk(d, b, at, end, &k)); i++) {
		if (i && end - at < CHUNK_START)
			break;
		k = after;
		if ((!k.off && !read_far_chunk(d, b, at, end, &k)) ||
		    !chunk_ends_well(d, b, &k, i + 1 == n, end, &after)) {
			at = fix_chunk(d, b, c, at, end);
			after.off = 0;
			continue;
		}
		if ((!c->priv->nr_chunks || k.usize != c->priv->chunks[0].usize) &&
		    odd++ < CHUNK_MEASURES)
			measure_chunk(d, b, c, &k);
		push_cpu_chunk(b, c, &k);
		at = k.off + k.csize;
	}
	if (i != n)
		damage_note(&d->damages, "number of compressed chunks is wrong", d->path, c->off,
			    c->cpu, "%" PRIu32 " instead of %" PRIu32, n, i);
	return at ? at : end;
}

void dat_index_packed(struct dat *d, struct dat_buffer *b, struct dat_cpu *c)
{
	c->priv->packed = true;
	index_chunks(d, b, c, c->off + c->size);
}

bool dat_chunks_plausible(const struct dat *d, const struct dat_buffer *b, uint64_t off)
{
	struct dat_chunk k;

	return d->file_size > off && d->file_size - off > 4 &&
	       get_u32(d->priv->map + off, d->big) && read_chunk(d, b, off + 4, d->file_size, &k);
}

uint64_t dat_chunks_end(struct dat *d, const struct dat_buffer *b, uint64_t off, uint64_t end)
{
	uint64_t at = off + 4;
	struct dat_chunk k;
	uint32_t n;

	if (off >= end || end - off < 4)
		return 0;
	for (n = get_u32(d->priv->map + off, d->big); n && read_chunk(d, b, at, end, &k); n--)
		at = k.off + k.csize;
	return at > off + 4 ? at : 0;
}

static void note_cpu(struct dat *d, const struct dat_cpu *c, const char *kind, uint64_t at)
{
	damage_note(&d->damages, kind, d->path, at, c->cpu,
		    "its data is claimed to be 0x%" PRIx64 " bytes at 0x%" PRIx64, c->size, c->off);
}

/*
 * Returns the place of the first valid entry after @i that is above @above, or the end of the
 * extent. Unless some are damaged, that is the next entry.
 */
static uint64_t next_place(const struct dat *d, const struct dat_buffer *b, size_t i,
			   const struct dat_extent *e, uint64_t above)
{
	const struct dat_cpu *c;
	int asked = 0;

	for (c = b->cpus + i + 1; c < b->cpus + b->nr_cpus && asked < NEIGHBOURS; c++) {
		asked += c->size != 0;
		if (c->size && c->off > above && c->off < e->end && c->off % d->page_size == 0)
			return c->off;
	}
	return e->end;
}

/*
 * The data of a CPU starts at a page of the file, after that of the CPU before it. Writers leave no
 * gap: if two entries overlap, the one that does not follow its predecessor is wrong.
 */
static bool place_cpu(struct dat *d, struct dat_buffer *b, size_t i, const struct dat_extent *e,
		      uint64_t before)
{
	uint64_t wanted = dat_align_up(before, d->page_size);
	uint64_t next = next_place(d, b, i, e, wanted);
	struct dat_cpu *c = &b->cpus[i];

	if (c->off % d->page_size == 0 && c->off >= before && c->off < e->end &&
	    (!before || c->off == wanted || (c->off < next && c->size <= next - c->off)))
		return true;
	note_cpu(d, c, "place of CPU data is wrong", e->table);
	c->off = wanted;
	return before && c->off < e->end;
}

void dat_bound_buffer(struct dat *d, struct dat_buffer *b, const struct dat_extent *e)
{
	uint64_t before = e->start, subbuf = b->layout.subbuf_size, limit, size;
	struct dat_cpu *c;
	bool placed, last;
	size_t i;

	for (i = 0; i < b->nr_cpus; i++) {
		c = &b->cpus[i];
		if (!c->size)
			continue;
		placed = place_cpu(d, b, i, e, before);
		/* bytes that many buffers claim would be read many times */
		if (placed && d->priv->data_bytes >= d->file_size)
			note_cpu(d, c, "CPU data is claimed more than once", e->table);
		if (!placed || d->priv->data_bytes >= d->file_size) {
			c->size = 0;
			continue;
		}
		limit = next_place(d, b, i, e, c->off);
		last = limit == d->file_size;
		size = c->size;
		if (e->packed) {
			c->priv->packed = true;
			size = index_chunks(d, b, c, limit) - c->off;
			/* Debian's trace-cmd 3.1.6 does not count the 4 bytes of the chunk count */
			if (size != c->size && size != c->size + 4)
				note_cpu(d, c, last && d->truncated ? "CPU data is cut off" :
					 "size of CPU data is wrong", e->table);
		} else if (size > limit - c->off) {
			size = limit - c->off;
			d->truncated |= last;
			note_cpu(d, c, last ? "CPU data is cut off" : "size of CPU data is wrong",
				 e->table);
		} else if (e->exact && (limit - c->off - size >= subbuf || size % subbuf)) {
			size = limit - c->off;
			note_cpu(d, c, "size of CPU data is wrong", e->table);
		}
		c->size = size;
		if (!e->packed)
			c->nr_pages = dat_align_up(size, subbuf) / subbuf;
		before = c->off + c->size;
		d->priv->data_bytes += c->size;
	}
}

uint64_t dat_chunk_bytes(const struct dat *d)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < d->nr_buffers; i++)
		for (size_t k = 0; k < d->buffers[i].nr_cpus; k++)
			sum += d->buffers[i].cpus[k].priv->chunk_bytes;
	return sum;
}
