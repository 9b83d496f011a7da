/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr info --json: what a trace file holds, as one object. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd/info.h"
#include "output/json/json_records.h"

/* Bytes from a file, to their NUL; those that are no UTF-8 as ftr report --json has them. */
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

/* The same without white space at its end. */
static json_t *json_trimmed(const char *s, size_t max)
{
	size_t n = s ? strnlen(s, max) : 0;

	while (n && (s[n - 1] == '\n' || s[n - 1] == ' '))
		n--;
	return json_bytes(s, n);
}

/* jansson's numbers have 63 bits: what is larger is a string. */
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

static json_t *json_format(const struct dat *d)
{
	return json_pack("{s:i, s:s, s:i, s:I, s:o}", "version", d->version, "endian",
			 d->big ? "big" : "little", "long_bytes", (int)d->long_size, "page_bytes",
			 (json_int_t)d->page_size, "compression", json_trimmed(d->compression, 64));
}

static const char *file_state(const struct dat *d)
{
	if (!d->unfinished)
		return "finished";
	return d->whole ? "stream" : d->streamed ? "stream that is cut off" : "not finished";
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

static json_t *json_options(const struct dat *d)
{
	json_t *list = json_array();
	struct option_count *v;
	size_t i, n;

	v = info_options(d, &n);
	for (i = 0; i < n; i++)
		json_array_append_new(list, json_pack("{s:s, s:i, s:i}",
						      "name", dat_option_name(v[i].id),
						      "id", (int)v[i].id, "count", (int)v[i].n));
	free(v);
	return list;
}

/* Of a name that is there twice the first line counts, as for ftr itself. */
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

static json_t *json_missing(struct dat *d)
{
	json_t *list = json_array();
	struct strv names = {0};

	info_missing(d, &names);
	for (size_t i = 0; i < names.n; i++)
		json_array_append_new(list, json_string(names.v[i]));
	strv_release(&names);
	return list;
}

static json_t *json_sums(struct dat *d)
{
	struct info_sums sums = info_verify(d);

	if (!sums.ranges && !sums.bad)
		return json_null();
	return json_pack("{s:o, s:b}", "ranges", json_count(sums.ranges), "right", !sums.bad);
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

static json_t *json_kernel_stat(const char *stats)
{
	if (!stats)
		return json_null();
	return json_pack("{s:o, s:o, s:o}",
			 "overrun", json_count(info_stat_sum(stats, "overrun: ")),
			 "dropped", json_count(info_stat_sum(stats, "dropped events: ")),
			 "unread", json_count(info_stat_sum(stats, "entries: ")));
}

static json_t *json_buffer(const struct trace *t, size_t nr, const struct buffer_info *bi)
{
	const struct dat_buffer *db = &t->dat->buffers[nr];
	bool any = bi && bi->sum.records;
	uint64_t bytes = 0;
	json_t *j;
	size_t i;

	for (i = 0; i < db->nr_cpus; i++)
		bytes += db->cpus[i].size;
	j = json_pack("{s:o, s:o, s:I, s:o, s:o}", "name", json_bytes(db->name, SIZE_MAX),
		      "bytes", json_count(bytes), "subbuf_bytes",
		      (json_int_t)db->layout.subbuf_size, "kernel", json_kernel_stat(db->stats),
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
	struct ev_format *formats;
	struct dat *d = t->dat;

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
			 "options", json_options(d));
}

static json_t *json_buffers(const struct trace *t, const struct buffer_info *v)
{
	json_t *list = json_array();

	for (size_t i = 0; i < t->dat->nr_buffers; i++)
		json_array_append_new(list, json_buffer(t, i, v ? &v[i] : NULL));
	return list;
}

/* The members stand in the order of the lines. */
static json_t *json_file(struct trace *t, const struct buffer_info *v)
{
	struct dat *d = t->dat;
	json_t *j, *content;

	j = json_pack("{s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o}",
		      "file", json_bytes(d->path, SIZE_MAX), "bytes", json_count(d->file_size),
		      "format", json_format(d), "state", file_state(d),
		      "kernel", json_option_text(d, DAT_UNAME),
		      "recorded_by", json_option_text(d, DAT_VERSION), "clock", json_clock(t),
		      "begin", t->has_wall ? json_wall(d, "wall_begin") : json_null(),
		      "end", t->has_wall ? json_wall(d, "wall_end") : json_null(),
		      "cpus", json_count(d->nr_cpus));
	content = json_content(t);
	json_object_update(j, content);
	json_decref(content);
	json_object_set_new(j, "session", json_session(d));
	json_object_set_new(j, "missing", json_missing(d));
	if (v)
		json_object_set_new(j, "checksums", json_sums(d));
	json_object_set_new(j, "buffers", json_buffers(t, v));
	return j;
}

void info_print_json(struct trace *t, const struct buffer_info *v)
{
	json_t *all = json_file(t, v);

	json_dumpf(all, stdout, JSON_COMPACT | JSON_ENSURE_ASCII);
	putchar('\n');
	json_decref(all);
}
