/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes trace.dat version 7 in sections as they become known; trace-cmd 3.1.6 reads it. Also
 * writes the sections of a file that is written front to back.
 */
#include "file/write/dat_write.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/limits.h"
#include "base/mem.h"
#include "file/read/dat_priv.h"
#include "file/read/dat_regions.h"
#include "file/text_chunks.h"
#include "file/write/dat_write_priv.h"

#define DONE_BYTES (DAT_OPTION_HEADER + 8)
#define LONG_SIZE_AT 13		/* offset in the initial header */
#define HOST_BIG   (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

bool dat_w_failed(const struct dat_writer *w)
{
	return w->err.code;
}

void dat_w_fail(struct dat_writer *w)
{
	if (dat_w_failed(w))
		return;
	err_write(&w->err, "cannot write '%s'", w->path);
}

void dat_w_add_sum(struct dat_writer *w, uint64_t hash, uint32_t len, uint16_t section,
		   uint16_t cpu)
{
	buf_u64(&w->sums, hash);
	buf_u32(&w->sums, len);
	buf_u16(&w->sums, section);
	buf_u16(&w->sums, cpu);
	w->nr_sums++;
}

void dat_w_sum(struct dat_writer *w, const void *p, uint32_t len, uint16_t section, uint16_t cpu)
{
	dat_w_add_sum(w, dat_sum(p, len), len, section, cpu);
}

void dat_w_sums(struct dat_writer *w, const void *p, size_t n, uint16_t section)
{
	const char *at = p;
	size_t len;

	for (; n; at += len, n -= len) {
		len = n < DAT_SUM_RANGE ? n : DAT_SUM_RANGE;
		dat_w_sum(w, at, len, section, DAT_SUM_NO_CPU);
	}
}

void dat_w_resum(struct dat_writer *w, size_t entry, const void *p, uint32_t len)
{
	uint64_t hash = dat_sum(p, len);

	memcpy(w->sums.data + entry, &hash, sizeof(hash));
}

static void append_mem(struct dat_writer *w, const void *p, size_t n)
{
	if (dat_w_failed(w))
		return;
	errno = EFBIG;
	if ((w->limit && n > w->limit - w->at) || io_pwrite_all(w->fd, p, n, w->at))
		dat_w_fail(w);
	else
		w->at += n;
}

void dat_w_append(struct dat_writer *w, const void *p, size_t n, uint16_t section)
{
	append_mem(w, p, n);
	dat_w_sums(w, p, n, section);
}

void dat_w_section(struct dat_writer *w, struct buf *out, uint16_t id, const char *what,
		   uint64_t size)
{
	buf_u16(out, id);
	buf_u16(out, id == DAT_BUFFER && w->data_packed ? DAT_FLAG_COMPRESSED : 0);
	buf_u32(out, w->strings.len);
	buf_u64(out, size);
	buf_add(&w->strings, what, strlen(what) + 1);
}

/* The content of a section: perhaps some bytes, then a text. */
struct section_body {
	const void *lead;
	size_t lead_len;
	const void *text;
	size_t len;
};

/* Writes the header last: readers of an unfinished file find only complete sections. */
static void append_section(struct dat_writer *w, uint16_t id, const struct buf *head,
			   const void *text, size_t len)
{
	if (dat_w_failed(w))
		return;
	errno = EFBIG;
	if ((w->limit && head->len + len > w->limit - w->at) ||
	    io_pwrite_all(w->fd, text, len, w->at + head->len) ||
	    io_pwrite_all(w->fd, head->data, head->len, w->at)) {
		dat_w_fail(w);
		return;
	}
	w->at += head->len + len;
	dat_w_sums(w, head->data, head->len, id);
	dat_w_sums(w, text, len, id);
}

static void write_section(struct dat_writer *w, uint16_t id, const char *what,
			  const struct section_body *body)
{
	struct buf head = {0};

	dat_w_section(w, &head, id, what, body->lead_len + body->len);
	buf_add(&head, body->lead, body->lead_len);
	append_section(w, id, &head, body->text, body->len);
	buf_release(&head);
}

/*
 * Makes the body of a compressed section: u32 compressed size, u32 size, data. Returns false if
 * that fails.
 */
static bool pack_body(struct compress_packer *packer, uint16_t id, const struct section_body *body,
		      struct buf *out)
{
	struct buf all = {0};
	uint32_t n = 0;
	bool ok;

	if (body->lead_len + body->len > UINT32_MAX / 2)
		return false;
	buf_add(&all, body->lead, body->lead_len);
	buf_add(&all, body->text, body->len);
	buf_u32(out, 0);
	buf_u32(out, all.len);
	if (id == DAT_KALLSYMS) {
		ok = !text_chunks_pack(packer, all.data, all.len, body->lead_len, out);
	} else {
		buf_reserve(out, packer_room(packer, all.len));
		n = packer_pack(packer, out->data + out->len, all.data, all.len);
		out->len += n;
		ok = n;
	}
	n = out->len - 8;
	memcpy(out->data, &n, sizeof(n));
	buf_release(&all);
	return ok;
}

static void write_packed(struct dat_writer *w, uint16_t id, const char *what,
			 const struct buf *packed)
{
	const uint16_t flags = DAT_FLAG_COMPRESSED;
	struct buf head = {0};

	dat_w_section(w, &head, id, what, packed->len);
	memcpy(head.data + 2, &flags, sizeof(flags));
	append_section(w, id, &head, packed->data, packed->len);
	buf_release(&head);
}

/* Compresses sections after dat_pack(). */
static void write_either(struct dat_writer *w, uint16_t id, const char *what,
			 const struct section_body *body)
{
	struct buf packed = {0};

	if (w->packed && pack_body(w->packer, id, body, &packed))
		write_packed(w, id, what, &packed);
	else
		write_section(w, id, what, body);
	buf_release(&packed);
}

/* Finds the first option @id. Returns false if there is none. */
static bool find_option(const struct dat_writer *w, uint16_t id, size_t *at, size_t *len)
{
	struct cursor c = cur_init(w->options.data, w->options.len, HOST_BIG);
	bool same;

	for (*at = 0; cur_left(&c); *at += *len) {
		same = cur_u16(&c) == id;
		cur_bytes(&c, cur_u32(&c));
		*len = cur_pos(&c) - *at;
		if (same || c.bad)
			return same && !c.bad;
	}
	return false;
}

bool dat_is_linked(const struct dat_writer *w, uint16_t id)
{
	size_t at, len;

	return find_option(w, id, &at, &len);
}

void dat_w_link(struct dat_writer *w, uint16_t id, uint64_t at)
{
	size_t old, len;

	/* there can be only one option with this id */
	if (find_option(w, id, &old, &len)) {
		w->options.len -= len;
		memmove(w->options.data + old, w->options.data + old + len, w->options.len - old);
	}
	dat_add_option(w, id, &at, sizeof(at));
}

/* Sets the option for the next section, instead of one for an earlier section. */
static void link_next(struct dat_writer *w, uint16_t id)
{
	dat_w_link(w, id, w->at - w->cut);
}

static void write_linked(struct dat_writer *w, uint16_t id, const char *what,
			 const struct section_body *body)
{
	link_next(w, id);
	write_either(w, id, what, body);
}

struct dat_writer *dat_create_packed(int fd, const char *path, uint32_t page_size,
				     const struct compress_opts *how, struct ftr_error *err)
{
	struct dat_writer *w = xcalloc(1, sizeof(*w));
	const char *version;

	w->fd = fd;
	w->held_fd = -1;
	w->buffer_head = DAT_SECTION_HEADER;
	w->path = xstrdup(path);
	w->block = xmalloc(DAT_SUM_RANGE);
	w->pack_name = how ? how->name : NULL;
	if (w->pack_name)
		w->packer = packer_new(how);
	version = w->packer ? packing_version(how) : "";
	buf_add(&w->header, "\x17\x08\x44tracing7\0", 12);
	buf_add(&w->header, HOST_BIG ? "\1" : "\0", 1);
	buf_add(&w->header, (char[]){ sizeof(long) }, 1);
	buf_u32(&w->header, page_size);
	/*
	 * This name is as long as those of all methods. Other readers refuse an unknown name at
	 * once; else they would search the unfinished file, which is sparse and large, for options.
	 */
	buf_add(&w->header, DAT_NAME_OPEN, sizeof(DAT_NAME_OPEN));
	buf_add(&w->header, version, strlen(version) + 1);
	buf_u64(&w->header, 0);
	dat_w_append(w, w->header.data, w->header.len, DAT_SUM_HEADER);
	if (!dat_w_failed(w))
		return w;
	if (err)
		*err = w->err;
	dat_abort(w);
	return NULL;
}

struct dat_writer *dat_create(int fd, const char *path, uint32_t page_size, struct ftr_error *err)
{
	return dat_create_packed(fd, path, page_size, NULL, err);
}

void dat_set_long_size(struct dat_writer *w, uint8_t size)
{
	w->header.data[LONG_SIZE_AT] = size;
}

void dat_pack(struct dat_writer *w, bool data)
{
	w->packed = true;
	w->data_packed = data;
}

void dat_write_header_info(struct dat_writer *w, const char *page, size_t page_len,
			   const char *event, size_t event_len)
{
	struct buf b = {0};

	buf_add(&b, "header_page", 12);
	buf_u64(&b, page_len);
	buf_add(&b, page, page_len);
	buf_add(&b, "header_event", 13);
	buf_u64(&b, event_len);
	buf_add(&b, event, event_len);
	write_linked(w, DAT_HEADER_INFO, "headers",
		     &(struct section_body){ NULL, 0, b.data, b.len });
	buf_release(&b);
}

static void encode_formats(struct buf *b, const struct dat_write_format *v, uint32_t n)
{
	uint32_t i;

	buf_u32(b, n);
	for (i = 0; i < n; i++) {
		buf_u64(b, v[i].len);
		buf_add(b, v[i].text, v[i].len);
	}
}

void dat_write_ftrace_events(struct dat_writer *w, const struct dat_write_format *v, size_t n)
{
	struct buf b = {0};

	encode_formats(&b, v, n);
	write_linked(w, DAT_FTRACE_EVENTS, "ftrace events",
		     &(struct section_body){ NULL, 0, b.data, b.len });
	buf_release(&b);
}

void dat_write_event_formats(struct dat_writer *w, const struct dat_write_format *v, size_t n)
{
	struct buf systems = {0};
	uint32_t nr_systems = 0;
	size_t i, j;

	for (i = 0; i < n; i = j) {
		for (j = i; j < n && !strcmp(v[i].system, v[j].system); j++)
			;
		buf_add(&systems, v[i].system, strlen(v[i].system) + 1);
		encode_formats(&systems, v + i, j - i);
		nr_systems++;
	}
	write_linked(w, DAT_EVENT_FORMATS, "events format",
		     &(struct section_body){ &nr_systems, 4, systems.data, systems.len });
	buf_release(&systems);
}

void dat_write_blob(struct dat_writer *w, enum dat_id section, const char *text, size_t len)
{
	const char *what = section == DAT_KALLSYMS ? "kallsyms" :
			   section == DAT_PRINTK ? "printk" : "command lines";
	uint64_t wide = len;
	uint32_t narrow = len;

	if (section == DAT_CMDLINES)
		write_linked(w, section, what,
			     &(struct section_body){ &wide, sizeof(wide), text, len });
	else
		write_linked(w, section, what,
			     &(struct section_body){ &narrow, sizeof(narrow), text, len });
}

int dat_pack_symbols(const struct compress_opts *how, const char *text, size_t len, struct buf *out)
{
	struct compress_packer *packer = packer_new(how);
	uint32_t size = len;
	bool ok = pack_body(packer, DAT_KALLSYMS,
			    &(struct section_body){ &size, sizeof(size), text, len }, out);

	packer_free(packer);
	return ok ? 0 : -1;
}

void dat_write_symbols(struct dat_writer *w, const struct buf *packed)
{
	link_next(w, DAT_KALLSYMS);
	write_packed(w, DAT_KALLSYMS, "kallsyms", packed);
}

bool dat_fit_symbols(struct dat_writer *w, const char *text, size_t len, size_t rest)
{
	uint32_t size = len;
	struct buf packed = {0};
	bool pack = w->packed && pack_body(w->packer, DAT_KALLSYMS,
					   &(struct section_body){ &size, sizeof(size), text, len },
					   &packed);
	size_t bytes = (pack ? packed.len : len) + rest;
	/* the room is allocated then */
	bool fits = !dat_w_failed(w) && !fallocate(w->fd, FALLOC_FL_KEEP_SIZE, w->at, bytes);

	if (fits && pack)
		dat_write_symbols(w, &packed);
	else if (fits)
		dat_write_blob(w, DAT_KALLSYMS, text, len);
	buf_release(&packed);
	return fits;
}

void dat_write_meta(struct dat_writer *w, const char *text, size_t len)
{
	struct buf b = {0};

	buf_add(&b, text, len);
	buf_add(&b, "", 1);
	write_section(w, DAT_FTR_META, "ftr", &(struct section_body){ NULL, 0, b.data, b.len });
	buf_release(&b);
}

void dat_write_protos(struct dat_writer *w, const char *text, size_t len)
{
	uint32_t size = len;

	write_either(w, DAT_FTR_PROTOS, "prototypes",
		     &(struct section_body){ &size, sizeof(size), text, len });
}

void dat_write_latencies(struct dat_writer *w, const struct dat_latency *v, size_t n)
{
	struct buf b = {0};
	size_t i;

	buf_u32(&b, n);
	for (i = 0; i < n; i++) {
		buf_add(&b, v[i].buffer, strlen(v[i].buffer) + 1);
		buf_u32(&b, v[i].len);
		buf_add(&b, v[i].text, v[i].len);
	}
	write_either(w, DAT_FTR_LATENCY, "latency",
		     &(struct section_body){ NULL, 0, b.data, b.len });
	buf_release(&b);
}

void dat_write_oops(struct dat_writer *w, const char *text, size_t len)
{
	const char *end;
	uint32_t size;

	if (len > LIMIT_OOPS) {
		end = memrchr(text, '\n', LIMIT_OOPS);
		len = end ? (size_t)(end - text) + 1 : LIMIT_OOPS;
	}
	size = len;
	if (len)
		write_either(w, DAT_FTR_OOPS, "oops",
			     &(struct section_body){ &size, sizeof(size), text, len });
}

void dat_write_btf(struct dat_writer *w, const char *btf, size_t len)
{
	write_either(w, DAT_BTF_FILE, "btf", &(struct section_body){ NULL, 0, btf, len });
}

void dat_add_option(struct dat_writer *w, uint16_t id, const void *data, size_t len)
{
	buf_u16(&w->options, id);
	buf_u32(&w->options, len);
	buf_add(&w->options, data, len);
}

uint64_t dat_written(const struct dat_writer *w)
{
	return w->at;
}

const struct ftr_error *dat_write_error(const struct dat_writer *w)
{
	return &w->err;
}

uint64_t dat_spool_at(const struct dat_writer *w)
{
	return w->spool_at - DAT_SECTION_HEADER;
}

/* Writes the end of the file, and sets the initial header. Returns false if data is missing. */
static bool write_end(struct dat_writer *w)
{
	struct buf head[3] = {0}, *sum = &head[2];
	uint64_t options = w->at, sums;
	bool done;
	size_t i;

	dat_w_section(w, &head[0], DAT_DONE, "options", w->options.len + DONE_BYTES);
	/* STRINGS has the descriptions of the next two sections, so its size needs them now */
	dat_w_section(w, &head[2], DAT_FTR_SUMS, "checksums", 0);
	dat_w_section(w, &head[1], DAT_STRINGS, "strings", w->strings.len + sizeof("strings"));
	dat_add_option(w, DAT_DONE, &(uint64_t){ 0 }, sizeof(uint64_t));
	buf_add(&head[0], w->options.data, w->options.len);
	dat_w_append(w, head[0].data, head[0].len, DAT_DONE);
	buf_add(&head[1], w->strings.data, w->strings.len);
	dat_w_append(w, head[1].data, head[1].len, DAT_STRINGS);
	done = !dat_w_failed(w);
	memcpy(w->header.data + DAT_COMPRESSION_AT, w->packed ? w->pack_name : "none", 4);
	memcpy(w->header.data + w->header.len - sizeof(options), &options, sizeof(options));
	/* the header has the first of all checksums */
	dat_w_resum(w, 0, w->header.data, w->header.len);
	sums = 4 + 4 + w->sums.len + DAT_SUMS_TRAILER;
	memcpy(sum->data + 8, &sums, sizeof(sums));
	buf_u32(sum, DAT_SUMS_VERSION);
	buf_u32(sum, w->nr_sums);
	buf_add(sum, w->sums.data, w->sums.len);
	buf_u64(sum, w->at);
	buf_u64(sum, dat_sum(sum->data, sum->len));
	append_mem(w, sum->data, sum->len);
	for (i = 0; i < 3; i++)
		buf_release(&head[i]);
	return done;
}

int dat_w_end(struct dat_writer *w, struct ftr_error *err)
{
	const struct ftr_error *why = dat_w_failed(w) ? &w->err : &w->data_err;
	int ret = 0;

	if (dat_w_failed(w) || w->lost)
		ret = w->copied || w->consumed ? 1 : -1;
	if (ret && err) {
		if (w->lost)
			err_set(err, FTR_DAMAGED, "%s: '%s' lacks %" PRIu64 " bytes of data",
				why->msg, w->path, w->lost);
		else
			*err = *why;
		err->sys = why->sys;
		if (!dat_w_failed(w) && w->copied)
			err_hint(err, "the rest can be read");
	}
	dat_abort(w);
	return ret;
}

int dat_finish(struct dat_writer *w, struct ftr_error *err)
{
	bool done;

	dat_w_release_held(w);
	done = !dat_w_failed(w) && write_end(w);
	/* zeroes may follow the end, or space that was allocated before */
	if (!dat_w_failed(w) && ftruncate(w->fd, w->at))
		dat_w_fail(w);
	/* this is the last step: it makes a finished file of one that can be recovered */
	if (done && io_pwrite_all(w->fd, w->header.data, w->header.len, 0))
		dat_w_fail(w);
	return dat_w_end(w, err);
}

void dat_abort(struct dat_writer *w)
{
	if (!w)
		return;
	dat_w_release_held(w);
	packer_free(w->packer);
	buf_release(&w->header);
	buf_release(&w->options);
	buf_release(&w->strings);
	buf_release(&w->sums);
	free(w->block);
	free(w->path);
	free(w);
}

static void add_section_head(uint16_t id, uint64_t size, struct buf *out)
{
	buf_u16(out, id);
	buf_u16(out, 0);
	buf_u32(out, 0);	/* no description, as there are no STRINGS */
	buf_u64(out, size);
}

void dat_stream_head(const struct dat_spool *s, struct buf *out)
{
	struct dat_spool as = *s;
	struct buf body = {0};

	as.state = DAT_SPOOL_STREAM;
	dat_spool_encode(&as, &body);
	add_section_head(DAT_FTR_SPOOL, body.len, out);
	buf_add(out, body.data, body.len);
	buf_release(&body);
}

void dat_stream_chunk(uint32_t buffer, uint32_t region, uint64_t size, struct buf *out)
{
	add_section_head(DAT_FTR_CHUNK, DAT_STREAM_NUMBERS + size, out);
	buf_u32(out, buffer);
	buf_u32(out, region);
}

void dat_stream_options(const struct dat_writer *w, struct buf *out)
{
	struct cursor c = cur_init(w->options.data, w->options.len, __BYTE_ORDER__ ==
				   __ORDER_BIG_ENDIAN__);
	struct buf body = {0};
	const uint8_t *p;
	uint32_t len;
	uint16_t id;
	bool is_offset;

	while (cur_left(&c)) {
		id = cur_u16(&c);
		len = cur_u32(&c);
		p = cur_bytes(&c, len);
		/* options with the offset of a section, as the writer adds them for each */
		is_offset = id == DAT_BUFFER || (id >= DAT_STRINGS && id <= DAT_CMDLINES) ||
			    id == DAT_BTF_FILE;
		if (p && !is_offset)
			buf_add(&body, p - DAT_OPTION_HEADER, DAT_OPTION_HEADER + len);
	}
	buf_u16(&body, DAT_DONE);
	buf_u32(&body, 8);
	buf_u64(&body, 0);
	add_section_head(DAT_DONE, body.len, out);
	buf_add(out, body.data, body.len);
	buf_release(&body);
}

void dat_stream_end(uint64_t at, struct buf *out)
{
	add_section_head(DAT_FTR_END, sizeof(at), out);
	buf_u64(out, at);
}
