/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The formats that are tried for the texts of an event: those given, and the known ones. */
#include <stdlib.h>
#include <string.h>

#include "text/fields/field_solver_priv.h"
#include "text/fields/known_events.h"

#define COMMON_LINES \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

struct event_fields {
	struct text_fields *v[EVENT_FORMATS_MAX];
	int n;
	int last;		/* the format that solved the last text */
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

void field_solver_set_slow(struct field_solver *s, bool slow)
{
	s->slow = slow;
}

void field_solver_free(struct field_solver *s)
{
	if (!s)
		return;
	ev_syms_free(s->symbols);
	textmap_release(&s->by_event);
	free(s->older);
	buf_release(&s->kallsyms);
	free(s);
}

/* --- the formats of one event */

/* Adds the formats that were given, the newest first. */
static void add_given(struct event_fields *f, struct field_solver *s, const char *name)
{
	size_t at = (uintptr_t)textmap_get(&s->by_event, name, strlen(name));

	for (; at && f->n < EVENT_FORMATS_MAX / 2; at = s->older[at - 1]) {
		const struct format_file *from = &s->formats->v[at - 1];

		f->v[f->n++] = text_fields_of_format(s, from->system, name, from->text, from->len,
						     NULL);
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

struct event_fields *event_fields_new(struct field_solver *s, const char *name)
{
	struct event_fields *f = xcalloc(1, sizeof(*f));

	if (!strncmp(name, "sys_enter_", 10) || !strncmp(name, "sys_exit_", 9)) {
		f->v[f->n++] = text_fields_of_call(s, name);
		return f;
	}
	add_given(f, s, name);
	add_known(f, s, name);
	return f;
}

const char *event_fields_system(const struct event_fields *f)
{
	return f->n ? f->v[0]->system : "dump";
}

int event_fields_solve(struct event_fields *f, const struct dump_rec *r, struct buf *out)
{
	size_t from = out->len;

	if (f->n && text_fields_solve(f->v[f->last], r, out))
		return f->last;
	for (int i = 0; i < f->n; i++) {
		out->len = from;
		if (i == f->last || !text_fields_solve(f->v[i], r, out))
			continue;
		f->last = i;
		return i;
	}
	return -1;
}

void event_fields_format(const struct event_fields *f, int n, struct buf *out)
{
	text_fields_format(f->v[n], out);
}

void event_fields_free(struct event_fields *f)
{
	for (int i = 0; f && i < f->n; i++)
		text_fields_free(f->v[i]);
	free(f);
}
