/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file that nobody records into any more: finds its regions, measures them, removes its holes. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cursor.h"
#include "base/io.h"
#include "file/read/dat_priv.h"
#include "file/write/dat_join.h"

#define HEADER_MAX 64		/* of the initial header: version 7, with a library's version */
#define BODY_MAX   (1u << 20)

/* Where the sections begin, or 0. */
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

/* Where they end: the next has no id, or is not there. */
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

/* The body of the section whose header is at @at. */
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

/* Is the sub-buffer at @at all zeroes? Then nothing was written there. */
static bool is_blank(int fd, uint64_t at, uint8_t *mem, uint32_t size)
{
	ssize_t n = pread(fd, mem, size, at);

	return n < 0 || mem_is_zero(mem, n);
}

uint64_t dat_spool_end(int fd, const struct dat_region *r, uint32_t subbuf_size)
{
	off_t limit = r->at + r->limit, data = r->at, end = r->at, hole;
	uint8_t *mem = xmalloc(subbuf_size);
	uint64_t size;

	for (; (data = lseek(fd, data, SEEK_DATA)) >= 0 && data < limit; data = hole) {
		hole = lseek(fd, data, SEEK_HOLE);
		if (hole < 0)
			break;
		end = hole < limit ? hole : limit;
	}
	size = (end - r->at + subbuf_size - 1) / subbuf_size * subbuf_size;
	while (size && is_blank(fd, r->at + size - subbuf_size, mem, subbuf_size))
		size -= subbuf_size;
	free(mem);
	return size;
}

/* Of which the oldest may have been dropped. */
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

/* The state last: without it the rest is not looked at. */
static bool seal_spool_at(int fd, const struct dat_spool *s, uint64_t at)
{
	struct buf body = {0};
	bool ok;

	dat_spool_encode(s, &body);
	ok = !io_pwrite_all(fd, body.data + 8, body.len - 8, at + 8) &&
	     !io_pwrite_all(fd, body.data, 8, at) && !ftruncate(fd, dat_spool_bytes(s));
	buf_release(&body);
	return ok;
}

static void remove_holes(int fd, const struct dat_spool *s)
{
	struct dat_join *v;
	uint64_t end;
	size_t n = dat_spool_joins(s, &v, &end), i;

	for (i = 0; i < n; i++)
		while (v[i].hole &&
		       fallocate(fd, FALLOC_FL_COLLAPSE_RANGE, v[i].to, v[i].hole)) {
			if (errno != EINTR)
				goto out;
		}
out:
	free(v);
}

uint64_t dat_spool_shrink(int fd)
{
	struct dat_spool s;
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
		if (dat_spool_joins_fit(&s) && seal_spool_at(fd, &s, body))
			remove_holes(fd, &s);
	}
	dat_spool_release(&s);
	if (fstat(fd, &st))
		return 0;
	taken = (uint64_t)st.st_blocks * 512;
	return taken < (uint64_t)st.st_size / 2 ? taken : (uint64_t)st.st_size;
}
