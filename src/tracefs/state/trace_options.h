/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Trace options: their values now, and their values in a fresh kernel. */
#ifndef FTR_TRACEFS_STATE_TRACE_OPTIONS_H
#define FTR_TRACEFS_STATE_TRACE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "tracefs/session/session.h"

enum option_default {
	OPTION_OFF,
	OPTION_ON,
	OPTION_UNKNOWN,			/* a kernel newer than this table */
};

struct trace_option {
	char *name;
	const char *tracer;		/* tracer that has it; NULL = a general option */
	bool on;
	enum option_default usual;	/* value in a fresh kernel */
};

struct trace_options {
	struct trace_option *v;
	size_t n, cap;
};

/*
 * Reads all options of @instance (NULL = top), sorted by name, also options of tracers that are not
 * set, if the kernel has files for them. The caller releases @out. Returns 0, or -1 with @err.
 */
int options_read(const struct tfs *t, const char *instance, struct trace_options *out,
		 struct ftr_error *err);
void options_release(struct trace_options *o);
/* Returns the value of @name in a fresh kernel, at the top level or in a new instance. */
enum option_default option_usual(const char *name, bool in_instance);

/* Returns 1 for 1, on, yes, true; 0 for 0, off, no, false; else -1. */
int option_value(const char *text);

/*
 * Parses "NAME", "noNAME" or "NAME=VALUE", a value of option_value(), to *name (the caller frees)
 * and *on. Returns 0, or -1 with @err (FTR_USAGE).
 */
int option_word(const char *word, char **name, bool *on, struct ftr_error *err);

#endif
