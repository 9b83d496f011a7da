/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes a trace.dat into which the data is recorded: the parts of a sparse file become one. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/io.h"
#include "file/read/dat_priv.h"
#include "file/read/dat_regions.h"
#include "file/write/dat_join.h"
#include "file/write/dat_join_priv.h"
#include "file/write/dat_write_priv.h"

#define BLOCK       4096
#define STATE_BYTES 8		/* version and state, at the start of the body */

bool dat_can_join(int fd)
{
	const off_t mib = 1 << 20;
	bool can;

	/* in multiples of its blocks, ext4 with clusters of those */
	can = !ftruncate(fd, 2 * mib) && !fallocate(fd, FALLOC_FL_COLLAPSE_RANGE, 4096, mib);
	return !ftruncate(fd, 0) && can;
}

static uint64_t align_block(uint64_t n)
{
	return (n + BLOCK - 1) / BLOCK * BLOCK;
}

/* The section's body, with zeroes up to its end. */
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

/* The state last: without it the rest is not looked at. */
static int write_sealed(struct dat_writer *w, const struct buf *body)
{
	if (io_pwrite_all(w->fd, body->data + STATE_BYTES, body->len - STATE_BYTES,
			  w->spool_at + STATE_BYTES))
		return -1;
	return io_pwrite_all(w->fd, body->data, STATE_BYTES, w->spool_at);
}

/* The section's checksum, with its header as it is in the file. */
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
	/* in this order: what is cut off may be the raw data of what was compressed */
	if (write_sealed(w, &body) || ftruncate(w->fd, dat_spool_bytes(s)))
		dat_w_fail(w);
	/* space that was taken for the front and not used; none of it is in the finished file */
	else if (w->limit > unused)
		fallocate(w->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, unused,
			  w->limit - unused);
	sum_spool(w, &body);
	buf_release(&body);
}

struct joining {
	struct dat_writer *w;
	struct dat_out out;		/* the buffer that is being joined */
	const struct dat_spool_buffer *buf;
	uint64_t gone;			/* bytes of holes that are removed */
};

/* Removes the hole between @to and the region, which lies at the same place as it does then. */
static int remove_hole(struct joining *j, const struct dat_join *step)
{
	struct dat_writer *w = j->w;

	while (step->hole &&
	       fallocate(w->fd, FALLOC_FL_COLLAPSE_RANGE, step->to, step->hole)) {
		if (errno == EINTR)
			continue;
		dat_w_fail(w);
		return -1;
	}
	j->gone += step->hole;
	return 0;
}

/* The sections of the unfinished file, with their checksums. */
static void cut_front(struct joining *j, const struct dat_join *step)
{
	struct dat_writer *w = j->w;
	size_t from = w->spool_sum + DAT_SUM_ENTRY;

	if (remove_hole(j, step))
		return;
	memmove(w->sums.data + from, w->sums.data + w->cut_sums, w->sums.len - w->cut_sums);
	w->sums.len -= w->cut_sums - from;
	w->nr_sums -= (w->cut_sums - from) / DAT_SUM_ENTRY;
	w->at -= w->cut;
	w->cut = 0;
}

/* Zeroes from the end so far up to the region, which starts a block. */
static void pad_to(struct dat_writer *w, uint64_t to)
{
	char *zero = xcalloc(1, to - w->at + 1);

	dat_w_append(w, zero, to - w->at, DAT_BUFFER);
	free(zero);
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

static void begin_buffer(struct joining *j, const struct dat_join *step, uint64_t size)
{
	struct dat_writer *w = j->w;

	j->buf = step->buf;
	j->out = (struct dat_out){ .w = w, .subbuf = j->buf->subbuf_size };
	j->out.parts = xcalloc(j->buf->n + 1, sizeof(*j->out.parts));
	dat_w_buffer_head(&j->out, size);
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

	pad_to(w, step->to);
	if (dat_w_failed(w) || remove_hole(j, step))
		return;
	sum_region(j, step, sums);
	j->out.parts[j->out.nr_parts++] = (struct dat_out_part){
		.cpu = step->region->cpu, .at = step->to, .size = step->region->size,
	};
	w->at = step->to + step->region->size;
	w->copied += step->region->size;
}

/* Where the section of the buffer that begins with @step ends. */
static uint64_t buffer_end(const struct dat_join *step, const struct dat_join *behind)
{
	uint64_t end = step->head + step->buf->head;
	const struct dat_join *s;

	for (s = step; s < behind && s->buf == step->buf; s++)
		if (s->region)
			end = s->to + s->region->size;
	return end;
}

/* The sums of @region, which are in the order of all regions. */
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
				cut_front(&j, &v[i]);
			continue;
		}
		if (v[i].first)
			begin_buffer(&j, &v[i], buffer_end(&v[i], v + n) - v[i].head -
							DAT_SECTION_HEADER);
		if (v[i].region)
			join_region(&j, &v[i], sums_of(s, v[i].region, sums));
		if (i + 1 == n || v[i + 1].first)
			end_buffer(&j, i + 1 == n);
	}
	free(j.out.parts);
	free(v);
}
