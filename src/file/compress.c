/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decompresses zlib streams and zstd frames of untrusted origin into memory of a bounded size. */
#include "file/compress.h"

#include <string.h>
#include <zlib.h>
#define ZSTD_STATIC_LINKING_ONLY	/* for ZSTD_d_stableOutBuffer */
#include <zstd.h>

#define FRAME_START ZSTD_FRAMEHEADERSIZE_MIN(ZSTD_f_zstd1)

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

	ZSTD_DCtx_reset(ctx, ZSTD_reset_session_and_parameters);
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

int decompress(void **ctx, void *dst, size_t room, const void *src, size_t len, size_t *done)
{
	return is_zstd(src, len) ? zstd_some(ctx, dst, room, src, len, done) :
				   zlib_some(dst, room, src, len, done);
}

void decompress_release(void *ctx)
{
	ZSTD_freeDCtx(ctx);
}

/* --- in steps */

void unpack_start(struct unpack *u, void *ctx, void *dst, size_t room, const void *src, size_t len)
{
	*u = (struct unpack){ .src = src, .dst = dst, .len = len, .room = room, .ctx = ctx };
	if (!is_zstd(src, len))
		return;
	if (!u->ctx)
		u->ctx = ZSTD_createDCtx();
	if (!u->ctx)
		return;
	/* straight to its place; a library that can't do so decompresses it in one go */
	ZSTD_DCtx_reset(u->ctx, ZSTD_reset_session_and_parameters);
	if (!ZSTD_isError(ZSTD_DCtx_setParameter(u->ctx, ZSTD_d_stableOutBuffer, 1)))
		u->step = FRAME_START;
}

static void unpack_whole(struct unpack *u)
{
	u->bad = decompress(&u->ctx, u->dst, u->room, u->src, u->len, &u->done);
	u->ended = true;
}

/* The next block: given as many bytes as it asks for, the library does not copy them. */
static void zstd_step(struct unpack *u)
{
	size_t give = u->step < u->len - u->in ? u->step : u->len - u->in;
	ZSTD_inBuffer in = { .src = u->src, .size = u->in + give, .pos = u->in };
	ZSTD_outBuffer out = { .dst = u->dst, .size = u->room, .pos = u->done };

	u->step = ZSTD_decompressStream(u->ctx, &out, &in);
	u->bad = ZSTD_isError(u->step) || (in.pos == u->in && out.pos == u->done);
	u->in = in.pos;
	u->done = out.pos;
	u->ended = u->bad || (!u->step && u->in == u->len);
	/* another frame */
	if (!u->step)
		u->step = FRAME_START;
}

bool unpack_step(struct unpack *u)
{
	size_t before = u->done;

	while (!u->ended && u->done == before) {
		if (u->step)
			zstd_step(u);
		else
			unpack_whole(u);
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
