/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A set of loaded plugins. It is made once, and then read by any number of engines and threads. */
#ifndef FTR_EVENT_PLUGIN_H
#define FTR_EVENT_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "event/data/data.h"
#include "ftr/plugin.h"

/* One shared object. */
struct ev_plugin {
	const struct ftr_plugin *desc;	/* NULL: not loaded (see ->why), or ->tep, or ->asleep */
	char *path;
	char *why;
	bool  asked;			/* by --plugin, not from the default directory */
	bool  replaced;			/* not loaded, as a plugin of --plugin does the same */
	bool  ordered;			/* its text depends on earlier records */
	bool  tep;			/* a plugin of libtraceevent, for --engine=traceevent */
	/* private to plugin*.c */
	struct ftr_plugin copy;		/* *->desc, with zeroes after the end of a shorter one */
	char *late;			/* FTR_PLUGIN_LATE(), or NULL */
	bool  asleep;			/* not loaded yet */
	size_t index;			/* into the states of a thread */
	int   fd;	/* descriptor of the checked file; it stays open after loading */
	void *dl;
};

struct ev_plugins;
/* @traceevent: also accept plugins of libtraceevent, for the engine "traceevent". */
struct ev_plugins *ev_plugins_new(bool traceevent);
/*
 * Sets an option: "plugin:option=value". Without the plugin it is for all that have the option;
 * without the value it sets a bool. It is kept until plugins are loaded. A later value of the same
 * option wins. Returns -1 with @err if @text has another form.
 */
int ev_plugins_option(struct ev_plugins *s, const char *text, struct ftr_error *err);
/*
 * Loads a file, or all *.so of a directory in the order of their names. Returns -1 with @err if one
 * of them is refused: not safe to load, no plugin, another ABI, or it has a formatter or function
 * that another plugin has already.
 */
int ev_plugins_load(struct ev_plugins *s, const char *path, struct ftr_error *err);
/*
 * Loads the plugins that came with the program: from the directory "plugins" beside the program if
 * there is one (a build tree), else the installed ones. A plugin that can't be loaded is no error:
 * ->why in the list has the reason.
 */
void ev_plugins_load_default(struct ev_plugins *s);
/*
 * Call it before ev_plugins_load_default(): plugins that allow it are then loaded only when an
 * engine needs their events or functions. It has no effect with options, which only loaded plugins
 * can check.
 */
void ev_plugins_late(struct ev_plugins *s);
bool ev_plugins_are_late(const struct ev_plugins *s);
/* Call it after loading. Returns -1 with @err if an option is for a plugin that was not loaded. */
int ev_plugins_check(const struct ev_plugins *s, struct ftr_error *err);
/* Free the engines that use the set first. */
void ev_plugins_free(struct ev_plugins *s);

/* Return the list in the order of loading, with the plugins that could not be loaded. */
size_t ev_plugins_count(const struct ev_plugins *s);
const struct ev_plugin *ev_plugins_get(const struct ev_plugins *s, size_t i);
/* Copy row @i of a loaded plugin's tables. Return false after the last row. */
bool ev_plugin_option(const struct ev_plugin *p, size_t i, struct ftr_option *o);
bool ev_plugin_formatter(const struct ev_plugin *p, size_t i, struct ftr_formatter *f);
bool ev_plugin_function(const struct ev_plugin *p, size_t i, struct ftr_function *f);
/* Returns the directory of ev_plugins_load_default(), borrowed from @s. */
const char *ev_plugins_dir(struct ev_plugins *s);
/* Returns true if records must be rendered in order, one after another. */
bool ev_plugins_ordered(const struct ev_plugins *s);

/* --- for the engine */

#define PLUG_ARGS_MAX 16		/* most arguments of a function */

struct ev_engine;
struct plug_thread;
/* Call it before the set is freed. */
void plug_thread_release(struct plug_thread *t);

/* Returns a formatter bound to a format, valid as long as the set. NULL if no plugin has one. */
struct plug_bind;
const struct plug_bind *plug_bind(const struct ev_plugins *s, const struct ev_format *fmt);
/*
 * Appends the text to @out. Returns false, with nothing appended, if the record must be rendered as
 * without a plugin.
 */
bool plug_render(const struct plug_bind *b, struct ev_engine *e, const struct ev_rec *r, int cpu,
		 uint64_t ts, struct buf *out);

/*
 * Return a function of print fmts, and its signature as in ftr/plugin.h; NULL if no plugin has it.
 */
struct plug_func;
const struct plug_func *plug_func_find(const struct ev_plugins *s, const char *name, size_t len);
const char *plug_func_signature(const struct plug_func *f);
/*
 * Returns the letter of argument @i in a signature, NULL after the last. The first @skip letters
 * '-' do not count, as the call lacks these arguments.
 */
const char *plug_signature_at(const char *sig, unsigned int skip, unsigned int i);
/*
 * Calls @f with as many arguments as its signature has. A string result is appended to @str
 * unchanged; *num gets an integer. Returns false if the result is unknown.
 */
bool plug_func_call(const struct plug_func *f, struct ev_engine *e, const struct ev_rec *r,
		    const struct ftr_arg *args, uint64_t *num, struct buf *str);
/* Sets *value to that of a constant in print fmts. Returns false if no plugin has it. */
bool plug_constant(const struct ev_plugins *s, const char *name, size_t len, int64_t *value);

#endif
