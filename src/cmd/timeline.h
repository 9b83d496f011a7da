/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr timeline: its options, and the output that is its own. */
#ifndef FTR_CMD_TIMELINE_H
#define FTR_CMD_TIMELINE_H

#include "cmd/frame/span_commands.h"
#include "output/lanes/lanes_view.h"

struct timeline_args {
	struct span_args spans;		/* first: its own rows */
	struct strv tasks;		/* --tasks */
	struct strv events;		/* --event */
	int64_t width;			/* --width; 0: as there is room */
	enum timeline_sort sort;
	bool ascii;
	const char *svg;		/* -o */
};

void timeline_print_json(const struct timeline *t);

#endif
