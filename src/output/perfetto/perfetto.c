/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Perfetto's packets: a sequence for each CPU of a buffer, with its events in bundles; before them
 * the machine, its clocks and the names of its tasks.
 *
 * CPUs and threads of several files must not mix, so each file after the first has a
 * TracePacket.machine_id; a trial showed that its CPUs and threads are separate then. With a
 * prefix in the names of processes instead, the CPUs would mix.
 *
 * Times are written unchanged, as the file does not contain the boot clock by which Perfetto
 * counts. Another clock is declared with pairs of equal times, see the bundle's clock below.
 */
#include "output/perfetto/perfetto.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/text.h"
#include "file/read/dat.h"
#include "output/line_source.h"
#include "output/perfetto/perfetto_priv.h"

/* --- packets beside the events */

/* BuiltinClock */
enum { CLOCK_REAL = 1, CLOCK_BOOT = 6 };
/* FtraceClock. The kernel's clocks that it lacks are written as global. */
enum { FTRACE_GLOBAL = 2, FTRACE_LOCAL = 3, FTRACE_MONO_RAW = 4 };

/*
 * Adds the clock of @b as fields of a bundle. Perfetto counts by the boot clock, and wants a pair
 * of times for another clock. The file does not contain that pair: the times of the trace are used
 * as they are. Perfetto compares the first time of a pair with that of the bundle before, of
 * whatever sequence, and ignores equal ones: each pair is later than @last, that of the last pair.
 */
static void add_clock(const struct dat_buffer *b, uint64_t ts, uint64_t *last, struct buf *bundle)
{
	const char *name = b->clock ? b->clock : "";
	unsigned int clock = FTRACE_GLOBAL;

	if (!strcmp(name, "boot"))
		return;
	if (!strcmp(name, "local"))
		clock = FTRACE_LOCAL;
	else if (!strcmp(name, "mono_raw"))
		clock = FTRACE_MONO_RAW;
	proto_add_number(bundle, BUNDLE_CLOCK, clock);
	*last = ts > *last ? ts : *last + 1;
	proto_add_number(bundle, BUNDLE_CLOCK_TIME, *last);
	proto_add_number(bundle, BUNDLE_BOOT_TIME, *last);
}

/* Makes each file except the first one a separate machine: its CPUs and tasks are apart then. */
static void add_machine(unsigned int file, struct buf *packet)
{
	if (file)
		proto_add_number(packet, PACKET_MACHINE, file);
}

static void system_add_word(struct buf *packet, unsigned int field, const char *text)
{
	if (text)
		proto_add_bytes(packet, field, text, strlen(text));
}

/* Adds the machine that was recorded. */
static void add_system(const struct trace *t, uint64_t ts, struct buf *packet)
{
	struct dat_uname u;
	size_t outer, inner;

	(void)ts;
	dat_uname_read(t->dat, &u);
	if (u.machine) {
		outer = proto_begin(packet, PACKET_SYSTEM);
		inner = proto_begin(packet, 1);
		system_add_word(packet, 1, u.system);
		system_add_word(packet, 2, u.version);
		system_add_word(packet, 3, u.release);
		system_add_word(packet, 4, u.machine);
		proto_end(packet, inner);
		proto_end(packet, outer);
	}
	free(u.text);
}

static void add_clock_time(struct buf *packet, unsigned int clock, uint64_t ns)
{
	size_t at = proto_begin(packet, 1);

	proto_add_number(packet, 1, clock);
	proto_add_number(packet, 2, ns);
	proto_end(packet, at);
}

/*
 * Adds the time of day at @ts. Only the first file has it: pairs of clocks of another machine would
 * move the times of all others.
 */
static void add_clocks(const struct trace *t, uint64_t ts, struct buf *packet)
{
	size_t at;

	if (!t->has_wall)
		return;
	at = proto_begin(packet, PACKET_CLOCKS);
	add_clock_time(packet, CLOCK_BOOT, ts);
	add_clock_time(packet, CLOCK_REAL, ts - (uint64_t)t->ts_add_ns + (uint64_t)t->wall_ns);
	proto_end(packet, at);
}


static int compare_pids(const void *a, const void *b)
{
	const int *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void add_tasks(const struct trace *t, uint64_t ts, struct buf *packet)
{
	size_t n = trace_nr_comms(t), tree, at;
	int *pids = trace_comm_pids(t), pid, tgid;
	struct map tgids = {0};
	const char *name;

	tgids_read(&tgids, t);
	qsort(pids, n, sizeof(*pids), compare_pids);
	proto_add_number(packet, PACKET_TIMESTAMP, ts);
	tree = proto_begin(packet, PACKET_PROCESS_TREE);
	for (size_t i = 0; i < n; i++) {
		pid = pids[i];
		if (!pid)
			continue;
		name = trace_comm(t, pid);
		tgid = (int)(uintptr_t)map_get(&tgids, (uint32_t)pid);
		/* Perfetto needs a process for each: a task without a known tgid is its own */
		if (!tgid)
			tgid = pid;
		if (tgid == pid) {
			at = proto_begin(packet, 1);
			proto_add_number(packet, 1, pid);
			proto_add_bytes(packet, 3, name, strlen(name));
			proto_end(packet, at);
		}
		at = proto_begin(packet, 2);
		proto_add_number(packet, 1, pid);
		proto_add_bytes(packet, 2, name, strlen(name));
		proto_add_number(packet, 3, tgid);
		proto_end(packet, at);
	}
	proto_end(packet, tree);
	map_release(&tgids);
	free(pids);
}

/* Adds the packets before the first event, whose time is @ts: machine, clocks, names of tasks. */
static void add_meta(struct trace *const *traces, size_t n, uint64_t ts, size_t seq,
		     struct buf *out)
{
	static void (*const adders[])(const struct trace *t, uint64_t ts, struct buf *packet) = {
		add_system, add_clocks, add_tasks,
	};
	struct buf packet = {0};
	size_t at;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < sizeof(adders) / sizeof(*adders); k++) {
			if (i && adders[k] == add_clocks)
				continue;
			buf_reset(&packet);
			adders[k](traces[i], ts, &packet);
			if (!packet.len)
				continue;
			at = proto_begin(out, TRACE_PACKET);
			proto_add_number(out, PACKET_SEQUENCE, seq + i);
			add_machine(i, out);
			buf_add(out, packet.data, packet.len);
			proto_end(out, at);
		}
	buf_release(&packet);
}

/*
 * --- wakings in the compact form of a bundle (CompactSched in ftrace_event_bundle.proto): lists,
 * each with an entry for each waking. Perfetto reads the flags only of these, and so knows which
 * were in an interrupt. They name no task: it is the one to which the CPU switched last.
 */

#define NAME_MAX	64	/* bytes of a name; the kernel has 16 */
#define PF_NOBODY	INT32_MIN

/* Numbers in CompactSched. */
enum { COMPACT_NAMES = 5, COMPACT_LISTS = 7 };
/* The lists are numbered from COMPACT_LISTS on. A time is the difference to the one before. */
enum { LIST_TIME, LIST_PID, LIST_CPU, LIST_PRIO, LIST_NAME, LIST_FLAGS, LISTS };

struct compact_waking {
	uint64_t v[LISTS];		/* the entries for the lists */
	char name[NAME_MAX];
	size_t len;
};

struct compact_wakings {
	const struct ev_format *waking, *switched;	/* the formats of the fields */
	const struct ev_field *comm, *pid, *prio, *cpu, *next;
	uint32_t flags_off;
	int *running;			/* task of the CPU in all buffers; PF_NOBODY: unknown */
	uint64_t last;			/* time of the last waking in the bundle */
	struct compact_waking held;
	struct buf lists[LISTS];
	struct buf names;		/* fields of CompactSched */
	struct textmap numbers;		/* numbers of the names in ->names, from 1 on */
	uintptr_t nr_names;
};

static void wakings_free(struct compact_wakings *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < LISTS; i++)
		buf_release(&w->lists[i]);
	buf_release(&w->names);
	textmap_release(&w->numbers);
	free(w);
}

/* Notes the task that runs after @r, a sched_switch. */
static void wakings_switched(struct compact_wakings *w, const struct trace_rec *r)
{
	uint64_t next;

	if (w->switched != r->rec.fmt)
		w->next = ev_field(r->rec.fmt, "next_pid");
	w->switched = r->rec.fmt;
	*w->running = w->next && ev_get_num(&r->rec, w->next, &next) ? (int32_t)next : PF_NOBODY;
}

/* Holds @r, a sched_waking. Returns false if it must remain an event. */
static bool wakings_hold(struct compact_wakings *w, const struct trace_rec *r)
{
	const struct ev_format *fmt = r->rec.fmt;
	struct compact_waking *h = &w->held;
	uint32_t len, count_off;
	const uint8_t *comm;

	if (*w->running != r->pid)
		return false;
	if (w->waking != fmt) {
		w->waking = fmt;
		w->comm = ev_field(fmt, "comm");
		w->pid = ev_field(fmt, "pid");
		w->prio = ev_field(fmt, "prio");
		/* old kernels have the field success, which the compact form lacks */
		w->cpu = ev_field(fmt, "success") ? NULL : ev_field(fmt, "target_cpu");
		ev_latency_offsets(fmt, &w->flags_off, &count_off);
	}
	if (!w->comm || !w->pid || !w->prio || !w->cpu || w->flags_off >= r->rec.len ||
	    r->ts < w->last || !ev_get_bytes(&r->rec, w->comm, &comm, &len) ||
	    !ev_get_num(&r->rec, w->pid, &h->v[LIST_PID]) ||
	    !ev_get_num(&r->rec, w->prio, &h->v[LIST_PRIO]) ||
	    !ev_get_num(&r->rec, w->cpu, &h->v[LIST_CPU]))
		return false;
	h->v[LIST_TIME] = r->ts;
	h->v[LIST_FLAGS] = r->rec.data[w->flags_off];
	h->len = strnlen((const char *)comm, len < NAME_MAX ? len : NAME_MAX);
	memcpy(h->name, comm, h->len);
	return true;
}

/* Appends the lists as one field of the bundle, and empties them. */
static void wakings_end(struct compact_wakings *w, struct buf *bundle)
{
	size_t at;

	if (!w->nr_names)
		return;
	at = proto_begin(bundle, BUNDLE_COMPACT);
	buf_add(bundle, w->names.data, w->names.len);
	for (size_t i = 0; i < LISTS; i++) {
		proto_add_bytes(bundle, COMPACT_LISTS + i, w->lists[i].data, w->lists[i].len);
		buf_reset(&w->lists[i]);
	}
	proto_end(bundle, at);
	buf_reset(&w->names);
	textmap_release(&w->numbers);
	w->nr_names = 0;
	w->last = 0;
}

/* --- the sink */

#define BUNDLE_EVENTS 2000
#define BUNDLE_BYTES  (128u << 10)
#define BUNDLES_BYTES (16u << 20)	/* for all CPUs, about */
#define FLAG_CLEARED  1			/* TracePacket.sequence_flags */
#define FLAG_NEEDS    2

/* A CPU of a buffer: one sequence of packets. */
struct perfetto_sequence {
	struct buf bundle, interned;
	struct compact_wakings *wakings;
	int running;			/* in the first sequence of a CPU: its task, for all */
	unsigned int nr_events;
	bool lost;			/* records were lost before the bundle */
	bool begun;			/* a packet was written since symbols were forgotten */
	unsigned int file;
};

struct perfetto_sink {
	struct pf_events *events;
	struct pf_symbols *symbols;
	struct perfetto_sequence *v;		/* by trace_rec.stream */
	size_t n, max_bytes;
	bool meta_done;
	struct buf packet;
	struct map running;		/* by file and CPU: ->running of its first sequence */
	uint64_t last_ts;		/* time of the record before */
	uint64_t last_pair;		/* time of the last pair of clocks */
	struct perfetto_sequence *waking; /* its last event is a waking, which may become compact */
	size_t waking_at;		/* offset of that event in the bundle */
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

static void perfetto_begin(struct out_state *o)
{
	struct perfetto_sink *x = xcalloc(1, sizeof(*x));

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

/* Writes the bundle of a sequence as one packet. */
static void end_bundle(struct out_state *o, size_t seq)
{
	struct perfetto_sink *x = o->priv;
	struct perfetto_sequence *s = &x->v[seq];
	struct buf *b = &x->packet;

	if (!s->bundle.len)
		return;
	if (x->waking == s)
		x->waking = NULL;
	wakings_end(s->wakings, &s->bundle);
	buf_reset(b);
	proto_add_number(b, PACKET_SEQUENCE, seq + 1);
	add_machine(s->file, b);
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

static void end_all_bundles(struct out_state *o)
{
	struct perfetto_sink *x = o->priv;

	for (size_t i = 0; i < x->n; i++)
		end_bundle(o, i);
}

/* Returns the sequence of @r, with a bundle that was started. */
static struct perfetto_sequence *get_sequence(struct out_state *o, const struct trace_rec *r)
{
	uint64_t key = (uint64_t)r->file << 32 | (uint32_t)r->cpu;
	struct perfetto_sink *x = o->priv;
	struct perfetto_sequence *s = &x->v[r->stream];

	if (__builtin_expect(!x->meta_done, 0)) {
		add_meta(o->traces, o->nr_traces, r->ts, x->n + 1, &o->buf);
		x->meta_done = true;
	}
	if (__builtin_expect(pf_symbols_full(x->symbols), 0)) {
		/* functions get new numbers: each sequence starts again */
		end_all_bundles(o);
		pf_symbols_forget(x->symbols);
		for (size_t i = 0; i < x->n; i++)
			x->v[i].begun = false;
	}
	if (__builtin_expect(!s->wakings, 0)) {
		/* Perfetto has one running task of a CPU, whichever buffer has the switch */
		s->wakings = xcalloc(1, sizeof(*s->wakings));
		s->wakings->running = map_get(&x->running, key);
		if (!s->wakings->running) {
			s->running = PF_NOBODY;
			s->wakings->running = &s->running;
			map_put(&x->running, key, &s->running);
		}
	}
	if (s->bundle.len)
		return s;
	s->file = r->file;
	proto_add_number(&s->bundle, BUNDLE_CPU, r->cpu);
	if (s->lost)
		proto_add_number(&s->bundle, BUNDLE_LOST, 1);
	s->lost = false;
	add_clock(&r->trace->dat->buffers[r->buffer], r->ts, &x->last_pair, &s->bundle);
	return s;
}

/* Returns true if Perfetto accepts the CPU. */
static bool has_valid_cpu(const struct trace_rec *r)
{
	return r->cpu >= 0 && r->cpu < PERFETTO_CPUS;
}

/*
 * Moves the waking that is held into the compact form, where wakings are sorted by time alone: one
 * with the time of a record before or after it stays an event, as these have their order.
 */
static void settle_waking(struct perfetto_sink *x, uint64_t next_ts)
{
	struct buf clean = {0};
	struct compact_waking *h;
	struct compact_wakings *w;
	uintptr_t number;
	uint64_t ts;

	if (!x->waking)
		return;
	if (next_ts <= x->last_ts) {
		x->waking = NULL;
		return;
	}
	x->waking->bundle.len = x->waking_at;
	w = x->waking->wakings;
	h = &w->held;
	x->waking = NULL;
	number = (uintptr_t)textmap_get(&w->numbers, h->name, h->len);
	if (!number) {
		number = ++w->nr_names;
		textmap_put(&w->numbers, h->name, h->len, (void *)number);
		text_sanitise(&clean, h->name, h->len, true);
		proto_add_bytes(&w->names, COMPACT_NAMES, clean.len ? clean.data : "", clean.len);
		buf_release(&clean);
	}
	ts = h->v[LIST_TIME];
	h->v[LIST_TIME] -= w->last;
	h->v[LIST_NAME] = number - 1;
	for (size_t i = 0; i < LISTS; i++)
		buf_poked(&w->lists[i], proto_varint(buf_poke(&w->lists[i], PROTO_VARINT_MAX),
						     h->v[i]));
	w->last = ts;
}

static void perfetto_event(struct out_state *o, const struct trace_rec *r, struct trace_iter *it)
{
	struct perfetto_sink *x = o->priv;
	struct perfetto_sequence *s;
	uint32_t number;
	size_t at;

	(void)it;
	if (__builtin_expect(!has_valid_cpu(r) || r->ts > INT64_MAX, 0)) {
		left_out++;
		return;
	}
	settle_waking(x, r->ts);
	s = get_sequence(o, r);
	at = s->bundle.len;
	number = pf_add_event(x->events, r, &(struct pf_dest){ &s->bundle, &s->interned, x->symbols,
							     r->stream });
	if (number == PF_SCHED_SWITCH)
		wakings_switched(s->wakings, r);
	if (number == PF_SCHED_WAKING && r->ts > x->last_ts && wakings_hold(s->wakings, r)) {
		x->waking = s;
		x->waking_at = at;
	}
	x->last_ts = r->ts;
	/* a waking is settled by the next record */
	if ((++s->nr_events >= BUNDLE_EVENTS || s->bundle.len >= x->max_bytes) && x->waking != s)
		end_bundle(o, r->stream);
}

static void perfetto_lost(struct out_state *o, const struct trace_rec *r)
{
	struct perfetto_sink *x = o->priv;
	struct perfetto_sequence *s = &x->v[r->stream];

	if (!has_valid_cpu(r))
		return;
	settle_waking(x, r->ts);
	end_bundle(o, r->stream);
	s->lost = true;
	/* the running task is not known until the next switch */
	if (s->wakings)
		*s->wakings->running = PF_NOBODY;
	/* a loss after the last event is a bundle without events */
	if (!r->rec.data)
		get_sequence(o, r);
}

static void perfetto_end(struct out_state *o)
{
	struct perfetto_sink *x = o->priv;

	settle_waking(x, UINT64_MAX);
	end_all_bundles(o);
	for (size_t i = 0; i < x->n; i++) {
		buf_release(&x->v[i].bundle);
		buf_release(&x->v[i].interned);
		wakings_free(x->v[i].wakings);
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
