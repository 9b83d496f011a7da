/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loaded plugins: a set of them, made once, then read by any number of engines and threads. */
#ifndef FTR_EVENT_PLUGIN_H
#define FTR_EVENT_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "event/data/data.h"
#include "ftr/plugin.h"

/* One shared object. */
struct ev_plugin {
	const struct ftr_plugin *desc;	/* NULL: not loaded, ->why says why; or ->tep, or not yet */
	char *path;
	char *why;
	bool  asked;			/* by --plugin, not from the plugin folder */
	bool  replaced;			/* not loaded as one that was asked for does the same */
	bool  ordered;			/* its text depends on earlier records */
	bool  tep;			/* a plugin of libtraceevent, for --engine=traceevent */
	/* private to plugin*.c */
	struct ftr_plugin copy;		/* ->desc, zeros where the plugin's was shorter */
	char *late;			/* FTR_PLUGIN_LATE(), or NULL */
	bool  asleep;			/* not loaded yet */
	size_t index;			/* of the thread states */
	int   fd;			/* of what was checked; it stays open once it is loaded */
	void *dl;
};

struct ev_plugins;
/* @traceevent: take plugins of libtraceevent as well, which the engine of that name runs. */
struct ev_plugins *ev_plugins_new(bool traceevent);
/*
 * "plugin:option=value"; without the plugin it is for any that has it, without the value for a
 * bool. Kept until plugins are loaded; a later one wins. -1 with @err if it has not that form.
 */
int ev_plugins_option(struct ev_plugins *s, const char *text, struct ftr_error *err);
/*
 * Loads a file, or the *.so of a folder in the order of their names. -1 with @err if one of them
 * can't be taken: not safe to load, no plugin, another ABI, formatters or functions that another
 * one has already given.
 */
int ev_plugins_load(struct ev_plugins *s, const char *path, struct ftr_error *err);
/*
 * Loads the plugins that came with the program: those of the folder "plugins" beside it when there
 * is one (a build tree), else those that were installed. One that can't be loaded is no error: its
 * row in the list says why.
 */
void ev_plugins_load_default(struct ev_plugins *s);
/*
 * Before that: let those wait that can, until an engine needs what they may have. Not with options,
 * which only loaded plugins can check.
 */
void ev_plugins_late(struct ev_plugins *s);
bool ev_plugins_are_late(const struct ev_plugins *s);
/* After loading: -1 with @err if an option was meant for a plugin that is not there. */
int ev_plugins_check(const struct ev_plugins *s, struct ftr_error *err);
/* After the engines that use them. */
void ev_plugins_free(struct ev_plugins *s);

/* The list, in the order of loading; the ones that could not be loaded among them. */
size_t ev_plugins_count(const struct ev_plugins *s);
const struct ev_plugin *ev_plugins_get(const struct ev_plugins *s, size_t i);
/* The rows of a loaded plugin's tables; false at their end. */
bool ev_plugin_option(const struct ev_plugin *p, size_t i, struct ftr_option *o);
bool ev_plugin_formatter(const struct ev_plugin *p, size_t i, struct ftr_formatter *f);
bool ev_plugin_function(const struct ev_plugin *p, size_t i, struct ftr_function *f);
/* Where ev_plugins_load_default() looks; borrowed from @s. */
const char *ev_plugins_folder(struct ev_plugins *s);
/* Records must be rendered one after another. */
bool ev_plugins_ordered(const struct ev_plugins *s);

/* --- for the engine */

#define PLUG_ARGS_MAX 16		/* of a function */

struct ev_engine;
struct plug_thread;
/* Before the set is freed. */
void plug_thread_release(struct plug_thread *t);

/* A formatter bound to a format; it lives as long as the set. NULL if there is none. */
struct plug_bind;
const struct plug_bind *plug_bind(const struct ev_plugins *s, const struct ev_format *fmt);
/* False, with nothing added to @out: render it as if there were no plugin. */
bool plug_render(const struct plug_bind *b, struct ev_engine *e, const struct ev_rec *r, int cpu,
		 uint64_t ts, struct buf *out);

/* A function of print fmts, and its signature as in ftr/plugin.h; NULL if no plugin has it. */
struct plug_func;
const struct plug_func *plug_func_find(const struct ev_plugins *s, const char *name, size_t len);
const char *plug_func_signature(const struct plug_func *f);
/*
 * The letter of argument @i in a signature, where the first @skip of those that are not looked at
 * are missing; NULL behind the last.
 */
const char *plug_signature_at(const char *sig, unsigned int skip, unsigned int i);
/*
 * Calls it with as many arguments as the signature has. A string result is appended to @str as it
 * is, an integer goes to *@num. False: it can't be known.
 */
bool plug_func_call(const struct plug_func *f, struct ev_engine *e, const struct ev_rec *r,
		    const struct ftr_arg *args, uint64_t *num, struct buf *str);
/* A constant that print fmts name; false if no plugin has it. */
bool plug_constant(const struct ev_plugins *s, const char *name, size_t len, int64_t *value);

#endif
