/* SPDX-License-Identifier: GPL-2.0-or-later */
/* C declarations of functions from BTF: "ssize_t vfs_read(struct file *file, char *buf, ...)". */
#ifndef FTR_EVENT_BTF_DECL_H
#define FTR_EVENT_BTF_DECL_H

#include <stdbool.h>

#include "base/err.h"
#include "base/mem.h"
#include "event/btf/btf.h"

/* The functions of one BTF file by name. */
struct btf_decls;

/*
 * @kernel: the kernel's own declarations, to which the BTF of a module refers, or NULL. Borrows
 * @kernel and the bytes of @f. NULL with @err if @f is no BTF.
 */
struct btf_decls *btf_decls_new(const struct btf_file *f, const struct btf_decls *kernel,
				struct ftr_error *err);
void btf_decls_free(struct btf_decls *d);

/*
 * Appends the declaration of function @name, without a semicolon. False, with nothing appended, if
 * there is no such function or its types are invalid.
 */
bool btf_decl(const struct btf_decls *d, const char *name, struct buf *out);

#endif
