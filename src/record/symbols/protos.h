/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prototypes of the functions in a trace, from the BTF of the running kernel and its modules. */
#ifndef FTR_RECORD_SYMBOLS_PROTOS_H
#define FTR_RECORD_SYMBOLS_PROTOS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/map.h"
#include "base/mem.h"

struct protos_module {
	char *key;			/* "NAME ADDRESS", as a module may be loaded again */
	struct buf btf;
	bool  live;			/* it was in the last reading */
};

/* BTF of the modules seen so far, in the order of loading. Starts zeroed. */
struct protos {
	struct protos_module *v;
	size_t n, cap;
};

/* Reads the BTF of new modules, as the kernel drops it when a module is unloaded. */
void protos_update(struct protos *p);
/*
 * Appends the text of btf_protos() for the functions whose addresses are the keys of @funcs (NULL:
 * all). @kallsyms, a text sorted by address, has their names. -1 with @err if the kernel's own BTF
 * can't be read.
 */
int protos_text(const struct protos *p, const struct map *funcs, const struct buf *kallsyms,
		struct buf *out, struct ftr_error *err);
void protos_release(struct protos *p);

#endif
