/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside ftr report: what the options set, and its parts. */
#ifndef FTR_CMD_REPORT_H
#define FTR_CMD_REPORT_H

#include "base/map.h"
#include "cmd/frame/command.h"
#include "cmd/frame/selection.h"
#include "output/pipeline.h"

struct report {
	struct selection select;	/* first: the option rows' */
	bool     stacks;		/* --stacks */
	struct map shown;		/* which CPU's last record was shown, for --stacks */
	const char *fields;		/* --fields */
	unsigned int lists;		/* enum report_list: print these, no records */
	struct out_opts out;
	const struct out_ops *format;	/* NULL: text */
	bool     json, csv;		/* --json, --csv */
	bool     quiet;
};

/* What else of a file can be printed, in this order. */
enum report_list {
	LIST_CPUS = 1, LIST_FIRST = 2, LIST_LAST = 4, LIST_STAT = 8, LIST_EVENTS = 16,
	LIST_FORMATS = 32, LIST_FUNCTIONS = 64, LIST_PRINTK = 128, LIST_UNAME = 256,
	LIST_VERSION = 512,
};

/* report_list.c: the setter of all options that list (the row's ->off is the bit). */
int report_list(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
void report_lists(struct report *r);

/*
 * report_latency.c: prints what tracers kept of the longest latency, unless records or fields of
 * them are chosen. True when that is all that the files have to show.
 */
bool report_latencies(const struct report *r);

/* report_stacks.c: fills @m for out_render(). */
void report_match(struct report *r, struct out_match *m);

#endif
