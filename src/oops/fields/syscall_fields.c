/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls: their text names the parameters, it does without a print fmt. */
#include <stdlib.h>
#include <string.h>

#include "file/ring/page.h"
#include "oops/fields/field_solver_priv.h"

/* Bytes of user memory in one record; the kernel has at most 165 for each parameter. */
#define USER_MAX 3000

static bool same_params(const struct oops_fields *f, const struct call_param *v, size_t n)
{
	for (size_t i = 0; i < n && n == f->nr_params; i++)
		if (f->users[i] != v[i].user || strlen(f->params[i]) != v[i].name.len ||
		    memcmp(f->params[i], v[i].name.p, v[i].name.len))
			return false;
	return n == f->nr_params;
}

/* As the kernel has them: user memory of argument NAME is at "__NAME_val", behind all arguments. */
static void add_user_fields(const struct oops_fields *f, struct buf *out)
{
	size_t at = 16 + 8 * f->nr_params;

	for (size_t i = 0; i < f->nr_params; i++) {
		if (f->users[i] == CALL_NUMBER)
			continue;
		buf_printf(out, "\tfield:__data_loc char[] __%s_val;\toffset:%zu;\tsize:4;\t"
				"signed:0;\n", f->params[i], at);
		at += 4;
	}
}

static void add_print_fmt(const struct oops_fields *f, struct buf *out)
{
	static const char *const behind[] = { "", " \\\"%s\\\"", " (%s)" };

	buf_addstr(out, "\nprint fmt: \"");
	for (size_t i = 0; i < f->nr_params; i++)
		buf_printf(out, "%s%s%s%s", i ? ", " : "", f->is_exit ? "" : f->params[i],
			   f->is_exit ? "0x%lx" : ": 0x%08lx", behind[f->users[i]]);
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

void fields_call_format(const struct oops_fields *f, struct buf *out)
{
	buf_addstr(out, "\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n");
	for (size_t i = 0; i < f->nr_params; i++)
		buf_printf(out, "\tfield:%s %s;\toffset:%zu;\tsize:8;\tsigned:%d;\n",
			   f->is_exit ? "long" : "unsigned long", f->params[i], 16 + 8 * i,
			   f->is_exit);
	add_user_fields(f, out);
	add_print_fmt(f, out);
}

/* Of the call's first record. */
static bool make_engine(struct oops_fields *f)
{
	struct buf b = {0};
	bool ok;

	f->formats = xcalloc(1, sizeof(*f->formats));
	f->world = (struct ev_world){
		.big = RING_HOST_BIG, .long_size = 8, .page_size = 4096, .formats = f->formats,
		.nr_formats = 1,
	};
	buf_printf(&b, "name: %s\nID: 100\nformat:\n\tfield:unsigned short common_type;\toffset:0;"
		   "\tsize:2;\tsigned:0;\n\n", f->name);
	fields_call_format(f, &b);
	ok = !ev_format_parse(f->formats, f->system, b.data, b.len, NULL);
	if (!ok)
		memset(f->formats, 0, sizeof(*f->formats));
	f->engine = ok ? ev_engine_new(&f->world, NULL, NULL) : NULL;
	buf_release(&b);
	return f->engine;
}

static void keep_params(struct oops_fields *f, const struct call_param *v, size_t n)
{
	for (f->nr_params = 0; f->nr_params < n; f->nr_params++) {
		f->params[f->nr_params] = xstrndup(v[f->nr_params].name.p,
						   v[f->nr_params].name.len);
		f->users[f->nr_params] = v[f->nr_params].user;
	}
}

/* Kernels before 6.17 have hexadecimal numbers without "0x". */
static bool shows(struct oops_fields *f, struct span_text text)
{
	static const uint32_t kernels[] = { KERNEL_VERSION_OF(6, 1), KERNEL_VERSION_OF(7, 2) };
	struct ev_rec r = {
		.fmt = f->formats, .data = (const uint8_t *)f->bytes.data, .len = f->bytes.len,
		.big = RING_HOST_BIG, .long_size = 8,
	};

	for (size_t i = 0; i < 2; i++) {
		size_t behind = f->is_exit ? 1 : 2;	/* ")" and a newline */

		f->world.kernel = kernels[i];
		buf_reset(&f->shown);
		ev_render_kernel(f->engine, &r, 0, 0, &f->shown);
		if (f->shown.len >= text.len + behind &&
		    !memcmp(f->shown.data + f->shown.len - text.len - behind, text.p, text.len))
			return true;
	}
	return false;
}

/* What stands behind all fields, its place in the field at @at. */
static void add_memory(struct oops_fields *f, const struct call_param *v, size_t at)
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
		if (fields_call_hex(&p, p + 2, &byte))
			buf_addch(&f->bytes, byte);
	loc = from | (uint32_t)(f->bytes.len - from) << 16;
	memcpy(f->bytes.data + at, &loc, 4);
}

static void build(struct oops_fields *f, const struct call_param *v, size_t n)
{
	/* the common fields; a number that is none: the text tells the name alone */
	static const int32_t no_number[4] = { 0, 0, -1, 0 };
	size_t at;

	buf_reset(&f->bytes);
	buf_add(&f->bytes, no_number, sizeof(no_number));
	for (size_t i = 0; i < n; i++)
		buf_add(&f->bytes, &v[i].value, 8);
	at = f->bytes.len;
	for (size_t i = 0; i < n; i++)
		if (v[i].user != CALL_NUMBER)
			buf_add(&f->bytes, no_number, 4);
	for (size_t i = 0; i < n; i++) {
		if (v[i].user == CALL_NUMBER)
			continue;
		add_memory(f, &v[i], at);
		at += 4;
	}
}

bool fields_solve_call(struct oops_fields *f, struct span_text text)
{
	struct call_param v[CALL_PARAMS] = { { .name = { "ret", 3 } } };
	const char *p = text.p;
	size_t n = 1;

	if (text.len > USER_MAX)
		return false;
	if (f->is_exit ? !fields_call_hex(&p, text.p + text.len, &v[0].value) ||
			 p != text.p + text.len : !fields_call_params(f, text, v, &n))
		return false;
	if (!f->engine) {
		keep_params(f, v, n);
		if (!make_engine(f)) {
			f->usable = false;
			return false;
		}
	}
	if (!same_params(f, v, n))
		return false;
	build(f, v, n);
	return !text.len || shows(f, text);
}
