/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lays out the trace file that is recorded into. */
#include "record/file/raw_spool.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define FILE_MAX (15ULL << 40)		/* ext4 ends at 16 TiB */
#define DISK_MAX (1ULL << 40)		/* of a disk without an end, or a larger one */
#define DISK_MIN (4ULL << 20)
#define FILE_MIN (64ULL << 20)

/* What is not written takes no space. */
static bool is_sparse(int fd)
{
	const off_t mib = 1 << 20;
	struct stat st;
	bool sparse = !ftruncate(fd, 4 * mib) && !fstat(fd, &st) && st.st_blocks * 512 < mib;

	return !ftruncate(fd, 0) && sparse;
}

/* The largest file that can be had here, 0 if that is none of use. */
static uint64_t max_size(int fd)
{
	uint64_t max = FILE_MAX;
	struct rlimit lim;

	if (!getrlimit(RLIMIT_FSIZE, &lim) && lim.rlim_cur < max)
		max = lim.rlim_cur;
	while (max >= FILE_MIN && ftruncate(fd, max))
		max /= 2;
	return !ftruncate(fd, 0) && max >= FILE_MIN ? max : 0;
}

/* What all regions together can get, whichever gets it. */
static uint64_t disk_size(int fd)
{
	struct statvfs st;
	uint64_t bytes = fstatvfs(fd, &st) ? 0 : (uint64_t)st.f_blocks * st.f_frsize;

	if (!bytes || bytes > DISK_MAX)
		return DISK_MAX;
	return bytes > DISK_MIN ? bytes : DISK_MIN;
}

static void spool_add_buffer(struct dat_spool *s, const struct lane_buffer *from, const char *clock)
{
	struct dat_spool_buffer *b;
	const struct recorder_cpu *cpus;
	size_t i, n;

	b = dat_spool_add(s, from->name, clock, recorder_subbuf_size(from->rec));
	cpus = recorder_cpus(from->rec, &n);
	for (i = 0; i < n; i++)
		dat_spool_add_cpu(b, cpus[i].cpu);
}

static int place_recorder(struct recorder *r, const struct dat_spool_buffer *b, int fd,
			  struct ftr_error *err)
{
	size_t i;

	for (i = 0; i < b->n; i++)
		if (recorder_place(r, i, fd, b->v[i].at, b->v[i].limit, err))
			return -1;
	return 0;
}

int spool_lay(struct dat_spool *s, int fd, const struct lane_buffer *bufs, size_t n,
	      char *const *clocks, bool packed, struct ftr_error *err)
{
	uint64_t max = is_sparse(fd) ? max_size(fd) : 0;
	size_t i;

	for (i = 0; i < n; i++)
		spool_add_buffer(s, &bufs[i], clocks[i]);
	if (packed)
		dat_spool_add_packed(s);
	if (!max || !dat_spool_lay(s, max, disk_size(fd)))
		return 0;
	for (i = 0; i < n; i++)
		if (place_recorder(bufs[i].rec, &s->bufs[i], fd, err))
			return -1;
	return 1;
}
