/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Going back in time: from the last checkpoint before it the same records come again, and not many more than wanted. */
#include "model/index/model_replay.h"

#include "made_trace.h"

#define EVERY 20000			/* bytes of records between two checkpoints */
#define JUMPS 60

/* The times of all records in their order, and the latest of those before each. */
struct all {
	uint64_t *ts, *latest;
	size_t n, cap;
	uint32_t bytes;			/* of the smallest record, with what it takes beside it */
};

static void read_all(struct model_replay *r, struct all *a)
{
	const struct trace_rec *rec;
	size_t cap = 0;

	a->bytes = UINT32_MAX;
	while ((rec = replay_next(r))) {
		a->ts = xgrow(a->ts, &a->cap, a->n + 1, sizeof(*a->ts));
		a->latest = xgrow(a->latest, &cap, a->n + 1, sizeof(*a->latest));
		a->latest[a->n] = a->n ? a->latest[a->n - 1] : 0;
		if (a->n && a->ts[a->n - 1] > a->latest[a->n])
			a->latest[a->n] = a->ts[a->n - 1];
		a->ts[a->n++] = rec->ts;
		a->bytes = rec->rec.len + 8 < a->bytes ? rec->rec.len + 8 : a->bytes;
	}
}

/* So many records come again as they came first. */
static bool same_again(struct model_replay *r, const struct all *a, size_t n)
{
	size_t at = replay_records(r);
	const struct trace_rec *rec;

	for (; n-- && at < a->n; at++) {
		rec = replay_next(r);
		if (!rec || rec->ts != a->ts[at])
			return false;
	}
	return true;
}

struct wrong { unsigned int late, far, other; };

/* @most: records between two checkpoints. */
static void go(struct model_replay *r, const struct all *a, uint64_t ts, size_t most,
	       struct wrong *w)
{
	size_t first = 0, at;

	while (first < a->n && a->ts[first] < ts)
		first++;
	replay_go(r, ts);
	at = replay_records(r);
	w->late += at && (at > first || replay_time(r) >= ts);
	w->far += first - at > most && at <= first;
	w->other += replay_time(r) != (at ? a->latest[at] : 0) || !same_again(r, a, 200);
}

static void test_file(const char *name, const char *options)
{
	char *label;
	struct replay_opts o = { .until = UINT64_MAX, .every = EVERY };
	struct wrong w = {0};
	struct all a = {0};
	struct trace *t = made_open(name, options);
	struct model_replay *r;
	size_t most, back = 0;

	if (!TAP_OK(t, name))
		return;
	r = replay_new(&t, 1, &o);
	read_all(r, &a);
	most = 2 * (EVERY / a.bytes + 1);
	printf("# %s: %zu records, %zu checkpoints\n", name, a.n, replay_checkpoints(r));
	TAP_OK(replay_is_whole(r) && replay_checkpoints(r) > 4, "all was read, with checkpoints");
	go(r, &a, 0, most, &w);
	go(r, &a, a.ts[0], most, &w);
	go(r, &a, UINT64_MAX, most, &w);
	for (size_t i = 0; i < JUMPS; i++)
		go(r, &a, a.ts[rand() % a.n] + rand() % 2, most, &w);
	label = xasprintf("%s: before each record of the time, or at the first", name);
	TAP_EQ(w.late, 0, label);
	free(label);
	TAP_EQ(w.far, 0, "not farther back than to the last checkpoint");
	TAP_EQ(w.other, 0, "from there on all is as it was");
	replay_go(r, UINT64_MAX);
	for (back = 1; replay_go_further_back(r); back++)
		;
	TAP_EQ(back, replay_checkpoints(r), "further back, one checkpoint after another");
	TAP_EQ(replay_records(r), 0, "to the first");
	replay_free(r);
	trace_close(t);
	free(a.ts);
	free(a.latest);
}

int main(void)
{
	if (!made_begin())
		return 1;
	test_file("raw", "--cpus 2 --records 3000");
	test_file("zlib", "--cpus 3 --records 2000 --compress zlib");
	return made_end();
}
