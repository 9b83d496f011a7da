/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compiler of print fmts: splits the text into literals and conversions, each with its argument. */
#include "event/prog/prog_priv.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/poke.h"
#include "base/text.h"

#define REASON_MAX	1024	/* bytes of all reasons */
#define FMT_MAX		(64 * 1024)

struct prog_compiler {
	struct prog  *g;
	struct expr_parser p;
	struct buf    why, notes;
	unsigned int  arg;		/* number of the parsed argument, for the reasons */
	bool          no_args;		/* the rest of the argument list can't be parsed */
};

static void note_reason(struct prog_compiler *c, const char *what)
{
	if (c->why.len < REASON_MAX)
		buf_printf(&c->why, "%sargument %u: %s", c->why.len ? "; " : "", c->arg, what);
}

/* Appends the reason why an argument needs @name. */
static void add_reason(struct buf *what, const struct expr_call *call, const char *name, int len)
{
	switch (call->why) {
	case X_WHY_MEMBER:
		buf_printf(what, "it reads the member '%.*s' of a structure that no format "
			   "describes", len, name);
		break;
	case X_WHY_STRUCT:
		buf_addstr(what, "it is a structure as a whole");
		break;
	case X_WHY_MEMORY:
		buf_addstr(what, "it reads the target of a pointer, which is in the kernel's "
			   "memory");
		break;
	case X_WHY_SIZE:
		buf_addstr(what, "it needs the size of a structure, which only the kernel knows");
		break;
	case X_WHY_ADDRESS:
		buf_addstr(what, "it is the address of something in the kernel's buffer");
		break;
	default:
		buf_printf(what, "it needs '%.*s%s', which only the kernel knows", len, name,
			   call->n ? "()" : "");
	}
}

/* Notes the reason why @node is unknown: an unknown array rather than its element. */
static void note_unknown(struct prog_compiler *c, uint32_t node)
{
	const struct expr_code *code = c->p.code;
	const struct expr_call *call;
	struct buf what = { 0 };

	do {
		call = &code->calls[x_at(&c->p, x_at(&c->p, node)->cause)->a];
		node = call->why != X_WHY_NAME && call->n ? code->args[call->first] : 0;
	} while (node && x_at(&c->p, node)->unknown && !x_lit_id(&c->p, node));
	add_reason(&what, call, code->text.data + call->name,
		   call->name_len < 60 ? call->name_len : 60);
	note_reason(c, what.data);
	buf_release(&what);
}

static struct prog_op *add_op(struct prog_ops *v, struct prog_op op)
{
	v->v = xgrow(v->v, &v->cap, v->n + 1, sizeof(*v->v));
	v->v[v->n] = op;
	return &v->v[v->n++];
}

/* Sets the text before @op, sanitised, and empties @lit. */
static void op_set_literal(struct prog_compiler *c, struct prog_op *op, struct buf *lit)
{
	op->lit = x_text(&c->p, lit->data ? lit->data : "", lit->len, &op->lit_len);
	buf_reset(lit);
}

/* --- arguments */

/* Returns the node of the next argument, 0 if it is missing or can't be parsed. */
static uint32_t next_argument(struct prog_compiler *c)
{
	struct expr_lexer *l = &c->p.lex, start;
	int depth = 0;
	uint32_t n;

	c->arg++;
	if (c->no_args || !lex_accept(l, ",")) {
		c->no_args = true;
		note_reason(c, "it is missing");
		return 0;
	}
	start = *l;
	c->p.depth = 0;
	n = x_expr(&c->p);
	if (n && (l->kind == LEX_END || lex_is(l, ",") || lex_is(l, ")")))
		return n;
	note_reason(c, n ? "there is text after it" : c->p.why);
	/* skip to the comma or the end of the argument */
	for (*l = start; l->kind != LEX_END && l->kind != LEX_BAD; lex_next(l)) {
		if (!depth && (lex_is(l, ",") || lex_is(l, ")")))
			break;
		if (lex_is(l, "(") || lex_is(l, "[") || lex_is(l, "{"))
			depth++;
		else if (lex_is(l, ")") || lex_is(l, "]") || lex_is(l, "}"))
			depth--;
	}
	return 0;
}

/* --- conversions */

/* Adds the fields below @node, which are printed if the argument is unknown. */
static void collect_loads(struct prog_compiler *c, uint32_t node, struct prog_op *op,
			  unsigned int depth)
{
	const struct expr_node *n = x_at(&c->p, node);
	struct expr_code *code = c->p.code;
	uint32_t child[] = { n->a, n->b, n->c };
	unsigned int ops = n->op == X_COND ? 3 : n->op >= X_MUL && n->op <= X_LOR ? 2 :
		n->op == X_CAST || (n->op >= X_NEG && n->op <= X_NOT) ? 1 : 0;

	if (depth > 64 || op->nr_fields == 8)
		return;
	if (n->op == X_LOAD) {
		for (uint32_t i = 0; i < op->nr_fields; i++)
			if (x_at(&c->p, code->args[op->fields + i])->a == n->a)
				return;
		code->args = xgrow(code->args, &code->cap_args, code->nr_args + 1,
				   sizeof(*code->args));
		code->args[code->nr_args++] = node;
		op->nr_fields++;
	}
	for (unsigned int i = 0; i < ops; i++)
		collect_loads(c, child[i], op, depth + 1);
}

static struct prog_op unknown_op(struct prog_compiler *c, uint32_t node)
{
	struct prog_op op = { .code = OP_UNKNOWN, .node = node, .fields = c->p.code->nr_args };

	note_unknown(c, node);
	collect_loads(c, node, &op, 0);
	return op;
}

static bool is_bare(const struct printf_conv *v)
{
	return !v->left && !v->plus && !v->space && !v->alt && !v->zero && !v->width_arg &&
		!v->prec_arg && v->width < 0 && v->prec < 0;
}

/*
 * Lets @op read the low @size bytes of the field that @n reads: the eight bytes that end with it
 * are read and shifted. Returns false if the record does not start eight bytes before, or no number
 * has that size.
 */
static bool op_set_field(struct prog_compiler *c, struct prog_op *op, const struct expr_node *n,
			 uint8_t size)
{
	uint32_t end = n->a + (c->p.big ? n->t.size : size);

	if (end <= 8 || !size || size > 8)
		return false;
	op->at = end - 8;
	op->down = 64 - 8 * size;
	return true;
}

/*
 * Lets @op print the value of @node as a number of @size bytes. Returns true if it is extended by
 * its sign.
 */
static bool set_value(struct prog_compiler *c, struct prog_op *op, uint32_t node, uint8_t size,
		      bool sign)
{
	const struct expr_node *n = x_at(&c->p, node);

	/* casts that keep all printed bytes have no effect */
	while (n->op == X_CAST && n->t.size >= size && !n->t.is_bool)
		n = x_at(&c->p, n->a);
	op->node = node;
	op->down = 64 - 8 * size;
	if (n->op != X_LOAD)
		return sign;
	if (size <= n->t.size)
		op_set_field(c, op, n, size);
	else if ((sign || !n->t.sign) && op_set_field(c, op, n, n->t.size))
		return n->t.sign;
	return sign;
}

static struct prog_op number_op(struct prog_compiler *c, const struct printf_conv *v, uint32_t node)
{
	struct prog_op op = { .code = OP_INT, .node = node };
	struct printf_conv other = *v;
	bool bare = is_bare(v), wide;

	/* OP_WIDE and OP_HEX have a width, and zeros before the number */
	other.zero = false;
	other.width = -1;
	wide = is_bare(&other) && v->width > 0 && v->width <= 16;
	other = *v;
	other.alt = false;
	if (v->kind == 'd')
		op.code = bare ? OP_DEC : wide ? OP_WIDE : OP_INT;
	else if (v->kind == 'u')
		op.code = bare ? OP_UDEC : wide ? OP_WIDE : OP_INT;
	else if (v->kind == 'x' && (bare || (wide && v->zero)))
		op.code = OP_HEX;
	else if (v->kind == 'x' && v->alt && is_bare(&other))
		op.code = OP_HEX0;
	else if (v->kind == 'c')
		op.code = OP_CHAR;
	if (op.code == OP_CHAR || op.code == OP_INT)
		return op;
	op.arg = v->width > 0 ? v->width : 0;
	op.fill = v->zero ? '0' : ' ';
	if (!set_value(c, &op, node, v->size, v->kind == 'd') && op.code == OP_DEC)
		op.code = OP_UDEC;
	return op;
}

/*
 * Returns true if the text of @node depends on one field only. *load is then a node that reads it,
 * or 0 if nothing is read.
 */
static bool has_one_field(struct prog_compiler *c, uint32_t node, uint32_t *load)
{
	const struct expr_node *n = x_at(&c->p, node);
	uint32_t child[] = { n->a, n->b, n->c };
	unsigned int kids = x_operands(n->op);

	if (n->op == X_LOAD) {
		if (*load && (x_at(&c->p, *load)->a != n->a ||
			      x_at(&c->p, *load)->t.size != n->t.size))
			return false;
		*load = node;
		return true;
	}
	for (unsigned int i = 0; i < kids; i++)
		if (!has_one_field(c, child[i], load))
			return false;
	return kids || n->op == X_NUM || n->op == X_STR;
}

/* Returns true for text of the program or its tables, in all branches. */
static bool is_program_text(struct prog_compiler *c, uint32_t node)
{
	const struct expr_node *n = x_at(&c->p, node);

	if (n->op == X_COND)
		return is_program_text(c, n->b) && is_program_text(c, n->c);
	return n->op == X_STR || n->kind == XK_TEXT;
}

static struct prog_op string_op(struct prog_compiler *c, const struct printf_conv *v, uint32_t node)
{
	struct prog_op op = { .code = OP_TEXT, .node = node };
	const struct expr_node *n = x_at(&c->p, node);
	const struct ev_field *f = n->op == X_DYN ? &c->g->fmt->fields[n->num] : NULL;
	uint32_t load = 0;

	if (n->kind == XK_NUM && !n->t.ptr && !(n->op == X_LOAD && n->t.size == c->g->long_size))
		note_reason(c, "it is not text");
	if (!is_bare(v)) {
		op.code = OP_STR;
	} else if (n->op == X_FIELD && n->a >= 8 && n->b <= PROG_FIXED_MAX) {
		op.code = OP_FIXED;
		op.at = n->a;
		op.arg = n->b;
	} else if (f && f->kind == EV_DATA_LOC && f->size == 4) {
		op.code = OP_DYN;
		op.at = n->a;
	} else if (is_program_text(c, node) && has_one_field(c, node, &load) &&
		   load && op_set_field(c, &op, x_at(&c->p, load), x_at(&c->p, load)->t.size)) {
		op.code = OP_MEMO;
	}
	return op;
}

/* A text whose conversion prints a number. */
static struct prog_op mismatch_op(struct prog_compiler *c)
{
	note_reason(c, "it is a text where a number is printed");
	return (struct prog_op){ .code = OP_MISSING };
}

static struct prog_op value_op(struct prog_compiler *c, const struct printf_conv *v, uint32_t node)
{
	struct expr_ctype address = ctype_int(c->g->long_size, false);
	const struct expr_node *n = x_at(&c->p, node);
	struct prog_op op = { .code = OP_VALUE };

	if (n->kind == XK_TEXT)
		return mismatch_op(c);
	if (n->kind == XK_PTR) {
		node = x_cast(&c->p, address, node);
		return node ? unknown_op(c, node) : (struct prog_op){ .code = OP_MISSING };
	}
	op.node = x_cast(&c->p, address, node);
	if (!is_bare(v) || !op.node || (*v->ext && !ptr_symbol_kind(v->ext)))
		return op;
	op.code = *v->ext ? OP_SYMBOL : OP_HEX;
	op.arg = *v->ext ? ptr_symbol_kind(v->ext) : 2u * c->g->long_size;
	set_value(c, &op, op.node, c->g->long_size, false);
	return op;
}

static struct prog_op bytes_op(struct prog_compiler *c, const struct printf_conv *v, uint32_t node)
{
	const struct expr_node *n = x_at(&c->p, node);
	struct buf what = { 0 };

	if (n->kind == XK_TEXT)
		return mismatch_op(c);
	if (n->kind == XK_NUM) {
		buf_printf(&what, "%%p%s of a kernel address", v->ext);
		note_reason(c, what.data);
		buf_release(&what);
	}
	return (struct prog_op){ .code = OP_BYTES, .node = node };
}

/*
 * Returns true if the text of @node can be printed up to an unknown part of a branch. A number that
 * is unknown, a name for it, and a choice that depends on it can't.
 */
static bool can_follow(struct expr_parser *p, uint32_t node)
{
	const struct expr_node *n = x_at(p, node);

	if (!n->unknown || n->op == X_FOREIGN || n->op == X_PRINTF)
		return true;
	return n->op == X_COND && !x_at(p, n->a)->unknown && can_follow(p, n->b) &&
		can_follow(p, n->c);
}

static struct prog_op conversion_op(struct prog_compiler *c, const struct printf_conv *v,
				    uint32_t node)
{
	enum conv_arg kind = conv_arg(v);

	if (!node)
		return (struct prog_op){ .code = OP_MISSING };
	if (x_at(&c->p, node)->unknown && kind != CONV_ARG_STR)
		return unknown_op(c, node);
	if (kind == CONV_ARG_STR && x_at(&c->p, node)->unknown) {
		note_unknown(c, node);
		if (!can_follow(&c->p, node))
			return (struct prog_op){ .code = OP_TEXT,
				.node = x_at(&c->p, node)->cause };
		return (struct prog_op){ .code = is_bare(v) ? OP_TEXT : OP_STR, .node = node };
	}
	switch (kind) {
	case CONV_ARG_STR:
		return string_op(c, v, node);
	case CONV_ARG_VALUE:
		return value_op(c, v, node);
	case CONV_ARG_BYTES:
		return bytes_op(c, v, node);
	default:
		break;
	}
	if (x_at(&c->p, node)->kind == XK_TEXT)
		return mismatch_op(c);
	if (x_at(&c->p, node)->kind == XK_PTR) {
		node = x_cast(&c->p, ctype_int(c->g->long_size, false), node);
		return node ? unknown_op(c, node) : (struct prog_op){ .code = OP_MISSING };
	}
	return number_op(c, v, node);
}

static uint32_t star_argument(struct prog_compiler *c)
{
	uint32_t n = next_argument(c);

	if (n && x_at(&c->p, n)->kind == XK_NUM && !x_at(&c->p, n)->unknown)
		return n;
	if (n)
		note_reason(c, "a width or precision is not known");
	return x_num(&c->p, ctype_int(4, true), 0);
}

/* Compiles @fmt to operations. The lexer is after the format, at the comma before the arguments. */
static void compile_text(struct prog_compiler *c, struct prog_ops *v, const struct buf *fmt)
{
	const char *s = fmt->data, *end = s + fmt->len;
	struct prog_op end_op = { .code = OP_END }, op;
	struct prog *g = c->g;
	uint32_t width, prec;
	struct buf lit = { 0 };
	struct printf_conv conv;
	size_t n;

	while (s < end && v->n < PROG_OPS_MAX) {
		if (*s != '%') {
			buf_addch(&lit, *s++);
			continue;
		}
		n = conv_parse(s, end, g->long_size, &conv);
		if (!n) {
			note_reason(c, "after it the print fmt has an unknown conversion");
			break;
		}
		s += n;
		if (conv.kind == '%') {
			buf_addch(&lit, '%');
			continue;
		}
		width = conv.width_arg ? star_argument(c) : 0;
		prec = conv.prec_arg ? star_argument(c) : 0;
		op = conversion_op(c, &conv, next_argument(c));
		if (g->nr_convs == UINT16_MAX) {
			op = (struct prog_op){ .code = OP_MISSING };
		} else {
			g->convs = xgrow(g->convs, &g->cap_convs, g->nr_convs + 1,
					 sizeof(*g->convs));
			g->convs[g->nr_convs] = conv;
			op.conv = g->nr_convs++;
		}
		op_set_literal(c, &op, &lit);
		op.width = width;
		op.prec = prec;
		add_op(v, op);
	}
	op_set_literal(c, &end_op, &lit);
	add_op(v, end_op);
	if (v->n >= PROG_OPS_MAX)
		note_reason(c, "the print fmt is too long");
	buf_release(&lit);
}

/* --- the print fmt as a whole */

/*
 * Returns the end of the literal that starts at @p, or NULL. The kernel writes the format between
 * quotes without escaping it, so it may have quotes inside. The quote that ends it is followed by a
 * comma, another literal, or nothing.
 */
static const char *literal_end(const char *p, const char *end)
{
	for (; p < end; p++) {
		const char *next = p + 1;

		if (*p == '\\') {
			p++;
			continue;
		}
		if (*p != '"')
			continue;
		while (next < end && isspace((unsigned char)*next))
			next++;
		if (next == end || *next == ',' || (*next == '"' && next > p + 1))
			return p;
	}
	return NULL;
}

/* Appends adjacent literals of the print fmt to @fmt, and starts the lexer after them. */
static bool parse_format(struct prog_compiler *c, const char *s, struct buf *fmt)
{
	static const char from[] = "ntr\"\\'", to[] = "\n\t\r\"\\'";
	const char *end = s + strlen(s), *close, *at;

	buf_reserve(fmt, 1);
	fmt->data[0] = 0;
	if (*s != '"')
		return false;
	while (s < end && *s == '"') {
		close = literal_end(s + 1, end);
		if (!close)
			return false;
		for (s++; s < close; s++) {
			at = *s == '\\' && s + 1 < close && s[1] ? strchr(from, s[1]) : NULL;
			if (at)
				s++;
			buf_addch(fmt, at ? to[at - from] : *s);
		}
		for (s = close + 1; s < end && isspace((unsigned char)*s); s++)
			;
	}
	lex_start(&c->p.lex, s, end - s);
	return fmt->len < FMT_MAX;
}

/* Compiles the format of trace_seq_printf(), which is plain C, and its arguments. */
static uint32_t compile_nested(struct expr_parser *p, const char *text, size_t len)
{
	struct prog_compiler *c = p->nested_ctx;
	struct expr_code *code = p->code;
	struct prog_ops ops = { 0 };
	struct expr_call call = { 0 };
	struct expr_node n = { .op = X_PRINTF, .kind = XK_TEXT };
	unsigned int depth = p->depth;
	struct buf fmt = { 0 };
	struct prog_op *last;
	uint32_t str;

	lex_start(&p->lex, text, len);
	str = p->lex.kind == LEX_STR ? x_string(p) : 0;
	if (!str)
		return x_fail(p, "trace_seq_printf() has no format");
	buf_add(&fmt, code->text.data + x_at(p, str)->a, x_at(p, str)->b);
	compile_text(c, &ops, &fmt);
	buf_release(&fmt);
	p->depth = depth;
	/* a last "%c" of 0 ends the string and is no part of it */
	last = ops.n > 1 && !ops.v[ops.n - 1].lit_len ? &ops.v[ops.n - 2] : NULL;
	if (last && last->code == OP_CHAR && x_is_const(p, last->node) &&
	    !x_at(p, last->node)->num) {
		last->code = OP_END;
		ops.n--;
	}
	/* arguments may have added nested operations before these */
	call.prog_first = c->g->nested.n;
	for (size_t i = 0; i < ops.n; i++)
		add_op(&c->g->nested, ops.v[i]);
	free(ops.v);
	if (c->g->nested.n > PROG_OPS_MAX)
		return x_fail(p, "trace_seq_printf() prints too much");
	code->calls = xgrow(code->calls, &code->cap_calls, code->nr_calls + 1,
			    sizeof(*code->calls));
	code->calls[code->nr_calls] = call;
	n.a = code->nr_calls++;
	return x_node(p, n);
}

/* --- the values of a whole program */

static uint32_t node_end(const struct expr_node *n)
{
	switch (n->op) {
	case X_LOAD:
		return n->a + n->t.size;
	case X_FIELD:
		return n->a + n->b;
	case X_REST:
		return n->a;
	case X_DYN:
		return n->a + n->b;
	case X_LEN:
		return n->a + 4;
	default:
		return 0;
	}
}

static size_t ops_room(const struct prog_ops *v)
{
	size_t sum = 0;

	for (size_t i = 0; i < v->n; i++)
		sum += POKE_TEXT_ROOM(v->v[i].lit_len) + PROG_VALUE_ROOM;
	return sum;
}

struct prog *prog_compile(const struct ev_format *fmt, const struct event_meta *w, char **why)
{
	struct prog *g = xcalloc(1, sizeof(*g));
	struct expr_code *code = &g->code;
	struct prog_compiler c = { .g = g };
	struct buf text = { 0 };

	g->fmt = fmt;
	g->long_size = w->long_size;
	c.p = (struct expr_parser){ .fmt = fmt, .long_size = w->long_size, .big = w->big,
			       .code = &g->code, .plugins = w->plugins, .meta = w,
			       .kernel = w->kernel, .notes = &c.notes,
			       .nested = compile_nested, .nested_ctx = &c };
	buf_addstr(&g->code.text, "");
	if (parse_format(&c, fmt->print_fmt, &text)) {
		compile_text(&c, &g->ops, &text);
		g->room = ops_room(&g->ops) + ops_room(&g->nested);
		/* the bytes that poke_text() may read after a text */
		buf_add(&code->text, (char[POKE_TEXT_ROOM(0)]){ 0 }, POKE_TEXT_ROOM(0));
		for (size_t i = 0; i < code->nr; i++)
			if (node_end(&code->nodes[i]) > g->min_len)
				g->min_len = node_end(&code->nodes[i]);
		for (size_t i = 0; i < code->nr_entries; i++)
			code->entries[i].name = code->text.data + code->names[i];
		if (g->ops.n > 1 && !g->ops.v[g->ops.n - 1].lit_len)
			g->ops.v[g->ops.n - 2].last = true;
	} else {
		buf_addstr(&c.why, "it has no print fmt");
	}
	/* a print fmt of which nothing is left */
	if (!g->ops.n || (text.len && g->ops.v[0].code == OP_END && !g->ops.v[0].lit_len)) {
		prog_free(g);
		g = NULL;
	}
	if (c.notes.len)
		buf_printf(&c.why, "%s%s", c.why.len ? "; " : "", c.notes.data);
	*why = c.why.len ? buf_take(&c.why) : NULL;
	x_lits_free(c.p.lits);
	buf_release(&c.why);
	buf_release(&c.notes);
	buf_release(&text);
	return g;
}

void prog_free(struct prog *g)
{
	if (!g)
		return;
	xcode_release(&g->code);
	free(g->ops.v);
	free(g->nested.v);
	free(g->convs);
	free(g);
}
