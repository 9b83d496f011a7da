/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The order of a recording: it is set up, the command runs, tracefs is restored, the file is
 * written.
 *
 * With --rotate the next file must start without a loss, and each file needs its own number of
 * lost events. So the recorders are changed, not the file of a recorder: a second set of
 * recorders, with a separate file, is made ready while the first set records. The threads of the
 * first set then end after the data that they hold, without draining, and those of the second set
 * start; records in between wait in the kernel's buffers. The counters of lost events are read at
 * that point. The old file is finished by the thread that otherwise watches the recording. Formats
 * and symbols, which take longest to read, move on to the new file. The guardian knows both files:
 * the data that was on its way to the first file goes there, the data that the kernel still has
 * goes to the second.
 */
#include "record/recording.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/dir_file.h"
#include "base/now.h"
#include "base/sig.h"
#include "base/text.h"
#include "base/wall_time.h"
#include "record/capture/capture.h"
#include "record/capture/clock_offset.h"
#include "record/child_command.h"
#include "record/cpu/buffer_load.h"
#include "record/cpu/live_recording.h"
#include "record/cpu/recorder.h"
#include "record/file/outfile.h"
#include "record/flight.h"
#include "record/net/send_recording.h"
#include "record/rescue/guardian.h"
#include "record/setup/choose_buffers.h"
#include "record/setup/own_activity.h"
#include "record/setup/plan.h"
#include "record/setup/plan_apply.h"
#include "record/setup/worker_thread.h"
#include "record/sink/sink.h"
#include "record/summary.h"

/* interval of checks for a full disk */
#define TICK_NS 500000000

#define SOON_NS	50000000ull /* interval of checks if the recording must end soon after an event */
#define LINE_NS	250000000ull
#define SECOND_NS 1000000000ull
#define LONG_NS (SECOND_NS * 9 / 10)	/* shortest time for a rate */
/*
 * Reading the counters of many CPUs takes long: it uses at most 1/COST of a processor, but once a
 * second in any case.
 */
#define COST 50

/* The totals at a time. */
struct watch_point {
	uint64_t ns, events, bytes;
};

enum { WATCH_POINTS = 4 };		/* points of the last second */

struct record_watch {
	const struct rec_plan *p;	/* NULL before watch_start() */
	const struct tfs *t;
	const struct rec_places *pl;
	struct recorder **recs;		/* NULL if the data is not read by recorders */
	struct file_budget *budget;		/* budget of the file, or NULL */
	struct buffer_load load;
	struct watch_point begin, points[WATCH_POINTS];
	uint64_t nr_points;
	uint64_t earlier;		/* bytes in earlier files */
	uint64_t read_ns, look_ns;	/* earliest times to read the counters, and the triggers */
	bool shown;			/* a line is shown */
	bool runaway;			/* --max-rate was exceeded */
	bool full;			/* the next file must be started */
	char *why;	/* the bound that ended the recording, in words; NULL if none did */
};

/* The file that is recorded into. */
struct rec_file {
	char *path;			/* its final name, also in messages */
	struct outfile *out;		/* NULL if the data is live */
	struct meta_capture *capture;	/* NULL when it has ended */
	const struct captured_meta *captured;	/* its result; NULL before */
	struct record_sink *sink;
	struct recorder **recs;		/* one for each place, NULL if not made yet */
	struct file_budget *budget;	/* budget of all recorders, NULL if there is no limit */
};

struct record_run {
	const struct rec_plan *p;
	struct child_command child;		/* the command */
	struct rec_file f;
	struct file_series series;		/* --rotate */
	struct send_queue *send;	/* receiver of the recording besides the file, or NULL */
	struct tfs tfs;
	bool has_tfs;			/* ->tfs is open */
	struct session *session;
	struct worker_thread restoring;	/* restores tracefs while the file is written */
	struct ftr_error restore_err;
	struct guardian *guardian;
	struct rec_setup up;
	unsigned int nr_recs;		/* number of recorders so far */
	struct record_watch watch;
	struct buf off;			/* causes of missing events, as of silence_look() */
	/* --flight: time for which all buffers have records, 0 if for all of it */
	uint64_t kept_ns;
	uint64_t begin_ns, end_ns;	/* start and end of tracing, CLOCK_MONOTONIC */
	int  status;			/* the exit status so far */
	bool running;			/* the command was started and has not ended */
	bool written;			/* the file has its final name */
	bool lost;			/* events were lost in earlier files */
	bool calls;	/* calls of functions may be in earlier files, or were left out */
	bool stuck;			/* the next file could not be made */
};

/* ---- bounds and progress */

static uint64_t watch_bytes(const struct record_watch *w)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; w->recs && i < w->pl->n; i++)
		sum += recorder_bytes(w->recs[i]);
	return sum;
}

/*
 * Starts watching, when the setup is complete and tracing is off. @recs and @budget are borrowed.
 */
static void watch_start(struct record_watch *w, const struct rec_plan *p, const struct tfs *t,
			const struct rec_places *pl, struct recorder **recs,
			struct file_budget *budget)
{
	size_t i;

	*w = (struct record_watch){ .p = p, .t = t, .pl = pl, .recs = recs,
			      .budget = budget, .load = { .t = t } };
	for (i = 0; recs && i < pl->n; i++)
		if (!pl->v[i].swaps)
			load_add(&w->load, pl->v[i].instance);
	w->begin.ns = now_ns();
	w->read_ns = w->begin.ns + SOON_NS;
}

/* Returns the interval of watch_round(), at most @ns. */
static uint64_t watch_tick_ns(const struct record_watch *w, uint64_t ns)
{
	uint64_t want = ns;

	if (stop_given(w->p) || w->p->max_size)
		want = SOON_NS;
	else if (w->p->line || w->p->max_rate)
		want = LINE_NS;
	return want < ns ? want : ns;
}

/* ---- the bounds */

/*
 * Checks if a stop trigger has fired. If tracing is off for another reason, the lists of triggers
 * are read only once a second.
 */
static bool watch_stopped(struct record_watch *w, uint64_t now)
{
	char *what;

	if (!stop_given(w->p) || now < w->look_ns || !stop_is_off(w->t, w->pl))
		return false;
	what = stop_fired(w->t, w->p, w->pl);
	w->look_ns = now + SECOND_NS;
	if (!what)
		return false;
	w->why = xasprintf("stopped by %s", what);
	free(what);
	return true;
}

/*
 * Checks --max-size. The data in the buffers is counted, so that it fits into the file if possible.
 */
static bool watch_too_large(struct record_watch *w, const struct load_sum *s)
{
	struct buf why = {0};
	uint64_t is = watch_bytes(w) + s->waiting;

	if (!w->budget)
		return false;
	if (w->p->rotate)
		return w->full = budget_spent(w->budget);
	if (is < w->p->max_size && !budget_spent(w->budget))
		return false;
	buf_addstr(&why, "stopped: --max-size, the data came to ");
	text_bytes(&why, is);
	w->why = buf_take(&why);
	return true;
}

static const struct watch_point *watch_second_ago(const struct record_watch *w)
{
	return w->nr_points < WATCH_POINTS ? &w->begin : &w->points[w->nr_points % WATCH_POINTS];
}

static uint64_t per_second(uint64_t n, uint64_t ns)
{
	return ns ? (double)n * SECOND_NS / ns : 0;
}

static bool watch_too_fast(struct record_watch *w, const struct watch_point *now)
{
	const struct watch_point *then = watch_second_ago(w);
	uint64_t rate = per_second(now->bytes - then->bytes, now->ns - then->ns);
	struct buf why = {0};

	/* rates of the first moments vary widely */
	if (!w->p->max_rate || now->ns - then->ns < LONG_NS || now->bytes < then->bytes ||
	    rate < w->p->max_rate)
		return false;
	buf_addstr(&why, "stopped: --max-rate, there came ");
	text_bytes(&why, rate);
	buf_addstr(&why, "/s, ");
	text_grouped(&why, per_second(now->events - then->events, now->ns - then->ns));
	buf_addstr(&why, " events/s");
	w->why = buf_take(&why);
	w->runaway = true;
	return true;
}

/* ---- the line */

static void watch_show_line(struct record_watch *w, const struct watch_point *now,
			    const struct load_sum *s)
{
	const struct watch_point *then = watch_second_ago(w);
	const struct load_cpu *c, *worst = NULL;
	bool overrun = !w->p->flight_kb;
	uint64_t ns = now->ns - then->ns, lost = 0, kept = s->waiting;
	struct buf line = {0};
	size_t i;

	for (c = w->load.v; c < w->load.v + w->load.n; c++) {
		lost += load_lost(c, overrun);
		if (!worst || load_lost(c, overrun) > load_lost(worst, overrun))
			worst = c;
	}
	buf_printf(&line, "%.1fs  ", (now->ns - w->begin.ns) / 1e9);
	text_count(&line, per_second(now->events - then->events, ns));
	buf_addstr(&line, " events/s  ");
	buf_printf(&line, "%.1f MB/s", now->bytes > then->bytes ?
		   per_second(now->bytes - then->bytes, ns) / 1e6 : 0.0);
	if (!w->p->flight_kb) {
		kept = watch_bytes(w);
		for (i = 0; w->recs && i < w->pl->n; i++)
			kept -= recorder_dropped(w->recs[i]);
	}
	buf_addstr(&line, w->p->flight_kb ? "  kept " : "  file ");
	text_bytes(&line, kept);
	buf_addstr(&line, "  lost ");
	text_count(&line, lost);
	if (lost)
		buf_printf(&line, " (most: CPU %d)", worst->cpu);
	buf_printf(&line, "  buffer %u%%", s->percent);
	w->p->line(line.data);
	w->shown = true;
	buf_release(&line);
}

static bool watch_add_point(struct record_watch *w, uint64_t now)
{
	struct watch_point point = { .ns = now };
	uint64_t every = w->p->max_size ? SOON_NS : LINE_NS;
	uint64_t cost = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	struct load_sum s;
	bool ends;

	load_read(&w->load);
	load_sum(&w->load, NULL, &s);
	point.events = s.events;
	point.bytes = load_bytes(&s, w->earlier + watch_bytes(w));
	ends = watch_too_large(w, &s) || watch_too_fast(w, &point);
	cost = (clock_ns(CLOCK_THREAD_CPUTIME_ID) - cost) * COST;
	if (cost > every)
		every = cost < SECOND_NS ? cost : SECOND_NS;
	w->read_ns = now + every;
	if (ends || now - (w->nr_points ? w->points[(w->nr_points - 1) % WATCH_POINTS].ns :
			   w->begin.ns) < LINE_NS - SOON_NS / 2)
		return ends;
	if (w->p->line)
		watch_show_line(w, &point, &s);
	w->points[w->nr_points++ % WATCH_POINTS] = point;
	return false;
}

/* Returns true if the recording must end, for the reason ->why, or if the file is ->full. */
static bool watch_round(struct record_watch *w)
{
	uint64_t now = now_ns();
	struct load_sum s;

	if (watch_stopped(w, now))
		return true;
	if (!w->recs || now < w->read_ns)
		return false;
	if (!w->p->line && !w->p->max_rate) {
		load_sum(&w->load, NULL, &s);
		if (!w->p->max_size || watch_bytes(w) + s.room < w->p->max_size)
			return false;
	}
	return watch_add_point(w, now);
}

/* Goes on with the next file, whose recorders are @recs. */
static void watch_next(struct record_watch *w, struct recorder **recs, struct file_budget *budget)
{
	w->earlier += watch_bytes(w);
	w->recs = recs;
	w->budget = budget;
	w->full = false;
	w->read_ns = 0;
}

/*
 * Removes the progress line and reports the reason of the end. Call it before tracing is turned
 * off.
 */
static void watch_finish(struct record_watch *w)
{
	if (w->shown)
		w->p->line(NULL);
	w->shown = false;
	/* the command may have ended before this was checked */
	w->look_ns = 0;
	if (!w->why)
		watch_stopped(w, now_ns());
	if (w->why)
		(w->runaway ? w->p->warn : w->p->notice)("%s", w->why);
}

/* ---- errors */

/* Stores @later in @err, unless that has an error already; then warns of it. */
static void rec_keep_first(struct ftr_error *err, const struct ftr_error *later,
			   const struct rec_plan *p)
{
	if (!err->code)
		*err = *later;
	else if (later->code)
		p->warn("%s", later->msg);
}

/* ---- before anything is changed */

static int rec_open(struct record_run *r, struct ftr_error *err)
{
	if (child_signals_init(err))
		return -1;
	if (!r->p->live) {
		if (r->p->rotate) {
			series_begin(&r->series, r->p->out_path);
			r->f.path = series_next(&r->series, r->p->out_path);
		} else {
			r->f.path = xstrdup(r->p->out_path);
		}
		r->f.out = xcalloc(1, sizeof(*r->f.out));
		/* before the command starts: it must not write to our standard output */
		if (sink_open_output(r->f.out, &r->send, r->f.path, r->p->to_stdout,
				     r->p->listener, err))
			return -1;
	}
	if (r->p->argv && child_fork(&r->child, r->p->argv, r->p->user, err))
		return -1;
	if (tfs_open(&r->tfs, err))
		return -1;
	r->has_tfs = true;
	if (setup_resolve(&r->up, r->p, &r->tfs, err))
		return -1;
	return stop_resolve(r->p, &r->tfs, err);
}

/*
 * Returns the name of a buffer in the file. The main buffer is "", wherever it is recorded, and
 * instances keep their names. A top level that is recorded for its markers only is "top", or "" if
 * there is no main buffer.
 */
static const char *rec_buffer_name(const struct record_run *r, const struct rec_place *at)
{
	size_t i;

	if (at->buf && at->buf != r->p->bufs)
		return at->instance;
	for (i = 0; !at->buf && i < r->up.places.n; i++)
		if (r->up.places.v[i].buf == r->p->bufs)
			return "top";
	return "";
}

static int rec_add_clocks(struct record_run *r, struct ftr_error *err)
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

static void rec_list_enabled(const struct record_run *r, struct strv *out)
{
	size_t i, j;

	for (i = 0; i < r->p->nr_bufs; i++)
		for (j = 0; j < r->up.sel[i].n; j++)
			if (r->up.sel[i].v[j].on)
				strv_add(out, r->up.sel[i].v[j].path);
	strv_sort_unique(out);
}

/*
 * Returns true if address maps of processes are needed: for --proc-map, and for addresses in user
 * stacks.
 */
static bool plan_wants_maps(const struct rec_plan *p)
{
	size_t i;

	for (i = 0; i < p->nr_bufs; i++)
		if (strv_has(&p->bufs[i].options, "userstacktrace"))
			return p->argv || p->pids.n;
	return p->proc_map;
}

/* Makes ->f.capture and ->f.sink, before anything is recorded into the file. */
static int rec_make_file(struct record_run *r, struct ftr_error *err)
{
	const struct rec_plan *p = r->p;
	struct sink_plan plan = {
		.out = r->f.out, .path = r->f.path, .version = p->file_version,
		.packing = &p->packing, .keep_bytes = p->keep_bytes, .sync_ns = p->sync_ns,
		.flight = p->flight_kb, .send = r->send, .consume = p->to_stdout,
		.sent_to = p->to_stdout ? "standard output" : p->listener,
		.session = r->session, .guardian = r->guardian, .warn = p->warn,
	};
	struct strv enabled = {0};
	struct buf command = {0};
	size_t i;

	rec_list_enabled(r, &enabled);
	r->f.capture = capture_new(&r->tfs, &enabled, err);
	strv_release(&enabled);
	if (!r->f.capture)
		return -1;
	if (p->argv) {
		for (i = 0; p->argv[i]; i++)
			buf_printf(&command, "%s%s", i ? " " : "", p->argv[i]);
		capture_note(r->f.capture, "command", command.data);
		capture_comm(r->f.capture, r->child.pid, place_base(p->argv[0]));
		buf_release(&command);
	}
	if (plan_wants_maps(p))
		capture_want_maps(r->f.capture);
	if (p->btf)
		capture_want_btf(r->f.capture);
	r->f.sink = sink_new(&plan);
	return rec_add_clocks(r, err);
}

/* ---- setting up */

/* Describes the recorded buffers for the file. The caller frees the array. */
static struct recorded_buffer *rec_describe_buffers(const struct record_run *r)
{
	struct recorded_buffer *bufs = xcalloc(r->up.places.n + 1, sizeof(*bufs));
	size_t i;

	for (i = 0; i < r->up.places.n; i++) {
		const struct rec_place *at = &r->up.places.v[i];

		bufs[i].name = rec_buffer_name(r, at);
		bufs[i].instance = at->instance ? at->instance : "";
		bufs[i].rec = r->f.recs[i];
		bufs[i].flight = r->p->flight_kb || at->swaps;
		bufs[i].swaps = at->swaps;
	}
	return bufs;
}

/*
 * Makes ->f.recs and the file that they record into, known to journal and guardian. The tracer must
 * be set: the kernel refuses to change it while trace_pipe_raw is open.
 */
static int rec_make_recorders(struct record_run *r, struct ftr_error *err)
{
	struct recorder_opts opts = { .no_splice = r->p->no_splice, .sleep_ns = r->p->sleep_ns,
				      .rt_prio = r->p->rt_prio };
	struct recorded_buffer *bufs;
	size_t i, n = r->up.places.n;
	char *number, *batches;
	int ret;

	r->f.recs = xcalloc(n, sizeof(*r->f.recs));
	if (r->p->max_size)
		r->f.budget = budget_new(r->p->max_size, r->p->rotate);
	opts.budget = r->f.budget;
	for (i = 0; i < n; i++) {
		number = xasprintf("%u", r->nr_recs++);
		batches = session_beside(r->session, number);
		opts.batch_path = batches;
		r->f.recs[i] = recorder_new(&r->tfs, r->up.places.v[i].instance, r->f.out->path,
					    &opts, err);
		free(batches);
		free(number);
		if (!r->f.recs[i])
			return -1;
	}
	bufs = rec_describe_buffers(r);
	ret = sink_place(r->f.sink, r->f.capture, bufs, n, err);
	free(bufs);
	return ret;
}

static int rec_start_recorders(struct record_run *r, struct ftr_error *err)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < r->up.places.n && !ret && !r->p->flight_kb; i++)
		if (!r->up.places.v[i].swaps)
			ret = recorder_start(r->f.recs[i], err);
	return ret;
}

/* Starts a live recording, which has no recorders, as the caller reads the data. */
static int rec_start_live(struct record_run *r, struct ftr_error *err)
{
	struct live_buffer *bufs = xcalloc(r->up.places.n, sizeof(*bufs));
	struct strv enabled = {0};
	size_t i;
	int ret;

	for (i = 0; i < r->up.places.n; i++)
		bufs[i] = (struct live_buffer){ rec_buffer_name(r, &r->up.places.v[i]),
						r->up.places.v[i].instance,
						r->up.places.v[i].swaps };
	rec_list_enabled(r, &enabled);
	ret = r->p->live->begin(r->p->live->ctx, &r->tfs, bufs, r->up.places.n, &enabled, err);
	strv_release(&enabled);
	free(bufs);
	return ret;
}

static int rec_set_up(struct record_run *r, struct ftr_error *err)
{
	struct strv enabled = {0};
	struct buf text = {0};

	r->session = session_open(&r->tfs, err);
	if (!r->session)
		return -1;
	r->guardian = guardian_start(r->f.out, err);
	if (!r->guardian || where_choose(r->session, r->p, &r->up.places, err))
		return -1;
	if (!r->p->live) {
		if (rec_make_file(r, err))
			return -1;
		rec_list_enabled(r, &enabled);
		if (own_writes_traced(r->p, r->f.out->fd, &enabled, &text))
			r->p->warn("%s", text.data);
		strv_release(&enabled);
		buf_release(&text);
	}
	if (setup_apply(&r->up, r->session, r->child.pid, err))
		return -1;
	if (r->p->flight_kb && flight_prepare(r->session, r->p, &r->up.places, err))
		return -1;
	if (stop_arm(r->session, r->p, &r->up.places, err))
		return -1;
	where_find_swaps(&r->up.places, &r->tfs, r->p->live ? NULL : r->p->notice);
	if (r->p->live ? rec_start_live(r, err) :
			 rec_make_recorders(r, err) || rec_start_recorders(r, err))
		return -1;
	watch_start(&r->watch, r->p, &r->tfs, &r->up.places, r->f.recs, r->f.budget);
	return 0;
}

/* ---- running */

/* Starts the capture of metadata and the threads of the sink. Returns 0, or -1 with @err. */
static int rec_start_capture(struct record_run *r, struct ftr_error *err)
{
	struct capture_hooks hooks;

	sink_hooks(r->f.sink, &hooks);
	return capture_start(r->f.capture, &hooks, err) || sink_begin(r->f.sink, err) ? -1 : 0;
}

/* Notes the filters of all buffers, and the time at which tracing was turned on. */
static void rec_note_start(struct record_run *r)
{
	const struct rec_place *at;
	size_t i;

	for (i = 0; r->f.capture && i < r->up.places.n; i++) {
		at = &r->up.places.v[i];
		/* filters of pids now contain our threads */
		filters_note(r->f.capture, rec_buffer_name(r, at), at->instance);
		capture_begin(r->f.capture, rec_buffer_name(r, at), at->instance);
	}
}

/*
 * Follows the processes of the recording. Call it when the command was started: before, it is a
 * copy of our process.
 */
static void rec_follow(struct record_run *r)
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

/* A signal that comes before tracing begins: nothing has run yet, and nothing must. */
static int rec_check_signal(int sig, struct ftr_error *err)
{
	if (!sig)
		return 0;
	return err_set(err, 128 + sig, "interrupted (%s) before tracing began", strsignal(sig));
}

#define AT_NEAR_NS   2000000ull		/* the last part of a wait, without looks for signals */
#define AT_LATE_NS  10000000ull		/* a begin so late is worth a warning */

/* Waits for the time of --at. The clock may be set meanwhile: it is looked at each second. */
static int rec_wait_until(const struct rec_plan *p, struct ftr_error *err)
{
	uint64_t now = wall_now(), at = p->at_ns;
	struct timespec ts = { .tv_sec = at / 1000000000, .tv_nsec = at % 1000000000 };

	if (at > now + AT_NEAR_NS)
		p->notice("tracing begins in %.3f s; Ctrl-C ends the wait", (at - now) / 1e9);

	while ((now = wall_now()) + AT_NEAR_NS < at) {
		uint64_t left = at - now - AT_NEAR_NS;

		if (rec_check_signal(sig_wait(left > 1000000000 ? 1000000000 : left), err))
			return -1;
	}
	while (clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &ts, NULL) == EINTR)
		;
	return 0;
}

/* Notes how long after --at tracing has begun. */
static void rec_note_at(struct record_run *r)
{
	uint64_t late = wall_now() - r->p->at_ns;
	char text[64];

	snprintf(text, sizeof(text), "%" PRIu64 " +%" PRIu64, r->p->at_ns, late);
	if (r->f.capture)
		capture_note(r->f.capture, "at", text);
	if (late > AT_LATE_NS)
		r->p->warn("tracing began %.3f s after the time of --at", late / 1e9);
}

static int rec_start_tracing(struct record_run *r, struct ftr_error *err)
{
	size_t i;

	if (rec_check_signal(sig_held(), err))
		return -1;
	if (!r->p->live && rec_start_capture(r, err))
		return -1;
	/* the ids of all our threads are known only now that they run */
	for (i = 0; plan_hides_us(r->p) && i < r->up.places.n; i++)
		if (r->up.places.v[i].buf &&
		    own_threads_hide(r->session, r->up.places.v[i].instance,
				     guardian_pid(r->guardian), err))
			return -1;
	if (r->p->at_ns && rec_wait_until(r->p, err))
		return -1;
	if (apply_tracing_on(r->session, &r->up.places, true, err))
		return -1;
	if (r->p->at_ns)
		rec_note_at(r);
	r->begin_ns = r->watch.begin.ns = now_ns();
	rec_note_start(r);
	if (r->f.capture && plan_has_threads(r->p))
		capture_name_tasks(r->f.capture);
	if (!r->p->argv && !r->p->live)
		r->p->notice("recording%s; Ctrl-C ends it",
			     r->p->duration_ns ? " until the time is over" : "");
	if (r->p->argv && child_release(&r->child, err))
		return -1;
	r->running = r->p->argv;
	rec_follow(r);
	return 0;
}

static bool rec_has_failed(const struct record_run *r)
{
	size_t i;

	if (r->f.sink && sink_failed(r->f.sink))
		return true;
	for (i = 0; r->f.recs && i < r->up.places.n; i++)
		if (recorder_failed(r->f.recs[i]))
			return true;
	return false;
}

/* Reads the data of a live recording. Returns true if no more data is wanted. */
static bool rec_read_live(struct record_run *r, bool last, struct ftr_error *err)
{
	struct ftr_error later = {0};
	int ret = r->p->live ? r->p->live->round(r->p->live->ctx, last, &later) : 0;

	if (ret < 0)
		rec_keep_first(err, &later, r->p);
	return ret;
}

/* ---- afterwards */

static void rec_stop_recorders(struct record_run *r, struct ftr_error *err)
{
	struct ftr_error later = {0};
	struct buf left_out = {0};
	size_t i;

	if (apply_tracing_on(r->session, &r->up.places, false, &later))
		rec_keep_first(err, &later, r->p);
	r->end_ns = now_ns();
	rec_read_live(r, true, err);
	sink_halt(r->f.sink);
	/* a flight recorder has read nothing so far */
	if (r->p->flight_kb && r->f.recs) {
		load_read(&r->watch.load);
		r->kept_ns = flight_kept_ns(&r->watch.load, r->end_ns);
		if (flight_start(r->f.recs, &r->up.places, &later)) {
			later.code = FTR_DAMAGED;
			rec_keep_first(err, &later, r->p);
		}
	}
	if (r->p->live)
		r->p->live->end(r->p->live->ctx);
	for (i = 0; r->f.recs && i < r->up.places.n; i++) {
		if (!recorder_stop(r->f.recs[i], &later))
			continue;
		later.code = FTR_DAMAGED;
		rec_keep_first(err, &later, r->p);
	}
	if (r->f.recs && summary_left_out(r->f.recs, r->up.places.n, &left_out)) {
		r->p->notice("%s", left_out.data);
		r->calls = true;
	}
	buf_release(&left_out);
	if (r->f.sink)
		sink_flush(r->f.sink);
	load_read(&r->watch.load);
}

static void rec_restore(struct record_run *r, struct ftr_error *err)
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

static void rec_restore_run(void *arg)
{
	struct record_run *r = arg;

	rec_restore(r, &r->restore_err);
}

/* Ends the capture, which reads the kernel and /proc, before tracefs is restored. */
static void rec_end_capture(struct record_run *r, bool last)
{
	struct recorded_buffer *bufs = rec_describe_buffers(r);

	r->f.captured = capture_end(r->f.capture, bufs, r->up.places.n, last);
	r->f.capture = NULL;
	free(bufs);
}

static void rec_print_notes(const struct record_run *r, const struct strv *notes)
{
	size_t i;

	for (i = 0; i < notes->n; i++)
		r->p->notice("%s", notes->v[i]);
}

static void rec_write_out(struct record_run *r, struct ftr_error *err)
{
	r->written = !sink_finish(r->f.sink, r->f.captured, err);
	rec_print_notes(r, &r->f.captured->notes);
	rec_print_notes(r, sink_notes(r->f.sink));
}

/* Frees the parts of a file that are left. */
static void rec_file_release(const struct record_run *r, struct rec_file *f)
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

/* ---- the next file of --rotate */

/*
 * The part of the start of the next file that can fail: nothing of the old one is changed. Returns
 * 0, or -1 with @err.
 */
static int rec_make_next(struct record_run *r, struct ftr_error *err)
{
	r->f = (struct rec_file){ .path = series_next(&r->series, r->p->out_path),
				  .out = xcalloc(1, sizeof(*r->f.out)) };
	if (outfile_open(r->f.out, r->f.path, err) || rec_make_file(r, err) ||
	    guardian_next(r->guardian, r->f.out, err))
		return -1;
	if (!rec_make_recorders(r, err))
		return 0;
	guardian_forget(r->guardian);
	return -1;
}

static void rec_hide_again(const struct record_run *r)
{
	size_t i;

	for (i = 0; plan_hides_us(r->p) && i < r->up.places.n; i++)
		if (r->up.places.v[i].buf)
			own_threads_hide_again(&r->tfs, r->up.places.v[i].instance,
					       guardian_pid(r->guardian), plan_clears(r->p));
}

/*
 * Ends the recorders of the old file and starts those of the new one, which continue. Returns 0, or
 * -1 with @err.
 */
static int rec_hand_over(struct record_run *r, const struct rec_file *old, struct ftr_error *err)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < r->up.places.n; i++)
		if (recorder_leave(old->recs[i], r->f.recs[i], ret ? NULL : err))
			ret = -1;
	if (rec_start_recorders(r, ret ? NULL : err) || ret)
		return -1;
	rec_hide_again(r);
	rec_note_start(r);
	rec_follow(r);
	watch_next(&r->watch, r->f.recs, r->f.budget);
	return 0;
}

static void rec_finish_old(struct record_run *r, struct rec_file *old, struct ftr_error *err)
{
	struct rec_file now = r->f;
	struct sink_totals sum;
	struct buf text = {0};

	r->f = *old;
	r->written = false;
	rec_end_capture(r, false);
	rec_write_out(r, err);
	sink_totals(r->f.sink, &sum);
	r->lost |= sum.lost || sum.lost_unknown;
	r->calls |= sum.calls || sum.unread;
	summary_totals(r->f.sink, r->f.captured, r->f.path, &text);
	capture_inherit(now.capture, r->f.captured);
	r->f.captured = NULL;
	sink_inherit(now.sink, now.capture, r->f.sink);
	r->p->notice("%s", text.data);
	if (r->written)
		series_add(&r->series, r->f.path, r->p->rotate - 1);
	buf_release(&text);
	rec_file_release(r, &r->f);
	r->f = now;
}

/*
 * Continues in the next file of --rotate, and finishes the one before. Returns true if the
 * recording must end, as that failed.
 */
static bool rec_next_file(struct record_run *r, struct ftr_error *err)
{
	struct ftr_error later = {0};
	struct rec_file old = r->f;

	if (r->stuck)
		return false;
	if (rec_make_next(r, &later)) {
		r->p->warn("no next file: %s: '%s' goes on", later.msg, old.path);
		rec_file_release(r, &r->f);
		r->f = old;
		r->stuck = true;
		return false;
	}
	sink_halt(old.sink);
	if (rec_hand_over(r, &old, &later)) {
		later.code = FTR_DAMAGED;
		rec_keep_first(err, &later, r->p);
	}
	rec_finish_old(r, &old, err);
	if (rec_start_capture(r, &later))
		rec_keep_first(err, &later, r->p);
	rec_hide_again(r);
	return err->code;
}

/* ---- until the end */

/*
 * Waits until the command ends, a signal comes, the time is over, a bound is reached, or the data
 * can't be written.
 */
static void rec_wait(struct record_run *r, struct ftr_error *err)
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
	} while (ev == CHILD_TICK && !rec_has_failed(r) && !rec_read_live(r, false, err) &&
		 (!watch_round(&r->watch) || (r->watch.full && !rec_next_file(r, err))));
	watch_finish(&r->watch);
	if (!r->p->live)
		silence_look(&r->tfs, &r->up, r->watch.why, &r->off);
	if (ev == CHILD_EXITED || ev == CHILD_STOP)
		r->running = false;
	if (ev == CHILD_STOP && r->p->argv)
		r->status = 128 + signo;
}

/* Fills @res, and warns of a recording that lost events or lacks those that it was made for. */
static void rec_report(const struct record_run *r, struct record_result *res,
		       struct ftr_error *err)
{
	struct ftr_error later = {0};
	struct buf tasks = {0}, tracer = {0};
	struct summary_input what = {
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
			off ? off : "none of the requested events came",
			tasks.len && !off ? "; " : "", tasks.len && !off ? tasks.data : "");
	else if (off)
		r->p->notice("%s", off);
	if (!empty && summary_lacks_calls(&what)) {
		silence_of_tracer(&r->up, r->child.had_children, r->off.len, &tracer);
		r->p->warn("%s", tracer.data);
	}
	buf_release(&tracer);
	buf_release(&tasks);
	if (later.code && r->p->strict) {
		buf_reset(&res->advice);
		rec_keep_first(err, &later, r->p);
	} else if (empty) {
		r->p->warn("%s", later.msg);
	}
}

/*
 * Frees sink and capture: the sink's threads read the recorders' data, the capture's threads write
 * to the sink.
 */
static void rec_release_sink(struct record_run *r)
{
	sink_halt(r->f.sink);
	capture_free(r->f.capture);
	captured_free(r->f.captured);
	sink_free(r->f.sink);
	r->f.capture = NULL;
	r->f.captured = NULL;
	r->f.sink = NULL;
}

static void rec_release(struct record_run *r)
{
	rec_release_sink(r);
	send_free(r->send);
	rec_file_release(r, &r->f);
	series_release(&r->series);
	load_release(&r->watch.load);
	free(r->watch.why);
	buf_release(&r->off);
	setup_release(&r->up);
	if (r->has_tfs)
		tfs_close(&r->tfs);
	guardian_end(r->guardian);
}

/*
 * Ends a recording that could not be set up. Returns its exit status, at least CHILD_FAILED if
 * there is a command, so that it does not look like the command's status.
 */
static int rec_give_up_setup(struct record_run *r, struct ftr_error *err)
{
	size_t i;

	if (r->child.pid)
		child_cancel(&r->child);
	if (r->begin_ns)
		apply_tracing_on(r->session, &r->up.places, false, NULL);
	rec_release_sink(r);
	/* their open files would prevent tracer and instance from being restored */
	for (i = 0; r->f.recs && i < r->up.places.n; i++) {
		recorder_free(r->f.recs[i]);
		r->f.recs[i] = NULL;
	}
	if (r->p->live)
		r->p->live->end(r->p->live->ctx);
	rec_restore(r, err);
	guardian_all_written(r->guardian);
	if (r->p->argv && err->code < CHILD_FAILED)
		err->code = CHILD_FAILED;
	return err->code;
}

int record_run(const struct rec_plan *p, struct record_result *res, struct ftr_error *err)
{
	struct record_run r = { .p = p };
	int status, signo = 0;

	memset(err, 0, sizeof(*err));
	memset(res, 0, sizeof(*res));
	if (rec_open(&r, err) || rec_set_up(&r, err) || rec_start_tracing(&r, err)) {
		status = rec_give_up_setup(&r, err);
		goto out;
	}
	/* failures of optional parts of the setup are no errors of the recording */
	memset(err, 0, sizeof(*err));
	rec_wait(&r, err);
	rec_stop_recorders(&r, err);
	res->ns = r.end_ns - r.begin_ns;
	if (!p->live)
		rec_end_capture(&r, true);
	/* data in the kernel's buffers is no longer of this recording, whoever completes it */
	guardian_all_written(r.guardian);
	if (r.f.sink)
		sink_all_written(r.f.sink);
	/*
	 * The kernel waits until each CPU has passed through the scheduler whenever an event, a pid
	 * filter or a buffer changes, which takes a while when much data is written: the file is
	 * completed meanwhile. With --keep, the setup comes first.
	 */
	if (p->keep || worker_start(&r.restoring, "ftr-restore", 0, rec_restore_run, &r,
				    "puts tracefs back", NULL))
		rec_restore_run(&r);
	if (!p->live)
		rec_write_out(&r, err);
	worker_stop(&r.restoring);
	if (r.restore_err.code)
		rec_keep_first(err, &r.restore_err, p);
	if (r.written)
		rec_report(&r, res, err);
	/* the recording may have ended before the command, whose exit status is ours anyway */
	if (r.running && child_wait(&r.child, 0, 0, &r.status, &signo) == CHILD_STOP)
		r.status = 128 + signo;
	status = r.status;
	if (err->code == FTR_DAMAGED || !status)
		status = err->code;
out:
	rec_release(&r);
	return status;
}
