/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Renders slices of time in several threads and writes them in order. The thread that writes is one
 * of them: it renders while the next slice to be written is not ready, so that as many threads run
 * as were asked for, and seldom has to be woken. A slice must start where the one before it ended:
 * if times in the file are out of order and it does not, the slice is rendered again from there. So
 * the output is that of one thread, byte for byte.
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/limits.h"
#include "output/open_calls.h"
#include "output/pipeline_priv.h"

#define AHEAD	   2		/* slices in work in addition to one for each thread */
#define WRITER	   0		/* the worker that runs in the calling thread, which writes */
#define SMALL	   (128u << 10)	/* bytes of raw data that are not worth a thread */
#define CACHE_LINE 128		/* two of them, as they are fetched in pairs */
#define PARTIAL_AT (2u << 20)	/* bytes of text of a slice that may wait to be written */

enum job_state { JOB_FREE, JOB_TAKEN, JOB_PARTIAL, JOB_DONE };

/* A slice from the cut to the write. ->state and ->abandoned change under the lock. */
struct slice_job {
	enum job_state state;
	bool     joined;		/* its start was compared, and text of it written */
	bool     abandoned;		/* its start is wrong: stop it */
	struct trace_slice slice;
	struct trace_places *start, *end;
	struct damage_list *damages;	/* one per trace */
	struct out_losses losses;
	struct buf text;		/* rendered, and not written yet */
	struct call_tracker *calls;	/* open calls, and names that may be due in ->text */
};

struct render_worker {
	struct render_pool *pool;
	pthread_t thread;
	bool started;
	struct trace **views;
	struct trace_iter *it;
	struct out_state out;
	struct out_match which;
	char apart[CACHE_LINE];		/* keeps the next worker in other cache lines */
};

struct render_pool {
	struct out_state *out;		/* the caller's, which writes */
	const struct out_range *range;
	const struct out_match *which;
	struct ftr_error *err;

	pthread_mutex_t lock;
	pthread_cond_t room;		/* a slice was written, or all must stop */
	pthread_cond_t ready;		/* a slice was rendered, or none is left */
	struct trace_slicer *slicer;
	struct slice_job *jobs;
	struct buf *texts;		/* free buffers; the last one is still in a cache */
	size_t nr_jobs, nr_texts;
	uint64_t cut, written;		/* numbers of slices so far */
	bool all_cut, stop;
	int ret;			/* -1: writing failed */

	struct render_worker *workers;
	unsigned int nr_workers, nr_begun;
	struct trace_iter *mine;	/* for the first slice, and for those with a wrong start */
	struct trace_places *at;	/* the end of the slices that are written */
};

/* --- the thread that writes */

/*
 * Returns the next slice to write, whole or in part; NULL if there is none or, without @wait, if it
 * is not ready yet.
 */
static struct slice_job *get_ready_job(struct render_pool *p, bool wait)
{
	struct slice_job *job = &p->jobs[p->written % p->nr_jobs];
	bool ready;

	pthread_mutex_lock(&p->lock);
	while (!(ready = job->state == JOB_DONE || job->state == JOB_PARTIAL) && wait &&
	       !(p->all_cut && p->written == p->cut))
		pthread_cond_wait(&p->ready, &p->lock);
	pthread_mutex_unlock(&p->lock);
	return ready ? job : NULL;
}

/* Renders and writes the remaining records of ->mine. Returns 0 or -1. */
static int render_remaining(struct render_pool *p, size_t flush_at)
{
	struct out_state *o = p->out;
	const struct trace_rec *r;

	while ((r = trace_iter_next(p->mine))) {
		out_record(o, r, p->mine, p->which);
		if (o->buf.len < flush_at)
			continue;
		if (out_flush(o, p->err))
			return -1;
		flush_at = OUT_FLUSH_AT;
	}
	trace_iter_places(p->mine, p->at);
	return out_flush(o, p->err);
}

/* Renders @slice from the real end of the one before it. */
static int render_again(struct render_pool *p, const struct trace_slice *slice)
{
	trace_iter_go(p->mine, p->at, slice->until);
	return render_remaining(p, OUT_FLUSH_AT);
}

/* Merges the damages of @job into those of the traces, or drops them. */
static void release_damages(struct render_pool *p, struct slice_job *job, bool keep)
{
	size_t i;

	for (i = 0; i < p->out->nr_traces; i++) {
		if (keep)
			damages_merge(&p->out->traces[i]->damages, &job->damages[i]);
		damages_release(&job->damages[i]);
	}
}

/* Removes a slice that is done in full from the ring. Its buffer is used for the next slice. */
static int finish_job(struct render_pool *p, struct slice_job *job)
{
	struct trace_places *end = job->end;
	struct buf text;
	int ret = 0;

	release_damages(p, job, !job->abandoned);
	if (job->abandoned) {
		buf_reset(&job->text);
		ret = render_again(p, &job->slice);
	} else {
		losses_add(&p->out->losses, &job->losses);
		job->end = p->at;
		p->at = end;
		calls_join(p->out->calls, job->calls);
	}
	trace_slice_release(&job->slice);
	text = job->text;
	job->text = (struct buf){0};
	pthread_mutex_lock(&p->lock);
	job->state = JOB_FREE;
	p->written++;
	if (!p->all_cut) {
		p->texts[p->nr_texts++] = text;
		text = (struct buf){0};
	}
	pthread_cond_broadcast(&p->room);
	pthread_mutex_unlock(&p->lock);
	buf_release(&text);
	return ret;
}

/* Writes the text that @job has so far. Returns 0 or -1. */
static int write_job(struct render_pool *p, struct slice_job *job)
{
	bool partial = job->state == JOB_PARTIAL;
	struct buf mine = p->out->buf;
	int ret;

	if (!job->joined)
		job->abandoned = !trace_places_equal(job->start, p->at);
	job->joined = true;
	if (!job->abandoned) {
		calls_settle(job->calls, p->out->calls, &job->text);
		p->out->buf = job->text;
		ret = out_flush(p->out, p->err);
		job->text = p->out->buf;
		p->out->buf = mine;
		if (ret)
			return -1;
	}
	if (!partial)
		return finish_job(p, job);
	pthread_mutex_lock(&p->lock);
	job->state = JOB_TAKEN;
	pthread_cond_broadcast(&p->room);
	pthread_mutex_unlock(&p->lock);
	return 0;
}

/* --- threads that render */

/* Renders the last record before the slice: it may only consume the first one of the slice. */
static void render_before(void *ctx, const struct trace_rec *r, struct trace_iter *it)
{
	struct render_worker *w = ctx;

	if (w->out.ops->event && (!w->which.match || w->which.match(w->which.ctx, r)))
		w->out.ops->event(&w->out, r, it);
	buf_reset(&w->out.buf);
}

static bool pool_full(const struct render_pool *p)
{
	return p->cut - p->written >= p->nr_jobs;
}

/*
 * Cuts the next slice to render. Returns NULL if there is none or, without @wait, if there is no
 * room for its text.
 */
static struct slice_job *cut_job(struct render_pool *p, bool wait)
{
	struct slice_job *job = NULL;

	pthread_mutex_lock(&p->lock);
	while (wait && !p->stop && !p->all_cut && pool_full(p))
		pthread_cond_wait(&p->room, &p->lock);
	if (p->stop || p->all_cut || pool_full(p))
		goto unlock;
	job = &p->jobs[p->cut % p->nr_jobs];
	if (trace_slicer_next(p->slicer, &job->slice)) {
		job->state = JOB_TAKEN;
		job->joined = job->abandoned = false;
		if (p->nr_texts)
			job->text = p->texts[--p->nr_texts];
		p->cut++;
	} else {
		job = NULL;
		p->all_cut = true;
		pthread_cond_broadcast(&p->room);
		pthread_cond_signal(&p->ready);
	}
unlock:
	pthread_mutex_unlock(&p->lock);
	return job;
}

static void set_ready(struct render_pool *p, struct slice_job *job, enum job_state state)
{
	pthread_mutex_lock(&p->lock);
	job->state = state;
	pthread_cond_signal(&p->ready);
	pthread_mutex_unlock(&p->lock);
}

/* Gets the text so far written. Returns false if the job must stop. */
static bool hand_over_text(struct render_worker *w, struct slice_job *job)
{
	struct render_pool *p = w->pool;
	struct slice_job *next;
	bool go_on;

	job->text = w->out.buf;
	set_ready(p, job, JOB_PARTIAL);
	if (w == &p->workers[WRITER]) {
		/* it writes all slices up to its own one */
		do {
			next = get_ready_job(p, true);
			p->ret = write_job(p, next);
		} while (!p->ret && next != job);
		go_on = !p->ret && !job->abandoned;
	} else {
		pthread_mutex_lock(&p->lock);
		while (job->state == JOB_PARTIAL && !p->stop)
			pthread_cond_wait(&p->room, &p->lock);
		go_on = !p->stop && !job->abandoned;
		pthread_mutex_unlock(&p->lock);
	}
	w->out.buf = job->text;
	return go_on;
}

static void render_job(struct render_worker *w, struct slice_job *job)
{
	const struct trace_rec *r;
	size_t i;

	w->out.buf = job->text;
	w->out.calls = job->calls;
	w->out.losses = (struct out_losses){0};
	trace_iter_slice(w->it, &job->slice, render_before, w);
	calls_forget(job->calls);
	trace_iter_places(w->it, job->start);
	while ((r = trace_iter_next(w->it))) {
		out_record(&w->out, r, w->it, &w->which);
		if (w->out.buf.len >= PARTIAL_AT && !hand_over_text(w, job))
			break;
	}
	trace_iter_places(w->it, job->end);
	for (i = 0; i < w->out.nr_traces; i++) {
		damages_merge(&job->damages[i], &w->views[i]->damages);
		damages_release(&w->views[i]->damages);
	}
	job->losses = w->out.losses;
	job->text = w->out.buf;
	w->out.buf = (struct buf){0};
	set_ready(w->pool, job, JOB_DONE);
}

/*
 * Makes views, an iterator and a sink. Runs in the worker's thread: memory that two threads write
 * to must not share cache lines. Returns false if there can be no views.
 */
static bool worker_begin(struct render_worker *w)
{
	struct render_pool *p = w->pool;
	struct out_state *o = p->out;

	pthread_mutex_lock(&p->lock);
	w->out = *o;
	w->out.buf = (struct buf){0};
	w->out.priv = NULL;
	w->out.calls = NULL;
	w->out.losses = (struct out_losses){0};
	w->views = trace_views(o->traces, o->nr_traces);
	if (w->views) {
		w->out.traces = w->views;
		w->it = trace_iter_new_slices(w->views, o->nr_traces, p->range->cpus,
					      p->range->since, p->range->until);
		w->which = out_match_fork(p->which, w->views);
		if (o->ops->begin)
			o->ops->begin(&w->out);
		buf_release(&w->out.buf);
	}
	p->nr_begun++;
	pthread_cond_signal(&p->ready);
	pthread_mutex_unlock(&p->lock);
	return w->views;
}

/* Runs in the worker's thread, too: freeing its caches takes time. */
static void worker_end(struct render_worker *w)
{
	struct out_state *o = w->pool->out;

	if (w->it && o->ops->end)
		o->ops->end(&w->out);
	buf_release(&w->out.buf);
	trace_iter_free(w->it);
	trace_views_close(w->views, o->nr_traces);
}

static void *worker_loop(void *arg)
{
	struct render_worker *w = arg;
	bool fine = worker_begin(w);
	struct slice_job *job;

	while (fine && (job = cut_job(w->pool, true)))
		render_job(w, job);
	worker_end(w);
	return NULL;
}

static int write_jobs(struct render_pool *p)
{
	struct slice_job *job;

	while (!p->ret) {
		job = get_ready_job(p, false);
		if (!job && (job = cut_job(p, false))) {
			render_job(&p->workers[WRITER], job);
			continue;
		}
		if (!job && !(job = get_ready_job(p, true)))
			break;
		p->ret = write_job(p, job);
	}
	return p->ret;
}

/*
 * Renders the first slice before there are threads: a reader who wants the first line need not wait
 * for them, nor pay for later lines.
 */
static int render_first(struct render_pool *p)
{
	struct trace_slice slice;
	int ret = 0;

	p->mine = trace_iter_new_slices(p->out->traces, p->out->nr_traces, p->range->cpus,
					p->range->since, p->range->until);
	p->at = trace_places_new(p->mine);
	if (!trace_slicer_next(p->slicer, &slice))
		return 0;
	trace_iter_slice(p->mine, &slice, NULL, NULL);
	ret = render_remaining(p, 1);
	trace_slice_release(&slice);
	return ret;
}

/* --- life */

/*
 * Returns false if slices cannot be rendered at all. If no thread can be started the one that
 * writes does all.
 */
static bool start_threads(struct render_pool *p, unsigned int threads)
{
	struct render_worker *w;
	unsigned int i;

	p->nr_jobs = threads + AHEAD;
	p->jobs = xcalloc(p->nr_jobs, sizeof(*p->jobs));
	p->texts = xcalloc(p->nr_jobs, sizeof(*p->texts));
	for (i = 0; i < p->nr_jobs; i++) {
		p->jobs[i].start = trace_places_new(p->mine);
		p->jobs[i].end = trace_places_new(p->mine);
		p->jobs[i].calls = out_calls(p->out);
		p->jobs[i].damages = xcalloc(p->out->nr_traces + 1, sizeof(struct damage_list));
	}
	p->workers = xcalloc(threads, sizeof(*p->workers));
	p->nr_workers = threads;
	for (i = 0; i < threads; i++)
		p->workers[i].pool = p;
	if (!worker_begin(&p->workers[WRITER]))
		return false;
	for (i = WRITER + 1; i < threads; i++) {
		w = &p->workers[i];
		w->started = !pthread_create(&w->thread, NULL, worker_loop, w);
		if (!w->started)
			break;
	}
	pthread_mutex_lock(&p->lock);
	while (p->nr_begun < i)
		pthread_cond_wait(&p->ready, &p->lock);
	pthread_mutex_unlock(&p->lock);
	return true;
}

static void stop_threads(struct render_pool *p)
{
	unsigned int i;

	pthread_mutex_lock(&p->lock);
	p->stop = true;
	pthread_cond_broadcast(&p->room);
	pthread_mutex_unlock(&p->lock);
	if (p->nr_workers)
		worker_end(&p->workers[WRITER]);
	for (i = 0; i < p->nr_workers; i++)
		if (p->workers[i].started)
			pthread_join(p->workers[i].thread, NULL);
}

static void pool_release(struct render_pool *p)
{
	struct render_worker *w;
	size_t i;

	for (i = 0; i < p->nr_jobs; i++) {
		release_damages(p, &p->jobs[i], false);
		trace_slice_release(&p->jobs[i].slice);
		buf_release(&p->jobs[i].text);
		calls_free(p->jobs[i].calls);
		free(p->jobs[i].start);
		free(p->jobs[i].end);
		free(p->jobs[i].damages);
	}
	while (p->nr_texts)
		buf_release(&p->texts[--p->nr_texts]);
	free(p->texts);
	free(p->jobs);
	free(p->at);
	trace_iter_free(p->mine);
	for (w = p->workers; w < p->workers + p->nr_workers; w++) {
		p->out->shown |= w->out.shown;
		out_match_unfork(p->which, &w->which);
	}
	free(p->workers);
	trace_slicer_free(p->slicer);
	pthread_cond_destroy(&p->room);
	pthread_cond_destroy(&p->ready);
	pthread_mutex_destroy(&p->lock);
}

int out_parallel(struct out_state *o, const struct out_range *range, const struct out_match *which,
		 unsigned int threads, struct ftr_error *err)
{
	struct render_pool p = { .out = o, .range = range, .which = which, .err = err };
	struct trace_slice slice;
	uint64_t chunk_bytes = 0;
	int ret = 1;

	p.slicer = trace_slicer_new(o->traces, o->nr_traces, range->cpus, range->since,
				    range->until);
	pthread_mutex_init(&p.lock, NULL);
	pthread_cond_init(&p.room, NULL);
	pthread_cond_init(&p.ready, NULL);
	if (p.slicer && range->slice_bytes)
		trace_slicer_size(p.slicer, range->slice_bytes);
	else if (p.slicer && trace_slicer_bytes(p.slicer) < SMALL)
		threads = 1;
	/* each slice that is being rendered holds a chunk of each CPU */
	for (size_t i = 0; i < o->nr_traces; i++)
		chunk_bytes += dat_chunk_bytes(o->traces[i]->dat);
	while (threads > 1 && (threads + AHEAD) * chunk_bytes > LIMIT_CHUNKS_HELD)
		threads--;
	if (p.slicer && threads > 1) {
		ret = render_first(&p);
		if (!ret && start_threads(&p, threads))
			ret = write_jobs(&p);
		stop_threads(&p);
		/* the slices that were not cut for a worker */
		while (!ret && trace_slicer_next(p.slicer, &slice)) {
			ret = render_again(&p, &slice);
			trace_slice_release(&slice);
		}
	}
	pool_release(&p);
	return ret;
}
