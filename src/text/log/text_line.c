/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses a line of a trace: its kind, and the event after the context. */
#include "text/log/text_line.h"

#include "file/ring/page.h"

/* The column at which trace-cmd report and ftr report start the text, after the event's name. */
#define PADDED_COLUMN 22
#define COMM_MAX      15

const bool scan_is_name[256] = {
	['0' ... '9'] = true, ['A' ... 'Z'] = true, ['a' ... 'z'] = true, ['_'] = true,
};

const uint8_t scan_hex_digit[256] = {
	['0'] = 1, ['1'] = 2, ['2'] = 3, ['3'] = 4, ['4'] = 5, ['5'] = 6, ['6'] = 7, ['7'] = 8,
	['8'] = 9, ['9'] = 10,
	['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
};

/* --- names of tasks in the text of an event */

/* Returns the start of " prev_pid=" and the like if @eq is their '=', or NULL. */
static const char *find_pid_word(const char *from, const char *eq)
{
	static const struct span_text words[] = {
		{ " pid", 4 }, { " prev_pid", 9 }, { " next_pid", 9 }, { " child_pid", 10 },
	};
	const char *p = eq;

	if (eq - from < 4 || memcmp(eq - 3, "pid", 3))
		return NULL;
	while (p > from && p[-1] != ' ')
		p--;
	if (p-- == from)
		return NULL;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if ((size_t)(eq - p) == words[i].len && !memcmp(p, words[i].p, words[i].len))
			return p;
	return NULL;
}

/* Parses " pid=N" and the like after the name at @comm. Sets @n if it is there. */
static bool parse_name(const char *comm, const char *end, struct line_name *n)
{
	const char *limit = end - comm > COMM_MAX + 11 ? comm + COMM_MAX + 11 : end, *eq = comm;
	struct line_scanner s;
	const char *word;
	uint64_t pid;

	while ((eq = memchr(eq, '=', limit - eq))) {
		word = find_pid_word(comm, eq++);
		if (!word)
			continue;
		s = (struct line_scanner){ eq, end };
		*n = (struct line_name){ { comm, word - comm }, 0 };
		if (n->comm.len > COMM_MAX || !scan_number(&s, &pid) || pid >= INT32_MAX)
			return false;
		n->pid = pid;
		return pid > 0;
	}
	return false;
}

static inline bool block_has_m_equals(const char *p)
{
	scan_block at, before;

	memcpy(&at, p, sizeof(at));
	memcpy(&before, p - 1, sizeof(before));
	return scan_block_bits((at == '=') & (before == 'm'));
}

/*
 * Returns the first "m=" whose '=' is at @p or later, or NULL. A byte stands before @p. The last
 * block overlaps the one before it, in which nothing was found.
 */
static inline const char *find_m_equals(const char *p, const char *end)
{
	const char *last = end - sizeof(scan_block);

	if (p <= last) {
		for (; p + sizeof(scan_block) < last; p += 2 * sizeof(scan_block))
			if (block_has_m_equals(p) || block_has_m_equals(p + sizeof(scan_block)))
				break;
		if (p < last && !block_has_m_equals(p))
			p += sizeof(scan_block);
		if (p >= last && !block_has_m_equals(p = last))
			return NULL;
	}
	for (; p < end; p++)
		if (*p == '=' && p[-1] == 'm')
			return p;
	return NULL;
}

/* Returns the name after the next "comm=" at *p or later, and moves *p after that. */
static inline const char *next_comm(const char *from, const char **p, const char *end)
{
	const char *eq = *p;

	while ((eq = find_m_equals(eq, end))) {
		*p = ++eq;
		if (eq - from >= 5 && !memcmp(eq - 5, "com", 3))
			return eq;
	}
	return NULL;
}

void text_line_names(struct span_text text, void (*add)(void *ctx, const struct line_name *n),
		     void *ctx)
{
	const char *p = text.p + 1, *end = text.p + text.len, *comm;
	struct line_name name;

	while (p < end && (comm = next_comm(text.p, &p, end)))
		if (parse_name(comm, end, &name))
			add(ctx, &name);
}

void text_line_find_names(struct text_line *l)
{
	const char *from = l->rec.text.p, *p = from + 1, *end = from + l->rec.text.len, *comm;
	struct line_name name;

	while (p < end && (comm = next_comm(from, &p, end))) {
		if (!parse_name(comm, end, &name))
			continue;
		if (l->nr_names == LINE_NAMES) {
			l->more_names = true;
			return;
		}
		l->names[l->nr_names++] = name;
	}
}

/* --- the text after the context */

/* Removes the address after a symbol: "vfs_read+0x4/0x440 <ffffffff817aeb04>", "(ffff...)". */
static struct span_text cut_address(struct span_text t)
{
	const char *p = t.p + t.len, open = t.len && p[-1] == '>' ? '<' : '(';

	if (t.len < 11 || (p[-1] != '>' && p[-1] != ')'))
		return t;
	for (p--; p > t.p && (scan_is_digit(p[-1]) || (p[-1] >= 'a' && p[-1] <= 'f'));)
		p--;
	if (p - t.p < 3 || p[-1] != open || p[-2] != ' ' || t.p + t.len - 1 - p < 8)
		return t;
	return (struct span_text){ t.p, p - 2 - t.p };
}

/* Splits "function(a=1, b=2)" into its parts. */
static void split_args(struct dump_rec *rec)
{
	struct span_text t = rec->name;
	const char *open;

	if (!t.len || t.p[t.len - 1] != ')')
		return;
	open = memchr(t.p, '(', t.len);
	if (!open || open == t.p)
		return;
	rec->name.len = open - t.p;
	rec->args = (struct span_text){ open + 1, t.p + t.len - 1 - (open + 1) };
}

/* Parses "sys_openat(dfd: ffffff9c, ...)" and "sys_openat -> 0x3". */
static bool parse_syscall(struct line_scanner s, struct dump_rec *rec)
{
	if (!scan_word(&s, "sys_"))
		return false;
	rec->name = scan_name(&s);
	if (!rec->name.len)
		return false;
	if (scan_word(&s, " -> ")) {
		rec->kind = DUMP_SYSRET;
		rec->text = scan_rest(&s);
		return true;
	}
	if (!scan_word(&s, "(") || s.p == s.end || s.end[-1] != ')')
		return false;
	rec->kind = DUMP_SYSCALL;
	rec->text = (struct span_text){ s.p, s.end - 1 - s.p };
	return true;
}

/* Skips "+0x75/0x140 <ffffffff81514a25>" after the name of a function that stands for an event. */
static void skip_offset(struct line_scanner *s)
{
	const char *colon;
	struct span_text t;

	if (s->p == s->end || (*s->p != '+' && *s->p != ' '))
		return;
	colon = memchr(s->p, ':', s->end - s->p);
	if (!colon)
		return;
	t = (struct span_text){ s->p, colon - s->p };
	if (memchr(t.p + 1, ' ', t.len - 1)) {
		t = cut_address(t);
		if (t.p + t.len == colon)
			return;
	}
	if (*t.p == '+' ? t.len > 3 && t.p[2] == 'x' : cut_address((struct span_text){
			s->p - 1, colon - s->p + 1 }).len == 1)
		s->p = colon;
}

/* Parses "name: text". The text may be empty. */
static bool parse_event(struct line_scanner s, struct dump_rec *rec, bool padded)
{
	const char *column;

	rec->kind = DUMP_EVENT;
	rec->name = scan_name(&s);
	if (!rec->name.len || rec->name.len > NAME_MAX_LEN)
		return false;
	if (s.p < s.end && *s.p != ':')
		skip_offset(&s);
	if (!scan_char(&s, ':'))
		return false;
	column = rec->name.p + (padded ? PADDED_COLUMN : 0);
	scan_char(&s, ' ');
	while (s.p < s.end && s.p < column && *s.p == ' ')
		s.p++;
	rec->text = scan_rest(&s);
	return true;
}

/* Parses "function", as the option print-parent may be off. */
static bool parse_lone_function(struct line_scanner s, struct dump_rec *rec)
{
	struct span_text t = cut_address(scan_rest(&s));

	for (size_t i = 0; i < t.len; i++)
		if (!scan_is_name[(unsigned char)t.p[i]] && t.p[i] != '.')
			return false;
	rec->kind = DUMP_FUNCTION;
	rec->name = t;
	rec->text = (struct span_text){ s.end, 0 };
	return t.len > 0;
}

/* Parses "function <-parent", since 6.15 with arguments: "function(a=1) <-parent". */
static bool parse_function(struct line_scanner s, struct dump_rec *rec)
{
	static const char arrow[] = " <-";
	const char *at = memmem(s.p, s.end - s.p, arrow, sizeof(arrow) - 1);

	if (!at)
		return parse_lone_function(s, rec);
	if (at == s.p || at + sizeof(arrow) - 1 == s.end)
		return false;
	rec->kind = DUMP_FUNCTION;
	rec->name = cut_address((struct span_text){ s.p, at - s.p });
	split_args(rec);
	s.p = at + sizeof(arrow) - 1;
	rec->text = cut_address(scan_rest(&s));
	return true;
}

static bool parse_stack(struct line_scanner s, struct dump_rec *rec)
{
	static const struct {
		const char *word;
		struct span_text name;
	} stacks[] = {
		{ "<stack trace>", { "kernel_stack", 12 } },
		{ "<stack trace >", { "kernel_stack", 12 } },
		{ "<user stack trace>", { "user_stack", 10 } },
	};

	for (size_t i = 0; i < sizeof(stacks) / sizeof(*stacks); i++) {
		if (!span_is(scan_rest(&s), stacks[i].word))
			continue;
		rec->kind = DUMP_STACK;
		rec->name = stacks[i].name;
		return true;
	}
	return false;
}

/* --- events of ftrace itself, as trace-cmd report and ftr report print them with their names */

/* Parses "function <-- parent", "function <-parent", "function". */
static bool parse_named_function(struct text_line *l)
{
	struct line_scanner s = { l->rec.text.p, l->rec.text.p + l->rec.text.len };
	struct dump_rec *rec = &l->rec;
	const char *arrow = memmem(s.p, s.end - s.p, " <-", 3);

	rec->kind = DUMP_FUNCTION;
	rec->name = (struct span_text){ s.p, (arrow ? arrow : s.end) - s.p };
	split_args(rec);
	rec->name = cut_address(rec->name);
	rec->text = (struct span_text){ s.end, 0 };
	if (!arrow)
		return rec->name.len > 0;
	s.p = arrow + 3;
	scan_char(&s, '-');
	scan_blanks(&s);
	rec->text = cut_address(scan_rest(&s));
	return true;
}

static bool parse_named_call(struct text_line *l)
{
	struct text_line as_call = *l;

	if (!text_line_call((struct line_scanner){ l->rec.text.p, l->rec.text.p + l->rec.text.len },
			    &as_call) || as_call.class < LINE_ENTRY || as_call.class > LINE_EXIT)
		return true;
	*l = as_call;
	return true;
}

static bool parse_named_stack(struct text_line *l)
{
	parse_stack((struct line_scanner){ l->rec.text.p, l->rec.text.p + l->rec.text.len },
		    &l->rec);
	return true;
}

/* Events whose text is that of ftrace's own events. A text of another form stays an event's. */
static const struct named_event {
	const char *name;
	bool (*parse)(struct text_line *l);
} named_events[] = {
	{ "function", parse_named_function },
	{ "funcgraph_entry", parse_named_call },
	{ "funcgraph_exit", parse_named_call },
	{ "kernel_stack", parse_named_stack },
	{ "user_stack", parse_named_stack },
};

static bool parse_named(struct text_line *l)
{
	struct span_text name = l->rec.name;

	if (*name.p != 'f' && *name.p != 'k' && *name.p != 'u')
		return true;
	for (size_t i = 0; i < sizeof(named_events) / sizeof(*named_events); i++)
		if (span_is(name, named_events[i].name))
			return named_events[i].parse(l);
	return true;
}

/* --- records of other tracers, which have no name in the text */

/* "   1000000     123   99.98770   45   0   1": numbers only. */
static bool is_osnoise(struct span_text t)
{
	size_t numbers = 0;

	for (size_t i = 0; i < t.len; i++) {
		if (!scan_is_digit(t.p[i]) && t.p[i] != ' ' && t.p[i] != '.')
			return false;
		numbers += t.p[i] != ' ' && (!i || t.p[i - 1] == ' ');
	}
	return numbers >= 8;
}

static bool is_timerlat(struct span_text t)
{
	return t.len > 2 && t.p[0] == '#' && memmem(t.p, t.len, " context ", 9) &&
	       memmem(t.p, t.len, "timer_latency", 13);
}

static bool is_hwlat(struct span_text t)
{
	return t.len > 2 && t.p[0] == '#' && memmem(t.p, t.len, "inner/outer(us):", 16);
}

static bool is_raw_data(struct span_text t)
{
	return t.len > 2 && t.p[0] == '#' && memmem(t.p, t.len, " buf:", 5);
}

/* "      373:120:R   + [001]     159: 49:R bash", and "==>" for a switch. */
static bool is_task_pair(struct span_text t, const char *arrow)
{
	struct line_scanner s = { t.p, t.p + t.len };
	uint64_t v;

	scan_blanks(&s);
	if (!scan_number(&s, &v) || !scan_char(&s, ':'))
		return false;
	scan_blanks(&s);
	return scan_number(&s, &v) && scan_char(&s, ':') && s.p < s.end &&
	       memmem(s.p, s.end - s.p, arrow, strlen(arrow));
}

static bool is_wakeup(struct span_text t)
{
	return is_task_pair(t, "  + [");
}

static bool is_context_switch(struct span_text t)
{
	return is_task_pair(t, " ==> [");
}

/* "  8,0    D   R 123 + 8 [swapper]", of the tracer blk. */
static bool is_blk(struct span_text t)
{
	struct line_scanner s = { t.p, t.p + t.len };
	uint64_t v;

	scan_blanks(&s);
	return scan_number(&s, &v) && scan_char(&s, ',') && scan_number(&s, &v) &&
	       scan_char(&s, ' ');
}

/* "function <-parent (repeats: 3, last_ts:   1.000000)" */
static bool is_repeated(struct span_text t)
{
	return t.len && t.p[t.len - 1] == ')' && memmem(t.p, t.len, " (repeats: ", 11);
}

/* "UNKNOWN TYPE 5": with the option fields, a record of ftrace itself. */
static bool is_unknown_type(struct span_text t)
{
	struct line_scanner s = { t.p, t.p + t.len };
	uint64_t v;

	return scan_word(&s, "UNKNOWN TYPE ") && scan_number(&s, &v) && s.p == s.end;
}

static const struct nameless_event {
	struct span_text name;		/* as the kernel names its format */
	bool (*is)(struct span_text text);
} nameless_events[] = {
	{ { "timerlat", 8 }, is_timerlat },
	{ { "hwlat", 5 }, is_hwlat },
	{ { "raw_data", 8 }, is_raw_data },
	{ { "wakeup", 6 }, is_wakeup },
	{ { "context_switch", 14 }, is_context_switch },
	{ { "blktrace", 8 }, is_blk },
	{ { "osnoise", 7 }, is_osnoise },
	{ { "func_repeats", 12 }, is_repeated },
	{ { "unknown_type", 12 }, is_unknown_type },
};

static bool parse_nameless(struct line_scanner s, struct dump_rec *rec)
{
	struct span_text t = scan_rest(&s);

	for (size_t i = 0; i < sizeof(nameless_events) / sizeof(*nameless_events); i++) {
		if (!nameless_events[i].is(t))
			continue;
		rec->kind = DUMP_EVENT;
		rec->name = nameless_events[i].name;
		rec->text = span_trim(t);
		return true;
	}
	return false;
}

static bool parse_not_event(struct line_scanner s, struct dump_rec *rec)
{
	bool first = s.p < s.end && (*s.p == ' ' || *s.p == '#' || *s.p == 'U' ||
				     scan_is_digit(*s.p));

	if ((first || is_repeated(scan_rest(&s))) && parse_nameless(s, rec))
		return true;
	return parse_function(s, rec);
}

bool body_kernel(const struct line_form *f, struct line_scanner s, struct text_line *l)
{
	struct dump_rec *rec = &l->rec;

	if (s.p < s.end && *s.p == '<' && parse_stack(s, rec))
		return true;
	if (parse_syscall(s, rec))
		return true;
	if (!parse_event(s, rec, f->type->padded))
		return parse_not_event(s, rec);
	text_line_find_names(l);
	return f->type->padded ? parse_named(l) : true;
}

bool text_line_is_mark(struct span_text name)
{
	static const char *const names[] = { "print", "bprint", "bputs", "tracing_mark_write" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (span_is(name, names[i]))
			return true;
	return false;
}

static void reset_line(struct text_line *l)
{
	l->rec = (struct dump_rec){0};
	l->class = LINE_UNKNOWN;
	l->comm_width = 0;
	l->has_time = l->absolute = l->exact = l->has_context = false;
	l->has_cpu = l->has_task = l->has_duration = l->is_user = l->more_names = false;
	l->nr_names = 0;
	l->count = 0;
	l->comm = l->next_comm = (struct span_text){0};
}

/*
 * Parses "  7,0    0    78.996036404   802  Q  RM 3472 + 2 [dd]" of the tracer blk with the option
 * blk_classic: device, CPU, time, task, action (blk_log_action_classic() in
 * kernel/trace/blktrace.c). In brackets stands the task's name, or the error of a completion.
 */
static bool parse_classic(struct line_scanner s, struct text_line *l)
{
	const char *device, *open, *close;
	uint64_t cpu, pid, v;

	scan_blanks(&s);
	device = s.p;
	if (!scan_number(&s, &v) || !scan_char(&s, ',') || !scan_number(&s, &v))
		return false;
	reset_line(l);
	/* the minor number has three columns */
	for (open = memchr(device, ',', s.p - device); s.p - open <= 3 && scan_char(&s, ' ');)
		;
	l->next_comm = (struct span_text){ device, s.p - device };
	scan_blanks(&s);
	if (!scan_number(&s, &cpu) || cpu >= DUMP_CPUS)
		return false;
	scan_blanks(&s);
	if (!scan_time(&s, l) || !l->exact)
		return false;
	scan_blanks(&s);
	if (!scan_number(&s, &pid) || pid > INT32_MAX || !scan_char(&s, ' ') || s.end - s.p < 2)
		return false;
	l->rec.kind = DUMP_EVENT;
	l->rec.name = (struct span_text){ "blktrace", 8 };
	l->rec.text = scan_rest(&s);
	l->rec.cpu = cpu;
	l->rec.pid = pid;
	open = memrchr(s.p, '[', s.end - s.p);
	close = open ? memchr(open, ']', s.end - open) : NULL;
	if (close && s.p[1] != 'C')
		l->comm = (struct span_text){ open + 1, close - open - 1 };
	l->comm_width = DUMP_COMM_WHOLE;
	l->class = LINE_CLASSIC;
	return true;
}

/* --- other lines */

/* Parses "CPU:0 [LOST 7951 EVENTS]", and trace-cmd's "CPU:0 [7951 EVENTS DROPPED]". */
static bool parse_lost(struct line_scanner s, struct text_line *l)
{
	uint64_t cpu;
	bool counted, late;

	if (!scan_word(&s, "CPU:") || !scan_number(&s, &cpu) || cpu >= DUMP_CPUS ||
	    !scan_word(&s, " ["))
		return false;
	late = !scan_word(&s, "LOST ");
	counted = scan_number(&s, &l->count);
	if (!counted)
		l->count = RING_LOST_UNKNOWN;
	l->class = LINE_LOST;
	l->rec.cpu = cpu;
	return (!counted || scan_char(&s, ' ')) &&
	       (late ? scan_word(&s, "EVENTS DROPPED]") : scan_word(&s, "EVENTS]"));
}

/* Parses "** 117 printk messages dropped **". */
static bool parse_dropped(struct line_scanner s, struct text_line *l)
{
	l->class = LINE_DROPPED;
	return scan_word(&s, "** ") && scan_number(&s, &l->count) &&
	       scan_word(&s, " printk messages dropped **");
}

/* Parses " => function", trace-cmd's "=> function (address)". */
bool frame_kernel(struct line_scanner s, struct text_line *l)
{
	scan_char(&s, ' ');
	if (!scan_word(&s, "=> ") || s.p == s.end)
		return false;
	l->class = LINE_FRAME;
	l->rec.text = cut_address(scan_rest(&s));
	return true;
}

static bool is_remark(struct line_scanner s)
{
	static const char *const begins[] = {
		"##### CPU ", "# WARNING: FUNCTION TRACING IS CORRUPTED",
		"#          MAY BE MISSING FUNCTION EVENTS", "   (ftrace buffer empty)",
		" (Overruns: ", "cpus=", "version = ", "=> started at:", "=> ended at:",
		" => started at:", " => ended at:", "TRACE:", "(skipping ",
	};
	uint64_t cpu;

	for (size_t i = 0; i < sizeof(begins) / sizeof(*begins); i++)
		if (scan_word(&s, begins[i]))
			return true;
	return scan_word(&s, "CPU ") && scan_number(&s, &cpu) &&
	       span_is(scan_rest(&s), " is empty");
}

static bool parse_record(const struct line_form *f, struct line_scanner s, struct text_line *l)
{
	l->has_context = f->type->context(&s, l);
	if (!l->has_context || !f->type->body(f, s, l))
		return false;
	if (l->class == LINE_UNKNOWN)
		l->class = LINE_RECORD;
	return true;
}

/* Parses lines that have no context. */
static void parse_other(const struct line_form *f, struct line_scanner s, struct text_line *l)
{
	if (s.p == s.end)
		l->class = LINE_EMPTY;
	else if (f->type->frame(s, l) || parse_lost(s, l) || parse_dropped(s, l) ||
		 text_line_graph(f, s, l) || parse_classic(s, l))
		return;
	else if (is_remark(s))
		l->class = LINE_REMARK;
	else
		l->class = *s.p == '#' ? LINE_HEADER : LINE_UNKNOWN;
}

void text_line_parse(const struct line_form *f, const char *p, size_t len, struct text_line *out)
{
	struct line_scanner s = { p, p + len }, text;

	reset_line(out);
	out->line = (struct span_text){ p, len };
	if (len > DUMP_LINE_MAX)
		return;
	s.p += line_form_skip(f, p, len);
	text = s;
	scan_blanks(&text);
	/* a graph's line starts with a number, which few names of tasks do */
	if (text.p < text.end && scan_is_digit(*text.p)) {
		if (text_line_graph(f, s, out))
			return;
		reset_line(out);
	}
	if (text.p < text.end && parse_record(f, text, out))
		return;
	parse_other(f, s, out);
}

bool text_line_has_context(const struct line_form *f, const char *p, size_t len)
{
	struct line_scanner s = { p, p + len };
	struct text_line l;

	reset_line(&l);
	if (len > DUMP_LINE_MAX)
		return false;
	if (parse_lost(s, &l))
		return true;
	scan_blanks(&s);
	return f->type->context(&s, &l);
}
