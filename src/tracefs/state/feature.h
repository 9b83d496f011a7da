/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What tracing needs and what kernels may have, each by a name, found out by looking at files:
 * nothing is changed, and nothing is decided by a version.
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
	FEATURE_UNKNOWN,	/* can't be seen from here: counts as not working */
};

/* What was found. Zeroed before the first and between. */
struct finding {
	enum feature_state state;
	struct buf detail;	/* works: remarks, may be empty; else the reason */
	struct buf hint;	/* how to get it, may be empty */
};
void finding_release(struct finding *f);

/* Where to look: tracefs if it can be used, and what was read of it so far. */
struct feature_view {
	struct tfs t;
	bool usable;			/* ->t is open */
	struct ftr_error why_not;	/* else */
	struct buf readme, symbols, config;
	bool has_symbols, has_config;	/* were read */
};

struct feature {
	const char *name, *group;
	void (*look)(struct feature_view *v, const struct feature *f, struct finding *out);
	const char *file;		/* what ->look looks for: a file, or words of README */
	const char *config;		/* CONFIG_ that it takes, without the prefix */
	const char *hint;		/* instead of the general one */
	const char *since;		/* "6.12": a kernel that was seen to have it, 6.1 has not */
	bool alone;			/* ->look does without tracefs */
	/* NULL, or looks at the switch that stops it; called where ->look finds that it works. */
	void (*needs)(struct feature_view *v, const struct feature *f, struct finding *out);
};

/* All of them, group by group; the last has no name. */
extern const struct feature features[];

void feature_view_open(struct feature_view *v);
void feature_view_close(struct feature_view *v);
/* Fills @out (released first). */
void feature_look(struct feature_view *v, const struct feature *f, struct finding *out);

/* --- for the tables: feature_env.c, feature_kernel.c */

void finding_works(struct finding *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void finding_no(struct finding *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void finding_unknown(struct finding *f, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void finding_hint(struct finding *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/*
 * "this kernel has no X", with its CONFIG_ and what the kernel's configuration says of that; where
 * it is on, nothing is known of the reason, and nothing is said.
 */
void finding_lacks(struct feature_view *v, const struct feature *f, struct finding *out,
		   const char *what);

/* Switches. */
void need_ftrace(struct feature_view *v, const struct feature *f, struct finding *out);
void need_kprobes(struct feature_view *v, const struct feature *f, struct finding *out);

/* Conditions. */
void look_tracefs(struct feature_view *v, const struct feature *f, struct finding *out);
void look_rights(struct feature_view *v, const struct feature *f, struct finding *out);
void look_lockdown(struct feature_view *v, const struct feature *f, struct finding *out);
void look_symbols(struct feature_view *v, const struct feature *f, struct finding *out);
void look_enabled(struct feature_view *v, const struct feature *f, struct finding *out);
void look_kprobes_on(struct feature_view *v, const struct feature *f, struct finding *out);
void look_tracing_on(struct feature_view *v, const struct feature *f, struct finding *out);
void look_idle(struct feature_view *v, const struct feature *f, struct finding *out);
void look_lock(struct feature_view *v, const struct feature *f, struct finding *out);
void look_journals(struct feature_view *v, const struct feature *f, struct finding *out);
void look_standing(struct feature_view *v, const struct feature *f, struct finding *out);
void look_memory(struct feature_view *v, const struct feature *f, struct finding *out);
void look_snapshot_memory(struct feature_view *v, const struct feature *f, struct finding *out);
void look_crash(struct feature_view *v, const struct feature *f, struct finding *out);

#endif
