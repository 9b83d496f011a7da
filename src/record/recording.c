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
#include "base/text.h"
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

/* How often a full disk is looked for. */
#define TICK_NS 500000000

#define SOON_NS	50000000ull	/* for what is to end soon after it happened */
#define LINE_NS	250000000ull
#define SECOND_NS 1000000000ull
#define LONG_NS (SECOND_NS * 9 / 10)	/* what a rate is taken over */
/*
 * Reading the counters of many CPUs takes long: at most one part in so many of a processor, but
 * once a second.
 */
#define COST 50

/* What had come by a moment. */
struct watch_point {
	uint64_t ns, events, bytes;
};

enum { WATCH_POINTS = 4 };		/* those of the last second */

struct watch {
	const struct rec_plan *p;	/* NULL = not begun */
	const struct tfs *t;
	const struct rec_places *pl;
	struct recorder **recs;		/* NULL: the data is not ours */
	struct budget *budget;		/* of the file, or NULL */
	struct load load;
	struct watch_point begin, points[WATCH_POINTS];
	uint64_t nr_points;
	uint64_t earlier;		/* bytes of earlier files */
	uint64_t read_ns, look_ns;	/* not before these times */
	bool shown;			/* there is a line */
	bool runaway;			/* more than --max-rate came */
	bool full;			/* the next file is to begin */
	char *why;			/* what ended it, in words; NULL = nothing of ours */
};

/* What is recorded into. */
struct rec_file {
	char *path;			/* as it is named, also in messages */
	struct outfile *out;		/* NULL: none, the data is live */
	struct capture *capture;	/* while it goes on, */
	const struct captured *captured;	/* and what it came to; never both */
	struct sink *sink;
	struct recorder **recs;		/* one a place, NULL = not made yet */
	struct budget *budget;		/* of all of them, NULL = no bound */
};

struct recording {
	const struct rec_plan *p;
	struct child child;
	struct rec_file f;
	struct series series;		/* --rotate */
	struct send *send;		/* where the recording goes beside the file, or NULL */
	struct tfs tfs;
	bool has_tfs;
	struct session *session;
	struct worker restoring;	/* puts tracefs back beside the writing of the file */
	struct ftr_error restore_err;
	struct guardian *guardian;
	struct rec_setup up;
	unsigned int nr_recs;		/* recorders so far */
	struct watch watch;
	struct buf off;			/* what others turned off meanwhile, in words */
	uint64_t kept_ns;		/* --flight: so long do the buffers reach back, 0 = all */
	uint64_t begin_ns, end_ns;	/* of recording */
	int  status;			/* the exit status so far */
	bool running;			/* the command was let go and has not ended */
	bool written;			/* the file has its name */
	bool lost;			/* events, in earlier files */
	bool calls;			/* of functions may be in earlier files, or were left out */
	bool stuck;			/* there can't be another file */
};

/* ---- bounds and progress */

static uint64_t bytes_taken(const struct watch *w)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; w->recs && i < w->pl->n; i++)
		sum += recorder_bytes(w->recs[i]);
	return sum;
}

static void watch_begin(struct watch *w, const struct rec_plan *p, const struct tfs *t,
		 const struct rec_places *pl, struct recorder **recs, struct budget *budget)
{
	size_t i;

	*w = (struct watch){ .p = p, .t = t, .pl = pl, .recs = recs,
			      .budget = budget, .load = { .t = t } };
	for (i = 0; recs && i < pl->n; i++)
		if (!pl->v[i].swaps)
			load_add(&w->load, pl->v[i].instance);
	w->begin.ns = now_ns();
	w->read_ns = w->begin.ns + SOON_NS;
}

static uint64_t watch_tick_ns(const struct watch *w, uint64_t ns)
{
	uint64_t want = ns;

	if (stop_given(w->p) || w->p->max_size)
		want = SOON_NS;
	else if (w->p->line || w->p->max_rate)
		want = LINE_NS;
	return want < ns ? want : ns;
}

/* ---- the bounds */

/* Where something else turned tracing off, the lists of triggers are not read all the time. */
static bool watch_stopped(struct watch *w, uint64_t now)
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
 * What the buffers hold comes to the data, so that all of it is in the file where that can be; it
 * need not be looked at while it is far.
 */
static bool too_large(struct watch *w, const struct load_sum *s)
{
	struct buf why = {0};
	uint64_t is = bytes_taken(w) + s->waiting;

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

static const struct watch_point *second_ago(const struct watch *w)
{
	return w->nr_points < WATCH_POINTS ? &w->begin : &w->points[w->nr_points % WATCH_POINTS];
}

static uint64_t a_second(uint64_t n, uint64_t ns)
{
	return ns ? (double)n * SECOND_NS / ns : 0;
}

static bool too_fast(struct watch *w, const struct watch_point *now)
{
	const struct watch_point *then = second_ago(w);
	uint64_t rate = a_second(now->bytes - then->bytes, now->ns - then->ns);
	struct buf why = {0};

	/* The first moments may be anything. */
	if (!w->p->max_rate || now->ns - then->ns < LONG_NS || now->bytes < then->bytes ||
	    rate < w->p->max_rate)
		return false;
	buf_addstr(&why, "stopped: --max-rate, there came ");
	text_bytes(&why, rate);
	buf_addstr(&why, "/s, ");
	text_grouped(&why, a_second(now->events - then->events, now->ns - then->ns));
	buf_addstr(&why, " events/s");
	w->why = buf_take(&why);
	w->runaway = true;
	return true;
}

/* ---- the line */

static void show_line(struct watch *w, const struct watch_point *now, const struct load_sum *s)
{
	const struct watch_point *then = second_ago(w);
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
	text_count(&line, a_second(now->events - then->events, ns));
	buf_addstr(&line, " events/s  ");
	buf_printf(&line, "%.1f MB/s", now->bytes > then->bytes ?
		   a_second(now->bytes - then->bytes, ns) / 1e6 : 0.0);
	if (!w->p->flight_kb) {
		kept = bytes_taken(w);
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

static bool take_watch_point(struct watch *w, uint64_t now)
{
	struct watch_point point = { .ns = now };
	uint64_t every = w->p->max_size ? SOON_NS : LINE_NS;
	uint64_t cost = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	struct load_sum s;
	bool ends;

	load_read(&w->load);
	load_sum(&w->load, NULL, &s);
	point.events = s.events;
	point.bytes = load_bytes(&s, w->earlier + bytes_taken(w));
	ends = too_large(w, &s) || too_fast(w, &point);
	cost = (clock_ns(CLOCK_THREAD_CPUTIME_ID) - cost) * COST;
	if (cost > every)
		every = cost < SECOND_NS ? cost : SECOND_NS;
	w->read_ns = now + every;
	if (ends || now - (w->nr_points ? w->points[(w->nr_points - 1) % WATCH_POINTS].ns :
			   w->begin.ns) < LINE_NS - SOON_NS / 2)
		return ends;
	if (w->p->line)
		show_line(w, &point, &s);
	w->points[w->nr_points++ % WATCH_POINTS] = point;
	return false;
}

static bool watch_round(struct watch *w)
{
	uint64_t now = now_ns();
	struct load_sum s;

	if (watch_stopped(w, now))
		return true;
	if (!w->recs || now < w->read_ns)
		return false;
	if (!w->p->line && !w->p->max_rate) {
		load_sum(&w->load, NULL, &s);
		if (!w->p->max_size || bytes_taken(w) + s.room < w->p->max_size)
			return false;
	}
	return take_watch_point(w, now);
}

static void watch_next(struct watch *w, struct recorder **recs, struct budget *budget)
{
	w->earlier += bytes_taken(w);
	w->recs = recs;
	w->budget = budget;
	w->full = false;
	w->read_ns = 0;
}

static void watch_over(struct watch *w)
{
	if (w->shown)
		w->p->line(NULL);
	w->shown = false;
	/* The command may have ended before it was seen. */
	w->look_ns = 0;
	if (!w->why)
		watch_stopped(w, now_ns());
	if (w->why)
		(w->runaway ? w->p->warn : w->p->say)("%s", w->why);
}

/* ---- errors */

/* A later error does not replace the first. */
static void rec_keep_first(struct ftr_error *err, const struct ftr_error *later,
			   const struct rec_plan *p)
{
	if (!err->code)
		*err = *later;
	else if (later->code)
		p->warn("%s", later->msg);
}

/* ---- before anything is changed */

static int open_recording(struct recording *r, struct ftr_error *err)
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
static const char *file_name_of(const struct recording *r, const struct rec_place *at)
{
	size_t i;

	if (at->buf && at->buf != r->p->bufs)
		return at->instance;
	for (i = 0; !at->buf && i < r->up.places.n; i++)
		if (r->up.places.v[i].buf == r->p->bufs)
			return "top";
	return "";
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

/* Addresses of user stacks mean nothing without. */
static bool wants_maps(const struct rec_plan *p)
{
	size_t i;

	for (i = 0; i < p->nr_bufs; i++)
		if (strv_has(&p->bufs[i].options, "userstacktrace"))
			return p->argv || p->pids.n;
	return p->proc_map;
}

/* Makes ->f.capture and ->f.sink, before anything is recorded into the file. */
static int rec_make_file(struct recording *r, struct ftr_error *err)
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

	list_enabled(r, &enabled);
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
	if (wants_maps(p))
		capture_want_maps(r->f.capture);
	if (p->btf)
		capture_want_btf(r->f.capture);
	r->f.sink = sink_new(&plan);
	return add_clocks(r, err);
}

/* ---- setting up */

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

/*
 * Makes ->f.recs and the file that they record into, known to journal and guardian. The tracer must
 * be set: the kernel refuses to change it while trace_pipe_raw is open.
 */
static int rec_make_recorders(struct recording *r, struct ftr_error *err)
{
	struct recorder_opts opts = { .no_splice = r->p->no_splice, .sleep_ns = r->p->sleep_ns,
				      .rt_prio = r->p->rt_prio };
	struct lane_buffer *bufs;
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
	bufs = describe_buffers(r);
	ret = sink_place(r->f.sink, r->f.capture, bufs, n, err);
	free(bufs);
	return ret;
}

static int rec_start_recorders(struct recording *r, struct ftr_error *err)
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

static int set_up_recording(struct recording *r, struct ftr_error *err)
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
		list_enabled(r, &enabled);
		if (near_traced(r->p, r->f.out->fd, &enabled, &text))
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
	where_find_swaps(&r->up.places, &r->tfs, r->p->live ? NULL : r->p->say);
	if (r->p->live ? begin_live(r, err) :
			 rec_make_recorders(r, err) || rec_start_recorders(r, err))
		return -1;
	watch_begin(&r->watch, r->p, &r->tfs, &r->up.places, r->f.recs, r->f.budget);
	return 0;
}

/* ---- running */

static int rec_start_capture(struct recording *r, struct ftr_error *err)
{
	struct capture_hooks hooks;

	sink_hooks(r->f.sink, &hooks);
	return capture_start(r->f.capture, &hooks, err) || sink_begin(r->f.sink, err) ? -1 : 0;
}

static void rec_note_begin(struct recording *r)
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
static void rec_follow(struct recording *r)
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
	int sig = sig_held();
	size_t i;

	/* a signal that came during the setup: nothing has run yet, and nothing must */
	if (sig)
		return err_set(err, 128 + sig, "interrupted (%s) before tracing began",
			       strsignal(sig));
	if (!r->p->live && rec_start_capture(r, err))
		return -1;
	/* the ids of all our threads are known only now that they run */
	for (i = 0; plan_hides_us(r->p) && i < r->up.places.n; i++)
		if (r->up.places.v[i].buf &&
		    self_hide(r->session, r->up.places.v[i].instance, guardian_pid(r->guardian),
			      err))
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

/* ---- afterwards */

static void stop_recorders(struct recording *r, struct ftr_error *err)
{
	struct ftr_error later = {0};
	struct buf left_out = {0};
	size_t i;

	if (apply_tracing_on(r->session, &r->up.places, false, &later))
		rec_keep_first(err, &later, r->p);
	r->end_ns = now_ns();
	live_ended(r, true, err);
	sink_halt(r->f.sink);
	/* a flight recorder has read nothing so far */
	if (r->p->flight_kb && r->f.recs) {
		load_read(&r->watch.load);
		r->kept_ns = flight_kept_ns(&r->watch.load, r->end_ns);
		if (flight_take(r->f.recs, &r->up.places, &later)) {
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
		r->p->say("%s", left_out.data);
		r->calls = true;
	}
	buf_release(&left_out);
	if (r->f.sink)
		sink_flush(r->f.sink);
	load_read(&r->watch.load);
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

/* What the kernel and /proc tell while tracefs is as it was recorded with. */
static void rec_end_capture(struct recording *r, bool last)
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

static void rec_write_out(struct recording *r, struct ftr_error *err)
{
	r->written = !sink_finish(r->f.sink, r->f.captured, err);
	say_notes(r, &r->f.captured->notes);
	say_notes(r, sink_notes(r->f.sink));
}

static void rec_file_release(const struct recording *r, struct rec_file *f)
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

/* Whatever can fail, before anything is changed. */
static int begin_next(struct recording *r, struct ftr_error *err)
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

static void hide_again(const struct recording *r)
{
	size_t i;

	for (i = 0; plan_hides_us(r->p) && i < r->up.places.n; i++)
		if (r->up.places.v[i].buf)
			self_hide_again(&r->tfs, r->up.places.v[i].instance,
					guardian_pid(r->guardian), plan_clears(r->p));
}

/* The threads of the old file end where those of the new one begin. */
static int hand_over_data(struct recording *r, const struct rec_file *old, struct ftr_error *err)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < r->up.places.n; i++)
		if (recorder_leave(old->recs[i], r->f.recs[i], ret ? NULL : err))
			ret = -1;
	if (rec_start_recorders(r, ret ? NULL : err) || ret)
		return -1;
	hide_again(r);
	rec_note_begin(r);
	rec_follow(r);
	watch_next(&r->watch, r->f.recs, r->f.budget);
	return 0;
}

static void finish_old(struct recording *r, struct rec_file *old, struct ftr_error *err)
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
	r->p->say("%s", text.data);
	if (r->written)
		series_add(&r->series, r->f.path, r->p->rotate - 1);
	buf_release(&text);
	rec_file_release(r, &r->f);
	r->f = now;
}

static bool rec_next_file(struct recording *r, struct ftr_error *err)
{
	struct ftr_error later = {0};
	struct rec_file old = r->f;

	if (r->stuck)
		return false;
	if (begin_next(r, &later)) {
		r->p->warn("no next file: %s: '%s' goes on", later.msg, old.path);
		rec_file_release(r, &r->f);
		r->f = old;
		r->stuck = true;
		return false;
	}
	sink_halt(old.sink);
	if (hand_over_data(r, &old, &later)) {
		later.code = FTR_DAMAGED;
		rec_keep_first(err, &later, r->p);
	}
	finish_old(r, &old, err);
	if (rec_start_capture(r, &later))
		rec_keep_first(err, &later, r->p);
	hide_again(r);
	return err->code;
}

/* ---- until the end */

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
		 (!watch_round(&r->watch) || (r->watch.full && !rec_next_file(r, err))));
	watch_over(&r->watch);
	if (!r->p->live)
		silence_look(&r->tfs, &r->up, r->watch.why, &r->off);
	if (ev == CHILD_EXITED || ev == CHILD_STOP)
		r->running = false;
	if (ev == CHILD_STOP && r->p->argv)
		r->status = 128 + signo;
}

/* Fills @res, and warns of a recording that lost events or lacks those that it was made for. */
static void report_result(const struct recording *r, struct record_result *res,
			  struct ftr_error *err)
{
	struct ftr_error later = {0};
	struct buf tasks = {0}, tracer = {0};
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
	load_release(&r->watch.load);
	free(r->watch.why);
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
	int status, signo = 0;

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
	/* data in the kernel's buffers is no longer of this recording, whoever completes it */
	guardian_all_taken(r.guardian);
	if (r.f.sink)
		sink_all_taken(r.f.sink);
	/*
	 * The kernel waits until each CPU has passed through the scheduler whenever an event, a pid
	 * filter or a buffer changes, which takes a while when much data is written: the file is
	 * completed meanwhile. With --keep, the setup comes first.
	 */
	if (p->keep || worker_start(&r.restoring, "ftr-restore", 0, restore_run, &r,
				    "puts tracefs back", NULL))
		restore_run(&r);
	if (!p->live)
		rec_write_out(&r, err);
	worker_stop(&r.restoring);
	if (r.restore_err.code)
		rec_keep_first(err, &r.restore_err, p);
	if (r.written)
		report_result(&r, res, err);
	/* the recording may have ended before the command, whose exit status is ours anyway */
	if (r.running && child_wait(&r.child, 0, 0, &r.status, &signo) == CHILD_STOP)
		r.status = 128 + signo;
	status = r.status;
	if (err->code == FTR_DAMAGED || !status)
		status = err->code;
out:
	release_recording(&r);
	return status;
}
