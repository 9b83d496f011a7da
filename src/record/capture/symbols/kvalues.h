/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values of the running kernel that print fmts name, out of /proc/kcore. */
#ifndef FTR_RECORD_KVALUES_H
#define FTR_RECORD_KVALUES_H

#include <stddef.h>

#include "base/mem.h"

/*
 * Appends "NAME=VALUE;..." of the variables that kallsyms has, and the size of struct page. @fd is
 * /proc/kcore, an ELF core of the kernel's addresses with VMCOREINFO among its notes. What can't be
 * read is left out. 64 bits only.
 */
void kvalues_read(int fd, const char *kallsyms, size_t len, struct buf *out);

#endif
