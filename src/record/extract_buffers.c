/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Moves the contents of the kernel's buffers to a trace file.
 *
 * ftr extract is the recorder with tracing off, so that its files are of the same kind: the
 * recorder's threads are started and stopped at once, and their last drain reads the data. The
 * metadata is captured as at the end of a recording.
 */
#include "record/extract_buffers.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/capture/capture.h"
#include "record/capture/clock_offset.h"
#include "record/cpu/recorder.h"
#include "record/file/outfile.h"
#include "record/sink/sink.h"
#include "record/summary.h"

struct extract_run {
	struct session *session;
	const struct tfs *tfs;
	const struct extract_plan *p;
	struct outfile out;
	struct meta_capture *capture;	/* NULL when it has ended */
	const struct captured_meta *captured;	/* its result, NULL before */
	struct record_sink *sink;
	struct recorder **recs;		/* one for each instance */
	bool *was_on;			/* tracing was on, one for each instance */
	bool *earlier_boot; /* as it was before reading: an empty buffer counts as of this boot */
};

/* ---- checks */

static int extract_check_snapshot(const struct extract_run *x, const char *instance,
				  struct ftr_error *err)
{
	struct buf path = {0};
	char head[1024] = "";
	int fd = openat(x->tfs->dirfd, tfs_path(&path, instance, "snapshot"), O_RDONLY | O_CLOEXEC);

	buf_release(&path);
	if (fd < 0) {
		err_set(err, FTR_FAILED, "this kernel has no snapshots");
		return err_hint(err, "they come with CONFIG_TRACER_SNAPSHOT");
	}
	if (read(fd, head, sizeof(head) - 1) < 0)
		*head = '\0';
	close(fd);
	if (!strstr(head, "Snapshot is freed"))
		return 0;
	err_set(err, FTR_FAILED, "there is no snapshot of '%s'",
		*instance ? instance : "top level");
	return err_hint(err, "a snapshot is taken by writing 1 to the file snapshot, or a trigger");
}

static int extract_check_readers(const struct extract_run *x, const char *instance,
				 struct ftr_error *err)
{
	struct strv readers = {0};
	int ret = 0;

	tfs_readers(x->tfs, instance, 1, &readers);
	if (readers.n && !x->p->force) {
		err_set(err, FTR_FAILED, "other readers take the data: %s", readers.v[0]);
		ret = err_hint(err, "--force takes the data that they leave");
	}
	strv_release(&readers);
	return ret;
}

/* Checks that all buffers can be read. Fills ->earlier_boot. */
static int extract_check(const struct extract_run *x, struct ftr_error *err)
{
	const char *instance;
	char *line;
	size_t i;

	for (i = 0; i < x->p->instances.n; i++) {
		instance = x->p->instances.v[i];
		if (tfs_check_instance(x->tfs, instance, err))
			return -1;
		/*
		 * A buffer that is kept over a reboot has this file. In 6.12 it does not contain
		 * the boot of the events; in later kernels it does, until tracing is started.
		 */
		line = tfs_line(x->tfs, instance, "last_boot_info");
		x->earlier_boot[i] = *line && strcmp(line, "# Current") != 0;
		free(line);
		if (x->p->date && x->earlier_boot[i]) {
			err_set(err, FTR_FAILED, "the events of '%s' may be from an earlier boot, "
				"so they get no date", instance);
			return err_hint(err, "leave out --date");
		}
		if (x->p->snapshot ? extract_check_snapshot(x, instance, err) :
				     extract_check_readers(x, instance, err))
			return -1;
	}
	return 0;
}

/* ---- reading */

static int extract_make_file(struct extract_run *x, struct ftr_error *err)
{
	struct compress_opts packing = packing_of_metadata();
	struct sink_plan plan = { .out = &x->out, .path = x->p->out_path, .packing = &packing,
				  .taken = true, .warn = x->p->warn };
	struct strv clocks = {0};
	char *clock = NULL;
	int64_t us;
	int ret;

	x->capture = capture_new(x->tfs, NULL, err);
	if (!x->capture)
		return -1;
	x->sink = sink_new(&plan);
	if (!x->p->date)
		return 0;
	ret = tfs_clocks(x->tfs, x->p->instances.v[0], &clocks, &clock, err);
	if (!ret)
		ret = date_offset_us(x->session, clock, &us, err);
	if (!ret)
		capture_date(x->capture, us);
	strv_release(&clocks);
	free(clock);
	return ret;
}

/* Turns tracing off. A snapshot does not change, so that is not needed for it. */
static int extract_stop_tracing(struct extract_run *x, struct ftr_error *err)
{
	const struct strv *names = &x->p->instances;
	char *on;
	size_t i;

	for (i = 0; i < names->n && !x->p->snapshot; i++) {
		on = tfs_line(x->tfs, names->v[i], "tracing_on");
		x->was_on[i] = !strcmp(on, "1");
		free(on);
		if (x->was_on[i] && session_set(x->session, names->v[i], "tracing_on", "0", err))
			return -1;
	}
	return 0;
}

static int extract_read_buffers(struct extract_run *x, struct ftr_error *err)
{
	const struct strv *names = &x->p->instances;
	struct recorder_opts opts = { .snapshot = x->p->snapshot };
	size_t i;

	for (i = 0; i < names->n; i++) {
		x->recs[i] = recorder_new(x->tfs, names->v[i], x->out.path, &opts, err);
		if (!x->recs[i] || recorder_start(x->recs[i], err))
			return -1;
	}
	for (i = 0; i < names->n; i++)
		if (recorder_stop(x->recs[i], err))
			return -1;
	return 0;
}

static int extract_describe(struct extract_run *x, struct ftr_error *err)
{
	const struct strv *names = &x->p->instances;
	struct recorded_buffer *bufs = xcalloc(names->n, sizeof(*bufs));
	size_t i;
	int ret;

	for (i = 0; i < names->n; i++)
		bufs[i] = (struct recorded_buffer){
			.name = names->v[i], .instance = names->v[i], .rec = x->recs[i],
			.no_stats = x->p->snapshot, .flight = !x->p->snapshot,
			.earlier_boot = x->earlier_boot[i],
		};
	ret = sink_place(x->sink, x->capture, bufs, names->n, err);
	x->captured = capture_end(x->capture, bufs, names->n, false);
	x->capture = NULL;
	free(bufs);
	return ret;
}

/* ---- writing */

/* Keeps the data beside the file if reading failed, as the kernel does not have it any more. */
static void extract_keep_raw(struct extract_run *x)
{
	struct strv names = {0};
	size_t i;

	for (i = 0; i < x->p->instances.n; i++)
		if (x->recs[i])
			recorder_keep(x->recs[i], &names);
	for (i = 0; i < names.n; i++)
		x->p->warn("raw data of a CPU is left in '%s'", names.v[i]);
	strv_release(&names);
}

static void extract_print_notes(const struct extract_run *x, const struct strv *notes)
{
	size_t i;

	for (i = 0; i < notes->n; i++)
		x->p->notice("%s", notes->v[i]);
}

static int extract_write(struct extract_run *x, struct buf *summary, struct ftr_error *err)
{
	struct ftr_error first = {0};
	int ret = sink_finish(x->sink, x->captured, &first);

	if (first.code)
		*err = first;
	if (ret)
		return -1;
	extract_print_notes(x, &x->captured->notes);
	extract_print_notes(x, sink_notes(x->sink));
	summary_totals(x->sink, x->captured, x->p->out_path, summary);
	return first.code ? -1 : 0;
}

int extract_run(struct session *s, const struct extract_plan *p, struct buf *summary,
		struct ftr_error *err)
{
	struct extract_run x = { .session = s, .tfs = session_tfs(s), .p = p, .out = { .fd = -1 } };
	const struct strv *names = &p->instances;
	struct ftr_error later = {0}, *resume_err;
	int ret = -1;
	size_t i;

	x.recs = xcalloc(names->n, sizeof(*x.recs));
	x.was_on = xcalloc(names->n, sizeof(*x.was_on));
	x.earlier_boot = xcalloc(names->n, sizeof(*x.earlier_boot));
	if (extract_check(&x, err) || outfile_open(&x.out, p->out_path, err))
		goto out;
	if (extract_make_file(&x, err) || extract_stop_tracing(&x, err))
		goto out;
	if (extract_read_buffers(&x, err)) {
		extract_keep_raw(&x);
		goto out;
	}
	ret = extract_describe(&x, err);
	resume_err = ret ? &later : err;
	for (i = 0; i < names->n; i++)
		if (x.was_on[i] && session_set(s, names->v[i], "tracing_on", "1", resume_err))
			ret = -1;
	if (extract_write(&x, summary, ret ? &later : err))
		ret = -1;
out:
	capture_free(x.capture);
	captured_free(x.captured);
	sink_free(x.sink);
	for (i = 0; i < names->n; i++)
		recorder_free(x.recs[i]);
	free(x.recs);
	free(x.was_on);
	free(x.earlier_boot);
	outfile_release(&x.out);
	return ret;
}
