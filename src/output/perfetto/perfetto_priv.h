/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the room share. */
#ifndef FTR_OUTPUT_PERFETTO_PERFETTO_PRIV_H
#define FTR_OUTPUT_PERFETTO_PERFETTO_PRIV_H

#include "base/map.h"
#include "model/fgraph.h"
#include "output/perfetto/protobuf.h"
#include "output/line_source.h"

/* Numbers of TracePacket and what is in it (protos/perfetto/trace). */
enum {
	TRACE_PACKET = 1,
	PACKET_BUNDLE = 1, PACKET_PROCESS_TREE = 2, PACKET_CLOCKS = 6, PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10, PACKET_INTERNED = 12, PACKET_FLAGS = 13, PACKET_SYSTEM = 45,
	PACKET_MACHINE = 98,
	BUNDLE_CPU = 1, BUNDLE_EVENT = 2, BUNDLE_LOST = 3, BUNDLE_COMPACT = 4, BUNDLE_CLOCK = 5,
	BUNDLE_CLOCK_TIME = 6, BUNDLE_BOOT_TIME = 7, BUNDLE_GENERIC = 11,
	INTERNED_SYMBOL = 26,
	EVENT_TIME = 1, EVENT_PID = 2,
};

/* --- perfetto_symbols.c: functions by numbers, each told once to the sequence of a CPU */

struct pf_symbols;
struct pf_symbols *pf_symbols_new(size_t nr_sequences);
void pf_symbols_free(struct pf_symbols *s);
/*
 * The number of the function at @addr in the files of @t, from 1 on. If sequence @seq was not told,
 * @interned gets its name, as a field of InternedData.
 */
uint64_t pf_symbol(struct pf_symbols *s, struct trace *t, size_t seq, uint64_t addr,
		   struct buf *interned);
/* So many that they are to be forgotten; what was told has to be told again then. */
bool pf_symbols_full(const struct pf_symbols *s);
void pf_symbols_forget(struct pf_symbols *s);

/* --- perfetto_event.c: a record as FtraceEvent */

struct pf_events;
struct pf_events *pf_events_new(struct trace *const *traces, size_t n);
void pf_events_free(struct pf_events *e);

/* Where a record goes. */
struct pf_to {
	struct buf *bundle;		/* fields of FtraceEventBundle */
	struct buf *interned;		/* of InternedData */
	struct pf_symbols *symbols;
	size_t seq;
};
enum { PF_SCHED_SWITCH = 4, PF_SCHED_WAKING = 20 };	/* numbers of events */

/*
 * Appends one field of a bundle; before the first event of a sort, what describes it. Returns the
 * number of the event.
 */
uint32_t pf_add_event(struct pf_events *e, const struct trace_rec *r, const struct pf_to *to);

/* --- perfetto_state.c: states of tasks */

/*
 * What Perfetto takes for @raw, the value of prev_state in @r; @f is that field, of a fixed size.
 * @known, zeroed at first, has those of the file.
 */
uint64_t pf_state(struct map *known, const struct trace_rec *r, const struct ev_field *f,
		  uint64_t raw);

/* --- perfetto_waking.c: wakings of one sequence, in the compact form */

#define PF_NOBODY INT32_MIN

struct pf_wakings;
/* @running: the task that the CPU runs, of all buffers of the file; PF_NOBODY at first. */
struct pf_wakings *pf_wakings_new(int *running);
void pf_wakings_free(struct pf_wakings *w);
/* @r is a sched_switch. */
void pf_wakings_switched(struct pf_wakings *w, const struct trace_rec *r);
/* Records are missing: which task runs is not known until the next switch. */
void pf_wakings_lost(struct pf_wakings *w);
/* Notes @r, a sched_waking; false if it has to be an event of its own. */
bool pf_wakings_hold(struct pf_wakings *w, const struct trace_rec *r);
/* Takes the one noted last into the compact form. */
void pf_wakings_take(struct pf_wakings *w);
/* Appends what was taken as one field of the bundle, and begins anew. */
void pf_wakings_end(struct pf_wakings *w, struct buf *bundle);

/* --- perfetto_marks.c: whether a text is one that Perfetto makes a slice or counter of */

bool pf_is_mark(const char *s, size_t len);

/* --- perfetto_meta.c: packets beside the events */

/* Before the first event, whose time is @ts: machine, clocks, names of tasks. */
void pf_add_meta(struct trace *const *traces, size_t n, uint64_t ts, size_t seq, struct buf *out);
/* Each file but the first is another machine to Perfetto: its CPUs and tasks are apart then. */
void pf_add_machine(unsigned int file, struct buf *packet);
/* How @b counts time, as fields of a bundle; @seq keeps sequences apart. */
void pf_add_clock(const struct dat_buffer *b, uint64_t ts, size_t seq, struct buf *bundle);

#endif
