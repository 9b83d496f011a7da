/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decompresses zlib streams and zstd frames of untrusted origin into memory of a bounded size. */
#include "file/compress.h"

#include <stdint.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

static bool is_zstd(const void *src, size_t len)
{
	static const unsigned char magic[4] = { 0x28, 0xb5, 0x2f, 0xfd };

	return len >= sizeof(magic) && !memcmp(src, magic, sizeof(magic));
}

/*
 * Streaming: trace-cmd's frames do not say their content size, and damage shall not void what came
 * before it.
 */
static int zstd_slow(ZSTD_DCtx *ctx, void *dst, size_t room, const void *src, size_t len,
		     size_t *done)
{
	ZSTD_inBuffer in = { .src = src, .size = len };
	ZSTD_outBuffer out = { .dst = dst, .size = room };
	size_t left = 1, before;

	ZSTD_DCtx_reset(ctx, ZSTD_reset_session_only);
	while (in.pos < in.size || left) {
		before = in.pos + out.pos;
		left = ZSTD_decompressStream(ctx, &out, &in);
		if (ZSTD_isError(left) || before == in.pos + out.pos)
			break;
	}
	*done = out.pos;
	return !left && in.pos == in.size ? 0 : -1;
}

/* Straight to its place, unless the data is damaged or larger than said: that takes two copies. */
static int zstd_some(void **keep, void *dst, size_t room, const void *src, size_t len, size_t *done)
{
	ZSTD_DCtx *ctx = *keep ? *keep : ZSTD_createDCtx();

	*done = 0;
	*keep = ctx;
	if (!ctx)
		return -1;
	*done = ZSTD_decompressDCtx(ctx, dst, room, src, len);
	if (!ZSTD_isError(*done))
		return 0;
	return zstd_slow(ctx, dst, room, src, len, done);
}

static int zlib_some(void *dst, size_t room, const void *src, size_t len, size_t *done)
{
	z_stream z = {
		.next_in = (Bytef *)src, .avail_in = len, .next_out = dst, .avail_out = room
	};
	int ret;

	*done = 0;
	if (len > UINT32_MAX || room > UINT32_MAX || inflateInit(&z) != Z_OK)
		return -1;
	ret = inflate(&z, Z_FINISH);
	*done = z.total_out;
	inflateEnd(&z);
	return ret == Z_STREAM_END && !z.avail_in ? 0 : -1;
}

int decompress_more(void **ctx, void *dst, size_t room, const void *src, size_t len, size_t *done)
{
	return is_zstd(src, len) ? zstd_some(ctx, dst, room, src, len, done) :
				   zlib_some(dst, room, src, len, done);
}

void decompress_release(void *ctx)
{
	ZSTD_freeDCtx(ctx);
}

int decompress_some(void *dst, size_t room, const void *src, size_t len, size_t *done)
{
	void *ctx = NULL;
	int ret = decompress_more(&ctx, dst, room, src, len, done);

	decompress_release(ctx);
	return ret;
}

bool compressed_start(const void *src)
{
	const unsigned char *p = src;

	/* zlib: deflate with a window of at most 32 KiB, and a check of these two bytes */
	return is_zstd(src, 4) || ((p[0] & 0x8f) == 0x08 && !((p[0] << 8 | p[1]) % 31));
}
