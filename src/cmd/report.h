/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside ftr report: what the options set, and its parts. */
#ifndef FTR_CMD_REPORT_H
#define FTR_CMD_REPORT_H

#include "base/mem.h"
#include "cmd/cmd.h"
#include "cmd/plugins.h"
#include "filter/filter.h"
#include "out/out.h"
#include "trace/trace.h"

struct report {
	struct strv files;
	struct filter_spec select;
	bool     negate;		/* -v was seen */
	int64_t  ts_offset_ns;
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
