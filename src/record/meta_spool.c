/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The trace file before the first event: what a reader needs should the recording be killed. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/statvfs.h>

#include "base/io.h"
#include "file/spool/dat_join.h"
#include "record/file/spool.h"
#include "record/meta_priv.h"

#define NAMES_BYTES (128u << 10)	/* of tasks, of which some 5,000 are named; options */
#define SUMS_BYTES  (1u << 20)		/* checksums of 16 GiB */
#define CPU_BYTES   1024		/* its statistics, its place in tables */

int meta_trail(struct meta *m, const struct lane_buffer *bufs, size_t n)
{
	bool big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	size_t i;

	m->layouts = xcalloc(n + 1, sizeof(*m->layouts));
	for (i = 0; i < n; i++) {
		if (!ring_layout_parse(&m->layouts[i], m->header_page.data, m->header_page.len,
				       big, sizeof(long), recorder_subbuf_size(bufs[i].rec)))
			continue;
		strv_add(&m->notes,
			 "events are not counted: events/header_page makes no sense");
		return -1;
	}
	m->follow = follow_new(&m->formats);
	for (i = 0; i < n; i++)
		follow_add(m->follow, bufs[i].rec, &m->layouts[i]);
	follow_keep(m->follow, m->keep);
	return 0;
}

/* What a reader of an unfinished file is told. */
static void add_spool_text(struct meta *m)
{
	char *boot = io_line_at(AT_FDCWD, "/proc/sys/kernel/random/boot_id");
	struct buf b = {0};

	if (boot)
		meta_note(m, "boot_id", boot);
	meta_key_lines(m, &b);
	if (m->uname)
		buf_printf(&b, "uname=%s\n", m->uname);
	buf_addstr(&b, "");
	m->spool.text = buf_take(&b);
	free(boot);
}

static int write_spool_front(struct meta *m, int fd, const char *path, struct ftr_error *err)
{
	m->fd = fd;
	m->w = dat_create_packed(fd, path, m->spool.bufs[0].subbuf_size, &m->packing, err);
	if (!m->w)
		return -1;
	add_spool_text(m);
	if (m->packing.name)
		dat_write_spool(m->w, &m->spool);
	meta_write_headers(m, m->w);
	meta_write_formats(m, m->w);
	/* a stream begins with all that is before it */
	if (!m->packing.name)
		dat_write_spool(m->w, &m->spool);
	return 0;
}

/*
 * Disk space for what makes the data readable, before the recording can fill the disk: what the
 * formats become in the finished file, task names, statistics, options, checksums. Symbols have to
 * do with what the data leaves.
 */
static void hold_room(const struct meta *m, const struct lane_buffer *bufs, size_t n, int fd)
{
	uint64_t bytes = NAMES_BYTES, at = m->w ? dat_written(m->w) : 0, sums;
	struct statvfs st;
	size_t i, cpus;

	if (fstatvfs(fd, &st))
		return;
	for (i = 0; i < n; i++) {
		recorder_cpus(bufs[i].rec, &cpus);
		bytes += cpus * CPU_BYTES;
	}
	for (i = 0; i < m->formats.n; i++)
		bytes += m->formats.v[i].len / (m->packing.name ? 2 : 1);
	sums = (uint64_t)st.f_bavail * st.f_frsize / DAT_SUM_RANGE * DAT_SUM_ENTRY;
	fallocate(fd, FALLOC_FL_KEEP_SIZE, at, bytes + (sums < SUMS_BYTES ? sums : SUMS_BYTES));
}

/* So that a reader knows what a file lacks that was not finished. */
static void note_swaps(struct meta *m, const struct lane_buffer *bufs, size_t n)
{
	char *key, *tracer;
	size_t i;

	for (i = 0; i < n; i++) {
		if (!bufs[i].swaps)
			continue;
		tracer = tfs_line(m->t, bufs[i].instance, "current_tracer");
		key = xasprintf(DAT_LATENCY_KEY "%s%s", *bufs[i].name ? "." : "", bufs[i].name);
		meta_note(m, key, tracer);
		free(tracer);
		free(key);
	}
}

static int lay_out(struct meta *m, const struct lane_buffer *bufs, size_t n, int fd,
		   struct ftr_error *err)
{
	char **clocks = xcalloc(n + 1, sizeof(*clocks)), *text;
	size_t i;
	int ret;

	for (i = 0; i < n; i++) {
		text = tfs_line(m->t, bufs[i].instance, "trace_clock");
		clocks[i] = meta_clock_name(text ? text : "");
		free(text);
	}
	ret = spool_lay(&m->spool, fd, bufs, n, clocks, m->packing.data, err);
	for (i = 0; i < n; i++)
		free(clocks[i]);
	free(clocks);
	return ret;
}

int meta_spool(struct meta *m, const struct lane_buffer *bufs, size_t n, int fd, const char *path,
	       struct ftr_error *err)
{
	int ret;

	m->joins = dat_can_join(fd);
	note_swaps(m, bufs, n);
	ret = n ? lay_out(m, bufs, n, fd, err) : 0;
	if (!ret)
		hold_room(m, bufs, n, fd);
	if (ret <= 0)
		return ret;
	if (meta_trail(m, bufs, n))
		return err_set(err, FTR_FAILED, "events/header_page makes no sense");
	if (m->packing.data) {
		m->pack = pack_new(&m->packing, m->spool.packed, fd);
		follow_pack(m->follow, m->pack);
	}
	if (write_spool_front(m, fd, path, err))
		return -1;
	hold_room(m, bufs, n, fd);
	return 0;
}

void meta_seal(struct meta *m)
{
	const struct recorder_cpu *cpus;
	struct dat_region *at;
	size_t i, k, n;

	meta_see_all(m);
	if (m->packed)
		dat_spool_take_packed(&m->spool);
	for (i = 0; i < m->nr_out && !m->packed; i++) {
		cpus = recorder_cpus(m->out[i].rec, &n);
		for (k = 0; k < n; k++) {
			at = &m->spool.bufs[i].v[k];
			at->limit -= cpus[k].base - at->at;
			at->at = cpus[k].base;
			at->size = cpus[k].size;
		}
	}
	dat_seal(m->w, &m->spool);
}

void meta_keep(struct meta *m, uint64_t bytes)
{
	char *text = xasprintf("%" PRIu64, bytes);

	m->keep = bytes;
	meta_note(m, DAT_KEEP_KEY, text);
	free(text);
}

bool meta_joins(const struct meta *m)
{
	return m->w && m->joins;
}

bool meta_spooled(const struct meta *m)
{
	return m->w;
}
