/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The formats that are tried for the texts of an event: those given, and the known ones. */
#include <stdlib.h>
#include <string.h>

#include "text/fields/field_solver_priv.h"
#include "text/fields/known_events.h"
#include "text/fields/other_prints.h"
#include "text/fields/value_format.h"

#define COMMON_LINES \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

/*
 * Limit for events whose formats are made from their texts: each takes some 80 KiB. Those that show
 * symbols take up to 1.3 MiB, and count as several.
 */
#define VALUES_EVENTS_MAX 500
#define VALUES_OF_SYMBOLS 4

struct event_fields {
	struct text_fields *v[EVENT_FORMATS_MAX];
	int n;
	int nr_given;		/* formats that were given, the first ones */
	int last;		/* the format that solved the last text */
	struct field_solver *solver;
	char *name;
	bool has_others;	/* the formats of other printers were added */
};

/* --- the solver of all events */

/* Notes the formats by the names of their events. */
static void index_formats(struct field_solver *s)
{
	const struct format_file *v = s->formats->v;
	void *prev;

	s->older = xcalloc(s->formats->n + 1, sizeof(*s->older));
	for (size_t i = 0; i < s->formats->n; i++) {
		if (!strcmp(v[i].system, "ftrace"))
			continue;
		prev = textmap_put_borrowed(&s->by_event, v[i].event, strlen(v[i].event),
					    (void *)(uintptr_t)(i + 1));
		s->older[i] = (uintptr_t)prev;
	}
}

struct field_solver *field_solver_new(const struct dump_syms *syms,
				    const struct format_files *formats)
{
	struct field_solver *s = xcalloc(1, sizeof(*s));

	s->syms = syms;
	s->formats = formats;
	index_formats(s);
	dump_syms_print(syms, &s->kallsyms);
	buf_addstr(&s->kallsyms, "");
	s->symbols = ev_syms_new(s->kallsyms.data, s->kallsyms.len);
	return s;
}

void field_solver_set_slow(struct field_solver *s)
{
	s->slow = true;
}

void field_solver_free(struct field_solver *s)
{
	if (!s)
		return;
	ev_syms_free(s->symbols);
	textmap_release(&s->by_event);
	free(s->older);
	buf_release(&s->kallsyms);
	buf_release(&s->stack);
	free(s);
}

/* --- the formats of one event */

/* Adds the formats that were given, the newest first. */
static void add_given(struct event_fields *f, struct field_solver *s, const char *name)
{
	size_t at = (uintptr_t)textmap_get(&s->by_event, name, strlen(name));

	for (; at && f->n < EVENT_FORMATS_MAX / 2; at = s->older[at - 1]) {
		const struct format_file *from = &s->formats->v[at - 1];

		f->v[f->n] = text_fields_of_format(s, from->system, name, from->text, from->len,
						   NULL);
		/* numbers of names differ from kernel to kernel */
		if (s->formats->running)
			f->v[f->n] = text_fields_with_names(f->v[f->n]);
		f->n++;
	}
}

static void add_known(struct event_fields *f, struct field_solver *s, const char *name)
{
	const struct known_event *k = NULL;
	struct buf text = {0}, print = {0};

	while (f->n < EVENT_FORMATS_MAX && (k = known_event_next(name, k))) {
		buf_reset(&text);
		buf_reset(&print);
		buf_printf(&text, "name: %s\nID: 100\nformat:\n" COMMON_LINES, name);
		known_event_fields(k, &text);
		buf_addstr(&text, "\nprint fmt: ");
		known_event_text(k, &text);
		known_event_print(k, &print);
		f->v[f->n++] = text_fields_of_format(s, k->system, name, text.data, text.len,
						     print.data);
	}
	buf_release(&text);
	buf_release(&print);
}

/* --- texts of other printers */

/* The last quarter of the formats is for those after the printers. */
static void add_other(struct event_fields *f, const struct text_fields *base, const char *print,
		      bool bare)
{
	if (f->n < EVENT_FORMATS_MAX - EVENT_FORMATS_MAX / 4)
		f->v[f->n++] = text_fields_of_print(base, print, bare);
}

/* The same, and the file has this print fmt as well. */
static void add_own(struct event_fields *f, const struct text_fields *base, const char *print)
{
	struct text_fields *own;

	if (f->n >= EVENT_FORMATS_MAX)
		return;
	own = text_fields_of_print(base, print, false);
	free(own->print);
	own->print = NULL;
	f->v[f->n++] = own;
}

/* Returns true if the print fmt shows the symbol of an address. */
static bool shows_symbols(const char *print)
{
	static const char *const specs[] = { "%pS", "%ps", "%pF", "%pf", "%pB" };

	for (size_t i = 0; i < sizeof(specs) / sizeof(*specs); i++)
		if (strstr(print, specs[i]))
			return true;
	return false;
}

/* Returns true if a format has texts of any length: names may stand for numbers in those. */
static bool has_text(const struct ev_format *from)
{
	for (size_t i = 0; i < from->nr_fields; i++)
		if (from->fields[i].kind == EV_DATA_LOC)
			return true;
	return false;
}

/* Adds the formats of trace-cmd, of 32 bits, and of the fields alone, for all formats so far. */
static void add_prints(struct event_fields *f)
{
	static const struct {
		bool (*print)(const char *print, struct buf *out);
		bool bare;
	} printers[] = {
		{ print_of_traceevent, true }, { print_of_kmem_plugin, true },
		{ print_of_32bit, false },
	};
	struct buf text = {0};
	int n = f->n;

	for (size_t i = 0; i < sizeof(printers) / sizeof(*printers); i++) {
		for (int k = 0; k < n; k++) {
			buf_reset(&text);
			if (!f->v[k]->from.print_fmt ||
			    !printers[i].print(f->v[k]->from.print_fmt, &text))
				continue;
			buf_addstr(&text, "");
			add_other(f, f->v[k], text.data, printers[i].bare);
		}
	}
	for (int k = 0; k < 2 * n; k++) {
		buf_reset(&text);
		if (f->v[k / 2]->from.print_fmt && print_of_raw(&f->v[k / 2]->from, k % 2, &text))
			add_other(f, f->v[k / 2], text.data, false);
	}
	buf_release(&text);
}

/* Adds the formats of the kernel's option fields for the first @n formats. */
static void add_option_fields(struct event_fields *f, int n)
{
	struct buf text = {0};

	for (int k = 0; k < n; k++) {
		const struct ev_format *from = &f->v[k]->from;

		buf_reset(&text);
		if (!from->print_fmt ||
		    ((k >= f->nr_given || f->solver->formats->running) && has_text(from)) ||
		    !print_of_option_fields(from, &text))
			continue;
		/* an address in the text is none of the file's symbols */
		if (shows_symbols(from->print_fmt))
			add_own(f, f->v[k], text.data);
		else
			add_other(f, f->v[k], text.data, false);
	}
	buf_release(&text);
}

/* Adds the formats of probes, whose print fmt is not that of the kernel's text. */
static void add_probes(struct event_fields *f)
{
	const struct span_text *texts;
	size_t n = dump_syms_samples(f->solver->syms, f->name, &texts);
	struct buf text = {0};

	for (int k = 0; n && k < f->nr_given; k++) {
		const char *print = f->v[k]->from.print_fmt;

		buf_reset(&text);
		if (print && print_of_kprobe(print, &text))
			add_own(f, f->v[k], text.data);
		buf_reset(&text);
		if (print && (print_of_uprobe(print, &text) ||
			      print_of_eprobe(print, *texts, &text)))
			add_own(f, f->v[k], text.data);
	}
	buf_release(&text);
}

/* Adds the format that the texts of the event have themselves, if they are "name=value". */
static void add_values(struct event_fields *f)
{
	struct value_texts t = { .event = f->name };
	struct buf text = {0};

	t.n = dump_syms_samples(f->solver->syms, f->name, &t.v);
	for (int i = 0; i < f->nr_given && t.nr_prints < sizeof(t.prints) / sizeof(*t.prints); i++)
		if (f->v[i]->from.print_fmt)
			t.prints[t.nr_prints++] = f->v[i]->from.print_fmt;
	buf_printf(&text, "name: %s\nID: 100\nformat:\n" COMMON_LINES, f->name);
	if (f->n < EVENT_FORMATS_MAX && f->solver->nr_values < VALUES_EVENTS_MAX &&
	    format_of_values(&t, &text)) {
		buf_addstr(&text, "");
		f->solver->nr_values += shows_symbols(text.data) ? VALUES_OF_SYMBOLS : 1;
		f->v[f->n++] = text_fields_of_format(f->solver, event_fields_system(f, -1), f->name,
						     text.data, text.len, NULL);
	}
	buf_release(&text);
}

struct event_fields *event_fields_new(struct field_solver *s, const char *name)
{
	struct event_fields *f = xcalloc(1, sizeof(*f));

	f->solver = s;
	f->name = xstrdup(name);
	if (!strncmp(name, "sys_enter_", 10) || !strncmp(name, "sys_exit_", 9)) {
		f->v[f->n++] = text_fields_of_call(s, name);
		f->has_others = true;
		return f;
	}
	add_given(f, s, name);
	f->nr_given = f->n;
	add_known(f, s, name);
	return f;
}

const char *event_fields_system(const struct event_fields *f, int n)
{
	return f->n ? f->v[n < 0 ? 0 : n]->system : "dump";
}

/* Tries the formats from @n on. Returns the one that solves the text, or -1. */
static int try_formats(struct event_fields *f, int n, const struct dump_rec *r, struct buf *out)
{
	size_t from = out->len;

	for (; n < f->n; n++) {
		out->len = from;
		if (text_fields_solve(f->v[n], r, out)) {
			f->last = n;
			return n;
		}
	}
	return -1;
}

static int solve_text(struct event_fields *f, const struct dump_rec *r, struct buf *out)
{
	struct text_fields *last = f->v[f->last];
	size_t from = out->len;
	int n;

	/* most texts */
	if (last && last->decoder && !last->bad &&
	    text_decoder_solve(last->decoder, last, r->text, out)) {
		last->good++;
		return f->last;
	}
	if (f->n && text_fields_solve(f->v[f->last], r, out))
		return f->last;
	out->len = from;
	n = try_formats(f, 0, r, out);
	if (n >= 0 || f->has_others)
		return n;
	f->has_others = true;
	n = f->n;
	add_prints(f);
	add_option_fields(f, n);
	add_probes(f);
	add_values(f);
	out->len = from;
	return try_formats(f, n, r, out);
}

/* --- strings of probes that could not be fetched: "name=(fault)", others have "name=\"text\"" */

#define FAULT	    "=(fault)"
#define FAULT_EMPTY "=\"\""
#define FAULTS_MAX  16		/* in one text */

/*
 * Copies @text with empty strings in place of those that could not be fetched. Returns their
 * number, with their names, or 0 if there are none or too many.
 */
static size_t replace_faults(struct span_text text, struct buf *out, struct span_text *names)
{
	const char *p = text.p, *end = p + text.len, *at, *name;
	size_t n = 0;

	for (; (at = memmem(p, end - p, FAULT, strlen(FAULT))); p = at + strlen(FAULT)) {
		if (n == FAULTS_MAX)
			return 0;
		for (name = at; name > p && name[-1] != ' '; name--)
			;
		names[n++] = (struct span_text){ name, at - name };
		buf_add(out, p, at - p);
		buf_addstr(out, FAULT_EMPTY);
	}
	buf_add(out, p, end - p);
	return n;
}

/*
 * Makes the string @name in the record @rec one without any bytes, not even a NUL, as the kernel
 * does. Returns false if it is no empty string.
 */
static bool clear_string(const struct ev_format *fmt, struct span_text name, char *rec, size_t len)
{
	for (size_t i = 0; i < fmt->nr_fields; i++) {
		const struct ev_field *field = &fmt->fields[i];
		uint32_t loc;

		if (field->kind != EV_DATA_LOC || strlen(field->name) != name.len ||
		    memcmp(field->name, name.p, name.len) || field->offset + 4 > len)
			continue;
		memcpy(&loc, rec + field->offset, 4);
		if (loc >> 16 != 1)
			return false;
		loc &= 0xffff;
		memcpy(rec + field->offset, &loc, 4);
		return true;
	}
	return false;
}

/* Solves a text with strings that could not be fetched. Returns the format, or -1. */
static int solve_faults(struct event_fields *f, const struct dump_rec *r, struct buf *out)
{
	struct span_text names[FAULTS_MAX];
	struct dump_rec copy = *r;
	struct buf text = {0};
	size_t from = out->len, n = replace_faults(r->text, &text, names);
	int which = -1;

	copy.text = (struct span_text){ text.data, text.len };
	if (n)
		which = solve_text(f, &copy, out);
	for (size_t i = 0; which >= 0 && i < n; i++)
		if (!clear_string(&f->v[which]->from, names[i], out->data + from - COMMON_BYTES,
				  out->len - from + COMMON_BYTES))
			which = -1;
	if (which < 0)
		out->len = from;
	buf_release(&text);
	return which;
}

int event_fields_solve(struct event_fields *f, const struct dump_rec *r, struct buf *out)
{
	size_t from = out->len;
	int which = solve_text(f, r, out);

	if (which >= 0 || !memmem(r->text.p, r->text.len, FAULT, strlen(FAULT)))
		return which;
	out->len = from;
	return solve_faults(f, r, out);
}

void event_fields_format(const struct event_fields *f, int n, struct buf *out)
{
	text_fields_format(f->v[n], out);
}

void event_fields_free(struct event_fields *f)
{
	for (int i = 0; f && i < f->n; i++)
		text_fields_free(f->v[i]);
	if (f)
		free(f->name);
	free(f);
}
