/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models that can go back to checkpoints.
 *
 * The lines of a call in ftr browse need all records since its start, which may be far away. While
 * the records are read for the first time, the model and the open blocks are saved every 64 MiB of
 * records: any block is made again from the last checkpoint before it, which reads at most 64 MiB.
 * The end of the first pass is a checkpoint, too, so one thread can read ahead and go back when a
 * key needs it. Records of equal time are never separated, as their numbers are places. The copies
 * take at most 48 MiB; above that every second one is dropped. Blocks that last as long as the
 * file make the copies large. Reading such blocks again from their starts would take as long as
 * reading the file.
 */
#include "model/index/model_replay.h"

#include <stdlib.h>

#include "base/search.h"

struct replay_checkpoint {
	uint64_t latest;		/* latest timestamp fed before it */
	uint64_t records;		/* number of records fed before it */
	uint64_t blocks;		/* number of blocks passed on before it */
	struct trace_places *places;
	struct model_copy *models[REPLAY_MODELS];
	struct blocks_copy *copy;
	size_t bytes;
};

struct model_replay {
	struct trace_iter *it;
	uint64_t every;
	size_t max_bytes, bytes;
	void (*comes)(void *ctx, const struct trace_rec *r);
	void *ctx;
	struct model *models[REPLAY_MODELS];
	size_t nr_models;
	struct span_blocks *blocks;
	struct replay_checkpoint *v;
	size_t n, cap;
	size_t came_from;		/* index in ->v of the checkpoint that it went to last */
	uint64_t at, done;		/* records before the present position; fed so far at all */
	uint64_t latest;		/* latest timestamp before the present position */
	uint64_t passed;		/* bytes since the last checkpoint */
	struct replay_checkpoint frontier; /* the position after the last record fed, or empty */
	bool ended, whole;		/* the models are ended; all records were fed once */
};

struct model_replay *replay_new(struct trace *const *traces, size_t n, const struct replay_opts *o)
{
	struct model_replay *r = xcalloc(1, sizeof(*r));

	r->comes = o->comes;
	r->ctx = o->ctx;
	r->every = o->every ? o->every : REPLAY_EVERY;
	r->max_bytes = o->max_bytes ? o->max_bytes : REPLAY_BYTES;
	r->it = trace_iter_new_range(traces, n, o->cpus, o->since, o->until);
	return r;
}

static void checkpoint_release(struct replay_checkpoint *c)
{
	free(c->places);
	for (size_t i = 0; i < REPLAY_MODELS; i++)
		model_copy_free(c->models[i]);
	blocks_copy_free(c->copy);
	*c = (struct replay_checkpoint){0};
}

void replay_free(struct model_replay *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n; i++)
		checkpoint_release(&r->v[i]);
	checkpoint_release(&r->frontier);
	free(r->v);
	trace_iter_free(r->it);
	free(r);
}

void replay_add_model(struct model_replay *r, struct model *m)
{
	r->models[r->nr_models++] = m;
}

void replay_set_blocks(struct model_replay *r, struct span_blocks *b)
{
	r->blocks = b;
}

/* --- checkpoints */

/* Returns true if the records at the present position are fed for the first time. */
static bool replay_is_new(const struct model_replay *r)
{
	return r->at == r->done && !r->whole;
}

/* Takes a checkpoint before the iterator's last record, which was not fed yet. */
static void replay_save_checkpoint(struct model_replay *r, struct replay_checkpoint *c)
{
	*c = (struct replay_checkpoint){
		.latest = r->latest, .records = r->at, .places = trace_places_new(r->it),
	};
	trace_iter_places(r->it, c->places);
	for (size_t i = 0; i < r->nr_models; i++) {
		c->models[i] = model_save(r->models[i]);
		c->bytes += model_copy_bytes(c->models[i]);
	}
	if (!r->blocks)
		return;
	c->blocks = blocks_count(r->blocks);
	c->copy = blocks_save(r->blocks);
	c->bytes += blocks_copy_bytes(c->copy);
}

static void replay_thin_checkpoints(struct model_replay *r)
{
	size_t i, n = 0;

	for (i = 0; i < r->n; i++) {
		if (i % 2) {
			r->bytes -= r->v[i].bytes;
			checkpoint_release(&r->v[i]);
		} else {
			r->v[n++] = r->v[i];
		}
	}
	r->n = n;
	r->came_from = (r->came_from + 1) / 2;
	r->every *= 2;
}

static void replay_restore(struct model_replay *r, const struct replay_checkpoint *c)
{
	for (size_t i = 0; i < r->nr_models; i++)
		model_restore(r->models[i], c->models[i]);
	if (r->blocks)
		blocks_restore(r->blocks, c->copy);
	trace_iter_go(r->it, c->places, UINT64_MAX);
	r->at = c->records;
	r->latest = c->latest;
	r->ended = false;
}

/* --- reading */

const struct trace_rec *replay_next(struct model_replay *r)
{
	const struct trace_rec *rec = r->ended ? NULL : trace_iter_next(r->it);

	/* records of one time stay together: readers that count them may start at any checkpoint */
	if (replay_is_new(r) &&
	    (!r->n || (rec && r->passed >= r->every && rec->ts > r->latest))) {
		r->v = xgrow(r->v, &r->cap, r->n + 1, sizeof(*r->v));
		replay_save_checkpoint(r, &r->v[r->n]);
		r->bytes += r->v[r->n++].bytes;
		r->passed = 0;
		while (r->bytes > r->max_bytes && r->n > 1)
			replay_thin_checkpoints(r);
	}
	if (!rec) {
		for (size_t i = 0; i < r->nr_models && !r->ended; i++)
			model_end(r->models[i]);
		r->whole |= !r->ended && r->at == r->done;
		r->ended = true;
		return NULL;
	}
	r->latest = rec->ts > r->latest ? rec->ts : r->latest;
	if (r->comes)
		r->comes(r->ctx, rec);
	for (size_t i = 0; i < r->nr_models; i++)
		model_feed(r->models[i], rec);
	if (replay_is_new(r)) {
		r->done++;
		r->passed += rec->rec.len + 8;
	}
	r->at++;
	return rec;
}

uint64_t replay_time(const struct model_replay *r)
{
	return r->latest;
}

uint64_t replay_records(const struct model_replay *r)
{
	return r->at;
}

bool replay_is_whole(const struct model_replay *r)
{
	return r->whole;
}

/* --- going to checkpoints */

static void replay_go_to(struct model_replay *r, size_t i)
{
	/* the first pass continues from this position later: replay_go_on() */
	if (replay_is_new(r) && r->n && !(r->frontier.places && r->frontier.records == r->at)) {
		checkpoint_release(&r->frontier);
		trace_iter_next(r->it);
		replay_save_checkpoint(r, &r->frontier);
	}
	r->came_from = i;
	replay_restore(r, &r->v[i]);
}

void replay_go(struct model_replay *r, uint64_t ts)
{
	size_t above;

	if (!r->n)
		return;
	above = SEARCH_ABOVE(i, 0, r->n, r->v[i].latest < ts);
	replay_go_to(r, above ? above - 1 : 0);
}

void replay_go_to_block(struct model_replay *r, uint64_t number)
{
	size_t above;

	if (!r->n)
		return;
	above = SEARCH_ABOVE(i, 0, r->n, r->v[i].blocks <= number);
	replay_go_to(r, above ? above - 1 : 0);
}

bool replay_go_further_back(struct model_replay *r)
{
	if (!r->came_from)
		return false;
	replay_go_to(r, r->came_from - 1);
	return true;
}

void replay_go_on(struct model_replay *r)
{
	if (r->whole || r->at == r->done || !r->frontier.places)
		return;
	replay_restore(r, &r->frontier);
}

size_t replay_checkpoints(const struct model_replay *r)
{
	return r->n;
}

size_t replay_bytes(const struct model_replay *r)
{
	return r->bytes;
}
