/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The skeleton of a trace file: sections that a reader needs if the recording is killed. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/io.h"
#include "file/write/dat_join.h"
#include "record/rescue/orphan.h"
#include "record/sink/sink_priv.h"

#define FILE_MAX (15ULL << 40)		/* ext4 ends at 16 TiB */
#define DISK_MAX (1ULL << 40)		/* if the disk is larger, or its size unknown */
#define DISK_MIN (4ULL << 20)
#define FILE_MIN (64ULL << 20)
#define NAMES_BYTES (128u << 10)	/* names of some 5,000 tasks, and options */
#define SUMS_BYTES  (1u << 20)		/* checksums of 16 GiB */
#define CPU_BYTES   1024		/* statistics of a CPU, and its entries in tables */

int sink_make_follow(struct record_sink *s, const struct capture_headers *headers)
{
	bool big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	size_t i;

	s->layouts = xcalloc(s->n + 1, sizeof(*s->layouts));
	for (i = 0; i < s->n; i++) {
		if (!ring_layout_parse(&s->layouts[i], headers->header_page.data,
				       headers->header_page.len, big, sizeof(long),
				       recorder_subbuf_size(s->recs[i])))
			continue;
		strv_add(&s->data.notes,
			 "events are not counted: events/header_page makes no sense");
		return -1;
	}
	s->follow = follow_new(&headers->formats);
	for (i = 0; i < s->n; i++)
		follow_add(s->follow, s->recs[i], &s->layouts[i]);
	follow_keep(s->follow, s->plan.keep_bytes);
	return 0;
}

/* Writes all sections that a reader of an unfinished file needs. */
static int write_skeleton(struct record_sink *s, struct meta_capture *c, struct ftr_error *err)
{
	const struct capture_headers *headers = capture_headers(c);
	struct buf text = {0};
	char *boot;

	s->w = dat_create_packed(s->plan.out->fd, s->plan.path, s->spool.bufs[0].subbuf_size,
				 &s->packing, err);
	if (!s->w)
		return -1;
	boot = io_line_at(AT_FDCWD, "/proc/sys/kernel/random/boot_id");
	if (boot)
		capture_note(c, "boot_id", boot);
	free(boot);
	keys_text(&headers->keys, &text);
	if (headers->uname)
		buf_printf(&text, "uname=%s\n", headers->uname);
	buf_addstr(&text, "");
	s->spool.text = buf_take(&text);
	if (s->packing.name)
		dat_write_spool(s->w, &s->spool);
	sink_write_headers(s->w, headers, &headers->formats);
	sink_write_formats(s, s->w, &headers->formats);
	/* a stream starts with the sections before this one */
	if (!s->packing.name)
		dat_write_spool(s->w, &s->spool);
	return 0;
}

/*
 * Reserves disk space for the sections that make the data readable, before the recording can fill
 * the disk: formats in their final form, task names, statistics, options, checksums. Symbols get
 * the space that the data leaves.
 */
static void sink_reserve_space(const struct record_sink *s, const struct format_files *f)
{
	uint64_t bytes = NAMES_BYTES, at = s->w ? dat_written(s->w) : 0, sums;
	int fd = s->plan.out->fd;
	struct statvfs st;
	size_t i, cpus;

	if (fstatvfs(fd, &st))
		return;
	for (i = 0; i < s->n; i++) {
		recorder_cpus(s->recs[i], &cpus);
		bytes += cpus * CPU_BYTES;
	}
	for (i = 0; i < f->n; i++)
		bytes += f->v[i].len / (s->packing.name ? 2 : 1);
	sums = (uint64_t)st.f_bavail * st.f_frsize / DAT_SUM_RANGE * DAT_SUM_ENTRY;
	fallocate(fd, FALLOC_FL_KEEP_SIZE, at, bytes + (sums < SUMS_BYTES ? sums : SUMS_BYTES));
}

/* Notes tracers that swap buffers, so that a reader of an unfinished file knows what it lacks. */
static void note_swaps(struct meta_capture *c, const struct recorded_buffer *bufs, size_t n)
{
	char *key, *tracer;
	size_t i;

	for (i = 0; i < n; i++) {
		if (!bufs[i].swaps)
			continue;
		tracer = tfs_line(capture_headers(c)->t, bufs[i].instance, "current_tracer");
		key = keys_name_of(DAT_LATENCY_KEY, bufs[i].name);
		capture_note(c, key, tracer);
		free(tracer);
		free(key);
	}
}

/*
 * Returns the size in bytes of the largest file that can be made here, 0 if that is too small, or
 * if the file system has no sparse files.
 */
static uint64_t max_file_size(int fd)
{
	const off_t mib = 1 << 20;
	uint64_t max = FILE_MAX;
	struct rlimit lim;
	struct stat st;
	bool sparse = !ftruncate(fd, 4 * mib) && !fstat(fd, &st) && st.st_blocks * 512 < mib;

	if (ftruncate(fd, 0) || !sparse)
		return 0;
	if (!getrlimit(RLIMIT_FSIZE, &lim) && lim.rlim_cur < max)
		max = lim.rlim_cur;
	while (max >= FILE_MIN && ftruncate(fd, max))
		max /= 2;
	return !ftruncate(fd, 0) && max >= FILE_MIN ? max : 0;
}

/*
 * Lays out a region in the empty file for each CPU of each buffer, another one for the same data
 * compressed if the plan has that, and makes the recorders write to the file. Returns 1; 0 if the
 * file system has no sparse files, or too little room (RLIMIT_FSIZE); -1 with @err.
 */
static int sink_lay_out(struct record_sink *s, const struct tfs *t,
			const struct recorded_buffer *bufs, size_t n, struct ftr_error *err)
{
	int fd = s->plan.out->fd;
	uint64_t max = max_file_size(fd), disk;
	const struct recorder_cpu *cpus;
	struct dat_spool_buffer *b;
	char *clock, *text;
	struct statvfs st;
	size_t i, k, nr;

	for (i = 0; i < n; i++) {
		text = tfs_line(t, bufs[i].instance, "trace_clock");
		clock = capture_clock_name(text ? text : "");
		b = dat_spool_add(&s->spool, bufs[i].name, clock,
				  recorder_subbuf_size(bufs[i].rec));
		cpus = recorder_cpus(bufs[i].rec, &nr);
		for (k = 0; k < nr; k++)
			dat_spool_add_cpu(b, cpus[k].cpu);
		free(clock);
		free(text);
	}
	if (s->packing.data)
		dat_spool_add_packed(&s->spool);
	disk = fstatvfs(fd, &st) ? 0 : (uint64_t)st.f_blocks * st.f_frsize;
	if (!disk || disk > DISK_MAX)
		disk = DISK_MAX;
	if (!max || !dat_spool_lay(&s->spool, max, disk > DISK_MIN ? disk : DISK_MIN))
		return 0;
	for (i = 0; i < n; i++) {
		b = &s->spool.bufs[i];
		for (k = 0; k < b->n; k++)
			if (recorder_place(bufs[i].rec, k, fd, b->v[k].at, b->v[k].limit, err))
				return -1;
	}
	return 1;
}

static int sink_start_file(struct record_sink *s, struct meta_capture *c,
			   const struct recorded_buffer *bufs, size_t n, struct ftr_error *err)
{
	const struct capture_headers *headers = capture_headers(c);
	int ret;

	s->joins = dat_can_join(s->plan.out->fd);
	note_swaps(c, bufs, n);
	ret = n ? sink_lay_out(s, headers->t, bufs, n, err) : 0;
	if (!ret)
		sink_reserve_space(s, &headers->formats);
	if (ret <= 0)
		return ret;
	if (sink_make_follow(s, headers))
		return err_set(err, FTR_FAILED, "events/header_page makes no sense");
	if (s->packing.data) {
		s->pack = pack_new(&s->packing, s->spool.packed, s->plan.out->fd);
		follow_pack(s->follow, s->pack);
	}
	if (write_skeleton(s, c, err))
		return -1;
	sink_reserve_space(s, &headers->formats);
	return 0;
}

int sink_place_in_file(struct record_sink *s, struct meta_capture *c,
		       const struct recorded_buffer *bufs, size_t n, struct ftr_error *err)
{
	const struct sink_plan *p = &s->plan;
	char *keep;
	int ret;

	if (p->keep_bytes) {
		keep = xasprintf("%" PRIu64, p->keep_bytes);
		capture_note(c, DAT_KEEP_KEY, keep);
		free(keep);
	}
	ret = sink_start_file(s, c, bufs, n, err);
	if (!ret && s->w && p->session && p->out->part_path)
		ret = orphan_note(p->session, p->out->part_path, p->out->path, bufs, n, err);
	if (!ret && p->keep_bytes && (p->send || !s->w))
		ret = err_set(err, FTR_FAILED, "-m needs a file on a file system with sparse "
			      "files");
	return ret;
}

void sink_seal(struct record_sink *s, const struct captured_meta *c)
{
	const struct recorder_cpu *cpus;
	struct dat_region *at;
	size_t i, k, n;

	recorded_data_read(s, c);
	if (s->packed)
		dat_spool_take_packed(&s->spool);
	for (i = 0; i < s->n && !s->packed; i++) {
		cpus = recorder_cpus(s->recs[i], &n);
		for (k = 0; k < n; k++) {
			at = &s->spool.bufs[i].v[k];
			at->limit -= cpus[k].base - at->at;
			at->at = cpus[k].base;
			at->size = cpus[k].size;
		}
	}
	dat_seal(s->w, &s->spool);
}
