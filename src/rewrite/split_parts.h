/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of a trace file: which records each of them gets. */
#ifndef FTR_REWRITE_SPLIT_PARTS_H
#define FTR_REWRITE_SPLIT_PARTS_H

#include "rewrite/rewrite.h"

enum split_by {
	SPLIT_NOT,			/* one part with all records */
	SPLIT_TIME,			/* ->n units of ts */
	SPLIT_EVENTS,			/* ->n records */
	SPLIT_EVENTS_CPU,		/* ->n records of each CPU of each buffer */
	SPLIT_PAGES,			/* ->n sub-buffers of each CPU of each buffer */
	SPLIT_PARTS,			/* ->n parts of the same time */
	SPLIT_MARKERS,			/* each record that ->marker matches begins a part */
	SPLIT_CPUS,			/* each CPU */
	SPLIT_BUFFERS,			/* each buffer */
};

/* The source and the rule, all borrowed. */
struct split_plan {
	struct trace *trace;
	struct rewrite_buffer *bufs;	/* all CPUs and records to split, as in a rewrite_plan */
	size_t n;
	uint64_t since, until;		/* the range of all parts: since <= ts < until */
	bool since_is_start;		/* parts of SPLIT_TIME count from ->since, not a record */
	enum split_by by;
	uint64_t size;			/* the n of the rule */
	const struct filter *marker;
};

/*
 * Records with the same time are in one part: a part of SPLIT_EVENTS may have some more than asked
 * for.
 */
struct split_parts;
struct split_parts *split_new(const struct split_plan *p);
/*
 * Sets the ranges of all CPUs of p->bufs to the next part. Returns false if there are no more
 * records. A part may lack records, too.
 */
bool split_next(struct split_parts *s);
/* Call it after the part was copied. Returns the number of the part: that of its CPU or buffer. */
uint64_t split_copied(struct split_parts *s);
void split_free(struct split_parts *s);

#endif
