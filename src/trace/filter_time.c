/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --since and --until: times as a report shows them, or counted from an end of the trace. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "trace/filter.h"

#define NS_PER_S 1000000000ULL

/*
 * "1234.5678": digits are kept as they are, no double would. A report shows six of the nine digits,
 * rounded: what is written so stands for all times that look the same.
 */
static int parse_seconds(struct filter_when *w, const char *text)
{
	uint64_t seconds, ns = 0, unit = NS_PER_S;
	char *end;

	if (!isdigit((unsigned char)*text))
		return -1;
	errno = 0;
	seconds = strtoull(text, &end, 10);
	if (errno)
		return -1;
	w->units = seconds;
	w->whole = !*end;
	if (*end == '.')
		for (end++; isdigit((unsigned char)*end) && unit > 1; end++)
			ns += (*end - '0') * (unit /= 10);
	w->slack_ns = unit == 1000 ? 500 : 0;
	if (__builtin_mul_overflow(seconds, NS_PER_S, &w->ns) ||
	    __builtin_add_overflow(w->ns, ns, &w->ns))
		w->ns = UINT64_MAX;	/* it may be of another clock; as a time it never comes */
	return *end ? -1 : 0;
}

int filter_when_parse(struct filter_when *w, const char *text, struct ftr_error *err)
{
	char *end;
	int bad;

	*w = (struct filter_when){ .kind = *text == '+' ? FILTER_FROM_FIRST :
				   *text == '-' ? FILTER_FROM_LAST : FILTER_AT };
	if (w->kind == FILTER_AT) {
		bad = parse_seconds(w, text);
	} else {
		bad = text_duration(text + 1, &w->ns);
		errno = 0;
		w->units = strtoull(text + 1, &end, 10);
		w->whole = !errno && !*end;
	}
	if (!bad)
		return 0;
	err_set(err, FTR_USAGE, "'%s' is not a time", text);
	return err_hint(err, "write 1234.567890 as in a report, +1.5s from the first event, "
			"or -20ms before the last");
}

bool filter_needs_bounds(const struct filter_spec *s)
{
	return s->since.kind > FILTER_AT || s->until.kind > FILTER_AT;
}

/* @back: the end of what @w stands for, else its start. */
static int resolve_when(const struct filter_when *w, uint64_t first, uint64_t last, bool ns,
			bool back,
			uint64_t *ts, struct ftr_error *err)
{
	uint64_t v = ns ? w->ns : w->units, slack = ns ? w->slack_ns : 0;

	if (!ns && !w->whole) {
		err_set(err, FTR_USAGE, "the clock of this file does not count nanoseconds");
		return err_hint(err, "give a whole number, as the report shows it");
	}
	if (w->kind == FILTER_FROM_LAST) {
		*ts = v < last ? last - v : 0;
		return 0;
	}
	if (w->kind == FILTER_FROM_FIRST)
		v = first + v < v ? UINT64_MAX : first + v;
	if (back)
		*ts = v + slack < v ? UINT64_MAX : v + (slack ? slack - 1 : 0);
	else
		*ts = v > slack ? v - slack : 0;
	return 0;
}

int filter_range(const struct filter_spec *s, uint64_t first, uint64_t last, bool ns,
		 uint64_t *since, uint64_t *until, struct ftr_error *err)
{
	*since = 0;
	*until = UINT64_MAX;
	if (s->since.kind && resolve_when(&s->since, first, last, ns, false, since, err))
		return -1;
	if (s->until.kind && resolve_when(&s->until, first, last, ns, true, until, err))
		return -1;
	if (*since <= *until)
		return 0;
	err_set(err, FTR_USAGE, "--since is later than --until");
	return err_hint(err, "times are those of the report");
}
