/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scans of intervals of time that the model makes of records: runs on CPUs, states of tasks, spans,
 * waits. Rows come as the intervals end: ORDER BY ts sorts them.
 *
 * A join that is sorted by a column of table thread asks for the rows of one task after another.
 * They are kept by task then, so that SQLite has nothing to sort: that took longer than reading the
 * files. Values are packed into the bytes that they need, about 5 each, as no more than the memory
 * limits their number: 1 GiB of usual events has 1.5 million runs of tasks.
 */
#include "sql/sql_intervals.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* --- rows by task */

#define PACKED_MAX 10		/* bytes of a value */
#define FIRST_BITS 5		/* of a number in its first byte, besides the kind and MORE */
#define MORE	   0x80		/* another byte follows */

static size_t cell_pack(const struct sql_cell *c, uint8_t *to)
{
	uint64_t v = 0, rest;
	size_t n = 0;

	if (c->kind == CELL_TEXT)
		v = (uintptr_t)c->text;
	else if (c->kind == CELL_REAL)
		memcpy(&v, &c->real, sizeof(v));
	else if (c->kind == CELL_INTEGER)
		v = (uint64_t)c->integer << 1 ^ (uint64_t)(c->integer >> 63);
	rest = v >> FIRST_BITS;
	to[n++] = c->kind | (v & ((1u << FIRST_BITS) - 1)) << 2 | (rest ? MORE : 0);
	for (; rest; rest >>= 7)
		to[n++] = (rest & 0x7f) | (rest >> 7 ? MORE : 0);
	return n;
}

static size_t cell_unpack(const uint8_t *from, struct sql_cell *c)
{
	uint64_t v = from[0] >> 2 & ((1u << FIRST_BITS) - 1);
	size_t n = 1;

	for (; from[n - 1] & MORE; n++)
		v |= (uint64_t)(from[n] & 0x7f) << (FIRST_BITS + 7 * (n - 1));
	c->kind = from[0] & 3;
	if (c->kind == CELL_TEXT)
		c->text = (const char *)(uintptr_t)v;
	else if (c->kind == CELL_REAL)
		memcpy(&c->real, &v, sizeof(v));
	else
		c->integer = (int64_t)(v >> 1 ^ -(v & 1));
	return n;
}

/* Adds the last row to those of its task. A row without a task is equal to none. */
static void keep_by_task(struct interval_scan *s)
{
	const struct sql_cell *key = &s->row[s->table->key];
	uint8_t bytes[INTERVAL_CELLS_MAX * PACKED_MAX];
	struct kept_rows *k = &s->kept;
	size_t n = 0, utid;

	if (key->kind != CELL_INTEGER || key->integer < 0)
		return;
	utid = key->integer;
	if (utid >= k->n) {
		k->of = xgrow(k->of, &k->cap, utid + 1, sizeof(*k->of));
		memset(k->of + k->n, 0, (utid + 1 - k->n) * sizeof(*k->of));
		k->n = utid + 1;
	}
	for (size_t i = 0; i < s->width; i++)
		n += cell_pack(&s->row[s->columns[i]], bytes + n);
	buf_add(&k->of[utid], bytes, n);
}

/* Unpacks the next row of the tasks that are asked for. Returns false if there is none. */
static bool next_kept(struct interval_scan *s)
{
	struct kept_rows *k = &s->kept;
	const uint8_t *from;

	while (k->utid <= k->most && (uint64_t)k->utid < k->n && k->at == k->of[k->utid].len) {
		k->utid++;
		k->at = 0;
	}
	if (k->utid > k->most || (uint64_t)k->utid >= k->n)
		return false;
	from = (const uint8_t *)k->of[k->utid].data;
	for (size_t i = 0; i < s->width; i++)
		k->at += cell_unpack(from + k->at, &s->cells[i]);
	return true;
}

static void kept_release(struct kept_rows *k)
{
	for (size_t i = 0; i < k->n; i++)
		buf_release(&k->of[i]);
	free(k->of);
	textmap_release(&k->texts);
	*k = (struct kept_rows){0};
}

/* --- rows */

/* Keeps the used columns of the last row. */
static void keep_row(struct interval_scan *s)
{
	struct sql_cell *to;

	if (!s->has_row)
		return;
	s->has_row = false;
	if (s->kept.is_on) {
		keep_by_task(s);
		return;
	}
	s->cells = xgrow(s->cells, &s->cap, (s->n + 1) * s->width, sizeof(*s->cells));
	to = s->cells + s->n++ * s->width;
	for (size_t i = 0; i < s->width; i++)
		to[i] = s->row[s->columns[i]];
}

struct sql_cell *interval_add(struct interval_scan *s)
{
	keep_row(s);
	memset(s->row, 0, s->kind->nr_columns * sizeof(*s->row));
	s->has_row = true;
	return s->row;
}

void interval_set_text(struct interval_scan *s, struct sql_cell *c, const char *text, size_t len)
{
	if (!interval_is_used(s, c))
		return;
	c->kind = CELL_TEXT;
	if (s->kept.is_on) {
		c->text = textmap_copy(&s->kept.texts, text, len);
		return;
	}
	s->text_bytes += len;
	c->text = texts_add(&s->texts, text, len);
}

void interval_set_word(struct sql_cell *c, const char *text)
{
	c->kind = CELL_TEXT;
	c->text = text;
}

void interval_set_task(struct interval_scan *s, struct sql_cell *c, const struct task *t)
{
	const char *name;

	cell_set_integer(&c[0], t->id);
	cell_set_integer(&c[1], t->pid);
	if (!interval_is_used(s, &c[2]))
		return;
	name = model_task_name(s->model, t);
	interval_set_text(s, &c[2], name, strlen(name));
}

void interval_set_file(struct interval_scan *s, struct sql_cell *c, unsigned int file)
{
	interval_set_word(c, s->db->traces[file]->dat->path);
}

void interval_set_marks(struct interval_scan *s, struct sql_cell *c, uint8_t marks)
{
	if (!marks || !interval_is_used(s, c))
		return;
	buf_reset(&s->text);
	for (unsigned int i = 0; i < SPAN_MARKS; i++)
		if (marks & 1u << i)
			buf_printf(&s->text, "%s%s", s->text.len ? ", " : "", span_mark_names[i]);
	interval_set_text(s, c, s->text.data, s->text.len);
}

void interval_set_name(struct interval_scan *s, struct sql_cell *c, const struct span *span)
{
	if (!interval_is_used(s, c))
		return;
	buf_reset(&s->text);
	buf_addstr(&s->text, "");
	model_add_name(s->model, span, &s->text);
	interval_set_text(s, c, s->text.data, s->text.len);
}

void interval_set_known(struct sql_cell *c, uint64_t v)
{
	if (v != SPAN_UNKNOWN)
		cell_set_integer(c, v);
}

int interval_fail(struct interval_scan *s, const char *what)
{
	if (!s->vtab)
		return SQLITE_ERROR;
	sqlite3_free(s->vtab->zErrMsg);
	s->vtab->zErrMsg = sqlite3_mprintf("%s(): %s", s->kind->name, what);
	return SQLITE_ERROR;
}

/* --- scans */

static void drop_rows(struct interval_scan *s)
{
	texts_release(&s->texts);
	s->first = s->n = s->text_bytes = 0;
}

/* Frees all but the rows. */
static void stop_reading(struct interval_scan *s)
{
	if (s->db->whole == s)
		s->db->whole = NULL;
	if (s->view && s->kind->release)
		s->kind->release(s);
	free(s->view);
	trace_iter_free(s->it);
	model_free(s->model);
	life_marks_release(&s->marks);
	strv_release(&s->pairs);
	s->has_row = false;
	s->view = NULL;
	s->it = NULL;
	s->model = NULL;
	s->last_id = 0;
}

static void stop_scan(struct interval_scan *s)
{
	stop_reading(s);
	drop_rows(s);
	kept_release(&s->kept);
}

static void *open_intervals(struct sql_db *db, const struct sql_table *t)
{
	struct interval_scan *s = xcalloc(1, sizeof(*s));

	s->db = db;
	s->table = t;
	s->kind = t->data;
	s->ts = t->ts;
	s->next_open = db->intervals;
	db->intervals = s;
	return s;
}

static void set_used(struct interval_scan *s, uint64_t used)
{
	s->used = used;
	s->width = 0;
	for (size_t i = 0; i < s->kind->nr_columns; i++) {
		if (!(used >> i & 1))
			continue;
		s->places[i] = s->width;
		s->columns[s->width++] = i;
	}
}

static int start_scan(struct interval_scan *s, const struct sql_conditions *c)
{
	struct model_opts o = { .kinds = s->kind->kinds };
	struct ftr_error err = {0};
	int ret = SQLITE_OK;

	s->vtab = c->vtab;
	set_used(s, c->used);
	s->view = xcalloc(1, s->kind->view_bytes + 1);
	s->ops = s->kind->ops;
	if (s->kind->start)
		s->kind->start(s);
	if (s->kind->arguments) {
		ret = s->kind->arguments(s, c, &s->pairs);
		o.pairs = &s->pairs;
	}
	if (ret != SQLITE_OK)
		return ret;
	s->model = model_new(s->db->traces, s->db->n, &o, &s->ops, s, &err);
	if (!s->model)
		return interval_fail(s, err.msg);
	s->it = trace_iter_new(s->db->traces, s->db->n, NULL);
	if (!s->db->whole && !s->db->threads) {
		life_marks_start(&s->marks, s->db, s->model);
		s->db->whole = s;
	}
	return SQLITE_OK;
}

static void feed_end(struct interval_scan *s)
{
	s->ended = true;
	model_end(s->model);
	if (s->kind->end)
		s->kind->end(s);
	keep_row(s);
}

static bool has_damage(const struct sql_db *db)
{
	for (size_t i = 0; i < db->n; i++)
		if (db->traces[i]->damages.n || db->traces[i]->dat->damages.n)
			return true;
	return false;
}

/*
 * Ends a scan with an upper limit of times when all that has started before it is ended. Looking
 * for open rows takes a time, so it is done after twice as many records each time. Where times may
 * be damaged, the files are read to their end.
 */
static void stop_at_limit(struct interval_scan *s, uint32_t n)
{
	if (!s->kind->has_open || s->now <= s->until)
		return;
	s->read += n;
	if (s->read < s->look_at)
		return;
	s->look_at = 2 * s->read;
	if (has_damage(s->db) || s->kind->has_open(s, s->until))
		return;
	stop_reading(s);
	s->ended = true;
}

/* Reads records until there is a row, or some if @many. Returns false if the query is to end. */
static bool read_records(struct interval_scan *s, bool many)
{
	const struct trace_rec *r = NULL;
	unsigned int n = 0;

	if (sql_is_over(s->db))
		return false;
	s->is_feeding = true;
	while (n < RECORDS_PER_LOOK && (many || !s->n) && (r = model_next(s->model, s->it, &n))) {
		model_feed(s->model, r);
		if (s->marks.formats)
			life_marks_see(&s->marks, r);
		if (s->has_row)
			keep_row(s);
	}
	s->db->records += n;
	if (r)
		s->db->ts = s->now = r->ts;
	if (n < RECORDS_PER_LOOK && (many || !s->n) && !r)
		feed_end(s);
	s->is_feeding = false;
	if (!many && !s->ended)
		stop_at_limit(s, n);
	return true;
}

static bool next_interval(void *scan)
{
	struct interval_scan *s = scan;

	if (s->kept.is_on)
		return next_kept(s);
	if (++s->first >= s->n)
		drop_rows(s);
	while (!s->n && !s->ended)
		if (!read_records(s, false))
			return false;
	return s->n;
}

/* --- scans that keep their rows by task */

/* Starts to read the files for rows by task. Returns an SQLite status. */
static int start_keeping(struct interval_scan *s, uint64_t used, sqlite3_vtab *vtab)
{
	struct sql_conditions all = { .used = used | 1ull << s->table->key, .vtab = vtab };

	stop_scan(s);
	s->ended = false;
	s->until = UINT64_MAX;
	s->kept.is_on = true;
	s->cells = xgrow(s->cells, &s->cap, s->kind->nr_columns, sizeof(*s->cells));
	return start_scan(s, &all);
}

/* Reads the files to their end. Returns false if the query is to end. */
static bool finish_keeping(struct interval_scan *s)
{
	while (!s->ended)
		if (!read_records(s, true))
			return false;
	s->kept.is_whole = true;
	return true;
}

/* Goes to the rows of the tasks in the range of the conditions, which SQLite tests once more. */
static int begin_kept(struct interval_scan *s, const struct sql_conditions *c, bool empty)
{
	struct sql_range utid = { 0, INT64_MAX, false };
	struct kept_rows *k = &s->kept;
	int ret = SQLITE_OK;

	if (!k->is_whole || c->used & ~s->used) {
		ret = start_keeping(s, c->used, c->vtab);
		if (ret == SQLITE_OK)
			finish_keeping(s);
	}
	if (s->model)
		stop_reading(s);
	sql_narrow(c, s->table->key, &utid);
	k->utid = utid.least;
	k->most = empty || utid.empty || !k->is_whole ? -1 : utid.most;
	k->at = 0;
	return ret;
}

static bool asks_for_tasks(const struct interval_scan *s, const struct sql_conditions *c)
{
	for (size_t i = 0; i < c->n && s->table->key >= 0; i++)
		if (c->v[i].column == s->table->key && c->v[i].op == SQLITE_INDEX_CONSTRAINT_EQ)
			return true;
	return false;
}

/*
 * States before a range of times decide about those in it: the files are read from the start, and
 * up to the end of what has started in the range.
 */
static int begin_intervals(void *scan, const struct sql_conditions *c)
{
	struct interval_scan *s = scan;
	struct sql_range ts = { INT64_MIN, INT64_MAX, false };

	sql_narrow(c, s->ts, &ts);
	if (asks_for_tasks(s, c))
		return begin_kept(s, c, ts.empty);
	stop_scan(s);
	s->ended = ts.empty;
	/* a time beyond INT64_MAX is negative in SQL: such files are read whole */
	s->until = ts.most < 0 || ts.most == INT64_MAX ? UINT64_MAX : (uint64_t)ts.most;
	s->read = s->look_at = s->now = 0;
	return start_scan(s, c);
}

/*
 * Starts a scan that is open, and has a plan that asks for the rows of tasks. Returns NULL if there
 * is none: a join opens all of its tables before it reads one.
 */
static struct interval_scan *start_ahead(struct sql_db *db)
{
	struct interval_scan *s = db->intervals;

	while (s && (s->model || s->kept.is_whole || !s->table->keyed_used))
		s = s->next_open;
	if (!s || start_keeping(s, s->table->keyed_used, NULL) != SQLITE_OK)
		return NULL;
	if (db->whole != s) {
		life_marks_start(&s->marks, db, s->model);
		db->whole = s;
	}
	return s;
}

#define AHEAD_BYTES_MAX (32u << 20)	/* of rows that are kept in the order of time */

bool interval_read_ahead(struct sql_db *db, struct model **m, struct life_marks **marks)
{
	struct interval_scan *s = db->whole ? db->whole : start_ahead(db);

	/* the model is not at one place while it calls */
	if (!s || s->is_feeding)
		return false;
	if (s->kept.is_on && !finish_keeping(s))
		return false;
	while (!s->ended) {
		if (s->n * s->width * sizeof(*s->cells) + s->text_bytes > AHEAD_BYTES_MAX ||
		    !read_records(s, true))
			return false;
	}
	*m = s->model;
	*marks = &s->marks;
	return true;
}

static void interval_column(void *scan, int column, sqlite3_context *out)
{
	const struct interval_scan *s = scan;

	cell_result(&s->cells[s->first * s->width + s->places[column]], SQLITE_TRANSIENT, out);
}

static void unlink_scan(const struct interval_scan *s)
{
	struct interval_scan **at = &s->db->intervals;

	while (*at && *at != s)
		at = &(*at)->next_open;
	if (*at)
		*at = s->next_open;
	if (s->db->whole == s)
		s->db->whole = NULL;
}

static void close_intervals(void *scan)
{
	struct interval_scan *s = scan;

	unlink_scan(s);
	stop_scan(s);
	free(s->cells);
	buf_release(&s->text);
	free(s);
}

static void abandon_intervals(void *scan)
{
	unlink_scan(scan);
}

void interval_run(struct sql_db *db, const struct interval_kind *kind,
		  void (*then)(void *ctx, struct interval_scan *s), void *ctx)
{
	static const struct sql_conditions none;
	struct interval_scan *s = xcalloc(1, sizeof(*s));

	s->db = db;
	s->kind = kind;
	s->until = UINT64_MAX;
	if (start_scan(s, &none) == SQLITE_OK) {
		while (next_interval(s))
			;
		then(ctx, s);
	}
	close_intervals(s);
}

static double interval_rows(struct sql_db *db, const struct sql_table *t)
{
	double bytes = 0;

	(void)t;
	for (size_t i = 0; i < db->n; i++)
		bytes += db->traces[i]->dat->file_size;
	return bytes / 100 + 1;
}

static const struct sql_table_ops interval_ops = {
	.open = open_intervals, .begin = begin_intervals, .next = next_interval,
	.column = interval_column, .close = close_intervals, .abandon = abandon_intervals,
	.rows = interval_rows, .keeps_rows = true,
};

int interval_add_kinds(struct sql_db *db, const struct interval_kind *kinds, size_t n,
		       struct ftr_error *err)
{
	for (size_t i = 0; i < n; i++) {
		struct sql_table *t = sql_table_new(kinds[i].name, kinds[i].about, kinds[i].columns,
						    kinds[i].nr_columns, &interval_ops,
						    (void *)&kinds[i]);

		/* other arguments make other rows */
		if (kinds[i].arguments)
			t->key = -1;
		if (sql_add_table(db, t, err))
			return -1;
	}
	return 0;
}
