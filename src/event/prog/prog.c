/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compiler of print fmts: the text is cut into literals and conversions, each with its argument. */
#include "event/prog/prog_priv.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/poke.h"
#include "base/text.h"
#include "event/print/ptr.h"

#define REASON_MAX	1024	/* bytes of all reasons */
#define FMT_MAX		(64 * 1024)

struct compiler {
	struct prog  *g;
	struct xparse p;
	struct buf    why, notes;
	unsigned int  arg;		/* which one is parsed, for the reasons */
	bool          no_args;		/* the argument list can't be read any further */
};

static void note_reason(struct compiler *c, const char *what)
{
	if (c->why.len < REASON_MAX)
		buf_printf(&c->why, "%sargument %u: %s", c->why.len ? "; " : "", c->arg, what);
}

/* What an argument lacks, which is @name. */
static void add_reason(struct buf *what, const struct xcall *call, const char *name, int len)
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
		buf_addstr(what, "it reads what a pointer points to, which is in the kernel's "
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

/* What @node lacks first: an unknown array rather than its element. */
static const struct xcall *first_lack(struct compiler *c, uint32_t node)
{
	const struct xcode *code = c->p.code;
	const struct xcall *call;
	uint32_t arg;

	do {
		call = &code->calls[x_at(&c->p, x_at(&c->p, node)->who)->a];
		arg = call->why != X_WHY_NAME && call->n ? code->args[call->first] : 0;
		node = arg;
	} while (arg && x_at(&c->p, arg)->unknown && !x_lit_of(&c->p, arg));
	return call;
}

static void reason_foreign(struct compiler *c, uint32_t node)
{
	const struct xcall *call = first_lack(c, node);
	struct buf what = { 0 };

	add_reason(&what, call, c->p.code->text.data + call->name,
		   call->name_len < 60 ? call->name_len : 60);
	note_reason(c, what.data);
	buf_release(&what);
}

static struct op *add_op(struct opvec *v, struct op op)
{
	v->v = xgrow(v->v, &v->cap, v->n + 1, sizeof(*v->v));
	v->v[v->n] = op;
	return &v->v[v->n++];
}

/* Clean text; what is in @lit goes. */
static void take_literal(struct compiler *c, struct op *op, struct buf *lit)
{
	op->lit = x_text(&c->p, lit->data ? lit->data : "", lit->len, &op->lit_len);
	buf_reset(lit);
}

/* --- arguments */

/* To the comma or the end of the argument that starts at the current token. */
static void skip_argument(struct lex *l)
{
	int depth = 0;

	for (; l->kind != LEX_END && l->kind != LEX_BAD; lex_next(l)) {
		if (!depth && (lex_is(l, ",") || lex_is(l, ")")))
			return;
		if (lex_is(l, "(") || lex_is(l, "[") || lex_is(l, "{"))
			depth++;
		else if (lex_is(l, ")") || lex_is(l, "]") || lex_is(l, "}"))
			depth--;
	}
}

static bool at_end_of_argument(const struct lex *l)
{
	return l->kind == LEX_END || lex_is(l, ",") || lex_is(l, ")");
}

/* The next argument; 0 when there is none, or none that can be understood. */
static uint32_t next_argument(struct compiler *c)
{
	struct lex start;
	uint32_t n;

	c->arg++;
	if (c->no_args || !lex_take(&c->p.lex, ",")) {
		c->no_args = true;
		note_reason(c, "it is missing");
		return 0;
	}
	start = c->p.lex;
	c->p.depth = 0;
	n = x_expr(&c->p);
	if (n && at_end_of_argument(&c->p.lex))
		return n;
	note_reason(c, n ? "there is text behind it" : c->p.why);
	c->p.lex = start;
	skip_argument(&c->p.lex);
	return 0;
}

/* --- conversions */

/* Fields below @node, for what is printed of an argument that is not known. */
static void collect_loads(struct compiler *c, uint32_t node, struct op *op, unsigned int depth)
{
	const struct xnode *n = x_at(&c->p, node);
	struct xcode *code = c->p.code;
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

static struct op lost_op(struct compiler *c, uint32_t node)
{
	struct op op = { .code = OP_LOST, .node = node, .fields = c->p.code->nr_args };

	reason_foreign(c, node);
	collect_loads(c, node, &op, 0);
	return op;
}

static bool is_bare(const struct conv *v)
{
	return !v->left && !v->plus && !v->space && !v->alt && !v->zero && !v->width_arg &&
		!v->prec_arg && v->width < 0 && v->prec < 0;
}

/* But for a width, and zeros in front. */
static bool is_width_only(const struct conv *v)
{
	return !v->left && !v->plus && !v->space && !v->alt && !v->width_arg && !v->prec_arg &&
		v->prec < 0;
}

static bool bare_alt(const struct conv *v)
{
	return v->alt && !v->left && !v->plus && !v->space && !v->zero && !v->width_arg &&
		!v->prec_arg && v->width < 0 && v->prec < 0;
}

/*
 * The low @size bytes of the field that @n reads: the eight bytes that end with it are read and
 * shifted. False when the record does not begin eight bytes before, or no number has that size.
 */
static bool from_field(struct compiler *c, struct op *op, const struct xnode *n, uint8_t size)
{
	uint32_t end = n->a + (c->p.big ? n->t.size : size);

	if (end <= 8 || !size || size > 8)
		return false;
	op->at = end - 8;
	op->down = 64 - 8 * size;
	return true;
}

/* What casts that are cut off again anyway are around. */
static const struct xnode *peel_casts(struct compiler *c, uint32_t node, uint8_t size)
{
	const struct xnode *n = x_at(&c->p, node);

	while (n->op == X_CAST && n->t.size >= size && !n->t.is_bool)
		n = x_at(&c->p, n->a);
	return n;
}

/* The value of @node as a number of @size bytes; returns whether it is extended by its sign. */
static bool set_value(struct compiler *c, struct op *op, uint32_t node, uint8_t size, bool sign)
{
	const struct xnode *n = peel_casts(c, node, size);

	op->node = node;
	op->down = 64 - 8 * size;
	if (n->op != X_LOAD)
		return sign;
	if (size <= n->t.size)
		from_field(c, op, n, size);
	else if ((sign || !n->t.sign) && from_field(c, op, n, n->t.size))
		return n->t.sign;
	return sign;
}

static enum op_code number_code(const struct conv *v)
{
	bool wide = is_width_only(v) && v->width > 0 && v->width <= 16;

	switch (v->kind) {
	case 'c':
		return OP_CHAR;
	case 'd':
		return is_bare(v) ? OP_DEC : wide ? OP_WIDE : OP_INT;
	case 'u':
		return is_bare(v) ? OP_UDEC : wide ? OP_WIDE : OP_INT;
	case 'x':
		return is_bare(v) || (wide && v->zero) ? OP_HEX : bare_alt(v) ? OP_HEX0 : OP_INT;
	default:
		return OP_INT;
	}
}

static struct op number_op(struct compiler *c, const struct conv *v, uint32_t node)
{
	struct op op = { .code = number_code(v), .node = node };

	if (op.code == OP_CHAR || op.code == OP_INT)
		return op;
	op.arg = v->width > 0 ? v->width : 0;
	op.fill = v->zero ? '0' : ' ';
	if (!set_value(c, &op, node, v->size, v->kind == 'd') && op.code == OP_DEC)
		op.code = OP_UDEC;
	return op;
}

/*
 * Whether what is printed of @node follows from one field, which *@load is then a node of; it is 0
 * when nothing is read.
 */
static bool of_one_field(struct compiler *c, uint32_t node, uint32_t *load)
{
	const struct xnode *n = x_at(&c->p, node);
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
		if (!of_one_field(c, child[i], load))
			return false;
	return kids || n->op == X_NUM || n->op == X_STR;
}

/* Text of the program, or made by its tables, whichever is chosen. */
static bool is_words(struct compiler *c, uint32_t node)
{
	const struct xnode *n = x_at(&c->p, node);

	if (n->op == X_COND)
		return is_words(c, n->b) && is_words(c, n->c);
	return n->op == X_STR || n->kind == XK_TEXT;
}

static struct op plain_string_op(struct compiler *c, uint32_t node)
{
	struct op op = { .code = OP_TEXT, .node = node };
	const struct xnode *n = x_at(&c->p, node);
	const struct ev_field *f = n->op == X_DYN ? &c->g->fmt->fields[n->num] : NULL;
	uint32_t load = 0;

	if (n->op == X_FIELD && n->a >= 8 && n->b <= PROG_FIXED_MAX) {
		op.code = OP_FIXED;
		op.at = n->a;
		op.arg = n->b;
	} else if (f && f->kind == EV_DATA_LOC && f->size == 4) {
		op.code = OP_DYN;
		op.at = n->a;
	} else if (is_words(c, node) && of_one_field(c, node, &load) &&
		   load && from_field(c, &op, x_at(&c->p, load), x_at(&c->p, load)->t.size)) {
		op.code = OP_MEMO;
	}
	return op;
}

static struct op string_op(struct compiler *c, const struct conv *v, uint32_t node)
{
	const struct xnode *n = x_at(&c->p, node);

	if (n->kind == XK_NUM && !n->t.ptr && !(n->op == X_LOAD && n->t.size == c->g->long_size))
		note_reason(c, "it is not text");
	return is_bare(v) ? plain_string_op(c, node) : (struct op){ .code = OP_STR, .node = node };
}

/* Numbers and addresses that a print fmt gives to a conversion of the other kind. */
static struct op mismatch_op(struct compiler *c)
{
	note_reason(c, "it is a text where a number is printed");
	return (struct op){ .code = OP_NOTHING };
}

static struct op value_op(struct compiler *c, const struct conv *v, uint32_t node)
{
	struct ctype address = ctype_int(c->g->long_size, false);
	const struct xnode *n = x_at(&c->p, node);
	struct op op = { .code = OP_VALUE };

	if (n->kind == XK_TEXT)
		return mismatch_op(c);
	if (n->kind == XK_PTR) {
		node = x_cast(&c->p, address, node);
		return node ? lost_op(c, node) : (struct op){ .code = OP_NOTHING };
	}
	op.node = x_cast(&c->p, address, node);
	if (!is_bare(v) || !op.node || (*v->ext && !ptr_symbol_kind(v->ext)))
		return op;
	op.code = *v->ext ? OP_SYMBOL : OP_HEX;
	op.arg = *v->ext ? ptr_symbol_kind(v->ext) : 2u * c->g->long_size;
	set_value(c, &op, op.node, c->g->long_size, false);
	return op;
}

static struct op bytes_op(struct compiler *c, const struct conv *v, uint32_t node)
{
	const struct xnode *n = x_at(&c->p, node);
	struct buf what = { 0 };

	if (n->kind == XK_TEXT)
		return mismatch_op(c);
	if (n->kind == XK_NUM) {
		buf_printf(&what, "%%p%s of a kernel address", v->ext);
		note_reason(c, what.data);
		buf_release(&what);
	}
	return (struct op){ .code = OP_BYTES, .node = node };
}

/*
 * A choice between texts leads to what is known, or to the unknown part of a branch. What was made
 * of something unknown, a number, a name for it or the choice itself, does not.
 */
static bool can_follow(struct xparse *p, uint32_t node)
{
	const struct xnode *n = x_at(p, node);

	if (!n->unknown || n->op == X_FOREIGN || n->op == X_PRINTF)
		return true;
	return n->op == X_COND && !x_at(p, n->a)->unknown && can_follow(p, n->b) &&
		can_follow(p, n->c);
}

static struct op conversion_op(struct compiler *c, const struct conv *v, uint32_t node)
{
	enum conv_arg kind = conv_arg(v);

	if (!node)
		return (struct op){ .code = OP_NOTHING };
	if (x_at(&c->p, node)->unknown && kind != CONV_ARG_STR)
		return lost_op(c, node);
	if (kind == CONV_ARG_STR && x_at(&c->p, node)->unknown) {
		reason_foreign(c, node);
		if (!can_follow(&c->p, node))
			return (struct op){ .code = OP_TEXT, .node = x_at(&c->p, node)->who };
		return (struct op){ .code = is_bare(v) ? OP_TEXT : OP_STR, .node = node };
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
		return node ? lost_op(c, node) : (struct op){ .code = OP_NOTHING };
	}
	return number_op(c, v, node);
}

static uint32_t star_argument(struct compiler *c)
{
	uint32_t n = next_argument(c);

	if (n && x_at(&c->p, n)->kind == XK_NUM && !x_at(&c->p, n)->unknown)
		return n;
	if (n)
		note_reason(c, "a width or precision is not known");
	return x_num(&c->p, ctype_int(4, true), 0);
}

static uint16_t add_conv(struct prog *g, const struct conv *conv)
{
	g->convs = xgrow(g->convs, &g->cap_convs, g->nr_convs + 1, sizeof(*g->convs));
	g->convs[g->nr_convs] = *conv;
	return g->nr_convs++;
}

/* @lit stands before it. */
static void add_conversion(struct compiler *c, struct opvec *v, const struct conv *conv,
			   struct buf *lit)
{
	uint32_t width = conv->width_arg ? star_argument(c) : 0;
	uint32_t prec = conv->prec_arg ? star_argument(c) : 0;
	struct op op = conversion_op(c, conv, next_argument(c));

	if (c->g->nr_convs == UINT16_MAX)
		op = (struct op){ .code = OP_NOTHING };
	else
		op.conv = add_conv(c->g, conv);
	take_literal(c, &op, lit);
	op.width = width;
	op.prec = prec;
	add_op(v, op);
}

/* The lexer stands behind the format, at the comma before the first argument. */
static void compile_text(struct compiler *c, struct opvec *v, const struct buf *fmt)
{
	const char *s = fmt->data, *end = s + fmt->len;
	struct op end_op = { .code = OP_END };
	struct buf lit = { 0 };
	struct conv conv;
	size_t n;

	while (s < end && v->n < PROG_OPS_MAX) {
		if (*s != '%') {
			buf_addch(&lit, *s++);
			continue;
		}
		n = conv_parse(s, end, c->g->long_size, &conv);
		if (!n) {
			note_reason(c, "after it the print fmt has an unknown conversion");
			break;
		}
		s += n;
		if (conv.kind == '%') {
			buf_addch(&lit, '%');
			continue;
		}
		add_conversion(c, v, &conv, &lit);
	}
	take_literal(c, &end_op, &lit);
	add_op(v, end_op);
	if (v->n >= PROG_OPS_MAX)
		note_reason(c, "the print fmt is too long");
	buf_release(&lit);
}

/* --- the print fmt itself */

/*
 * Where the literal that starts at @p ends. The kernel writes the format as it is, between quotes:
 * it may have quotes inside. One that ends it is followed by a comma, another literal, or nothing.
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

static void unescape_literal(struct buf *out, const char *s, const char *end)
{
	static const char from[] = "ntr\"\\'", to[] = "\n\t\r\"\\'";
	const char *at;

	for (; s < end; s++) {
		at = *s == '\\' && s + 1 < end && s[1] ? strchr(from, s[1]) : NULL;
		if (at)
			s++;
		buf_addch(out, at ? to[at - from] : *s);
	}
}

/* Adjacent literals of the print fmt into @fmt; the lexer is started behind them. */
static bool take_format(struct compiler *c, const char *s, struct buf *fmt)
{
	const char *end = s + strlen(s), *close;

	buf_reserve(fmt, 1);
	fmt->data[0] = 0;
	if (*s != '"')
		return false;
	while (s < end && *s == '"') {
		close = literal_end(s + 1, end);
		if (!close)
			return false;
		unescape_literal(fmt, s + 1, close);
		for (s = close + 1; s < end && isspace((unsigned char)*s); s++)
			;
	}
	lex_start(&c->p.lex, s, end - s);
	return fmt->len < FMT_MAX;
}

/* A last "%c" of 0 ends the string that is made; it is no part of it. */
static void drop_end(struct compiler *c, struct opvec *v)
{
	struct op *last = v->n > 1 && !v->v[v->n - 1].lit_len ? &v->v[v->n - 2] : NULL;

	if (!last || last->code != OP_CHAR || !x_is_const(&c->p, last->node) ||
	    x_at(&c->p, last->node)->num)
		return;
	last->code = OP_END;
	v->n--;
}

/* Behind those that are there: an argument in @own may have had operations of its own. */
static uint32_t add_nested_ops(struct compiler *c, const struct opvec *own)
{
	uint32_t first = c->g->nested.n;

	for (size_t i = 0; i < own->n; i++)
		add_op(&c->g->nested, own->v[i]);
	return first;
}

/* trace_seq_printf()'s format, which is plain C, and its arguments. */
static uint32_t compile_nested(struct xparse *p, const char *text, size_t len)
{
	struct compiler *c = p->nested_ctx;
	struct xcode *code = p->code;
	struct opvec ops = { 0 };
	struct xcall call = { 0 };
	struct xnode n = { .op = X_PRINTF, .kind = XK_TEXT };
	unsigned int depth = p->depth;
	struct buf fmt = { 0 };
	uint32_t str;

	lex_start(&p->lex, text, len);
	str = p->lex.kind == LEX_STR ? x_string(p) : 0;
	if (!str)
		return x_fail(p, "trace_seq_printf() has no format");
	buf_add(&fmt, code->text.data + x_at(p, str)->a, x_at(p, str)->b);
	compile_text(c, &ops, &fmt);
	buf_release(&fmt);
	p->depth = depth;
	drop_end(c, &ops);
	call.prog_first = add_nested_ops(c, &ops);
	free(ops.v);
	if (c->g->nested.n > PROG_OPS_MAX)
		return x_fail(p, "trace_seq_printf() prints too much");
	code->calls = xgrow(code->calls, &code->cap_calls, code->nr_calls + 1,
			    sizeof(*code->calls));
	code->calls[code->nr_calls] = call;
	n.a = code->nr_calls++;
	return x_node(p, n);
}

/* --- what is fixed once all is compiled */

static uint32_t node_end(const struct xnode *n)
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

static size_t ops_room(const struct opvec *v)
{
	size_t sum = 0;

	for (size_t i = 0; i < v->n; i++)
		sum += POKE_TEXT_ROOM(v->v[i].lit_len) + PROG_VALUE_ROOM;
	return sum;
}

static void finish_prog(struct prog *g)
{
	struct xcode *code = &g->code;

	g->room = ops_room(&g->ops) + ops_room(&g->nested);
	/* what poke_text() may read behind a text */
	buf_add(&code->text, (char[POKE_TEXT_ROOM(0)]){ 0 }, POKE_TEXT_ROOM(0));
	for (size_t i = 0; i < code->nr; i++)
		if (node_end(&code->nodes[i]) > g->min_len)
			g->min_len = node_end(&code->nodes[i]);
	for (size_t i = 0; i < code->nr_entries; i++)
		code->entries[i].name = code->text.data + code->names[i];
	if (g->ops.n > 1 && !g->ops.v[g->ops.n - 1].lit_len)
		g->ops.v[g->ops.n - 2].last = true;
}

static bool prints_nothing(const struct op *first)
{
	return first->code == OP_END && !first->lit_len;
}

struct prog *prog_compile(const struct ev_format *fmt, const struct ev_world *w, char **why)
{
	struct prog *g = xcalloc(1, sizeof(*g));
	struct compiler c = { .g = g };
	struct buf text = { 0 };

	g->fmt = fmt;
	g->long_size = w->long_size;
	c.p = (struct xparse){ .fmt = fmt, .long_size = w->long_size, .big = w->big,
			       .code = &g->code, .plugins = w->plugins, .world = w,
			       .kernel = w->kernel, .notes = &c.notes,
			       .nested = compile_nested, .nested_ctx = &c };
	buf_addstr(&g->code.text, "");
	if (take_format(&c, fmt->print_fmt, &text)) {
		compile_text(&c, &g->ops, &text);
		finish_prog(g);
	} else {
		buf_addstr(&c.why, "it has no print fmt");
	}
	if (!g->ops.n || (text.len && prints_nothing(&g->ops.v[0]))) {
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
