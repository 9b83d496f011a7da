/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tokens of a print fmt, which is C source made text by the preprocessor. */
#ifndef FTR_EVENT_LEX_H
#define FTR_EVENT_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum lex_kind { LEX_END, LEX_NUM, LEX_NAME, LEX_STR, LEX_CHAR, LEX_OP, LEX_BAD };

/* The current token is at [tok, tok + len); strings without their quotes, escapes as written. */
struct lex {
	const char *p, *end;
	enum lex_kind kind;
	const char *tok;
	size_t      len;
	uint64_t    num;	/* LEX_NUM, LEX_CHAR */
};

void lex_start(struct lex *l, const char *text, size_t len);	/* and reads the first token */
void lex_next(struct lex *l);
bool lex_is(const struct lex *l, const char *op_or_name);
/* True and on to the next token if the current one is @op. */
bool lex_take(struct lex *l, const char *op);

#endif
