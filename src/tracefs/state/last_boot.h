/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a buffer that is kept over a boot tells of the boot that its records are of. */
#ifndef FTR_TRACEFS_LAST_BOOT_H
#define FTR_TRACEFS_LAST_BOOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracefs/files/tfs.h"

enum last_boot_kind {
	LAST_BOOT_NOT,		/* no such buffer, or nothing that is understood */
	LAST_BOOT_CURRENT,	/* 7.2: the records are of this boot */
	LAST_BOOT_DELTAS,	/* 6.12, of whatever boot they are */
	LAST_BOOT_ADDRESSES,	/* 7.2: they are of the boot before */
};

struct last_boot_module {
	char    *name;
	uint64_t at;		/* where its code began */
};

/* Zeroed before the first use. */
struct last_boot {
	enum last_boot_kind kind;
	int64_t  text_delta, data_delta;	/* DELTAS: this boot's addresses less those */
	uint64_t text;				/* ADDRESSES: of _text */
	struct last_boot_module *v;
	size_t   n, cap;
};

/* The text of a file last_boot_info. What makes no sense is left out. */
void last_boot_parse(struct last_boot *l, const char *text, size_t len);
void last_boot_read(struct last_boot *l, const struct tfs *t, const char *instance);
/* NULL: it is not listed. Borrowed. */
const struct last_boot_module *last_boot_module(const struct last_boot *l, const char *name,
						size_t len);
void last_boot_release(struct last_boot *l);

/*
 * Does @instance hold records that a crash may have left: 1, and *sure whether they are known to be
 * of the boot before. 0: it holds none, or they are of this boot.
 */
int last_boot_holds(const struct tfs *t, const char *instance, bool *sure);

#endif
