/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compiles a syntax tree to predicates with resolved offsets, for one event of one file. */
#include <stdlib.h>
#include <string.h>

#include "trace/filter_priv.h"

/* The meaning of a name in the current event. */
enum source { SRC_NONE, SRC_FIELD, SRC_CPU, SRC_COMM, SRC_STACK };

/* In the kernel's order: first the event's fields, then the generic names of all records. */
static enum source find_source(const struct filter_compiler *c, const char *name,
			       const struct ev_field **field)
{
	static const struct {
		const char *name;
		enum source source;
	} generic[] = {
		{ "CPU", SRC_CPU }, { "cpu", SRC_CPU }, { "common_cpu", SRC_CPU },
		{ "COMM", SRC_COMM }, { "comm", SRC_COMM }, { "common_comm", SRC_COMM },
		{ "stacktrace", SRC_STACK }, { "STACKTRACE", SRC_STACK },
		{ "common_stacktrace", SRC_STACK },
	};

	*field = ev_field(c->fmt, name);
	if (*field)
		return SRC_FIELD;
	for (size_t i = 0; i < sizeof(generic) / sizeof(*generic); i++)
		if (!strcmp(generic[i].name, name))
			return generic[i].source;
	return SRC_NONE;
}

/* Like find_source(), but also notes that an event knows the name. */
static enum source source_of(const struct filter_compiler *c, struct ast *a,
			     const struct ev_field **field)
{
	enum source s = find_source(c, a->str, field);

	a->known |= s != SRC_NONE;
	return s;
}

static bool is_int_field(const struct ev_field *f)
{
	return f->kind == EV_FIXED && f->size && f->size <= 8 && !(f->size & (f->size - 1));
}

bool compile_has_fields(const struct filter_compiler *c, const struct ast *a)
{
	const struct ev_field *field;

	if (!a)
		return true;
	if (a->kind == AST_FIELD)
		return find_source(c, a->str, &field) != SRC_NONE;
	/* the right side of a comparison with a text may be a word without quotes */
	if (a->kind == AST_CMP && a->l->kind == AST_FIELD && a->r->kind == AST_FIELD &&
	    (a->op == OP_EQ || a->op == OP_NE))
		return compile_has_fields(c, a->l);
	return compile_has_fields(c, a->l) && compile_has_fields(c, a->r);
}

/* Notes that the expression makes no sense for this event. The first reason is kept. */
static void fail_for_event(struct filter_compiler *c, const struct ast *at, const char *what)
{
	c->failed = true;
	if (c->err->code)
		return;
	filter_fail(c->err, c->rule->text, at->at, at->len, "%s (of %s:%s)", what, c->fmt->system,
		    c->fmt->name);
}

static uint32_t emit_pred(struct filter_compiler *c, struct filter_pred p, uint32_t yes,
			  uint32_t no)
{
	struct filter *f = c->f;

	if (f->nr_preds == FILTER_PREDS_MAX) {
		c->full = true;
		c->failed = true;
		return TO_FALSE;
	}
	if (yes == no)
		return yes;
	p.yes = yes;
	p.no = no;
	f->preds = xgrow(f->preds, &f->cap_preds, f->nr_preds + 1, sizeof(*f->preds));
	f->preds[f->nr_preds] = p;
	return f->nr_preds++;
}

/* --- expressions in reverse polish notation */

struct filter_steps {
	struct filter_step *v;
	size_t n, cap;
	int depth, deepest;	/* ->deepest: the greatest depth of the stack */
};

static void add_pred_step(struct filter_steps *s, struct filter_step step)
{
	bool joins = step.kind == STEP_ARITH || step.kind == STEP_CMP;

	s->depth += joins ? -1 : step.kind != STEP_END;
	s->deepest = s->depth > s->deepest ? s->depth : s->deepest;
	s->v = xgrow(s->v, &s->cap, s->n + 1, sizeof(*s->v));
	s->v[s->n++] = step;
}

enum value { VALUE_ABSENT, VALUE_UNSIGNED, VALUE_SIGNED };

static enum value add_name_steps(struct filter_compiler *c, struct filter_steps *s, struct ast *a)
{
	const struct ev_field *f;
	enum source src = source_of(c, a, &f);

	if (src == SRC_NONE)
		return VALUE_ABSENT;
	if (src == SRC_COMM || (src == SRC_FIELD && f->is_string))
		fail_for_event(c, a, "this is text: compare it with a text in quotes");
	else if (src == SRC_STACK)
		fail_for_event(c, a, "a stack can't be compared");
	else if (a->postfix != POST_NONE)
		fail_for_event(c, a, ".function and .ustring are compared with a name only");
	else if (src == SRC_FIELD && !is_int_field(f))
		fail_for_event(c, a, "this is not a number");
	if (c->failed)
		return VALUE_ABSENT;
	if (src == SRC_CPU)
		add_pred_step(s, (struct filter_step){ .kind = STEP_CPU });
	else
		add_pred_step(s, (struct filter_step){ .kind = STEP_FIELD, .size = f->size,
					       .is_signed = f->is_signed, .off = f->offset });
	return src == SRC_FIELD && f->is_signed ? VALUE_SIGNED : VALUE_UNSIGNED;
}

/* Appends the steps that put the value of @a on the stack. */
static enum value add_value_steps(struct filter_compiler *c, struct filter_steps *s, struct ast *a)
{
	/* "field & CPUS{..}" is true or false, although it looks like arithmetic */
	bool mask = a->kind == AST_ARITH && a->r->kind == AST_CPUS;
	enum value l, r;
	uint32_t start;

	switch (mask ? AST_CMP : a->kind) {
	case AST_NUM:
		add_pred_step(s, (struct filter_step){ .kind = STEP_NUM, .num = a->num });
		return (int64_t)a->num < 0 ? VALUE_SIGNED : VALUE_UNSIGNED;
	case AST_FIELD:
		return add_name_steps(c, s, a);
	case AST_ARITH:
		l = add_value_steps(c, s, a->l);
		r = add_value_steps(c, s, a->r);
		add_pred_step(s, (struct filter_step){ .kind = STEP_ARITH, .op = a->op });
		return !l || !r ? VALUE_ABSENT : l > r ? l : r;
	default:
		start = compile_expr(c, a, TO_TRUE, TO_FALSE);
		add_pred_step(s, (struct filter_step){ .kind = STEP_BOOL, .off = start });
		c->nested = true;
		return VALUE_UNSIGNED;
	}
}

/* Compiles a comparison of two values, or a value that is to be true. */
static uint32_t steps_pred(struct filter_compiler *c, struct ast *a, uint32_t yes, uint32_t no)
{
	struct filter_pred p = { .kind = PRED_EXPR };
	struct filter_steps s = {0};
	enum value l, r = VALUE_UNSIGNED;

	l = add_value_steps(c, &s, a->kind == AST_CMP ? a->l : a);
	if (a->kind == AST_CMP) {
		r = add_value_steps(c, &s, a->r);
		add_pred_step(&s, (struct filter_step){ .kind = STEP_CMP, .op = a->op,
					    .is_signed = l == VALUE_SIGNED || r == VALUE_SIGNED });
	}
	add_pred_step(&s, (struct filter_step){ .kind = STEP_END });
	p.arg = filter_own(c->f, s.v, free);
	p.val = s.n;
	if (s.deepest > STEPS_DEPTH)
		fail_for_event(c, a, "it is too deep");
	/* a comparison with a name that the event does not have is false */
	return !l || !r ? no : emit_pred(c, p, yes, no);
}

/* --- numbers */

static enum pred_op num_op(enum ast_op op)
{
	static const enum pred_op ops[] = {
		[OP_EQ] = PO_EQ, [OP_NE] = PO_NE, [OP_LT] = PO_LT, [OP_GT] = PO_GT,
		[OP_LE] = PO_LE, [OP_GE] = PO_GE, [OP_BIT_AND] = PO_AND,
	};

	return ops[op];
}

/* Compiles "field OP number" and "field & number", which need no stack. */
static uint32_t num_pred(struct filter_compiler *c, struct ast *a, uint32_t yes, uint32_t no)
{
	const struct ev_field *f;
	enum source src = source_of(c, a->l, &f);
	struct filter_pred p = { .op = num_op(a->op), .val = a->r->num };
	unsigned int shift;

	if (src == SRC_CPU) {
		p.kind = PRED_CPU;
		p.is_signed = true;
		return emit_pred(c, p, yes, no);
	}
	if (src != SRC_FIELD || !is_int_field(f) || f->is_string || a->l->postfix)
		return steps_pred(c, a, yes, no);
	p.kind = PRED_NUM;
	p.size = f->size;
	p.off = f->offset;
	p.is_signed = f->is_signed;
	/* the kernel casts the constant to the field's type before it compares */
	shift = 64 - 8 * f->size;
	p.val <<= shift;
	p.val = f->is_signed ? (uint64_t)((int64_t)p.val >> shift) : p.val >> shift;
	return emit_pred(c, p, yes, no);
}

/* --- texts */

/* Returns the set for @a, which is made once per file. It is freed with the filter. */
static void *set_get(struct filter_compiler *c, struct ast *a,
		     void *(*make)(struct filter_compiler *, struct ast *), void (*release)(void *))
{
	void *set = map_get(c->sets, (uintptr_t)a);

	if (set)
		return set;
	set = filter_own(c->f, make(c, a), release);
	map_put(c->sets, (uintptr_t)a, set);
	return set;
}

static void *make_symbols(struct filter_compiler *c, struct ast *a)
{
	struct addr_ranges *r = xcalloc(1, sizeof(*r));

	ranges_of_symbols(r, c->syms, a->pat);
	return r;
}

static void *make_strings(struct filter_compiler *c, struct ast *a)
{
	struct addr_ranges *r = xcalloc(1, sizeof(*r));

	ranges_of_strings(r, c->w, a->pat);
	return r;
}

static bool comm_matches(void *ctx, const char *comm, size_t len)
{
	const struct filter_pattern *p = ctx;

	return pattern_match(p, comm, len) != p->not;
}

static void *make_pids(struct filter_compiler *c, struct ast *a)
{
	struct pid_set *s = xcalloc(1, sizeof(*s));

	pid_set_of_comms(s, c->w, comm_matches, a->pat);
	return s;
}

static bool is_inverted(const struct ast *a)
{
	return a->op == OP_NE || a->op == OP_NO_MATCH;
}

/* Compiles a comparison of a number with a text: the address of a symbol, or of a string. */
static uint32_t address_pred(struct filter_compiler *c, struct ast *a, const struct ev_field *f,
			     uint32_t yes, uint32_t no)
{
	bool strings = strstr(f->type, "char *");
	struct filter_pred p = { .kind = PRED_RANGES, .op = is_inverted(a) ? PO_NE : PO_EQ,
			  .size = f->size, .off = f->offset };
	const struct addr_ranges *r;

	r = set_get(c, a, strings ? make_strings : make_symbols, ranges_free);
	if (!r->n && a->r->kind == AST_FIELD) {
		fail_for_event(c, a->r, "the file has no such function");
		return no;
	}
	p.arg = r;
	return emit_pred(c, p, yes, no);
}

static uint32_t field_text_pred(struct filter_compiler *c, struct ast *a, const struct ev_field *f,
				uint32_t yes, uint32_t no)
{
	struct filter_pred p = { .kind = PRED_TEXT, .field = f, .arg = a->pat };

	if (a->l->postfix == POST_USTRING) {
		fail_for_event(c, a->l, "the text is in the memory of the task, which is not in "
			       "the file");
		return no;
	}
	if (is_int_field(f) && !f->is_string)
		return address_pred(c, a, f, yes, no);
	if (a->l->postfix == POST_FUNCTION) {
		fail_for_event(c, a->l, "this is not the address of a function");
		return no;
	}
	p.op = is_inverted(a) != a->pat->not ? PO_NE : PO_EQ;
	return emit_pred(c, p, yes, no);
}

static uint32_t text_pred(struct filter_compiler *c, struct ast *a, uint32_t yes, uint32_t no)
{
	struct filter_pred p = { .kind = PRED_PIDS, .op = is_inverted(a) ? PO_NE : PO_EQ };
	const struct ev_field *f;

	switch (source_of(c, a->l, &f)) {
	case SRC_FIELD:
		return field_text_pred(c, a, f, yes, no);
	case SRC_COMM:
		p.arg = set_get(c, a, make_pids, pid_set_free);
		return emit_pred(c, p, yes, no);
	case SRC_CPU:
		fail_for_event(c, a->l, "this is a number");
		return no;
	case SRC_STACK:
		fail_for_event(c, a->l, "a stack can't be compared");
		return no;
	default:
		return no;
	}
}

/* --- functions: "field.function == name" */

static void *make_around(struct filter_compiler *c, struct ast *a)
{
	struct addr_ranges *r = xcalloc(1, sizeof(*r));

	ranges_around(r, c->syms, a->r->num);
	return r;
}

static uint32_t function_pred(struct filter_compiler *c, struct ast *a, uint32_t yes, uint32_t no)
{
	struct filter_pred p = { .kind = PRED_RANGES, .op = is_inverted(a) ? PO_NE : PO_EQ };
	const struct ev_field *f;
	const struct addr_ranges *r;

	if (source_of(c, a->l, &f) == SRC_NONE)
		return no;
	if (!f || !is_int_field(f) || f->size != c->w->long_size) {
		fail_for_event(c, a->l, "this is not the address of a function");
		return no;
	}
	if ((a->op != OP_EQ && a->op != OP_NE) || (!a->pat && a->r->kind != AST_NUM)) {
		fail_for_event(c, a, "functions can be compared by == and != with a name or an "
			       "address only");
		return no;
	}
	r = set_get(c, a, a->r->kind == AST_NUM ? make_around : make_symbols, ranges_free);
	if (!r->n) {
		fail_for_event(c, a->r, "the file has no such function");
		return no;
	}
	p.arg = r;
	p.size = f->size;
	p.off = f->offset;
	return emit_pred(c, p, yes, no);
}

/* --- lists of CPUs */

/*
 * Compiles a comparison of a single number with a list of CPUs by the kernel's rules: with several
 * CPUs in the list '&' tests whether the number is one of them, and they are never equal.
 */
static uint32_t scalar_mask_pred(struct filter_compiler *c, struct ast *a, struct filter_pred p,
				 uint32_t yes, uint32_t no)
{
	const uint64_t *mask = a->r->cpus;
	bool field = p.kind == PRED_IN_MASK;
	unsigned int n = 0, only = 0;

	for (unsigned int i = 0; i < FILTER_CPU_BITS / 64; i++) {
		n += __builtin_popcountll(mask[i]);
		if (mask[i])
			only = 64 * i + __builtin_ctzll(mask[i]);
	}
	if (n != 1 && a->op != OP_BIT_AND)
		return a->op == OP_EQ ? no : yes;
	if (n == 1) {
		p.kind = field ? PRED_NUM : PRED_CPU;
		p.op = a->op == OP_NE ? PO_NE : PO_EQ;
		p.val = only;
	}
	return emit_pred(c, p, yes, no);
}

static uint32_t mask_pred(struct filter_compiler *c, struct ast *a, uint32_t yes, uint32_t no)
{
	struct filter_pred p = { .kind = PRED_CPU_IN_MASK, .arg = a->r->cpus };
	const struct ev_field *f;
	enum source src = source_of(c, a->l, &f);

	if (src == SRC_NONE)
		return no;
	if (src == SRC_CPU)
		return scalar_mask_pred(c, a, p, yes, no);
	if (src != SRC_FIELD || f->is_string) {
		fail_for_event(c, a->l, "this is neither a CPU nor a set of CPUs");
		return no;
	}
	if (is_int_field(f)) {
		p.kind = PRED_IN_MASK;
		p.size = f->size;
		p.off = f->offset;
		p.is_signed = f->is_signed;
		return scalar_mask_pred(c, a, p, yes, no);
	}
	p.kind = PRED_MASK;
	p.size = c->w->long_size;
	p.field = f;
	p.op = num_op(a->op);
	return emit_pred(c, p, yes, no);
}

/* --- comparisons */

/*
 * Returns true if the right side is a word without quotes that is no field: a text if the left side
 * is one, the name of a function if the left side may be an address, like func, ip and call_site.
 */
static bool is_word(struct filter_compiler *c, struct ast *a)
{
	const struct ev_field *l, *r;
	bool address;
	enum source src;

	if (a->kind != AST_CMP || a->l->kind != AST_FIELD || a->r->kind != AST_FIELD ||
	    (a->op != OP_EQ && a->op != OP_NE) || a->r->postfix)
		return false;
	if (find_source(c, a->r->str, &r) == SRC_FIELD && a->l->postfix != POST_FUNCTION)
		return false;
	src = find_source(c, a->l->str, &l);
	if (src != SRC_COMM && src != SRC_FIELD)
		return false;
	address = src == SRC_FIELD && is_int_field(l) && !l->is_signed &&
		  l->size == c->w->long_size;
	if (src == SRC_FIELD && !l->is_string && !a->l->postfix && !address)
		return false;
	if (!a->pat) {
		a->pat = xcalloc(1, sizeof(*a->pat));
		pattern_exact(a->pat, a->r->str, strlen(a->r->str));
	}
	a->r->known = true;
	return true;
}

static enum ast_op mirrored_op(enum ast_op op)
{
	switch (op) {
	case OP_LT: return OP_GT;
	case OP_GT: return OP_LT;
	case OP_LE: return OP_GE;
	case OP_GE: return OP_LE;
	default: return op;
	}
}

/* Compiles an expression that is none of &&, || and !. */
static uint32_t compile_leaf(struct filter_compiler *c, struct ast *a, uint32_t yes, uint32_t no)
{
	bool word = is_word(c, a);
	struct ast *l = a->l;

	if (a->kind == AST_CMP && l->kind == AST_NUM && a->r->kind == AST_FIELD) {
		a->l = a->r;
		a->r = l;
		a->op = mirrored_op(a->op);
	}
	if (a->r && a->r->kind == AST_CPUS)
		return mask_pred(c, a, yes, no);
	if (a->kind == AST_CMP && a->l->kind == AST_FIELD && a->l->postfix == POST_FUNCTION)
		return function_pred(c, a, yes, no);
	if (word || (a->r && a->r->kind == AST_STR))
		return text_pred(c, a, yes, no);
	if (a->r && a->r->kind == AST_NUM && a->l->kind == AST_FIELD &&
	    (a->kind == AST_CMP || a->op == OP_BIT_AND))
		return num_pred(c, a, yes, no);
	if (a->kind == AST_NUM)
		return a->num ? yes : no;
	return steps_pred(c, a, yes, no);
}

uint32_t compile_expr(struct filter_compiler *c, struct ast *a, uint32_t yes, uint32_t no)
{
	switch (a->kind) {
	case AST_AND:
		return compile_expr(c, a->l, compile_expr(c, a->r, yes, no), no);
	case AST_OR:
		return compile_expr(c, a->l, yes, compile_expr(c, a->r, yes, no));
	case AST_NOT:
		return compile_expr(c, a->r, no, yes);
	default:
		return compile_leaf(c, a, yes, no);
	}
}
