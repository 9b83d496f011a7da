/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON that is written row by row, as json_dumpf(JSON_INDENT(1)) writes the whole. */
#include "cmd/frame/json_rows.h"

#include <stdio.h>
#include <string.h>

#define WRITE_AT	(64u << 10)

struct shifted {
	struct buf *out;
	int blanks;		/* behind each newline */
};

/* No text has a newline in it: JSON writes \n. */
static int add_shifted(const char *data, size_t n, void *ctx)
{
	struct shifted *s = ctx;
	const char *nl;

	while ((nl = memchr(data, '\n', n))) {
		buf_add(s->out, data, nl + 1 - data);
		buf_printf(s->out, "%*s", s->blanks, "");
		n -= nl + 1 - data;
		data = nl + 1;
	}
	buf_add(s->out, data, n);
	return 0;
}

static void add_value(struct json_rows *r, json_t *value, int blanks)
{
	struct shifted s = { &r->out, blanks };

	json_dump_callback(value, add_shifted, &s,
			   JSON_INDENT(1) | JSON_ENSURE_ASCII | JSON_ENCODE_ANY);
	json_decref(value);
}

static void write_out(struct json_rows *r)
{
	fwrite(r->out.data, 1, r->out.len, stdout);
	buf_reset(&r->out);
}

static void add_name(struct json_rows *r, const char *name)
{
	buf_printf(&r->out, "%s\n \"%s\": ", r->any_member ? "," : "", name);
	r->any_member = true;
}

void json_rows_begin(struct json_rows *r)
{
	*r = (struct json_rows){0};
	buf_addch(&r->out, '{');
}

void json_rows_add_member(struct json_rows *r, const char *name, json_t *value)
{
	add_name(r, name);
	add_value(r, value, 1);
}

void json_rows_begin_list(struct json_rows *r, const char *name)
{
	add_name(r, name);
	buf_addch(&r->out, '[');
	r->any_row = false;
}

void json_rows_add_row(struct json_rows *r, json_t *value)
{
	buf_addstr(&r->out, r->any_row ? ",\n  " : "\n  ");
	add_value(r, value, 2);
	r->any_row = true;
	if (r->out.len >= WRITE_AT)
		write_out(r);
}

void json_rows_end_list(struct json_rows *r)
{
	buf_addstr(&r->out, r->any_row ? "\n ]" : "]");
}

void json_rows_end(struct json_rows *r)
{
	buf_addstr(&r->out, "\n}\n");
	write_out(r);
	buf_release(&r->out);
}
