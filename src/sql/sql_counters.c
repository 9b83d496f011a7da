/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters with Perfetto's names: frequencies and idle states of CPUs, memory of processes, and the
 * marks C of programs. A counter's number is the order of its first record, in each scan the same.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "model/markers.h"
#include "sql/sql_intervals.h"
#include "sql/sql_scan.h"

enum counter_of { COUNTER_CPU, COUNTER_PROCESS, COUNTER_MACHINE };

/* An event with values. */
struct counter_event {
	const char *system, *event;
	const char *name, *type;	/* in counter_track; ->name follows the text of ->field */
	const char *value;		/* field of the value */
	enum counter_of of;
	const char *field;		/* the CPU, or a part of the name */
	const char *const *members;	/* names by the number in ->field, or NULL */
	enum value_unit unit;
};

#define MEMBERS 4
/* mm_counter of include/linux/mm_types_task.h */
static const char *const rss_members[MEMBERS] = {
	"mem.rss.file", "mem.rss.anon", "mem.swap", "mem.rss.shmem",
};

static const struct counter_event counter_events[] = {
	{ "power", "cpu_frequency", "cpufreq", "cpu_frequency", "state", COUNTER_CPU, "cpu_id",
	  NULL, UNIT_KHZ },
	{ "power", "cpu_idle", "cpuidle", "cpu_idle", "state", COUNTER_CPU, "cpu_id", NULL,
	  UNIT_NONE },
	{ "power", "clock_set_rate", " Frequency", "clock_frequency", "state", COUNTER_MACHINE,
	  "name", NULL, UNIT_HZ },
	{ "kmem", "rss_stat", NULL, "process_memory", "size", COUNTER_PROCESS, "member",
	  rss_members, UNIT_BYTES },
};

#define EVENTS (sizeof(counter_events) / sizeof(*counter_events))

/* The counters met so far. */
struct counter_list {
	struct counter_track *v;
	size_t n, cap;
	struct textmap numbers;		/* file, scope and name -> 1 + place in ->v */
	struct string_pool names;
	struct map mm_owners;		/* rss_stat: file and mm_id -> 1 + utid */
	struct buf key;
};

struct counters_view {
	struct counter_list list;
	const struct ev_format **formats;	/* EVENTS for each file, or NULL */
	struct buf name;
};

static void counter_list_release(struct counter_list *l)
{
	free(l->v);
	textmap_release(&l->numbers);
	texts_release(&l->names);
	map_release(&l->mm_owners);
	buf_release(&l->key);
}

/* Returns the number of the counter; it is added if it is new. */
static size_t counter_number(struct counter_list *l, const struct counter_track *track,
			     const char *name, size_t len)
{
	size_t number;

	buf_reset(&l->key);
	buf_printf(&l->key, "%u %d %lld %s ", track->file, track->cpu, (long long)track->upid,
		   track->type);
	buf_add(&l->key, name, len);
	number = (uintptr_t)textmap_get(&l->numbers, l->key.data, l->key.len);
	if (number)
		return number - 1;
	l->v = xgrow(l->v, &l->cap, l->n + 1, sizeof(*l->v));
	l->v[l->n] = *track;
	l->v[l->n].name = texts_add(&l->names, name, len);
	textmap_put(&l->numbers, l->key.data, l->key.len, (void *)(uintptr_t)(l->n + 1));
	return l->n++;
}

/* --- counter: values */

enum counter_column {
	COUNTER_ID, COUNTER_TS, COUNTER_TRACK, COUNTER_VALUE, COUNTER_NAME, COUNTER_UNIT,
	COUNTER_ARGS, COUNTER_FILE,
};

static const struct sql_column counter_columns[] = {
	{ "id", SQL_INTEGER, "number of the value, in the order of time", 0 },
	{ "ts", SQL_INTEGER, "time of the value", SQL_TESTED | SQL_TIME },
	{ "track_id", SQL_INTEGER, "counter, as in table counter_track", 0 },
	{ "value", SQL_REAL, "value, in the unit of its counter", 0 },
	{ "name", SQL_TEXT, "name of the counter", 0 },
	{ "unit", SQL_TEXT, "unit of the value: kHz, Hz, bytes; NULL: it has none", SQL_HIDDEN },
	{ "arg_set_id", SQL_INTEGER, "NULL: values have no args", SQL_HIDDEN },
	{ "file", SQL_TEXT, "file", SQL_HIDDEN },
};

static struct counters_view *counters_of(struct interval_scan *s)
{
	struct counters_view *v = s->view;

	if (v->formats)
		return v;
	v->formats = xcalloc(s->db->n * EVENTS + 1, sizeof(*v->formats));
	for (size_t i = 0; i < s->db->n; i++)
		for (size_t k = 0; k < EVENTS; k++)
			v->formats[i * EVENTS + k] =
				event_meta_find_name(&s->db->traces[i]->meta,
						     counter_events[k].system,
						     counter_events[k].event);
	return v;
}

static void add_value(struct interval_scan *s, const struct counter_track *track, const char *name,
		      size_t len, double value, const struct trace_rec *r)
{
	struct counters_view *v = s->view;
	size_t number = counter_number(&v->list, track, name, len);
	struct sql_cell *c = interval_add(s);

	cell_set_integer(&c[COUNTER_ID], s->last_id++);
	cell_set_integer(&c[COUNTER_TS], r->ts);
	cell_set_integer(&c[COUNTER_TRACK], track_id(TRACK_COUNTER, number));
	cell_set_real(&c[COUNTER_VALUE], value);
	interval_set_word(&c[COUNTER_NAME], v->list.v[number].name);
	if (track->unit)
		interval_set_word(&c[COUNTER_UNIT], track->unit);
	interval_set_file(s, &c[COUNTER_FILE], r->file);
}

/* Returns the process of a task, or the task itself if the file does not have its process. */
static int64_t process_of(struct sql_db *db, int64_t utid)
{
	int64_t upid = sql_upid(db, utid);

	return upid >= 0 ? upid : utid;
}

/*
 * Finds the process whose memory a rss_stat counts. Another task can change it, and then curr is 0:
 * the owner of the mm_id is known from its own records. Older kernels have neither field.
 */
static bool find_owner(struct interval_scan *s, struct counters_view *v, const struct task *t,
		       const struct trace_rec *r, int64_t *upid)
{
	uint64_t curr = 1, mm = 0, key, owner;
	bool has_mm = record_number(r, "mm_id", &mm);

	record_number(r, "curr", &curr);
	key = (uint64_t)r->file << 32 | (uint32_t)mm;
	if (!curr) {
		owner = (uintptr_t)map_get(&v->list.mm_owners, key);
		if (!owner)
			return false;
		*upid = process_of(s->db, owner - 1);
		return true;
	}
	if (has_mm)
		map_put(&v->list.mm_owners, key, (void *)(uintptr_t)(t->id + 1ull));
	*upid = process_of(s->db, t->id);
	return true;
}

/* Sets ->name to the counter's name. Returns false if the record has none. */
static bool find_name(struct counters_view *v, const struct counter_event *e,
		      const struct trace_rec *r)
{
	const struct ev_field *f = ev_field(r->rec.fmt, e->field);
	const uint8_t *p;
	uint64_t member;
	uint32_t len;

	buf_reset(&v->name);
	if (e->of == COUNTER_CPU) {
		buf_addstr(&v->name, e->name);
	} else if (e->members) {
		if (!record_number(r, e->field, &member) || member >= MEMBERS)
			return false;
		buf_addstr(&v->name, e->members[member]);
	} else {
		if (!f || !ev_get_bytes(&r->rec, f, &p, &len))
			return false;
		text_sanitise(&v->name, (const char *)p, strnlen((const char *)p, len), false);
		buf_addstr(&v->name, e->name);
	}
	return true;
}

static void see_value(struct interval_scan *s, struct counters_view *v,
		      const struct counter_event *e, const struct task *t,
		      const struct trace_rec *r)
{
	struct counter_track track = { .type = e->type, .unit = unit_name(e->unit, false),
				       .file = r->file, .cpu = -1, .upid = -1 };
	const struct ev_field *f;
	uint64_t value, cpu;

	if (ev_format_ready(r->rec.fmt) || !find_name(v, e, r))
		return;
	f = ev_field(r->rec.fmt, e->value);
	if (!f || !ev_get_num(&r->rec, f, &value))
		return;
	if (e->of == COUNTER_CPU) {
		if (!record_number(r, e->field, &cpu))
			return;
		track.cpu = (int)(cpu & INT32_MAX);
	} else if (e->of == COUNTER_PROCESS && !find_owner(s, v, t, r, &track.upid)) {
		return;
	}
	add_value(s, &track, v->name.data, v->name.len,
		  f->is_signed ? (double)(int64_t)value : (double)value, r);
}

static void see_record(void *ctx, struct task *t, const struct trace_rec *r)
{
	struct interval_scan *s = ctx;
	struct counters_view *v = counters_of(s);
	const struct ev_format **formats = v->formats + r->file * EVENTS;

	for (size_t i = 0; r->rec.fmt && i < EVENTS; i++)
		if (formats[i] == r->rec.fmt)
			see_value(s, v, &counter_events[i], t, r);
}

/* The PID of a mark is that of a process. */
static void see_mark(void *ctx, struct task *t, const struct marker_fields *k,
		     const struct trace_rec *r)
{
	struct interval_scan *s = ctx;
	struct counters_view *v = counters_of(s);
	struct counter_track track = {
		.type = "atrace_counter", .file = r->file, .cpu = -1, .upid = -1,
	};

	if (k->letter != 'C')
		return;
	track.upid = k->tgid > 0 ? sql_utid(s->db, r->file, k->tgid, 0, r->ts) : -1;
	if (track.upid < 0)
		track.upid = process_of(s->db, t->id);
	buf_reset(&v->name);
	buf_addstr(&v->name, "");
	text_sanitise(&v->name, k->name, k->len, false);
	add_value(s, &track, v->name.data, v->name.len,
		  k->is_real ? k->real : (double)k->number, r);
}

static void release_counters(struct interval_scan *s)
{
	struct counters_view *v = s->view;

	counter_list_release(&v->list);
	free(v->formats);
	buf_release(&v->name);
}

#define ROWS(a) (sizeof(a) / sizeof(*(a)))
#define COUNTERS(word, text) \
	{ .name = word, .about = text, .columns = counter_columns, \
	  .nr_columns = ROWS(counter_columns), .kinds = 1u << SPAN_MARKER, \
	  .ops = { .event = see_record, .marked = see_mark }, \
	  .view_bytes = sizeof(struct counters_view), .release = release_counters }

static const struct interval_kind kinds[] = {
	COUNTERS("counter", "values of counters: frequencies, idle states, memory, marks C"),
	COUNTERS("counters", "the same as counter"),
};

/* --- the counters themselves */

struct sql_counters {
	struct counter_list list;
	bool is_part;			/* the query was ended while it was made */
};

/* Keeps the counters of a scan of the table counter that has reached its end. */
static void keep_counters(void *ctx, struct interval_scan *s)
{
	struct sql_counters *all = ctx;
	struct counters_view *v = s->view;

	all->list = v->list;
	v->list = (struct counter_list){0};
}

const struct counter_track *sql_counter_tracks(struct sql_db *db, size_t *n)
{
	struct sql_counters *all = db->counters;

	if (!all || all->is_part) {
		sql_counters_free(all);
		db->counters = all = xcalloc(1, sizeof(*all));
		interval_run(db, &kinds[0], keep_counters, all);
		all->is_part = db->is_interrupted;
	}
	*n = all->list.n;
	return all->list.v;
}

void sql_counters_free(struct sql_counters *c)
{
	if (!c)
		return;
	counter_list_release(&c->list);
	free(c);
}

int sql_add_counters(struct sql_db *db, struct ftr_error *err)
{
	return interval_add_kinds(db, kinds, ROWS(kinds), err);
}
