/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Moments of the time of day, as people write them. */
#ifndef FTR_BASE_WALL_TIME_H
#define FTR_BASE_WALL_TIME_H

#include <stdint.h>

/* Returns nanoseconds since 1970, by CLOCK_REALTIME. */
uint64_t wall_now(void);
/*
 * Parses "+10s", from @now on; "12:00", "12:00:00.5", the one of the last and next 12 hours;
 * "2026-11-28 12:00:00", also with a T; "@1795867200.5", seconds since 1970. Times of day are
 * local. @now and *ns are nanoseconds since 1970. Returns 0, or -1 on anything else.
 */
int wall_time_parse(const char *s, uint64_t now, uint64_t *ns);

#endif
