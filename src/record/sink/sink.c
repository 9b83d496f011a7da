/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The destination of a recording: the functions for all kinds of sinks.
 *
 * With --sync a loss of power costs no more than the last interval. In each round the recorders
 * first read the sub-buffers that are being written, which splice() does not hand out: slow events
 * would otherwise stay in the kernel's memory for minutes. Then fdatasync() writes the data with
 * the extents and the file's size. tests/guest/power.sh kills QEMU with a qcow2 image, whose new
 * clusters are only found after a flush.
 */
#include "record/sink/sink.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/now.h"
#include "record/capture/capture.h"
#include "record/rescue/orphan.h"
#include "record/sink/sink_priv.h"

enum { STEP_MS = 10, STEPS = 100 };	/* the longest wait for the recorders */

/* ---- the thread that writes to the disk */

/* One CPU: bytes in the file, and bytes that were dropped from the page cache. */
struct sync_cpu {
	uint64_t written, dropped;
};

/* Notes the sizes of all CPUs' data. Returns their sum. */
static uint64_t sync_note_sizes(struct disk_sync *s)
{
	struct sync_cpu *at = s->cpus;
	uint64_t sum = 0, is;
	size_t i, k, n;

	for (i = 0; i < s->nr_recs; i++) {
		recorder_cpus(s->recs[i], &n);
		for (k = 0; k < n; k++) {
			is = recorder_size(s->recs[i], k);
			sum += is;
			if (at)
				(at++)->written = is;
		}
	}
	return sum;
}

/*
 * Makes the recorders write all their data, which is then in the page cache. Returns true if the
 * thread must end.
 */
static bool sync_flush_recorders(struct disk_sync *s)
{
	bool ends = false;
	size_t i, k;

	for (i = 0; i < s->nr_recs; i++)
		recorder_flush(s->recs[i]);
	for (i = 0; i < STEPS && !ends; i++) {
		for (k = 0; k < s->nr_recs && recorder_flushed(s->recs[k]); k++)
			;
		if (k == s->nr_recs)
			break;
		ends = worker_wait(&s->worker, STEP_MS);
	}
	return ends;
}

/* Drops data from the page cache that is on the disk and was read by ->follow. */
static void sync_drop_page_cache(struct disk_sync *s)
{
	struct sync_cpu *at = s->cpus;
	const struct recorder_cpu *c;
	uint64_t upto;
	size_t i, k, n;

	for (i = 0; at && i < s->nr_recs; i++) {
		c = recorder_cpus(s->recs[i], &n);
		for (k = 0; k < n; k++, c++, at++) {
			upto = recorder_read_upto(s->recs[i], k);
			upto = upto < at->written ? upto : at->written;
			if (upto <= at->dropped)
				continue;
			posix_fadvise(c->fd, c->base + at->dropped, upto - at->dropped,
				      POSIX_FADV_DONTNEED);
			at->dropped = upto;
		}
	}
}

/*
 * fdatasync() is used, as sync_file_range() leaves the extents and the file's size, which are
 * needed to find the data, to the file system. fsync() comes first for the changes that creating
 * the file made to its directory, which journalling file systems write along.
 */
static void sync_run(void *arg)
{
	struct disk_sync *s = arg;
	uint64_t start = now_ns(), done = 0, is, spent, ms;

	fsync(s->fd);
	for (;;) {
		spent = now_ns() - start;
		ms = spent < s->every_ns ? (s->every_ns - spent + 999999) / 1000000 : 0;
		if (worker_wait(&s->worker, ms < INT_MAX ? ms : INT_MAX))
			return;
		start = now_ns();
		if (sync_flush_recorders(s))
			return;
		is = sync_note_sizes(s);
		if (is != done && !fdatasync(s->fd))
			sync_drop_page_cache(s);
		done = is;
	}
}

static void sync_stop(struct disk_sync *s)
{
	worker_stop(&s->worker);
	free(s->cpus);
	s->cpus = NULL;
}

/*
 * Starts the writing, but does not wait for it: a caller that needs the data on the disk, as for
 * joining the file's parts, waits for it.
 */
static void sync_rest_run(void *arg)
{
	struct disk_sync *s = arg;

	sync_file_range(s->fd, 0, 0, SYNC_FILE_RANGE_WRITE);
}

/* ---- the sink */

int sink_open_output(struct outfile *out, struct send_queue **send, const char *path,
		     bool to_stdout, const char *listener, struct ftr_error *err)
{
	if (to_stdout ? outfile_open_nameless(out, err) : outfile_open(out, path, err))
		return -1;
	if (to_stdout)
		*send = send_to_stdout(out->fd, err);
	else if (listener)
		*send = send_to_listener(out->fd, listener, err);
	return (to_stdout || listener) && !*send ? -1 : 0;
}

struct record_sink *sink_new(const struct sink_plan *plan)
{
	struct record_sink *s = xcalloc(1, sizeof(*s));

	s->plan = *plan;
	if (plan->packing)
		s->packing = *plan->packing;
	s->plan.packing = &s->packing;
	if (plan->taken)
		s->ops = &sink_copy;
	else if (plan->send)
		s->ops = &sink_stream;
	else
		s->ops = plan->version == 6 ? &sink_v6 : &sink_v7;
	return s;
}

int sink_place(struct record_sink *s, struct meta_capture *c, const struct recorded_buffer *bufs,
	       size_t n, struct ftr_error *err)
{
	size_t i;
	int ret;

	s->n = n;
	s->recs = xcalloc(n + 1, sizeof(*s->recs));
	for (i = 0; i < n; i++) {
		s->recs[i] = bufs[i].rec;
		/* filters of an earlier boot are not known */
		if (!bufs[i].earlier_boot)
			filters_note(c, bufs[i].name, bufs[i].instance);
	}
	ret = s->ops->place(s, c, bufs, n, err);
	for (i = 0; i < n && !ret && s->w && s->plan.guardian; i++)
		ret = guardian_watch(s->plan.guardian, s->recs[i], bufs[i].instance, err);
	return ret;
}

/*
 * Returns the pids in the data that was read so far, or NULL if that is too little: the file of a
 * stream may have lost its data, and compressing is far from its end.
 */
static const struct data_walk *sink_pids(void *ctx)
{
	struct record_sink *s = ctx;

	if (!s->w || s->flows || s->pack)
		return NULL;
	follow_pause(s->follow);
	return follow_walk(s->follow);
}

void sink_hooks(struct record_sink *s, struct capture_hooks *out)
{
	*out = (struct capture_hooks){ s, sink_write_early_symbols, sink_pids };
}

int sink_begin(struct record_sink *s, struct ftr_error *err)
{
	const struct sink_plan *p = &s->plan;
	struct disk_sync *sync = &s->sync;
	size_t i, cpus = 0, n;

	if (s->ops->begin(s, err))
		return -1;
	/* a flight recorder writes nothing before the end */
	if (!p->sync_ns || !s->w || p->flight || p->send)
		return 0;
	*sync = (struct disk_sync){ .recs = s->recs, .nr_recs = s->n, .fd = p->out->fd,
			       .every_ns = p->sync_ns };
	for (i = 0; i < s->n; i++) {
		recorder_cpus(s->recs[i], &n);
		cpus += n;
	}
	/*
	 * Data that is on the disk and was read is dropped from the page cache, as joining the
	 * file's parts would later drop it all at once.
	 */
	if (s->joins)
		sync->cpus = xcalloc(cpus + 1, sizeof(*sync->cpus));
	return worker_start(&sync->worker, "ftr-sync", 0, sync_run, sync, "writes to the disk",
			    err);
}

bool sink_failed(const struct record_sink *s)
{
	return s->plan.consume && send_failed(s->plan.send);
}

void sink_halt(struct record_sink *s)
{
	if (s)
		sync_stop(&s->sync);
}

void sink_flush(struct record_sink *s)
{
	if (!s->plan.sync_ns || s->plan.send || !s->w || !s->joins)
		return;
	s->sync = (struct disk_sync){ .fd = s->plan.out->fd };
	/* if the thread can't be started, sink_finish() waits longer */
	worker_start(&s->sync.worker, "ftr-sync", 0, sync_rest_run, &s->sync, "writes to the disk",
		     NULL);
}

void sink_all_written(struct record_sink *s)
{
	const struct sink_plan *p = &s->plan;

	if (s->w && p->session && p->out->part_path)
		orphan_note(p->session, p->out->part_path, p->out->path, NULL, 0, NULL);
}

/* Stores @later in @err unless that has an error already; then warns of it. */
static void sink_keep_first_error(struct record_sink *s, struct ftr_error *err,
				  const struct ftr_error *later)
{
	if (!err->code)
		*err = *later;
	else if (later->code)
		s->plan.warn("%s", later->msg);
}

static void sink_release_guardian(struct record_sink *s)
{
	if (s->plan.guardian)
		guardian_let_go(s->plan.guardian);
}

int sink_finish(struct record_sink *s, const struct captured_meta *c, struct ftr_error *err)
{
	struct outfile *out = s->plan.out;
	struct ftr_error later = {0};
	int ret = s->ops->finish(s, c, &later);
	bool copied;

	if (s->sent) {
		if (ret)
			sink_keep_first_error(s, err, &later);
		/* the receiver has all data of the file */
		sink_release_guardian(s);
		return 0;
	}
	ret = sink_check_symbols(s, ret, &later);
	if (ret) {
		/* whatever the error was: there may have been no inode for a copy */
		later.code = FTR_DAMAGED;
		sink_keep_first_error(s, err, &later);
	}
	if (ret < 0) {
		s->ops->give_up(s);
		sink_release_guardian(s);
		return -1;
	}
	/* after a copy, the file that was recorded into is no longer the recording */
	copied = out->spool_path;
	if (copied)
		sink_release_guardian(s);
	ret = out->part_path ? outfile_commit(out, &later) : 0;
	if (!copied)
		sink_release_guardian(s);
	if (!ret)
		return 0;
	later.code = FTR_DAMAGED;
	sink_keep_first_error(s, err, &later);
	return -1;
}

int sink_leave_skeleton(struct record_sink *s, const struct captured_meta *c, struct ftr_error *err)
{
	if (!s->w)
		return err_set(err, FTR_FAILED, "cannot record into '%s': no sparse files there",
			       s->plan.path);
	sink_write_sections(s, c);
	if (!dat_write_error(s->w)->code)
		return 0;
	*err = *dat_write_error(s->w);
	return -1;
}

const char *sink_name(const struct record_sink *s)
{
	return s->sent ? s->plan.sent_to : s->plan.path;
}

void sink_inherit(struct record_sink *next, struct meta_capture *c, struct record_sink *from)
{
	capture_learn(c, &from->data.comms, &from->data.formats);
	/* the formats have another order than those in the skeleton */
	next->formats_written = SIZE_MAX;
	buf_release(&next->symbols_packed);
	next->symbols_packed = from->symbols_packed;
	next->symbols_packed_of = from->symbols_packed_of;
	from->symbols_packed = (struct buf){0};
}

void sink_totals(const struct record_sink *s, struct sink_totals *out)
{
	*out = s->data.totals;
}

const struct strv *sink_notes(const struct record_sink *s)
{
	return &s->data.notes;
}

void sink_free(struct record_sink *s)
{
	if (!s)
		return;
	sync_stop(&s->sync);
	sink_flows_free(s->flows);
	follow_free(s->follow);
	pack_free(s->pack);
	dat_abort(s->w);
	dat_spool_release(&s->spool);
	buf_release(&s->symbols_packed);
	recorded_data_release(&s->data);
	free(s->layouts);
	free(s->recs);
	free(s);
}
