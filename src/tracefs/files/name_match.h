/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Selects names of a list by globs and regular expressions, and reports unmatched patterns. */
#ifndef FTR_TRACEFS_FILES_NAME_MATCH_H
#define FTR_TRACEFS_FILES_NAME_MATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct pick_one;

/* A zeroed pick, or one without patterns, matches everything. */
struct name_patterns {
	struct pick_one *v;
	size_t n;
};

/*
 * Parses @patterns. A glob matches the whole name. Patterns between slashes, and all patterns with
 * @regex, are extended regular expressions, which match anywhere. Returns 0, or -1 with @err
 * (FTR_USAGE) if one is wrong, with the C library's message. Call pick_release() in both cases.
 */
int pick_init(struct name_patterns *p, char *const *patterns, size_t n, bool regex,
	      struct ftr_error *err);
void pick_release(struct name_patterns *p);

/* True if a pattern matches. Counts a hit for each pattern that does. */
bool pick_name(struct name_patterns *p, const char *name);
/*
 * The same for an event, "system:event". A glob is "system:event", "system:", ":event", or one word
 * for either part; "all" matches everything. '/' may replace ':'.
 */
bool pick_event(struct name_patterns *p, const char *event);
/*
 * The same for a function. "glob:mod:glob" also matches the module, which is NULL for functions of
 * the kernel itself.
 */
bool pick_function(struct name_patterns *p, const char *name, const char *module);

/* Returns the @i-th pattern without a hit so far, NULL after the last. Borrowed. */
const char *pick_missed(const struct name_patterns *p, size_t i);

#endif
