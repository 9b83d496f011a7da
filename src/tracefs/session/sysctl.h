/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sysctls of tracing, and of the behaviour at an oops. The list of names is fixed. */
#ifndef FTR_TRACEFS_SYSCTL_H
#define FTR_TRACEFS_SYSCTL_H

#include <stdbool.h>

#include "base/err.h"
#include "tracefs/session/journal.h"
#include "tracefs/session/session.h"

/* True if @name ("kernel.stack_tracer_enabled") is in the list. */
bool sysctl_known(const char *name);
/* Returns the value of @name, or NULL with errno (ENOENT: there is none). The caller frees. */
char *sysctl_read(const char *name);
/* Notes the old value of @name and writes @value, if it differs. Returns 0, or -1 with @err. */
int session_sysctl(struct session *s, const char *name, const char *value, struct ftr_error *err);
/* Restores the value that an ENTRY_SYSCTL noted. Returns 0, or -1 with @err. */
int sysctl_restore(const struct journal_entry *e, struct ftr_error *err);

#endif
