/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stack tracer: the deepest kernel stack since it was enabled. */
#ifndef FTR_TRACEFS_VERBS_STACK_TRACER_H
#define FTR_TRACEFS_VERBS_STACK_TRACER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracefs/session/session.h"

/* A function of the stack. The innermost is first. */
struct stack_frame {
	uint64_t depth_bytes;		/* depth of the stack up to and including this function */
	uint64_t size_bytes;		/* size of this function's frame */
	char *location;			/* "vfs_read+0x15/0x2e0" */
};

struct stack_trace {
	bool on;			/* kernel.stack_tracer_enabled */
	uint64_t max_bytes;		/* stack_max_size; 0 = no stack yet */
	struct strv filter;		/* stack_trace_filter; empty = all functions */
	struct stack_frame *frames;
	size_t n, cap;
};

/*
 * Reads the kernel's present state. The caller releases @out. Returns 0, or -1 with @err if the
 * kernel has no stack tracer.
 */
int stack_read(const struct tfs *t, struct stack_trace *out, struct ftr_error *err);
void stack_release(struct stack_trace *st);

/* Enables or disables the tracer until the session restores it. Returns 0, or -1 with @err. */
int stack_switch(struct session *s, bool on, struct ftr_error *err);
/*
 * Makes the tracer check the stack only in functions that match @words; in all functions if it is
 * empty. Returns 0, or -1 with @err.
 */
int stack_filter(struct session *s, const struct strv *words, struct ftr_error *err);
/* Resets the deepest stack, a measurement, which can't be restored. Returns 0, or -1 with @err. */
int stack_forget(const struct tfs *t, struct ftr_error *err);

#endif
