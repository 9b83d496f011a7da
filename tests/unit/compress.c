/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decompression in one go and in steps, of data that the libraries compressed, whole and damaged. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "file/compress.h"
#include "tap.h"

#define BYTES (700u << 10)	/* some blocks of zstd, which have 128 KiB */
#define ROOM  (1u << 20)

static uint8_t plain[BYTES], packed[2 * BYTES], out[ROOM];

/* Text that repeats itself some, as formats do. */
static void make_plain(void)
{
	uint32_t seed = 1;

	for (size_t i = 0; i < BYTES; i++) {
		seed = seed * 1664525 + 1013904223;
		plain[i] = i >= 100 && seed >> 28 ? plain[i - 100] : 'a' + (seed >> 8) % 26;
	}
}

/* As trace-cmd: a frame that does not say its content's size, and has a checksum. */
static size_t zstd_frame(uint8_t *to)
{
	ZSTD_CCtx *ctx = ZSTD_createCCtx();
	size_t n;

	ZSTD_CCtx_setParameter(ctx, ZSTD_c_contentSizeFlag, 0);
	ZSTD_CCtx_setParameter(ctx, ZSTD_c_checksumFlag, 1);
	n = ZSTD_compress2(ctx, to, BYTES, plain, BYTES);
	ZSTD_freeCCtx(ctx);
	return n;
}

/* Steps until the end; *first is what came with the first. */
static size_t all_steps(size_t len, size_t room, bool *bad, size_t *first)
{
	struct compress_unpack u;
	size_t n;

	unpack_start(&u, NULL, out, room, packed, len);
	for (n = 0; unpack_step(&u); n++)
		if (!n)
			*first = u.done;
	*bad = u.bad;
	TAP_OK(u.ended && !unpack_step(&u), "the end stays the end");
	n = u.done;
	decompress_release(unpack_end(&u));
	return n;
}

static void whole(size_t len, const char *one, const char *steps)
{
	size_t done, first = 0;
	void *ctx = NULL;
	bool bad;

	memset(out, 0, ROOM);
	TAP_OK(!decompress_all(&ctx, out, ROOM, packed, len, &done) && done == BYTES &&
	       !memcmp(out, plain, BYTES), one);
	memset(out, 0, ROOM);
	TAP_OK(all_steps(len, ROOM, &bad, &first) == BYTES && !bad && !memcmp(out, plain, BYTES),
	       steps);
	decompress_release(ctx);
}

static void steps(size_t len)
{
	size_t first = 0, n;
	bool bad;

	all_steps(len, ROOM, &bad, &first);
	TAP_OK(first && first < BYTES / 4, "zstd: the first step is a small one");
	n = all_steps(len - 100, ROOM, &bad, &first);
	TAP_OK(bad && n > BYTES / 2 && n < BYTES && !memcmp(out, plain, n), "zstd: cut off, what is before it comes");
	n = all_steps(len, BYTES - 1000, &bad, &first);
	TAP_OK(bad && n > BYTES / 2 && n <= BYTES - 1000 && !memcmp(out, plain, n), "zstd: no room for the end");
	packed[len] = 1;
	n = all_steps(len + 1, ROOM, &bad, &first);
	TAP_OK(bad && n == BYTES, "zstd: goes on behind its end");
	packed[len / 2] ^= 0x55;
	n = all_steps(len, ROOM, &bad, &first);
	TAP_OK(bad && n < ROOM && !memcmp(out, plain, n < BYTES / 4 ? n : BYTES / 4),
	       "zstd: damaged in the middle, what is before it comes");
}

/* Half of it left, then memory that is used again. */
static void again(size_t len)
{
	struct compress_unpack u;
	size_t done;
	void *ctx;

	unpack_start(&u, NULL, out, ROOM, packed, len);
	unpack_step(&u);
	ctx = unpack_end(&u);
	TAP_OK(!decompress_all(&ctx, out, ROOM, packed, len, &done) &&
	       done == BYTES, "zstd: one go after half of the steps");
	unpack_start(&u, ctx, out, ROOM, packed, len);
	while (unpack_step(&u))
		;
	TAP_OK(!u.bad && u.done == BYTES && !memcmp(out, plain, BYTES), "zstd: steps after one go");
	decompress_release(unpack_end(&u));
}

int main(void)
{
	uLongf zlen = sizeof(packed);
	size_t len;

	make_plain();
	len = zstd_frame(packed);
	whole(len, "zstd: in one go", "zstd: in steps");
	again(len);
	steps(len);
	compress(packed, &zlen, plain, BYTES);
	whole(zlen, "zlib: in one go", "zlib: in steps");
	return tap_done();
}
