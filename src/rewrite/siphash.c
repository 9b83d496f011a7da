/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rewrite/siphash.h"

#include "base/cursor.h"

static inline uint64_t rotate(uint64_t v, unsigned int by)
{
	return v << by | v >> (64 - by);
}

static inline void sip_rounds(uint64_t v[4], unsigned int n)
{
	while (n--) {
		v[0] += v[1];
		v[2] += v[3];
		v[1] = rotate(v[1], 13) ^ v[0];
		v[3] = rotate(v[3], 16) ^ v[2];
		v[0] = rotate(v[0], 32);
		v[2] += v[1];
		v[0] += v[3];
		v[1] = rotate(v[1], 17) ^ v[2];
		v[3] = rotate(v[3], 21) ^ v[0];
		v[2] = rotate(v[2], 32);
	}
}

static inline void sip_word(uint64_t v[4], uint64_t word)
{
	v[3] ^= word;
	sip_rounds(v, 2);
	v[0] ^= word;
}

uint64_t siphash(const struct siphash_key *key, const void *p, size_t n)
{
	uint64_t v[4] = {
		key->k[0] ^ 0x736f6d6570736575, key->k[1] ^ 0x646f72616e646f6d,
		key->k[0] ^ 0x6c7967656e657261, key->k[1] ^ 0x7465646279746573,
	};
	const uint8_t *at = p;
	uint64_t last = (uint64_t)n << 56;
	size_t left = n;

	for (; left >= 8; left -= 8, at += 8)
		sip_word(v, get_u64(at, false));
	for (size_t i = 0; i < left; i++)
		last |= (uint64_t)at[i] << 8 * i;
	sip_word(v, last);
	v[2] ^= 0xff;
	sip_rounds(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}
