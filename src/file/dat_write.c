/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes trace.dat version 7, uncompressed, in sections as they become known; trace-cmd 3.1.6 reads it. */
#include "file/dat_write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/io.h"
#include "base/mem.h"
#include "file/dat_priv.h"

#define DONE_BYTES (DAT_OPTION_HEADER + 8)
#define HOST_BIG   (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

struct dat_writer {
	int         fd;
	char       *path;
	uint64_t    at;		/* bytes written */
	struct buf  header;	/* the initial header, written again when the options' place is known */
	struct buf  options;
	struct buf  strings;	/* descriptions of the sections */
	struct buf  sums;	/* the ranges' entries */
	uint32_t    nr_sums;
	bool        no_copy;	/* copy_file_range() does not work here */
	char       *block;	/* DAT_SUM_RANGE bytes for copying */
	struct ftr_error err;
};

static bool failed(const struct dat_writer *w)
{
	return w->err.code;
}

static void fail_sys(struct dat_writer *w, const char *what)
{
	if (failed(w))
		return;
	err_sys(&w->err, "cannot write %s'%s'", what, w->path);
	w->err.code = FTR_DAMAGED;
}

static void add_sum(struct dat_writer *w, const void *p, uint32_t len, uint16_t section, uint16_t cpu)
{
	buf_u64(&w->sums, XXH3_64bits(p, len));
	buf_u32(&w->sums, len);
	buf_u16(&w->sums, section);
	buf_u16(&w->sums, cpu);
	w->nr_sums++;
}

static void append(struct dat_writer *w, const void *p, size_t n)
{
	if (failed(w))
		return;
	if (io_pwrite_all(w->fd, p, n, w->at))
		fail_sys(w, "");
	else
		w->at += n;
}

static void append_summed(struct dat_writer *w, const void *p, size_t n, uint16_t section)
{
	const char *at = p;
	size_t len;

	append(w, p, n);
	for (; n; at += len, n -= len) {
		len = n < DAT_SUM_RANGE ? n : DAT_SUM_RANGE;
		add_sum(w, at, len, section, DAT_SUM_NO_CPU);
	}
}

static void section_header(struct dat_writer *w, struct buf *out, uint16_t id, const char *what,
			   uint64_t size)
{
	buf_u16(out, id);
	buf_u16(out, 0);
	buf_u32(out, w->strings.len);
	buf_u64(out, size);
	buf_add(&w->strings, what, strlen(what) + 1);
}

static void write_section(struct dat_writer *w, uint16_t id, const char *what, const struct buf *body)
{
	struct buf head = {0};

	section_header(w, &head, id, what, body->len);
	buf_add(&head, body->data, body->len);
	append_summed(w, head.data, head.len, id);
	buf_release(&head);
}

/* A section that an option of the same id points to. */
static void write_linked(struct dat_writer *w, uint16_t id, const char *what, const struct buf *body)
{
	uint64_t at = w->at;

	write_section(w, id, what, body);
	dat_add_option(w, id, &at, sizeof(at));
}

static void add_padding(struct buf *b, uint64_t from, uint64_t to)
{
	static const char zero[64];
	size_t n;

	for (; from < to; from += n) {
		n = to - from < sizeof(zero) ? to - from : sizeof(zero);
		buf_add(b, zero, n);
	}
}

static uint64_t align_up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

/* Moves @n bytes without taking them through user space; false when that does not work here. */
static bool copy_range(struct dat_writer *w, int fd, off_t from, size_t n)
{
	off_t in = from, out = w->at;
	ssize_t done;

	while (n && !w->no_copy) {
		done = copy_file_range(fd, &in, w->fd, &out, n, 0);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0) {
			w->no_copy = true;
			return false;
		}
		n -= done;
	}
	return !n;
}

static ssize_t read_block(struct dat_writer *w, int fd, off_t from, size_t n)
{
	size_t got = 0;
	ssize_t done;

	while (got < n) {
		done = pread(fd, w->block + got, n - got, from + got);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done < 0 ? -1 : (ssize_t)got;
		got += done;
	}
	return got;
}

/* The source is read once for the checksum, and that is what the file must hold. */
static void copy_cpu(struct dat_writer *w, const struct dat_write_cpu *c)
{
	off_t from;
	ssize_t n;

	for (from = 0; from < c->size && !failed(w); from += n) {
		n = c->size - from < DAT_SUM_RANGE ? c->size - from : DAT_SUM_RANGE;
		n = read_block(w, c->fd, from, n);
		if (n <= 0) {
			if (!n)
				errno = ENODATA;
			fail_sys(w, "the recorded data to ");
			return;
		}
		add_sum(w, w->block, n, DAT_BUFFER, c->cpu);
		if (copy_range(w, c->fd, from, n))
			w->at += n;
		else
			append(w, w->block, n);
	}
}

static void pad_file(struct dat_writer *w, uint64_t to, uint16_t section)
{
	struct buf pad = {0};

	add_padding(&pad, w->at, to);
	append_summed(w, pad.data, pad.len, section);
	buf_release(&pad);
}

static void add_entry(struct buf *b, uint32_t cpu, uint64_t off, uint64_t size)
{
	buf_u32(b, cpu);
	buf_u64(b, off);
	buf_u64(b, size);
}

/* Lays out the CPUs' data behind @at; fills the option's table. Returns where it ends. */
static uint64_t lay_out(struct buf *table, const struct dat_write_cpu *cpus, size_t n, uint32_t subbuf,
			uint64_t at, uint32_t *used)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (!cpus[i].size)
			continue;
		at = align_up(at, subbuf);
		add_entry(table, cpus[i].cpu, at, cpus[i].size);
		at += cpus[i].size;
		++*used;
	}
	return at;
}

static void write_initial_header(struct dat_writer *w, uint32_t page_size)
{
	buf_add(&w->header, "\x17\x08\x44tracing7\0", 12);
	buf_add(&w->header, HOST_BIG ? "\1" : "\0", 1);
	buf_add(&w->header, (char[]){ sizeof(long) }, 1);
	buf_u32(&w->header, page_size);
	buf_add(&w->header, "none\0", 6);
	buf_u64(&w->header, 0);
	append_summed(w, w->header.data, w->header.len, DAT_SUM_HEADER);
}

struct dat_writer *dat_create(int fd, const char *path, uint32_t page_size, struct ftr_error *err)
{
	struct dat_writer *w = xcalloc(1, sizeof(*w));

	w->fd = fd;
	w->path = xstrdup(path);
	w->block = xmalloc(DAT_SUM_RANGE);
	write_initial_header(w, page_size);
	if (!failed(w))
		return w;
	if (err)
		*err = w->err;
	dat_abort(w);
	return NULL;
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
	write_linked(w, DAT_HEADER_INFO, "headers", &b);
	buf_release(&b);
}

static void add_formats(struct buf *b, const struct dat_write_format *v, uint32_t n)
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

	add_formats(&b, v, n);
	write_linked(w, DAT_FTRACE_EVENTS, "ftrace events", &b);
	buf_release(&b);
}

void dat_write_event_formats(struct dat_writer *w, const struct dat_write_format *v, size_t n)
{
	struct buf b = {0}, systems = {0};
	uint32_t nr_systems = 0;
	size_t i, j;

	for (i = 0; i < n; i = j) {
		for (j = i; j < n && !strcmp(v[i].system, v[j].system); j++)
			;
		buf_add(&systems, v[i].system, strlen(v[i].system) + 1);
		add_formats(&systems, v + i, j - i);
		nr_systems++;
	}
	buf_u32(&b, nr_systems);
	buf_add(&b, systems.data, systems.len);
	write_linked(w, DAT_EVENT_FORMATS, "events format", &b);
	buf_release(&systems);
	buf_release(&b);
}

void dat_write_blob(struct dat_writer *w, enum dat_id section, const char *text, size_t len)
{
	const char *what = section == DAT_KALLSYMS ? "kallsyms" :
			   section == DAT_PRINTK ? "printk" : "command lines";
	struct buf b = {0};

	if (section == DAT_CMDLINES)
		buf_u64(&b, len);
	else
		buf_u32(&b, len);
	buf_add(&b, text, len);
	write_linked(w, section, what, &b);
	buf_release(&b);
}

void dat_write_meta(struct dat_writer *w, const char *text, size_t len)
{
	struct buf b = {0};

	buf_add(&b, text, len);
	buf_add(&b, "", 1);
	write_section(w, DAT_FTR_META, "ftr", &b);
	buf_release(&b);
}

void dat_add_option(struct dat_writer *w, uint16_t id, const void *data, size_t len)
{
	buf_u16(&w->options, id);
	buf_u32(&w->options, len);
	buf_add(&w->options, data, len);
}

void dat_write_buffer(struct dat_writer *w, const char *name, const char *clock, uint32_t subbuf_size,
		      const struct dat_write_cpu *cpus, size_t n)
{
	struct buf option = {0}, table = {0}, head = {0};
	const char *what = "buffer flyrecord";
	uint64_t at = w->at, end;
	uint32_t used = 0;
	size_t i;

	end = lay_out(&table, cpus, n, subbuf_size, at + DAT_SECTION_HEADER, &used);
	section_header(w, &head, DAT_BUFFER, what, end - at - DAT_SECTION_HEADER);
	append_summed(w, head.data, head.len, DAT_BUFFER);
	for (i = 0; i < n && !failed(w); i++) {
		if (!cpus[i].size)
			continue;
		pad_file(w, align_up(w->at, subbuf_size), DAT_BUFFER);
		copy_cpu(w, &cpus[i]);
	}
	buf_u64(&option, at);
	buf_add(&option, name, strlen(name) + 1);
	buf_add(&option, clock, strlen(clock) + 1);
	buf_u32(&option, subbuf_size);
	buf_u32(&option, used);
	buf_add(&option, table.data, table.len);
	dat_add_option(w, DAT_BUFFER, option.data, option.len);
	buf_release(&option);
	buf_release(&table);
	buf_release(&head);
}

uint64_t dat_written(const struct dat_writer *w)
{
	return w->at;
}

/* The options' place goes into the initial header, and its checksum is the first of all. */
static void mend_header(struct dat_writer *w, uint64_t options)
{
	uint64_t hash;

	memcpy(w->header.data + w->header.len - sizeof(options), &options, sizeof(options));
	hash = XXH3_64bits(w->header.data, w->header.len);
	memcpy(w->sums.data, &hash, sizeof(hash));
	if (!failed(w) && io_pwrite_all(w->fd, w->header.data, w->header.len, 0))
		fail_sys(w, "");
}

static void write_sums(struct dat_writer *w, const struct buf *head)
{
	struct buf b = {0};

	buf_add(&b, head->data, head->len);
	buf_u32(&b, DAT_SUMS_VERSION);
	buf_u32(&b, w->nr_sums);
	buf_add(&b, w->sums.data, w->sums.len);
	buf_u64(&b, w->at);
	buf_u64(&b, XXH3_64bits(b.data, b.len));
	append(w, b.data, b.len);
	buf_release(&b);
}

static void write_end(struct dat_writer *w)
{
	struct buf head[3] = {0};
	uint64_t options = w->at, sums;
	size_t i;

	section_header(w, &head[0], DAT_DONE, "options", w->options.len + DONE_BYTES);
	/* the descriptions of the two sections that follow are in STRINGS before its size is known */
	section_header(w, &head[2], DAT_FTR_SUMS, "checksums", 0);
	section_header(w, &head[1], DAT_STRINGS, "strings", w->strings.len + sizeof("strings"));
	dat_add_option(w, DAT_DONE, &(uint64_t){ 0 }, sizeof(uint64_t));
	buf_add(&head[0], w->options.data, w->options.len);
	append_summed(w, head[0].data, head[0].len, DAT_DONE);
	buf_add(&head[1], w->strings.data, w->strings.len);
	append_summed(w, head[1].data, head[1].len, DAT_STRINGS);
	mend_header(w, options);
	sums = 4 + 4 + w->sums.len + DAT_SUMS_TRAILER;
	memcpy(head[2].data + 8, &sums, sizeof(sums));
	write_sums(w, &head[2]);
	for (i = 0; i < 3; i++)
		buf_release(&head[i]);
}

int dat_finish(struct dat_writer *w, struct ftr_error *err)
{
	int ret;

	if (!failed(w))
		write_end(w);
	ret = failed(w) ? -1 : 0;
	if (ret && err)
		*err = w->err;
	dat_abort(w);
	return ret;
}

void dat_abort(struct dat_writer *w)
{
	if (!w)
		return;
	buf_release(&w->header);
	buf_release(&w->options);
	buf_release(&w->strings);
	buf_release(&w->sums);
	free(w->block);
	free(w->path);
	free(w);
}
