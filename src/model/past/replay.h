/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models that can go back: while records are read for the first time, checkpoints of the models are
 * kept, and from each of them the records after it can be read again. What the models tell then is
 * what they told at first.
 */
#ifndef FTR_MODEL_REPLAY_H
#define FTR_MODEL_REPLAY_H

#include "model/blocks.h"

#define REPLAY_MODELS	2
#define REPLAY_EVERY	(64u << 20)	/* bytes of records from one checkpoint to the next */
#define REPLAY_BYTES	(48u << 20)	/* of all checkpoints */

/* What is read, as of trace_iter_new_range(), and how often it is noted. */
struct replay_opts {
	const uint64_t *cpus;
	uint64_t since, until;
	uint64_t every;			/* REPLAY_EVERY where it is 0 */
	/*
	 * REPLAY_BYTES where it is 0. Where all copies take more, every second one goes, and those
	 * to come are twice as far apart.
	 */
	size_t max_bytes;
	/* each record, before it is fed; may be NULL */
	void (*comes)(void *ctx, const struct trace_rec *r);
	void *ctx;
};

struct replay;
/* Borrows the files, which no other thread reads meanwhile: trace_view(). */
struct replay *replay_new(struct trace *const *traces, size_t n, const struct replay_opts *o);
void replay_free(struct replay *r);
/*
 * Which models take the records, at most REPLAY_MODELS, and blocks that are filled by them or NULL;
 * before the first record. They stay the caller's, who feeds them by replay_next() alone.
 */
void replay_add_model(struct replay *r, struct model *m);
void replay_set_blocks(struct replay *r, struct blocks *b);

/*
 * Feeds the next record to all models. NULL: there was none, and the models were ended, unless they
 * had been; only replay_go() leads on from there.
 */
const struct trace_rec *replay_next(struct replay *r);
uint64_t replay_time(const struct replay *r);	/* of the latest that was fed until here */
uint64_t replay_records(const struct replay *r);	/* that were fed until here */
/* Were all records fed once? */
bool replay_is_whole(const struct replay *r);

/* To the last checkpoint at which no record of @ts or later had been fed; to the first one else. */
void replay_go(struct replay *r, uint64_t ts);
/* To the last one at which no more than @number blocks had been handed out. */
void replay_go_to_block(struct replay *r, uint64_t number);
/* To the last one before the one where it went last; false: there is none. */
bool replay_go_further_back(struct replay *r);
/* Behind the last record that was fed; where all were, nothing changes. */
void replay_go_on(struct replay *r);

size_t replay_checkpoints(const struct replay *r);
size_t replay_bytes(const struct replay *r);

#endif
