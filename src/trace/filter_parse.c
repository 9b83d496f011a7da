/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The syntax of filters: tokens, expressions, and the events that one -F names. Expressions have
 * the syntax of the kernel's filters and of libtraceevent. The two agree on their common part:
 * "flags & 4" alone is true when a bit is set, and "flags & 4 == 4", which the kernel refuses,
 * compares the masked value, as arithmetic binds tighter than comparisons.
 */
#include "trace/filter_priv.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define EXCERPT 64		/* bytes of a long filter that are shown */

enum tok_kind { TOK_END, TOK_NUM, TOK_NAME, TOK_STR, TOK_OP, TOK_BAD };

struct filter_scanner {
	const char *text;	/* NUL-terminated: the whole filter, for messages */
	size_t pos;		/* offset of the end of the current token */
	enum tok_kind kind;
	size_t at, len;		/* the current token in ->text; strings with their quotes */
	uint64_t num;		/* TOK_NUM */
	const char *why;	/* TOK_BAD */
};

static bool is_field_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static void scan_number(struct filter_scanner *s)
{
	const char *p = s->text + s->at;
	int ret;

	while (is_field_char(p[s->len]))
		s->len++;
	ret = text_c_integer(p, p + s->len, &s->num);
	s->kind = ret ? TOK_BAD : TOK_NUM;
	s->why = !ret ? NULL : ret == -ERANGE ? "it does not fit in 64 bits" :
		 "that is not a number";
}

static void scan_quoted(struct filter_scanner *s)
{
	const char *p = s->text + s->at, quote = *p++;

	while (*p && *p != quote)
		p += *p == '\\' && p[1] ? 2 : 1;
	s->kind = *p ? TOK_STR : TOK_BAD;
	s->why = "the quote is not closed";
	s->len = *p ? p + 1 - (s->text + s->at) : 1;
}

static void scan_op(struct filter_scanner *s)
{
	static const char *const two[] = {
		"&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "=~", "!~",
	};
	const char *p = s->text + s->at;

	s->kind = TOK_OP;
	s->len = 1;
	for (size_t i = 0; i < sizeof(two) / sizeof(*two); i++)
		if (!strncmp(p, two[i], 2))
			s->len = 2;
	if (!strchr("-+*/%&|^!~<>=(){}.", *p)) {
		s->kind = TOK_BAD;
		s->why = "that character can be in quotes only";
	}
}

static void scan_next(struct filter_scanner *s)
{
	if (s->kind == TOK_BAD)
		return;
	while (isspace((unsigned char)s->text[s->pos]))
		s->pos++;
	s->at = s->pos;
	s->len = 0;
	if (!s->text[s->at])
		s->kind = TOK_END;
	else if (isdigit((unsigned char)s->text[s->at]))
		scan_number(s);
	else if (s->text[s->at] == '"' || s->text[s->at] == '\'')
		scan_quoted(s);
	else if (!is_field_char(s->text[s->at]))
		scan_op(s);
	else
		for (s->kind = TOK_NAME; is_field_char(s->text[s->at + s->len]);)
			s->len++;
	s->pos = s->at + s->len;
}

/* Makes the text up to a blank, ')', "&&" or "||" the current token: a pattern without quotes. */
static void scan_word(struct filter_scanner *s)
{
	const char *p = s->text + s->at;

	if (s->kind == TOK_END || s->kind == TOK_STR)
		return;
	while (*p && !isspace((unsigned char)*p) && *p != ')' && strncmp(p, "&&", 2) &&
	       strncmp(p, "||", 2))
		p++;
	s->len = p - (s->text + s->at);
	s->pos = s->at + s->len;
	s->kind = s->len ? TOK_NAME : TOK_OP;
}

static bool scan_is(const struct filter_scanner *s, const char *word)
{
	return (s->kind == TOK_OP || s->kind == TOK_NAME) && strlen(word) == s->len &&
	       !memcmp(s->text + s->at, word, s->len);
}

static bool scan_accept(struct filter_scanner *s, const char *op)
{
	if (s->kind != TOK_OP || !scan_is(s, op))
		return false;
	scan_next(s);
	return true;
}

/* Only the first byte of a UTF-8 character has a column. */
static bool has_column(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

/* Adds a line with the text around [at, at + len), and a line with the mark below it. */
static void add_excerpt(struct buf *b, const char *text, size_t at, size_t len)
{
	size_t n = strlen(text), from = 0, to = n, i;

	if (n > EXCERPT && at > EXCERPT / 2)
		from = at - EXCERPT / 2;
	if (n - from > EXCERPT)
		to = from + EXCERPT;
	buf_addstr(b, from ? "\n  ..." : "\n  ");
	for (i = from; i < to; i++)
		buf_addch(b, isspace((unsigned char)text[i]) ? ' ' : text[i]);
	buf_addstr(b, to < n ? "...\n  " : "\n  ");
	buf_addstr(b, from ? "   " : "");
	for (i = from; i < at && i < to; i++)
		if (has_column(text[i]))
			buf_addch(b, ' ');
	buf_addch(b, '^');
	for (i++; i < at + len && i < to; i++)
		if (has_column(text[i]))
			buf_addch(b, '~');
}

int filter_fail(struct ftr_error *err, const char *text, size_t at, size_t len, const char *fmt,
		...)
{
	struct buf what = {0}, shown = {0};
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(&what, fmt, ap);
	va_end(ap);
	add_excerpt(&shown, text, at, len);
	err_set(err, FTR_USAGE, "cannot understand the filter: %.400s%s", what.data, shown.data);
	buf_release(&what);
	buf_release(&shown);
	return err_hint(err, "a filter looks like "
			"'sched_switch: next_prio < 100 && next_comm ~ \"kw*\"'");
}

struct filter_parser {
	struct filter_scanner s;
	unsigned int depth;		/* nested parentheses and negations */
	struct ftr_error *err;
};

static void ast_free(struct ast *a)
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

static struct ast *parse_or(struct filter_parser *p);

/* Reports an error at the current token. Returns NULL. */
static struct ast *fail_token(struct filter_parser *p, const char *what)
{
	const struct filter_scanner *s = &p->s;

	filter_fail(p->err, s->text, s->at, s->len, "%s", s->kind == TOK_BAD ? s->why : what);
	return NULL;
}

/* Reports an error at @at in @a, and frees @a. Returns NULL. */
static struct ast *fail_at_node(struct filter_parser *p, struct ast *a, const struct ast *at,
				const char *what)
{
	filter_fail(p->err, p->s.text, at->at, at->len, "%s", what);
	ast_free(a);
	return NULL;
}

static struct ast *ast_new(const struct filter_scanner *s, enum ast_kind kind)
{
	struct ast *a = xcalloc(1, sizeof(*a));

	a->kind = kind;
	a->at = s->at;
	a->len = s->len;
	return a;
}

/* Joins @l (NULL for AST_NOT) and @r to one node, which covers the text of both. */
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

/* Parses "CPUS{0-3,7}". The scanner is at the brace. */
static struct ast *parse_cpus(struct filter_parser *p, struct ast *a)
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

/* Parses "field", "field.function", "field.ustring" and "CPUS{LIST}". */
static struct ast *parse_field_name(struct filter_parser *p)
{
	struct ast *a = ast_new(&p->s, AST_FIELD);

	a->str = xstrndup(p->s.text + p->s.at, p->s.len);
	scan_next(&p->s);
	if (!strcmp(a->str, "CPUS") && scan_is(&p->s, "{"))
		return parse_cpus(p, a);
	if (!scan_accept(&p->s, "."))
		return a;
	if (scan_is(&p->s, "function")) {
		a->postfix = POST_FUNCTION;
	} else if (scan_is(&p->s, "ustring")) {
		a->postfix = POST_USTRING;
	} else {
		ast_free(a);
		return fail_token(p, "only .function or .ustring can follow a field");
	}
	scan_next(&p->s);
	return a;
}

static struct ast *parse_value(struct filter_parser *p)
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

/* Parses a number after '-' or '~'. */
static struct ast *parse_signed(struct filter_parser *p, bool minus)
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

static struct ast *parse_factor(struct filter_parser *p)
{
	struct ast *a;

	if (scan_accept(&p->s, "-"))
		return parse_signed(p, true);
	if (scan_accept(&p->s, "~"))
		return parse_signed(p, false);
	if (!scan_accept(&p->s, "("))
		return parse_value(p);
	a = parse_or(p);
	if (a && !scan_accept(&p->s, ")")) {
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

static bool parse_value_op(struct filter_scanner *s, int level, enum ast_op *op)
{
	for (size_t i = 0; i < sizeof(value_ops) / sizeof(*value_ops); i++) {
		if (value_ops[i].level != level || !scan_accept(s, value_ops[i].text))
			continue;
		*op = value_ops[i].op;
		return true;
	}
	return false;
}

static struct ast *parse_arith(struct filter_parser *p, int level)
{
	struct ast *l = level < 6 ? parse_arith(p, level + 1) : parse_factor(p), *r;
	enum ast_op op;

	while (l && level < 6 && parse_value_op(&p->s, level, &op)) {
		r = parse_arith(p, level + 1);
		if (!r) {
			ast_free(l);
			return NULL;
		}
		l = ast_join(AST_ARITH, op, l, r);
	}
	return l;
}

static bool parse_compare_op(struct filter_scanner *s, enum ast_op *op)
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
		if (scan_accept(s, ops[i].text))
			return true;
	}
	return false;
}

/* Parses the pattern after '~': a text in quotes, or a word up to the next blank. */
static struct ast *parse_pattern(struct filter_parser *p)
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

static bool is_ordering(enum ast_op op)
{
	return op == OP_LT || op == OP_GT || op == OP_LE || op == OP_GE;
}

/* A text or a list of CPUs needs a field at the left side of a comparison. */
static struct ast *parse_operands(struct filter_parser *p)
{
	struct ast *l = parse_arith(p, 0), *r, *a;
	enum ast_op op;
	bool match, bad = false;
	size_t len;

	if (!l || !parse_compare_op(&p->s, &op))
		return l;
	r = op == OP_GLOB ? parse_pattern(p) : parse_arith(p, 0);
	if (!r) {
		ast_free(l);
		return NULL;
	}
	a = ast_join(AST_CMP, op, l, r);
	match = op == OP_GLOB || op == OP_MATCH || op == OP_NO_MATCH;
	if (match && r->kind != AST_STR)
		return fail_at_node(p, a, r, "a pattern in quotes should be here");
	if (r->kind == AST_CPUS && is_ordering(op))
		return fail_at_node(p, a, a, "a list of CPUs can be compared by ==, != and & only");
	if (r->kind != AST_STR)
		return a;
	if (l->kind != AST_FIELD)
		return fail_at_node(p, a, l, "only a field can be compared with a text");
	if (is_ordering(op))
		return fail_at_node(p, a, a, "texts can be compared by ==, !=, ~, =~ and !~ only");
	a->pat = xcalloc(1, sizeof(*a->pat));
	len = strlen(r->str);
	if (op == OP_MATCH || op == OP_NO_MATCH)
		bad = pattern_regex(a->pat, r->str, len);
	else if (op == OP_GLOB)
		pattern_glob(a->pat, r->str, len);
	else
		pattern_exact(a->pat, r->str, len);
	return bad ? fail_at_node(p, a, r, "that is not a regular expression") : a;
}

static struct ast *parse_compare(struct filter_parser *p)
{
	struct ast *a;

	if (++p->depth > FILTER_DEPTH_MAX)
		return fail_token(p, "it nests too deep");
	if (scan_accept(&p->s, "!")) {
		a = parse_compare(p);
		a = a ? ast_join(AST_NOT, 0, NULL, a) : NULL;
	} else {
		a = parse_operands(p);
	}
	p->depth--;
	return a;
}

static struct ast *parse_and(struct filter_parser *p)
{
	struct ast *l = parse_compare(p), *r;

	while (l && scan_accept(&p->s, "&&")) {
		r = parse_compare(p);
		if (!r) {
			ast_free(l);
			return NULL;
		}
		l = ast_join(AST_AND, 0, l, r);
	}
	return l;
}

static struct ast *parse_or(struct filter_parser *p)
{
	struct ast *l = parse_and(p), *r;

	while (l && scan_accept(&p->s, "||")) {
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
 * Returns a text that parse_operands() has not checked, or a list of CPUs that neither a comparison
 * nor '&' joins with a field; NULL if there is none.
 */
static const struct ast *find_misplaced(const struct ast *a)
{
	bool has_cpus = a->kind == AST_CMP || (a->kind == AST_ARITH && a->op == OP_BIT_AND);
	const struct ast *bad;

	if (!a->r)
		return NULL;
	if (a->l && (a->l->kind == AST_STR || a->l->kind == AST_CPUS))
		return a->l;
	if (a->r->kind == AST_STR && a->kind != AST_CMP)
		return a->r;
	if (a->r->kind == AST_CPUS && (!has_cpus || a->l->kind != AST_FIELD))
		return a->r;
	bad = a->l ? find_misplaced(a->l) : NULL;
	return bad ? bad : find_misplaced(a->r);
}

static struct ast *ast_parse(const char *text, size_t from, struct ftr_error *err)
{
	struct filter_parser p = { .s = { .text = text, .pos = from, .kind = TOK_OP }, .err = err };
	const struct ast *bad;
	struct ast *a;

	scan_next(&p.s);
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

void rule_free(struct filter_rule *rule)
{
	struct event_pat *p;

	if (!rule)
		return;
	for (size_t i = 0; i < rule->nr_events; i++) {
		p = &rule->events[i];
		if (p->has_system_re)
			regfree(&p->system_re);
		if (p->has_name_re)
			regfree(&p->name_re);
		free(p->text);
		free(p->system);
		free(p->name);
	}
	free(rule->events);
	free(rule->text);
	ast_free(rule->expr);
	free(rule);
}

/* libtraceevent matches names as anchored regular expressions without case. */
static bool compile_anchored(regex_t *re, const char *text)
{
	char *full = xasprintf("^%s$", text);
	bool ok = !regcomp(re, full, REG_ICASE | REG_NOSUB);

	free(full);
	return ok;
}

static bool name_matches(const char *pat, const regex_t *re, const char *name)
{
	if (glob_match(pat, strlen(pat), name, strlen(name), true))
		return true;
	return re && !regexec(re, name, 0, NULL, 0);
}

bool event_pat_match(const struct event_pat *p, const char *system, const char *name)
{
	const regex_t *name_re = p->has_name_re ? &p->name_re : NULL;

	if (!p->system)
		return name_matches(p->name, name_re, name) ||
		       name_matches(p->name, name_re, system);
	return name_matches(p->system, p->has_system_re ? &p->system_re : NULL, system) &&
	       name_matches(p->name, name_re, name);
}

/* Returns the offset of the last ':' outside of quotes and braces, or the text's length. */
static size_t find_colon(const char *text)
{
	size_t found = strlen(text), i;
	char quote = 0;

	for (i = 0; text[i]; i++) {
		if (quote)
			quote = text[i] == quote ? 0 : quote;
		else if (strchr("\"'{", text[i]))
			quote = text[i] == '{' ? '}' : text[i];
		else if (text[i] == ':')
			found = i;
	}
	return found;
}

/* Returns true if @text has a character that no event name has. */
static bool is_expr(const char *text)
{
	return text[strcspn(text, "=<>~&!\"'")];
}

static void add_event_pats(struct filter_rule *rule, const char *text, size_t len)
{
	size_t i = 0, n, sep, cap = 0;
	struct event_pat *p;

	for (;; i += n) {
		while (i < len && strchr(", \t\n", text[i]))
			i++;
		if (i == len)
			return;
		for (n = 0; i + n < len && !strchr(", \t\n", text[i + n]);)
			n++;
		rule->events = xgrow(rule->events, &cap, rule->nr_events + 1,
				     sizeof(*rule->events));
		p = &rule->events[rule->nr_events++];
		*p = (struct event_pat){ .text = xstrndup(text + i, n), .at = i };
		sep = strcspn(p->text, ":/");
		if (p->text[sep]) {
			p->system = xstrndup(p->text, sep);
			p->has_system_re = compile_anchored(&p->system_re, p->system);
		}
		p->name = xstrdup(p->text + (p->text[sep] ? sep + 1 : 0));
		p->has_name_re = compile_anchored(&p->name_re, p->name);
	}
}

/* Splits the text into event names and the expression. Returns -1 with @err if it is invalid. */
static int split_rule(struct filter_rule *rule, struct ftr_error *err)
{
	const char *text = rule->text, *name;
	size_t colon = find_colon(text), end = strlen(text);

	/*
	 * "sched:sched_switch" and "sched:*" name events, while "sched: prio" and "sched:prio<5"
	 * have an expression: an event name has neither a blank nor an operator.
	 */
	name = text + (colon < end ? colon + 1 : end);
	if (*name && !is_expr(name) && !name[strcspn(name, " \t\n")])
		colon = end;
	if (colon == end && is_expr(text))
		colon = 0;
	else
		add_event_pats(rule, text, colon);
	if (colon && !rule->nr_events)
		return filter_fail(err, text, 0, 1, "it names no event");
	if (!*text)
		return filter_fail(err, text, 0, 1, "it is empty");
	if (colon == end)
		return 0;
	rule->expr = ast_parse(text, rule->nr_events ? colon + 1 : 0, err);
	return rule->expr ? 0 : -1;
}

struct filter_rule *rule_parse(const char *text, bool negative, struct ftr_error *err)
{
	struct filter_rule *rule;

	if (strlen(text) > FILTER_TEXT_MAX) {
		err_set(err, FTR_USAGE, "a filter is longer than %d bytes", FILTER_TEXT_MAX);
		err_hint(err, "several -F show what one of them matches");
		return NULL;
	}
	rule = xcalloc(1, sizeof(*rule));
	rule->text = xstrdup(text);
	rule->negative = negative;
	if (!split_rule(rule, err))
		return rule;
	rule_free(rule);
	return NULL;
}
