/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside the iterator over merged records. */
#ifndef FTR_TRACE_TRACE_MERGE_H
#define FTR_TRACE_TRACE_MERGE_H

#include "trace/cpu_stream.h"

struct trace_iter {
	struct stream *streams;
	size_t   nr_streams;
	struct stream **heap;		/* of streams that have a record; [0] is due */
	size_t   nr_heap;
	struct stream *second;		/* the one due after heap[0]'s run, NULL if none */
	uint64_t last;			/* records after this time are not handed out */
	uint64_t since, until;		/* of all slices, or of streams that are not merged */
	bool     apart;			/* streams are read one after another */
	size_t   next_apart;		/* the stream that is read next */

	struct stream *current;		/* of the record handed out last; NULL: none */
	bool     ahead;			/* ->current was already moved past it */
	struct trace_rec *gaps;		/* see trace_rec.gaps, of the next record */
};

/* What ->last is for the records before @until; UINT64_MAX: to the end. */
static inline uint64_t trace_last_before(uint64_t until)
{
	return until == UINT64_MAX ? until : until - 1;
}

/* Streams that stand nowhere yet. */
struct trace_iter *trace_iter_alloc(struct trace *const *traces, size_t n, const uint64_t *cpus);
/* Sets the range of a stream; false if it has to be read from the start, else from *page. */
bool trace_bound_stream(struct stream *s, uint64_t since, uint64_t until, uint64_t *page);
/* To the first record of the range. */
void trace_iter_start(struct trace_iter *it, uint64_t since, uint64_t until);
/* Begins anew with what the streams have. */
void trace_iter_heap(struct trace_iter *it);

#endif
