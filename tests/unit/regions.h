/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recorded data for tests of files that are recorded into: regions of sub-buffers full of demo records. */
#ifndef TESTS_REGIONS_H
#define TESTS_REGIONS_H

#include "demo_file.h"

/* Sub-buffers of each region: more than one checksummed range, none, a few; and one that tests put into another buffer. */
static const int pages[] = { 150, 0, 3, 70 };

static inline int fill(uint8_t *mem, int region, int page)
{
	return demo_page(mem, region, page, demo_next);
}

#endif
