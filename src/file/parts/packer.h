/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compresses blocks for trace files: frames of zstd or streams of zlib for decompress_all(). */
#ifndef FTR_FILE_PACKER_H
#define FTR_FILE_PACKER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"

/* How to compress; zeroed: not at all. */
struct packing {
	const char *name;		/* of the initial header: "zstd", "zlib"; static */
	int level;
	bool data;			/* the data of the CPUs as well, not metadata alone */
};

/* For metadata alone: nobody asked for it, so it is to cost little time. */
struct packing packing_of_metadata(void);

/* Whether this ftr was built with the method, or it is "none". */
bool packing_known(const char *name);
/* "none", "zstd", "zlib", the latter with ":LEVEL". -1: no such method or level. */
int packing_parse(const char *text, struct packing *out);
/* Of the library, for the initial header: readers compare the number before the first point. */
const char *packing_version(const struct packing *p);

/* One thread at a time. */
struct packer;

/* @p is a method. Not NULL. */
struct packer *packer_new(const struct packing *p);
/* Room that is enough for @len bytes. */
size_t packer_room(const struct packer *k, size_t len);
/* Compresses @len bytes at @src to @dst, which has packer_room(). 0 when memory is out. */
size_t packer_pack(struct packer *k, void *dst, const void *src, size_t len);
/* Whether several, one behind the other, are read as one. */
bool packer_has_frames(const struct packer *k);
void packer_free(struct packer *k);

#endif
