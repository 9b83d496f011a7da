/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What recorder.c, recorder_lane.c and recorder_hand.c share: one CPU's recording. */
#ifndef FTR_RECORD_RECORDER_PRIV_H
#define FTR_RECORD_RECORDER_PRIV_H

#include <pthread.h>

#include "record/lane/recorder.h"

enum { HEADER_BYTES = 16 };		/* of a sub-buffer: time stamp, commit */

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
	uint64_t *batch_at;		/* behind ->buf: file position of the batch + 1, 0 = none */
	int      batch_fd;		/* memory that another process can map, or -1 */
	char    *batch_name;		/* of that, or NULL */
	int      wake_fd;		/* wakes the thread: to end, or to flush */
	unsigned int flush, flushed;	/* atomic: so often asked for, done */
	char    *data_path;		/* NULL: the file has no name of its own */
	bool     placed;		/* the file is another's, too */
	off_t    limit;			/* bytes that have room in it */
	uint64_t left;			/* sub-buffers that may still come */
	bool     ends;			/* tracing is off */
	bool     spent;			/* no more of the file's budget when last asked for */
};

struct recorder {
	const struct tfs *t;
	char    *instance;		/* NULL = top level */
	char    *out_path;
	char    *batch_path;		/* as ->opts has it, or NULL */
	struct recorder_opts opts;
	uint32_t subbuf_size;
	bool     stop, failed;		/* atomic */
	bool     leave;			/* atomic: stop without taking all that there is */
	struct recorder_cpu *cpus;
	struct lane *lanes;
	size_t   n;
};

/* What one attempt to move data came to. */
enum moved { MOVED_NONE, MOVED_PARTIAL, MOVED_FULL, MOVED_REFUSED, MOVED_FAILED };

/* recorder_lane.c: what runs in the thread of @arg, a lane. */
void *lane_run(void *arg);
/* recorder_lane.c: what is written counts at once: the size is right when the disk is full. */
int lane_write(struct lane *l, const uint8_t *p, size_t n);
void lane_wrote(struct lane *l, size_t n);
/* recorder_lane.c: empties the pipe of @n bytes into the file. */
enum moved lane_pipe_out(struct lane *l, size_t n);

/* recorder_hand.c: ->buf of about @bytes, memory that another process can map. -1 with @err. */
int batch_make(struct lane *l, size_t bytes, struct ftr_error *err);
/* Before sub-buffers, at most @bytes, are read into it. */
void batch_begin(struct lane *l, size_t bytes);
/* They are written: what is spliced from now on comes behind them. */
void batch_end(struct lane *l);
void batch_release(struct lane *l);

#endif
