/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files that collects have left in a folder. */
#ifndef FTR_OOPS_COLLECT_OLD_H
#define FTR_OOPS_COLLECT_OLD_H

#include <stdint.h>

#include "base/mem.h"

#define COLLECT_INSTANCE_KEY "oops_instance"	/* whose the main buffer is, see skeleton.h */
#define COLLECT_NR_KEY	     "collect_nr"	/* counts the collected files of a folder */

/* Appends the paths DIR/TIME@end and DIR/TIME-N@end, sorted. Others have other names. */
void collect_list(const char *dir, const char *end, struct strv *out);
/* The newest file of @dir that a collect made. The caller frees. NULL: there is none. */
char *collect_newest(const char *dir);
/* Appends the line "key=value" by which the next file of @dir is newer than all others. */
void collect_add_nr(const char *dir, struct buf *lines);
/*
 * Removes the oldest files of @dir that a collect made, until @keep are left (0: all stay), but
 * never @newest; says so of each.
 */
void collect_remove_old(const char *dir, size_t keep, const char *newest,
			void (*say)(const char *fmt, ...));

#endif
