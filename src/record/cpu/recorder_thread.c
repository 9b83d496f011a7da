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
#define IDLE_MAX_NS	900000000ull	/* the same if no data came for a while */
#define PAUSE_MIN_NS	1000000ull	/* pause after a wake-up without a full sub-buffer */
#define PAUSE_MAX_NS	20000000ull
/* interval of checks if a CPU that was never online has a buffer */
#define ABSENT_NS	100000000ull

/* ---- the batch */

static size_t batch_map_bytes(const struct cpu_rec *cr)
{
	return cr->buf_bytes + sizeof(*cr->batch_at);
}

static int batch_map(struct cpu_rec *cr, int fd)
{
	void *p = mmap(NULL, batch_map_bytes(cr), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (p == MAP_FAILED)
		return -1;
	cr->buf = p;
	cr->batch_at = (uint64_t *)(cr->buf + cr->buf_bytes);
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
int batch_make(struct cpu_rec *cr, size_t bytes, struct ftr_error *err)
{
	const int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;

	cr->buf_bytes = bytes / cr->r->subbuf_size * cr->r->subbuf_size;
	if (!cr->buf_bytes)
		cr->buf_bytes = cr->r->subbuf_size;
	if (cr->r->batch_path) {
		cr->batch_name = batch_name(cr->r->batch_path, cr->cpu->cpu);
		cr->batch_fd = open(cr->batch_name, flags, 0600);
		if (cr->batch_fd >= 0 && !fallocate(cr->batch_fd, 0, 0, batch_map_bytes(cr)) &&
		    !batch_map(cr, cr->batch_fd)) {
			mlock(cr->buf, batch_map_bytes(cr));
			return 0;
		}
		batch_release(cr);
	}
	cr->batch_fd = memfd_create("ftr-batch", MFD_CLOEXEC);
	if (cr->batch_fd < 0 || ftruncate(cr->batch_fd, batch_map_bytes(cr)) ||
	    batch_map(cr, cr->batch_fd))
		return err_sys(err, "cannot get %zu bytes of memory", batch_map_bytes(cr));
	return 0;
}

/*
 * The headers of the sub-buffers, which are never zero once they are read, show how much of the
 * batch is filled.
 */
void batch_begin(struct cpu_rec *cr, size_t bytes)
{
	size_t at;

	__atomic_store_n(cr->batch_at, 0, __ATOMIC_RELEASE);
	/* the first zeroed header ends the batch */
	for (at = 0; at <= bytes && at < cr->buf_bytes; at += cr->r->subbuf_size)
		memset(cr->buf + at, 0, HEADER_BYTES);
	__atomic_store_n(cr->batch_at, cr->cpu->base + cr->cpu->size + 1, __ATOMIC_RELEASE);
}

/* Marks the batch as empty. Call it when its data is written and before more data is spliced. */
static void batch_end(struct cpu_rec *cr)
{
	__atomic_store_n(cr->batch_at, 0, __ATOMIC_RELEASE);
}

void batch_release(struct cpu_rec *cr)
{
	if (cr->batch_fd >= 0)
		close(cr->batch_fd);
	cr->batch_fd = -1;
	if (cr->buf)
		munmap(cr->buf, batch_map_bytes(cr));
	cr->buf = NULL;
	if (cr->batch_name)
		unlink(cr->batch_name);
	free(cr->batch_name);
	cr->batch_name = NULL;
}

/* ---- the thread */

void cpu_rec_count_written(struct cpu_rec *cr, size_t n)
{
	__atomic_store_n(&cr->cpu->size, cr->cpu->size + (off_t)n, __ATOMIC_RELEASE);
}

static enum moved cpu_rec_fail(struct cpu_rec *cr, int sys)
{
	cr->cpu->sys = sys;
	__atomic_store_n(&cr->r->failed, true, __ATOMIC_RELEASE);
	return MOVED_FAILED;
}

/*
 * Returns true if an errno means that there is no data now, not a failure. ENODEV and ENOMEM occur
 * while a CPU or the buffer is added or removed.
 */
static bool errno_is_no_data(int sys)
{
	return sys == EAGAIN || sys == EINTR || sys == EBUSY || sys == ENOMEM || sys == ENODEV;
}

/* Returns true if an errno means that the file system or the buffer does not support splice. */
static bool errno_is_no_splice(int sys)
{
	return sys == EINVAL || sys == ENOSYS || sys == EOPNOTSUPP;
}

/* Returns false with errno EFBIG if @n bytes do not fit into the CPU's place in a shared file. */
static bool cpu_rec_has_room(const struct cpu_rec *cr, size_t n)
{
	return (off_t)n <= cr->limit - cr->cpu->size || (errno = EFBIG, false);
}

/* The bytes are counted after each write(), so that the size is right if the disk is full. */
int cpu_rec_write(struct cpu_rec *cr, const uint8_t *p, size_t n)
{
	ssize_t done;

	if (!cpu_rec_has_room(cr, n))
		return -1;
	while (n) {
		done = write(cr->cpu->fd, p, n);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done ? -1 : (errno = EIO, -1);
		cpu_rec_count_written(cr, done);
		p += done;
		n -= done;
	}
	return 0;
}

/* Moves @n bytes from the pipe to the file by read() and write(). Returns 0, or -1 with errno. */
static int pipe_copy_out(struct cpu_rec *cr, size_t n)
{
	ssize_t got;

	while (n) {
		got = read(cr->pipe[0], cr->buf, n < cr->buf_bytes ? n : cr->buf_bytes);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -1 : (errno = EIO, -1);
		if (cpu_rec_write(cr, cr->buf, got))
			return -1;
		n -= got;
	}
	return 0;
}

/* Short splices are continued. */
enum moved cpu_rec_empty_pipe(struct cpu_rec *cr, size_t n)
{
	ssize_t done;

	if (!cpu_rec_has_room(cr, n))
		return cpu_rec_fail(cr, errno);
	while (n) {
		done = splice(cr->pipe[0], NULL, cr->cpu->fd, NULL, n, SPLICE_F_MOVE);
		cr->cpu->calls++;
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0 && errno_is_no_splice(errno))
			return pipe_copy_out(cr, n) ? cpu_rec_fail(cr, errno) : MOVED_REFUSED;
		if (done <= 0)
			return cpu_rec_fail(cr, done ? errno : EIO);
		cpu_rec_count_written(cr, done);
		n -= done;
	}
	return MOVED_FULL;
}

static void cpu_rec_count_read(struct cpu_rec *cr, uint64_t subbufs)
{
	cr->left = subbufs < cr->left ? cr->left - subbufs : 0;
}

/* Returns the size of the kernel's buffer of this CPU in bytes, 0 if unknown. */
static uint64_t ring_size_bytes(const struct cpu_rec *cr)
{
	char *file = xasprintf("per_cpu/cpu%d/buffer_size_kb", cr->cpu->cpu);
	char *line = tfs_line(cr->r->t, cr->r->instance, file);
	uint64_t bytes = line ? strtoull(line, NULL, 10) * 1024 : 0;

	free(line);
	free(file);
	return bytes;
}

/*
 * Returns how many of @want bytes the file may still get. Unless that is 0, the caller must call
 * cpu_rec_return() soon.
 */
static size_t cpu_rec_reserve(struct cpu_rec *cr, size_t want)
{
	struct file_budget *b = cr->r->opts.budget;
	uint32_t size = cr->r->subbuf_size;
	struct tfs_stats st;
	size_t got;

	if (!b)
		return want;
	got = budget_reserve(b, want, size, false);
	/*
	 * The next file is late: until it comes, read only if the kernel's buffer may overflow; at
	 * the end, read all data.
	 */
	if (!got && budget_spills(b) &&
	    (cr->ends || (!tfs_stats_read(cr->stats_fd, &st) &&
			  st.bytes >= ring_size_bytes(cr) / 2)))
		got = budget_reserve(b, want, size, true);
	/* if the kernel loses records from now on, they would not have fit into the file either */
	if (!got && !cr->spent && !budget_spills(b))
		cr->cpu->left = !tfs_stats_read(cr->stats_fd, &cr->cpu->after);
	cr->spent = !got;
	return got;
}

static void cpu_rec_return(struct cpu_rec *cr, size_t bytes)
{
	if (cr->r->opts.budget)
		budget_return(cr->r->opts.budget, bytes);
}

/*
 * Moves one pipe full of sub-buffers by splice(), which hands out full ones only. If they do not
 * fill the pipe there were no more, so it returns MOVED_PARTIAL.
 */
static enum moved pipe_splice_once(struct cpu_rec *cr)
{
	size_t room = cpu_rec_reserve(cr, cr->pipe_bytes);
	enum moved out;
	ssize_t n;

	if (!room)
		return MOVED_NONE;
	n = splice(cr->raw_fd, NULL, cr->pipe[1], NULL, room, SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
	cpu_rec_return(cr, n > 0 ? room - n : room);
	cr->cpu->calls++;
	if (n > 0) {
		cpu_rec_count_read(cr, n / cr->r->subbuf_size);
		out = cpu_rec_empty_pipe(cr, n);
		return out == MOVED_FULL && room - n >= cr->r->subbuf_size ?
			MOVED_PARTIAL : out;
	}
	if (!n || errno_is_no_data(errno))
		return MOVED_NONE;
	return errno_is_no_splice(errno) ? MOVED_REFUSED : cpu_rec_fail(cr, errno);
}

/*
 * Reads one sub-buffer, which may be partial, to @to, and zeroes the unused rest. Returns
 * MOVED_PARTIAL if it is less than half full: then we have caught up with the writer.
 */
static enum moved subbuf_read(struct cpu_rec *cr, uint8_t *to)
{
	const int commit_at = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ && sizeof(long) == 8 ? 12 : 8;
	uint32_t size = cr->r->subbuf_size, commit;
	ssize_t n;

	n = read(cr->raw_fd, to, size);
	cr->cpu->calls++;
	if (!n || (n < 0 && errno_is_no_data(errno)))
		return MOVED_NONE;
	if (n < 0)
		return cpu_rec_fail(cr, errno);
	memset(to + n, 0, size - n);
	cpu_rec_count_read(cr, 1);
	memcpy(&commit, to + commit_at, sizeof(commit));
	/* bits 30 and 31 mean missed events */
	return (commit & 0x3fffffff) < size / 2 ? MOVED_PARTIAL : MOVED_FULL;
}

/*
 * Moves one batch of at most @room bytes by read(): until no data is left if @whole, else until it
 * has caught up with the writer.
 */
static enum moved batch_read_each(struct cpu_rec *cr, size_t room, bool whole)
{
	uint32_t size = cr->r->subbuf_size;
	enum moved got = MOVED_FULL;
	size_t n = 0;

	room = cpu_rec_reserve(cr, room);
	if (!room)
		return MOVED_NONE;
	batch_begin(cr, room);
	while (n + size <= room && (got == MOVED_FULL || (whole && got == MOVED_PARTIAL))) {
		got = cr->left ? subbuf_read(cr, cr->buf + n) : MOVED_NONE;
		if (got == MOVED_FULL || got == MOVED_PARTIAL)
			n += size;
	}
	cpu_rec_return(cr, room - n);
	if (n && cpu_rec_write(cr, cr->buf, n))
		return cpu_rec_fail(cr, errno);
	batch_end(cr);
	if (got == MOVED_NONE && n)
		return MOVED_PARTIAL;
	return got;
}

static bool cpu_rec_continues(const struct cpu_rec *cr)
{
	return cr->left && !__atomic_load_n(&cr->r->leave, __ATOMIC_ACQUIRE);
}

/*
 * Moves all full sub-buffers by splice(). @woken: poll() reported that there are some. Returns
 * MOVED_REFUSED if splice() does not work.
 */
static enum moved drain_by_splice(struct cpu_rec *cr, bool woken)
{
	enum moved got, ret = MOVED_NONE;
	struct tfs_stats st;

	do {
		got = cpu_rec_continues(cr) ? pipe_splice_once(cr) : MOVED_NONE;
		if (got == MOVED_REFUSED || got == MOVED_FAILED)
			return got;
		if (got != MOVED_NONE)
			ret = MOVED_FULL;
	} while (got == MOVED_FULL);
	/*
	 * 6.12 returns EAGAIN to splice for a buffer that is mapped or persistent, however full it
	 * is. If the unread data fills two sub-buffers, one of them is not being written.
	 */
	if (ret == MOVED_NONE && woken && !tfs_stats_read(cr->stats_fd, &st) &&
	    st.bytes >= 2ull * cr->r->subbuf_size && pipe_splice_once(cr) == MOVED_NONE &&
	    !cr->spent)
		return MOVED_REFUSED;
	return cr->cpu->sys ? MOVED_FAILED : ret;
}

static enum moved batch_read_all(struct cpu_rec *cr, bool whole)
{
	enum moved got;

	do
		got = batch_read_each(cr, cr->buf_bytes, whole);
	while (cpu_rec_continues(cr) && (got == MOVED_FULL || (whole && got == MOVED_PARTIAL)));
	return got;
}

/*
 * Moves one batch of at most @n full sub-buffers, in one system call: if a file does not implement
 * vectors, the kernel calls read() for each part, which hands out one sub-buffer.
 */
static enum moved batch_read_full(struct cpu_rec *cr, uint64_t n)
{
	uint32_t size = cr->r->subbuf_size;
	struct iovec v[IOV_MAX];
	size_t i, parts;
	ssize_t got;

	n = cpu_rec_reserve(cr, n < cr->buf_bytes / size ? n * size : cr->buf_bytes) / size;
	if (!n)
		return MOVED_NONE;
	batch_begin(cr, n * size);
	parts = n < IOV_MAX ? n : IOV_MAX;
	for (i = 0; i < parts; i++)
		v[i] = (struct iovec){ cr->buf + i * size, size };
	cr->cpu->calls++;
	got = readv(cr->raw_fd, v, parts);
	cpu_rec_return(cr, got > 0 ? n * size - (got + size - 1) / size * size : n * size);
	if (!got || (got < 0 && errno_is_no_data(errno)))
		return MOVED_NONE;
	if (got < 0)
		return cpu_rec_fail(cr, errno);
	memset(cr->buf + got, 0, (size - got % size) % size);
	got = (got + size - 1) / size * size;
	cpu_rec_count_read(cr, got / size);
	if (cpu_rec_write(cr, cr->buf, got))
		return cpu_rec_fail(cr, errno);
	batch_end(cr);
	return got == (ssize_t)(n * size) ? MOVED_FULL : MOVED_PARTIAL;
}

/*
 * Moves @n full sub-buffers by read(). Partial ones are read only if poll() reported data that the
 * counters do not show, as the unused rest of a partial sub-buffer stays empty in the file.
 */
static enum moved drain_by_read(struct cpu_rec *cr, uint64_t n, bool woken)
{
	enum moved got = MOVED_FULL;
	off_t before;

	if (!n)
		return woken ? batch_read_all(cr, false) : MOVED_NONE;
	while (n && got == MOVED_FULL && cpu_rec_continues(cr)) {
		before = cr->cpu->size;
		got = batch_read_full(cr, n);
		n -= (cr->cpu->size - before) / cr->r->subbuf_size;
	}
	return got == MOVED_FAILED ? got : MOVED_FULL;
}

/* Moves all full sub-buffers. @woken: poll() reported that there are some. */
static enum moved cpu_rec_drain(struct cpu_rec *cr, bool woken)
{
	uint32_t size = cr->r->subbuf_size;
	struct tfs_stats st;
	uint64_t n = 0;			/* unread full sub-buffers */
	enum moved got;

	if (!tfs_stats_read(cr->stats_fd, &st))
		n = st.bytes / (size - HEADER_BYTES);
	/*
	 * Spliced data is in the pipe, and lost if we are killed together with the guardian. Data
	 * in a batch with a name is not, but costs one more copy. So a little data is read, and
	 * much is spliced.
	 */
	if (!cr->cpu->spliced || (cr->batch_name && n && n <= cr->buf_bytes / size))
		return drain_by_read(cr, n, woken);
	got = drain_by_splice(cr, woken);
	if (got != MOVED_REFUSED)
		return got;
	cr->cpu->spliced = false;
	return drain_by_read(cr, n, woken);
}

static bool cpu_rec_flush_wanted(const struct cpu_rec *cr)
{
	return __atomic_load_n(&cr->flush, __ATOMIC_ACQUIRE) != cr->flushed;
}

/*
 * Moves the partial sub-buffer that is being written, which splice() does not hand out. Call it
 * after a drain.
 */
static enum moved cpu_rec_flush(struct cpu_rec *cr)
{
	unsigned int asked = __atomic_load_n(&cr->flush, __ATOMIC_ACQUIRE);
	enum moved got = MOVED_NONE;

	if (cr->cpu->spliced)
		got = batch_read_each(cr, cr->r->subbuf_size, false);
	__atomic_store_n(&cr->flushed, asked, __ATOMIC_RELEASE);
	return got;
}

/*
 * Waits for @ns or, if @raw, for data. *events: as of poll(). Returns true if the recording ends.
 */
static bool cpu_rec_wait(const struct cpu_rec *cr, bool raw, uint64_t ns, int *events)
{
	struct timespec ts = { ns / 1000000000, ns % 1000000000 };
	struct pollfd p[2] = {
		{ .fd = cr->wake_fd, .events = POLLIN },
		{ .fd = cr->raw_fd, .events = POLLIN },
	};
	uint64_t times;
	int n;

	if (cpu_rec_flush_wanted(cr))
		ts = (struct timespec){0};
	n = ppoll(p, raw ? 2 : 1, &ts, NULL);
	*events = n < 0 ? POLLIN : p[1].revents;
	if (n > 0 && p[0].revents && read(cr->wake_fd, &times, sizeof(times)) < 0)
		return true;
	return __atomic_load_n(&cr->r->stop, __ATOMIC_ACQUIRE);
}

/*
 * Returns the nanoseconds to wait before the next poll(). If poll() reports data that is no full
 * sub-buffer (buffer_percent 0, option block, sometimes 6.1), it would return at once again: the
 * pause grows with each wake-up in vain. POLLERR is a CPU without a buffer, which gets one when it
 * comes online. @spent: there is data that must not be read yet.
 */
static uint64_t pause_after_poll(uint64_t last, int events, enum moved got, bool spent)
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

static void cpu_rec_pin(const struct cpu_rec *cr)
{
	size_t bytes = CPU_ALLOC_SIZE(cr->cpu->cpu + 1);
	cpu_set_t *set = CPU_ALLOC(cr->cpu->cpu + 1);
	char name[16];

	if (set) {
		CPU_ZERO_S(bytes, set);
		CPU_SET_S(cr->cpu->cpu, bytes, set);
		/*
		 * fails if the CPU is offline or not in our cpuset; the thread then runs elsewhere
		 */
		pthread_setaffinity_np(pthread_self(), bytes, set);
		CPU_FREE(set);
	}
	snprintf(name, sizeof(name), "ftr-cpu%d", cr->cpu->cpu);
	pthread_setname_np(pthread_self(), name);
}

void *cpu_rec_run(void *arg)
{
	struct cpu_rec *cr = arg;
	uint64_t least = cr->r->opts.sleep_ns ? cr->r->opts.sleep_ns : IDLE_NS, idle = least;
	uint64_t pause = 0, n;
	int events = 0;
	enum moved got;

	cpu_rec_pin(cr);
	/*
	 * Data that was read from the kernel and not yet written is lost if we are killed together
	 * with the guardian, so the thread waits for the processor as little as possible. This
	 * fails without the right to do it.
	 */
	if (!cr->r->opts.rt_prio)
		setpriority(PRIO_PROCESS, gettid(), -20);
	while (!(pause && cpu_rec_wait(cr, false, pause, &events)) &&
	       !cpu_rec_wait(cr, true, idle, &events)) {
		got = cpu_rec_drain(cr, events && !(events & POLLERR));
		if (got != MOVED_FAILED && cpu_rec_flush_wanted(cr) &&
		    cpu_rec_flush(cr) == MOVED_FAILED)
			got = MOVED_FAILED;
		if (got == MOVED_FAILED)
			return NULL;
		pause = pause_after_poll(pause, events, got, cr->spent);
		idle = got == MOVED_NONE && least == IDLE_NS ? IDLE_MAX_NS : least;
	}
	if (__atomic_load_n(&cr->r->leave, __ATOMIC_ACQUIRE))
		return NULL;
	/*
	 * Tracing is off: full sub-buffers first, then, by read(), the one that was being written.
	 * The drain is bounded by a little more than the size of the kernel's buffer, in case
	 * somebody has turned tracing on again.
	 */
	n = ring_size_bytes(cr) / cr->r->subbuf_size;
	cr->left = n ? n + n / 64 + 8 : UINT64_MAX;
	cr->ends = true;
	if (cpu_rec_drain(cr, true) != MOVED_FAILED)
		batch_read_all(cr, true);
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
	const struct cpu_rec *cr = &r->cpu_recs[i];

	out->fd[HAND_FILE] = cr->cpu->fd;
	/* three descriptors are sent in any case */
	out->fd[HAND_PIPE] = cr->pipe[0] >= 0 ? cr->pipe[0] : cr->batch_fd;
	out->fd[HAND_BATCH] = cr->batch_fd;
	return cr->limit;
}

/*
 * Writes the data in the pipe of the process that ended. It comes before the data of a batch, as it
 * was read before. Returns 0, or -1 with errno.
 */
static int adopt_pipe(struct cpu_rec *cr, int fd)
{
	int held = 0, own = cr->pipe[0];
	enum moved got;
	struct stat st;

	/* FIONREAD of a regular file returns its size, so check that it is a pipe */
	if (fd < 0 || fstat(fd, &st) || !S_ISFIFO(st.st_mode) || ioctl(fd, FIONREAD, &held) ||
	    !held)
		return 0;
	cr->pipe[0] = fd;
	got = cpu_rec_empty_pipe(cr, held);
	cr->pipe[0] = own;
	return got == MOVED_FAILED ? -1 : 0;
}

static int adopt_batch(struct cpu_rec *cr, int fd)
{
	uint64_t at, end, skip, size = cr->r->subbuf_size;
	const uint8_t *buf;
	int ret = 0;

	if (fd < 0)
		return 0;
	buf = mmap(NULL, batch_map_bytes(cr), PROT_READ, MAP_SHARED, fd, 0);
	if (buf == MAP_FAILED)
		return -1;
	memcpy(&at, buf + cr->buf_bytes, sizeof(at));
	skip = cr->cpu->base + cr->cpu->size - (at - 1);
	if (at && skip < cr->buf_bytes) {
		end = skip - skip % size;
		while (end < cr->buf_bytes && !mem_is_zero(buf + end, HEADER_BYTES))
			end += size;
		if (end > skip)
			ret = cpu_rec_write(cr, buf + skip, end - skip);
	}
	munmap((void *)buf, batch_map_bytes(cr));
	return ret;
}

int recorder_adopt(struct recorder *r, size_t i, const struct recorder_hand *h, off_t base,
		   off_t limit, struct ftr_error *err)
{
	struct cpu_rec *cr = &r->cpu_recs[i];
	off_t at = lseek(h->fd[HAND_FILE], 0, SEEK_CUR);
	int ret;

	cr->cpu->fd = h->fd[HAND_FILE];
	cr->cpu->base = base;
	cr->limit = limit;
	cr->placed = true;
	cpu_rec_count_written(cr, at > base ? at - base : 0);
	ret = adopt_pipe(cr, h->fd[HAND_PIPE]) || adopt_batch(cr, h->fd[HAND_BATCH]) ? -1 : 0;
	if (ret)
		err_sys(err, "cannot write what CPU %d had recorded", cr->cpu->cpu);
	if (h->fd[HAND_PIPE] >= 0)
		close(h->fd[HAND_PIPE]);
	if (h->fd[HAND_BATCH] >= 0)
		close(h->fd[HAND_BATCH]);
	return ret;
}
