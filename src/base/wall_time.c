/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/wall_time.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"

#define NS_PER_SEC 1000000000ull
#define HALF_DAY (12 * 3600 * NS_PER_SEC)

uint64_t wall_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return ts.tv_sec * NS_PER_SEC + ts.tv_nsec;
}

/* Reads ".123" as nanoseconds, up to nine digits. Returns the end, or NULL. */
static const char *read_fraction(const char *s, uint64_t *ns)
{
	uint64_t unit = NS_PER_SEC;

	*ns = 0;
	if (*s != '.')
		return s;
	if (!isdigit((unsigned char)*++s))
		return NULL;
	for (; isdigit((unsigned char)*s); s++) {
		unit /= 10;
		*ns += (*s - '0') * unit;
	}
	return unit ? s : NULL;
}

static int parse_seconds(const char *s, uint64_t *ns)
{
	uint64_t seconds, rest;
	char *end;

	if (!isdigit((unsigned char)*s))
		return -1;
	seconds = strtoull(s, &end, 10);
	s = read_fraction(end, &rest);
	if (!s || *s || seconds > UINT64_MAX / NS_PER_SEC - 1)
		return -1;
	*ns = seconds * NS_PER_SEC + rest;
	return 0;
}

/* Returns the local time in nanoseconds since 1970, or 0 if there is no such time. */
static uint64_t local_time(struct tm tm, uint64_t rest)
{
	time_t t;

	tm.tm_isdst = -1;
	t = mktime(&tm);
	return t > 0 ? t * NS_PER_SEC + rest : 0;
}

/* Moves a time of today to the day of which it is the nearest. */
static uint64_t nearest_day(struct tm tm, uint64_t rest, uint64_t now)
{
	uint64_t ns = local_time(tm, rest);

	if (ns + HALF_DAY < now)
		tm.tm_mday++;
	else if (ns > now + HALF_DAY)
		tm.tm_mday--;
	return local_time(tm, rest);
}

static int parse_day(const char *s, uint64_t now, uint64_t *ns)
{
	time_t seconds = now / NS_PER_SEC;
	const char *time, *end;
	struct tm tm = {0}, day;
	uint64_t rest = 0;
	bool has_date;

	localtime_r(&seconds, &tm);
	tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
	day = tm;
	/* it changes the day also where it returns NULL */
	end = strptime(s, "%Y-%m-%d", &day);
	has_date = end;
	if (has_date)
		tm = day;
	time = has_date ? end + (*end == ' ' || *end == 'T') : s;
	if (!has_date || time > end) {
		end = strptime(time, "%H:%M", &tm);
		if (end && *end == ':') {
			end = strptime(end + 1, "%S", &tm);
			end = end ? read_fraction(end, &rest) : NULL;
		}
	}
	if (!end || *end)
		return -1;
	*ns = has_date ? local_time(tm, rest) : nearest_day(tm, rest, now);
	return *ns ? 0 : -1;
}

int wall_time_parse(const char *s, uint64_t now, uint64_t *ns)
{
	uint64_t from_now;

	if (*s == '@')
		return parse_seconds(s + 1, ns);
	if (*s != '+')
		return parse_day(s, now, ns);
	if (text_duration(s + 1, &from_now) || from_now > UINT64_MAX - now)
		return -1;
	*ns = now + from_now;
	return 0;
}
