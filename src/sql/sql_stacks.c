/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks of records. Equal stacks of a file have one number, so that GROUP BY stack counts them.
 * The kernel writes a stack after its record, with records of other CPUs between both in the order
 * of time: the first use of a column stack reads the files once and notes the stack of each record.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/search.h"
#include "event/data/usermaps.h"
#include "model/kernel_stack.h"
#include "output/json/json_records.h"
#include "sql/sql_scan.h"

#define USER_FRAMES 8		/* kernel/trace/trace.h: FTRACE_STACK_ENTRIES */

/* A stack: followed by its addresses, of the kernel first, the innermost first. */
struct stack_head {
	uint32_t file;
	int32_t  tgid;			/* of the addresses of user space */
	uint32_t nr_kernel, nr_user;
};

/* The stack of a record. */
struct stack_mark {
	int64_t  record;		/* record_id() */
	uint32_t stack;
};

/* The last record of a stream, to which a stack may belong. */
struct stack_owner {
	bool     is_there;
	int      pid;
	int64_t  record;
	uint32_t kernel;		/* its stack of the kernel, which was read, or 0 */
};

enum stack_kind { STACK_NONE, STACK_KERNEL, STACK_USER, STACK_FIELD };

struct sql_stacks {
	const char **v;			/* by number - 1: a stack_head and its addresses */
	size_t n, cap;
	struct textmap by_content;	/* -> number */
	struct string_pool contents;
	struct stack_mark *marks;	/* by ->record */
	size_t nr_marks, cap_marks, last;
	bool is_part;			/* the query was ended while they were read */
	struct model *model;		/* for the names of functions */
	struct stack_words words;
	/* while the files are read */
	struct stack_owner *owners;	/* by trace_rec.stream */
	const struct ev_format *fmt;	/* of the last record, and its kind and field */
	enum stack_kind kind;
	const struct ev_field *field;
	struct buf content;
};

/* --- reading */

/* Returns the field that the print fmt prints as a stack, or NULL. */
static const struct ev_field *find_stack_field(const struct ev_format *fmt)
{
	static const char call[] = "stacktrace(";
	const char *p = ev_format_ready(fmt) || !fmt->print_fmt ? NULL :
			strstr(fmt->print_fmt, call);
	const struct ev_field *f;
	size_t len;

	if (!p)
		return NULL;
	p += strlen(call);
	len = strcspn(p, ") ");
	for (size_t i = 0; i < fmt->nr_fields; i++) {
		f = &fmt->fields[i];
		if (strlen(f->name) == len && !memcmp(f->name, p, len))
			return f;
	}
	return NULL;
}

/* Formats are looked at once: mostly a CPU's record has that of the one before. */
static enum stack_kind stack_kind(struct sql_stacks *s, const struct ev_format *fmt)
{
	if (fmt == s->fmt)
		return s->kind;
	s->fmt = fmt;
	s->field = NULL;
	s->kind = STACK_NONE;
	if (fmt && !strcmp(fmt->system, "ftrace")) {
		s->kind = !strcmp(fmt->name, "kernel_stack") ? STACK_KERNEL :
			  !strcmp(fmt->name, "user_stack") ? STACK_USER : STACK_NONE;
	} else if (fmt) {
		s->field = find_stack_field(fmt);
		s->kind = s->field ? STACK_FIELD : STACK_NONE;
	}
	return s->kind;
}

/* Reads addresses up to a 0. Returns false if there are none. */
static bool read_addresses(const struct trace_rec *r, const struct ev_field *f, uint32_t max,
			   struct kernel_stack *k)
{
	uint32_t len;

	*k = (struct kernel_stack){ .r = r };
	if (!f || !r->rec.long_size || !ev_get_bytes(&r->rec, f, &k->data, &len))
		return false;
	while (k->n < max && (k->n + 1) * r->rec.long_size <= len && kernel_stack_addr(k, k->n))
		k->n++;
	return k->n;
}

static void add_addresses(struct buf *content, const struct kernel_stack *k, uint32_t first)
{
	for (uint32_t i = first; i < k->n; i++) {
		uint64_t addr = kernel_stack_addr(k, i);

		buf_add(content, &addr, sizeof(addr));
	}
}

/* Returns the number of the stack in ->content. */
static uint32_t number_of(struct sql_stacks *s)
{
	const struct buf *c = &s->content;
	uintptr_t nr = (uintptr_t)textmap_get(&s->by_content, c->data, c->len);
	char *copy;

	if (nr)
		return nr;
	copy = texts_add(&s->contents, c->data, c->len);
	s->v = xgrow(s->v, &s->cap, s->n + 1, sizeof(*s->v));
	s->v[s->n++] = copy;
	textmap_put_borrowed(&s->by_content, copy, c->len, (void *)s->n);
	return s->n;
}

static void add_mark(struct sql_stacks *s, int64_t record, uint32_t stack)
{
	s->marks = xgrow(s->marks, &s->cap_marks, s->nr_marks + 1, sizeof(*s->marks));
	s->marks[s->nr_marks++] = (struct stack_mark){ record, stack };
}

/* Returns the number of a stack of the kernel, without the functions that recorded the event. */
static uint32_t kernel_stack_number(struct sql_stacks *s, const struct kernel_stack *k,
				    uint32_t first)
{
	struct stack_head head = { .file = k->r->file, .nr_kernel = k->n - first };

	buf_reset(&s->content);
	buf_add(&s->content, &head, sizeof(head));
	add_addresses(&s->content, k, first);
	return number_of(s);
}

/* Returns the number of the stack of user space @k below that of the kernel, if @kernel has one. */
static uint32_t user_stack_number(struct sql_stacks *s, const struct kernel_stack *k,
				  uint32_t kernel)
{
	struct stack_head head = { .file = k->r->file }, of_kernel;
	uint64_t tgid;

	if (kernel) {
		memcpy(&of_kernel, s->v[kernel - 1], sizeof(of_kernel));
		head.nr_kernel = of_kernel.nr_kernel;
	}
	head.nr_user = k->n;
	if (record_number(k->r, "tgid", &tgid))
		head.tgid = (int32_t)tgid;
	buf_reset(&s->content);
	buf_add(&s->content, &head, sizeof(head));
	if (kernel)
		buf_add(&s->content, s->v[kernel - 1] + sizeof(head),
			head.nr_kernel * sizeof(uint64_t));
	add_addresses(&s->content, k, 0);
	return number_of(s);
}

static void read_kernel_stack(struct sql_stacks *s, struct stack_owner *o,
			      const struct trace_rec *r)
{
	bool is_owned = o->is_there && o->pid == r->pid && !o->kernel;
	struct kernel_stack k;
	uint32_t nr;

	o->is_there = is_owned;
	if (!kernel_stack_read(r, &k))
		return;
	nr = kernel_stack_number(s, &k, kernel_stack_skip_tracer(&s->words, s->model, &k));
	add_mark(s, record_id(r), nr);
	if (is_owned) {
		add_mark(s, o->record, nr);
		o->kernel = nr;
	}
}

static void read_user_stack(struct sql_stacks *s, struct stack_owner *o, const struct trace_rec *r)
{
	bool is_owned = o->is_there && o->pid == r->pid;
	const struct ev_field *f = ev_format_ready(r->rec.fmt) ? NULL :
				   ev_field(r->rec.fmt, "caller");
	struct kernel_stack k;

	o->is_there = false;
	if (!read_addresses(r, f, USER_FRAMES, &k))
		return;
	add_mark(s, record_id(r), user_stack_number(s, &k, 0));
	if (is_owned)
		add_mark(s, o->record, user_stack_number(s, &k, o->kernel));
}

static void read_record(struct sql_stacks *s, const struct trace_rec *r)
{
	struct stack_owner *o = &s->owners[r->stream];
	struct kernel_stack k;

	if (r->lost)
		o->is_there = false;
	if (!r->rec.data)
		return;
	switch (stack_kind(s, r->rec.fmt)) {
	case STACK_KERNEL:
		read_kernel_stack(s, o, r);
		return;
	case STACK_USER:
		read_user_stack(s, o, r);
		return;
	case STACK_FIELD:
		if (read_addresses(r, s->field, UINT32_MAX, &k))
			add_mark(s, record_id(r), kernel_stack_number(s, &k, 0));
		break;
	default:
		break;
	}
	*o = (struct stack_owner){ true, r->pid, record_id(r), 0 };
}

/* The last mark of a record stays: that with both stacks. */
static int compare_marks(const void *a, const void *b)
{
	const struct stack_mark *x = a, *y = b;

	if (x->record != y->record)
		return x->record < y->record ? -1 : 1;
	return (x->stack > y->stack) - (x->stack < y->stack);
}

static void sort_marks(struct sql_stacks *s)
{
	size_t n = 0;

	if (s->nr_marks)
		qsort(s->marks, s->nr_marks, sizeof(*s->marks), compare_marks);
	for (size_t i = 0; i < s->nr_marks; i++) {
		n -= n && s->marks[n - 1].record == s->marks[i].record;
		s->marks[n++] = s->marks[i];
	}
	s->nr_marks = n;
}

static struct sql_stacks *read_stacks(struct sql_db *db)
{
	static const struct model_opts none;
	static const struct span_ops ops;
	struct sql_stacks *s = db->stacks;
	const struct trace_rec *r;
	struct trace_iter *it;

	if (s && !s->is_part)
		return s;
	sql_stacks_free(s);
	db->stacks = s = xcalloc(1, sizeof(*s));
	s->model = model_new(db->traces, db->n, &none, &ops, NULL, NULL);
	if (!s->model)
		return s;
	s->owners = xcalloc(trace_nr_streams(db->traces, db->n) + 1, sizeof(*s->owners));
	it = trace_iter_new(db->traces, db->n, NULL);
	while (!sql_is_ended(db) && (r = trace_iter_next(it))) {
		db->records++;
		read_record(s, r);
	}
	trace_iter_free(it);
	s->is_part = db->is_interrupted;
	free(s->owners);
	s->owners = NULL;
	sort_marks(s);
	return s;
}

int64_t sql_stack_of(struct sql_db *db, const struct trace_rec *r)
{
	struct sql_stacks *s = read_stacks(db);
	int64_t id = record_id(r);

	/* mostly the next one: records of a CPU come in the order of their offsets */
	if (s->last + 1 < s->nr_marks && s->marks[s->last + 1].record == id)
		return s->marks[++s->last].stack;
	s->last = SEARCH_ABOVE(i, 0, s->nr_marks, s->marks[i].record < id);
	if (s->last == s->nr_marks || s->marks[s->last].record != id)
		return 0;
	return s->marks[s->last].stack;
}

void sql_stacks_free(struct sql_stacks *s)
{
	if (!s)
		return;
	free(s->v);
	textmap_release(&s->by_content);
	texts_release(&s->contents);
	free(s->marks);
	model_free(s->model);
	stack_words_release(&s->words);
	free(s->owners);
	buf_release(&s->content);
	free(s);
}

/* --- stack(ID), stack_json(ID) */

/* Finds the stack with the number in @value. Returns its content, or NULL. */
static const char *find_stack(sqlite3_context *out, sqlite3_value *value, struct stack_head *head)
{
	const struct sql_stacks *s = read_stacks(sql_function_db(out));
	int64_t nr = sqlite3_value_int64(value);

	if (sqlite3_value_type(value) == SQLITE_NULL || nr < 1 || (uint64_t)nr > s->n)
		return NULL;
	memcpy(head, s->v[nr - 1], sizeof(*head));
	return s->v[nr - 1] + sizeof(*head);
}

static uint64_t address_at(const char *addresses, uint32_t i)
{
	uint64_t addr;

	memcpy(&addr, addresses + i * sizeof(addr), sizeof(addr));
	return addr;
}

/* Appends the name of a function, or the mapped file and the offset in it, as ftr report does. */
static void add_frame(const struct sql_db *db, const struct stack_head *head, uint32_t i,
		      uint64_t addr, struct buf *b)
{
	const char *path;
	uint64_t start;

	if (i < head->nr_kernel && addr == STACK_TRAMPOLINE) {
		buf_addstr(b, "[FTRACE TRAMPOLINE]");
	} else if (i < head->nr_kernel) {
		model_add_named(db->stacks->model, head->file, addr, SPAN_NAME_SYMBOL, b);
	} else {
		path = ev_maps_find(db->traces[head->file]->meta.maps, head->tgid, addr, &start);
		if (path)
			buf_printf(b, "%s[+0x%" PRIx64 "]", path, addr - start);
		else
			buf_printf(b, "0x%" PRIx64, addr);
	}
}

/* Appends {"address":"0x...","name":"vfs_read","offset":18}, or the address alone. */
static void add_frame_object(const struct sql_db *db, const struct stack_head *head, uint32_t i,
			     uint64_t addr, struct buf *b)
{
	const struct event_meta *w = &db->traces[head->file]->meta;
	const char *module = NULL, *name = NULL;
	uint64_t off = 0, start;
	size_t len = 0, module_len = 0;

	buf_printf(b, "{\"address\":\"0x%" PRIx64 "\"", addr);
	if (i < head->nr_kernel) {
		name = w->syms ? ev_syms_find(w->syms, addr, &len, &module, &module_len, &off) :
		       NULL;
	} else {
		name = ev_maps_find(w->maps, head->tgid, addr, &start);
		len = name ? strlen(name) : 0;
		off = name ? addr - start : 0;
	}
	if (name) {
		buf_addstr(b, i < head->nr_kernel ? ",\"name\":" : ",\"file\":");
		json_add_string(b, name, len);
		buf_printf(b, ",\"offset\":%" PRIu64, off);
	}
	if (module && module_len) {
		buf_addstr(b, ",\"module\":");
		json_add_string(b, module, module_len);
	}
	buf_addch(b, '}');
}

/* Sets the frames of a stack in the order of the records, the innermost first, or in reverse. */
static void return_frames(sqlite3_context *out, sqlite3_value *id, bool is_reversed,
			  const char *const marks[3],
			  void (*add)(const struct sql_db *db, const struct stack_head *head,
				      uint32_t i, uint64_t addr, struct buf *b))
{
	struct stack_head head;
	const char *addresses = find_stack(out, id, &head);
	struct buf b = {0};
	uint32_t n;

	if (!addresses)
		return;
	n = head.nr_kernel + head.nr_user;
	buf_addstr(&b, marks[0]);
	for (uint32_t k = 0; k < n; k++) {
		uint32_t i = is_reversed ? n - 1 - k : k;

		buf_addstr(&b, k ? marks[1] : "");
		add(sql_function_db(out), &head, i, address_at(addresses, i), &b);
	}
	buf_addstr(&b, marks[2]);
	sqlite3_result_text(out, b.data, b.len, SQLITE_TRANSIENT);
	buf_release(&b);
}

void sql_get_stack(sqlite3_context *out, int argc, sqlite3_value **argv)
{
	(void)argc;
	return_frames(out, argv[0], true, (const char *const[]){ "", ";", "" }, add_frame);
}

void sql_get_stack_json(sqlite3_context *out, int argc, sqlite3_value **argv)
{
	(void)argc;
	return_frames(out, argv[0], false, (const char *const[]){ "[", ",", "]" },
		      add_frame_object);
}
