/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Moves raw sub-buffers from trace_pipe_raw into files: one pinned thread a CPU.
 *
 * --max-size bounds a file to which many threads write, and only splice() reports how much data
 * there was. All threads of a file draw on one account: a thread reserves a pipe full before it
 * splices and returns the rest afterwards. If the account has too little, the thread waits for
 * returns of others. With --rotate an empty account does not stop a thread whose buffer in the
 * kernel is half full, as the next file waits until the previous one is finished. Checking the
 * size of the file every 0.05 s instead would let it exceed the limit by any amount.
 */
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
	PIPE_MIN = 1 << 16,		/* default size of a pipe in bytes */
	NR_FDS_PER_CPU = 7,		/* raw, stats, file, both ends of the pipe, batch, wake */
};

/* ---- the budget of a file, which recorders share */

struct file_budget {
	pthread_mutex_t lock;
	pthread_cond_t given;		/* signalled by budget_return() */
	int64_t  left;			/* bytes; below 0 if more was taken than there was */
	uint64_t least;			/* minimum: a sub-buffer of each CPU, in bytes */
	uint32_t unit;			/* size of the largest sub-buffer in bytes */
	unsigned int holders;		/* threads between budget_reserve() and budget_return() */
	bool     spent;			/* a call of budget_reserve() returned 0 */
	bool     spills;
};

struct file_budget *budget_new(uint64_t bytes, bool spills)
{
	struct file_budget *b = xcalloc(1, sizeof(*b));

	b->left = bytes < INT64_MAX ? bytes : INT64_MAX;
	b->spills = spills;
	pthread_mutex_init(&b->lock, NULL);
	pthread_cond_init(&b->given, NULL);
	return b;
}

bool budget_spills(const struct file_budget *b)
{
	return b->spills;
}

void budget_add(struct file_budget *b, uint32_t subbuf_size, size_t cpus)
{
	b->least += (uint64_t)subbuf_size * cpus;
	if (b->left < (int64_t)b->least)
		b->left = b->least;
	if (b->unit < subbuf_size)
		b->unit = subbuf_size;
}

/*
 * The size of available data is known only when it is there, so a thread asks for more than it will
 * need.
 */
size_t budget_reserve(struct file_budget *b, size_t want, uint32_t subbuf_size, bool beyond)
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

void budget_return(struct file_budget *b, size_t bytes)
{
	pthread_mutex_lock(&b->lock);
	b->left += bytes;
	b->holders--;
	pthread_cond_broadcast(&b->given);
	pthread_mutex_unlock(&b->lock);
}

bool budget_spent(struct file_budget *b)
{
	bool spent;

	pthread_mutex_lock(&b->lock);
	spent = b->spent || (!b->holders && b->left < (int64_t)b->unit);
	pthread_mutex_unlock(&b->lock);
	return spent;
}

void budget_free(struct file_budget *b)
{
	if (!b)
		return;
	pthread_cond_destroy(&b->given);
	pthread_mutex_destroy(&b->lock);
	free(b);
}

/* ---- the recorder of a buffer */

/*
 * Enlarges the pipe as far as possible. An unprivileged user is refused above pipe-max-size and
 * pipe-user-pages-soft.
 */
static void pipe_enlarge(struct cpu_rec *cr)
{
	char *line = io_line_at(AT_FDCWD, "/proc/sys/fs/pipe-max-size");
	long want = line ? strtol(line, NULL, 10) : 1 << 20;
	int is;

	free(line);
	while (want > PIPE_MIN && fcntl(cr->pipe[1], F_SETPIPE_SZ, (int)want) < 0)
		want /= 2;
	is = fcntl(cr->pipe[1], F_GETPIPE_SZ);
	cr->pipe_bytes = is > 0 ? is : PIPE_MIN;
}

static char *data_file_name(const struct cpu_rec *cr)
{
	const char *instance = cr->r->instance;

	return xasprintf("%s%s%s.cpu%d", cr->r->out_path, instance ? "." : "",
			 instance ? instance : "", cr->cpu->cpu);
}

static void data_file_forget_name(struct cpu_rec *cr)
{
	free(cr->data_path);
	cr->data_path = NULL;
}

/*
 * Creates the data file of a CPU, without a name if possible, so that a crash leaves no file. It is
 * in the directory of the output, so that a rename never crosses file systems. Returns 0, or -1
 * with @err.
 */
static int data_file_open(struct cpu_rec *cr, struct ftr_error *err)
{
	const int flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
	struct dir_file at;

	cr->data_path = data_file_name(cr);
	if (place_open(&at, cr->data_path, err))
		goto fail;
	cr->cpu->fd = place_tmpfile(&at);
	if (cr->cpu->fd >= 0)
		data_file_forget_name(cr);
	else
		cr->cpu->fd = openat(at.dir, at.name, flags, 0600);
	place_release(&at);
	if (cr->cpu->fd >= 0)
		return 0;
	err_sys(err, "cannot create '%s'", cr->data_path);
	if (errno == EEXIST)
		err_hint(err, "a recording that was killed left it: move it, or give another -o");
fail:
	data_file_forget_name(cr);
	return -1;
}

static int cpu_rec_open(struct cpu_rec *cr, struct ftr_error *err)
{
	struct recorder *r = cr->r;
	char *file = xasprintf("per_cpu/cpu%d/%s", cr->cpu->cpu,
			       r->opts.snapshot ? "snapshot_raw" : "trace_pipe_raw");
	struct buf path = {0};

	cr->raw_fd = openat(r->t->dirfd, tfs_path(&path, r->instance, file),
			   O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (cr->raw_fd < 0)
		err_sys(err, "cannot open '%s/%s'", r->t->path, path.data);
	buf_release(&path);
	free(file);
	if (cr->raw_fd < 0)
		return -1;
	cr->stats_fd = tfs_stats_open(r->t, r->instance, cr->cpu->cpu);
	if (batch_make(cr, READ_BATCH, err))
		return -1;
	cr->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (cr->wake_fd < 0)
		return err_sys(err, "cannot make an eventfd");
	if (r->opts.no_splice)
		return 0;
	if (pipe2(cr->pipe, O_CLOEXEC))
		return err_sys(err, "cannot make a pipe");
	pipe_enlarge(cr);
	cr->cpu->spliced = true;
	return 0;
}

static void fd_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void recorder_wake_threads(const struct recorder *r)
{
	uint64_t one = 1;
	size_t i;

	for (i = 0; i < r->n && r->cpu_recs; i++)
		if (r->cpu_recs[i].started)
			io_write_all(r->cpu_recs[i].wake_fd, &one, sizeof(one));
}

static void recorder_join_threads(struct recorder *r)
{
	size_t i;

	__atomic_store_n(&r->stop, true, __ATOMIC_RELEASE);
	recorder_wake_threads(r);
	for (i = 0; i < r->n && r->cpu_recs; i++) {
		if (r->cpu_recs[i].started)
			pthread_join(r->cpu_recs[i].thread, NULL);
		r->cpu_recs[i].started = false;
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
	r->cpu_recs = xcalloc(r->n, sizeof(*r->cpu_recs));
	for (i = 0; i < r->n; i++) {
		r->cpus[i] = (struct recorder_cpu){ .cpu = cpus[i], .fd = -1 };
		r->cpu_recs[i] = (struct cpu_rec){ .r = r, .cpu = &r->cpus[i],
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
		if (cpu_rec_open(&r->cpu_recs[i], err))
			goto fail;
	return r;
fail:
	recorder_free(r);
	return NULL;
}

int recorder_place(struct recorder *r, size_t i, int fd, off_t base, off_t limit,
		   struct ftr_error *err)
{
	struct cpu_rec *cr = &r->cpu_recs[i];
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	cr->cpu->fd = open(path, O_RDWR | O_CLOEXEC);
	if (cr->cpu->fd < 0 || lseek(cr->cpu->fd, base, SEEK_SET) != base)
		return err_sys(err, "cannot open '%s' again", r->out_path);
	cr->cpu->base = base;
	cr->limit = limit;
	cr->placed = true;
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
		if (r->cpus[i].fd < 0 && data_file_open(&r->cpu_recs[i], err))
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
		sys = pthread_create(&r->cpu_recs[i].thread, &attr, cpu_rec_run, &r->cpu_recs[i]);
		r->cpu_recs[i].started = !sys;
	}
	pthread_attr_destroy(&attr);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!sys)
		return 0;
	recorder_join_threads(r);
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
static uint64_t recorder_missing_bytes(const struct recorder *r, size_t i)
{
	uint64_t bytes = r->cpus[i].size % r->subbuf_size;
	struct tfs_stats st;
	int piped = 0;

	if (!ioctl(r->cpu_recs[i].pipe[0], FIONREAD, &piped))
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

	recorder_join_threads(r);
	for (i = 0; i < r->n; i++) {
		c = &r->cpus[i];
		/* while it is open, nobody can change the tracer or remove the instance */
		fd_close(&r->cpu_recs[i].raw_fd);
		fd_close(&r->cpu_recs[i].stats_fd);
		if (c->sys) {
			missing += recorder_missing_bytes(r, i);
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
		if (r->cpu_recs[i].spent && !tfs_stats(r->t, r->instance, r->cpus[i].cpu, &st))
			sum += st.bytes;
	return sum;
}

void recorder_flush(struct recorder *r)
{
	size_t i;

	for (i = 0; i < r->n; i++)
		__atomic_add_fetch(&r->cpu_recs[i].flush, 1, __ATOMIC_RELEASE);
	recorder_wake_threads(r);
}

bool recorder_flushed(const struct recorder *r)
{
	const struct cpu_rec *cr;

	for (cr = r->cpu_recs; cr < r->cpu_recs + r->n; cr++)
		if (cr->started && !cr->cpu->sys &&
		    __atomic_load_n(&cr->flushed, __ATOMIC_ACQUIRE) != cr->flush)
			return false;
	return true;
}

void recorder_drop(struct recorder *r, size_t i, uint64_t upto)
{
	struct recorder_cpu *c = &r->cpus[i];

	/* if the file system can't punch holes, the data keeps its disk space */
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

/* Links a name to a file of O_TMPFILE, see open(2). Returns 0, or -1 with errno. */
static int data_file_link(const struct cpu_rec *cr, const char *name)
{
	char fd_path[32];
	struct dir_file at;
	int ret;

	if (place_open(&at, name, NULL))
		return -1;
	snprintf(fd_path, sizeof(fd_path), "/proc/self/fd/%d", cr->cpu->fd);
	ret = linkat(AT_FDCWD, fd_path, at.dir, at.name, AT_SYMLINK_FOLLOW);
	place_release(&at);
	return ret;
}

void recorder_keep(struct recorder *r, struct strv *names)
{
	struct cpu_rec *cr;
	char *name;
	size_t i;

	for (i = 0; i < r->n; i++) {
		cr = &r->cpu_recs[i];
		if (!recorder_size(r, i) || cr->placed)
			continue;
		name = data_file_name(cr);
		if (cr->data_path || !data_file_link(cr, name))
			strv_add(names, name);
		data_file_forget_name(cr);
		free(name);
	}
}

void recorder_free(struct recorder *r)
{
	struct cpu_rec *cr;

	if (!r)
		return;
	recorder_join_threads(r);
	for (cr = r->cpu_recs; cr && cr < r->cpu_recs + r->n; cr++) {
		fd_close(&cr->wake_fd);
		fd_close(&cr->raw_fd);
		fd_close(&cr->stats_fd);
		fd_close(&cr->pipe[0]);
		fd_close(&cr->pipe[1]);
		fd_close(&cr->cpu->fd);
		if (cr->data_path)
			place_unlink(cr->data_path);
		free(cr->data_path);
		batch_release(cr);
	}
	free(r->cpu_recs);
	free(r->cpus);
	free(r->instance);
	free(r->out_path);
	free(r->batch_path);
	free(r);
}
