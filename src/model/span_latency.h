/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Durations of spans: distributions by task, CPU, name or a field, and the longest spans. */
#ifndef FTR_MODEL_SPAN_LATENCY_H
#define FTR_MODEL_SPAN_LATENCY_H

#include "base/mem.h"
#include "model/distribution.h"
#include "model/model.h"

#define LATENCY_ROWS	64	/* row 0 has 0 and 1; row i has 2^i up to 2^(i + 1) - 1 */
#define LATENCY_WORST	10

enum latency_by { LATENCY_ALL, LATENCY_TASK, LATENCY_CPU, LATENCY_NAME, LATENCY_FIELD };

struct latency_opts {
	enum latency_by by;
	const char *field;	/* LATENCY_FIELD: a field of the record that starts a span */
	uint64_t unit;			/* unit of rows in nanoseconds, at least 1 */
};

/* A group of spans with the same task, CPU, name or field. */
struct latency_group {
	struct value_dist d;
	uint64_t rows[LATENCY_ROWS];
	char *text;			/* the common value; NULL for LATENCY_ALL */
	const struct task *task;	/* LATENCY_TASK: the task, before ->text is made */
};

/* One of the longest spans. */
struct latency_span {
	uint64_t begin, end, duration;
	int32_t  cpu;
	uint32_t file;
	int32_t  pid;			/* 0: it is of an interrupt, or of an idle task */
	char *task, *name;
};

struct span_latency;

struct span_latency *latency_new(const struct latency_opts *o);
/* Sets the model whose spans will come. Call it before the first. */
void latency_bind(struct span_latency *l, const struct model *m);
/*
 * Call them from span_ops for spans that are shown; for a SPAN_WAKEUP both in direct succession.
 * LATENCY_ALL needs only latency_end(), which returns true if the span has a known duration.
 */
void latency_begin(struct span_latency *l, struct span *s, const struct trace_rec *r);
bool latency_end(struct span_latency *l, const struct span *s);

/* Returns the *n groups with a value, the largest count first. Call it after the last record. */
struct latency_group *const *latency_groups(struct span_latency *l, size_t *n);
/* Returns the *n longest spans, longest first. */
const struct latency_span *latency_worst(const struct span_latency *l, size_t *n);
/* Return the numbers of spans with each mark, and with a negative self time or duration. */
const uint64_t *latency_marks(const struct span_latency *l);
uint64_t latency_below_0(const struct span_latency *l);
/* Returns true if a record had the field of LATENCY_FIELD. */
bool latency_met_field(const struct span_latency *l);
void latency_free(struct span_latency *l);

/* Returns the row of @ns nanoseconds. The compiler multiplies instead of dividing by constants. */
static inline unsigned int latency_row(uint64_t ns, uint64_t unit)
{
	uint64_t v = unit == 1000 ? ns / 1000 : unit == 1 ? ns : ns / unit;

	return 63 - __builtin_clzll(v | 1);
}

/* Fills @out for printing from a span that has ended. */
void latency_span_fill(struct latency_span *out, const struct model *m, const struct span *s);
void latency_span_release(struct latency_span *s);

#endif
