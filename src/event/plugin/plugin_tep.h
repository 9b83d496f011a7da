/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Users' plugins of libtraceevent, for the engine "traceevent". */
#ifndef FTR_EVENT_PLUGIN_TEP_H
#define FTR_EVENT_PLUGIN_TEP_H

#include "event/plugin/plugin.h"

struct tep_handle;

/* True if the opened object @dl is such a plugin. */
bool plug_tep_is(void *dl);
/* Passes the -O options to @p and to the library. */
int plug_tep_options(struct ev_plugins *s, struct ev_plugin *p, struct ftr_error *err);
/*
 * Registers the plugins of @s (may be NULL). Call it before formats are parsed, as the functions in
 * print fmts must be known then. True if there are any.
 */
bool plug_tep_attach(const struct ev_plugins *s, struct tep_handle *tep);
/* Call it before the handle is freed. */
void plug_tep_detach(const struct ev_plugins *s, struct tep_handle *tep);

#endif
