/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A flight recorder: the kernel keeps the last records, which are read at the end.
 *
 * A reader would consume records that the kernel is to keep, so nothing is read before the end.
 * The recorders are made at the start, so that errors occur then, and are started when tracing is
 * off. The buffers are emptied before tracing starts, see flight_prepare().
 */
#include "record/flight.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/now.h"
#include "tracefs/files/tfs.h"

/*
 * A reader that has caught up leaves the writer on the reader's sub-buffer, outside of the ring.
 * Records that are written there next would never be overwritten, and a gap would follow them. An
 * emptied buffer starts in the ring.
 */
int flight_prepare(struct session *s, const struct rec_plan *p, const struct rec_places *pl,
		   struct ftr_error *err)
{
	const struct rec_place *at;

	for (at = pl->v; at < pl->v + pl->n; at++) {
		if (!at->buf)
			continue;
		if (session_option(s, at->instance, "overwrite", true, err) ||
		    (plan_clears(p) && clear_buffer(session_tfs(s), at->instance, -1, err)))
			return -1;
	}
	return 0;
}

/*
 * Parses the time after @name, as in "oldest event ts: 1234.567890". Returns false if there is
 * none: clocks that do not count time have no point.
 */
static bool stats_parse_us(const char *text, const char *name, uint64_t *us)
{
	unsigned long long s, fraction;
	const char *at = strstr(text, name);

	if (!at || sscanf(at + strlen(name), "%llu.%6llu", &s, &fraction) != 2)
		return false;
	*us = s * 1000000 + fraction;
	return true;
}

/* Returns the age of the oldest record of a CPU in microseconds, 0 if unknown. */
static uint64_t load_cpu_reach_us(const struct tfs *t, const struct load_cpu *c)
{
	char *file = xasprintf("per_cpu/cpu%d/stats", c->cpu);
	struct buf text = {0};
	uint64_t oldest, now, us = 0;

	if (!tfs_read(t, c->instance, file, &text, NULL) &&
	    stats_parse_us(text.data, "oldest event ts:", &oldest) &&
	    stats_parse_us(text.data, "now ts:", &now) && oldest && now > oldest)
		us = now - oldest;
	buf_release(&text);
	free(file);
	return us;
}

uint64_t flight_kept_ns(const struct buffer_load *l, uint64_t end_ns)
{
	const struct load_cpu *c;
	uint64_t us, ago, least = UINT64_MAX;

	for (c = l->v; c < l->v + l->n; c++) {
		if (c->now.overrun == c->first.overrun)
			continue;
		us = load_cpu_reach_us(l->t, c);
		ago = (now_ns() - end_ns) / 1000;
		us = us > ago ? us - ago : 0;
		if (us < least)
			least = us;
	}
	return least == UINT64_MAX ? 0 : least * 1000;
}

int flight_start(struct recorder **recs, const struct rec_places *pl, struct ftr_error *err)
{
	size_t i;

	for (i = 0; i < pl->n; i++)
		if (!pl->v[i].swaps && recorder_start(recs[i], err))
			return -1;
	return 0;
}
