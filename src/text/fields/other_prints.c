/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes print fmts of texts that another program or another machine has printed. */
#include "text/fields/other_prints.h"

#include <ctype.h>
#include <string.h>

#define VALUES_MAX 24		/* limit for values of a text */
#define LITERAL_MAX 100		/* bytes between two values */
#define NAME_MAX_LEN 60
#define NUMBER_MAX 18		/* digits that always fit */

/* --- pointers and symbols */

/* Appends @print with @to for each %p that is only a pointer. Returns false if there is none. */
static bool replace_pointers(const char *print, const char *to, struct buf *out)
{
	bool any = false;

	while (*print) {
		if (print[0] == '%' && print[1] == 'p' && !isalnum((unsigned char)print[2])) {
			buf_addstr(out, to);
			print += 2;
			any = true;
			continue;
		}
		buf_addch(out, *print++);
	}
	return any;
}

bool print_of_traceevent(const char *print, struct buf *out)
{
	return replace_pointers(print, "%#llx", out) || strstr(print, "%pS");
}

bool print_of_32bit(const char *print, struct buf *out)
{
	return replace_pointers(print, "%08lx", out);
}

bool print_of_kmem_plugin(const char *print, struct buf *out)
{
	static const char head[] = "\"call_site=%pS";
	struct buf text = {0};
	const char *arg, *end;

	if (strncmp(print, head, sizeof(head) - 1))
		return false;
	arg = strchr(print + 1, '"');
	if (!arg || arg[1] != ',')
		return false;
	end = strchr(arg + 2, ',');
	buf_addstr(&text, "\"(%pS) ");
	buf_add(&text, print + 1, arg + 1 - (print + 1));
	buf_add(&text, arg + 1, (end ? end : arg + strlen(arg)) - (arg + 1));
	buf_addstr(&text, arg + 1);
	replace_pointers(text.data, "%#llx", out);
	buf_release(&text);
	return true;
}

/* --- trace-cmd report -R */

/* A long of a machine with 32 bits is in hexadecimal. */
static const char *raw_spec(const struct ev_field *f, bool is_32bit)
{
	if (is_32bit && !strcmp(f->type, "long"))
		return "0x%llx";
	if (strchr(f->type, '*') || (!f->is_signed && strstr(f->type, "long")))
		return "0x%llx";
	if (f->is_signed)
		return f->size == 8 ? "%lld" : f->size == 2 ? "%2d" : "%d";
	return f->size == 8 ? "%llu" : "%u";
}

bool print_of_raw(const struct ev_format *fmt, bool is_32bit, struct buf *out)
{
	struct buf args = {0};
	bool ok = true, any = false;

	buf_addch(out, '"');
	for (size_t i = 0; ok && i < fmt->nr_fields; i++) {
		const struct ev_field *f = &fmt->fields[i];

		if (f->common)
			continue;
		buf_printf(out, "%s%s=", any ? " " : "", f->name);
		any = true;
		if (f->kind == EV_FIXED) {
			buf_addstr(out, raw_spec(f, is_32bit));
			buf_printf(&args, ", REC->%s", f->name);
		} else {
			ok = f->is_string;
			buf_addstr(out, "%s");
			buf_printf(&args, f->kind == EV_DATA_LOC ? ", __get_str(%s)" : ", REC->%s",
				   f->name);
		}
	}
	buf_addch(out, '"');
	if (args.len)
		buf_add(out, args.data, args.len);
	buf_release(&args);
	return ok && any;
}

/* --- name=value */

enum value_type { VALUE_DECIMAL, VALUE_HEX, VALUE_STRING };

struct named_value {
	struct span_text before;	/* the text before the name, after the last value */
	struct span_text name, value;
	enum value_type type;
	struct span_text unit;		/* the text after a number */
};

struct named_values {
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
		    (from == start || from[-1] == ' ')) {
			*name = (struct span_text){ from, p - from };
			return true;
		}
		p++;
	}
	return false;
}

/* Returns the number of blanks and commas at the end of @t. */
static size_t trailing(struct span_text t)
{
	size_t n = 0;

	while (n < t.len && (t.p[t.len - 1 - n] == ' ' || t.p[t.len - 1 - n] == ','))
		n++;
	return n;
}

/*
 * Returns false if the value seems to have more than one: words with '=' or ':' that are not in
 * quotes or brackets.
 */
static bool is_one_value(struct span_text t)
{
	const char *blank = memchr(t.p, ' ', t.len), *end = t.p + t.len;

	if (t.len && strchr("\"([{<'", *t.p))
		return true;
	if (memchr(t.p, '=', t.len) && blank)
		return false;
	return !blank || !memchr(blank, ':', end - blank);
}

/* Splits a text into its values. Returns false if it does not start with a name. */
static bool split_values(struct named_values *s, struct span_text t)
{
	const char *end = t.p + t.len, *at = t.p;
	struct span_text name, next;
	size_t cut;
	bool more;

	s->n = 0;
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

/* Returns the length of the number at the start of @t in its only form, 0 if there is none. */
static size_t number_len(struct span_text t, enum value_type type)
{
	static const char digits[] = "0123456789abcdef";
	size_t from = 0, n;

	if (type == VALUE_HEX && t.len > 2 && t.p[0] == '0' && t.p[1] == 'x')
		from = 2;
	else if (type == VALUE_HEX)
		return 0;
	else if (t.len && *t.p == '-')
		from = 1;
	for (n = from; n < t.len && memchr(digits, t.p[n], type == VALUE_HEX ? 16 : 10);)
		n++;
	if (n == from || n - from > (type == VALUE_HEX ? 16 : NUMBER_MAX))
		return 0;
	/* leading zeros and -0 */
	if (t.p[from] == '0' && (n - from > 1 || from == 1))
		return 0;
	return n;
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

/* Returns true if @value is a number of the type of @v with its unit. */
static bool has_type(const struct named_value *v, struct span_text value)
{
	size_t n = number_len(value, v->type);

	return n && same_text((struct span_text){ value.p + n, value.len - n }, v->unit);
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

/* Sets the type of @v by its value. */
static void guess_type(struct named_value *v)
{
	for (v->type = VALUE_DECIMAL; v->type < VALUE_STRING; v->type++) {
		size_t n = number_len(v->value, v->type);

		v->unit = (struct span_text){ v->value.p + n, v->value.len - n };
		if (n && is_unit(v->unit))
			return;
	}
	v->unit = (struct span_text){ "", 0 };
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
	if (s->n != with->n)
		return false;
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].type != VALUE_STRING && !has_type(&s->v[i], with->v[i].value)) {
			s->v[i].type = VALUE_STRING;
			s->v[i].unit = (struct span_text){ "", 0 };
		}
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
		if (t.p[i] < ' ' || t.p[i] > '~' || t.len > LITERAL_MAX)
			return false;
		if (strchr("\"\\%", t.p[i]))
			buf_addch(out, t.p[i] == '%' ? '%' : '\\');
		buf_addch(out, t.p[i]);
	}
	return true;
}

/* Appends the fields and the print fmt. */
static bool print_values(const struct named_values *s, struct buf *out)
{
	static const struct {
		const char *decl, *spec, *arg;
		unsigned int size, is_signed;
	} types[] = {
		[VALUE_DECIMAL] = { "s64", "%lld", ", REC->%s", 8, 1 },
		[VALUE_HEX] = { "u64", "0x%llx", ", REC->%s", 8, 0 },
		[VALUE_STRING] = { "__data_loc char[]", "%s", ", __get_str(%s)", 4, 0 },
	};
	struct buf args = {0};
	char name[NAME_MAX_LEN + 1];
	unsigned int at = 8;
	bool ok = true;

	for (size_t i = 0; i < s->n; i++) {
		const struct named_value *v = &s->v[i];

		field_name(v->name, name);
		at = (at + types[v->type].size - 1) & ~(types[v->type].size - 1);
		buf_printf(out, "\tfield:%s %s;\toffset:%u;\tsize:%u;\tsigned:%u;\n",
			   types[v->type].decl, name, at, types[v->type].size,
			   types[v->type].is_signed);
		at += types[v->type].size;
	}
	buf_addstr(out, "\nprint fmt: \"");
	for (size_t i = 0; ok && i < s->n; i++) {
		const struct named_value *v = &s->v[i];

		ok = add_literal(v->before, out) && add_literal(v->name, out);
		buf_printf(out, "=%s", types[v->type].spec);
		ok = ok && add_literal(v->unit, out);
		field_name(v->name, name);
		buf_printf(&args, types[v->type].arg, name);
	}
	buf_addch(out, '"');
	buf_add(out, args.data, args.len);
	buf_addch(out, '\n');
	buf_release(&args);
	return ok;
}

bool format_of_values(const struct span_text *v, size_t n, struct buf *out)
{
	struct named_values first, other;

	if (!n || !split_values(&first, v[0]) || !check_names(&first))
		return false;
	for (size_t i = 0; i < first.n; i++)
		guess_type(&first.v[i]);
	for (size_t i = 1; i < n; i++)
		if (split_values(&other, v[i]))
			merge_values(&first, &other);
	return print_values(&first, out);
}
