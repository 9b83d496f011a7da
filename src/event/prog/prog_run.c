/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runner of compiled print fmts: values of expressions, texts, conversions. */
#include <string.h>

#include "base/cursor.h"
#include "base/text.h"
#include "event/plugin/plugin.h"
#include "event/prog/prog_priv.h"

/* A pointer that is being followed: [p, end) may be read; p is NULL for kernel addresses. */
struct field_ref {
	const uint8_t *p, *end;
	uint32_t len;		/* bytes of the field itself */
	uint64_t v;		/* the kernel address if p is NULL */
};

static struct field_ref eval_ref(const struct prog_run *r, uint32_t node);
static void run_text(const struct prog_run *r, uint32_t node, bool last, struct buf *out);
static void run_foreign(const struct prog_run *r, const struct expr_node *n, struct buf *out);

/* --- calls of plugins' functions */

static bool run_call(const struct prog_run *r, const struct expr_node *n, uint64_t *num,
		     struct buf *out)
{
	const struct expr_call *call = &r->g->code.calls[n->a];
	const char *sig = plug_func_signature(call->plug), *s;
	struct ftr_arg args[PLUG_ARGS_MAX] = { 0 }, *arg;
	struct buf texts[PLUG_ARGS_MAX] = { 0 };
	struct field_ref at;
	uint32_t node;
	bool ok;

	for (uint32_t i = 0; i < call->n; i++) {
		s = plug_signature_at(sig, call->skip, i);
		arg = &args[s - sig - 2];
		node = r->g->code.args[call->first + i];
		if (*s == 'i') {
			arg->num = eval_num(r, node);
		} else if (*s == 's') {
			buf_addstr(&texts[i], "");
			run_text(r, node, false, &texts[i]);
			arg->data = texts[i].data;
			arg->len = strlen(texts[i].data);
		} else if (*s == 'b') {
			at = eval_ref(r, node);
			if (!at.p)
				continue;
			arg->data = at.p;
			arg->len = at.len < at.end - at.p ? at.len : at.end - at.p;
		}
	}
	ok = plug_func_call(call->plug, r->e, r->r, args, num, out);
	for (uint32_t i = 0; i < call->n; i++)
		buf_release(&texts[i]);
	return ok;
}

/* Returns the number of an X_PLUGIN, 0 if the plugin fails. */
static uint64_t run_plugin_num(const struct prog_run *r, const struct expr_node *n)
{
	struct buf unused = { 0 };
	uint64_t v = 0;

	run_call(r, n, &v, &unused);
	buf_release(&unused);
	return v;
}

static void run_plugin_text(const struct prog_run *r, const struct expr_node *n, struct buf *out)
{
	struct buf text = { 0 };
	uint64_t v;

	buf_addstr(&text, "");
	if (run_call(r, n, &v, &text))
		engine_text(r->e, out, text.data, text.len, false);
	else
		run_foreign(r, n, out);
	buf_release(&text);
}

/* --- values of expressions for one record: static offsets were checked against its length */

static uint64_t highest_bit(uint64_t v)
{
	return v ? 63u - (unsigned int)__builtin_clzll(v) : UINT64_MAX;
}

static uint64_t eval_unary(const struct prog_run *r, const struct expr_node *n)
{
	uint64_t v = eval_num(r, n->a);

	switch (n->op) {
	case X_NOT:
		return !v;
	case X_CAST:
		return ctype_convert(n->t, v);
	case X_SWAP:
		return __builtin_bswap64(v) >> (64 - 8 * n->t.size);
	case X_LOG2:
		return highest_bit(v);
	case X_ORDER2:
		return v > 1 ? highest_bit(v - 1) + 1 : 0;
	default:
		return ctype_convert(n->t, x_apply(n->op, n->t, v, 0));
	}
}

static uint64_t eval_binary(const struct prog_run *r, const struct expr_node *n)
{
	uint64_t a = eval_num(r, n->a), b = eval_num(r, n->b);

	switch (n->op) {
	case X_AND:
		return a & b;
	case X_OR:
		return a | b;
	case X_EQ:
		return a == b;
	case X_NE:
		return a != b;
	default:
		if (n->op >= X_LT && n->op <= X_GE)
			return x_apply(n->op, n->t, a, b);
		return ctype_convert(n->t, x_apply(n->op, n->t, a, b));
	}
}

uint64_t eval_num(const struct prog_run *r, uint32_t node)
{
	const struct expr_node *n = &r->nodes[node];
	const struct ev_style *style;
	struct field_ref at;
	uint64_t v;

	switch (n->op) {
	case X_NUM:
		return n->num;
	case X_LOAD:
		return ctype_convert(n->t, get_sized(r->data + n->a, n->t.size, r->big));
	case X_DEREF:
		at = eval_ref(r, n->a);
		if (!at.p || at.end - at.p < n->t.size)
			return 0;
		return ctype_convert(n->t, get_sized(at.p, n->t.size, r->big));
	case X_OPTIONS:
		style = &r->e->style;
		return (style->no_parent ? 0 : 1) | (style->sym_offset ? 2 : 0) |
		       (style->sym_addr ? 4 : 0);
	case X_LEN:
		return get_u32(r->data + n->a, r->big) >> 16;
	case X_TRUTH:
		at = eval_ref(r, n->a);
		return at.p || at.v;
	case X_PLUGIN:
		return n->kind == XK_NUM ? run_plugin_num(r, n) : 1;
	case X_LAND:
		return eval_num(r, n->a) && eval_num(r, n->b);
	case X_LOR:
		return eval_num(r, n->a) || eval_num(r, n->b);
	case X_COND:
		return eval_num(r, eval_num(r, n->a) ? n->b : n->c);
	case X_ELVIS:
		v = eval_num(r, n->a);
		return v ? v : eval_num(r, n->b);
	case X_NEG: case X_COM: case X_NOT: case X_CAST: case X_SWAP: case X_LOG2: case X_ORDER2:
		return eval_unary(r, n);
	default:
		return n->op >= X_MUL && n->op <= X_OR ? eval_binary(r, n) : 0;
	}
}

/* --- pointers */

static struct field_ref in_record(const struct prog_run *r, uint32_t offset, uint32_t len)
{
	return (struct field_ref){ .p = r->data + offset, .end = r->data + r->len, .len = len };
}

/* Returns a reference to nothing if the pointer leaves the record, or the string. */
static struct field_ref eval_moved(const struct prog_run *r, const struct expr_node *n)
{
	struct field_ref at = eval_ref(r, n->a);
	int64_t by, first;

	if (__builtin_mul_overflow((int64_t)eval_num(r, n->b), (int64_t)n->num, &by))
		return (struct field_ref){ 0 };
	if (!at.p)
		return (struct field_ref){ .v = at.v ? at.v + by : 0 };
	first = at.end == r->data + r->len ? r->data - at.p : 0;
	if (by < first || by > at.end - at.p)
		return (struct field_ref){ 0 };
	at.p += by;
	at.len = by >= 0 && by <= at.len ? at.len - by : at.end - at.p;
	return at;
}

static struct field_ref eval_ref(const struct prog_run *r, uint32_t node)
{
	const struct expr_node *n = &r->nodes[node];
	const char *text = r->g->code.text.data;
	const uint8_t *p;
	struct field_ref at;
	uint32_t len;

	switch (n->op) {
	case X_STR:
		return (struct field_ref){ .p = (const uint8_t *)text + n->a, .len = n->b,
				     .end = (const uint8_t *)text + n->a + n->b + 1 };
	case X_FIELD:
		return in_record(r, n->a, n->b);
	case X_REST:
		return in_record(r, n->a, r->len - n->a);
	case X_DYN:
		if (!ev_get_bytes(r->r, &r->g->fmt->fields[n->num], &p, &len))
			return (struct field_ref){ 0 };
		return (struct field_ref){ .p = p, .end = r->data + r->len, .len = len };
	case X_PADD:
		return eval_moved(r, n);
	case X_COND:
		return eval_ref(r, eval_num(r, n->a) ? n->b : n->c);
	case X_ELVIS:
		at = eval_ref(r, n->a);
		return at.p || at.v ? at : eval_ref(r, n->b);
	default:
		return (struct field_ref){ .v = n->kind == XK_NUM ? eval_num(r, node) : 0 };
	}
}

/* --- texts */

#define OUTSIDE "<outside the record>"
#define FOREIGN_BYTES 16	/* bytes that are shown of an unknown function's data */

static struct conv_env run_env(const struct prog_run *r)
{
	return (struct conv_env){
		.syms = r->e->syms, .symbols = &r->e->symbols, .long_size = r->g->long_size,
		.big = r->big, .raw = r->e->bytes,
	};
}

/*
 * Appends the string at a pointer. For a kernel address that is the string that printk_formats
 * lists, or the address in the form of %px.
 */
static void add_ref(const struct prog_run *r, uint32_t node, bool last, struct buf *out)
{
	struct field_ref at = eval_ref(r, node);
	const char *s = (const char *)at.p;
	size_t n;

	if (s) {
		n = strnlen(s, at.len);
		while (last && !r->e->bytes && n && s[n - 1] == '\n')
			n--;
		if (r->e->bytes || text_clean(s, n, false))
			buf_add(out, s, n);
		else
			text_sanitise(out, s, n, false);
	} else if (r->nodes[node].kind == XK_NUM || at.v) {
		s = at.v ? ev_printk_at(r->e, at.v) : "(null)";
		if (s) {
			engine_text(r->e, out, s, strlen(s), false);
			return;
		}
		buf_addstr(out, "(0x");
		buf_add_hex_fixed(out, at.v, 2 * r->g->long_size);
		buf_addch(out, ')');
	} else {
		buf_addstr(out, OUTSIDE);
	}
}

/* Returns a length from the record, at most that of the data. A negative int is no length. */
static uint32_t bound_len(const struct prog_run *r, uint32_t node, const struct field_ref *at)
{
	uint64_t n = (int32_t)eval_num(r, node) < 0 ? 0 : eval_num(r, node);
	uint64_t room = at->end - at->p;

	return n < room ? n : room;
}

static void add_array(const struct prog_run *r, const struct expr_node *n,
		      const struct field_ref *at, struct buf *out)
{
	size_t start = out->len;

	list_array(out, at->p, at->end - at->p, bound_len(r, n->b, at), n->num, r->big);
	if (!n->c || out->len < start + 2)
		return;
	/* without braces */
	memmove(out->data + start, out->data + start + 1, out->len - start - 2);
	out->len -= 2;
	out->data[out->len] = '\0';
}

static void add_stacktrace(const struct prog_run *r, const struct expr_node *n, struct buf *out)
{
	struct field_ref at = eval_ref(r, n->a);
	uint32_t size = r->g->long_size;
	uint64_t addr;

	for (; at.p && at.len >= size; at.p += size, at.len -= size) {
		addr = size == 8 ? get_u64(at.p, r->big) : get_u32(at.p, r->big);
		if (!addr)
			break;
		buf_addstr(out, "\n=> ");
		ev_print_func(r->e, addr, true, out);
	}
}

/* Appends the text of a node that reads an array of the record. */
static void add_array_text(const struct prog_run *r, const struct expr_node *n, struct buf *out)
{
	const uint32_t *args = n->op == X_DUMP ? r->g->code.args + r->g->code.calls[n->a].first :
						 NULL;
	struct field_ref at = eval_ref(r, args ? args[4] : n->a), prefix;
	struct conv_env env = run_env(r);

	if (!at.p) {
		buf_addstr(out, OUTSIDE);
	} else if (n->op == X_HEX) {
		list_hex(out, at.p, bound_len(r, n->b, &at), n->num);
	} else if (n->op == X_ARRAY) {
		add_array(r, n, &at, out);
	} else if (n->op == X_MASK) {
		list_bitmask(&env, out, at.p, at.len, r->e->style.bitmask_list);
	} else {
		prefix = eval_ref(r, args[0]);
		list_hex_dump(&env, out, prefix.p ? (const char *)prefix.p : "",
			      eval_num(r, args[1]), eval_num(r, args[2]), eval_num(r, args[3]),
			      at.p, bound_len(r, args[5], &at), eval_num(r, args[6]),
			      at.p - r->data);
	}
}

/* Appends the text that %s prints for a node. */
static void run_text(const struct prog_run *r, uint32_t node, bool last, struct buf *out)
{
	const struct expr_node *n = &r->nodes[node];
	const struct expr_code *c = &r->g->code;
	const struct list_entry *entry;
	const struct expr_table *t;
	uint64_t v;

	switch (n->op) {
	case X_STR:
		buf_add(out, c->text.data + n->a, n->b);
		break;
	case X_COND:
		run_text(r, eval_num(r, n->a) ? n->b : n->c, last, out);
		break;
	case X_FLAGS:
		t = &c->tables[n->b];
		list_flags(out, eval_num(r, n->a), t->has_delim ? c->text.data + t->delim : "",
			   c->entries + t->first, t->n);
		break;
	case X_SYMBOLIC:
		t = &c->tables[n->b];
		list_symbolic(out, eval_num(r, n->a), c->entries + t->first, t->n);
		break;
	case X_PICK:
		t = &c->tables[n->b];
		v = eval_num(r, n->a);
		if (v >= t->n)
			break;
		entry = &c->entries[t->first + v];
		buf_add(out, entry->name, entry->len);
		break;
	case X_HEX:
	case X_ARRAY:
	case X_DUMP:
	case X_MASK:
		add_array_text(r, n, out);
		break;
	case X_STACK:
		add_stacktrace(r, n, out);
		break;
	case X_PRINTF:
		run_ops(r, r->g->nested.v + c->calls[n->a].prog_first, out);
		break;
	case X_PLUGIN:
		run_plugin_text(r, n, out);
		break;
	case X_FOREIGN:
		run_foreign(r, n, out);
		break;
	default:
		add_ref(r, node, last, out);
	}
}

/* --- functions that only the kernel knows: name(raw values) */

static void foreign_value(const struct prog_run *r, uint32_t node, struct buf *out)
{
	const struct expr_node *n = &r->nodes[node];
	struct field_ref at;
	uint32_t len;

	if (n->op == X_FOREIGN) {
		run_foreign(r, n, out);
	} else if (n->kind == XK_NUM && n->unknown) {
		run_foreign(r, &r->nodes[n->cause], out);
	} else if (n->kind == XK_NUM) {
		buf_add_0x(out, eval_num(r, node));
	} else if (n->kind == XK_TEXT || n->op == X_STR || n->t.esign) {
		buf_addch(out, '"');
		run_text(r, node, true, out);
		buf_addch(out, '"');
	} else {
		at = eval_ref(r, node);
		if (!at.p) {
			buf_add_0x(out, at.v);
			return;
		}
		len = at.end - at.p;
		len = at.len < len ? at.len : len;
		buf_addch(out, '{');
		list_hex(out, at.p, len < FOREIGN_BYTES ? len : FOREIGN_BYTES, true);
		buf_addstr(out, len > FOREIGN_BYTES ? "...}" : "}");
	}
}

/* Appends name(raw values). */
static void run_foreign(const struct prog_run *r, const struct expr_node *n, struct buf *out)
{
	const struct expr_code *c = &r->g->code;
	const struct expr_call *call = &c->calls[n->a];

	buf_add(out, c->text.data + call->name, call->name_len);
	if (!call->n)
		return;
	buf_addch(out, '(');
	for (uint32_t i = 0; i < call->n; i++) {
		if (i)
			buf_addstr(out, ", ");
		foreign_value(r, c->args[call->first + i], out);
	}
	buf_addch(out, ')');
}

/* Appends the unknown part of an argument, or its name with all its fields: name(raw values). */
static void run_unknown(const struct prog_run *r, const struct prog_op *op, struct buf *out)
{
	const struct expr_code *c = &r->g->code;
	const struct expr_node *n = &r->nodes[op->node];
	const struct expr_call *call = &c->calls[r->nodes[n->cause].a];

	run_foreign(r, &r->nodes[n->cause], out);
	if (call->n || !op->nr_fields)
		return;
	buf_addch(out, '(');
	for (uint32_t i = 0; i < op->nr_fields; i++) {
		if (i)
			buf_addstr(out, ", ");
		foreign_value(r, c->args[op->fields + i], out);
	}
	buf_addch(out, ')');
}

/* --- conversions */

/* Returns the int of a '*', or @fixed; within the bounds of the converters. */
static int star_value(const struct prog_run *r, uint32_t node, int fixed)
{
	int64_t v;

	if (!node)
		return fixed;
	v = (int32_t)eval_num(r, node);
	if (v > CONV_WIDTH_MAX)
		return CONV_WIDTH_MAX;
	return v < -CONV_WIDTH_MAX ? -CONV_WIDTH_MAX : v;
}

/*
 * Prints %s with a width or precision. A precision counts bytes of the record's string, so the
 * string is sanitised after it is cut.
 */
static void run_string(const struct prog_run *r, const struct prog_op *op,
		       const struct printf_conv *c, struct buf *out)
{
	int width = star_value(r, op->width, c->width), prec = star_value(r, op->prec, c->prec);
	const struct expr_node *n = &r->nodes[op->node];
	struct conv_env env = run_env(r);
	struct field_ref at = { 0 };
	struct buf text;
	uint64_t len;

	if (n->kind == XK_PTR && n->op != X_COND)
		at = eval_ref(r, op->node);
	if (at.p) {
		/* "%.*s" of bytes without NUL, as the kernel reads them */
		len = at.end - at.p;
		if (prec < 0 || at.len > (uint32_t)prec || n->op == X_STR)
			len = at.len;
		conv_str(&env, out, c, width, prec, (const char *)at.p, len);
		return;
	}
	text = r->e->text;
	r->e->text = (struct buf){ 0 };
	buf_reset(&text);
	buf_reserve(&text, 1);
	text.data[0] = 0;
	run_text(r, op->node, false, &text);
	conv_str(&env, out, c, width, prec, text.data, text.len);
	buf_release(&r->e->text);
	r->e->text = text;
}

static void run_bytes(const struct prog_run *r, const struct prog_op *op,
		      const struct printf_conv *c, struct buf *out)
{
	struct field_ref at = eval_ref(r, op->node);
	struct conv_env env = run_env(r);
	int width = star_value(r, op->width, c->width), prec = star_value(r, op->prec, c->prec);

	if (!at.p && r->nodes[op->node].kind == XK_NUM)
		conv_value(&env, out, c, width, prec, at.v);
	else if (!at.p || !conv_ptr(&env, out, c, width, prec, at.p, at.end - at.p))
		buf_addstr(out, OUTSIDE);
}

static void run_value_conv(const struct prog_run *r, const struct prog_op *op,
			   const struct printf_conv *c, struct buf *out)
{
	int width = star_value(r, op->width, c->width), prec = star_value(r, op->prec, c->prec);
	struct conv_env env = run_env(r);
	uint64_t v = eval_num(r, op->node);

	if (op->code == OP_CHAR)
		conv_char(&env, out, c, width, v);
	else if (op->code == OP_VALUE || op->code == OP_SYMBOL)
		conv_value(&env, out, c, width, prec, v);
	else
		conv_int(out, c, width, prec, v);
}

void run_op(const struct prog_run *r, const struct prog_op *op, struct buf *out)
{
	const struct printf_conv *c = &r->g->convs[op->conv];
	size_t from = out->len;

	switch (op->code) {
	case OP_UNKNOWN:
		run_unknown(r, op, out);
		break;
	case OP_MISSING:
		buf_addch(out, '?');
		break;
	case OP_MEMO:
		run_text(r, op->node, false, out);
		memo_keep(&r->e->memo, op, run_value(r, op), out->data + from, out->len - from);
		break;
	case OP_FIXED:
	case OP_DYN:
	case OP_TEXT:
		run_text(r, op->node, op->last, out);
		break;
	case OP_STR:
		run_string(r, op, c, out);
		break;
	case OP_BYTES:
		run_bytes(r, op, c, out);
		break;
	default:
		run_value_conv(r, op, c, out);
	}
}

bool prog_run(const struct prog *g, struct ev_engine *e, const struct ev_rec *r, struct buf *out)
{
	struct prog_run run = {
		.g = g, .nodes = g->code.nodes, .e = e, .r = r, .data = r->data, .len = r->len,
		.big = r->big,
	};
	size_t start = out->len;

	if (r->len < g->min_len)
		return false;
	run_ops(&run, g->ops.v, out);
	/* a newline at the end of the print fmt ends the line */
	while (!e->bytes && out->len > start && out->data[out->len - 1] == '\n')
		out->data[--out->len] = '\0';
	return true;
}
