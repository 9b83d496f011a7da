/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The records of one event as rows, by the fields of its format. SQLite's tables have the same
 * values, but take ten times as long for a row, since each value goes through a function of SQLite.
 * Here a format is compiled once: fields that are equal bytes in the record and in RowBinary are
 * one copy, and the columns of a task are kept as bytes.
 */
#include "output/engine/engine_rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cursor.h"
#include "base/poke.h"
#include "output/json/json_records.h"
#include "output/task_slot.h"

#define TASK_TEXT 236
/*
 * Bytes of the values of a row, after which strings and arrays are empty: fields that overlap could
 * make any length of a record.
 */
#define ROW_MAX (1u << 20)

/* The columns before the fields. Those from host to comm are the same for a task on a CPU. */
enum { COL_TS, COL_TRACE_TS, COL_HOST, COL_TRACE_ID, COL_BUFFER, COL_CPU, COL_TID, COL_COMM,
       COL_ERROR, COL_LOST, COLS };

static const struct {
	const char *name;
	enum engine_type type;
	bool is_nullable, is_of_day;	/* ->is_of_day: only with a time of day */
} first_columns[COLS] = {
	[COL_TS] = { "ts", ENGINE_TIME, false, true },
	[COL_TRACE_TS] = { "trace_ts", ENGINE_STAMP, false, false },
	[COL_HOST] = { "host", ENGINE_WORD, false, false },
	[COL_TRACE_ID] = { "trace_id", ENGINE_WORD, false, false },
	[COL_BUFFER] = { "buffer", ENGINE_WORD, false, false },
	[COL_CPU] = { "cpu", ENGINE_I32, false, false },
	[COL_TID] = { "tid", ENGINE_I32, false, false },
	[COL_COMM] = { "comm", ENGINE_WORD, false, false },
	[COL_ERROR] = { "ts_error_ns", ENGINE_U64, true, true },
	[COL_LOST] = { "lost", ENGINE_U64, true, false },
};

/* Names of hidden columns in SQL, where a field with such a name has "arg_" in front, too. */
static const char *const sql_names[] = { "utid", "text", "stack", "file" };

/* The bytes of a field and its value. */
struct row_field {
	const struct ev_field *f;	/* borrowed; NULL: the file lacks it */
	enum json_kind kind;
	uint32_t size;			/* bytes of a number, or of each number */
};

/* A step of making a row. */
enum row_op_kind { OP_COPY, OP_NUMBER, OP_NUMBERS, OP_STRING, OP_HEX, OP_TEXT, OP_NULL };

struct row_op {
	enum row_op_kind kind;
	uint8_t  size;			/* bytes of a number in the record */
	bool     is_signed;
	bool     is_nullable;
	enum engine_type type;		/* of the column */
	uint32_t offset, len;		/* OP_COPY: bytes of the record; numbers: ->offset */
	const struct ev_field *f;
	size_t   column;
};

struct row_file {
	const struct ev_format *fmt;	/* NULL: the file lacks the event */
	struct row_op *ops;
	size_t nr_ops;
	uint32_t need;			/* bytes that a record must have for its numbers */
	uint32_t room;			/* bytes of its numbers in RowBinary */
	char *host, *trace_id;
	bool has_error;
	uint64_t error_ns;
};

struct event_table {
	struct engine_columns columns;
	size_t first_field;		/* number of columns before the fields */
	struct row_field *fields;	/* [column - first_field][file] */
	struct row_file *files;
	struct trace *const *traces;
	size_t nr_files;
	char *name;
	const char *lacks_time;		/* path of a file, or NULL */
	bool has_time;
	struct event_table_counts counts;
};

/* --- the event in each file */

static bool format_is_named(const struct ev_format *f, const char *name)
{
	size_t len = strlen(f->system);

	if (!strcmp(f->name, name))
		return true;
	if (strncmp(name, f->system, len))
		return false;
	name += len;
	return (*name == ':' && !strcmp(name + 1, f->name)) ||
	       (!strncmp(name, "__", 2) && !strcmp(name + 2, f->name));
}

/* Sets the format of each file. Returns 1, 0 if no file has one, or -1 with @err. */
static int table_find_formats(struct event_table *t, const char *name, struct ftr_error *err)
{
	const struct ev_format *first = NULL;
	struct ev_format *v;

	for (size_t i = 0; i < t->nr_files; i++) {
		size_t n = event_meta_formats(&t->traces[i]->meta, NULL, &v);

		for (size_t k = 0; k < n; k++) {
			const char *why;

			if (!format_is_named(&v[k], name))
				continue;
			why = ev_format_ready(&v[k]);
			if (why)
				return err_set(err, FTR_FAILED, "the format of '%s' cannot be "
					       "parsed: %s", v[k].name, why);
			first = first ? first : &v[k];
			if (strcmp(first->system, v[k].system)) {
				err_set(err, FTR_FAILED, "'%s' is an event of '%s' and of '%s'",
					name, first->system, v[k].system);
				return err_hint(err, "write '%s:%s'", first->system, name);
			}
			t->files[i].fmt = &v[k];
		}
	}
	return first != NULL;
}

/* --- columns */

static bool table_has_name(const struct event_table *t, const char *name)
{
	for (size_t i = 0; i < COLS; i++)
		if (!strcasecmp(first_columns[i].name, name))
			return true;
	for (size_t i = 0; i < sizeof(sql_names) / sizeof(*sql_names); i++)
		if (!strcasecmp(sql_names[i], name))
			return true;
	for (size_t i = t->first_field; i < t->columns.n; i++)
		if (!strcasecmp(t->columns.v[i].name, name))
			return true;
	return false;
}

static struct row_field *field_at(const struct event_table *t, size_t column, size_t file)
{
	return &t->fields[(column - t->first_field) * t->nr_files + file];
}

static void column_set_type(struct engine_column *c, const struct row_field *f)
{
	bool is_number = f->kind == AS_NUMBER || f->kind == AS_NUMBERS;

	c->is_array = f->kind == AS_NUMBERS;
	c->type = is_number ? engine_integer(f->size, f->f->is_signed) : ENGINE_STRING;
}

/* Makes the type of a column one that has the values of another file, too. */
static void column_widen(struct engine_column *c, const struct row_field *f)
{
	struct engine_column other = { .name = NULL };
	bool is_signed = c->type <= ENGINE_I64;
	uint32_t size, most;

	column_set_type(&other, f);
	if (other.type == c->type && other.is_array == c->is_array)
		return;
	size = engine_type_size(c->type);
	most = engine_type_size(other.type);
	if (!size || !most || c->is_array != other.is_array) {
		c->type = ENGINE_STRING;
		c->is_array = false;
		return;
	}
	if (is_signed != (other.type <= ENGINE_I64)) {
		/* the signed type has to be larger than the unsigned one */
		*(is_signed ? &most : &size) *= 2;
		is_signed = true;
	}
	size = size > most ? size : most;
	c->type = engine_integer(size < 8 ? size : 8, is_signed);
}

/* Adds the column of a field. A name that a column has gets "arg_" in front, as in SQL. */
static void table_add_field(struct event_table *t, const struct ev_field *f, size_t file)
{
	struct row_field field = { .f = f };
	char *name;

	field.kind = json_field_kind(f, t->traces[file]->dat->long_size, &field.size);
	for (size_t i = t->first_field; i < t->columns.n; i++) {
		const char *have = t->columns.v[i].name;

		if (field_at(t, i, file)->f || (strcmp(have, f->name) &&
		    (strncmp(have, "arg_", 4) || strcmp(have + 4, f->name))))
			continue;
		*field_at(t, i, file) = field;
		column_widen(&t->columns.v[i], &field);
		return;
	}
	name = table_has_name(t, f->name) ? xasprintf("arg_%s", f->name) : xstrdup(f->name);
	if (!table_has_name(t, name)) {
		size_t n = t->columns.n - t->first_field;

		column_set_type(engine_columns_add(&t->columns, name, ENGINE_STRING), &field);
		t->fields = xrealloc(t->fields, (n + 1) * t->nr_files * sizeof(*t->fields));
		memset(t->fields + n * t->nr_files, 0, t->nr_files * sizeof(*t->fields));
		*field_at(t, t->columns.n - 1, file) = field;
	}
	free(name);
}

static void table_add_columns(struct event_table *t)
{
	for (size_t i = 0; i < COLS; i++)
		if (t->has_time || !first_columns[i].is_of_day)
			engine_columns_add(&t->columns, first_columns[i].name,
					   first_columns[i].type)->is_nullable =
				first_columns[i].is_nullable;
	t->first_field = t->columns.n;
	for (size_t i = 0; i < t->nr_files; i++) {
		const struct ev_format *fmt = t->files[i].fmt;

		for (size_t k = 0; fmt && k < fmt->nr_fields; k++)
			if (!fmt->fields[k].common)
				table_add_field(t, &fmt->fields[k], i);
	}
	for (size_t i = t->first_field; i < t->columns.n; i++)
		for (size_t k = 0; k < t->nr_files; k++)
			if (t->files[k].fmt && !field_at(t, i, k)->f)
				t->columns.v[i].is_nullable = !t->columns.v[i].is_array;
}

/* --- the steps */

static enum row_op_kind row_op_kind_of(const struct engine_column *c, const struct row_field *f)
{
	static const enum row_op_kind kinds[] = {
		[AS_NUMBER] = OP_NUMBER, [AS_NUMBERS] = OP_NUMBERS, [AS_STRING] = OP_STRING,
		[AS_HEX] = OP_HEX,
	};
	bool is_text = c->type == ENGINE_STRING && (f->kind == AS_NUMBER || f->kind == AS_NUMBERS);

	return !f->f ? OP_NULL : is_text ? OP_TEXT : kinds[f->kind];
}

/* Returns true if the bytes of a number are those in RowBinary. */
static bool row_op_is_copy(const struct event_table *t, const struct row_op *op, size_t file)
{
	return op->kind == OP_NUMBER && !op->is_nullable && !t->traces[file]->dat->big &&
	       engine_type_size(op->type) == op->size;
}

static void table_compile_file(struct event_table *t, size_t file, enum engine_format format)
{
	struct row_file *x = &t->files[file];

	x->nr_ops = x->need = x->room = 0;
	free(x->ops);
	x->ops = xcalloc(t->columns.n + 1, sizeof(*x->ops));
	for (size_t i = t->first_field; x->fmt && i < t->columns.n; i++) {
		const struct row_field *f = field_at(t, i, file);
		struct row_op *last = x->nr_ops ? &x->ops[x->nr_ops - 1] : NULL, *op;
		const struct engine_column *c = &t->columns.v[i];

		op = &x->ops[x->nr_ops++];
		*op = (struct row_op){
			.kind = row_op_kind_of(c, f), .size = f->size, .type = c->type, .f = f->f,
			.is_signed = f->f && f->f->is_signed, .is_nullable = c->is_nullable,
			.offset = f->f ? f->f->offset : 0, .column = i,
		};
		x->room += 1 + engine_type_size(c->type);
		if (op->kind == OP_NUMBER && f->f->offset + f->f->size > x->need)
			x->need = f->f->offset + f->f->size;
		if (format != ENGINE_ROWBINARY || !row_op_is_copy(t, op, file))
			continue;
		op->kind = OP_COPY;
		op->len = op->size;
		if (last && last->kind == OP_COPY && last->offset + last->len == op->offset) {
			last->len += op->len;
			x->nr_ops--;
		}
	}
}

/* --- columns of a file */

char *engine_host(const struct trace *t)
{
	struct dat_uname u;
	char *host;

	dat_uname_read(t->dat, &u);
	host = xstrdup(u.host ? u.host : "");
	free(u.text);
	return host;
}

char *engine_trace_id(const struct trace *t)
{
	const struct dat_option *o = dat_option(t->dat, DAT_TRACEID);

	if (!o || o->data.len != 8)
		return xstrdup("");
	return xasprintf("%016" PRIx64, get_u64((const uint8_t *)o->data.p, t->dat->big));
}

static void table_init_files(struct event_table *t)
{
	uint64_t ns;

	t->has_time = true;
	for (size_t i = 0; i < t->nr_files; i++) {
		struct row_file *f = &t->files[i];

		f->host = engine_host(t->traces[i]);
		f->trace_id = engine_trace_id(t->traces[i]);
		f->has_error = trace_time_error(t->traces[i], &f->error_ns);
		if (t->has_time && !trace_time_of_day(t->traces[i], 0, &ns)) {
			t->has_time = false;
			t->lacks_time = t->traces[i]->dat->path;
		}
	}
}

/* Returns "kmem__kmalloc" for "kmem:kmalloc", as SQL has it. The caller frees it. */
static char *table_make_name(const char *name)
{
	const char *colon = strchr(name, ':');

	return colon ? xasprintf("%.*s__%s", (int)(colon - name), name, colon + 1) : xstrdup(name);
}

struct event_table *event_table_new(struct trace *const *traces, size_t n, const char *name,
				    struct ftr_error *err)
{
	struct event_table *t = xcalloc(1, sizeof(*t));

	t->traces = traces;
	t->nr_files = n;
	t->files = xcalloc(n + 1, sizeof(*t->files));
	if (table_find_formats(t, name, err) <= 0) {
		event_table_free(t);
		return NULL;
	}
	t->name = table_make_name(name);
	table_init_files(t);
	table_add_columns(t);
	return t;
}

void event_table_free(struct event_table *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->nr_files; i++) {
		free(t->files[i].ops);
		free(t->files[i].host);
		free(t->files[i].trace_id);
	}
	engine_columns_release(&t->columns);
	free(t->fields);
	free(t->files);
	free(t->name);
	free(t);
}

const struct engine_columns *event_table_columns(const struct event_table *t)
{
	return &t->columns;
}

const char *event_table_name(const struct event_table *t)
{
	return t->name;
}

const char *event_table_lacks_time(const struct event_table *t)
{
	return t->lacks_time;
}

const struct event_table_counts *event_table_counts(const struct event_table *t)
{
	return &t->counts;
}

/* --- the sink */

/* The columns of one task on one CPU as bytes. */
struct row_task {
	struct task_slot slot;
	char     text[TASK_TEXT + POKE_TEXT_ROOM(0)];
};
_Static_assert(TASK_TEXT <= UINT8_MAX, "the length of a text fits");

/* Events that were lost in a stream since its last row. */
struct row_loss {
	uint64_t events;
	bool     is_unknown;
};

struct row_sink {
	struct row_task tasks[TASK_SLOTS];
	struct row_loss *losses;	/* by trace_rec.stream */
	struct event_table *table;
	struct buf text;		/* columns of a task that do not fit its slot */
	struct buf *keys;		/* engine_add_key() of each column */
	struct engine_second second;
};

static void begin_rows(struct out_state *o, enum engine_format f)
{
	struct row_sink *x = xcalloc(1, sizeof(*x));

	x->table = o->opts.table;
	x->losses = xcalloc(trace_nr_streams(o->traces, o->nr_traces) + 1, sizeof(*x->losses));
	x->keys = xcalloc(x->table->columns.n + 1, sizeof(*x->keys));
	for (size_t i = 0; i < x->table->columns.n; i++)
		engine_add_key(f, &x->table->columns, i, &x->keys[i]);
	for (size_t i = 0; i < x->table->nr_files; i++)
		table_compile_file(x->table, i, f);
	x->table->counts = (struct event_table_counts){0};
	o->priv = x;
	engine_add_header(f, &x->table->columns, &o->buf);
}

static void end_rows(struct out_state *o)
{
	struct row_sink *x = o->priv;

	for (size_t i = 0; i < x->table->columns.n; i++)
		buf_release(&x->keys[i]);
	free(x->keys);
	buf_release(&x->text);
	free(x->losses);
	free(x);
	o->priv = NULL;
}

static void row_add_loss(struct out_state *o, const struct trace_rec *r)
{
	struct row_sink *x = o->priv;
	struct row_loss *l = &x->losses[r->stream];

	if (r->lost == RING_LOST_UNKNOWN)
		l->is_unknown = true;
	else
		l->events += r->lost;
}

/* Makes the bytes of the columns from host to ts_error_ns. */
static void row_add_task(const struct row_sink *x, const struct trace_rec *r,
			 enum engine_format f, struct buf *b)
{
	const struct event_table *t = x->table;
	const struct row_file *file = &t->files[r->file];
	const char *words[] = { file->host, file->trace_id, r->trace->dat->buffers[r->buffer].name,
				NULL, NULL, trace_comm(r->trace, r->pid) };
	const int numbers[] = { 0, 0, 0, r->cpu, r->pid };
	size_t column = t->has_time ? COL_HOST : COL_HOST - 1;

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++, column++) {
		engine_add_key(f, &t->columns, column, b);
		if (words[i])
			engine_add_string(f, words[i], strlen(words[i]), b);
		else
			engine_add_number(f, ENGINE_I32, (uint64_t)(int64_t)numbers[i], b);
	}
	if (!t->has_time)
		return;
	engine_add_key(f, &t->columns, column, b);
	if (!file->has_error) {
		engine_add_null(f, b);
		return;
	}
	engine_add_there(f, b);
	engine_add_number(f, ENGINE_U64, file->error_ns, b);
}

/* Fills slot @t, if the bytes fit, and returns *len bytes for poke_text(). */
static __attribute__((noinline)) const char *row_task_new(struct row_sink *x, struct row_task *t,
							  const struct trace_rec *r,
							  enum engine_format f, size_t *len)
{
	struct buf *b = &x->text;

	buf_reset(b);
	row_add_task(x, r, f, b);
	buf_reserve(b, POKE_TEXT_ROOM(0));
	*len = b->len;
	if (b->len <= TASK_TEXT) {
		task_slot_set(&t->slot, r, b->len);
		memcpy(t->text, b->data, b->len);
	}
	return b->data;
}

static inline const char *row_task_text(struct row_sink *x, const struct trace_rec *r,
					enum engine_format f, size_t *len)
{
	struct row_task *t = &x->tasks[task_slot_of(r)];

	if (__builtin_expect(!task_slot_fits(&t->slot, r), 0))
		return row_task_new(x, t, r, f, len);
	*len = t->slot.len;
	return t->text;
}

static inline void row_add_key(const struct row_sink *x, size_t column, struct buf *b)
{
	buf_add(b, x->keys[column].data, x->keys[column].len);
}

static inline char *poke_u64(char *p, uint64_t v)
{
	v = htole64(v);
	return (char *)memcpy(p, &v, 8) + 8;
}

/* Adds the columns up to lost in RowBinary, and makes room for the numbers of the event. */
static inline char *row_poke_first(struct out_state *o, struct row_sink *x,
				   const struct trace_rec *r)
{
	const struct event_table *t = x->table;
	struct row_loss *loss = &x->losses[r->stream];
	const char *task;
	uint64_t ns;
	size_t len;
	char *p;

	task = row_task_text(x, r, ENGINE_ROWBINARY, &len);
	p = buf_poke(&o->buf, POKE_TEXT_ROOM(len) + 32 + t->files[r->file].room);
	if (t->has_time) {
		trace_time_of_day(r->trace, r->ts, &ns);
		p = poke_u64(p, ns);
	}
	p = poke_u64(p, r->ts);
	p = poke_text(p, task, len);
	*p++ = loss->is_unknown;
	if (!loss->is_unknown)
		p = poke_u64(p, loss->events);
	*loss = (struct row_loss){0};
	return p;
}

/* The same as text. */
static void row_add_first(struct out_state *o, struct row_sink *x, const struct trace_rec *r,
			  enum engine_format f)
{
	const struct event_table *t = x->table;
	struct row_loss *loss = &x->losses[r->stream];
	size_t i = 0, len;
	const char *task;
	uint64_t ns;

	if (t->has_time) {
		trace_time_of_day(r->trace, r->ts, &ns);
		row_add_key(x, i++, &o->buf);
		engine_add_time(f, &x->second, ns, &o->buf);
	}
	row_add_key(x, i, &o->buf);
	engine_add_number(f, ENGINE_U64, r->ts, &o->buf);
	task = row_task_text(x, r, f, &len);
	buf_add(&o->buf, task, len);
	row_add_key(x, t->first_field - 1, &o->buf);
	if (loss->is_unknown)
		engine_add_null(f, &o->buf);
	else
		engine_add_number(f, ENGINE_U64, loss->events, &o->buf);
	*loss = (struct row_loss){0};
}

static void row_add_numbers(enum engine_format f, const struct row_op *op, const uint8_t *p,
			    uint32_t len, bool big, struct buf *b)
{
	uint32_t n = len / op->size;

	engine_add_array(f, n, b);
	if (f == ENGINE_ROWBINARY && !big && engine_type_size(op->type) == op->size) {
		buf_add(b, p, (size_t)n * op->size);
		return;
	}
	for (uint32_t i = 0; i < n; i++) {
		if (i)
			engine_add_array_comma(f, b);
		engine_add_number(f, op->type, get_number(p + (size_t)i * op->size, op->size,
							       op->is_signed, big), b);
	}
	engine_add_array_end(f, b);
}

static void row_add_hex(enum engine_format f, const uint8_t *p, uint32_t len, struct buf *b)
{
	struct buf hex = {0};
	char *at = buf_poke(&hex, 2 * (size_t)len + POKE_HEX_ROOM);

	for (uint32_t i = 0; i < len; i++)
		at = poke_hex(at, p[i], 2);
	buf_poked(&hex, at);
	engine_add_string(f, hex.data, hex.len, b);
	buf_release(&hex);
}

/* A number, or several, whose column has strings, as another file has them. */
static void row_add_text(enum engine_format f, const struct row_op *op, const struct ev_rec *r,
			 struct buf *b)
{
	struct buf text = {0};

	ev_render_field(r, op->f, &text);
	engine_add_string(f, text.len ? text.data : "", text.len, b);
	buf_release(&text);
}

/* Adds a value that is no number. It is empty if the row has more than ROW_MAX bytes from @from. */
static void row_add_bytes(struct row_sink *x, enum engine_format f, const struct row_op *op,
			  const struct ev_rec *r, size_t from, struct buf *b)
{
	bool is_there = b->len - from <= ROW_MAX;
	const uint8_t *p = NULL;
	uint32_t len = 0;

	if (op->is_nullable)
		engine_add_there(f, b);
	if (!is_there || !ev_get_bytes(r, op->f, &p, &len)) {
		x->table->counts.outside++;
		len = 0;
		p = (const uint8_t *)"";
	}
	if (op->kind == OP_NUMBERS)
		row_add_numbers(f, op, p, len, r->big, b);
	else if (op->kind == OP_HEX)
		row_add_hex(f, p, len, b);
	else if (op->kind == OP_STRING || !len)
		engine_add_string(f, (const char *)p, strnlen((const char *)p, len), b);
	else
		row_add_text(f, op, r, b);
}

static void row_add_missing(enum engine_format f, const struct engine_column *c, struct buf *b)
{
	if (!c->is_array) {
		engine_add_null(f, b);
		return;
	}
	engine_add_array(f, 0, b);
	engine_add_array_end(f, b);
}

/* Returns the file of a record that becomes a row, or NULL. */
static inline const struct row_file *row_file(struct row_sink *x, const struct trace_rec *r)
{
	const struct row_file *f = &x->table->files[r->file];

	if (r->rec.fmt != f->fmt || !f->fmt)
		return NULL;
	if (__builtin_expect(r->rec.len < f->need, 0)) {
		x->table->counts.cut++;
		return NULL;
	}
	x->table->counts.rows++;
	return f;
}

static void rowbinary_event(struct out_state *o, const struct trace_rec *r, struct trace_iter *it)
{
	struct row_sink *x = o->priv;
	const struct row_file *file = row_file(x, r);
	const enum engine_format f = ENGINE_ROWBINARY;
	struct buf *b = &o->buf;
	size_t from = b->len;
	char *p;

	(void)it;
	if (!file)
		return;
	p = row_poke_first(o, x, r);
	for (const struct row_op *op = file->ops; op < file->ops + file->nr_ops; op++) {
		if (op->kind == OP_COPY) {
			p = (char *)memcpy(p, r->rec.data + op->offset, op->len) + op->len;
			continue;
		}
		buf_poked(b, p);
		if (op->kind == OP_NULL) {
			row_add_missing(f, &x->table->columns.v[op->column], b);
		} else if (op->kind == OP_NUMBER) {
			if (op->is_nullable)
				engine_add_there(f, b);
			engine_add_number(f, op->type, get_number(r->rec.data + op->offset,
					  op->size, op->is_signed, r->rec.big), b);
		} else {
			row_add_bytes(x, f, op, &r->rec, from, b);
		}
		p = buf_poke(b, file->room);
	}
	buf_poked(b, p);
}

static inline void row_add_all(struct out_state *o, const struct trace_rec *r,
			       enum engine_format f)
{
	struct row_sink *x = o->priv;
	const struct row_file *file = row_file(x, r);
	struct buf *b = &o->buf;
	size_t from = b->len;

	if (!file)
		return;
	row_add_first(o, x, r, f);
	for (const struct row_op *op = file->ops; op < file->ops + file->nr_ops; op++) {
		row_add_key(x, op->column, b);
		if (op->kind == OP_NULL)
			row_add_missing(f, &x->table->columns.v[op->column], b);
		else if (op->kind == OP_NUMBER)
			engine_add_number(f, op->type, get_number(r->rec.data + op->offset,
					  op->size, op->is_signed, r->rec.big), b);
		else
			row_add_bytes(x, f, op, &r->rec, from, b);
	}
	engine_add_row_end(f, b);
}

static void jsonl_event(struct out_state *o, const struct trace_rec *r, struct trace_iter *it)
{
	(void)it;
	row_add_all(o, r, ENGINE_JSONL);
}

static void csv_row_event(struct out_state *o, const struct trace_rec *r, struct trace_iter *it)
{
	(void)it;
	row_add_all(o, r, ENGINE_CSV);
}

static void begin_rowbinary(struct out_state *o)
{
	begin_rows(o, ENGINE_ROWBINARY);
}

static void begin_jsonl(struct out_state *o)
{
	begin_rows(o, ENGINE_JSONL);
}

static void begin_csv_rows(struct out_state *o)
{
	begin_rows(o, ENGINE_CSV);
}

const struct out_ops *event_table_ops(enum engine_format f)
{
	static const struct out_ops ops[] = {
		[ENGINE_ROWBINARY] = { .begin = begin_rowbinary, .event = rowbinary_event,
				       .lost = row_add_loss, .end = end_rows },
		[ENGINE_JSONL] = { .begin = begin_jsonl, .event = jsonl_event, .lost = row_add_loss,
				   .end = end_rows },
		[ENGINE_CSV] = { .begin = begin_csv_rows, .event = csv_row_event,
				 .lost = row_add_loss, .end = end_rows },
	};

	return &ops[f];
}
