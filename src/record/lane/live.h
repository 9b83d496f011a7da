/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording whose sub-buffers are taken by the caller as they come, instead of into a file. */
#ifndef FTR_RECORD_LIVE_H
#define FTR_RECORD_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "tracefs/files/tfs.h"

struct live_buffer {
	const char *name;	/* to be shown: "" = the main buffer */
	const char *instance;	/* in tracefs: NULL = top level */
	bool swaps;		/* by its tracer: what comes goes back in time */
};

/* Called by record_run() if the plan has them. */
struct rec_live {
	void *ctx;
	uint64_t every_ns;	/* between two rounds */
	/* All is set up and tracing is off. @enabled: "system/event". -1 ends it. */
	int (*begin)(void *ctx, const struct tfs *t, const struct live_buffer *bufs, size_t n,
		     const struct strv *enabled, struct ftr_error *err);
	/*
	 * Takes what there is. @last: tracing is off, and all of it is wanted. 0, 1 when nobody
	 * wants more, -1.
	 */
	int (*round)(void *ctx, bool last, struct ftr_error *err);
	/* Closes every file of tracefs; also after a failed or missing begin(). */
	void (*end)(void *ctx);
};

/* trace_pipe_raw of the CPUs of one buffer. */
struct raw;
struct raw *raw_open(const struct tfs *t, const char *instance, struct ftr_error *err);
size_t raw_cpus(const struct raw *r, const int **cpus);
uint32_t raw_subbuf_size(const struct raw *r);
/* How many sub-buffers a CPU's buffer can hold, about. */
size_t raw_subbufs(const struct raw *r);
/*
 * One sub-buffer of the CPU numbered @i among raw_cpus() into @to, the unused rest zeroed. 1, 0 if
 * there is none now, -1 with @err.
 */
int raw_read(struct raw *r, size_t i, uint8_t *to, struct ftr_error *err);
void raw_close(struct raw *r);

#endif
