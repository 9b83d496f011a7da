/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Splits logs of consoles, daemons and loggers into the lines that the kernel wrote. */
#include "text/log/log_lines.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "text/log/prefix_shape.h"

/* If there are fewer lines of one length, or they are shorter, that may be chance. */
#define FOLD_LEAST_LINES 3
#define FOLD_LEAST_WIDTH 40
#define JSON_WITHIN	 64	/* bytes in which a record of JSON begins */

/*
 * Prefixes of lines, outer ones first, each at most once. In a pattern # is a digit, + digits, ~
 * any blanks, * characters without blanks, A a letter, @ characters without semicolons, % without
 * commas, C a caller (CONFIG_PRINTK_CALLER), S seconds, and U microseconds; S and U are the time.
 */
static const struct log_prefix {
	const char *pattern;
	bool        extended;	/* /dev/kmsg: bytes as \xNN, indented lines are tags */
} prefixes[] = {
	{ "[##:##:##.+] ", false },
	{ "[##:##:##] ", false },
	{ "[####-##-## ##:##:##.+] ", false },
	{ "[####-##-## ##:##:##] ", false },
	{ "####-##-## ##:##:##.+ ", false },
	{ "####-##-## ##:##:## ", false },
	{ "####-##-##T##:##:##* * kernel: ", false },
	{ "AAA ~+ ##:##:## * kernel: ", false },
	{ "+,+,U,@;", true },
	{ "%,+,+,U,@;", true },		/* netconsole with the kernel's release */
	{ "<+>", false },
	{ "[S] * kernel: ", false },
	{ "[S][~C] ", false },
	{ "[S] ", false },
};
#define NR_PREFIXES (sizeof(prefixes) / sizeof(*prefixes))

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Parses digits from *p on, at most 18. Returns their number. */
static unsigned int parse_digit_run(const char **p, const char *end, uint64_t *v)
{
	unsigned int n = 0;

	for (*v = 0; *p < end && is_digit(**p) && n < 18; n++)
		*v = *v * 10 + *(*p)++ - '0';
	return n;
}

/* Parses "   12.345678" as nanoseconds. */
static bool parse_seconds(const char **p, const char *end, uint64_t *ns)
{
	unsigned int digits;
	uint64_t s, part;

	while (*p < end && **p == ' ')
		++*p;
	if (!parse_digit_run(p, end, &s) || s > 10000000000 || *p == end || *(*p)++ != '.')
		return false;
	digits = parse_digit_run(p, end, &part);
	for (; digits < 9; digits++)
		part *= 10;
	*ns = s * 1000000000 + part;
	return digits == 9;
}

static bool is_in_class(char class, char c)
{
	switch (class) {
	case '~':
		return c == ' ';
	case '*':
		return c != ' ';
	case '@':
		return c != ';';
	case '%':
		return c != ',' && c != ' ' && c != '[';
	}
	return is_digit(c);
}

/* Parses the characters of a class. Returns false if there are none, except for '~'. */
static bool parse_class(char class, const char **p, const char *end)
{
	const char *from = *p;

	if (class == 'C') {
		if (*p == end || (**p != 'T' && **p != 'C'))
			return false;
		from = ++*p;
		class = '+';
	}
	while (*p < end && is_in_class(class, **p))
		++*p;
	return class == '~' || *p > from;
}

/* Parses the next part of a line, for the character @c of a pattern. */
static bool parse_one(char c, const char **p, const char *end, struct log_line *l, bool *timed)
{
	uint64_t us;

	switch (c) {
	case 'S':
		return *timed = parse_seconds(p, end, &l->ns);
	case 'U':
		*timed = parse_digit_run(p, end, &us);
		l->ns = us * 1000;
		return *timed;
	case '+':
	case '~':
	case '*':
	case '@':
	case '%':
	case 'C':
		return parse_class(c, p, end);
	case '#':
		return *p < end && is_digit(*(*p)++);
	case 'A':
		if (*p == end)
			return false;
		c = *(*p)++ | 32;
		return c >= 'a' && c <= 'z';
	}
	return *p < end && *(*p)++ == c;
}

/*
 * Matches @pattern at the start of @l, and sets its time if the pattern has one. Returns the bytes
 * of the prefix, or 0 if it does not match.
 */
static size_t match_prefix(const char *pattern, struct log_line *l)
{
	const char *p = l->p, *end = l->p + l->len;
	struct log_line at = *l;
	bool timed = l->timed;

	for (; *pattern; pattern++)
		if (!parse_one(*pattern, &p, end, &at, &timed))
			return 0;
	l->timed = timed;
	l->ns = at.ns;
	return p - l->p;
}

/* Removes the prefix and the tail of a shape. Returns false if the line has none of the shapes. */
static bool strip_shape(const struct prefix_shapes *shapes, struct log_line *l)
{
	uint64_t ns = l->ns;
	size_t n, tail;
	bool timed;

	for (size_t i = 0; shapes && i < shapes->n; i++) {
		n = shape_match(&shapes->v[i], l->p, l->len, &tail, &ns, &timed);
		if (n == SIZE_MAX)
			continue;
		l->p += n;
		l->len -= n + tail;
		l->begun = true;
		l->timed |= timed;
		l->ns = timed ? ns : l->ns;
		return true;
	}
	return false;
}

/*
 * Removes all prefixes; @shapes may be NULL. Returns true if one of them is that of a record of
 * /dev/kmsg.
 */
static bool strip_prefixes(const struct prefix_shapes *shapes, struct log_line *l)
{
	bool extended = false;
	size_t n;

	if (strip_shape(shapes, l))
		return false;
	for (size_t i = 0; i < NR_PREFIXES; i++) {
		n = match_prefix(prefixes[i].pattern, l);
		l->p += n;
		l->len -= n;
		l->begun |= n > 0;
		extended |= n && prefixes[i].extended;
	}
	return extended;
}

static bool has_prefix(const struct prefix_shapes *shapes, const char *p, size_t len)
{
	struct log_line l = { .p = p, .len = len };

	strip_prefixes(shapes, &l);
	return l.begun;
}

/* --- raw lines */

/* Gets the next line of the log without its end. Returns false at the end of the log. */
static bool next_raw(const char **p, const char *end, struct log_line *l)
{
	const char *nl;

	if (*p == end)
		return false;
	nl = memchr(*p, '\n', end - *p);
	l->p = *p;
	l->len = (nl ? nl : end) - *p;
	l->whole = nl;
	*p = nl ? nl + 1 : end;
	while (l->len && l->p[l->len - 1] == '\r')
		l->len--;
	return true;
}

/*
 * Returns the width at which a log is folded, or 0. It is folded if lines of the greatest length
 * are followed by lines without a prefix, and others are not.
 */
static size_t fold_width(const struct prefix_shapes *shapes, const char *text, size_t len)
{
	size_t width = 0, full = 0, folded = 0, begun = 0, lines = 0;
	const char *p = text, *end = text + len;
	struct log_line l;
	bool was_full = false, has;

	while (next_raw(&p, end, &l))
		if (l.len > width)
			width = l.len;
	for (p = text; next_raw(&p, end, &l); was_full = l.len == width) {
		has = has_prefix(shapes, l.p, l.len);
		full += was_full;
		folded += was_full && !has;
		lines += !was_full;
		begun += !was_full && has;
	}
	return width >= FOLD_LEAST_WIDTH && full >= FOLD_LEAST_LINES && folded * 10 >= full * 9 &&
	       begun * 10 >= lines * 3 ? width : 0;
}

/* Joins @l with the next lines, if they are parts of it. */
static void unfold_line(struct log_lines *out, const struct prefix_shapes *shapes,
			struct log_line *l, size_t width, const char **p, const char *end,
			uint32_t *no)
{
	struct log_line more = *l;
	const char *at = *p;
	struct buf b = {0};

	while (more.len == width && next_raw(&at, end, &more) &&
	       !has_prefix(shapes, more.p, more.len)) {
		if (!b.len)
			buf_add(&b, l->p, l->len);
		buf_add(&b, more.p, more.len);
		l->whole = more.whole;
		*p = at;
		++*no;
	}
	if (b.len) {
		l->p = texts_add(&out->joined, b.data, b.len);
		l->len = b.len;
	}
	buf_release(&b);
}

/* --- */

static int hex_digit(char c)
{
	if (is_digit(c))
		return c - '0';
	c |= 32;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Decodes \xNN: /dev/kmsg escapes newlines, backslashes and unprintable bytes so. */
static void unescape_line(struct log_lines *out, struct log_line *l)
{
	struct buf b = {0};
	size_t i;

	if (!memchr(l->p, '\\', l->len))
		return;
	for (i = 0; i < l->len; i++) {
		const char *p = l->p + i;

		if (l->len - i >= 4 && p[0] == '\\' && p[1] == 'x' && hex_digit(p[2]) >= 0 &&
		    hex_digit(p[3]) >= 0) {
			buf_addch(&b, hex_digit(p[2]) << 4 | hex_digit(p[3]));
			i += 3;
		} else {
			buf_addch(&b, *p);
		}
	}
	l->p = texts_add(&out->joined, b.data, b.len);
	l->len = b.len;
	buf_release(&b);
}

/* Adds the lines of a record. Only the first has the prefix. */
static void add_lines(struct log_lines *out, struct log_line l)
{
	const char *p = l.p, *end = l.p + l.len, *nl;

	do {
		nl = memchr(p, '\n', end - p);
		l.p = p;
		l.len = (nl ? nl : end) - p;
		out->v = xgrow(out->v, &out->cap, out->n + 1, sizeof(*out->v));
		out->v[out->n++] = l;
		l.begun = false;
		p = nl ? nl + 1 : end;
	} while (nl);
}

/*
 * Firmware and programs write to the console, too, without ending their line: "Booting from
 * ROM..[   85.282582] ". The text before the first printk stamp in @l, which has no prefix, becomes
 * a separate line; @l is the kernel's.
 */
static void split_glued(struct log_lines *out, struct log_line *l)
{
	const char *end = l->p + l->len, *at = l->p, *dot;
	struct log_line before = *l, from;

	while ((at = memchr(at + 1, '[', end - at - 1))) {
		from = (struct log_line){ .p = at, .len = end - at };
		dot = memchr(at, '.', end - at);
		if (match_prefix("[S", &from) && dot && end - dot > 8 && dot[7] == ']' &&
		    dot[8] == ' ')
			break;
	}
	if (!at)
		return;
	before.len = at - l->p;
	before.whole = true;
	add_lines(out, before);
	l->len -= before.len;
	l->p = at;
	strip_prefixes(NULL, l);
}

/* --- forms of whole lines */

/* Removes the escape sequences of a terminal: "ESC [ 0 ; 31 m". */
static void remove_colours(struct log_lines *out, struct log_line *l)
{
	const char *p = l->p, *end = p + l->len;
	struct buf b = {0};

	if (!memchr(p, '\033', l->len))
		return;
	while (p < end) {
		if (*p != '\033' || end - p < 2 || p[1] != '[') {
			buf_addch(&b, *p++);
			continue;
		}
		for (p += 2; p < end && (is_digit(*p) || *p == ';' || *p == '?');)
			p++;
		p += p < end;
	}
	l->p = texts_add(&out->joined, b.data ? b.data : "", b.len);
	l->len = b.len;
	buf_release(&b);
}

/* Appends a text or, as journalctl writes those with other bytes than UTF-8, a list of bytes. */
static bool add_message(const json_t *message, struct buf *b)
{
	const json_t *byte;
	size_t i;

	if (json_is_string(message)) {
		buf_add(b, json_string_value(message), json_string_length(message));
		return true;
	}
	json_array_foreach(message, i, byte)
		buf_addch(b, json_integer_value(byte));
	return json_is_array(message);
}

/* Sets the time to one of the journal's, which are in microseconds. */
static bool set_journal_time(struct log_line *l, const json_t *time)
{
	const char *p = json_string_value(time), *end = p ? p + strlen(p) : NULL;
	uint64_t us;

	if (!p || !parse_digit_run(&p, end, &us) || p != end || us > UINT64_MAX / 1000)
		return false;
	l->ns = us * 1000;
	l->timed = true;
	return true;
}

/* Returns true for a record of journalctl -o json, with a prefix or without one. */
static bool is_journal(const struct log_line *l)
{
	return memchr(l->p, '{', l->len < JSON_WITHIN ? l->len : JSON_WITHIN) &&
	       memmem(l->p, l->len, "\"MESSAGE\"", 9);
}

/* Replaces the record by its message. */
static bool read_journal(struct log_lines *out, struct log_line *l)
{
	const char *from = memchr(l->p, '{', l->len < JSON_WITHIN ? l->len : JSON_WITHIN);
	size_t len = from ? l->p + l->len - from : 0;
	json_t *record;
	struct buf b = {0};
	bool found;

	if (!is_journal(l))
		return false;
	record = json_loadb(from, len, JSON_DISABLE_EOF_CHECK | JSON_ALLOW_NUL, NULL);
	found = add_message(json_object_get(record, "MESSAGE"), &b);
	if (found) {
		if (!set_journal_time(l, json_object_get(record, "_SOURCE_MONOTONIC_TIMESTAMP")))
			set_journal_time(l, json_object_get(record, "__MONOTONIC_TIMESTAMP"));
		l->p = texts_add(&out->joined, b.data ? b.data : "", b.len);
		l->len = b.len;
		l->begun = true;
	}
	buf_release(&b);
	json_decref(record);
	return found;
}

/* --- shapes */

/* Returns the text with which the kernel begins a dump, in a line; NULL if there is none. */
static const char *find_head(const char *p, size_t len, size_t *text_len)
{
	static const char begin[] = "Dumping ftrace ", end[] = "buffer:";
	const char *from = memmem(p, len, begin, sizeof(begin) - 1), *to;

	if (!from)
		return NULL;
	to = memmem(from, p + len - from, end, sizeof(end) - 1);
	if (!to)
		return NULL;
	*text_len = to + sizeof(end) - 1 - from;
	return from;
}

bool log_line_is_dashes(const struct log_line *l)
{
	static const char dashes[] = "---------------------------------";

	return l->len == sizeof(dashes) - 1 && !memcmp(l->p, dashes, l->len);
}

/* Returns true if the next line has the shape, too, and a text that follows the head of a dump. */
static bool shape_holds(struct log_lines *out, const struct prefix_shapes *shapes, const char *p,
			const char *end)
{
	static const char empty[] = "   (ftrace buffer empty)";
	struct log_line l = {0};

	if (!next_raw(&p, end, &l))
		return false;
	remove_colours(out, &l);
	return strip_shape(shapes, &l) &&
	       (log_line_is_dashes(&l) ||
		(l.len >= sizeof(empty) - 1 && !memcmp(l.p, empty, sizeof(empty) - 1)) ||
		!strncmp(l.p, "CPU:", l.len < 4 ? l.len : 4));
}

/* Learns the shapes of prefixes that are none of the known ones from the heads of dumps. */
static void learn_shapes(struct log_lines *out, struct prefix_shapes *shapes, const char *text,
			 size_t len)
{
	const char *p = text, *end = text + len, *head, *line;
	struct prefix_shapes one;
	struct log_line l, rest;
	size_t text_len;

	while (shapes->n < SHAPES_MAX &&
	       (head = memmem(p, end - p, "Dumping ftrace ", strlen("Dumping ftrace ")))) {
		line = memrchr(text, '\n', head - text);
		p = line ? line + 1 : text;
		l = (struct log_line){0};
		next_raw(&p, end, &l);
		/* a record may have such bytes, too: they are its own if the head has none */
		shapes->has_colours |= memchr(l.p, '\033', l.len) != NULL;
		remove_colours(out, &l);
		rest = l;
		strip_prefixes(shapes, &rest);
		head = find_head(rest.p, rest.len, &text_len);
		if (!head || (head == rest.p && text_len == rest.len) || is_journal(&l))
			continue;
		head = find_head(l.p, l.len, &text_len);
		one.n = 1;
		if (shape_learn(&one.v[0], l.p, l.len, head - l.p, text_len) &&
		    shape_holds(out, &one, p, end))
			shapes->v[shapes->n++] = one.v[0];
	}
}

/* --- */

/* dmesg and journalctl indent the next lines of a message by the prefix's width. */
static void unindent_line(struct log_line *l, size_t indent)
{
	for (size_t i = 0; i < indent && l->len && *l->p == ' '; i++) {
		l->p++;
		l->len--;
	}
}

void log_lines_split(struct log_lines *out, const char *text, size_t len)
{
	struct prefix_shapes shapes = {0};
	size_t width, before, indent = 0;
	const char *p = text, *end = text + len;
	bool extended = false, is_tag;
	uint32_t no = 0;
	uint64_t ns = 0;
	struct log_line l;

	learn_shapes(out, &shapes, text, len);
	width = fold_width(&shapes, text, len);
	while (l = (struct log_line){ .no = ++no, .ns = ns }, next_raw(&p, end, &l)) {
		if (width)
			unfold_line(out, &shapes, &l, width, &p, end, &no);
		if (shapes.has_colours)
			remove_colours(out, &l);
		before = l.len;
		is_tag = extended && l.len && *l.p == ' ';
		if (read_journal(out, &l)) {
			extended = false;
		} else if (strip_prefixes(&shapes, &l)) {
			extended = true;
		} else if (is_tag) {
			continue;
		} else {
			extended = false;
		}
		if (!l.begun && !extended && l.len > 1)
			split_glued(out, &l);
		if (l.begun)
			indent = before > l.len ? before - l.len : 0;
		else
			unindent_line(&l, indent);
		ns = l.ns;
		if (extended)
			unescape_line(out, &l);
		add_lines(out, l);
	}
}

void log_lines_release(struct log_lines *l)
{
	texts_release(&l->joined);
	free(l->v);
	*l = (struct log_lines){0};
}
