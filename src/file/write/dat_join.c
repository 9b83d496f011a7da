/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finishes in place a trace.dat into which the data was recorded: the parts of a sparse file become
 * one, also if the recorder was killed. Measures and shrinks such a file.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cursor.h"
#include "base/io.h"
#include "base/mem.h"
#include "file/compress.h"
#include "file/read/dat_priv.h"
#include "file/read/dat_regions.h"
#include "file/write/dat_join.h"
#include "file/write/dat_write_priv.h"

#define HOST_BIG    (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
#define HEADER_MAX  64	/* bytes of the initial header: version 7, with a library's version */
#define STRINGS_MAX (64u << 10)
#define META_MAX   (2ULL << 30)	/* dat_spool_lay() gives the front at most half of it */
#define PACKED_AT   8			/* u32 compressed size, u32 size */
#define NAME_BYTES  (sizeof(DAT_NAME_OPEN) - 1)
#define ZSTD_FIRST  0x28

/* --- a file whose recorder was killed */

/* A section in the file, by its header. */
struct found_section {
	uint64_t at, size;
	uint32_t string;
	uint16_t id, flags;
};

static bool read_section_head(const struct dat_writer *w, uint64_t end, struct found_section *f)
{
	uint8_t head[DAT_SECTION_HEADER];

	if (w->at + sizeof(head) > end ||
	    pread(w->fd, head, sizeof(head), w->at) != (ssize_t)sizeof(head))
		return false;
	*f = (struct found_section){
		.at = w->at,
		.id = get_u16(head, HOST_BIG),
		.flags = get_u16(head + 2, HOST_BIG),
		.string = get_u32(head + 4, HOST_BIG),
		.size = get_u64(head + 8, HOST_BIG),
	};
	return f->id && f->string < STRINGS_MAX && f->size <= end - w->at - sizeof(head);
}

/* Text ends with a line feed: readers, too, reject a section with zeroes at its end. */
static bool is_whole(const struct dat_writer *w, const struct found_section *f)
{
	uint8_t tail[8];
	off_t end = f->at + DAT_SECTION_HEADER + f->size;

	return f->size <= sizeof(tail) ||
	       (pread(w->fd, tail, sizeof(tail), end - sizeof(tail)) == sizeof(tail) &&
		!mem_is_zero(tail, sizeof(tail)));
}

static const uint16_t kept_ids[] = {
	DAT_HEADER_INFO, DAT_FTRACE_EVENTS, DAT_EVENT_FORMATS, DAT_KALLSYMS, DAT_PRINTK,
	DAT_CMDLINES,	 DAT_FTR_META,	    DAT_FTR_PROTOS,    DAT_BTF_FILE,
	DAT_FTR_LATENCY, DAT_FTR_OOPS,
};

static bool is_kept(uint16_t id)
{
	size_t i;

	for (i = 0; i < sizeof(kept_ids) / sizeof(kept_ids[0]); i++)
		if (kept_ids[i] == id)
			return true;
	return false;
}

static void link_section(struct dat_writer *w, const struct found_section *f)
{
	switch (f->id) {
	case DAT_HEADER_INFO:
	case DAT_FTRACE_EVENTS:
	case DAT_EVENT_FORMATS:
	case DAT_KALLSYMS:
	case DAT_PRINTK:
	case DAT_CMDLINES:
		if (is_whole(w, f))
			dat_w_link(w, f->id, f->at - w->cut);
		break;
	case DAT_FTR_SPOOL:
		w->spool_at = f->at + DAT_SECTION_HEADER;
		w->spool_sum = w->sums.len;
		w->spool_len = f->size;
		break;
	}
}

/* The compressed data shows the method, as the initial header has "open". */
static int keep_packing(struct dat_writer *w, const struct found_section *f)
{
	uint8_t start[4];
	struct compress_opts how;

	if (pread(w->fd, start, sizeof(start), f->at + DAT_SECTION_HEADER + PACKED_AT) !=
	    sizeof(start) || !compressed_start(start) ||
	    packing_parse(start[0] == ZSTD_FIRST ? "zstd" : "zlib", &how))
		return -1;
	if (!w->packer)
		w->packer = packer_new(&how);
	w->pack_name = how.name;
	w->packed = true;
	return 0;
}

/* @gone: the section will be cut off when the parts are joined. */
static int keep_section(struct dat_writer *w, const struct found_section *f, bool gone)
{
	const char *what = dat_section_text(f->id);
	uint64_t left = DAT_SECTION_HEADER + f->size;
	/* the list of regions can be replaced: it has one checksum */
	size_t most = f->id == DAT_FTR_SPOOL ? left : DAT_SUM_RANGE, n;
	char *mem = xmalloc(left < most ? left : most);
	int ret = f->flags & DAT_FLAG_COMPRESSED ? keep_packing(w, f) : 0;

	/* the description is where the header claims; other ones were lost with the recorder */
	while (w->strings.len < f->string)
		buf_add(&w->strings, "", 1);
	if (w->strings.len == f->string)
		buf_add(&w->strings, what, strlen(what) + 1);
	if (!gone)
		link_section(w, f);
	for (; left && !ret; left -= n, w->at += n) {
		n = left < most ? left : most;
		ret = pread(w->fd, mem, n, w->at) == (ssize_t)n ? 0 : -1;
		if (!ret)
			dat_w_sum(w, mem, n, f->id, DAT_SUM_NO_CPU);
	}
	free(mem);
	return ret;
}

/* Keeps the sections up to @end. Those that will be cut off follow the list of regions. */
static int keep_sections_upto(struct dat_writer *w, const struct dat_spool *s, uint64_t end)
{
	bool cut = s->cut_to > s->cut_from && !w->joined;
	struct found_section f;

	while (read_section_head(w, end, &f)) {
		/* there is only one, of a size that dat_spool_find() bounds */
		if (f.id == DAT_FTR_SPOOL && w->spool_at)
			return -1;
		if (keep_section(w, &f, cut && f.at >= s->cut_from && f.at < s->cut_to))
			return -1;
		if (cut && w->at == s->cut_to) {
			w->cut = s->cut_to - s->cut_from;
			w->cut_sums = w->sums.len;
		}
	}
	return cut && (!w->cut || s->cut_from != w->spool_at + w->spool_len) ? -1 : 0;
}

static int keep_header(struct dat_writer *w)
{
	char head[HEADER_MAX];
	ssize_t n = pread(w->fd, head, sizeof(head), 0);
	struct cursor c = cur_init(head, n < 0 ? 0 : n, HOST_BIG);

	cur_seek(&c, DAT_COMPRESSION_AT);
	cur_str(&c);
	cur_str(&c);
	/* not if the file is finished; the name is overwritten by another one of this length */
	if (cur_u64(&c) || c.bad ||
	    strnlen(head + DAT_COMPRESSION_AT, sizeof(DAT_NAME_OPEN)) != NAME_BYTES)
		return -1;
	w->at = cur_pos(&c);
	buf_add(&w->header, head, w->at);
	dat_w_sum(w, head, w->at, DAT_SUM_HEADER, DAT_SUM_NO_CPU);
	return 0;
}

static uint64_t first_region(const struct dat_spool *s)
{
	return s->n && s->bufs[0].n ? s->bufs[0].v[0].at : 0;
}

/* Counts the steps of joining that were done. Returns -1 if the file's size does not show that. */
static int count_joined(struct dat_writer *w, const struct dat_spool *s)
{
	uint64_t size = dat_spool_bytes(s), end, is;
	struct dat_join *v;
	size_t n = dat_spool_joins(s, &v, &end), i = 0;
	struct stat st;

	is = fstat(w->fd, &st) ? 0 : st.st_size;
	for (; w->joined < n && size > is; w->joined++)
		size -= v[w->joined].hole;
	/* the hole between the front and the data, unless the first step with data was done */
	while (i < n && !v[i].region)
		i++;
	w->hole = i < n && i >= w->joined ? v[i].hole : 0;
	free(v);
	/* more bytes are to be cut off, or are an end that was being written */
	if (size > is || (size < is && w->joined && size != end))
		return -1;
	w->tail = size == end ? is - size : 0;
	w->trim = size == end ? 0 : size;
	return 0;
}

/* Returns true for a file of regions whose buffers all have the same room for a header. */
static bool can_resume(const struct dat_spool *s)
{
	size_t i;

	for (i = 1; i < s->n; i++)
		if (s->bufs[i].head != s->bufs[0].head)
			return false;
	return s->state != DAT_SPOOL_STREAM && first_region(s);
}

/* All data of a sealed file or none of it must be compressed, and then its metadata is, too. */
static bool keep_data_packing(struct dat_writer *w, const struct dat_spool *s)
{
	size_t i, k, n = 0, packed = 0;

	for (i = 0; i < s->n; i++)
		for (k = 0; k < s->bufs[i].n; k++, n++)
			packed += s->bufs[i].v[k].packed;
	w->data_packed = packed;
	return !packed || (packed == n && w->packed && s->state == DAT_SPOOL_SEALED);
}

static void writer_fill_gap(struct dat_writer *w)
{
	struct buf head = {0};
	struct found_section f;

	if (!w->gap || dat_w_failed(w))
		return;
	dat_w_section(w, &head, DAT_FTR_PAD, "padding", w->gap - DAT_SECTION_HEADER);
	if (io_pwrite_all(w->fd, head.data, head.len, w->at) ||
	    !read_section_head(w, w->at + w->gap, &f) || keep_section(w, &f, false))
		dat_w_fail(w);
	w->gap = 0;
	buf_release(&head);
}

bool dat_resume_room(const struct dat_writer *w, uint64_t bytes, int beside)
{
	uint64_t meta_end = w->at + w->gap;

	if (w->tail >= bytes || (w->hole >= bytes &&
				 !fallocate(w->fd, FALLOC_FL_KEEP_SIZE, meta_end, bytes)))
		return true;
	return !fallocate(beside, 0, 0, bytes - w->tail);
}

/* Keeps sections of metadata. The sections that end a file are written again. */
static void writer_keep_tail(struct dat_writer *w)
{
	struct stat st;
	struct found_section f;

	if (dat_w_failed(w))
		return;
	if (fstat(w->fd, &st)) {
		dat_w_fail(w);
		return;
	}
	while (read_section_head(w, st.st_size, &f) && is_kept(f.id) && is_whole(w, &f) &&
	       f.size <= dat_section_max(f.id))
		if (keep_section(w, &f, false)) {
			dat_w_fail(w);
			return;
		}
	if (ftruncate(w->fd, w->at))
		dat_w_fail(w);
}

struct dat_writer *dat_resume(int fd, const char *path, struct dat_spool *s)
{
	struct dat_writer *w = xcalloc(1, sizeof(*w));
	uint64_t body, end;
	bool sealed;
	int ret;

	*w = (struct dat_writer){
		.fd = fd, .held_fd = -1, .resumed = true,
		.path = xstrdup(path), .block = xmalloc(DAT_SUM_RANGE),
	};
	ret = dat_spool_find(fd, s, &body) && can_resume(s) ? keep_header(w) : -1;
	w->buffer_head = ret ? 0 : s->bufs[0].head;
	sealed = s->state == DAT_SPOOL_SEALED;
	if (!ret && sealed)
		ret = count_joined(w, s);
	end = ret ? 0 : first_region(s);
	/* the end of the front of a sealed file, which joining may have moved */
	if (!ret && sealed)
		end = s->meta_end - (s->cut_to && w->joined ? s->cut_to - s->cut_from : 0);
	/* in an open file, regions for compressed data may come before the first that is listed */
	if (sealed && end > META_MAX)
		ret = -1;
	if (!ret)
		ret = keep_sections_upto(w, s, end < META_MAX ? end : META_MAX);
	/* room for the metadata of a file of version 6 has no section yet */
	if (!ret && sealed)
		w->gap = end - w->at;
	if (w->gap && w->gap < DAT_SECTION_HEADER)
		ret = -1;
	w->limit = end;
	if (!sealed)
		w->hole = end - w->at;
	if (!ret && w->spool_at == body && keep_data_packing(w, s))
		return w;
	dat_abort(w);
	dat_spool_release(s);
	return NULL;
}

#define BLOCK       4096
#define STATE_BYTES 8		/* version and state, at the start of the body */

/* --- sealing and joining */

bool dat_can_join(int fd)
{
	const off_t mib = 1 << 20;
	bool can;

	/* a multiple of the blocks, and of the clusters that ext4 may have */
	can = !ftruncate(fd, 2 * mib) && !fallocate(fd, FALLOC_FL_COLLAPSE_RANGE, 4096, mib);
	return !ftruncate(fd, 0) && can;
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
		s->cut_from = dat_align_up(at + body.len, BLOCK);
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

void dat_drop_meta(struct dat_writer *w, struct dat_spool *s)
{
	uint64_t body = w->at + DAT_SECTION_HEADER, room = dat_align_up(body, BLOCK) - body;
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
	uint64_t unused = dat_align_up(w->at, BLOCK);
	struct buf body = {0};

	if (dat_w_failed(w))
		return;
	s->state = DAT_SPOOL_SEALED;
	s->meta_end = w->at;
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

/* Removes the hole between @to and the region, which then starts at @to. Returns -1 with errno. */
static int remove_hole(int fd, const struct dat_join *step)
{
	while (step->hole && fallocate(fd, FALLOC_FL_COLLAPSE_RANGE, step->to, step->hole))
		if (errno != EINTR)
			return -1;
	return 0;
}

/* Removes the sections of the unfinished file, and their checksums. */
static void cut_meta(struct dat_writer *w, const struct dat_join *step)
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

static void sum_region(struct dat_writer *w, const struct dat_join *step,
		       const struct dat_region_sums *sums)
{
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
		dat_w_add_sum(w, hash, n, DAT_BUFFER, step->region->cpu);
	}
}

/* Moves a region to its place in the buffer @o. @sums may be NULL. */
static void join_region(struct dat_out *o, const struct dat_join *step,
			const struct dat_region_sums *sums)
{
	struct dat_writer *w = o->w;
	uint64_t gap = step->to - w->at;
	char *zero = xcalloc(1, gap + 1);

	/* the region starts at a block */
	dat_w_append(w, zero, gap, DAT_BUFFER);
	free(zero);
	if (!dat_w_failed(w) && remove_hole(w->fd, step))
		dat_w_fail(w);
	if (dat_w_failed(w))
		return;
	sum_region(w, step, sums);
	o->parts[o->nr_parts++] = (struct dat_out_part){
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
	struct dat_out out = {0};
	struct dat_join *v;
	uint64_t end;
	size_t n = dat_spool_joins(s, &v, &end), i;

	w->limit = 0;
	w->consumed = true;
	writer_fill_gap(w);
	if (w->trim && !dat_w_failed(w) && ftruncate(w->fd, w->trim))
		dat_w_fail(w);
	for (i = 0; i < n && !dat_w_failed(w); i++) {
		const struct dat_spool_buffer *b = v[i].buf;

		if (i < w->joined)
			v[i].hole = 0;
		if (!b) {
			if (i >= w->joined)
				cut_meta(w, &v[i]);
			continue;
		}
		if (v[i].first) {
			out = (struct dat_out){ .w = w, .subbuf = b->subbuf_size };
			out.parts = xcalloc(b->n + 1, sizeof(*out.parts));
			dat_w_buffer_head(&out, buffer_end(&v[i], v + n) - v[i].head -
					  DAT_SECTION_HEADER);
		}
		if (v[i].region)
			join_region(&out, &v[i], sums_of(s, v[i].region, sums));
		if (i + 1 < n && !v[i + 1].first)
			continue;
		/* the end of the buffer, and of the last one that of the data */
		if (i + 1 == n && w->tail)
			writer_keep_tail(w);
		end = w->at;
		if (i + 1 == n)
			dat_w_ensure_tail(&out);
		if (w->at != end)
			dat_w_fix_head(&out);
		dat_w_buffer_option(&out, b->name, b->clock);
		free(out.parts);
		out.parts = NULL;
	}
	free(out.parts);
	free(v);
}

#define BODY_MAX   (1u << 20)

/* --- finding and shrinking */

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
		s.meta_end = last_section_end(fd, s.bufs[0].v[0].at);
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
