/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of the solver share. */
#ifndef FTR_OOPS_FIELDS_FIELD_SOLVER_PRIV_H
#define FTR_OOPS_FIELDS_FIELD_SOLVER_PRIV_H

#include "event/event.h"
#include "oops/fields/field_solver.h"
#include "oops/fields/print_fmt_parts.h"
#include "record/capture/capture_formats.h"

#define CACHE_SLOTS 256
/* Parameters of a system call. */
#define CALL_PARAMS 8

/* The value that a text was found to stand for. */
struct cached {
	char    *text;			/* NULL: none yet */
	size_t   len;
	uint64_t value;
	bool     good;
};

/* What a call's text has behind the number of a parameter: what user memory had there. */
enum call_user { CALL_NUMBER, CALL_STRING, CALL_BYTES };

/* A parameter of one record. */
struct call_param {
	struct span_text name;
	enum call_user user;
	uint64_t value;
	struct span_text memory;	/* a string as it is; bytes as "7f:45" */
};

/* A value as it is known of one record. */
struct value {
	uint64_t num;
	struct span_text str;
};

struct oops_solver {
	const struct oops_syms *syms;
	const struct formats *formats;
	struct buf kallsyms;
	struct ev_syms *symbols;
	/* of the record that is looked at */
	struct span_text pieces[PIECES_CONVS + 1];	/* what each group of conversions printed */
	struct value values[PIECES_VARS];
};

struct oops_fields {
	struct oops_solver *solver;
	char    *system, *name;
	bool     usable;
	size_t   good, bad;		/* records */

	struct ev_format from;		/* as the kernel has it */
	const char *text;
	struct pieces *p;		/* NULL: the event has no format */
	struct ev_world world;
	/* [0] is that of the file, then one for each value, one for each group of conversions */
	struct ev_format *formats;
	struct ev_engine *engine;
	struct cached *cache[PIECES_VARS];

	/* of one record, as ->solver->pieces */
	uint32_t solved;		/* bits of values */
	unsigned int splits, tries;	/* places where the text was cut, whole cuts */
	struct buf bytes, shown;

	/* a system call: its parameters, from its first record */
	bool     is_enter, is_exit;
	char    *params[CALL_PARAMS];
	enum call_user users[CALL_PARAMS];
	size_t   nr_params;
};

/*
 * field_values.c: all values of a record whose text is cut into ->pieces. False if one is not
 * found.
 */
bool fields_find_values(struct oops_fields *f);
/* field_render.c */
/* Formats that show only what depends on one value, or one group. */
bool fields_prepare(struct oops_fields *f);
/* ->bytes from ->values. */
void fields_build(struct oops_fields *f);
/* Whether the format @index shows ->bytes as @want. */
bool fields_shows(struct oops_fields *f, size_t index, const char *want, size_t len);
/* What the format of the value @v, or of the group @g, should show. */
void fields_expect_var(const struct oops_fields *f, size_t v, struct buf *out);
/*
 * syscall_text.c: the parameters in the text of a call; those of ->params, once these are known.
 * False if the text has others.
 */
bool fields_call_params(const struct oops_fields *f, struct span_text text, struct call_param *v,
			size_t *n);
/* The digits of a hexadecimal number at @*p, behind which @*p is then. */
bool fields_call_hex(const char **p, const char *end, uint64_t *v);
/* syscall_fields.c: the parameters of a system call. */
bool fields_solve_call(struct oops_fields *f, struct span_text text);
void fields_call_format(const struct oops_fields *f, struct buf *out);

#endif
