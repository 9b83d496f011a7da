/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What plugins write: cleaned, and cut where it would become too long. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/handle/engine_priv.h"
#include "event/plugin/plugin_priv.h"

#define TEXT_MAX (64u << 10)	/* bytes a record; an escaped one counts as one */

void plug_out_undo(struct ftr_out *out)
{
	out->buf->len = out->start;
	if (out->buf->data)
		out->buf->data[out->start] = 0;
}

void ftr_out_bytes(struct ftr_out *out, const void *p, size_t len)
{
	size_t has = out->buf->len - out->start;

	if (!p || has >= TEXT_MAX)
		return;
	if (len > TEXT_MAX - has)
		len = TEXT_MAX - has;
	if (out->plain)
		buf_add(out->buf, p, len);
	else
		engine_text(out->rec->engine, out->buf, p, len, false);
}

void ftr_out_str(struct ftr_out *out, const char *s)
{
	ftr_out_bytes(out, s, s ? strlen(s) : 0);
}

void ftr_out_printf(struct ftr_out *out, const char *fmt, ...)
{
	char line[512], *more;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	if ((size_t)n < sizeof(line)) {
		ftr_out_bytes(out, line, n);
		return;
	}
	n = (unsigned int)n < TEXT_MAX ? n : (int)TEXT_MAX;
	more = xmalloc(n + 1);
	va_start(ap, fmt);
	vsnprintf(more, n + 1, fmt, ap);
	va_end(ap);
	ftr_out_bytes(out, more, n);
	free(more);
}

void ftr_out_line(struct ftr_out *out)
{
	if (out->buf->len - out->start < TEXT_MAX)
		buf_addch(out->buf, '\n');
}

void ftr_out_sym(struct ftr_out *out, uint64_t addr)
{
	ev_print_func(out->rec->engine, addr, false, out->buf);
}

void ftr_out_sym_offset(struct ftr_out *out, uint64_t addr)
{
	ev_print_func(out->rec->engine, addr, true, out->buf);
}

void ftr_out_sym_name(struct ftr_out *out, uint64_t addr)
{
	func_name(out->rec->engine, addr, out->buf);
}

void ftr_out_comm(struct ftr_out *out, int pid)
{
	/* the column of tasks has no word of its own for negative ones */
	ftr_out_str(out, pid < 0 ? "<...>" : comm_find(out->rec->engine, pid));
}

static const char *name_of(uint64_t v, const struct ftr_name *names)
{
	while (names->name && names->value != v)
		names++;
	return names->name;
}

void ftr_out_symbolic(struct ftr_out *out, uint64_t v, const struct ftr_name *names)
{
	const char *name = name_of(v, names);

	if (name)
		ftr_out_str(out, name);
	else
		ftr_out_printf(out, "0x%" PRIx64, v);
}

void ftr_out_name(struct ftr_out *out, uint64_t v, const struct ftr_name *names, const char *other)
{
	const char *name = name_of(v, names);

	ftr_out_str(out, name ? name : other);
}

void ftr_out_flags(struct ftr_out *out, uint64_t v, const char *delim,
		   const struct ftr_name *names)
{
	const char *sep = "";

	for (; names->name; names++) {
		if ((v & names->value) != names->value)
			continue;
		v &= ~names->value;
		ftr_out_str(out, sep);
		ftr_out_str(out, names->name);
		sep = delim;
	}
	if (v)
		ftr_out_printf(out, "%s0x%" PRIx64, sep, v);
}
