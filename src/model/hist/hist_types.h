/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a live event's format says of the columns of its histograms. */
#ifndef FTR_MODEL_HIST_TYPES_H
#define FTR_MODEL_HIST_TYPES_H

#include "base/mem.h"
#include "event/event.h"
#include "model/hist/hist.h"
#include "tracefs/files/tfs.h"

struct hist_types {
	struct buf format;		/* events/SYSTEM/EVENT/format, ->fmt points into it */
	struct ev_format fmt;
	struct hist_type *v;		/* what hist_parse() takes; names point into ->fmt */
	size_t n;
};

/* @event is "system/event". Where its format can't be read there are none. */
void hist_types_read(struct hist_types *h, const struct tfs *t, const char *event);
void hist_types_release(struct hist_types *h);

#endif
