/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Open trace files ready to read: formats, symbols, comms, time, and all records merged by time. */
#ifndef FTR_TRACE_TRACE_H
#define FTR_TRACE_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "event/event.h"
#include "file/dat.h"

struct trace {
	struct dat       *dat;
	struct ev_world   world;
	struct ev_engine *engine;
	int64_t  ts_add_ns;		/* DATE, OFFSET, --ts-offset */
	int64_t  date_ns;		/* the file's part of it: DATE and OFFSET */
	int64_t  date_only_ns;		/* DATE alone */
	int64_t  wall_ns;		/* added to times: time of day, by the clocks in the file */
	bool     has_wall;
	uint32_t tsc_mult, tsc_shift;	/* TSC2NSEC; shift 0 and mult 0 = none */
	/* false for counter, uptime and x86-tsc without conversion: plain numbers */
	bool     clock_is_ns;
	struct damages damages;	/* of data and records that were read; see trace_damages() */
	/* private to src/trace */
	struct trace_shared *shared;
	struct trace_live *live;	/* NULL: it is in a file */
	bool     is_view;
	struct damages all_damages;	/* of trace_damages() */
	const struct ev_format **by_type;	/* those that were met, by common_type */
	struct trace_comm_slot *comm_cache;
	uint32_t type_off, pid_off;	/* of common_type and common_pid in every record */
};

/*
 * Opens. Formats, symbols, comms and texts are read when they are first needed; what is wrong with
 * them is damage, not an error.
 */
struct trace *trace_open(const char *path, struct ftr_error *err);
/* Takes another engine, "ftr" or "traceevent", before anything has used the one that is there. */
int trace_set_engine(struct trace *t, const char *name, struct ftr_error *err);
/* Times as the kernel's text has them, see ring/page.h; before the first record is read. */
void trace_text_times(struct trace *t);
void trace_close(struct trace *t);	/* views before the trace that they are of */
/*
 * The same file for another thread: formats, comms, symbols and the mapped file are shared; the
 * engine's handle and ->damages are its own. trace_close() ends it.
 */
struct trace *trace_view(struct trace *t);
/* One of each; NULL: memory was short. @views may be NULL. */
struct trace **trace_views(struct trace *const *traces, size_t n);
void trace_views_close(struct trace **views, size_t n);
/* What was noted of them so far is noted elsewhere. */
void trace_views_forget_damages(struct trace *const *views, size_t n);
/*
 * All that is wrong with the file: what was met so far, and what a look at the rest of its metadata
 * shows. Call it when all was read. Borrowed until the next call.
 */
const struct damages *trace_damages(struct trace *t);
/* "bash", "<idle>", or "<...>"; sanitised, borrowed. */
const char *trace_comm(const struct trace *t, int pid);
size_t trace_nr_comms(const struct trace *t);
/* Adds all of them, in no order. */
void trace_comm_names(const struct trace *t, struct strv *names);
/* The tasks that have one, in no order: trace_nr_comms() of them; the caller frees. */
int *trace_comm_pids(const struct trace *t);
/* CPUs of all buffers of all files. */
size_t trace_nr_streams(struct trace *const *traces, size_t n);

/*
 * Times of the first and last record of one CPU as ->ts of records has them, from the sub-buffers
 * at its ends; false if it has no record.
 */
bool trace_cpu_bounds(struct trace *t, struct dat_buffer *b, struct dat_cpu *c, uint64_t *first,
		      uint64_t *last);
/*
 * Marks those of @width columns of time, from @from to @to, in which sub-buffers of one CPU begin,
 * by their time stamps; at most a few of each column are looked at.
 */
void trace_cpu_spread(struct trace *t, struct dat_buffer *b, struct dat_cpu *c, uint64_t from,
		      uint64_t to, bool *begun, uint32_t width);
/* How many records one CPU has; all of its sub-buffers are walked. */
uint64_t trace_cpu_count(struct trace *t, struct dat_buffer *b, struct dat_cpu *c);
/* Appends a time as it is shown: seconds, or the units of a clock that does not count them. */
void trace_add_time(struct buf *b, const struct trace *t, uint64_t ts, bool nanoseconds);
/*
 * Nanoseconds since 1970 of a ->ts, by the clocks in the file, whatever options add to it; false:
 * the file does not tell.
 */
bool trace_time_of_day(const struct trace *t, uint64_t ts, uint64_t *ns);
/* Lowers *first and raises *last to what all CPUs of the file have. */
void trace_bounds(struct trace *t, uint64_t *first, uint64_t *last);

/*
 * One record, or a loss: ->lost events are missing on this CPU just before it. A loss at the
 * end of a CPU stands alone: rec.data is NULL.
 */
struct trace_rec {
	struct trace *trace;
	unsigned int  file;		/* index among the merged files */
	unsigned int  buffer;		/* index into trace->dat->buffers */
	int      cpu;
	unsigned int  stream;		/* which CPU of which buffer, below trace_nr_streams() */
	uint64_t ts;			/* nanoseconds, converted; or clock units if !clock_is_ns */
	int      pid;			/* common_pid, -1 if the record is too short */
	uint16_t type;			/* common_type */
	struct ev_rec rec;		/* ->fmt NULL when the type is unknown */
	uint64_t lost;			/* 0, a count, or RING_LOST_UNKNOWN */
	bool     page_start;		/* the first of its sub-buffer */
	uint64_t file_off;		/* of the event header, for messages */
};

/* CPU lists have this many bits (the kernel's largest NR_CPUS); a CPU beyond it is in no list. */
#define TRACE_CPU_BITS 8192

/*
 * Merges @n traces by (ts, file, buffer, cpu). @cpus: bitmap of TRACE_CPU_BITS wanted CPUs, NULL =
 * all; read at once, not kept. Damaged sub-buffers are noted in trace->damages and read past; the
 * next record on that CPU then has ->lost set, as records are missing there.
 */
struct trace_iter;
struct trace_iter *trace_iter_new(struct trace *const *traces, size_t n, const uint64_t *cpus);
/*
 * Only records with @since <= ts < @until, found by the time stamps of sub-buffers; UINT64_MAX as
 * @until: to the end. Where the time stamps are out of order a CPU is read from its start.
 */
struct trace_iter *trace_iter_new_range(struct trace *const *traces, size_t n,
					const uint64_t *cpus, uint64_t since, uint64_t until);
/* The next record, borrowed until the next call; NULL at the end. */
const struct trace_rec *trace_iter_next(struct trace_iter *it);
/*
 * The record that follows the one just returned on the same CPU of the same buffer, without
 * consuming (NULL if none): to find funcgraph leaves. trace_iter_skip() consumes it. The one from
 * trace_iter_next() stays valid, but its ->rec.data may move: copies of the pointer do not survive.
 * The peeked one is borrowed until the next call.
 */
const struct trace_rec *trace_iter_peek(struct trace_iter *it);
void trace_iter_skip(struct trace_iter *it);
void trace_iter_free(struct trace_iter *it);

/*
 * Slices of time for several threads. Each record belongs to the slice that it would come in if all
 * were read in one go: slice N ends where slice N + 1 begins as long as times are in order, which
 * the places at both tell. trace_slicer_next() is for one thread at a time. NULL if times are
 * so much out of order that a range is not found by them, or if there are too many CPUs.
 */
struct trace_slice {
	uint64_t since, until;		/* ts; until UINT64_MAX: to the end */
	bool     first;
	uint64_t *pages;		/* of each CPU, where to look; the slice's */
};
struct trace_slicer;
struct trace_slicer *trace_slicer_new(struct trace *const *traces, size_t n, const uint64_t *cpus,
				      uint64_t since, uint64_t until);
void trace_slicer_size(struct trace_slicer *s, uint32_t bytes);	/* raw data of a slice, about */
bool trace_slicer_next(struct trace_slicer *s, struct trace_slice *slice);
uint64_t trace_slicer_bytes(const struct trace_slicer *s);	/* of raw data, at most */
void trace_slicer_free(struct trace_slicer *s);
/*
 * Where a slice of about @bytes of raw data would begin that ends at @until, by the time stamps of
 * sub-buffers, or as evenly as may be in their chunks: a time before @until, 0 where none of them
 * begins before it.
 */
uint64_t trace_slice_start(struct trace *const *traces, size_t n, const uint64_t *cpus,
			   uint64_t until, uint32_t bytes);
void trace_slice_release(struct trace_slice *slice);

/* Where an iterator stands in each CPU's data. */
struct trace_places;
struct trace_places *trace_places_new(const struct trace_iter *it);
bool trace_places_equal(const struct trace_places *a, const struct trace_places *b);

/* An iterator that stands nowhere yet; for records of @range as of trace_iter_new_range(). */
struct trace_iter *trace_iter_new_slices(struct trace *const *traces, size_t n,
					 const uint64_t *cpus, uint64_t since, uint64_t until);
/*
 * Goes to the start of a slice. @before is called for the last record of each CPU before it, with
 * what trace_iter_next() would be called with then: a record that it takes by trace_iter_skip() is
 * not in the slice. It may be NULL.
 */
void trace_iter_slice(struct trace_iter *it, const struct trace_slice *slice,
		      void (*before)(void *ctx, const struct trace_rec *r, struct trace_iter *it),
		      void *ctx);
void trace_iter_places(const struct trace_iter *it, struct trace_places *p);
/* What lies before these places is hardly read again, by any iterator. */
void trace_iter_forget(struct trace_iter *it, const struct trace_places *p);
/* Goes to where another iterator stood, for the records before @until. */
void trace_iter_go(struct trace_iter *it, const struct trace_places *p, uint64_t until);

#endif
