/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which names of a list are wanted: globs and regular expressions, and those that hit nothing. */
#ifndef FTR_TRACEFS_PICK_H
#define FTR_TRACEFS_PICK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct pick_one;

/* Zeroed, or without patterns, it wants everything. */
struct pick {
	struct pick_one *v;
	size_t n;
};

/*
 * @patterns: globs, which must fit the whole name; between slashes, or all of them with @regex,
 * extended regular expressions, which may fit anywhere. -1 with @err (FTR_USAGE) and the C
 * library's words for a wrong one. pick_release() is due in any case.
 */
int pick_init(struct pick *p, char *const *patterns, size_t n, bool regex, struct ftr_error *err);
void pick_release(struct pick *p);

/* Does one of them want it? Each that does counts a hit. */
bool pick_name(struct pick *p, const char *name);
/*
 * "system:event": a glob is "system:event", "system:", ":event", or one word for either; "all" is
 * everything. A '/' does for the ':'.
 */
bool pick_event(struct pick *p, const char *event);
/* "glob:mod:glob" also looks at the module, which is NULL for the kernel's own functions. */
bool pick_function(struct pick *p, const char *name, const char *module);

/* The @i-th of those that hit nothing so far, NULL behind the last. */
const char *pick_missed(const struct pick *p, size_t i);

#endif
