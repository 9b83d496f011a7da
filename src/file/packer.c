/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compresses blocks for trace files: frames of zstd or streams of zlib for decompress_all(). */
#include "file/packer.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/mem.h"
#include "file/zstd.h"

struct method {
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

struct packer {
	const struct method *m;
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

static const struct method methods[] = {
#ifndef WITHOUT_ZSTD
	{ "zstd", 22, 3, zstd_version, zstd_room, zstd_pack, zstd_end, true },
#endif
	{ "zlib", 9, 6, zlibVersion, zlib_room, zlib_pack, zlib_end, false },
};

static const struct method *find_method(const char *name, size_t len)
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

int packing_parse(const char *text, struct packing *out)
{
	size_t len = strcspn(text, ":");
	const struct method *m = find_method(text, len);
	char *end;

	*out = (struct packing){0};
	if (!strcmp(text, "none"))
		return 0;
	if (!m)
		return -1;
	*out = (struct packing){ .name = m->name, .level = m->standard, .data = true };
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
struct packing packing_of_metadata(void)
{
	return (struct packing){ .name = methods[0].name, .level = 1 };
}

const char *packing_version(const struct packing *p)
{
	return find_method(p->name, strlen(p->name))->version();
}

struct packer *packer_new(const struct packing *p)
{
	struct packer *k = xcalloc(1, sizeof(*k));

	k->m = find_method(p->name, strlen(p->name));
	k->level = p->level;
	return k;
}

size_t packer_room(const struct packer *k, size_t len)
{
	return k->m->room(len);
}

size_t packer_pack(struct packer *k, void *dst, const void *src, size_t len)
{
	return k->m->pack(&k->state, k->level, dst, packer_room(k, len), src, len);
}

bool packer_has_frames(const struct packer *k)
{
	return k->m->frames;
}

void packer_free(struct packer *k)
{
	if (!k)
		return;
	k->m->end(k->state);
	free(k);
}
