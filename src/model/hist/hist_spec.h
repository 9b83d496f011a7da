/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a histogram counts: from the user's words to the line of a trigger file. */
#ifndef FTR_MODEL_HIST_SPEC_H
#define FTR_MODEL_HIST_SPEC_H

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
	struct strv more;		/* the kernel's own words: "ts0=common_timestamp" */
	struct strv filters;		/* all must hold */
	struct hist_sort sorts[HIST_SORTS_MAX];
	size_t nr_sorts;
	uint64_t size;			/* 0 = the kernel's 2048 */
};

/*
 * "KEY,KEY[:VALUE,VALUE][:WORDS...][ if FILTER]", as the kernel's "hist:keys=..." too. A part
 * behind the keys is the list of values unless it is one of the kernel's words: NAME=..., a
 * handler, nohitcount. -1 with code FTR_USAGE.
 */
int hist_spec_parse(struct hist_spec *s, const char *text, struct ftr_error *err);
/* "KEY[:desc][,KEY...]"; may be called again for the next key. */
int hist_spec_sort(struct hist_spec *s, const char *text, struct ftr_error *err);
/* The line for the trigger file; the caller frees. */
char *hist_spec_line(const struct hist_spec *s);
void hist_spec_release(struct hist_spec *s);

/* The length of a field's name without a modifier ("ret.buckets=10": 3). */
size_t hist_name_len(const char *field);

#endif
