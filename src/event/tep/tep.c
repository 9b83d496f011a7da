/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The engine over libtraceevent. It gets formats at their first record and only after vetting,
 * records as copies in the scratch buffer, and symbols one at a time from our index instead of the
 * whole table.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <traceevent/event-parse.h>

#include "base/text.h"
#include "event/handle/engine_priv.h"
#include "event/plugin/plugin_priv.h"
#include "event/tep/tep_vet.h"

/* Private marks in a text that libtraceevent makes; no kernel text has such bytes in a row. */
#define TAIL	 "\1\2\3\1"
#define TAIL_END "\1\2\3\2"
#define NO_TAIL	 "\1\2\3\3"
#define MARK	 4	/* bytes */

/*
 * A copy of a record that libtraceevent reads instead of the file's bytes. The copy has zeros
 * before and after it. libtraceevent does not check the record's size: it reads at 16-bit offsets
 * for 16-bit lengths, and for a __rel_loc half of that again. All such reads are inside.
 */
struct tep_scratch {
	uint8_t *mem;
	size_t   cap, dirty;	/* bytes at ->mem; bytes from ->data on that may not be zero */
	uint8_t *data;
	uint32_t len;
};

/* One handle of libtraceevent, for one thread. */
struct tep_engine {
	struct tep_handle *tep;
	struct trace_seq seq;
	struct tep_scratch   scratch;
	bool             attached;	/* the plugins are registered with libtraceevent */
	bool             has_plugins;	/* there are any */
	bool             has_strings;	/* libtraceevent has printk_formats */
	bool             plain_symbols;	/* an offset may follow: see resolve_symbol() */
	char             symbol[8][512];	/* last results of resolve_symbol() */
	unsigned int     next_symbol;
};

/* One format that libtraceevent may render. */
struct tep_slot {
	struct tep_event *ev;
	bool   dry;		/* needs a dry run before each record */
	bool   offsets;		/* symbols are shown with offsets */
	bool   lines;		/* the print fmt has newlines inside the text */
	size_t nr_want;
	struct vet_arg want[VET_ARGS_MAX];	/* conversions in the order of the arguments */
};

/* --- the scratch record */

#define PAD_BEFORE	64
/* Offset 64 KiB + a field's end 64 KiB + length 64 KiB, and some. */
#define PAD_AFTER	(208 * 1024)
#define RECORD_MAX	(16 << 20)

static void write_num(uint8_t *p, uint32_t v, uint32_t size, bool big)
{
	for (uint32_t i = 0; i < size; i++)
		p[big ? size - 1 - i : i] = v >> 8 * i;
}

static void append_to_record(struct tep_scratch *s, const uint8_t *p, uint32_t n)
{
	memcpy(s->data + s->len, p, n);
	s->len += n;
	if (s->len > s->dirty)
		s->dirty = s->len;
}

/*
 * Makes a string @f end at a NUL, in the record or moved after its end, and writes its location.
 * The NUL is not part of the length that is printed, as an array of bytes may have been declared as
 * char.
 */
static bool place_string(struct tep_scratch *s, const struct ev_rec *r, const struct ev_field *f)
{
	uint32_t base = f->kind == EV_REL_LOC ? f->offset + f->size : 0, n, at;
	const uint8_t *p;

	if (!ev_get_bytes(r, f, &p, &n))
		return false;
	at = p - r->data;
	if (f->is_string && (!n || p[n - 1])) {
		s->len = (s->len + 3) & ~3u;
		at = s->len;
		append_to_record(s, p, n);
		append_to_record(s, (const uint8_t *)"", 1);
		n += !n;
	}
	if (at < base || at - base > UINT16_MAX || n > UINT16_MAX)
		return false;
	write_num(s->data + f->offset, f->size == 2 ? at - base : (at - base) | n << 16, f->size,
		  r->big);
	return true;
}

/*
 * Copies @r. Strings without a NUL are moved to the end and get one. Returns false if the record is
 * shorter than its fields, or has data outside of it.
 */
static bool scratch_fill(struct tep_scratch *s, const struct ev_rec *r)
{
	size_t extra = 0, want;

	if (r->len < 8 || r->len < r->fmt->min_len || r->len > RECORD_MAX)
		return false;
	for (size_t i = 0; i < r->fmt->nr_fields; i++)
		if (r->fmt->fields[i].kind == EV_DATA_LOC || r->fmt->fields[i].kind == EV_REL_LOC)
			extra += UINT16_MAX + 8;
	want = PAD_BEFORE + r->len + extra + PAD_AFTER;
	if (s->cap < want) {
		free(s->mem);
		s->cap = want + r->len + extra;
		s->mem = xcalloc(1, s->cap);
		s->data = s->mem + PAD_BEFORE;
		s->dirty = 0;
	}
	if (s->dirty)
		memset(s->data, 0, s->dirty);
	s->dirty = s->len = 0;
	append_to_record(s, r->data, r->len);
	write_num(s->data, r->fmt->id, 2, r->big);
	for (size_t i = 0; extra && i < r->fmt->nr_fields; i++) {
		const struct ev_field *f = &r->fmt->fields[i];

		if (f->kind != EV_DATA_LOC && f->kind != EV_REL_LOC)
			continue;
		if (!place_string(s, r, f))
			return false;
	}
	return true;
}

/* --- dry run of libtraceevent's evaluation: its rules (64 bits, no signs), with checks */

#define WIDTH_MAX	4096
#define DEPTH_MAX	1000

struct tep_dry_run {
	struct tep_handle *tep;
	const uint8_t *data;
	uint32_t len;
	unsigned int depth;
};

typedef const struct tep_print_arg *node_t;

static bool dry_num(struct tep_dry_run *d, node_t a, uint64_t *v);

static bool dry_read(struct tep_dry_run *d, uint64_t off, uint32_t size, uint64_t *v)
{
	if (off > d->len || size > d->len - off)
		return false;
	*v = tep_read_number(d->tep, d->data + off, size);
	return true;
}

/* Finds the bytes of a dynamic field. Returns false if they are outside of the record. */
static bool dry_dynamic(struct tep_dry_run *d, const struct tep_format_field *f, uint64_t *off,
			uint64_t *n)
{
	uint64_t loc;

	if (!dry_read(d, f->offset, f->size, &loc))
		return false;
	*off = loc & 0xffff;
	if (f->flags & TEP_FIELD_IS_RELATIVE)
		*off += f->offset + f->size;
	if (*off > d->len)
		return false;
	*n = f->size == 2 ? d->len - *off : loc >> 16;
	return *n <= d->len - *off;
}

static bool dry_field_bytes(struct tep_dry_run *d, const struct tep_format_field *f, uint64_t *n)
{
	if ((uint32_t)f->offset > d->len)
		return false;
	*n = f->size ? (uint64_t)f->size : d->len - f->offset;
	return *n <= d->len - f->offset;
}

static bool dry_index(struct tep_dry_run *d, node_t a, uint64_t *v)
{
	node_t base = a->op.left;
	const struct tep_format_field *f;
	uint64_t i, n;

	while (base && base->type == TEP_PRINT_TYPE)
		base = base->typecast.item;
	if (!base || base->type != TEP_PRINT_FIELD || !dry_num(d, a->op.right, &i))
		return false;
	f = base->field.field;
	if (!dry_field_bytes(d, f, &n) || !f->elementsize || i >= n / f->elementsize)
		return false;
	return dry_read(d, f->offset + i * f->elementsize, f->elementsize, v);
}

static bool dry_compute(const char *op, uint64_t l, uint64_t r, uint64_t *v)
{
	static const char *const compare[] = { "<", ">", "<=", ">=", "==", "!=", "&&", "||" };
	const bool results[] = { l < r, l > r, l <= r, l >= r, l == r, l != r, l && r, l || r };

	for (size_t i = 0; i < sizeof(compare) / sizeof(*compare); i++) {
		if (strcmp(op, compare[i]))
			continue;
		*v = results[i];
		return true;
	}
	switch (op[0]) {
	case '+': *v = l + r; return true;
	case '-': *v = l - r; return true;
	case '*': *v = l * r; return true;
	case '&': *v = l & r; return true;
	case '|': *v = l | r; return true;
	case '<': *v = l << (r & 63); return true;
	case '>': *v = l >> (r & 63); return true;
	case '/': *v = r ? l / r : 0; return r != 0;
	case '%': *v = r ? l % r : 0; return r != 0;
	case '~': *v = ~r; return true;
	case '!': *v = !r; return true;
	}
	return false;
}

static bool dry_op(struct tep_dry_run *d, node_t a, uint64_t *v)
{
	uint64_t l = 0, r;

	if (!strcmp(a->op.op, "["))
		return dry_index(d, a, v);
	if (!strcmp(a->op.op, "?")) {
		if (!dry_num(d, a->op.left, &l))
			return false;
		return dry_num(d, l ? a->op.right->op.left : a->op.right->op.right, v);
	}
	if (a->op.left->type != TEP_PRINT_NULL && !dry_num(d, a->op.left, &l))
		return false;
	return dry_num(d, a->op.right, &r) && dry_compute(a->op.op, l, r, v);
}

static bool dry_eval(struct tep_dry_run *d, node_t a, uint64_t *v)
{
	uint64_t off;

	switch (a->type) {
	case TEP_PRINT_ATOM:
		*v = strtoull(a->atom.atom, NULL, 0);
		return true;
	case TEP_PRINT_FIELD:
		return dry_read(d, a->field.field->offset, a->field.field->size, v);
	case TEP_PRINT_TYPE:
		if (!dry_num(d, a->typecast.item, v))
			return false;
		if (!strcmp(a->typecast.type, "u8"))
			*v &= 0xff;
		else if (!strcmp(a->typecast.type, "u16"))
			*v &= 0xffff;
		else if (!strcmp(a->typecast.type, "u32"))
			*v &= 0xffffffff;
		return true;
	case TEP_PRINT_OP:
		return dry_op(d, a, v);
	case TEP_PRINT_DYNAMIC_ARRAY_LEN:
		return dry_dynamic(d, a->dynarray.field, &off, v);
	default:
		return false;
	}
}

static bool dry_num(struct tep_dry_run *d, node_t a, uint64_t *v)
{
	bool ok;

	if (!a || ++d->depth > DEPTH_MAX)
		return false;
	ok = dry_eval(d, a, v);
	d->depth--;
	return ok;
}

/* Sets *n to the size in bytes of the array that __print_hex() or __print_array() gets. */
static bool array_bytes(struct tep_dry_run *d, node_t a, uint64_t *n)
{
	uint64_t off;

	if (a->type == TEP_PRINT_DYNAMIC_ARRAY)
		return dry_dynamic(d, a->dynarray.field, &off, n);
	return a->type == TEP_PRINT_FIELD && dry_field_bytes(d, a->field.field, n);
}

static bool dry_array(struct tep_dry_run *d, node_t a)
{
	uint64_t have, n, size;

	if (!array_bytes(d, a->int_array.field, &have) || !dry_num(d, a->int_array.count, &n) ||
	    !dry_num(d, a->int_array.el_size, &size))
		return false;
	/* libtraceevent does not swap bytes here. */
	if (size > 1 && tep_is_file_bigendian(d->tep) != tep_is_local_bigendian(d->tep))
		return false;
	return size && n <= have / size;
}

static bool dry_text(struct tep_dry_run *d, node_t a)
{
	uint64_t v, have, n;

	switch (a ? a->type : TEP_PRINT_NULL) {
	case TEP_PRINT_ATOM:
	case TEP_PRINT_FIELD:
	case TEP_PRINT_STRING:
	case TEP_PRINT_BITMASK:
	case TEP_PRINT_DYNAMIC_ARRAY:
	case TEP_PRINT_FUNC:	/* a plugin's */
		return true;
	case TEP_PRINT_CPUMASK:
		return a->bitmask.field && dry_dynamic(d, a->bitmask.field, &v, &n) && n;
	case TEP_PRINT_FLAGS:
		return dry_num(d, a->flags.field, &v);
	case TEP_PRINT_SYMBOL:
		return dry_num(d, a->symbol.field, &v);
	case TEP_PRINT_HEX:
	case TEP_PRINT_HEX_STR:
		return array_bytes(d, a->hex.field, &have) && dry_num(d, a->hex.size, &n) &&
		       n <= have;
	case TEP_PRINT_INT_ARRAY:
		return dry_array(d, a);
	case TEP_PRINT_OP:
		if (strcmp(a->op.op, "?"))
			return dry_num(d, a, &v);
		if (!dry_num(d, a->op.left, &v))
			return false;
		return dry_text(d, v ? a->op.right->op.left : a->op.right->op.right);
	default:
		return a && dry_num(d, a, &v);
	}
}

/*
 * Returns true if printing the record is safe: no divisor is 0, indexes and lengths stay in their
 * field, widths are sane.
 */
static bool dry_run(const struct tep_slot *s, const struct tep_scratch *rec)
{
	struct tep_dry_run d = { .tep = s->ev->tep, .data = rec->data, .len = rec->len };
	node_t a = s->ev->print_fmt.args;
	uint64_t v, max;

	for (size_t i = 0; i < s->nr_want; i++, a = a->next) {
		if (!a)
			return false;
		/* A negative width makes libtraceevent call printf with an argument too few. */
		if (s->want[i].conv == '*') {
			max = i + 1 < s->nr_want && s->want[i + 1].sub[0] == 'h' ? UINT16_MAX :
									     WIDTH_MAX;
			if (!dry_num(&d, a, &v) || v > max)
				return false;
		} else if (!dry_text(&d, a)) {
			return false;
		}
	}
	return true;
}

/* --- soundness, checked once for each format */

static bool sound_arg(const struct tep_event *ev, struct tep_print_arg *a, unsigned int depth);

static bool sound_op(const struct tep_event *ev, struct tep_print_arg *a, unsigned int depth)
{
	struct tep_print_arg *r = a->op.right;

	if (!a->op.op || !a->op.left || !r || !sound_arg(ev, a->op.left, depth))
		return false;
	if (strcmp(a->op.op, "?"))
		return sound_arg(ev, r, depth);
	return r->type == TEP_PRINT_OP && r->op.op && !strcmp(r->op.op, ":") && r->op.left &&
	       r->op.right && sound_arg(ev, r->op.left, depth) &&
	       sound_arg(ev, r->op.right, depth);
}

static bool sound_flags(const struct tep_event *ev, struct tep_print_arg *x,
			struct tep_print_flag_sym *s, unsigned int depth)
{
	for (; s; s = s->next)
		if (!s->value || !s->str)
			return false;
	return sound_arg(ev, x, depth);
}

static bool sound_arg(const struct tep_event *ev, struct tep_print_arg *a, unsigned int depth)
{
	const struct tep_format_field *f;

	if (!a || ++depth > DEPTH_MAX)
		return false;
	switch (a->type) {
	case TEP_PRINT_NULL:
		return true;
	case TEP_PRINT_FUNC:
		for (a = a->func.args; a; a = a->next)
			if (!sound_arg(ev, a, depth))
				return false;
		return true;
	case TEP_PRINT_ATOM:
		return a->atom.atom;
	case TEP_PRINT_FIELD:
		return a->field.field;
	case TEP_PRINT_FLAGS:
		return sound_flags(ev, a->flags.field, a->flags.flags, depth);
	case TEP_PRINT_SYMBOL:
		return sound_flags(ev, a->symbol.field, a->symbol.symbols, depth);
	case TEP_PRINT_HEX:
	case TEP_PRINT_HEX_STR:
		return sound_arg(ev, a->hex.field, depth) && sound_arg(ev, a->hex.size, depth);
	case TEP_PRINT_INT_ARRAY:
		return sound_arg(ev, a->int_array.field, depth) &&
		       sound_arg(ev, a->int_array.count, depth) &&
		       sound_arg(ev, a->int_array.el_size, depth);
	case TEP_PRINT_TYPE:
		return a->typecast.type && sound_arg(ev, a->typecast.item, depth);
	case TEP_PRINT_STRING:
	case TEP_PRINT_BITMASK:
	case TEP_PRINT_CPUMASK:
		/* libtraceevent 1.7.1 does not check the result when it looks the field up. */
		a->bitmask.field = tep_find_any_field((struct tep_event *)ev, a->bitmask.bitmask);
		if (!a->bitmask.field)
			return false;
		a->bitmask.offset = a->bitmask.field->offset;
		return a->bitmask.field->flags & TEP_FIELD_IS_DYNAMIC;
	case TEP_PRINT_DYNAMIC_ARRAY:
	case TEP_PRINT_DYNAMIC_ARRAY_LEN:
		f = a->dynarray.field;
		return f && f->flags & TEP_FIELD_IS_DYNAMIC &&
		       !(a->type == TEP_PRINT_DYNAMIC_ARRAY_LEN &&
			 f->flags & TEP_FIELD_IS_RELATIVE);
	case TEP_PRINT_OP:
		return sound_op(ev, a, depth);
	default:
		return false;
	}
}

/*
 * Returns true if the parsed arguments have nothing that libtraceevent follows unchecked (absent
 * fields, half operations).
 */
static bool dry_sound(const struct tep_event *ev)
{
	for (struct tep_print_arg *a = ev->print_fmt.args; a; a = a->next)
		if (!sound_arg(ev, a, 0))
			return false;
	return true;
}

/* --- symbols */

/*
 * Called by libtraceevent for %ps and %pS. Returns the name of the symbol at *addr, in memory of
 * the handle. libtraceevent appends the offset of a %pS to the name, but the kernel prints it
 * before the module, and none if there is no symbol: so TAIL marks the position of the offset,
 * NO_TAIL its removal, and place_offsets() applies the marks. This never returns NULL: if 1.7.1
 * compared such a symbol with a string, it would use memory of a function that has returned.
 */
static char *resolve_symbol(void *priv, unsigned long long *addr, char **mod)
{
	struct ev_engine *e = priv;
	struct tep_engine *t = e->tep;
	struct buf name = { 0 };
	const char *m, *found;
	size_t n, mod_n;
	char *to;
	uint64_t off = 0;

	*mod = NULL;
	found = ev_syms_find(e->syms, *addr, &n, &m, &mod_n, &off);
	symbol_print(e, *addr, !t->plain_symbols, false, &name);
	if (t->plain_symbols && !found)
		buf_addstr(&name, NO_TAIL);
	else if (t->plain_symbols && m)
		buf_printf(&name, TAIL " [%.*s]" TAIL_END, (int)mod_n, m);
	to = t->symbol[t->next_symbol++ % 8];	/* plugins hold several */
	snprintf(to, sizeof(t->symbol[0]), "%s", name.data);
	buf_release(&name);
	if (found)
		*addr -= off;
	return to;
}

/* --- formats */

/* Returns true if the print fmt has a line break before its end. */
static bool has_inner_break(const struct tep_vet *v)
{
	const char *p = strstr(v->text.data, "\nprint fmt: \"");

	for (p = p ? p + strlen("\nprint fmt: \"") : NULL; p && *p && *p != '"'; p++)
		if (*p == '\\' && *++p == 'n' && p[1] != '"')
			return true;
	return false;
}

/*
 * Registers the strings of printk_formats, which a %s prints by their address. They are in quotes,
 * which libtraceevent removes. The shortest strings are left out: 1.7.1 looks for a "\n" before the
 * last quote without checking that there is room.
 */
static void register_strings(struct ev_engine *e)
{
	struct buf quoted = { 0 };
	const struct map *m = &e->sh->printk;

	if (e->tep->has_strings)
		return;
	e->tep->has_strings = true;
	ev_printk_at(e, 0);	/* builds the table */
	for (size_t i = 0; i < m->cap; i++) {
		if (!m->slots[i].val || strlen(m->slots[i].val) < 3)
			continue;
		buf_reset(&quoted);
		buf_printf(&quoted, "\"%s\"", (const char *)m->slots[i].val);
		tep_register_print_string(e->tep->tep, quoted.data, m->slots[i].key);
	}
	buf_release(&quoted);
}

/*
 * Passes the rewritten text to libtraceevent, which returns 0 for a format that it can't parse and
 * flags the event. Returns NULL on success, else the reason.
 */
static const char *add_tep_event(struct ev_engine *e, struct ev_slot *s, const struct tep_vet *v)
{
	struct tep_handle *tep = e->tep->tep;
	/* Plugins match the system; without them ftrace's own events must not be recognised. */
	const char *system = e->tep->has_plugins ? s->fmt->system : "ftr";
	struct tep_event *ev = NULL;

	register_strings(e);
	if (tep_find_event(tep, s->fmt->id))
		return "another event has the same ID";
	if (!tep_parse_event(tep, v->text.data, v->text.len, system))
		ev = tep_find_event(tep, s->fmt->id);
	if (!ev || ev->flags & TEP_EVENT_FL_FAILED || !dry_sound(ev))
		return "libtraceevent cannot parse its print fmt";
	s->tep = xcalloc(1, sizeof(*s->tep));
	s->tep->ev = ev;
	s->tep->dry = v->dry;
	s->tep->offsets = v->offsets;
	/* A plugin prints stacks of ftrace's own events. */
	s->tep->lines = has_inner_break(v) || (ev->handler && !strcmp(s->fmt->system, "ftrace"));
	s->tep->nr_want = v->nr_want;
	memcpy(s->tep->want, v->want, sizeof(v->want));
	return NULL;
}

/* Vets the format with the settings of @v. On failure ->tep is NULL and ->why is set. */
static bool try_format(struct ev_engine *e, struct ev_slot *s, struct tep_vet v)
{
	const char *why;

	v.fmt = s->fmt;
	v.long_size = e->w->long_size;
	free(s->why);
	free(s->tep);
	s->tep = NULL;
	why = vet_format(&v) ? v.why : add_tep_event(e, s, &v);
	s->why = why ? xstrdup(why) : NULL;
	vet_release(&v);
	return s->tep;
}

/* Plugins make the text of events, or lend functions that return a string or a number. */
static bool try_plugins(struct ev_engine *e, struct ev_slot *s)
{
	if (!s->builtin &&
	    (try_format(e, s, (struct tep_vet){ .foreign = true, .foreign_text = true }) ||
	     try_format(e, s, (struct tep_vet){ .foreign = true })))
		return true;
	return try_format(e, s, (struct tep_vet){ .fields_only = true }) && s->tep->ev->handler;
}

void tep_slot_init(struct ev_engine *e, struct ev_slot *s)
{
	char *first;

	/* Functions that print fmts call must be registered before the first format. */
	if (!e->tep->attached)
		e->tep->has_plugins = plug_tep_attach(e->w->plugins, e->tep->tep);
	e->tep->attached = true;
	if ((!s->builtin && try_format(e, s, (struct tep_vet){ 0 })) || !e->tep->has_plugins)
		return;
	first = s->why;
	s->why = NULL;
	if (try_plugins(e, s)) {
		s->builtin = NULL;
		free(first);
		return;
	}
	free(s->tep);
	s->tep = NULL;
	free(s->why);
	s->why = first;
}

/* --- rendering */

/* Moves offsets to the place that resolve_symbol() marked. */
static void place_offsets(struct buf *to, const char *p, const char *end)
{
	const char *mark, *stop;
	size_t n;

	while ((mark = memmem(p, end - p, TAIL, MARK - 1)) && end - mark >= MARK) {
		buf_add(to, p, mark - p);
		p = mark + MARK;
		stop = mark[MARK - 1] == TAIL[MARK - 1] ?
			memmem(p, end - p, TAIL_END, MARK) : NULL;
		mark = p;
		if (stop)
			p = stop + MARK;
		/* the length of "+0x12ab" at @p */
		n = end - p > 3 && !memcmp(p, "+0x", 3) ? 3 : 0;
		while (n && p + n < end && isxdigit((unsigned char)p[n]))
			n++;
		if (stop) {
			buf_add(to, p, n);
			buf_add(to, mark, stop - mark);
		}
		p += n;
	}
	buf_add(to, p, end - p);
}

bool tep_slot_render(struct ev_engine *e, const struct ev_slot *slot, const struct ev_rec *r,
		     int cpu, uint64_t ts, struct buf *out)
{
	struct tep_record rec = { .cpu = cpu, .ts = ts };
	const struct tep_slot *s = slot->tep;
	struct tep_engine *t = e->tep;
	struct buf placed = { 0 };
	const char *p;
	size_t n;

	if (!s || !scratch_fill(&t->scratch, r))
		return false;
	if (s->dry && !s->ev->handler && !dry_run(s, &t->scratch))
		return false;
	rec.data = t->scratch.data;
	rec.size = rec.record_size = t->scratch.len;
	t->plain_symbols = s->offsets;
	trace_seq_reset(&t->seq);
	tep_print_event(t->tep, &t->seq, &rec, "%s", TEP_PRINT_INFO);
	t->plain_symbols = false;
	if (t->seq.state != TRACE_SEQ__GOOD) {
		trace_seq_destroy(&t->seq);
		trace_seq_init(&t->seq);
		return false;
	}
	p = t->seq.buffer;
	n = t->seq.len;
	while (n && (p[n - 1] == '\n' || p[n - 1] == '\0'))
		n--;
	if (s->offsets) {
		place_offsets(&placed, p, p + n);
		p = placed.data;
		n = placed.len;
	}
	engine_text(e, out, n ? p : "", n, s->lines);
	buf_release(&placed);
	return true;
}

int tep_engine_init(struct ev_engine *e, struct ftr_error *err)
{
	struct tep_handle *tep = tep_alloc();

	if (!tep)
		return err_set(err, FTR_FAILED, "cannot start libtraceevent");
	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_long_size(tep, e->w->long_size);
	tep_set_page_size(tep, e->w->page_size ? e->w->page_size : 4096);
	tep_set_file_bigendian(tep, e->w->big ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_local_bigendian(tep, tep_is_bigendian() ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_function_resolver(tep, resolve_symbol, e);
	e->tep = xcalloc(1, sizeof(*e->tep));
	e->tep->tep = tep;
	trace_seq_init(&e->tep->seq);
	return 0;
}

void tep_engine_free(struct ev_engine *e)
{
	struct tep_engine *t = e->tep;

	if (!t)
		return;
	if (t->attached)
		plug_tep_detach(e->w->plugins, t->tep);
	trace_seq_destroy(&t->seq);
	free(t->scratch.mem);
	tep_free(t->tep);
	free(t);
}
