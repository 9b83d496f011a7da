/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Moves raw sub-buffers from trace_pipe_raw into files: one pinned thread a CPU. */
#include "record/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "record/recorder_priv.h"

enum {
	READ_BATCH = 1 << 20,		/* bytes gathered by read() before they are written */
	PIPE_MIN = 1 << 16,		/* what a pipe has by itself */
	NR_FDS_PER_CPU = 5,		/* raw, file, both ends of the pipe, batch */
};

#define IDLE_NS		400000000ull	/* full sub-buffers wait no longer than this */
#define PAUSE_MIN_NS	1000000ull	/* after a wake-up that brought no full sub-buffer */
#define PAUSE_MAX_NS	20000000ull
#define ABSENT_NS	100000000ull	/* how often a CPU that was never online is looked at */

static off_t lane_size(const struct lane *l)
{
	return __atomic_load_n(&l->cpu->size, __ATOMIC_ACQUIRE);
}

void lane_wrote(struct lane *l, size_t n)
{
	__atomic_store_n(&l->cpu->size, l->cpu->size + (off_t)n, __ATOMIC_RELEASE);
}

static enum moved lane_fail(struct lane *l, int sys)
{
	l->cpu->sys = sys;
	__atomic_store_n(&l->r->failed, true, __ATOMIC_RELEASE);
	return MOVED_FAILED;
}

/*
 * Nothing there now, as opposed to a failure; ENODEV and ENOMEM are seen while a CPU or the buffer
 * comes and goes.
 */
static bool no_data(int sys)
{
	return sys == EAGAIN || sys == EINTR || sys == EBUSY || sys == ENOMEM || sys == ENODEV;
}

/* The file system or the buffer does not do splice. */
static bool not_spliceable(int sys)
{
	return sys == EINVAL || sys == ENOSYS || sys == EOPNOTSUPP;
}

/* A place in a file is as large as the others leave it. */
static bool lane_has_room(const struct lane *l, size_t n)
{
	return (off_t)n <= l->limit - l->cpu->size || (errno = EFBIG, false);
}

/* write() that counts what went out, so that the size is right when the disk is full. */
int lane_write(struct lane *l, const uint8_t *p, size_t n)
{
	ssize_t done;

	if (!lane_has_room(l, n))
		return -1;
	while (n) {
		done = write(l->cpu->fd, p, n);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done ? -1 : (errno = EIO, -1);
		lane_wrote(l, done);
		p += done;
		n -= done;
	}
	return 0;
}

/* @n bytes that are in the pipe go to the file by read and write. */
static int pipe_copy_out(struct lane *l, size_t n)
{
	ssize_t got;

	while (n) {
		got = read(l->pipe[0], l->buf, n < l->buf_bytes ? n : l->buf_bytes);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -1 : (errno = EIO, -1);
		if (lane_write(l, l->buf, got))
			return -1;
		n -= got;
	}
	return 0;
}

/* Empties the pipe of @n bytes into the file. Short splices are continued. */
enum moved lane_pipe_out(struct lane *l, size_t n)
{
	ssize_t done;

	if (!lane_has_room(l, n))
		return lane_fail(l, errno);
	while (n) {
		done = splice(l->pipe[0], NULL, l->cpu->fd, NULL, n, SPLICE_F_MOVE);
		l->cpu->calls++;
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0 && not_spliceable(errno))
			return pipe_copy_out(l, n) ? lane_fail(l, errno) : MOVED_REFUSED;
		if (done <= 0)
			return lane_fail(l, done ? errno : EIO);
		lane_wrote(l, done);
		n -= done;
	}
	return MOVED_FULL;
}

static void lane_took(struct lane *l, uint64_t subbufs)
{
	l->left = subbufs < l->left ? l->left - subbufs : 0;
}

/* One pipe full. splice() hands out full sub-buffers only. */
static enum moved splice_once(struct lane *l)
{
	ssize_t n = splice(l->raw_fd, NULL, l->pipe[1], NULL, l->pipe_bytes,
			   SPLICE_F_NONBLOCK | SPLICE_F_MOVE);

	l->cpu->calls++;
	if (n > 0) {
		lane_took(l, n / l->r->subbuf_size);
		return lane_pipe_out(l, n);
	}
	if (!n || no_data(errno))
		return MOVED_NONE;
	return not_spliceable(errno) ? MOVED_REFUSED : lane_fail(l, errno);
}

/* Bytes that the page header says are used; bits 30 and 31 mean missed events. */
static uint32_t page_commit(const uint8_t *page)
{
	uint32_t low;

	memcpy(&low, page + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ && sizeof(long) == 8 ? 12 : 8),
	       sizeof(low));
	return low & 0x3fffffff;
}

/*
 * One sub-buffer by read(), which may be partial: the rest of its place is zeroed. A sub-buffer
 * less than half full tells that we have caught up with the writer.
 */
static enum moved read_one(struct lane *l, uint8_t *to)
{
	uint32_t size = l->r->subbuf_size;
	ssize_t n;

	n = read(l->raw_fd, to, size);
	l->cpu->calls++;
	if (!n || (n < 0 && no_data(errno)))
		return MOVED_NONE;
	if (n < 0)
		return lane_fail(l, errno);
	memset(to + n, 0, size - n);
	lane_took(l, 1);
	return page_commit(to) < size / 2 ? MOVED_PARTIAL : MOVED_FULL;
}

/* One batch. @whole: until nothing is left, else until caught up. */
static enum moved read_once(struct lane *l, bool whole)
{
	uint32_t size = l->r->subbuf_size;
	enum moved got = MOVED_FULL;
	size_t n = 0;

	batch_begin(l);
	while (n + size <= l->buf_bytes && (got == MOVED_FULL || (whole && got == MOVED_PARTIAL))) {
		got = l->left ? read_one(l, l->buf + n) : MOVED_NONE;
		if (got == MOVED_FULL || got == MOVED_PARTIAL)
			n += size;
	}
	if (n && lane_write(l, l->buf, n))
		return lane_fail(l, errno);
	if (got == MOVED_NONE && n)
		return MOVED_PARTIAL;
	return got;
}

/*
 * 6.12 answers EAGAIN to splice for a buffer that is mapped or persistent, however full it is. What
 * is unread beyond two sub-buffers can't all lie in the one that is being written.
 */
static bool splice_is_stuck(struct lane *l)
{
	struct tfs_stats st;

	return !tfs_stats(l->r->t, l->r->instance, l->cpu->cpu, &st) &&
	       st.bytes >= 2ull * l->r->subbuf_size && splice_once(l) == MOVED_NONE;
}

/* Moves all full sub-buffers. @woken: poll said that there are some. */
static enum moved splice_all(struct lane *l, bool woken)
{
	enum moved got, ret = MOVED_NONE;

	while (l->left && (got = splice_once(l)) != MOVED_NONE) {
		if (got != MOVED_FULL)
			return got;
		ret = got;
	}
	if (ret == MOVED_NONE && woken && splice_is_stuck(l))
		return MOVED_REFUSED;
	return l->cpu->sys ? MOVED_FAILED : ret;
}

static enum moved read_all(struct lane *l, bool whole)
{
	enum moved got;

	do
		got = read_once(l, whole);
	while (l->left && (got == MOVED_FULL || (whole && got == MOVED_PARTIAL)));
	return got;
}

static enum moved lane_drain(struct lane *l, bool woken)
{
	enum moved got;

	if (!l->cpu->spliced)
		return read_all(l, false);
	got = splice_all(l, woken);
	if (got != MOVED_REFUSED)
		return got;
	l->cpu->spliced = false;
	return read_all(l, false);
}

/*
 * How many sub-buffers the kernel may hold, a little more. Bounds the last drain, should somebody
 * have turned tracing on again.
 */
static uint64_t ring_subbufs(const struct lane *l)
{
	char *file = xasprintf("per_cpu/cpu%d/buffer_size_kb", l->cpu->cpu);
	char *line = tfs_line(l->r->t, l->r->instance, file);
	uint64_t n = line ? strtoull(line, NULL, 10) * 1024 / l->r->subbuf_size : 0;

	free(line);
	free(file);
	return n ? n + n / 64 + 8 : UINT64_MAX;
}

/* Tracing is off: full sub-buffers first, then, by read(), the one that was being written. */
static void lane_finish(struct lane *l)
{
	l->left = ring_subbufs(l);
	if (lane_drain(l, true) != MOVED_FAILED)
		read_all(l, true);
}

/* Waits @ns or, with @raw, for data (*events as of poll); true when the recording ends. */
static bool wait_for(const struct lane *l, bool raw, uint64_t ns, int *events)
{
	struct timespec ts = { ns / 1000000000, ns % 1000000000 };
	struct pollfd p[2] = {
		{ .fd = l->r->stop_fd, .events = POLLIN },
		{ .fd = l->raw_fd, .events = POLLIN },
	};
	int n = ppoll(p, raw ? 2 : 1, &ts, NULL);

	*events = n < 0 ? POLLIN : p[1].revents;
	return n > 0 && p[0].revents;
}

/*
 * Where poll reports data that is no full sub-buffer (buffer_percent 0, option block, now and then
 * 6.1) it would do so again at once: wake-ups in vain are followed by a growing pause. POLLERR is a
 * CPU without a buffer: it gets one when it comes online.
 */
static uint64_t next_pause(uint64_t last, int events, enum moved got)
{
	if (!events || got == MOVED_FULL)
		return 0;
	if (events & POLLERR)
		return ABSENT_NS;
	if (!last)
		return PAUSE_MIN_NS;
	return last * 2 < PAUSE_MAX_NS ? last * 2 : PAUSE_MAX_NS;
}

/*
 * What is taken from the kernel and not yet written is lost if we are killed with the guardian: the
 * less we wait for the CPU in between, the better. It fails without rights.
 */
static void lane_hurry(const struct lane *l)
{
	if (!l->r->opts.rt_prio)
		setpriority(PRIO_PROCESS, gettid(), -20);
}

static void lane_pin(const struct lane *l)
{
	size_t bytes = CPU_ALLOC_SIZE(l->cpu->cpu + 1);
	cpu_set_t *set = CPU_ALLOC(l->cpu->cpu + 1);
	char name[16];

	if (set) {
		CPU_ZERO_S(bytes, set);
		CPU_SET_S(l->cpu->cpu, bytes, set);
		/* fails while the CPU is offline or not ours; then we run elsewhere */
		pthread_setaffinity_np(pthread_self(), bytes, set);
		CPU_FREE(set);
	}
	snprintf(name, sizeof(name), "ftr-cpu%d", l->cpu->cpu);
	pthread_setname_np(pthread_self(), name);
}

static void *lane_run(void *arg)
{
	struct lane *l = arg;
	uint64_t idle = l->r->opts.sleep_ns ? l->r->opts.sleep_ns : IDLE_NS;
	uint64_t pause = 0;
	int events = 0;
	enum moved got;

	lane_pin(l);
	lane_hurry(l);
	while (!(pause && wait_for(l, false, pause, &events)) &&
	       !wait_for(l, true, idle, &events)) {
		got = lane_drain(l, events && !(events & POLLERR));
		if (got == MOVED_FAILED)
			return NULL;
		pause = next_pause(pause, events, got);
	}
	lane_finish(l);
	return NULL;
}

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

static int open_raw(struct lane *l, struct ftr_error *err)
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
	return l->raw_fd < 0 ? -1 : 0;
}

/*
 * A file without a name beside the output, so that a rename is never across file systems and
 * nothing is left behind.
 */
static int open_nameless(const char *out_path)
{
	const char *slash = strrchr(out_path, '/');
	char *dir = !slash ? xstrdup(".") :
		    xstrndup(out_path, slash == out_path ? 1 : slash - out_path);
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	free(dir);
	return fd;
}

static char *data_name(const struct lane *l)
{
	const char *instance = l->r->instance;

	return xasprintf("%s%s%s.cpu%d", l->r->out_path, instance ? "." : "",
			 instance ? instance : "", l->cpu->cpu);
}

static int open_data(struct lane *l, struct ftr_error *err)
{
	struct recorder *r = l->r;

	l->cpu->fd = open_nameless(r->out_path);
	if (l->cpu->fd >= 0)
		return 0;
	l->data_path = data_name(l);
	l->cpu->fd = open(l->data_path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (l->cpu->fd >= 0)
		return 0;
	err_sys(err, "cannot create '%s'", l->data_path);
	if (errno == EEXIST)
		err_hint(err, "left by a recording that was killed: move it, or take another -o");
	free(l->data_path);
	l->data_path = NULL;
	return -1;
}

static int lane_open(struct lane *l, struct ftr_error *err)
{
	struct recorder *r = l->r;

	if (open_raw(l, err))
		return -1;
	if (batch_make(l, READ_BATCH, err))
		return -1;
	if (r->opts.no_splice)
		return 0;
	if (pipe2(l->pipe, O_CLOEXEC))
		return err_sys(err, "cannot make a pipe");
	pipe_enlarge(l);
	l->cpu->spliced = true;
	return 0;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void lane_close(struct lane *l)
{
	close_fd(&l->raw_fd);
	close_fd(&l->pipe[0]);
	close_fd(&l->pipe[1]);
	close_fd(&l->cpu->fd);
	if (l->data_path)
		unlink(l->data_path);
	free(l->data_path);
	batch_release(l);
}

/* 64 CPUs and two buffers need more than the usual soft limit of 1024. */
static void raise_fd_limit(size_t cpus)
{
	struct rlimit lim;

	if (getrlimit(RLIMIT_NOFILE, &lim) || lim.rlim_cur >= (cpus + 16) * NR_FDS_PER_CPU * 4)
		return;
	lim.rlim_cur = lim.rlim_max;
	setrlimit(RLIMIT_NOFILE, &lim);
}

static int make_lanes(struct recorder *r, struct ftr_error *err)
{
	int *cpus = NULL;
	size_t i;

	if (tfs_cpus(r->t, r->instance, &cpus, &r->n, err))
		return -1;
	r->cpus = xcalloc(r->n, sizeof(*r->cpus));
	r->lanes = xcalloc(r->n, sizeof(*r->lanes));
	for (i = 0; i < r->n; i++) {
		r->cpus[i] = (struct recorder_cpu){ .cpu = cpus[i], .fd = -1 };
		r->lanes[i] = (struct lane){ .r = r, .cpu = &r->cpus[i],
					     .raw_fd = -1, .pipe = { -1, -1 }, .batch_fd = -1,
					     .left = UINT64_MAX, .limit = INT64_MAX };
		tfs_stats(r->t, r->instance, cpus[i], &r->cpus[i].before);
	}
	free(cpus);
	return r->n ? 0 : err_set(err, FTR_FAILED, "'%s' has no CPU to record", r->t->path);
}

static void thread_attr_init(pthread_attr_t *attr, const struct recorder_opts *opts)
{
	struct sched_param sp = { .sched_priority = opts->rt_prio };

	pthread_attr_init(attr);
	pthread_attr_setstacksize(attr, 256 * 1024);
	if (!opts->rt_prio)
		return;
	pthread_attr_setinheritsched(attr, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy(attr, SCHED_FIFO);
	pthread_attr_setschedparam(attr, &sp);
}

static int start_error(const struct recorder *r, const struct lane *l, int sys,
		       struct ftr_error *err)
{
	errno = sys;
	err_sys(err, "cannot start the recording thread of CPU %d", l->cpu->cpu);
	if (r->opts.rt_prio)
		err_hint(err, "-r takes 1 to 99, and root or RLIMIT_RTPRIO; this is %d",
			 r->opts.rt_prio);
	return -1;
}

static void join_all(struct recorder *r)
{
	uint64_t one = 1;
	size_t i;

	if (r->stop_fd >= 0)
		io_write_all(r->stop_fd, &one, sizeof(one));
	for (i = 0; i < r->n; i++) {
		if (r->lanes[i].started)
			pthread_join(r->lanes[i].thread, NULL);
		r->lanes[i].started = false;
	}
}

struct recorder *recorder_new(const struct tfs *t, const char *instance, const char *out_path,
			      const struct recorder_opts *opts, struct ftr_error *err)
{
	struct recorder *r = xcalloc(1, sizeof(*r));
	size_t i;

	r->t = t;
	r->instance = instance && *instance ? xstrdup(instance) : NULL;
	r->out_path = xstrdup(out_path);
	r->opts = *opts;
	r->subbuf_size = tfs_subbuf_size(t, instance);
	if (!r->subbuf_size)
		r->subbuf_size = sysconf(_SC_PAGESIZE);
	r->stop_fd = eventfd(0, EFD_CLOEXEC);
	if (r->stop_fd < 0) {
		err_sys(err, "cannot make an eventfd");
		goto fail;
	}
	if (make_lanes(r, err))
		goto fail;
	raise_fd_limit(r->n);
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
		return err_sys(err, "cannot open '%s' once more", r->out_path);
	l->cpu->base = base;
	l->limit = limit;
	l->placed = true;
	return 0;
}

int recorder_start(struct recorder *r, struct ftr_error *err)
{
	sigset_t all, old;
	pthread_attr_t attr;
	int sys = 0;
	size_t i;

	for (i = 0; i < r->n; i++)
		if (r->cpus[i].fd < 0 && open_data(&r->lanes[i], err))
			return -1;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	thread_attr_init(&attr, &r->opts);
	for (i = 0; i < r->n && !sys; i++) {
		sys = pthread_create(&r->lanes[i].thread, &attr, lane_run, &r->lanes[i]);
		r->lanes[i].started = !sys;
	}
	pthread_attr_destroy(&attr);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!sys)
		return 0;
	join_all(r);
	return start_error(r, &r->lanes[i - 1], sys, err);
}

int recorder_stop(struct recorder *r, struct ftr_error *err)
{
	const struct recorder_cpu *bad = NULL;
	size_t i;

	join_all(r);
	for (i = 0; i < r->n; i++) {
		/*
		 * while it is open the kernel lets nobody change the tracer or remove the instance
		 */
		close_fd(&r->lanes[i].raw_fd);
		/* a full disk may have cut a sub-buffer */
		r->cpus[i].size -= r->cpus[i].size % r->subbuf_size;
		if (r->cpus[i].sys && !bad)
			bad = &r->cpus[i];
	}
	if (!bad)
		return 0;
	errno = bad->sys;
	err_sys(err, "recording of CPU %d for '%s' ended early", bad->cpu, r->out_path);
	if (err)
		err->code = FTR_DAMAGED;
	return -1;
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
	return lane_size(&r->lanes[i]);
}

uint64_t recorder_bytes(const struct recorder *r)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < r->n; i++)
		sum += lane_size(&r->lanes[i]);
	return sum;
}

void recorder_keep(struct recorder *r, struct strv *names)
{
	char *name, fd_path[32];
	struct lane *l;
	size_t i;

	for (i = 0; i < r->n; i++) {
		l = &r->lanes[i];
		if (!lane_size(l) || l->placed)
			continue;
		name = data_name(l);
		/* the way to give a name to a file of O_TMPFILE, open(2) */
		snprintf(fd_path, sizeof(fd_path), "/proc/self/fd/%d", l->cpu->fd);
		if (l->data_path ||
		    !linkat(AT_FDCWD, fd_path, AT_FDCWD, name, AT_SYMLINK_FOLLOW))
			strv_add(names, name);
		free(l->data_path);
		l->data_path = NULL;
		free(name);
	}
}

void recorder_free(struct recorder *r)
{
	size_t i;

	if (!r)
		return;
	join_all(r);
	for (i = 0; i < r->n && r->lanes; i++)
		lane_close(&r->lanes[i]);
	close_fd(&r->stop_fd);
	free(r->lanes);
	free(r->cpus);
	free(r->instance);
	free(r->out_path);
	free(r);
}
