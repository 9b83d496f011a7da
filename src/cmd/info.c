/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr info: shows the contents of a trace file, missing parts, and the result of checksums. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/search.h"
#include "base/text.h"
#include "cmd/command_parts.h"
#include "cmd/frame/command.h"
#include "cmd/frame/trace_input.h"
#include "output/json/json_records.h"
#include "trace/trace.h"

#define KEY_WIDTH 14

/* Counts of one CPU, or of a buffer. */
struct record_tally {
	uint64_t records, lost;
	uint64_t overwritten;		/* by newer records; not counted in ->lost */
	bool     lost_unknown;
};

struct buffer_info {
	struct record_tally sum;
	struct record_tally *cpus;		/* indexed as dat_buffer.cpus */
	size_t   cpu;			/* index of the CPU of the last record */
	struct map types;		/* event type -> number of records */
	uint64_t first_ts, last_ts;
};

/* The number of records of an event. */
struct event_count {
	uint64_t records;
	uint16_t type;
};

/* The number of options with an id. */
struct option_count {
	uint32_t n;
	uint16_t id;
};

struct info_opts {
	bool quick, json;
	struct strv files;
};

#define AT(member) offsetof(struct info_opts, member)
static const struct opt options[] = {
	OPT_GROUP("Input"),
	{ 'i', "input", "FILE", "read FILE (default trace.dat; -: standard input)", opt_strv,
	  AT(files) },
	OPT_GROUP("Output"),
	{ 0, "json", NULL, "print JSON: one object per file, one per line", opt_flag, AT(json) },
	{ 0, "quick", NULL, "read no records: no counts, times or checksums", opt_flag,
	  AT(quick) },
	OPT_END
};

static const char *const examples[] = {
	"ftr info                      what trace.dat holds",
	"ftr info --quick big.dat      without reading its records",
	"ftr info a.dat b.dat          several files, one after the other",
	"ftr info --json | jq '.buffers[].lost'",
	NULL
};

/* --- values as text and as JSON */

static void add_key_column(struct buf *b, unsigned int indent, const char *name)
{
	int pad = KEY_WIDTH - (int)indent - (int)strlen(name);

	buf_printf(b, "%*s%s:%*s ", (int)indent, "", name, pad > 0 ? pad : 0, "");
}

/* Appends a text from the file up to its NUL, sanitised, without trailing newlines. */
static void add_value_line(struct buf *b, const char *text, size_t max)
{
	size_t len = text ? strnlen(text, max) : 0;

	while (len && (text[len - 1] == '\n' || text[len - 1] == ' '))
		len--;
	text_sanitise(b, text, len, false);
	buf_addch(b, '\n');
}

static void add_byte_size(struct buf *b, uint64_t bytes)
{
	text_bytes(b, bytes);
	if (bytes >= 1024)
		buf_printf(b, " (%" PRIu64 " bytes)", bytes);
}

/*
 * Converts bytes from a file up to their NUL. Bytes that are not UTF-8 are escaped as in ftr report
 * --json.
 */
static json_t *json_bytes(const char *s, size_t max)
{
	size_t n = s ? strnlen(s, max) : 0;
	struct buf b = {0};
	json_t *j;

	json_add_utf8(&b, s, n);
	j = json_stringn(b.len ? b.data : "", b.len);
	buf_release(&b);
	return j;
}

/* As json_bytes(), without trailing blanks and newlines. */
static json_t *json_trimmed(const char *s, size_t max)
{
	size_t n = s ? strnlen(s, max) : 0;

	while (n && (s[n - 1] == '\n' || s[n - 1] == ' '))
		n--;
	return json_bytes(s, n);
}

/* Converts a number; one above 63 bits becomes a string, because jansson has signed numbers. */
static json_t *json_count(uint64_t v)
{
	char text[24];

	if (v <= INT64_MAX)
		return json_integer((json_int_t)v);
	snprintf(text, sizeof(text), "%" PRIu64, v);
	return json_string(text);
}

/* --- the list of facts, for text and for JSON */

/* The output, lines or members. A fact without a label has no line. */
struct info_output {
	struct trace *t;
	struct buf *text;		/* NULL: JSON */
	json_t *json;
	unsigned int indent;		/* of labels */
};

/*
 * Adds a fact: @v as a member, and @lines, each with its newline. Only the first line has the label
 * and the colon. Releases both.
 */
static void fact_add(struct info_output *f, const char *label, struct buf *lines, const char *key,
		     json_t *v)
{
	const char *p = lines->data, *end = p + lines->len, *next;

	for (; f->text && label && p < end; p = next) {
		next = (const char *)memchr(p, '\n', end - p) + 1;
		add_key_column(f->text, f->indent, p == lines->data ? label : "");
		if (p != lines->data)
			f->text->data[f->text->len - KEY_WIDTH - 2 + f->indent] = ' ';
		buf_add(f->text, p, next - p);
	}
	buf_release(lines);
	if (f->json && key)
		json_object_set(f->json, key, v);
	json_decref(v);
}

static void fact_add_member(struct info_output *f, const char *key, json_t *v)
{
	struct buf none = {0};

	fact_add(f, NULL, &none, key, v);
}

static void fact_add_number(struct info_output *f, const char *label, const char *key, uint64_t v,
			    const char *unit)
{
	struct buf line = {0};

	buf_printf(&line, "%" PRIu64 "%s\n", v, unit);
	fact_add(f, label, &line, key, json_count(v));
}

static void fact_add_size(struct info_output *f, const char *label, const char *key, uint64_t bytes)
{
	struct buf line = {0};

	add_byte_size(&line, bytes);
	buf_addch(&line, '\n');
	fact_add(f, label, &line, key, json_count(bytes));
}

static void fact_add_option(struct info_output *f, const char *label, const char *key, uint16_t id)
{
	const struct dat_option *o = dat_option(f->t->dat, id);
	struct buf line = {0};

	if (o)
		add_value_line(&line, o->data.p, o->data.len);
	fact_add(f, label, &line, key, o ? json_trimmed(o->data.p, o->data.len) : json_null());
}

/* Adds a list: a line for each element, or if @none is given one line. Releases @v. */
static void fact_add_list(struct info_output *f, const char *label, const char *key, struct strv *v,
			  const char *none)
{
	json_t *list = json_array();
	struct buf lines = {0};

	for (size_t i = 0; i < v->n; i++) {
		if (none)
			buf_printf(&lines, "%s%s", i ? ", " : "", v->v[i]);
		else
			add_value_line(&lines, v->v[i], SIZE_MAX);
		json_array_append_new(list, json_trimmed(v->v[i], SIZE_MAX));
	}
	if (none)
		buf_printf(&lines, "%s\n", v->n ? "" : none);
	strv_release(v);
	fact_add(f, label, &lines, key, list);
}

/* --- facts with a form in text and another in JSON */

static void fact_add_file(struct info_output *f)
{
	const struct dat *d = f->t->dat;
	struct buf line = {0};
	struct stat st;

	text_sanitise(&line, d->path, strlen(d->path), false);
	buf_addstr(&line, ", ");
	add_byte_size(&line, d->file_size);
	/* The file of a killed run has holes if the file system could not cut them out. */
	if (d->unfinished && !stat(d->path, &st) &&
	    (uint64_t)st.st_blocks * 512 <= d->file_size / 2) {
		buf_addstr(&line, ", takes ");
		text_bytes(&line, (uint64_t)st.st_blocks * 512);
		buf_addstr(&line, " of the disk");
	}
	buf_addch(&line, '\n');
	fact_add(f, "file", &line, "file", json_bytes(d->path, SIZE_MAX));
	fact_add_member(f, "bytes", json_count(d->file_size));
}

static void fact_add_format(struct info_output *f)
{
	const struct dat *d = f->t->dat;
	const char *endian = d->big ? "big" : "little";
	struct buf line = {0};

	buf_printf(&line, "version %d, %s-endian, %u-byte long, %u-byte pages, compression ",
		   d->version, endian, d->long_size, d->page_size);
	add_value_line(&line, d->compression, 64);
	fact_add(f, "format", &line, "format",
		 json_pack("{s:i, s:s, s:i, s:I, s:o}", "version", d->version, "endian", endian,
			   "long_bytes", (int)d->long_size,
			   "page_bytes", (json_int_t)d->page_size,
			   "compression", json_trimmed(d->compression, 64)));
}

static void fact_add_state(struct info_output *f)
{
	static const char *const names[][2] = {
		{ "finished", "" },
		{ "stream", "a stream, to its end\n" },
		{ "stream that is cut off", "a stream, cut off\n" },
		{ "not finished",
		  "not finished: still being recorded, or the recorder was killed\n" },
	};
	const struct dat *d = f->t->dat;
	size_t i = !d->unfinished ? 0 : d->whole ? 1 : d->streamed ? 2 : 3;
	struct buf line = {0};

	buf_addstr(&line, names[i][1]);
	fact_add(f, "state", &line, "state", json_string(names[i][0]));
}

static void fact_add_clock(struct info_output *f)
{
	const struct trace *t = f->t;
	const char *clock = t->dat->nr_buffers ? t->dat->buffers[0].clock : NULL;
	json_t *j = json_pack("{s:o, s:b, s:I}", "name",
			      clock && *clock ? json_bytes(clock, SIZE_MAX) : json_null(),
			      "nanoseconds", t->clock_is_ns, "added_ns", (json_int_t)t->ts_add_ns);
	struct buf line = {0};

	if (clock && *clock)
		text_sanitise(&line, clock, strlen(clock), false);
	else
		buf_addstr(&line, "not named in the file");
	if (t->tsc_mult) {
		buf_printf(&line, ", scaled by %u >> %u", t->tsc_mult, t->tsc_shift);
		json_object_set_new(j, "mult", json_count(t->tsc_mult));
		json_object_set_new(j, "shift", json_count(t->tsc_shift));
	} else if (!t->clock_is_ns) {
		buf_addstr(&line, ", not in nanoseconds");
	}
	if (t->ts_add_ns)
		buf_printf(&line, ", %+" PRId64 " ns", t->ts_add_ns);
	buf_addch(&line, '\n');
	fact_add(f, "clock", &line, "clock", j);
}

/*
 * Reads "wall_begin" or "wall_end" in nanoseconds since 1970. Returns false if the file lacks it.
 */
static bool info_wall_ns(const struct trace *t, const char *name, int64_t *ns)
{
	const struct dat *d = t->dat;
	const char *instance = d->nr_buffers ? d->buffers[0].name : "", *v;
	char *full = xasprintf("%s%s%s", name, *instance ? "." : "", instance), *end;
	char text[64] = "";
	size_t len;

	v = dat_ftr_value(d, full, &len);
	free(full);
	if (!t->has_wall || !v || len >= sizeof(text))
		return false;
	memcpy(text, v, len);
	strtoull(text, &end, 10);
	*ns = strtoll(end, &end, 10);
	return *end == ' ' && *ns >= 0;
}

static void add_wall(struct buf *b, const char *before, int64_t ns)
{
	time_t s = ns / 1000000000;
	char text[64];
	struct tm tm;

	if (gmtime_r(&s, &tm) && strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm))
		buf_printf(b, "%s%s.%06d", before, text, (int)(ns % 1000000000 / 1000));
}

static json_t *json_wall(int64_t ns)
{
	char text[64], whole[80];
	time_t s = ns / 1000000000;
	struct tm tm;

	if (!gmtime_r(&s, &tm) || !strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm))
		return json_null();
	snprintf(whole, sizeof(whole), "%s.%09dZ", text, (int)(ns % 1000000000));
	return json_string(whole);
}

/* Adds the wall-clock times of the recording if the file has them. */
static void fact_add_recorded(struct info_output *f)
{
	struct buf line = {0};
	int64_t begin, end;
	bool from = info_wall_ns(f->t, "wall_begin", &begin);
	bool to = info_wall_ns(f->t, "wall_end", &end);

	if (from)
		add_wall(&line, "", begin);
	if (to)
		add_wall(&line, from ? " to " : "until ", end);
	if (f->t->has_wall)
		buf_addstr(&line, " UTC\n");
	fact_add(f, "recorded", &line, "begin", from ? json_wall(begin) : json_null());
	fact_add_member(f, "end", to ? json_wall(end) : json_null());
}

static void fact_add_instances(struct info_output *f)
{
	const struct dat *d = f->t->dat;
	struct buf line = {0};

	for (size_t i = 0; i < d->nr_buffers; i++) {
		const char *name = *d->buffers[i].name ? d->buffers[i].name : "top level";

		buf_addstr(&line, i ? ", " : "");
		text_sanitise(&line, name, strlen(name), false);
	}
	buf_addstr(&line, d->nr_buffers ? "\n" : "none\n");
	fact_add(f, "instances", &line, NULL, NULL);
}

/*
 * Returns the longest latency that a tracer recorded, in microseconds as text, or NULL if the file
 * lacks it.
 */
static const char *info_max_latency(const struct dat *d, const struct dat_latency *l, size_t *len)
{
	char *name = xasprintf("max_latency%s%s", *l->buffer ? "." : "", l->buffer);
	const char *max = dat_ftr_value(d, name, len);

	free(name);
	return max;
}

/* Adds the longest latencies that tracers recorded, in microseconds. */
static void fact_add_latencies(struct info_output *f)
{
	json_t *list = json_array();
	struct buf lines = {0};
	struct dat_latency l;
	const char *max;
	size_t at = 0, len;
	char *number;

	while (dat_latency_next(f->t->dat, &at, &l)) {
		max = info_max_latency(f->t->dat, &l, &len);
		number = max ? xstrndup(max, len) : NULL;
		if (max)
			text_sanitise(&lines, max, len, false);
		buf_addstr(&lines, max ? " us, text of " : "not told, text of ");
		add_byte_size(&lines, l.len);
		if (*l.buffer)
			buf_addstr(&lines, ", instance ");
		add_value_line(&lines, l.buffer, SIZE_MAX);
		json_array_append_new(list, json_pack("{s:o, s:o, s:o}",
			"buffer", json_bytes(l.buffer, SIZE_MAX),
			"us", number ? json_count(strtoull(number, NULL, 10)) : json_null(),
			"text_bytes", json_count(l.len)));
		free(number);
	}
	fact_add(f, "max latency", &lines, "max_latency", list);
}

/* The kernel's LOG_LINE_MAX: bytes of a line in its log. */
#define OOPS_LINE 1024

/* Returns the length of the first line of an oops text. */
static size_t info_oops_line(const struct dat_blob *text)
{
	size_t len = text->len < OOPS_LINE ? text->len : OOPS_LINE;
	const char *end = len ? memchr(text->p, '\n', len) : NULL;

	return end ? (size_t)(end - text->p) : len;
}

/* 'ftr oops show' prints all of it. */
static void fact_add_oops(struct info_output *f)
{
	const struct dat_blob *oops = dat_text(f->t->dat, DAT_FTR_OOPS);
	size_t len = info_oops_line(oops);
	struct buf line = {0};

	if (oops->len) {
		text_sanitise(&line, oops->p, len, false);
		buf_addch(&line, '\n');
	}
	fact_add(f, "oops", &line, "oops", oops->len ? json_bytes(oops->p, len) : json_null());
}

/*
 * Decodes @n bytes of a value: "\n" and "\\" mean line feed and backslash. The caller frees the
 * result.
 */
static char *info_unescape(const char *v, size_t n)
{
	struct buf b = {0};
	size_t i;

	buf_add(&b, "", 0);
	for (i = 0; i < n; i++) {
		if (v[i] != '\\' || i + 1 == n)
			buf_addch(&b, v[i]);
		else
			buf_addch(&b, v[++i] == 'n' ? '\n' : v[i]);
	}
	return buf_take(&b);
}

/* Appends the lines of a value; no lines if the file lacks it. */
static void info_value_lines(const struct dat *d, const char *name, struct strv *out)
{
	size_t len;
	const char *v = dat_ftr_value(d, name, &len);
	char *text = v ? info_unescape(v, len) : NULL;

	if (text)
		strv_split(out, text, "\n");
	free(text);
}

static size_t info_address_maps(const struct dat *d)
{
	size_t i, n = 0;

	for (i = 0; i < d->nr_options; i++)
		n += d->options[i].id == DAT_PROCMAPS;
	return n;
}

/* Counts the options by id, in the order of the file. The caller frees the result. */
static struct option_count *info_options(const struct dat *d, size_t *n)
{
	struct option_count *v = xcalloc(d->nr_options + 1, sizeof(*v));
	uint32_t *number = xcalloc(65536, sizeof(*number));
	size_t i;
	uint16_t id;

	for (i = 0; i < d->nr_options; i++)
		number[d->options[i].id]++;
	for (*n = i = 0; i < d->nr_options; i++) {
		id = d->options[i].id;
		if (number[id])
			v[(*n)++] = (struct option_count){ number[id], id };
		number[id] = 0;
	}
	free(number);
	return v;
}

static void fact_add_options(struct info_output *f)
{
	json_t *list = json_array();
	struct option_count *v;
	struct buf line = {0};
	const char *name;
	size_t i, n;

	v = info_options(f->t->dat, &n);
	for (i = 0; i < n; i++) {
		name = dat_option_name(v[i].id);
		buf_printf(&line, "%s%s", i ? " " : "", name);
		if (!strcmp(name, "unknown"))
			buf_printf(&line, "-%u", v[i].id);
		if (v[i].n > 1)
			buf_printf(&line, "*%" PRIu32, v[i].n);
		json_array_append_new(list, json_pack("{s:s, s:i, s:i}", "name", name,
						      "id", (int)v[i].id, "count", (int)v[i].n));
	}
	free(v);
	buf_addstr(&line, n ? "\n" : "none\n");
	fact_add(f, "options", &line, "options", list);
}

/* Returns true if the output has separate lines for this value. */
static bool is_shown_elsewhere(const char *p, size_t len)
{
	static const char *const apart[] = { "modules=", "build_ids=", "symbol_times=" };
	size_t i, n;

	for (i = 0; i < sizeof(apart) / sizeof(*apart); i++) {
		n = strlen(apart[i]);
		if (len > n && !memcmp(p, apart[i], n))
			return true;
	}
	return false;
}

/*
 * Reads the next line "key=value" of the session. *p starts at ->ftr_meta.p. Returns false at the
 * end.
 */
static bool info_session_next(const struct dat *d, const char **p, const char **line, size_t *len)
{
	const char *end = d->ftr_meta.p ? d->ftr_meta.p + d->ftr_meta.len : NULL, *nl;

	while (*p < end) {
		nl = memchr(*p, '\n', end - *p);
		*line = *p;
		*len = (nl ? nl : end) - *p;
		*p = nl ? nl + 1 : end;
		if (*len && !is_shown_elsewhere(*line, *len))
			return true;
	}
	return false;
}

/* Adds the session's values. In JSON, the first line counts if a key occurs twice. */
static void fact_add_session(struct info_output *f)
{
	const char *p = f->t->dat->ftr_meta.p, *line, *eq;
	struct buf name = {0}, lines = {0};
	json_t *all = json_object();
	size_t len;
	char *value;

	while (info_session_next(f->t->dat, &p, &line, &len)) {
		add_value_line(&lines, line, len);
		eq = memchr(line, '=', len);
		buf_reset(&name);
		json_add_utf8(&name, line, strnlen(line, eq ? (size_t)(eq - line) : len));
		buf_add(&name, "", 0);
		value = eq ? info_unescape(eq + 1, line + len - eq - 1) : xstrdup("");
		if (!json_object_get(all, name.data))
			json_object_set_new(all, name.data, json_bytes(value, SIZE_MAX));
		free(value);
	}
	buf_release(&name);
	fact_add(f, "session", &lines, "session", all);
}

static void add_missing(struct strv *out, bool absent, const char *what)
{
	if (absent)
		strv_add(out, what);
}

/* Appends the names of missing parts that a complete file would have. */
static void info_missing(struct dat *d, struct strv *out)
{
	bool named = d->nr_buffers && d->buffers[0].clock && *d->buffers[0].clock;
	const struct dat_format *v;

	add_missing(out, !dat_text(d, DAT_KALLSYMS)->len, "kernel symbols");
	add_missing(out, !dat_text(d, DAT_CMDLINES)->len, "task names");
	add_missing(out, !dat_text(d, DAT_PRINTK)->len, "trace_printk formats");
	add_missing(out, !d->header_page.len, "sub-buffer layout");
	add_missing(out, !dat_formats(d, DAT_FTRACE_EVENTS, &v) &&
		    !dat_formats(d, DAT_EVENT_FORMATS, &v), "event formats");
	add_missing(out, !named, "clock");
	add_missing(out, !dat_option(d, DAT_UNAME), "kernel version");
	add_missing(out, d->truncated, "the end of the file");
}

static void fact_add_checksums(struct info_output *f)
{
	struct dat *d = f->t->dat;
	uint64_t ranges = dat_verify(d);
	struct buf line = {0};
	bool bad = false;
	json_t *j;

	for (size_t i = 0; i < d->damages.n; i++)
		bad |= !!strstr(d->damages.v[i].kind, "checksum");
	if (!ranges && !bad)
		buf_addstr(&line, "none in this file\n");
	else
		buf_printf(&line, "%" PRIu64 " ranges, %s\n", ranges,
			   bad ? "DAMAGED" : "all correct");
	j = !ranges && !bad ? json_null() :
	    json_pack("{s:o, s:b}", "ranges", json_count(ranges), "right", !bad);
	fact_add(f, "checksums", &line, "checksums", j);
}

/* --- records and lost records */

static void tally_count(struct record_tally *t, const struct trace_rec *r)
{
	t->records += r->rec.data != NULL;
	if (r->lost == RING_LOST_UNKNOWN)
		t->lost_unknown = true;
	else
		t->lost += r->lost;
}

static void count_record(struct buffer_info *v, const struct trace_rec *r)
{
	struct buffer_info *bi = &v[r->buffer];
	const struct dat_buffer *b = &r->trace->dat->buffers[r->buffer];

	/* Most records are of the same CPU as the record before; CPUs are in order. */
	if (b->cpus[bi->cpu].cpu != r->cpu)
		bi->cpu = SEARCH_LAST(i, 0, b->nr_cpus, b->cpus[i].cpu <= r->cpu);
	tally_count(&bi->sum, r);
	tally_count(&bi->cpus[bi->cpu], r);
	if (!r->rec.data)
		return;
	map_count(&bi->types, r->type);
	if (r->ts < bi->first_ts)
		bi->first_ts = r->ts;
	if (r->ts > bi->last_ts)
		bi->last_ts = r->ts;
}

static bool parse_decimal(const char **p, const char *end, uint64_t *v)
{
	const char *start = *p;

	for (*v = 0; *p < end && **p >= '0' && **p <= '9'; (*p)++)
		*v = *v * 10 + (**p - '0');
	return *p > start;
}

/* The kernel's counter is larger if a sub-buffer had no room for the number of lost records. */
static void correct_lost(struct record_tally *t, uint64_t n)
{
	if (!n || t->lost > n)
		return;
	t->lost = n;
	t->lost_unknown = false;
}

/* A mark in a sub-buffer means that older records were overwritten; it has no number of them. */
static void correct_overwritten(struct record_tally *t, uint64_t n)
{
	if (!t->lost && !t->lost_unknown)
		return;
	t->overwritten = n;
	t->lost = 0;
	t->lost_unknown = false;
}

/*
 * Parses "0:46716 3:12", a count for each CPU in the order of @b, calls @correct for each, and sums
 * up all CPUs again.
 */
static void apply_counts(struct buffer_info *bi, const struct dat_buffer *b, const char *p,
			 const char *end, void (*correct)(struct record_tally *t, uint64_t n))
{
	uint64_t cpu, n;
	size_t i = 0;

	while (parse_decimal(&p, end, &cpu) && p < end && *p++ == ':' &&
	       parse_decimal(&p, end, &n)) {
		while (i < b->nr_cpus && (uint64_t)b->cpus[i].cpu != cpu)
			i++;
		if (i < b->nr_cpus)
			correct(&bi->cpus[i], n);
		p += p < end && *p == ' ';
	}
	bi->sum.lost = bi->sum.overwritten = 0;
	bi->sum.lost_unknown = false;
	for (i = 0; i < b->nr_cpus; i++) {
		bi->sum.lost += bi->cpus[i].lost;
		bi->sum.lost_unknown |= bi->cpus[i].lost_unknown;
		bi->sum.overwritten += bi->cpus[i].overwritten;
	}
}

/*
 * Corrects the numbers of lost records by the session's keys "lost" and "overwritten". The recorder
 * read them from the kernel's counters; sub-buffers do not contain them.
 */
static void info_apply_counters(struct buffer_info *v, const struct dat *d)
{
	static const struct {
		const char *key;
		void (*correct)(struct record_tally *t, uint64_t n);
	} keys[] = { { "overwritten", correct_overwritten }, { "lost", correct_lost } };
	const char *name, *text;
	size_t i, k, len;
	char *key;

	for (i = 0; i < d->nr_buffers; i++) {
		name = d->buffers[i].name;
		for (k = 0; k < sizeof(keys) / sizeof(*keys); k++) {
			key = xasprintf("%s%s%s", keys[k].key, *name ? "." : "", name);
			text = dat_ftr_value(d, key, &len);
			if (text)
				apply_counts(&v[i], &d->buffers[i], text, text + len,
					     keys[k].correct);
			free(key);
		}
	}
}

static struct buffer_info *read_records(struct trace *t)
{
	struct buffer_info *v = xcalloc(t->dat->nr_buffers + 1, sizeof(*v));
	struct trace_iter *it;
	const struct trace_rec *r;
	size_t i;

	for (i = 0; i < t->dat->nr_buffers; i++) {
		v[i].first_ts = UINT64_MAX;
		v[i].cpus = xcalloc(t->dat->buffers[i].nr_cpus + 1, sizeof(struct record_tally));
	}
	it = trace_iter_new(&t, 1, NULL);
	while ((r = trace_iter_next(it)))
		count_record(v, r);
	trace_iter_free(it);
	info_apply_counters(v, t->dat);
	return v;
}

/* --- buffers */

static void add_tally_lost(struct buf *b, const struct record_tally *t)
{
	buf_printf(b, "%" PRIu64, t->lost);
	if (t->lost_unknown)
		buf_addstr(b, " and an unknown number");
	if (t->overwritten)
		buf_printf(b, ", overwritten %" PRIu64, t->overwritten);
}

static void fact_add_tally(struct info_output *f, const struct record_tally *t, bool in_text)
{
	struct buf line = {0};

	add_tally_lost(&line, t);
	buf_addch(&line, '\n');
	fact_add_number(f, in_text ? "events" : NULL, "events", t->records, "");
	fact_add(f, in_text ? "lost" : NULL, &line, "lost", json_count(t->lost));
	fact_add_member(f, "lost_unknown", json_boolean(t->lost_unknown));
	fact_add_member(f, "overwritten", json_count(t->overwritten));
}

static void fact_add_ts(struct info_output *f, const char *label, const char *key, uint64_t ts,
			bool is_known)
{
	struct buf line = {0};

	if (f->t->clock_is_ns)
		buf_printf(&line, "%" PRIu64 ".%09" PRIu64 "\n", ts / 1000000000, ts % 1000000000);
	else
		buf_printf(&line, "%" PRIu64 "\n", ts);
	fact_add(f, is_known ? label : NULL, &line, key, is_known ? json_count(ts) : json_null());
}

/* Returns the sum of @name over all CPUs in the kernel's statistics. */
static uint64_t info_stat_sum(const char *stats, const char *name)
{
	uint64_t sum = 0, v;
	size_t len = strlen(name);
	const char *at;

	for (at = stats; (at = strstr(at, name)); at += len) {
		if (at > stats && at[-1] != '\n')
			continue;
		v = strtoull(at + len, NULL, 10);
		sum = v > UINT64_MAX - sum ? UINT64_MAX : sum + v;
	}
	return sum;
}

/* Adds the kernel's statistics at the end of the recording, if the file has them. */
static void fact_add_kernel(struct info_output *f, const char *stats)
{
	static const struct {
		const char *name, *text, *key;
	} counters[] = {
		{ "overrun: ", "overrun ", "overrun" },
		{ "dropped events: ", ", dropped ", "dropped" },
		{ "entries: ", ", left unread ", "unread" },
	};
	json_t *kernel = stats ? json_object() : json_null();
	struct buf line = {0};

	for (size_t i = 0; stats && i < sizeof(counters) / sizeof(*counters); i++) {
		uint64_t sum = info_stat_sum(stats, counters[i].name);

		buf_printf(&line, "%s%" PRIu64, counters[i].text, sum);
		json_object_set_new(kernel, counters[i].key, json_count(sum));
	}
	buf_addstr(&line, stats ? "\n" : "");
	fact_add(f, "kernel says", &line, "kernel", kernel);
}

static void fact_add_cpus(struct info_output *f, const struct dat_buffer *db,
			  const struct buffer_info *bi)
{
	json_t *list = json_array();
	char name[32];

	for (size_t i = 0; i < db->nr_cpus; i++) {
		struct info_output cpu = { f->t, f->text, f->json ? json_object() : NULL,
					   f->indent };
		struct buf line = {0};

		if (!db->cpus[i].size && !bi) {
			json_decref(cpu.json);
			continue;
		}
		snprintf(name, sizeof(name), "CPU %d", db->cpus[i].cpu);
		if (bi) {
			buf_printf(&line, "%" PRIu64 " events, lost ", bi->cpus[i].records);
			add_tally_lost(&line, &bi->cpus[i]);
			buf_addstr(&line, ", ");
		}
		text_bytes(&line, db->cpus[i].size);
		buf_addch(&line, '\n');
		fact_add(&cpu, name, &line, "cpu", json_integer(db->cpus[i].cpu));
		fact_add_member(&cpu, "bytes", json_count(db->cpus[i].size));
		if (bi)
			fact_add_tally(&cpu, &bi->cpus[i], false);
		json_array_append_new(list, cpu.json);
	}
	fact_add_member(f, "cpus", list);
}

static int by_count(const void *a, const void *b)
{
	const struct event_count *x = a, *y = b;

	if (x->records != y->records)
		return x->records < y->records ? 1 : -1;
	return x->type - y->type;
}

/* Returns counts of all events, the most frequent first; the caller frees. */
static struct event_count *info_counts(const struct buffer_info *bi, size_t *n)
{
	struct event_count *v = xcalloc(bi->types.n + 1, sizeof(*v));
	const struct map_slot *s = bi->types.slots;
	size_t i;

	for (*n = i = 0; i < bi->types.cap; i++, s++)
		if (s->val)
			v[(*n)++] = (struct event_count){ (uintptr_t)s->val, s->key };
	qsort(v, *n, sizeof(*v), by_count);
	return v;
}

/* Adds the numbers of records by event, in lines without labels. */
static void fact_add_events(struct info_output *f, const struct buffer_info *bi)
{
	json_t *list = json_array();
	const struct ev_format *fmt;
	struct buf lines = {0};
	struct event_count *v;
	size_t i, n;

	v = info_counts(bi, &n);
	for (i = 0; i < n; i++) {
		fmt = event_meta_find_id(&f->t->meta, v[i].type);
		buf_printf(&lines, "%16" PRIu64 "  ", v[i].records);
		if (fmt) {
			text_sanitise(&lines, fmt->system, strlen(fmt->system), false);
			buf_addch(&lines, ':');
			add_value_line(&lines, fmt->name, strlen(fmt->name));
		} else {
			buf_printf(&lines, "type %d, without a format\n", v[i].type);
		}
		json_array_append_new(list, json_pack("{s:o, s:o, s:i, s:o}",
			"system", fmt ? json_bytes(fmt->system, SIZE_MAX) : json_null(),
			"event", fmt ? json_bytes(fmt->name, SIZE_MAX) : json_null(),
			"type", (int)v[i].type, "count", json_count(v[i].records)));
	}
	free(v);
	if (f->text)
		buf_add(f->text, lines.data ? lines.data : "", lines.len);
	buf_release(&lines);
	fact_add_member(f, "by_event", list);
}

/* Adds the facts of a buffer. @bi is NULL if records were not read. */
static void facts_add_buffer(struct info_output *f, const struct dat_buffer *db,
			     const struct buffer_info *bi)
{
	struct info_output top = { f->t, f->text, f->json, 0 };
	struct buf name = {0}, data = {0};
	uint64_t bytes = 0;
	bool any = bi && bi->sum.records;

	for (size_t i = 0; i < db->nr_cpus; i++)
		bytes += db->cpus[i].size;
	if (f->text)
		buf_addch(f->text, '\n');
	add_value_line(&name, *db->name ? db->name : "top level", SIZE_MAX);
	fact_add(&top, "buffer", &name, "name", json_bytes(db->name, SIZE_MAX));
	add_byte_size(&data, bytes);
	buf_printf(&data, ", sub-buffers of %u bytes\n", db->layout.subbuf_size);
	fact_add(f, "data", &data, "bytes", json_count(bytes));
	fact_add_member(f, "subbuf_bytes", json_integer(db->layout.subbuf_size));
	/* JSON has these members here, and keeps their places when they are set. */
	fact_add_member(f, "kernel", json_null());
	fact_add_member(f, "cpus", json_null());
	if (bi) {
		fact_add_tally(f, &bi->sum, true);
		fact_add_ts(f, "first", "first_ts", bi->first_ts, any);
		fact_add_ts(f, "last", "last_ts", bi->last_ts, any);
		fact_add_ts(f, "span", NULL, bi->last_ts - bi->first_ts, any);
	}
	fact_add_kernel(f, db->stats);
	fact_add_cpus(f, db, bi);
	if (bi)
		fact_add_events(f, bi);
}

/* --- all facts, in order */

static void facts_add_contents(struct info_output *f)
{
	struct dat *d = f->t->dat;
	const struct dat_blob *protos = dat_text(d, DAT_FTR_PROTOS);
	size_t btf = dat_text(d, DAT_BTF_FILE)->len, maps = info_address_maps(d);
	struct strv modules = {0}, build_ids = {0};
	struct ev_format *formats;

	info_value_lines(d, "modules", &modules);
	info_value_lines(d, "build_ids", &build_ids);
	fact_add_number(f, "formats", "formats", event_meta_formats(&f->t->meta, NULL, &formats),
			" events");
	fact_add_size(f, "symbols", "symbols_bytes", dat_text(d, DAT_KALLSYMS)->len);
	fact_add_size(f, protos->p ? "prototypes" : NULL, "prototypes_bytes", protos->len);
	fact_add_number(f, "task names", "tasks", trace_nr_comms(f->t), "");
	fact_add_size(f, btf ? "BTF" : NULL, "btf_bytes", btf);
	fact_add_latencies(f);
	fact_add_oops(f);
	fact_add_number(f, modules.n ? "modules" : NULL, "modules", modules.n, "");
	fact_add_number(f, maps ? "address maps" : NULL, "address_maps", maps,
			maps == 1 ? " process" : " processes");
	fact_add_list(f, "build-ids", "build_ids", &build_ids, NULL);
	strv_release(&modules);
}

static void facts_add(struct info_output *f, const struct buffer_info *v)
{
	json_t *buffers = json_array();
	struct strv missing = {0};
	struct dat *d = f->t->dat;

	fact_add_file(f);
	fact_add_format(f);
	fact_add_state(f);
	fact_add_option(f, "kernel", "kernel", DAT_UNAME);
	fact_add_option(f, "recorded by", "recorded_by", DAT_VERSION);
	fact_add_clock(f);
	fact_add_recorded(f);
	fact_add_number(f, "CPUs", "cpus", d->nr_cpus, "");
	fact_add_instances(f);
	facts_add_contents(f);
	fact_add_options(f);
	fact_add_session(f);
	info_missing(d, &missing);
	fact_add_list(f, "missing", "missing", &missing, "nothing");
	if (v)
		fact_add_checksums(f);
	for (size_t i = 0; i < d->nr_buffers; i++) {
		struct info_output one = { f->t, f->text, f->json ? json_object() : NULL, 2 };

		facts_add_buffer(&one, &d->buffers[i], v ? &v[i] : NULL);
		json_array_append_new(buffers, one.json);
	}
	fact_add_member(f, "buffers", buffers);
}

void info_add_text(struct trace *t, struct buffer_info *v, struct buf *out)
{
	facts_add(&(struct info_output){ .t = t, .text = out }, v);
}

json_t *info_object(struct trace *t)
{
	json_t *all = json_object();

	facts_add(&(struct info_output){ .t = t, .json = all }, NULL);
	return all;
}

/* Prints a line of JSON. @v is NULL if records were not read. */
static void info_print_json(struct trace *t, const struct buffer_info *v)
{
	json_t *all = json_object();

	facts_add(&(struct info_output){ .t = t, .json = all }, v);
	json_dumpf(all, stdout, JSON_COMPACT | JSON_ENSURE_ASCII);
	putchar('\n');
	json_decref(all);
}

/* --- the command */

static int info_trace(struct trace *t, const struct info_opts *opts)
{
	struct buffer_info *v = opts->quick ? NULL : read_records(t);
	struct buf text = {0};

	if (opts->json) {
		info_print_json(t, v);
	} else {
		info_add_text(t, v, &text);
		fwrite(text.data, 1, text.len, stdout);
		buf_release(&text);
	}
	for (size_t i = 0; v && i < t->dat->nr_buffers; i++) {
		free(v[i].cpus);
		map_release(&v[i].types);
	}
	free(v);
	return cmd_damages(trace_damages(t));
}

/* Prints all traces of a file: a text may have several. */
static int info_file(const char *path, const struct info_opts *opts)
{
	struct ftr_error err = {0};
	struct trace_list l = {0};
	int status = traces_open(&l, path, &err) ? cmd_fail(&err) : FTR_OK, one;

	for (size_t i = 0; i < l.n; i++) {
		if (i && !opts->json)
			putchar('\n');
		one = info_trace(l.v[i], opts);
		status = one > status ? one : status;
		trace_close(l.v[i]);
	}
	free(l.v);
	return status;
}

static int run_info(const struct cmd *self, int argc, char **argv)
{
	struct info_opts opts = {0};
	int status, one, first = cmd_parse(self, argc, argv, &opts, &status);
	size_t i;

	if (first < 0)
		goto out;
	for (; first < argc; first++)
		strv_add(&opts.files, argv[first]);
	if (!opts.files.n)
		strv_add(&opts.files, "trace.dat");
	for (i = 0; i < opts.files.n; i++) {
		if (i && !opts.json)
			putchar('\n');
		one = info_file(opts.files.v[i], &opts);
		if (one > status)
			status = one;
	}
out:
	strv_release(&opts.files);
	return status;
}

const struct cmd cmd_info = {
	.name = "info",
	.usage = "[OPTIONS] [FILE...]",
	.summary = "show what a trace file holds and whether it is sound",
	.examples = examples,
	.options = options,
	.flags = CMD_PAGER | CMD_EVERYDAY,
	.run = run_info,
};
