/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads prototypes and declarations of functions from the BTF of the running kernel and its
 * modules.
 */
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
	bool  live;			/* the module was in the last reading */
};

/* BTF of the modules seen so far, in the order of loading. Starts zeroed. */
struct module_protos {
	struct protos_module *v;
	size_t n, cap;
};

/* Reads the BTF of new modules, as the kernel drops it when a module is unloaded. */
void protos_update(struct module_protos *p);
/*
 * Appends the text of btf_protos() for the functions whose addresses are the keys of @funcs (NULL:
 * all). @kallsyms, a text sorted by address, has their names. Returns -1 with @err if the BTF of
 * vmlinux can't be read.
 */
int protos_text(const struct module_protos *p, const struct map *funcs, const struct buf *kallsyms,
		struct buf *out, struct ftr_error *err);
void protos_release(struct module_protos *p);

/* The BTF of the running kernel, for C declarations of its functions. */
struct proto_decls;

/*
 * Reads vmlinux in /sys/kernel/btf, or in the directory $FTR_BTF_DIR. Returns NULL with @err if the
 * kernel has no BTF.
 */
struct proto_decls *decls_open(struct ftr_error *err);
/*
 * Appends the declaration of @func in @module (NULL: the kernel itself), see btf_decl(). A module's
 * BTF is read on first use. Returns false, with nothing appended, if there is none.
 */
bool decls_add(struct proto_decls *d, const char *module, const char *func, struct buf *out);
/* Returns the modules used so far that have no BTF. Borrowed. */
const struct strv *decls_without(const struct proto_decls *d);
void decls_close(struct proto_decls *d);

#endif
