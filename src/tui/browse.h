/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace in a terminal: ftr browse. */
#ifndef FTR_TUI_BROWSE_H
#define FTR_TUI_BROWSE_H

#include "base/err.h"
#include "out/out.h"
#include "tui/cell/screen.h"

/* Without a terminal: keys out of a text, screens into files. */
struct browse_script {
	const char *keys;		/* NULL: keys come from a terminal */
	int w, h;
	const char *dump_dir;		/* where <screen NAME> writes NAME.txt; NULL: nowhere */
	const char *timing;		/* a file with a line per key, or NULL */
};

struct browse_opts {
	struct trace *const *traces;
	size_t nr_traces;
	struct out_range range;
	const struct out_match *which;	/* what was selected */
	struct out_opts out;		/* ->columns, ->nanoseconds, ->raw, ->latency */
	const char *at;			/* a time to begin at, or NULL */
	const char *view;		/* which to begin with, or NULL */
	const char *filter;		/* as F takes it, or NULL */
	enum screen_theme theme;
	bool ascii;
	/* Appends what ftr info prints of all files. */
	void (*add_info)(void *ctx, struct buf *out);
	void *ctx;
	struct browse_script script;
};

/* The table of keys as lines of text, by groups. */
void browse_add_keys(struct buf *out);
/*
 * Shows until it is left. What was found to be damaged meanwhile is noted in the traces. Returns 0,
 * or -1 with @err: no terminal, a time, view or filter that means nothing, a script that is wrong.
 */
int browse_run(const struct browse_opts *o, struct ftr_error *err);

#endif
