/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Solves the fields of system calls, without a print fmt: their text has the names of the
 * parameters, "fd: 3, buf: 0x5649bee807e0". Since 6.19 the contents of user memory follow some of
 * the numbers: "filename: 0x7ffd12 "/etc"", "buf: 0x55 (61:0a) "a."", and flags of openat() are
 * names.
 */
#include <stdlib.h>
#include <string.h>

#include "file/ring/page.h"
#include "text/fields/field_solver_priv.h"
#include "text/log/line_scan.h"

#define USER_MAX 3000		/* bytes of a text; the kernel has at most 165 per parameter */
#define ENDS_MAX 256		/* ends of strings to try: a string may contain quotes */
#define MORE "..."		/* the end of contents that were cut */

/* --- the text */

struct call_text {
	const struct text_fields *f;
	struct call_param *v;
	size_t n;
	const char *end;
	unsigned int ends;		/* ends of strings that were tried */
};

static bool skip_text(const char **p, const char *end, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(end - *p) < n || memcmp(*p, word, n))
		return false;
	*p += n;
	return true;
}

/* Parses digits of @base. Returns false if there are none, or the number does not fit. */
static bool parse_digits(const char **p, const char *end, unsigned int base, uint64_t *v)
{
	const char *from = *p, *at = from;
	uint64_t n = 0;

	for (; at < end; at++) {
		unsigned int digit = scan_is_digit(*at) ? *at - '0'
				     : *at >= 'a' && *at <= 'f' ? *at - 'a' + 10 : 16;

		if (digit >= base)
			break;
		/* so many digits never overflow */
		if (at - from >= 15 && n > (UINT64_MAX - digit) / base)
			return false;
		n = n * base + digit;
	}
	*v = n;
	*p = at;
	return at > from;
}

/* Parses a hexadecimal number, with or without "0x", and moves *p after it. */
static bool parse_hex(const char **p, const char *end, uint64_t *v)
{
	const char *digits = *p;

	if (skip_text(&digits, end, "0x") && digits < end)
		*p = digits;
	return parse_digits(p, end, 16, v);
}

/* Parses the number of a parameter, and notes its form. */
static bool parse_value(const char **p, const char *end, struct call_param *v)
{
	const char *digits = *p;

	v->prefix = skip_text(&digits, end, "0x") && digits < end;
	if (v->prefix)
		*p = digits;
	digits = *p;
	if (!parse_digits(p, end, 16, &v->value))
		return false;
	v->digits = *p - digits;
	return true;
}

/* Parses "NAME: ". After the first record of a call the names must be the same. */
static bool parse_param_name(struct call_text *t, const char **p)
{
	struct call_param *v = &t->v[t->n];
	const struct text_fields *f = t->f;

	v->name.p = *p;
	while (*p < t->end && scan_is_name[(unsigned char)**p])
		++*p;
	v->name.len = *p - v->name.p;
	if (!v->name.len || v->name.len > 60 || !skip_text(p, t->end, ": "))
		return false;
	if (!f->has_params)
		return true;
	return t->n < f->nr_params && strlen(f->params[t->n]) == v->name.len &&
	       !memcmp(f->params[t->n], v->name.p, v->name.len);
}

/* Parses "(61:0a) "a."": the bytes, and characters if one of the bytes can be printed. */
static bool parse_bytes(struct call_text *t, const char **p)
{
	struct call_param *v = &t->v[t->n];
	const char *chars;
	uint64_t byte;
	size_t n = 0;

	v->user = CALL_BYTES;
	for (v->memory.p = *p; *p < t->end && **p != ')' && **p != ','; n++) {
		const char *from = n ? *p + 1 : *p;

		if ((n && **p != ':') || t->end - from < 2)
			return false;
		*p = from;
		if (!parse_digits(p, from + 2, 16, &byte) || *p != from + 2)
			return false;
	}
	v->memory.len = *p - v->memory.p;
	skip_text(p, t->end, ", " MORE);
	if (!skip_text(p, t->end, ")"))
		return false;
	chars = *p;
	if (!skip_text(&chars, t->end, " \"") || (size_t)(t->end - chars) < n + 1)
		return true;
	chars += n;
	if (!skip_text(&chars, t->end, "\""))
		return false;
	skip_text(&chars, t->end, MORE);
	*p = chars;
	return true;
}

/*
 * Parses the parameters from @p to the end. A string may contain quotes: it ends at the first quote
 * after which the rest can be parsed.
 */
static bool parse_params(struct call_text *t, const char *p)
{
	struct call_param *v = &t->v[t->n];
	size_t n = t->n;

	if (p == t->end)
		return !t->f->has_params || n == t->f->nr_params;
	if ((n && !skip_text(&p, t->end, ", ")) || n == CALL_PARAMS)
		return false;
	*v = (struct call_param){ .user = CALL_NUMBER };
	if (!parse_param_name(t, &p) || !parse_value(&p, t->end, v))
		return false;
	if (!skip_text(&p, t->end, " \"")) {
		if (skip_text(&p, t->end, " (") && !parse_bytes(t, &p))
			return false;
		t->n++;
		return parse_params(t, p);
	}
	v->user = CALL_STRING;
	for (const char *at = p; t->ends++ < ENDS_MAX; at++) {
		at = memchr(at, '"', t->end - at);
		if (!at)
			return false;
		v->memory = (struct span_text){ p, at - p };
		t->n = n + 1;
		if (parse_params(t, at + 1))
			return true;
	}
	return false;
}

/* Parses names of flags and a hexadecimal number, with bars between them. */
static bool parse_open_flags(struct call_text *t, const char **p)
{
	struct call_param *v = &t->v[2];
	const char *from;
	uint64_t tail;
	uint32_t bits;

	for (v->value = 0; *p < t->end; v->value |= bits) {
		for (from = *p; *p < t->end && scan_is_name[(unsigned char)**p];)
			++*p;
		if (ev_open_flag(from, *p - from, &bits))
			;
		else if (*p - from > 2 && parse_hex(&from, *p, &tail) && from == *p)
			bits = tail;
		else
			return false;
		if (!skip_text(p, t->end, "|")) {
			v->value |= bits;
			return true;
		}
	}
	return true;
}

/* Parses openat() with names of flags. Its other numbers are decimal, the mode is octal. */
static bool parse_openat(struct call_text *t, const char *p)
{
	static const struct call_param params[] = {
		{ .name = { "dfd", 3 } }, { .name = { "filename", 8 }, .user = CALL_STRING },
		{ .name = { "flags", 5 } }, { .name = { "mode", 4 } },
	};
	const char *rest;

	memcpy(t->v, params, sizeof(params));
	t->n = 4;
	if (!skip_text(&p, t->end, "dfd: ") || !parse_digits(&p, t->end, 10, &t->v[0].value) ||
	    !skip_text(&p, t->end, ", filename: ") || !parse_digits(&p, t->end, 10,
								    &t->v[1].value) ||
	    !skip_text(&p, t->end, " \""))
		return false;
	t->v[1].memory.p = p;
	for (; (p = memchr(p, '"', t->end - p)); p++) {
		t->v[1].memory.len = p - t->v[1].memory.p;
		t->v[3].value = 0;
		rest = p;
		/* the mode is there only if a file is created */
		if (skip_text(&rest, t->end, "\", flags: ") && parse_open_flags(t, &rest) &&
		    (!skip_text(&rest, t->end, ", mode: ") ||
		     parse_digits(&rest, t->end, 8, &t->v[3].value)) && rest == t->end)
			return true;
	}
	return false;
}

/*
 * Parses the parameters in the text of a call. Returns false if they are not those of ->params,
 * once these are known.
 */
static bool parse_call(const struct text_fields *f, struct span_text text, struct call_param *v,
		       size_t *n)
{
	struct call_text t = { .f = f, .v = v, .end = text.p + text.len };
	bool ok;

	if (!strcmp(f->name, "sys_enter_openat") && parse_openat(&t, text.p)) {
		*n = t.n;
		return true;
	}
	t.n = 0;
	ok = !text.len || parse_params(&t, text.p);
	*n = t.n;
	return ok;
}

/* Parses " name=VALUE name=VALUE" to the end, each value by @parse. */
static bool parse_named(const struct text_fields *f, const char *p, const char *end,
			bool (*parse)(const char **p, const char *end, uint64_t *v),
			struct call_param *v, size_t *n)
{
	for (*n = 0; p < end; ++*n) {
		if (*n == CALL_PARAMS || !skip_text(&p, end, " "))
			return false;
		v[*n] = (struct call_param){ .name.p = p, .user = CALL_NUMBER };
		while (p < end && scan_is_name[(unsigned char)*p])
			p++;
		v[*n].name.len = p - v[*n].name.p;
		if (!v[*n].name.len || v[*n].name.len > 60 || !skip_text(&p, end, "=") ||
		    !parse(&p, end, &v[*n].value))
			return false;
	}
	return !f->is_exit || *n == 1;
}

/* Parses "0x00002000": trace-cmd prints 8 digits, more of a larger number, and 0x0. */
static bool parse_raw_value(const char **p, const char *end, uint64_t *v)
{
	const char *digits;

	if (!skip_text(p, end, "0x"))
		return false;
	digits = *p;
	return parse_digits(p, end, 16, v) && *p - digits <= 16 &&
	       (*digits != '0' || *p - digits == 1 || *p - digits == 8);
}

/* Parses "0x1f (31)", or "(0x00007ffd26a20ee2)" of a pointer to a string. */
static bool parse_both_bases(const char **p, const char *end, uint64_t *v)
{
	uint64_t decimal;
	bool minus;

	if (skip_text(p, end, "("))
		return parse_hex(p, end, v) && *v <= INT64_MAX && skip_text(p, end, ")");
	if (!parse_hex(p, end, v) || !skip_text(p, end, " ("))
		return false;
	minus = skip_text(p, end, "-");
	return parse_digits(p, end, 10, &decimal) && (minus ? -decimal : decimal) == *v &&
	       skip_text(p, end, ")");
}

/*
 * Parses the text of trace-cmd report -R: "__syscall_nr=9 addr=0x00000000 len=0x00002000". Older
 * kernels call the first field nr. Returns false if it has another form.
 */
static bool parse_raw_call(const struct text_fields *f, struct span_text text,
			   struct call_param *v, size_t *n, int32_t *nr)
{
	const char *p = text.p, *end = text.p + text.len, *digits;
	uint64_t number;

	if (!skip_text(&p, end, "__syscall_nr=") && !skip_text(&p, end, "nr="))
		return false;
	digits = p;
	if (!parse_digits(&p, end, 10, &number) || number > 4095 || (number && *digits == '0'))
		return false;
	*nr = number;
	return parse_named(f, p, end, parse_raw_value, v, n);
}

/*
 * Parses the text of the kernel's option fields: "__syscall_nr=0x101 (257) dfd=0x3 (3)". Since 6.19
 * it has an address of the kernel in place of some pointers, which is none of the parameters.
 */
static bool parse_field_call(const struct text_fields *f, struct span_text text,
			     struct call_param *v, size_t *n, int32_t *nr)
{
	const char *p = text.p, *end = text.p + text.len;
	uint64_t number;

	if (!skip_text(&p, end, "__syscall_nr=") || !parse_both_bases(&p, end, &number) ||
	    number > 4095)
		return false;
	*nr = number;
	return parse_named(f, p, end, parse_both_bases, v, n);
}

/* --- the fields */

static bool same_params(const struct text_fields *f, const struct call_param *v, size_t n)
{
	for (size_t i = 0; i < n && n == f->nr_params; i++)
		if (f->users[i] != v[i].user || strlen(f->params[i]) != v[i].name.len ||
		    memcmp(f->params[i], v[i].name.p, v[i].name.len))
			return false;
	return n == f->nr_params;
}

void fields_call_format(const struct text_fields *f, struct buf *out)
{
	static const char *const user[] = { "", " \\\"%s\\\"", " (%s)" };
	size_t at = 16 + 8 * f->nr_params;

	buf_addstr(out, "\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n");
	for (size_t i = 0; i < f->nr_params; i++)
		buf_printf(out, "\tfield:%s %s;\toffset:%zu;\tsize:8;\tsigned:%d;\n",
			   f->is_exit ? "long" : "unsigned long", f->params[i], 16 + 8 * i,
			   f->is_exit);
	/* as in the kernel: contents for argument NAME are "__NAME_val", after all arguments */
	for (size_t i = 0; i < f->nr_params; i++) {
		if (f->users[i] == CALL_NUMBER)
			continue;
		buf_printf(out, "\tfield:__data_loc char[] __%s_val;\toffset:%zu;\tsize:4;\t"
				"signed:0;\n", f->params[i], at);
		at += 4;
	}
	buf_addstr(out, "\nprint fmt: \"");
	for (size_t i = 0; i < f->nr_params; i++)
		buf_printf(out, "%s%s%s%s", i ? ", " : "", f->is_exit ? "" : f->params[i],
			   f->is_exit ? "0x%lx" : ": 0x%08lx", user[f->users[i]]);
	buf_addch(out, '"');
	for (size_t i = 0; i < f->nr_params; i++) {
		buf_printf(out, ", ((unsigned long)(REC->%s))", f->params[i]);
		if (f->users[i] == CALL_STRING)
			buf_printf(out, ", __get_str(__%s_val)", f->params[i]);
		else if (f->users[i] == CALL_BYTES)
			buf_printf(out, ", __print_dynamic_array(__%s_val, 1)", f->params[i]);
	}
	buf_addch(out, '\n');
}

static bool make_call_engine(struct text_fields *f)
{
	struct buf b = {0};
	bool ok;

	f->formats = xcalloc(1, sizeof(*f->formats));
	f->meta = (struct event_meta){
		.big = RING_HOST_BIG, .long_size = 8, .page_size = 4096, .formats = f->formats,
		.nr_formats = 1,
	};
	buf_printf(&b, "name: %s\nID: 100\nformat:\n\tfield:unsigned short common_type;\toffset:0;"
		   "\tsize:2;\tsigned:0;\n\n", f->name);
	fields_call_format(f, &b);
	ok = !ev_format_parse(f->formats, f->system, b.data, b.len, NULL);
	if (!ok)
		memset(f->formats, 0, sizeof(*f->formats));
	f->engine = ok ? ev_engine_new(&f->meta, NULL, NULL) : NULL;
	buf_release(&b);
	return f->engine;
}

/*
 * Returns true if the record, rendered, has the text. Kernels before 6.17 print hexadecimal numbers
 * without "0x".
 */
static bool shows_call(struct text_fields *f, struct span_text text)
{
	static const uint32_t kernels[] = { KERNEL_VERSION_OF(6, 1), KERNEL_VERSION_OF(7, 2) };
	struct ev_rec r = {
		.fmt = f->formats, .data = (const uint8_t *)f->bytes.data, .len = f->bytes.len,
		.big = RING_HOST_BIG, .long_size = 8,
	};

	if (!f->engine && !make_call_engine(f)) {
		f->usable = false;
		return false;
	}
	r.fmt = f->formats;
	for (size_t i = 0; i < 2; i++) {
		size_t tail = f->is_exit ? 1 : 2;	/* ")" and a newline */

		f->meta.kernel = kernels[i];
		buf_reset(&f->shown);
		ev_render_kernel(f->engine, &r, 0, 0, &f->shown);
		if (f->shown.len >= text.len + tail &&
		    !memcmp(f->shown.data + f->shown.len - text.len - tail, text.p, text.len))
			return true;
	}
	return false;
}

/*
 * Returns true if the parameters are numbers alone, and have the digits that are printed of them:
 * without "0x" before 6.17, and eight digits in trace-cmd's texts. The parser checks all other
 * characters.
 */
static bool prints_numbers(const struct text_fields *f, const struct call_param *v, size_t n)
{
	static const struct {
		bool prefix;
		size_t digits;		/* at least */
	} forms[] = { { false, 1 }, { true, 1 }, { true, 8 } };
	size_t form, i, digits;

	for (form = f->is_exit; form < sizeof(forms) / sizeof(*forms); form++) {
		for (i = 0; i < n; i++) {
			digits = (67 - __builtin_clzll(v[i].value | 1)) / 4;
			if (digits < forms[form].digits)
				digits = forms[form].digits;
			if (v[i].user != CALL_NUMBER || v[i].digits != digits ||
			    v[i].prefix != forms[form].prefix)
				break;
		}
		if (i == n)
			return true;
	}
	return false;
}

/* Adds contents of user memory after all fields, and their location to the field at @at. */
static void add_memory(struct text_fields *f, const struct call_param *v, size_t at)
{
	struct span_text m = v->memory;
	size_t from = f->bytes.len;
	uint64_t byte;
	uint32_t loc;

	if (v->user == CALL_STRING) {
		buf_add(&f->bytes, m.p, m.len);
		buf_addch(&f->bytes, '\0');
	}
	for (const char *p = m.p; v->user == CALL_BYTES && p < m.p + m.len; p++)
		if (parse_hex(&p, p + 2, &byte))
			buf_addch(&f->bytes, byte);
	loc = from | (uint32_t)(f->bytes.len - from) << 16;
	memcpy(f->bytes.data + at, &loc, 4);
}

/* @nr is the number of the call, -1 if the text has only its name. */
static void build_call(struct text_fields *f, int32_t nr, const struct call_param *v, size_t n)
{
	const int32_t head[4] = { 0, 0, nr, 0 };
	size_t at;

	buf_reset(&f->bytes);
	buf_add(&f->bytes, head, sizeof(head));
	for (size_t i = 0; i < n; i++)
		buf_add(&f->bytes, &v[i].value, 8);
	at = f->bytes.len;
	for (size_t i = 0; i < n; i++)
		if (v[i].user != CALL_NUMBER)
			buf_add(&f->bytes, &head[3], 4);
	for (size_t i = 0; i < n; i++) {
		if (v[i].user == CALL_NUMBER)
			continue;
		add_memory(f, &v[i], at);
		at += 4;
	}
}

/* Parses the text of a return value, "0x1". */
static bool parse_return(struct span_text text, struct call_param *v, size_t *n)
{
	const char *p = text.p, *end = text.p + text.len;

	*v = (struct call_param){ .name = { "ret", 3 } };
	*n = 1;
	return parse_value(&p, end, v) && p == end;
}

/* Keeps the parameters of the first record. */
static void keep_params(struct text_fields *f, const struct call_param *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		f->params[i] = xstrndup(v[i].name.p, v[i].name.len);
		f->users[i] = v[i].user;
	}
	f->nr_params = n;
	f->has_params = true;
}

bool fields_solve_call(struct text_fields *f, struct span_text text)
{
	struct call_param v[CALL_PARAMS];
	int32_t nr = -1;
	size_t n;
	bool raw;

	if (text.len > USER_MAX)
		return false;
	raw = parse_raw_call(f, text, v, &n, &nr) || parse_field_call(f, text, v, &n, &nr);
	if (!raw && !(f->is_exit ? parse_return(text, v, &n) : parse_call(f, text, v, &n)))
		return false;
	if (!f->has_params)
		keep_params(f, v, n);
	if (!same_params(f, v, n))
		return false;
	build_call(f, nr, v, n);
	return raw || !text.len || prints_numbers(f, v, n) || shows_call(f, text);
}
