/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When the symbols of modules were there: memory of one module becomes another's. */
#ifndef FTR_EVENT_SYMLIFE_H
#define FTR_EVENT_SYMLIFE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LIVES_LAST UINT32_MAX	/* the time behind all others */

/*
 * What "symbol_times" of trace.dat(5) says: @text of @len bytes, borrowed. Times become small
 * numbers: how many of the moments at which something changes are not later. NULL: it says nothing.
 */
struct lives;
struct lives *lives_new(const char *text, size_t len);
void lives_free(struct lives *l);	/* NULL is fine */
/* The moments, in order, as the text has them; the caller may change them, but not the order. */
uint64_t *lives_moments(struct lives *l, size_t *n);
uint32_t lives_when(const struct lives *l, uint64_t ts);
/* When a symbol was there, to be asked of lives_have(); 0: always. */
uint32_t lives_of(const struct lives *l, const char *mod, size_t mod_len, uint64_t addr);
bool lives_have(const struct lives *l, uint32_t life, uint32_t when);
/* False: the symbol around @addr is the same at any time. */
bool lives_touch(const struct lives *l, uint64_t addr);

#endif
