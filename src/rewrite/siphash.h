/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SipHash-2-4 (Aumasson and Bernstein, 2012): a keyed hash of 64 bits, from which neither the key
 * nor the bytes can be computed. Unlike hash_bytes() of map.h it is the same in all runs.
 */
#ifndef FTR_REWRITE_SIPHASH_H
#define FTR_REWRITE_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

struct siphash_key {
	uint64_t k[2];		/* the 16 bytes of the key, as little-endian numbers */
};

/* Returns the hash of the @n bytes at @p. */
uint64_t siphash(const struct siphash_key *key, const void *p, size_t n);

#endif
