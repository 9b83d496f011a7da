/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The calls of libzstd. Built WITHOUT_ZSTD they are replaced by functions that fail. */
#include "file/zstd.h"

#ifndef WITHOUT_ZSTD
#define ZSTD_STATIC_LINKING_ONLY	/* for ZSTD_d_stableOutBuffer */
#include <zstd.h>

#define FRAME_START ZSTD_FRAMEHEADERSIZE_MIN(ZSTD_f_zstd1)

/* --- decompressing */

/* Damaged data, and more data than its header claims, is decompressed through a second copy. */
int zstd_decompress(void **keep, void *dst, size_t room, const void *src, size_t len, size_t *done)
{
	ZSTD_DCtx *ctx = *keep ? *keep : ZSTD_createDCtx();
	ZSTD_inBuffer in = { .src = src, .size = len };
	ZSTD_outBuffer out = { .dst = dst, .size = room };
	size_t left = 1, before;

	*done = 0;
	*keep = ctx;
	if (!ctx)
		return -1;
	*done = ZSTD_decompressDCtx(ctx, dst, room, src, len);
	if (!ZSTD_isError(*done))
		return 0;
	/* trace-cmd's frames lack their size, and the data before a damage should be kept */
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

void zstd_start(struct compress_unpack *u)
{
	if (!u->ctx)
		u->ctx = ZSTD_createDCtx();
	if (!u->ctx)
		return;
	/* directly to ->dst; a library that can't do that decompresses all at once */
	ZSTD_DCtx_reset(u->ctx, ZSTD_reset_session_and_parameters);
	if (!ZSTD_isError(ZSTD_DCtx_setParameter(u->ctx, ZSTD_d_stableOutBuffer, 1)))
		u->step = FRAME_START;
}

/* The library does not copy a block if it gets as many bytes as it wants. */
void zstd_step(struct compress_unpack *u)
{
	size_t give = u->step < u->len - u->in ? u->step : u->len - u->in;
	ZSTD_inBuffer in = { .src = u->src, .size = u->in + give, .pos = u->in };
	ZSTD_outBuffer out = { .dst = u->dst, .size = u->room, .pos = u->done };

	u->step = ZSTD_decompressStream(u->ctx, &out, &in);
	u->bad = ZSTD_isError(u->step) || (in.pos == u->in && out.pos == u->done);
	u->in = in.pos;
	u->done = out.pos;
	u->ended = u->bad || u->done >= u->limit || (!u->step && u->in == u->len);
	/* another frame */
	if (!u->step)
		u->step = FRAME_START;
}

void zstd_release(void *ctx)
{
	ZSTD_freeDCtx(ctx);
}

/* --- compressing */

size_t zstd_pack(void **state, int level, void *dst, size_t room, const void *src, size_t len)
{
	size_t n;

	if (!*state)
		*state = ZSTD_createCCtx();
	if (!*state)
		return 0;
	n = ZSTD_compressCCtx(*state, dst, room, src, len, level);
	return ZSTD_isError(n) ? 0 : n;
}

void zstd_end(void *state)
{
	ZSTD_freeCCtx(state);
}

size_t zstd_room(size_t len)
{
	return ZSTD_compressBound(len);
}

const char *zstd_version(void)
{
	return ZSTD_versionString();
}

#else

/* --- frames count as damaged, for callers that do not read the name in the file's header */

int zstd_decompress(void **keep, void *dst, size_t room, const void *src, size_t len, size_t *done)
{
	(void)keep;
	(void)dst;
	(void)room;
	(void)src;
	(void)len;
	*done = 0;
	return -1;
}

void zstd_start(struct compress_unpack *u)
{
	u->step = 0;
}

void zstd_step(struct compress_unpack *u)
{
	u->ended = u->bad = true;
}

void zstd_release(void *ctx)
{
	(void)ctx;
}
#endif
