/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The order of a recording: set up, let the command run, put back, write. */
#include "record/record.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/sig.h"
#include "base/text.h"
#include "record/child.h"
#include "record/date.h"
#include "record/flight.h"
#include "record/guardian.h"
#include "record/live.h"
#include "record/meta.h"
#include "record/orphan.h"
#include "record/outfile.h"
#include "record/recorder.h"
#include "record/self.h"
#include "record/setup.h"
#include "record/stop.h"
#include "record/tsc.h"
#include "record/watch.h"

/* How often a full disk is looked for. */
#define TICK_NS 200000000

struct recording {
	const struct rec_plan *p;
	struct child child;
	struct outfile out;
	struct tfs tfs;
	bool has_tfs;
	struct session *session;
	struct guardian *guardian;
	struct rec_setup up;
	struct meta *meta;
	struct recorder **recs;		/* one a place, NULL = not made yet */
	struct watch watch;
	uint64_t kept_ns;		/* --flight: so long do the buffers reach back, 0 = all */
	uint64_t begin_ns, end_ns;	/* of recording */
	int  status;			/* the exit status so far */
	bool running;			/* the command was let go and has not ended */
	bool written;			/* the file has its name */
};

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* A later error does not replace the first. */
static void keep_first(struct ftr_error *err, const struct ftr_error *later,
		       const struct rec_plan *p)
{
	if (!err->code)
		*err = *later;
	else if (later->code)
		p->warn("%s", later->msg);
}

/* ---- before anything is changed ---- */

static int open_all(struct recording *r, struct ftr_error *err)
{
	if (child_signals_init(err))
		return -1;
	if (r->p->argv && child_fork(&r->child, r->p->argv, r->p->user, err))
		return -1;
	if (!r->p->live && outfile_open(&r->out, r->p->out_path, err))
		return -1;
	if (tfs_open(&r->tfs, true, err))
		return -1;
	r->has_tfs = true;
	if (r->tfs.mounted_by_us)
		r->p->say("mounted tracefs at '%s'", r->tfs.path);
	if (setup_resolve(&r->up, r->p, &r->tfs, err))
		return -1;
	return stop_resolve(r->p, &r->tfs, err);
}

/* The main buffer is the file's, wherever it was; instances keep their names. */
static const char *file_name_of(const struct recording *r, const struct rec_place *at)
{
	return at->buf == r->p->bufs ? "" : at->buf ? at->instance : "top";
}

static void note_command(struct recording *r)
{
	struct buf words = {0};
	size_t i;

	if (!r->p->argv)
		return;
	for (i = 0; r->p->argv[i]; i++)
		buf_printf(&words, "%s%s", i ? " " : "", r->p->argv[i]);
	meta_note(r->meta, "command", words.data);
	meta_comm(r->meta, r->child.pid, file_name(r->p->argv[0]));
	buf_release(&words);
}

static int add_clocks(struct recording *r, struct ftr_error *err)
{
	const struct rec_buffer *b = &r->p->bufs[0];
	struct tsc_scale scale;
	char *clock;
	int64_t us;
	int ret;

	if (b->tsc2nsec) {
		if (tsc_scale_read(&scale, err))
			return -1;
		meta_tsc2nsec(r->meta, &scale);
	}
	if (!r->p->date)
		return 0;
	clock = apply_clock(&r->tfs, b);
	ret = date_offset_us(&r->tfs, clock, &us, err);
	if (!ret)
		meta_date(r->meta, us);
	free(clock);
	return ret;
}

static void list_enabled(const struct recording *r, struct strv *out)
{
	size_t i, j;

	for (i = 0; i < r->p->nr_bufs; i++)
		for (j = 0; j < r->up.sel[i].n; j++)
			if (r->up.sel[i].v[j].on)
				strv_add(out, r->up.sel[i].v[j].path);
	strv_sort_unique(out);
}

/* Addresses of user stacks mean nothing without. */
static bool wants_maps(const struct rec_plan *p)
{
	size_t i;

	for (i = 0; i < p->nr_bufs; i++)
		if (strv_has(&p->bufs[i].options, "userstacktrace"))
			return p->argv || p->pids.n;
	return p->proc_map;
}

static int make_meta(struct recording *r, struct ftr_error *err)
{
	struct strv enabled = {0};

	list_enabled(r, &enabled);
	r->meta = meta_new(&r->tfs, &enabled, err);
	strv_release(&enabled);
	if (!r->meta)
		return -1;
	note_command(r);
	if (wants_maps(r->p))
		meta_maps(r->meta);
	if (r->p->btf)
		meta_btf(r->meta);
	return add_clocks(r, err);
}

/* ---- setting up ---- */

/* For the file. The caller frees. */
static struct meta_buffer *describe_buffers(const struct recording *r)
{
	struct meta_buffer *bufs = xcalloc(r->up.places.n + 1, sizeof(*bufs));
	size_t i;

	for (i = 0; i < r->up.places.n; i++) {
		const struct rec_place *at = &r->up.places.v[i];

		bufs[i].name = file_name_of(r, at);
		bufs[i].instance = at->instance ? at->instance : "";
		bufs[i].rec = r->recs[i];
		bufs[i].flight = r->p->flight_kb;
	}
	return bufs;
}

/* After the tracer is set: the kernel refuses to change it while trace_pipe_raw is open. */
static int make_recorders(struct recording *r, struct ftr_error *err)
{
	struct recorder_opts opts = {
		.no_splice = r->p->no_splice,
		.sleep_ns = r->p->sleep_ns,
		.rt_prio = r->p->rt_prio,
	};
	struct meta_buffer *bufs;
	size_t i, n = r->up.places.n;
	int ret;

	r->recs = xcalloc(n, sizeof(*r->recs));
	for (i = 0; i < n; i++) {
		r->recs[i] = recorder_new(&r->tfs, r->up.places.v[i].instance, r->out.path, &opts,
					  err);
		if (!r->recs[i])
			return -1;
	}
	bufs = describe_buffers(r);
	ret = meta_spool(r->meta, bufs, n, r->out.fd, r->p->out_path, err);
	if (!ret && meta_spooled(r->meta))
		ret = orphan_note(r->session, r->out.part_path, r->out.path, bufs, n, err);
	free(bufs);
	for (i = 0; i < n && !ret && meta_spooled(r->meta); i++)
		ret = guardian_watch(r->guardian, r->recs[i], r->up.places.v[i].instance, err);
	for (i = 0; i < n && !ret && !r->p->flight_kb; i++)
		ret = recorder_start(r->recs[i], err);
	return ret;
}

/* Instead of recorders: somebody else reads. */
static int begin_live(struct recording *r, struct ftr_error *err)
{
	struct live_buffer *bufs = xcalloc(r->up.places.n, sizeof(*bufs));
	struct strv enabled = {0};
	size_t i;
	int ret;

	for (i = 0; i < r->up.places.n; i++)
		bufs[i] = (struct live_buffer){ file_name_of(r, &r->up.places.v[i]),
						r->up.places.v[i].instance };
	list_enabled(r, &enabled);
	ret = r->p->live->begin(r->p->live->ctx, &r->tfs, bufs, r->up.places.n, &enabled, err);
	strv_release(&enabled);
	free(bufs);
	return ret;
}

static int apply_plan(struct recording *r, struct ftr_error *err)
{
	const struct rec_places *pl = &r->up.places;

	if (setup_apply(&r->up, r->session, r->child.pid, err))
		return -1;
	if (r->p->flight_kb && flight_prepare(r->session, r->p, pl, err))
		return -1;
	return stop_arm(r->session, r->p, pl, err);
}

static int set_up(struct recording *r, struct ftr_error *err)
{
	r->session = session_open(&r->tfs, err);
	if (!r->session)
		return -1;
	r->guardian = guardian_start(r->p->live ? NULL : &r->out, err);
	if (!r->guardian || where_choose(r->session, r->p, &r->up.places, err))
		return -1;
	if (!r->p->live && make_meta(r, err))
		return -1;
	if (apply_plan(r, err) || (r->p->live ? begin_live(r, err) : make_recorders(r, err)))
		return -1;
	watch_begin(&r->watch, r->p, &r->tfs, &r->up.places, r->recs);
	return 0;
}

/* A signal that came while we set up: nothing has run yet, and nothing shall. */
static int interrupted(struct ftr_error *err)
{
	int sig = sig_held();

	return sig ? err_set(err, 128 + sig, "interrupted (%s) before tracing began",
			     strsignal(sig)) : 0;
}

/* ---- running ---- */

/* Only once all our threads run are their numbers known. */
static int hide_ourselves(struct recording *r, struct ftr_error *err)
{
	size_t i;
	int ret = 0;

	for (i = 0; !ret && !r->p->no_filter && i < r->up.places.n; i++)
		if (r->up.places.v[i].buf)
			ret = self_hide(r->session, r->up.places.v[i].instance,
					guardian_pid(r->guardian), err);
	return ret;
}

static void note_begin(struct recording *r)
{
	const struct rec_place *at;
	size_t i;

	for (i = 0; r->meta && i < r->up.places.n; i++) {
		at = &r->up.places.v[i];
		meta_begin(r->meta, file_name_of(r, at), at->instance);
	}
}

/* A command: only now it is not a copy of ourselves any more. */
static void follow(struct recording *r)
{
	pid_t *pids = xcalloc(r->p->pids.n + 1, sizeof(*pids));
	size_t i, n = 0;

	if (r->child.pid)
		pids[n++] = r->child.pid;
	for (i = 0; i < r->p->pids.n; i++)
		pids[n++] = atoi(r->p->pids.v[i]);
	if (r->meta)
		meta_follow(r->meta, pids, n, r->p->children);
	free(pids);
}

static int go(struct recording *r, struct ftr_error *err)
{
	if (interrupted(err) || (r->meta && meta_start(r->meta, err)) || hide_ourselves(r, err))
		return -1;
	if (apply_tracing_on(r->session, &r->up.places, true, err))
		return -1;
	r->begin_ns = r->watch.begin.ns = now_ns();
	note_begin(r);
	if (!r->p->argv && !r->p->live)
		r->p->say("recording%s; Ctrl-C ends it",
			  r->p->duration_ns ? " until the time is over" : "");
	if (r->p->argv && child_release(&r->child, err))
		return -1;
	r->running = r->p->argv;
	follow(r);
	return 0;
}

static bool some_failed(const struct recording *r)
{
	size_t i;

	for (i = 0; r->recs && i < r->up.places.n; i++)
		if (recorder_failed(r->recs[i]))
			return true;
	return false;
}

/* True when whoever takes the data wants no more of it. */
static bool live_ended(struct recording *r, bool last, struct ftr_error *err)
{
	struct ftr_error later = {0};
	int ret = r->p->live ? r->p->live->round(r->p->live->ctx, last, &later) : 0;

	if (ret < 0)
		keep_first(err, &later, r->p);
	return ret;
}

/* Until the command ends, a signal, the time is over, or the data can't be written. */
static void wait_for_end(struct recording *r, struct ftr_error *err)
{
	uint64_t tick = watch_tick_ns(&r->watch, r->p->live ? r->p->live->every_ns : TICK_NS);
	uint64_t left = r->p->duration_ns, spent;
	enum child_event ev;
	int signo = 0;

	do {
		ev = child_wait(&r->child, left, tick, &r->status, &signo);
		spent = now_ns() - r->begin_ns;
		if (left)
			left = spent < r->p->duration_ns ? r->p->duration_ns - spent : 1;
	} while (ev == CHILD_TICK && !some_failed(r) && !live_ended(r, false, err) &&
		 !watch_round(&r->watch));
	watch_over(&r->watch);
	if (ev == CHILD_EXITED || ev == CHILD_STOP)
		r->running = false;
	if (ev == CHILD_STOP && r->p->argv)
		r->status = 128 + signo;
}

/* The recording ended before the command: its exit status is ours all the same. */
static void wait_for_command(struct recording *r)
{
	int signo = 0;

	if (r->running && child_wait(&r->child, 0, 0, &r->status, &signo) == CHILD_STOP)
		r->status = 128 + signo;
	r->running = false;
}

/* ---- afterwards ---- */

/* Nothing was read so far. */
static void end_flight(struct recording *r, struct ftr_error *err)
{
	struct ftr_error later = {0};

	watch_count(&r->watch);
	r->kept_ns = flight_kept_ns(&r->watch.load, r->end_ns);
	if (!flight_take(r->recs, r->up.places.n, &later))
		return;
	later.code = FTR_DAMAGED;
	keep_first(err, &later, r->p);
}

static void stop_recorders(struct recording *r, struct ftr_error *err)
{
	struct ftr_error later = {0};
	size_t i;

	if (apply_tracing_on(r->session, &r->up.places, false, &later))
		keep_first(err, &later, r->p);
	r->end_ns = now_ns();
	live_ended(r, true, err);
	if (r->p->flight_kb && r->recs)
		end_flight(r, err);
	if (r->p->live)
		r->p->live->end(r->p->live->ctx);
	for (i = 0; r->recs && i < r->up.places.n; i++) {
		if (!recorder_stop(r->recs[i], &later))
			continue;
		later.code = FTR_DAMAGED;
		keep_first(err, &later, r->p);
	}
	watch_count(&r->watch);
}

static void put_back(struct recording *r, struct ftr_error *err)
{
	struct ftr_error later = {0};

	if (!r->session)
		return;
	if (r->p->keep && r->end_ns) {
		apply_tracing_on(r->session, &r->up.places, true, NULL);
		if (session_stand(r->session, &later))
			keep_first(err, &later, r->p);
	}
	if (session_close(r->session, &later))
		keep_first(err, &later, r->p);
	r->session = NULL;
	guardian_put_back(r->guardian);
}

/* What the kernel and /proc tell while tracefs is as it was recorded with. */
static void finish_meta(struct recording *r)
{
	struct meta_buffer *bufs = describe_buffers(r);

	meta_finish(r->meta, bufs, r->up.places.n);
	free(bufs);
}

/* There is no finished file: the data stays as it was recorded. */
static void keep_data(struct recording *r)
{
	struct strv names = {0};
	size_t i;

	if (meta_spooled(r->meta)) {
		r->p->warn("the recording is in '%s', not finished: 'ftr recover' can do that",
			   outfile_keep(&r->out));
		return;
	}
	for (i = 0; i < r->up.places.n; i++)
		recorder_keep(r->recs[i], &names);
	for (i = 0; i < names.n; i++)
		r->p->warn("raw data of a CPU is left in '%s'", names.v[i]);
	strv_release(&names);
}

/* Where the parts of the file can't be joined in place. */
static int copy_if_needed(struct recording *r, struct ftr_error *err)
{
	if (!meta_spooled(r->meta) || meta_joins(r->meta))
		return 0;
	meta_seal(r->meta);
	return outfile_begin_copy(&r->out, err);
}

/* What was recorded into is no longer the recording when it was copied. */
static int name_file(struct recording *r, struct ftr_error *err)
{
	if (r->out.spool_path)
		guardian_let_go(r->guardian);
	return outfile_commit(&r->out, err);
}

static void write_file(struct recording *r, struct ftr_error *err)
{
	struct ftr_error later = {0};
	const struct strv *notes;
	int ret;
	size_t i;

	ret = copy_if_needed(r, &later);
	if (!ret)
		ret = meta_write(r->meta, r->out.fd, r->p->out_path, &later);
	if (ret)
		keep_first(err, &later, r->p);
	if (ret < 0) {
		keep_data(r);
	} else if (name_file(r, &later)) {
		later.code = FTR_DAMAGED;
		keep_first(err, &later, r->p);
	} else {
		r->written = true;
	}
	notes = meta_notes(r->meta);
	for (i = 0; notes && i < notes->n; i++)
		r->p->say("%s", notes->v[i]);
}

void record_totals(const struct meta *m, const char *path, struct buf *out)
{
	struct meta_totals sum;

	meta_totals(m, &sum);
	buf_printf(out, "%s: %u CPU%s, ", path, sum.cpus, sum.cpus == 1 ? "" : "s");
	text_grouped(out, sum.events);
	buf_printf(out, " event%s, ", sum.events == 1 ? "" : "s");
	text_bytes(out, sum.bytes);
	buf_addstr(out, sum.lost_unknown ? ", at least " : ", ");
	text_grouped(out, sum.lost);
	buf_addstr(out, " lost");
}

/* In a flight recorder of any size some may find no place: not for want of space. */
static void advise(const struct recording *r, struct buf *out)
{
	uint64_t kb = r->p->bufs[0].size_kb ? r->p->bufs[0].size_kb : 1408;
	struct buf cpus = {0};

	load_describe_lost(&r->watch.load, !r->p->flight_kb, &cpus);
	buf_printf(out, "events were lost%s%s", cpus.len ? " on " : "",
		   cpus.len ? cpus.data : "");
	if (!r->p->flight_kb)
		buf_printf(out, ": try a larger buffer, -b %lluM",
			   (unsigned long long)(kb / 256 > 4 ? kb / 256 : 4));
	buf_release(&cpus);
}

static void sum_up(const struct recording *r, struct record_result *res, struct ftr_error *err)
{
	struct ftr_error later = {0};
	struct buf *out = &res->summary;
	struct meta_totals sum;

	meta_totals(r->meta, &sum);
	record_totals(r->meta, r->p->out_path, out);
	buf_printf(out, ", %.2fs", res->ns / 1e9);
	if (r->kept_ns)
		buf_printf(out, " of which the last %.2fs are kept", r->kept_ns / 1e9);
	setup_matched(&r->up, out);
	if (!sum.lost && !sum.lost_unknown)
		return;
	advise(r, &res->advice);
	if (!r->p->strict)
		return;
	err_set(&later, FTR_DAMAGED, "%s", res->advice.data);
	buf_reset(&res->advice);
	keep_first(err, &later, r->p);
}

static void release(struct recording *r)
{
	size_t i;

	meta_free(r->meta);
	for (i = 0; r->recs && i < r->up.places.n; i++)
		recorder_free(r->recs[i]);
	free(r->recs);
	watch_release(&r->watch);
	setup_release(&r->up);
	if (r->has_tfs)
		tfs_close(&r->tfs);
	outfile_release(&r->out);
	guardian_end(r->guardian);
}

/* Before the command ran our own failures must not look like its exit status. */
static int give_up(struct recording *r, struct ftr_error *err)
{
	size_t i;

	if (r->child.pid)
		child_cancel(&r->child);
	if (r->begin_ns)
		apply_tracing_on(r->session, &r->up.places, false, NULL);
	/* its threads read what the recorders write */
	meta_free(r->meta);
	r->meta = NULL;
	/* Their open files would keep the tracer and the instance from being put back. */
	for (i = 0; r->recs && i < r->up.places.n; i++) {
		recorder_free(r->recs[i]);
		r->recs[i] = NULL;
	}
	if (r->p->live)
		r->p->live->end(r->p->live->ctx);
	put_back(r, err);
	if (r->p->argv && err->code < CHILD_FAILED)
		err->code = CHILD_FAILED;
	return err->code;
}

int record_run(const struct rec_plan *p, struct record_result *res, struct ftr_error *err)
{
	struct recording r = { .p = p };
	int status;

	memset(err, 0, sizeof(*err));
	memset(res, 0, sizeof(*res));
	if (open_all(&r, err) || set_up(&r, err) || go(&r, err)) {
		status = give_up(&r, err);
		goto out;
	}
	/* What could be done without is no error of the run. */
	memset(err, 0, sizeof(*err));
	wait_for_end(&r, err);
	stop_recorders(&r, err);
	res->ns = r.end_ns - r.begin_ns;
	if (!p->live)
		finish_meta(&r);
	put_back(&r, err);
	if (!p->live)
		write_file(&r, err);
	if (r.written)
		sum_up(&r, res, err);
	wait_for_command(&r);
	status = r.status;
	if (err->code == FTR_DAMAGED || !status)
		status = err->code;
out:
	release(&r);
	return status;
}

void record_result_release(struct record_result *res)
{
	buf_release(&res->summary);
	buf_release(&res->advice);
}
