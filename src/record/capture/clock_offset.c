/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Relations of trace clocks to others: the time of day, CLOCK_MONOTONIC, the TSC. */
#include "record/capture/clock_offset.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/now.h"
#include "tracefs/session/journal.h"

enum {
	OFFSET_TRIES = 10,
	MOMENT_TRIES = 5,
};

/* --- the offset to the time of day */

static const struct {
	const char *trace;
	clockid_t posix;
} clocks[] = {
	{ "mono", CLOCK_MONOTONIC },
	{ "mono_raw", CLOCK_MONOTONIC_RAW },
	{ "boot", CLOCK_BOOTTIME },
	{ "tai", CLOCK_TAI },
};

/* Clocks in nanoseconds that user space can't read. */
static const char *const hidden_clocks[] = { "local", "global", "perf" };

/* The time of day before and after the write of one marker. */
struct clock_sample {
	int64_t before_ns, after_ns;
};

/*
 * Returns CLOCK_REALTIME minus the clock @id, in nanoseconds, by the fastest of several readings.
 */
static int64_t posix_offset(clockid_t id)
{
	int64_t best = INT64_MAX, offset = 0, a, b, real;
	int i;

	for (i = 0; i < OFFSET_TRIES; i++) {
		a = clock_ns(id);
		real = clock_ns(CLOCK_REALTIME);
		b = clock_ns(id);
		if (b - a >= best)
			continue;
		best = b - a;
		offset = real - a - (b - a) / 2;
	}
	return offset;
}

/* Writes a control file without the session, as the instance is temporary. 0, or -1 with errno. */
static int write_setting(const struct tfs *t, const char *instance, const char *file,
			 const char *text)
{
	struct buf path = {0};
	int fd = openat(t->dirfd, tfs_path(&path, instance, file), O_WRONLY | O_CLOEXEC);
	int ret = fd < 0 ? -1 : io_write_all(fd, text, strlen(text));

	if (fd >= 0)
		close(fd);
	buf_release(&path);
	return ret;
}

static int write_markers(const struct tfs *t, const char *instance, struct clock_sample *v)
{
	struct buf path = {0};
	int fd = openat(t->dirfd, tfs_path(&path, instance, "trace_marker"), O_WRONLY | O_CLOEXEC);
	char text[32];
	int i, n, ret = fd < 0 ? -1 : 0;

	for (i = 0; i < OFFSET_TRIES && !ret; i++) {
		n = snprintf(text, sizeof(text), "ftr-date %d.\n", i);
		v[i].before_ns = clock_ns(CLOCK_REALTIME);
		ret = write(fd, text, n) == n ? 0 : -1;
		v[i].after_ns = clock_ns(CLOCK_REALTIME);
	}
	if (fd >= 0)
		close(fd);
	buf_release(&path);
	return ret;
}

/*
 * Finds marker number @i in the text of the file trace:
 * "  cat-77  [001] .....  123.456789: tracing_mark_write: ftr-date 3."
 * Returns its time in microseconds, 123456789, or -1 if it is missing.
 */
static int64_t marker_us(const char *text, int i)
{
	char mark[64];
	const char *at, *end;
	char *dot;
	long long s;

	snprintf(mark, sizeof(mark), ": tracing_mark_write: ftr-date %d.", i);
	at = strstr(text, mark);
	if (!at)
		return -1;
	while (at > text && at[-1] != ' ' && at[-1] != '\n')
		at--;
	s = strtoll(at, &dot, 10);
	if (dot == at || *dot != '.')
		return -1;
	end = dot + 1 + strspn(dot + 1, "0123456789");
	return end - dot == 7 ? s * 1000000 + strtoll(dot + 1, NULL, 10) : -1;
}

/* Measures the clock of an instance: the fastest write of a marker counts. 0, or -1 with @err. */
static int measure_clock(const struct tfs *t, const char *instance, const char *clock, int64_t *us,
			 struct ftr_error *err)
{
	struct clock_sample v[OFFSET_TRIES] = {0};
	int64_t best = INT64_MAX, took, at;
	struct buf text = {0};
	int i, ret = -1;

	if (write_setting(t, instance, "trace_clock", clock)) {
		err_sys(err, "cannot set trace clock '%s'", clock);
		goto out;
	}
	/* a smaller buffer is faster: it does not matter if this fails */
	if (write_setting(t, instance, "buffer_size_kb", "64"))
		errno = 0;
	if (write_markers(t, instance, v)) {
		err_sys(err, "cannot write to trace_marker for --date");
		goto out;
	}
	if (tfs_read(t, instance, "trace", &text, err))
		goto out;
	for (i = 0; i < OFFSET_TRIES; i++) {
		took = v[i].after_ns - v[i].before_ns;
		at = marker_us(text.data, i);
		if (at < 0 || took < 0 || took >= best)
			continue;
		best = took;
		*us = (v[i].before_ns + took / 2) / 1000 - at;
	}
	if (best != INT64_MAX)
		ret = 0;
	else
		err_set(err, FTR_FAILED, "no markers for --date in the trace of clock '%s'",
			clock);
out:
	buf_release(&text);
	return ret;
}

int date_offset_us(struct session *s, const char *clock, int64_t *us, struct ftr_error *err)
{
	bool known = false, made;
	const char *name;
	char *path;
	size_t i;
	int ret;

	for (i = 0; i < sizeof(clocks) / sizeof(*clocks); i++) {
		if (!strcmp(clock, clocks[i].trace)) {
			*us = posix_offset(clocks[i].posix) / 1000;
			return 0;
		}
	}
	for (i = 0; i < sizeof(hidden_clocks) / sizeof(*hidden_clocks); i++)
		known |= !strcmp(clock, hidden_clocks[i]);
	if (!known) {
		err_set(err, FTR_FAILED, "clock '%s' does not count time, so --date does not work",
			clock);
		return err_hint(err, "leave out --date, or give -C local, global, mono or boot");
	}
	/* each instance has a clock: neither the user's buffer nor its clock is changed */
	path = xasprintf("instances/ftr-date-%d", (int)getpid());
	name = path + strlen("instances/");
	ret = session_instance(s, name, &made, err);
	if (!ret) {
		ret = measure_clock(session_tfs(s), name, clock, us, err);
		if (!instance_remove(session_tfs(s), path))
			session_keep(s, name);
	}
	free(path);
	return ret;
}

/* --- one moment by three clocks */

/*
 * Parses "now ts:  1234.567890", in seconds, or "now ts: 1234567890" of a clock that does not count
 * nanoseconds. Returns false if @stats has neither.
 */
static bool parse_now(const char *stats, uint64_t *now)
{
	static const char name[] = "now ts:";
	const char *at = strstr(stats, name);
	char *end;
	uint64_t us;

	if (!at)
		return false;
	*now = strtoull(at + sizeof(name) - 1, &end, 10);
	if (*end != '.')
		return *end == '\n';
	us = strtoull(end + 1, NULL, 10);
	/* the kernel cuts off the nanoseconds: their middle is the best guess */
	*now = *now * 1000000000 + us * 1000 + 500;
	return us < 1000000;
}

int wall_read(const struct tfs *t, const char *instance, struct buf *out)
{
	int64_t best = INT64_MAX, best_real = 0, best_mono = 0, real, mono, took;
	uint64_t trace, best_trace = 0;
	struct buf text = {0};
	int *cpus = NULL, i, failed;
	size_t n;
	char *file;

	if (tfs_cpus(t, instance, &cpus, &n, NULL) || !n) {
		free(cpus);
		return -1;
	}
	file = xasprintf("per_cpu/cpu%d/stats", cpus[0]);
	/* the fastest reading counts, and the middle of its time */
	for (i = 0; i < MOMENT_TRIES; i++) {
		real = clock_ns(CLOCK_REALTIME);
		mono = clock_ns(CLOCK_MONOTONIC);
		failed = tfs_read(t, instance, file, &text, NULL);
		took = clock_ns(CLOCK_MONOTONIC) - mono;
		if (failed || !parse_now(text.data, &trace) || took >= best)
			continue;
		best = took;
		best_trace = trace;
		best_real = real + took / 2;
		best_mono = mono + took / 2;
	}
	buf_release(&text);
	free(file);
	free(cpus);
	if (best == INT64_MAX)
		return -1;
	buf_printf(out, "%" PRIu64 " %" PRId64 " %" PRId64, best_trace, best_real, best_mono);
	return 0;
}

static bool parse_moment(const char *text, uint64_t *trace, uint64_t *mono_ns)
{
	int64_t real;

	return text && sscanf(text, "%" SCNu64 " %" SCNd64 " %" SCNu64, trace, &real, mono_ns) == 3;
}

int wall_line(struct wall_line *l, const char *begin, const char *end, bool ns)
{
	uint64_t trace, mono_ns;
	bool both = parse_moment(begin, &l->trace, &l->mono_ns);

	if (!parse_moment(end, &trace, &mono_ns)) {
		trace = l->trace;
		mono_ns = l->mono_ns;
		if (!both)
			return -1;
		both = false;
	} else if (!both) {
		l->trace = trace;
		l->mono_ns = mono_ns;
	}
	l->trace_span = l->mono_span = 1;
	if (both && trace > l->trace && mono_ns > l->mono_ns) {
		l->trace_span = trace - l->trace;
		l->mono_span = mono_ns - l->mono_ns;
		return 0;
	}
	return ns ? 0 : -1;
}

uint64_t wall_trace(const void *line, uint64_t mono_ns)
{
	const struct wall_line *l = line;
	__int128 by = ((__int128)mono_ns - l->mono_ns) * l->trace_span / l->mono_span;

	return by < -(__int128)l->trace ? 0 : l->trace + (uint64_t)by;
}

/* --- the TSC */

/* Reads the scale from the page, which the kernel may rewrite meanwhile: then ->lock changes. */
static bool read_scale(const volatile struct perf_event_mmap_page *pg, struct tsc_scale *scale)
{
	uint32_t seq;
	bool usable;

	do {
		seq = pg->lock;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		usable = pg->cap_user_time;
		scale->mult = pg->time_mult;
		scale->shift = pg->time_shift;
		scale->offset_ns = pg->cap_user_time_zero ? pg->time_zero : 0;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while (pg->lock != seq);
	return usable && scale->mult;
}

int tsc_scale_read(struct tsc_scale *scale, struct ftr_error *err)
{
	/* the page of a dummy event has the relation of sched_clock() to the TSC */
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = PERF_COUNT_SW_DUMMY,
		.disabled = 1, .exclude_kernel = 1, .exclude_hv = 1,
	};
	size_t len = sysconf(_SC_PAGESIZE);
	void *page = MAP_FAILED;
	int fd, ret = -1;

	fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0) {
		err_sys(err, "cannot open a perf event for the scale of the TSC");
		goto out;
	}
	page = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED)
		err_sys(err, "cannot map a perf event for the scale of the TSC");
	else if (!read_scale(page, scale))
		err_set(err, FTR_FAILED, "the kernel does not use the TSC as its clock here"),
		err_hint(err, "give -C x86-tsc for raw cycles, or -C mono");
	else
		ret = 0;
out:
	if (page != MAP_FAILED)
		munmap(page, len);
	if (fd >= 0)
		close(fd);
	return ret;
}
