/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Marks of programs and drivers: how they are read, and the spans, counters and instants that they
 * are.
 *
 * A mark has no identity that a lost record could be noticed by: the end closes the innermost span
 * of its thread. So a span has "loss inside" if records of any CPU were lost while it was open.
 */
#include "model/markers.h"

#include <stdlib.h>
#include <string.h>

#include "model/model_priv.h"

#define NUMBER_MAX	48u		/* characters of a number; a longer one is none */


/* --- a text */

/* The fields after the PID: n a name, t a track, # a number. B and E may do without the name. */
static const struct {
	char letter;
	const char *fields;
} letters[] = {
	{ 'B', "n" }, { 'E', "n" }, { 'S', "n#" }, { 'F', "n#" }, { 'G', "tn#" }, { 'H', "t#" },
	{ 'C', "n#" }, { 'I', "n" }, { 'N', "tn" },
};

/* Returns the fields of a mark of this letter, NULL if there are none. */
static const char *marker_fields_of(char letter)
{
	for (size_t i = 0; i < sizeof(letters) / sizeof(*letters); i++)
		if (letters[i].letter == letter)
			return letters[i].fields;
	return NULL;
}

struct marker_text {
	const char *p, *end;
};

/* Splits off the text up to the next bar or the end. Returns false if there is no bar before it. */
static bool text_take_field(struct marker_text *t, struct marker_text *field)
{
	const char *bar;

	if (t->p == t->end || *t->p != '|')
		return false;
	t->p++;
	bar = memchr(t->p, '|', t->end - t->p);
	*field = (struct marker_text){ t->p, bar ? bar : t->end };
	t->p = field->end;
	return true;
}

static const char *skip_digits(const char *p, const char *end)
{
	while (p < end && *p >= '0' && *p <= '9')
		p++;
	return p;
}

/* Parses a PID: decimal digits, at most INT32_MAX. */
static bool parse_pid(struct marker_text t, int32_t *pid)
{
	int64_t v = 0;

	if (t.p == t.end || t.end - t.p > 10 || skip_digits(t.p, t.end) != t.end)
		return false;
	for (const char *p = t.p; p < t.end; p++)
		v = v * 10 + (*p - '0');
	*pid = v;
	return v <= INT32_MAX;
}

/* Parses [+-]DIGITS; returns false beyond an int64_t. */
static bool parse_integer(struct marker_text t, int64_t *v)
{
	bool negative = t.p < t.end && *t.p == '-';
	uint64_t n = 0;

	t.p += t.p < t.end && (*t.p == '-' || *t.p == '+');
	if (t.p == t.end || skip_digits(t.p, t.end) != t.end)
		return false;
	for (; t.p < t.end; t.p++)
		if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, *t.p - '0', &n))
			return false;
	*v = negative ? (int64_t)-n : (int64_t)n;
	return n <= INT64_MAX + (uint64_t)negative;
}

/* Parses [+-]DIGITS[.DIGITS][e[+-]DIGITS] of at most NUMBER_MAX characters, and no infinity. */
static bool parse_real(struct marker_text t, double *v)
{
	char digits[NUMBER_MAX + 1];
	const char *p = t.p, *at;
	size_t len = t.end - t.p;

	if (len > NUMBER_MAX)
		return false;
	p += p < t.end && (*p == '-' || *p == '+');
	at = p;
	p = skip_digits(p, t.end);
	if (p == at)
		return false;
	if (p < t.end && *p == '.')
		p = skip_digits(p + 1, t.end);
	if (p < t.end && (*p == 'e' || *p == 'E')) {
		p++;
		p += p < t.end && (*p == '-' || *p == '+');
		at = p;
		p = skip_digits(p, t.end);
		if (p == at)
			return false;
	}
	if (p != t.end)
		return false;
	memcpy(digits, t.p, len);
	digits[len] = '\0';
	*v = strtod(digits, NULL);
	return *v - *v == 0;
}

/* Parses the number of a cookie, or of a counter's value, which may be a real one. */
static bool parse_number(struct marker_text t, struct marker_fields *k)
{
	if (parse_integer(t, &k->number))
		return true;
	k->is_real = k->letter == 'C' && parse_real(t, &k->real);
	return k->is_real;
}

/*
 * Finds the last field after a bar that is a number, and parses it: a name may contain bars, and
 * some programs write more fields after the number. Returns the end of the text before it, NULL if
 * there is none.
 */
static const char *find_number(struct marker_text t, struct marker_fields *k)
{
	const char *end = t.end, *bar;

	for (; (bar = memrchr(t.p, '|', end - t.p)); end = bar)
		if (parse_number((struct marker_text){ bar + 1, end }, k))
			return bar;
	return NULL;
}

/* Parses the fields after the PID by the letters of the table; see there. */
static bool parse_fields(const char *fields, struct marker_text t, struct marker_fields *k)
{
	struct marker_text track;

	if (*fields == 't') {
		if (!text_take_field(&t, &track))
			return false;
		k->track = k->name = track.p;
		k->track_len = k->len = track.end - track.p;
		fields++;
	}
	if (strchr(fields, '#')) {
		t.end = find_number(t, k);
		if (!t.end)
			return false;
	}
	if (*fields != 'n')
		return true;
	if (t.p < t.end && *t.p == '|')
		t.p++;
	else if (k->letter != 'B' && k->letter != 'E')
		return false;
	k->name = t.p;
	k->len = t.end - t.p;
	return true;
}

bool marker_parse(const char *text, size_t len, struct marker_fields *k)
{
	struct marker_text t = { text + 1, text + len }, pid;
	const char *fields;

	while (t.end > text && (t.end[-1] == '\n' || t.end[-1] == '\r'))
		t.end--;
	if (t.end == text || (t.p < t.end && *t.p != '|'))
		return false;
	fields = marker_fields_of(*text);
	if (!fields)
		return false;
	*k = (struct marker_fields){ .letter = *text, .name = "" };
	/* old writers end a span by "E" alone */
	if (*text == 'E' && t.end - t.p <= 1)
		return true;
	return text_take_field(&t, &pid) && parse_pid(pid, &k->tgid) &&
	       parse_fields(fields, t, k);
}

/* --- a record */

/*
 * Returns the form of the marks of an event by its print fmt: drivers for displays, graphics and
 * cameras have "%c|%d|%s|%d" and "%s|%d|%s", where the letter may also be written as it is.
 */
static enum marker_form form_of_print_fmt(const char *fmt)
{
	const char *p = fmt, *end;
	unsigned int bars = 2;

	if (*p++ != '"')
		return MARKER_NONE;
	if (!strncmp(p, "%c|", 3) || !strncmp(p, "%s|", 3))
		p += 3;
	else if (marker_fields_of(*p) && p[1] == '|')
		p += 2;
	else
		return MARKER_NONE;
	if (strncmp(p, "%d|", 3) && strncmp(p, "%u|", 3))
		return MARKER_NONE;
	p += 3;
	end = p + strcspn(p, "\"");
	for (; p < end; p++)
		bars += *p == '|';
	return bars < 3 ? MARKER_RENDERED : MARKER_VALUED;
}

enum marker_form marker_form_of(const struct ev_format *fmt, const struct ev_field **text)
{
	enum marker_form form;

	*text = NULL;
	if (strcmp(fmt->system, "ftrace")) {
		form = form_of_print_fmt(fmt->print_fmt);
		if (form == MARKER_NONE && !strcmp(fmt->name, "tracing_mark_write"))
			form = MARKER_RENDERED;
		return form;
	}
	if (!strcmp(fmt->name, "bprint") || !strcmp(fmt->name, "bputs"))
		return MARKER_RENDERED;
	*text = strcmp(fmt->name, "print") ? NULL : ev_field(fmt, "buf");
	return *text ? MARKER_TEXT : MARKER_NONE;
}

static bool record_text(const struct trace_rec *r, const struct ev_field *f, const char **p,
			size_t *len)
{
	const uint8_t *bytes;
	uint32_t n;

	if (!ev_get_bytes(&r->rec, f, &bytes, &n))
		return false;
	*p = (const char *)bytes;
	*len = strnlen(*p, n);
	return true;
}

/* Renders the record, without the value that drivers write into marks of B and E, too. */
static void record_render(enum marker_form form, const struct trace_rec *r, struct buf *text)
{
	static const struct ev_style style = { .message = true };
	char *bar;

	buf_reset(text);
	ev_set_style(r->trace->engine, &style);
	ev_render(r->trace->engine, &r->rec, r->cpu, r->ts, text);
	ev_set_style(r->trace->engine, NULL);
	if (form != MARKER_VALUED || !text->len || !strchr("BEI", text->data[0]))
		return;
	bar = memrchr(text->data, '|', text->len);
	if (bar)
		text->len = bar - text->data;
}

bool marker_read(enum marker_form form, const struct ev_field *f, const struct trace_rec *r,
		 struct buf *text, struct marker_fields *k)
{
	const char *p;
	size_t len;

	if (form == MARKER_TEXT)
		return record_text(r, f, &p, &len) && len && marker_parse(p, len, k);
	record_render(form, r, text);
	return text->len && marker_parse(text->data, text->len, k);
}

/* --- spans of a thread: B, E */

/* Returns the name of a span, "<...>" without one; most ends have none. */
static uint64_t marker_name(struct model *m)
{
	const struct marker_fields *k = &m->marker;

	return (uintptr_t)(k->len ? model_text(m, k->name, k->len) : "<...>");
}

static struct span_list *marker_list(struct model *m, const struct model_rec *at, bool make)
{
	return span_list_of(m, SPAN_MARKER, (uintptr_t)at->task, 0, make);
}

static void marker_begin(struct model *m, const struct model_rec *at)
{
	struct span_list *list = marker_list(m, at, false);
	struct span *s;

	/* the end of a span that is refused must not end another one */
	if (span_refuse(m, list)) {
		if (list)
			list->refused++;
		return;
	}
	s = span_begin(m, marker_list(m, at, true), SPAN_MARKER, marker_name(m), SPAN_NAME_TEXT,
		       true, at);
	if (s)
		span_begun(m, s, at);
}

static void marker_end(struct model *m, const struct model_rec *at)
{
	struct span_list *list = marker_list(m, at, false);

	if (list && list->refused)
		list->refused--;
	else if (list)
		span_end_now(m, list->young, 0, at);
	else
		span_lone_end(m, marker_list(m, at, true), SPAN_MARKER, marker_name(m),
			      SPAN_NAME_TEXT, true, at);
}

/* --- spans with a cookie: S, F and G, H */

/* Returns the unique text that both ends of a span have: its name, or its track. */
static const char *cookie_text(struct model *m, const struct marker_fields *k)
{
	bool on_track = k->letter == 'G' || k->letter == 'H';

	return on_track ? model_text(m, k->track, k->track_len) : model_text(m, k->name, k->len);
}

/*
 * Returns the list of a key. The key's hash has the text and the PID, so spans of other texts may
 * be in it: see cookie_find().
 */
static struct span_list *cookie_list(struct model *m, const struct model_rec *at, uint64_t text,
				     bool make)
{
	const struct marker_fields *k = &m->marker;
	uint64_t place = (uint64_t)at->r->file << 32 | (uint32_t)k->tgid;

	return span_list_of(m, SPAN_ASYNC, hash_mix(place ^ hash_secret[0], text ^ hash_secret[1]),
			    k->number, make);
}

static uint8_t cookie_form(const struct marker_fields *k)
{
	return k->letter == 'G' || k->letter == 'H';
}

/* Returns the open span of the mark's key, NULL if there is none. */
static struct span *cookie_find(struct model *m, const struct model_rec *at, uint64_t text)
{
	const struct marker_fields *k = &m->marker;
	struct span_list *list = cookie_list(m, at, text, false);
	struct span *s = list ? list->young : NULL;

	while (s && (s->left != text || s->end_id != (uint32_t)k->tgid ||
		     s->file != at->r->file || s->form != cookie_form(k)))
		s = s->below;
	return s;
}

static void cookie_begin(struct model *m, const struct model_rec *at)
{
	const struct marker_fields *k = &m->marker;
	uint64_t text = (uintptr_t)cookie_text(m, k);
	uint64_t name = marker_name(m);
	struct span *s = cookie_find(m, at, text);

	if (s)
		span_end_now(m, s, SPAN_NO_END, at);
	s = span_begin(m, cookie_list(m, at, text, true), SPAN_ASYNC, name, SPAN_NAME_TEXT, false,
		       at);
	if (!s)
		return;
	s->left = text;
	s->end_id = (uint32_t)k->tgid;
	s->form = cookie_form(k);
	span_begun(m, s, at);
}

static void cookie_end(struct model *m, const struct model_rec *at)
{
	const struct marker_fields *k = &m->marker;
	uint64_t text = (uintptr_t)cookie_text(m, k);
	struct span *s = cookie_find(m, at, text);

	if (s)
		span_end_now(m, s, 0, at);
	else
		span_lone_end(m, cookie_list(m, at, text, true), SPAN_ASYNC, marker_name(m),
			      SPAN_NAME_TEXT, false, at);
}

/* --- records */

static void marker_on(struct model *m, const struct model_bind *b, const struct model_rec *at)
{
	(void)b;
	if (m->marker.letter == 'B')
		marker_begin(m, at);
	else
		marker_end(m, at);
}

static void cookie_on(struct model *m, const struct model_bind *b, const struct model_rec *at)
{
	(void)b;
	if (m->marker.letter == 'S' || m->marker.letter == 'G')
		cookie_begin(m, at);
	else
		cookie_end(m, at);
}

static void moment_on(struct model *m, const struct model_bind *b, const struct model_rec *at)
{
	(void)b;
	m->ops->marked(m->ctx, at->task, &m->marker, at->r);
}

static const struct {
	uint8_t kind;
	const char *letters;
	bind_fn on;
} marker_kinds[] = {
	{ SPAN_MARKER, "BE", marker_on },
	{ SPAN_ASYNC, "SFGH", cookie_on },
	{ MODEL_KIND_MOMENT, "CIN", moment_on },
};
#define MARKER_KINDS (sizeof(marker_kinds) / sizeof(*marker_kinds))

static bool marker_fits(struct model *m, const struct model_bind *b, const struct trace_rec *r)
{
	return marker_read(b->form, b->f[0], r, &m->marker_text, &m->marker) &&
	       strchr(b->letters, m->marker.letter);
}

void markers_bind(struct model *m, uint32_t file, const struct ev_format *fmt, uint32_t *nr)
{
	struct model_bind b = { .file = file, .fits = marker_fits };

	b.form = marker_form_of(fmt, &b.f[0]);
	for (size_t i = 0; b.form != MARKER_NONE && i < MARKER_KINDS; i++) {
		b.kind = marker_kinds[i].kind;
		b.letters = marker_kinds[i].letters;
		b.on = marker_kinds[i].on;
		if (model_reads_kind(m, b.kind))
			bind_add(m, &b, nr);
	}
}
