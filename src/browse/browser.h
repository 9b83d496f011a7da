/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace in a terminal: ftr browse. */
#ifndef FTR_BROWSE_BROWSER_H
#define FTR_BROWSE_BROWSER_H

#include <jansson.h>

#include "base/err.h"
#include "browse/screen/curses_screen.h"
#include "output/pipeline.h"

/* For use without a terminal: keys from a text, screens to files. */
struct browse_script {
	const char *keys;		/* NULL: keys from a terminal */
	int w, h;
	const char *dump_dir;		/* directory for NAME.txt of <screen NAME>; NULL: none */
	const char *timing;		/* file that gets a line for each key, or NULL */
};

struct browse_opts {
	struct trace *const *traces;
	size_t nr_traces;
	struct out_range range;
	const struct out_match *which;	/* the records to show */
	struct out_opts out;		/* ->columns, ->nanoseconds, ->raw, ->latency */
	const char *at;			/* the time to start at, or NULL */
	const char *view;		/* the view to start with, or NULL */
	const char *filter;		/* a filter as for the key F, or NULL */
	enum screen_theme theme;
	bool ascii;
	/* Appends the output of ftr info for all files. */
	void (*add_info)(void *ctx, struct buf *out);
	/*
	 * Appends the reason why ->which shows no record, or nothing. It is called in another
	 * thread, and returns early if @stops returns true.
	 */
	void (*add_none)(void *ctx, bool (*stops)(void *ctx), void *stop_ctx, struct buf *out);
	void *ctx;
	/* Returns the metadata of a file for queries, a new reference. */
	json_t *(*info_object)(struct trace *t);
	struct browse_script script;
};

/* Appends the table of keys as lines of text, by groups. */
void browse_add_keys(struct buf *out);
/*
 * Shows the files until the user quits, and adds damage that is found to that of the traces.
 * Returns 0, or -1 with @err: no terminal, an invalid time, view or filter, or a wrong script.
 */
int browse_run(const struct browse_opts *o, struct ftr_error *err);

#endif
