/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copies the CPUs' data into a trace.dat, as much of it as the disk has room for. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "file/read/dat_priv.h"
#include "file/write/dat_write_priv.h"

#define TAIL_SPARE (64u << 10)	/* bytes for options that are added after the data, and rounding */
#define CPU_SPARE 64 /* bytes of one more CPU in the table of CPUs and that of checksums */
#define DROPS_MAX  4		/* attempts to make room for the end of the file */

static bool is_full_disk(int sys)
{
	return sys == ENOSPC || sys == EDQUOT || sys == EFBIG;
}

/* Keeps errno as the reason why data is missing in the file. */
static void note_missing(struct dat_writer *w, const char *what, int cpu)
{
	if (w->data_err.code)
		return;
	err_write(&w->data_err, "cannot %s the data of CPU %d", what, cpu);
}

/* Copies @n bytes inside the kernel. Returns false if that is not possible here. */
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

static ssize_t read_spool_block(struct dat_writer *w, int fd, off_t from, size_t n)
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

/*
 * Writes the block that was read, or as many of its sub-buffers as fit. Returns their bytes, 0 with
 * errno if none fits.
 */
static size_t write_block(struct dat_out *o, int fd, off_t from, size_t n)
{
	struct dat_writer *w = o->w;

	while (!copy_range(w, fd, from, n) && io_pwrite_all(w->fd, w->block, n, w->at)) {
		if (!is_full_disk(errno) || n <= o->subbuf)
			return 0;
		n = n / 2 < o->subbuf ? o->subbuf : n / 2 / o->subbuf * o->subbuf;
	}
	return n;
}

/* The source is read once for the checksum, which the copy in the file must have. */
static void copy_cpu(struct dat_out *o, const struct dat_write_cpu *c, struct dat_out_part *p)
{
	struct dat_writer *w = o->w;
	uint64_t done, left;
	ssize_t n;

	for (done = 0; done < (uint64_t)c->size; done += n) {
		left = c->size - done;
		n = left < DAT_SUM_RANGE ? left : DAT_SUM_RANGE;
		n = read_spool_block(w, c->fd, c->base + done, n);
		if (n <= 0) {
			errno = n ? errno : ENODATA;
			note_missing(w, "read back", c->cpu);
			return;
		}
		n = write_block(o, c->fd, c->base + done, n);
		if (!n) {
			note_missing(w, "write", c->cpu);
			w->full = true;
			return;
		}
		dat_w_sum(w, w->block, n, DAT_BUFFER, c->cpu);
			/* the disk does not hold all data twice if it can punch holes */
		if (c->consume && !fallocate(c->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
					     c->base + done, n))
			w->consumed = true;
		w->at += n;
		p->size += n;
	}
}

/* Cuts the file at @to, an offset in the ranges of this buffer, and the checksums with it. */
static void cut_file(struct dat_writer *w, uint64_t to)
{
	uint16_t cpu = DAT_SUM_NO_CPU;
	uint32_t len;
	size_t rest;
	char *last;

	while (w->at > to) {
		last = w->sums.data + w->sums.len - DAT_SUM_ENTRY;
		memcpy(&len, last + 8, sizeof(len));
		memcpy(&cpu, last + 14, sizeof(cpu));
		w->at -= len;
		w->sums.len -= DAT_SUM_ENTRY;
		w->nr_sums--;
	}
	rest = to - w->at;
	if (rest && read_spool_block(w, w->fd, w->at, rest) != (ssize_t)rest) {
		dat_w_fail(w);
		return;
	}
	if (rest)
		dat_w_sum(w, w->block, rest, DAT_BUFFER, cpu);
	w->at = to;
	if (ftruncate(w->fd, to))
		dat_w_fail(w);
}

/* Takes @bytes or a little more off the end of the data, in whole sub-buffers. */
static void drop_data_end(struct dat_out *o, uint64_t bytes)
{
	struct dat_out_part *p = &o->parts[o->nr_parts - 1];
	uint64_t keep, gone, end = o->at + o->w->buffer_head;

	for (;; p--) {
		keep = p->size > bytes ? (p->size - bytes) / o->subbuf * o->subbuf : 0;
		gone = p->size - keep;
		p->size = keep;
		o->w->copied -= gone;
		o->w->lost += gone;
		if (keep || p == o->parts)
			break;
		bytes -= bytes < gone ? bytes : gone;
	}
	if (keep)
		end = p->at + keep;
	o->nr_parts = p - o->parts + !!keep;
	cut_file(o->w, end);
}

uint64_t dat_end_bytes(const struct dat_writer *w, uint64_t data, size_t cpus)
{
	uint64_t ranges = data / DAT_SUM_RANGE;

	return TAIL_SPARE + w->options.len + w->strings.len + w->sums.len + cpus * CPU_SPARE +
	       ranges * (DAT_SUM_ENTRY + 4);
}

/* Opens a nameless file in the directory of @fd. Returns -1 if that fails. */
static int open_beside(int fd)
{
	char link[32], path[4096], *slash;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	if (n <= 0)
		return -1;
	path[n] = '\0';
	slash = strrchr(path, '/');
	if (!slash)
		return -1;
	slash[slash == path] = '\0';
	return open(path, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

void dat_w_release_held(struct dat_writer *w)
{
	if (w->held_fd >= 0)
		close(w->held_fd);
	w->held_fd = -1;
}

/*
 * Handles a full disk. The end of the file is written over zeroes that are written now. If the
 * reserve is too small for them, the last data is dropped.
 */
void dat_w_ensure_tail(struct dat_out *o)
{
	struct dat_writer *w = o->w;
	size_t need = dat_end_bytes(w, 0, o->nr_parts);
	char *zero = xcalloc(1, need);
	int tries;

	dat_w_release_held(w);
	for (tries = 0; !dat_w_failed(w) && io_pwrite_all(w->fd, zero, need, w->at); tries++) {
		/* an unfinished file with the data is better than none */
		if (!is_full_disk(errno) || tries == DROPS_MAX || !o->nr_parts || w->resumed ||
		    w->copied <= need << tries)
			dat_w_fail(w);
		else
			drop_data_end(o, need << tries);
	}
	free(zero);
}

/* Writes zeroes up to @to. */
static void pad_file(struct dat_writer *w, uint64_t to, int cpu)
{
	size_t n = to - w->at;
	char *zero = xcalloc(1, n + 1);

	if (io_pwrite_all(w->fd, zero, n, w->at)) {
		note_missing(w, "write", cpu);
		w->full = true;
	} else {
		dat_w_sums(w, zero, n, DAT_BUFFER);
		w->at = to;
	}
	free(zero);
}

/* Returns where the data would end if there was room for all of it. */
static uint64_t planned_end(const struct dat_out *o, const struct dat_write_cpu *cpus, size_t n)
{
	uint64_t at = o->at + o->w->buffer_head;
	int cpu = -1;
	size_t i;

	for (i = 0; i < n; i++) {
		if (!cpus[i].size)
			continue;
		at = (cpus[i].cpu == cpu ? at : dat_align_up(at, o->subbuf)) + cpus[i].size;
		cpu = cpus[i].cpu;
	}
	return at;
}

/* Copies data of a CPU, or more of it. */
static void add_cpu_part(struct dat_out *o, const struct dat_write_cpu *c)
{
	struct dat_writer *w = o->w;
	struct dat_out_part *p = o->nr_parts ? &o->parts[o->nr_parts - 1] : NULL;
	uint64_t before;

	if (!p || p->cpu != c->cpu) {
		p = &o->parts[o->nr_parts++];
		*p = (struct dat_out_part){ .cpu = c->cpu };
		if (!w->full)
			pad_file(w, dat_align_up(w->at, o->subbuf), c->cpu);
		p->at = w->at;
	}
	before = p->size;
	if (!w->full)
		copy_cpu(o, c, p);
	w->copied += p->size - before;
	w->lost += c->size - (p->size - before);
	if (p->size - before < (uint64_t)c->size)
		drop_data_end(o, 0);
}

void dat_w_buffer_option(struct dat_out *o, const char *name, const char *clock)
{
	struct buf b = {0};
	size_t i;

	buf_u64(&b, o->at);
	buf_add(&b, name, strlen(name) + 1);
	buf_add(&b, clock, strlen(clock) + 1);
	buf_u32(&b, o->subbuf);
	buf_u32(&b, o->nr_parts);
	for (i = 0; i < o->nr_parts; i++) {
		buf_u32(&b, o->parts[i].cpu);
		buf_u64(&b, o->parts[i].at);
		buf_u64(&b, o->parts[i].size);
	}
	dat_add_option(o->w, DAT_BUFFER, b.data, b.len);
	buf_release(&b);
}

/* Writes the section's header. A disk that is full already has room for it, or for nothing. */
void dat_w_buffer_head(struct dat_out *o, uint64_t size)
{
	struct dat_writer *w = o->w;
	struct buf head = {0};

	o->at = w->at;
	o->sum = w->sums.len;
	dat_w_section(w, &head, DAT_BUFFER, "buffer flyrecord", size);
	while (head.len < w->buffer_head)
		buf_addch(&head, '\0');
	if (io_pwrite_all(w->fd, head.data, head.len, w->at))
		dat_w_release_held(w);
	dat_w_append(w, head.data, head.len, DAT_BUFFER);
	buf_release(&head);
}

/* Writes the real size to the header, as there is less data than planned. */
void dat_w_fix_head(struct dat_out *o)
{
	struct dat_writer *w = o->w;
	uint64_t size = w->at - o->at - DAT_SECTION_HEADER;
	char head[DAT_SECTION_HEADER];

	if (dat_w_failed(w))
		return;
	if (read_spool_block(w, w->fd, o->at, sizeof(head)) != sizeof(head)) {
		dat_w_fail(w);
		return;
	}
	memcpy(head, w->block, sizeof(head));
	memcpy(head + sizeof(head) - sizeof(size), &size, sizeof(size));
	if (io_pwrite_all(w->fd, head, sizeof(head), o->at))
		dat_w_fail(w);
	dat_w_resum(w, o->sum, head, sizeof(head));
}

void dat_write_buffer(struct dat_writer *w, const char *name, const char *clock,
		      uint32_t subbuf_size, const struct dat_write_cpu *cpus, size_t n)
{
	struct dat_out o = { .w = w, .at = w->at, .subbuf = subbuf_size };
	uint64_t end = planned_end(&o, cpus, n);
	size_t i;
	bool was_full = w->full;

	if (dat_w_failed(w))
		return;
	o.parts = xcalloc(n + 1, sizeof(*o.parts));
	/* the end of the file gets disk space while there is some; without, data must give way */
	if (!was_full && w->held_fd < 0)
		w->held_fd = open_beside(w->fd);
	if (!was_full && w->held_fd >= 0)
		fallocate(w->held_fd, 0, 0, dat_end_bytes(w, end - o.at, n));
	dat_w_buffer_head(&o, end - o.at - DAT_SECTION_HEADER);
	for (i = 0; i < n && !dat_w_failed(w); i++)
		if (cpus[i].size)
			add_cpu_part(&o, &cpus[i]);
	if (w->full && !was_full)
		dat_w_ensure_tail(&o);
	if (w->at != end)
		dat_w_fix_head(&o);
	dat_w_buffer_option(&o, name, clock);
	free(o.parts);
}
