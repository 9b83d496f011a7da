/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Has what is recorded written to the disk now and then, so that a loss of power leaves it. */
#include "record/file/disk_sync.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/now.h"

enum { STEP_MS = 10, STEPS = 100 };	/* how long the recorders are waited for */

/* Of one CPU: bytes that are there, and that the page cache has given up. */
struct sync_cpu {
	uint64_t seen, left;
};

/* Notes what is there. Returns the sum. */
static uint64_t see_written(struct sync *s)
{
	struct sync_cpu *at = s->cpus;
	uint64_t sum = 0, is;
	size_t i, k, n;

	for (i = 0; i < s->nr_recs; i++) {
		recorder_cpus(s->recs[i], &n);
		for (k = 0; k < n; k++) {
			is = recorder_size(s->recs[i], k);
			sum += is;
			if (at)
				(at++)->seen = is;
		}
	}
	return sum;
}

static bool recorders_flushed(const struct sync *s)
{
	size_t i;

	for (i = 0; i < s->nr_recs; i++)
		if (!recorder_flushed(s->recs[i]))
			return false;
	return true;
}

/* What the recorders can have, which is in the page cache then. True when it is to end. */
static bool flush_recorders(struct sync *s)
{
	bool ends = false;
	size_t i;

	for (i = 0; i < s->nr_recs; i++)
		recorder_flush(s->recs[i]);
	for (i = 0; i < STEPS && !ends && !recorders_flushed(s); i++)
		ends = worker_wait(&s->worker, STEP_MS);
	return ends;
}

/* Until the next round, which begins ->every_ns after @begin at the earliest. */
static bool wait_from(struct sync *s, uint64_t begin)
{
	uint64_t spent = now_ns() - begin, ms = 0;

	if (spent < s->every_ns)
		ms = (s->every_ns - spent + 999999) / 1000000;
	return worker_wait(&s->worker, ms < INT_MAX ? ms : INT_MAX);
}

/* What is on the disk now and was read by who follows the recorders. */
static void leave_page_cache(struct sync *s)
{
	struct sync_cpu *at = s->cpus;
	const struct recorder_cpu *c;
	uint64_t upto;
	size_t i, k, n;

	for (i = 0; at && i < s->nr_recs; i++) {
		c = recorder_cpus(s->recs[i], &n);
		for (k = 0; k < n; k++, c++, at++) {
			upto = recorder_read_upto(s->recs[i], k);
			upto = upto < at->seen ? upto : at->seen;
			if (upto <= at->left)
				continue;
			posix_fadvise(c->fd, c->base + at->left, upto - at->left,
				      POSIX_FADV_DONTNEED);
			at->left = upto;
		}
	}
}

/*
 * fdatasync() and not sync_file_range(): the latter leaves the extents and the file's size, which
 * tell where the data is, to the file system's own time. fsync() first, for what creating the file
 * has changed in its folder: journalling file systems write that along.
 */
static void sync_run(void *arg)
{
	struct sync *s = arg;
	uint64_t begin = now_ns(), done = 0, is;

	fsync(s->fd);
	while (!wait_from(s, begin)) {
		begin = now_ns();
		if (flush_recorders(s))
			return;
		is = see_written(s);
		if (is != done && !fdatasync(s->fd))
			leave_page_cache(s);
		done = is;
	}
}

int sync_start(struct sync *s, struct recorder **recs, size_t n, int fd, uint64_t ns, bool leave,
	       struct ftr_error *err)
{
	size_t i, cpus = 0, nr;

	*s = (struct sync){ .recs = recs, .nr_recs = n, .fd = fd, .every_ns = ns };
	for (i = 0; i < n; i++) {
		recorder_cpus(recs[i], &nr);
		cpus += nr;
	}
	if (leave)
		s->cpus = xcalloc(cpus + 1, sizeof(*s->cpus));
	return worker_start(&s->worker, "ftr-sync", 0, sync_run, s, "writes to the disk", err);
}

void sync_stop(struct sync *s)
{
	worker_stop(&s->worker);
	free(s->cpus);
	s->cpus = NULL;
}

/* Not more than that: who needs it there, as joining the file's parts does, waits by himself. */
static void rest_run(void *arg)
{
	struct sync *s = arg;

	sync_file_range(s->fd, 0, 0, SYNC_FILE_RANGE_WRITE);
}

void sync_rest(struct sync *s, int fd)
{
	*s = (struct sync){ .fd = fd };
	/* without it the caller waits longer */
	worker_start(&s->worker, "ftr-sync", 0, rest_run, s, "writes to the disk", NULL);
}
