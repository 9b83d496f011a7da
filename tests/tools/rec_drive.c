/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records events of an instance with the recorder and the metadata alone: no session, no plan. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "record/capture/clock_offset.h"
#include "record/child_command.h"
#include "record/cpu/recorder.h"
#include "record/sink/sink.h"

static const char usage[] =
	"usage: rec_drive -o FILE [-I INSTANCE] [-e SYSTEM/EVENT]... [-p TRACER] [-C CLOCK]\n"
	"                 [-b KIB] [-S SUBBUF_KIB] [-P BUFFER_PERCENT] [-n (no splice)]\n"
	"                 [-m (map the buffers)] [-D (date)] [-T (tsc2nsec)]\n"
	"                 -- COMMAND [ARGS]\n"
	"Instance 'drive' if none is named; it is made and removed. -I '' is the top level.\n";

static struct tfs tfs;
static struct ftr_error err;

static void __attribute__((noreturn)) fail(void)
{
	fprintf(stderr, "rec_drive: %s\n%s\n", err.msg, err.hint);
	exit(err.code ? err.code : 1);
}

static void put(const char *instance, const char *file, const char *value)
{
	struct buf path = {0};
	int fd = openat(tfs.dirfd, tfs_path(&path, instance, file), O_WRONLY);

	if (fd < 0 || io_write_all(fd, value, strlen(value))) {
		fprintf(stderr, "rec_drive: %s = %s: %s\n", path.data, value, strerror(errno));
		exit(1);
	}
	close(fd);
	buf_release(&path);
}

/* Somebody else has mapped the buffers: 6.12 then refuses to splice them. */
static void map_buffers(const char *instance)
{
	size_t i, n;
	int *cpus;

	if (tfs_cpus(&tfs, instance, &cpus, &n, &err))
		fail();
	for (i = 0; i < n; i++) {
		char *file = xasprintf("per_cpu/cpu%d/trace_pipe_raw", cpus[i]);
		struct buf path = {0};
		int fd = openat(tfs.dirfd, tfs_path(&path, instance, file), O_RDONLY | O_NONBLOCK);

		if (mmap(NULL, getpagesize(), PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED)
			fprintf(stderr, "rec_drive: cannot map '%s': %s\n", path.data, strerror(errno));
		free(file);
		buf_release(&path);
	}
	free(cpus);
}

static void enable(const char *instance, const struct strv *events)
{
	size_t i;

	for (i = 0; i < events->n; i++) {
		char *file = xasprintf("events/%s/enable", events->v[i]);

		put(instance, file, "1");
		free(file);
	}
}

static void warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
}

static void notice(const struct recorder *r, const struct record_sink *s,
		   const struct captured_meta *got, double took)
{
	const struct strv *notes[] = { &got->notes, sink_notes(s) };
	const struct recorder_cpu *cpus;
	struct sink_totals t;
	size_t i, k, n;

	sink_totals(s, &t);
	cpus = recorder_cpus(r, &n);
	for (i = 0; i < n; i++)
		printf("cpu%d: %lld bytes, %" PRIu64 " calls, %s, errno %d\n", cpus[i].cpu,
		       (long long)cpus[i].size, cpus[i].calls, cpus[i].spliced ? "splice" : "read", cpus[i].sys);
	printf("%u CPUs, %" PRIu64 " events, %" PRIu64 " bytes, %" PRIu64 " lost%s, %.3f s to finish\n", t.cpus,
	       t.events, t.bytes, t.lost, t.lost_unknown ? " or more" : "", took);
	for (k = 0; k < 2; k++)
		for (i = 0; i < notes[k]->n; i++)
			printf("note: %s\n", notes[k]->v[i]);
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	const char *instance = "drive", *out = NULL, *clock = NULL, *kb = NULL, *subbuf = NULL, *tracer = NULL;
	const char *percent = NULL;
	struct recorder_opts opts = {0};
	struct recorded_buffer buf;
	struct strv events = {0};
	bool map = false, date = false, tsc = false;
	int c, status, signo, ret, rc = 0;
	struct tsc_scale scale;
	struct recorder *r;
	struct child_command child;
	const struct captured_meta *got;
	struct outfile file = {0};
	struct record_sink *sink;
	struct meta_capture *m;
	int64_t us;
	double t0;
	struct stat st;

	while ((c = getopt(argc, argv, "+o:I:e:p:C:b:S:P:nmDT")) != -1) {
		switch (c) {
		case 'o': out = optarg; break;
		case 'I': instance = optarg; break;
		case 'e': strv_add(&events, optarg); break;
		case 'p': tracer = optarg; break;
		case 'C': clock = optarg; break;
		case 'b': kb = optarg; break;
		case 'S': subbuf = optarg; break;
		case 'P': percent = optarg; break;
		case 'n': opts.no_splice = true; break;
		case 'm': map = true; break;
		case 'D': date = true; break;
		case 'T': tsc = true; break;
		default: fputs(usage, stderr); return 2;
		}
	}
	if (!out || optind >= argc) {
		fputs(usage, stderr);
		return 2;
	}
	if (child_signals_init(&err) || tfs_open(&tfs, &err) ||
	    child_fork(&child, argv + optind, NULL, &err))
		fail();
	if (*instance) {
		struct buf path = {0};

		buf_printf(&path, "instances/%s", instance);
		mkdirat(tfs.dirfd, path.data, 0700);
		buf_release(&path);
	}
	put(instance, "tracing_on", "0");
	if (subbuf)
		put(instance, "buffer_subbuf_size_kb", subbuf);
	if (kb)
		put(instance, "buffer_size_kb", kb);
	if (clock)
		put(instance, "trace_clock", clock);
	if (percent)
		put(instance, "buffer_percent", percent);
	m = capture_new(&tfs, &events, &err);
	if (!m)
		fail();
	if (date) {
		struct session *s = session_open(&tfs, &err);

		if (!s || date_offset_us(s, clock ? clock : "local", &us, &err) ||
		    session_close(s, &err))
			fail();
		capture_date(m, us);
	}
	if (tsc && tsc_scale_read(&scale, &err))
		fprintf(stderr, "rec_drive: %s\n", err.msg);
	else if (tsc)
		capture_tsc2nsec(m, &scale);
	capture_note(m, "command", argv[optind]);
	capture_comm(m, child.pid, strrchr(argv[optind], '/') ? strrchr(argv[optind], '/') + 1 : argv[optind]);
	if (tracer)
		put(instance, "current_tracer", tracer);
	r = recorder_new(&tfs, instance, out, &opts, &err);
	if (!r)
		fail();
	if (map)
		map_buffers(instance);
	enable(instance, &events);
	if (recorder_start(r, &err) || capture_start(m, NULL, &err))
		fail();
	put(instance, "tracing_on", "1");
	if (child_release(&child, &err))
		fail();
	while (child_wait(&child, 0, 500000000, &status, &signo) == CHILD_TICK)
		if (recorder_failed(r))
			break;
	t0 = now();
	put(instance, "tracing_on", "0");
	if (recorder_stop(r, &err)) {
		fprintf(stderr, "rec_drive: %s\n", err.msg);
		rc = 3;
	}
	buf = (struct recorded_buffer){ .name = instance, .rec = r };
	file.fd = open(out, O_RDWR | O_CREAT | O_TRUNC, 0644);
	sink = sink_new(&(struct sink_plan){ .out = &file, .path = out, .taken = true, .warn = warn });
	ret = file.fd < 0 ? -1 : sink_place(sink, m, &buf, 1, &err);
	got = capture_end(m, &buf, 1, true);
	if (tracer)
		put(instance, "current_tracer", "nop");
	err.code = 0;
	if (!ret)
		ret = sink_finish(sink, got, &err);
	if (ret || err.code) {
		fprintf(stderr, "rec_drive: %s\n", file.fd < 0 ? strerror(errno) : err.msg);
		rc = 3;
	}
	notice(r, sink, got, now() - t0);
	if (file.fd >= 0 && !fstat(file.fd, &st))
		printf("file: %lld bytes, command's status %d\n", (long long)st.st_size, status);
	child_cancel(&child);
	recorder_free(r);
	captured_free(got);
	sink_free(sink);
	strv_release(&events);
	tfs_close(&tfs);
	if (*instance) {
		char *path = xasprintf("/sys/kernel/tracing/instances/%s", instance);

		if (rmdir(path))
			perror(path);
		free(path);
	}
	return rc;
}
