/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options --plugin, -N and -O of the commands that render events. */
#ifndef FTR_CMD_FRAME_PLUGIN_CHOICE_H
#define FTR_CMD_FRAME_PLUGIN_CHOICE_H

#include <stdbool.h>

#include "base/err.h"
#include "base/mem.h"

struct ev_plugins;

struct plugin_args {
	struct strv paths;	/* --plugin */
	struct strv options;	/* -O */
	bool none;		/* -N: without those that came with ftr */
};

enum plugins_when {
	PLUGINS_NOW,
	PLUGINS_LATE,		/* load plugins that allow it when they are needed */
	PLUGINS_TRACEEVENT,	/* now, and also those of libtraceevent */
};

/*
 * Loads the plugins of --plugin and those that came with ftr. Prints which of the latter can't be
 * loaded on stderr. NULL with @err.
 */
struct ev_plugins *plugins_load(const struct plugin_args *a, enum plugins_when when,
				struct ftr_error *err);
/* Prints the same for plugins that were loaded late. Call it at the end. */
void plugins_say_late(const struct ev_plugins *s);
void plugin_args_release(struct plugin_args *a);

#endif
