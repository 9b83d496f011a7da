/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records as FtraceEvent: under the number that Perfetto knows, or with a description.
 *
 * Perfetto's parser makes slices and counters of prints that are systrace marks, and counts any
 * other text in a PrintFtraceEvent as an error. So such a text becomes an event that the file
 * describes.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/text.h"
#include "model/markers.h"
#include "output/perfetto/perfetto_priv.h"

/*
 * --- the events that Perfetto has messages for
 *
 * ->number is the field of FtraceEvent. ->fields are names in the order of the message's numbers
 * from 1 on, "." for one that is left out; with "s:" the message has a string, with "f:" the number
 * of a kernel symbol whose name is interned, with "t:" the state of a task. "= " before all means
 * that Perfetto uses the event only as a row of its table. Numbers and names are those of
 * Perfetto's protos/perfetto/trace/ftrace.
 */
struct known_event {
	const char *system, *name;
	uint32_t    number;
	const char *fields;
};

static const char woken[] = "s:comm pid prio success target_cpu";
static const char bio[] = "dev sector nr_sector s:rwbs s:comm";
static const char request[] = "= dev sector nr_sector bytes s:rwbs s:comm s:cmd";
static const char request_io[] = "dev sector nr_sector bytes ioprio s:rwbs s:comm s:cmd";
static const char done[] = "= dev sector nr_sector errors s:rwbs s:cmd error";
static const char remapped[] = "dev sector nr_sector old_dev old_sector s:rwbs";
static const char work[] = "work f:function";
static const char clock_state[] = "s:name state cpu_id";
static const char allocated[] = "= bytes_alloc bytes_req call_site gfp_flags ptr";

static const struct known_event known_events[] = {
	{ "sched", "sched_switch", 4,
	  "s:prev_comm prev_pid prev_prio t:prev_state s:next_comm next_pid next_prio" },
	{ "sched", "sched_waking", 20, woken },
	{ "sched", "sched_wakeup", 17, woken },
	{ "sched", "sched_wakeup_new", 114, woken },
	{ "sched", "sched_process_exec", 237, "s:filename pid old_pid" },
	{ "sched", "sched_process_exit", 238, "s:comm pid tgid prio" },
	{ "sched", "sched_process_fork", 239, "s:parent_comm parent_pid s:child_comm child_pid" },
	{ "sched", "sched_process_free", 240, "s:comm pid prio" },
	{ "sched", "sched_process_hang", 241, "s:comm pid" },
	{ "sched", "sched_process_wait", 242, "s:comm pid prio" },
	{ "sched", "sched_blocked_reason", 18, "pid f:caller io_wait" },
	{ "sched", "sched_pi_setprio", 353, "s:comm newprio oldprio pid" },
	{ "sched", "sched_migrate_task", 491,
	  "s:comm pid prio orig_cpu dest_cpu running load" },
	{ "irq", "irq_handler_entry", 36, "irq s:name handler" },
	{ "irq", "irq_handler_exit", 37, "irq ret" },
	{ "irq", "softirq_entry", 24, "vec" },
	{ "irq", "softirq_exit", 25, "vec" },
	{ "irq", "softirq_raise", 26, "vec" },
	{ "workqueue", "workqueue_activate_work", 56, work },
	{ "workqueue", "workqueue_execute_end", 57, work },
	{ "workqueue", "workqueue_execute_start", 58, work },
	{ "workqueue", "workqueue_queue_work", 59,
	  "work f:function . req_cpu cpu s:workqueue" },
	{ "power", "cpu_idle", 13, "state cpu_id" },
	{ "power", "cpu_frequency", 11, "state cpu_id" },
	{ "power", "cpu_frequency_limits", 12, "min_freq max_freq cpu_id" },
	{ "power", "clock_enable", 14, clock_state },
	{ "power", "clock_disable", 15, clock_state },
	{ "power", "clock_set_rate", 16, clock_state },
	{ "power", "suspend_resume", 113, "s:action val start" },
	{ "block", "block_rq_issue", 45, request },
	{ "block", "block_rq_insert", 126, request },
	{ "block", "block_rq_complete", 125, done },
	{ "block", "block_rq_requeue", 129, "= dev sector nr_sector errors s:rwbs s:cmd" },
	{ "block", "block_rq_remap", 128,
	  "dev sector nr_sector old_dev old_sector nr_bios s:rwbs" },
	{ "block", "block_io_start", 546, request_io },
	{ "block", "block_io_done", 547, request_io },
	{ "block", "block_bio_backmerge", 115, bio },
	{ "block", "block_bio_bounce", 116, bio },
	{ "block", "block_bio_complete", 117, "dev sector nr_sector error s:rwbs" },
	{ "block", "block_bio_frontmerge", 118, bio },
	{ "block", "block_bio_queue", 119, bio },
	{ "block", "block_bio_remap", 120, remapped },
	{ "block", "block_dirty_buffer", 121, "dev sector size" },
	{ "block", "block_getrq", 122, bio },
	{ "block", "block_plug", 123, "s:comm" },
	{ "block", "block_split", 131, "dev sector new_sector s:rwbs s:comm" },
	{ "block", "block_touch_buffer", 132, "dev sector size" },
	{ "block", "block_unplug", 133, "nr_rq s:comm" },
	{ "raw_syscalls", "sys_enter", 329, "id args" },
	{ "raw_syscalls", "sys_exit", 330, "id ret" },
	{ "task", "task_newtask", 235, "pid s:comm clone_flags oom_score_adj" },
	{ "task", "task_rename", 236, "pid s:oldcomm s:newcomm oom_score_adj" },
	{ "signal", "signal_deliver", 324, "code sa_flags sig" },
	{ "signal", "signal_generate", 325, "code s:comm group pid result sig" },
	{ "kmem", "kfree", 298, "= call_site ptr" },
	{ "kmem", "kmalloc", 299, allocated },
	{ "kmem", "kmem_cache_alloc", 301, allocated },
	{ "kmem", "kmem_cache_free", 303, "= call_site ptr" },
	{ "kmem", "mm_page_alloc", 307, "gfp_flags migratetype order page pfn" },
	{ "kmem", "mm_page_free", 310, "order page pfn" },
	{ "kmem", "rss_stat", 313, "member size curr mm_id" },
	/* marks of drivers that Perfetto knows; for others see render_mark() */
	{ "mdss", "tracing_mark_write", 80, "pid s:trace_name trace_begin" },
	{ "sde", "tracing_mark_write", 333, "pid s:trace_name trace_type value trace_begin" },
	{ "dpu", "tracing_mark_write", 348, "pid s:trace_name trace_begin s:name type value" },
	{ "g2d", "tracing_mark_write", 349, "pid . . s:name type value" },
	{ "mali", "tracing_mark_write", 350, "s:name pid type value" },
	{ "lwis", "tracing_mark_write", 467, "s:lwis_name type pid s:func_name value" },
	{ "samsung", "tracing_mark_write", 484, "pid s:trace_name trace_begin trace_type value" },
};
#define NR_KNOWN (sizeof(known_events) / sizeof(*known_events))

/*
 * --- marks in the style of systrace, of which Perfetto makes slices and counters: "B|PID|NAME",
 * "E|PID" or "E", "C|PID|NAME|VALUE", "S|PID|NAME|COOKIE" and so on. It counts any other text as an
 * error.
 */

/* The fields after "X|PID": n a name, i a number; r the rest, which may be empty or have bars. */
static const struct atrace_marker {
	char letter;
	const char *fields;
} marks[] = {
	{ 'B', "r" }, { 'E', "" }, { 'C', "ni" }, { 'S', "ni" }, { 'F', "ni" }, { 'I', "n" },
	{ 'N', "nn" }, { 'G', "nni" }, { 'H', "ni" },
};

struct text_part {
	const char *p, *end;
};

/* Splits off the field of @t up to the next bar or the end; returns false if there is none. */
static bool next_field(struct text_part *t, struct text_part *field)
{
	const char *bar;

	if (t->p == t->end || *t->p != '|')
		return false;
	t->p++;
	bar = memchr(t->p, '|', t->end - t->p);
	*field = (struct text_part){ t->p, bar ? bar : t->end };
	t->p = field->end;
	return true;
}

/* Returns true for a number of at most @most characters. */
static bool is_decimal(struct text_part f, size_t most)
{
	const char *p = f.p;

	if (p < f.end && *p == '-')
		p++;
	if (p == f.end || (size_t)(f.end - p) > most)
		return false;
	while (p < f.end && *p >= '0' && *p <= '9')
		p++;
	return p == f.end;
}

static bool is_mark(const char *s, size_t len)
{
	struct text_part t = { s + 1, s + len }, f;
	const char *fields = NULL;

	if (!len || (len > 1 && s[1] != '|'))
		return false;
	if (*s == 'E' && len <= 2)
		return true;
	if (!next_field(&t, &f) || *f.p == '-' || !is_decimal(f, 9))
		return false;
	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		if (marks[i].letter == *s)
			fields = marks[i].fields;
	for (; fields && *fields && *fields != 'r'; fields++) {
		if (!next_field(&t, &f) || (*fields == 'n' && f.p == f.end) ||
		    (*fields == 'i' && !is_decimal(f, 18)))
			return false;
	}
	return fields;
}

/*
 * --- prev_state of sched_switch as Perfetto reads it. Its bits have moved from kernel to kernel,
 * and Perfetto goes by the kernel's version: values of 4.14 and later as they are, all others by
 * the table below, whatever kernel it was. The letters are in the event's format.
 */

#define AS_IT_IS   KERNEL_VERSION_OF(4, 14)
#define PLUS_MOVED KERNEL_VERSION_OF(4, 8)


/* I is D and N (TASK_IDLE in include/linux/sched.h), and both are shown as I. */
static const struct state_letter {
	char letter;
	uint16_t bits;
} letters[] = {
	{ 'R', 0 }, { 'S', 1 }, { 'D', 2 }, { 'T', 4 }, { 't', 8 }, { 'X', 16 }, { 'Z', 32 },
	{ 'x', 64 }, { 'K', 128 }, { 'W', 256 }, { 'P', 512 }, { 'N', 1024 }, { 'I', 2 | 1024 },
};
#define LETTERS (sizeof(letters) / sizeof(*letters))

/* Parses "S", "D|K", "R+". Returns -1 for a letter that is not in the table. */
static int parse_state(const char *text, uint64_t plus, uint64_t *state)
{
	size_t i;

	*state = 0;
	for (; *text; text++) {
		for (i = 0; i < LETTERS && letters[i].letter != *text;)
			i++;
		if (i < LETTERS)
			*state |= letters[i].bits;
		else if (*text == '+')
			*state |= plus;
		else if (*text != '|')
			return -1;
	}
	return 0;
}

/*
 * Returns the state for @raw, the value of prev_state in @r; @f is that field, of a fixed size.
 * @known, zeroed at first, caches the states of the file.
 */
static uint64_t pf_state(struct map *known, const struct trace_rec *r, const struct ev_field *f,
			 uint64_t raw)
{
	uint64_t state = raw, plus = r->trace->meta.kernel < PLUS_MOVED ? 2048 : 4096;
	struct buf text = {0};
	void *found;

	if (r->trace->meta.kernel >= AS_IT_IS || raw > UINT32_MAX)
		return raw;
	found = map_get(known, raw + 1);
	if (found)
		return (uintptr_t)found - 1;
	ev_render_word(r->trace->engine, &r->rec, f, r->cpu, r->ts, &text);
	if (!text.len || parse_state(text.data, plus, &state))
		state = raw;
	buf_release(&text);
	map_put(known, raw + 1, (void *)(uintptr_t)(state + 1));
	return state;
}

/* --- events */

#define IDS	       65536
#define NUMBER_PRINT   3
#define NUMBER_ENTRY   437		/* funcgraph_entry: depth, func */
#define NUMBER_EXIT    438	/* funcgraph_exit: calltime, depth, func, overrun, rettime */
#define NUMBER_GENERIC 327		/* with names in each event */
#define NUMBER_FIRST   65536		/* the first number of an event with a description */
#define FIELDS_MAX     31		/* fields that Perfetto accepts in a description */
#define EVENT_LEN      2		/* bytes for the length of an event, and of its message */
#define BODY_LEN       1
#define HEAD_ROOM      (64 + 2 * PROTO_VARINT_MAX)
#define TYPE_INT64     3		/* google.protobuf.FieldDescriptorProto.Type */
#define TYPE_UINT64    4
#define TYPE_STRING    9

enum pf_kind {
	PF_NUMBER, PF_NUMBERS,		/* one, each of an array */
	PF_STRING,			/* characters up to a NUL */
	PF_POINTER,			/* the address of a string in printk_formats */
	PF_SYMBOL,			/* the number of a function */
	PF_FUNCTION,			/* the name of a function */
	PF_STATE,			/* the state of a task, see pf_state() */
	PF_TEXT,			/* the text of report -R */
};

struct pf_field {
	const struct ev_field *f;
	uint32_t number;
	uint8_t  kind;
};

struct pf_event;
/* An event that is written to ->b, at ->p. */
struct pf_out {
	struct pf_events *all;
	const struct pf_event *e;
	const struct trace_rec *r;
	const struct pf_dest *dest;
	struct buf *b;
	char *p;
};
typedef void (*pf_body)(struct pf_out *o);

struct pf_event {
	struct pf_event *next;
	uint32_t number;
	pf_body  add;
	struct pf_field *fields;
	size_t   nr_fields;
	struct buf described;		/* description, a field of a bundle; empty: none */
	const struct fgraph *fgraph;
	const struct fgraph_event *entry;
	enum marker_form mark_form;	/* MARKER_NONE if Perfetto knows the event */
};

struct pf_file {
	struct fgraph fgraph;
	struct pf_event **events;	/* by event id; NULL before the first record of an event */
	struct pf_event *met;		/* list of all in ->events */
	struct map states;		/* see pf_state() */
};

struct pf_events {
	struct pf_file *files;
	size_t nr_files;
	uint32_t next_number;
	struct buf text, name;
};


static void make_room(struct pf_out *o, size_t n)
{
	size_t at = o->p - o->b->data;

	if (__builtin_expect(at + n < o->b->cap, 1))
		return;
	o->b->len = at;
	o->p = buf_poke(o->b, n);
}

static void add_number(struct pf_out *o, uint32_t number, uint64_t v)
{
	make_room(o, PROTO_TAG_MAX + PROTO_VARINT_MAX);
	o->p = proto_number(o->p, number, v);
}

static void add_bytes(struct pf_out *o, uint32_t number, const char *s, size_t len)
{
	make_room(o, PROTO_TAG_MAX + PROTO_VARINT_MAX + len);
	o->p = proto_bytes(o->p, number, s, len);
}

/* Adds a text; bytes that are no UTF-8, or control the terminal, become \x1b as in all texts. */
static void add_string(struct pf_out *o, uint32_t number, const char *s, size_t len)
{
	struct buf *text = &o->all->text;

	if (text_clean(s, len, true)) {
		add_bytes(o, number, s, len);
		return;
	}
	buf_reset(text);
	text_sanitise(text, s, len, true);
	add_bytes(o, number, text->data, text->len);
}

static uint64_t symbol_number(struct pf_out *o, uint64_t addr)
{
	return pf_symbol(o->dest->symbols, o->r->trace, o->dest->seq, addr, o->dest->interned);
}

static void add_numbers(struct pf_out *o, const struct pf_field *f)
{
	struct ev_field one = *f->f;
	const uint8_t *p;
	uint32_t len;
	uint64_t v;

	if (!ev_get_bytes(&o->r->rec, f->f, &p, &len) || !one.elem_size)
		return;
	one.kind = EV_FIXED;
	one.size = one.elem_size;
	for (one.offset = p - o->r->rec.data; len >= one.size;
	     one.offset += one.size, len -= one.size)
		if (ev_get_num(&o->r->rec, &one, &v))
			add_number(o, f->number, v);
}

/* Adds a field, unless the record is too short for it. */
static void add_field(struct pf_out *o, const struct pf_field *f)
{
	struct ev_engine *engine = o->r->trace->engine;
	const struct ev_rec *rec = &o->r->rec;
	struct buf *text = &o->all->text;
	const uint8_t *p;
	uint32_t bytes;
	const char *s;
	uint64_t v;
	size_t len;

	switch ((enum pf_kind)f->kind) {
	case PF_STRING:
		if (ev_get_bytes(rec, f->f, &p, &bytes))
			add_string(o, f->number, (const char *)p, strnlen((const char *)p, bytes));
		return;
	case PF_TEXT:
		buf_reset(text);
		ev_render_field(rec, f->f, text);
		if (text->len)
			add_bytes(o, f->number, text->data, text->len);
		return;
	case PF_NUMBERS:
		add_numbers(o, f);
		return;
	default:
		break;
	}
	if (!ev_get_num(rec, f->f, &v))
		return;
	switch ((enum pf_kind)f->kind) {
	case PF_NUMBER:
		add_number(o, f->number, v);
		break;
	case PF_POINTER:
		s = ev_printk_at(engine, v);
		if (s)
			add_string(o, f->number, s, strlen(s));
		break;
	case PF_STATE:
		v = pf_state(&o->all->files[o->r->file].states, o->r, f->f, v);
		add_number(o, f->number, v);
		break;
	case PF_FUNCTION:
		s = ev_func_text(engine, v, &len);
		add_bytes(o, f->number, s, len);
		break;
	default:
		add_number(o, f->number, symbol_number(o, v));
	}
}

static void add_fields(struct pf_out *o)
{
	for (size_t i = 0; i < o->e->nr_fields; i++)
		add_field(o, &o->e->fields[i]);
}

/* --- events that are more than their fields */

/*
 * Renders the text of print, bprint and bputs, without the line's end, to ->text. Returns the
 * number of the event: to Perfetto a text that is no mark would be an error, it gets a description.
 */
static uint32_t render_message(struct pf_events *all, const struct pf_event *e,
			       const struct trace_rec *r)
{
	static const struct ev_style style = { .message = true };
	struct buf *text = &all->text;

	buf_reset(text);
	ev_set_style(r->trace->engine, &style);
	ev_render(r->trace->engine, &r->rec, r->cpu, r->ts, text);
	ev_set_style(r->trace->engine, NULL);
	while (text->len && text->data[text->len - 1] == '\n')
		text->len--;
	return is_mark(text->data, text->len) ? NUMBER_PRINT : e->number;
}

/*
 * Writes the mark of an event of a driver that Perfetto does not know to ->text, as a program would
 * write it. Returns false if the record has none that Perfetto accepts.
 */
static bool render_mark(struct pf_events *all, const struct pf_event *e, const struct trace_rec *r)
{
	struct marker_fields k;
	struct buf *text = &all->text;

	buf_reset(text);
	if (!marker_read(e->mark_form, NULL, r, &all->name, &k))
		return false;
	buf_printf(text, "%c|%d", k.letter, k.tgid);
	if (k.track) {
		buf_addch(text, '|');
		text_sanitise(text, k.track, k.track_len, false);
	}
	if (k.letter != 'E' && k.letter != 'H') {
		buf_addch(text, '|');
		text_sanitise(text, k.name, k.len, false);
	}
	if (strchr("SFGHC", k.letter))
		buf_printf(text, k.is_real ? "|" : "|%" PRId64, k.number);
	return is_mark(text->data, text->len);
}

/* Adds a message, whose fields are equal in PrintFtraceEvent and in the description. */
static void add_message(struct pf_out *o)
{
	const struct ev_field *ip = ev_field(o->r->rec.fmt, "ip");
	uint64_t v;

	if (ip && ev_get_num(&o->r->rec, ip, &v))
		add_number(o, 1, v);
	add_bytes(o, 2, o->all->text.len ? o->all->text.data : "", o->all->text.len);
}

static void add_entry(struct pf_out *o)
{
	struct fgraph_call call;

	if (!fgraph_read_call(o->e->entry, o->r, &call))
		return;
	add_number(o, 1, call.depth);
	add_number(o, 2, symbol_number(o, call.func));
}

static void add_exit(struct pf_out *o)
{
	struct fgraph_return ret;

	if (!fgraph_read_return(o->e->fgraph, o->r, &ret))
		return;
	add_number(o, 1, o->r->ts - ret.duration_ns);
	add_number(o, 2, ret.depth);
	add_number(o, 3, symbol_number(o, ret.func));
	add_number(o, 4, ret.overrun);
	add_number(o, 5, o->r->ts);
}

/* Adds one text: for stacks, and for events with more fields than a description may have. */
static void add_rendered(struct pf_out *o)
{
	const struct trace_rec *r = o->r;
	struct buf *text = &o->all->text;

	buf_reset(text);
	ev_render(r->trace->engine, &r->rec, r->cpu, r->ts, text);
	add_bytes(o, 1, text->len ? text->data : "", text->len);
}

/* Adds the bytes of an event whose type has no format, under a name with its type. */
static void add_unknown(struct pf_out *o)
{
	static const char hex[] = "0123456789abcdef";
	const struct ev_rec *rec = &o->r->rec;
	struct buf *text = &o->all->text;
	size_t begun;

	buf_reset(text);
	buf_printf(text, "[type %u]", o->r->type);
	add_bytes(o, 1, text->data, text->len);
	buf_reset(text);
	begun = proto_begin(text, 2);
	proto_add_bytes(text, 1, "bytes", 5);
	buf_reserve(text, 2 * (size_t)rec->len + PROTO_TAG_MAX + PROTO_VARINT_MAX);
	buf_poked(text, proto_varint(proto_varint(text->data + text->len,
						  PROTO_TAG(3, PROTO_BYTES)), 2 * rec->len));
	for (uint32_t i = 0; i < rec->len; i++) {
		buf_addch(text, hex[rec->data[i] >> 4]);
		buf_addch(text, hex[rec->data[i] & 15]);
	}
	proto_end(text, begun);
	make_room(o, text->len);
	memcpy(o->p, text->data, text->len);
	o->p += text->len;
}

/* --- the choice of number and fields */

static bool is_text(const struct ev_field *f)
{
	return f->is_string && f->kind != EV_FIXED;
}

static bool is_number(const struct ev_field *f)
{
	return f->kind == EV_FIXED &&
	       (f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8);
}


static void event_add_field(struct pf_event *e, const struct ev_field *f, uint32_t number,
			    enum pf_kind kind)
{
	e->fields = xrealloc(e->fields, (e->nr_fields + 1) * sizeof(*e->fields));
	e->fields[e->nr_fields++] = (struct pf_field){ f, number, kind };
}

/*
 * Adds the field for one word of known_event.fields, unless its type differs from that in the
 * message.
 */
static void event_add_known(struct pf_event *e, const struct ev_format *fmt, const char *word,
			    size_t len, uint32_t number)
{
	char want = len > 2 && word[1] == ':' ? word[0] : 0, *name;
	const struct ev_field *f;

	if (want) {
		word += 2;
		len -= 2;
	}
	name = xstrndup(word, len);
	f = ev_field(fmt, name);
	free(name);
	if (!f)
		return;
	if (want == 's' && is_text(f))
		event_add_field(e, f, number, PF_STRING);
	else if (want == 's' && is_number(f) && strchr(f->type, '*'))
		event_add_field(e, f, number, PF_POINTER);
	else if (want == 't' && is_number(f))
		event_add_field(e, f, number, PF_STATE);
	else if (want == 'f' && is_number(f))
		event_add_field(e, f, number, PF_SYMBOL);
	else if (!want && is_number(f))
		event_add_field(e, f, number, PF_NUMBER);
	else if (!want && f->kind != EV_FIXED && !f->is_string)
		event_add_field(e, f, number, PF_NUMBERS);
}

static size_t count_shown_fields(const struct ev_format *fmt)
{
	size_t n = 0;

	for (size_t i = 0; i < fmt->nr_fields; i++)
		n += ev_field_shown(&fmt->fields[i]);
	return n;
}

/*
 * Uses the message that Perfetto has for the event. Returns false if a description is better, as
 * Perfetto would only lose some of its fields.
 */
static bool event_use_known(struct pf_event *e, const struct ev_format *fmt,
			    const struct known_event *k)
{
	bool is_listed = *k->fields == '=';
	uint32_t number = 1;
	const char *p;
	size_t len;

	e->number = k->number;
	e->add = add_fields;
	for (p = k->fields + 2 * is_listed; *p; p += len + strspn(p + len, " "), number++) {
		len = strcspn(p, " ");
		if (len > 1)
			event_add_known(e, fmt, p, len, number);
	}
	if (!is_listed || e->nr_fields == count_shown_fields(fmt))
		return true;
	e->nr_fields = 0;
	e->add = NULL;
	return false;
}

static void describe_field(struct buf *b, const char *name, uint32_t number, unsigned int type)
{
	size_t at = proto_begin(b, 2);
	struct buf clean = {0};

	text_sanitise(&clean, name, strlen(name), false);
	proto_add_bytes(b, 1, clean.len ? clean.data : "", clean.len);
	proto_add_number(b, 3, number);
	proto_add_number(b, 4, 1);	/* LABEL_OPTIONAL */
	proto_add_number(b, 5, type);
	proto_end(b, at);
	buf_release(&clean);
}

/* Adds a field with its description. */
static void add_described(struct pf_event *e, const struct ev_field *f, const char *name,
			  enum pf_kind kind)
{
	uint32_t number = e->nr_fields + 1;
	unsigned int type = kind != PF_NUMBER ? TYPE_STRING :
			    f->is_signed ? TYPE_INT64 : TYPE_UINT64;

	event_add_field(e, f, number, kind);
	describe_field(&e->described, name, number, type);
}

static bool is_stack(const struct ev_format *fmt)
{
	return !strcmp(fmt->system, "ftrace") &&
	       (!strcmp(fmt->name, "kernel_stack") || !strcmp(fmt->name, "user_stack"));
}

static bool is_message(const struct ev_format *fmt)
{
	return !strcmp(fmt->system, "ftrace") && (!strcmp(fmt->name, "print") ||
	       !strcmp(fmt->name, "bprint") || !strcmp(fmt->name, "bputs"));
}

static void describe_fields(struct pf_event *e, const struct ev_format *fmt)
{
	bool is_function = !strcmp(fmt->system, "ftrace") &&
			   (!strcmp(fmt->name, "function") || !strcmp(fmt->name, "func_repeats"));
	char *name;

	for (size_t i = 0; i < fmt->nr_fields; i++) {
		const struct ev_field *f = &fmt->fields[i];

		if (!ev_field_shown(f))
			continue;
		add_described(e, f, f->name, is_number(f) ? PF_NUMBER :
			      is_text(f) ? PF_STRING : PF_TEXT);
		if (is_function && strstr(f->name, "ip") && is_number(f)) {
			name = xasprintf("%s_name", f->name);
			add_described(e, f, name, PF_FUNCTION);
			free(name);
		}
	}
}

/* Gives the event a number and a google.protobuf.DescriptorProto: name, fields. */
static void describe_event(struct pf_events *all, struct pf_event *e, const struct ev_format *fmt)
{
	struct buf *b = &e->described, name = {0};
	size_t outer = proto_begin(b, BUNDLE_GENERIC), inner;

	e->number = all->next_number++;
	e->add = add_fields;
	proto_add_number(b, 1, e->number);
	inner = proto_begin(b, 2);
	text_sanitise(&name, fmt->name, strlen(fmt->name), false);
	proto_add_bytes(b, 1, name.len ? name.data : "", name.len);
	if (is_message(fmt)) {
		describe_field(b, "ip", 1, TYPE_UINT64);
		describe_field(b, "buf", 2, TYPE_STRING);
		e->add = add_message;
	} else if (is_stack(fmt) || count_shown_fields(fmt) > FIELDS_MAX) {
		describe_field(b, is_stack(fmt) ? "stack" : "text", 1, TYPE_STRING);
		e->add = add_rendered;
	} else {
		describe_fields(e, fmt);
	}
	proto_end(b, inner);
	proto_end(b, outer);
	buf_release(&name);
}

static __attribute__((noinline)) struct pf_event *new_event(struct pf_events *all,
							    struct pf_file *file,
							    const struct trace_rec *r)
{
	const struct ev_format *fmt = r->rec.fmt;
	const struct known_event *k = known_events, *end = k + NR_KNOWN;
	struct pf_event *e = xcalloc(1, sizeof(*e));
	const struct ev_field *text;

	e->next = file->met;
	file->met = e;
	if (!fmt) {
		e->number = NUMBER_GENERIC;
		e->add = add_unknown;
		return e;
	}
	while (k < end && (strcmp(k->name, fmt->name) || strcmp(k->system, fmt->system)))
		k++;
	if (k < end && event_use_known(e, fmt, k))
		return e;
	if (!is_message(fmt) && !ev_format_ready(fmt))
		e->mark_form = marker_form_of(fmt, &text);
	e->fgraph = &file->fgraph;
	e->entry = fgraph_entry_of(e->fgraph, r);
	if (e->entry) {
		e->number = NUMBER_ENTRY;
		e->add = add_entry;
	} else if (fgraph_has(e->fgraph, fmt)) {
		e->number = NUMBER_EXIT;
		e->add = add_exit;
	} else {
		describe_event(all, e, fmt);
	}
	return e;
}

/* --- public */

struct pf_events *pf_events_new(struct trace *const *traces, size_t n)
{
	struct pf_events *all = xcalloc(1, sizeof(*all));

	all->files = xcalloc(n + 1, sizeof(*all->files));
	all->nr_files = n;
	all->next_number = NUMBER_FIRST;
	for (size_t i = 0; i < n; i++) {
		fgraph_init(&all->files[i].fgraph, traces[i]);
		all->files[i].events = xcalloc(IDS, sizeof(struct pf_event *));
	}
	return all;
}

void pf_events_free(struct pf_events *all)
{
	struct pf_event *e;

	if (!all)
		return;
	for (size_t i = 0; i < all->nr_files; i++) {
		for (; (e = all->files[i].met); free(e)) {
			all->files[i].met = e->next;
			free(e->fields);
			buf_release(&e->described);
		}
		free(all->files[i].events);
		map_release(&all->files[i].states);
	}
	buf_release(&all->text);
	buf_release(&all->name);
	free(all->files);
	free(all);
}

uint32_t pf_add_event(struct pf_events *all, const struct trace_rec *r, const struct pf_dest *dest)
{
	struct pf_file *file = &all->files[r->file];
	struct pf_event *e = file->events[r->type];
	struct pf_out o = { .all = all, .r = r, .dest = dest, .b = dest->bundle };
	size_t event, body;
	pf_body add;
	uint32_t number;
	char *end;

	if (__builtin_expect(!e, 0)) {
		e = file->events[r->type] = new_event(all, file, r);
		buf_add(dest->bundle, e->described.data, e->described.len);
	}
	add = e->add;
	number = add == add_message ? render_message(all, e, r) : e->number;
	if (__builtin_expect(e->mark_form != MARKER_NONE, 0) && render_mark(all, e, r)) {
		number = NUMBER_PRINT;
		add = add_message;
	}
	o.e = e;
	o.p = buf_poke(dest->bundle, HEAD_ROOM);
	*o.p++ = PROTO_TAG(BUNDLE_EVENT, PROTO_BYTES);
	event = o.p - o.b->data;
	o.p += EVENT_LEN;
	o.p = proto_number(o.p, EVENT_TIME, r->ts);
	o.p = proto_number(o.p, EVENT_PID, r->pid > 0 ? r->pid : 0);
	o.p = proto_varint(o.p, PROTO_TAG(number, PROTO_BYTES));
	body = o.p - o.b->data;
	o.p += BODY_LEN;
	add(&o);
	make_room(&o, 16);
	end = o.p;
	end = proto_close(o.b->data + body, BODY_LEN, end - (o.b->data + body + BODY_LEN));
	end = proto_close(o.b->data + event, EVENT_LEN, end - (o.b->data + event + EVENT_LEN));
	buf_poked(o.b, end);
	return number;
}
