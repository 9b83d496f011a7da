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
static int zstd_some(void *dst, size_t room, const void *src, size_t len, size_t *done)
{
	ZSTD_inBuffer in = { .src = src, .size = len };
	ZSTD_outBuffer out = { .dst = dst, .size = room };
	ZSTD_DCtx *ctx = ZSTD_createDCtx();
	size_t left = 1, before;

	while (ctx && (in.pos < in.size || left)) {
		before = in.pos + out.pos;
		left = ZSTD_decompressStream(ctx, &out, &in);
		if (ZSTD_isError(left) || before == in.pos + out.pos)
			break;
	}
	ZSTD_freeDCtx(ctx);
	*done = out.pos;
	return !left && in.pos == in.size ? 0 : -1;
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

int decompress_some(void *dst, size_t room, const void *src, size_t len, size_t *done)
{
	return is_zstd(src, len) ? zstd_some(dst, room, src, len, done) :
				   zlib_some(dst, room, src, len, done);
}

bool compressed_start(const void *src)
{
	const unsigned char *p = src;

	/* zlib: deflate with a window of at most 32 KiB, and a check of these two bytes */
	return is_zstd(src, 4) || ((p[0] & 0x8f) == 0x08 && !((p[0] << 8 | p[1]) % 31));
}
