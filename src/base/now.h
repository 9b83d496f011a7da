/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The time by one of the system's clocks. */
#ifndef FTR_BASE_NOW_H
#define FTR_BASE_NOW_H

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

/* Returns nanoseconds of CLOCK_MONOTONIC, which nobody can set. */
static inline uint64_t now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static inline uint64_t now_ms(void)
{
	return now_ns() / 1000000;
}

#endif
