/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Perfetto's packets: a sequence a CPU, events in bundles. */
#include "output/perfetto/perfetto.h"

#include <stdlib.h>

#include "base/map.h"
#include "output/perfetto/perfetto_priv.h"

#define BUNDLE_EVENTS 2000
#define BUNDLE_BYTES  (128u << 10)
#define BUNDLES_BYTES (16u << 20)	/* of all CPUs, about */
#define FLAG_CLEARED  1			/* TracePacket.sequence_flags */
#define FLAG_NEEDS    2

/* A CPU of a buffer: one sequence of packets. */
struct sequence {
	struct buf bundle, interned;
	struct pf_wakings *wakings;
	int running;			/* of the first sequence of a CPU: for all of them */
	unsigned int nr_events;
	bool lost;			/* before what is in the bundle */
	bool begun;			/* a packet of it was written since all was forgotten */
	unsigned int file;
};

struct perfetto {
	struct pf_events *events;
	struct pf_symbols *symbols;
	struct sequence *v;		/* by trace_rec.stream */
	size_t n, max_bytes;
	bool meta_done;
	struct buf packet;
	struct map running;		/* by file and CPU: ->running of its first sequence */
	uint64_t last_ts;		/* of the record before */
	struct sequence *waking;	/* whose last event is a waking, and may become compact */
	size_t waking_at;		/* where it begins in the bundle */
};

static uint64_t left_out;

uint64_t perfetto_left_out(void)
{
	return left_out;
}

int perfetto_check_clocks(struct trace *const *traces, size_t n, struct ftr_error *err)
{
	for (size_t i = 0; i < n; i++) {
		const struct dat *d = traces[i]->dat;

		if (traces[i]->clock_is_ns)
			continue;
		err_set(err, FTR_FAILED, "'%s': its clock '%s' does not count nanoseconds, as the "
			"times of Perfetto do", d->path, d->nr_buffers ? d->buffers[0].clock : "");
		return err_hint(err, "'ftr record -C boot' records with a clock that does; "
				"--to json and csv take any");
	}
	return 0;
}

static void perfetto_begin(struct out *o)
{
	struct perfetto *x = xcalloc(1, sizeof(*x));

	x->n = trace_nr_streams(o->traces, o->nr_traces);
	x->v = xcalloc(x->n + 1, sizeof(*x->v));
	x->max_bytes = BUNDLES_BYTES / (x->n + 1);
	if (x->max_bytes > BUNDLE_BYTES)
		x->max_bytes = BUNDLE_BYTES;
	x->events = pf_events_new(o->traces, o->nr_traces);
	x->symbols = pf_symbols_new(x->n);
	left_out = 0;
	o->priv = x;
}

/* Writes what there is of a sequence as one packet. */
static void end_bundle(struct out *o, size_t seq)
{
	struct perfetto *x = o->priv;
	struct sequence *s = &x->v[seq];
	struct buf *b = &x->packet;

	if (!s->bundle.len)
		return;
	if (x->waking == s)
		x->waking = NULL;
	pf_wakings_end(s->wakings, &s->bundle);
	buf_reset(b);
	proto_add_number(b, PACKET_SEQUENCE, seq + 1);
	pf_add_machine(s->file, b);
	proto_add_number(b, PACKET_FLAGS, s->begun ? FLAG_NEEDS : FLAG_CLEARED | FLAG_NEEDS);
	if (s->interned.len)
		proto_add_bytes(b, PACKET_INTERNED, s->interned.data, s->interned.len);
	proto_add_bytes(b, PACKET_BUNDLE, s->bundle.data, s->bundle.len);
	proto_add_bytes(&o->buf, TRACE_PACKET, b->data, b->len);
	buf_reset(&s->bundle);
	buf_reset(&s->interned);
	s->nr_events = 0;
	s->begun = true;
}

static void end_all_bundles(struct out *o)
{
	struct perfetto *x = o->priv;

	for (size_t i = 0; i < x->n; i++)
		end_bundle(o, i);
}

static void begin_bundle(struct sequence *s, const struct trace_rec *r)
{
	s->file = r->file;
	proto_add_number(&s->bundle, BUNDLE_CPU, r->cpu);
	if (s->lost)
		proto_add_number(&s->bundle, BUNDLE_LOST, 1);
	s->lost = false;
	pf_add_clock(&r->trace->dat->buffers[r->buffer], r->ts, r->stream, &s->bundle);
}

/* Numbers of functions are given anew: each sequence begins as at first. */
static void forget_symbols(struct out *o)
{
	struct perfetto *x = o->priv;

	end_all_bundles(o);
	pf_symbols_forget(x->symbols);
	for (size_t i = 0; i < x->n; i++)
		x->v[i].begun = false;
}

/* Perfetto has one running task of a CPU, whichever buffer tells it. */
static int *running_of(struct perfetto *x, struct sequence *s, const struct trace_rec *r)
{
	uint64_t key = (uint64_t)r->file << 32 | (uint32_t)r->cpu;
	int *running = map_get(&x->running, key);

	if (running)
		return running;
	s->running = PF_NOBODY;
	map_put(&x->running, key, &s->running);
	return &s->running;
}

static struct sequence *sequence_of(struct out *o, const struct trace_rec *r)
{
	struct perfetto *x = o->priv;
	struct sequence *s = &x->v[r->stream];

	if (__builtin_expect(!x->meta_done, 0)) {
		pf_add_meta(o->traces, o->nr_traces, r->ts, x->n + 1, &o->buf);
		x->meta_done = true;
	}
	if (__builtin_expect(pf_symbols_full(x->symbols), 0))
		forget_symbols(o);
	if (__builtin_expect(!s->wakings, 0))
		s->wakings = pf_wakings_new(running_of(x, s, r));
	if (!s->bundle.len)
		begin_bundle(s, r);
	return s;
}

static bool can_have(const struct trace_rec *r)
{
	return r->cpu >= 0 && r->cpu < PERFETTO_CPUS;
}

/*
 * In the compact form a waking is sorted by its time alone: what has the time of a record before or
 * behind it stays an event, as these have their order.
 */
static void settle_waking(struct perfetto *x, uint64_t next_ts)
{
	if (!x->waking)
		return;
	if (next_ts > x->last_ts) {
		x->waking->bundle.len = x->waking_at;
		pf_wakings_take(x->waking->wakings);
	}
	x->waking = NULL;
}

static void add_event(struct perfetto *x, struct sequence *s, const struct trace_rec *r)
{
	size_t at = s->bundle.len;
	uint32_t number = pf_add_event(x->events, r, &(struct pf_to){ &s->bundle, &s->interned,
								      x->symbols, r->stream });

	if (number == PF_SCHED_SWITCH)
		pf_wakings_switched(s->wakings, r);
	if (number == PF_SCHED_WAKING && r->ts > x->last_ts && pf_wakings_hold(s->wakings, r)) {
		x->waking = s;
		x->waking_at = at;
	}
	x->last_ts = r->ts;
}

static void perfetto_event(struct out *o, const struct trace_rec *r, struct trace_iter *it)
{
	struct perfetto *x = o->priv;
	struct sequence *s;

	(void)it;
	if (__builtin_expect(!can_have(r) || r->ts > INT64_MAX, 0)) {
		left_out++;
		return;
	}
	settle_waking(x, r->ts);
	s = sequence_of(o, r);
	add_event(x, s, r);
	/* a waking is settled by the next record */
	if ((++s->nr_events >= BUNDLE_EVENTS || s->bundle.len >= x->max_bytes) && x->waking != s)
		end_bundle(o, r->stream);
}

static void perfetto_lost(struct out *o, const struct trace_rec *r)
{
	struct perfetto *x = o->priv;
	struct sequence *s = &x->v[r->stream];

	if (!can_have(r))
		return;
	settle_waking(x, r->ts);
	end_bundle(o, r->stream);
	s->lost = true;
	if (s->wakings)
		pf_wakings_lost(s->wakings);
	/* behind the last event: a bundle without one */
	if (!r->rec.data)
		sequence_of(o, r);
}

static void perfetto_end(struct out *o)
{
	struct perfetto *x = o->priv;

	settle_waking(x, UINT64_MAX);
	end_all_bundles(o);
	for (size_t i = 0; i < x->n; i++) {
		buf_release(&x->v[i].bundle);
		buf_release(&x->v[i].interned);
		pf_wakings_free(x->v[i].wakings);
	}
	pf_events_free(x->events);
	pf_symbols_free(x->symbols);
	buf_release(&x->packet);
	map_release(&x->running);
	free(x->v);
	free(x);
	o->priv = NULL;
}

const struct out_ops out_perfetto = {
	.begin = perfetto_begin,
	.event = perfetto_event,
	.lost = perfetto_lost,
	.end = perfetto_end,
};
