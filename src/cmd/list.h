/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of 'ftr list'. */
#ifndef FTR_CMD_LIST_H
#define FTR_CMD_LIST_H

#include "cmd/frame/listing.h"
#include "cmd/frame/selection.h"
#include "tracefs/files/name_match.h"
#include "tracefs/files/tfs.h"

/* Options and state of a run. */
struct list_args {
	const struct list_kind *kind;
	bool chosen;			/* chosen by an option, so that all words are patterns */
	const char *instance;
	bool fields, full, filters, triggers, address, proto, regex, json;
	struct plugin_args plugins;

	struct tfs t;
	struct name_patterns pick;
};

/* A kind of list. */
struct list_kind {
	const char *name;		/* name of the list, and of its long option */
	const char *one;		/* an element, for messages */
	/* Fills @out with all rows. Returns -1 with @err. */
	int (*fill)(struct list_args *l, struct listing *out, struct ftr_error *err);
	/* Returns true if a row is selected. NULL: pick_name() decides by the first cell. */
	bool (*wanted)(struct list_args *l, const char *const *row);
	/* Appends names that hints may propose for a row. NULL: the first cell. */
	void (*names)(const char *const *row, struct strv *out);
	/* Adds cells to the selected rows only. Returns -1 with @err. NULL: no such cells. */
	int (*finish)(struct list_args *l, struct listing *out, struct ftr_error *err);
	bool no_tracefs;
	bool by_instance;		/* -B is allowed */
};

/* list_event.c: events, systems, probes */
int list_fill_events(struct list_args *l, struct listing *out, struct ftr_error *err);
bool list_wanted_event(struct list_args *l, const char *const *row);
void list_event_names(const char *const *row, struct strv *out);
int list_fill_systems(struct list_args *l, struct listing *out, struct ftr_error *err);
int list_fill_probes(struct list_args *l, struct listing *out, struct ftr_error *err);
/* list_plugin.c: prints the plugins as text or JSON. Returns -1 with @err. */
int list_plugins(struct list_args *l, struct ftr_error *err);

#endif
