/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses the lines of function_graph, and the calls in the text of trace-cmd report. */
#include "text/log/text_line.h"

/* Parses "517 us |  ", the time since the start of a latency tracer. */
static bool scan_relative(struct line_scanner *s, struct text_line *l)
{
	struct line_scanner at = *s;
	uint64_t us;

	scan_blanks(&at);
	if (!scan_number(&at, &us) || us > UINT64_MAX / 1000 || !scan_word(&at, " us |"))
		return false;
	l->rec.ns = us * 1000;
	l->has_time = true;
	*s = at;
	return true;
}

/* Parses "   49.119013 |  ". If there is no time @s does not move. */
static void scan_graph_time(struct line_scanner *s, struct text_line *l)
{
	struct line_scanner at = *s;
	const char *from, *p;

	scan_blanks(&at);
	for (p = from = at.p; p < at.end && scan_is_digit(*p);)
		p++;
	/* most lines start with their CPU */
	if (p < at.end && *p == ')')
		return;
	if (!scan_time(&at, l) || !memchr(from, '.', at.p - from) || !scan_word(&at, " |")) {
		l->has_time = l->exact = false;
		l->rec.ns = 0;
		scan_relative(s, l);
		return;
	}
	*s = at;
	l->absolute = true;
}

/* Parses "  python3-356  " before the end of a column. Names may have blanks and minus signs. */
static bool scan_task(struct line_scanner *s, const char *end, struct span_text *comm, int32_t *pid)
{
	const char *last = end, *minus;
	struct line_scanner at;
	uint64_t v;

	while (last > s->p && last[-1] == ' ')
		last--;
	if (last == s->p || !scan_is_digit(last[-1]))
		return false;
	scan_blanks(s);
	minus = last > s->p ? memrchr(s->p, '-', last - s->p) : NULL;
	if (!minus)
		return false;
	at = (struct line_scanner){ minus + 1, last };
	if (!scan_number(&at, &v) || at.p != last || v > INT32_MAX)
		return false;
	*pid = v;
	*comm = (struct span_text){ s->p, minus - s->p };
	s->p = last;
	return true;
}

/* Parses "12.345" as thousandths. The kernel leaves out digits of numbers that are too long. */
static bool scan_thousandths(struct line_scanner *s, uint64_t *v)
{
	uint64_t part = 0;
	unsigned int digits;

	if (!scan_number(s, v) || *v > 1000000000000)
		return false;
	*v *= 1000;
	if (!scan_char(s, '.'))
		return true;
	digits = scan_digits(s, &part);
	if (!digits || digits > 3)
		return false;
	*v += part * (digits == 1 ? 100 : digits == 2 ? 10 : 1);
	return true;
}

/* Parses "! 362.129 us  ", or blanks up to the bar. */
static bool scan_duration(struct line_scanner *s, struct text_line *l)
{
	scan_blanks(s);
	if (s->p < s->end && *s->p == '|')
		return true;
	if (s->p < s->end && strchr("$@*#!+", *s->p)) {
		s->p++;
		scan_blanks(s);
	}
	if (s->p < s->end && *s->p == '|')
		return true;
	if (s->p < s->end && *s->p == '=')
		return false;
	l->has_duration = scan_thousandths(s, &l->count) && scan_word(s, " us");
	scan_blanks(s);
	return l->has_duration;
}

/* Cuts "/ * <-parent ret=0x0 * /" from the end of a call, and sets its result. */
static struct span_text cut_result(struct span_text t, struct span_text *result)
{
	struct span_text inside;
	const char *open, *at;

	if (!span_cut_tail(t, " */", &inside))
		return t;
	open = memmem(inside.p, inside.len, " /* ", 4);
	if (!open)
		return t;
	inside = (struct span_text){ open + 4, inside.p + inside.len - (open + 4) };
	at = memmem(inside.p, inside.len, "ret=", 4);
	if (at)
		*result = (struct span_text){ at + 4, inside.p + inside.len - (at + 4) };
	else if (inside.len > 2 && inside.p[0] == '=' && inside.p[1] == ' ')
		*result = (struct span_text){ inside.p + 2, inside.len - 2 };
	return (struct span_text){ t.p, open - t.p };
}

/* Parses the name in "} / * name * /". Newer kernels add "ret=0x0" or "= 0x0", and the caller. */
static void parse_tail(struct span_text t, struct dump_rec *rec)
{
	static const char *const ends[] = { " (ret=", " ret=", " = ", " <-" };
	const char *end = t.p + t.len, *at;
	size_t skip = 0;

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		at = memmem(t.p, t.len, ends[i], strlen(ends[i]));
		if (!at || at >= end)
			continue;
		end = at;
		skip = strlen(ends[i]);
		if (i < 3)
			rec->args = (struct span_text){ at + skip, t.p + t.len - (at + skip) };
	}
	rec->name = (struct span_text){ t.p, end - t.p };
}

/* Parses "}" and "} / * name * /". */
static bool parse_close(struct line_scanner s, struct text_line *l)
{
	struct span_text t;

	if (!scan_char(&s, '}'))
		return false;
	l->class = LINE_EXIT;
	l->rec.kind = DUMP_EXIT;
	if (s.p == s.end)
		return true;
	if (!scan_word(&s, " /* ") || !span_cut_tail(scan_rest(&s), " */", &t))
		return false;
	parse_tail(t, &l->rec);
	return true;
}

/* Parses "function() {", "function();", "function(a=1);". */
static bool parse_open(struct span_text t, struct text_line *l)
{
	struct span_text result = {0};
	const char *open;

	t = cut_result(t, &result);
	if (span_cut_tail(t, ") {", &t))
		l->class = LINE_ENTRY;
	else if (span_cut_tail(t, ");", &t))
		l->class = LINE_LEAF;
	else
		return false;
	open = memchr(t.p, '(', t.len);
	if (!open || open == t.p)
		return false;
	l->rec.kind = DUMP_ENTRY;
	l->rec.name = (struct span_text){ t.p, open - t.p };
	l->rec.args = (struct span_text){ open + 1, t.p + t.len - (open + 1) };
	if (result.len)
		l->next_comm = result;
	return true;
}

/*
 * Parses a record within a graph: "/ * sched_switch: prev_comm=... * /". A marker has its text
 * only, which may have several lines.
 */
static bool parse_comment(const struct line_form *f, struct line_scanner s, struct text_line *l)
{
	static const char marker[] = "tracing_mark_write";
	struct span_text t;

	if (!scan_word(&s, "/* "))
		return false;
	t = scan_rest(&s);
	l->class = span_cut_tail(t, " */", &t) ? LINE_COMMENT : LINE_OPEN_COMMENT;
	s.end = t.p + t.len;
	/* a single word is a mark, too, and no function */
	if (f && body_kernel(f, s, l) && (l->rec.kind != DUMP_FUNCTION || l->rec.text.len))
		return true;
	l->rec.kind = DUMP_EVENT;
	l->rec.name = (struct span_text){ marker, sizeof(marker) - 1 };
	l->rec.text = t;
	return true;
}

/* Parses the text after the last column: @margin blanks, two more for each open call. */
static bool parse_call(const struct line_form *f, struct line_scanner s, struct text_line *l,
		       long margin)
{
	const char *from = s.p;

	scan_blanks(&s);
	l->rec.depth = s.p - from > margin ? (s.p - from - margin) / 2 : 0;
	return (s.p < s.end && *s.p == '/' && parse_comment(f, s, l)) || parse_close(s, l) ||
	       parse_open(scan_rest(&s), l);
}

bool text_line_call(struct line_scanner s, struct text_line *l)
{
	l->rec.text = (struct span_text){0};
	l->next_comm.len = 0;
	return scan_duration(&s, l) && scan_char(&s, '|') && parse_call(NULL, s, l, 2) &&
	       l->class >= LINE_ENTRY && l->class <= LINE_EXIT;
}

/* Parses a switch: " 0)    <idle>-0    =>  python3-379  ". */
static bool parse_switch(struct line_scanner s, struct text_line *l)
{
	const char *arrow = memmem(s.p, s.end - s.p, " => ", 4);

	l->has_task = false;
	if (!arrow || !scan_task(&s, arrow, &l->comm, &l->rec.pid))
		return false;
	s.p = arrow + 4;
	if (!scan_task(&s, s.end, &l->next_comm, &l->next_pid))
		return false;
	l->class = LINE_SWITCH;
	l->comm_width = DUMP_COMM_GRAPH;
	return true;
}

/* Parses the column of tasks, up to a bar, which is there with funcgraph-proc. */
static void scan_task_column(struct line_scanner *s, struct text_line *l)
{
	struct line_scanner at = *s;
	const char *bar;

	scan_blanks(&at);
	bar = memchr(at.p, '|', at.end - at.p < 40 ? at.end - at.p : 40);
	if (!bar || bar == at.p || !scan_task(&at, bar, &l->comm, &l->rec.pid))
		return;
	s->p = bar + 1;
	l->has_task = true;
	l->comm_width = DUMP_COMM_GRAPH;
}

/* Parses the columns of flags of the latency format: "d..1. | ". */
static void scan_graph_flags(struct line_scanner *s, struct text_line *l)
{
	struct line_scanner at = *s;

	scan_blanks(&at);
	if (at.p == at.end || scan_is_digit(*at.p) || *at.p == '|')
		return;
	if (scan_letters(&at, &l->rec) && scan_word(&at, " |")) {
		*s = at;
		return;
	}
	remove_letters(&l->rec);
}

static bool scan_graph_cpu(struct line_scanner *s, struct text_line *l)
{
	uint64_t cpu;

	scan_blanks(s);
	if (!scan_number(s, &cpu) || cpu >= DUMP_CPUS || !scan_char(s, ')'))
		return false;
	l->rec.cpu = cpu;
	l->has_cpu = true;
	return true;
}

/* Parses the columns after that of the CPU, and the call. */
static bool parse_columns(const struct line_form *f, struct line_scanner s, struct text_line *l)
{
	scan_task_column(&s, l);
	scan_graph_flags(&s, l);
	if (f->no_duration)
		return parse_call(f, s, l, !f->no_cpu);
	return scan_duration(&s, l) && scan_char(&s, '|') && parse_call(f, s, l, 2);
}

bool text_line_graph(const struct line_form *f, struct line_scanner s, struct text_line *l)
{
	static const char rule[] = " ------------------------------------------";
	struct line_scanner after;
	bool has_cpu;

	if (span_is(scan_rest(&s), rule)) {
		l->class = LINE_REMARK;
		return true;
	}
	l->rec.pid = 0;
	scan_graph_time(&s, l);
	after = s;
	has_cpu = scan_graph_cpu(&after, l);
	if (!has_cpu && !f->no_cpu)
		return false;
	/* the lines of a switch have a CPU always, and no bar */
	return parse_columns(f, has_cpu ? after : s, l) || (has_cpu && parse_switch(after, l));
}
