/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of 'ftr list' share. */
#ifndef FTR_CMD_LIST_H
#define FTR_CMD_LIST_H

#include "cmd/frame/listing.h"
#include "cmd/frame/plugin_choice.h"
#include "tracefs/files/name_match.h"
#include "tracefs/files/tfs.h"

/* What was asked for. */
struct list {
	const struct list_kind *kind;
	bool chosen;			/* by its option: all words are patterns */
	const char *instance;
	bool fields, full, filters, triggers, address, proto, regex, json;
	struct plugin_args plugins;

	struct tfs t;
	struct pick pick;
};

/* One thing that can be listed. */
struct list_kind {
	const char *name;		/* "events", also the long option */
	const char *one;		/* "event", for messages */
	/* All there are, into @out. */
	int (*fill)(struct list *l, struct listing *out, struct ftr_error *err);
	/* Is this row wanted? NULL: pick_name() of its first cell. */
	bool (*wanted)(struct list *l, const char *const *row);
	/* Names that a pattern without a hit may have meant. NULL: the first cells. */
	void (*names)(const char *const *row, struct strv *out);
	/* What only the rows that are wanted get. NULL: nothing. */
	int (*finish)(struct list *l, struct listing *out, struct ftr_error *err);
	bool no_tracefs;
	bool by_instance;		/* -B makes a difference */
};

/* list_event.c: events, systems, probes */
int list_fill_events(struct list *l, struct listing *out, struct ftr_error *err);
bool list_wanted_event(struct list *l, const char *const *row);
void list_event_names(const char *const *row, struct strv *out);
int list_fill_systems(struct list *l, struct listing *out, struct ftr_error *err);
int list_fill_probes(struct list *l, struct listing *out, struct ftr_error *err);
/* list_plugin.c: prints them, as text or as JSON */
int list_plugins(struct list *l, struct ftr_error *err);

#endif
