/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tokeniser for print fmt text: bounded, without allocation. */
#include "event/expr/lex.h"

#include <ctype.h>
#include <string.h>

#include "base/text.h"

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* 'S', '\n', '\0': formats have no other escapes of characters. */
static void lex_quoted(struct expr_lexer *l, char quote)
{
	static const char from[] = "ntr0\\'\"", to[] = "\n\t\r\0\\'\"";
	const char *p = l->p + 1, *at;

	l->tok = p;
	while (p < l->end && *p != quote)
		p += *p == '\\' && p + 1 < l->end ? 2 : 1;
	if (p >= l->end) {
		l->kind = LEX_BAD;
		return;
	}
	l->len = p - l->tok;
	l->p = p + 1;
	l->kind = quote == '"' ? LEX_STR : LEX_CHAR;
	if (quote == '"')
		return;
	at = l->len == 2 && *l->tok == '\\' && l->tok[1] ? strchr(from, l->tok[1]) : NULL;
	if (l->len == 1 && *l->tok != '\\')
		l->num = (unsigned char)*l->tok;
	else if (at)
		l->num = (unsigned char)to[at - from];
	else
		l->kind = LEX_BAD;
}

void lex_next(struct expr_lexer *l)
{
	static const char *const two[] = {
		"->", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "++", "--",
	};
	bool number;

	if (l->kind == LEX_BAD)
		return;
	while (l->p < l->end && isspace((unsigned char)*l->p))
		l->p++;
	l->tok = l->p;
	l->len = 0;
	if (l->p == l->end) {
		l->kind = LEX_END;
	} else if (is_name_char(*l->p)) {
		number = isdigit((unsigned char)*l->p);
		while (l->p < l->end && is_name_char(*l->p))
			l->p++;
		l->len = l->p - l->tok;
		l->kind = !number ? LEX_NAME :
			  !text_c_integer(l->tok, l->p, &l->num) ? LEX_NUM : LEX_BAD;
	} else if (*l->p == '"' || *l->p == '\'') {
		lex_quoted(l, *l->p);
	} else {
		l->kind = strchr("-+*/%&|^!~<>=?:()[]{},.;", *l->p) ? LEX_OP : LEX_BAD;
		l->len = 1;
		for (size_t i = 0; i < sizeof(two) / sizeof(*two); i++)
			if (l->end - l->p >= 2 && !memcmp(l->p, two[i], 2))
				l->len = 2;
		l->p += l->len;
	}
}

void lex_start(struct expr_lexer *l, const char *text, size_t len)
{
	*l = (struct expr_lexer){ .p = text, .end = text + len, .kind = LEX_OP };
	lex_next(l);
}

bool lex_is(const struct expr_lexer *l, const char *word)
{
	return (l->kind == LEX_OP || l->kind == LEX_NAME) && strlen(word) == l->len &&
	       !memcmp(l->tok, word, l->len);
}

bool lex_accept(struct expr_lexer *l, const char *op)
{
	if (l->kind != LEX_OP || !lex_is(l, op))
		return false;
	lex_next(l);
	return true;
}
