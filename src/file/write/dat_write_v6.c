/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes version 6 of a file that was written as version 7: all metadata precedes the data.
 *
 * While the data is recorded, not all of that metadata is known. It is the bodies of version 7's
 * sections, which are therefore written into memory. At the end the bodies are joined after the
 * front of the file, in its room, and the data follows. The last step removes the front
 * (FALLOC_FL_COLLAPSE_RANGE from 0), so an unfinished file of version 7 becomes a finished one of
 * version 6 in one step.
 */
#include "file/write/dat_join.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/io.h"
#include "file/read/dat_priv.h"
#include "file/write/dat_write_priv.h"

#define HOST_BIG   (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
#define PAGE_AT    14			/* offset in the initial header: u32 size of a page */
#define META_UNIT (64u << 10)		/* file systems cut off whole blocks */

static uint32_t count_spool_cpus(const struct dat_spool *s)
{
	uint32_t n = 0;
	size_t i, k;

	for (i = 0; i < s->n; i++)
		for (k = 0; k < s->bufs[i].n; k++)
			if ((uint32_t)s->bufs[i].v[k].cpu >= n)
				n = s->bufs[i].v[k].cpu + 1;
	return n;
}

/* Reads the next option. Returns false at the end. */
static bool next_option(struct cursor *c, uint16_t *id, const uint8_t **data, uint32_t *len)
{
	if (!cur_left(c))
		return false;
	*id = cur_u16(c);
	*len = cur_u32(c);
	*data = cur_bytes(c, *len);
	return *data;
}

static struct cursor options_cursor(const struct dat_writer *w)
{
	return cur_init(w->options.data, w->options.len, HOST_BIG);
}

/* Adds the body of the section that the option @want leads to. */
static bool add_section(const struct dat_writer *w, uint16_t want, struct buf *out)
{
	struct cursor c = options_cursor(w);
	uint8_t head[DAT_SECTION_HEADER];
	uint64_t at = 0, size;
	const uint8_t *p;
	uint32_t len;
	uint16_t id;

	while (!at && next_option(&c, &id, &p, &len))
		if (id == want && len == 8)
			at = get_u64(p, HOST_BIG);
	if (!at || pread(w->fd, head, sizeof(head), at) != sizeof(head))
		return false;
	size = get_u64(head + 8, HOST_BIG);
	buf_reserve(out, size);
	if (pread(w->fd, out->data + out->len, size, at + sizeof(head)) != (ssize_t)size)
		return false;
	out->len += size;
	return true;
}

/* Returns the @n-th BUFFER option of @w, with the cursor at its table; *at is the data's offset. */
static struct cursor buffer_table(const struct dat_writer *w, size_t n, uint64_t *at)
{
	struct cursor c = options_cursor(w), t = {0};
	const uint8_t *p;
	uint32_t len;
	uint16_t id;

	*at = 0;
	while (next_option(&c, &id, &p, &len)) {
		if (id != DAT_BUFFER || n--)
			continue;
		t = cur_init(p, len, HOST_BIG);
		*at = cur_u64(&t);
		cur_str(&t);
		cur_str(&t);
		cur_u32(&t);
		cur_u32(&t);
		break;
	}
	return t;
}

/* Adds the tag, the table of all CPUs, the clock. A CPU without data is at the end of the last. */
static void add_v6_table(const struct dat_writer *w, const struct dat_spool *s, size_t n,
			 struct buf *out)
{
	uint64_t at, size, end = 0;
	struct cursor t = buffer_table(w, n, &at);
	uint32_t cpus = count_spool_cpus(s), next = 0, i;

	buf_add(out, "flyrecord", 10);
	for (i = 0; i < cpus; i++) {
		if (cur_left(&t) >= DAT_CPU_ENTRY && next <= i)
			next = cur_u32(&t) + 1;
		size = 0;
		if (next == i + 1) {
			end = cur_u64(&t) - w->v6_at;
			size = cur_u64(&t);
		}
		buf_u64(out, end);
		buf_u64(out, size);
		end += size;
	}
	/* a file without the option TRACECLOCK has none */
	if (!*s->bufs[n].clock)
		return;
	buf_u64(out, strlen(s->bufs[n].clock) + 2);
	buf_printf(out, "[%s]", s->bufs[n].clock);
}

static void add_options(const struct dat_writer *w, const struct dat_writer *meta,
			const struct dat_spool *s, struct buf *out)
{
	uint32_t cpus = count_spool_cpus(s), len;
	struct cursor c = options_cursor(meta);
	const uint8_t *p;
	uint64_t at;
	uint16_t id;
	size_t i;

	buf_add(out, "options  ", 10);
	while (next_option(&c, &id, &p, &len)) {
		/* options with the offset of a section */
		if (id == DAT_BUFFER || (id >= DAT_STRINGS && id <= DAT_MODULES_FILE))
			continue;
		buf_u16(out, id);
		buf_u32(out, len);
		buf_add(out, p, len);
	}
	for (i = 1; i < s->n; i++) {
		buffer_table(w, i, &at);
		buf_u16(out, DAT_BUFFER);
		buf_u32(out, 8 + strlen(s->bufs[i].name) + 1);
		buf_u64(out, at - w->v6_at);
		buf_add(out, s->bufs[i].name, strlen(s->bufs[i].name) + 1);
		buf_u16(out, DAT_CPUCOUNT);
		buf_u32(out, sizeof(cpus));
		buf_u32(out, cpus);
	}
	buf_u16(out, DAT_DONE);
}

/* Adds all up to the data of the top level. Its length is the same before the data is written. */
static bool compose_meta(const struct dat_writer *w, const struct dat_writer *meta,
			 const struct dat_spool *s, struct buf *out)
{
	static const uint16_t ids[] = {
		DAT_HEADER_INFO, DAT_FTRACE_EVENTS, DAT_EVENT_FORMATS,
		DAT_KALLSYMS,	 DAT_PRINTK,	    DAT_CMDLINES,
	};
	size_t i;

	buf_add(out, "\x17\x08\x44tracing6", 12);
	buf_add(out, meta->header.data + out->len, PAGE_AT + 4 - out->len);
	for (i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		if (!add_section(meta, ids[i], out))
			return false;
	buf_u32(out, count_spool_cpus(s));
	add_options(w, meta, s, out);
	add_v6_table(w, s, 0, out);
	return true;
}

bool dat_v6_begin(struct dat_writer *w, const struct dat_writer *meta, struct dat_spool *s)
{
	uint32_t page = get_u32((uint8_t *)meta->header.data + PAGE_AT, HOST_BIG);
	uint64_t unit = page > META_UNIT ? page : META_UNIT, at;
	uint32_t most = DAT_SECTION_HEADER;
	struct buf b = {0};
	size_t i, len;
	bool ok;

	ok = compose_meta(w, meta, s, &b);
	len = b.len;
	buf_reset(&b);
	at = w->spool_at ? (w->at + unit - 1) / unit * unit : 0;
	if (!ok || (w->limit && at + len > w->limit))
	if (!ok || (w->limit && at + len > w->limit)) {
		buf_release(&b);
		return false;
	}
	w->v6_at = at;
	w->at = at + len;
	/* all buffers get the same room, that of the largest head */
	for (i = 0; i < s->n; i++) {
		buf_reset(&b);
		add_v6_table(w, s, i, &b);
		most = b.len > most ? b.len : most;
	}
	buf_release(&b);
	w->buffer_head = most;
	for (i = 0; i < s->n; i++)
		s->bufs[i].head = most;
	return true;
}

/* Writes the head before the data of each instance, and zeroes for the top level's BUFFER. */
static int write_heads(const struct dat_writer *w, const struct dat_spool *s)
{
	struct buf b = {0};
	uint64_t at;
	size_t i;
	int ret = 0;

	for (i = 0; i < s->n && !ret; i++) {
		buf_reset(&b);
		if (i)
			add_v6_table(w, s, i, &b);
		else
			buf_add(&b, (char[DAT_SECTION_HEADER]){0}, DAT_SECTION_HEADER);
		buffer_table(w, i, &at);
		ret = io_pwrite_all(w->fd, b.data, b.len, at);
	}
	buf_release(&b);
	return ret;
}

int dat_v6_finish(struct dat_writer *w, const struct dat_writer *meta, const struct dat_spool *s,
		  struct ftr_error *err)
{
	struct buf b = {0};

	dat_w_release_held(w);
	errno = EIO;
	/* this is the order: only the last step makes another file of it */
	if (!dat_w_failed(w) &&
	    (!compose_meta(w, meta, s, &b) || io_pwrite_all(w->fd, b.data, b.len, w->v6_at) ||
	     write_heads(w, s) || ftruncate(w->fd, w->at) ||
	     (w->v6_at && fallocate(w->fd, FALLOC_FL_COLLAPSE_RANGE, 0, w->v6_at))))
		dat_w_fail(w);
	buf_release(&b);
	return dat_w_end(w, err);
}
