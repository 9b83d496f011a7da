/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the recorders' data while they write it, to have names, totals and checksums at the end.
 *
 * Reading all data at the end would keep the user waiting. This thread maps the data while it is
 * in the page cache, so at the end only the last range of each CPU is left to read.
 * MADV_POPULATE_READ turns data that cannot be read into an error instead of a signal; kernels
 * before 5.14 lack it, so the thread uses pread() there. pread() everywhere would spend most of
 * the thread's time on copying: the thread then lagged on a busy machine.
 *
 * With -m a file keeps the last data of each CPU in a bounded size. FALLOC_FL_PUNCH_HOLE frees the
 * start of a CPU's region after this thread has read that data, so names of tasks stay known. If
 * the thread lags by as much as is kept, the data goes unread. A step is a range of the checksums,
 * so that these stay valid, or a sub-buffer if little is kept. trace-cmd alternates between two
 * files of half the size instead.
 */
#include "record/file/data_follow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "record/setup/worker_thread.h"

#ifndef MADV_POPULATE_READ	/* Linux 5.14 */
#define MADV_POPULATE_READ 22
#endif

enum { BLOCK = 16 * DAT_SUM_RANGE, ROUND_MS = 100, IDLE_MS = 800 };

/* The data of one CPU. */
struct followed_cpu {
	struct recorder *rec;
	const struct ring_layout *layout;
	size_t   i;			/* index of the CPU in the recorder */
	uint64_t done;			/* bytes that were read */
	uint64_t seen;			/* size at the last round, in bytes */
	struct walk_totals sum;
	int      sys;			/* errno of a failed read, 0 if none */
	uint64_t *hash;			/* [nr], the checksum of each DAT_SUM_RANGE */
	size_t   nr, cap;

	/* if old data is dropped: the events of each unit from ->from to ->done */
	uint64_t from;			/* bytes that were dropped */
	uint64_t *events;		/* [nr_units] */
	size_t   nr_units, cap_units;
};

struct data_follow {
	struct data_walk *walk;
	struct task_comms comms;		/* names of tasks in the data */
	struct followed_cpu *trails;		/* [n], the CPUs of all buffers */
	size_t   n;
	size_t  *first;			/* [nr_bufs], index of the first trail of each buffer */
	size_t   nr_bufs;
	struct dat_region_sums *sums;	/* one for each trail; NULL before follow_finish() */
	uint8_t *block;			/* buffer to read to if the file can't be mapped */
	size_t   block_bytes;
	bool     no_map;		/* the file can't be mapped */
	uint64_t keep;			/* bytes to keep of each CPU, 0 if all */
	struct data_pack *pack;		/* NULL if nothing is compressed */
	struct worker_thread worker;
};

struct data_follow *follow_new(const struct format_files *f)
{
	struct data_follow *w = xcalloc(1, sizeof(*w));

	w->walk = walk_new(f);
	return w;
}

void follow_add(struct data_follow *f, struct recorder *r, const struct ring_layout *layout)
{
	size_t n, i;

	recorder_cpus(r, &n);
	f->trails = xrealloc(f->trails, (f->n + n + 1) * sizeof(*f->trails));
	f->first = xrealloc(f->first, (f->nr_bufs + 1) * sizeof(*f->first));
	f->first[f->nr_bufs++] = f->n;
	for (i = 0; i < n; i++)
		f->trails[f->n++] = (struct followed_cpu){ .rec = r, .layout = layout, .i = i };
	f->block_bytes = layout->subbuf_size > BLOCK ? layout->subbuf_size : BLOCK;
}

/*
 * Returns the bytes that are read at once: the unit of checksums; if little data is kept, a
 * sub-buffer, as data is dropped by units.
 */
static uint64_t follow_unit(const struct data_follow *f, const struct followed_cpu *t)
{
	bool small = f->keep && f->keep < 4 * DAT_SUM_RANGE;
	uint32_t subbuf = t->layout->subbuf_size;

	return small || subbuf > DAT_SUM_RANGE ? subbuf : DAT_SUM_RANGE;
}

void follow_keep(struct data_follow *f, uint64_t bytes)
{
	size_t i;

	f->keep = bytes;
	for (i = 0; i < f->n && bytes; i++)
		if (f->keep < 2 * f->trails[i].layout->subbuf_size)
			f->keep = 2 * f->trails[i].layout->subbuf_size;
}

void follow_pack(struct data_follow *f, struct data_pack *p)
{
	f->pack = p;
}

static void trail_hash(struct followed_cpu *t, const uint8_t *p, size_t n)
{
	size_t len;

	for (; n; p += len, n -= len) {
		len = n < DAT_SUM_RANGE ? n : DAT_SUM_RANGE;
		t->hash = xgrow(t->hash, &t->cap, t->nr + 1, sizeof(*t->hash));
		t->hash[t->nr++] = dat_sum(p, len);
	}
}

/* A part of a file in memory. */
struct file_view {
	const uint8_t *p;
	void *map;			/* NULL if it was read to ->block */
	size_t len;
};

/*
 * Gets the next @n bytes of @t into memory. It maps them and populates all pages at once, which
 * costs less than a fault for each page and makes a failed read an error, not a signal. If the file
 * can't be mapped, it reads them. Returns 0, or -1 with ->sys if they can't be read.
 */
static int view_open(struct data_follow *f, struct followed_cpu *t, size_t n, struct file_view *v)
{
	const struct recorder_cpu *cpu;
	size_t nr, before, got = 0;
	ssize_t r;
	off_t at;

	cpu = recorder_cpus(t->rec, &nr) + t->i;
	at = cpu->base + t->done;
	before = at % sysconf(_SC_PAGESIZE);
	if (!f->no_map) {
		v->len = n + before;
		v->map = mmap(NULL, v->len, PROT_READ, MAP_SHARED, cpu->fd, at - before);
		if (v->map != MAP_FAILED && !madvise(v->map, v->len, MADV_POPULATE_READ)) {
			v->p = (uint8_t *)v->map + before;
			return 0;
		}
		/* pread() then reports the error */
		f->no_map = v->map == MAP_FAILED || errno == EINVAL;
		if (v->map != MAP_FAILED)
			munmap(v->map, v->len);
	}
	if (!f->block)
		f->block = xmalloc(f->block_bytes);
	*v = (struct file_view){ .p = f->block };
	while (got < n) {
		r = pread(cpu->fd, f->block + got, n - got, at + got);
		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0) {
			t->sys = r ? errno : ENODATA;
			return -1;
		}
		got += r;
	}
	return 0;
}

/*
 * Reads the data of @t up to @end, which is a multiple of DAT_SUM_RANGE unless it is the end of all
 * data.
 */
static void follow_to(struct data_follow *f, struct followed_cpu *t, uint64_t end)
{
	size_t block = f->keep ? follow_unit(f, t) :
				 f->block_bytes - f->block_bytes % t->layout->subbuf_size, n;
	struct file_view v;
	uint64_t before;

	while (t->done < end && !t->sys) {
		n = end - t->done < block ? end - t->done : block;
		if (view_open(f, t, n, &v))
			return;
		if (f->pack)
			pack_add(f->pack, t - f->trails, v.p, n);
		else
			trail_hash(t, v.p, n);
		before = t->sum.events;
		walk_mem(f->walk, t->layout, v.p, n, &f->comms, &t->sum);
		if (f->keep) {
			t->events = xgrow(t->events, &t->cap_units, t->nr_units + 1,
					  sizeof(*t->events));
			t->events[t->nr_units++] = t->sum.events - before;
		}
		t->done += n;
		if (v.map)
			munmap(v.map, v.len);
		recorder_was_read(t->rec, t->i, t->done);
	}
}

/*
 * Drops the oldest of @size bytes, so that ->keep bytes stay. Unread data stays until it is read,
 * unless twice ->keep bytes are there: the limit of the file comes first.
 */
static void trail_drop(struct data_follow *f, struct followed_cpu *t, uint64_t size)
{
	uint64_t step = follow_unit(f, t), from, done = t->done - t->done % step;
	size_t n, i;

	if (!f->keep || size - t->from <= f->keep)
		return;
	from = (size - f->keep + step - 1) / step * step;
	if (from > done && size - t->from < 2 * f->keep)
		from = done;
	if (from <= t->from || from > size)
		return;
	n = from < done ? (from - t->from) / step : t->nr_units;
	for (i = 0; i < n; i++)
		t->sum.events -= t->events[i];
	if (n) {
		memmove(t->events, t->events + n, (t->nr_units - n) * sizeof(*t->events));
		t->nr_units -= n;
		/* one hash for each unit, if a unit is a DAT_SUM_RANGE */
		memmove(t->hash, t->hash + n, (t->nr - n) * sizeof(*t->hash));
		t->nr -= n;
	}
	if (from > t->done)
		t->done = from;
	t->from = from;
	recorder_drop(t->rec, t->i, from);
}

static void follow_run(void *arg)
{
	struct data_follow *f = arg;
	struct followed_cpu *t;
	uint64_t size, end;
	int ms = ROUND_MS;
	bool much, any;

	while (!worker_wait(&f->worker, ms)) {
		much = any = false;
		for (t = f->trails; t < f->trails + f->n; t++) {
			size = recorder_size(t->rec, t->i);
			end = size - size % follow_unit(f, t);
			much |= end - t->done >= f->block_bytes;
			any |= size != t->seen;
			t->seen = size;
			follow_to(f, t, end);
			trail_drop(f, t, recorder_size(t->rec, t->i));
		}
		ms = much ? 0 : any ? ROUND_MS : IDLE_MS;
	}
}

int follow_start(struct data_follow *f, struct ftr_error *err)
{
	/*
	 * Reading is cheap, but with the lowest priority it would make no progress on a busy
	 * machine until the end, where it is waited for. Compressing is expensive, and recording
	 * comes first.
	 */
	return worker_start(&f->worker, "ftr-follow", f->pack ? 19 : 0, follow_run, f,
			    "reads the recorded data", err);
}

void follow_upto(struct data_follow *f, size_t buffer, size_t cpu, uint64_t end)
{
	follow_to(f, &f->trails[f->first[buffer] + cpu], end);
}

void follow_pause(struct data_follow *f)
{
	worker_stop(&f->worker);
}

void follow_finish(struct data_follow *f)
{
	uint64_t size;
	size_t i;

	worker_stop(&f->worker);
	if (f->sums)
		return;
	f->sums = xcalloc(f->n + 1, sizeof(*f->sums));
	for (i = 0; i < f->n; i++) {
		struct followed_cpu *t = &f->trails[i];

		size = recorder_size(t->rec, t->i);
		follow_to(f, t, size);
		trail_drop(f, t, size);
		if (!f->keep || follow_unit(f, t) == DAT_SUM_RANGE)
			f->sums[i] = (struct dat_region_sums){ t->hash, t->nr };
	}
	for (i = 0; i < f->n; i++)
		recorder_settle(f->trails[i].rec);
}

static const struct followed_cpu *trail_of(const struct data_follow *f, size_t buffer, size_t cpu)
{
	return &f->trails[f->first[buffer] + cpu];
}

const struct walk_totals *follow_totals(const struct data_follow *f, size_t buffer, size_t cpu)
{
	return &trail_of(f, buffer, cpu)->sum;
}

int follow_failed(const struct data_follow *f, size_t buffer, size_t cpu)
{
	return trail_of(f, buffer, cpu)->sys;
}

int follow_sys(const struct data_follow *f)
{
	size_t i;

	for (i = 0; i < f->n; i++)
		if (f->trails[i].sys)
			return f->trails[i].sys;
	return 0;
}

const struct dat_region_sums *follow_sums(const struct data_follow *f)
{
	return f->sums;
}

const struct data_walk *follow_walk(const struct data_follow *f)
{
	return f->walk;
}

const struct task_comms *follow_comms(const struct data_follow *f)
{
	return &f->comms;
}

void follow_free(struct data_follow *f)
{
	size_t i;

	if (!f)
		return;
	worker_stop(&f->worker);
	for (i = 0; i < f->n; i++) {
		free(f->trails[i].hash);
		free(f->trails[i].events);
	}
	comms_release(&f->comms);
	walk_free(f->walk);
	free(f->trails);
	free(f->first);
	free(f->sums);
	free(f->block);
	free(f);
}
