/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of text types, and how a text is recognised by its first lines. */
#include "text/log/text_types.h"

#include "text/log/text_line.h"

/* A text is looked at up to this many lines, and records. */
#define HEAD_LINES   400
#define HEAD_RECORDS 32
#define PREAMBLE_LINES 16

struct head_lines {
	const char *p, *end;
	struct span_text line;
};

static bool next_line(struct head_lines *h)
{
	const char *nl;

	if (h->p == h->end)
		return false;
	nl = memchr(h->p, '\n', h->end - h->p);
	h->line = (struct span_text){ h->p, (nl ? nl : h->end) - h->p };
	h->p = nl ? nl + 1 : h->end;
	if (h->line.len && h->line.p[h->line.len - 1] == '\r')
		h->line.len--;
	return true;
}

static bool line_begins(struct span_text line, const char *word)
{
	return line.len >= strlen(word) && !memcmp(line.p, word, strlen(word));
}

/* Returns true if the name of a task is not the rest of a log's prefix. */
static bool is_task_name(const struct text_line *l)
{
	return l->comm.len && l->comm.len < DUMP_COMM_WHOLE && *l->comm.p != '[' &&
	       !(l->comm.len > 2 && *l->comm.p == '<' && scan_is_digit(l->comm.p[1]));
}

/* Counts of the first lines of a text, as lines of a type. */
struct head_counts {
	unsigned int records, padded, events, others;
	bool first;			/* the first line that is not empty or "#..." is a record */
};

/*
 * Returns true if the text of an event starts at the column of trace-cmd report. The kernel's own
 * events of ftrace have no names in other texts.
 */
static bool is_padded(const struct text_line *l)
{
	const struct dump_rec *r = &l->rec;

	if (l->class != LINE_RECORD)
		return true;
	if (r->kind == DUMP_EVENT)
		return r->name.len < 20 && r->text.len && r->text.p - r->name.p == 22 &&
		       r->name.p[r->name.len + 1] == ' ';
	return r->kind == DUMP_FUNCTION && r->name.p - l->line.p > 22 &&
	       !memcmp(r->name.p - 22, "function:", 9);
}

/* Parses the first lines as @form has them. */
static void count_head(const struct line_form *form, const char *text, size_t len,
		       struct head_counts *c)
{
	struct head_lines h = { text, text + len, {0} };
	unsigned int lines = 0;
	bool mark = false;
	struct text_line l;

	*c = (struct head_counts){0};
	while (c->records < HEAD_RECORDS && lines < HEAD_LINES && next_line(&h)) {
		text_line_parse(form, h.line.p, h.line.len, &l);
		if (l.class == LINE_EMPTY || l.class == LINE_HEADER)
			continue;
		lines++;
		if ((l.has_context && l.class >= LINE_RECORD && is_task_name(&l)) ||
		    (!l.has_context && l.class >= LINE_RECORD && l.class <= LINE_SWITCH)) {
			c->first |= lines == 1;
			c->records++;
			c->events += l.has_context;
			c->padded += l.has_context && is_padded(&l);
			mark = l.rec.kind == DUMP_EVENT && text_line_is_mark(l.rec.name);
		} else if (mark && l.class == LINE_UNKNOWN) {
			/* the text of a mark may have several lines */
			continue;
		} else if (l.class != LINE_LOST && l.class != LINE_REMARK &&
			   l.class != LINE_FRAME) {
			c->others++;
		} else {
			c->first |= lines == 1;
		}
	}
}

/* The kernel's file trace: "# tracer: nop". */
static bool starts_trace(const char *text, size_t len, struct line_form *form)
{
	struct head_lines h = { text, text + len, {0} };

	(void)form;
	return next_line(&h) && line_begins(h.line, "# tracer: ");
}

/* trace-cmd report: "cpus=8"; with several files "NAME: cpus=8", the names in a column. */
static bool starts_trace_cmd(const char *text, size_t len, struct line_form *form)
{
	struct head_lines h = { text, text + len, {0} };
	struct line_scanner s;
	const char *at;
	uint64_t v;

	if (!next_line(&h))
		return false;
	if (line_begins(h.line, "version = ") && !next_line(&h))
		return false;
	at = memmem(h.line.p, h.line.len, "cpus=", 5);
	if (!at || at - h.line.p > 1024 || (at > h.line.p && (at - h.line.p < 3 || at[-1] != ' ' ||
							      at[-2] != ':')))
		return false;
	s = (struct line_scanner){ at + 5, h.line.p + h.line.len };
	if (!scan_number(&s, &v) || s.p != s.end)
		return false;
	form->skip = at - h.line.p;
	return true;
}

/* ftr report and trace-cmd report without its first line: texts of events stand in a column. */
static bool starts_report(const char *text, size_t len, struct line_form *form)
{
	struct head_counts c;

	count_head(form, text, len, &c);
	return c.first && c.records > c.others && c.padded && c.padded * 2 > c.events;
}

/* trace_pipe, or the file trace without its header: most lines are records. */
static bool starts_pipe(const char *text, size_t len, struct line_form *form)
{
	struct head_counts c;

	count_head(form, text, len, &c);
	return c.first && c.records > c.others;
}

const struct text_type text_types[] = {
	{ "trace", "the kernel's file trace", true, false, context_kernel, body_kernel,
	  frame_kernel, starts_trace },
	{ "trace-cmd", "the text of trace-cmd report", true, true, context_kernel, body_kernel,
	  frame_kernel, starts_trace_cmd },
	{ "report", "the text of ftr report", true, true, context_kernel, body_kernel,
	  frame_kernel, starts_report },
	{ "pipe", "the kernel's file trace_pipe", true, false, context_kernel, body_kernel,
	  frame_kernel, starts_pipe },
	{ "perf", "the text of perf script", true, false, context_perf, body_perf,
	  frame_perf, starts_pipe },
	{ "dump", "a log with dumps of ftrace", false, false, context_kernel, body_kernel,
	  frame_kernel, NULL },
};
const size_t text_types_nr = sizeof(text_types) / sizeof(*text_types);

const struct text_type *text_type_find(const char *name)
{
	for (size_t i = 0; i < text_types_nr; i++)
		if (!strcmp(text_types[i].name, name))
			return &text_types[i];
	return NULL;
}

/* Learns the columns of function_graph from the line of its header that names them. */
static void learn_graph_columns(struct span_text line, struct line_form *form)
{
	if (!memmem(line.p, line.len, "FUNCTION CALLS", 14))
		return;
	form->no_cpu = !memmem(line.p, line.len, "CPU", 3);
	form->no_duration = !memmem(line.p, line.len, "DURATION", 8);
}

static void learn_columns(const char *text, size_t len, struct line_form *form)
{
	struct head_lines h = { text, text + len, {0} };

	for (int i = 0; i < 40 && next_line(&h); i++) {
		if (h.line.len && *h.line.p != '#')
			return;
		learn_graph_columns(h.line, form);
	}
}

/* Returns true for a line that is the kernel's or a record: nothing that stands before a trace. */
static bool is_no_preamble(struct span_text line)
{
	const struct line_form pipe = { .type = text_type_find("pipe") };

	return line_begins(line, "Dumping ftrace ") || line_begins(line, "[") ||
	       line_begins(line, "<") || text_line_has_context(&pipe, line.p, line.len);
}

/*
 * Returns the offset of the first line of a trace after a preamble: atrace prints "TRACE:", after
 * lines about what it does. 0 without one.
 */
static size_t skip_preamble(const char *text, size_t len)
{
	struct head_lines h = { text, text + len, {0} };
	size_t at = 0;

	for (int i = 0; i < PREAMBLE_LINES; i++) {
		at = h.p - text;
		if (!next_line(&h))
			return 0;
		if (span_is(h.line, "TRACE:"))
			return h.p - text;
		if (line_begins(h.line, "# tracer: "))
			return at;
		if (is_no_preamble(h.line))
			return 0;
	}
	return 0;
}

bool text_type_recognise(const char *text, size_t len, const struct text_type *forced,
			 struct line_form *form, size_t *at)
{
	const struct text_type *end = text_types + text_types_nr;

	*at = forced && !forced->plain ? 0 : skip_preamble(text, len);
	for (const struct text_type *t = forced ? forced : text_types; t < end; t++) {
		*form = (struct line_form){ .type = t };
		if (t->starts && t->starts(text + *at, len - *at, form)) {
			learn_columns(text + *at, len - *at, form);
			return true;
		}
		if (!forced)
			continue;
		learn_columns(text + *at, len - *at, form);
		return t->plain;
	}
	return false;
}
