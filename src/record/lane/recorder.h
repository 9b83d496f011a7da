/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Moves raw sub-buffers from trace_pipe_raw into files: one pinned thread a CPU. */
#ifndef FTR_RECORD_RECORDER_H
#define FTR_RECORD_RECORDER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/mem.h"
#include "record/lane/budget.h"
#include "tracefs/files/tfs.h"

struct recorder_opts {
	bool     no_splice;		/* --nosplice: read() and write() alone */
	/*
	 * For what was read and is not yet written: files ->batch_path + ".cpuN" in memory, 256
	 * KiB each, removed in recorder_free(). NULL, or where that can't be: memory without a
	 * name, which is gone with the last process that has it; then all is spliced that can be.
	 * Of recorder_new() alone.
	 */
	const char *batch_path;
	bool     snapshot;		/* snapshot_raw instead of trace_pipe_raw */
	uint64_t sleep_ns;		/* -s: an idle thread waits at most, 0 = by poll alone */
	struct budget *budget;		/* of the file, borrowed; NULL = no bound */
	int      rt_prio;		/* -r: SCHED_FIFO priority of the threads, 0 = none */
};

struct recorder_cpu {
	int      cpu;
	int      fd;			/* holds the raw sub-buffers */
	off_t    base, size;		/* from offset ->base on; bytes so far */
	uint64_t dropped;		/* the first bytes, which make room for others */
	bool     settled;		/* ->base is behind these */
	uint64_t read;			/* so many bytes, by who follows the recorder */
	uint64_t calls;			/* splice or read calls, for tests and bench */
	bool     spliced;		/* false: fell back to read and write alone */
	int      sys;			/* errno of what ended this thread early, 0 = fine */
	struct tfs_stats before;	/* counters of the kernel when the recorder was made */
	struct tfs_stats after;		/* and when it ended, if ->left */
	bool     left;			/* another recorder went on, or nothing more was wanted */
};

/* What another process needs to go on with a CPU: the file, the pipe's read end, the batch. */
enum { HAND_FILE, HAND_PIPE, HAND_BATCH, RECORDER_HAND_FDS };
struct recorder_hand {
	int fd[RECORDER_HAND_FDS];
};

/* The recording of one buffer (top level or instance). */
struct recorder;

/*
 * Opens per_cpu/cpuN/trace_pipe_raw of each CPU of @instance. Nothing runs yet. The tracer must be
 * set before: the kernel refuses to change current_tracer (EBUSY) while a trace_pipe_raw is open,
 * that is until recorder_stop().
 */
struct recorder *recorder_new(const struct tfs *t, const char *instance, const char *out_path,
			      const struct recorder_opts *opts, struct ftr_error *err);
/*
 * The data of the @i-th CPU goes into the file behind @fd, from @base on, at most @limit bytes; the
 * file is opened anew, so that each CPU has a file position of its own. Before recorder_start().
 */
int recorder_place(struct recorder *r, size_t i, int fd, off_t base, off_t limit,
		   struct ftr_error *err);
/* Of the @i-th CPU: descriptors, borrowed. Returns how many bytes have room in the file. */
off_t recorder_hand(const struct recorder *r, size_t i, struct recorder_hand *out);
/* ->batch_path, or NULL. Borrowed. Where its files could not be made there are none. */
const char *recorder_batch_path(const struct recorder *r);
/* HAND_BATCH of @cpu of a recording whose processes are gone, or -1: there is none. */
int recorder_batch(const char *batch_path, int cpu);
/*
 * Instead of recorder_place(): goes on where a process ended. What it had taken from the kernel and
 * not written, in the pipe and in the batch (-1: there is none), is written now. The descriptors
 * are taken over.
 */
int recorder_adopt(struct recorder *r, size_t i, const struct recorder_hand *h, off_t base,
		   off_t limit, struct ftr_error *err);
/*
 * Starts the threads (all signals blocked in them). CPUs without a place get a data file each:
 * O_TMPFILE beside @out_path, or named "OUT.cpuN"/"OUT.INSTANCE.cpuN" (0600, O_EXCL) where the file
 * system has none, removed in recorder_free().
 */
int recorder_start(struct recorder *r, struct ftr_error *err);
/*
 * After tracing was turned off: wakes the threads, drains each CPU to the last partial sub-buffer,
 * joins. -1 with the first write error (disk full, ...: code FTR_DAMAGED, file named) - what was
 * written stays usable.
 */
int recorder_stop(struct recorder *r, struct ftr_error *err);
/*
 * While tracing goes on: ends the threads of @r after what they have just taken; @next, which is of
 * the same buffer and not started yet, is to go on. Returns as recorder_stop().
 */
int recorder_leave(struct recorder *r, struct recorder *next, struct ftr_error *err);
/*
 * While it runs: each thread is to write all that there is, also what is in sub-buffers that are
 * not full. recorder_flushed() is true when they all have; both are one thread's.
 */
void recorder_flush(struct recorder *r);
bool recorder_flushed(const struct recorder *r);
/*
 * The first @upto bytes of the @i-th CPU, whole blocks of the file system, are not wanted any more:
 * they make room for others. One thread at a time; also while it runs.
 */
void recorder_drop(struct recorder *r, size_t i, uint64_t upto);
/* After recorder_stop(): the data begins behind what was dropped; ->base and ->size say so. */
void recorder_settle(struct recorder *r);
/* Who follows the recorder has read the first @upto bytes of the @i-th CPU; any thread may ask. */
void recorder_was_read(struct recorder *r, size_t i, uint64_t upto);
uint64_t recorder_read_upto(const struct recorder *r, size_t i);
/*
 * After recorder_stop(): bytes that the kernel's buffers still hold because the budget is spent.
 */
uint64_t recorder_left_out(const struct recorder *r);
/* True once some thread could not write: record may stop early and say so. */
bool recorder_failed(const struct recorder *r);
const struct recorder_cpu *recorder_cpus(const struct recorder *r, size_t *n);
uint32_t recorder_subbuf_size(const struct recorder *r);
/* Bytes of the @i-th CPU that are in the file and can be read back; any thread may ask. */
uint64_t recorder_size(const struct recorder *r, size_t i);
/* Bytes written so far by all CPUs, and how many of them were dropped. */
uint64_t recorder_bytes(const struct recorder *r);
uint64_t recorder_dropped(const struct recorder *r);
/*
 * When the trace file could not be completed (disk full): leaves the data of each CPU as "OUT.cpuN"
 * or "OUT.INSTANCE.cpuN" beside it, unless it has a place in a file. Appends the names of what
 * stays to @names.
 */
void recorder_keep(struct recorder *r, struct strv *names);
void recorder_free(struct recorder *r);

#endif
