/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The thread of one CPU: moves sub-buffers from trace_pipe_raw to the file as they come. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "record/cpu/recorder_priv.h"

#define IDLE_NS		400000000ull	/* full sub-buffers wait no longer than this */
#define IDLE_MAX_NS	900000000ull	/* where nothing came in a while */
#define PAUSE_MIN_NS	1000000ull	/* after a wake-up that brought no full sub-buffer */
#define PAUSE_MAX_NS	20000000ull
#define ABSENT_NS	100000000ull	/* how often a CPU that was never online is looked at */

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
 * The next file is late: nothing is taken meanwhile but what the kernel's buffer may not have room
 * for until then, and at the end all that there is.
 */
static bool lane_spills(const struct lane *l)
{
	struct tfs_stats st;

	return budget_spills(l->r->opts.budget) &&
	       (l->ends || (!tfs_stats_read(l->stats_fd, &st) && st.bytes >= ring_bytes(l) / 2));
}

/* Of @want bytes those that the file may still get. lane_give() is to follow, unless it is 0. */
static size_t lane_ask(struct lane *l, size_t want)
{
	struct budget *b = l->r->opts.budget;
	uint32_t size = l->r->subbuf_size;
	size_t got;

	if (!b)
		return want;
	got = budget_take(b, want, size, false);
	if (!got && lane_spills(l))
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

/*
 * 6.12 answers EAGAIN to splice for a buffer that is mapped or persistent, however full it is. What
 * is unread beyond two sub-buffers can't all lie in the one that is being written.
 */
static bool splice_is_stuck(struct lane *l)
{
	struct tfs_stats st;

	return !tfs_stats_read(l->stats_fd, &st) && st.bytes >= 2ull * l->r->subbuf_size &&
	       splice_once(l) == MOVED_NONE && !l->spent;
}

static bool goes_on(const struct lane *l)
{
	return l->left && !__atomic_load_n(&l->r->leave, __ATOMIC_ACQUIRE);
}

/* Moves all full sub-buffers. @woken: poll said that there are some. */
static enum moved splice_all(struct lane *l, bool woken)
{
	enum moved got, ret = MOVED_NONE;

	do {
		got = goes_on(l) ? splice_once(l) : MOVED_NONE;
		if (got == MOVED_REFUSED || got == MOVED_FAILED)
			return got;
		if (got != MOVED_NONE)
			ret = MOVED_FULL;
	} while (got == MOVED_FULL);
	if (ret == MOVED_NONE && woken && splice_is_stuck(l))
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

/* Sub-buffers that are full and unread. */
static uint64_t count_full(const struct lane *l)
{
	struct tfs_stats st;

	if (tfs_stats_read(l->stats_fd, &st))
		return 0;
	return st.bytes / (l->r->subbuf_size - HEADER_BYTES);
}

/*
 * At most @n of them in one system call: the kernel calls read() of a file that knows no vectors
 * for each, which hands out one sub-buffer.
 */
static ssize_t read_vector(struct lane *l, size_t n)
{
	struct iovec v[IOV_MAX];
	size_t i;

	n = n < IOV_MAX ? n : IOV_MAX;
	for (i = 0; i < n; i++)
		v[i] = (struct iovec){ l->buf + i * l->r->subbuf_size, l->r->subbuf_size };
	l->cpu->calls++;
	return readv(l->raw_fd, v, n);
}

/* One batch of @n full sub-buffers, or fewer. */
static enum moved read_batch(struct lane *l, uint64_t n)
{
	uint32_t size = l->r->subbuf_size;
	ssize_t got;

	n = lane_ask(l, n < l->buf_bytes / size ? n * size : l->buf_bytes) / size;
	if (!n)
		return MOVED_NONE;
	batch_begin(l, n * size);
	got = read_vector(l, n);
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

/*
 * What splice() took is in the pipe, and lost if we are killed together with the guardian; what
 * read() took is not, but costs one more copy. So a little is read, and much is spliced.
 */
static bool is_little(const struct lane *l, uint64_t n)
{
	return l->batch_name && n && n <= l->buf_bytes / l->r->subbuf_size;
}

static enum moved lane_drain(struct lane *l, bool woken)
{
	uint64_t n = count_full(l);
	enum moved got;

	if (!l->cpu->spliced || is_little(l, n))
		return read_full(l, n, woken);
	got = splice_all(l, woken);
	if (got != MOVED_REFUSED)
		return got;
	l->cpu->spliced = false;
	return read_full(l, n, woken);
}

/*
 * How many sub-buffers the kernel may hold, a little more. Bounds the last drain, should somebody
 * have turned tracing on again.
 */
static uint64_t ring_subbufs(const struct lane *l)
{
	uint64_t n = ring_bytes(l) / l->r->subbuf_size;

	return n ? n + n / 64 + 8 : UINT64_MAX;
}

/* Tracing is off: full sub-buffers first, then, by read(), the one that was being written. */
static void lane_finish(struct lane *l)
{
	l->left = ring_subbufs(l);
	l->ends = true;
	if (lane_drain(l, true) != MOVED_FAILED)
		read_all(l, true);
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

void *lane_run(void *arg)
{
	struct lane *l = arg;
	uint64_t least = l->r->opts.sleep_ns ? l->r->opts.sleep_ns : IDLE_NS, idle = least;
	uint64_t pause = 0;
	int events = 0;
	enum moved got;

	lane_pin(l);
	lane_hurry(l);
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
	if (!__atomic_load_n(&l->r->leave, __ATOMIC_ACQUIRE))
		lane_finish(l);
	return NULL;
}
