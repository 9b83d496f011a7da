/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to the collection of a trace. */
#ifndef FTR_OOPS_COLLECT_PRIV_H
#define FTR_OOPS_COLLECT_PRIV_H

#include <time.h>

#include "oops/collect/collect.h"
#include "tracefs/state/last_boot.h"

struct found_trace {
	char *instance;			/* "" = top level */
	char *original;	/* if it is a copy: the instance of the original, else NULL */
	bool  earlier;			/* its records are of an earlier boot */
	bool  printed;	/* it is off and empty: an oops of this boot has printed it */
	char *front;			/* path of its boot's front, or NULL */
	struct last_boot boot;		/* addresses of the kernel in that boot */
	uint64_t bytes;			/* upper limit of the buffer's data */
};

/* Shows what is done, where somebody looks: "ftr: WHAT". */
void collect_show(const struct collect_plan *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * collect_find.c: finds the buffer that a crash left. 0; if there is none, 1 with ->if_any, else
 * -1, in both cases with @err.
 */
int found_trace_look(struct found_trace *f, const struct tfs *t, const struct collect_plan *p,
		     struct ftr_error *err);
void found_trace_release(struct found_trace *f);

/*
 * collect_skeleton.c: appends to @lines the lines "key=value" that the file needs besides those
 * from the front. Returns the buffer's name in the file, "" for the main one. The caller frees.
 */
char *found_trace_lines(const struct found_trace *f, struct buf *lines);
/*
 * The instance armed by the ftr oops arm that wrote @front, "" = top level. The caller frees. NULL:
 * it did not write @front.
 */
char *collect_armed_instance(const char *front);

/*
 * collect_log.c: writes the dump in the log to @path, unless the newest file in the folder has it.
 * 0; 1 if some lines are of unknown form. If there is no dump to write, 2 with ->if_any, else -1,
 * in both cases with @err.
 */
int collect_log_write(const struct found_trace *f, const struct collect_plan *p, const char *path,
		      struct buf *summary, struct ftr_error *err);

/* collect_moved.c: the address of _text in a kallsyms text; 0: missing or hidden */
uint64_t collect_text_address(const char *symbols, size_t len);
/* The address of _text in the boot of @l. 0: unknown. */
uint64_t collect_text_then(const struct last_boot *l, uint64_t text_now);
/*
 * Appends the lines of @symbols (/proc/kallsyms) to @out, with the addresses of the boot of @l.
 * Modules whose address then is unknown go to @unplaced, and their symbols are left out. @modules
 * is the text of /proc/modules. False: nothing is known.
 */
bool collect_move_symbols(const struct last_boot *l, const struct buf *symbols,
			  const char *modules, struct buf *out, struct strv *unplaced);

/*
 * collect_text.c: appends to @out the text, without prefixes, of the oops that ended the previous
 * boot (@earlier), or of one in this boot. Ignores texts written before @since, seconds since 1970,
 * unless none is newer and the kernel's time in it is near @end_ns, the last of the trace (0: that
 * is not known).
 * Returns the name of its source, borrowed; "" if there is none.
 */
const char *find_oops_text(const struct collect_plan *p, bool earlier, time_t since,
			   uint64_t end_ns, struct buf *out);
/* Appends the kernel log of this boot, in the form of /dev/kmsg. */
void collect_read_kmsg(struct buf *log);

#endif
