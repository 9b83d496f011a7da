/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Information about the boot from which the records of a persistent buffer are. */
#ifndef FTR_TRACEFS_LAST_BOOT_H
#define FTR_TRACEFS_LAST_BOOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracefs/files/tfs.h"

enum last_boot_kind {
	LAST_BOOT_NOT,		/* no such buffer, or a text of unknown form */
	LAST_BOOT_CURRENT,	/* 7.2: the records are of this boot */
	LAST_BOOT_DELTAS,	/* 6.12: the boot of the records is unknown */
	LAST_BOOT_ADDRESSES,	/* 7.2: the records are of the boot before */
};

struct last_boot_module {
	char    *name;
	uint64_t at;		/* start address of its code */
};

/* Zeroed before the first use. */
struct last_boot {
	enum last_boot_kind kind;
	/* DELTAS: addresses of this boot minus addresses of the earlier boot */
	int64_t  text_delta, data_delta;
	uint64_t text;				/* ADDRESSES: address of _text */
	struct last_boot_module *v;
	size_t   n, cap;
};

/* Parses the text of a file last_boot_info. Invalid lines are ignored. */
void last_boot_parse(struct last_boot *l, const char *text, size_t len);
void last_boot_read(struct last_boot *l, const struct tfs *t, const char *instance);
/* Returns the module @name, NULL if it is not in the list. Borrowed. */
const struct last_boot_module *last_boot_module(const struct last_boot *l, const char *name,
						size_t len);
void last_boot_release(struct last_boot *l);

/*
 * Returns 1 if @instance holds records that a crash may have left; *sure is true if they are
 * certainly of the boot before. Returns 0 if it holds none, or if they are of this boot.
 */
int last_boot_holds(const struct tfs *t, const char *instance, bool *sure);

#endif
