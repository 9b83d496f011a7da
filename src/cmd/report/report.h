/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside ftr report: what the options set, and its parts. */
#ifndef FTR_CMD_REPORT_H
#define FTR_CMD_REPORT_H

#include "base/mem.h"
#include "cmd/frame/cmd.h"
#include "cmd/frame/plugins.h"
#include "filter/filter.h"
#include "out/out.h"
#include "trace/trace.h"

struct report {
	struct strv files;
	struct filter_spec select;
	bool     negate;		/* -v was seen */
	bool     stacks;		/* --stacks */
	struct map shown;		/* which CPU's last record was shown, for --stacks */
	int64_t  ts_offset_ns;		/* of files without one of their own */
	struct report_offset {
		size_t  file;
		int64_t ns;
	} *offsets;			/* of those before which -i stood */
	size_t   nr_offsets, cap_offsets;
	bool     date, nodate, align_ts, raw_ts;
	const char *fields;		/* --fields */
	unsigned int lists;		/* enum report_list: print these, no records */
	struct out_opts out;
	const struct out_ops *format;	/* NULL: text */
	bool     quiet;
	struct plugin_args plugin_args;
	const char *engine;		/* --engine, or NULL */

	struct ev_plugins *plugins;
	struct trace **traces;
	size_t   nr_traces;
	struct filter **filters;	/* per trace */
	struct out_range range;
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

void report_add_time(struct buf *b, const struct report *r, const struct trace *t, uint64_t ts);

/*
 * report_latency.c: prints what tracers kept of the longest latency, unless records or fields of
 * them are chosen. True when that is all that the files have to show.
 */
bool report_latencies(const struct report *r);
/* report_none.c: is there an option that chooses records? */
bool report_chooses(const struct report *r);
/* report_none.c: says what the files have, where the options chose none of it. */
void report_say_none(const struct report *r);

/* report_time.c: --ts-offset; shifts the times of all open files. */
int report_ts_offset(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
void report_times(struct report *r);

/* report_select.c: setters of the options that select, and what they become. */
int report_filter(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
int report_pids(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
int report_cpus(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
int report_since(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
int report_until(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
/* Compiles ->select for the open ->traces and sets ->range. */
int report_compile(struct report *r, struct ftr_error *err);
/* Fills @m for out_render(). */
void report_match(struct report *r, struct out_match *m);
void report_select_release(struct report *r);

#endif
