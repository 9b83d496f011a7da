/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The types of histogram columns, from the format of a live event. */
#ifndef FTR_TRACEFS_HIST_HIST_TYPES_H
#define FTR_TRACEFS_HIST_HIST_TYPES_H

#include "base/mem.h"
#include "event/event.h"
#include "tracefs/files/tfs.h"
#include "tracefs/hist/hist_parse.h"

struct hist_types {
	struct buf format;		/* events/SYSTEM/EVENT/format, ->fmt points into it */
	struct ev_format fmt;
	struct hist_type *v;		/* for hist_parse(); names point into ->fmt */
	size_t n;
};

/* Reads the types of @event, "system/event"; none if its format can't be read. */
void hist_types_read(struct hist_types *h, const struct tfs *t, const char *event);
void hist_types_release(struct hist_types *h);

#endif
