/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Encodes the records of a text: with fields, if the text determines them, or with the text. */
#include "text/text_events.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "text/fields/call_args.h"
#include "text/fields/field_solver.h"
#include "text/log/line_scan.h"

#define COMMON_LINES \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

enum { ID_FUNCTION = 1, ID_STACK = 4, ID_PRINT = 5, ID_EXIT = 10, ID_ENTRY = 11, ID_FIRST = 100 };

#define ID_MAX	   UINT16_MAX
/* Limit for names of events, each with up to two formats. A kernel has some thousands. */
#define NAMES_MAX  16384
#define TEXT_MAX   3000
#define FRAMES_MAX 400
#define RECORD_MAX 3900			/* bytes that a sub-buffer has room for */

static const char *const builtin_formats[TEXT_BUILTIN_FORMATS] = {
	"name: function\nID: 1\nformat:\n" COMMON_LINES
	"\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long parent_ip;\toffset:16;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \" %ps <-- %ps\", (void *)REC->ip, (void *)REC->parent_ip\n",

	"name: kernel_stack\nID: 4\nformat:\n" COMMON_LINES
	"\tfield:int size;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:unsigned long caller[8];\toffset:16;\tsize:64;\tsigned:0;\n\n"
	"print fmt: \"\\t=> %ps\\n\\t=> %ps\\n\", (void *)REC->caller[0], (void *)REC->caller[1]\n",

	"name: print\nID: 5\nformat:\n" COMMON_LINES
	"\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:char buf[];\toffset:16;\tsize:0;\tsigned:0;\n\n"
	"print fmt: \"%ps: %s\", (void *)REC->ip, REC->buf\n",

	"name: funcgraph_entry\nID: 11\nformat:\n" COMMON_LINES
	"\tfield:unsigned long func;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:int depth;\toffset:16;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"--> %ps (%d)\", (void *)REC->func, REC->depth\n",

	"name: funcgraph_exit\nID: 10\nformat:\n" COMMON_LINES
	"\tfield:unsigned long func;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:int depth;\toffset:16;\tsize:4;\tsigned:1;\n"
	"\tfield:unsigned int overrun;\toffset:20;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned long long calltime;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long long rettime;\toffset:32;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \"<-- %ps (%d) (start: %llx  end: %llx) over: %d\", (void *)REC->func, "
	"REC->depth, REC->calltime, REC->rettime, REC->depth\n",
};

static const char exit_with_result[] =
	"name: funcgraph_exit\nID: 10\nformat:\n" COMMON_LINES
	"\tfield:unsigned long func;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long retval;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:int depth;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:unsigned int overrun;\toffset:28;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned long long calltime;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long long rettime;\toffset:40;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \"<-- %ps (%d) (start: %llx  end: %llx) over: %d retval: %lx\", "
	"(void *)REC->func, REC->depth, REC->calltime, REC->rettime, REC->depth, REC->retval\n";

/* Calls with their registers, as with the options func-args and funcgraph-args. */
static const char function_with_args[] =
	"name: function\nID: 1\nformat:\n" COMMON_LINES
	"\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long parent_ip;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:u64 args[];\toffset:24;\tsize:0;\tsigned:0;\n\n"
	"print fmt: \" %ps <-- %ps\", (void *)REC->ip, (void *)REC->parent_ip\n";

static const char entry_with_args[] =
	"name: funcgraph_entry\nID: 11\nformat:\n" COMMON_LINES
	"\tfield:unsigned long func;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:int depth;\toffset:16;\tsize:4;\tsigned:1;\n"
	"\tfield:u64 args[];\toffset:24;\tsize:0;\tsigned:0;\n\n"
	"print fmt: \"--> %ps (%d)\", (void *)REC->func, REC->depth\n";

/* The events of one name: with their text, and with fields once some were solved. */
struct named_events {
	char    *name;
	size_t   len;
	struct named_events *same;	/* the next one with the same hash */
	struct event_fields *how;	/* its solver, never NULL */
	struct text_event_kind *text, *kinds[EVENT_FORMATS_MAX];
	bool     (*mark)(struct text_events *e, const struct dump_rec *r, struct buf *out);
};

/* Names of events that were met last, without a prefix: most have their own slot. */
#define LAST_NAMES 256

struct text_events {
	struct named_events *last[LAST_NAMES];
	const struct dump_syms *syms;
	const struct format_files *formats;
	struct text_event_kind **v;
	size_t n, cap;
	struct map by_name;
	struct named_events **names;
	size_t nr_names, cap_names;
	struct named_events *other;	/* those beyond NAMES_MAX, or NULL */
	struct text_counts counts;
	struct field_solver *solver;
	bool results;			/* ends of calls have a result */
	struct call_args *args;		/* NULL: calls have no arguments */
};

struct text_events *text_events_new(const struct dump_syms *syms,
				    const struct format_files *formats)
{
	struct text_events *e = xcalloc(1, sizeof(*e));

	e->syms = syms;
	e->formats = formats;
	e->solver = field_solver_new(syms, formats);
	return e;
}

void text_events_set_slow(struct text_events *e)
{
	field_solver_set_slow(e->solver);
}

void text_events_set_results(struct text_events *e)
{
	e->results = true;
}

void text_events_set_args(struct text_events *e)
{
	e->args = call_args_new();
}

void text_events_protos(const struct text_events *e, struct buf *out)
{
	if (e->args)
		call_args_protos(e->args, out);
}

const char *text_events_builtin(const struct text_events *e, size_t i)
{
	const char *with[TEXT_BUILTIN_FORMATS] = {
		[0] = e->args ? function_with_args : NULL,
		[TEXT_BUILTIN_FORMATS - 2] = e->args ? entry_with_args : NULL,
		[TEXT_BUILTIN_FORMATS - 1] = e->results ? exit_with_result : NULL,
	};

	return with[i] ? with[i] : builtin_formats[i];
}

/* --- records of ftrace, in the byte order of this machine */

static inline void add_common(struct buf *out, uint16_t id, const struct dump_rec *r)
{
	struct {
		uint16_t id;
		uint8_t flags, count;
		int32_t pid;
	} common = { id, r->flags, r->count, r->pid };

	buf_add(out, &common, sizeof(common));
}

static void add_u64(struct buf *out, uint64_t v)
{
	buf_add(out, &v, 8);
}

static void add_u32(struct buf *out, uint32_t v)
{
	buf_add(out, &v, 4);
}

static void encode_stack(struct text_events *e, const struct log_dump *d, const struct dump_rec *r,
			 struct buf *out)
{
	size_t n = r->nr_frames > FRAMES_MAX ? FRAMES_MAX : r->nr_frames;

	add_common(out, ID_STACK, r);
	add_u32(out, n);
	add_u32(out, 0);
	for (size_t i = 0; i < n; i++)
		add_u64(out, dump_syms_addr(e->syms, d->frames[r->frames + i]));
}

/* Appends the arguments of a call at the end of its record. */
static void add_args(struct text_events *e, const struct dump_rec *r, struct buf *out)
{
	uint64_t regs[CALL_REGS_MAX];
	uint32_t n;

	if (!e->args || !r->args.len)
		return;
	n = call_args_read(e->args, r->name, r->args, regs);
	buf_add(out, regs, n * sizeof(*regs));
	e->counts.without_args += !n;
}

static void encode_function(struct text_events *e, const struct dump_rec *r, struct buf *out)
{
	add_common(out, ID_FUNCTION, r);
	add_u64(out, dump_syms_addr(e->syms, r->name));
	add_u64(out, dump_syms_addr(e->syms, r->text));
	add_args(e, r, out);
}

static void encode_graph(struct text_events *e, const struct dump_rec *r, struct buf *out)
{
	bool exit = r->kind == DUMP_EXIT;
	uint64_t result;

	add_common(out, exit ? ID_EXIT : ID_ENTRY, r);
	add_u64(out, r->name.len ? dump_syms_addr(e->syms, r->name) : 0);
	if (exit && e->results)
		add_u64(out, dump_result(r, &result) ? result : 0);
	add_u32(out, r->depth);
	add_u32(out, 0);
	if (!exit) {
		add_args(e, r, out);
		return;
	}
	add_u64(out, r->ns - r->duration_ns);
	add_u64(out, r->ns);
}

/* --- events */

static struct text_event_kind *add_kind(struct text_events *e, const char *system, const char *name)
{
	struct text_event_kind *k;

	if (ID_FIRST + e->n > ID_MAX)
		return NULL;
	k = xcalloc(1, sizeof(*k));
	k->id = ID_FIRST + e->n;
	k->system = xstrdup(system);
	k->name = xstrdup(name);
	buf_printf(&k->format, "name: %s\nID: %u\nformat:\n" COMMON_LINES, name, k->id);
	e->v = xgrow(e->v, &e->cap, e->n + 1, sizeof(*e->v));
	e->v[e->n++] = k;
	return k;
}

/* --- marks: what user space and trace_printk() wrote */

/* Encodes a mark of the function at @ip. The kernel ends it with a newline. */
static bool encode_mark(const struct dump_rec *r, uint64_t ip, struct span_text text,
			struct buf *out)
{
	if (text.len > TEXT_MAX)
		return false;
	add_common(out, ID_PRINT, r);
	add_u64(out, ip);
	buf_add(out, text.p, text.len);
	buf_add(out, "\n", 2);
	return true;
}

/* "tracing_mark_write: text" */
static bool encode_named_mark(struct text_events *e, const struct dump_rec *r, struct buf *out)
{
	uint64_t ip = dump_syms_addr(e->syms, r->name);

	return ip && encode_mark(r, ip, r->text, out);
}

/* "0: text", as kernels before 3.8 print marks of user space */
static bool encode_old_mark(struct text_events *e, const struct dump_rec *r, struct buf *out)
{
	(void)e;
	return encode_mark(r, 0, r->text, out);
}

/* "print: function: text" */
static bool encode_print(struct text_events *e, const struct dump_rec *r, struct buf *out)
{
	struct span_text func = dump_syms_printer(r->text), text = r->text;
	uint64_t ip = func.len ? dump_syms_addr(e->syms, func) : 0;

	if (!ip)
		return false;
	text.p += func.len + 2;
	text.len -= func.len + 2;
	return encode_mark(r, ip, text, out);
}

static const struct mark_name {
	const char *name;
	bool (*encode)(struct text_events *e, const struct dump_rec *r, struct buf *out);
} mark_names[] = {
	{ "tracing_mark_write", encode_named_mark },
	{ "0", encode_old_mark },
	{ "print", encode_print },
	{ "bprint", encode_print },
	{ "bputs", encode_print },
};

/* --- events by name */

static const char other[] = "other_event";

/* Returns the events "BEFORE" "NAME", or those beyond NAMES_MAX, whose name is ->other. */
static struct named_events *find_named(struct text_events *e, struct span_text before,
				       struct span_text name)
{
	uint64_t hash = before.len ? hash_two(before.p, before.len, name.p, name.len)
				   : hash_bytes(name.p, name.len);
	struct named_events *n = map_get(&e->by_name, hash);

	for (; n; n = n->same)
		if (n->len == before.len + name.len &&
		    (!before.len || !memcmp(n->name, before.p, before.len)) &&
		    !memcmp(n->name + before.len, name.p, name.len))
			return n;
	if (e->nr_names >= NAMES_MAX && name.p != other) {
		e->other = find_named(e, (struct span_text){ "", 0 },
				      (struct span_text){ other, sizeof(other) - 1 });
		return e->other;
	}
	n = xcalloc(1, sizeof(*n));
	n->name = xasprintf("%.*s%.*s", (int)before.len, before.p, (int)name.len, name.p);
	n->len = before.len + name.len;
	n->how = event_fields_new(e->solver, n->name);
	for (size_t i = 0; i < sizeof(mark_names) / sizeof(*mark_names); i++)
		if (!strcmp(n->name, mark_names[i].name))
			n->mark = mark_names[i].encode;
	n->same = map_put(&e->by_name, hash, n);
	e->names = xgrow(e->names, &e->cap_names, e->nr_names + 1, sizeof(*e->names));
	e->names[e->nr_names++] = n;
	return n;
}

/* Returns the kind with the fields of the format @which, or NULL if there can be no more ids. */
static struct text_event_kind *kind_of(struct text_events *e, struct named_events *n, int which)
{
	struct text_event_kind *k;

	if (n->kinds[which])
		return n->kinds[which];
	k = n->kinds[which] = add_kind(e, event_fields_system(n->how, which), n->name);
	if (k)
		event_fields_format(n->how, which, &k->format);
	return k;
}

static inline bool encode_fields(struct text_events *e, struct named_events *n,
				 const struct dump_rec *r, struct buf *out)
{
	struct text_event_kind *k;
	size_t from = out->len;
	int which;

	add_common(out, 0, r);
	which = event_fields_solve(n->how, r, out);
	if (out->len - from > RECORD_MAX)
		which = -1;
	k = which < 0 ? NULL : kind_of(e, n, which);
	if (!k) {
		out->len = from;
		return false;
	}
	memcpy(out->data + from, &k->id, sizeof(k->id));
	k->records++;
	e->counts.with_fields++;
	return true;
}

/* Encodes an event whose only field is its text. Returns false if the file can have no more ids. */
static bool encode_text(struct text_events *e, struct named_events *n, const struct dump_rec *r,
			struct span_text text, struct buf *out)
{
	size_t len = text.len > TEXT_MAX ? TEXT_MAX : text.len;

	if (!n->text)
		n->text = add_kind(e, event_fields_system(n->how, -1), n->name);
	if (!n->text)
		return false;
	if (!n->text->records++)
		buf_addstr(&n->text->format,
			   "\tfield:__data_loc char[] text;\toffset:8;\tsize:4;\tsigned:0;\n\n"
			   "print fmt: \"%s\", __get_str(text)\n");
	add_common(out, n->text->id, r);
	add_u32(out, 12 | (uint32_t)(len + 1) << 16);
	buf_add(out, text.p, len);
	buf_addch(out, '\0');
	return true;
}

/* Returns the events of a record, as find_named() does. */
static inline struct named_events *named_of(struct text_events *e, struct span_text before,
					    struct span_text name)
{
	struct named_events **last = &e->last[(span_slot(name) + before.len) % LAST_NAMES];
	struct named_events *n = *last;

	if (n && n->len == before.len + name.len && n != e->other &&
	    (!before.len || !memcmp(n->name, before.p, before.len)) &&
	    span_same((struct span_text){ n->name + before.len, name.len }, name))
		return n;
	*last = find_named(e, before, name);
	return *last;
}

/* Encodes an event beyond NAMES_MAX: its text starts with its name. */
static bool encode_other(struct text_events *e, struct named_events *n, const struct dump_rec *r,
			 struct span_text prefix, struct buf *out)
{
	struct buf text = {0};
	bool ok;

	buf_printf(&text, "%.*s%.*s: %.*s", (int)prefix.len, prefix.p, (int)r->name.len, r->name.p,
		   (int)r->text.len, r->text.p);
	ok = encode_text(e, n, r, (struct span_text){ text.data, text.len }, out);
	e->counts.others += ok;
	buf_release(&text);
	return ok;
}

static inline bool encode_event(struct text_events *e, const struct dump_rec *r, struct buf *out)
{
	static const struct span_text prefixes[] = {
		[DUMP_EVENT] = { "", 0 }, [DUMP_SYSCALL] = { "sys_enter_", 10 },
		[DUMP_SYSRET] = { "sys_exit_", 9 }, [DUMP_STACK] = { "", 0 },
	};
	struct named_events *n = named_of(e, prefixes[r->kind], r->name);

	e->counts.events++;
	if (n->mark && n->mark(e, r, out)) {
		e->counts.with_fields++;
		return true;
	}
	if (n == e->other)
		return encode_other(e, n, r, prefixes[r->kind], out);
	return encode_fields(e, n, r, out) || encode_text(e, n, r, r->text, out);
}

/* Encodes a user stack, whose frames are text. */
static bool encode_user_stack(struct text_events *e, const struct log_dump *d,
			      const struct dump_rec *r, struct buf *out)
{
	struct buf text = {0};
	bool ok;

	for (size_t i = 0; i < r->nr_frames && text.len < TEXT_MAX; i++) {
		const struct span_text *f = &d->frames[r->frames + i];

		buf_addstr(&text, i ? " => " : "=> ");
		buf_add(&text, f->p, f->len);
	}
	ok = encode_text(e, find_named(e, (struct span_text){ "", 0 }, r->name), r,
			 (struct span_text){ text.data ? text.data : "", text.len }, out);
	e->counts.events += ok;
	buf_release(&text);
	return ok;
}

bool text_events_encode(struct text_events *e, const struct log_dump *d, const struct dump_rec *r,
			struct buf *out)
{
	switch (r->kind) {
	case DUMP_FUNCTION:
		encode_function(e, r, out);
		return true;
	case DUMP_ENTRY:
	case DUMP_EXIT:
		encode_graph(e, r, out);
		return true;
	case DUMP_STACK:
		if (*r->name.p == 'u')
			return encode_user_stack(e, d, r, out);
		encode_stack(e, d, r, out);
		return true;
	default:
		return encode_event(e, r, out);
	}
}

size_t text_events_kinds(const struct text_events *e, struct text_event_kind *const **v)
{
	*v = e->v;
	return e->n;
}

struct text_counts text_events_count(const struct text_events *e)
{
	return e->counts;
}

void text_events_free(struct text_events *e)
{
	if (!e)
		return;
	for (size_t i = 0; i < e->n; i++) {
		free(e->v[i]->system);
		free(e->v[i]->name);
		buf_release(&e->v[i]->format);
		free(e->v[i]);
	}
	for (size_t i = 0; i < e->nr_names; i++) {
		event_fields_free(e->names[i]->how);
		free(e->names[i]->name);
		free(e->names[i]);
	}
	free(e->v);
	free(e->names);
	map_release(&e->by_name);
	field_solver_free(e->solver);
	call_args_free(e->args);
	free(e);
}
