/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options --plugin, -N and -O of the commands that render events. */
#ifndef FTR_CMD_PLUGINS_H
#define FTR_CMD_PLUGINS_H

#include <stdbool.h>

#include "base/err.h"
#include "base/mem.h"

struct ev_plugins;

struct plugin_args {
	struct strv paths;	/* --plugin */
	struct strv options;	/* -O */
	bool none;		/* -N: not those that came with ftr */
};

enum plugins_when {
	PLUGINS_NOW,
	PLUGINS_LATE,		/* those that can wait when they are needed */
	PLUGINS_TRACEEVENT,	/* now, libtraceevent's among them */
};

/*
 * Loads what was asked for, and what came with ftr; of the latter, what can't be loaded is said on
 * stderr. NULL with @err.
 */
struct ev_plugins *plugins_load(const struct plugin_args *a, enum plugins_when when,
				struct ftr_error *err);
/* In the end, of those that were loaded late. */
void plugins_say_late(const struct ev_plugins *s);
void plugin_args_release(struct plugin_args *a);

#endif
