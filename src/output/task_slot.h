/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slots for what is equal in all lines of one task on one CPU, which sinks keep as text. A slot is
 * found by a hash of pid and CPU, and has a struct task_slot and room for the text.
 */
#ifndef FTR_OUTPUT_TASK_SLOT_H
#define FTR_OUTPUT_TASK_SLOT_H

#include "trace/trace.h"

#define TASK_SLOT_BITS 8
#define TASK_SLOTS     (1u << TASK_SLOT_BITS)

struct task_slot {
	int      cpu, pid;
	uint16_t file, buffer;
	uint8_t  used, len;		/* ->len: bytes of the text */
};

/* Returns the number of the slot of a record's task. */
static inline uint32_t task_slot_of(const struct trace_rec *r)
{
	uint32_t hash = ((uint32_t)r->pid * 8 + (uint32_t)r->cpu) * 0x9e3779b1u;

	return hash >> (32 - TASK_SLOT_BITS);
}

/* Returns true if the slot has the text of a record's task. */
static inline bool task_slot_fits(const struct task_slot *t, const struct trace_rec *r)
{
	return t->pid == r->pid && t->cpu == r->cpu && t->file == r->file &&
	       t->buffer == r->buffer && t->used;
}

static inline void task_slot_set(struct task_slot *t, const struct trace_rec *r, size_t len)
{
	*t = (struct task_slot){
		.cpu = r->cpu, .pid = r->pid, .file = r->file, .buffer = r->buffer,
		.used = r->file <= UINT16_MAX && r->buffer <= UINT16_MAX, .len = len,
	};
}

#endif
