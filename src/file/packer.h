/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compresses blocks for trace files, to zstd frames or zlib streams that decompress_all() reads. */
#ifndef FTR_FILE_PACKER_H
#define FTR_FILE_PACKER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"

/* How to compress; zeroed: not at all. */
struct packing {
	const char *name;	/* as in the initial header: "zstd", "zlib"; static string */
	int level;
	bool data;			/* compress the CPUs' data too, not only metadata */
};

/*
 * The default, for metadata only: a level that costs little time, as the user did not ask for it.
 */
struct packing packing_of_metadata(void);

/* True if ftr was built with the method @name, or @name is "none". */
bool packing_known(const char *name);
/*
 * Parses "none", "zstd" or "zlib"; the latter two may have ":LEVEL". -1: no such method or level.
 */
int packing_parse(const char *text, struct packing *out);
/* The version of the library, for the initial header. Readers compare its first number. */
const char *packing_version(const struct packing *p);

/* A packer is for one thread at a time. */
struct packer;

/* @p is zstd or zlib. Never returns NULL. */
struct packer *packer_new(const struct packing *p);
/* Size in bytes of a buffer that has room for any @len bytes after compression. */
size_t packer_room(const struct packer *k, size_t len);
/*
 * Compresses @len bytes at @src to @dst, a buffer of packer_room() bytes. Returns the compressed
 * size, 0 if there is no memory.
 */
size_t packer_pack(struct packer *k, void *dst, const void *src, size_t len);
/* True if readers take several adjacent compressed blocks as one. */
bool packer_has_frames(const struct packer *k);
void packer_free(struct packer *k);

#endif
