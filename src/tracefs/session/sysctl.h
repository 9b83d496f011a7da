/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The switches of tracing, and of what an oops does, that are sysctls: a fixed list, nothing else
 * of /proc/sys is touched.
 */
#ifndef FTR_TRACEFS_SYSCTL_H
#define FTR_TRACEFS_SYSCTL_H

#include <stdbool.h>

#include "base/err.h"
#include "tracefs/session/journal.h"
#include "tracefs/session/session.h"

/* Is @name ("kernel.stack_tracer_enabled") one of them? */
bool sysctl_known(const char *name);
/* Its value, or NULL with errno: this kernel does not have it (ENOENT). The caller frees. */
char *sysctl_read(const char *name);
/*
 * Writes @value to one of them, noting the old one; what is there already is not written. -1 with
 * @err.
 */
int session_sysctl(struct session *s, const char *name, const char *value, struct ftr_error *err);
/* Puts back what an ENTRY_SYSCTL noted. */
int sysctl_restore(const struct entry *e, struct ftr_error *err);

#endif
