/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Vetting of formats: what libtraceevent gets to see is written anew, in the part of its language
 * that is safe.
 */
#ifndef FTR_EVENT_VET_H
#define FTR_EVENT_VET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"
#include "event/data/data.h"
#include "event/expr/lex.h"

#define VET_ARGS_MAX	128

/*
 * One argument that a conversion takes: '*', 'd' (any integer), 's', 'c', 'p' with what follows it
 * in ->sub.
 */
struct vet_arg {
	char conv;
	char sub[3];
	uint32_t at, len;	/* the conversion in vet.text */
};

struct vet {
	const struct ev_format *fmt;
	uint8_t    long_size;
	struct buf text;	/* the format file for libtraceevent */
	struct buf args;	/* the arguments while they are written */
	struct lex lex;
	struct vet_arg want[VET_ARGS_MAX];
	size_t     nr_want;
	unsigned int depth, nodes;
	bool       unknown;	/* the last failure was a name that only the kernel knows */
	bool       chars;	/* 'X' is wanted as a string: the argument of a %c */
	bool       dry;		/* must be run dry on each record before libtraceevent sees it */
	bool       offsets;	/* %pS: symbols are shown with offsets */
	/* with plugins of libtraceevent: */
	bool       fields_only;	/* a plugin makes the text */
	bool       foreign;	/* unknown functions may be called, plugins may have them */
	bool       foreign_text;	/* they return strings */
	char       why[128];	/* why not, after -1 */
};

/*
 * Rewrites @fmt into v->text. -1 and v->why when it has something that libtraceevent 1.7.1 can't
 * parse, prints wrongly in silence, or is not safe with. A zeroed @v will do but for fmt and
 * long_size.
 */
int vet_format(struct vet *v);
void vet_release(struct vet *v);

/* Between vet.c, vet_expr.c and vet_call.c. */
enum vet_kind {
	VET_NUM,		/* a number that needs no parentheses */
	VET_OP,			/* a number, in parentheses */
	VET_FIELD,		/* REC->field */
	VET_DYN,		/* __get_dynamic_array(field) */
	VET_TEXT,		/* a string, or a helper that prints */
};

struct vet_expr {
	enum vet_kind kind;
	size_t   start;		/* where its text starts in v->args */
	bool     is_const;
	uint64_t value;		/* if is_const */
	const struct ev_field *field;	/* VET_FIELD, VET_DYN */
	unsigned int height;
	bool     address;	/* written as &REC->field */
};

int vet_no(struct vet *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* One expression up to a comma or a closing bracket, appended to v->args. */
int vet_expr(struct vet *v, struct vet_expr *e);
/* Replaces the text of @e by the number. */
void vet_const(struct vet *v, struct vet_expr *e, uint64_t value);
/* A call of the helper @name; the current token is behind the opening parenthesis. */
int vet_call(struct vet *v, const char *name, size_t len, struct vet_expr *e);
/* Adjacent string literals from the current token on, in quotes. */
int vet_string(struct vet *v, struct buf *out);
int vet_expect(struct vet *v, const char *op);
/* The field that the current token names. */
const struct ev_field *vet_field(struct vet *v);

#endif
