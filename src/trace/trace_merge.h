/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The records of one CPU in the order of the file, and the iterator that merges CPUs by time. */
#ifndef FTR_TRACE_TRACE_MERGE_H
#define FTR_TRACE_TRACE_MERGE_H

#include "trace/trace_priv.h"

/* --- cpu_stream.c: one CPU of one buffer of one file */

#define STREAM_RECS 3		/* due, the one handed out last, a peeked one between them */

/*
 * The records that may follow one after the end of a range. Sub-buffers are counted from 1; 0:
 * none.
 */
struct stream_ahead {
	uint64_t page, end;		/* checked: from a record of ->page to the end of ->end */
	uint64_t last_page;		/* has the last record there that is before the end */
	uint32_t off, last_off;		/* offsets of these records in their sub-buffers */
	bool     beyond;		/* the next sub-buffers have times before the end */
};

struct cpu_stream {
	struct trace *trace;
	struct dat_cursor data, ts_cursor;	/* ->ts_cursor reads only times of sub-buffers */
	size_t   order;			/* number of the stream by file, buffer, CPU */
	bool     packed;		/* ->page_off is that of a compressed chunk */
	bool     quiet;			/* damage is not noted, as another reader notes it */

	uint64_t page;			/* number of the next sub-buffer to open */
	uint64_t page_off;
	struct ring_page pg;
	bool     page_open;
	bool     any;			/* ->last_raw is set */
	uint64_t last_raw;		/* raw time of the last record */
	uint64_t last_page_raw;		/* raw time stamp of the last sub-buffer with data */
	uint64_t blanks;		/* sub-buffers without data just before ->page */
	uint64_t blank_page, blank_off;	/* number and file offset of the first of them */

	/* a range: records outside of [since, until) are left out */
	bool     bounded;
	bool     linear;		/* times are out of order: all records are read */
	uint64_t since, until;
	struct stream_ahead ahead;

	/* the record that is due; a record that is handed out keeps its slot */
	bool     have;
	uint64_t ts;
	struct trace_rec recs[STREAM_RECS];
	struct trace_rec *due, *held;	/* slots in ->recs; ->held NULL: none is handed out */
	uint32_t rec_off;		/* offset of ->due within its sub-buffer */
	uint64_t lost;
	struct buf kept;		/* bytes of the held record, if its page was replaced */
};

/* The position of a stream. The same records follow equal positions. */
struct stream_place {
	uint64_t page, ts, lost, last_raw, last_page_raw;
	uint32_t rec_off;
	bool     have, data;
};

/* Converts a raw time stamp of the stream's CPU to ->ts of records. */
static inline uint64_t stream_time(const struct cpu_stream *s, uint64_t raw)
{
	return trace_time(s->trace, s->data.cpu->cpu, raw);
}

/* Initializes a stream. @order is its number among the streams of an iterator. */
void stream_init(struct cpu_stream *s, struct trace *t, unsigned int file, size_t buffer,
		 size_t cpu, size_t order);
/* Moves to before the first record of sub-buffer @page. */
void stream_reset(struct cpu_stream *s, uint64_t page);
/* A quiet stream does not note damage, as another reader of the same data does. */
void stream_quiet(struct cpu_stream *s, bool quiet);
/* Moves to the next record. */
void stream_next(struct cpu_stream *s);
/*
 * Passes records from the due one on, each of a type in @ignored and followed in the same
 * sub-buffer by one of the same task before @before. Returns the number of those that were passed.
 * The due record has no loss, and the stream no range.
 */
uint32_t stream_pass(struct cpu_stream *s, const uint8_t *ignored, uint64_t before);
void stream_release(struct cpu_stream *s);

static inline const struct trace_rec *stream_due(const struct cpu_stream *s)
{
	return s->due;
}

/* Hands out the due record. It is valid over calls of stream_next() until the next hold. */
static inline const struct trace_rec *stream_hold(struct cpu_stream *s)
{
	if (__builtin_expect(s->kept.len, 0))
		buf_reset(&s->kept);
	s->held = s->due;
	return s->due;
}

void stream_place(const struct cpu_stream *s, struct stream_place *p);
bool stream_place_equal(const struct stream_place *a, const struct stream_place *b);
/* Moves the stream to the position of another one of the same data. */
void stream_set_place(struct cpu_stream *s, const struct stream_place *p);

/* Limits the stream to a range. @linear: times are known to be out of order. */
void stream_bound(struct cpu_stream *s, uint64_t since, uint64_t until, bool linear);

/* The last record that was passed on the way to another one. */
struct stream_passed {
	bool     any;			/* there is such a record */
	uint64_t page;			/* its sub-buffer, counted from 1, and ->off in it */
	uint32_t off;
	uint64_t start;			/* reading from this sub-buffer on finds it again */
};

/*
 * Moves to the first record whose time is not below @ts. Reads from sub-buffer @page on, or from an
 * earlier one if no record below @ts follows. @quiet: notes no damage, as another reader of these
 * records does.
 */
void stream_seek(struct cpu_stream *s, uint64_t ts, uint64_t page, bool quiet,
		 struct stream_passed *p);
/* Moves back to the record before the one that stream_seek() found. ->any must be set. */
void stream_before(struct cpu_stream *s, const struct stream_passed *p);

/*
 * Finds a sub-buffer that starts before @ts by time stamps of sub-buffers: the one before those
 * that one wrong byte may damage together with the last such one. Returns false if they are out of
 * order.
 */
bool stream_find_page(struct cpu_stream *s, uint64_t ts, uint64_t *page);

/* --- trace_merge.c */

struct trace_iter {
	struct cpu_stream *streams;
	size_t   nr_streams;
	struct cpu_stream **heap;		/* the streams that have a record; [0] is due */
	size_t   nr_heap;
	struct cpu_stream *second;	/* stream that is due after the run of heap[0], or NULL */
	uint64_t last;			/* records after this time are not handed out */
	uint64_t since, until;		/* range of all slices, or of streams that are not merged */
	bool     apart;			/* streams are read one after another */
	size_t   next_apart;		/* the stream that is read next */

	struct cpu_stream *current;	/* stream of the record handed out last; NULL: none */
	bool     ahead;			/* ->current was already moved past it */
	struct trace_rec *gaps;		/* trace_rec.gaps of the next record */
};

/* Returns ->last for the records before @until; UINT64_MAX: to the end. */
static inline uint64_t trace_last_before(uint64_t until)
{
	return until == UINT64_MAX ? until : until - 1;
}

/* Makes an iterator whose streams have no position yet. */
struct trace_iter *trace_iter_alloc(struct trace *const *traces, size_t n, const uint64_t *cpus);
/*
 * Sets the range of a stream, which must be read from *page on. Returns false if times are out of
 * order: then it must be read from the start.
 */
bool trace_bound_stream(struct cpu_stream *s, uint64_t since, uint64_t until, uint64_t *page);
/* Moves to the first record of the range. */
void trace_iter_start(struct trace_iter *it, uint64_t since, uint64_t until);
/* Builds the heap again from the due records of the streams. */
void trace_iter_heap(struct trace_iter *it);

#endif
