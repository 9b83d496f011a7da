/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Damage found in data: named, counted and located, while reading goes on. */
#ifndef FTR_BASE_DAMAGE_H
#define FTR_BASE_DAMAGE_H

#include <stddef.h>
#include <stdint.h>

#include "base/map.h"

#define DAMAGE_NO_OFFSET UINT64_MAX

/* The first damage of one kind in one file. Further damage of that kind only increases ->count. */
struct file_damage {
	const char *kind; /* a literal: "checksum mismatch", "sub-buffer commit too large", ... */
	const char *file;	/* borrowed from the reader, lives as long as it */
	uint64_t    offset;	/* of the first one in the file, or DAMAGE_NO_OFFSET */
	int         cpu;	/* of the first one, -1 = none */
	uint64_t    count;
	char        detail[160];/* of the first one: "section 'kallsyms'" or "" */
};

struct damage_list {
	struct file_damage *v;
	size_t n, cap;
	struct map once;	/* what damage_note_once() noted: (index into ->v, id) */
};

/*
 * Notes damage. @kind must be a string literal (it is kept by pointer, compared as text) and @file
 * must outlive @d. @fmt gives the detail and may be NULL; a comma comes before it, unless it starts
 * with a semicolon.
 */
void damage_note(struct damage_list *d, const char *kind, const char *file, uint64_t offset,
		 int cpu, const char *fmt, ...) __attribute__((format(printf, 6, 7)));
/*
 * Like damage_note(), for damage that several readers may find. For one @kind and @file each @id
 * (below 1 << 48) counts once, also when the lists of several readers are merged.
 */
void damage_note_once(struct damage_list *d, uint64_t id, const char *kind, const char *file,
		      uint64_t offset, int cpu, const char *fmt, ...)
	__attribute__((format(printf, 7, 8)));
/* Appends the damage in @from to @to, as if it had been noted there last. */
void damages_merge(struct damage_list *to, const struct damage_list *from);
void damages_release(struct damage_list *d);

struct buf;
/*
 * Appends one line without a newline: "'a.dat': checksum mismatch at offset 0x1f000 (CPU 1),
 * section 'x'; 3 times".
 */
void damage_describe(const struct file_damage *d, struct buf *out);

#endif
