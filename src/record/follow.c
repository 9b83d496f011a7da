/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads what the recorders write, behind them: names, numbers and checksums for the end. */
#include "record/follow.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/io.h"

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
	pthread_t thread;
	pid_t    tid;
	int      stop_fd;
	bool     started;
};

struct follow *follow_new(const struct formats *f)
{
	struct follow *w = xcalloc(1, sizeof(*w));

	w->walk = walk_new(f);
	w->stop_fd = -1;
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

static void *follow_run(void *arg)
{
	struct follow *f = arg;
	struct pollfd p = { .fd = f->stop_fd, .events = POLLIN };
	bool much = false;

	f->tid = gettid();
	setpriority(PRIO_PROCESS, f->tid, 19);
	pthread_setname_np(pthread_self(), "ftr-follow");
	while (poll(&p, 1, much ? 0 : ROUND_MS) <= 0)
		much = follow_round(f);
	return NULL;
}

int follow_start(struct follow *f, struct ftr_error *err)
{
	sigset_t all, old;
	int sys;

	f->stop_fd = eventfd(0, EFD_CLOEXEC);
	if (f->stop_fd < 0)
		return err_sys(err, "cannot make an eventfd");
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	sys = pthread_create(&f->thread, NULL, follow_run, f);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	f->started = !sys;
	errno = sys;
	return sys ? err_sys(err, "cannot start the thread that reads what is recorded") : 0;
}

static void stop_thread(struct follow *f)
{
	uint64_t one = 1;

	if (!f->started)
		return;
	io_write_all(f->stop_fd, &one, sizeof(one));
	if (f->tid)
		setpriority(PRIO_PROCESS, f->tid, 0);
	pthread_join(f->thread, NULL);
	f->started = false;
}

void follow_finish(struct follow *f)
{
	size_t i;

	stop_thread(f);
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
	stop_thread(f);
	if (f->stop_fd >= 0)
		close(f->stop_fd);
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
