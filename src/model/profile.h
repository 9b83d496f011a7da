/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Spans summed up: by function, task, CPU, module or kind, or by the way to them. */
#ifndef FTR_MODEL_PROFILE_H
#define FTR_MODEL_PROFILE_H

#include "base/err.h"
#include "model/dist.h"
#include "model/model.h"

enum profile_by { PROFILE_FUNCTION, PROFILE_TASK, PROFILE_CPU, PROFILE_MODULE, PROFILE_KIND };

struct profile_opts {
	enum profile_by by;
	bool on_cpu;		/* on instead of duration */
	bool buckets;		/* percentiles will be asked for */
	bool tree;		/* a row for each way to a function */
	const char *callers;	/* rows for the ways from this function up, or NULL */
};

/* Durations are ->d; the rest are sums of the spans that are counted in it. */
struct profile_row {
	struct dist d;
	uint64_t count;			/* all spans, those without a known duration too */
	uint64_t total, off;		/* of those not inside one of the same row */
	uint64_t self, irq;
	uint32_t parent, first, next;	/* of a tree: row numbers; 0 none */
	uint32_t depth;
	uint32_t id;			/* the CPU, context, module or kind that it is of */
	uint8_t  how;			/* enum span_name */
	uint16_t file;
	uint64_t name;
	const struct task *task;
};

struct profile;

struct profile *profile_new(const struct profile_opts *o);
/* Whose spans will come; before the first of them. */
void profile_bind(struct profile *p, const struct model *m);
/* For span_ops; ->begin is needed with ->tree alone. */
void profile_begin(struct profile *p, struct span *s);
void profile_end(struct profile *p, const struct span *s);
/* Rows from 1 on; row 0 is the sum of all of them. */
size_t profile_rows(const struct profile *p);
const struct profile_row *profile_row(const struct profile *p, size_t i);
/* Spans of each mark, and those whose self or duration would have been below 0. */
const uint64_t *profile_marks(const struct profile *p);
uint64_t profile_below_0(const struct profile *p);
/* What the row is of: "vfs_read", "bash-1234", "CPU 3", "[nfs]", "irq". */
void profile_add_name(const struct profile *p, const struct profile_row *r, struct buf *out);
/* The module of a row by function, as of model_module_of(). */
const char *profile_module(const struct profile *p, const struct profile_row *r, size_t *len);
/* Adds what is counted in @from. */
void profile_row_merge(struct profile_row *r, const struct profile_row *from);
void profile_free(struct profile *p);

#endif
