/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recorded data for tests of files that are recorded into: regions of sub-buffers full of demo records. */
#ifndef TESTS_REGIONS_H
#define TESTS_REGIONS_H

#include <stdint.h>
#include <string.h>

#include "demo.h"
#include "ring/build.h"

#define SUBBUF 4096

/* Sub-buffers of each region: more than one checksummed range, none, a few; and one that tests put into another buffer. */
static const int pages[] = { 150, 0, 3, 70 };

/* The same bytes for the same arguments. Returns the records in it. */
static inline int fill(uint8_t *mem, int region, int page)
{
	struct ring_layout l = { .commit_size = 8, .commit_off = 8, .data_off = 16, .subbuf_size = SUBBUF };
	struct demo d = { .type = 900, .pid = 7, .number = region * 1000000 + page * 1000 };
	struct ring_build b;
	int n = 0;

	memset(mem, 0, SUBBUF);
	ring_build_start(&b, &l, mem, 1000000000ULL + page * 1000000 + region);
	while (ring_build_event(&b, 1000, &d, sizeof(d))) {
		d.number++;
		n++;
	}
	ring_build_commit(&b, 0);
	return n;
}

#endif
