/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Named features: requirements of tracing, and optional features of kernels. They are detected by
 * reading files, without any change, and never by the kernel's version.
 */
#ifndef FTR_TRACEFS_FEATURE_H
#define FTR_TRACEFS_FEATURE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"
#include "tracefs/files/tfs.h"

enum feature_state {
	FEATURE_WORKS,
	FEATURE_NO,
	FEATURE_UNKNOWN,	/* can't be detected here: counts as not working */
};

/* The result for a feature. Starts zeroed. */
struct feature_result {
	enum feature_state state;
	struct buf detail;	/* remarks if it works, which may be empty; else the reason */
	struct buf hint;	/* how to get the feature; may be empty */
};
void finding_release(struct feature_result *f);

/* The source of findings: tracefs if it can be used, and the files read so far. */
struct feature_view {
	struct tfs t;
	bool usable;			/* ->t is open */
	struct ftr_error why_not;	/* reason if not ->usable */
	struct buf readme, symbols, config;
	bool has_symbols, has_config;	/* ->symbols, ->config were read */
};

struct feature {
	const char *name, *group;
	void (*check)(struct feature_view *v, const struct feature *f, struct feature_result *out);
	const char *file;		/* file, or words of README, that ->check searches */
	const char *config;		/* CONFIG_ option that it needs, without the prefix */
	const char *hint;		/* replaces the general hint */
	const char *since;		/* "6.12": a kernel known to have it; 6.1 lacks it */
	bool alone;			/* ->check does not need tracefs */
	/* NULL, or checks the switch that disables it, if ->check finds that it works. */
	void (*needs)(struct feature_view *v, const struct feature *f, struct feature_result *out);
};

/* All features, grouped; the last has no name. */
extern const struct feature features[];

void feature_view_open(struct feature_view *v);
void feature_view_close(struct feature_view *v);
/* Sets @out (released first) to the state of the feature. */
void feature_look(struct feature_view *v, const struct feature *f, struct feature_result *out);

#endif
