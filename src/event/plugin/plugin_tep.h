/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Users' plugins of libtraceevent, for the engine that is libtraceevent. */
#ifndef FTR_EVENT_PLUGIN_TEP_H
#define FTR_EVENT_PLUGIN_TEP_H

#include "event/plugin/plugin.h"

struct tep_handle;

/* True if the opened object @dl is such a plugin. */
bool plug_tep_is(void *dl);
/* Hands the -O options to @p and to the library. */
int plug_tep_options(struct ev_plugins *s, struct ev_plugin *p, struct ftr_error *err);
/*
 * Registers what the plugins of @s have. Before formats are parsed: functions that print fmts call
 * must be known then. @s may be NULL. True if there are any.
 */
bool plug_tep_attach(const struct ev_plugins *s, struct tep_handle *tep);
/* Before the handle is freed. */
void plug_tep_detach(const struct ev_plugins *s, struct tep_handle *tep);

#endif
