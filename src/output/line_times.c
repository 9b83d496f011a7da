/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times of a line in other forms than what the record has. */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "output/line_columns.h"

#define NS 1000000000ull

/* Digits as those of the time itself; microseconds are rounded as those are. */
static void add_part(struct buf *b, uint64_t ns, bool nanoseconds)
{
	if (nanoseconds)
		buf_printf(b, ".%09u", (unsigned int)(ns % NS));
	else
		buf_printf(b, ".%06u", (unsigned int)(ns % NS / 1000));
}

static uint64_t rounded(uint64_t ns, bool nanoseconds)
{
	return !nanoseconds && ns < UINT64_MAX - 500 ? ns + 500 : ns;
}

bool times_add_day(struct buf *b, const struct trace *t, uint64_t ts, bool nanoseconds,
		   bool with_date)
{
	char text[64] = "";
	uint64_t ns;
	struct tm tm;
	time_t s;

	if (!trace_time_of_day(t, ts, &ns))
		return false;
	ns = rounded(ns, nanoseconds);
	s = (time_t)(ns / NS);
	if (!gmtime_r(&s, &tm) ||
	    !strftime(text, sizeof(text), with_date ? "%Y-%m-%d %H:%M:%S" : "%H:%M:%S", &tm))
		return false;
	buf_addstr(b, text);
	add_part(b, ns, nanoseconds);
	return true;
}

/* The difference of what is shown, as with --ts-diff: lines and their differences agree. */
void times_add_since(struct buf *b, const struct trace *t, uint64_t zero, uint64_t ts,
		     bool nanoseconds)
{
	uint64_t unit = nanoseconds || !t->clock_is_ns ? 1 : 1000;
	uint64_t from = rounded(zero, nanoseconds || !t->clock_is_ns) / unit;
	uint64_t to = rounded(ts, nanoseconds || !t->clock_is_ns) / unit;

	buf_addch(b, to < from ? '-' : '+');
	trace_add_time(b, t, (to < from ? from - to : to - from) * unit, nanoseconds);
}
