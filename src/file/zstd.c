/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What uses libzstd; nothing of it where ftr is built WITHOUT_ZSTD. */
#include "file/zstd.h"

#ifndef WITHOUT_ZSTD
#define ZSTD_STATIC_LINKING_ONLY	/* for ZSTD_d_stableOutBuffer */
#include <zstd.h>

#define FRAME_START ZSTD_FRAMEHEADERSIZE_MIN(ZSTD_f_zstd1)

/* --- reading */

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
int zstd_some(void **keep, void *dst, size_t room, const void *src, size_t len, size_t *done)
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

void zstd_start(struct unpack *u)
{
	if (!u->ctx)
		u->ctx = ZSTD_createDCtx();
	if (!u->ctx)
		return;
	/* straight to its place; a library that can't do so decompresses it in one go */
	ZSTD_DCtx_reset(u->ctx, ZSTD_reset_session_and_parameters);
	if (!ZSTD_isError(ZSTD_DCtx_setParameter(u->ctx, ZSTD_d_stableOutBuffer, 1)))
		u->step = FRAME_START;
}

/* The next block: given as many bytes as it asks for, the library does not copy them. */
void zstd_step(struct unpack *u)
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

/* --- writing */

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

/* --- such data is damaged, for who does not look at the file's header */

int zstd_some(void **keep, void *dst, size_t room, const void *src, size_t len, size_t *done)
{
	(void)keep;
	(void)dst;
	(void)room;
	(void)src;
	(void)len;
	*done = 0;
	return -1;
}

void zstd_start(struct unpack *u)
{
	u->step = 0;
}

void zstd_step(struct unpack *u)
{
	u->ended = u->bad = true;
}

void zstd_release(void *ctx)
{
	(void)ctx;
}
#endif
