/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where there is data, by the time stamps of sub-buffers alone. */
#include "trace/trace_priv.h"

struct spread {
	struct trace *trace;
	struct dat_cursor at;
	uint64_t from, to, step;	/* ->step: sub-buffers that are read together */
	uint32_t width;
	bool *begun;
};

static uint64_t ts_of(struct spread *s, uint64_t piece, uint64_t otherwise)
{
	uint64_t ts;

	return dat_cursor_ts(&s->at, piece * s->step, &ts) ? trace_time(s->trace, ts) : otherwise;
}

static uint64_t column_of(const struct spread *s, uint64_t ts)
{
	unsigned __int128 d = ts - s->from;

	if (ts <= s->from)
		return 0;
	return ts >= s->to ? s->width - 1 : ((d + 1) * s->width - 1) / (s->to - s->from);
}

static void note(struct spread *s, uint64_t ts)
{
	if (ts >= s->from && ts <= s->to)
		s->begun[column_of(s, ts)] = true;
}

static bool in_one(const struct spread *s, uint64_t a, uint64_t b)
{
	return a >= s->from && b <= s->to && column_of(s, a) == column_of(s, b);
}

/* What lies between two that begin in one column is of that column, too. */
static void spread_between(struct spread *s, uint64_t low, uint64_t low_ts, uint64_t high,
			   uint64_t high_ts)
{
	uint64_t middle = low + (high - low) / 2, ts;

	note(s, low_ts);
	note(s, high_ts);
	if (high - low < 2 || high_ts < s->from || low_ts > s->to || in_one(s, low_ts, high_ts))
		return;
	ts = ts_of(s, middle, low_ts);
	spread_between(s, low, low_ts, middle, ts);
	spread_between(s, middle, ts, high, high_ts);
}

void trace_cpu_spread(struct trace *t, struct dat_buffer *b, struct dat_cpu *c, uint64_t from,
		      uint64_t to, bool *begun, uint32_t width)
{
	struct spread s = {
		.trace = t, .at = { .dat = t->dat, .buffer = b, .cpu = c }, .from = from, .to = to,
		.step = dat_chunk_pages(c), .width = width, .begun = begun,
	};
	uint64_t last = c->nr_pages ? (c->nr_pages - 1) / s.step : 0, low, high;

	if (c->nr_pages) {
		low = ts_of(&s, 0, from);
		high = ts_of(&s, last, low);
		spread_between(&s, 0, low, last, high);
	}
	dat_cursor_release(&s.at);
}
