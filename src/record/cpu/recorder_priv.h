/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by recorder.c, recorder_thread.c and recorder_thread.c: the recording of one CPU. */
#ifndef FTR_RECORD_CPU_RECORDER_PRIV_H
#define FTR_RECORD_CPU_RECORDER_PRIV_H

#include <pthread.h>

#include "record/cpu/recorder.h"

enum { HEADER_BYTES = 16 };		/* header of a sub-buffer: time stamp, commit */

struct lane {
	struct recorder *r;
	struct recorder_cpu *cpu;
	pthread_t thread;
	bool     started;
	int      raw_fd, stats_fd;
	int      pipe[2];
	size_t   pipe_bytes;
	uint8_t *buf;			/* batch for read(), whole sub-buffers */
	size_t   buf_bytes;
	uint64_t *batch_at; /* after ->buf in memory: file position of the batch + 1, 0 = none */
	int      batch_fd;		/* memory that another process can map, or -1 */
	char    *batch_name;		/* its name, or NULL */
	int      wake_fd;		/* wakes the thread: to end, or to flush */
	unsigned int flush, flushed;	/* atomic: numbers of flushes requested and done */
	char    *data_path;		/* NULL: the file has no name of its own */
	bool     placed;		/* has a place in a shared file */
	off_t    limit;			/* bytes of room in that file */
	uint64_t left;			/* sub-buffers left to read, at most */
	bool     ends;			/* tracing is off */
	bool     spent;			/* the file's budget was used up at the last request */
};

struct recorder {
	const struct tfs *t;
	char    *instance;		/* NULL = top level */
	char    *out_path;
	char    *batch_path;		/* copy of opts.batch_path, or NULL */
	struct recorder_opts opts;
	uint32_t subbuf_size;
	bool     stop, failed;		/* atomic */
	bool     leave;			/* atomic: stop without reading the rest */
	struct recorder_cpu *cpus;
	struct lane *lanes;
	size_t   n;
};

/* The result of one attempt to move data. */
enum moved { MOVED_NONE, MOVED_PARTIAL, MOVED_FULL, MOVED_REFUSED, MOVED_FAILED };

/* recorder_thread.c: the thread function of the lane @arg. */
void *lane_run(void *arg);
/*
 * recorder_thread.c: writes, and counts each piece at once, so that the size is right on a full
 * disk.
 */
int lane_write(struct lane *l, const uint8_t *p, size_t n);
void lane_wrote(struct lane *l, size_t n);
/* recorder_thread.c: moves @n bytes from the pipe to the file. */
enum moved lane_pipe_out(struct lane *l, size_t n);

/*
 * recorder_thread.c: makes ->buf of about @bytes, in memory that another process can map. -1 with
 * @err.
 */
int batch_make(struct lane *l, size_t bytes, struct ftr_error *err);
/* Call it before at most @bytes of sub-buffers are read to ->buf. */
void batch_begin(struct lane *l, size_t bytes);
/* Call it when they are written: data spliced later comes after them. */
void batch_end(struct lane *l);
void batch_release(struct lane *l);

#endif
