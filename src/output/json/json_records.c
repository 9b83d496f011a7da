/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records as JSON lines. */
#include "output/json/json_records.h"

#include <stdlib.h>
#include <time.h>

#include "base/poke.h"
#include "output/fgraph_text.h"
#include "output/json/json_fields.h"
#include "output/line_source.h"

#define IDS	   65536
#define TASK_BITS  8
#define TASK_TEXT  110
#define FLAGS_LEN  5
#define SECOND_LEN 19		/* seconds of 2^64 ns end in the year 2554 */
#define NS	   1000000000u
#define TIME_ROOM  (sizeof("{\"ts\":,\"time\":\"") + JSON_NUMBER_ROOM + 48)

/* What stays the same for all records of one event. */
struct json_event {
	struct json_event *next;	/* of those of one file */
	struct ev_latency latency;
	bool   fgraph;
	struct json_fields fields;
	struct buf head;		/* ',"system":"sched",...,"flags":"', for poke_text() */
};

/* What stays the same for all records of one file. */
struct json_file {
	struct fgraph fgraph;
	struct json_event **events;	/* by event id, those that were met */
	struct json_event *met;
	char **sources;			/* of each buffer: ',"file":"a.dat","buffer":"one"' */
	size_t nr_buffers;
};

/* The members from file to comm, of one task on one CPU. */
struct json_task {
	int      cpu, pid;
	uint16_t file, buffer;
	uint8_t  used, len;
	char     text[TASK_TEXT + 4];
};
_Static_assert(sizeof(struct json_task) == 128, "a slot is two cache lines");

struct json {
	struct json_task tasks[1u << TASK_BITS];
	struct json_file *files;
	size_t nr_files;
	char   flags[256][4];		/* three letters each */
	char   counts[256][4];		/* two */
	uint64_t second;		/* since 1970, whose text this is */
	char   second_text[32];		/* "2026-11-24T23:15:00", for poke_text() */
	struct buf task_text;		/* of one that does not fit its slot */
};

/* --- what is made once */

static void add_member(struct buf *b, const char *name, const char *value)
{
	buf_printf(b, ",\"%s\":", name);
	json_add_string(b, value, strlen(value));
}

static __attribute__((noinline)) struct json_event *new_json_event(struct json_file *f,
								   const struct trace_rec *r)
{
	const struct ev_format *fmt = r->rec.fmt;
	struct json_event *e = xcalloc(1, sizeof(*e));

	add_member(&e->head, "system", fmt->system);
	add_member(&e->head, "event", fmt->name);
	buf_addstr(&e->head, ",\"flags\":\"");
	buf_reserve(&e->head, POKE_TEXT_ROOM(0));
	json_fields_init(&e->fields, fmt, r->rec.long_size);
	ev_latency_of(&r->trace->world, fmt, &e->latency);
	e->fgraph = fgraph_has(&f->fgraph, fmt);
	e->next = f->met;
	f->met = e;
	f->events[fmt->id] = e;
	return e;
}

/* Which file, where there are several, and which instance, where there are any. */
static void make_sources(struct json_file *f, const struct out *o, const struct dat *d)
{
	bool instances = out_has_instances(o);
	struct buf b = {0};
	size_t i;

	f->nr_buffers = d->nr_buffers;
	f->sources = xcalloc(d->nr_buffers + 1, sizeof(*f->sources));
	for (i = 0; i < d->nr_buffers; i++) {
		buf_add(&b, "", 0);
		if (o->nr_traces > 1)
			add_member(&b, "file", d->path);
		if (instances)
			add_member(&b, "buffer", d->buffers[i].name);
		f->sources[i] = buf_take(&b);
	}
}

static void json_begin(struct out *o)
{
	struct json *x = xcalloc(1, sizeof(*x));
	char letters[6];
	size_t i;

	x->nr_files = o->nr_traces;
	x->files = xcalloc(x->nr_files + 1, sizeof(*x->files));
	for (i = 0; i < x->nr_files; i++) {
		fgraph_init(&x->files[i].fgraph, o->traces[i]);
		x->files[i].events = xcalloc(IDS, sizeof(*x->files[i].events));
		make_sources(&x->files[i], o, o->traces[i]->dat);
	}
	for (int k = 0; k < 256; k++) {
		ev_latency_letters(k, k, letters);
		memcpy(x->flags[k], letters, 3);
		memcpy(x->counts[k], letters + 3, 2);
	}
	x->second = UINT64_MAX;
	o->priv = x;
}

static void file_release(struct json_file *f)
{
	struct json_event *e;
	size_t i;

	for (; (e = f->met); free(e)) {
		f->met = e->next;
		json_fields_release(&e->fields);
		buf_release(&e->head);
	}
	for (i = 0; i < f->nr_buffers; i++)
		free(f->sources[i]);
	free(f->sources);
	free(f->events);
}

static void json_end(struct out *o)
{
	struct json *x = o->priv;
	size_t i;

	for (i = 0; i < x->nr_files; i++)
		file_release(&x->files[i]);
	buf_release(&x->task_text);
	free(x->files);
	free(x);
	o->priv = NULL;
}

/* --- time */

static __attribute__((noinline)) void new_second(struct json *x, uint64_t second)
{
	time_t s = (time_t)second;
	struct tm tm;

	x->second = second;
	if (gmtime_r(&s, &tm))
		strftime(x->second_text, sizeof(x->second_text), "%Y-%m-%dT%H:%M:%S", &tm);
}

/* The time of day by the clocks in the file, whatever options add to ->ts. */
static inline char *poke_wall(struct json *x, char *p, const struct trace_rec *r)
{
	const struct trace *t = r->trace;
	uint64_t ns = r->ts - (uint64_t)t->ts_add_ns + (uint64_t)t->wall_ns;
	uint32_t part = ns % NS;

	if (ns / NS != x->second)
		new_second(x, ns / NS);
	p = (char *)memcpy(p, ",\"time\":\"", 9) + 9;
	p = poke_text(p, x->second_text, SECOND_LEN);
	*p++ = '.';
	p = poke_3(p, part / 1000000);
	p = poke_3(p, part / 1000 % 1000);
	p = poke_3(p, part % 1000);
	return (char *)memcpy(p, "Z\"", 2) + 2;
}

/* What every object begins with; of TIME_ROOM. */
static inline char *poke_times(struct json *x, char *p, const struct trace_rec *r, bool safe)
{
	p = (char *)memcpy(p, "{\"ts\":", 6) + 6;
	p = json_poke_number(p, r->ts, false, safe);
	return r->trace->has_wall && r->trace->clock_is_ns ? poke_wall(x, p, r) : p;
}

/* --- where it was recorded */

static void add_cpu(const struct json *x, const struct trace_rec *r, struct buf *b)
{
	buf_addstr(b, x->files[r->file].sources[r->buffer]);
	buf_printf(b, ",\"cpu\":%d", r->cpu);
}

/* A record that is too short for its pid is nobody's. */
static void make_json_task(const struct json *x, const struct trace_rec *r, struct buf *b)
{
	add_cpu(x, r, b);
	if (r->pid == -1) {
		buf_addstr(b, ",\"pid\":null,\"comm\":null");
		return;
	}
	buf_printf(b, ",\"pid\":%d", r->pid);
	add_member(b, "comm", trace_comm(r->trace, r->pid));
}

static void keep_json_task(struct json_task *t, const struct trace_rec *r, const struct buf *text)
{
	t->cpu = r->cpu;
	t->pid = r->pid;
	t->file = r->file;
	t->buffer = r->buffer;
	t->used = r->file <= UINT16_MAX && r->buffer <= UINT16_MAX;
	t->len = text->len;
	memcpy(t->text, text->data, text->len);
}

static __attribute__((noinline)) const char *new_json_task(struct json *x, struct json_task *t,
							   const struct trace_rec *r, size_t *len)
{
	buf_reset(&x->task_text);
	make_json_task(x, r, &x->task_text);
	buf_reserve(&x->task_text, POKE_TEXT_ROOM(0));
	*len = x->task_text.len;
	if (*len <= TASK_TEXT)
		keep_json_task(t, r, &x->task_text);
	return x->task_text.data;
}

/* For poke_text(). */
static inline const char *json_task_text(struct json *x, const struct trace_rec *r, size_t *len)
{
	uint32_t hash = ((uint32_t)r->pid * 8 + (uint32_t)r->cpu) * 0x9e3779b1u;
	struct json_task *t = &x->tasks[hash >> (32 - TASK_BITS)];

	if (__builtin_expect(t->pid != r->pid || t->cpu != r->cpu || t->file != r->file ||
			     t->buffer != r->buffer || !t->used, 0))
		return new_json_task(x, t, r, len);
	*len = t->len;
	return t->text;
}

/* --- records */

static char *poke_json_flags(const struct json *x, char *p, const struct ev_rec *r,
			     const struct json_event *e)
{
	memcpy(p, x->flags[ev_latency_flags(&e->latency, r)], 4);
	memcpy(p + 3, x->counts[ev_latency_count(&e->latency, r)], 4);
	return p + FLAGS_LEN;
}

/* Everything before the fields; with @e also event and flags. */
static inline void add_head(struct out *o, const struct trace_rec *r, const struct json_event *e)
{
	struct json *x = o->priv;
	size_t len, head = e ? e->head.len : 0;
	const char *task = json_task_text(x, r, &len);
	char *p = buf_poke(&o->buf, TIME_ROOM + POKE_TEXT_ROOM(len) + POKE_TEXT_ROOM(head) + 32);

	p = poke_times(x, p, r, o->opts.json_safe);
	p = poke_text(p, task, len);
	if (e) {
		p = poke_text(p, e->head.data, head);
		p = poke_json_flags(x, p, &r->rec, e);
		p = (char *)memcpy(p, "\",\"fields\":{", 12) + 12;
	}
	buf_poked(&o->buf, p);
}

/* A name that calls_settle() may put into the line is part of a string there. */
static void escape_guess(struct calls *c, size_t before)
{
	struct calls_guess *g;

	if (c->nr_guesses == before)
		return;
	g = &c->guesses[c->nr_guesses - 1];
	json_escape_tail(&c->names, g->name);
	g->len = c->names.len - g->name;
}

/* Each record has an object: an entry of function_graph does not take its exit into its text. */
static void add_text_member(struct out *o, const struct trace_rec *r, const struct json_event *e)
{
	const struct json *x = o->priv;
	struct buf *b = &o->buf;
	size_t from, guesses = o->calls->nr_guesses;

	buf_addstr(b, ",\"text\":\"");
	from = b->len;
	if (e->fgraph && fgraph_text(&x->files[r->file].fgraph, r, NULL, o->calls, b))
		escape_guess(o->calls, guesses);
	else
		ev_render(r->trace->engine, &r->rec, r->cpu, r->ts, b);
	if (b->len > from && b->data[b->len - 1] == '\n')
		b->len--;
	json_escape_tail(b, from);
	buf_addch(b, '"');
}

/* A type without a format: the number and the bytes are all there is to say. */
static __attribute__((noinline)) void add_typeless(struct out *o, const struct trace_rec *r)
{
	struct buf *b = &o->buf;
	size_t from;

	add_head(o, r, NULL);
	if (r->pid == -1)
		buf_addstr(b, ",\"event\":null,\"type\":null,\"bytes\":");
	else
		buf_printf(b, ",\"event\":null,\"type\":%u,\"bytes\":", r->type);
	json_add_hex(b, r->rec.data, r->rec.len);
	if (o->opts.json_text) {
		from = b->len;
		buf_addstr(b, ",\"text\":\"");
		if (ev_render_blk(r->trace->engine, &r->rec, r->cpu, r->ts, b)) {
			json_escape_tail(b, from + 9);
			buf_addch(b, '"');
		} else {
			b->len = from;
		}
	}
	buf_addstr(b, "}\n");
}

static void json_event(struct out *o, const struct trace_rec *r, struct trace_iter *it)
{
	struct json *x = o->priv;
	struct json_file *f = &x->files[r->file];
	const struct json_event *e;

	(void)it;
	if (!r->rec.fmt) {
		add_typeless(o, r);
		return;
	}
	e = f->events[r->rec.fmt->id];
	if (__builtin_expect(!e, 0))
		e = new_json_event(f, r);
	add_head(o, r, e);
	json_fields_add(&e->fields, &r->rec, o->opts.json_safe, &o->buf);
	buf_addch(&o->buf, '}');
	if (o->opts.json_text)
		add_text_member(o, r, e);
	buf_add(&o->buf, "}\n", 2);
}

static void json_lost(struct out *o, const struct trace_rec *r)
{
	struct buf *b = &o->buf;

	buf_poked(b, poke_times(o->priv, buf_poke(b, TIME_ROOM), r, o->opts.json_safe));
	add_cpu(o->priv, r, b);
	buf_addstr(b, ",\"lost\":");
	if (r->lost == RING_LOST_UNKNOWN)
		buf_addstr(b, "null");
	else
		buf_poked(b, json_poke_number(buf_poke(b, JSON_NUMBER_ROOM), r->lost, false,
					      o->opts.json_safe));
	buf_addstr(b, "}\n");
}

const struct out_ops out_json = {
	.parallel = true,
	.begin = json_begin,
	.event = json_event,
	.lost = json_lost,
	.end = json_end,
};
