/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statement expressions "({ ... })": evaluated while they are parsed. A variable is the node of its
 * value. After a switch it is a choice between the values of the branches.
 */
#include <string.h>

#include "event/expr/expr.h"

#define BRANCHES_MAX 32

struct stmt_branch {
	uint32_t when;		/* condition node; 0: default */
	uint32_t node[X_VARS_MAX];
};

static bool parse_statement(struct expr_parser *p);

static struct expr_var *var_at(struct expr_parser *p, const struct expr_lexer *l)
{
	for (unsigned int i = p->nr_vars; l->kind == LEX_NAME && i-- > 0;)
		if (p->vars[i].len == l->len && !memcmp(p->vars[i].name, l->tok, l->len))
			return &p->vars[i];
	return NULL;
}

static bool assign_var(struct expr_parser *p, struct expr_var *v)
{
	struct expr_node same;
	uint32_t n;

	if (!x_expect(p, "="))
		return false;
	n = x_expr(p);
	if (v->t.tag != CTYPE_MMU_ROLE) {
		n = x_cast(p, v->t, n);
	} else if (n) {
		same = *x_at(p, n);
		same.t.tag = v->t.tag;
		same.cost = 0;
		n = x_node(p, same);
	}
	v->node = n;
	return n && x_expect(p, ";");
}

/* Parses "{ 1, "a" }, { -1, NULL }", rows of struct trace_print_flags. */
static bool parse_rows(struct expr_parser *p, struct expr_table *t)
{
	bool end = false;

	while (lex_accept(&p->lex, "{")) {
		if (!x_table_entry(p, t, &end))
			return false;
		if (!lex_accept(&p->lex, ","))
			break;
	}
	return true;
}

static bool parse_strings(struct expr_parser *p, struct expr_table *t)
{
	struct expr_code *c = p->code;

	while (p->lex.kind == LEX_STR) {
		uint32_t n = x_string(p);

		if (!n || c->nr_entries >= X_ENTRIES_MAX)
			return false;
		c->entries = xgrow(c->entries, &c->cap_entries, c->nr_entries + 1,
				   sizeof(*c->entries));
		c->names = xgrow(c->names, &c->cap_names, c->nr_entries + 1, sizeof(*c->names));
		c->names[c->nr_entries] = x_at(p, n)->a;
		c->entries[c->nr_entries++] = (struct list_entry){ .len = x_at(p, n)->b };
		t->n++;
		if (!lex_accept(&p->lex, ","))
			break;
	}
	return true;
}

/* Parses "[] = { "a", "b" };" after the name and the "[". */
static bool declare_table(struct expr_parser *p, struct expr_var *v)
{
	struct expr_code *c = p->code;
	struct expr_table t = { .first = c->nr_entries };

	if (p->lex.kind == LEX_NUM)
		lex_next(&p->lex);
	if (!x_expect(p, "]") || !x_expect(p, "=") || !x_expect(p, "{"))
		return false;
	if (!(lex_is(&p->lex, "{") ? parse_rows : parse_strings)(p, &t))
		return false;
	c->tables = xgrow(c->tables, &c->cap_tables, c->nr_tables + 1, sizeof(*c->tables));
	c->tables[c->nr_tables] = t;
	v->table = ++c->nr_tables;
	return x_expect(p, "}") && x_expect(p, ";");
}

/* Parses trace_seq_buffer_ptr(p), the position at which trace_seq_printf() will write. */
static bool parse_seq_pointer(struct expr_parser *p)
{
	struct expr_lexer saved = p->lex;

	if (lex_is(&p->lex, "trace_seq_buffer_ptr")) {
		lex_next(&p->lex);
		if (lex_accept(&p->lex, "(") && lex_is(&p->lex, "p")) {
			lex_next(&p->lex);
			if (lex_accept(&p->lex, ")"))
				return true;
		}
	}
	p->lex = saved;
	return false;
}

static bool declare_var(struct expr_parser *p, struct expr_ctype t)
{
	struct expr_var *v;
	struct expr_lexer saved;

	if (p->nr_vars == X_VARS_MAX || p->lex.kind != LEX_NAME)
		return x_fail(p, "a declaration is odd");
	v = &p->vars[p->nr_vars++];
	*v = (struct expr_var){ .name = p->lex.tok, .len = p->lex.len, .t = t };
	lex_next(&p->lex);
	if (lex_accept(&p->lex, "["))
		return declare_table(p, v);
	if (lex_accept(&p->lex, ";"))
		return true;
	saved = p->lex;
	if (lex_accept(&p->lex, "=") && parse_seq_pointer(p)) {
		v->t.tag = CTYPE_VOID;
		return x_expect(p, ";");
	}
	p->lex = saved;
	return assign_var(p, v);
}

/* Parses the arguments of trace_seq_printf(p, "fmt", ...). */
static bool print_statement(struct expr_parser *p)
{
	const char *start;

	if (!lex_is(&p->lex, "p"))
		return x_fail(p, "trace_seq_printf() has an odd first argument");
	lex_next(&p->lex);
	if (!lex_is(&p->lex, ","))
		return x_fail(p, "trace_seq_printf() has no format");
	start = p->lex.p;
	if (p->printed || !p->nested)
		return x_fail(p, "trace_seq_printf() is called twice");
	p->printed = p->nested(p, start, p->lex.end - start);
	return p->printed && x_expect(p, ")") && x_expect(p, ";");
}

/* --- switch */

static void save_vars(struct expr_parser *p, struct stmt_branch *b)
{
	for (unsigned int i = 0; i < X_VARS_MAX; i++)
		b->node[i] = i < p->nr_vars ? p->vars[i].node : 0;
}

/* Parses "case 1: case 2: default:". @b->when is 0 if default is among them. */
static bool parse_labels(struct expr_parser *p, uint32_t value, struct stmt_branch *b)
{
	bool any = false;

	b->when = 0;
	for (;;) {
		bool last = lex_is(&p->lex, "default");

		if (!last && !lex_is(&p->lex, "case"))
			break;
		lex_next(&p->lex);
		if (last) {
			any = true;
		} else {
			uint32_t n = x_binary(p, X_EQ, value, x_expr(p));

			if (!n)
				return false;
			b->when = b->when ? x_binary(p, X_LOR, b->when, n) : n;
		}
		if (!x_expect(p, ":"))
			return false;
	}
	if (any)
		b->when = 0;
	return true;
}

/* Parses statements up to "break;", or the end of the switch. */
static bool parse_branch(struct expr_parser *p, uint32_t value, struct stmt_branch *b)
{
	if (!parse_labels(p, value, b))
		return false;
	for (;;) {
		if (lex_is(&p->lex, "break")) {
			lex_next(&p->lex);
			if (lex_accept(&p->lex, ";"))
				break;
		}
		if (lex_is(&p->lex, "}"))
			break;
		if (lex_is(&p->lex, "case") || lex_is(&p->lex, "default"))
			return x_fail(p, "a case falls into the next");
		if (!parse_statement(p))
			return false;
	}
	save_vars(p, b);
	return true;
}

static bool join_vars(struct expr_parser *p, const struct stmt_branch *v, unsigned int n,
		      const struct stmt_branch *before)
{
	for (unsigned int i = 0; i < p->nr_vars; i++) {
		uint32_t node = before->node[i];

		for (unsigned int k = 0; k < n; k++)
			if (!v[k].when)
				node = v[k].node[i];
		for (unsigned int k = n; k-- > 0;) {
			if (!v[k].when || v[k].node[i] == node || !v[k].node[i])
				continue;
			node = node ? x_cond(p, v[k].when, v[k].node[i], node) : v[k].node[i];
			if (!node)
				return false;
		}
		p->vars[i].node = node;
	}
	return true;
}

static bool switch_statement(struct expr_parser *p)
{
	struct stmt_branch before, v[BRANCHES_MAX];
	uint32_t value;
	unsigned int n = 0;

	if (!x_expect(p, "("))
		return false;
	value = x_comma(p);
	if (!value || !x_expect(p, ")") || !x_expect(p, "{"))
		return false;
	save_vars(p, &before);
	while (!lex_accept(&p->lex, "}")) {
		if (n == BRANCHES_MAX)
			return x_fail(p, "a switch has too many cases");
		for (unsigned int i = 0; i < p->nr_vars; i++)
			p->vars[i].node = before.node[i];
		if (!parse_branch(p, value, &v[n++]))
			return false;
	}
	return join_vars(p, v, n, &before);
}

/* --- statements */

static bool parse_statement(struct expr_parser *p)
{
	struct expr_lexer saved = p->lex;
	struct expr_var *v = var_at(p, &p->lex);
	struct expr_ctype t;

	if (p->lex.kind != LEX_NAME)
		return x_fail(p, "a statement is odd");
	if (v) {
		lex_next(&p->lex);
		if (v->t.tag == CTYPE_MMU_ROLE && lex_accept(&p->lex, "."))
			lex_next(&p->lex);
		return assign_var(p, v);
	}
	if (lex_is(&p->lex, "switch") || lex_is(&p->lex, "trace_seq_printf")) {
		bool print = lex_is(&p->lex, "trace_seq_printf");

		lex_next(&p->lex);
		if (!print)
			return switch_statement(p);
		return x_expect(p, "(") && print_statement(p);
	}
	if (ctype_parse(&p->lex, p->long_size, &t) && p->lex.kind == LEX_NAME)
		return declare_var(p, t);
	p->lex = saved;
	return x_fail(p, "a statement is odd");
}

/* Returns true if the last expression starts here: "x; })", and not "x = ...", "int x ...". */
static bool at_last_value(struct expr_parser *p)
{
	struct expr_lexer l = p->lex;
	const struct expr_var *v = var_at(p, &l);

	if (l.kind != LEX_NAME)
		return true;
	if (!v) {
		bool keyword = lex_is(&l, "switch") || lex_is(&l, "trace_seq_printf");

		lex_next(&l);
		return !keyword && lex_is(&l, "(");
	}
	lex_next(&l);
	return !lex_is(&l, "=") && !(v->t.tag == CTYPE_MMU_ROLE && lex_is(&l, "."));
}

uint32_t x_statements(struct expr_parser *p)
{
	unsigned int outer = p->nr_vars;
	const struct expr_var *v;
	uint32_t n;

	if (++p->depth > X_DEPTH_MAX)
		return x_fail(p, "it nests deeper than %d", X_DEPTH_MAX);
	while (!at_last_value(p))
		if (!parse_statement(p))
			return 0;
	v = var_at(p, &p->lex);
	if (v && !v->node && v->t.tag == CTYPE_VOID && p->printed) {
		lex_next(&p->lex);
		n = p->printed;
	} else {
		n = x_expr(p);
	}
	p->nr_vars = outer;
	p->depth--;
	return n && x_expect(p, ";") && x_expect(p, "}") && x_expect(p, ")") ? n : 0;
}
