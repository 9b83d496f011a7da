/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kprobes, fprobes, uprobes and event probes as the kernel prints them: what the print fmt has as
 * addresses is a symbol there, and a string that could not be fetched is "(fault)".
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "event/kernel_text.h"

#define FAULT "(fault)"

static uint64_t probe_number(const struct ev_rec *r, const char *name)
{
	const struct ev_field *f = ev_field(r->fmt, name);
	uint64_t v = 0;

	if (f)
		ev_get_num(r, f, &v);
	return v;
}

/* Uprobes have the same fields and print fmt as kprobes: the address tells. */
static bool is_user(const struct ev_rec *r, uint64_t addr)
{
	return r->long_size == 8 ? !(addr >> 63) : addr < 0xc0000000;
}

static void add_probe_place(struct ev_engine *e, const struct ev_rec *r, struct buf *out)
{
	bool ret = ev_field(r->fmt, "__probe_ret_ip") != NULL;
	uint64_t ip = probe_number(r, ret ? "__probe_ret_ip" : "__probe_ip");
	uint64_t func = ret ? probe_number(r, "__probe_func") : 0;

	if (is_user(r, ret ? func : ip)) {
		buf_printf(out, "0x%" PRIx64, ip);
		if (ret)
			buf_printf(out, " <- 0x%" PRIx64, func);
		return;
	}
	ev_print_ip(e, ip, true, out);
	if (!ret)
		return;
	buf_addstr(out, " <- ");
	ev_print_ip(e, func, false, out);
}

static bool is_fault(const struct ev_rec *r, const struct ev_field *f)
{
	const uint8_t *p;
	uint32_t len;

	return f->is_string && f->kind == EV_DATA_LOC && ev_get_bytes(r, f, &p, &len) && !len;
}

/* @text has ` name=""` for a string that was not there; it may have NUL bytes (type char). */
static void add_probe_args(const struct ev_rec *r, const char *text, const char *end,
			   struct buf *out)
{
	char empty[300];
	const char *at;
	size_t i;

	for (i = 0; i < r->fmt->nr_fields; i++) {
		const struct ev_field *f = &r->fmt->fields[i];

		if (f->common || !is_fault(r, f) || strlen(f->name) > sizeof(empty) - 8)
			continue;
		strcpy(empty, " ");
		strcat(strcat(empty, f->name), "=\"\"");
		at = memmem(text, end - text, empty, strlen(empty));
		if (!at)
			continue;
		buf_add(out, text, at - text + strlen(empty) - 2);
		buf_addstr(out, FAULT);
		text = at + strlen(empty);
	}
	buf_add(out, text, end - text);
	buf_addch(out, '\n');
}

/* The print fmt begins with the place, "(%lx)" or "(%lx <- %lx)". */
void kernel_probe(struct ev_engine *e, const struct ev_rec *r, int cpu, uint64_t ts,
		  struct buf *out)
{
	struct buf text = {0};
	const char *close, *end;

	buf_printf(out, "%s: (", r->fmt->name);
	add_probe_place(e, r, out);
	buf_addch(out, ')');
	buf_reserve(&text, 1);
	ev_render(e, r, cpu, ts, &text);
	end = text.data + text.len;
	close = text.len && text.data[0] == '(' ? memchr(text.data, ')', text.len) : NULL;
	add_probe_args(r, close ? close + 1 : end, end, out);
	buf_release(&text);
}

/* The definition "e:GROUP/NAME SYSTEM.EVENT ..." or "...SYSTEM/EVENT" up to its blank. */
static const char *find_probed(const struct ev_world *w, const struct ev_format *f, size_t *len)
{
	char *head = xasprintf(":%s/%s ", f->system, f->name);
	const char *at, *end = w->dynamic ? w->dynamic + w->dynamic_len : NULL;

	at = end ? memmem(w->dynamic, w->dynamic_len, head, strlen(head)) : NULL;
	if (at) {
		at += strlen(head);
		for (*len = 0; at + *len < end && !strchr(" ;\n", at[*len]); ++*len)
			;
	}
	free(head);
	return at;
}

bool kernel_is_eprobe(const struct ev_world *w, const struct ev_format *f)
{
	const char *p = f->print_fmt;
	size_t len, i, n;

	if (w->dynamic)
		return find_probed(w, f, &len) != NULL;
	if (*p++ != '"')
		return false;
	for (i = 0; i < f->nr_fields && f->fields[i].common; i++)
		;
	n = i < f->nr_fields ? strlen(f->fields[i].name) : 0;
	return n && *p == ' ' && !strncmp(p + 1, f->fields[i].name, n) && p[n + 1] == '=';
}

static void add_probed(const struct ev_world *w, const struct ev_format *f, struct buf *out)
{
	size_t len, i;
	const char *event = find_probed(w, f, &len);

	if (!event)
		buf_addch(out, '?');
	for (i = 0; event && i < len; i++)
		buf_addch(out, event[i] == '/' ? '.' : event[i]);
}

void kernel_eprobe(struct ev_engine *e, const struct ev_rec *r, int cpu, uint64_t ts,
		   struct buf *out)
{
	struct buf text = {0};

	buf_printf(out, "%s: (", r->fmt->name);
	add_probed(e->w, r->fmt, out);
	buf_addch(out, ')');
	buf_reserve(&text, 1);
	ev_render(e, r, cpu, ts, &text);
	add_probe_args(r, text.data, text.data + text.len, out);
	buf_release(&text);
}
