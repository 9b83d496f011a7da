/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Function filters of modules: the form that the kernel takes, and which modules may be meant. */
#ifndef FTR_TRACEFS_MODULES_H
#define FTR_TRACEFS_MODULES_H

#include <stdbool.h>

#include "base/mem.h"

/* Of those that are loaded: the kernel waits for a name only. */
bool module_is_glob(const char *name);
/* Names of the loaded modules, from /proc/modules. */
void modules_loaded(struct strv *out);
/* Those of the running kernel that can be loaded, from modules.dep; none where it is missing. */
void modules_installed(struct strv *out);
/*
 * "PATTERN:mod:NAME" for set_ftrace_filter. The kernel keeps it until a module of that name
 * comes. A name or glob that begins with a digit is taken for a function's number: it is written
 * "[9]p", which only a loaded module matches.
 */
char *module_filter(const char *pattern, const char *module, const struct strv *loaded);
/*
 * The same of "PATTERN:mod:NAME" as it was typed; any other text stays as it is. *missing: NAME of
 * one module that is not loaded, else NULL.
 */
char *module_word(const char *word, const struct strv *loaded, char **missing);
/*
 * Modules of the running kernel that are not loaded and whose functions @pattern may mean: the
 * name matches it ("nfs*": nfs, nfsv4, nfsd), or its literal start begins with the name and '_'
 * ("ext4_*": ext4). Sorted.
 */
void modules_guess(const char *pattern, const struct strv *loaded, struct strv *out);

#endif
