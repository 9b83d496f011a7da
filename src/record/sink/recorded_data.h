/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the recorded data says, beside what was captured. */
#ifndef FTR_RECORD_SINK_RECORDED_DATA_H
#define FTR_RECORD_SINK_RECORDED_DATA_H

#include "base/map.h"
#include "record/capture/capture.h"
#include "record/sink/sink.h"

/* Zeroed is nothing. */
struct seen {
	bool     done;			/* all that was recorded was read */
	struct comms comms;		/* all names */
	struct formats formats;		/* all, where the data has others than the captured ones */
	struct keys keys;		/* further ones */
	struct map called;		/* functions whose arguments are in the data */
	struct sink_totals totals;	/* of all buffers */
	struct strv notes;
};

/* Reads the data as far as that was not done while it came. Once. */
void seen_read(struct sink *s, const struct captured *c);
const struct formats *seen_formats(const struct seen *seen, const struct captured *c);
void seen_release(struct seen *seen);

#endif
