/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording whose sub-buffers the caller reads as they come, instead of a file. */
#ifndef FTR_RECORD_CPU_LIVE_RECORDING_H
#define FTR_RECORD_CPU_LIVE_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "tracefs/files/tfs.h"

struct live_buffer {
	const char *name;	/* for display: "" = the main buffer */
	const char *instance;	/* in tracefs: NULL = top level */
	bool swaps;		/* its tracer swaps buffers: times of its data may go back */
};

/* Functions that record_run() calls if the plan has them. */
struct rec_live {
	void *ctx;
	uint64_t every_ns;	/* time between two rounds */
	/*
	 * Called when the setup is complete and tracing is still off. @enabled: "system/event" of
	 * each. Returns 0, or -1 with @err if the recording must end.
	 */
	int (*begin)(void *ctx, const struct tfs *t, const struct live_buffer *bufs, size_t n,
		     const struct strv *enabled, struct ftr_error *err);
	/*
	 * Reads available data. If @last, tracing is off, so it reads everything. Returns 0; 1 if
	 * no more data is wanted; -1 with @err.
	 */
	int (*round)(void *ctx, bool last, struct ftr_error *err);
	/* Closes all files of tracefs. Also called if ->begin() failed or was not called. */
	void (*end)(void *ctx);
};

/* Opens trace_pipe_raw of all CPUs of one buffer. Returns NULL with @err if one can't be opened. */
struct raw_reader;
struct raw_reader *raw_open(const struct tfs *t, const char *instance, struct ftr_error *err);
size_t raw_cpus(const struct raw_reader *r, const int **cpus);
uint32_t raw_subbuf_size(const struct raw_reader *r);
/* Returns about how many sub-buffers the buffer of a CPU has. */
size_t raw_subbufs(const struct raw_reader *r);
/*
 * Reads a sub-buffer of the @i-th CPU of raw_cpus() to @to, and zeroes the unused rest. Returns 1;
 * 0 if there is none now; -1 with @err.
 */
int raw_read(struct raw_reader *r, size_t i, uint8_t *to, struct ftr_error *err);
void raw_close(struct raw_reader *r);

#endif
