/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A histogram in a private instance: its specification, from the words of ftr hist to the line of a
 * trigger file, its setup, and reading it.
 */
#ifndef FTR_TRACEFS_HIST_HIST_LIVE_H
#define FTR_TRACEFS_HIST_HIST_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "event/event.h"
#include "tracefs/files/tfs.h"
#include "tracefs/hist/hist_parse.h"
#include "tracefs/session/session.h"

#define HIST_KEYS_MAX 3			/* kernel/trace/tracing_map.h */
#define HIST_SORTS_MAX 2
#define HIST_SIZE_MIN 128
#define HIST_SIZE_MAX 131072

struct hist_sort {
	char *name;			/* without modifiers */
	bool  descending;
};

struct hist_spec {
	struct strv keys, vals;		/* names of fields with modifiers: "call_site.sym" */
	struct strv more;		/* words in the kernel's syntax: "ts0=common_timestamp" */
	struct strv filters;		/* filters to join by && */
	struct hist_sort sorts[HIST_SORTS_MAX];
	size_t nr_sorts;
	uint64_t size;			/* number of entries; 0 = the kernel's 2048 */
};

/*
 * Parses "KEY,KEY[:VALUE,VALUE][:WORDS...][ if FILTER]", or the kernel's "hist:keys=...". A part
 * after the keys is the list of values, unless it is a word of the kernel: NAME=..., a handler,
 * nohitcount. Returns 0, or -1 with @err (FTR_USAGE).
 */
int hist_spec_parse(struct hist_spec *s, const char *text, struct ftr_error *err);
/* Adds sort keys, "KEY[:desc][,KEY...]", to those of earlier calls. 0, or -1 with @err. */
int hist_spec_sort(struct hist_spec *s, const char *text, struct ftr_error *err);
/* Returns the line for the trigger file. The caller frees. */
char *hist_spec_line(const struct hist_spec *s);
void hist_spec_release(struct hist_spec *s);

/* Returns the length of a field's name without a modifier ("ret.buckets=10": 3). */
size_t hist_name_len(const char *field);

/* The types of histogram columns. */
struct hist_types {
	struct buf format;		/* events/SYSTEM/EVENT/format, ->fmt points into it */
	struct ev_format fmt;
	struct hist_type *v;		/* for hist_parse(); names point into ->fmt */
	size_t n;
};

/* Reads the types of @event, "system/event"; none if its format can't be read. */
void hist_types_read(struct hist_types *h, const struct tfs *t, const char *event);
void hist_types_release(struct hist_types *h);

struct hist_live {
	struct session *s;		/* borrowed */
	char  *event;			/* "system/event" */
	char  *name;			/* "system:event" */
	char   instance[32];
	char  *line;
	struct hist_types types;
};

/*
 * Finds the event that @word ("sched_switch", "sched:sched_switch") means and sets ->event. Returns
 * 0, or -1 with @err, and a did-you-mean hint or the names of all events that it may mean.
 */
int hist_live_find(struct hist_live *l, const struct tfs *t, const char *word,
		   struct ftr_error *err);
/*
 * Makes the instance and the trigger, which counts from then on. The end of the session removes
 * both. Changes @spec if the kernel has another name (common_stacktrace was stacktrace). Returns 0,
 * or -1 with @err, which names the feature that this kernel's histograms lack.
 */
int hist_live_begin(struct hist_live *l, struct session *s, struct hist_spec *spec,
		    struct ftr_error *err);
/* Stops the counting, so that a read after it shows one moment. */
void hist_live_pause(struct hist_live *l);
/* Reads the text for hist_parse() into @text (reset first). Returns 0, or -1 with @err. */
int hist_live_read(struct hist_live *l, struct buf *text, struct ftr_error *err);
void hist_live_release(struct hist_live *l);

#endif
