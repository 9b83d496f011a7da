/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * -F filters: libtraceevent's grammar, evaluated here. Its own parser frees operands twice on some
 * syntax errors, writes long texts beyond its error buffer and divides by what a record says.
 */
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "event/engine.h"
#include "event/lex.h"

#define DEPTH_MAX	64
#define TEXT_MAX	4096

enum node_kind { N_NUM, N_STR, N_FIELD, N_COMM, N_CPU, N_OP, N_NOT };

enum op {
	OP_OR, OP_AND, OP_EQ, OP_NE, OP_LT, OP_GT, OP_LE, OP_GE, OP_MATCH, OP_NO_MATCH,
	OP_BIT_OR, OP_BIT_XOR, OP_BIT_AND, OP_SHL, OP_SHR, OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_MOD,
};

struct node {
	enum node_kind kind;
	enum op  op;
	struct node *l, *r;
	uint64_t num;
	char    *str;		/* N_STR, and the name of N_FIELD */
	regex_t  regex;
	bool     has_regex;
	/* The field by the format it was last looked up in. */
	const struct ev_format *fmt;
	const struct ev_field  *field;
};

/* One -F: which events, and the expression (NULL = all of them). */
struct rule {
	struct rule *next;
	struct strv  events;	/* "sched_switch", "sched/sched_switch" */
	struct map   known;	/* struct ev_format * -> "y" or "n" */
	struct node *expr;
};

struct ev_filter {
	struct ev_engine *e;
	struct rule *rules;
	struct map   comms;	/* pid -> char * */
	bool         comms_built;
};

struct parser {
	struct lex l;
	const char *text;	/* of the whole filter */
	unsigned int depth;
	struct ftr_error *err;
};

struct subject {
	struct ev_filter *f;
	const struct ev_rec *r;
	int cpu;
};

static void node_free(struct node *n)
{
	if (!n)
		return;
	node_free(n->l);
	node_free(n->r);
	if (n->has_regex)
		regfree(&n->regex);
	free(n->str);
	free(n);
}

/* --- parsing */

static struct node *parse_or(struct parser *p);

static struct node *fail(struct parser *p, const char *what)
{
	err_set(p->err, FTR_USAGE, "cannot understand the filter '%s': %s at '%.40s'", p->text,
		what,
		p->l.tok);
	err_hint(p->err,
		 "a filter looks like 'sched_switch: next_prio < 100 && next_comm =~ \"^kw\"'");
	return NULL;
}

static struct node *node_new(enum node_kind kind)
{
	struct node *n = xcalloc(1, sizeof(*n));

	n->kind = kind;
	return n;
}

static struct node *parse_value(struct parser *p)
{
	struct node *n;

	if (p->l.kind == LEX_NUM) {
		n = node_new(N_NUM);
		n->num = p->l.num;
	} else if (p->l.kind == LEX_STR || p->l.kind == LEX_CHAR) {
		n = node_new(N_STR);
		n->str = xstrndup(p->l.tok, p->l.len);
	} else if (p->l.kind == LEX_NAME) {
		n = node_new(lex_is(&p->l, "COMM") ? N_COMM : lex_is(&p->l,
								     "CPU") ? N_CPU : N_FIELD);
		n->str = xstrndup(p->l.tok, p->l.len);
	} else {
		return fail(p, "a value is missing");
	}
	lex_next(&p->l);
	return n;
}

static struct node *parse_primary(struct parser *p)
{
	struct node *n;

	if (lex_take(&p->l, "-")) {
		n = parse_value(p);
		if (n && n->kind != N_NUM) {
			node_free(n);
			return fail(p, "only numbers can be negative");
		}
		if (n)
			n->num = -n->num;
		return n;
	}
	if (!lex_take(&p->l, "("))
		return parse_value(p);
	n = parse_or(p);
	if (n && !lex_take(&p->l, ")")) {
		node_free(n);
		return fail(p, "a ')' is missing");
	}
	return n;
}

static struct node *node_op(enum op op, struct node *l, struct node *r)
{
	struct node *n = node_new(N_OP);

	n->op = op;
	n->l = l;
	n->r = r;
	return n;
}

static const struct {
	const char *text;
	enum op op;
	int level;
} value_ops[] = {
	{ "|", OP_BIT_OR, 0 }, { "^", OP_BIT_XOR, 1 }, { "&", OP_BIT_AND, 2 }, { "<<", OP_SHL, 3 },
	{ ">>", OP_SHR, 3 }, { "+", OP_ADD, 4 }, { "-", OP_SUB, 4 }, { "*", OP_MUL, 5 },
	{ "/", OP_DIV, 5 }, { "%", OP_MOD, 5 },
};

static bool value_op(const struct lex *l, int level, enum op *op)
{
	for (size_t i = 0; l->kind == LEX_OP && i < sizeof(value_ops) / sizeof(*value_ops); i++) {
		if (value_ops[i].level != level || !lex_is(l, value_ops[i].text))
			continue;
		*op = value_ops[i].op;
		return true;
	}
	return false;
}

/* Arithmetic binds tighter than comparing, unlike C: "flags & 4 == 4" means what it seems to. */
static struct node *parse_arith(struct parser *p, int level)
{
	struct node *l = level < 6 ? parse_arith(p, level + 1) : parse_primary(p), *r;
	enum op op;

	while (l && level < 6 && value_op(&p->l, level, &op)) {
		lex_next(&p->l);
		r = parse_arith(p, level + 1);
		if (!r) {
			node_free(l);
			return NULL;
		}
		l = node_op(op, l, r);
	}
	return l;
}

static bool compare_op(struct parser *p, enum op *op)
{
	static const struct { const char *text; enum op op; } ops[] = {
		{ "==", OP_EQ }, { "!=", OP_NE }, { "<=", OP_LE }, { ">=", OP_GE }, { "<", OP_LT },
		{ ">", OP_GT },
	};
	struct lex saved = p->l;

	for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++) {
		*op = ops[i].op;
		if (lex_take(&p->l, ops[i].text))
			return true;
	}
	*op = lex_is(&p->l, "=") ? OP_MATCH : OP_NO_MATCH;
	if ((lex_take(&p->l, "=") || lex_take(&p->l, "!")) && lex_take(&p->l, "~"))
		return true;
	p->l = saved;
	return false;
}

static bool is_text(const struct node *n)
{
	return n->kind == N_FIELD || n->kind == N_COMM;
}

/* Strings are compared with a field or COMM on the left; regular expressions are strings. */
static struct node *check_compare(struct parser *p, struct node *n)
{
	bool match = n->op == OP_MATCH || n->op == OP_NO_MATCH;

	if (n->l->kind == N_STR || n->r->kind == N_COMM ||
	    ((n->l->kind == N_COMM || match) && n->r->kind != N_STR) ||
	    (n->r->kind == N_STR && (!is_text(n->l) ||
				     (!match && n->op != OP_EQ && n->op != OP_NE)))) {
		node_free(n);
		return fail(p, "these can't be compared");
	}
	if (!match)
		return n;
	if (regcomp(&n->regex, n->r->str, REG_ICASE | REG_NOSUB)) {
		node_free(n);
		return fail(p, "that is no regular expression");
	}
	n->has_regex = true;
	return n;
}

static struct node *parse_compare(struct parser *p)
{
	struct node *l, *r;
	enum op op;

	if (++p->depth > DEPTH_MAX)
		return fail(p, "it nests too deep");
	if (lex_take(&p->l, "!")) {
		r = parse_compare(p);
		l = r ? node_new(N_NOT) : NULL;
		if (l)
			l->r = r;
		p->depth--;
		return l;
	}
	l = parse_arith(p, 0);
	if (l && compare_op(p, &op)) {
		r = parse_arith(p, 0);
		if (r)
			l = check_compare(p, node_op(op, l, r));
		else
			node_free(l);
		l = r ? l : NULL;
	}
	p->depth--;
	return l;
}

static struct node *parse_and(struct parser *p)
{
	struct node *l = parse_compare(p), *r;

	while (l && lex_take(&p->l, "&&")) {
		r = parse_compare(p);
		if (!r) {
			node_free(l);
			return NULL;
		}
		l = node_op(OP_AND, l, r);
	}
	return l;
}

static struct node *parse_or(struct parser *p)
{
	struct node *l = parse_and(p), *r;

	while (l && lex_take(&p->l, "||")) {
		r = parse_and(p);
		if (!r) {
			node_free(l);
			return NULL;
		}
		l = node_op(OP_OR, l, r);
	}
	return l;
}

/* --- which events */

/* libtraceevent matches names as anchored regular expressions without case. */
static bool name_matches(const char *pattern, size_t len, const char *name)
{
	char *anchored = xasprintf("^%.*s$", (int)len, pattern);
	regex_t re;
	bool hit = false;

	if (!regcomp(&re, anchored, REG_ICASE | REG_NOSUB)) {
		hit = !regexec(&re, name, 0, NULL, 0);
		regfree(&re);
	}
	free(anchored);
	return hit;
}

static bool event_matches(const char *pattern, const struct ev_format *f)
{
	const char *slash = strchr(pattern, '/');

	if (slash)
		return name_matches(pattern, slash - pattern, f->system) &&
		       name_matches(slash + 1, strlen(slash + 1), f->name);
	return name_matches(pattern, strlen(pattern), f->name) ||
	       name_matches(pattern, strlen(pattern), f->system);
}

static bool rule_wants(struct rule *rule, const struct ev_format *f)
{
	char *answer = map_get(&rule->known, (uintptr_t)f);

	for (size_t i = 0; !answer && i < rule->events.n; i++)
		if (event_matches(rule->events.v[i], f))
			answer = "y";
	if (!answer)
		answer = "n";
	map_put(&rule->known, (uintptr_t)f, answer);
	return *answer == 'y';
}

static int check_events(const struct ev_filter *f, const struct rule *rule, struct ftr_error *err)
{
	struct ev_format *v;
	size_t i, j, n = ev_world_formats(f->e->w, NULL, &v);

	for (i = 0; i < rule->events.n; i++) {
		for (j = 0; j < n; j++)
			if (event_matches(rule->events.v[i], &v[j]))
				break;
		if (j < n)
			continue;
		err_set(err, FTR_USAGE, "no event of this file matches '%s'", rule->events.v[i]);
		return err_hint(err, "'ftr info FILE' lists the events of a file");
	}
	if (rule->events.n)
		return 0;
	err_set(err, FTR_USAGE, "a filter names no event");
	return err_hint(err, "a filter starts with one: 'sched_switch: next_prio < 100'");
}

/* --- evaluating */

static void add_comm(struct ev_filter *f, const char *p, const char *end)
{
	char *sep;
	long pid = strtol(p, &sep, 10);

	if (sep == p || sep >= end || *sep != ' ')
		return;
	free(map_put(&f->comms, (uint64_t)pid, xstrndup(sep + 1, end - sep - 1)));
}

static void build_comms(struct ev_filter *f)
{
	const char *p, *end, *nl;
	size_t len;

	f->comms_built = true;
	p = ev_world_text(f->e->w, EV_CMDLINES, &len);
	end = p + len;
	for (; p && p < end; p = nl + 1) {
		nl = memchr(p, '\n', end - p);
		if (!nl)
			break;
		add_comm(f, p, nl);
	}
}

static const char *comm_of(const struct subject *s)
{
	const char *comm;
	int32_t pid;

	if (!s->f->comms_built)
		build_comms(s->f);
	if (s->r->len < 8)
		return "<...>";
	pid = get_u32(s->r->data + 4, s->r->big);
	comm = map_get(&s->f->comms, (uint64_t)(long)pid);
	return comm ? comm : pid ? "<...>" : "<idle>";
}

static const struct ev_field *field_of(struct node *n, const struct ev_format *fmt)
{
	if (n->fmt != fmt) {
		n->fmt = fmt;
		n->field = ev_field(fmt, n->str);
	}
	return n->field;
}

/*
 * The text of the left side; numbers that are addresses are compared by their symbol. False if the
 * field is absent.
 */
static bool text_of(const struct subject *s, struct node *n, struct buf *out)
{
	const struct ev_field *f;
	const uint8_t *p;
	uint32_t len;
	uint64_t v;

	if (n->kind == N_COMM) {
		buf_addstr(out, comm_of(s));
		return true;
	}
	f = field_of(n, s->r->fmt);
	if (!f)
		return false;
	if (ev_get_num(s->r, f, &v))
		func_name(s->f->e, v, out);
	else if (ev_get_bytes(s->r, f, &p, &len))
		buf_add(out, p, strnlen((const char *)p, len));
	else
		return false;
	return true;
}

static bool compare_text(const struct subject *s, struct node *n)
{
	struct buf text = { 0 };
	bool equal, hit = false;

	buf_reserve(&text, 1);
	buf_addstr(&text, "");
	if (text_of(s, n->l, &text)) {
		equal = n->has_regex ? !regexec(&n->regex, text.data, 0, NULL, 0) :
			!strcmp(text.data, n->r->str);
		hit = equal == (n->op == OP_EQ || n->op == OP_MATCH);
	}
	buf_release(&text);
	return hit;
}

/* What an expression is worth; ->absent when it uses a field that the event does not have. */
struct value {
	uint64_t v;
	bool is_signed, absent;
};

static struct value eval(const struct subject *s, struct node *n);

static uint64_t arith(enum op op, uint64_t l, uint64_t r)
{
	switch (op) {
	case OP_BIT_OR: return l | r;
	case OP_BIT_XOR: return l ^ r;
	case OP_BIT_AND: return l & r;
	case OP_SHL: return r < 64 ? l << r : 0;
	case OP_SHR: return r < 64 ? l >> r : 0;
	case OP_ADD: return l + r;
	case OP_SUB: return l - r;
	case OP_MUL: return l * r;
	case OP_DIV: return r ? l / r : 0;
	case OP_MOD: return r ? l % r : 0;
	default: return 0;
	}
}

static bool compare(enum op op, struct value l, struct value r)
{
	bool sign = l.is_signed || r.is_signed;
	bool less = sign ? (int64_t)l.v < (int64_t)r.v : l.v < r.v;

	switch (op) {
	case OP_EQ: return l.v == r.v;
	case OP_NE: return l.v != r.v;
	case OP_LT: return less;
	case OP_GE: return !less;
	case OP_GT: return !less && l.v != r.v;
	case OP_LE: return less || l.v == r.v;
	default: return false;
	}
}

static bool truth(const struct subject *s, struct node *n)
{
	struct value v = eval(s, n);

	return !v.absent && v.v;
}

static struct value eval_op(const struct subject *s, struct node *n)
{
	struct value l, r;

	if (n->op == OP_OR)
		return (struct value){ .v = truth(s, n->l) || truth(s, n->r) };
	if (n->op == OP_AND)
		return (struct value){ .v = truth(s, n->l) && truth(s, n->r) };
	if (n->r->kind == N_STR)
		return (struct value){ .v = compare_text(s, n) };
	l = eval(s, n->l);
	r = eval(s, n->r);
	if (l.absent || r.absent)
		return (struct value){ .absent = n->op > OP_NO_MATCH };
	if (n->op < OP_MATCH)
		return (struct value){ .v = compare(n->op, l, r) };
	return (struct value){ arith(n->op, l.v, r.v), l.is_signed || r.is_signed, false };
}

static struct value eval(const struct subject *s, struct node *n)
{
	const struct ev_field *f;
	uint64_t v;

	switch (n->kind) {
	case N_NUM:
		return (struct value){ n->num, (int64_t)n->num < 0, false };
	case N_CPU:
		return (struct value){ .v = s->cpu };
	case N_NOT:
		return (struct value){ .v = !truth(s, n->r) };
	case N_OP:
		return eval_op(s, n);
	case N_FIELD:
		f = field_of(n, s->r->fmt);
		if (f && ev_get_num(s->r, f, &v))
			return (struct value){ v, f->is_signed, false };
		break;
	default:
		break;
	}
	return (struct value){ .absent = true };
}

/* --- the interface */

static void rule_free(struct rule *rule)
{
	strv_release(&rule->events);
	map_release(&rule->known);
	node_free(rule->expr);
	free(rule);
}

struct ev_filter *ev_filter_new(struct ev_engine *e, struct ftr_error *err)
{
	struct ev_filter *f = xcalloc(1, sizeof(*f));

	(void)err;
	f->e = e;
	return f;
}

static int parse_expr(struct rule *rule, const char *text, const char *expr, struct ftr_error *err)
{
	struct parser p = { .text = text, .err = err };

	lex_start(&p.l, expr, strlen(expr));
	rule->expr = parse_or(&p);
	if (!rule->expr)
		return -1;
	if (p.l.kind == LEX_END)
		return 0;
	fail(&p, "something is left over");
	return -1;
}

int ev_filter_add(struct ev_filter *f, const char *text, struct ftr_error *err)
{
	struct rule *rule;
	const char *colon = strchr(text, ':');
	char *events;

	if (strlen(text) > TEXT_MAX) {
		err_set(err, FTR_USAGE, "a filter is longer than %d bytes", TEXT_MAX);
		return err_hint(err, "several -F are tried one after the other");
	}
	rule = xcalloc(1, sizeof(*rule));
	events = xstrndup(text, colon ? (size_t)(colon - text) : strlen(text));
	strv_split(&rule->events, events, ", \t");
	free(events);
	if (check_events(f, rule, err) || (colon && parse_expr(rule, text, colon + 1, err))) {
		rule_free(rule);
		return -1;
	}
	rule->next = f->rules;
	f->rules = rule;
	return 0;
}

bool ev_filter_match(struct ev_filter *f, const struct ev_rec *r, int cpu, uint64_t ts)
{
	struct subject s = { f, r, cpu };

	(void)ts;
	if (!r->fmt)
		return false;
	for (struct rule *rule = f->rules; rule; rule = rule->next)
		if (rule_wants(rule, r->fmt) && (!rule->expr || truth(&s, rule->expr)))
			return true;
	return false;
}

void ev_filter_free(struct ev_filter *f)
{
	struct rule *next;

	for (struct rule *rule = f ? f->rules : NULL; rule; rule = next) {
		next = rule->next;
		rule_free(rule);
	}
	for (size_t i = 0; f && i < f->comms.cap; i++)
		if (f->comms.slots[i].used)
			free(f->comms.slots[i].val);
	if (f)
		map_release(&f->comms);
	free(f);
}
