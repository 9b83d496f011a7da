/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runner of compiled print fmts. */
#include <string.h>

#include "base/cursor.h"
#include "base/text.h"
#include "event/plugin/plugin.h"
#include "event/prog/prog_priv.h"

/* --- Runs calls of functions that plugins have. */

/* Fills the argument that @s stands for; what it points to lives as long as @text. */
static void fill_run_arg(const struct run *r, const char *s, uint32_t node, struct ftr_arg *arg,
			 struct buf *text)
{
	struct ref at;

	if (*s == 'i') {
		arg->num = eval_num(r, node);
	} else if (*s == 's') {
		buf_addstr(text, "");
		run_text(r, node, false, text);
		arg->data = text->data;
		arg->len = strlen(text->data);
	} else if (*s == 'b') {
		at = eval_ref(r, node);
		if (!at.p)
			return;
		arg->data = at.p;
		arg->len = at.len < at.end - at.p ? at.len : at.end - at.p;
	}
}

static bool run_call(const struct run *r, const struct xnode *n, uint64_t *num, struct buf *out)
{
	const struct xcall *call = &r->g->code.calls[n->a];
	const char *sig = plug_func_signature(call->plug), *s;
	struct ftr_arg args[PLUG_ARGS_MAX] = { 0 };
	struct buf texts[PLUG_ARGS_MAX] = { 0 };
	bool ok;

	for (uint32_t i = 0; i < call->n; i++) {
		s = plug_signature_at(sig, call->skip, i);
		fill_run_arg(r, s, r->g->code.args[call->first + i], &args[s - sig - 2], &texts[i]);
	}
	ok = plug_func_call(call->plug, r->e, r->r, args, num, out);
	for (uint32_t i = 0; i < call->n; i++)
		buf_release(&texts[i]);
	return ok;
}

uint64_t run_plugged(const struct run *r, const struct xnode *n)
{
	struct buf unused = { 0 };
	uint64_t v = 0;

	run_call(r, n, &v, &unused);
	buf_release(&unused);
	return v;
}

void run_plugged_text(const struct run *r, const struct xnode *n, struct buf *out)
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

/* --- Values of expressions for one record. Static offsets were checked against its length. */

static uint64_t eval_deref(const struct run *r, const struct xnode *n)
{
	struct ref at = eval_ref(r, n->a);

	if (!at.p || at.end - at.p < n->t.size)
		return 0;
	return ctype_convert(n->t, get_sized(at.p, n->t.size, r->big));
}

static uint64_t highest_bit(uint64_t v)
{
	return v ? 63u - (unsigned int)__builtin_clzll(v) : UINT64_MAX;
}

static bool eval_truth(const struct run *r, uint32_t node)
{
	struct ref at = eval_ref(r, node);

	return at.p || at.v;
}

static uint64_t eval_unary(const struct run *r, const struct xnode *n)
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

static uint64_t eval_options(const struct run *r)
{
	const struct ev_style *s = &r->e->style;

	return (s->no_parent ? 0 : 1) | (s->sym_offset ? 2 : 0) | (s->sym_addr ? 4 : 0);
}

static uint64_t eval_binary(const struct run *r, const struct xnode *n)
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

uint64_t eval_num(const struct run *r, uint32_t node)
{
	const struct xnode *n = &r->nodes[node];
	uint64_t v;

	switch (n->op) {
	case X_NUM:
		return n->num;
	case X_LOAD:
		return ctype_convert(n->t, get_sized(r->data + n->a, n->t.size, r->big));
	case X_DEREF:
		return eval_deref(r, n);
	case X_OPTIONS:
		return eval_options(r);
	case X_LEN:
		return get_u32(r->data + n->a, r->big) >> 16;
	case X_TRUTH:
		return eval_truth(r, n->a);
	case X_PLUGIN:
		return n->kind == XK_NUM ? run_plugged(r, n) : 1;
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

static struct ref in_record(const struct run *r, uint32_t offset, uint32_t len)
{
	return (struct ref){ .p = r->data + offset, .end = r->data + r->len, .len = len };
}

static struct ref eval_dynamic(const struct run *r, const struct xnode *n)
{
	const uint8_t *p;
	uint32_t len;

	if (!ev_get_bytes(r->r, &r->g->fmt->fields[n->num], &p, &len))
		return (struct ref){ 0 };
	return (struct ref){ .p = p, .end = r->data + r->len, .len = len };
}

/* Nowhere when it leaves the record, or the string. */
static struct ref eval_moved(const struct run *r, const struct xnode *n)
{
	struct ref at = eval_ref(r, n->a);
	int64_t by, begin;

	if (__builtin_mul_overflow((int64_t)eval_num(r, n->b), (int64_t)n->num, &by))
		return (struct ref){ 0 };
	if (!at.p)
		return (struct ref){ .v = at.v ? at.v + by : 0 };
	begin = at.end == r->data + r->len ? r->data - at.p : 0;
	if (by < begin || by > at.end - at.p)
		return (struct ref){ 0 };
	at.p += by;
	at.len = by >= 0 && by <= at.len ? at.len - by : at.end - at.p;
	return at;
}

struct ref eval_ref(const struct run *r, uint32_t node)
{
	const struct xnode *n = &r->nodes[node];
	const char *text = r->g->code.text.data;
	struct ref at;

	switch (n->op) {
	case X_STR:
		return (struct ref){ .p = (const uint8_t *)text + n->a, .len = n->b,
				     .end = (const uint8_t *)text + n->a + n->b + 1 };
	case X_FIELD:
		return in_record(r, n->a, n->b);
	case X_REST:
		return in_record(r, n->a, r->len - n->a);
	case X_DYN:
		return eval_dynamic(r, n);
	case X_PADD:
		return eval_moved(r, n);
	case X_COND:
		return eval_ref(r, eval_num(r, n->a) ? n->b : n->c);
	case X_ELVIS:
		at = eval_ref(r, n->a);
		return at.p || at.v ? at : eval_ref(r, n->b);
	default:
		return (struct ref){ .v = n->kind == XK_NUM ? eval_num(r, node) : 0 };
	}
}

#define OUTSIDE "<outside the record>"
#define FOREIGN_BYTES 16	/* shown of the data that an unknown function gets */

/* --- texts */

static struct conv_env env_of(const struct run *r)
{
	return (struct conv_env){
		.syms = r->e->syms, .symbols = &r->e->symbols, .long_size = r->g->long_size,
		.big = r->big, .raw = r->e->bytes,
	};
}

static void add_clean_string(const struct run *r, const uint8_t *p, uint32_t len, bool last,
			     struct buf *out)
{
	size_t n = strnlen((const char *)p, len);

	while (last && !r->e->bytes && n && p[n - 1] == '\n')
		n--;
	if (r->e->bytes || text_clean((const char *)p, n, false))
		buf_add(out, p, n);
	else
		text_sanitise(out, (const char *)p, n, false);
}

/* The string at a kernel address: one that printk_formats lists, or its address as %px has it. */
static void add_kernel_string(const struct run *r, uint64_t addr, struct buf *out)
{
	const char *s = addr ? ev_printk_at(r->e, addr) : "(null)";

	if (s) {
		engine_text(r->e, out, s, strlen(s), false);
		return;
	}
	buf_addstr(out, "(0x");
	put_hex_fixed(out, addr, 2 * r->g->long_size);
	buf_addch(out, ')');
}

static void add_ref(const struct run *r, uint32_t node, bool last, struct buf *out)
{
	struct ref at = eval_ref(r, node);

	if (at.p)
		add_clean_string(r, at.p, at.len, last, out);
	else if (r->nodes[node].kind == XK_NUM || at.v)
		add_kernel_string(r, at.v, out);
	else
		buf_addstr(out, OUTSIDE);
}

static void add_flag_names(const struct run *r, const struct xnode *n, struct buf *out)
{
	const struct xcode *c = &r->g->code;
	const struct xtable *t = &c->tables[n->b];

	list_flags(out, eval_num(r, n->a), t->has_delim ? c->text.data + t->delim : "",
		   c->entries + t->first, t->n);
}

static void add_symbolic(const struct run *r, const struct xnode *n, struct buf *out)
{
	const struct xtable *t = &r->g->code.tables[n->b];

	list_symbolic(out, eval_num(r, n->a), r->g->code.entries + t->first, t->n);
}

static void add_pick(const struct run *r, const struct xnode *n, struct buf *out)
{
	const struct xtable *t = &r->g->code.tables[n->b];
	uint64_t i = eval_num(r, n->a);

	if (i < t->n)
		buf_add(out, r->g->code.entries[t->first + i].name,
			r->g->code.entries[t->first + i].len);
}

/* A length from the record, at most what is there; a negative int is no length. */
static uint32_t bound_len(const struct run *r, uint32_t node, const struct ref *at)
{
	uint64_t n = (int32_t)eval_num(r, node) < 0 ? 0 : eval_num(r, node);
	uint64_t room = at->end - at->p;

	return n < room ? n : room;
}

static void add_hex_bytes(const struct run *r, const struct xnode *n, struct buf *out)
{
	struct ref at = eval_ref(r, n->a);

	if (at.p)
		list_hex(out, at.p, bound_len(r, n->b, &at), n->num);
	else
		buf_addstr(out, OUTSIDE);
}

static void add_array(const struct run *r, const struct xnode *n, struct buf *out)
{
	struct ref at = eval_ref(r, n->a);
	size_t start = out->len;

	if (!at.p) {
		buf_addstr(out, OUTSIDE);
		return;
	}
	list_array(out, at.p, at.end - at.p, bound_len(r, n->b, &at), n->num, r->big);
	if (!n->c || out->len < start + 2)
		return;
	memmove(out->data + start, out->data + start + 1, out->len - start - 2);
	out->len -= 2;
	out->data[out->len] = '\0';
}

static void add_dump(const struct run *r, const struct xnode *n, struct buf *out)
{
	const uint32_t *args = r->g->code.args + r->g->code.calls[n->a].first;
	struct ref prefix = eval_ref(r, args[0]), at = eval_ref(r, args[4]);
	struct conv_env env = env_of(r);

	if (!at.p) {
		buf_addstr(out, OUTSIDE);
		return;
	}
	list_hex_dump(&env, out, prefix.p ? (const char *)prefix.p : "", eval_num(r, args[1]),
		      eval_num(r, args[2]), eval_num(r, args[3]), at.p, bound_len(r, args[5], &at),
		      eval_num(r, args[6]), at.p - r->data);
}

static void add_mask(const struct run *r, const struct xnode *n, struct buf *out)
{
	struct ref at = eval_ref(r, n->a);
	struct conv_env env = env_of(r);

	if (at.p)
		list_bitmask(&env, out, at.p, at.len, r->e->style.bitmask_list);
	else
		buf_addstr(out, OUTSIDE);
}

static void add_stacktrace(const struct run *r, const struct xnode *n, struct buf *out)
{
	struct ref at = eval_ref(r, n->a);
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

static void add_printf(const struct run *r, const struct xnode *n, struct buf *out)
{
	const struct xcall *call = &r->g->code.calls[n->a];

	run_ops(r, r->g->nested.v + call->prog_first, out);
}

void run_text(const struct run *r, uint32_t node, bool last, struct buf *out)
{
	const struct xnode *n = &r->nodes[node];

	switch (n->op) {
	case X_STR:
		buf_add(out, r->g->code.text.data + n->a, n->b);
		break;
	case X_COND:
		run_text(r, eval_num(r, n->a) ? n->b : n->c, last, out);
		break;
	case X_FLAGS:
		add_flag_names(r, n, out);
		break;
	case X_SYMBOLIC:
		add_symbolic(r, n, out);
		break;
	case X_PICK:
		add_pick(r, n, out);
		break;
	case X_HEX:
		add_hex_bytes(r, n, out);
		break;
	case X_ARRAY:
		add_array(r, n, out);
		break;
	case X_DUMP:
		add_dump(r, n, out);
		break;
	case X_MASK:
		add_mask(r, n, out);
		break;
	case X_STACK:
		add_stacktrace(r, n, out);
		break;
	case X_PRINTF:
		add_printf(r, n, out);
		break;
	case X_PLUGIN:
		run_plugged_text(r, n, out);
		break;
	case X_FOREIGN:
		run_foreign(r, n, out);
		break;
	default:
		add_ref(r, node, last, out);
	}
}

/* --- what only the kernel knows */

static void foreign_bytes(const struct ref *at, struct buf *out)
{
	uint32_t n = at->end - at->p;

	n = at->len < n ? at->len : n;
	buf_addch(out, '{');
	list_hex(out, at->p, n < FOREIGN_BYTES ? n : FOREIGN_BYTES, true);
	buf_addstr(out, n > FOREIGN_BYTES ? "...}" : "}");
}

static void foreign_value(const struct run *r, uint32_t node, struct buf *out)
{
	const struct xnode *n = &r->nodes[node];
	struct ref at;

	if (n->op == X_FOREIGN) {
		run_foreign(r, n, out);
	} else if (n->kind == XK_NUM && n->unknown) {
		run_foreign(r, &r->nodes[n->who], out);
	} else if (n->kind == XK_NUM) {
		put_0x(out, eval_num(r, node));
	} else if (n->kind == XK_TEXT || n->op == X_STR || n->t.esign) {
		buf_addch(out, '"');
		run_text(r, node, true, out);
		buf_addch(out, '"');
	} else {
		at = eval_ref(r, node);
		if (at.p)
			foreign_bytes(&at, out);
		else
			put_0x(out, at.v);
	}
}

void run_foreign(const struct run *r, const struct xnode *n, struct buf *out)
{
	const struct xcode *c = &r->g->code;
	const struct xcall *call = &c->calls[n->a];

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

/* The unknown part of an argument, or the whole with its fields: name(raw values). */
static void run_lost(const struct run *r, const struct op *op, struct buf *out)
{
	const struct xcode *c = &r->g->code;
	const struct xnode *n = &r->nodes[op->node];
	const struct xcall *call = &c->calls[r->nodes[n->who].a];

	run_foreign(r, &r->nodes[n->who], out);
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

/* A '*': an int. Its bounds are the converter's. */
static int star_value(const struct run *r, uint32_t node, int fixed)
{
	int64_t v;

	if (!node)
		return fixed;
	v = (int32_t)eval_num(r, node);
	if (v > CONV_WIDTH_MAX)
		return CONV_WIDTH_MAX;
	return v < -CONV_WIDTH_MAX ? -CONV_WIDTH_MAX : v;
}

static void conv_text(const struct run *r, const struct op *op, const struct conv *c,
		      struct buf *out)
{
	int width = star_value(r, op->width, c->width), prec = star_value(r, op->prec, c->prec);
	struct conv_env env = env_of(r);
	struct buf text = r->e->text;

	r->e->text = (struct buf){ 0 };
	buf_reset(&text);
	buf_reserve(&text, 1);
	text.data[0] = 0;
	run_text(r, op->node, false, &text);
	conv_str(&env, out, c, width, prec, text.data, text.len);
	buf_release(&r->e->text);
	r->e->text = text;
}

/* A string of the record goes through the converter as it is: a precision counts its bytes. */
static void run_string(const struct run *r, const struct op *op, const struct conv *c,
		       struct buf *out)
{
	const struct xnode *n = &r->nodes[op->node];
	struct ref at;

	if (n->kind == XK_PTR && n->op != X_COND) {
		at = eval_ref(r, op->node);
		if (at.p) {
			struct conv_env env = env_of(r);
			int prec = star_value(r, op->prec, c->prec);
			uint64_t len = at.end - at.p;

			/* "%.*s" of bytes without NUL, as the kernel reads them */
			if (prec < 0 || at.len > (uint32_t)prec || n->op == X_STR)
				len = at.len;
			conv_str(&env, out, c, star_value(r, op->width, c->width), prec,
				 (const char *)at.p, len);
			return;
		}
	}
	conv_text(r, op, c, out);
}

static void run_bytes(const struct run *r, const struct op *op, const struct conv *c,
		      struct buf *out)
{
	struct ref at = eval_ref(r, op->node);
	struct conv_env env = env_of(r);
	int width = star_value(r, op->width, c->width), prec = star_value(r, op->prec, c->prec);

	if (!at.p && r->nodes[op->node].kind == XK_NUM)
		conv_value(&env, out, c, width, prec, at.v);
	else if (!at.p || !conv_ptr(&env, out, c, width, prec, at.p, at.end - at.p))
		buf_addstr(out, OUTSIDE);
}

static void run_conv(const struct run *r, const struct op *op, struct buf *out)
{
	const struct conv *c = &r->g->convs[op->conv];
	int width = star_value(r, op->width, c->width), prec = star_value(r, op->prec, c->prec);
	struct conv_env env = env_of(r);
	uint64_t v = eval_num(r, op->node);

	if (op->code == OP_CHAR)
		conv_char(&env, out, c, width, v);
	else if (op->code == OP_VALUE || op->code == OP_SYMBOL)
		conv_value(&env, out, c, width, prec, v);
	else
		conv_int(out, c, width, prec, v);
}

static void run_memo(const struct run *r, const struct op *op, struct buf *out)
{
	size_t from = out->len;

	run_text(r, op->node, false, out);
	memo_keep(&r->e->memo, op, run_value(r, op), out->data + from, out->len - from);
}

void run_op(const struct run *r, const struct op *op, struct buf *out)
{
	switch (op->code) {
	case OP_LOST:
		run_lost(r, op, out);
		break;
	case OP_NOTHING:
		buf_addch(out, '?');
		break;
	case OP_MEMO:
		run_memo(r, op, out);
		break;
	case OP_FIXED:
	case OP_DYN:
	case OP_TEXT:
		run_text(r, op->node, op->last, out);
		break;
	case OP_STR:
		run_string(r, op, &r->g->convs[op->conv], out);
		break;
	case OP_BYTES:
		run_bytes(r, op, &r->g->convs[op->conv], out);
		break;
	default:
		run_conv(r, op, out);
	}
}

bool prog_run(const struct prog *g, struct ev_engine *e, const struct ev_rec *r, struct buf *out)
{
	struct run run = {
		.g = g, .nodes = g->code.nodes, .e = e, .r = r, .data = r->data, .len = r->len,
		.big = r->big,
	};
	size_t start = out->len;

	if (r->len < g->min_len)
		return false;
	run_ops(&run, g->ops.v, out);
	/* the print fmt's own line end is the line's */
	while (!e->bytes && out->len > start && out->data[out->len - 1] == '\n')
		out->data[--out->len] = '\0';
	return true;
}
