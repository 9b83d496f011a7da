/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Selects the records to show: by filter expressions, globs on events and comms, pids, CPUs, and
 * times. A filter is compiled for one file and evaluated on the raw bytes of a record, before
 * rendering.
 */
#ifndef FTR_TRACE_FILTER_H
#define FTR_TRACE_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "event/event.h"

#define FILTER_TEXT_MAX		4096	/* bytes of one filter */
#define FILTER_DEPTH_MAX	64	/* nested parentheses and negations */
#define FILTER_PREDS_MAX	(1u << 18)	/* of all filters for all events of a file */
#define FILTER_CPU_BITS		8192	/* of CPU lists; the kernel's largest NR_CPUS */

/* A time as the user wrote it; see filter_when_parse(). */
enum filter_when_kind { FILTER_ANY_TIME, FILTER_AT, FILTER_FROM_FIRST, FILTER_FROM_LAST };
struct filter_when {
	enum filter_when_kind kind;
	uint64_t ns;
	uint64_t slack_ns; /* a rounded time matches all times up to this far before and after */
	uint64_t around_ns;		/* so much more before and after; see filter_set_around() */
	uint64_t units;		/* if ->whole: the number, for a clock without nanoseconds */
	bool     whole;
};

struct filter_rule;

/* The selection of a command line. Zeroed selects everything. */
struct filter_spec {
	struct filter_rule *rules, **tail;	/* private to filter_add() */
	struct strv events;	/* globs on "name" or "system:name"; any */
	struct strv comms;	/* globs on the task's name; any */
	int32_t *pids;		/* any; filter_add_pids() */
	size_t   nr_pids, cap_pids;
	uint64_t *cpus;		/* bitmap of FILTER_CPU_BITS, owned; NULL = all */
	struct filter_when since, until;
	bool no_hardirq, no_softirq;	/* leave out records of this context */
	bool lax;		/* a field that no event has compares false, without error */
};

/*
 * Adds one -F: "EVENT[,EVENT...]: EXPR", "EVENT[,EVENT...]", or an expression alone, which applies
 * to each event that has all its fields. EVENT is name, system, system:name or system/name, each a
 * shell pattern or an anchored regular expression. EXPR is the kernel's filter grammar
 * (Documentation/trace/events.rst) joined with libtraceevent's. @negative: matching records are
 * left out. A record must match at least one positive filter, if there is any, and no negative one.
 * Returns 0, or -1 with @err (FTR_USAGE), which points at the place of the error.
 */
int filter_add(struct filter_spec *s, const char *text, bool negative, struct ftr_error *err);
/* Adds the pids in "1,2,3". Returns 0, or -1 with @err. */
int filter_add_pids(struct filter_spec *s, const char *text, struct ftr_error *err);
/*
 * Parses "1234.567890" seconds of trace time, "+1.5s" after the first event, or "-2s" before the
 * last. A time with six decimals matches all times that are displayed like it. Returns 0, or -1
 * with @err.
 */
int filter_when_parse(struct filter_when *w, const char *text, struct ftr_error *err);
/*
 * Sets ->since and ->until to a time before and after the TIME in "TIME" or "TIME,DURATION", by
 * default a second. Returns 0, or -1 with @err.
 */
int filter_set_around(struct filter_spec *s, const char *text, struct ftr_error *err);
/* Returns true if a time is relative to the first or the last event. */
bool filter_needs_bounds(const struct filter_spec *s);
void filter_spec_release(struct filter_spec *s);

/* A filter compiled for one file. It is immutable, so all threads may use it. */
struct filter;

/*
 * Compiles @s for @n files into out[0..n-1] (all NULL on failure). @s and @metas must outlive
 * them. An event that no file has, or a field that no event of its filter has, is an error with a
 * did-you-mean hint.
 */
int filter_compile(const struct filter_spec *s, const struct event_meta *const *metas, size_t n,
		   struct filter **out, struct ftr_error *err);
/*
 * Converts the times of @s to ->ts of records: *since to *until, both included. @first and @last
 * are the times of the first and the last event of all files, in nanoseconds if @ns. Returns 0, or
 * -1 with @err if a duration was given for a clock that does not count nanoseconds.
 */
int filter_range(const struct filter_spec *s, uint64_t first, uint64_t last, bool ns,
		 uint64_t *since, uint64_t *until, struct ftr_error *err);
void filter_set_range(struct filter *f, uint64_t since, uint64_t until);
/* Returns true if the pids, comms and CPUs of @s match a task; @cpu -1: it ran on none. */
bool filter_has_task(const struct filter_spec *s, int cpu, int pid, const char *comm);
/*
 * Returns true if a record matches. @type is the event's id; @r->fmt need not be set. @pid is
 * common_pid or -1.
 */
bool filter_match(const struct filter *f, uint16_t type, int pid, int cpu, uint64_t ts,
		  const struct ev_rec *r);
/* Returns true if a glob with '*', '?', '[a-z]', '[!a-z]', '\x' matches; @fold: ignores case. */
bool glob_match(const char *pat, size_t pat_len, const char *text, size_t len, bool fold);
/* Returns true if all records match. */
bool filter_all(const struct filter *f);
void filter_free(struct filter *f);

#endif
