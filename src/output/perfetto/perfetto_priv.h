/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of this directory. */
#ifndef FTR_OUTPUT_PERFETTO_PERFETTO_PRIV_H
#define FTR_OUTPUT_PERFETTO_PERFETTO_PRIV_H

#include "base/map.h"
#include "model/fgraph.h"
#include "output/perfetto/protobuf.h"

/* Field numbers of TracePacket and the messages in it (protos/perfetto/trace). */
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

/* --- perfetto_symbols.c: functions as numbers; each sequence gets the name of each number once */

struct pf_symbols;
struct pf_symbols *pf_symbols_new(size_t nr_sequences);
void pf_symbols_free(struct pf_symbols *s);
/*
 * Returns the number of the function at @addr in the files of @t, from 1 on. If sequence @seq lacks
 * its name, the name is appended to @interned, as a field of InternedData.
 */
uint64_t pf_symbol(struct pf_symbols *s, struct trace *t, size_t seq, uint64_t addr,
		   struct buf *interned);
/* Returns true if there are too many numbers: the caller calls pf_symbols_forget(). */
bool pf_symbols_full(const struct pf_symbols *s);
/* Forgets all numbers: each sequence gets the names again. */
void pf_symbols_forget(struct pf_symbols *s);

/* --- perfetto_event.c: a record as FtraceEvent */

struct pf_events;
struct pf_events *pf_events_new(struct trace *const *traces, size_t n);
void pf_events_free(struct pf_events *e);

/* The destination of a record. */
struct pf_dest {
	struct buf *bundle;		/* fields of FtraceEventBundle */
	struct buf *interned;		/* fields of InternedData */
	struct pf_symbols *symbols;
	size_t seq;
};
enum { PF_SCHED_SWITCH = 4, PF_SCHED_WAKING = 20 };	/* numbers of events */

/*
 * Appends one field of a bundle; before the first event of a type that Perfetto does not know also
 * its description. Returns the number of the event.
 */
uint32_t pf_add_event(struct pf_events *e, const struct trace_rec *r, const struct pf_dest *to);

#endif
