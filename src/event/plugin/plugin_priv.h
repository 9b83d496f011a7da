/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to the plugin loader. */
#ifndef FTR_EVENT_PLUGIN_PRIV_H
#define FTR_EVENT_PLUGIN_PRIV_H

#include <pthread.h>

#include "base/mem.h"
#include "event/plugin/plugin.h"

/* One -O. */
struct plug_option {
	char *plugin;		/* NULL: for any plugin that has the option */
	char *name;
	char *value;		/* NULL if there is none */
	bool  used;
};

/*
 * Copies of the plugins' tables in the host's structures. Members that an older header lacks are
 * zero. They are copied because a plugin's elements may be shorter.
 */
struct plug_func {
	const struct ev_plugin *plugin;
	struct ftr_function f;
};

struct plug_formatter {
	const struct ev_plugin *plugin;
	struct ftr_formatter f;
};

struct plug_bind {
	const struct plug_formatter *by;
	const struct ev_format *fmt;	/* a trace's format; it may be freed before the binding */
	void *priv;
	const struct ev_field **fields;	/* by handle; NULL if the event lacks the field */
	size_t nr_fields, cap_fields;
	struct plug_bind *next;
};

struct ev_plugins {
	struct ev_plugin **v;
	size_t n, cap;
	struct plug_option *options;
	size_t nr_options, cap_options;
	/* elements are never moved, as bindings and programs keep pointers */
	struct plug_formatter **formatters;
	size_t nr_formatters, cap_formatters;
	struct plug_func **funcs;
	size_t nr_funcs, cap_funcs;
	struct ftr_constant *constants;
	size_t nr_constants, cap_constants;
	struct ftr_error wrong_option;	/* an error in an option of a plugin that came with ftr */
	bool  traceevent;
	bool  late;			/* load plugins when they are needed */
	size_t asleep;			/* number of plugins not needed yet */
	char *dir_path;
	pthread_mutex_t lock;		/* engines bind and load during rendering */
	struct plug_bind *binds;
};

/* The arguments of formatters and functions. */
struct ftr_record {
	const struct plug_bind *bind;	/* NULL in functions: no fields then */
	const struct ev_plugin *plugin;
	struct plug_thread *thread;
	struct ev_engine *engine;
	const struct ev_rec *rec;
	int      cpu;
	uint64_t ts;
	bool     bad;			/* a read was outside of the record */
};

struct ftr_out {
	struct ftr_record *rec;
	struct buf *buf;
	size_t start;			/* start offset in ->buf */
	bool   plain;			/* keep control bytes: the caller sanitises */
};

/* plugin_options.c: checks the table of options and sets the defaults. Returns -1 with @err. */
int plug_options_check(const struct ev_plugin *p, struct ftr_error *err);
/* Sets the values of -O. Returns -1 with @err. */
int plug_options_apply(struct ev_plugins *s, const struct ev_plugin *p, struct ftr_error *err);
/* plugin.c: returns true if the text of FTR_PLUGIN_LATE() has the event. */
bool plug_late_fits(const char *events, const char *system, const char *event);
/* Loads the plugins that are asleep. Under the lock. */
void plug_wake(struct ev_plugins *s);
/* plugin_call.c: finds a constant of the loaded plugins. Under the lock. */
bool plug_has_constant(const struct ev_plugins *s, const char *name, size_t len, int64_t *value);
/* plugin_dir.c: returns the directory of installed plugins. */
const char *plug_installed_dir(void);

/* --- plugin_tep.c: users' plugins of libtraceevent, for the engine "traceevent" */

struct tep_handle;

/* Returns true if the opened object @dl is such a plugin. */
bool plug_tep_is(void *dl);
/* Passes the -O options to @p and to the library. */
int plug_tep_options(struct ev_plugins *s, struct ev_plugin *p, struct ftr_error *err);
/*
 * Registers the plugins of @s (may be NULL). Call it before formats are parsed, as the functions in
 * print fmts must be known then. Returns true if there are any.
 */
bool plug_tep_attach(const struct ev_plugins *s, struct tep_handle *tep);
/* Unloads the plugins. Call it before the handle is freed. */
void plug_tep_detach(const struct ev_plugins *s, struct tep_handle *tep);

#endif
