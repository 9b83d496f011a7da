/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions as C declares them, by BTF: "ssize_t vfs_read(struct file *file, char *buf, ...)". */
#ifndef FTR_EVENT_BTF_DECL_H
#define FTR_EVENT_BTF_DECL_H

#include <stdbool.h>

#include "base/err.h"
#include "base/mem.h"
#include "event/btf/btf.h"

/* The functions of one BTF file by name. */
struct btf_decls;

/*
 * @kernel: the kernel's own, which a module's refers to, or NULL; it and the bytes are borrowed.
 * NULL with @err when it is no BTF.
 */
struct btf_decls *btf_decls_new(const struct btf_file *f, const struct btf_decls *kernel,
				struct ftr_error *err);
void btf_decls_free(struct btf_decls *d);

/*
 * Appends the declaration of function @name, without a semicolon. False, with nothing appended,
 * when there is no such function, or its types make no sense.
 */
bool btf_decl(const struct btf_decls *d, const char *name, struct buf *out);

#endif
