/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Continues to write a file whose recorder was killed. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "file/compress.h"
#include "file/packer.h"
#include "file/read/dat_priv.h"
#include "file/read/dat_regions.h"
#include "file/write/dat_join.h"
#include "file/write/dat_write_priv.h"

#define HOST_BIG    (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
#define HEADER_MAX  64
#define STRINGS_MAX (64u << 10)
#define FRONT_MAX   (2ULL << 30)	/* dat_spool_lay() gives the front at most half of it */
#define PACKED_AT   8			/* u32 compressed size, u32 size */
#define NAME_BYTES  (sizeof(DAT_NAME_OPEN) - 1)
#define ZSTD_FIRST  0x28

/* A section in the file, by its header. */
struct found {
	uint64_t at, size;
	uint32_t string;
	uint16_t id, flags;
};

static bool read_section_head(const struct dat_writer *w, uint64_t end, struct found *f)
{
	uint8_t head[DAT_SECTION_HEADER];

	if (w->at + sizeof(head) > end ||
	    pread(w->fd, head, sizeof(head), w->at) != (ssize_t)sizeof(head))
		return false;
	*f = (struct found){
		.at = w->at,
		.id = get_u16(head, HOST_BIG),
		.flags = get_u16(head + 2, HOST_BIG),
		.string = get_u32(head + 4, HOST_BIG),
		.size = get_u64(head + 8, HOST_BIG),
	};
	return f->id && f->string < STRINGS_MAX && f->size <= end - w->at - sizeof(head);
}

/* Text ends with a line feed: readers, too, reject a section with zeroes at its end. */
static bool is_whole(const struct dat_writer *w, const struct found *f)
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

static void link_section(struct dat_writer *w, const struct found *f)
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
static int keep_packing(struct dat_writer *w, const struct found *f)
{
	uint8_t start[4];
	struct packing how;

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
static int keep_section(struct dat_writer *w, const struct found *f, bool gone)
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
	struct found f;

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

void dat_w_fill_gap(struct dat_writer *w)
{
	struct buf head = {0};
	struct found f;

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
	uint64_t front = w->at + w->gap;

	if (w->tail >= bytes || (w->hole >= bytes &&
				 !fallocate(w->fd, FALLOC_FL_KEEP_SIZE, front, bytes)))
		return true;
	return !fallocate(beside, 0, 0, bytes - w->tail);
}

/* Keeps sections of metadata. The sections that end a file are written again. */
void dat_w_keep_tail(struct dat_writer *w)
{
	struct stat st;
	struct found f;

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
	/* where the front of a sealed file ends now */
	if (!ret && sealed)
		end = s->front - (s->cut_to && w->joined ? s->cut_to - s->cut_from : 0);
	/* in an open file, regions for compressed data may come before the first that is listed */
	if (sealed && end > FRONT_MAX)
		ret = -1;
	if (!ret)
		ret = keep_sections_upto(w, s, end < FRONT_MAX ? end : FRONT_MAX);
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
