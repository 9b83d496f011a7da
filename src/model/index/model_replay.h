/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models that can go back. The first pass over the records keeps checkpoints of the models. The
 * records after a checkpoint can be read again from there, and the models then give the same
 * results as the first time.
 */
#ifndef FTR_MODEL_INDEX_MODEL_REPLAY_H
#define FTR_MODEL_INDEX_MODEL_REPLAY_H

#include "model/span_blocks.h"

#define REPLAY_MODELS	2
#define REPLAY_EVERY	(64u << 20)	/* bytes of records from one checkpoint to the next */
#define REPLAY_BYTES	(48u << 20)	/* of all checkpoints */

/* The records to read, as for trace_iter_new_range(), and the distance of checkpoints. */
struct replay_opts {
	const uint64_t *cpus;
	uint64_t since, until;
	uint64_t every;			/* bytes; 0: REPLAY_EVERY */
	/*
	 * 0: REPLAY_BYTES. If all copies take more, every second one is dropped, and the next ones
	 * are twice as far apart.
	 */
	size_t max_bytes;
	/* called with each record before it is fed; may be NULL */
	void (*comes)(void *ctx, const struct trace_rec *r);
	void *ctx;
};

struct model_replay;
/* Borrows the files. No other thread may read them at the same time: use trace_view(). */
struct model_replay *replay_new(struct trace *const *traces, size_t n, const struct replay_opts *o);
void replay_free(struct model_replay *r);
/*
 * Adds a model, at most REPLAY_MODELS; sets the blocks that the models fill (may be NULL). Call
 * them before the first record. The caller owns both, and feeds them only by replay_next().
 */
void replay_add_model(struct model_replay *r, struct model *m);
void replay_set_blocks(struct model_replay *r, struct span_blocks *b);

/*
 * Feeds the next record to all models and returns it. At the end it ends the models and returns
 * NULL. Then only replay_go() can continue.
 */
const struct trace_rec *replay_next(struct model_replay *r);
uint64_t replay_time(const struct model_replay *r); /* the latest time fed up to this position */
uint64_t replay_records(const struct model_replay *r);	/* records fed up to this position */
/* Returns true if all records were fed once. */
bool replay_is_whole(const struct model_replay *r);

/* Goes to the last checkpoint before any record of @ts or later; if there is none, to the first. */
void replay_go(struct model_replay *r, uint64_t ts);
/* Goes to the last checkpoint with at most @number blocks passed on before it. */
void replay_go_to_block(struct model_replay *r, uint64_t number);
/* Goes to the checkpoint before the one that it went to last. Returns false if there is none. */
bool replay_go_further_back(struct model_replay *r);
/* Goes to the position after the last record fed. If all were fed, nothing changes. */
void replay_go_on(struct model_replay *r);

size_t replay_checkpoints(const struct model_replay *r);
size_t replay_bytes(const struct model_replay *r);

#endif
