/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads from /proc/kcore the values of the running kernel that print fmts name. */
#ifndef FTR_RECORD_SYMBOLS_KVALUES_H
#define FTR_RECORD_SYMBOLS_KVALUES_H

#include <stddef.h>

#include "base/mem.h"

/*
 * Appends "NAME=VALUE;..." for the variables that are in kallsyms, and the size of struct page. @fd
 * is /proc/kcore, an ELF core file of the kernel's addresses with the note VMCOREINFO. Values that
 * can't be read are left out. 64-bit kernels only.
 */
void kvalues_read(int fd, const char *kallsyms, size_t len, struct buf *out);

#endif
