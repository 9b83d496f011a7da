/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Syntax of filter expressions: what the kernel's filters and libtraceevent's take. The two agree
 * where they meet: "flags & 4" alone is true when a bit is set, and "flags & 4 == 4", which the
 * kernel refuses, means what it seems to, as arithmetic binds tighter than comparing.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "trace/filter_priv.h"

struct parser {
	struct scan s;
	unsigned int depth;
	struct ftr_error *err;
};

void ast_free(struct ast *a)
{
	if (!a)
		return;
	ast_free(a->l);
	ast_free(a->r);
	if (a->pat)
		pattern_release(a->pat);
	free(a->pat);
	free(a->str);
	free(a->cpus);
	free(a);
}

static struct ast *parse_or(struct parser *p);

static struct ast *fail_token(struct parser *p, const char *what)
{
	const struct scan *s = &p->s;

	filter_fail(p->err, s->text, s->at, s->len, "%s", s->kind == TOK_BAD ? s->why : what);
	return NULL;
}

/* An error about @a, which is freed. */
static struct ast *fail_at_node(struct parser *p, struct ast *a, const struct ast *at,
				const char *what)
{
	filter_fail(p->err, p->s.text, at->at, at->len, "%s", what);
	ast_free(a);
	return NULL;
}

static struct ast *ast_new(const struct scan *s, enum ast_kind kind)
{
	struct ast *a = xcalloc(1, sizeof(*a));

	a->kind = kind;
	a->at = s->at;
	a->len = s->len;
	return a;
}

/* @l (NULL for AST_NOT) and @r become one; its place is that of both. */
static struct ast *ast_join(enum ast_kind kind, enum ast_op op, struct ast *l, struct ast *r)
{
	struct ast *a = xcalloc(1, sizeof(*a));

	a->kind = kind;
	a->op = op;
	a->l = l;
	a->r = r;
	a->at = l ? l->at : r->at;
	a->len = r->at + r->len - a->at;
	return a;
}

/* "CPUS{0-3,7}": the scanner is at the brace. */
static struct ast *parse_cpus(struct parser *p, struct ast *a)
{
	size_t from = p->s.at + 1, len = strcspn(p->s.text + from, "}");
	char *list;
	int bad;

	if (!p->s.text[from + len])
		return fail_at_node(p, a, a, "a '}' is missing");
	list = xstrndup(p->s.text + from, len);
	a->cpus = xcalloc(FILTER_CPU_BITS / 64, sizeof(*a->cpus));
	bad = text_cpulist(list, a->cpus, FILTER_CPU_BITS);
	free(list);
	a->kind = AST_CPUS;
	a->len = from + len + 1 - a->at;
	if (bad)
		return fail_at_node(p, a, a, "that is not a list of CPUs");
	p->s.pos = from + len + 1;
	scan_next(&p->s);
	return a;
}

/* "field.function", "field.ustring" */
static struct ast *parse_field_postfix(struct parser *p, struct ast *a)
{
	if (!scan_take(&p->s, "."))
		return a;
	if (scan_is(&p->s, "function"))
		a->postfix = POST_FUNCTION;
	else if (scan_is(&p->s, "ustring"))
		a->postfix = POST_USTRING;
	else
		a->postfix = POST_NONE;
	if (a->postfix == POST_NONE) {
		ast_free(a);
		return fail_token(p, "only .function or .ustring can follow a field");
	}
	scan_next(&p->s);
	return a;
}

static struct ast *parse_field_name(struct parser *p)
{
	struct ast *a = ast_new(&p->s, AST_FIELD);

	a->str = xstrndup(p->s.text + p->s.at, p->s.len);
	scan_next(&p->s);
	if (!strcmp(a->str, "CPUS") && scan_is(&p->s, "{"))
		return parse_cpus(p, a);
	return parse_field_postfix(p, a);
}

static struct ast *parse_value(struct parser *p)
{
	struct ast *a;

	if (p->s.kind == TOK_NAME)
		return parse_field_name(p);
	if (p->s.kind != TOK_NUM && p->s.kind != TOK_STR)
		return fail_token(p, p->s.kind == TOK_END ? "something is missing here" :
				  "a field, a number or a text should be here");
	a = ast_new(&p->s, p->s.kind == TOK_NUM ? AST_NUM : AST_STR);
	a->num = p->s.num;
	if (a->kind == AST_STR)
		a->str = xstrndup(p->s.text + a->at + 1, a->len - 2);
	scan_next(&p->s);
	return a;
}

/* '-' and '~' before a number. */
static struct ast *parse_signed(struct parser *p, bool minus)
{
	struct ast *a;

	if (p->s.kind != TOK_NUM)
		return fail_token(p, minus ? "only a number can be negative" :
				  "'~' stands between a field and a pattern, or before a number");
	a = parse_value(p);
	a->num = minus ? -a->num : ~a->num;
	a->at--;
	a->len++;
	return a;
}

static struct ast *parse_factor(struct parser *p)
{
	struct ast *a;

	if (scan_take(&p->s, "-"))
		return parse_signed(p, true);
	if (scan_take(&p->s, "~"))
		return parse_signed(p, false);
	if (!scan_take(&p->s, "("))
		return parse_value(p);
	a = parse_or(p);
	if (a && !scan_take(&p->s, ")")) {
		ast_free(a);
		return fail_token(p, "a ')' is missing");
	}
	return a;
}

static const struct {
	const char *text;
	enum ast_op op;
	int level;
} value_ops[] = {
	{ "|", OP_BIT_OR, 0 }, { "^", OP_BIT_XOR, 1 }, { "&", OP_BIT_AND, 2 }, { "<<", OP_SHL, 3 },
	{ ">>", OP_SHR, 3 }, { "+", OP_ADD, 4 }, { "-", OP_SUB, 4 }, { "*", OP_MUL, 5 },
	{ "/", OP_DIV, 5 }, { "%", OP_MOD, 5 },
};

static bool take_value_op(struct scan *s, int level, enum ast_op *op)
{
	for (size_t i = 0; i < sizeof(value_ops) / sizeof(*value_ops); i++) {
		if (value_ops[i].level != level || !scan_take(s, value_ops[i].text))
			continue;
		*op = value_ops[i].op;
		return true;
	}
	return false;
}

static struct ast *parse_arith(struct parser *p, int level)
{
	struct ast *l = level < 6 ? parse_arith(p, level + 1) : parse_factor(p), *r;
	enum ast_op op;

	while (l && level < 6 && take_value_op(&p->s, level, &op)) {
		r = parse_arith(p, level + 1);
		if (!r) {
			ast_free(l);
			return NULL;
		}
		l = ast_join(AST_ARITH, op, l, r);
	}
	return l;
}

static bool compare_op(struct scan *s, enum ast_op *op)
{
	static const struct {
		const char *text;
		enum ast_op op;
	} ops[] = {
		{ "==", OP_EQ }, { "!=", OP_NE }, { "<=", OP_LE }, { ">=", OP_GE }, { "<", OP_LT },
		{ ">", OP_GT }, { "~", OP_GLOB }, { "=~", OP_MATCH }, { "!~", OP_NO_MATCH },
	};

	for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++) {
		*op = ops[i].op;
		/* a pattern may have any characters: it is not to be scanned as tokens */
		if (*op == OP_GLOB && scan_is(s, "~"))
			return true;
		if (scan_take(s, ops[i].text))
			return true;
	}
	return false;
}

/* What '~' takes: a text in quotes, or a word up to the next blank. */
static struct ast *parse_pattern(struct parser *p)
{
	struct ast *a;

	scan_next(&p->s);
	if (p->s.kind != TOK_STR) {
		if (p->s.kind == TOK_BAD && p->s.text[p->s.at] != '"' &&
		    p->s.text[p->s.at] != '\'')
			p->s.kind = TOK_OP;
		if (p->s.kind == TOK_BAD || p->s.kind == TOK_END)
			return fail_token(p, "a pattern is missing");
		scan_word(&p->s);
	}
	if (p->s.kind != TOK_STR && p->s.kind != TOK_NAME)
		return fail_token(p, "a pattern is missing");
	a = ast_new(&p->s, AST_STR);
	a->str = p->s.kind == TOK_STR ? xstrndup(p->s.text + a->at + 1, a->len - 2) :
		 xstrndup(p->s.text + a->at, a->len);
	scan_next(&p->s);
	return a;
}

static int set_pattern(struct ast *a)
{
	const char *text = a->r->str;

	a->pat = xcalloc(1, sizeof(*a->pat));
	if (a->op == OP_MATCH || a->op == OP_NO_MATCH)
		return pattern_regex(a->pat, text, strlen(text));
	if (a->op == OP_GLOB)
		pattern_glob(a->pat, text, strlen(text));
	else
		pattern_exact(a->pat, text, strlen(text));
	return 0;
}

static bool is_ordering(enum ast_op op)
{
	return op == OP_LT || op == OP_GT || op == OP_LE || op == OP_GE;
}

/* Texts and lists of CPUs stand right of a field; not all can be asked of them. */
static struct ast *check_compare(struct parser *p, struct ast *a)
{
	bool match = a->op == OP_GLOB || a->op == OP_MATCH || a->op == OP_NO_MATCH;

	if (match && a->r->kind != AST_STR)
		return fail_at_node(p, a, a->r, "a pattern in quotes should be here");
	if (a->r->kind == AST_CPUS && is_ordering(a->op))
		return fail_at_node(p, a, a, "a list of CPUs can be compared by ==, != and & only");
	if (a->r->kind != AST_STR)
		return a;
	if (a->l->kind != AST_FIELD)
		return fail_at_node(p, a, a->l, "only a field can be compared with a text");
	if (is_ordering(a->op))
		return fail_at_node(p, a, a, "texts can be compared by ==, !=, ~, =~ and !~ only");
	if (set_pattern(a))
		return fail_at_node(p, a, a->r, "that is not a regular expression");
	return a;
}

static struct ast *parse_operands(struct parser *p)
{
	struct ast *l = parse_arith(p, 0), *r;
	enum ast_op op;

	if (!l || !compare_op(&p->s, &op))
		return l;
	r = op == OP_GLOB ? parse_pattern(p) : parse_arith(p, 0);
	if (!r) {
		ast_free(l);
		return NULL;
	}
	return check_compare(p, ast_join(AST_CMP, op, l, r));
}

static struct ast *parse_compare(struct parser *p)
{
	struct ast *a;

	if (++p->depth > FILTER_DEPTH_MAX)
		return fail_token(p, "it nests too deep");
	if (scan_take(&p->s, "!")) {
		a = parse_compare(p);
		a = a ? ast_join(AST_NOT, 0, NULL, a) : NULL;
	} else {
		a = parse_operands(p);
	}
	p->depth--;
	return a;
}

static struct ast *parse_and(struct parser *p)
{
	struct ast *l = parse_compare(p), *r;

	while (l && scan_take(&p->s, "&&")) {
		r = parse_compare(p);
		if (!r) {
			ast_free(l);
			return NULL;
		}
		l = ast_join(AST_AND, 0, l, r);
	}
	return l;
}

static struct ast *parse_or(struct parser *p)
{
	struct ast *l = parse_and(p), *r;

	while (l && scan_take(&p->s, "||")) {
		r = parse_and(p);
		if (!r) {
			ast_free(l);
			return NULL;
		}
		l = ast_join(AST_OR, 0, l, r);
	}
	return l;
}

/*
 * Texts stand only where check_compare() has seen them, lists of CPUs also behind "field &". The
 * place of what is wrong, or NULL.
 */
static const struct ast *find_misplaced(const struct ast *a)
{
	bool takes = a->kind == AST_CMP || (a->kind == AST_ARITH && a->op == OP_BIT_AND);
	const struct ast *bad;

	if (!a->r)
		return NULL;
	if (a->l && (a->l->kind == AST_STR || a->l->kind == AST_CPUS))
		return a->l;
	if (a->r->kind == AST_STR && a->kind != AST_CMP)
		return a->r;
	if (a->r->kind == AST_CPUS && (!takes || a->l->kind != AST_FIELD))
		return a->r;
	bad = a->l ? find_misplaced(a->l) : NULL;
	return bad ? bad : find_misplaced(a->r);
}

struct ast *ast_parse(const char *text, size_t from, struct ftr_error *err)
{
	struct parser p = { .err = err };
	const struct ast *bad;
	struct ast *a;

	scan_start(&p.s, text, from);
	a = parse_or(&p);
	if (!a)
		return NULL;
	if (p.s.kind != TOK_END) {
		ast_free(a);
		return fail_token(&p, scan_is(&p.s, "=") ? "'==' compares" :
				  "an operator or the end should be here");
	}
	bad = a->kind == AST_STR || a->kind == AST_CPUS ? a : find_misplaced(a);
	return bad ? fail_at_node(&p, a, bad, "that is not compared with anything") : a;
}
