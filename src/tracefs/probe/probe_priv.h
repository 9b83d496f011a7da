/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words of a probe's text, and how each becomes the kernel's. */
#ifndef FTR_TRACEFS_PROBE_PROBE_PRIV_H
#define FTR_TRACEFS_PROBE_PROBE_PRIV_H

#include "tracefs/probe/dynamic_probe.h"

/* A word of the user's text and where it stands there. */
struct word {
	char  *text;
	size_t at, len;
};

/* Names that are taken already, of arguments or of events. */
struct making {
	struct probe_kernel *k;
	const struct probe_ask *ask;
	struct probe_def *def;
	struct ftr_error *err;
	char *func;		/* of a probe on a function: its name, without module */
	char *fields;		/* of an eprobe: the format of its event, or NULL */
	bool  is_return;
	bool  of_module;	/* "MODULE:FUNCTION", of which the kernel finds no types */
	bool  at_entry;		/* where arguments are in their registers */
	bool  user_regs;	/* a program of this machine's kind: $argN has a register */
	struct strv arg_names;
	struct buf out;
};

/* Appends @n bytes of @s, which stand for the user's at [user, user + user_len). */
void making_add(struct making *m, const char *s, size_t user, size_t user_len, bool same);
/* Puts the user's text with a caret under @at behind the message. Returns -1. */
int making_point(struct making *m, size_t at);

/* Appends " NAME=EXPR:TYPE" for one word. -1 with the error. */
int making_arg(struct making *m, const struct word *w);

/* Refuses a tracepoint, a module and an offset that are not there. -1 with @err. */
int probe_check_there(const struct probe_line *l, struct ftr_error *err);

/* The registers of the first six arguments on x86-64. */
extern const char *const probe_arg_regs[6];

#endif
