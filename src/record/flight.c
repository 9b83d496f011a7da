/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A flight recorder: the kernel keeps the last records, which are read when it is over. */
#include "record/flight.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/now.h"
#include "tracefs/files/buffer_clear.h"

/*
 * A reader that has caught up leaves the writer on the reader's own sub-buffer, outside of the
 * ring: what is written there next would stay for good, with a gap behind it. A buffer that is
 * emptied begins in the ring.
 */
static int prepare_flight(struct session *s, const struct rec_plan *p, const char *instance,
			  struct ftr_error *err)
{
	if (session_option(s, instance, "overwrite", true, err))
		return -1;
	return plan_clears(p) ? clear_buffer(session_tfs(s), instance, -1, err) : 0;
}

int flight_prepare(struct session *s, const struct rec_plan *p, const struct rec_places *pl,
		   struct ftr_error *err)
{
	size_t i;

	for (i = 0; i < pl->n; i++)
		if (pl->v[i].buf && prepare_flight(s, p, pl->v[i].instance, err))
			return -1;
	return 0;
}

/* "oldest event ts:  1234.567890"; clocks that do not count time have no point. */
static bool stamp_us(const char *text, const char *name, uint64_t *us)
{
	unsigned long long s, fraction;
	const char *at = strstr(text, name);

	if (!at || sscanf(at + strlen(name), "%llu.%6llu", &s, &fraction) != 2)
		return false;
	*us = s * 1000000 + fraction;
	return true;
}

/* How far back the oldest record of a CPU is; 0 when that can't be told. */
static uint64_t reach_us(const struct tfs *t, const struct load_cpu *c)
{
	char *file = xasprintf("per_cpu/cpu%d/stats", c->cpu);
	struct buf text = {0};
	uint64_t oldest, now, us = 0;

	if (!tfs_read(t, c->instance, file, &text, NULL) &&
	    stamp_us(text.data, "oldest event ts:", &oldest) &&
	    stamp_us(text.data, "now ts:", &now) && oldest && now > oldest)
		us = now - oldest;
	buf_release(&text);
	free(file);
	return us;
}

static uint64_t ago_us(uint64_t ns)
{
	return (now_ns() - ns) / 1000;
}

uint64_t flight_kept_ns(const struct load *l, uint64_t end_ns)
{
	const struct load_cpu *c;
	uint64_t us, ago, least = UINT64_MAX;

	for (c = l->v; c < l->v + l->n; c++) {
		if (c->now.overrun == c->first.overrun)
			continue;
		us = reach_us(l->t, c);
		ago = ago_us(end_ns);
		us = us > ago ? us - ago : 0;
		if (us < least)
			least = us;
	}
	return least == UINT64_MAX ? 0 : least * 1000;
}

int flight_take(struct recorder **recs, const struct rec_places *pl, struct ftr_error *err)
{
	size_t i;

	for (i = 0; i < pl->n; i++)
		if (!pl->v[i].swaps && recorder_start(recs[i], err))
			return -1;
	return 0;
}
