/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of the kernel that print fmts call and whose result follows from their arguments. */
#ifndef FTR_EVENT_KFUNC_H
#define FTR_EVENT_KFUNC_H

#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

struct kfunc;

const struct kfunc *kfunc_find(const char *name, size_t len);	/* NULL if it is not known */
unsigned int kfunc_args(const struct kfunc *f);			/* how many it needs */
/* Appends what it returns. */
void kfunc_print(const struct kfunc *f, const uint64_t *args, struct buf *out);

#endif
