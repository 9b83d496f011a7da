/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The recording of one CPU: its thread, which moves sub-buffers from trace_pipe_raw to the file,
 * its batch, which holds data that was read but not yet written, and the handover of both to
 * another process.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "record/cpu/recorder_priv.h"

#define IDLE_NS		400000000ull	/* full sub-buffers wait no longer than this */
#define IDLE_MAX_NS	900000000ull	/* where nothing came in a while */
#define PAUSE_MIN_NS	1000000ull	/* after a wake-up that brought no full sub-buffer */
#define PAUSE_MAX_NS	20000000ull
#define ABSENT_NS	100000000ull	/* how often a CPU that was never online is looked at */

/* ---- the batch */

static size_t batch_map_bytes(const struct lane *l)
{
	return l->buf_bytes + sizeof(*l->batch_at);
}

static int map_batch(struct lane *l, int fd)
{
	void *p = mmap(NULL, batch_map_bytes(l), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (p == MAP_FAILED)
		return -1;
	l->buf = p;
	l->batch_at = (uint64_t *)(l->buf + l->buf_bytes);
	return 0;
}

static char *batch_name(const char *path, int cpu)
{
	return xasprintf("%s.cpu%d", path, cpu);
}

/*
 * A batch with a name gets its room at once and is locked in memory, so that the kernel never waits
 * for one of its pages between taking a sub-buffer and copying it: a kill would end that wait, and
 * the sub-buffer would be lost. Without a name, pages that are never used cost nothing, and most
 * recordings never read().
 */
int batch_make(struct lane *l, size_t bytes, struct ftr_error *err)
{
	const int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;

	l->buf_bytes = bytes / l->r->subbuf_size * l->r->subbuf_size;
	if (!l->buf_bytes)
		l->buf_bytes = l->r->subbuf_size;
	if (l->r->batch_path) {
		l->batch_name = batch_name(l->r->batch_path, l->cpu->cpu);
		l->batch_fd = open(l->batch_name, flags, 0600);
		if (l->batch_fd >= 0 && !fallocate(l->batch_fd, 0, 0, batch_map_bytes(l)) &&
		    !map_batch(l, l->batch_fd)) {
			mlock(l->buf, batch_map_bytes(l));
			return 0;
		}
		batch_release(l);
	}
	l->batch_fd = memfd_create("ftr-batch", MFD_CLOEXEC);
	if (l->batch_fd < 0 || ftruncate(l->batch_fd, batch_map_bytes(l)) ||
	    map_batch(l, l->batch_fd))
		return err_sys(err, "cannot get %zu bytes of memory", batch_map_bytes(l));
	return 0;
}

/*
 * From the sub-buffers' headers, which are never zero once they are read, it can be told how much
 * of a batch there is.
 */
void batch_begin(struct lane *l, size_t bytes)
{
	size_t at;

	__atomic_store_n(l->batch_at, 0, __ATOMIC_RELEASE);
	/* the first that stays empty ends it */
	for (at = 0; at <= bytes && at < l->buf_bytes; at += l->r->subbuf_size)
		memset(l->buf + at, 0, HEADER_BYTES);
	__atomic_store_n(l->batch_at, l->cpu->base + l->cpu->size + 1, __ATOMIC_RELEASE);
}

void batch_end(struct lane *l)
{
	__atomic_store_n(l->batch_at, 0, __ATOMIC_RELEASE);
}

void batch_release(struct lane *l)
{
	if (l->batch_fd >= 0)
		close(l->batch_fd);
	l->batch_fd = -1;
	if (l->buf)
		munmap(l->buf, batch_map_bytes(l));
	l->buf = NULL;
	if (l->batch_name)
		unlink(l->batch_name);
	free(l->batch_name);
	l->batch_name = NULL;
}

/* ---- the thread */

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

/* What the kernel's buffer has room for, 0 = not known. */
static uint64_t ring_bytes(const struct lane *l)
{
	char *file = xasprintf("per_cpu/cpu%d/buffer_size_kb", l->cpu->cpu);
	char *line = tfs_line(l->r->t, l->r->instance, file);
	uint64_t bytes = line ? strtoull(line, NULL, 10) * 1024 : 0;

	free(line);
	free(file);
	return bytes;
}

/*
 * Returns how many of @want bytes the file may still get. Unless that is 0, the caller must call
 * lane_give() soon.
 */
static size_t lane_ask(struct lane *l, size_t want)
{
	struct budget *b = l->r->opts.budget;
	uint32_t size = l->r->subbuf_size;
	struct tfs_stats st;
	size_t got;

	if (!b)
		return want;
	got = budget_take(b, want, size, false);
	/*
	 * The next file is late: until it comes, read only if the kernel's buffer may overflow; at
	 * the end, read all data.
	 */
	if (!got && budget_spills(b) &&
	    (l->ends || (!tfs_stats_read(l->stats_fd, &st) && st.bytes >= ring_bytes(l) / 2)))
		got = budget_take(b, want, size, true);
	/* what the kernel loses from now on would not have come into the file */
	if (!got && !l->spent && !budget_spills(b))
		l->cpu->left = !tfs_stats_read(l->stats_fd, &l->cpu->after);
	l->spent = !got;
	return got;
}

static void lane_give(struct lane *l, size_t bytes)
{
	if (l->r->opts.budget)
		budget_give(l->r->opts.budget, bytes);
}

/*
 * One pipe full. splice() hands out full sub-buffers only: where they do not fill the pipe there
 * were no more (MOVED_PARTIAL).
 */
static enum moved splice_once(struct lane *l)
{
	size_t room = lane_ask(l, l->pipe_bytes);
	enum moved out;
	ssize_t n;

	if (!room)
		return MOVED_NONE;
	n = splice(l->raw_fd, NULL, l->pipe[1], NULL, room, SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
	lane_give(l, n > 0 ? room - n : room);
	l->cpu->calls++;
	if (n > 0) {
		lane_took(l, n / l->r->subbuf_size);
		out = lane_pipe_out(l, n);
		return out == MOVED_FULL && room - n >= l->r->subbuf_size ?
			MOVED_PARTIAL : out;
	}
	if (!n || no_data(errno))
		return MOVED_NONE;
	return not_spliceable(errno) ? MOVED_REFUSED : lane_fail(l, errno);
}

/*
 * Reads one sub-buffer, which may be partial, to @to, and zeroes the unused rest. Returns
 * MOVED_PARTIAL if it is less than half full, as we have then caught up with the writer.
 */
static enum moved read_one(struct lane *l, uint8_t *to)
{
	const int commit_at = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ && sizeof(long) == 8 ? 12 : 8;
	uint32_t size = l->r->subbuf_size, commit;
	ssize_t n;

	n = read(l->raw_fd, to, size);
	l->cpu->calls++;
	if (!n || (n < 0 && no_data(errno)))
		return MOVED_NONE;
	if (n < 0)
		return lane_fail(l, errno);
	memset(to + n, 0, size - n);
	lane_took(l, 1);
	memcpy(&commit, to + commit_at, sizeof(commit));
	/* bits 30 and 31 mean missed events */
	return (commit & 0x3fffffff) < size / 2 ? MOVED_PARTIAL : MOVED_FULL;
}

/* One batch of at most @room bytes. @whole: until nothing is left, else until caught up. */
static enum moved read_once(struct lane *l, size_t room, bool whole)
{
	uint32_t size = l->r->subbuf_size;
	enum moved got = MOVED_FULL;
	size_t n = 0;

	room = lane_ask(l, room);
	if (!room)
		return MOVED_NONE;
	batch_begin(l, room);
	while (n + size <= room && (got == MOVED_FULL || (whole && got == MOVED_PARTIAL))) {
		got = l->left ? read_one(l, l->buf + n) : MOVED_NONE;
		if (got == MOVED_FULL || got == MOVED_PARTIAL)
			n += size;
	}
	lane_give(l, room - n);
	if (n && lane_write(l, l->buf, n))
		return lane_fail(l, errno);
	batch_end(l);
	if (got == MOVED_NONE && n)
		return MOVED_PARTIAL;
	return got;
}

static bool goes_on(const struct lane *l)
{
	return l->left && !__atomic_load_n(&l->r->leave, __ATOMIC_ACQUIRE);
}

/* Moves all full sub-buffers by splice(). @woken: poll() reported that there are some. */
static enum moved splice_all(struct lane *l, bool woken)
{
	enum moved got, ret = MOVED_NONE;
	struct tfs_stats st;

	do {
		got = goes_on(l) ? splice_once(l) : MOVED_NONE;
		if (got == MOVED_REFUSED || got == MOVED_FAILED)
			return got;
		if (got != MOVED_NONE)
			ret = MOVED_FULL;
	} while (got == MOVED_FULL);
	/*
	 * 6.12 answers EAGAIN to splice for a buffer that is mapped or persistent, however full it
	 * is. Unread data of two sub-buffers can't all be in the one that is being written.
	 */
	if (ret == MOVED_NONE && woken && !tfs_stats_read(l->stats_fd, &st) &&
	    st.bytes >= 2ull * l->r->subbuf_size && splice_once(l) == MOVED_NONE && !l->spent)
		return MOVED_REFUSED;
	return l->cpu->sys ? MOVED_FAILED : ret;
}

static enum moved read_all(struct lane *l, bool whole)
{
	enum moved got;

	do
		got = read_once(l, l->buf_bytes, whole);
	while (goes_on(l) && (got == MOVED_FULL || (whole && got == MOVED_PARTIAL)));
	return got;
}

/*
 * Moves one batch of at most @n full sub-buffers, in one system call: for a file without vectors,
 * the kernel calls read() for each part, which hands out one sub-buffer.
 */
static enum moved read_batch(struct lane *l, uint64_t n)
{
	uint32_t size = l->r->subbuf_size;
	struct iovec v[IOV_MAX];
	size_t i, parts;
	ssize_t got;

	n = lane_ask(l, n < l->buf_bytes / size ? n * size : l->buf_bytes) / size;
	if (!n)
		return MOVED_NONE;
	batch_begin(l, n * size);
	parts = n < IOV_MAX ? n : IOV_MAX;
	for (i = 0; i < parts; i++)
		v[i] = (struct iovec){ l->buf + i * size, size };
	l->cpu->calls++;
	got = readv(l->raw_fd, v, parts);
	lane_give(l, got > 0 ? n * size - (got + size - 1) / size * size : n * size);
	if (!got || (got < 0 && no_data(errno)))
		return MOVED_NONE;
	if (got < 0)
		return lane_fail(l, errno);
	memset(l->buf + got, 0, (size - got % size) % size);
	got = (got + size - 1) / size * size;
	lane_took(l, got / size);
	if (lane_write(l, l->buf, got))
		return lane_fail(l, errno);
	batch_end(l);
	return got == (ssize_t)(n * size) ? MOVED_FULL : MOVED_PARTIAL;
}

/*
 * @n that are full: a read() that gets what is in the one that is being written leaves the rest of
 * its place in the file empty. That is done where poll knows of more than the counters.
 */
static enum moved read_full(struct lane *l, uint64_t n, bool woken)
{
	enum moved got = MOVED_FULL;
	off_t before;

	if (!n)
		return woken ? read_all(l, false) : MOVED_NONE;
	while (n && got == MOVED_FULL && goes_on(l)) {
		before = l->cpu->size;
		got = read_batch(l, n);
		n -= (l->cpu->size - before) / l->r->subbuf_size;
	}
	return got == MOVED_FAILED ? got : MOVED_FULL;
}

/* Moves all full sub-buffers. @woken: poll() reported that there are some. */
static enum moved lane_drain(struct lane *l, bool woken)
{
	uint32_t size = l->r->subbuf_size;
	struct tfs_stats st;
	uint64_t n = 0;			/* full sub-buffers */
	enum moved got;

	if (!tfs_stats_read(l->stats_fd, &st))
		n = st.bytes / (size - HEADER_BYTES);
	/*
	 * Spliced data is in the pipe, and lost if we are killed together with the guardian. Data
	 * in a batch with a name is not, but costs one more copy. So a little data is read, and
	 * much is spliced.
	 */
	if (!l->cpu->spliced || (l->batch_name && n && n <= l->buf_bytes / size))
		return read_full(l, n, woken);
	got = splice_all(l, woken);
	if (got != MOVED_REFUSED)
		return got;
	l->cpu->spliced = false;
	return read_full(l, n, woken);
}

static bool flush_wanted(const struct lane *l)
{
	return __atomic_load_n(&l->flush, __ATOMIC_ACQUIRE) != l->flushed;
}

/*
 * After a drain: the sub-buffer that is being written, as far as it is, which splice() does not
 * hand out.
 */
static enum moved lane_flush(struct lane *l)
{
	unsigned int asked = __atomic_load_n(&l->flush, __ATOMIC_ACQUIRE);
	enum moved got = MOVED_NONE;

	if (l->cpu->spliced)
		got = read_once(l, l->r->subbuf_size, false);
	__atomic_store_n(&l->flushed, asked, __ATOMIC_RELEASE);
	return got;
}

/* Waits @ns or, with @raw, for data (*events as of poll); true when the recording ends. */
static bool wait_for(const struct lane *l, bool raw, uint64_t ns, int *events)
{
	struct timespec ts = { ns / 1000000000, ns % 1000000000 };
	struct pollfd p[2] = {
		{ .fd = l->wake_fd, .events = POLLIN },
		{ .fd = l->raw_fd, .events = POLLIN },
	};
	uint64_t times;
	int n;

	if (flush_wanted(l))
		ts = (struct timespec){0};
	n = ppoll(p, raw ? 2 : 1, &ts, NULL);
	*events = n < 0 ? POLLIN : p[1].revents;
	if (n > 0 && p[0].revents && read(l->wake_fd, &times, sizeof(times)) < 0)
		return true;
	return __atomic_load_n(&l->r->stop, __ATOMIC_ACQUIRE);
}

/*
 * Where poll reports data that is no full sub-buffer (buffer_percent 0, option block, now and then
 * 6.1) it would do so again at once: wake-ups in vain are followed by a growing pause. POLLERR is a
 * CPU without a buffer: it gets one when it comes online. @spent: there is data that is not taken.
 */
static uint64_t next_pause(uint64_t last, int events, enum moved got, bool spent)
{
	if (spent)
		return PAUSE_MIN_NS;
	if (!events || got == MOVED_FULL)
		return 0;
	if (events & POLLERR)
		return ABSENT_NS;
	if (!last)
		return PAUSE_MIN_NS;
	return last * 2 < PAUSE_MAX_NS ? last * 2 : PAUSE_MAX_NS;
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

void *lane_run(void *arg)
{
	struct lane *l = arg;
	uint64_t least = l->r->opts.sleep_ns ? l->r->opts.sleep_ns : IDLE_NS, idle = least;
	uint64_t pause = 0, n;
	int events = 0;
	enum moved got;

	lane_pin(l);
	/*
	 * Data that was read from the kernel and not yet written is lost if we are killed together
	 * with the guardian, so wait for the processor as little as possible. It fails without
	 * rights.
	 */
	if (!l->r->opts.rt_prio)
		setpriority(PRIO_PROCESS, gettid(), -20);
	while (!(pause && wait_for(l, false, pause, &events)) &&
	       !wait_for(l, true, idle, &events)) {
		got = lane_drain(l, events && !(events & POLLERR));
		if (got != MOVED_FAILED && flush_wanted(l) && lane_flush(l) == MOVED_FAILED)
			got = MOVED_FAILED;
		if (got == MOVED_FAILED)
			return NULL;
		pause = next_pause(pause, events, got, l->spent);
		idle = got == MOVED_NONE && least == IDLE_NS ? IDLE_MAX_NS : least;
	}
	if (__atomic_load_n(&l->r->leave, __ATOMIC_ACQUIRE))
		return NULL;
	/*
	 * Tracing is off: full sub-buffers first, then, by read(), the one that was being written.
	 * This drain is bounded by a little more than the kernel's buffer can hold, in case that
	 * somebody has turned tracing on again.
	 */
	n = ring_bytes(l) / l->r->subbuf_size;
	l->left = n ? n + n / 64 + 8 : UINT64_MAX;
	l->ends = true;
	if (lane_drain(l, true) != MOVED_FAILED)
		read_all(l, true);
	return NULL;
}

/* ---- the handover */

const char *recorder_batch_path(const struct recorder *r)
{
	return r->batch_path;
}

int recorder_batch(const char *batch_path, int cpu)
{
	char *name = batch_name(batch_path, cpu);
	int fd = open(name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);

	free(name);
	return fd;
}

off_t recorder_hand(const struct recorder *r, size_t i, struct recorder_hand *out)
{
	const struct lane *l = &r->lanes[i];

	out->fd[HAND_FILE] = l->cpu->fd;
	/* three are sent in any case */
	out->fd[HAND_PIPE] = l->pipe[0] >= 0 ? l->pipe[0] : l->batch_fd;
	out->fd[HAND_BATCH] = l->batch_fd;
	return l->limit;
}

/* What the pipe holds goes first: it was taken before anything that is in a batch. */
static int write_pipe(struct lane *l, int fd)
{
	int held = 0, own = l->pipe[0];
	enum moved got;
	struct stat st;

	/* of a regular file FIONREAD tells the size: there is something in its place, then */
	if (fd < 0 || fstat(fd, &st) || !S_ISFIFO(st.st_mode) || ioctl(fd, FIONREAD, &held) ||
	    !held)
		return 0;
	l->pipe[0] = fd;
	got = lane_pipe_out(l, held);
	l->pipe[0] = own;
	return got == MOVED_FAILED ? -1 : 0;
}

static int write_batch(struct lane *l, int fd)
{
	uint64_t at, end, skip, size = l->r->subbuf_size;
	const uint8_t *buf;
	int ret = 0;

	if (fd < 0)
		return 0;
	buf = mmap(NULL, batch_map_bytes(l), PROT_READ, MAP_SHARED, fd, 0);
	if (buf == MAP_FAILED)
		return -1;
	memcpy(&at, buf + l->buf_bytes, sizeof(at));
	skip = l->cpu->base + l->cpu->size - (at - 1);
	if (at && skip < l->buf_bytes) {
		end = skip - skip % size;
		while (end < l->buf_bytes && !mem_is_zero(buf + end, HEADER_BYTES))
			end += size;
		if (end > skip)
			ret = lane_write(l, buf + skip, end - skip);
	}
	munmap((void *)buf, batch_map_bytes(l));
	return ret;
}

int recorder_adopt(struct recorder *r, size_t i, const struct recorder_hand *h, off_t base,
		   off_t limit, struct ftr_error *err)
{
	struct lane *l = &r->lanes[i];
	off_t at = lseek(h->fd[HAND_FILE], 0, SEEK_CUR);
	int ret;

	l->cpu->fd = h->fd[HAND_FILE];
	l->cpu->base = base;
	l->limit = limit;
	l->placed = true;
	lane_wrote(l, at > base ? at - base : 0);
	ret = write_pipe(l, h->fd[HAND_PIPE]) || write_batch(l, h->fd[HAND_BATCH]) ? -1 : 0;
	if (ret)
		err_sys(err, "cannot write what CPU %d had recorded", l->cpu->cpu);
	if (h->fd[HAND_PIPE] >= 0)
		close(h->fd[HAND_PIPE]);
	if (h->fd[HAND_BATCH] >= 0)
		close(h->fd[HAND_BATCH]);
	return ret;
}
