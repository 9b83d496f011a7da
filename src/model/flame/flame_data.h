/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Collects the data of flame graphs: self times of spans, kernel stacks, times off the CPU. */
#ifndef FTR_MODEL_FLAME_FLAME_DATA_H
#define FTR_MODEL_FLAME_FLAME_DATA_H

#include "model/model.h"
#include "model/flame/folded_stacks.h"

enum flame_of { FLAME_SELF, FLAME_STACKS, FLAME_OFF_CPU };

struct flame_opts {
	enum flame_of of;
	unsigned int column;		/* the column of the paths to add to */
	const char *weight;		/* FLAME_STACKS: the field to sum up; NULL: count stacks */
	/* Returns true if the span, stack or switch of this record is shown. */
	bool (*is_selected)(void *ctx, const struct trace_rec *r);
	void *ctx;
};

struct flame_data;

/* Makes a flame that adds to @w, which it borrows. The caller frees it with flame_free(). */
struct flame_data *flame_new(const struct flame_opts *o, struct folded_stacks *w);
void flame_free(struct flame_data *f);
/* Returns the span_ops for model_new(), with the flame as ctx. */
const struct span_ops *flame_ops(const struct flame_data *f);
/* Sets the model whose spans will come. Call it before the first record. */
void flame_bind(struct flame_data *f, struct model *m);
/* Ends the collection. Call it after model_end(). */
void flame_end(struct flame_data *f);
/* FLAME_STACKS: return true if there was a stack; and one whose record has the field. */
bool flame_met_stack(const struct flame_data *f);
bool flame_met_weight(const struct flame_data *f);
/* FLAME_SELF: return the numbers of spans with each mark, and with a negative self time. */
const uint64_t *flame_marks(const struct flame_data *f);
uint64_t flame_below_0(const struct flame_data *f);

#endif
