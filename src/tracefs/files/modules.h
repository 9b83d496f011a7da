/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Function filters of modules: makes them in the kernel's form, and guesses modules for a glob. */
#ifndef FTR_TRACEFS_MODULES_H
#define FTR_TRACEFS_MODULES_H

#include <stdbool.h>

#include "base/mem.h"

/*
 * True if @name is a glob, which matches loaded modules only: the kernel waits for a module only by
 * its plain name.
 */
bool module_is_glob(const char *name);
/* True if the typed @word, a name or a glob, names the loaded module @name: "nf-nat" is nf_nat. */
bool module_is_named(const char *word, const char *name);
/* Appends the names of the loaded modules, from /proc/modules. */
void modules_loaded(struct strv *out);
/*
 * Appends the names of the modules that can be loaded into the running kernel, from modules.dep;
 * none if that is missing.
 */
void modules_installed(struct strv *out);
/*
 * Appends the names of a loaded module's events, which are those of its tracepoints: DEFINE_TRACE()
 * makes a function __traceiter_NAME of each, which kallsyms lists with its module.
 */
void module_events(const char *module, struct strv *out);
/*
 * Returns "PATTERN:mod:NAME" for set_ftrace_filter. The kernel keeps it until a module of that name
 * is loaded. If a name or glob starts with a digit, the kernel parses it as the number of a
 * function, so it becomes "[9]p", which matches loaded modules only. The caller frees.
 */
char *module_filter(const char *pattern, const char *module, const struct strv *loaded);
/*
 * Returns the same for a typed "PATTERN:mod:NAME", or a copy of any other text. The caller frees.
 * *missing gets NAME if it is a module that is not loaded, else NULL.
 */
char *module_word(const char *word, const struct strv *loaded, char **missing);
/*
 * Guesses modules of the running kernel that are not loaded and may have the functions of @pattern:
 * the pattern matches the module's name ("nfs*": nfs, nfsv4, nfsd), or its literal start consists
 * of the name, '_' and more ("ext4_*": ext4). Appends them sorted.
 */
void modules_guess(const char *pattern, const struct strv *loaded, struct strv *out);

#endif
