/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Brings what is in the ring buffers of a stopped trace into a trace.dat, with all that ftr record
 * writes beside the data. Changes nothing but the buffers, which it empties.
 */
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/cpu/recorder.h"
#include "record/sink/sink.h"

static const char usage[] =
	"usage: take [-I INSTANCE] < NAMES\n"
	"Takes the buffers, of the top level if no instance is named, for each line of standard input\n"
	"into the file of that name, and then says so. Tracing must be off (tracing_on is 0).\n";

static int stopped(const struct tfs *tfs, const char *instance, struct ftr_error *err)
{
	char *on = tfs_line(tfs, instance, "tracing_on");
	int ret = 0;

	if (strcmp(on, "0"))
		ret = err_set(err, FTR_FAILED, "tracing is on");
	free(on);
	return ret;
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

static void print_capture(const struct record_sink *s, const struct captured_meta *c,
			  const char *out)
{
	const struct strv *notes[] = { &c->notes, sink_notes(s) };
	struct sink_totals t;
	size_t i, k;

	sink_totals(s, &t);
	printf("%s: %" PRIu64 " events, %" PRIu64 " bytes, %" PRIu64 " lost%s", out, t.events,
	       t.bytes, t.lost, t.lost_unknown ? " or more" : "");
	for (k = 0; k < 2; k++)
		for (i = 0; i < notes[k]->n; i++)
			printf("; %s", notes[k]->v[i]);
	printf("\n");
}

static int write_file(struct meta_capture *c, struct recorded_buffer *buf, const char *out,
		      struct ftr_error *err)
{
	struct outfile file = { .fd = open(out, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644) };
	struct sink_plan plan = { .out = &file, .path = out, .taken = true, .warn = warn };
	const struct captured_meta *captured;
	struct record_sink *s;
	int ret;

	if (file.fd < 0)
		return err_sys(err, "cannot create '%s'", out);
	s = sink_new(&plan);
	ret = sink_place(s, c, buf, 1, err);
	captured = capture_end(c, buf, 1, true);
	if (!ret)
		ret = sink_finish(s, captured, err);
	if (!ret)
		ret = err->code;
	if (!ret)
		print_capture(s, captured, out);
	sink_free(s);
	close(file.fd);
	return ret;
}

/* @c is gone then. */
static int take(struct meta_capture *c, const struct tfs *tfs, const char *instance,
		const char *out, struct ftr_error *err)
{
	struct recorder_opts opts = { .no_splice = true };
	struct recorder *r = NULL;
	struct recorded_buffer buf;
	int ret = -1;

	r = recorder_new(tfs, instance, out, &opts, err);
	if (!r || recorder_start(r, err) || recorder_stop(r, err))
		goto out;
	buf = (struct recorded_buffer){ .name = instance, .rec = r };
	ret = write_file(c, &buf, out, err);
out:
	recorder_free(r);
	return ret;
}

/*
 * Formats and symbols take seconds to read: each file is made by a child, which inherits what was
 * read at the start and only reads what has changed since.
 */
static int take_in_child(struct meta_capture *c, const struct tfs *tfs, const char *instance,
			 const char *out)
{
	struct ftr_error err = {0};
	int status = 0, ret;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid) {
		if (pid > 0)
			waitpid(pid, &status, 0);
		return pid < 0 || status;
	}
	ret = stopped(tfs, instance, &err) || take(c, tfs, instance, out, &err);
	if (ret)
		printf("%s: %s\n", out, err.msg);
	fflush(stdout);
	_exit(ret ? 1 : 0);
}

int main(int argc, char **argv)
{
	const char *instance = "";
	struct ftr_error err = {0};
	struct tfs tfs = {0};
	struct meta_capture *m;
	char out[4096];
	int c, ret = 0;

	while ((c = getopt(argc, argv, "I:")) != -1) {
		if (c != 'I') {
			fputs(usage, stderr);
			return 2;
		}
		instance = optarg;
	}
	m = tfs_open(&tfs, &err) ? NULL : capture_new(&tfs, NULL, &err);
	if (!m) {
		fprintf(stderr, "take: %s\n", err.msg);
		tfs_close(&tfs);
		return 1;
	}
	capture_read(m);
	while (fgets(out, sizeof(out), stdin)) {
		out[strcspn(out, "\n")] = '\0';
		ret |= take_in_child(m, &tfs, instance, out);
	}
	capture_free(m);
	tfs_close(&tfs);
	return ret;
}
