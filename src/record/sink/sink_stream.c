/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sends the recording as a stream, dat_write.h, while the recorders write it to a file. */
#include <stdlib.h>

#include "base/now.h"
#include "base/sig.h"
#include "file/write/dat_write.h"
#include "record/net/send_recording.h"
#include "record/sink/sink_priv.h"

enum {
	ROUND_MS = 50,
	CHUNK_MIN = 256 << 10,		/* bytes of a CPU that are sent at once, */
	CHUNK_MS = 500,			/* or fewer bytes after this time */
	STUCK_MS = 10000,		/* at the end, a listener may be away for this time */
	AHEAD_MAX = 8 << 20,		/* if so many bytes wait, no new chunks are queued */
};

/* The data of one CPU. */
struct sink_stream_cpu {
	const struct recorder *rec;
	size_t   buffer, cpu;		/* indexes of the buffer and of its CPU */
	uint32_t subbuf;		/* size of a sub-buffer in bytes */
	uint64_t done;			/* bytes that were queued */
};

/* The state of the stream. */
struct sink_stream {
	struct record_sink *s;
	struct send_queue *send;		/* the queue to the receiver */
	struct sink_stream_cpu *v;			/* [n], the CPUs of all buffers */
	size_t   n;
	uint64_t skeleton_end;		/* end of the skeleton in the file when it was queued */
	uint64_t last_ms;		/* when chunks of less than CHUNK_MIN were queued */
	struct worker_thread worker;
};

/* Queues a chunk of each CPU's new data. @all: also a chunk of less than CHUNK_MIN bytes. */
static void flows_queue(struct sink_stream *fl, bool all)
{
	const struct dat_region *at;
	struct buf head = {0};
	struct sink_stream_cpu *f;
	uint64_t end;

	for (f = fl->v; f < fl->v + fl->n; f++) {
		end = recorder_size(f->rec, f->cpu);
		end -= end % f->subbuf;
		if (end - f->done < CHUNK_MIN && !(all && end > f->done))
			continue;
		at = &fl->s->spool.bufs[f->buffer].v[f->cpu];
		if (fl->s->plan.consume)
			follow_upto(fl->s->follow, f->buffer, f->cpu, end);
		dat_stream_chunk(f->buffer, f->cpu, end - f->done, &head);
		send_mem(fl->send, &head);
		send_range(fl->send, at->at + f->done, end - f->done);
		f->done = end;
	}
}

static void stream_run(void *arg)
{
	struct sink_stream *fl = arg;
	bool busy = false, late;

	while (!worker_wait(&fl->worker, busy ? 0 : ROUND_MS) && !send_failed(fl->send)) {
		late = now_ms() - fl->last_ms >= CHUNK_MS;
		if (send_waiting(fl->send) < AHEAD_MAX) {
			flows_queue(fl, late);
			fl->last_ms = late ? now_ms() : fl->last_ms;
		}
		send_some(fl->send, ROUND_MS);
		busy = send_waiting(fl->send);
	}
}

static int stream_place(struct record_sink *s, struct meta_capture *c,
			const struct recorded_buffer *bufs, size_t n, struct ftr_error *err)
{
	struct buf head = {0};
	struct sink_stream *fl;
	size_t i, k, nr;

	if (sink_place_in_file(s, c, bufs, n, err))
		return -1;
	if (!s->w) {
		err_set(err, FTR_FAILED, "'%s' is on a file system without sparse files",
			s->plan.out->path);
		return err_hint(err, s->plan.consume ? "TMPDIR names another directory" :
				"-o FILE names a file elsewhere");
	}
	fl = s->flows = xcalloc(1, sizeof(*fl));
	fl->s = s;
	fl->send = s->plan.send;
	for (i = 0; i < n; i++) {
		recorder_cpus(bufs[i].rec, &nr);
		fl->v = xrealloc(fl->v, (fl->n + nr + 1) * sizeof(*fl->v));
		for (k = 0; k < nr; k++)
			fl->v[fl->n++] = (struct sink_stream_cpu){ bufs[i].rec, i, k,
							recorder_subbuf_size(bufs[i].rec), 0 };
	}
	/* the skeleton as it is in the file, except for the section with the places of the data */
	send_range(fl->send, 0, dat_spool_at(s->w));
	dat_stream_head(&s->spool, &head);
	send_mem(fl->send, &head);
	fl->skeleton_end = dat_written(s->w);
	return 0;
}

/*
 * Sent data may be dropped at once if there is no file: then the thread that sends reads it before.
 */
static int stream_begin(struct record_sink *s, struct ftr_error *err)
{
	if (worker_start(&s->flows->worker, "ftr-send", 5, stream_run, s->flows,
			 "sends the recorded data", err))
		return -1;
	return s->plan.consume ? 0 : sink_begin_following(s, err);
}

/*
 * Sends until all data is sent, the receiver fails, or the user interrupts. A reader of a pipe may
 * be slow. Returns 0, or -1 with @err.
 */
static int send_rest(struct sink_stream *fl, struct ftr_error *err)
{
	int sig = 0;

	send_end(fl->send);
	while (!send_done(fl->send) && !send_failed(fl->send) && !sig &&
	       (fl->s->plan.consume || send_stuck_ms(fl->send) < STUCK_MS)) {
		send_some(fl->send, ROUND_MS);
		sig = sig_held();
	}
	if (send_done(fl->send))
		return err->code ? -1 : 0;
	if (sig)
		return err_set(err, FTR_DAMAGED, "interrupted before all was sent");
	*err = *send_error(fl->send);
	return err->code ? -1 : err_set(err, FTR_DAMAGED, "nobody receives the data");
}

static int end_stream(struct record_sink *s, const struct captured_meta *c, struct ftr_error *err)
{
	struct sink_stream *fl = s->flows;
	struct buf b = {0};

	worker_stop(&fl->worker);
	flows_queue(fl, true);
	sink_write_sections(s, c);
	send_range(fl->send, fl->skeleton_end, dat_written(s->w) - fl->skeleton_end);
	dat_stream_options(s->w, &b);
	send_mem(fl->send, &b);
	/* a stream without its end is reported as cut off */
	if (dat_write_error(s->w)->code)
		*err = *dat_write_error(s->w);
	else
		dat_stream_end(send_given(fl->send), &b);
	send_mem(fl->send, &b);
	return send_rest(fl, err);
}

/* If the receiver did not get all data, completes the file, unless the data is nowhere else. */
static int stream_finish(struct record_sink *s, const struct captured_meta *c,
			 struct ftr_error *err)
{
	int ret = end_stream(s, c, err);

	s->sent = !ret || s->plan.consume;
	if (s->sent)
		return ret ? 1 : 0;
	s->plan.warn("%s: the recording stays here", err->msg);
	*err = (struct ftr_error){0};
	s->ops = sink_kind_of_v7(s);
	return s->ops->finish(s, c, err);
}

void sink_flows_free(struct sink_stream *fl)
{
	if (!fl)
		return;
	worker_stop(&fl->worker);
	free(fl->v);
	free(fl);
}

const struct sink_ops sink_stream = {
	.place = stream_place,
	.begin = stream_begin,
	.finish = stream_finish,
	.give_up = sink_leave_as_is,
	.symbols_anywhere = true,
};
