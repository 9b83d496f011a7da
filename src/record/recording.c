/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The order of a recording: set up, let the command run, put back, write. */
#include "record/recording.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dir_file.h"
#include "base/now.h"
#include "base/sig.h"
#include "record/capture/capture_filters.h"
#include "record/capture/clock_offset.h"
#include "record/capture/clock_tsc.h"
#include "record/cpu/live_recording.h"
#include "record/flight.h"
#include "record/recording_priv.h"
#include "record/setup/own_activity.h"
#include "record/setup/stop_trigger.h"
#include "record/silence.h"
#include "record/summary.h"

/* How often a full disk is looked for. */
#define TICK_NS 500000000

/* A later error does not replace the first. */
void rec_keep_first(struct ftr_error *err, const struct ftr_error *later, const struct rec_plan *p)
{
	if (!err->code)
		*err = *later;
	else if (later->code)
		p->warn("%s", later->msg);
}

/* ---- before anything is changed ---- */

/* Before the command, which must not come between where standard output is ours. */
static int open_output(struct recording *r, struct ftr_error *err)
{
	if (r->p->live)
		return 0;
	if (r->p->rotate) {
		series_begin(&r->series, r->p->out_path);
		r->f.path = series_next(&r->series, r->p->out_path);
	} else {
		r->f.path = xstrdup(r->p->out_path);
	}
	r->f.out = xcalloc(1, sizeof(*r->f.out));
	return sink_open_output(r->f.out, &r->send, r->f.path, r->p->to_stdout, r->p->listener,
				err);
}

static int open_recording(struct recording *r, struct ftr_error *err)
{
	if (child_signals_init(err) || open_output(r, err))
		return -1;
	if (r->p->argv && child_fork(&r->child, r->p->argv, r->p->user, err))
		return -1;
	if (tfs_open(&r->tfs, err))
		return -1;
	r->has_tfs = true;
	if (setup_resolve(&r->up, r->p, &r->tfs, err))
		return -1;
	return stop_resolve(r->p, &r->tfs, err);
}

static bool has_main(const struct recording *r)
{
	size_t i;

	for (i = 0; i < r->up.places.n; i++)
		if (r->up.places.v[i].buf == r->p->bufs)
			return true;
	return false;
}

/*
 * The main buffer is the file's, wherever it was; instances keep their names. Where nothing but
 * markers is taken from the top level that is "top", or the main buffer if there is no other.
 */
static const char *file_name_of(const struct recording *r, const struct rec_place *at)
{
	if (at->buf && at->buf != r->p->bufs)
		return at->instance;
	return !at->buf && has_main(r) ? "top" : "";
}

static void note_command(struct recording *r)
{
	struct buf words = {0};
	size_t i;

	if (!r->p->argv)
		return;
	for (i = 0; r->p->argv[i]; i++)
		buf_printf(&words, "%s%s", i ? " " : "", r->p->argv[i]);
	capture_note(r->f.capture, "command", words.data);
	capture_comm(r->f.capture, r->child.pid, place_base(r->p->argv[0]));
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
		capture_tsc2nsec(r->f.capture, &scale);
	}
	if (!r->p->date)
		return 0;
	clock = apply_clock(&r->tfs, b);
	ret = date_offset_us(r->session, clock, &us, err);
	if (!ret)
		capture_date(r->f.capture, us);
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

static void warn_of_own_writing(const struct recording *r)
{
	struct strv enabled = {0};
	struct buf text = {0};

	list_enabled(r, &enabled);
	if (near_traced(r->p, r->f.out->fd, &enabled, &text))
		r->p->warn("%s", text.data);
	strv_release(&enabled);
	buf_release(&text);
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

static struct sink *make_sink(struct recording *r)
{
	const struct rec_plan *p = r->p;
	struct sink_plan plan = {
		.out = r->f.out, .path = r->f.path, .version = p->file_version,
		.packing = &p->packing, .keep_bytes = p->keep_bytes, .sync_ns = p->sync_ns,
		.flight = p->flight_kb, .send = r->send, .consume = p->to_stdout,
		.sent_to = p->to_stdout ? "standard output" : p->listener,
		.session = r->session, .guardian = r->guardian, .warn = p->warn,
	};

	return sink_new(&plan);
}

int rec_make_file(struct recording *r, struct ftr_error *err)
{
	struct strv enabled = {0};

	list_enabled(r, &enabled);
	r->f.capture = capture_new(&r->tfs, &enabled, err);
	strv_release(&enabled);
	if (!r->f.capture)
		return -1;
	note_command(r);
	if (wants_maps(r->p))
		capture_want_maps(r->f.capture);
	if (r->p->btf)
		capture_want_btf(r->f.capture);
	r->f.sink = make_sink(r);
	return add_clocks(r, err);
}

/* ---- setting up ---- */

/* For the file. The caller frees. */
static struct lane_buffer *describe_buffers(const struct recording *r)
{
	struct lane_buffer *bufs = xcalloc(r->up.places.n + 1, sizeof(*bufs));
	size_t i;

	for (i = 0; i < r->up.places.n; i++) {
		const struct rec_place *at = &r->up.places.v[i];

		bufs[i].name = file_name_of(r, at);
		bufs[i].instance = at->instance ? at->instance : "";
		bufs[i].rec = r->f.recs[i];
		bufs[i].flight = r->p->flight_kb || at->swaps;
		bufs[i].swaps = at->swaps;
	}
	return bufs;
}

static struct recorder *make_recorder(struct recording *r, const char *instance,
				      struct ftr_error *err)
{
	char *number = xasprintf("%u", r->nr_recs++);
	char *batches = session_beside(r->session, number);
	struct recorder_opts opts = {
		.no_splice = r->p->no_splice,
		.batch_path = batches,
		.sleep_ns = r->p->sleep_ns,
		.budget = r->f.budget,
		.rt_prio = r->p->rt_prio,
	};
	struct recorder *rec = recorder_new(&r->tfs, instance, r->f.out->path, &opts, err);

	free(batches);
	free(number);
	return rec;
}

/* After the tracer is set: the kernel refuses to change it while trace_pipe_raw is open. */
int rec_make_recorders(struct recording *r, struct ftr_error *err)
{
	struct lane_buffer *bufs;
	size_t i, n = r->up.places.n;
	int ret;

	r->f.recs = xcalloc(n, sizeof(*r->f.recs));
	if (r->p->max_size)
		r->f.budget = budget_new(r->p->max_size, r->p->rotate);
	for (i = 0; i < n; i++) {
		r->f.recs[i] = make_recorder(r, r->up.places.v[i].instance, err);
		if (!r->f.recs[i])
			return -1;
	}
	bufs = describe_buffers(r);
	ret = sink_place(r->f.sink, r->f.capture, bufs, n, err);
	free(bufs);
	return ret;
}

int rec_start_recorders(struct recording *r, struct ftr_error *err)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < r->up.places.n && !ret && !r->p->flight_kb; i++)
		if (!r->up.places.v[i].swaps)
			ret = recorder_start(r->f.recs[i], err);
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
						r->up.places.v[i].instance,
						r->up.places.v[i].swaps };
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

static int set_up_recording(struct recording *r, struct ftr_error *err)
{
	r->session = session_open(&r->tfs, err);
	if (!r->session)
		return -1;
	r->guardian = guardian_start(r->f.out, err);
	if (!r->guardian || where_choose(r->session, r->p, &r->up.places, err))
		return -1;
	if (!r->p->live && rec_make_file(r, err))
		return -1;
	if (!r->p->live)
		warn_of_own_writing(r);
	if (apply_plan(r, err))
		return -1;
	where_find_swaps(&r->up.places, &r->tfs, r->p->live ? NULL : r->p->say);
	if (r->p->live ? begin_live(r, err) :
			 rec_make_recorders(r, err) || rec_start_recorders(r, err))
		return -1;
	watch_begin(&r->watch, r->p, &r->tfs, &r->up.places, r->f.recs, r->f.budget);
	return 0;
}

/* A signal that came while we set up: nothing has run yet, and nothing shall. */
static int check_interrupted(struct ftr_error *err)
{
	int sig = sig_held();

	return sig ? err_set(err, 128 + sig, "interrupted (%s) before tracing began",
			     strsignal(sig)) : 0;
}

/* ---- running ---- */

int rec_start_capture(struct recording *r, struct ftr_error *err)
{
	struct capture_hooks hooks;

	sink_hooks(r->f.sink, &hooks);
	return capture_start(r->f.capture, &hooks, err) || sink_begin(r->f.sink, err) ? -1 : 0;
}

/* Only once all our threads run are their numbers known. */
static int hide_ourselves(struct recording *r, struct ftr_error *err)
{
	size_t i;
	int ret = 0;

	for (i = 0; !ret && plan_hides_us(r->p) && i < r->up.places.n; i++)
		if (r->up.places.v[i].buf)
			ret = self_hide(r->session, r->up.places.v[i].instance,
					guardian_pid(r->guardian), err);
	return ret;
}

void rec_note_begin(struct recording *r)
{
	const struct rec_place *at;
	size_t i;

	for (i = 0; r->f.capture && i < r->up.places.n; i++) {
		at = &r->up.places.v[i];
		/* our own threads are among them by now */
		filters_note(r->f.capture, file_name_of(r, at), at->instance);
		capture_begin(r->f.capture, file_name_of(r, at), at->instance);
	}
}

/* A command: only now it is not a copy of ourselves any more. */
void rec_follow(struct recording *r)
{
	pid_t *pids = xcalloc(r->p->pids.n + 1, sizeof(*pids));
	size_t i, n = 0;

	if (r->child.pid)
		pids[n++] = r->child.pid;
	for (i = 0; i < r->p->pids.n; i++)
		pids[n++] = atoi(r->p->pids.v[i]);
	if (r->f.capture)
		capture_follow(r->f.capture, pids, n, r->p->children);
	free(pids);
}

static int begin_tracing(struct recording *r, struct ftr_error *err)
{
	if (check_interrupted(err) || (!r->p->live && rec_start_capture(r, err)) ||
	    hide_ourselves(r, err))
		return -1;
	if (apply_tracing_on(r->session, &r->up.places, true, err))
		return -1;
	r->begin_ns = r->watch.begin.ns = now_ns();
	rec_note_begin(r);
	if (r->f.capture && plan_has_threads(r->p))
		capture_name_tasks(r->f.capture);
	if (!r->p->argv && !r->p->live)
		r->p->say("recording%s; Ctrl-C ends it",
			  r->p->duration_ns ? " until the time is over" : "");
	if (r->p->argv && child_release(&r->child, err))
		return -1;
	r->running = r->p->argv;
	rec_follow(r);
	return 0;
}

static bool some_failed(const struct recording *r)
{
	size_t i;

	if (r->f.sink && sink_failed(r->f.sink))
		return true;
	for (i = 0; r->f.recs && i < r->up.places.n; i++)
		if (recorder_failed(r->f.recs[i]))
			return true;
	return false;
}

/* True when whoever takes the data wants no more of it. */
static bool live_ended(struct recording *r, bool last, struct ftr_error *err)
{
	struct ftr_error later = {0};
	int ret = r->p->live ? r->p->live->round(r->p->live->ctx, last, &later) : 0;

	if (ret < 0)
		rec_keep_first(err, &later, r->p);
	return ret;
}

/* ---- afterwards ---- */

/* Nothing was read so far. */
static void end_flight(struct recording *r, struct ftr_error *err)
{
	struct ftr_error later = {0};

	watch_count(&r->watch);
	r->kept_ns = flight_kept_ns(&r->watch.load, r->end_ns);
	if (!flight_take(r->f.recs, &r->up.places, &later))
		return;
	later.code = FTR_DAMAGED;
	rec_keep_first(err, &later, r->p);
}

static void say_left_out(struct recording *r)
{
	struct buf text = {0};

	if (r->f.recs && summary_left_out(r->f.recs, r->up.places.n, &text)) {
		r->p->say("%s", text.data);
		r->calls = true;
	}
	buf_release(&text);
}

static void stop_recorders(struct recording *r, struct ftr_error *err)
{
	struct ftr_error later = {0};
	size_t i;

	if (apply_tracing_on(r->session, &r->up.places, false, &later))
		rec_keep_first(err, &later, r->p);
	r->end_ns = now_ns();
	live_ended(r, true, err);
	sink_halt(r->f.sink);
	if (r->p->flight_kb && r->f.recs)
		end_flight(r, err);
	if (r->p->live)
		r->p->live->end(r->p->live->ctx);
	for (i = 0; r->f.recs && i < r->up.places.n; i++) {
		if (!recorder_stop(r->f.recs[i], &later))
			continue;
		later.code = FTR_DAMAGED;
		rec_keep_first(err, &later, r->p);
	}
	say_left_out(r);
	if (r->f.sink)
		sink_flush(r->f.sink);
	watch_count(&r->watch);
}

static void put_back_settings(struct recording *r, struct ftr_error *err)
{
	struct ftr_error later = {0};

	if (!r->session)
		return;
	if (r->p->keep && r->end_ns) {
		apply_tracing_on(r->session, &r->up.places, true, NULL);
		if (session_stand(r->session, &later))
			rec_keep_first(err, &later, r->p);
	}
	if (session_close(r->session, &later))
		rec_keep_first(err, &later, r->p);
	r->session = NULL;
}

static void restore_run(void *arg)
{
	struct recording *r = arg;

	put_back_settings(r, &r->restore_err);
}

/*
 * The kernel waits for each CPU to have passed through the scheduler whenever an event, a pid
 * filter or a buffer changes, which takes a while beside the writing of much data: the file is
 * completed meanwhile. With --keep what is set up now comes first.
 */
static void begin_restore(struct recording *r)
{
	if (r->p->keep || worker_start(&r->restoring, "ftr-restore", 0, restore_run, r,
				       "puts tracefs back", NULL))
		restore_run(r);
}

static void end_restore(struct recording *r, struct ftr_error *err)
{
	worker_stop(&r->restoring);
	if (r->restore_err.code)
		rec_keep_first(err, &r->restore_err, r->p);
}

/* What the buffers hold from here on is not of this recording, whoever completes it. */
static void all_is_taken(struct recording *r)
{
	guardian_all_taken(r->guardian);
	if (r->f.sink)
		sink_all_taken(r->f.sink);
}

/* What the kernel and /proc tell while tracefs is as it was recorded with. */
void rec_end_capture(struct recording *r, bool last)
{
	struct lane_buffer *bufs = describe_buffers(r);

	r->f.captured = capture_end(r->f.capture, bufs, r->up.places.n, last);
	r->f.capture = NULL;
	free(bufs);
}

static void say_notes(const struct recording *r, const struct strv *notes)
{
	size_t i;

	for (i = 0; i < notes->n; i++)
		r->p->say("%s", notes->v[i]);
}

void rec_write_out(struct recording *r, struct ftr_error *err)
{
	r->written = !sink_finish(r->f.sink, r->f.captured, err);
	say_notes(r, &r->f.captured->notes);
	say_notes(r, sink_notes(r->f.sink));
}

void rec_file_release(const struct recording *r, struct rec_file *f)
{
	size_t i;

	capture_free(f->capture);
	captured_free(f->captured);
	sink_free(f->sink);
	for (i = 0; f->recs && i < r->up.places.n; i++)
		recorder_free(f->recs[i]);
	free(f->recs);
	budget_free(f->budget);
	if (f->out)
		outfile_release(f->out);
	free(f->out);
	free(f->path);
	*f = (struct rec_file){0};
}

static bool bound_reached(struct recording *r, struct ftr_error *err)
{
	if (!watch_round(&r->watch))
		return false;
	return !r->watch.full || rec_next_file(r, err);
}

/* Until the command ends, a signal, the time is over, or the data can't be written. */
static void watch_until_end(struct recording *r, struct ftr_error *err)
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
		 !bound_reached(r, err));
	watch_over(&r->watch);
	if (!r->p->live)
		silence_look(&r->tfs, &r->up, r->watch.why, &r->off);
	if (ev == CHILD_EXITED || ev == CHILD_STOP)
		r->running = false;
	if (ev == CHILD_STOP && r->p->argv)
		r->status = 128 + signo;
}

/* The recording ended before the command: its exit status is ours all the same. */
static void reap_command(struct recording *r)
{
	int signo = 0;

	if (r->running && child_wait(&r->child, 0, 0, &r->status, &signo) == CHILD_STOP)
		r->status = 128 + signo;
	r->running = false;
}

/* A file without events says why by itself. */
static void warn_of_tracer(const struct recording *r, const struct recorded *what)
{
	struct buf text = {0};

	if (!summary_lacks_calls(what))
		return;
	silence_of_tracer(&r->up, r->child.had_children, r->off.len, &text);
	r->p->warn("%s", text.data);
	buf_release(&text);
}

static void tell_result(const struct recording *r, struct record_result *res, struct ftr_error *err)
{
	struct ftr_error later = {0};
	struct buf tasks = {0};
	struct recorded what = {
		.p = r->p, .captured = r->f.captured, .sink = r->f.sink, .up = &r->up,
		.load = &r->watch.load, .kept_ns = r->kept_ns, .lost = r->lost, .calls = r->calls,
		.name = sink_name(r->f.sink),
	};
	const char *off = r->off.len ? r->off.data : NULL;
	bool lost = summary_write(&what, res), empty = !lost && summary_is_empty(&what);

	if (lost)
		err_set(&later, FTR_DAMAGED, "%s", res->advice.data);
	silence_of_tasks(r->p, r->child.had_children, &tasks);
	if (empty)
		err_set(&later, FTR_DAMAGED, "'%s' has no events: %s%s%s", what.name,
			off ? off : "nothing of what was asked for came",
			tasks.len && !off ? "; " : "", tasks.len && !off ? tasks.data : "");
	else if (off)
		r->p->say("%s", off);
	if (!empty)
		warn_of_tracer(r, &what);
	buf_release(&tasks);
	if (later.code && r->p->strict) {
		buf_reset(&res->advice);
		rec_keep_first(err, &later, r->p);
	} else if (empty) {
		r->p->warn("%s", later.msg);
	}
}

/* Its threads read what the recorders write, and those of the capture write into it. */
static void release_sink(struct recording *r)
{
	sink_halt(r->f.sink);
	capture_free(r->f.capture);
	captured_free(r->f.captured);
	sink_free(r->f.sink);
	r->f.capture = NULL;
	r->f.captured = NULL;
	r->f.sink = NULL;
}

static void release_recording(struct recording *r)
{
	release_sink(r);
	send_free(r->send);
	rec_file_release(r, &r->f);
	series_release(&r->series);
	watch_release(&r->watch);
	buf_release(&r->off);
	setup_release(&r->up);
	if (r->has_tfs)
		tfs_close(&r->tfs);
	guardian_end(r->guardian);
}

/* Before the command ran our own failures must not look like its exit status. */
static int give_up_setup(struct recording *r, struct ftr_error *err)
{
	size_t i;

	if (r->child.pid)
		child_cancel(&r->child);
	if (r->begin_ns)
		apply_tracing_on(r->session, &r->up.places, false, NULL);
	release_sink(r);
	/* Their open files would keep the tracer and the instance from being put back. */
	for (i = 0; r->f.recs && i < r->up.places.n; i++) {
		recorder_free(r->f.recs[i]);
		r->f.recs[i] = NULL;
	}
	if (r->p->live)
		r->p->live->end(r->p->live->ctx);
	put_back_settings(r, err);
	guardian_all_taken(r->guardian);
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
	if (open_recording(&r, err) || set_up_recording(&r, err) || begin_tracing(&r, err)) {
		status = give_up_setup(&r, err);
		goto out;
	}
	/* What could be done without is no error of the run. */
	memset(err, 0, sizeof(*err));
	watch_until_end(&r, err);
	stop_recorders(&r, err);
	res->ns = r.end_ns - r.begin_ns;
	if (!p->live)
		rec_end_capture(&r, true);
	all_is_taken(&r);
	begin_restore(&r);
	if (!p->live)
		rec_write_out(&r, err);
	end_restore(&r, err);
	if (r.written)
		tell_result(&r, res, err);
	reap_command(&r);
	status = r.status;
	if (err->code == FTR_DAMAGED || !status)
		status = err->code;
out:
	release_recording(&r);
	return status;
}
