/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Moves raw sub-buffers from trace_pipe_raw into files: one pinned thread a CPU. */
#include "record/cpu/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/dir_file.h"
#include "base/io.h"
#include "record/cpu/recorder_priv.h"

enum {
	READ_BATCH = 1 << 18,		/* bytes that are read before they are written */
	PIPE_MIN = 1 << 16,		/* what a pipe has by itself */
	NR_FDS_PER_CPU = 7,		/* raw, stats, file, both ends of the pipe, batch, wake */
};

/* ---- the budget of a file, which recorders share */

struct budget {
	pthread_mutex_t lock;
	pthread_cond_t given;		/* somebody has taken what he got, or returned it */
	int64_t  left;			/* below 0: more was taken than there was */
	uint64_t least;			/* a sub-buffer of each CPU */
	uint32_t unit;			/* the largest sub-buffer */
	unsigned int holders;		/* threads between budget_take() and budget_give() */
	bool     spent;			/* somebody got nothing */
	bool     spills;
};

struct budget *budget_new(uint64_t bytes, bool spills)
{
	struct budget *b = xcalloc(1, sizeof(*b));

	b->left = bytes < INT64_MAX ? bytes : INT64_MAX;
	b->spills = spills;
	pthread_mutex_init(&b->lock, NULL);
	pthread_cond_init(&b->given, NULL);
	return b;
}

bool budget_spills(const struct budget *b)
{
	return b->spills;
}

void budget_add(struct budget *b, uint32_t subbuf_size, size_t cpus)
{
	b->least += (uint64_t)subbuf_size * cpus;
	if (b->left < (int64_t)b->least)
		b->left = b->least;
	if (b->unit < subbuf_size)
		b->unit = subbuf_size;
}

/* How much comes is known only once it is there: a thread asks for more than it will get. */
size_t budget_take(struct budget *b, size_t want, uint32_t subbuf_size, bool beyond)
{
	size_t got = want;

	pthread_mutex_lock(&b->lock);
	while (!beyond && b->left < (int64_t)want && b->holders)
		pthread_cond_wait(&b->given, &b->lock);
	if (!beyond && b->left < (int64_t)want)
		got = b->left > 0 ? b->left - b->left % subbuf_size : 0;
	b->left -= got;
	b->holders += got > 0;
	b->spent |= !got;
	pthread_mutex_unlock(&b->lock);
	return got;
}

void budget_give(struct budget *b, size_t bytes)
{
	pthread_mutex_lock(&b->lock);
	b->left += bytes;
	b->holders--;
	pthread_cond_broadcast(&b->given);
	pthread_mutex_unlock(&b->lock);
}

bool budget_spent(struct budget *b)
{
	bool spent;

	pthread_mutex_lock(&b->lock);
	spent = b->spent || (!b->holders && b->left < (int64_t)b->unit);
	pthread_mutex_unlock(&b->lock);
	return spent;
}

void budget_free(struct budget *b)
{
	if (!b)
		return;
	pthread_cond_destroy(&b->given);
	pthread_mutex_destroy(&b->lock);
	free(b);
}

/* ---- the recorder of a buffer */

/*
 * Enlarges the pipe as far as we may. An unprivileged user is refused above pipe-max-size and
 * pipe-user-pages-soft.
 */
static void pipe_enlarge(struct lane *l)
{
	char *line = io_line_at(AT_FDCWD, "/proc/sys/fs/pipe-max-size");
	long want = line ? strtol(line, NULL, 10) : 1 << 20;
	int is;

	free(line);
	while (want > PIPE_MIN && fcntl(l->pipe[1], F_SETPIPE_SZ, (int)want) < 0)
		want /= 2;
	is = fcntl(l->pipe[1], F_GETPIPE_SZ);
	l->pipe_bytes = is > 0 ? is : PIPE_MIN;
}

static char *data_name(const struct lane *l)
{
	const char *instance = l->r->instance;

	return xasprintf("%s%s%s.cpu%d", l->r->out_path, instance ? "." : "",
			 instance ? instance : "", l->cpu->cpu);
}

static void drop_name(struct lane *l)
{
	free(l->data_path);
	l->data_path = NULL;
}

/*
 * A file without a name beside the output, so that a rename is never across file systems and
 * nothing is left behind.
 */
static int open_data(struct lane *l, struct ftr_error *err)
{
	const int flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
	struct place at;

	l->data_path = data_name(l);
	if (place_open(&at, l->data_path, err))
		goto fail;
	l->cpu->fd = place_tmpfile(&at);
	if (l->cpu->fd >= 0)
		drop_name(l);
	else
		l->cpu->fd = openat(at.dir, at.name, flags, 0600);
	place_release(&at);
	if (l->cpu->fd >= 0)
		return 0;
	err_sys(err, "cannot create '%s'", l->data_path);
	if (errno == EEXIST)
		err_hint(err, "a recording that was killed left it: move it, or give another -o");
fail:
	drop_name(l);
	return -1;
}

static int lane_open(struct lane *l, struct ftr_error *err)
{
	struct recorder *r = l->r;
	char *file = xasprintf("per_cpu/cpu%d/%s", l->cpu->cpu,
			       r->opts.snapshot ? "snapshot_raw" : "trace_pipe_raw");
	struct buf path = {0};

	l->raw_fd = openat(r->t->dirfd, tfs_path(&path, r->instance, file),
			   O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (l->raw_fd < 0)
		err_sys(err, "cannot open '%s/%s'", r->t->path, path.data);
	buf_release(&path);
	free(file);
	if (l->raw_fd < 0)
		return -1;
	l->stats_fd = tfs_stats_open(r->t, r->instance, l->cpu->cpu);
	if (batch_make(l, READ_BATCH, err))
		return -1;
	l->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (l->wake_fd < 0)
		return err_sys(err, "cannot make an eventfd");
	if (r->opts.no_splice)
		return 0;
	if (pipe2(l->pipe, O_CLOEXEC))
		return err_sys(err, "cannot make a pipe");
	pipe_enlarge(l);
	l->cpu->spliced = true;
	return 0;
}

static void close_cpu_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void wake_all(const struct recorder *r)
{
	uint64_t one = 1;
	size_t i;

	for (i = 0; i < r->n && r->lanes; i++)
		if (r->lanes[i].started)
			io_write_all(r->lanes[i].wake_fd, &one, sizeof(one));
}

static void join_all(struct recorder *r)
{
	size_t i;

	__atomic_store_n(&r->stop, true, __ATOMIC_RELEASE);
	wake_all(r);
	for (i = 0; i < r->n && r->lanes; i++) {
		if (r->lanes[i].started)
			pthread_join(r->lanes[i].thread, NULL);
		r->lanes[i].started = false;
	}
}

struct recorder *recorder_new(const struct tfs *t, const char *instance, const char *out_path,
			      const struct recorder_opts *opts, struct ftr_error *err)
{
	struct recorder *r = xcalloc(1, sizeof(*r));
	struct rlimit lim;
	int *cpus = NULL;
	size_t i;

	r->t = t;
	r->instance = instance && *instance ? xstrdup(instance) : NULL;
	r->out_path = xstrdup(out_path);
	r->opts = *opts;
	r->batch_path = opts->batch_path ? xstrdup(opts->batch_path) : NULL;
	r->subbuf_size = tfs_subbuf_size(t, instance);
	if (!r->subbuf_size)
		r->subbuf_size = sysconf(_SC_PAGESIZE);
	if (tfs_cpus(t, r->instance, &cpus, &r->n, err))
		goto fail;
	r->cpus = xcalloc(r->n, sizeof(*r->cpus));
	r->lanes = xcalloc(r->n, sizeof(*r->lanes));
	for (i = 0; i < r->n; i++) {
		r->cpus[i] = (struct recorder_cpu){ .cpu = cpus[i], .fd = -1 };
		r->lanes[i] = (struct lane){ .r = r, .cpu = &r->cpus[i],
					     .raw_fd = -1, .stats_fd = -1,
					     .pipe = { -1, -1 }, .batch_fd = -1,
					     .wake_fd = -1,
					     .left = UINT64_MAX, .limit = INT64_MAX };
		tfs_stats(t, r->instance, cpus[i], &r->cpus[i].before);
	}
	free(cpus);
	if (!r->n) {
		err_set(err, FTR_FAILED, "'%s' has no CPU to record", t->path);
		goto fail;
	}
	if (opts->budget)
		budget_add(opts->budget, r->subbuf_size, r->n);
	/* 64 CPUs and two buffers need more than the usual soft limit of 1024 */
	if (!getrlimit(RLIMIT_NOFILE, &lim) &&
	    lim.rlim_cur < (r->n + 16) * NR_FDS_PER_CPU * 4) {
		lim.rlim_cur = lim.rlim_max;
		setrlimit(RLIMIT_NOFILE, &lim);
	}
	for (i = 0; i < r->n; i++)
		if (lane_open(&r->lanes[i], err))
			goto fail;
	return r;
fail:
	recorder_free(r);
	return NULL;
}

int recorder_place(struct recorder *r, size_t i, int fd, off_t base, off_t limit,
		   struct ftr_error *err)
{
	struct lane *l = &r->lanes[i];
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	l->cpu->fd = open(path, O_RDWR | O_CLOEXEC);
	if (l->cpu->fd < 0 || lseek(l->cpu->fd, base, SEEK_SET) != base)
		return err_sys(err, "cannot open '%s' again", r->out_path);
	l->cpu->base = base;
	l->limit = limit;
	l->placed = true;
	return 0;
}

int recorder_start(struct recorder *r, struct ftr_error *err)
{
	struct sched_param sp = { .sched_priority = r->opts.rt_prio };
	sigset_t all, old;
	pthread_attr_t attr;
	int sys = 0;
	size_t i;

	for (i = 0; i < r->n; i++)
		if (r->cpus[i].fd < 0 && open_data(&r->lanes[i], err))
			return -1;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 256 * 1024);
	if (r->opts.rt_prio) {
		pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
		pthread_attr_setschedpolicy(&attr, SCHED_FIFO);
		pthread_attr_setschedparam(&attr, &sp);
	}
	for (i = 0; i < r->n && !sys; i++) {
		sys = pthread_create(&r->lanes[i].thread, &attr, lane_run, &r->lanes[i]);
		r->lanes[i].started = !sys;
	}
	pthread_attr_destroy(&attr);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!sys)
		return 0;
	join_all(r);
	errno = sys;
	err_sys(err, "cannot start the recording thread of CPU %d", r->cpus[i - 1].cpu);
	if (r->opts.rt_prio)
		err_hint(err, "-r takes 1 to 99, and root or RLIMIT_RTPRIO; this is %d",
			 r->opts.rt_prio);
	return -1;
}

/*
 * Returns how many bytes of the @i-th CPU, whose thread failed, are not in the file: the partial
 * sub-buffer at its end, and the contents of the pipe and of the kernel's buffer. Records that the
 * kernel overwrote since then count as lost events.
 */
static uint64_t missing_bytes(const struct recorder *r, size_t i)
{
	uint64_t bytes = r->cpus[i].size % r->subbuf_size;
	struct tfs_stats st;
	int piped = 0;

	if (!ioctl(r->lanes[i].pipe[0], FIONREAD, &piped))
		bytes += piped;
	if (!tfs_stats(r->t, r->instance, r->cpus[i].cpu, &st))
		bytes += st.bytes;
	return bytes;
}

int recorder_stop(struct recorder *r, struct ftr_error *err)
{
	const struct recorder_cpu *bad = NULL;
	struct recorder_cpu *c;
	uint64_t missing = 0;
	size_t i;

	join_all(r);
	for (i = 0; i < r->n; i++) {
		c = &r->cpus[i];
		/* while it is open, nobody can change the tracer or remove the instance */
		close_cpu_fd(&r->lanes[i].raw_fd);
		close_cpu_fd(&r->lanes[i].stats_fd);
		if (c->sys) {
			missing += missing_bytes(r, i);
			bad = bad ? bad : c;
		}
		/* a full disk may have cut a sub-buffer; other threads may read the size now */
		__atomic_store_n(&c->size, c->size - c->size % r->subbuf_size, __ATOMIC_RELEASE);
	}
	if (!bad)
		return 0;
	err_set(err, FTR_DAMAGED, "recording of CPU %d for '%s' ended early: %s: %" PRIu64
		" bytes are missing", bad->cpu, r->out_path, strerror(bad->sys), missing);
	if (err)
		err->sys = bad->sys;
	return -1;
}

int recorder_leave(struct recorder *r, struct recorder *next, struct ftr_error *err)
{
	size_t i;
	int ret;

	__atomic_store_n(&r->leave, true, __ATOMIC_RELEASE);
	ret = recorder_stop(r, err);
	for (i = 0; i < r->n && i < next->n; i++) {
		if (tfs_stats(r->t, r->instance, r->cpus[i].cpu, &next->cpus[i].before))
			continue;
		r->cpus[i].after = next->cpus[i].before;
		r->cpus[i].left = true;
	}
	return ret;
}

uint64_t recorder_left_out(const struct recorder *r)
{
	struct tfs_stats st;
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < r->n; i++)
		if (r->lanes[i].spent && !tfs_stats(r->t, r->instance, r->cpus[i].cpu, &st))
			sum += st.bytes;
	return sum;
}

void recorder_flush(struct recorder *r)
{
	size_t i;

	for (i = 0; i < r->n; i++)
		__atomic_add_fetch(&r->lanes[i].flush, 1, __ATOMIC_RELEASE);
	wake_all(r);
}

bool recorder_flushed(const struct recorder *r)
{
	const struct lane *l;

	for (l = r->lanes; l < r->lanes + r->n; l++)
		if (l->started && !l->cpu->sys &&
		    __atomic_load_n(&l->flushed, __ATOMIC_ACQUIRE) != l->flush)
			return false;
	return true;
}

void recorder_drop(struct recorder *r, size_t i, uint64_t upto)
{
	struct recorder_cpu *c = &r->cpus[i];

	/* where the file system can't do it the data just stays in the way */
	fallocate(c->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, c->base + c->dropped,
		  upto - c->dropped);
	__atomic_store_n(&c->dropped, upto, __ATOMIC_RELEASE);
}

void recorder_settle(struct recorder *r)
{
	struct recorder_cpu *c;

	for (c = r->cpus; c < r->cpus + r->n; c++) {
		if (c->settled)
			continue;
		c->base += c->dropped;
		c->size -= c->dropped;
		c->settled = true;
	}
}

void recorder_was_read(struct recorder *r, size_t i, uint64_t upto)
{
	__atomic_store_n(&r->cpus[i].read, upto, __ATOMIC_RELEASE);
}

uint64_t recorder_read_upto(const struct recorder *r, size_t i)
{
	return __atomic_load_n(&r->cpus[i].read, __ATOMIC_ACQUIRE);
}

bool recorder_failed(const struct recorder *r)
{
	return __atomic_load_n(&r->failed, __ATOMIC_ACQUIRE);
}

const struct recorder_cpu *recorder_cpus(const struct recorder *r, size_t *n)
{
	*n = r->n;
	return r->cpus;
}

uint32_t recorder_subbuf_size(const struct recorder *r)
{
	return r->subbuf_size;
}

uint64_t recorder_size(const struct recorder *r, size_t i)
{
	return __atomic_load_n(&r->cpus[i].size, __ATOMIC_ACQUIRE);
}

uint64_t recorder_bytes(const struct recorder *r)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < r->n; i++)
		sum += recorder_size(r, i);
	return sum;
}

uint64_t recorder_dropped(const struct recorder *r)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < r->n; i++)
		sum += __atomic_load_n(&r->cpus[i].dropped, __ATOMIC_ACQUIRE);
	return sum;
}

/* The way to give a name to a file of O_TMPFILE, open(2). */
static int name_data(const struct lane *l, const char *name)
{
	char fd_path[32];
	struct place at;
	int ret;

	if (place_open(&at, name, NULL))
		return -1;
	snprintf(fd_path, sizeof(fd_path), "/proc/self/fd/%d", l->cpu->fd);
	ret = linkat(AT_FDCWD, fd_path, at.dir, at.name, AT_SYMLINK_FOLLOW);
	place_release(&at);
	return ret;
}

void recorder_keep(struct recorder *r, struct strv *names)
{
	struct lane *l;
	char *name;
	size_t i;

	for (i = 0; i < r->n; i++) {
		l = &r->lanes[i];
		if (!recorder_size(r, i) || l->placed)
			continue;
		name = data_name(l);
		if (l->data_path || !name_data(l, name))
			strv_add(names, name);
		drop_name(l);
		free(name);
	}
}

void recorder_free(struct recorder *r)
{
	struct lane *l;

	if (!r)
		return;
	join_all(r);
	for (l = r->lanes; l && l < r->lanes + r->n; l++) {
		close_cpu_fd(&l->wake_fd);
		close_cpu_fd(&l->raw_fd);
		close_cpu_fd(&l->stats_fd);
		close_cpu_fd(&l->pipe[0]);
		close_cpu_fd(&l->pipe[1]);
		close_cpu_fd(&l->cpu->fd);
		if (l->data_path)
			place_unlink(l->data_path);
		free(l->data_path);
		batch_release(l);
	}
	free(r->lanes);
	free(r->cpus);
	free(r->instance);
	free(r->out_path);
	free(r->batch_path);
	free(r);
}
