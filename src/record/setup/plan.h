/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The plan of a recording, from the command line. Nothing here reads tracefs. */
#ifndef FTR_RECORD_SETUP_PLAN_H
#define FTR_RECORD_SETUP_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/opt.h"
#include "file/compress.h"

struct knob;

/* What the plan is for. */
enum plan_for {
	PLAN_RECORD,			/* record to a file; tracefs is restored */
	PLAN_START,			/* changes stay, and tracing is turned on */
	PLAN_SET,			/* changes stay; nothing else is changed */
};

/* One -e with the options that apply to it. */
struct rec_event {
	char *pattern;			/* "system:event", "system", glob, "all" */
	bool  negated;			/* -v: disabled */
	char *filter;			/* NULL = none; several -f are joined by && */
	struct strv triggers;
};

/* A control file and its value. */
struct rec_setting {
	const struct knob *knob;
	char *file;			/* below tracefs or the instance, or a sysctl's path */
	char *value;
};

struct rec_settings {
	struct rec_setting *v;
	size_t n, cap;
};

/*
 * Settings of one buffer: of the main one (top level or private instance), or of the instance of a
 * -B.
 */
struct rec_buffer {
	char *name;			/* "" = the main buffer */
	const char *tracer, *clock;	/* NULL = not given; borrowed from argv */
	char *cpumask;			/* -M, --cpu, as the kernel takes it; NULL = not given */
	bool tsc2nsec;			/* -C tsc2nsec: x86-tsc, with its scale in the file */
	uint64_t size_kb;		/* per CPU, 0 = not given */
	uint64_t subbuf_kb;		/* --subbuf-size, 0 = not given */
	struct strv funcs, notrace;	/* -l, -n */
	struct strv modules;		/* --module: limits all -l of this buffer */
	struct strv options;		/* -O, -T, -d, --func-stack: "stacktrace", "nooverwrite" */
	struct rec_settings settings;	/* others, see settings_option() */
	struct rec_event *events;
	size_t nr_events, cap_events;
};

struct rec_live;

struct rec_plan {
	enum plan_for purpose;
	struct rec_buffer *bufs;	/* [0] is the main buffer, the others in the order of -B */
	size_t nr_bufs, cap_bufs;
	bool negate;			/* while parsing: -v was seen, and no -B since */

	/* Settings that exist once for the whole kernel. */
	struct strv graph_funcs;	/* -g */
	struct strv nograph_funcs;	/* --nograph-funcs */
	int64_t max_graph_depth;	/* -1 = not given */
	int64_t cmdlines_size;		/* 0 = not given */
	bool ftrace_off;		/* -D: sysctl kernel.ftrace_enabled=0 */
	struct rec_settings settings;	/* others, see settings_option() */

	struct strv pids;		/* -P */
	bool only_command, children;	/* -F, -c */
	bool no_reset;			/* -K: do not remove settings that others left */
	bool ignore_missing, keep, force, date, quiet;
	bool no_splice, no_filter;
	bool proc_map, btf;		/* go into the file */
	bool dry_run, strict;
	struct packing packing;		/* --compression */
	bool packing_told;		/* else the kind of file decides */
	int file_version;		/* 0 = not given */

	/* What ends the recording, besides the command's end, a signal and ->duration_ns. */
	struct strv stop_events;	/* --stop-on: "EVENT" or "EVENT if FILTER" */
	struct strv stop_funcs;		/* --stop-on-func: names or globs */
	int64_t rotate;			/* --rotate: number of files to keep, 0 = no rotation */
	uint64_t max_size, max_rate;	/* bytes, bytes per second; 0 = not given */
	uint64_t flight_kb;		/* --flight, per CPU; 0 = not given */
	uint64_t keep_bytes;		/* -m, per CPU; 0 = not given */

	int64_t rt_prio;		/* 0 = none */
	uint64_t sleep_ns, duration_ns;	/* 0 = not given */
	uint64_t sync_ns;		/* between two writes to the disk, 0 = never */
	const char *out_path;		/* -o, borrowed */
	bool to_stdout;			/* -o -: stream to standard output */
	const char *listener;		/* -N: its address; the file holds data until it is sent */
	const char *user;
	const struct rec_live *live;	/* takes the data instead of a file */
	char *const *argv;		/* the command, NULL-terminated; NULL = none */

	/*
	 * Remarks to the user during the recording, set by the caller: a sentence without final
	 * punctuation and newline.
	 */
	void (*say)(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
	void (*warn)(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
	/*
	 * Shows the progress, in place of the last one; NULL removes it. A NULL pointer: do not
	 * show it.
	 */
	void (*line)(const char *text);
};

void plan_init(struct rec_plan *p);
void plan_release(struct rec_plan *p);

/* Adds a buffer without settings to the plan. @name is "" for the main buffer, else an instance. */
struct rec_buffer *plan_add_buffer(struct rec_plan *p, const char *name);
/* Adds an -e to the buffer. The next one moves what is returned. */
struct rec_event *plan_add_event(struct rec_buffer *b, const char *pattern);

/* True if -v stands behind all -e of the last buffer. */
bool plan_negates_nothing(const struct rec_plan *p);

/* True if our own threads would be traced, and shall not: not with -F and -P, which name others. */
static inline bool plan_hides_us(const struct rec_plan *p)
{
	return !p->no_filter && !p->only_command && !p->pids.n;
}

/*
 * True if settings of others that hide records (filters, masks, pids) are removed. False for ftr
 * set and -K.
 */
static inline bool plan_clears(const struct rec_plan *p)
{
	return p->purpose != PLAN_SET && !p->no_reset;
}

/*
 * The first of @cpus that this machine can never have; -1 if there is none, or the kernel does not
 * tell.
 */
int plan_cpu_missing(const uint64_t *cpus);

/* The CPUs that this machine can have; false if the kernel does not tell. */
bool plan_possible_cpus(uint64_t *cpus);

/*
 * True if a tracer records in its own kernel threads (hwlat), which start and stop with tracing_on.
 */
bool plan_has_threads(const struct rec_plan *p);
/* The first tracer of the plan that records calls of functions; NULL: there is none. */
const char *plan_function_tracer(const struct rec_plan *p);
/* True if the plan sets anything in this buffer. */
bool plan_buffer_used(const struct rec_buffer *b);
/* Checks a parsed plan for contradictions and missing options. -1 with @err, code FTR_USAGE. */
int plan_check(struct rec_plan *p, struct ftr_error *err);
/*
 * The opt_fn of all options that set one control file each, tracefs/state/setting_table.h. @ctx is
 * the plan. Files that each buffer has are set for the last -B.
 */
int settings_option(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);

#endif
