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

struct tracefs_setting;

/* The purpose of a plan. */
enum plan_for {
	PLAN_RECORD,			/* records to a file; tracefs is restored */
	PLAN_START,			/* changes stay, and tracing is turned on */
	PLAN_SET,			/* changes stay; nothing else is changed */
};

/* One -e with the options that apply to it. */
struct rec_event {
	char *pattern;			/* "system:event", "system", glob, "all" */
	bool  negated;			/* its events are disabled: -v */
	bool  is_optional;		/* no error if the kernel lacks it: --for */
	char *filter;			/* NULL if none; several -f are joined by && */
	struct strv triggers;
};

/* A control file and the value to write to it. */
struct rec_setting {
	const struct tracefs_setting *setting;
	char *file;	/* path below tracefs or the instance, or path of a sysctl */
	char *value;
};

struct rec_settings {
	struct rec_setting *v;
	size_t n, cap;
};

/*
 * The settings of one buffer: of the main one (top level or private instance), or of the instance
 * of a -B.
 */
struct rec_buffer {
	char *name;			/* "" if it is the main buffer */
	const char *tracer, *clock;	/* NULL if not given; borrowed from argv */
	char *cpumask;			/* -M, --cpu, in the kernel's format; NULL if not given */
	bool tsc2nsec;			/* -C tsc2nsec: x86-tsc, with its scale in the file */
	uint64_t size_kb;		/* per CPU, 0 if not given */
	uint64_t subbuf_kb;		/* --subbuf-size, 0 if not given */
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
	bool negate;			/* while parsing: true after -v, until the next -B */

	/* Settings that exist once for the whole kernel. */
	struct strv graph_funcs;	/* -g */
	struct strv nograph_funcs;	/* --nograph-funcs */
	int64_t max_graph_depth;	/* -1 if not given */
	int64_t cmdlines_size;		/* 0 = not given */
	bool ftrace_off;		/* -D: sysctl kernel.ftrace_enabled=0 */
	struct rec_settings settings;	/* others, see settings_option() */

	struct strv pids;		/* -P */
	bool only_command, children;	/* -F, -c */
	bool no_reset;			/* -K: keep settings that others left */
	bool ignore_missing, keep, force, date, quiet;
	bool no_splice, no_filter;
	bool proc_map, btf;		/* are written to the file */
	bool dry_run, strict;
	struct compress_opts packing;	/* --compression, or the default of the kind of file */
	bool packing_given;		/* --compression was given */
	int file_version;		/* 0 = not given */

	/* These end the recording, besides the command's end, a signal and ->duration_ns. */
	struct strv stop_events;	/* --stop-on: "EVENT" or "EVENT if FILTER" */
	struct strv stop_funcs;		/* --stop-on-func: names or globs */
	int64_t rotate;			/* --rotate: number of files to keep, 0 if not given */
	uint64_t max_size, max_rate;	/* bytes, bytes per second; 0 if not given */
	uint64_t flight_kb;		/* --flight, per CPU; 0 if not given */
	uint64_t keep_bytes;		/* -m, per CPU; 0 if not given */

	int64_t rt_prio;		/* -r: SCHED_FIFO priority, 0 if none */
	uint64_t sleep_ns, duration_ns;	/* 0 = not given */
	uint64_t at_ns;			/* --at: time of day in ns since 1970, 0 = at once */
	uint64_t sync_ns;		/* time between two writes to the disk, 0 if never */
	const char *out_path;		/* -o, borrowed */
	bool to_stdout;			/* -o -: stream to standard output */
	const char *listener;		/* -N: its address; the file holds data until it is sent */
	const char *user;
	const struct rec_live *live;	/* reads the data if there is no file, else NULL */
	char *const *argv;		/* the command, NULL-terminated; NULL if none */

	/*
	 * Print remarks and warnings during the recording. The caller sets them. @fmt is a sentence
	 * without final punctuation and newline.
	 */
	void (*notice)(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
	void (*warn)(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
	/*
	 * Shows the progress in place of the last one, or removes it if @text is NULL. NULL if
	 * progress is not shown.
	 */
	void (*line)(const char *text);
};

void plan_init(struct rec_plan *p);
void plan_release(struct rec_plan *p);

/* Adds a buffer without settings to the plan. @name is "" for the main buffer, else an instance. */
struct rec_buffer *plan_add_buffer(struct rec_plan *p, const char *name);
/* Adds an -e to the buffer. The returned pointer is valid until the next call. */
struct rec_event *plan_add_event(struct rec_buffer *b, const char *pattern);

/* Returns true if -v follows all -e of the last buffer. */
bool plan_negates_nothing(const struct rec_plan *p);

/*
 * Returns true if our threads would be traced, but must not be: not with -F and -P, which name
 * other tasks.
 */
static inline bool plan_hides_us(const struct rec_plan *p)
{
	return !p->no_filter && !p->only_command && !p->pids.n;
}

/*
 * Returns true if settings of others that hide records (filters, masks, pids) are removed. False
 * for ftr set and -K.
 */
static inline bool plan_clears(const struct rec_plan *p)
{
	return p->purpose != PLAN_SET && !p->no_reset;
}

/*
 * Returns the first of @cpus that this machine can never have; -1 if there is none, or if the
 * kernel does not report it.
 */
int plan_cpu_missing(const uint64_t *cpus);

/*
 * Sets @cpus to the CPUs that this machine can have. Returns false if the kernel does not report
 * them.
 */
bool plan_possible_cpus(uint64_t *cpus);

/*
 * Returns true if a tracer records in separate kernel threads (hwlat), which start and stop with
 * tracing_on.
 */
bool plan_has_threads(const struct rec_plan *p);
/* Returns the first tracer of the plan that records calls of functions, or NULL. */
const char *plan_function_tracer(const struct rec_plan *p);
/* Returns true if the plan sets anything in this buffer. */
bool plan_buffer_used(const struct rec_buffer *b);
/*
 * Checks a parsed plan for contradictions and missing options. Returns 0, or -1 with @err, code
 * FTR_USAGE.
 */
int plan_check(struct rec_plan *p, struct ftr_error *err);
/*
 * The opt_fn of all options that set one control file each, tracefs/state/setting_table.h. @ctx is
 * the plan. Files that each buffer has are set for the last -B. Returns 0, or -1 with @err.
 */
int settings_option(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);

#endif
