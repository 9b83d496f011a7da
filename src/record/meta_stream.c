/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The recording as a stream, dat_stream.h: what the recorders write is sent behind them. */
#include <stdlib.h>

#include "base/now.h"
#include "base/sig.h"
#include "file/spool/dat_stream.h"
#include "record/meta_priv.h"
#include "record/net/send.h"

enum {
	ROUND_MS = 50,
	CHUNK_MIN = 256 << 10,		/* bytes of a CPU that go at once, */
	CHUNK_MS = 500,			/* or after so long */
	STUCK_MS = 10000,		/* a listener may be away so long at the end */
	AHEAD_MAX = 8 << 20,		/* bytes that wait: no more is cut into chunks before */
};

/* One CPU's data. */
struct flow {
	const struct recorder *rec;
	size_t   buffer, cpu;
	uint32_t subbuf;
	uint64_t done;			/* bytes that were given */
};

struct meta_stream {
	struct meta *m;
	struct send *send;
	bool     consume;		/* what was sent is gone, so it is read before */
	struct flow *v;
	size_t   n;
	uint64_t front;			/* where the front ended when it was sent */
	uint64_t last_ms;		/* when the small ones were given */
	struct worker worker;
};

static void give_chunk(struct meta_stream *s, struct flow *f, uint64_t end)
{
	const struct dat_region *at = &s->m->spool.bufs[f->buffer].v[f->cpu];
	struct buf head = {0};

	if (s->consume)
		follow_upto(s->m->follow, f->buffer, f->cpu, end);
	dat_stream_chunk(f->buffer, f->cpu, end - f->done, &head);
	send_mem(s->send, &head);
	send_range(s->send, at->at + f->done, end - f->done);
	f->done = end;
}

/* @all: however little it is. */
static void give_new(struct meta_stream *s, bool all)
{
	struct flow *f;
	uint64_t end;

	for (f = s->v; f < s->v + s->n; f++) {
		end = recorder_size(f->rec, f->cpu);
		end -= end % f->subbuf;
		if (end - f->done >= CHUNK_MIN || (all && end > f->done))
			give_chunk(s, f, end);
	}
}

static void stream_run(void *arg)
{
	struct meta_stream *s = arg;
	bool busy = false, late;

	while (!worker_wait(&s->worker, busy ? 0 : ROUND_MS) && !send_failed(s->send)) {
		late = now_ms() - s->last_ms >= CHUNK_MS;
		if (send_waiting(s->send) < AHEAD_MAX) {
			give_new(s, late);
			s->last_ms = late ? now_ms() : s->last_ms;
		}
		send_some(s->send, ROUND_MS);
		busy = send_waiting(s->send);
	}
}

/* The front as it is in the file, but for the section that tells where the data is. */
static void give_front(struct meta_stream *s)
{
	struct meta *m = s->m;
	struct buf b = {0};

	send_range(s->send, 0, dat_spool_at(m->w));
	dat_stream_head(&m->spool, &b);
	send_mem(s->send, &b);
	s->front = dat_written(m->w);
}

void meta_stream(struct meta *m, struct send *send, bool consume, const struct lane_buffer *bufs,
		 size_t n)
{
	struct meta_stream *s = m->stream = xcalloc(1, sizeof(*s));
	size_t i, k, nr;

	s->m = m;
	s->send = send;
	s->consume = consume;
	for (i = 0; i < n; i++) {
		recorder_cpus(bufs[i].rec, &nr);
		s->v = xrealloc(s->v, (s->n + nr + 1) * sizeof(*s->v));
		for (k = 0; k < nr; k++)
			s->v[s->n++] = (struct flow){ bufs[i].rec, i, k,
						      recorder_subbuf_size(bufs[i].rec), 0 };
	}
	give_front(s);
}

bool meta_stream_follows(const struct meta *m)
{
	return m->stream && m->stream->consume;
}

int meta_stream_start(struct meta *m, struct ftr_error *err)
{
	return worker_start(&m->stream->worker, "ftr-send", 5, stream_run, m->stream,
			    "sends what is recorded", err);
}

/*
 * Until all is sent, nobody takes it, or the user has enough. A reader of a pipe may take its time.
 */
static int send_rest(struct meta_stream *s, struct ftr_error *err)
{
	int sig = 0;

	send_end(s->send);
	while (!send_done(s->send) && !send_failed(s->send) && !sig &&
	       (s->consume || send_stuck_ms(s->send) < STUCK_MS)) {
		send_some(s->send, ROUND_MS);
		sig = sig_held();
	}
	if (send_done(s->send))
		return err->code ? -1 : 0;
	if (sig)
		return err_set(err, FTR_DAMAGED, "interrupted before all was sent");
	*err = *send_error(s->send);
	return err->code ? -1 : err_set(err, FTR_DAMAGED, "nobody takes what is sent");
}

int meta_stream_end(struct meta *m, struct ftr_error *err)
{
	struct meta_stream *s = m->stream;
	struct buf b = {0};

	worker_stop(&s->worker);
	give_new(s, true);
	meta_write_sections(m);
	send_range(s->send, s->front, dat_written(m->w) - s->front);
	dat_stream_options(m->w, &b);
	send_mem(s->send, &b);
	/* without its end a stream counts as cut off */
	if (dat_write_error(m->w)->code)
		*err = *dat_write_error(m->w);
	else
		dat_stream_end(send_given(s->send), &b);
	send_mem(s->send, &b);
	return send_rest(s, err);
}

void meta_stream_free(struct meta_stream *s)
{
	if (!s)
		return;
	worker_stop(&s->worker);
	free(s->v);
	free(s);
}
