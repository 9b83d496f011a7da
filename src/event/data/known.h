/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Known values of names in print fmts that the format does not explain. */
#ifndef FTR_EVENT_KNOWN_H
#define FTR_EVENT_KNOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ev_world;

/*
 * kenum.c: constants of kernel headers. @kernel is ev_world.kernel. If it is unknown only constants
 * that are the same in all kernels are found. @system is the event's: some names are one system's.
 */
bool kenum_find(const char *system, const char *name, size_t len, uint32_t kernel, int64_t *v);

/*
 * kvalue.c: a value of the recorded boot, "vmemmap_base" for example, from ev_world.values, which
 * ftr record notes. *is_signed: its C type is signed.
 */
bool kvalue_find(const struct ev_world *w, const char *name, size_t len, uint64_t *v,
		 bool *is_signed);
/* Size of struct page in bytes from the same values, 0 if unknown. */
uint32_t kvalue_page_struct(const struct ev_world *w);
/* Ticks per second (HZ), 0 if unknown. Print fmts of writeback have it as a number. */
uint32_t kvalue_hz(const struct ev_world *w);

/* kwords.c: a known array of *n strings; NULL if it is unknown. */
const char *const *kwords_find(const char *name, size_t len, size_t *n);

#endif
