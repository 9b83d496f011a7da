/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times of day as people write them; the seconds are those of date(1). */
#include <time.h>

#include "base/wall_time.h"
#include "tap.h"

#define SECOND 1000000000ull
#define NOON 1795867200		/* 2026-11-28 12:00:00 UTC */

static const struct {
	const char *zone, *text;
	uint64_t now;			/* seconds */
	uint64_t seconds, ns;
} rows[] = {
	{ "UTC", "2026-11-28 12:00:00", 0, NOON, 0 },
	{ "UTC", "2026-11-28T12:00:00.25", 0, NOON, 250000000 },
	{ "UTC", "2026-11-28 12:00", 0, NOON, 0 },
	{ "UTC", "2026-11-28", 0, NOON - 12 * 3600, 0 },
	{ "CET-1", "2026-11-28 12:00:00", 0, NOON - 3600, 0 },
	{ "UTC", "12:00:00.000000001", NOON - 5, NOON, 1 },
	{ "UTC", "12:00", NOON + 5, NOON, 0 },
	/* ten seconds after midnight, asked a minute before it; and the reverse */
	{ "UTC", "00:00:10", 1795910340, 1795910410, 0 },
	{ "UTC", "23:59:00", 1795910410, 1795910340, 0 },
	{ "UTC", "+10s", NOON, NOON + 10, 0 },
	{ "UTC", "+1.5", NOON, NOON + 1, 500000000 },
	{ "UTC", "+500ms", NOON, NOON, 500000000 },
	{ "UTC", "@1795867200.5", 0, NOON, 500000000 },
};

static const char *const bad[] = {
	"", "+", "+x", "@", "@x", "@1.", "@1x", "12", "12:", "25:00", "12:60", "12:00:99", "12:00:00.", "12:00:00.x",
	"12:00:00.1234567891", "2026-13-01", "2026-11-28 12", "2026-11-28x", "2026-11-28 12:00:00 x", "yesterday",
	"@99999999999999999999", "+99999999999999999999",
};

int main(void)
{
	uint64_t ns;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		setenv("TZ", rows[i].zone, 1);
		tzset();
		ns = 0;
		TAP_OK(!wall_time_parse(rows[i].text, rows[i].now * SECOND, &ns), rows[i].text);
		TAP_EQ(ns, rows[i].seconds * SECOND + rows[i].ns, rows[i].zone);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		TAP_OK(wall_time_parse(bad[i], NOON * SECOND, &ns), bad[i]);
	TAP_OK(wall_now() > NOON * SECOND / 2, "it is later than 1998");
	return tap_done();
}
