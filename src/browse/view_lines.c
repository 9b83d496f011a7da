/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A view of ready lines, and the lines of the details of a record. */
#include "browse/view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NAME_WIDTH	12	/* columns of the names in details */
#define BYTES_A_LINE	16

struct view_line {
	size_t at, len;		/* in ->text */
	uint64_t ts;
	enum grid_attr attr;
};

struct lines_view {
	struct browse_view view;
	const char *head;
	struct buf text;
	struct view_line *v;
	size_t n, cap;
};

/* The ->seq of a place is the number of the line. */
static struct lines_view *lines_of(struct browse_view *v)
{
	return (struct lines_view *)v;
}

static bool lines_at(struct browse_view *v, uint64_t ts, struct row_place *p)
{
	struct lines_view *l = lines_of(v);
	size_t i, at = 0;

	for (i = 0; i < l->n; i++)
		if (l->v[i].ts != VIEW_NO_TIME && (l->v[i].ts <= ts || !at))
			at = i;
	*p = (struct row_place){ .seq = at };
	return l->n > 0;
}

static bool lines_find(struct browse_view *v, struct row_place *p)
{
	*p = (struct row_place){ .seq = p->seq };
	return p->seq < lines_of(v)->n;
}

static bool lines_next(struct browse_view *v, struct row_place *p)
{
	if (p->seq + 1 >= lines_of(v)->n)
		return false;
	p->seq++;
	return true;
}

/* A place after the last line is one of lines that there were before. */
static bool lines_prev(struct browse_view *v, struct row_place *p)
{
	size_t n = lines_of(v)->n;

	if (!p->seq || !n)
		return false;
	p->seq = p->seq < n ? p->seq - 1 : n - 1;
	return true;
}

static uint64_t lines_time(struct browse_view *v, const struct row_place *p)
{
	return p->seq < lines_of(v)->n ? lines_of(v)->v[p->seq].ts : VIEW_NO_TIME;
}

static void lines_row(struct browse_view *v, const struct row_place *p, struct view_row *row)
{
	const struct lines_view *l = lines_of(v);

	if (p->seq >= l->n)
		return;
	buf_add(&row->text, l->text.data + l->v[p->seq].at, l->v[p->seq].len);
	row->attr = l->v[p->seq].attr;
}

static enum view_enter lines_enter(struct browse_view *v, const struct row_place *p)
{
	return lines_time(v, p) == VIEW_NO_TIME ? VIEW_STAYS : VIEW_GOES;
}

static void lines_head(struct browse_view *v, struct buf *out)
{
	buf_addstr(out, lines_of(v)->head);
}

static void lines_free(struct browse_view *v)
{
	struct lines_view *l = lines_of(v);

	buf_release(&l->text);
	free(l->v);
	free(l);
}

struct lines_view *lines_view_new(const char *head)
{
	static const struct view_ops ops = {
		.at = lines_at, .find = lines_find, .next = lines_next, .prev = lines_prev,
		.time = lines_time, .row = lines_row, .enter = lines_enter, .head = lines_head,
		.free = lines_free,
	};
	struct lines_view *l = xcalloc(1, sizeof(*l));

	l->view.ops = &ops;
	l->head = head;
	return l;
}

struct browse_view *lines_view(struct lines_view *l)
{
	return &l->view;
}

void lines_view_clear(struct lines_view *l)
{
	buf_reset(&l->text);
	l->n = 0;
}

size_t lines_view_count(const struct lines_view *l)
{
	return l->n;
}

void lines_view_add(struct lines_view *l, const char *text, size_t len, uint64_t ts,
		    enum grid_attr attr)
{
	l->v = xgrow(l->v, &l->cap, l->n + 1, sizeof(*l->v));
	l->v[l->n++] = (struct view_line){ l->text.len, len, ts, attr };
	buf_add(&l->text, text, len);
}

void lines_view_add_text(struct lines_view *l, const char *text, size_t len)
{
	const char *end = text + len, *nl;

	for (; text < end; text = nl + 1) {
		nl = memchr(text, '\n', end - text);
		nl = nl ? nl : end;
		lines_view_add(l, text, nl - text, VIEW_NO_TIME, GRID_PLAIN);
	}
}

/* --- the details of a record: its fields with types and values, its bytes, its stack */

struct record_details {
	struct lines_view *lines;
	struct buf line;
};

static void details_end_line(struct record_details *d)
{
	lines_view_add(d->lines, d->line.data ? d->line.data : "", d->line.len, VIEW_NO_TIME,
		       GRID_PLAIN);
	buf_reset(&d->line);
}

static void details_add(struct record_details *d, const char *name, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
static void details_add(struct record_details *d, const char *name, const char *format, ...)
{
	va_list ap;

	buf_printf(&d->line, "%-*s ", NAME_WIDTH, name);
	va_start(ap, format);
	buf_vprintf(&d->line, format, ap);
	va_end(ap);
	details_end_line(d);
}

static void details_add_head(struct record_details *d, const struct trace_rec *r)
{
	char flags[6] = "";

	if (r->rec.fmt)
		details_add(d, "event", "%s:%s", r->rec.fmt->system, r->rec.fmt->name);
	else
		details_add(d, "event", "type %u, without a format", r->type);
	buf_printf(&d->line, "%-*s ", NAME_WIDTH, "time");
	trace_add_time(&d->line, r->trace, r->ts, true);
	details_end_line(d);
	details_add(d, "task", "%s-%d", r->pid < 0 ? "<...>" : trace_comm(r->trace, r->pid),
		    r->pid);
	details_add(d, "CPU", "%d", r->cpu);
	if (r->rec.fmt) {
		ev_print_latency(&r->trace->meta, &r->rec, flags);
		details_add(d, "flags", "%s", *flags ? flags : "not known");
	}
	if (*r->trace->dat->buffers[r->buffer].name)
		details_add(d, "instance", "%s", r->trace->dat->buffers[r->buffer].name);
	details_add(d, "file", "'%s' at offset 0x%" PRIx64, r->trace->dat->path, r->file_off);
}

static void details_add_fields(struct record_details *d, const struct trace_rec *r)
{
	const struct ev_format *fmt = r->rec.fmt;
	const char *name, *mod;
	size_t len, mod_len;
	uint64_t v, off;
	int width = 0;

	if (!fmt || ev_format_ready(fmt))
		return;
	for (size_t i = 0; i < fmt->nr_fields; i++)
		if ((int)strlen(fmt->fields[i].name) > width)
			width = strlen(fmt->fields[i].name);
	details_end_line(d);
	for (size_t i = 0; i < fmt->nr_fields; i++) {
		const struct ev_field *f = &fmt->fields[i];

		buf_printf(&d->line, "  %-*s = ", width, f->name);
		ev_render_field(&r->rec, f, &d->line);
		name = NULL;
		/* a number may be the address of a symbol */
		if (!f->is_string && f->size == r->rec.long_size && ev_get_num(&r->rec, f, &v))
			name = ev_syms_find(r->trace->meta.syms, v, &len, &mod, &mod_len, &off);
		if (name) {
			buf_printf(&d->line, "  %.*s+0x%" PRIx64, (int)len, name, off);
			if (mod)
				buf_printf(&d->line, " [%.*s]", (int)mod_len, mod);
		}
		buf_printf(&d->line, "  (%s)", f->type);
		details_end_line(d);
	}
}

/* Adds the bytes of the record as hexdump -C. */
static void details_add_bytes(struct record_details *d, const struct trace_rec *r)
{
	const uint8_t *p = r->rec.data;
	uint32_t at, i, n = r->rec.len;

	details_end_line(d);
	for (at = 0; at < n; at += BYTES_A_LINE) {
		buf_printf(&d->line, "  %04x ", at);
		for (i = at; i < at + BYTES_A_LINE; i++) {
			if (i < n)
				buf_printf(&d->line, " %02x", p[i]);
			else
				buf_addstr(&d->line, "   ");
		}
		buf_addstr(&d->line, "  ");
		for (i = at; i < at + BYTES_A_LINE && i < n; i++)
			buf_addch(&d->line, p[i] >= ' ' && p[i] <= '~' ? p[i] : '.');
		details_end_line(d);
	}
}

static bool is_stack(const struct trace_rec *r)
{
	const struct ev_format *fmt = r->rec.fmt;

	return fmt && !strcmp(fmt->system, "ftrace") &&
	       (!strcmp(fmt->name, "kernel_stack") || !strcmp(fmt->name, "user_stack"));
}

/* Adds the stack of the record, which the kernel writes after it. */
static void details_add_stack(struct record_details *d, const struct trace_rec *r,
			      struct trace_iter *it)
{
	const struct trace_rec *next = is_stack(r) ? NULL : trace_iter_peek(it);
	struct buf text = {0};

	if (!next || !next->rec.data || next->pid != r->pid || !is_stack(next))
		return;
	ev_render(next->trace->engine, &next->rec, next->cpu, next->ts, &text);
	details_end_line(d);
	lines_view_add_text(d->lines, text.data, text.len);
	buf_release(&text);
}

static void details_add_record(void *ctx, const struct trace_rec *r, struct trace_iter *it)
{
	details_add_head(ctx, r);
	details_add_fields(ctx, r);
	details_add_bytes(ctx, r);
	details_add_stack(ctx, r, it);
}

bool details_fill(struct lines_view *l, struct text_rows *r, const struct row_place *p)
{
	struct record_details d = { .lines = l };
	bool found;

	lines_view_clear(l);
	found = rows_record(r, p, details_add_record, &d);
	buf_release(&d.line);
	return found;
}
