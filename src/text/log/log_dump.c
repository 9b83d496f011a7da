/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the traces in a text. A text that starts with one is parsed by plain_text.h. Others are
 * logs: this file finds where dumps start and end between other lines.
 */
#include "text/log/log_dump.h"

#include <stdlib.h>

#include "text/log/oops_text.h"
#include "text/log/plain_text.h"

/* --- dumps */

/* Parses "Dumping ftrace buffer:" and "Dumping ftrace instance NAME buffer:". */
static bool is_head(const struct log_line *l, struct span_text *instance)
{
	static const char tail[] = " buffer:";
	struct line_scanner s = { l->p, l->p + l->len };
	uint64_t skipped;

	*instance = (struct span_text){ "", 0 };
	if (!scan_word(&s, "Dumping ftrace "))
		return false;
	if (scan_word(&s, "instance ")) {
		if ((size_t)(s.end - s.p) < sizeof(tail))
			return false;
		*instance = (struct span_text){ s.p, s.end - s.p - (sizeof(tail) - 1) };
		s.p += instance->len;
		return scan_word(&s, tail) && s.p == s.end && instance->len < 256;
	}
	if (!scan_word(&s, "buffer"))
		return false;
	/* kdb's ftdump */
	if (scan_word(&s, " (skipping ") && (!scan_number(&s, &skipped) ||
					     !scan_word(&s, " entries)")))
		return false;
	return scan_char(&s, ':') && s.p == s.end;
}

/* Returns true for the first line of the file trace: "# tracer: nop". */
static bool is_file_head(const struct log_line *l)
{
	static const char begin[] = "# tracer: ";

	return l->len >= sizeof(begin) && !memcmp(l->p, begin, sizeof(begin) - 1);
}

struct log_dump *log_dumps_add(struct log_dumps *d, struct span_text instance)
{
	if (d->n == DUMPS_MAX) {
		dump_release(&d->v[0]);
		memmove(&d->v[0], &d->v[1], --d->n * sizeof(*d->v));
		d->left_out++;
	}
	d->v = xgrow(d->v, &d->cap, d->n + 1, sizeof(*d->v));
	d->v[d->n] = (struct log_dump){ .instance = xstrndup(instance.p, instance.len),
					.progress = d->progress };
	return &d->v[d->n++];
}

static struct log_dump *add_dump(struct log_dumps *d, const struct log_line *l,
				 struct span_text instance)
{
	struct log_dump *to = log_dumps_add(d, instance);

	to->head_ns = l->ns;
	to->timed = l->timed;
	return to;
}

/* A log that is being parsed. */
struct log_reader {
	struct log_dumps *dumps;
	const struct log_lines *lines;
	struct flag_columns version;	/* the kernel's version in the log's other lines */
	bool has_version;		/* ->version was looked for */
};

/* A dump in it. */
struct log_part {
	struct log_dump *dump;
	struct dump_reader *reader;
	struct line_form form;
	bool is_file;
};

/* Returns true for a record, and for lines that the kernel prints between records. */
static bool is_dump_line(const struct text_line *l)
{
	return l->has_context || l->class == LINE_LOST || l->class == LINE_REMARK ||
	       l->class == LINE_EMPTY;
}

/*
 * Parses the lines of a dump from @at on, which follows its head, or its first row of dashes if
 * @started. Returns the index of the first line that does not belong to it.
 */
static size_t read_dump(struct log_part *r, const struct log_lines *lines, size_t at, bool started)
{
	struct span_text instance;
	struct text_line t;
	bool more;

	for (; at < lines->n; at++) {
		const struct log_line *l = &lines->v[at];

		if (is_head(l, &instance) || is_file_head(l))
			break;
		text_line_parse(&r->form, l->p, l->len, &t);
		if (log_line_is_dashes(l) && !r->is_file) {
			/*
			 * If lines are lost, or out of order, records stand before the first row of
			 * dashes, and this may be the last one.
			 */
			more = !r->dump->n ||
			       (at + 1 < lines->n &&
				text_line_has_context(&r->form, lines->v[at + 1].p,
						      lines->v[at + 1].len));
			if (started || !more) {
				r->dump->ended = true;
				return at + 1;
			}
			started = true;
		} else if (!started && t.class == LINE_REMARK &&
			   !memcmp(l->p, "   (ftrace", 10)) {
			r->dump->ended = true;
			return at + 1;
		} else if (started || is_dump_line(&t)) {
			if (at + 1 == lines->n && !l->whole)
				continue;
			dump_reader_add(r->reader, &t, l->no);
		} else if (l->begun || !r->dump->timed) {
			break;
		}
	}
	return at;
}

/* Sets the kernel's version of the flags, if the log's lines have it. */
static void find_version(struct log_reader *log, struct flag_columns *flags)
{
	for (size_t i = 0; !log->has_version && i < log->lines->n; i++)
		flag_columns_log(&log->version, (struct span_text){ log->lines->v[i].p,
								    log->lines->v[i].len });
	log->has_version = true;
	flags->version = log->version.version;
	flags->is_rt = log->version.is_rt;
}

/* The place from which on a dump is parsed. */
enum dump_start { AFTER_HEAD, AFTER_DASHES, IN_FILE };

/* Parses the lines from @at on. Returns the index of the first line after the dump. */
static size_t parse_dump(struct log_reader *log, struct log_dump *d, size_t at,
			 enum dump_start start)
{
	struct log_part r = { .dump = d, .is_file = start == IN_FILE };
	struct flag_columns *flags;

	d->type = text_type_find(r.is_file ? "trace" : "dump");
	r.form.type = d->type;
	r.reader = dump_reader_new(d, r.is_file);
	at = read_dump(&r, log->lines, at, start != AFTER_HEAD);
	d->ended |= r.is_file;
	flags = dump_reader_flags(r.reader);
	if (flags->lines[5] && !flags->version)
		find_version(log, flags);
	dump_reader_end(r.reader);
	return at;
}

/*
 * Parses the rest of a dump whose head is lost: the kernel's log is a ring, and a long dump
 * overwrites its head. If most of the lines before the first row of dashes are records, they are
 * that dump. Returns the index after it, or 0.
 */
static size_t find_rest_of_dump(struct log_reader *log)
{
	const struct log_lines *lines = log->lines;
	struct span_text instance;
	size_t end = 0, at;
	struct log_dump *rest;

	while (end < lines->n && !log_line_is_dashes(&lines->v[end]) &&
	       !is_head(&lines->v[end], &instance) && !is_file_head(&lines->v[end]))
		end++;
	if (!end || end == lines->n || !log_line_is_dashes(&lines->v[end]))
		return 0;
	/* the first line may be cut, within its time */
	rest = add_dump(log->dumps, &lines->v[end > 1 && !lines->v[0].timed],
			(struct span_text){ "", 0 });
	rest->headless = true;
	at = parse_dump(log, rest, 0, AFTER_DASHES);
	if (rest->ended && rest->n > rest->unknown)
		return at;
	dump_release(rest);
	log->dumps->n--;
	return 0;
}

/* Parses a text without any head, as trace_pipe has it, if most of its lines are records. */
static void find_pipe(struct log_reader *log)
{
	struct log_dump *all = add_dump(log->dumps, &log->lines->v[0], (struct span_text){ "", 0 });

	parse_dump(log, all, 0, IN_FILE);
	if (all->n > all->unknown)
		return;
	dump_release(all);
	log->dumps->n--;
}

/* --- the kernel's other lines */

/* Adds a line to ->oops. If the end of the log cuts it, it may have a partial name or number. */
static void keep_line(struct log_dump *d, const struct log_line *l, size_t max)
{
	if (!l->whole || d->oops.len + l->len + 1 > max)
		return;
	buf_add(&d->oops, l->p, l->len);
	buf_addch(&d->oops, '\n');
}

/* Finds the dumps between the other lines of a log. */
static void find_in_log(struct log_dumps *d)
{
	const struct log_lines *lines = &d->lines;
	struct log_reader log = { .dumps = d, .lines = lines };
	struct span_text instance;
	size_t at = find_rest_of_dump(&log), other = at;
	bool is_file;

	while (at < lines->n) {
		const struct log_line *l = &lines->v[at];
		struct log_dump *next;

		is_file = is_file_head(l);
		instance = (struct span_text){ "", 0 };
		if (!is_file && !is_head(l, &instance)) {
			if (d->n)
				keep_line(&d->v[d->n - 1], l, DUMP_OOPS_MAX);
			at++;
			continue;
		}
		next = add_dump(d, l, instance);
		/* of the lines before a dump keep those from the nearest crash on */
		if (at - other > DUMP_BEFORE_LINES)
			other = at - DUMP_BEFORE_LINES;
		while (other < at && !oops_text_begins(lines->v[other].p, lines->v[other].len))
			other++;
		for (; other < at; other++)
			keep_line(next, &lines->v[other], DUMP_OOPS_MAX / 2);
		at = parse_dump(&log, next, at + 1, is_file ? IN_FILE : AFTER_HEAD);
		other = at;
	}
	if (!d->n && lines->n)
		find_pipe(&log);
}

void dumps_find(struct log_dumps *d, const char *text, size_t len, const struct text_type *type)
{
	struct line_form form;
	uint32_t line = 1;
	size_t at = 0;

	if (!len)
		return;
	if (text_type_recognise(text, len, type, &form, &at)) {
		for (const char *p = text; (p = memchr(p, '\n', text + at - p)); p++)
			line++;
		at += plain_text_parse(d, text + at, len - at, &form, line);
	}
	if (at == len)
		return;
	log_lines_split(&d->lines, text + at, len - at);
	find_in_log(d);
}

void dumps_release(struct log_dumps *d)
{
	for (size_t i = 0; i < d->n; i++)
		dump_release(&d->v[i]);
	free(d->v);
	log_lines_release(&d->lines);
	*d = (struct log_dumps){0};
}

/* --- texts without a trace */

/* Forms that lines are compared with, the nearest ones first. */
static const struct {
	const char *word, *what;
} near_words[] = {
	{ "Dumping ftrace ", "the head of a dump" },
	{ "# tracer:", "the head of the file trace" },
	{ "(ftrace buffer empty)", "a line of a dump" },
	{ "entries-in-buffer/entries-written:", "the head of the file trace" },
	{ "ftrace buffer", "the head of a dump" },
};

/* Returns true if a context stands anywhere in a line, after any prefix. */
static bool line_is_like_record(const char *p, size_t len)
{
	const struct line_form form = { .type = text_type_find("pipe") };
	const char *at = p, *end = p + len;

	/* "comm-pid", as find_context() looks for it at the start of a line */
	while ((at = memchr(at, '-', end - at))) {
		const char *from = at - p > DUMP_COMM_WHOLE ? at - DUMP_COMM_WHOLE : p;

		if (++at < end && scan_is_digit(*at) &&
		    text_line_has_context(&form, from, end - from))
			return true;
	}
	return false;
}

struct text_nearest dumps_nearest(const char *text, size_t len)
{
	const char *p = text, *end = text + len, *nl;
	struct text_nearest n = {0};
	size_t best = sizeof(near_words) / sizeof(*near_words) + 1;

	for (uint32_t line = 1; p < end && best; p = nl + 1, line++) {
		nl = memchr(p, '\n', end - p);
		nl = nl ? nl : end;
		if (nl - p > DUMP_LINE_MAX)
			continue;
		for (size_t i = 0; i < best && i < sizeof(near_words) / sizeof(*near_words); i++) {
			if (!memmem(p, nl - p, near_words[i].word, strlen(near_words[i].word)))
				continue;
			best = i;
			n = (struct text_nearest){ line, near_words[i].what };
		}
		if (best == sizeof(near_words) / sizeof(*near_words) + 1 &&
		    line_is_like_record(p, nl - p)) {
			best--;
			n = (struct text_nearest){ line, "a record" };
		}
	}
	return n;
}
