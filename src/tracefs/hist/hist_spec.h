/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The specification of a histogram: parses the user's text and makes the line for a trigger file.
 */
#ifndef FTR_TRACEFS_HIST_HIST_SPEC_H
#define FTR_TRACEFS_HIST_HIST_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"

#define HIST_KEYS_MAX 3			/* kernel/trace/tracing_map.h */
#define HIST_SORTS_MAX 2
#define HIST_SIZE_MIN 128
#define HIST_SIZE_MAX 131072

struct hist_sort {
	char *name;			/* without modifiers */
	bool  descending;
};

struct hist_spec {
	struct strv keys, vals;		/* "call_site.sym" */
	struct strv more;		/* words in the kernel's syntax: "ts0=common_timestamp" */
	struct strv filters;		/* joined by && */
	struct hist_sort sorts[HIST_SORTS_MAX];
	size_t nr_sorts;
	uint64_t size;			/* 0 = the kernel's 2048 */
};

/*
 * Parses "KEY,KEY[:VALUE,VALUE][:WORDS...][ if FILTER]", or the kernel's "hist:keys=...". A part
 * after the keys is the list of values, unless it is a word of the kernel: NAME=..., a handler,
 * nohitcount. -1 with @err (FTR_USAGE).
 */
int hist_spec_parse(struct hist_spec *s, const char *text, struct ftr_error *err);
/* Adds sort keys: "KEY[:desc][,KEY...]". It may be called again for more. -1 with @err. */
int hist_spec_sort(struct hist_spec *s, const char *text, struct ftr_error *err);
/* The line for the trigger file; the caller frees. */
char *hist_spec_line(const struct hist_spec *s);
void hist_spec_release(struct hist_spec *s);

/* The length of a field's name without a modifier ("ret.buckets=10": 3). */
size_t hist_name_len(const char *field);

#endif
