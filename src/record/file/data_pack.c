/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compresses recorded data to additional regions of the file that is recorded into. */
#include "record/file/data_pack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"

/*
 * Size of a chunk in bytes. The decompressed chunks of a reader, one for each CPU, should fit into
 * the caches of its processor: a report of 3 million records takes as long with 128 as with 256
 * KiB, and a tenth longer with 40, as trace-cmd has, or with 512.
 */
#define CHUNK (128u << 10)

/* The compressed data of one region. */
struct packed_region {
	struct dat_region *to;
	uint32_t subbuf;		/* size of a sub-buffer in bytes */
	uint32_t chunks;		/* number of chunks so far */
	uint64_t written;		/* bytes that were written to the region */
	struct buf out;			/* data that follows ->written and is not yet written */
	uint64_t *hash;			/* one for each DAT_SUM_RANGE of the written data */
	size_t   nr, cap;
};

struct data_pack {
	struct compress_packer *packer;
	int    fd;			/* the file of the regions */
	struct packed_region *v;		/* [n], one for each region */
	size_t n;
	struct dat_region_sums *sums;	/* [n], NULL before pack_finish() */
	int    sys;			/* errno of the failure that ended compression, 0 if none */
};

struct data_pack *pack_new(const struct compress_opts *how, struct dat_spool *to, int fd)
{
	struct data_pack *p = xcalloc(1, sizeof(*p));
	size_t i, k;

	p->packer = packer_new(how);
	p->fd = fd;
	for (i = 0; i < to->n; i++) {
		p->v = xrealloc(p->v, (p->n + to->bufs[i].n + 1) * sizeof(*p->v));
		for (k = 0; k < to->bufs[i].n; k++)
			p->v[p->n++] = (struct packed_region){ .to = &to->bufs[i].v[k],
							.subbuf = to->bufs[i].subbuf_size };
	}
	return p;
}

/* Ends compression and frees its disk space, which the raw data can use. */
static void pack_give_up(struct data_pack *p, int sys)
{
	size_t i;

	p->sys = sys;
	for (i = 0; i < p->n; i++) {
		struct packed_region *s = &p->v[i];

		fallocate(p->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, s->to->at,
			  s->to->limit);
		s->to->size = 0;
		buf_release(&s->out);
	}
}

/* Writes the first @n bytes of ->out. If that fails, ends compression. */
static void stream_write(struct data_pack *p, struct packed_region *s, size_t n)
{
	if (n > s->to->limit - s->written) {
		pack_give_up(p, EFBIG);
		return;
	}
	if (io_pwrite_all(p->fd, s->out.data, n, s->to->at + s->written)) {
		pack_give_up(p, errno);
		return;
	}
	s->hash = xgrow(s->hash, &s->cap, s->nr + 1, sizeof(*s->hash));
	s->hash[s->nr++] = dat_sum(s->out.data, n);
	s->written += n;
	s->out.len -= n;
	memmove(s->out.data, s->out.data + n, s->out.len);
}

void pack_add(struct data_pack *p, size_t region, const void *mem, size_t len)
{
	struct packed_region *s = &p->v[region];
	size_t chunk = s->subbuf < CHUNK ? CHUNK / s->subbuf * s->subbuf : s->subbuf, done, n;
	struct buf *out = &s->out;
	uint32_t head[2];		/* bytes of the chunk: compressed and uncompressed */

	for (done = 0; done < len && !p->sys; done += n) {
		n = len - done < chunk ? len - done : chunk;
		if (!s->chunks)
			buf_u32(out, 0);	/* room for the number of chunks */
		buf_reserve(out, sizeof(head) + packer_room(p->packer, n));
		head[0] = packer_pack(p->packer, out->data + out->len + sizeof(head),
				      (const uint8_t *)mem + done, n);
		head[1] = n;
		if (!head[0]) {
			pack_give_up(p, ENOMEM);
			return;
		}
		memcpy(out->data + out->len, head, sizeof(head));
		out->len += sizeof(head) + head[0];
		s->chunks++;
		while (!p->sys && out->len >= DAT_SUM_RANGE)
			stream_write(p, s, DAT_SUM_RANGE);
	}
}

/*
 * Writes the number of chunks to the start of the region, as it is known only at the end, and
 * updates the checksum of the first range. Returns 0, or -1 with errno.
 */
static int stream_write_count(struct data_pack *p, struct packed_region *s)
{
	size_t n = s->written < DAT_SUM_RANGE ? s->written : DAT_SUM_RANGE;
	char *first = xmalloc(n);
	int ret = -1;

	errno = EIO;
	if (pread(p->fd, first, n, s->to->at) == (ssize_t)n) {
		memcpy(first, &s->chunks, sizeof(s->chunks));
		s->hash[0] = dat_sum(first, n);
		ret = io_pwrite_all(p->fd, first, sizeof(s->chunks), s->to->at);
	}
	free(first);
	return ret;
}

int pack_finish(struct data_pack *p)
{
	size_t i;

	p->sums = xcalloc(p->n + 1, sizeof(*p->sums));
	for (i = 0; i < p->n && !p->sys; i++) {
		struct packed_region *s = &p->v[i];

		if (s->out.len)
			stream_write(p, s, s->out.len);
		if (!p->sys && s->written && stream_write_count(p, s))
			pack_give_up(p, errno);
		if (p->sys)
			break;
		s->to->size = s->written;
		p->sums[i] = (struct dat_region_sums){ s->hash, s->nr };
	}
	return p->sys;
}

const struct dat_region_sums *pack_sums(const struct data_pack *p)
{
	return p->sums;
}

void pack_free(struct data_pack *p)
{
	size_t i;

	if (!p)
		return;
	for (i = 0; i < p->n; i++) {
		buf_release(&p->v[i].out);
		free(p->v[i].hash);
	}
	packer_free(p->packer);
	free(p->sums);
	free(p->v);
	free(p);
}
