/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr info: what a trace file holds, what is missing in it, and whether it is sound. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/mem.h"
#include "base/search.h"
#include "base/text.h"
#include "cmd/frame/command.h"
#include "cmd/info.h"

#define KEY_WIDTH 14

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

/* A text from the file: to its NUL, without newlines at the end, safe for a terminal. */
static void add_value_line(struct buf *b, const char *text, size_t max)
{
	size_t len = text ? strnlen(text, max) : 0;

	while (len && (text[len - 1] == '\n' || text[len - 1] == ' '))
		len--;
	text_sanitise(b, text, len, false);
	buf_addch(b, '\n');
}

static void option_text(struct buf *b, const struct dat *d, uint16_t id, const char *name)
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

/* Where a file system can't cut holes out of a file, one of a killed run has them until recover. */
static void add_holes(struct buf *b, const struct dat *d)
{
	struct stat st;

	if (!d->unfinished || stat(d->path, &st) ||
	    (uint64_t)st.st_blocks * 512 > d->file_size / 2)
		return;
	buf_addstr(b, ", takes ");
	text_bytes(b, (uint64_t)st.st_blocks * 512);
	buf_addstr(b, " of the disk");
}

static void file_lines(struct buf *b, const struct dat *d)
{
	add_key_column(b, 0, "file");
	text_sanitise(b, d->path, strlen(d->path), false);
	buf_addstr(b, ", ");
	add_byte_size(b, d->file_size);
	add_holes(b, d);
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
	option_text(b, d, DAT_UNAME, "kernel");
	option_text(b, d, DAT_VERSION, "recorded by");
}

bool info_wall_ns(const struct dat *d, const char *name, int64_t *ns)
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

/* When it was recorded, by the pairs of clocks that ftr keeps. */
static void recorded_line(struct buf *b, const struct dat *d)
{
	int64_t begin, end;
	bool from = info_wall_ns(d, "wall_begin", &begin) && begin >= 0;

	add_key_column(b, 0, "recorded");
	if (from)
		add_wall(b, "", begin);
	if (info_wall_ns(d, "wall_end", &end) && end >= 0)
		add_wall(b, from ? " to " : "until ", end);
	buf_addstr(b, " UTC\n");
}

static void clock_line(struct buf *b, const struct trace *t)
{
	const char *clock = t->dat->nr_buffers ? t->dat->buffers[0].clock : NULL;

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
	if (t->has_wall)
		recorded_line(b, t->dat);
}

struct option_count *info_options(const struct dat *d, size_t *n)
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

static void options_line(struct buf *b, const struct dat *d)
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

char *info_unescape(const char *v, size_t n)
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

void info_value_lines(const struct dat *d, const char *name, struct strv *out)
{
	size_t len;
	const char *v = dat_ftr_value(d, name, &len);
	char *text = v ? info_unescape(v, len) : NULL;

	if (text)
		strv_split(out, text, "\n");
	free(text);
}

/* The colon only belongs to the first line. */
static void list_key(struct buf *b, const char *name, bool first)
{
	add_key_column(b, 0, first ? name : "");
	if (!first)
		b->data[b->len - KEY_WIDTH - 2] = ' ';
}

size_t info_address_maps(const struct dat *d)
{
	size_t i, n = 0;

	for (i = 0; i < d->nr_options; i++)
		n += d->options[i].id == DAT_PROCMAPS;
	return n;
}

/* What modules were there, and of which files the user's addresses are. */
static void object_lines(struct buf *b, const struct dat *d)
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
		list_key(b, "build-ids", !i);
		add_value_line(b, lines.v[i], SIZE_MAX);
	}
	strv_release(&lines);
}

const char *info_max_latency(const struct dat *d, const struct dat_latency *l, size_t *len)
{
	char *name = xasprintf("max_latency%s%s", *l->buffer ? "." : "", l->buffer);
	const char *max = dat_ftr_value(d, name, len);

	free(name);
	return max;
}

/* What tracers keep of the longest latency; in microseconds, as the kernel has it. */
static void latency_lines(struct buf *b, struct dat *d)
{
	struct dat_latency l;
	const char *max;
	size_t at = 0, len;
	bool first;

	for (first = true; dat_latency_next(d, &at, &l); first = false) {
		list_key(b, "max latency", first);
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

/* The kernel's log has at most so much in a line: LOG_LINE_MAX. */
#define OOPS_LINE 1024

size_t info_oops_line(const struct dat_blob *text)
{
	size_t len = text->len < OOPS_LINE ? text->len : OOPS_LINE;
	const char *end = len ? memchr(text->p, '\n', len) : NULL;

	return end ? (size_t)(end - text->p) : len;
}

/* All of it is for ftr oops show. */
static void oops_line(struct buf *b, struct dat *d)
{
	const struct dat_blob *text = dat_text(d, DAT_FTR_OOPS);

	if (!text->len)
		return;
	add_key_column(b, 0, "oops");
	text_sanitise(b, text->p, info_oops_line(text), false);
	buf_addch(b, '\n');
}

/* Their lines stand elsewhere. */
static bool shown_apart(const char *p, size_t len)
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

bool info_session_next(const struct dat *d, const char **p, const char **line, size_t *len)
{
	const char *end = d->ftr_meta.p ? d->ftr_meta.p + d->ftr_meta.len : NULL, *nl;

	while (*p < end) {
		nl = memchr(*p, '\n', end - *p);
		*line = *p;
		*len = (nl ? nl : end) - *p;
		*p = nl ? nl + 1 : end;
		if (*len && !shown_apart(*line, *len))
			return true;
	}
	return false;
}

/* ftr's own "key=value" lines. */
static void meta_lines(struct buf *b, const struct dat *d)
{
	const char *p = d->ftr_meta.p, *line;
	bool first = true;
	size_t len;

	for (; info_session_next(d, &p, &line, &len); first = false) {
		list_key(b, "session", first);
		add_value_line(b, line, len);
	}
}

static void add_missing(struct strv *out, bool absent, const char *what)
{
	if (absent)
		strv_add(out, what);
}

void info_missing(struct dat *d, struct strv *out)
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

static void missing_line(struct buf *b, struct dat *d)
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

static void content_lines(struct buf *b, struct trace *t)
{
	struct ev_format *formats;
	struct dat *d = t->dat;
	size_t i;

	clock_line(b, t);
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
	latency_lines(b, d);
	oops_line(b, d);
	object_lines(b, d);
	options_line(b, d);
	meta_lines(b, d);
	missing_line(b, d);
}

struct info_sums info_verify(struct dat *d)
{
	struct info_sums sums = { .ranges = dat_verify(d) };

	for (size_t i = 0; i < d->damages.n; i++)
		sums.bad |= !!strstr(d->damages.v[i].kind, "checksum");
	return sums;
}

static void sums_line(struct buf *b, struct dat *d)
{
	struct info_sums sums = info_verify(d);

	add_key_column(b, 0, "checksums");
	if (!sums.ranges && !sums.bad)
		buf_addstr(b, "none in this file\n");
	else
		buf_printf(b, "%" PRIu64 " ranges, %s\n", sums.ranges,
			   sums.bad ? "DAMAGED" : "all correct");
}

static void tally_count(struct tally *t, const struct trace_rec *r)
{
	t->records += r->rec.data != NULL;
	if (r->lost == RING_LOST_UNKNOWN)
		t->lost_unknown = true;
	else
		t->lost += r->lost;
}

/* Mostly that of the record before; CPUs are in order. */
static size_t cpu_index(const struct dat_buffer *b, size_t likely, int cpu)
{
	if (b->cpus[likely].cpu == cpu)
		return likely;
	return SEARCH_LAST(i, 0, b->nr_cpus, b->cpus[i].cpu <= cpu);
}

static void count_record(struct buffer_info *v, const struct trace_rec *r)
{
	struct buffer_info *bi = &v[r->buffer];
	const struct dat_buffer *b = &r->trace->dat->buffers[r->buffer];

	bi->cpu = cpu_index(b, bi->cpu, r->cpu);
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

static void free_records(struct buffer_info *v, size_t n)
{
	size_t i;

	for (i = 0; v && i < n; i++) {
		free(v[i].cpus);
		map_release(&v[i].types);
	}
	free(v);
}

static void add_tally_lost(struct buf *b, const struct tally *t)
{
	buf_printf(b, "%" PRIu64, t->lost);
	if (t->lost_unknown)
		buf_addstr(b, " and an unknown number");
	if (t->overwritten)
		buf_printf(b, ", overwritten %" PRIu64, t->overwritten);
}

static void add_ts(struct buf *b, const struct trace *t, uint64_t ts)
{
	if (t->clock_is_ns)
		buf_printf(b, "%" PRIu64 ".%09" PRIu64, ts / 1000000000, ts % 1000000000);
	else
		buf_printf(b, "%" PRIu64, ts);
}

static void time_lines(struct buf *b, const struct trace *t, const struct buffer_info *bi)
{
	static const char *const names[] = { "first", "last", "span" };
	uint64_t v[] = { bi->first_ts, bi->last_ts, bi->last_ts - bi->first_ts };
	size_t i;

	for (i = 0; bi->sum.records && i < 3; i++) {
		add_key_column(b, 2, names[i]);
		add_ts(b, t, v[i]);
		buf_addch(b, '\n');
	}
}

static int by_count(const void *a, const void *b)
{
	const struct event_count *x = a, *y = b;

	if (x->records != y->records)
		return x->records < y->records ? 1 : -1;
	return x->type - y->type;
}

static void event_line(struct buf *b, const struct trace *t, const struct event_count *e)
{
	const struct ev_format *f = ev_world_by_id(&t->world, e->type);

	buf_printf(b, "%16" PRIu64 "  ", e->records);
	if (!f) {
		buf_printf(b, "type %d, without a format\n", e->type);
		return;
	}
	text_sanitise(b, f->system, strlen(f->system), false);
	buf_addch(b, ':');
	add_value_line(b, f->name, strlen(f->name));
}

struct event_count *info_counts(const struct buffer_info *bi, size_t *n)
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

static void event_lines(struct buf *b, const struct trace *t, const struct buffer_info *bi)
{
	size_t i, n;
	struct event_count *v = info_counts(bi, &n);

	for (i = 0; i < n; i++)
		event_line(b, t, &v[i]);
	free(v);
}

static void cpu_lines(struct buf *b, const struct dat_buffer *db, const struct buffer_info *bi)
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

uint64_t info_stat_sum(const char *stats, const char *name)
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

static void kernel_stat_line(struct buf *b, const char *stats)
{
	static const char *const names[] = { "overrun: ", "dropped events: ", "entries: " };
	static const char *const words[] = { "overrun ", ", dropped ", ", left unread " };
	size_t i;

	if (!stats)
		return;
	add_key_column(b, 2, "kernel says");
	for (i = 0; i < 3; i++)
		buf_printf(b, "%s%" PRIu64, words[i], info_stat_sum(stats, names[i]));
	buf_addch(b, '\n');
}

static void buffer_lines(struct buf *b, const struct trace *t, size_t nr, struct buffer_info *bi)
{
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
		time_lines(b, t, bi);
	}
	kernel_stat_line(b, db->stats);
	cpu_lines(b, db, bi);
	if (bi)
		event_lines(b, t, bi);
}

void info_add_text(struct trace *t, struct buffer_info *v, struct buf *out)
{
	size_t i;

	file_lines(out, t->dat);
	content_lines(out, t);
	if (v)
		sums_line(out, t->dat);
	for (i = 0; i < t->dat->nr_buffers; i++)
		buffer_lines(out, t, i, v ? &v[i] : NULL);
}

static void print_lines(struct trace *t, struct buffer_info *v)
{
	struct buf b = {0};

	info_add_text(t, v, &b);
	fwrite(b.data, 1, b.len, stdout);
	buf_release(&b);
}

static int info_file(const char *path, const struct info_opts *opts)
{
	struct ftr_error err = {0};
	struct trace *t = trace_open(path, &err);
	struct buffer_info *v = NULL;
	int status;

	if (!t)
		return cmd_fail(&err);
	if (!opts->quick)
		v = read_records(t);
	if (opts->json)
		info_print_json(t, v);
	else
		print_lines(t, v);
	free_records(v, t->dat->nr_buffers);
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
