/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The recording of one CPU, shared by recorder.c and recorder_thread.c. */
#ifndef FTR_RECORD_CPU_RECORDER_PRIV_H
#define FTR_RECORD_CPU_RECORDER_PRIV_H

#include <pthread.h>

#include "record/cpu/recorder.h"

enum { HEADER_BYTES = 16 };		/* header of a sub-buffer: time stamp, commit */

/* A CPU recorder: moves the data of one CPU, in its own thread. */
struct cpu_rec {
	struct recorder *r;
	struct recorder_cpu *cpu;	/* its public part, in ->r->cpus */
	pthread_t thread;
	bool     started;		/* ->thread must be joined */
	int      raw_fd, stats_fd;	/* trace_pipe_raw and stats; -1 if closed */
	int      pipe[2];		/* for splice(); -1 if it is not used */
	size_t   pipe_bytes;		/* size of the pipe */
	uint8_t *buf;			/* batch for read(), whole sub-buffers */
	size_t   buf_bytes;
	uint64_t *batch_at; /* after ->buf in memory: file position of the batch + 1, 0 = none */
	int      batch_fd;		/* its memory, which another process can map; or -1 */
	char    *batch_name;		/* path of that memory, NULL if it has no name */
	int      wake_fd;		/* an eventfd that wakes the thread to end or to flush */
	unsigned int flush, flushed;	/* atomic: numbers of flushes requested and done */
	char    *data_path;		/* path of the data file, NULL if it has no name */
	bool     placed;		/* the data has a place in a shared file */
	off_t    limit;			/* room in that file in bytes */
	uint64_t left;			/* how many sub-buffers it may still read */
	bool     ends;			/* tracing is off */
	bool     spent;			/* the file's budget was used up at the last request */
};

struct recorder {
	const struct tfs *t;
	char    *instance;		/* NULL = top level */
	char    *out_path;
	char    *batch_path;		/* copy of opts.batch_path, may be NULL */
	struct recorder_opts opts;
	uint32_t subbuf_size;
	bool     stop, failed;		/* atomic */
	bool     leave;			/* atomic: stop without reading the remaining data */
	struct recorder_cpu *cpus;	/* [n] */
	struct cpu_rec *cpu_recs;	/* [n], NULL in a recorder that could not be made */
	size_t   n;
};

/*
 * The result of one attempt to move data: none was there, the last sub-buffer was partial, more may
 * be there, splice() is not possible, or an error.
 */
enum moved { MOVED_NONE, MOVED_PARTIAL, MOVED_FULL, MOVED_REFUSED, MOVED_FAILED };

/* recorder_thread.c: the thread function of the CPU recorder @arg. */
void *cpu_rec_run(void *arg);
/*
 * recorder_thread.c: writes @n bytes, and counts each written part at once, so that the size is
 * right on a full disk. Returns 0, or -1 with errno.
 */
int cpu_rec_write(struct cpu_rec *cr, const uint8_t *p, size_t n);
void cpu_rec_count_written(struct cpu_rec *cr, size_t n);
/* recorder_thread.c: moves @n bytes from the pipe to the file. */
enum moved cpu_rec_empty_pipe(struct cpu_rec *cr, size_t n);

/*
 * Makes ->buf of about @bytes, in memory that another process can map. Returns 0, or -1 with @err.
 */
int batch_make(struct cpu_rec *cr, size_t bytes, struct ftr_error *err);
/* Marks the batch as in use. Call it before at most @bytes of sub-buffers are read to ->buf. */
void batch_begin(struct cpu_rec *cr, size_t bytes);
void batch_release(struct cpu_rec *cr);

#endif
