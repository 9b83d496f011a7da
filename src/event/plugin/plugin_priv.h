/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the plugin loader share. */
#ifndef FTR_EVENT_PLUGIN_PRIV_H
#define FTR_EVENT_PLUGIN_PRIV_H

#include <pthread.h>

#include "base/mem.h"
#include "event/plugin/plugin.h"

/* One -O. */
struct plug_option {
	char *plugin;		/* NULL: whichever has it */
	char *name;
	char *value;		/* NULL: none was given */
	bool  used;
};

/*
 * Tables as the host's structures: what a plugin of an older header has not is zero. Elements are
 * copied, as theirs may be shorter.
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
	const struct ev_format *fmt;	/* of a trace; it may go before the binding does */
	void *priv;
	const struct ev_field **fields;	/* by handle; NULL: absent */
	size_t nr_fields, cap_fields;
	struct plug_bind *next;
};

struct ev_plugins {
	struct ev_plugin **v;
	size_t n, cap;
	struct plug_option *options;
	size_t nr_options, cap_options;
	/* their elements stay where they are: others keep pointers */
	struct plug_formatter **formatters;
	size_t nr_formatters, cap_formatters;
	struct plug_func **funcs;
	size_t nr_funcs, cap_funcs;
	struct ftr_constant *constants;
	size_t nr_constants, cap_constants;
	struct ftr_error wrong_option;	/* for a plugin that came with ftr */
	bool  traceevent;
	bool  late;			/* load plugins when they are needed */
	size_t asleep;			/* those that were not needed yet */
	char *folder;
	pthread_mutex_t lock;		/* engines bind, and load, while they render */
	struct plug_bind *binds;
};

/* What formatters and functions are given. */
struct ftr_record {
	const struct plug_bind *bind;	/* NULL in functions: no fields then */
	const struct ev_plugin *plugin;
	struct plug_thread *thread;
	struct ev_engine *engine;
	const struct ev_rec *rec;
	int      cpu;
	uint64_t ts;
	bool     bad;			/* something was read that is not there */
};

struct ftr_out {
	struct ftr_record *rec;
	struct buf *buf;
	size_t start;			/* of ->buf */
	bool   plain;			/* keep control bytes: the caller sees to them */
};

/* plugin_out.c: takes back what was written. */
void plug_out_undo(struct ftr_out *out);
/* plugin_options.c: whether the table makes sense; its defaults are set. */
int plug_options_check(const struct ev_plugin *p, struct ftr_error *err);
/* Sets what -O says. */
int plug_options_apply(struct ev_plugins *s, const struct ev_plugin *p, struct ftr_error *err);
/* plugin_late.c: what FTR_PLUGIN_LATE() says in the file @fd, the caller's; NULL: nothing. */
char *plug_late_events(int fd);
/* Whether one of the events fits; and whether the list has a formatter's. */
bool plug_late_fits(const char *events, const char *system, const char *event);
bool plug_late_names(const char *events, const struct ftr_formatter *f);
/* plugin_call.c, under the lock: a constant of those that are loaded. */
bool plug_has_constant(const struct ev_plugins *s, const char *name, size_t len, int64_t *value);
/* plugin.c: loads those that are not yet, under the lock. */
void plug_wake(struct ev_plugins *s);
/*
 * plugin_safe.c: opens a regular file, for reading, that nobody who is not trusted could have put
 * there. A descriptor that is the caller's, or -1.
 */
int plug_open(const char *path, struct ftr_error *err);
/* The same for a folder, with O_PATH; and for the file @path in such a folder. */
int plug_open_folder(const char *path, struct ftr_error *err);
int plug_open_in(int folder, const char *path, struct ftr_error *err);
/* True when the program has rights that its user or its place has not. */
bool plug_elevated(void);
const char *plug_installed_folder(void);

#endif
