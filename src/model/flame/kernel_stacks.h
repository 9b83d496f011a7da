/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kernel stacks, which are records of their own, and the records that they belong to. */
#ifndef FTR_MODEL_FLAME_KERNEL_STACKS_H
#define FTR_MODEL_FLAME_KERNEL_STACKS_H

#include "model/flame/flame_frames.h"

enum stack_kind {
	STACK_NONE,			/* the record is no stack */
	STACK_KERNEL,
	STACK_OTHER,			/* a user's, or of a buffer that is not read */
};

/* Of one CPU of one buffer: the record that a stack would belong to which comes next. */
struct stack_owner {
	bool     is_there;
	int      pid;
	uint64_t user;			/* the view's, of that record */
};

struct stacks;

struct stacks *stacks_new(struct model *m, struct frames *f, struct ways *w);
void stacks_free(struct stacks *s);
enum stack_kind stacks_kind(struct stacks *s, const struct trace_rec *r);
struct stack_owner *stacks_owner(struct stacks *s, const struct trace_rec *r);
bool stacks_met(const struct stacks *s);
/* The way from @from on through the functions of the stack @r, the outermost first. */
uint32_t stacks_walk(struct stacks *s, const struct trace_rec *r, uint32_t from);

#endif
