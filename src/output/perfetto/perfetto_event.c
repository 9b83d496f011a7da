/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A record as FtraceEvent: under the number that Perfetto knows, or as one that is described. */
#include <ctype.h>
#include <stdlib.h>

#include "base/cursor.h"
#include "base/text.h"
#include "output/perfetto/perfetto_known.h"
#include "output/perfetto/perfetto_priv.h"

#define IDS	       65536
#define NUMBER_PRINT   3
#define NUMBER_ENTRY   437		/* funcgraph_entry: depth, func */
#define NUMBER_EXIT    438	/* funcgraph_exit: calltime, depth, func, overrun, rettime */
#define NUMBER_GENERIC 327		/* with names in each event */
#define NUMBER_FIRST   65536		/* of those that the trace describes itself */
#define FIELDS_MAX     31		/* that Perfetto takes in such a description */
#define EVENT_LEN      2		/* bytes for the length of an event, and of its message */
#define BODY_LEN       1
#define HEAD_ROOM      (64 + 2 * PROTO_VARINT_MAX)
#define TYPE_INT64     3		/* google.protobuf.FieldDescriptorProto.Type */
#define TYPE_UINT64    4
#define TYPE_STRING    9

enum pf_kind {
	PF_NUMBER, PF_NUMBERS,		/* one, each of an array */
	PF_STRING,			/* characters up to a NUL */
	PF_POINTER,			/* the address of one that printk_formats has */
	PF_SYMBOL,			/* the number of a function */
	PF_FUNCTION,			/* its name */
	PF_STATE,			/* of a task: its bits, as Perfetto has them */
	PF_TEXT,			/* as report -R shows it */
};

struct pf_field {
	const struct ev_field *f;
	uint32_t number;
	uint8_t  kind;
};

struct pf_event;
/* Where an event is written: behind ->p, in ->b. */
struct pf_out {
	struct pf_events *all;
	const struct pf_event *e;
	const struct trace_rec *r;
	const struct pf_to *to;
	struct buf *b;
	char *p;
};
typedef void (*pf_body)(struct pf_out *o);

struct pf_event {
	struct pf_event *next;
	uint32_t number;
	pf_body  add;
	struct pf_field *fields;
	size_t   nr_fields;
	struct buf described;		/* a field of a bundle; empty: Perfetto knows it */
	const struct fgraph *fgraph;
	const struct fgraph_event *entry;
};

struct pf_file {
	struct fgraph fgraph;
	struct pf_event **events;	/* by event id, those that were met */
	struct pf_event *met;
	struct map states;		/* see pf_state() */
};

struct pf_events {
	struct pf_file *files;
	size_t nr_files;
	uint32_t next_number;
	struct buf text;
};

/* --- writing */

static void make_room(struct pf_out *o, size_t n)
{
	size_t at = o->p - o->b->data;

	if (__builtin_expect(at + n < o->b->cap, 1))
		return;
	o->b->len = at;
	o->p = buf_poke(o->b, n);
}

static void add_number(struct pf_out *o, uint32_t number, uint64_t v)
{
	make_room(o, PROTO_TAG_MAX + PROTO_VARINT_MAX);
	o->p = proto_number(o->p, number, v);
}

static void add_clean(struct pf_out *o, uint32_t number, const char *s, size_t len)
{
	make_room(o, PROTO_TAG_MAX + PROTO_VARINT_MAX + len);
	o->p = proto_bytes(o->p, number, s, len);
}

/* Bytes that are no UTF-8, or control the terminal, as all texts have them: \x1b. */
static void add_string(struct pf_out *o, uint32_t number, const char *s, size_t len)
{
	struct buf *text = &o->all->text;

	if (text_clean(s, len, true)) {
		add_clean(o, number, s, len);
		return;
	}
	buf_reset(text);
	text_sanitise(text, s, len, true);
	add_clean(o, number, text->data, text->len);
}

static void add_text(struct pf_out *o, const struct pf_field *f)
{
	struct buf *text = &o->all->text;

	buf_reset(text);
	ev_render_field(&o->r->rec, f->f, text);
	if (text->len)
		add_clean(o, f->number, text->data, text->len);
}

static void add_chars(struct pf_out *o, const struct pf_field *f)
{
	const uint8_t *p;
	uint32_t len;

	if (ev_get_bytes(&o->r->rec, f->f, &p, &len))
		add_string(o, f->number, (const char *)p, strnlen((const char *)p, len));
}

static void add_pointed(struct pf_out *o, const struct pf_field *f, uint64_t addr)
{
	const char *s = ev_printk_at(o->r->trace->engine, addr);

	if (s)
		add_string(o, f->number, s, strlen(s));
}

static void add_function(struct pf_out *o, uint32_t number, uint64_t addr)
{
	size_t len;
	const char *name = ev_func_text(o->r->trace->engine, addr, &len);

	add_clean(o, number, name, len);
}

static uint64_t symbol_of(struct pf_out *o, uint64_t addr)
{
	return pf_symbol(o->to->symbols, o->r->trace, o->to->seq, addr, o->to->interned);
}

static void add_numbers(struct pf_out *o, const struct pf_field *f)
{
	struct ev_field one = *f->f;
	const uint8_t *p;
	uint32_t len;
	uint64_t v;

	if (!ev_get_bytes(&o->r->rec, f->f, &p, &len) || !one.elem_size)
		return;
	one.kind = EV_FIXED;
	one.size = one.elem_size;
	for (one.offset = p - o->r->rec.data; len >= one.size;
	     one.offset += one.size, len -= one.size)
		if (ev_get_num(&o->r->rec, &one, &v))
			add_number(o, f->number, v);
}

/* A field that the record is too short for is left out. */
static void add_field(struct pf_out *o, const struct pf_field *f)
{
	uint64_t v;

	switch ((enum pf_kind)f->kind) {
	case PF_STRING:
		add_chars(o, f);
		return;
	case PF_TEXT:
		add_text(o, f);
		return;
	case PF_NUMBERS:
		add_numbers(o, f);
		return;
	default:
		break;
	}
	if (!ev_get_num(&o->r->rec, f->f, &v))
		return;
	if (f->kind == PF_NUMBER)
		add_number(o, f->number, v);
	else if (f->kind == PF_POINTER)
		add_pointed(o, f, v);
	else if (f->kind == PF_STATE)
		add_number(o, f->number, pf_state(&o->all->files[o->r->file].states, o->r, f->f,
						  v));
	else if (f->kind == PF_FUNCTION)
		add_function(o, f->number, v);
	else
		add_number(o, f->number, symbol_of(o, v));
}

static void add_fields(struct pf_out *o)
{
	for (size_t i = 0; i < o->e->nr_fields; i++)
		add_field(o, &o->e->fields[i]);
}

/* --- events that are more than their fields */

/* What print, bprint and bputs say, without the line's end, in ->text. */
static void render_message(struct pf_events *all, const struct trace_rec *r)
{
	static const struct ev_style style = { .message = true };
	struct buf *text = &all->text;

	buf_reset(text);
	ev_set_style(r->trace->engine, &style);
	ev_render(r->trace->engine, &r->rec, r->cpu, r->ts, text);
	ev_set_style(r->trace->engine, NULL);
	while (text->len && text->data[text->len - 1] == '\n')
		text->len--;
}

/* PrintFtraceEvent and our description have the same fields. */
static void add_message(struct pf_out *o)
{
	const struct ev_field *ip = ev_field(o->r->rec.fmt, "ip");
	uint64_t v;

	if (ip && ev_get_num(&o->r->rec, ip, &v))
		add_number(o, 1, v);
	add_clean(o, 2, o->all->text.len ? o->all->text.data : "", o->all->text.len);
}

static void add_entry(struct pf_out *o)
{
	struct fgraph_call call;

	if (!fgraph_read_call(o->e->entry, o->r, &call))
		return;
	add_number(o, 1, call.depth);
	add_number(o, 2, symbol_of(o, call.func));
}

static void add_exit(struct pf_out *o)
{
	struct fgraph_return ret;

	if (!fgraph_read_return(o->e->fgraph, o->r, &ret))
		return;
	add_number(o, 1, o->r->ts - ret.duration_ns);
	add_number(o, 2, ret.depth);
	add_number(o, 3, symbol_of(o, ret.func));
	add_number(o, 4, ret.overrun);
	add_number(o, 5, o->r->ts);
}

/* One text for all: stacks, and what has more fields than a description may. */
static void add_rendered(struct pf_out *o)
{
	const struct trace_rec *r = o->r;
	struct buf *text = &o->all->text;

	buf_reset(text);
	ev_render(r->trace->engine, &r->rec, r->cpu, r->ts, text);
	add_clean(o, 1, text->len ? text->data : "", text->len);
}

/* An event whose type has no format: its bytes, under a name that says so. */
static void add_unknown(struct pf_out *o)
{
	static const char hex[] = "0123456789abcdef";
	const struct ev_rec *rec = &o->r->rec;
	struct buf *text = &o->all->text;
	size_t begun;

	buf_reset(text);
	buf_printf(text, "[type %u]", o->r->type);
	add_clean(o, 1, text->data, text->len);
	buf_reset(text);
	begun = proto_begin(text, 2);
	proto_add_bytes(text, 1, "bytes", 5);
	buf_reserve(text, 2 * (size_t)rec->len + PROTO_TAG_MAX + PROTO_VARINT_MAX);
	buf_poked(text, proto_varint(proto_varint(text->data + text->len,
						  PROTO_TAG(3, PROTO_BYTES)), 2 * rec->len));
	for (uint32_t i = 0; i < rec->len; i++) {
		buf_addch(text, hex[rec->data[i] >> 4]);
		buf_addch(text, hex[rec->data[i] & 15]);
	}
	proto_end(text, begun);
	make_room(o, text->len);
	memcpy(o->p, text->data, text->len);
	o->p += text->len;
}

/* --- which is which */

static bool is_text(const struct ev_field *f)
{
	return f->is_string && f->kind != EV_FIXED;
}

static bool is_number(const struct ev_field *f)
{
	return f->kind == EV_FIXED &&
	       (f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8);
}

static bool is_array(const struct ev_field *f)
{
	return f->kind != EV_FIXED && !f->is_string;
}

static void take_field(struct pf_event *e, const struct ev_field *f, uint32_t number,
		       enum pf_kind kind)
{
	e->fields = xrealloc(e->fields, (e->nr_fields + 1) * sizeof(*e->fields));
	e->fields[e->nr_fields++] = (struct pf_field){ f, number, kind };
}

/* One word of known_event.fields; a field of another type than the message has is left out. */
static void take_known_field(struct pf_event *e, const struct ev_format *fmt, const char *word,
			     size_t len, uint32_t number)
{
	char want = len > 2 && word[1] == ':' ? word[0] : 0, *name;
	const struct ev_field *f;

	if (want) {
		word += 2;
		len -= 2;
	}
	name = xstrndup(word, len);
	f = ev_field(fmt, name);
	free(name);
	if (!f)
		return;
	if (want == 's' && is_text(f))
		take_field(e, f, number, PF_STRING);
	else if (want == 's' && is_number(f) && strchr(f->type, '*'))
		take_field(e, f, number, PF_POINTER);
	else if (want == 't' && is_number(f))
		take_field(e, f, number, PF_STATE);
	else if (want == 'f' && is_number(f))
		take_field(e, f, number, PF_SYMBOL);
	else if (!want && is_number(f))
		take_field(e, f, number, PF_NUMBER);
	else if (!want && is_array(f))
		take_field(e, f, number, PF_NUMBERS);
}

static size_t nr_own_fields(const struct ev_format *fmt)
{
	size_t n = 0;

	for (size_t i = 0; i < fmt->nr_fields; i++)
		n += ev_field_shown(&fmt->fields[i]);
	return n;
}

/* False if it is better described: Perfetto would only lose some of its fields. */
static bool take_known(struct pf_event *e, const struct ev_format *fmt,
		       const struct known_event *k)
{
	bool is_listed = *k->fields == '=';
	uint32_t number = 1;
	const char *p;
	size_t len;

	e->number = k->number;
	e->add = add_fields;
	for (p = k->fields + 2 * is_listed; *p; p += len + strspn(p + len, " "), number++) {
		len = strcspn(p, " ");
		if (len > 1)
			take_known_field(e, fmt, p, len, number);
	}
	if (!is_listed || e->nr_fields == nr_own_fields(fmt))
		return true;
	e->nr_fields = 0;
	e->add = NULL;
	return false;
}

static void describe_field(struct buf *b, const char *name, uint32_t number, unsigned int type)
{
	size_t at = proto_begin(b, 2);
	struct buf clean = {0};

	text_sanitise(&clean, name, strlen(name), false);
	proto_add_bytes(b, 1, clean.len ? clean.data : "", clean.len);
	proto_add_number(b, 3, number);
	proto_add_number(b, 4, 1);	/* LABEL_OPTIONAL */
	proto_add_number(b, 5, type);
	proto_end(b, at);
	buf_release(&clean);
}

static void add_described(struct pf_event *e, const struct ev_field *f, const char *name,
			  enum pf_kind kind)
{
	uint32_t number = e->nr_fields + 1;
	unsigned int type = kind != PF_NUMBER ? TYPE_STRING :
			    f->is_signed ? TYPE_INT64 : TYPE_UINT64;

	take_field(e, f, number, kind);
	describe_field(&e->described, name, number, type);
}

static void describe_function(struct pf_event *e, const struct ev_field *f)
{
	char *name = xasprintf("%s_name", f->name);

	add_described(e, f, name, PF_FUNCTION);
	free(name);
}

static bool is_function(const struct ev_format *fmt)
{
	return !strcmp(fmt->system, "ftrace") &&
	       (!strcmp(fmt->name, "function") || !strcmp(fmt->name, "func_repeats"));
}

static bool is_stack(const struct ev_format *fmt)
{
	return !strcmp(fmt->system, "ftrace") &&
	       (!strcmp(fmt->name, "kernel_stack") || !strcmp(fmt->name, "user_stack"));
}

static bool is_message(const struct ev_format *fmt)
{
	return !strcmp(fmt->system, "ftrace") && (!strcmp(fmt->name, "print") ||
	       !strcmp(fmt->name, "bprint") || !strcmp(fmt->name, "bputs"));
}

static void describe_fields(struct pf_event *e, const struct ev_format *fmt)
{
	for (size_t i = 0; i < fmt->nr_fields; i++) {
		const struct ev_field *f = &fmt->fields[i];

		if (!ev_field_shown(f))
			continue;
		add_described(e, f, f->name, is_number(f) ? PF_NUMBER :
			      is_text(f) ? PF_STRING : PF_TEXT);
		if (is_function(fmt) && strstr(f->name, "ip") && is_number(f))
			describe_function(e, f);
	}
}

/* google.protobuf.DescriptorProto: name, fields. */
static void take_described(struct pf_events *all, struct pf_event *e, const struct ev_format *fmt)
{
	struct buf *b = &e->described, name = {0};
	size_t outer = proto_begin(b, BUNDLE_GENERIC), inner;

	e->number = all->next_number++;
	e->add = add_fields;
	proto_add_number(b, 1, e->number);
	inner = proto_begin(b, 2);
	text_sanitise(&name, fmt->name, strlen(fmt->name), false);
	proto_add_bytes(b, 1, name.len ? name.data : "", name.len);
	if (is_message(fmt)) {
		describe_field(b, "ip", 1, TYPE_UINT64);
		describe_field(b, "buf", 2, TYPE_STRING);
		e->add = add_message;
	} else if (is_stack(fmt) || nr_own_fields(fmt) > FIELDS_MAX) {
		describe_field(b, is_stack(fmt) ? "stack" : "text", 1, TYPE_STRING);
		e->add = add_rendered;
	} else {
		describe_fields(e, fmt);
	}
	proto_end(b, inner);
	proto_end(b, outer);
	buf_release(&name);
}

static bool take_graph(struct pf_event *e, const struct fgraph *g, const struct trace_rec *r)
{
	e->fgraph = g;
	e->entry = fgraph_entry_of(g, r);
	if (e->entry) {
		e->number = NUMBER_ENTRY;
		e->add = add_entry;
	} else if (fgraph_has(g, r->rec.fmt)) {
		e->number = NUMBER_EXIT;
		e->add = add_exit;
	}
	return e->add;
}

static __attribute__((noinline)) struct pf_event *new_event(struct pf_events *all,
							    struct pf_file *file,
							    const struct trace_rec *r)
{
	const struct ev_format *fmt = r->rec.fmt;
	const struct known_event *k = fmt ? known_event_find(fmt->system, fmt->name) : NULL;
	struct pf_event *e = xcalloc(1, sizeof(*e));

	e->next = file->met;
	file->met = e;
	if (!fmt) {
		e->number = NUMBER_GENERIC;
		e->add = add_unknown;
	} else if (!(k && take_known(e, fmt, k)) && !take_graph(e, &file->fgraph, r)) {
		take_described(all, e, fmt);
	}
	return e;
}

/* --- outside */

struct pf_events *pf_events_new(struct trace *const *traces, size_t n)
{
	struct pf_events *all = xcalloc(1, sizeof(*all));

	all->files = xcalloc(n + 1, sizeof(*all->files));
	all->nr_files = n;
	all->next_number = NUMBER_FIRST;
	for (size_t i = 0; i < n; i++) {
		fgraph_init(&all->files[i].fgraph, traces[i]);
		all->files[i].events = xcalloc(IDS, sizeof(struct pf_event *));
	}
	return all;
}

void pf_events_free(struct pf_events *all)
{
	struct pf_event *e;

	if (!all)
		return;
	for (size_t i = 0; i < all->nr_files; i++) {
		for (; (e = all->files[i].met); free(e)) {
			all->files[i].met = e->next;
			free(e->fields);
			buf_release(&e->described);
		}
		free(all->files[i].events);
		map_release(&all->files[i].states);
	}
	buf_release(&all->text);
	free(all->files);
	free(all);
}

static struct pf_event *find_event(struct pf_events *all, const struct trace_rec *r,
				   struct buf *bundle)
{
	struct pf_file *file = &all->files[r->file];
	struct pf_event **e = &file->events[r->type];

	if (__builtin_expect(*e != NULL, 1))
		return *e;
	*e = new_event(all, file, r);
	buf_add(bundle, (*e)->described.data, (*e)->described.len);
	return *e;
}

/* A text that is no mark would be an error to Perfetto: it is an event that we describe then. */
static uint32_t message_number(struct pf_events *all, const struct pf_event *e,
			       const struct trace_rec *r)
{
	render_message(all, r);
	return pf_is_mark(all->text.data, all->text.len) ? NUMBER_PRINT : e->number;
}

uint32_t pf_add_event(struct pf_events *all, const struct trace_rec *r, const struct pf_to *to)
{
	struct pf_event *e = find_event(all, r, to->bundle);
	uint32_t number = e->add == add_message ? message_number(all, e, r) : e->number;
	struct pf_out o = { all, e, r, to, to->bundle, buf_poke(to->bundle, HEAD_ROOM) };
	size_t event, body;
	char *end;

	*o.p++ = PROTO_TAG(BUNDLE_EVENT, PROTO_BYTES);
	event = o.p - o.b->data;
	o.p += EVENT_LEN;
	o.p = proto_number(o.p, EVENT_TIME, r->ts);
	o.p = proto_number(o.p, EVENT_PID, r->pid > 0 ? r->pid : 0);
	o.p = proto_varint(o.p, PROTO_TAG(number, PROTO_BYTES));
	body = o.p - o.b->data;
	o.p += BODY_LEN;
	e->add(&o);
	make_room(&o, 16);
	end = o.p;
	end = proto_close(o.b->data + body, BODY_LEN, end - (o.b->data + body + BODY_LEN));
	end = proto_close(o.b->data + event, EVENT_LEN, end - (o.b->data + event + EVENT_LEN));
	buf_poked(o.b, end);
	return number;
}
