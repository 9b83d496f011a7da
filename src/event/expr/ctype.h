/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The C types that a print fmt computes with. */
#ifndef FTR_EVENT_CTYPE_H
#define FTR_EVENT_CTYPE_H

#include <stdbool.h>
#include <stdint.h>

#include "event/expr/lex.h"

struct ctype {
	uint8_t size;		/* bytes, of a pointer the long's; 0: void, or a structure */
	bool    sign, is_bool;
	uint8_t ptr;		/* how many '*' */
	uint8_t esize;		/* of what a pointer points to; 0: void, or not known */
	bool    esign;
	uint8_t tag;		/* of the structure, or of what is pointed to: enum ctype_tag */
	bool    named;		/* a name that is not known: a cast to it changes nothing */
};

/* Structures whose members print fmts read. */
enum ctype_tag {
	CTYPE_NO_TAG, CTYPE_OTHER_TAG, CTYPE_DRM_RECT, CTYPE_MMU_ROLE, CTYPE_VOID,
	CTYPE_PAGE,		/* its size alone */
};

struct ctype ctype_int(uint8_t size, bool sign);
struct ctype ctype_pointer(uint8_t long_size, uint8_t esize, bool esign);
/*
 * Reads a type name: "unsigned long", "const struct page *", "u8". False, with nothing read, when
 * no name stands there, or one with which no type starts.
 */
bool ctype_read(struct lex *l, uint8_t long_size, struct ctype *t);
/* What operands of + - * / ... are converted to; integer promotion is with itself. */
struct ctype ctype_common(struct ctype a, struct ctype b);
/* @v as a value of that type: cut, then extended to 64 bits. */
uint64_t ctype_convert(struct ctype t, uint64_t v);

#endif
