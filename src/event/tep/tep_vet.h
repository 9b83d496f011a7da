/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Vets formats: rewrites them for libtraceevent in the safe part of its language. */
#ifndef FTR_EVENT_TEP_VET_H
#define FTR_EVENT_TEP_VET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"
#include "event/data/data.h"
#include "event/expr/lex.h"

#define VET_ARGS_MAX	128

/*
 * An argument of a conversion: '*', 'd' (any integer), 's', 'c', or 'p' with the letters after it
 * in ->sub.
 */
struct vet_arg {
	char conv;
	char sub[3];
	uint32_t at, len;	/* offset and length of the conversion in vet.text */
};

struct tep_vet {
	const struct ev_format *fmt;
	uint8_t    long_size;
	struct buf text;	/* the format file for libtraceevent */
	struct buf args;	/* the arguments written so far */
	struct expr_lexer lex;
	struct vet_arg want[VET_ARGS_MAX];
	size_t     nr_want;
	unsigned int depth, nodes;
	bool       unknown;	/* the last failure is due to a name that only the kernel knows */
	bool       chars;	/* the argument is for a %c: write 'X' as a string */
	bool       dry;		/* needs a dry run on each record before libtraceevent */
	bool       offsets;	/* the print fmt has %pS: symbols have offsets */
	/* with plugins of libtraceevent: */
	bool       fields_only;	/* a plugin makes the text */
	bool       foreign;	/* unknown functions are allowed, as plugins may have them */
	bool       foreign_text;	/* unknown functions return strings, else numbers */
	char       why[128];	/* the reason, if a function returns -1 */
};

/*
 * Rewrites @fmt into v->text. Returns -1 with v->why if the format has something that libtraceevent
 * 1.7.1 can't parse, silently prints wrong, or is unsafe with. Set ->fmt and ->long_size, and zero
 * the rest of @v.
 */
int vet_format(struct tep_vet *v);
void vet_release(struct tep_vet *v);

/* Between tep_vet.c and tep_vet_expr.c. */
enum vet_kind {
	VET_NUM,		/* a number that needs no parentheses */
	VET_OP,			/* a number, in parentheses */
	VET_FIELD,		/* REC->field */
	VET_DYN,		/* __get_dynamic_array(field) */
	VET_TEXT,		/* a string, or a helper that prints */
};

struct vet_expr {
	enum vet_kind kind;
	size_t   start;		/* start of its text in v->args */
	bool     is_const;
	uint64_t value;		/* if is_const */
	const struct ev_field *field;	/* VET_FIELD, VET_DYN */
	unsigned int height;
	bool     address;	/* written as &REC->field */
};

int vet_fail(struct tep_vet *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/*
 * Vets one expression up to a comma or a closing bracket, and appends it to v->args. Returns -1
 * with v->why if it is refused.
 */
int vet_expr(struct tep_vet *v, struct vet_expr *e);
/*
 * Appends adjacent string literals from the current token on, in quotes. Returns -1 if one has a
 * control character.
 */
int vet_string(struct tep_vet *v, struct buf *out);
int vet_expect(struct tep_vet *v, const char *op);

#endif
