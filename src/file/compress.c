/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decompresses zlib streams and zstd frames of untrusted origin into memory of a bounded size, and
 * compresses blocks for trace files.
 */
#include "file/compress.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/mem.h"
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

void unpack_start(struct compress_unpack *u, void *ctx, void *dst, size_t room, const void *src,
		  size_t len)
{
	*u = (struct compress_unpack){
		.src = src, .dst = dst, .len = len, .room = room, .limit = room, .ctx = ctx,
	};
	if (is_zstd(src, len))
		zstd_start(u);
}

bool unpack_step(struct compress_unpack *u)
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

void *unpack_end(struct compress_unpack *u)
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

struct compress_method {
	const char *name;
	int    most, standard;		/* levels, from 1 on */
	const char *(*version)(void);
	size_t (*room)(size_t len);
	/* Returns 0 if there is no memory. *state is NULL for the first call, and kept. */
	size_t (*pack)(void **state, int level, void *dst, size_t room, const void *src,
		       size_t len);
	void   (*end)(void *state);
	bool   frames;			/* readers take several adjacent ones as one */
};

struct compress_packer {
	const struct compress_method *m;
	int   level;
	void *state;
};

static size_t zlib_room(size_t len)
{
	return compressBound(len);
}

static size_t zlib_pack(void **state, int level, void *dst, size_t room, const void *src,
			size_t len)
{
	z_stream *z = *state;

	if (!z) {
		z = xcalloc(1, sizeof(*z));
		if (deflateInit(z, level) != Z_OK)
			return free(z), 0;
		*state = z;
	}
	deflateReset(z);
	z->next_in = (Bytef *)src;
	z->avail_in = len;
	z->next_out = dst;
	z->avail_out = room;
	return deflate(z, Z_FINISH) == Z_STREAM_END ? z->total_out : 0;
}

static void zlib_end(void *state)
{
	if (state)
		deflateEnd(state);
	free(state);
}

static const struct compress_method methods[] = {
#ifndef WITHOUT_ZSTD
	{ "zstd", 22, 3, zstd_version, zstd_room, zstd_pack, zstd_end, true },
#endif
	{ "zlib", 9, 6, zlibVersion, zlib_room, zlib_pack, zlib_end, false },
};

static const struct compress_method *find_method(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
		if (strlen(methods[i].name) == len && !memcmp(methods[i].name, name, len))
			return &methods[i];
	return NULL;
}

bool packing_known(const char *name)
{
	return !strcmp(name, "none") || find_method(name, strlen(name));
}

int packing_parse(const char *text, struct compress_opts *out)
{
	size_t len = strcspn(text, ":");
	const struct compress_method *m = find_method(text, len);
	char *end;

	*out = (struct compress_opts){0};
	if (!strcmp(text, "none"))
		return 0;
	if (!m)
		return -1;
	*out = (struct compress_opts){ .name = m->name, .level = m->standard, .data = true };
	if (!text[len])
		return 0;
	/* a digit comes first: no sign, no space */
	if (text[len + 1] < '0' || text[len + 1] > '9')
		return -1;
	out->level = strtol(text + len + 1, &end, 10);
	return *end || out->level < 1 || out->level > m->most ? -1 : 0;
}

/*
 * The first method that ftr was built with. zstd compresses kallsyms to 19 % at level 1 (220 to 270
 * MB/s), as much at level 3 (170 to 190 MB/s), and to 16 % at level 6 (50 MB/s).
 */
struct compress_opts packing_of_metadata(void)
{
	return (struct compress_opts){ .name = methods[0].name, .level = 1 };
}

const char *packing_version(const struct compress_opts *p)
{
	return find_method(p->name, strlen(p->name))->version();
}

struct compress_packer *packer_new(const struct compress_opts *p)
{
	struct compress_packer *k = xcalloc(1, sizeof(*k));

	k->m = find_method(p->name, strlen(p->name));
	k->level = p->level;
	return k;
}

size_t packer_room(const struct compress_packer *k, size_t len)
{
	return k->m->room(len);
}

size_t packer_pack(struct compress_packer *k, void *dst, const void *src, size_t len)
{
	return k->m->pack(&k->state, k->level, dst, packer_room(k, len), src, len);
}

bool packer_has_frames(const struct compress_packer *k)
{
	return k->m->frames;
}

void packer_free(struct compress_packer *k)
{
	if (!k)
		return;
	k->m->end(k->state);
	free(k);
}
