/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How far a trace clock is from the time of day. */
#include "record/capture/clock_offset.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "base/now.h"
#include "tracefs/session/journal.h"

enum { NR_TRIES = 10 };

static const struct {
	const char *trace;
	clockid_t posix;
} clocks[] = {
	{ "mono", CLOCK_MONOTONIC },
	{ "mono_raw", CLOCK_MONOTONIC_RAW },
	{ "boot", CLOCK_BOOTTIME },
	{ "tai", CLOCK_TAI },
};

/* These count ns of a scale that user space can't read. */
static const char *const hidden_clocks[] = { "local", "global", "perf" };

/* The time of day around one marker. */
struct attempt {
	int64_t before_ns, after_ns;
};

static int64_t posix_offset(clockid_t id)
{
	int64_t best = INT64_MAX, offset = 0, a, b, real;
	int i;

	for (i = 0; i < NR_TRIES; i++) {
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

static int write_knob(const struct tfs *t, const char *instance, const char *file, const char *text)
{
	struct buf path = {0};
	int fd = openat(t->dirfd, tfs_path(&path, instance, file), O_WRONLY | O_CLOEXEC);
	int ret = fd < 0 ? -1 : io_write_all(fd, text, strlen(text));

	if (fd >= 0)
		close(fd);
	buf_release(&path);
	return ret;
}

static int write_markers(const struct tfs *t, const char *instance, struct attempt *v)
{
	struct buf path = {0};
	int fd = openat(t->dirfd, tfs_path(&path, instance, "trace_marker"), O_WRONLY | O_CLOEXEC);
	char text[32];
	int i, n, ret = fd < 0 ? -1 : 0;

	for (i = 0; i < NR_TRIES && !ret; i++) {
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
 * "  cat-77  [001] .....  123.456789: tracing_mark_write: ftr-date 3." -> 123456789; -1 when it is
 * not there.
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

static bool best_offset(const char *text, const struct attempt *v, int64_t *us)
{
	int64_t best = INT64_MAX, took, at;
	int i;

	for (i = 0; i < NR_TRIES; i++) {
		took = v[i].after_ns - v[i].before_ns;
		at = marker_us(text, i);
		if (at < 0 || took < 0 || took >= best)
			continue;
		best = took;
		*us = (v[i].before_ns + took / 2) / 1000 - at;
	}
	return best != INT64_MAX;
}

static int measure_clock(const struct tfs *t, const char *instance, const char *clock, int64_t *us,
			 struct ftr_error *err)
{
	struct attempt v[NR_TRIES] = {0};
	struct buf text = {0};
	int ret = -1;

	if (write_knob(t, instance, "trace_clock", clock)) {
		err_sys(err, "cannot set trace clock '%s'", clock);
		goto out;
	}
	/* smaller, as a courtesy; no matter if not */
	if (write_knob(t, instance, "buffer_size_kb", "64"))
		errno = 0;
	if (write_markers(t, instance, v)) {
		err_sys(err, "cannot write to trace_marker for --date");
		goto out;
	}
	if (tfs_read(t, instance, "trace", &text, err))
		goto out;
	if (best_offset(text.data, v, us))
		ret = 0;
	else
		err_set(err, FTR_FAILED, "no markers for --date in the trace of clock '%s'",
			clock);
out:
	buf_release(&text);
	return ret;
}

/* A clock is an instance's own, so neither the user's buffer nor its clock is touched. */
static int marker_offset(struct session *s, const char *clock, int64_t *us, struct ftr_error *err)
{
	char *path = xasprintf("instances/ftr-date-%d", (int)getpid());
	const char *name = path + strlen("instances/");
	bool made;
	int ret = session_instance(s, name, &made, err);

	if (!ret) {
		ret = measure_clock(session_tfs(s), name, clock, us, err);
		if (!instance_remove(session_tfs(s), path))
			session_keep(s, name);
	}
	free(path);
	return ret;
}

int date_offset_us(struct session *s, const char *clock, int64_t *us, struct ftr_error *err)
{
	size_t i;

	for (i = 0; i < sizeof(clocks) / sizeof(*clocks); i++) {
		if (!strcmp(clock, clocks[i].trace)) {
			*us = posix_offset(clocks[i].posix) / 1000;
			return 0;
		}
	}
	for (i = 0; i < sizeof(hidden_clocks) / sizeof(*hidden_clocks); i++)
		if (!strcmp(clock, hidden_clocks[i]))
			return marker_offset(s, clock, us, err);
	err_set(err, FTR_FAILED, "clock '%s' does not count time, so --date does not work", clock);
	return err_hint(err, "leave out --date, or give -C local, global, mono or boot");
}
