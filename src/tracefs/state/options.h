/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Trace options with what they are and what they are in a fresh kernel. */
#ifndef FTR_TRACEFS_OPTIONS_H
#define FTR_TRACEFS_OPTIONS_H

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
	const char *tracer;		/* whose option it is; NULL = of all tracing */
	bool on;
	enum option_default usual;	/* in a fresh kernel */
};

struct trace_options {
	struct trace_option *v;
	size_t n, cap;
};

/*
 * All options of @instance (NULL = top) by name: those of tracers that are not set, too, as far as
 * the kernel has files for them. -1 with @err. Released by the caller.
 */
int options_read(const struct tfs *t, const char *instance, struct trace_options *out,
		 struct ftr_error *err);
void options_release(struct trace_options *o);
/* What @name is in a fresh kernel, at the top or in a new instance. */
enum option_default option_usual(const char *name, bool in_instance);

/* 1 for 1, on, yes, true; 0 for 0, off, no, false; else -1. */
int option_value(const char *text);

/*
 * "NAME", "noNAME", "NAME=1" (on, yes, true; 0, off, no, false) taken apart: *name (the caller
 * frees) and *on. -1 with code FTR_USAGE.
 */
int option_word(const char *word, char **name, bool *on, struct ftr_error *err);

#endif
