/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records as bytes: those of ftrace itself, and events with their text. */
#include "oops/dump_records.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "oops/fields/field_solver.h"

#define COMMON_LINES \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

enum { ID_FUNCTION = 1, ID_STACK = 4, ID_PRINT = 5, ID_EXIT = 10, ID_ENTRY = 11, ID_FIRST = 100 };

#define ID_MAX	   UINT16_MAX
/* Names of events that get formats of their own, two each. A kernel has some thousands. */
#define NAMES_MAX  16384
#define TEXT_MAX   3000
#define FRAMES_MAX 400

const char *const oops_builtin_formats[OOPS_BUILTIN_FORMATS] = {
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

/* The kinds of one name: its text, and its fields once they were found. */
struct named {
	struct oops_kind *text, *fields;
	struct named *same;		/* hash */
	struct oops_fields *how;	/* NULL: it has no format */
};

struct oops_events {
	const struct oops_syms *syms;
	const struct formats *formats;
	struct oops_kind **v;
	size_t n, cap;
	struct map by_name;
	struct named **names;
	size_t nr_names, cap_names;
	struct oops_counts counts;
	struct oops_solver *solver;
};

struct oops_events *oops_events_new(const struct oops_syms *syms, const struct formats *formats)
{
	struct oops_events *e = xcalloc(1, sizeof(*e));

	e->syms = syms;
	e->formats = formats;
	e->solver = oops_solver_new(syms, formats);
	return e;
}

/* --- bytes, in the order of this machine */

static void put(struct buf *out, const void *p, size_t n)
{
	buf_add(out, p, n);
}

static void put_common(struct buf *out, uint16_t id, const struct dump_rec *r)
{
	int32_t pid = r->pid;

	put(out, &id, 2);
	put(out, &r->flags, 1);
	put(out, &r->count, 1);
	put(out, &pid, 4);
}

static void put_u64(struct buf *out, uint64_t v)
{
	put(out, &v, 8);
}

static void put_u32(struct buf *out, uint32_t v)
{
	put(out, &v, 4);
}

static void encode_function(struct oops_events *e, const struct dump_rec *r, struct buf *out)
{
	put_common(out, ID_FUNCTION, r);
	put_u64(out, oops_syms_addr(e->syms, r->name));
	put_u64(out, oops_syms_addr(e->syms, r->text));
}

static void encode_stack(struct oops_events *e, const struct dump *d, const struct dump_rec *r,
			 struct buf *out)
{
	size_t n = r->nr_frames > FRAMES_MAX ? FRAMES_MAX : r->nr_frames;

	put_common(out, ID_STACK, r);
	put_u32(out, n);
	put_u32(out, 0);
	for (size_t i = 0; i < n; i++)
		put_u64(out, oops_syms_addr(e->syms, d->frames[r->frames + i]));
}

static void encode_graph(struct oops_events *e, const struct dump_rec *r, struct buf *out)
{
	bool exit = r->kind == DUMP_EXIT;

	put_common(out, exit ? ID_EXIT : ID_ENTRY, r);
	put_u64(out, r->name.len ? oops_syms_addr(e->syms, r->name) : 0);
	put_u32(out, r->depth);
	put_u32(out, 0);
	if (!exit)
		return;
	put_u64(out, r->ns - r->duration_ns);
	put_u64(out, r->ns);
}

/* --- events */

static struct oops_kind *add_kind(struct oops_events *e, const char *system, const char *name)
{
	struct oops_kind *k;

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

/* An event whose only field is its text. */
static struct oops_kind *text_kind(struct oops_events *e, struct named *n, const char *name)
{
	const char *system = n->how ? oops_fields_system(n->how) : "dump";

	if (!n->text)
		n->text = add_kind(e, system, name);
	if (n->text && !n->text->records++)
		buf_addstr(&n->text->format,
			   "\tfield:__data_loc char[] text;\toffset:8;\tsize:4;\tsigned:0;\n\n"
			   "print fmt: \"%s\", __get_str(text)\n");
	return n->text;
}

static struct named *find_named(struct oops_events *e, const char *before, struct span_text name)
{
	static const char other[] = "other_event";
	uint64_t hash = hash_two(before, strlen(before), name.p, name.len);
	struct named *n = map_get(&e->by_name, hash);
	char *full;

	for (; n; n = n->same)
		if (oops_fields_is(n->how, before, name))
			return n;
	if (e->nr_names >= NAMES_MAX && name.p != other)
		return find_named(e, "", (struct span_text){ other, sizeof(other) - 1 });
	n = xcalloc(1, sizeof(*n));
	full = xasprintf("%s%.*s", before, (int)name.len, name.p);
	n->how = oops_fields_new(e->solver, full);
	free(full);
	n->same = map_put(&e->by_name, hash, n);
	e->names = xgrow(e->names, &e->cap_names, e->nr_names + 1, sizeof(*e->names));
	e->names[e->nr_names++] = n;
	return n;
}

static bool encode_fields(struct oops_events *e, struct named *n, const struct dump_rec *r,
			  struct buf *out)
{
	struct buf body = {0};
	bool ok = oops_fields_solve(n->how, r, &body);

	if (ok && !n->fields) {
		n->fields = add_kind(e, oops_fields_system(n->how), oops_fields_name(n->how));
		ok = n->fields;
		if (ok)
			oops_fields_format(n->how, &n->fields->format);
	}
	if (ok) {
		n->fields->records++;
		put_common(out, n->fields->id, r);
		buf_add(out, body.data, body.len);
		e->counts.with_fields++;
	}
	buf_release(&body);
	return ok;
}

static bool encode_text(struct oops_events *e, struct named *n, const struct dump_rec *r,
			struct span_text text, struct buf *out)
{
	struct oops_kind *k = text_kind(e, n, oops_fields_name(n->how));
	size_t len = text.len > TEXT_MAX ? TEXT_MAX : text.len;

	if (!k)
		return false;
	put_common(out, k->id, r);
	put_u32(out, 12 | (uint32_t)(len + 1) << 16);
	buf_add(out, text.p, len);
	buf_addch(out, '\0');
	return true;
}

/* The text of an event beyond NAMES_MAX has its name. */
static bool encode_other(struct oops_events *e, struct named *n, const char *before,
			 const struct dump_rec *r, struct buf *out)
{
	struct buf text = {0};
	bool ok;

	buf_printf(&text, "%s%.*s: %.*s", before, (int)r->name.len, r->name.p, (int)r->text.len,
		   r->text.p);
	ok = encode_text(e, n, r, (struct span_text){ text.data, text.len }, out);
	e->counts.others += ok;
	buf_release(&text);
	return ok;
}

static bool encode_event(struct oops_events *e, const struct dump_rec *r, struct buf *out)
{
	static const char *const before[] = {
		[DUMP_EVENT] = "", [DUMP_SYSCALL] = "sys_enter_", [DUMP_SYSRET] = "sys_exit_",
		[DUMP_STACK] = "",
	};
	struct named *n = find_named(e, before[r->kind], r->name);

	e->counts.events++;
	if (!oops_fields_is(n->how, before[r->kind], r->name))
		return encode_other(e, n, before[r->kind], r, out);
	return encode_fields(e, n, r, out) || encode_text(e, n, r, r->text, out);
}

/* The frames of a stack that is not the kernel's are text. */
static bool encode_user_stack(struct oops_events *e, const struct dump *d,
			      const struct dump_rec *r, struct buf *out)
{
	struct buf text = {0};
	bool ok;

	for (size_t i = 0; i < r->nr_frames && text.len < TEXT_MAX; i++) {
		const struct span_text *f = &d->frames[r->frames + i];

		buf_addstr(&text, i ? " => " : "=> ");
		buf_add(&text, f->p, f->len);
	}
	ok = encode_text(e, find_named(e, "", r->name), r,
			 (struct span_text){ text.data ? text.data : "", text.len }, out);
	e->counts.events += ok;
	buf_release(&text);
	return ok;
}

bool oops_events_encode(struct oops_events *e, const struct dump *d, const struct dump_rec *r,
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

size_t oops_events_kinds(const struct oops_events *e, struct oops_kind *const **v)
{
	*v = e->v;
	return e->n;
}

struct oops_counts oops_events_count(const struct oops_events *e)
{
	return e->counts;
}

void oops_events_free(struct oops_events *e)
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
		oops_fields_free(e->names[i]->how);
		free(e->names[i]);
	}
	free(e->v);
	free(e->names);
	map_release(&e->by_name);
	oops_solver_free(e->solver);
	free(e);
}
