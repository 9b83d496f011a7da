/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Declarations of the running kernel's functions, by its BTF. */
#ifndef FTR_RECORD_DECLS_H
#define FTR_RECORD_DECLS_H

#include <stdbool.h>

#include "base/err.h"
#include "base/mem.h"

struct decls;

/*
 * Reads /sys/kernel/btf/vmlinux, or what is in the folder that FTR_BTF_DIR names. NULL with @err
 * where the kernel has no BTF.
 */
struct decls *decls_open(struct ftr_error *err);
/*
 * Appends the declaration of @func, which is @module's, or the kernel's own (NULL); see btf_decl().
 * A module's BTF is read when it is first asked for.
 */
bool decls_add(struct decls *d, const char *module, const char *func, struct buf *out);
/* The modules asked for that have no BTF. */
const struct strv *decls_without(const struct decls *d);
void decls_close(struct decls *d);

#endif
