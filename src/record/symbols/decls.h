/* SPDX-License-Identifier: GPL-2.0-or-later */
/* C declarations of the running kernel's functions, from its BTF. */
#ifndef FTR_RECORD_SYMBOLS_DECLS_H
#define FTR_RECORD_SYMBOLS_DECLS_H

#include <stdbool.h>

#include "base/err.h"
#include "base/mem.h"

struct decls;

/*
 * Reads vmlinux in /sys/kernel/btf, or in the folder $FTR_BTF_DIR. NULL with @err if the kernel has
 * no BTF.
 */
struct decls *decls_open(struct ftr_error *err);
/*
 * Appends the declaration of @func in @module (NULL: the kernel itself), see btf_decl(). A module's
 * BTF is read on first use.
 */
bool decls_add(struct decls *d, const char *module, const char *func, struct buf *out);
/* The modules used so far that have no BTF. */
const struct strv *decls_without(const struct decls *d);
void decls_close(struct decls *d);

#endif
