/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decompresses zlib streams and zstd frames of untrusted origin into memory of a bounded size. */
#include "file/compress.h"

#include <string.h>
#include <zlib.h>

#include "file/zstd.h"

static bool is_zstd(const void *src, size_t len)
{
	static const unsigned char magic[4] = { 0x28, 0xb5, 0x2f, 0xfd };

	return len >= sizeof(magic) && !memcmp(src, magic, sizeof(magic));
}

int decompress_all(void **ctx, void *dst, size_t room, const void *src, size_t len, size_t *done)
{
	z_stream z = {
		.next_in = (Bytef *)src, .avail_in = len, .next_out = dst, .avail_out = room
	};
	int ret;

	if (is_zstd(src, len))
		return zstd_decompress(ctx, dst, room, src, len, done);
	*done = 0;
	if (len > UINT32_MAX || room > UINT32_MAX || inflateInit(&z) != Z_OK)
		return -1;
	ret = inflate(&z, Z_FINISH);
	*done = z.total_out;
	inflateEnd(&z);
	return ret == Z_STREAM_END && !z.avail_in ? 0 : -1;
}

void decompress_release(void *ctx)
{
	zstd_release(ctx);
}

/* --- in steps */

void unpack_start(struct unpack *u, void *ctx, void *dst, size_t room, const void *src, size_t len)
{
	*u = (struct unpack){
		.src = src, .dst = dst, .len = len, .room = room, .limit = room, .ctx = ctx,
	};
	if (is_zstd(src, len))
		zstd_start(u);
}

bool unpack_step(struct unpack *u)
{
	size_t before = u->done;

	while (!u->ended && u->done == before) {
		if (u->step) {
			zstd_step(u);
			continue;
		}
		u->bad = decompress_all(&u->ctx, u->dst, u->limit < u->room ? u->limit : u->room,
					u->src, u->len, &u->done);
		u->ended = true;
	}
	return u->done > before;
}

void *unpack_end(struct unpack *u)
{
	void *ctx = u->ctx;

	u->ctx = NULL;
	u->ended = true;
	return ctx;
}

bool compressed_start(const void *src)
{
	const unsigned char *p = src;

	/* zlib: deflate with a window of at most 32 KiB, and a check of these two bytes */
	return is_zstd(src, 4) || ((p[0] & 0x8f) == 0x08 && !((p[0] << 8 | p[1]) % 31));
}
