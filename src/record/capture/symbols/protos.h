/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prototypes of the functions in a trace, from the BTF of the running kernel and its modules. */
#ifndef FTR_RECORD_PROTOS_H
#define FTR_RECORD_PROTOS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/map.h"
#include "base/mem.h"

struct protos_module {
	char *key;			/* "NAME ADDRESS": it may be loaded a second time */
	struct buf btf;
	bool  live;			/* in the last reading */
};

/* BTF of the modules seen so far, in the order in which they were loaded; zeroed is none. */
struct protos {
	struct protos_module *v;
	size_t n, cap;
};

/* Reads the BTF of modules that are new: it goes when they go. */
void protos_update(struct protos *p);
/*
 * Appends what btf_protos() makes of the functions at the addresses that are keys of @funcs, named
 * by the text @kallsyms, which is sorted by address; of all functions if @funcs is NULL. -1 if the
 * kernel's own BTF can't be read.
 */
int protos_text(const struct protos *p, const struct map *funcs, const struct buf *kallsyms,
		struct buf *out, struct ftr_error *err);
void protos_release(struct protos *p);

#endif
