/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Descriptions of values for programs: the units of fields, and the members of JSON lines. */
#include "output/json/json_schema.h"

#include <string.h>

#include "base/map.h"
#include "output/json/json_records.h"
#include "trace/filter.h"

#define ROWS(a) (sizeof(a) / sizeof(*(a)))

/* --- units */

const char *unit_name(enum value_unit u, bool clock_is_ns)
{
	static const char *const names[] = {
		[UNIT_NS] = "ns", [UNIT_BYTES] = "bytes", [UNIT_SECTORS] = "512-byte sectors",
		[UNIT_KHZ] = "kHz", [UNIT_HZ] = "Hz", [UNIT_JIFFIES] = "jiffies",
		[UNIT_MILLIDEGREES] = "0.001 degrees Celsius",
	};

	if (u == UNIT_TIME)
		return clock_is_ns ? "ns" : "units of the clock";
	return names[u];
}

/* include/trace/events: sched.h, kmem.h, block.h, net.h, power.h, timer.h, thermal.h */
static const struct {
	const char *event, *field;	/* globs */
	enum value_unit unit;
} field_units[] = {
	{ "sched_stat_*", "delay", UNIT_NS },
	{ "sched_stat_runtime", "*runtime", UNIT_NS },
	{ "km[ae][lm]*", "bytes_*", UNIT_BYTES },
	{ "rss_stat", "size", UNIT_BYTES },
	{ "block_rq_*", "bytes", UNIT_BYTES },
	{ "block_io_*", "bytes", UNIT_BYTES },
	{ "block_rq_*", "*sector", UNIT_SECTORS },
	{ "block_io_*", "*sector", UNIT_SECTORS },
	{ "block_bio_*", "*sector", UNIT_SECTORS },
	{ "block_split", "*sector", UNIT_SECTORS },
	{ "net*", "len", UNIT_BYTES },
	{ "net*", "data_len", UNIT_BYTES },
	{ "net*", "truesize", UNIT_BYTES },
	{ "cpu_frequency", "state", UNIT_KHZ },
	{ "cpu_frequency_limits", "*_freq", UNIT_KHZ },
	{ "clock_set_rate", "state", UNIT_HZ },
	{ "timer_start", "expires", UNIT_JIFFIES },
	{ "timer_*", "now", UNIT_JIFFIES },
	{ "hrtimer_*", "*expires", UNIT_NS },
	{ "hrtimer_*", "now", UNIT_NS },
	{ "thermal_temperature", "temp*", UNIT_MILLIDEGREES },
	{ "funcgraph_exit", "calltime", UNIT_NS },
	{ "funcgraph_exit", "rettime", UNIT_NS },
};

static bool is_matched(const char *glob, const char *text)
{
	return glob_match(glob, strlen(glob), text, strlen(text), false);
}

enum value_unit field_unit(const struct ev_format *fmt, const struct ev_field *f)
{
	for (size_t i = 0; i < ROWS(field_units); i++)
		if (is_matched(field_units[i].event, fmt->name) &&
		    is_matched(field_units[i].field, f->name))
			return field_units[i].unit;
	return UNIT_NONE;
}

json_t *json_text_of(const char *text)
{
	struct buf b = {0};
	json_t *v;

	json_add_utf8(&b, text, strlen(text));
	v = json_stringn(b.len ? b.data : "", b.len);
	buf_release(&b);
	return v;
}

/* --- the members of a line */

static const struct json_member {
	const char *name, *type, *about;
	enum value_unit unit;
	enum { MEMBER_ALWAYS, MEMBER_OPTIONAL, MEMBER_OF_TEXT } when;
} members[] = {
	{ "ts", "integer", "time stamp", UNIT_TIME, MEMBER_ALWAYS },
	{ "time", "string", "time of day in UTC, if the file has it", UNIT_NONE, MEMBER_OPTIONAL },
	{ "file", "string", "file, if several are read", UNIT_NONE, MEMBER_OPTIONAL },
	{ "buffer", "string", "instance, empty for the top level; if a file has instances",
	  UNIT_NONE, MEMBER_OPTIONAL },
	{ "cpu", "integer", "CPU that recorded it", UNIT_NONE, MEMBER_ALWAYS },
	{ "pid", "integer", "pid of the task; null if the record is too short", UNIT_NONE,
	  MEMBER_OPTIONAL },
	{ "comm", "string", "name of the task; null if the record is too short", UNIT_NONE,
	  MEMBER_OPTIONAL },
	{ "system", "string", "system of the event", UNIT_NONE, MEMBER_OPTIONAL },
	{ "event", "string", "name of the event; null if it has no format", UNIT_NONE,
	  MEMBER_OPTIONAL },
	{ "flags", "string", "five letters: interrupts off, need-resched, context, preempt count, "
	  "migrate-disable count", UNIT_NONE, MEMBER_OPTIONAL },
	{ "fields", "object", "fields of the event, see events", UNIT_NONE, MEMBER_OPTIONAL },
	{ "type", "integer", "number of an event without a format", UNIT_NONE, MEMBER_OPTIONAL },
	{ "bytes", "string", "record of an event without a format, in hexadecimal", UNIT_NONE,
	  MEMBER_OPTIONAL },
	{ "lost", "integer", "number of events that were lost before this time; null: unknown",
	  UNIT_NONE, MEMBER_OPTIONAL },
	{ "text", "string", "text of the event", UNIT_NONE, MEMBER_OF_TEXT },
};

static void set_unit(json_t *o, enum value_unit u, bool clock_is_ns)
{
	const char *name = unit_name(u, clock_is_ns);

	if (name)
		json_object_set_new(o, "unit", json_string(name));
}

static json_t *list_members(bool clock_is_ns, bool text)
{
	json_t *list = json_array(), *o;

	for (size_t i = 0; i < ROWS(members); i++) {
		const struct json_member *m = &members[i];

		if (m->when == MEMBER_OF_TEXT && !text)
			continue;
		o = json_pack("{s:s, s:s, s:s}", "name", m->name, "type", m->type, "about",
			      m->about);
		set_unit(o, m->unit, clock_is_ns);
		if (m->when != MEMBER_ALWAYS)
			json_object_set_new(o, "optional", json_true());
		json_array_append_new(list, o);
	}
	return list;
}

/* --- the fields of events */

/* The events and fields that were met, and the list of all events. */
struct schema_events {
	json_t *list;
	struct textmap met;		/* "system:event" -> its fields; "system:event field" */
	struct buf key;
};

/* Returns the value of the key "@event @field", and makes it @val if there is none. */
static void *met_or_put(struct schema_events *e, const char *field, void *val)
{
	size_t len = e->key.len;
	void *had;

	buf_printf(&e->key, " %s", field);
	had = textmap_get(&e->met, e->key.data, e->key.len);
	if (!had)
		textmap_put(&e->met, e->key.data, e->key.len, val);
	e->key.len = len;
	return had;
}

static void add_fields(struct schema_events *e, json_t *fields, const struct trace *t,
		       const struct ev_format *fmt)
{
	static const char *const types[] = {
		[AS_NUMBER] = "integer", [AS_NUMBERS] = "array of integers",
		[AS_STRING] = "string", [AS_HEX] = "string in hexadecimal",
	};
	uint32_t size;

	for (size_t i = 0; i < fmt->nr_fields; i++) {
		const struct ev_field *f = &fmt->fields[i];
		json_t *o;

		if (!ev_field_shown(f) || met_or_put(e, f->name, fields))
			continue;
		o = json_pack("{s:o, s:s, s:o}", "name", json_text_of(f->name), "type",
			      types[json_field_kind(f, t->dat->long_size, &size)], "c_type",
			      json_text_of(f->type));
		set_unit(o, field_unit(fmt, f), t->clock_is_ns);
		json_array_append_new(fields, o);
	}
}

static void add_event(struct schema_events *e, const struct trace *t, const struct ev_format *fmt)
{
	json_t *fields;

	buf_reset(&e->key);
	buf_printf(&e->key, "%s:%s", fmt->system, fmt->name);
	fields = textmap_get(&e->met, e->key.data, e->key.len);
	if (!fields) {
		fields = json_array();
		json_array_append_new(e->list, json_pack("{s:o, s:o, s:o}",
			"system", json_text_of(fmt->system), "event", json_text_of(fmt->name),
			"fields", fields));
		textmap_put(&e->met, e->key.data, e->key.len, fields);
	}
	add_fields(e, fields, t, fmt);
}

json_t *json_lines_schema(struct trace *const *traces, size_t n, bool text)
{
	struct schema_events e = { .list = json_array() };
	struct ev_format *v;

	for (size_t i = 0; i < n; i++) {
		size_t nr = event_meta_formats(&traces[i]->meta, NULL, &v);

		for (size_t k = 0; k < nr; k++)
			if (!ev_format_ready(&v[k]))
				add_event(&e, traces[i], &v[k]);
	}
	textmap_release(&e.met);
	buf_release(&e.key);
	return json_pack("{s:o, s:o}", "members",
			 list_members(n && traces[0]->clock_is_ns, text), "events", e.list);
}
