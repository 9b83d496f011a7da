/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What print fmts name of a kernel without explaining it, as far as it is known. */
#ifndef FTR_EVENT_KNOWN_H
#define FTR_EVENT_KNOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ev_world;

/*
 * kenum.c: constants of kernel headers. @kernel is that of the world; where it is not known, only
 * those that are the same in all kernels are.
 */
bool kenum_find(const char *name, size_t len, uint32_t kernel, int64_t *v);

/*
 * kvalue.c: a value that one boot of a kernel has, "vmemmap_base" and others, from ->values of the
 * world, which recorders of ftr's note. *is_signed is of its type in C.
 */
bool kvalue_find(const struct ev_world *w, const char *name, size_t len, uint64_t *v,
		 bool *is_signed);
/* Bytes of struct page, 0 if not known; from there too. */
uint32_t kvalue_page_struct(const struct ev_world *w);
/* Ticks a second, 0 if not known; print fmts of writeback have it as a number. */
uint32_t kvalue_hz(const struct ev_world *w);

/* kwords.c: an array of strings, @n of them; NULL if it is not known. */
const char *const *kwords_find(const char *name, size_t len, size_t *n);

#endif
