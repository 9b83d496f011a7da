/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a flame graph is of: self times of spans, kernel stacks, times off the CPU. */
#ifndef FTR_MODEL_FLAME_H
#define FTR_MODEL_FLAME_H

#include "model/model.h"
#include "model/flame/ways.h"

enum flame_of { FLAME_SELF, FLAME_STACKS, FLAME_OFF_CPU };

struct flame_opts {
	enum flame_of of;
	unsigned int column;		/* of the ways' numbers */
	const char *weight;		/* of stacks, the field to sum up; NULL: they are counted */
	/* Is what this record begins, or what belongs to it, to be shown? */
	bool (*is_selected)(void *ctx, const struct trace_rec *r);
	void *ctx;
};

struct flame;

/* What comes is added to @w. */
struct flame *flame_new(const struct flame_opts *o, struct ways *w);
void flame_free(struct flame *f);
/* For model_new(), with the flame as context; before records come the model is made known to it. */
const struct span_ops *flame_ops(const struct flame *f);
void flame_bind(struct flame *f, struct model *m);
/* All records came, and model_end(). */
void flame_end(struct flame *f);
/* Of stacks: was there one, and one whose record has the field? */
bool flame_met_stack(const struct flame *f);
bool flame_met_weight(const struct flame *f);
/* Of self times: spans of each mark, and those whose self would have been below 0. */
const uint64_t *flame_marks(const struct flame *f);
uint64_t flame_below_0(const struct flame *f);

#endif
