/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads what the recorders write, behind them: names, numbers and checksums for the end. */
#include "record/follow.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "record/worker.h"

enum { BLOCK = 4 * DAT_SUM_RANGE, ROUND_MS = 100 };

/* One CPU's data. */
struct trail {
	const struct recorder *rec;
	const struct ring_layout *layout;
	size_t   i;			/* of its CPUs */
	uint64_t done;
	struct walk_totals sum;
	int      sys;
	uint64_t *hash;
	size_t   nr, cap;
};

struct follow {
	struct walk *walk;
	struct comms comms;
	struct trail *trails;
	size_t   n;
	size_t  *first;			/* of each buffer, in ->trails */
	size_t   nr_bufs;
	struct dat_region_sums *sums;	/* of each trail */
	uint8_t *block;
	size_t   block_bytes;
	struct worker worker;
};

struct follow *follow_new(const struct formats *f)
{
	struct follow *w = xcalloc(1, sizeof(*w));

	w->walk = walk_new(f);
	return w;
}

void follow_add(struct follow *f, const struct recorder *r, const struct ring_layout *layout)
{
	size_t n, i;

	recorder_cpus(r, &n);
	f->trails = xrealloc(f->trails, (f->n + n + 1) * sizeof(*f->trails));
	f->first = xrealloc(f->first, (f->nr_bufs + 1) * sizeof(*f->first));
	f->first[f->nr_bufs++] = f->n;
	for (i = 0; i < n; i++)
		f->trails[f->n++] = (struct trail){ .rec = r, .layout = layout, .i = i };
	f->block_bytes = layout->subbuf_size > BLOCK ? layout->subbuf_size : BLOCK;
	f->block = xrealloc(f->block, f->block_bytes);
}

static void hash_block(struct trail *t, const uint8_t *p, size_t n)
{
	size_t len;

	for (; n; p += len, n -= len) {
		len = n < DAT_SUM_RANGE ? n : DAT_SUM_RANGE;
		t->hash = xgrow(t->hash, &t->cap, t->nr + 1, sizeof(*t->hash));
		t->hash[t->nr++] = XXH3_64bits(p, len);
	}
}

/* Fills @n bytes. The number read, less at an error. */
static size_t read_block(struct trail *t, uint8_t *to, size_t n)
{
	const struct recorder_cpu *cpu;
	size_t got = 0, nr;
	ssize_t r;

	cpu = recorder_cpus(t->rec, &nr) + t->i;
	while (got < n) {
		r = pread(cpu->fd, to + got, n - got, cpu->base + t->done + got);
		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0) {
			t->sys = r ? errno : ENODATA;
			break;
		}
		got += r;
	}
	return got;
}

/* Up to @end, which is a multiple of DAT_SUM_RANGE unless nothing comes behind it. */
static void follow_to(struct follow *f, struct trail *t, uint64_t end)
{
	size_t block = f->block_bytes - f->block_bytes % t->layout->subbuf_size, want, n;

	while (t->done < end && !t->sys) {
		want = end - t->done < block ? end - t->done : block;
		n = read_block(t, f->block, want);
		if (n < want)
			return;
		hash_block(t, f->block, n);
		walk_mem(f->walk, t->layout, f->block, n, &f->comms, &t->sum);
		t->done += n;
	}
}

/* One look at each CPU; true when there was much to do. */
static bool follow_round(struct follow *f)
{
	bool much = false;
	uint64_t end;
	size_t i;

	for (i = 0; i < f->n; i++) {
		struct trail *t = &f->trails[i];

		end = recorder_size(t->rec, t->i);
		end -= end % f->block_bytes;
		much |= end - t->done >= 4 * f->block_bytes;
		follow_to(f, t, end);
	}
	return much;
}

static void follow_run(void *arg)
{
	struct follow *f = arg;
	bool much = false;

	while (!worker_wait(&f->worker, much ? 0 : ROUND_MS))
		much = follow_round(f);
}

int follow_start(struct follow *f, struct ftr_error *err)
{
	return worker_start(&f->worker, "ftr-follow", 19, follow_run, f,
			    "reads what is recorded", err);
}

void follow_finish(struct follow *f)
{
	size_t i;

	worker_stop(&f->worker);
	f->sums = xcalloc(f->n + 1, sizeof(*f->sums));
	for (i = 0; i < f->n; i++) {
		struct trail *t = &f->trails[i];

		follow_to(f, t, recorder_size(t->rec, t->i));
		f->sums[i] = (struct dat_region_sums){ t->hash, t->nr };
	}
}

static const struct trail *trail(const struct follow *f, size_t buffer, size_t cpu)
{
	return &f->trails[f->first[buffer] + cpu];
}

const struct walk_totals *follow_totals(const struct follow *f, size_t buffer, size_t cpu)
{
	return &trail(f, buffer, cpu)->sum;
}

int follow_failed(const struct follow *f, size_t buffer, size_t cpu)
{
	return trail(f, buffer, cpu)->sys;
}

const struct dat_region_sums *follow_sums(const struct follow *f)
{
	return f->sums;
}

const struct walk *follow_walk(const struct follow *f)
{
	return f->walk;
}

const struct comms *follow_comms(const struct follow *f)
{
	return &f->comms;
}

void follow_free(struct follow *f)
{
	size_t i;

	if (!f)
		return;
	worker_stop(&f->worker);
	for (i = 0; i < f->n; i++)
		free(f->trails[i].hash);
	comms_release(&f->comms);
	walk_free(f->walk);
	free(f->trails);
	free(f->first);
	free(f->sums);
	free(f->block);
	free(f);
}
