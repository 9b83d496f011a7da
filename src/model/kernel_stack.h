/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the addresses of kernel_stack records, and finds the function that a task slept in. */
#ifndef FTR_MODEL_KERNEL_STACK_H
#define FTR_MODEL_KERNEL_STACK_H

#include "base/map.h"
#include "model/model.h"

/* kernel/trace/trace.h: FTRACE_TRAMPOLINE_MARKER */
#define STACK_TRAMPOLINE	0x7fffffff

/* The addresses of a record, which it borrows. The innermost function is the first. */
struct kernel_stack {
	const struct trace_rec *r;
	const uint8_t *data;
	uint32_t n;
};

/* The functions that were judged, by address and file. Zeroed at first. */
struct stack_words {
	struct map verdicts;
};

/* Returns false if the record of type kernel_stack has no addresses. */
bool kernel_stack_read(const struct trace_rec *r, struct kernel_stack *s);
uint64_t kernel_stack_addr(const struct kernel_stack *s, uint32_t i);
/* Returns the index of the first function that is no part of the recording of an event. */
uint32_t kernel_stack_skip_tracer(struct stack_words *w, struct model *m,
				  const struct kernel_stack *s);
/*
 * Returns the index of the function that called the scheduler or a lock, as /proc/PID/wchan has it,
 * or ->n.
 */
uint32_t kernel_stack_skip_sched(struct stack_words *w, struct model *m,
				 const struct kernel_stack *s);
void stack_words_release(struct stack_words *w);

#endif
