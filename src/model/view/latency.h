/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long spans took: distributions by task, CPU, name or a field, and those that took longest. */
#ifndef FTR_MODEL_LATENCY_H
#define FTR_MODEL_LATENCY_H

#include "base/mem.h"
#include "model/dist.h"
#include "model/model.h"

#define LATENCY_ROWS	64	/* row 0 has 0 and 1, row i what is from 2^i on below 2^(i + 1) */
#define LATENCY_WORST	10

enum latency_by { LATENCY_ALL, LATENCY_TASK, LATENCY_CPU, LATENCY_NAME, LATENCY_FIELD };

struct latency_opts {
	enum latency_by by;
	const char *field;		/* of LATENCY_FIELD: of the record that begins a span */
	uint64_t unit;			/* rows count so many nanoseconds as one, at least 1 */
};

/* Spans that have something in common. */
struct latency_group {
	struct dist d;
	uint64_t rows[LATENCY_ROWS];
	char *text;			/* what they have in common; of LATENCY_ALL NULL */
	const struct task *task;	/* of LATENCY_TASK, until ->text is made */
};

/* One that took long. */
struct latency_span {
	uint64_t begin, end, duration;
	int32_t  cpu;
	uint32_t file;
	char *task, *name;
};

struct latency;

struct latency *latency_new(const struct latency_opts *o);
/* Whose spans will come; before the first of them. */
void latency_bind(struct latency *l, const struct model *m);
/*
 * For span_ops, of spans that are to be shown; of SPAN_WAKEUP both in a row. LATENCY_ALL needs no
 * begin.
 */
void latency_begin(struct latency *l, struct span *s, const struct trace_rec *r);
bool latency_end(struct latency *l, const struct span *s);	/* whether it counts */

/* All read: those groups that have a value, most of them first. Borrowed, and *n of them. */
struct latency_group *const *latency_groups(struct latency *l, size_t *n);
/* The longest first. */
const struct latency_span *latency_worst(const struct latency *l, size_t *n);
/* Spans of each mark, and those whose self or duration would have been below 0. */
const uint64_t *latency_marks(const struct latency *l);
uint64_t latency_below_0(const struct latency *l);
/* Had any record the field of LATENCY_FIELD? */
bool latency_met_field(const struct latency *l);
void latency_free(struct latency *l);

/* The row of so many nanoseconds; divisions by the usual units are multiplications. */
static inline unsigned int latency_row(uint64_t ns, uint64_t unit)
{
	uint64_t v = unit == 1000 ? ns / 1000 : unit == 1 ? ns : ns / unit;

	return 63 - __builtin_clzll(v | 1);
}

/* What is printed of a span that has ended. */
void latency_span_fill(struct latency_span *out, const struct model *m, const struct span *s);
void latency_span_release(struct latency_span *s);

#endif
