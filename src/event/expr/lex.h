/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tokens of a print fmt, which is C source that the preprocessor has converted to a string. */
#ifndef FTR_EVENT_LEX_H
#define FTR_EVENT_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum lex_kind { LEX_END, LEX_NUM, LEX_NAME, LEX_STR, LEX_CHAR, LEX_OP, LEX_BAD };

/* The current token is [tok, tok + len). Strings are without quotes; escapes are not decoded. */
struct expr_lexer {
	const char *p, *end;
	enum lex_kind kind;
	const char *tok;
	size_t      len;
	uint64_t    num;	/* LEX_NUM, LEX_CHAR */
};

void lex_start(struct expr_lexer *l, const char *text, size_t len); /* also reads the first token */
void lex_next(struct expr_lexer *l);
bool lex_is(const struct expr_lexer *l, const char *op_or_name);
/* Moves to the next token and returns true if the current one is @op. */
bool lex_accept(struct expr_lexer *l, const char *op);

#endif
