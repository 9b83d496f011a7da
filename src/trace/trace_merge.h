/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The records of one CPU in the order of the file, and the iterator that merges CPUs by time. */
#ifndef FTR_TRACE_TRACE_MERGE_H
#define FTR_TRACE_TRACE_MERGE_H

#include "trace/trace_priv.h"

/* --- cpu_stream.c: one CPU of one buffer of one file */

#define STREAM_RECS 3		/* due, the one handed out last, a peeked one between them */

/* What follows a record behind the end of a range. Sub-buffers are counted from 1, 0 is none. */
struct stream_ahead {
	uint64_t page, end;		/* looked at: from a record of ->page on to that of ->end */
	uint64_t last_page;		/* of the last record there that is before the end */
	uint32_t off, last_off;		/* of these records in their sub-buffers */
	bool     beyond;		/* the next sub-buffers have times before the end */
};

struct stream {
	struct trace *trace;
	struct dat_cursor data, look;	/* ->look: only for the times of sub-buffers */
	size_t   order;			/* among the streams: file, buffer, CPU */
	bool     packed;		/* page_off is that of a compressed chunk */
	bool     quiet;			/* damage is noted by another one who reads this */

	uint64_t page;			/* the next one to open */
	uint64_t page_off;
	struct ring_page pg;
	bool     page_open;
	bool     any;			/* last_raw is set */
	uint64_t last_raw;		/* time of the last record, before conversion */
	uint64_t last_page_raw;		/* time stamp of the last sub-buffer that has data */
	uint64_t blanks;		/* sub-buffers without data just before ->page */
	uint64_t blank_page, blank_off;	/* the first of them */

	/* a range: what is not in [since, until) is left out */
	bool     bounded;
	bool     linear;		/* times are out of order: all is read */
	uint64_t since, until;
	struct stream_ahead ahead;

	/* the record that is due; those handed out stay in theirs */
	bool     have;
	uint64_t ts;
	struct trace_rec recs[STREAM_RECS];
	struct trace_rec *due, *held;	/* of ->recs; ->held NULL: none is handed out */
	uint32_t rec_off;		/* of the due one, from the start of its sub-buffer */
	uint64_t lost;
	struct buf kept;		/* bytes of the held record when its sub-buffer had to go */
};

/* Where a stream stands; of two that stand alike the same records follow. */
struct stream_place {
	uint64_t page, ts, lost, last_raw, last_page_raw;
	uint32_t rec_off;
	bool     have, data;
};

/* @order: its number among the streams of an iterator. */
void stream_init(struct stream *s, struct trace *t, unsigned int file, size_t buffer, size_t cpu,
		 size_t order);
/* Back to before the first record of sub-buffer @page. */
void stream_reset(struct stream *s, uint64_t page);
/* While quiet, what is found is left to be noted by another one who reads the same. */
void stream_quiet(struct stream *s, bool quiet);
/* Goes on to the next record. */
void stream_next(struct stream *s);
void stream_release(struct stream *s);

static inline const struct trace_rec *stream_due(const struct stream *s)
{
	return s->due;
}

/* Hands the due record out: it stays valid over calls of stream_next() until the next hold. */
static inline const struct trace_rec *stream_hold(struct stream *s)
{
	if (__builtin_expect(s->kept.len, 0))
		buf_reset(&s->kept);
	s->held = s->due;
	return s->due;
}

void stream_place(const struct stream *s, struct stream_place *p);
bool stream_place_equal(const struct stream_place *a, const struct stream_place *b);
/* Puts the stream where another one of the same data stood. */
void stream_go(struct stream *s, const struct stream_place *p);

/* For a range. @linear: times are known to be out of order. */
void stream_bound(struct stream *s, uint64_t since, uint64_t until, bool linear);

/* The last record that was passed on the way to another one. */
struct stream_passed {
	bool     any;			/* there is one */
	uint64_t page;			/* its sub-buffer, counted from 1, and its place there */
	uint32_t off;
	uint64_t start;			/* from this sub-buffer on it is found again */
};

/*
 * To the first record whose time is not below @ts, reading from sub-buffer @page, or further to the
 * front if there is no record below @ts in it. @quiet: notes no damage, as whoever reads up to here
 * does.
 */
void stream_seek(struct stream *s, uint64_t ts, uint64_t page, bool quiet, struct stream_passed *p);
/* Back to the record before the one that stream_seek() found. ->any is set. */
void stream_before(struct stream *s, const struct stream_passed *p);

/*
 * A sub-buffer that begins before @ts: the one before what one wrong byte may spoil together with
 * the last one as far as page time stamps tell. False when they are out of order.
 */
bool stream_find_page(struct stream *s, uint64_t ts, uint64_t *page);

/* --- trace_merge.c */

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
