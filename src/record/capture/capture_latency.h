/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a tracer keeps of the longest latency it measured. */
#ifndef FTR_RECORD_CAPTURE_CAPTURE_LATENCY_H
#define FTR_RECORD_CAPTURE_CAPTURE_LATENCY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"
#include "tracefs/files/tfs.h"

struct latency {
	char *tracer;			/* NULL: it keeps none */
	char *max;			/* tracing_max_latency, in microseconds; "" = not told */
	struct buf text;		/* of the file trace */
	bool measured;			/* there was something to measure */
	bool cut;			/* of ->text there is more */
};

/* After tracing was stopped there: the first @most bytes of the text, whole lines. */
void latency_read(const struct tfs *t, const char *instance, size_t most, struct latency *out);
/* ", max latency 51 us" of the buffer @name, "" = top level; nothing if nothing was measured. */
void latency_add(struct buf *b, const struct latency *l, const char *name);
void latency_release(struct latency *l);

#endif
