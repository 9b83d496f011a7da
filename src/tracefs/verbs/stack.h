/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stack tracer: the deepest kernel stack since it was switched on. */
#ifndef FTR_TRACEFS_STACK_H
#define FTR_TRACEFS_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracefs/session/session.h"

/* One function of the stack, the deepest first. */
struct stack_frame {
	uint64_t depth_bytes;		/* of the stack with this function and all that called it */
	uint64_t size_bytes;		/* of this function's part */
	char *location;			/* "vfs_read+0x15/0x2e0" */
};

struct stack_trace {
	bool on;			/* kernel.stack_tracer_enabled */
	uint64_t max_bytes;		/* stack_max_size; 0 = nothing seen yet */
	struct strv filter;		/* stack_trace_filter; empty = all functions */
	struct stack_frame *frames;
	size_t n, cap;
};

/* What the kernel has now. -1 with @err where it has no stack tracer. Released by the caller. */
int stack_read(const struct tfs *t, struct stack_trace *out, struct ftr_error *err);
void stack_release(struct stack_trace *st);

int stack_switch(struct session *s, bool on, struct ftr_error *err);
/* Looks at stacks only in functions that match @words; none = all. */
int stack_filter(struct session *s, const struct strv *words, struct ftr_error *err);
/* Forgets the deepest stack. What was measured is no setting: nothing brings it back. */
int stack_forget(const struct tfs *t, struct ftr_error *err);

#endif
