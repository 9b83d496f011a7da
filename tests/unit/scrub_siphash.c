/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SipHash-2-4: the vectors that its authors published (vectors.h of the reference code). */
#include "rewrite/siphash.h"

#include "tap.h"

int main(void)
{
	/* key 00 01 ... 0f; the hash of the n bytes 00 01 02 ... */
	static const struct { size_t n; uint64_t hash; } vectors[] = {
		{ 0, 0x726fdb47dd0e0e31 }, { 1, 0x74f839c593dc67fd }, { 2, 0x0d6c8009d9a94f5a },
		{ 3, 0x85676696d7fb7e2d }, { 7, 0xab0200f58b01d137 }, { 8, 0x93f5f5799a932462 },
		{ 15, 0xa129ca6149be45e5 }, { 63, 0x958a324ceb064572 },
	};
	const struct siphash_key key = { { 0x0706050403020100, 0x0f0e0d0c0b0a0908 } };
	uint8_t bytes[64];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = i;
	for (size_t i = 0; i < sizeof(vectors) / sizeof(*vectors); i++)
		TAP_OK(siphash(&key, bytes, vectors[i].n) == vectors[i].hash, "a vector");
	return tap_done();
}
