/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of records as they come, for record_run(). */
#ifndef FTR_CMD_STREAM_SOURCE_H
#define FTR_CMD_STREAM_SOURCE_H

#include <stdint.h>

#include "output/pipeline.h"
#include "record/cpu/live_recording.h"

struct stream_opts {
	const struct out_ops *ops;
	struct out_opts out;
	const struct ev_plugins *plugins;	/* or NULL */
	uint64_t every_ns;
	bool tsc2nsec;			/* the clock is x86-tsc, and shown as nanoseconds */
	int fd;
};

/*
 * Reads all CPUs every ->every_ns and merges what they have by time. A record is held until all
 * CPUs have been read once more: by then nothing can come that belongs before it. The result is for
 * struct rec_plan.
 */
struct stream_out;
struct stream_out *stream_out_new(const struct stream_opts *opts, struct rec_live *live);
/* Damage that was met. Borrowed; NULL if there was no trace. */
const struct damages *stream_out_damages(const struct stream_out *s);
void stream_out_free(struct stream_out *s);

#endif
