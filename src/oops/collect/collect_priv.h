/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the parts of the collection of a trace. */
#ifndef FTR_OOPS_COLLECT_PRIV_H
#define FTR_OOPS_COLLECT_PRIV_H

#include <stdint.h>
#include <time.h>

#include "base/mem.h"
#include "oops/collect/collect.h"
#include "tracefs/state/last_boot.h"

struct found_trace {
	char *instance;			/* "" = top level */
	char *original;			/* the instance that ->instance is a copy of, or NULL */
	bool  earlier;			/* the records are of an earlier boot */
	bool  printed;			/* an oops of this boot has printed the records */
	char *skeleton;			/* path of the skeleton of its boot, or NULL */
	struct last_boot boot;		/* addresses of the kernel in that boot */
	uint64_t bytes;			/* upper limit of the buffer's data */
};

/* Shows the current step as "ftr: WHAT", if the plan has ->line. */
void collect_show(const struct collect_plan *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* --- collect_find.c */

/*
 * Finds the buffer that a crash left. Returns 0; if there is none, 1 with ->if_any, else -1, in
 * both cases with @err.
 */
int found_trace_look(struct found_trace *f, const struct tfs *t, const struct collect_plan *p,
		     struct ftr_error *err);
void found_trace_release(struct found_trace *f);
/*
 * Appends to @lines the lines "key=value" that the file needs besides those from the skeleton.
 * Returns the buffer's name in the file, "" for the main one; the caller frees.
 */
char *found_trace_lines(const struct found_trace *f, struct buf *lines);

/* --- collect_moved.c: symbols of an earlier boot */

/* Returns the address of _text in a kallsyms text, or 0 if it is missing or hidden. */
uint64_t collect_text_address(const char *symbols, size_t len);
/* Returns the address of _text in the boot of @l, or 0 if it is unknown. */
uint64_t collect_text_then(const struct last_boot *l, uint64_t text_now);
/*
 * Appends the lines of @symbols (/proc/kallsyms) to @out, with the addresses of the boot of @l.
 * Modules whose address then is unknown go to @unplaced, and their symbols are left out. @modules
 * is the text of /proc/modules. Returns false if no addresses are known.
 */
bool collect_move_symbols(const struct last_boot *l, const struct buf *symbols,
			  const char *modules, struct buf *out, struct strv *unplaced);

/* --- collect_text.c */

/*
 * Appends to @out the text, without prefixes, of the oops that ended the previous boot (@earlier),
 * or of one in this boot. Ignores texts written before @since, seconds since 1970, unless none is
 * newer and the kernel's time in it is near @end_ns, the time of the last record (0: unknown).
 * Returns the name of its source, borrowed, or "" if there is none.
 */
const char *find_oops_text(const struct collect_plan *p, bool earlier, time_t since,
			   uint64_t end_ns, struct buf *out);
/* Appends the kernel log of this boot, in the form of /dev/kmsg. */
void collect_read_kmsg(struct buf *log);

/* --- collect_old.c: collected files in a directory */

#define COLLECT_INSTANCE_KEY "oops_instance"	/* instance of the main buffer, see arm.h */
#define COLLECT_NR_KEY	     "collect_nr"	/* number of a collected file in its directory */

/* Appends the paths DIR/TIME@end and DIR/TIME-N@end, sorted. Other files have other names. */
void collect_list(const char *dir, const char *end, struct strv *out);
/* Returns the newest file of @dir that a collect made, or NULL; the caller frees. */
char *collect_newest(const char *dir);
/* Appends the line "key=value" by which the next file of @dir is newer than all others. */
void collect_add_nr(const char *dir, struct buf *lines);
/*
 * Removes the oldest files of @dir that a collect made, until @keep are left (0: all stay), but
 * never @newest. Reports each.
 */
void collect_remove_old(const char *dir, size_t keep, const char *newest,
			void (*notice)(const char *fmt, ...));

#endif
