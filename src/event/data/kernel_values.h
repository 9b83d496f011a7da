/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Known values of names in print fmts that the format does not explain. */
#ifndef FTR_EVENT_KERNEL_VALUES_H
#define FTR_EVENT_KERNEL_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event_meta;

/*
 * Finds a constant of kernel headers. @kernel is event_meta.kernel. If it is unknown only constants
 * that are the same in all kernels are found. @system is the event's: some names belong to one
 * system.
 */
bool kenum_find(const char *system, const char *name, size_t len, uint32_t kernel, int64_t *v);

/*
 * Finds a value of the recorded boot, "vmemmap_base" for example, in event_meta.values, which ftr
 * record writes. *is_signed: its C type is signed. Returns false if the file lacks it.
 */
bool kvalue_find(const struct event_meta *w, const char *name, size_t len, uint64_t *v,
		 bool *is_signed);
/* Returns the size of struct page in bytes from the same values, 0 if unknown. */
uint32_t kvalue_page_struct(const struct event_meta *w);
/* Returns the ticks per second (HZ), 0 if unknown. Print fmts of writeback contain the number. */
uint32_t kvalue_hz(const struct event_meta *w);

/* Returns a known array of *n strings, or NULL. */
const char *const *kwords_find(const char *name, size_t len, size_t *n);

#endif
