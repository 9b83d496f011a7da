/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums of spans by function, task, CPU, module or kind, or by call path. */
#ifndef FTR_MODEL_SPAN_PROFILE_H
#define FTR_MODEL_SPAN_PROFILE_H

#include "base/err.h"
#include "model/distribution.h"
#include "model/model.h"

enum profile_by { PROFILE_FUNCTION, PROFILE_TASK, PROFILE_CPU, PROFILE_MODULE, PROFILE_KIND };

struct profile_opts {
	enum profile_by by;
	bool on_cpu;		/* time on the CPU instead of duration */
	bool buckets;		/* percentiles are needed */
	bool tree;		/* a row for each call path to a function */
	const char *callers;	/* rows for the call paths up from this function, or NULL */
};

/* A row. Except ->count, the numbers are sums of the spans in ->d. */
struct profile_row {
	struct value_dist d;			/* durations */
	uint64_t count;			/* all spans, also those of unknown duration */
	uint64_t total, off;	/* of spans that are not inside of another span of the row */
	uint64_t self, irq;
	uint32_t parent, first, next;	/* of a tree: row numbers; 0 none */
	uint32_t depth;
	uint32_t id;			/* the row's CPU, context, module or kind */
	uint8_t  how;			/* enum span_name */
	uint16_t file;
	uint64_t name;
	const struct task *task;
};

struct span_profile;

struct span_profile *profile_new(const struct profile_opts *o);
/* Sets the model whose spans will come. Call it before the first. */
void profile_bind(struct span_profile *p, const struct model *m);
/* Add a span; call them from span_ops. profile_begin() is needed only with ->tree. */
void profile_begin(struct span_profile *p, struct span *s);
void profile_end(struct span_profile *p, const struct span *s);
/* Rows start with 1; row 0 is the root of a tree. */
size_t profile_rows(const struct span_profile *p);
const struct profile_row *profile_row(const struct span_profile *p, size_t i);
/* Return the numbers of spans with each mark, and with a negative self time or duration. */
const uint64_t *profile_marks(const struct span_profile *p);
uint64_t profile_below_0(const struct span_profile *p);
/* Appends the name of the row: "vfs_read", "bash-1234", "CPU 3", "[nfs]", "irq". */
void profile_add_name(const struct span_profile *p, const struct profile_row *r, struct buf *out);
/* Returns the module of a row by function: see model_module_of(). */
const char *profile_module(const struct span_profile *p, const struct profile_row *r, size_t *len);
/* Adds the sums of @from. */
void profile_row_merge(struct profile_row *r, const struct profile_row *from);
void profile_free(struct span_profile *p);

#endif
