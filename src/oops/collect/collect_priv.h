/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the pieces of collecting share. */
#ifndef FTR_OOPS_COLLECT_PRIV_H
#define FTR_OOPS_COLLECT_PRIV_H

#include <time.h>

#include "oops/collect/collect.h"
#include "tracefs/state/last_boot.h"

struct found_trace {
	char *instance;			/* "" = top level */
	char *original;			/* a copy: the instance that it is of, or NULL */
	bool  earlier;			/* of a boot before this one */
	bool  printed;			/* off and empty: an oops of this boot has printed it */
	char *front;			/* path of its boot's front, or NULL */
	struct last_boot boot;		/* where the kernel lay then */
	uint64_t bytes;			/* that the buffer may have */
};

/* collect_find.c: 0. When no buffer has what a crash left 1, if that is fine, else -1 with @err. */
int found_trace_look(struct found_trace *f, const struct tfs *t, const struct collect_plan *p,
		     struct ftr_error *err);
void found_trace_release(struct found_trace *f);

/*
 * collect_front.c: what the file is to know beside what recovering takes of the front. Appends
 * lines "key=value" to @lines; the name of the buffer in the file, "" of the main one. To be freed.
 */
char *found_trace_lines(const struct found_trace *f, struct buf *lines);
/* What arm armed when it wrote @front, "" = top level. To be freed. NULL: it did not write that. */
char *collect_armed_instance(const char *front);

/*
 * collect_log.c: makes @path of the dump in the log, unless the newest file in the folder has it.
 * 0; 1 when not all of it is understood. When there is none to take 2, if that is fine, else -1
 * with @err.
 */
int collect_log_write(const struct found_trace *f, const struct collect_plan *p, const char *path,
		      struct buf *summary, struct ftr_error *err);

/* collect_moved.c: the address of _text in a text as /proc/kallsyms; 0: not there, or hidden */
uint64_t collect_text_address(const char *symbols, size_t len);
/* Where it was in the boot that @l tells of. 0: not known. */
uint64_t collect_text_then(const struct last_boot *l, uint64_t text_now);
/*
 * Appends to @out the lines of /proc/kallsyms, @symbols, with the addresses of that boot, to
 * @unplaced the modules of which they are not known: their symbols are left out. @modules is
 * /proc/modules. false: nothing is known.
 */
bool collect_move_symbols(const struct last_boot *l, const struct buf *symbols,
			  const char *modules, struct buf *out, struct strv *unplaced);

/*
 * collect_text.c: the text of the oops that ended the boot before this one, or of one in this boot,
 * without prefixes, in @out; where it comes from, "" if there is none. Borrowed. What was written
 * before @since, seconds since 1970, is of another crash.
 */
const char *find_oops_text(bool earlier, time_t since, struct buf *out);
/* Appends what the kernel's log has of this boot, as /dev/kmsg has it. */
void collect_read_kmsg(struct buf *log);

#endif
