/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finishes in place a trace.dat into which the data was recorded: the parts of a sparse file become
 * one. Also measures and shrinks such a file that nobody records into any more.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cursor.h"
#include "base/io.h"
#include "file/read/dat_priv.h"
#include "file/read/dat_regions.h"
#include "file/write/dat_join.h"
#include "file/write/dat_write_priv.h"

#define BLOCK       4096
#define STATE_BYTES 8		/* version and state, at the start of the body */

bool dat_can_join(int fd)
{
	const off_t mib = 1 << 20;
	bool can;

	/* a multiple of the blocks, and of the clusters that ext4 may have */
	can = !ftruncate(fd, 2 * mib) && !fallocate(fd, FALLOC_FL_COLLAPSE_RANGE, 4096, mib);
	return !ftruncate(fd, 0) && can;
}

static uint64_t align_block(uint64_t n)
{
	return (n + BLOCK - 1) / BLOCK * BLOCK;
}

/* Encodes the section's body, with zeroes up to its end. */
static void encode_padded(const struct dat_writer *w, const struct dat_spool *s, struct buf *body)
{
	dat_spool_encode(s, body);
	while (body->len < w->spool_len)
		buf_addch(body, '\0');
}

void dat_write_spool(struct dat_writer *w, struct dat_spool *s)
{
	uint64_t at = w->at + DAT_SECTION_HEADER;
	struct buf head = {0}, body = {0};

	s->cut_from = w->packer ? 1 : 0;
	dat_spool_encode(s, &body);
	w->spool_len = body.len;
	if (w->packer) {
		s->cut_from = align_block(at + body.len);
		w->spool_len = s->cut_from - at;
	}
	buf_reset(&body);
	encode_padded(w, s, &body);
	dat_w_section(w, &head, DAT_FTR_SPOOL, "recording", body.len);
	buf_add(&head, body.data, body.len);
	w->spool_at = at;
	w->spool_sum = w->sums.len;
	/* one range, however long, so that it can be replaced */
	if (!dat_w_failed(w) && io_pwrite_all(w->fd, head.data, head.len, w->at))
		dat_w_fail(w);
	dat_w_sum(w, head.data, head.len, DAT_FTR_SPOOL, DAT_SUM_NO_CPU);
	w->at += head.len;
	w->limit = s->room;
	buf_release(&head);
	buf_release(&body);
}

void dat_drop_front(struct dat_writer *w, struct dat_spool *s)
{
	uint64_t room = align_block(w->at + DAT_SECTION_HEADER) - w->at - DAT_SECTION_HEADER;
	struct buf head = {0};

	dat_w_section(w, &head, DAT_FTR_PAD, "padding", room);
	while (room--)
		buf_addch(&head, '\0');
	dat_w_append(w, head.data, head.len, DAT_FTR_PAD);
	buf_release(&head);
	s->cut_to = w->at;
	w->cut = s->cut_to - s->cut_from;
	w->cut_sums = w->sums.len;
}

/* Writes the body at @at. The state goes last: without it readers ignore the rest. */
static int write_sealed(int fd, const struct buf *body, uint64_t at)
{
	if (io_pwrite_all(fd, body->data + STATE_BYTES, body->len - STATE_BYTES, at + STATE_BYTES))
		return -1;
	return io_pwrite_all(fd, body->data, STATE_BYTES, at);
}

/* Computes the section's checksum, with its header as it is in the file. */
static void sum_spool(struct dat_writer *w, const struct buf *body)
{
	char head[DAT_SECTION_HEADER];
	struct buf all = {0};

	if (dat_w_failed(w))
		return;
	if (pread(w->fd, head, sizeof(head), w->spool_at - sizeof(head)) != sizeof(head)) {
		dat_w_fail(w);
		return;
	}
	buf_add(&all, head, sizeof(head));
	buf_add(&all, body->data, body->len);
	dat_w_resum(w, w->spool_sum, all.data, all.len);
	buf_release(&all);
}

void dat_seal(struct dat_writer *w, struct dat_spool *s)
{
	uint64_t unused = align_block(w->at);
	struct buf body = {0};

	if (dat_w_failed(w))
		return;
	s->state = DAT_SPOOL_SEALED;
	s->front = w->at;
	encode_padded(w, s, &body);
	/* this is the order: the bytes that are cut off may be the raw data of compressed data */
	if (write_sealed(w->fd, &body, w->spool_at) || ftruncate(w->fd, dat_spool_bytes(s)))
		dat_w_fail(w);
	/* unused space of the front; the finished file has none of it */
	else if (w->limit > unused)
		fallocate(w->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, unused,
			  w->limit - unused);
	sum_spool(w, &body);
	buf_release(&body);
}

/* The buffer that is being joined. */
struct joining {
	struct dat_writer *w;
	struct dat_out out;
	const struct dat_spool_buffer *buf;
};

/* Removes the hole between @to and the region, which then starts at @to. Returns -1 with errno. */
static int remove_hole(int fd, const struct dat_join *step)
{
	while (step->hole && fallocate(fd, FALLOC_FL_COLLAPSE_RANGE, step->to, step->hole))
		if (errno != EINTR)
			return -1;
	return 0;
}

/* Removes the sections of the unfinished file, and their checksums. */
static void cut_front(struct dat_writer *w, const struct dat_join *step)
{
	size_t from = w->spool_sum + DAT_SUM_ENTRY;

	if (remove_hole(w->fd, step)) {
		dat_w_fail(w);
		return;
	}
	memmove(w->sums.data + from, w->sums.data + w->cut_sums, w->sums.len - w->cut_sums);
	w->sums.len -= w->cut_sums - from;
	w->nr_sums -= (w->cut_sums - from) / DAT_SUM_ENTRY;
	w->at -= w->cut;
	w->cut = 0;
}

static void sum_region(struct joining *j, const struct dat_join *step,
		       const struct dat_region_sums *sums)
{
	struct dat_writer *w = j->w;
	uint64_t done = 0, size = step->region->size, i, hash;
	ssize_t n;

	for (i = 0; done < size; i++, done += n) {
		n = size - done < DAT_SUM_RANGE ? size - done : DAT_SUM_RANGE;
		if (sums && i < sums->n)
			hash = sums->hash[i];
		else if (pread(w->fd, w->block, n, step->to + done) == n)
			hash = dat_sum(w->block, n);
		else {
			dat_w_fail(w);
			return;
		}
		dat_w_put_sum(w, hash, n, DAT_BUFFER, step->region->cpu);
	}
}

static void end_buffer(struct joining *j, bool last)
{
	uint64_t end;

	if (last && j->w->tail)
		dat_w_keep_tail(j->w);
	end = j->w->at;
	if (last)
		dat_w_ensure_tail(&j->out);
	if (j->w->at != end)
		dat_w_mend_head(&j->out);
	dat_w_buffer_option(&j->out, j->buf->name, j->buf->clock);
	free(j->out.parts);
	j->out.parts = NULL;
}

static void join_region(struct joining *j, const struct dat_join *step,
			const struct dat_region_sums *sums)
{
	struct dat_writer *w = j->w;
	uint64_t gap = step->to - w->at;
	char *zero = xcalloc(1, gap + 1);

	/* the region starts at a block */
	dat_w_append(w, zero, gap, DAT_BUFFER);
	free(zero);
	if (!dat_w_failed(w) && remove_hole(w->fd, step))
		dat_w_fail(w);
	if (dat_w_failed(w))
		return;
	sum_region(j, step, sums);
	j->out.parts[j->out.nr_parts++] = (struct dat_out_part){
		.cpu = step->region->cpu, .at = step->to, .size = step->region->size,
	};
	w->at = step->to + step->region->size;
	w->copied += step->region->size;
}

/* Returns the end of the section of the buffer that starts with @step. */
static uint64_t buffer_end(const struct dat_join *step, const struct dat_join *end_step)
{
	uint64_t end = step->head + step->buf->head;
	const struct dat_join *s;

	for (s = step; s < end_step && s->buf == step->buf; s++)
		if (s->region)
			end = s->to + s->region->size;
	return end;
}

/* Returns the sums of @region, or NULL. @sums are in the order of all regions. */
static const struct dat_region_sums *sums_of(const struct dat_spool *s,
					     const struct dat_region *region,
					     const struct dat_region_sums *sums)
{
	size_t i;

	for (i = 0; sums && i < s->n; i++) {
		if (region >= s->bufs[i].v && region < s->bufs[i].v + s->bufs[i].n)
			return sums + (region - s->bufs[i].v);
		sums += s->bufs[i].n;
	}
	return NULL;
}

void dat_join(struct dat_writer *w, struct dat_spool *s, const struct dat_region_sums *sums)
{
	struct joining j = { .w = w };
	struct dat_join *v;
	uint64_t end;
	size_t n = dat_spool_joins(s, &v, &end), i;

	w->limit = 0;
	w->consumed = true;
	dat_w_fill_gap(w);
	if (w->trim && !dat_w_failed(w) && ftruncate(w->fd, w->trim))
		dat_w_fail(w);
	for (i = 0; i < n && !dat_w_failed(w); i++) {
		if (i < w->joined)
			v[i].hole = 0;
		if (!v[i].buf) {
			if (i >= w->joined)
				cut_front(w, &v[i]);
			continue;
		}
		if (v[i].first) {
			j.buf = v[i].buf;
			j.out = (struct dat_out){ .w = w, .subbuf = j.buf->subbuf_size };
			j.out.parts = xcalloc(j.buf->n + 1, sizeof(*j.out.parts));
			dat_w_buffer_head(&j.out, buffer_end(&v[i], v + n) - v[i].head -
					  DAT_SECTION_HEADER);
		}
		if (v[i].region)
			join_region(&j, &v[i], sums_of(s, v[i].region, sums));
		if (i + 1 == n || v[i + 1].first)
			end_buffer(&j, i + 1 == n);
	}
	free(j.out.parts);
	free(v);
}

#define HEADER_MAX 64		/* of the initial header: version 7, with a library's version */
#define BODY_MAX   (1u << 20)

/* Returns the offset of the first section, or 0. */
static uint64_t first_section(int fd)
{
	uint8_t head[HEADER_MAX];
	ssize_t n = pread(fd, head, sizeof(head), 0);
	struct cursor c = cur_init(head, n < 0 ? 0 : n, false);

	cur_seek(&c, DAT_COMPRESSION_AT);
	cur_str(&c);
	cur_str(&c);
	cur_u64(&c);
	return c.bad ? 0 : cur_pos(&c);
}

/* Returns the end of the last section: the next one has no id, or is missing. */
static uint64_t last_section_end(int fd, uint64_t room)
{
	const bool big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	uint8_t head[DAT_SECTION_HEADER];
	uint64_t at = first_section(fd), size;

	while (at + sizeof(head) <= room && pread(fd, head, sizeof(head), at) == sizeof(head) &&
	       get_u16(head, big)) {
		size = get_u64(head + 8, big);
		if (size > room - at - sizeof(head))
			break;
		at += sizeof(head) + size;
	}
	return at;
}

/* Parses the body of the section whose header is at @at. */
static bool read_body(int fd, struct dat_spool *s, uint64_t at, uint64_t size)
{
	const bool big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	char *body;
	bool ok;

	if (size > BODY_MAX)
		return false;
	body = xmalloc(size + 1);
	ok = pread(fd, body, size, at + DAT_SECTION_HEADER) == (ssize_t)size &&
	     dat_spool_decode(s, body, size, big, at + DAT_SECTION_HEADER + size);
	free(body);
	return ok;
}

bool dat_spool_find(int fd, struct dat_spool *s, uint64_t *body)
{
	const bool big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	uint8_t head[DAT_SECTION_HEADER];
	uint64_t at = first_section(fd), size;

	*s = (struct dat_spool){0};
	for (; at && pread(fd, head, sizeof(head), at) == sizeof(head) && get_u16(head, big);
	     at += DAT_SECTION_HEADER + size) {
		size = get_u64(head + 8, big);
		if (get_u16(head, big) == DAT_FTR_SPOOL) {
			*body = at + DAT_SECTION_HEADER;
			return read_body(fd, s, at, size);
		}
		if (size > (uint64_t)INT64_MAX - at - DAT_SECTION_HEADER)
			return false;
	}
	return false;
}

uint64_t dat_spool_end(int fd, const struct dat_region *r, uint32_t subbuf_size)
{
	off_t limit = r->at + r->limit, data = r->at, end = r->at, hole;
	uint8_t *mem = xmalloc(subbuf_size);
	uint64_t size;
	ssize_t n;

	for (; (data = lseek(fd, data, SEEK_DATA)) >= 0 && data < limit; data = hole) {
		hole = lseek(fd, data, SEEK_HOLE);
		if (hole < 0)
			break;
		end = hole < limit ? hole : limit;
	}
	size = (end - r->at + subbuf_size - 1) / subbuf_size * subbuf_size;
	/* sub-buffers of zeroes were never written */
	for (; size; size -= subbuf_size) {
		n = pread(fd, mem, subbuf_size, r->at + size - subbuf_size);
		if (n >= 0 && !mem_is_zero(mem, n))
			break;
	}
	free(mem);
	return size;
}

/* Finds the data of a region, the oldest of which may have been dropped. */
static void measure_region(int fd, struct dat_region *r, uint32_t subbuf_size)
{
	uint64_t end = r->at + dat_spool_end(fd, r, subbuf_size);
	off_t data = lseek(fd, r->at, SEEK_DATA);
	uint64_t from = data > 0 && (uint64_t)data < end ? (uint64_t)data : r->at;

	from -= (from - r->at) % subbuf_size;
	r->limit -= from - r->at;
	r->at = from;
	r->size = end - from;
}

static void remove_holes(int fd, const struct dat_spool *s)
{
	struct dat_join *v;
	uint64_t end;
	size_t n = dat_spool_joins(s, &v, &end), i;

	for (i = 0; i < n && !remove_hole(fd, &v[i]); i++)
		;
	free(v);
}

uint64_t dat_spool_shrink(int fd)
{
	struct dat_spool s;
	struct buf b = {0};
	struct stat st;
	uint64_t body, taken;
	size_t i, k;

	errno = EINVAL;
	if (!dat_spool_find(fd, &s, &body))
		return 0;
	if (s.state == DAT_SPOOL_OPEN && s.n && s.bufs[0].n) {
		s.front = last_section_end(fd, s.bufs[0].v[0].at);
		for (i = 0; i < s.n; i++)
			for (k = 0; k < s.bufs[i].n; k++)
				measure_region(fd, &s.bufs[i].v[k], s.bufs[i].subbuf_size);
		s.state = DAT_SPOOL_SEALED;
		if (dat_spool_joins_fit(&s)) {
			dat_spool_encode(&s, &b);
			if (!write_sealed(fd, &b, body) && !ftruncate(fd, dat_spool_bytes(&s)))
				remove_holes(fd, &s);
			buf_release(&b);
		}
	}
	dat_spool_release(&s);
	if (fstat(fd, &st))
		return 0;
	taken = (uint64_t)st.st_blocks * 512;
	return taken < (uint64_t)st.st_size / 2 ? taken : (uint64_t)st.st_size;
}
