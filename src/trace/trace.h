/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens trace files for reading: formats, symbols, comms, times, and all records merged by time. */
#ifndef FTR_TRACE_TRACE_H
#define FTR_TRACE_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/map.h"
#include "event/event.h"
#include "file/read/dat.h"

struct trace {
	struct dat       *dat;
	struct event_meta   meta;
	struct ev_engine *engine;
	int64_t  ts_add_ns;		/* sum of DATE, OFFSET and --ts-offset */
	int64_t  date_ns;		/* the file's part of it: DATE and OFFSET */
	int64_t  date_only_ns;		/* DATE alone */
	int64_t  wall_ns;	/* ns to add to a scaled raw time for the time of day */
	bool     has_wall;
	uint32_t tsc_mult, tsc_shift;	/* TSC2NSEC; shift 0 and mult 0 = none */
	/* false for counter, uptime and x86-tsc without conversion: plain numbers */
	bool     clock_is_ns;
	struct damage_list damages;	/* damage in the data that was read; see trace_damages() */
	/* private to src/trace */
	struct guest_times *guest;	/* TIME_SHIFT of a guest's file; NULL: it has none */
	struct trace_shared *shared;
	struct trace_live *live;	/* NULL: the trace is in a file */
	bool     is_view;
	struct damage_list all_damages;	/* result of trace_damages() */
	const struct ev_format **by_type;	/* formats met so far, by common_type */
	struct trace_comm_slot *comm_cache;
	uint32_t type_off, pid_off;	/* offsets of common_type and common_pid in each record */
};

/*
 * Opens a trace file. Formats, symbols, comms and texts are read on first use. Faults in them are
 * damage, not an error.
 */
struct trace *trace_open(const char *path, struct ftr_error *err);
/* The same for an open file, which it closes, also on failure. NULL makes NULL, without @err. */
struct trace *trace_open_dat(struct dat *d, struct ftr_error *err);
/* Changes the engine to "ftr" or "traceevent". Call it before the first use of the engine. */
int trace_set_engine(struct trace *t, const char *name, struct ftr_error *err);
/*
 * Makes times those of the kernel's text, see file/ring/page.h. Call it before the first record is
 * read.
 */
void trace_text_times(struct trace *t);
/*
 * Returns true if the file was made from a text without flags, as ->meta.no_flags is then:
 * common_flags of a record has only the interrupts that are known to be open, and
 * common_preempt_count is 0. Besides, a record whose flags have no interrupt may be in one.
 */
bool trace_lacks_contexts(const struct trace *t);
void trace_close(struct trace *t);	/* close its views first */
/*
 * Makes a view of the same file for another thread. It shares formats, comms, symbols and the
 * mapped file; it has its own engine handle and ->damages. Release it with trace_close().
 */
struct trace *trace_view(struct trace *t);
/*
 * Makes one view of each of @n traces. Returns NULL if there is no memory. trace_views_close()
 * takes NULL.
 */
struct trace **trace_views(struct trace *const *traces, size_t n);
void trace_views_close(struct trace **views, size_t n);
/* Drops the damage noted in the views, which the caller has noted elsewhere. */
void trace_views_forget_damages(struct trace *const *views, size_t n);
/*
 * Returns all damage of the file: the damage that reads have found so far, and that in the rest of
 * its metadata. Call it after the last read. Borrowed until the next call.
 */
const struct damage_list *trace_damages(struct trace *t);
/* Returns the name of a task: "bash", "<idle>", or "<...>"; sanitised, borrowed. */
const char *trace_comm(const struct trace *t, int pid);
size_t trace_nr_comms(const struct trace *t);
/* Appends the names of all tasks, in no order. */
void trace_comm_names(const struct trace *t, struct strv *names);
/*
 * Returns the pids of all tasks with a name, in no order: trace_nr_comms() of them. The caller
 * frees them.
 */
int *trace_comm_pids(const struct trace *t);
/* Returns the number of streams: each is one CPU of one buffer of one file. */
size_t trace_nr_streams(struct trace *const *traces, size_t n);

/*
 * Stores the times of the first and the last record of one CPU, in units of trace_rec.ts. Reads the
 * first and the last sub-buffers. Returns false if the CPU has no record.
 */
bool trace_cpu_bounds(struct trace *t, struct dat_buffer *b, struct dat_cpu *c, uint64_t *first,
		      uint64_t *last);
/*
 * Splits the time from @from to @to into @width columns and sets @begun[i] if a sub-buffer of the
 * CPU starts in column i, by its time stamp. At most a few sub-buffers of each column are read.
 */
void trace_cpu_spread(struct trace *t, struct dat_buffer *b, struct dat_cpu *c, uint64_t from,
		      uint64_t to, bool *begun, uint32_t width);
/*
 * Stores the sub-buffers [*first, *end) of one CPU that may have records with @since <= ts <
 * @until, UINT64_MAX: to the end. They are found by the time stamps of sub-buffers; all of them if
 * these are out of order.
 */
void trace_cpu_pages(struct trace *t, struct dat_buffer *b, struct dat_cpu *c, uint64_t since,
		     uint64_t until, uint64_t *first, uint64_t *end);
/* Converts a raw time stamp of a CPU to ->ts of records. */
uint64_t trace_raw_time(const struct trace *t, int cpu, uint64_t raw);
/* Returns true if the file is that of a guest whose times count on the clock of its host. */
bool trace_is_guest(const struct trace *t);
/* Makes times those of the guest's clock again. Call it before views are made. */
void trace_forget_guest(struct trace *t);
/* Converts a raw time stamp of a CPU to that of the host's clock; in other files it is the same. */
uint64_t trace_host_raw(const struct trace *t, int cpu, uint64_t raw);
/* Returns the number of records of one CPU. Walks all of its sub-buffers. */
uint64_t trace_cpu_count(struct trace *t, struct dat_buffer *b, struct dat_cpu *c);
/* Appends @ts for display: in seconds, or in units of a clock that does not count time. */
void trace_add_time(struct buf *b, const struct trace *t, uint64_t ts, bool nanoseconds);
/*
 * Converts a ->ts to nanoseconds since 1970, by the clocks in the file, without --ts-offset.
 * Returns false if the file lacks them.
 */
bool trace_time_of_day(const struct trace *t, uint64_t ts, uint64_t *ns);
/*
 * Returns by how many nanoseconds such times may be wrong: the trace clock and the time of day were
 * compared at the start and at the end of the recording, and differ by that. Returns false if they
 * were not compared twice.
 */
bool trace_time_error(const struct trace *t, uint64_t *ns);
/* Lowers *first and raises *last to the times of the first and the last record of the file. */
void trace_bounds(struct trace *t, uint64_t *first, uint64_t *last);

/*
 * One record, or a loss: ->lost events are missing on this CPU just before it. A loss at the end of
 * a CPU has no record: rec.data is NULL.
 */
struct trace_rec {
	struct trace *trace;
	unsigned int  file;		/* index among the merged files */
	unsigned int  buffer;		/* index into trace->dat->buffers */
	int      cpu;
	unsigned int  stream;		/* number of its CPU and buffer, < trace_nr_streams() */
	uint64_t ts;			/* nanoseconds, converted; or clock units if !clock_is_ns */
	int      pid;			/* common_pid, -1 if the record is too short */
	uint16_t type;			/* common_type */
	struct ev_rec rec;		/* ->fmt NULL when the type is unknown */
	uint64_t lost;			/* 0, a count, or RING_LOST_UNKNOWN */
	/*
	 * Gaps that started after the previous record of the merge, or before all records: the
	 * record at which one ends, and the others by their ->gaps. Valid until the next record is
	 * handed out.
	 */
	struct trace_rec *gaps;
	bool     page_start;		/* it is the first of its sub-buffer */
	uint64_t file_off;		/* file offset of the event header, for messages */
};

/* Bits of a CPU list (the kernel's largest NR_CPUS). No list contains a CPU beyond that. */
#define TRACE_CPU_BITS 8192

/*
 * Merges @n traces by (ts, file, buffer, cpu). @cpus: bitmap of TRACE_CPU_BITS wanted CPUs, NULL =
 * all; it is not used after the call. Damaged sub-buffers are noted in trace->damages and skipped.
 * The next record of that CPU then has ->lost set, as records are missing.
 */
struct trace_iter;
struct trace_iter *trace_iter_new(struct trace *const *traces, size_t n, const uint64_t *cpus);
/*
 * Like trace_iter_new(), for records with @since <= ts < @until; UINT64_MAX as @until means to the
 * end. It finds them by the time stamps of sub-buffers. A CPU whose time stamps are out of order is
 * read from its start.
 */
struct trace_iter *trace_iter_new_range(struct trace *const *traces, size_t n,
					const uint64_t *cpus, uint64_t since, uint64_t until);
/*
 * The same records, but all of one CPU of one buffer of one file, then those of the next. For
 * callers that need no common order: this saves merging, and keeps decompressed data of only one
 * CPU in memory.
 */
struct trace_iter *trace_iter_new_apart(struct trace *const *traces, size_t n,
					const uint64_t *cpus, uint64_t since, uint64_t until);
/* Returns the number of CPUs that it has passed. *of is the number of CPUs with data. */
size_t trace_iter_passed(const struct trace_iter *it, size_t *of);
/* Returns the next record, borrowed until the next call; NULL at the end. */
const struct trace_rec *trace_iter_next(struct trace_iter *it);

/* A value of a table by types of records. */
#define TRACE_IGNORED 1

/*
 * The same for a reader to whom records of the types in @ignored, a table by type, show no more
 * than that the task was there. If the last record was one of these, some of the next may be
 * passed: each is of such a type, and the record that follows it in the order of time is of the
 * same task and CPU, and was not lost. *passed is their number.
 */
const struct trace_rec *trace_iter_next_but(struct trace_iter *it, const uint8_t *ignored,
					    uint32_t *passed);
/*
 * Returns the record after the one just returned, on the same CPU of the same buffer, or NULL. It
 * shows whether a funcgraph entry is a leaf. It is not consumed; trace_iter_skip() does that. The
 * record from trace_iter_next() stays valid, but its ->rec.data may change, so do not keep copies
 * of that pointer. The peeked record is borrowed until the next call.
 */
const struct trace_rec *trace_iter_peek(struct trace_iter *it);
void trace_iter_skip(struct trace_iter *it);
void trace_iter_free(struct trace_iter *it);

/*
 * Cuts the records into slices of time for several threads. The slices together have the records of
 * a single read, in the same order, as long as times are in order: slice N then ends where slice N
 * + 1 starts, which trace_places_equal() checks. trace_slicer_next() is for one thread at a time.
 * Returns NULL if times are too much out of order to find a range by them, or if there are too many
 * CPUs.
 */
struct trace_slice {
	uint64_t since, until;		/* ts; until UINT64_MAX: to the end */
	bool     first;
	/* for each CPU, the sub-buffer to start the search at; owned by the slice */
	uint64_t *pages;
};
struct trace_slicer;
struct trace_slicer *trace_slicer_new(struct trace *const *traces, size_t n, const uint64_t *cpus,
				      uint64_t since, uint64_t until);
/* Sets the approximate bytes of raw data of a slice. */
void trace_slicer_size(struct trace_slicer *s, uint32_t bytes);
bool trace_slicer_next(struct trace_slicer *s, struct trace_slice *slice);
/* Returns the bytes of raw data of all slices, at most. */
uint64_t trace_slicer_bytes(const struct trace_slicer *s);
void trace_slicer_free(struct trace_slicer *s);
/*
 * Returns the start of a slice of about @bytes of raw data that ends at @until. It is estimated
 * from the time stamps of sub-buffers; in a compressed chunk they count as evenly spread. The
 * result is less than @until, and 0 if less than @bytes start before @until.
 */
uint64_t trace_slice_start(struct trace *const *traces, size_t n, const uint64_t *cpus,
			   uint64_t until, uint32_t bytes);
void trace_slice_release(struct trace_slice *slice);

/* The positions of an iterator in the data of each CPU. */
struct trace_places;
struct trace_places *trace_places_new(const struct trace_iter *it);
bool trace_places_equal(const struct trace_places *a, const struct trace_places *b);

/*
 * Makes an iterator without a position, for trace_iter_slice() or trace_iter_go(). @since and
 * @until are those of trace_iter_new_range().
 */
struct trace_iter *trace_iter_new_slices(struct trace *const *traces, size_t n,
					 const uint64_t *cpus, uint64_t since, uint64_t until);
/*
 * Moves to the start of a slice. @before (may be NULL) is called for the last record of each CPU
 * before the slice, as after trace_iter_next(). A record that it consumes by trace_iter_skip() is
 * not in the slice.
 */
void trace_iter_slice(struct trace_iter *it, const struct trace_slice *slice,
		      void (*before)(void *ctx, const struct trace_rec *r, struct trace_iter *it),
		      void *ctx);
void trace_iter_places(const struct trace_iter *it, struct trace_places *p);
/*
 * Frees decompressed data that only this iterator keeps in memory. Its position is lost, and so are
 * the records that it returned.
 */
void trace_iter_rest(struct trace_iter *it);
/* Moves to the positions of another iterator, for the records before @until. */
void trace_iter_go(struct trace_iter *it, const struct trace_places *p, uint64_t until);

/* --- trace_shared.c: tasks and CPUs without events in a buffer, as its recorder noted them */

/*
 * A sched_switch is recorded if one of its two tasks is in set_event_pid and one of them is not in
 * set_event_notrace_pid; a sched_waking if that is true for the waking task or for the woken one
 * (event_filter_pid_sched_switch_probe_pre() and the following ones, kernel/trace/trace_events.c).
 */
struct trace_filters {
	bool has_pids;			/* only tasks of ->pids have events */
	bool forks;			/* a child is in the lists that its parent is in */
	struct map pids, hidden;	/* pid + 1, to anything */
	char *cpumask;	/* CPUs that have events, as the kernel prints it; NULL: all */
};

/* Reads them for buffer @nr of the file. Release them, also if there are none. */
void trace_filters_read(const struct trace *t, size_t nr, struct trace_filters *out);
void trace_filters_release(struct trace_filters *f);

static inline bool trace_filters_any(const struct trace_filters *f)
{
	return f->has_pids || f->hidden.n || f->cpumask;
}

/* --- trace_live.c: a trace whose sub-buffers the caller pushes as they come */

/* The source of formats and texts. */
struct trace_live_source {
	void *ctx;
	/*
	 * Called if formats of @system (NULL: all) are needed. Pass new ones to
	 * trace_live_format().
	 */
	void (*formats)(void *ctx, const char *system);
	/* Returns a text, borrowed as long as the trace exists; NULL if there is none. */
	const char *(*text)(void *ctx, enum ev_text which, size_t *len);
};

struct trace_live_buffer {
	const char *name, *clock;	/* "" = the main one; copied */
	const char *options;	/* the words of trace_options, separated by blanks; copied */
	const int  *cpus;
	size_t      nr_cpus;
	uint32_t    subbuf_size;
};

/*
 * Makes a trace of the running kernel. @header_page is the text of events/header_page. Use it like
 * any trace, but in one thread and with the iterator of trace_live_iter(). The first ->formats()
 * must push the formats of "ftrace" and of the enabled events. Returns NULL with @err if
 * @header_page is invalid.
 */
struct trace *trace_live_new(const struct trace_live_source *from, const char *header_page,
			     const struct trace_live_buffer *bufs, size_t n, struct ftr_error *err);
/*
 * Sets the TSC as the clock: times are (cycles * @mult) >> @shift ns. Call it before the first
 * sub-buffer.
 */
void trace_live_tsc(struct trace *t, uint32_t mult, uint32_t shift);
/* Adds a format file. @text is borrowed as long as the trace exists. */
void trace_live_format(struct trace *t, const char *system, const char *text, size_t len);
/* Sets the name of a task from now on. */
void trace_live_comm(struct trace *t, int pid, const char *comm, size_t len);
/*
 * Adds a sub-buffer @mem from malloc(), which the trace then owns. *last (may be NULL) gets the
 * ->ts of its last record. Returns false if it has no record.
 */
bool trace_live_push(struct trace *t, size_t buffer, size_t cpu, uint8_t *mem, uint64_t *last);
/*
 * Returns the trace's iterator, over the records that were pushed and not yet returned, up to
 * @until (included). Records are borrowed until the next call of this.
 */
struct trace_iter *trace_live_iter(struct trace *t, uint64_t until);
void trace_live_free(struct trace *t);

#endif
