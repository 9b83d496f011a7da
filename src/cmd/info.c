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
#include "output/json/json_records.h"
#include "trace/trace.h"

#define KEY_WIDTH 14

/* Counts of one CPU, or of a buffer. */
struct tally {
	uint64_t records, lost;
	uint64_t overwritten;		/* by newer records; not counted in ->lost */
	bool     lost_unknown;
};

struct buffer_info {
	struct tally sum;
	struct tally *cpus;		/* indexed as dat_buffer.cpus */
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

/* The result of verifying checksums. */
struct info_sums {
	uint64_t ranges;		/* verified ranges; 0: the file has none, unless ->bad */
	bool     bad;
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

static void add_option_text(struct buf *b, const struct dat *d, uint16_t id, const char *name)
{
	const struct dat_option *o = dat_option(d, id);

	if (!o)
		return;
	add_key_column(b, 0, name);
	add_value_line(b, o->data.p, o->data.len);
}

static void add_byte_size(struct buf *b, uint64_t bytes)
{
	text_bytes(b, bytes);
	if (bytes >= 1024)
		buf_printf(b, " (%" PRIu64 " bytes)", bytes);
}

static void add_file_lines(struct buf *b, const struct dat *d)
{
	struct stat st;

	add_key_column(b, 0, "file");
	text_sanitise(b, d->path, strlen(d->path), false);
	buf_addstr(b, ", ");
	add_byte_size(b, d->file_size);
	/* The file of a killed run has holes if the file system could not cut them out. */
	if (d->unfinished && !stat(d->path, &st) &&
	    (uint64_t)st.st_blocks * 512 <= d->file_size / 2) {
		buf_addstr(b, ", takes ");
		text_bytes(b, (uint64_t)st.st_blocks * 512);
		buf_addstr(b, " of the disk");
	}
	buf_addch(b, '\n');
	add_key_column(b, 0, "format");
	buf_printf(b, "version %d, %s-endian, %u-byte long, %u-byte pages, compression ",
		   d->version, d->big ? "big" : "little", d->long_size, d->page_size);
	add_value_line(b, d->compression, 64);
	if (d->unfinished) {
		add_key_column(b, 0, "state");
		buf_addstr(b, d->whole ? "a stream, to its end\n" :
			      d->streamed ? "a stream, cut off\n" :
			      "not finished: still being recorded, or the recorder was "
			      "killed\n");
	}
	add_option_text(b, d, DAT_UNAME, "kernel");
	add_option_text(b, d, DAT_VERSION, "recorded by");
}

/*
 * Reads "wall_begin" or "wall_end" in nanoseconds since 1970. Returns false if the file lacks it.
 */
static bool info_wall_ns(const struct dat *d, const char *name, int64_t *ns)
{
	const char *instance = d->nr_buffers ? d->buffers[0].name : "", *v;
	char *full = xasprintf("%s%s%s", name, *instance ? "." : "", instance), *end;
	char text[64] = "";
	size_t len;

	v = dat_ftr_value(d, full, &len);
	free(full);
	if (!v || len >= sizeof(text))
		return false;
	memcpy(text, v, len);
	strtoull(text, &end, 10);
	*ns = strtoll(end, &end, 10);
	return *end == ' ';
}

static void add_wall(struct buf *b, const char *before, int64_t ns)
{
	time_t s = ns / 1000000000;
	char text[64];
	struct tm tm;

	if (gmtime_r(&s, &tm) && strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm))
		buf_printf(b, "%s%s.%06d", before, text, (int)(ns % 1000000000 / 1000));
}

/* Appends the clock, and the wall-clock times of the recording if the file has them. */
static void add_clock_lines(struct buf *b, const struct trace *t)
{
	const char *clock = t->dat->nr_buffers ? t->dat->buffers[0].clock : NULL;
	int64_t begin, end;
	bool from;

	add_key_column(b, 0, "clock");
	text_sanitise(b, clock ? clock : "", clock ? strlen(clock) : 0, false);
	if (!clock || !*clock)
		buf_addstr(b, "not named in the file");
	if (t->tsc_mult)
		buf_printf(b, ", scaled by %u >> %u", t->tsc_mult, t->tsc_shift);
	else if (!t->clock_is_ns)
		buf_addstr(b, ", not in nanoseconds");
	if (t->ts_add_ns)
		buf_printf(b, ", %+" PRId64 " ns", t->ts_add_ns);
	buf_addch(b, '\n');
	if (!t->has_wall)
		return;
	add_key_column(b, 0, "recorded");
	from = info_wall_ns(t->dat, "wall_begin", &begin) && begin >= 0;
	if (from)
		add_wall(b, "", begin);
	if (info_wall_ns(t->dat, "wall_end", &end) && end >= 0)
		add_wall(b, from ? " to " : "until ", end);
	buf_addstr(b, " UTC\n");
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

static void add_options_line(struct buf *b, const struct dat *d)
{
	struct option_count *v;
	size_t i, n;

	add_key_column(b, 0, "options");
	v = info_options(d, &n);
	for (i = 0; i < n; i++) {
		buf_printf(b, "%s%s", i ? " " : "", dat_option_name(v[i].id));
		if (!strcmp(dat_option_name(v[i].id), "unknown"))
			buf_printf(b, "-%u", v[i].id);
		if (v[i].n > 1)
			buf_printf(b, "*%" PRIu32, v[i].n);
	}
	free(v);
	buf_addstr(b, n ? "\n" : "none\n");
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

/* Starts a line of a list. Only the first line has the name and the colon. */
static void add_list_key(struct buf *b, const char *name, bool first)
{
	add_key_column(b, 0, first ? name : "");
	if (!first)
		b->data[b->len - KEY_WIDTH - 2] = ' ';
}

static size_t info_address_maps(const struct dat *d)
{
	size_t i, n = 0;

	for (i = 0; i < d->nr_options; i++)
		n += d->options[i].id == DAT_PROCMAPS;
	return n;
}

/* Appends the number of modules and of address maps, and the build-ids of mapped files. */
static void add_object_lines(struct buf *b, const struct dat *d)
{
	struct strv lines = {0};
	size_t i, n = info_address_maps(d);

	info_value_lines(d, "modules", &lines);
	if (lines.n) {
		add_key_column(b, 0, "modules");
		buf_printf(b, "%zu\n", lines.n);
	}
	strv_release(&lines);
	if (n) {
		add_key_column(b, 0, "address maps");
		buf_printf(b, "%zu process%s\n", n, n == 1 ? "" : "es");
	}
	info_value_lines(d, "build_ids", &lines);
	for (i = 0; i < lines.n; i++) {
		add_list_key(b, "build-ids", !i);
		add_value_line(b, lines.v[i], SIZE_MAX);
	}
	strv_release(&lines);
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

/* Appends the longest latencies that tracers recorded, in microseconds. */
static void add_latency_lines(struct buf *b, struct dat *d)
{
	struct dat_latency l;
	const char *max;
	size_t at = 0, len;
	bool first;

	for (first = true; dat_latency_next(d, &at, &l); first = false) {
		add_list_key(b, "max latency", first);
		max = info_max_latency(d, &l, &len);
		if (max)
			text_sanitise(b, max, len, false);
		buf_addstr(b, max ? " us, text of " : "not told, text of ");
		add_byte_size(b, l.len);
		if (*l.buffer)
			buf_addstr(b, ", instance ");
		add_value_line(b, l.buffer, SIZE_MAX);
	}
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

static void add_missing_line(struct buf *b, struct dat *d)
{
	struct strv names = {0};
	size_t i;

	info_missing(d, &names);
	add_key_column(b, 0, "missing");
	for (i = 0; i < names.n; i++)
		buf_printf(b, "%s%s", i ? ", " : "", names.v[i]);
	buf_addstr(b, names.n ? "\n" : "nothing\n");
	strv_release(&names);
}

static void add_content_lines(struct buf *b, struct trace *t)
{
	struct dat *d = t->dat;
	const struct dat_blob *oops = dat_text(d, DAT_FTR_OOPS);
	const char *p = d->ftr_meta.p, *line;
	struct ev_format *formats;
	size_t i, len;

	add_clock_lines(b, t);
	add_key_column(b, 0, "CPUs");
	buf_printf(b, "%u\n", d->nr_cpus);
	add_key_column(b, 0, "instances");
	for (i = 0; i < d->nr_buffers; i++) {
		buf_addstr(b, i ? ", " : "");
		if (*d->buffers[i].name)
			text_sanitise(b, d->buffers[i].name, strlen(d->buffers[i].name), false);
		else
			buf_addstr(b, "top level");
	}
	buf_addstr(b, d->nr_buffers ? "\n" : "none\n");
	add_key_column(b, 0, "formats");
	buf_printf(b, "%zu events\n", ev_world_formats(&t->world, NULL, &formats));
	add_key_column(b, 0, "symbols");
	add_byte_size(b, dat_text(t->dat, DAT_KALLSYMS)->len);
	buf_addch(b, '\n');
	if (dat_text(d, DAT_FTR_PROTOS)->p) {
		add_key_column(b, 0, "prototypes");
		add_byte_size(b, dat_text(d, DAT_FTR_PROTOS)->len);
		buf_addch(b, '\n');
	}
	add_key_column(b, 0, "task names");
	buf_printf(b, "%zu\n", trace_nr_comms(t));
	if (dat_text(d, DAT_BTF_FILE)->len) {
		add_key_column(b, 0, "BTF");
		add_byte_size(b, dat_text(d, DAT_BTF_FILE)->len);
		buf_addch(b, '\n');
	}
	add_latency_lines(b, d);
	if (oops->len) {
		/* 'ftr oops show' prints all of it. */
		add_key_column(b, 0, "oops");
		text_sanitise(b, oops->p, info_oops_line(oops), false);
		buf_addch(b, '\n');
	}
	add_object_lines(b, d);
	add_options_line(b, d);
	for (i = 0; info_session_next(d, &p, &line, &len); i++) {
		add_list_key(b, "session", !i);
		add_value_line(b, line, len);
	}
	add_missing_line(b, d);
}

static struct info_sums info_verify(struct dat *d)
{
	struct info_sums sums = { .ranges = dat_verify(d) };

	for (size_t i = 0; i < d->damages.n; i++)
		sums.bad |= !!strstr(d->damages.v[i].kind, "checksum");
	return sums;
}

static void tally_count(struct tally *t, const struct trace_rec *r)
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
static void correct_lost(struct tally *t, uint64_t n)
{
	if (!n || t->lost > n)
		return;
	t->lost = n;
	t->lost_unknown = false;
}

/* A mark in a sub-buffer means that older records were overwritten; it has no number of them. */
static void correct_overwritten(struct tally *t, uint64_t n)
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
			 const char *end, void (*correct)(struct tally *t, uint64_t n))
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
		void (*correct)(struct tally *t, uint64_t n);
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
		v[i].cpus = xcalloc(t->dat->buffers[i].nr_cpus + 1, sizeof(struct tally));
	}
	it = trace_iter_new(&t, 1, NULL);
	while ((r = trace_iter_next(it)))
		count_record(v, r);
	trace_iter_free(it);
	info_apply_counters(v, t->dat);
	return v;
}

static void add_tally_lost(struct buf *b, const struct tally *t)
{
	buf_printf(b, "%" PRIu64, t->lost);
	if (t->lost_unknown)
		buf_addstr(b, " and an unknown number");
	if (t->overwritten)
		buf_printf(b, ", overwritten %" PRIu64, t->overwritten);
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

static void add_event_lines(struct buf *b, const struct trace *t, const struct buffer_info *bi)
{
	const struct ev_format *f;
	size_t i, n;
	struct event_count *v = info_counts(bi, &n);

	for (i = 0; i < n; i++) {
		f = ev_world_by_id(&t->world, v[i].type);
		buf_printf(b, "%16" PRIu64 "  ", v[i].records);
		if (!f) {
			buf_printf(b, "type %d, without a format\n", v[i].type);
			continue;
		}
		text_sanitise(b, f->system, strlen(f->system), false);
		buf_addch(b, ':');
		add_value_line(b, f->name, strlen(f->name));
	}
	free(v);
}

static void add_cpu_lines(struct buf *b, const struct dat_buffer *db, const struct buffer_info *bi)
{
	char name[32];
	size_t i;

	for (i = 0; i < db->nr_cpus; i++) {
		if (!db->cpus[i].size && !bi)
			continue;
		snprintf(name, sizeof(name), "CPU %d", db->cpus[i].cpu);
		add_key_column(b, 2, name);
		if (bi) {
			buf_printf(b, "%" PRIu64 " events, lost ", bi->cpus[i].records);
			add_tally_lost(b, &bi->cpus[i]);
			buf_addstr(b, ", ");
		}
		text_bytes(b, db->cpus[i].size);
		buf_addch(b, '\n');
	}
}

/* Returns the sum of @name over all CPUs in the kernel's statistics at the end of the recording. */
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

static void add_buffer_lines(struct buf *b, const struct trace *t, size_t nr,
			     struct buffer_info *bi)
{
	static const char *const stats[][2] = {
		{ "overrun: ", "overrun " }, { "dropped events: ", ", dropped " },
		{ "entries: ", ", left unread " },
	};
	static const char *const times[] = { "first", "last", "span" };
	const struct dat_buffer *db = &t->dat->buffers[nr];
	uint64_t bytes = 0;
	size_t i;

	for (i = 0; i < db->nr_cpus; i++)
		bytes += db->cpus[i].size;
	buf_addch(b, '\n');
	add_key_column(b, 0, "buffer");
	add_value_line(b, *db->name ? db->name : "top level", SIZE_MAX);
	add_key_column(b, 2, "data");
	add_byte_size(b, bytes);
	buf_printf(b, ", sub-buffers of %u bytes\n", db->layout.subbuf_size);
	if (bi) {
		add_key_column(b, 2, "events");
		buf_printf(b, "%" PRIu64 "\n", bi->sum.records);
		add_key_column(b, 2, "lost");
		add_tally_lost(b, &bi->sum);
		buf_addch(b, '\n');
	}
	for (i = 0; bi && bi->sum.records && i < 3; i++) {
		uint64_t ts = i == 0 ? bi->first_ts : i == 1 ? bi->last_ts :
			      bi->last_ts - bi->first_ts;

		add_key_column(b, 2, times[i]);
		if (t->clock_is_ns)
			buf_printf(b, "%" PRIu64 ".%09" PRIu64 "\n", ts / 1000000000,
				   ts % 1000000000);
		else
			buf_printf(b, "%" PRIu64 "\n", ts);
	}
	if (db->stats) {
		add_key_column(b, 2, "kernel says");
		for (i = 0; i < 3; i++)
			buf_printf(b, "%s%" PRIu64, stats[i][1],
				   info_stat_sum(db->stats, stats[i][0]));
		buf_addch(b, '\n');
	}
	add_cpu_lines(b, db, bi);
	if (bi)
		add_event_lines(b, t, bi);
}

void info_add_text(struct trace *t, struct buffer_info *v, struct buf *out)
{
	struct info_sums sums;
	size_t i;

	add_file_lines(out, t->dat);
	add_content_lines(out, t);
	if (v) {
		sums = info_verify(t->dat);
		add_key_column(out, 0, "checksums");
		if (!sums.ranges && !sums.bad)
			buf_addstr(out, "none in this file\n");
		else
			buf_printf(out, "%" PRIu64 " ranges, %s\n", sums.ranges,
				   sums.bad ? "DAMAGED" : "all correct");
	}
	for (i = 0; i < t->dat->nr_buffers; i++)
		add_buffer_lines(out, t, i, v ? &v[i] : NULL);
}

/* --- JSON */

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

static json_t *json_option_text(const struct dat *d, uint16_t id)
{
	const struct dat_option *o = dat_option(d, id);

	return o ? json_trimmed(o->data.p, o->data.len) : json_null();
}

static json_t *json_clock(const struct trace *t)
{
	const char *clock = t->dat->nr_buffers ? t->dat->buffers[0].clock : NULL;
	json_t *j = json_pack("{s:o, s:b, s:I}", "name",
			      clock && *clock ? json_bytes(clock, SIZE_MAX) : json_null(),
			      "nanoseconds", t->clock_is_ns, "added_ns", (json_int_t)t->ts_add_ns);

	if (t->tsc_mult) {
		json_object_set_new(j, "mult", json_count(t->tsc_mult));
		json_object_set_new(j, "shift", json_count(t->tsc_shift));
	}
	return j;
}

static json_t *json_wall(const struct dat *d, const char *name)
{
	char text[64], whole[80];
	struct tm tm;
	int64_t ns;
	time_t s;

	if (!info_wall_ns(d, name, &ns) || ns < 0)
		return json_null();
	s = ns / 1000000000;
	if (!gmtime_r(&s, &tm) || !strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm))
		return json_null();
	snprintf(whole, sizeof(whole), "%s.%09dZ", text, (int)(ns % 1000000000));
	return json_string(whole);
}

static json_t *json_latencies(struct dat *d)
{
	json_t *list = json_array(), *one;
	struct dat_latency l;
	const char *max;
	size_t at = 0, len;
	char *number;

	while (dat_latency_next(d, &at, &l)) {
		max = info_max_latency(d, &l, &len);
		number = max ? xstrndup(max, len) : NULL;
		one = json_pack("{s:o, s:o, s:o}", "buffer", json_bytes(l.buffer, SIZE_MAX), "us",
				number ? json_count(strtoull(number, NULL, 10)) : json_null(),
				"text_bytes", json_count(l.len));
		json_array_append_new(list, one);
		free(number);
	}
	return list;
}

static json_t *json_value_lines(const struct dat *d, const char *name, bool count)
{
	struct strv lines = {0};
	json_t *list;
	size_t i;

	info_value_lines(d, name, &lines);
	list = count ? json_count(lines.n) : json_array();
	for (i = 0; i < lines.n && !count; i++)
		json_array_append_new(list, json_trimmed(lines.v[i], SIZE_MAX));
	strv_release(&lines);
	return list;
}

/* Returns the session's values as an object. The first line counts if a key occurs twice. */
static json_t *json_session(const struct dat *d)
{
	const char *p = d->ftr_meta.p, *line, *eq;
	json_t *all = json_object();
	struct buf name = {0};
	size_t len;
	char *value;

	while (info_session_next(d, &p, &line, &len)) {
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
	return all;
}

static json_t *json_events(const struct trace *t, const struct buffer_info *bi)
{
	json_t *list = json_array(), *one;
	const struct ev_format *f;
	struct event_count *v;
	size_t i, n;

	v = info_counts(bi, &n);
	for (i = 0; i < n; i++) {
		f = ev_world_by_id(&t->world, v[i].type);
		one = json_pack("{s:o, s:o, s:i, s:o}",
				"system", f ? json_bytes(f->system, SIZE_MAX) : json_null(),
				"event", f ? json_bytes(f->name, SIZE_MAX) : json_null(),
				"type", (int)v[i].type, "count", json_count(v[i].records));
		json_array_append_new(list, one);
	}
	free(v);
	return list;
}

static void set_tally(json_t *j, const struct tally *t)
{
	json_object_set_new(j, "events", json_count(t->records));
	json_object_set_new(j, "lost", json_count(t->lost));
	json_object_set_new(j, "lost_unknown", json_boolean(t->lost_unknown));
	json_object_set_new(j, "overwritten", json_count(t->overwritten));
}

static json_t *json_cpus(const struct dat_buffer *db, const struct buffer_info *bi)
{
	json_t *list = json_array(), *one;
	size_t i;

	for (i = 0; i < db->nr_cpus; i++) {
		if (!db->cpus[i].size && !bi)
			continue;
		one = json_pack("{s:i, s:o}", "cpu", db->cpus[i].cpu, "bytes",
				json_count(db->cpus[i].size));
		if (bi)
			set_tally(one, &bi->cpus[i]);
		json_array_append_new(list, one);
	}
	return list;
}

static json_t *json_buffer(const struct trace *t, size_t nr, const struct buffer_info *bi)
{
	const struct dat_buffer *db = &t->dat->buffers[nr];
	bool any = bi && bi->sum.records;
	json_t *j, *kernel = json_null();
	uint64_t bytes = 0;
	size_t i;

	for (i = 0; i < db->nr_cpus; i++)
		bytes += db->cpus[i].size;
	if (db->stats)
		kernel = json_pack("{s:o, s:o, s:o}",
				   "overrun", json_count(info_stat_sum(db->stats, "overrun: ")),
				   "dropped",
				   json_count(info_stat_sum(db->stats, "dropped events: ")),
				   "unread", json_count(info_stat_sum(db->stats, "entries: ")));
	j = json_pack("{s:o, s:o, s:I, s:o, s:o}", "name", json_bytes(db->name, SIZE_MAX),
		      "bytes", json_count(bytes), "subbuf_bytes",
		      (json_int_t)db->layout.subbuf_size, "kernel", kernel,
		      "cpus", json_cpus(db, bi));
	if (!bi)
		return j;
	set_tally(j, &bi->sum);
	json_object_set_new(j, "first_ts", any ? json_count(bi->first_ts) : json_null());
	json_object_set_new(j, "last_ts", any ? json_count(bi->last_ts) : json_null());
	json_object_set_new(j, "by_event", json_events(t, bi));
	return j;
}

static json_t *json_content(struct trace *t)
{
	const struct dat_blob *oops = dat_text(t->dat, DAT_FTR_OOPS);
	json_t *options = json_array();
	struct ev_format *formats;
	struct option_count *v;
	struct dat *d = t->dat;
	size_t i, n;

	v = info_options(d, &n);
	for (i = 0; i < n; i++)
		json_array_append_new(options, json_pack("{s:s, s:i, s:i}",
			"name", dat_option_name(v[i].id), "id", (int)v[i].id,
			"count", (int)v[i].n));
	free(v);
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
			 "formats", json_count(ev_world_formats(&t->world, NULL, &formats)),
			 "symbols_bytes", json_count(dat_text(d, DAT_KALLSYMS)->len),
			 "prototypes_bytes", json_count(dat_text(d, DAT_FTR_PROTOS)->len),
			 "tasks", json_count(trace_nr_comms(t)),
			 "btf_bytes", json_count(dat_text(d, DAT_BTF_FILE)->len),
			 "max_latency", json_latencies(d),
			 "oops", oops->len ? json_bytes(oops->p, info_oops_line(oops)) :
			 json_null(),
			 "modules", json_value_lines(d, "modules", true),
			 "address_maps", json_count(info_address_maps(d)),
			 "build_ids", json_value_lines(d, "build_ids", false),
			 "options", options);
}

/*
 * Prints a line of JSON. The members are in the order of the text's lines. @v is NULL if records
 * were not read.
 */
static void info_print_json(struct trace *t, const struct buffer_info *v)
{
	struct dat *d = t->dat;
	json_t *all, *format, *content, *list;
	struct strv missing = {0};
	struct info_sums sums;
	const char *state = "finished";

	if (d->unfinished)
		state = d->whole ? "stream" : d->streamed ? "stream that is cut off" :
			"not finished";
	format = json_pack("{s:i, s:s, s:i, s:I, s:o}", "version", d->version,
			   "endian", d->big ? "big" : "little", "long_bytes", (int)d->long_size,
			   "page_bytes", (json_int_t)d->page_size,
			   "compression", json_trimmed(d->compression, 64));
	all = json_pack("{s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o}",
			"file", json_bytes(d->path, SIZE_MAX), "bytes", json_count(d->file_size),
			"format", format, "state", state,
			"kernel", json_option_text(d, DAT_UNAME),
			"recorded_by", json_option_text(d, DAT_VERSION), "clock", json_clock(t),
			"begin", t->has_wall ? json_wall(d, "wall_begin") : json_null(),
			"end", t->has_wall ? json_wall(d, "wall_end") : json_null(),
			"cpus", json_count(d->nr_cpus));
	content = json_content(t);
	json_object_update(all, content);
	json_decref(content);
	json_object_set_new(all, "session", json_session(d));
	info_missing(d, &missing);
	list = json_array();
	for (size_t i = 0; i < missing.n; i++)
		json_array_append_new(list, json_string(missing.v[i]));
	json_object_set_new(all, "missing", list);
	if (v) {
		sums = info_verify(d);
		json_object_set_new(all, "checksums", !sums.ranges && !sums.bad ? json_null() :
				    json_pack("{s:o, s:b}", "ranges", json_count(sums.ranges),
					      "right", !sums.bad));
	}
	list = json_array();
	for (size_t i = 0; i < d->nr_buffers; i++)
		json_array_append_new(list, json_buffer(t, i, v ? &v[i] : NULL));
	json_object_set_new(all, "buffers", list);
	json_dumpf(all, stdout, JSON_COMPACT | JSON_ENSURE_ASCII);
	putchar('\n');
	json_decref(all);
	strv_release(&missing);
}

/* --- the command */

static int info_file(const char *path, const struct info_opts *opts)
{
	struct ftr_error err = {0};
	struct trace *t = trace_open(path, &err);
	struct buffer_info *v = NULL;
	struct buf text = {0};
	int status;

	if (!t)
		return cmd_fail(&err);
	if (!opts->quick)
		v = read_records(t);
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
	status = cmd_damages(trace_damages(t));
	trace_close(t);
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
