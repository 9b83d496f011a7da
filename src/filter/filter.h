/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which records are shown: filter expressions, event and comm globs, pids, CPUs, times; compiled
 * for one file and evaluated on the raw bytes of a record, before anything is rendered.
 */
#ifndef FTR_FILTER_FILTER_H
#define FTR_FILTER_FILTER_H

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
	uint64_t slack_ns;	/* what it stands for before and behind: it was written rounded */
	uint64_t units;		/* a whole number: of a clock that does not count nanoseconds */
	bool     whole;
};

struct filter_rule;

/* The selection of a command line. Zeroed selects everything. */
struct filter_spec {
	struct filter_rule *rules, **tail;	/* private; filter_add() */
	struct strv events;	/* globs on "name" or "system:name"; any */
	struct strv comms;	/* globs on the task's name; any */
	int32_t *pids;		/* any; filter_add_pids() */
	size_t   nr_pids, cap_pids;
	uint64_t *cpus;		/* bitmap of FILTER_CPU_BITS, owned; NULL = all */
	struct filter_when since, until;
	bool no_hardirq, no_softirq;	/* leave out what was recorded in such context */
	bool lax;		/* a field that no event has is no error, but compares false */
};

/*
 * One -F: "EVENT[,EVENT...]: EXPR", "EVENT[,EVENT...]", or an expression alone, which applies to
 * each event that has all fields it names. EVENT is name, system, system:name or system/name, each
 * a shell pattern or an anchored regular expression. EXPR is the kernel's filter grammar
 * (Documentation/trace/events.rst) joined with libtraceevent's. @negative: what matches is left
 * out. A record must match any of the positive ones, if there are some, and none of the negative.
 * -1 with a message that points at the place (FTR_USAGE).
 */
int filter_add(struct filter_spec *s, const char *text, bool negative, struct ftr_error *err);
/* "1,2,3"; -1 with @err. */
int filter_add_pids(struct filter_spec *s, const char *text, struct ftr_error *err);
/*
 * "1234.567890" seconds of trace time, "+1.5s" after the first event, "-2s" before the last. Six
 * digits behind the point stand for all times that are shown so. -1 with @err.
 */
int filter_when_parse(struct filter_when *w, const char *text, struct ftr_error *err);
/* True if some time is counted from the first or last event. */
bool filter_needs_bounds(const struct filter_spec *s);
void filter_spec_release(struct filter_spec *s);

/* Compiled for one file; immutable, hence good for all threads. */
struct filter;

/*
 * Compiles @s for @n files into out[0..n-1] (NULL for all when a failure is returned). @s and
 * @worlds must outlive them. A name that no file knows - an event, or a field in none of the events
 * it is asked of - is an error, with what was meant.
 */
int filter_compile(const struct filter_spec *s, const struct ev_world *const *worlds, size_t n,
		   struct filter **out, struct ftr_error *err);
/*
 * The times of @s as ->ts of the records: *since to *until, both included. @first and @last are
 * those of all files' events, @ns says whether they are nanoseconds. -1 where a clock that does not
 * count them was given a duration.
 */
int filter_range(const struct filter_spec *s, uint64_t first, uint64_t last, bool ns,
		 uint64_t *since, uint64_t *until, struct ftr_error *err);
void filter_set_range(struct filter *f, uint64_t since, uint64_t until);
/*
 * @r->fmt need not be set: the type says which event it is. @pid is common_pid or -1.
 */
bool filter_match(const struct filter *f, uint16_t type, int pid, int cpu, uint64_t ts,
		  const struct ev_rec *r);
/* True if all records match: nothing need be asked. */
bool filter_all(const struct filter *f);
void filter_free(struct filter *f);

#endif
