/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libtraceevent as the second engine, for handles made for it. */
#ifndef FTR_EVENT_TEP_H
#define FTR_EVENT_TEP_H

#include "event/handle/engine_priv.h"

int tep_engine_init(struct ev_engine *e, struct ftr_error *err);
void tep_engine_release(struct ev_engine *e);
void tep_slot_init(struct ev_engine *e, struct ev_slot *s);
/* False, with nothing printed, if this record must not go to libtraceevent, or that failed. */
bool tep_slot_render(struct ev_engine *e, const struct ev_slot *s, const struct ev_rec *r, int cpu,
		     uint64_t ts, struct buf *out);

#endif
