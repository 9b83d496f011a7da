/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes the format of an event whose texts are "name=value ..." from these texts. */
#include "text/fields/value_format.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "text/fields/printed_base.h"

#define VALUES_MAX 24		/* limit for values of a text */
#define LITERAL_MAX 100		/* bytes between two values */
#define NAME_MAX_LEN 60
#define NUMBER_MAX 20		/* digits of numbers with 64 bits */
#define POINTER_DIGITS 16	/* of %p on a machine with 64 bits */

enum value_type {
	VALUE_DECIMAL,
	VALUE_HEX,		/* "0x1f", "1f", "0000001f" */
	VALUE_BOTH,		/* "0x1f (31)": the kernel's option fields */
	VALUE_BYTE,		/* "(31)": the same */
	VALUE_QUOTED,		/* a string in quotes: probes print all of theirs so */
	VALUE_STACK,		/* "STACK:" and its frames, of a synthetic event */
	VALUE_STRING,
};

/* A number in a text: its type and form. */
struct number_text {
	enum value_type type;
	size_t  len;			/* bytes of the text; 0: there is no number */
	uint8_t digits;			/* VALUE_HEX: number of digits, at most 16 */
	bool    prefix;			/* VALUE_HEX: "0x" stands before them */
	bool    padded;			/* VALUE_HEX: the first one is a zero before others */
	bool    lower, upper;		/* VALUE_HEX: there are such letters */
	bool    is_big, is_negative;	/* VALUE_DECIMAL: beyond the signed numbers; below 0 */
	bool    is_int;			/* VALUE_BOTH: it is negative, and has 32 bits */
	bool    is_address;		/* VALUE_BOTH: it is one of the kernel */
};

struct named_value {
	struct span_text before;	/* the text before the name, after the last value */
	struct span_text name, value;
	struct number_text number;	/* its type, and the form of all texts */
	uint8_t shortest;		/* VALUE_HEX: digits of the shortest text */
	uint8_t width;			/* VALUE_HEX: digits of all texts that are padded, or 0 */
	enum printed_base base;
	struct span_text unit;		/* the text after a number */
};

/* The place of a probe at the start of a text. */
enum value_place {
	PLACE_NONE,
	PLACE_SYMBOL,		/* "(vfs_read+0x0/0x370)", as %pS prints it */
	PLACE_ADDRESS,		/* "(0x5617296481d0)", of a program */
	PLACE_RETURN,		/* "(ksys_read+0x6f/0xf0 <- vfs_read)" */
	PLACE_USER_RETURN,	/* "(0x7f396f2621fb <- 0x7f396f284930)" */
	PLACE_EVENT,		/* "(sched.sched_switch)", always the same */
};

/* The conversions and the arguments of a place, with the names of the kernel's fields. */
static const struct place_print {
	const char *spec, *args;
	unsigned int fields;		/* number of the fields below */
} places[] = {
	[PLACE_NONE] = { "", "", 0 },
	[PLACE_SYMBOL] = { "(%pS)", ", (void *)REC->__probe_ip", 1 },
	[PLACE_ADDRESS] = { "(0x%lx)", ", REC->__probe_ip", 1 },
	[PLACE_RETURN] = { "(%pS <- %ps)", ", (void *)REC->__probe_ret_ip, "
			   "(void *)REC->__probe_func", 2 },
	[PLACE_USER_RETURN] = { "(0x%lx <- 0x%lx)", ", REC->__probe_ret_ip, REC->__probe_func", 2 },
	[PLACE_EVENT] = { NULL, "", 0 },
};

struct named_values {
	enum value_place place;
	struct span_text head;		/* the text of the place */
	struct named_value v[VALUES_MAX];
	size_t n;
};

static bool is_name_char(char c)
{
	return c == '_' || c == '-' || c == '.' || isalnum((unsigned char)c);
}

/* Finds the next "name=" that starts the text or follows a blank, from @p on. */
static bool find_name(const char *start, const char *p, const char *end, struct span_text *name)
{
	const char *from;

	while ((p = memchr(p, '=', end - p))) {
		for (from = p; from > start && is_name_char(from[-1]);)
			from--;
		if (from < p && (*from == '_' || isalpha((unsigned char)*from)) &&
		    (from == start || from[-1] == ' ' || from[-1] == '\n')) {
			*name = (struct span_text){ from, p - from };
			return true;
		}
		p++;
	}
	return false;
}

/* Returns the number of blanks, commas and newlines at the end of @t. */
static size_t trailing(struct span_text t)
{
	size_t n = 0;

	while (n < t.len && strchr(" ,\n", t.p[t.len - 1 - n]) && t.p[t.len - 1 - n])
		n++;
	return n;
}

static bool is_stack(struct span_text t)
{
	return t.len > 6 && !memcmp(t.p, "STACK:\n", 7);
}

/*
 * Returns false if the value seems to have more than one: words with '=' or ':' that are not in
 * quotes or brackets.
 */
static bool is_one_value(struct span_text t)
{
	const char *blank = memchr(t.p, ' ', t.len), *end = t.p + t.len;

	if ((t.len && strchr("\"([{<'", *t.p)) || is_stack(t))
		return true;
	if (memchr(t.p, '=', t.len) && blank)
		return false;
	return !blank || !memchr(blank, ':', end - blank);
}

/* Returns the kind of the address in @t. */
static enum value_place address_kind(struct span_text t)
{
	const char *slash = memchr(t.p, '/', t.len), *plus = memmem(t.p, t.len, "+0x", 3);

	if (t.len > 2 && !memcmp(t.p, "0x", 2))
		return PLACE_ADDRESS;
	return plus && slash && slash > plus ? PLACE_SYMBOL : PLACE_NONE;
}

/* Sets the place of a probe, if the text starts with one. Returns the text after it. */
static struct span_text split_place(struct named_values *s, struct span_text t)
{
	const char *close = t.len > 2 && *t.p == '(' ? memchr(t.p, ')', t.len) : NULL, *arrow;
	struct span_text inside;
	enum value_place kind;

	s->place = PLACE_NONE;
	s->head = (struct span_text){ t.p, 0 };
	if (!close || (close + 1 < t.p + t.len && close[1] != ' '))
		return t;
	inside = (struct span_text){ t.p + 1, close - t.p - 1 };
	arrow = memmem(inside.p, inside.len, " <- ", 4);
	kind = address_kind((struct span_text){ inside.p, (arrow ? arrow : close) - inside.p });
	if (arrow && kind)
		s->place = kind == PLACE_SYMBOL ? PLACE_RETURN : PLACE_USER_RETURN;
	else if (kind)
		s->place = kind;
	else if (!arrow && memchr(inside.p, '.', inside.len) && !memchr(inside.p, ' ', inside.len))
		s->place = PLACE_EVENT;
	else
		return t;
	s->head.len = close + 1 - t.p;
	close += 1 + (close + 1 < t.p + t.len);
	return (struct span_text){ close, t.p + t.len - close };
}

/* Splits a text into its values. Returns false if it does not start with a name, or a place. */
static bool split_values(struct named_values *s, struct span_text t)
{
	const char *end = t.p + t.len, *at = t.p;
	struct span_text name, next;
	size_t cut;
	bool more;

	s->n = 0;
	t = split_place(s, t);
	at = t.p;
	if (s->place && !t.len)
		return true;
	if (!find_name(t.p, t.p, end, &name) || name.p != t.p)
		return false;
	for (more = true; more; name = next) {
		struct named_value *v = &s->v[s->n];

		if (s->n++ == VALUES_MAX || name.len > NAME_MAX_LEN)
			return false;
		v->name = name;
		v->before = (struct span_text){ at, name.p - at };
		v->value.p = name.p + name.len + 1;
		more = find_name(t.p, v->value.p, end, &next);
		v->value.len = (more ? next.p : end) - v->value.p;
		cut = more ? trailing(v->value) : 0;
		v->value.len -= cut;
		at = v->value.p + v->value.len;
		if (!is_one_value(v->value))
			return false;
	}
	return true;
}

/* Counts the digits at @p, and sets their letters. */
static size_t count_digits(const char *p, const char *end, bool hex, struct number_text *n)
{
	const char *from = p;

	for (; p < end; p++) {
		if (hex && *p >= 'a' && *p <= 'f')
			n->lower = true;
		else if (hex && *p >= 'A' && *p <= 'F')
			n->upper = true;
		else if (*p < '0' || *p > '9')
			break;
	}
	return p - from;
}

/* Parses "1f", "0x1f". */
static bool parse_hex(struct span_text t, struct number_text *n)
{
	bool prefix = t.len > 2 && t.p[0] == '0' && t.p[1] == 'x';
	size_t digits;

	*n = (struct number_text){ .type = VALUE_HEX, .prefix = prefix };
	digits = count_digits(t.p + 2 * prefix, t.p + t.len, true, n);
	n->len = digits + 2 * prefix;
	n->digits = digits;
	n->padded = digits > 1 && t.p[2 * prefix] == '0';
	return digits && digits <= 16 && !(n->lower && n->upper);
}

/* Parses "31" in its only form: without leading zeros, and not "-0". */
static bool parse_decimal(struct span_text t, struct number_text *n)
{
	size_t minus = t.len && *t.p == '-', digits;
	uint64_t v = 0;

	*n = (struct number_text){ .type = VALUE_DECIMAL, .is_negative = minus };
	digits = count_digits(t.p + minus, t.p + t.len, false, n);
	n->len = minus + digits;
	if (!digits || digits > NUMBER_MAX || (t.p[minus] == '0' && n->len > 1))
		return false;
	for (size_t i = 0; i < digits; i++)
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, t.p[minus + i] - '0', &v))
			return false;
	n->is_big = v > INT64_MAX;
	return !minus || !n->is_big;
}

/* Parses "(31)". */
static bool parse_byte(struct span_text t, struct number_text *n)
{
	struct span_text inside = { t.p + 1, t.len - 1 };

	if (t.len < 3 || *t.p != '(' || !parse_decimal(inside, n) || n->len + 1 == t.len ||
	    inside.p[n->len] != ')')
		return false;
	n->type = VALUE_BYTE;
	n->len += 2;
	return true;
}

/* Parses "0x1f (31)", if both are the same number. */
static bool parse_both(struct span_text t, struct number_text *n)
{
	struct number_text hex, byte;
	struct span_text after;
	long long decimal;
	uint64_t v;

	if (!parse_hex(t, &hex) || !hex.prefix || hex.padded || hex.len + 2 > t.len ||
	    t.p[hex.len] != ' ')
		return false;
	after = (struct span_text){ t.p + hex.len + 1, t.len - hex.len - 1 };
	if (!parse_byte(after, &byte))
		return false;
	v = strtoull(t.p, NULL, 16);
	decimal = strtoll(after.p + 1, NULL, 10);
	*n = (struct number_text){ .type = VALUE_BOTH, .len = hex.len + 1 + byte.len };
	n->is_int = decimal < 0 && v <= UINT32_MAX;
	n->is_address = decimal < -(1 << 28) && !n->is_int;
	return n->is_int ? (uint32_t)decimal == v : (uint64_t)decimal == v;
}

/* Parses the number at the start of @t. Sets its length to 0 if there is none. */
static struct number_text parse_number(struct span_text t, enum printed_base base)
{
	struct number_text n;

	if (parse_both(t, &n))
		return n;
	if (base != BASE_NONE && parse_hex(t, &n) &&
	    (n.prefix || base == BASE_HEX ||
	     (n.digits == POINTER_DIGITS && (n.padded || n.lower))))
		return n;
	if (base == BASE_OF_TEXT && (parse_byte(t, &n) || parse_decimal(t, &n)))
		return n;
	return (struct number_text){ .type = VALUE_STRING };
}

static bool same_text(struct span_text a, struct span_text b)
{
	return a.len == b.len && !memcmp(a.p, b.p, a.len);
}

/* Sets @to to the name of a field: without '-' and '.'. */
static void field_name(struct span_text name, char to[NAME_MAX_LEN + 1])
{
	for (size_t i = 0; i < name.len; i++)
		to[i] = name.p[i] == '-' || name.p[i] == '.' ? '_' : name.p[i];
	to[name.len] = '\0';
}

/*
 * Returns true if the text after a number can be its unit: "kB", " [ns]". A hexadecimal number may
 * start with decimal digits.
 */
static bool is_unit(struct span_text t)
{
	if (t.len && memchr("abcdefx", *t.p, 7))
		return false;
	for (size_t i = 0; i < t.len; i++)
		if (!memchr(" []()/%", t.p[i], 7) && !isalpha((unsigned char)t.p[i]))
			return false;
	return true;
}

static void set_string(struct named_value *v)
{
	v->number = (struct number_text){ .type = VALUE_STRING };
	v->unit = (struct span_text){ "", 0 };
}

/* Returns the base of the value in the texts of @t. */
static enum printed_base find_base(const struct value_texts *t, struct span_text name)
{
	enum printed_base base;

	for (size_t i = 0; i < t->nr_prints; i++)
		if (base_of_print(t->prints[i], name.p, name.len, &base))
			return base;
	return base_of_event(t->event, name.p, name.len);
}

static bool is_quoted(struct span_text t)
{
	return t.len > 1 && t.p[0] == '"' && t.p[t.len - 1] == '"';
}

/* Returns true for a string of a probe: "(fault)" could not be fetched. */
static bool is_probe_string(struct span_text t)
{
	return is_quoted(t) || (t.len == 7 && !memcmp(t.p, "(fault)", 7));
}

/* Sets the type of @v by its value. */
static void guess_type(struct named_value *v)
{
	struct number_text n = parse_number(v->value, v->base);

	v->number = n;
	v->shortest = n.digits;
	v->width = n.padded || n.digits == POINTER_DIGITS ? n.digits : 0;
	v->unit = (struct span_text){ v->value.p + n.len, v->value.len - n.len };
	if (!n.len || !is_unit(v->unit))
		set_string(v);
	if (is_probe_string(v->value))
		v->number.type = VALUE_QUOTED;
	if (is_stack(v->value))
		v->number.type = VALUE_STACK;
}

/* Adds the form of another text of a hexadecimal number. Returns false if they differ. */
static bool merge_hex(struct named_value *v, const struct number_text *n)
{
	if (n->padded || n->digits < v->width) {
		if ((v->width && v->width != n->digits) || n->digits > v->shortest)
			return false;
		v->width = n->digits;
	}
	if (n->digits < v->shortest)
		v->shortest = n->digits;
	v->number.lower |= n->lower;
	v->number.upper |= n->upper;
	return n->prefix == v->number.prefix && !(v->number.lower && v->number.upper) &&
	       v->shortest >= v->width;
}

/* Adds another text of the number of @v. Returns false if it has another form. */
static bool merge_number(struct named_value *v, struct span_text value)
{
	struct number_text n;

	if (v->number.type == VALUE_QUOTED)
		return is_probe_string(value);
	if (v->number.type == VALUE_STACK)
		return is_stack(value);
	n = parse_number(value, v->base);
	if (!n.len ||
	    !same_text((struct span_text){ value.p + n.len, value.len - n.len }, v->unit))
		return false;
	if (n.type != v->number.type)
		return false;
	v->number.is_big |= n.is_big;
	v->number.is_negative |= n.is_negative;
	if (v->number.is_big && v->number.is_negative)
		return false;
	v->number.is_int |= n.is_int;
	v->number.is_address |= n.is_address;
	return n.type != VALUE_HEX || merge_hex(v, &n);
}

/*
 * Compares the values with those of another text. Returns false if it has other names. Values that
 * are no numbers in both are strings.
 */
static bool merge_values(struct named_values *s, const struct named_values *with)
{
	for (size_t i = 0; i < s->n && s->n == with->n; i++)
		if (!same_text(s->v[i].name, with->v[i].name) ||
		    !same_text(s->v[i].before, with->v[i].before))
			return false;
	if (s->n != with->n || s->place != with->place ||
	    (s->place == PLACE_EVENT && !same_text(s->head, with->head)))
		return false;
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].number.type != VALUE_STRING &&
		    !merge_number(&s->v[i], with->v[i].value))
			set_string(&s->v[i]);
	return true;
}

/* Returns false if the names can't be those of fields. */
static bool check_names(const struct named_values *s)
{
	char name[NAME_MAX_LEN + 1], other[NAME_MAX_LEN + 1];

	for (size_t i = 0; i < s->n; i++) {
		field_name(s->v[i].name, name);
		if (!strncmp(name, "common_", 7))
			return false;
		for (size_t k = 0; k < i; k++) {
			field_name(s->v[k].name, other);
			if (!strcmp(name, other))
				return false;
		}
	}
	return true;
}

/* Appends a literal of a print fmt. Returns false if it has characters that are never in one. */
static bool add_literal(struct span_text t, struct buf *out)
{
	for (size_t i = 0; i < t.len; i++) {
		if (t.p[i] == '\n') {
			buf_addstr(out, "\\n");
			continue;
		}
		if (t.p[i] < ' ' || t.p[i] > '~' || t.len > LITERAL_MAX)
			return false;
		if (strchr("\"\\%", t.p[i]))
			buf_addch(out, t.p[i] == '%' ? '%' : '\\');
		buf_addch(out, t.p[i]);
	}
	return true;
}

/* A type of fields, with their conversion and argument in the print fmt. */
struct value_decl {
	const char *decl, *spec, *arg;
	unsigned int size, is_signed;
};

static const struct value_decl *find_decl(const struct named_value *v)
{
	static const struct value_decl
	decimal = { "s64", "%lld", ", REC->%s", 8, 1 },
	big = { "u64", "%llu", ", REC->%s", 8, 0 },
	hex = { "u64", NULL, ", REC->%s", 8, 0 },
	both = { "s64", "0x%llx (%lld)", ", REC->%s, REC->%s", 8, 1 },
	address = { "u64", "0x%llx (%lld)", ", REC->%s, REC->%s", 8, 0 },
	integer = { "int", "0x%x (%d)", ", REC->%s, REC->%s", 4, 1 },
	byte = { "unsigned char", "(%d)", ", REC->%s", 1, 0 },
	quoted = { "__data_loc char[]", "\\\"%s\\\"", ", __get_str(%s)", 4, 0 },
	stack = { "__data_loc unsigned long[]", "%s", ", __get_stacktrace(%s)", 4, 0 },
	string = { "__data_loc char[]", "%s", ", __get_str(%s)", 4, 0 };
	const struct value_decl *const types[] = {
		[VALUE_DECIMAL] = v->number.is_big ? &big : &decimal,
		[VALUE_HEX] = &hex, [VALUE_BYTE] = &byte,
		[VALUE_BOTH] = v->number.is_int ? &integer
			       : v->number.is_address ? &address : &both,
		[VALUE_QUOTED] = &quoted, [VALUE_STACK] = &stack, [VALUE_STRING] = &string,
	};

	return types[v->number.type];
}

/* Appends the conversion of a hexadecimal number. */
static void add_hex_spec(const struct named_value *v, struct buf *out)
{
	if (v->width)
		buf_printf(out, "%s%%0%ull", v->number.prefix ? "0x" : "", v->width);
	else
		buf_printf(out, "%s%%ll", v->number.prefix ? "0x" : "");
	buf_addch(out, v->number.upper ? 'X' : 'x');
}

static void print_fields(const struct named_values *s, struct buf *out)
{
	static const char *const address[] = { "__probe_ip", "__probe_ret_ip" };
	unsigned int fields = places[s->place].fields, at = 8;
	char name[NAME_MAX_LEN + 1];

	/* as in the kernel: the function stands before the place of the return */
	if (fields == 2)
		buf_addstr(out, "\tfield:unsigned long __probe_func;\toffset:8;\tsize:8;\t"
			   "signed:0;\n");
	if (fields)
		buf_printf(out, "\tfield:unsigned long %s;\toffset:%u;\tsize:8;\tsigned:0;\n",
			   address[fields - 1], 8 * fields);
	at += 8 * fields;
	for (size_t i = 0; i < s->n; i++) {
		const struct value_decl *d = find_decl(&s->v[i]);

		field_name(s->v[i].name, name);
		at = (at + d->size - 1) & ~(d->size - 1);
		buf_printf(out, "\tfield:%s %s;\toffset:%u;\tsize:%u;\tsigned:%u;\n", d->decl, name,
			   at, d->size, d->is_signed);
		at += d->size;
	}
}

/* Appends the place of a probe. Returns false if it is no part of a print fmt. */
static bool add_place(const struct named_values *s, struct buf *out, struct buf *args)
{
	const struct place_print *p = &places[s->place];

	buf_addstr(args, p->args);
	if (p->spec)
		buf_addstr(out, p->spec);
	else if (!add_literal(s->head, out))
		return false;
	if (s->place && s->n)
		buf_addch(out, ' ');
	return true;
}

/* Appends the fields and the print fmt. */
static bool print_values(const struct named_values *s, struct buf *out)
{
	char name[NAME_MAX_LEN + 1];
	struct buf args = {0};
	bool ok = true;

	print_fields(s, out);
	buf_addstr(out, "\nprint fmt: \"");
	ok = add_place(s, out, &args);
	for (size_t i = 0; ok && i < s->n; i++) {
		const struct named_value *v = &s->v[i];
		const struct value_decl *d = find_decl(v);

		ok = add_literal(v->before, out) && add_literal(v->name, out);
		buf_addch(out, '=');
		if (d->spec)
			buf_addstr(out, d->spec);
		else
			add_hex_spec(v, out);
		ok = ok && add_literal(v->unit, out);
		field_name(v->name, name);
		buf_printf(&args, d->arg, name, name);
	}
	buf_addch(out, '"');
	buf_add(out, args.data, args.len);
	buf_addch(out, '\n');
	buf_release(&args);
	return ok;
}

bool format_of_values(const struct value_texts *t, struct buf *out)
{
	struct named_values first, other;

	if (!t->n || !split_values(&first, t->v[0]) || !check_names(&first))
		return false;
	for (size_t i = 0; i < first.n; i++) {
		first.v[i].base = find_base(t, first.v[i].name);
		guess_type(&first.v[i]);
	}
	for (size_t i = 1; i < t->n; i++)
		if (split_values(&other, t->v[i]))
			merge_values(&first, &other);
	return print_values(&first, out);
}
