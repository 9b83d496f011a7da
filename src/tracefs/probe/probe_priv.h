/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words of a probe's text, and their translation to the kernel's syntax. */
#ifndef FTR_TRACEFS_PROBE_PROBE_PRIV_H
#define FTR_TRACEFS_PROBE_PROBE_PRIV_H

#include "tracefs/probe/dynamic_probe.h"

/* A word of the user's text and its offset there. */
struct probe_word {
	char  *text;
	size_t at, len;
};

/* The state of a translation. */
struct probe_build {
	struct probe_kernel *k;
	const struct probe_ask *ask;
	struct probe_def *def;
	struct ftr_error *err;
	char *func;		/* name of the probed function, without module; or NULL */
	char *fields;		/* eprobe: the format of its event, or NULL */
	bool  is_return;
	bool  of_module;	/* "MODULE:FUNCTION", whose types the kernel does not find */
	bool  at_entry;		/* arguments are in their registers */
	bool  user_regs;	/* a program of this machine's kind: $argN has a register */
	struct strv arg_names;
	struct buf out;
};

/* Appends @s, which replaces the user's text at [user, user + user_len). */
void build_add(struct probe_build *m, const char *s, size_t user, size_t user_len, bool same);
/* Appends the user's text, with a caret under @at, to the message. Returns -1. */
int build_point(struct probe_build *m, size_t at);

/* Appends " NAME=EXPR:TYPE" for one word. Returns 0, or -1 with the error. */
int build_arg(struct probe_build *m, const struct probe_word *w);

/* Returns the kind of a definition by its first letter and its place. */
enum probe_kind probe_kind_of(char letter, const char *place);
/* Refuses a tracepoint, a module or an offset that does not exist. Returns 0, or -1 with @err. */
int probe_check_there(const struct probe_line *l, struct ftr_error *err);

/* The registers of the first six arguments on x86-64. */
extern const char *const probe_arg_regs[6];

#endif
