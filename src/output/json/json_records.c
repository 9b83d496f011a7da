/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records as JSON lines. */
#include "output/json/json_records.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cursor.h"
#include "base/poke.h"
#include "base/text.h"
#include "output/fgraph_text.h"
#include "output/line_source.h"
#include "output/task_slot.h"

#define ONES	   0x0101010101010101ull
#define TOPS	   0x8080808080808080ull
#define IDS	   65536
#define TASK_TEXT  110
#define FLAGS_LEN  5
#define SECOND_LEN 19		/* seconds of 2^64 ns end in the year 2554 */
#define NS	   1000000000u
#define NUMBER_ROOM (POKE_DEC_ROOM + 4)
#define TIME_ROOM  (sizeof("{\"ts\":,\"time\":\"") + NUMBER_ROOM + 48)
/*
 * Bytes of the values of a record, after which they are null. No record has as many if each of its
 * bytes is printed once; fields that overlap could make any length of it.
 */
#define FIELDS_MAX (1u << 20)
#define SAFE_MAX   (1ull << 53)	/* a double holds this number and all smaller ones */

/* --- strings, which are UTF-8 whatever they come from */

/* Sets bit 7 of the bytes of @v that are 0; above the first of them others may be set, too. */
static inline uint64_t zero_bytes(uint64_t v)
{
	return (v - ONES) & ~v & TOPS;
}

/* Sets bit 7, like zero_bytes(), of the bytes that JSON must escape or that are not ASCII. */
static inline uint64_t escape_bits(uint64_t v)
{
	return ((v - 0x20 * ONES) & ~v & TOPS) | (v & TOPS) | zero_bytes(v ^ '"' * ONES) |
	       zero_bytes(v ^ '\\' * ONES) | zero_bytes(v ^ 0x7f * ONES);
}

static bool needs_escape(unsigned char c)
{
	return c < ' ' || c >= 0x7f || c == '"' || c == '\\';
}

/*
 * Copies the leading bytes that need no escape to @p, which has room for @n, and returns their
 * number.
 */
static inline size_t poke_plain(char *p, const char *s, size_t n)
{
	uint64_t v, bits;
	size_t i = 0;

	for (; n - i >= 8; i += 8) {
		memcpy(&v, s + i, 8);
		memcpy(p + i, s + i, 8);
		bits = escape_bits(le64toh(v));
		if (bits)
			return i + (unsigned int)__builtin_ctzll(bits) / 8;
	}
	for (; i < n && !needs_escape(s[i]); i++)
		p[i] = s[i];
	return i;
}

static void add_unit(struct buf *b, uint32_t c)
{
	char *p = buf_poke(b, 16);

	p = (char *)memcpy(p, "\\u", 2) + 2;
	buf_poked(b, poke_hex(p, c, 4));
}

/* Adds the character at @s, which needs an escape or is not ASCII; returns its length. */
static __attribute__((noinline)) size_t add_escaped(struct buf *b, const char *s, size_t n)
{
	static const char shorts[32] = {
		['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r',
	};
	unsigned char first = *s;
	uint32_t c = first;
	size_t len = 1;

	if (first >= 0x80) {
		len = text_utf8(s, n, &c);
		if (len && !text_acts(c))
			buf_add(b, s, len);
		else
			add_unit(b, len ? c : first);
		return len ? len : 1;
	}
	if (first < ' ' ? !shorts[first] : first == 0x7f) {
		add_unit(b, c);
		return len;
	}
	buf_addch(b, '\\');
	buf_addch(b, first < ' ' ? shorts[first] : *s);
	return len;
}

static inline void add_content(struct buf *b, const char *s, size_t n, bool to_nul)
{
	size_t i, len;

	buf_reserve(b, 0);
	for (i = 0; i < n;) {
		len = poke_plain(buf_poke(b, n - i), s + i, n - i);
		b->len += len;
		i += len;
		if (i == n || (to_nul && !s[i]))
			break;
		i += add_escaped(b, s + i, n - i);
	}
	b->data[b->len] = '\0';
}

/* Adds a string, with @to_nul up to the first NUL, if there is one. */
static void add_quoted(struct buf *b, const char *s, size_t n, bool to_nul)
{
	buf_addch(b, '"');
	add_content(b, s, n, to_nul);
	buf_addch(b, '"');
}

void json_add_string(struct buf *b, const char *s, size_t n)
{
	add_quoted(b, s, n, false);
}

/* Escapes the text of @b from offset @from on as the content of a JSON string. */
static void json_escape_tail(struct buf *b, size_t from)
{
	struct buf raw = {0};
	size_t i;

	for (i = from; i < b->len && !needs_escape(b->data[i]); i++)
		;
	if (i == b->len)
		return;
	buf_add(&raw, b->data + i, b->len - i);
	b->len = i;
	add_content(b, raw.data, raw.len, false);
	buf_release(&raw);
}

void json_add_utf8(struct buf *b, const char *s, size_t n)
{
	uint32_t c;
	size_t i, len;

	for (i = 0; i < n; i += len) {
		len = (unsigned char)s[i] < 0x80 ? 1 : text_utf8(s + i, n - i, &c);
		if (len) {
			buf_add(b, s + i, len);
			continue;
		}
		buf_addch(b, (char)(0xc0 | (unsigned char)s[i] >> 6));
		buf_addch(b, (char)(0x80 | (s[i] & 0x3f)));
		len = 1;
	}
}

/* --- the fields of a record as members of an object, by the types in their format */

struct json_field {
	const struct ev_field *f;	/* borrowed */
	enum json_kind kind;
	uint32_t size;		/* bytes of a number, or of each number */
	uint32_t key, key_len;	/* offset and bytes of ',"name":' in ->keys */
};

/* The fields of one event that are not common, compiled. */
struct json_fields {
	struct json_field *v;
	size_t n;
	struct buf keys;	/* for poke_text() */
};

/* Writes a number of up to NUMBER_ROOM bytes; above SAFE_MAX it is a string if @safe. */
static inline char *json_poke_number(char *p, uint64_t v, bool is_signed, bool safe)
{
	bool minus = is_signed && (int64_t)v < 0, quoted;

	v = minus ? -v : v;
	quoted = safe && v > SAFE_MAX;
	if (quoted)
		*p++ = '"';
	if (minus)
		*p++ = '-';
	p = poke_dec(p, v);
	if (quoted)
		*p++ = '"';
	return p;
}


static bool is_number_size(uint32_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

enum json_kind json_field_kind(const struct ev_field *f, uint8_t long_size, uint32_t *size)
{
	*size = f->size;
	if (f->kind == EV_FIXED)
		return is_number_size(*size) ? AS_NUMBER : AS_HEX;
	if (f->is_string)
		return AS_STRING;
	*size = f->elem_size;
	if (!*size && strstr(f->type, "long"))
		*size = strstr(f->type, "long long") ? 8 : long_size;
	if (!is_number_size(*size) || strstr(f->type, "struct ") || strstr(f->type, "union "))
		return AS_HEX;
	return AS_NUMBERS;
}

static void json_fields_init(struct json_fields *x, const struct ev_format *fmt, uint8_t long_size)
{
	struct json_field *j;
	size_t i;

	*x = (struct json_fields){0};
	if (ev_format_ready(fmt))
		return;
	x->v = xcalloc(fmt->nr_fields + 1, sizeof(*x->v));
	for (i = 0; i < fmt->nr_fields; i++) {
		if (!ev_field_shown(&fmt->fields[i]))
			continue;
		j = &x->v[x->n];
		j->f = &fmt->fields[i];
		j->kind = json_field_kind(j->f, long_size, &j->size);
		j->key = x->keys.len;
		if (x->n)
			buf_addch(&x->keys, ',');
		json_add_string(&x->keys, j->f->name, strlen(j->f->name));
		buf_addch(&x->keys, ':');
		j->key_len = x->keys.len - j->key;
		x->n++;
	}
	buf_reserve(&x->keys, POKE_TEXT_ROOM(0));
}


/* Adds bytes as a string of hexadecimal digits. */
static void json_add_hex(struct buf *b, const uint8_t *data, uint32_t len)
{
	char *p = buf_poke(b, 2 * (size_t)len + 2 + POKE_HEX_ROOM);

	*p++ = '"';
	for (uint32_t i = 0; i < len; i++)
		p = poke_hex(p, data[i], 2);
	*p++ = '"';
	buf_poked(b, p);
}

static void add_numbers(struct buf *b, const struct json_field *j, const uint8_t *data,
			uint32_t len, bool big, bool safe)
{
	uint32_t n = len / j->size;
	char *p = buf_poke(b, 2 + (size_t)n * NUMBER_ROOM);

	*p++ = '[';
	for (uint32_t i = 0; i < n; i++) {
		if (i)
			*p++ = ',';
		p = json_poke_number(p, get_number(data + (size_t)i * j->size, j->size,
						    j->f->is_signed, big),
				     j->f->is_signed, safe);
	}
	*p++ = ']';
	buf_poked(b, p);
}

/* Adds a value that is not one number; null if @b has more than @end bytes. */
static void add_bytes(struct buf *b, const struct json_field *j, const struct ev_rec *r, bool safe,
		      size_t end)
{
	const uint8_t *p;
	uint32_t len;

	if (b->len > end || !ev_get_bytes(r, j->f, &p, &len))
		buf_addstr(b, "null");
	else if (j->kind == AS_STRING)
		add_quoted(b, (const char *)p, len, true);
	else if (j->kind == AS_NUMBERS)
		add_numbers(b, j, p, len, r->big, safe);
	else
		json_add_hex(b, p, len);
}

static inline char *poke_number_field(char *p, const struct json_field *j, const struct ev_rec *r,
				      bool safe)
{
	const struct ev_field *f = j->f;

	/* both are at most 64 KiB */
	if (__builtin_expect(f->offset + f->size > r->len, 0)) {
		memcpy(p, "null", 4);
		return p + 4;
	}
	return json_poke_number(p, get_number(r->data + f->offset, f->size, f->is_signed, r->big),
				f->is_signed, safe);
}

/* Adds '"name":value,...'; for @safe see struct out_opts. */
static void json_fields_add(const struct json_fields *x, const struct ev_rec *r, bool safe,
			    struct buf *b)
{
	size_t end = b->len + FIELDS_MAX;
	const struct json_field *j;
	char *p;

	for (j = x->v; j < x->v + x->n; j++) {
		p = buf_poke(b, POKE_TEXT_ROOM(j->key_len) + NUMBER_ROOM);
		p = poke_text(p, x->keys.data + j->key, j->key_len);
		if (j->kind == AS_NUMBER)
			p = poke_number_field(p, j, r, safe);
		buf_poked(b, p);
		if (j->kind != AS_NUMBER)
			add_bytes(b, j, r, safe, end);
	}
}

/* --- the sink */

/* The state of one event: equal for all of its records. */
struct json_event {
	struct json_event *next;	/* the next event of the same file */
	struct ev_latency latency;
	bool   fgraph;
	struct json_fields fields;
	/* ',"system":"sched",...,"flags":"', or 'null,"fields":{' at its end; for poke_text() */
	struct buf head;
};

/* The state of one file: equal for all of its records. */
struct json_file {
	struct fgraph fgraph;
	struct json_event **events;	/* by event id; NULL before the first record of an event */
	struct json_event *met;		/* list of all in ->events */
	char **sources;			/* one per buffer: ',"file":"a.dat","buffer":"one"' */
	size_t nr_buffers;
};

/* The members from file to comm, of one task on one CPU. */
struct json_task {
	struct task_slot slot;
	char     text[TASK_TEXT + 2];
};
_Static_assert(sizeof(struct json_task) == 128, "a slot is two cache lines");

struct json_sink {
	struct json_task tasks[TASK_SLOTS];
	struct json_file *files;
	size_t nr_files;
	char   flags[256][4];		/* three letters for each value */
	char   counts[256][4];		/* two letters */
	uint64_t second;		/* the second since 1970 of ->second_text */
	char   second_text[32];		/* "2026-11-24T23:15:00", for poke_text() */
	struct buf task_text;		/* a task that does not fit its slot */
};

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
	ev_latency_of(&r->trace->meta, fmt, &e->latency);
	buf_addstr(&e->head, e->latency.unknown ? ",\"flags\":null,\"fields\":{" : ",\"flags\":\"");
	buf_reserve(&e->head, POKE_TEXT_ROOM(0));
	json_fields_init(&e->fields, fmt, r->rec.long_size);
	e->fgraph = fgraph_has(&f->fgraph, fmt);
	e->next = f->met;
	f->met = e;
	f->events[fmt->id] = e;
	return e;
}

/* Makes the members for the file, if there are several, and for the instance, if there is any. */
static void make_sources(struct json_file *f, const struct out_state *o, const struct dat *d)
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

static void json_begin(struct out_state *o)
{
	struct json_sink *x = xcalloc(1, sizeof(*x));
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

static void json_end(struct out_state *o)
{
	struct json_sink *x = o->priv;
	struct json_event *e;
	struct json_file *f;

	for (f = x->files; f < x->files + x->nr_files; f++) {
		for (; (e = f->met); free(e)) {
			f->met = e->next;
			buf_release(&e->fields.keys);
			free(e->fields.v);
			buf_release(&e->head);
		}
		for (size_t i = 0; i < f->nr_buffers; i++)
			free(f->sources[i]);
		free(f->sources);
		free(f->events);
	}
	buf_release(&x->task_text);
	free(x->files);
	free(x);
	o->priv = NULL;
}

/* --- time */

static __attribute__((noinline)) void new_second(struct json_sink *x, uint64_t second)
{
	time_t s = (time_t)second;
	struct tm tm;

	x->second = second;
	if (gmtime_r(&s, &tm))
		strftime(x->second_text, sizeof(x->second_text), "%Y-%m-%dT%H:%M:%S", &tm);
}

/* Writes the start of each object, of up to TIME_ROOM bytes. */
static inline char *poke_times(struct json_sink *x, char *p, const struct trace_rec *r, bool safe)
{
	const struct trace *t = r->trace;
	uint64_t ns;
	uint32_t part;

	p = (char *)memcpy(p, "{\"ts\":", 6) + 6;
	p = json_poke_number(p, r->ts, false, safe);
	if (!t->has_wall || !t->clock_is_ns)
		return p;
	/* the time of day by the clocks in the file, whatever options add to ->ts */
	ns = r->ts - (uint64_t)t->ts_add_ns + (uint64_t)t->wall_ns;
	part = ns % NS;
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


static void add_cpu(const struct json_sink *x, const struct trace_rec *r, struct buf *b)
{
	buf_addstr(b, x->files[r->file].sources[r->buffer]);
	buf_printf(b, ",\"cpu\":%d", r->cpu);
}

/* Fills slot @t, if the text fits, and returns the text of @len bytes for poke_text(). */
static __attribute__((noinline)) const char *new_json_task(struct json_sink *x, struct json_task *t,
							   const struct trace_rec *r, size_t *len)
{
	struct buf *b = &x->task_text;

	buf_reset(b);
	add_cpu(x, r, b);
	/* a record that is too short for its pid has no task */
	if (r->pid == -1) {
		buf_addstr(b, ",\"pid\":null,\"comm\":null");
	} else {
		buf_printf(b, ",\"pid\":%d", r->pid);
		add_member(b, "comm", trace_comm(r->trace, r->pid));
	}
	buf_reserve(b, POKE_TEXT_ROOM(0));
	*len = b->len;
	if (b->len <= TASK_TEXT) {
		task_slot_set(&t->slot, r, b->len);
		memcpy(t->text, b->data, b->len);
	}
	return b->data;
}


/* Adds all members before the fields; with @e also event and flags. */
static inline void add_head(struct out_state *o, const struct trace_rec *r,
			    const struct json_event *e)
{
	struct json_sink *x = o->priv;
	struct json_task *t = &x->tasks[task_slot_of(r)];
	size_t len = t->slot.len, head = e ? e->head.len : 0;
	const char *task = t->text;
	char *p;

	if (__builtin_expect(!task_slot_fits(&t->slot, r), 0))
		task = new_json_task(x, t, r, &len);
	p = buf_poke(&o->buf, TIME_ROOM + POKE_TEXT_ROOM(len) + POKE_TEXT_ROOM(head) + 32);
	p = poke_times(x, p, r, o->opts.json_safe);
	p = poke_text(p, task, len);
	if (e) {
		p = poke_text(p, e->head.data, head);
	}
	if (e && __builtin_expect(!e->latency.unknown, 1)) {
		memcpy(p, x->flags[ev_latency_flags(&e->latency, &r->rec)], 4);
		memcpy(p + 3, x->counts[ev_latency_count(&e->latency, &r->rec)], 4);
		p += FLAGS_LEN;
		p = (char *)memcpy(p, "\",\"fields\":{", 12) + 12;
	}
	buf_poked(&o->buf, p);
}

/* Adds the text. Each record has an object: a function_graph entry does not include its exit. */
static void add_text_member(struct out_state *o, const struct trace_rec *r,
			    const struct json_event *e)
{
	const struct json_sink *x = o->priv;
	struct call_tracker *c = o->calls;
	struct buf *b = &o->buf;
	size_t from, guesses = c->nr_guesses;
	struct calls_guess *g;

	buf_addstr(b, ",\"text\":\"");
	from = b->len;
	if (!e->fgraph || !fgraph_text(&x->files[r->file].fgraph, r, NULL, c, b))
		ev_render(r->trace->engine, &r->rec, r->cpu, r->ts, b);
	if (c->nr_guesses > guesses) {
		/* a name that calls_settle() may insert into the line is part of a string there */
		g = &c->guesses[c->nr_guesses - 1];
		json_escape_tail(&c->names, g->name);
		g->len = c->names.len - g->name;
	}
	if (b->len > from && b->data[b->len - 1] == '\n')
		b->len--;
	json_escape_tail(b, from);
	buf_addch(b, '"');
}

/* Adds a record whose type has no format: the number and the bytes. */
static __attribute__((noinline)) void add_formatless(struct out_state *o, const struct trace_rec *r)
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

static void json_event(struct out_state *o, const struct trace_rec *r, struct trace_iter *it)
{
	struct json_sink *x = o->priv;
	struct json_file *f = &x->files[r->file];
	const struct json_event *e;

	(void)it;
	if (!r->rec.fmt) {
		add_formatless(o, r);
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

static void json_lost(struct out_state *o, const struct trace_rec *r)
{
	struct buf *b = &o->buf;

	buf_poked(b, poke_times(o->priv, buf_poke(b, TIME_ROOM), r, o->opts.json_safe));
	add_cpu(o->priv, r, b);
	buf_addstr(b, ",\"lost\":");
	if (r->lost == RING_LOST_UNKNOWN)
		buf_addstr(b, "null");
	else
		buf_poked(b, json_poke_number(buf_poke(b, NUMBER_ROOM), r->lost, false,
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
