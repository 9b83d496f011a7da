/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the fields of a text without trying. A conversion of one plain field is read directly: the
 * text of a number has one form, so that the number has the same text again. Other conversions are
 * solved by trying once, and their texts and values are kept. The results are those of the solver.
 */
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "file/ring/page.h"
#include "text/fields/field_solver_priv.h"
#include "text/log/line_scan.h"

/* Texts that are kept for each unit: the number grows while texts replace others. */
#define SLOTS_FIRST 256
#define SLOTS_MAX   16384
#define UNIT_GROUPS 8
#define UNIT_VARS   8
#define STRING_MAX  2000	/* as in the solver */
#define CLEAR_BYTES 32		/* cleared at once */
#define RETRIES_MAX 16		/* other ends of strings in one text */

enum read_how { READ_UNIT, READ_NUMBER, READ_CHARS, READ_TEXT, READ_SYMBOL, READ_END };

/* The range of a number: [low, high] if it is signed, else [0, high]. */
struct number_form {
	unsigned int base, digits;	/* the least number of digits */
	bool     prefix;		/* "0x" before it */
	bool     is_signed;
	bool     not_zero;		/* 0 has another form */
	bool     nil;			/* this form is "(nil)" */
	uint64_t low, high;
};

/* A literal: its text, and its first and last eight bytes. */
struct read_literal {
	const char *p;
	size_t   len;
	size_t   least;			/* bytes of a text that can be compared with these */
	uint64_t head, mask, tail;	/* ->mask has the bytes that ->head has */
};

/* A group, after its literal. The last one has no group, but the tail. */
struct group_reader {
	struct read_literal literal;
	enum read_how how;
	struct number_form number;
	uint8_t  group, var;		/* indices */
	uint32_t at, size;		/* bytes in the record after the common fields */
	bool     again;			/* READ_SYMBOL: an earlier group has the same symbol */
};

/* A text that was solved: its groups' chunks, each after its length, and the values. */
struct unit_slot {
	char    *text;			/* NULL: none */
	uint32_t len, cap;
	uint64_t hash;
	uint64_t values[UNIT_VARS];
};

/* Groups that share variables, and show no other ones. */
struct read_unit {
	uint32_t vars;			/* bits */
	bool     string;		/* its only variable is a string: it is always solved */
	uint8_t  groups[UNIT_GROUPS];
	size_t   nr_groups;
	struct unit_slot *slots;
	size_t   nr_slots;		/* a power of two */
	size_t   replaced;		/* texts that were replaced by others */
};

struct text_decoder {
	struct group_reader readers[PARTS_CONVS + 2];
	size_t   nr_groups;
	struct read_unit units[PARTS_CONVS + 1];
	size_t   nr_units;
	uint32_t offsets[PARTS_VARS];	/* of variables, after the common fields */
	uint8_t  texts[PARTS_VARS];	/* variables that are VAR_TEXT */
	size_t   nr_texts;
	struct buf key;
};

/* --- literals */

static void literal_init(struct read_literal *l, const struct buf *text)
{
	size_t n = text->len < 8 ? text->len : 8;

	*l = (struct read_literal){ .p = text->data, .len = text->len };
	l->least = l->len > 16 ? SIZE_MAX : l->len > 8 ? l->len : 8;
	if (!n)
		return;
	memcpy(&l->head, l->p, n);
	memset(&l->mask, 0xff, n);
	if (l->len >= 8)
		memcpy(&l->tail, l->p + l->len - 8, 8);
}

/* Returns true if the text starts with @l. Most literals have up to 16 bytes. */
static inline bool has_literal(const struct read_literal *l, const char *p, const char *end)
{
	uint64_t head, tail;

	if ((size_t)(end - p) < l->least)
		return (size_t)(end - p) >= l->len && (!l->len || !memcmp(p, l->p, l->len));
	memcpy(&head, p, 8);
	if ((head ^ l->head) & l->mask)
		return false;
	if (l->len <= 8)
		return true;
	memcpy(&tail, p + l->len - 8, 8);
	return tail == l->tail;
}

/* Returns the first literal @l, which is not empty, from @p on, or NULL. */
static inline const char *find_literal(const struct read_literal *l, const char *p, const char *end)
{
	unsigned int bits;
	scan_block b;

	for (; end - p >= (long)sizeof(b); p += sizeof(b)) {
		memcpy(&b, p, sizeof(b));
		for (bits = scan_block_bits(b == *l->p); bits; bits &= bits - 1)
			if (has_literal(l, p + __builtin_ctz(bits), end))
				return p + __builtin_ctz(bits);
	}
	for (; (size_t)(end - p) >= l->len; p++)
		if (*p == *l->p && has_literal(l, p, end))
			return p;
	return NULL;
}

/* --- numbers */

static const uint8_t hex_values[256] = {
	['0'] = 1, ['1'] = 2, ['2'] = 3, ['3'] = 4, ['4'] = 5, ['5'] = 6, ['6'] = 7, ['7'] = 8,
	['8'] = 9, ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15,
	['f'] = 16,
};

/* Parses digits of @base, one after the other. Returns their end, or NULL if there are too many. */
static const char *parse_long_digits(unsigned int base, const char *p, const char *end, uint64_t *v)
{
	uint64_t n = 0;
	/* so many digits never overflow */
	const char *safe = end - p > (base == 10 ? 19 : 16) ? p + (base == 10 ? 19 : 16) : end;

	for (; p < safe; p++) {
		unsigned int digit = hex_values[(uint8_t)*p] - 1u;

		if (digit >= base)
			break;
		n = base == 10 ? n * 10 + digit : n << 4 | digit;
	}
	if (p == safe && p < end && hex_values[(uint8_t)*p] - 1u < base) {
		if (base == 16 || __builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, hex_values[(uint8_t)*p] - 1u, &n))
			return NULL;
		p++;
	}
	*v = n;
	return p;
}

/* Parses decimal digits: most numbers have few. Returns their end, NULL if there are too many. */
static inline const char *parse_decimal(const char *p, const char *end, uint64_t *v)
{
	const char *first = p, *safe = end - p > 18 ? p + 18 : end;
	uint64_t n = 0;

	for (; p < safe && scan_is_digit(*p); p++)
		n = n * 10 + (*p - '0');
	if (p - first == 18)
		return parse_long_digits(10, first, end, v);
	*v = n;
	return p;
}

/* Returns the number of up to eight hexadecimal digits: the last one is the highest byte of @d. */
static inline uint64_t join_hex(uint64_t d)
{
	d = (d & 0x0f * SCAN_ONES) + 9 * (d >> 6 & SCAN_ONES);
	d = (d << 4 | d >> 8) & 0x00ff00ff00ff00ffULL;
	d = (d << 8 | d >> 16) & 0x0000ffff0000ffffULL;
	return (d << 16 | d >> 32) & 0xffffffff;
}

/* Parses up to 16 digits at once, if so many characters follow. */
static inline __attribute__((always_inline)) const char *
parse_hexadecimal(const char *p, const char *end, uint64_t *v)
{
	unsigned int others, n;
	scan_block b;

	if (end - p < (long)sizeof(b))
		return parse_long_digits(16, p, end, v);
	memcpy(&b, p, sizeof(b));
	others = scan_block_bits(~(((b >= '0') & (b <= '9')) | ((b >= 'a') & (b <= 'f'))));
	n = others ? __builtin_ctz(others) : 16;
	if (!n)
		return p;
	if (n <= 8) {
		*v = join_hex(scan_load(p) << (64 - 8 * n));
		return p + n;
	}
	*v = join_hex(scan_load(p)) << 4 * (n - 8) | join_hex(scan_load(p + 8) << (128 - 8 * n));
	if (n == 16 && p + n < end && hex_values[(uint8_t)p[n]])
		return NULL;
	return p + n;
}

static inline __attribute__((always_inline)) const char *
parse_unsigned_here(const struct number_form *f, const char *p, const char *end, uint64_t *v)
{
	const char *first = p;

	p = f->base == 10 ? parse_decimal(p, end, v) : parse_hexadecimal(p, end, v);
	if (!p || p - first < f->digits || (*first == '0' && p - first > f->digits) ||
	    *v > f->high || (!*v && f->not_zero))
		return NULL;
	return p;
}

/* Parses a number without a sign at @p. Returns its end, or NULL if it has not the form @f. */
static const char *parse_unsigned(const struct number_form *f, const char *p, const char *end,
				  uint64_t *v)
{
	return parse_unsigned_here(f, p, end, v);
}

/* Parses the digits after a minus. Returns their end, or NULL. */
static const char *parse_negative(const struct number_form *f, const char *p, const char *end,
				  uint64_t *v)
{
	const struct number_form positive = {
		.base = f->base, .digits = 1, .not_zero = true, .high = -f->low,
	};

	p = parse_unsigned_here(&positive, p, end, v);
	if (p)
		*v = -*v;
	return p;
}

/* Parses a number at @p. Returns its end, or NULL if it has not the form @f. */
static const char *parse_number(const struct number_form *f, const char *p, const char *end,
				uint64_t *v)
{
	if (f->nil && end - p >= 5 && !memcmp(p, "(nil)", 5)) {
		*v = 0;
		return p + 5;
	}
	if (f->is_signed && p < end && *p == '-') {
		return parse_negative(f, p + 1, end, v);
	}
	if (!f->prefix)
		return parse_unsigned(f, p, end, v);
	if (end - p < 2 || p[0] != '0' || p[1] != 'x')
		return NULL;
	return parse_unsigned(f, p + 2, end, v);
}

/* Parses a conversion of a number: "%03d", "%#llx", "%p". Returns false for other ones. */
static bool parse_spec(const char *spec, struct number_form *f)
{
	const char *p = spec + 1, *letter;
	unsigned long width = 0;

	*f = (struct number_form){ .base = 10, .digits = 1 };
	f->prefix = *p == '#';
	p += f->prefix;
	if (*p >= '1' && *p <= '9')
		return false;
	if (*p == '0')
		width = strtoul(p, (char **)&p, 10);
	letter = p + strspn(p, "hlLqjzt");
	if (width > 20 || !*letter || letter[1] || !strchr("diuxp", *letter))
		return false;
	if (strchr("xp", *letter))
		f->base = 16;
	else if (f->prefix)
		return false;
	f->is_signed = strchr("di", *letter);
	f->digits = width ? width : *letter == 'p' ? 16 : 1;
	return true;
}

/* A minus would take the place of a digit: padded numbers have none. */
static void set_range(struct number_form *f, unsigned int bits, bool is_signed, bool padded)
{
	f->is_signed = f->is_signed && is_signed && !padded;
	f->low = f->is_signed ? -(1ull << (bits - 1)) : 0;
	f->high = is_signed ? (1ull << (bits - 1)) - 1 : bits == 64 ? UINT64_MAX
								 : (1ull << bits) - 1;
}

/* Returns true if numbers, rendered as @var, have the form @f. */
static bool check_form(struct text_fields *fields, size_t var, const struct number_form *f)
{
	uint64_t tries[40], v;
	size_t n = 0;

	for (unsigned int bit = 0; bit < 64; bit += bit < 8 ? 3 : 8) {
		tries[n++] = 1ull << bit;
		tries[n++] = (1ull << bit) - 1;
	}
	tries[n++] = 10;
	tries[n++] = f->high;
	tries[n++] = f->high - 1;
	tries[n++] = f->low;
	tries[n++] = -1ull;
	for (size_t i = 0; i < n; i++) {
		bool minus = f->is_signed && tries[i] >= f->low;

		if ((tries[i] > f->high && !minus) || (!tries[i] && f->not_zero))
			continue;
		if (!fields_show_number(fields, var, tries[i]))
			return false;
		if (parse_number(f, fields->shown.data, fields->shown.data + fields->shown.len,
				 &v) != fields->shown.data + fields->shown.len || v != tries[i])
			return false;
	}
	return true;
}

/* --- groups */

static const char *skip_blanks(const char *p)
{
	while (*p == ' ')
		p++;
	return p;
}

static const char *skip_word(const char *p)
{
	while (*p == '_' || (*p >= '0' && *p <= '9') || ((*p | 32) >= 'a' && (*p | 32) <= 'z'))
		p++;
	return p;
}

/* Skips a cast to a type at @p. Returns @p if there is none. */
static const char *skip_cast(const char *p)
{
	const char *at = p + 1;

	if (*p != '(' || !strncmp(p, "(REC", 4))
		return p;
	while (*at == ' ' || *at == '*' || skip_word(at) > at)
		at = skip_word(at) > at ? skip_word(at) : at + 1;
	return *at == ')' ? skip_blanks(at + 1) : p;
}

/* Returns true if the argument is a field alone, perhaps in brackets and after casts. */
static bool is_plain(const char *arg)
{
	unsigned int open = 0;
	const char *p = skip_blanks(arg), *at;

	for (;;) {
		at = skip_cast(p);
		if (at == p && *p == '(') {
			open++;
			at = skip_blanks(p + 1);
		}
		if (at == p)
			break;
		p = at;
	}
	if (!strncmp(p, "__get_str(", 10)) {
		p = skip_blanks(skip_word(skip_blanks(p + 10)));
		return !open && *p == ')' && !*skip_blanks(p + 1);
	}
	if (strncmp(p, "REC->", 5))
		return false;
	p = skip_blanks(skip_word(p + 5));
	if (*p == '[')
		p = skip_blanks(skip_word(skip_blanks(p + 1)));
	if (*p == ']')
		p = skip_blanks(p + 1);
	for (; open && *p == ')'; open--)
		p = skip_blanks(p + 1);
	return !open && !*p;
}

/* Finds the form in which the engine renders a number. Returns false if it has none. */
static bool find_form(struct text_fields *f, size_t var, const char *spec, struct number_form *form)
{
	const struct solver_var *v = &f->p->vars[var];
	bool is_signed = f->p->fields[v->field].from->is_signed, padded;

	if (!parse_spec(spec, form) || v->size > 8)
		return false;
	padded = form->digits > 1;
	/* NULL may have a name */
	form->nil = f->bare && form->prefix;
	if (form->nil)
		form->not_zero = true;
	else if (fields_show_number(f, var, 0))
		form->not_zero = strspn(f->shown.data, "0x") != f->shown.len;
	/* the whole range of the field, then what has the same text with and without a sign */
	for (int half = 0; half < 2; half++) {
		struct number_form t = *form;

		set_range(&t, 8 * v->size, half || (is_signed && form->is_signed), padded);
		if (half) {
			t.is_signed = false;
			t.low = 0;
		}
		if (!check_form(f, var, &t))
			continue;
		*form = t;
		return true;
	}
	return false;
}

/* Returns true if a literal can't start within a number: digits and letters would be ambiguous. */
static bool ends_number(const struct buf *literal)
{
	return !literal->len || !hex_values[(uint8_t)*literal->data];
}

/* Returns true if all groups with the variable of @g are symbols "name+0x1". */
static bool plan_symbol(struct group_reader *r, const struct fmt_parts *p, size_t g)
{
	for (size_t i = 0; i < p->nr_groups; i++) {
		const struct conv_group *o = &p->groups[i];
		const struct solver_conv *c = &p->convs[o->first];

		if (!(o->vars & p->groups[g].vars))
			continue;
		if (o->n != 1 || o->vars != p->groups[g].vars || strcmp(c->spec, "%pS") ||
		    !is_plain(c->args.v[0]))
			return false;
		r->again |= i < g;
	}
	r->how = READ_SYMBOL;
	return r->size == 8;
}

/* Sets how the group @g is read. */
static void plan_group(struct text_decoder *d, struct text_fields *f, size_t g)
{
	const struct fmt_parts *p = f->p;
	const struct conv_group *group = &p->groups[g];
	const struct solver_conv *c = &p->convs[group->first];
	const struct buf *next = g + 1 < p->nr_groups ? &p->groups[g + 1].literal : &p->tail;
	struct group_reader *r = &d->readers[g];
	size_t shown = 0;

	*r = (struct group_reader){ .how = READ_UNIT, .group = g };
	if (group->n != 1 || !group->vars || group->vars & (group->vars - 1))
		return;
	r->var = __builtin_ctz(group->vars);
	r->at = d->offsets[r->var];
	r->size = p->vars[r->var].size;
	if (f->bare && !strcmp(c->spec, "%pS")) {
		if (!plan_symbol(r, p, g))
			r->how = READ_UNIT;
		return;
	}
	for (size_t i = 0; i < p->nr_groups; i++)
		shown += (p->groups[i].vars & group->vars) != 0;
	if (shown != 1 || !is_plain(c->args.v[0]))
		return;
	if (p->vars[r->var].kind == VAR_NUM) {
		if (ends_number(next) && find_form(f, r->var, c->spec, &r->number))
			r->how = READ_NUMBER;
	} else if (!strcmp(c->spec, "%s")) {
		r->how = p->vars[r->var].kind == VAR_CHARS ? READ_CHARS : READ_TEXT;
	}
}

/* Adds the group @g to the unit of its variables. Returns false if a unit is too large. */
static bool add_to_unit(struct text_decoder *d, const struct fmt_parts *p, size_t g)
{
	struct read_unit *u = NULL;

	for (size_t i = 0; i < d->nr_units; i++) {
		struct read_unit *o = &d->units[i];

		if (!(o->vars & p->groups[g].vars))
			continue;
		if (!u) {
			u = o;
			continue;
		}
		/* the group joins two units */
		if (u->nr_groups + o->nr_groups > UNIT_GROUPS)
			return false;
		memcpy(u->groups + u->nr_groups, o->groups, o->nr_groups);
		u->nr_groups += o->nr_groups;
		u->vars |= o->vars;
		*o = d->units[--d->nr_units];
		i--;
	}
	if (!u)
		u = &d->units[d->nr_units++];
	if (u->nr_groups == UNIT_GROUPS)
		return false;
	u->groups[u->nr_groups++] = g;
	u->vars |= p->groups[g].vars;
	return true;
}

/* Returns true if the values of the unit can be kept, or solved each time. */
static bool check_unit(struct read_unit *u, const struct fmt_parts *p)
{
	for (size_t i = 0; i < p->nr_vars; i++) {
		if (!(u->vars & 1u << i) || p->vars[i].kind == VAR_NUM)
			continue;
		if (u->vars != 1u << i)
			return false;
		u->string = true;
	}
	return __builtin_popcount(u->vars) <= UNIT_VARS;
}

struct text_decoder *text_decoder_new(struct text_fields *f)
{
	struct text_decoder *d = xcalloc(1, sizeof(*d));
	const struct fmt_parts *p = f->p;
	bool ok = !p->stack;

	for (size_t i = 0; i < p->nr_vars; i++) {
		d->offsets[i] = p->fields[p->vars[i].field].offset - 8 +
				p->vars[i].index * p->vars[i].size;
		if (p->vars[i].kind == VAR_TEXT)
			d->texts[d->nr_texts++] = i;
	}
	memset(f->solver->values, 0, sizeof(f->solver->values));
	d->nr_groups = p->nr_groups;
	for (size_t g = 0; g < p->nr_groups; g++) {
		plan_group(d, f, g);
		literal_init(&d->readers[g].literal, &p->groups[g].literal);
	}
	literal_init(&d->readers[p->nr_groups].literal, &p->tail);
	d->readers[p->nr_groups].how = READ_END;
	for (size_t g = 0; ok && g < p->nr_groups; g++)
		if (d->readers[g].how == READ_UNIT)
			ok = add_to_unit(d, p, g);
	for (size_t i = 0; ok && i < d->nr_units; i++)
		ok = check_unit(&d->units[i], p);
	if (ok)
		return d;
	text_decoder_free(d);
	return NULL;
}

/* --- a record */

/* Finds the end of the group's chunk that is not a number. The last one ends before the tail. */
static inline const char *chunk_end(const struct group_reader *r, const char *at, const char *end)
{
	const struct read_literal *l = &r[1].literal;

	if (r[1].how != READ_END)
		return find_literal(l, at, end);
	return (size_t)(end - at) < l->len ? NULL : end - l->len;
}

static void write_number(char *to, uint64_t v, uint32_t size)
{
	uint32_t low = v;

	if (size == 8) {
		memcpy(to, &v, 8);
		return;
	}
	if (size == 4) {
		memcpy(to, &low, 4);
		return;
	}
	for (uint32_t k = 0; k < size; k++)
		to[RING_HOST_BIG ? size - 1 - k : k] = v >> 8 * k;
}

/* Returns the bytes from @p to @end, at most 8, the first one the lowest. Missing ones are 0. */
static inline uint64_t load_bytes(const char *p, const char *end)
{
	size_t n = end - p;
	uint64_t v = 0;
	uint32_t half;

	if (n >= 8)
		return scan_load(p);
	if (RING_HOST_BIG || n < 4) {
		for (size_t i = 0; i < n; i++)
			v |= (uint64_t)(uint8_t)p[i] << 8 * i;
		return v;
	}
	memcpy(&half, end - 4, sizeof(half));
	v = (uint64_t)half << 8 * (n - 4);
	memcpy(&half, p, sizeof(half));
	return v | half;
}

/* Returns true if the engine shows these bytes as they are: there are no control bytes. */
static inline bool is_clean(const char *p, size_t n)
{
	const char *end = p + n;
	uint64_t bad = 0, v;

	for (; end - p >= 8; p += 8) {
		v = scan_load(p);
		bad |= v | (v - ' ' * SCAN_ONES) | (v + SCAN_ONES);
	}
	if (p < end) {
		v = load_bytes(p, end) | (' ' * SCAN_ONES) << 8 * (end - p);
		bad |= v | (v - ' ' * SCAN_ONES) | (v + SCAN_ONES);
	}
	return n && !(bad & 0x80 * SCAN_ONES);
}

/* Writes the address of the symbol in @text. An earlier group may have written the same. */
static bool read_symbol(const struct text_fields *f, const struct group_reader *r,
			struct span_text text, char *to)
{
	uint64_t addr;

	if (!dump_syms_bare(f->solver->syms, text, &addr) ||
	    (r->again && memcmp(to + r->at, &addr, 8)))
		return false;
	memcpy(to + r->at, &addr, 8);
	return true;
}

/* Reads the chunk of a group, which is no number, into @to. */
static inline bool read_chunk(const struct group_reader *r, struct text_fields *f,
			      struct span_text t, char *to)
{
	f->solver->chunks[r->group] = t;
	if (r->how == READ_UNIT)
		return true;
	if (r->how == READ_SYMBOL)
		return read_symbol(f, r, t, to);
	if (!is_clean(t.p, t.len) || t.len >= (r->how == READ_CHARS ? r->size : STRING_MAX))
		return false;
	if (r->how == READ_CHARS)
		memcpy(to + r->at, t.p, t.len);
	else
		f->solver->values[r->var].str = t;
	return true;
}

/* The last string in a text that is split. */
struct last_string {
	const char *p;			/* its start, or NULL */
	const struct group_reader *r;	/* its group */
	unsigned int retries;
};

/* Reads the number of a group at @p. Returns its end, or NULL if there is none. */
static inline const char *read_number(const struct group_reader *r, const char *p, const char *end,
				      char *to)
{
	uint64_t v;

	/* most numbers have neither a sign nor a prefix */
	if (!r->number.prefix && p < end && *p >= '0')
		p = parse_unsigned_here(&r->number, p, end, &v);
	else
		p = parse_number(&r->number, p, end, &v);
	if (p)
		write_number(to + r->at, v, r->size);
	return p;
}

/* Reads the string of a group, from @p to a literal at @next or later. Returns its end. */
static inline const char *read_string(const struct group_reader *r, struct text_fields *f,
				      const char *p, const char *next, const char *end, char *to)
{
	const char *after = chunk_end(r, next, end);

	if (!after || !read_chunk(r, f, (struct span_text){ p, after - p }, to))
		return NULL;
	return after;
}

/* Reads the last string again, with a later end. Returns that, or NULL if there is none. */
static const char *read_longer(struct text_fields *f, struct last_string *s, const char *end,
			       char *to)
{
	const char *next;

	if (!s->p || s->r[1].how == READ_END || ++s->retries > RETRIES_MAX)
		return NULL;
	next = s->p + f->solver->chunks[s->r->group].len + 1;
	return next <= end ? read_string(s->r, f, s->p, next, end, to) : NULL;
}

/* Reads the literal of a group and the group at @p. Returns its end, or NULL if it does not fit. */
static inline const char *read_group(const struct group_reader *r, struct text_fields *f,
				     const char *p, const char *end, struct last_string *string,
				     char *to)
{
	if (!has_literal(&r->literal, p, end))
		return NULL;
	p += r->literal.len;
	if (r->how == READ_NUMBER)
		return read_number(r, p, end, to);
	if (r->how == READ_END)
		return p == end ? p : NULL;
	string->r = r;
	string->p = p;
	p = read_string(r, f, p, p, end, to);
	if (!p)
		string->p = NULL;
	return p;
}

/*
 * Splits the text, and reads what can be read directly into @to. If a text does not fit, the last
 * string before it is longer: "kworker/0:1:12" is the name "kworker/0:1" and 12. All other splits
 * are left to the solver.
 */
static bool read_groups(const struct text_decoder *d, struct text_fields *f, struct span_text text,
			char *to)
{
	const char *p = text.p, *end = text.p + text.len;
	const struct group_reader *r = d->readers, *last = &d->readers[d->nr_groups];
	struct last_string string = {0};

	for (; r <= last; r++) {
		p = read_group(r, f, p, end, &string, to);
		if (p)
			continue;
		p = read_longer(f, &string, end, to);
		if (!p)
			return false;
		r = string.r;
	}
	return true;
}

/* Makes room for four times as many texts. */
static void grow_slots(struct read_unit *u)
{
	size_t n = u->nr_slots ? 4 * u->nr_slots : SLOTS_FIRST;
	struct unit_slot *to = xcalloc(n, sizeof(*to)), *s;

	for (size_t i = 0; i < u->nr_slots; i++) {
		if (!u->slots[i].text)
			continue;
		s = &to[u->slots[i].hash & (n - 1)];
		free(s->text);
		*s = u->slots[i];
	}
	free(u->slots);
	u->slots = to;
	u->nr_slots = n;
	u->replaced = 0;
}

/* Returns the text of the unit's chunks, each after its length if there are several. */
static struct span_text unit_key(struct text_decoder *d, const struct read_unit *u,
				 const struct span_text *chunks)
{
	if (u->nr_groups == 1)
		return chunks[u->groups[0]];
	buf_reset(&d->key);
	for (size_t i = 0; i < u->nr_groups; i++) {
		uint32_t len = chunks[u->groups[i]].len;

		buf_add(&d->key, &len, sizeof(len));
		buf_add(&d->key, chunks[u->groups[i]].p, len);
	}
	return (struct span_text){ d->key.data, d->key.len };
}

/* Returns a hash of the first, middle and last bytes: others find their place taken. */
static uint64_t hash_key(struct span_text key)
{
	uint64_t v[3];

	if (key.len < 8)
		return hash_bytes(key.p, key.len);
	memcpy(&v[0], key.p, 8);
	memcpy(&v[1], key.p + key.len / 2 - 4, 8);
	memcpy(&v[2], key.p + key.len - 8, 8);
	return hash_mix(hash_number(v[0] ^ key.len) ^ v[1], v[2] ^ hash_secret[1]);
}

/* Returns the slot of the unit's chunks. If *found is false it has no values yet. */
static struct unit_slot *find_slot(struct text_decoder *d, struct read_unit *u,
				   const struct span_text *chunks, bool *found)
{
	struct span_text key = unit_key(d, u, chunks);
	uint64_t hash = hash_key(key);
	struct unit_slot *s;

	if (!u->slots || (u->replaced > u->nr_slots / 16 && u->nr_slots < SLOTS_MAX))
		grow_slots(u);
	s = &u->slots[hash & (u->nr_slots - 1)];
	*found = s->text && s->hash == hash &&
		 span_same((struct span_text){ s->text, s->len }, key);
	if (*found)
		return s;
	u->replaced += s->text != NULL;
	if (!s->text || s->cap < key.len) {
		free(s->text);
		s->cap = key.len < 48 ? 48 : key.len;
		s->text = xmalloc(s->cap);
	}
	memcpy(s->text, key.p, key.len);
	s->len = key.len;
	s->hash = hash;
	return s;
}

/* Writes the values of the unit to @to. Returns false if there are none. */
static bool read_unit(struct text_decoder *d, struct text_fields *f, struct read_unit *u, char *to)
{
	struct var_value *values = f->solver->values;
	struct unit_slot *s;
	bool found;
	size_t n = 0;

	if (u->string) {
		size_t var = __builtin_ctz(u->vars);

		if (!fields_solve_unit(f, u->vars, u->groups, u->nr_groups))
			return false;
		if (f->p->vars[var].kind == VAR_CHARS)
			memcpy(to + d->offsets[var], values[var].str.p, values[var].str.len);
		return true;
	}
	s = find_slot(d, u, f->solver->chunks, &found);
	if (!found && !fields_solve_unit(f, u->vars, u->groups, u->nr_groups)) {
		free(s->text);
		s->text = NULL;
		return false;
	}
	for (uint32_t left = u->vars; left; left &= left - 1, n++) {
		size_t var = __builtin_ctz(left);

		if (!found)
			s->values[n] = values[var].num;
		write_number(to + d->offsets[var], s->values[n], f->p->vars[var].size);
	}
	return true;
}

/* Appends the strings that follow all fields, as the solver does. */
static void add_strings(struct text_decoder *d, struct text_fields *f, size_t from, struct buf *out)
{
	for (size_t i = 0; i < d->nr_texts; i++) {
		size_t var = d->texts[i];
		struct span_text s = f->solver->values[var].str;
		uint32_t loc = (out->len - from + 8) | (uint32_t)(s.len + 1) << 16;

		memcpy(out->data + from + d->offsets[var], &loc, 4);
		buf_add(out, s.p, s.len);
		buf_addch(out, '\0');
	}
}

bool text_decoder_solve(struct text_decoder *d, struct text_fields *f, struct span_text text,
			struct buf *out)
{
	size_t from = out->len, size = f->p->size - 8;
	bool ok;

	buf_reserve(out, size + CLEAR_BYTES);
	for (size_t i = 0; i <= size; i += CLEAR_BYTES)
		memset(out->data + from + i, 0, CLEAR_BYTES);
	ok = read_groups(d, f, text, out->data + from);
	for (size_t i = 0; ok && i < d->nr_units; i++)
		ok = read_unit(d, f, &d->units[i], out->data + from);
	if (!ok)
		return false;
	out->len += size;
	add_strings(d, f, from, out);
	return true;
}

void text_decoder_free(struct text_decoder *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < PARTS_CONVS + 1; i++) {
		for (size_t k = 0; k < d->units[i].nr_slots; k++)
			free(d->units[i].slots[k].text);
		free(d->units[i].slots);
	}
	buf_release(&d->key);
	free(d);
}
