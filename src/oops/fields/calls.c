/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls: their text names the parameters, it does without a print fmt. */
#include <stdlib.h>
#include <string.h>

#include "oops/fields/fields_priv.h"
#include "ring/page.h"

struct param {
	struct span_text name;
	uint64_t value;
	bool     prefixed;		/* "0x" */
};

static bool is_name(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

/* Hexadecimal digits from @*p on. */
static bool take_hex(const char **p, const char *end, struct param *to)
{
	static const char hex[] = "0123456789abcdef";
	const char *from, *at;

	to->prefixed = end - *p > 2 && (*p)[0] == '0' && (*p)[1] == 'x';
	from = *p += to->prefixed ? 2 : 0;
	for (to->value = 0; *p < end && *p - from < 16; ++*p) {
		at = memchr(hex, **p, 16);
		if (!at)
			break;
		to->value = to->value << 4 | (at - hex);
	}
	return *p > from;
}

/* "fd: 3, buf: 0x5649bee807e0" */
static bool take_params(struct span_text t, struct param *v, size_t *n)
{
	const char *p = t.p, *end = t.p + t.len;

	for (*n = 0; p < end; ++*n) {
		if (*n == CALL_PARAMS)
			return false;
		if (*n && (end - p < 2 || *p++ != ',' || *p++ != ' '))
			return false;
		v[*n].name.p = p;
		while (p < end && is_name(*p))
			p++;
		v[*n].name.len = p - v[*n].name.p;
		if (!v[*n].name.len || v[*n].name.len > 60 || end - p < 3 || *p++ != ':' ||
		    *p++ != ' ' || !take_hex(&p, end, &v[*n]))
			return false;
	}
	return true;
}

static bool same_params(const struct oops_fields *f, const struct param *v, size_t n)
{
	for (size_t i = 0; i < n && n == f->nr_params; i++)
		if (strlen(f->params[i]) != v[i].name.len ||
		    memcmp(f->params[i], v[i].name.p, v[i].name.len))
			return false;
	return n == f->nr_params;
}

void fields_call_format(const struct oops_fields *f, struct buf *out)
{
	buf_addstr(out, "\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n");
	for (size_t i = 0; i < f->nr_params; i++)
		buf_printf(out, "\tfield:%s %s;\toffset:%zu;\tsize:8;\tsigned:%d;\n",
			   f->is_exit ? "long" : "unsigned long", f->params[i], 16 + 8 * i,
			   f->is_exit);
	buf_addstr(out, "\nprint fmt: \"");
	for (size_t i = 0; i < f->nr_params; i++)
		buf_printf(out, "%s%s%s", i ? ", " : "", f->is_exit ? "" : f->params[i],
			   f->is_exit ? "0x%lx" : ": 0x%08lx");
	buf_addch(out, '"');
	for (size_t i = 0; i < f->nr_params; i++)
		buf_printf(out, ", ((unsigned long)(REC->%s))", f->params[i]);
	buf_addch(out, '\n');
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

bool fields_solve_call(struct oops_fields *f, struct span_text text)
{
	struct param v[CALL_PARAMS] = { { .name = { "ret", 3 } } };
	/* the common fields; a number that is none: the text tells the name alone */
	static const int32_t no_number[4] = { 0, 0, -1, 0 };
	const char *p = text.p;
	size_t n = 1;

	if (f->is_exit ? !take_hex(&p, text.p + text.len, &v[0]) || p != text.p + text.len
		       : !take_params(text, v, &n))
		return false;
	if (!f->engine) {
		for (f->nr_params = 0; f->nr_params < n; f->nr_params++)
			f->params[f->nr_params] = xstrndup(v[f->nr_params].name.p,
							   v[f->nr_params].name.len);
		if (!make_engine(f)) {
			f->usable = false;
			return false;
		}
	}
	if (!same_params(f, v, n))
		return false;
	buf_reset(&f->bytes);
	buf_add(&f->bytes, no_number, sizeof(no_number));
	for (size_t i = 0; i < n; i++)
		buf_add(&f->bytes, &v[i].value, 8);
	return !text.len || shows(f, text);
}
