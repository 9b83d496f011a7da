/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Moves raw sub-buffers from trace_pipe_raw to files, with one pinned thread per CPU. */
#ifndef FTR_RECORD_CPU_RECORDER_H
#define FTR_RECORD_CPU_RECORDER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/mem.h"
#include "tracefs/files/tfs.h"

/* The number of bytes that a file may still get, shared by all threads that write to it. */
struct file_budget;

/*
 * Allocates a budget of @bytes. If @spills, a caller rather exceeds it than loses events; see
 * budget_spills(). budget_free() frees it.
 */
struct file_budget *budget_new(uint64_t bytes, bool spills);
bool budget_spills(const struct file_budget *b);
/*
 * Adds the recorders of @cpus. The budget is at least one sub-buffer for each. Call it before
 * budget_reserve().
 */
void budget_add(struct file_budget *b, uint32_t subbuf_size, size_t cpus);
/*
 * Returns how many of @want bytes may be written, in whole sub-buffers, or 0 if the budget is spent
 * for good. Waits if another thread may give back enough. If @beyond, returns @want in any case.
 * Unless it returns 0, call budget_return() soon.
 */
size_t budget_reserve(struct file_budget *b, size_t want, uint32_t subbuf_size, bool beyond);
/* Gives back @bytes of a reservation that the caller did not need; 0 if it needed all. */
void budget_return(struct file_budget *b, size_t bytes);
bool budget_spent(struct file_budget *b);
/* @b may be NULL. */
void budget_free(struct file_budget *b);

struct recorder_opts {
	bool     no_splice;		/* --nosplice: only read() and write() */
	/*
	 * Holds data that was read but not yet written: files ->batch_path + ".cpuN" in memory, 256
	 * KiB each, removed in recorder_free(). If it is NULL, or if the files can't be made, the
	 * data is in memory without a name, which is lost with the last process that has it; then
	 * all data that can be spliced is spliced. Used by recorder_new() only.
	 */
	const char *batch_path;
	bool     snapshot;		/* snapshot_raw instead of trace_pipe_raw */
	uint64_t sleep_ns;	/* -s: longest wait of an idle thread; 0 = until poll() returns */
	struct file_budget *budget;	/* limit of the file's size, borrowed; NULL = none */
	int      rt_prio;		/* -r: SCHED_FIFO priority of the threads, 0 = none */
};

struct recorder_cpu {
	int      cpu;
	int      fd;			/* holds the raw sub-buffers */
	off_t    base, size;		/* file offset of the data; its bytes so far */
	uint64_t dropped;		/* bytes at the start whose disk space was given back */
	bool     settled;		/* ->base was moved past the dropped bytes */
	uint64_t read;	/* bytes that the reader of the running recording has read */
	uint64_t calls;			/* splice or read calls, for tests and bench */
	bool     spliced;		/* false if it fell back to read() and write() */
	int      sys;			/* errno that ended this thread early, 0 = none */
	struct tfs_stats before;	/* the kernel's counters in recorder_new() */
	struct tfs_stats after;		/* the same at the end, if ->left */
	bool     left;			/* another recorder continues, or no more data was wanted */
};

/*
 * Descriptors that another process needs to continue a CPU's recording: the file, the read end of
 * the pipe, the batch.
 */
enum { HAND_FILE, HAND_PIPE, HAND_BATCH, RECORDER_HAND_FDS };
struct recorder_hand {
	int fd[RECORDER_HAND_FDS];
};

/* The recording of one buffer (top level or instance). */
struct recorder;

/*
 * Opens per_cpu/cpuN/trace_pipe_raw of each CPU of @instance. Starts no thread. Set the tracer
 * first: while a trace_pipe_raw is open, until recorder_stop(), the kernel refuses to change
 * current_tracer (EBUSY). Returns NULL with @err if that fails.
 */
struct recorder *recorder_new(const struct tfs *t, const char *instance, const char *out_path,
			      const struct recorder_opts *opts, struct ftr_error *err);
/*
 * Makes the @i-th CPU write to the file of @fd, at offset @base, at most @limit bytes. Opens the
 * file again, so that each CPU has its own file position. Call it before recorder_start(). Returns
 * 0, or -1 with @err.
 */
int recorder_place(struct recorder *r, size_t i, int fd, off_t base, off_t limit,
		   struct ftr_error *err);
/* Gets the descriptors of the @i-th CPU, borrowed. Returns its limit of bytes in the file. */
off_t recorder_hand(const struct recorder *r, size_t i, struct recorder_hand *out);
/* Returns ->batch_path or NULL, borrowed. The files do not exist if they could not be made. */
const char *recorder_batch_path(const struct recorder *r);
/*
 * Opens the HAND_BATCH of @cpu of a recording whose processes are gone. Returns a descriptor, or -1
 * if there is none.
 */
int recorder_batch(const char *batch_path, int cpu);
/*
 * Continues where another process ended; replaces recorder_place(). Writes the data in the pipe and
 * in the batch (-1: there is none), which that process had read from the kernel but not written.
 * Takes over the descriptors. Returns 0, or -1 with @err.
 */
int recorder_adopt(struct recorder *r, size_t i, const struct recorder_hand *h, off_t base,
		   off_t limit, struct ftr_error *err);
/*
 * Starts the threads, with all signals blocked in them. Each CPU without a place gets a data file:
 * O_TMPFILE beside @out_path or, if the file system lacks that, "OUT.cpuN" or "OUT.INSTANCE.cpuN"
 * (0600, O_EXCL), which recorder_free() removes. Returns 0, or -1 with @err.
 */
int recorder_start(struct recorder *r, struct ftr_error *err);
/*
 * Ends the recording after tracing was turned off: wakes the threads, drains each CPU to the last
 * partial sub-buffer and joins them. Returns 0, or -1 with the first write error (disk full, ...),
 * code FTR_DAMAGED, which names the file. The data written so far stays usable.
 */
int recorder_stop(struct recorder *r, struct ftr_error *err);
/*
 * Ends the threads of @r while tracing continues, once they have written the data that they hold.
 * @next, of the same buffer and not yet started, continues. Returns as recorder_stop().
 */
int recorder_leave(struct recorder *r, struct recorder *next, struct ftr_error *err);
/*
 * Asks each running thread to write all data of its CPU, including partial sub-buffers.
 * recorder_flushed() returns true if all have done so. Call both from the same thread.
 */
void recorder_flush(struct recorder *r);
bool recorder_flushed(const struct recorder *r);
/*
 * Gives back the disk space of the first @upto bytes of the @i-th CPU, in whole blocks of the file
 * system. Only one thread may call it; the recorder may run.
 */
void recorder_drop(struct recorder *r, size_t i, uint64_t upto);
/* Moves ->base and ->size to the data after the dropped bytes. Call it after recorder_stop(). */
void recorder_settle(struct recorder *r);
/*
 * Notes that the reader of the running recording has read the first @upto bytes of the @i-th CPU.
 * recorder_read_upto() returns that number, in any thread.
 */
void recorder_was_read(struct recorder *r, size_t i, uint64_t upto);
uint64_t recorder_read_upto(const struct recorder *r, size_t i);
/*
 * Returns the bytes that are still in the kernel's buffers because the budget is spent. Call it
 * after recorder_stop().
 */
uint64_t recorder_left_out(const struct recorder *r);
/* Returns true if a thread failed to write. The caller may then stop early. */
bool recorder_failed(const struct recorder *r);
const struct recorder_cpu *recorder_cpus(const struct recorder *r, size_t *n);
uint32_t recorder_subbuf_size(const struct recorder *r);
/* Returns the bytes of the @i-th CPU in the file, which can be read back, in any thread. */
uint64_t recorder_size(const struct recorder *r, size_t i);
/*
 * recorder_bytes() returns the bytes written so far by all CPUs, recorder_dropped() how many of
 * them were dropped.
 */
uint64_t recorder_bytes(const struct recorder *r);
uint64_t recorder_dropped(const struct recorder *r);
/*
 * If a trace file could not be completed (disk full), keeps the data of each CPU beside it as
 * "OUT.cpuN" or "OUT.INSTANCE.cpuN", unless the data has a place in a file. Appends the names of
 * these files to @names.
 */
void recorder_keep(struct recorder *r, struct strv *names);
void recorder_free(struct recorder *r);

/* A recorded buffer, as the file describes it: its names and its recorder. */
struct recorded_buffer {
	const char *name;		/* name in the file; "" if top level */
	const char *instance;	/* name in tracefs; "" if top level, NULL if it equals ->name */
	struct recorder *rec;
	bool no_stats;	/* a snapshot: the counters in tracefs are not those of its data */
	bool flight;			/* overwritten records do not count as lost */
	bool swaps;			/* its tracer keeps the longest latency */
	bool earlier_boot;	/* its events may be from an earlier boot, with other clocks */
};

#endif
