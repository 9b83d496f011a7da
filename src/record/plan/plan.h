/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What one recording is to do, as the command line said it; nothing here looks at tracefs. */
#ifndef FTR_RECORD_PLAN_H
#define FTR_RECORD_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "file/parts/packer.h"

struct knob;

/* What the plan is for. */
enum plan_for {
	PLAN_RECORD,			/* a file; tracefs is put back */
	PLAN_START,			/* it stands, and tracing is on */
	PLAN_SET,			/* it stands; what is not named stays as it is */
};

/* One -e with what follows it. */
struct rec_event {
	char *pattern;			/* "system:event", "system", glob, "all" */
	bool  negated;			/* -v: disabled */
	char *filter;			/* NULL = none; several -f are joined by && */
	struct strv triggers;
};

/* A control file and what it is to hold. */
struct rec_setting {
	const struct knob *knob;
	char *file;			/* below tracefs or the instance, or a sysctl's path */
	char *value;
};

struct rec_settings {
	struct rec_setting *v;
	size_t n, cap;
};

/* Settings of one buffer: the main one (top level or private instance), or the instance of a -B. */
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
	struct rec_settings settings;	/* others, see settings.h */
	struct rec_event *events;
	size_t nr_events, cap_events;
};

struct rec_live;

struct rec_plan {
	enum plan_for purpose;
	struct rec_buffer *bufs;	/* [0] is the main buffer, the others in the order of -B */
	size_t nr_bufs, cap_bufs;
	bool negate_next;		/* while parsing: -v was seen */

	/* What exists once for the whole kernel. */
	struct strv graph_funcs;	/* -g */
	struct strv nograph_funcs;	/* --nograph-funcs */
	int64_t max_graph_depth;	/* -1 = not given */
	int64_t cmdlines_size;		/* 0 = not given */
	bool ftrace_off;		/* -D: sysctl kernel.ftrace_enabled=0 */
	struct rec_settings settings;	/* others, see settings.h */

	struct strv pids;		/* -P */
	bool only_command, children;	/* -F, -c */
	bool no_reset;			/* -K: what others left is not taken out of the way */
	bool ignore_missing, keep, force, date, quiet;
	bool no_splice, no_filter;
	bool proc_map, btf;		/* go into the file */
	bool dry_run, strict;
	struct packing packing;		/* --compression */
	bool packing_told;		/* else it is chosen by what the file is */
	int file_version;		/* 0 = not given */

	/* What ends it, beside the command, a signal and ->duration_ns. */
	struct strv stop_events;	/* --stop-on: "EVENT" or "EVENT if FILTER" */
	struct strv stop_funcs;		/* --stop-on-func: names or globs */
	int64_t rotate;			/* --rotate: so many files stay, 0 = there is one */
	uint64_t max_size, max_rate;	/* bytes, bytes a second; 0 = not given */
	uint64_t flight_kb;		/* --flight, a CPU; 0 = not given */
	uint64_t keep_bytes;		/* -m, a CPU; 0 = not given */

	int64_t rt_prio;		/* 0 = none */
	uint64_t sleep_ns, duration_ns;	/* 0 = not given */
	uint64_t sync_ns;		/* between two writes to the disk, 0 = never */
	const char *out_path;		/* -o, borrowed */
	bool to_stdout;			/* -o -: it is streamed there */
	const char *listener;		/* -N: its address; the file is for the time until then */
	const char *user;
	const struct rec_live *live;	/* takes the data; then there is no file */
	char *const *argv;		/* the command, NULL-terminated; NULL = none */

	/*
	 * Remarks to the user while it goes on, set by the caller: a sentence without its end,
	 * no newline.
	 */
	void (*say)(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
	void (*warn)(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
	/*
	 * Shows how it goes, in place of what it showed before; NULL takes that away. A NULL
	 * pointer: nobody wants to see it.
	 */
	void (*line)(const char *text);
};

void plan_init(struct rec_plan *p);
void plan_release(struct rec_plan *p);

/* Adds a buffer to the plan, with nothing set: "" is the main one, else the name of an instance. */
struct rec_buffer *plan_add_buffer(struct rec_plan *p, const char *name);

/*
 * Is what hides records (filters, masks, pids that others left) taken out of the way? Not for
 * ftr set and -K.
 */
static inline bool plan_clears(const struct rec_plan *p)
{
	return p->purpose != PLAN_SET && !p->no_reset;
}

/* The first of @cpus that this machine can never have; -1 when there is none, or it is not told. */
int plan_cpu_missing(const uint64_t *cpus);
/* Does a tracer record in threads of its own (hwlat), which begin and end with tracing_on? */
bool plan_has_threads(const struct rec_plan *p);
/* Does it set anything in this buffer? */
bool plan_buffer_used(const struct rec_buffer *b);
/* After parsing: contradictions and what is missing. -1 with code FTR_USAGE. */
int plan_check(struct rec_plan *p, struct ftr_error *err);

#endif
