/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many bytes of data a file may still get: one account of all threads that write to it. */
#ifndef FTR_RECORD_CPU_SIZE_BUDGET_H
#define FTR_RECORD_CPU_SIZE_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct budget;

/* Of @bytes. @spills: rather more than that than lost events; only who takes looks at it. */
struct budget *budget_new(uint64_t bytes, bool spills);
bool budget_spills(const struct budget *b);
/* Before anything is taken: @cpus are to write. There is at least one sub-buffer for each. */
void budget_add(struct budget *b, uint32_t subbuf_size, size_t cpus);
/*
 * Of @want bytes those that may be written, whole sub-buffers; 0: it is spent, for good. While
 * another thread may return what would do it waits. @beyond: all of them whatever there is.
 * Otherwise than with 0, budget_give() must follow soon.
 */
size_t budget_take(struct budget *b, size_t want, uint32_t subbuf_size, bool beyond);
/* @bytes of what budget_take() gave were not needed. */
void budget_give(struct budget *b, size_t bytes);
bool budget_spent(struct budget *b);
/* NULL is fine. */
void budget_free(struct budget *b);

#endif
