/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The level-of-detail index and its rows, as the pass over the records fills them. */
#include <stdlib.h>

#include "base/search.h"
#include "model/index/lod_priv.h"

#define BUCKETS_BITS	28	/* log2 of the maximum number of buckets */
#define STEP		3	/* a node has 2^STEP nodes of the level below */
#define MARK_EVERY	16	/* entries: at most so many are read to find one */
#define LEVEL_MIN	32	/* entries; a smaller level gets no level above it */
#define LEVELS_MAX	16
#define VARINT_MAX	10

/*
 * Entries are varints, 7 bits in a byte: the distance from the previous node; twice the number of
 * sums, plus 1 if the last one is of the value at the end, else followed by the index of that one;
 * then value and time of each sum.
 */
struct lod_level {
	uint8_t *v;
	size_t   len, cap;		/* bytes */
	struct lod_mark {
		uint64_t node;
		size_t off;		/* offset in ->v, after the distance */
	} *marks;			/* one for each MARK_EVERY entries */
	size_t   nr_marks, cap_marks;
	uint64_t n, last;		/* number of entries, node of the last one */
};

/* --- buckets */

uint64_t lod_bucket(const struct lod_scale *c, uint64_t ts)
{
	return (ts - c->first) >> c->shift;
}

uint64_t lod_buckets(const struct lod_scale *c)
{
	return ((c->last - c->first) >> c->shift) + 1;
}

uint64_t lod_bucket_start(const struct lod_scale *c, uint64_t bucket)
{
	return bucket < lod_buckets(c) ? c->first + (bucket << c->shift) : UINT64_MAX;
}

/* --- entries */

static void level_write_number(struct lod_level *l, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		l->v[l->len++] = v | 0x80;
	l->v[l->len++] = v;
}

static uint64_t level_read_number(const struct lod_level *l, size_t *off)
{
	uint64_t v = 0;
	unsigned int shift = 0;

	do
		v |= (uint64_t)(l->v[*off] & 0x7f) << shift;
	while (shift += 7, l->v[(*off)++] & 0x80);
	return v;
}

static void level_add_entry(struct lod_level *l, uint64_t node, const struct lod_time *v, size_t n,
			    uint32_t end)
{
	size_t at = n - 1;

	while (at && v[at].value != end)
		at--;
	l->v = xgrow(l->v, &l->cap, l->len + VARINT_MAX * (3 + 2 * n), 1);
	level_write_number(l, node - l->last);
	if (l->n++ % MARK_EVERY == 0) {
		l->marks = xgrow(l->marks, &l->cap_marks, l->nr_marks + 1, sizeof(*l->marks));
		l->marks[l->nr_marks++] = (struct lod_mark){ node, l->len };
	}
	l->last = node;
	level_write_number(l, (uint64_t)n << 1 | (at + 1 == n));
	if (at + 1 != n)
		level_write_number(l, at);
	for (size_t i = 0; i < n; i++) {
		level_write_number(l, v[i].value);
		level_write_number(l, v[i].time);
	}
}

/* A cursor over the entries of a level. */
struct level_cursor {
	const struct lod_level *l;
	uint64_t i, node;		/* number of the next entry; node of the current one */
	size_t   off;
	uint64_t n, at;			/* number of sums, index of that of the value at the end */
};

/* Returns a cursor at the last mark at or before @node, or at the first one. */
static struct level_cursor reader_start(const struct lod_level *l, uint64_t node)
{
	struct level_cursor r = { .l = l };
	size_t low = 0, high = l->nr_marks;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (l->marks[middle].node <= node)
			low = middle;
		else
			high = middle;
	}
	r.i = (uint64_t)low * MARK_EVERY;
	return r;
}

/* Reads the head of the next entry. Its sums must be read before the next call. */
static bool reader_next(struct level_cursor *r)
{
	uint64_t n;

	if (r->i == r->l->n)
		return false;
	if (r->i % MARK_EVERY == 0) {
		r->node = r->l->marks[r->i / MARK_EVERY].node;
		r->off = r->l->marks[r->i / MARK_EVERY].off;
	} else {
		r->node += level_read_number(r->l, &r->off);
	}
	r->i++;
	n = level_read_number(r->l, &r->off);
	r->n = n >> 1;
	r->at = n & 1 ? r->n - 1 : level_read_number(r->l, &r->off);
	return true;
}

/* Calls @fn, if not NULL, with each sum. Returns the value at the end of the entry. */
static uint32_t reader_read_sums(struct level_cursor *r, uint64_t from, lod_fn fn, void *ctx)
{
	uint32_t end = 0, value;
	uint64_t time;

	for (uint64_t i = 0; i < r->n; i++) {
		value = level_read_number(r->l, &r->off);
		time = level_read_number(r->l, &r->off);
		if (fn)
			fn(ctx, value, from, from + time);
		from += time;
		if (i == r->at)
			end = value;
	}
	return end;
}

/* --- filling */

static void row_add_time(struct lod_row *s, uint32_t value, uint64_t time)
{
	for (size_t i = 0; i < s->n; i++) {
		if (s->v[i].value == value) {
			s->v[i].time += time;
			return;
		}
	}
	s->v = xgrow(s->v, &s->cap, s->n + 1, sizeof(*s->v));
	s->v[s->n++] = (struct lod_time){ value, time };
}

static void row_flush(struct lod_row *s)
{
	if (!s->n)
		return;
	if (!s->levels)
		s->levels = xcalloc(++s->nr_levels, sizeof(*s->levels));
	level_add_entry(&s->levels[0], s->bucket, s->v, s->n, s->value);
	s->has_entry = true;
	s->end = s->value;
	s->n = 0;
}

void lod_row_add(struct lod_row *s, const struct lod_scale *c, uint32_t value, uint64_t from,
		 uint64_t to)
{
	uint64_t bucket, last, start, end;

	from = from > c->first ? from : c->first;
	from = !s->started || from > s->done ? from : s->done;
	to = to < c->last ? to : c->last;
	for (; from < to; from = end) {
		bucket = lod_bucket(c, from);
		last = lod_bucket(c, to);
		start = lod_bucket_start(c, bucket);
		if (!s->started)
			s->begin = from;
		s->started = true;
		if (bucket != s->bucket)
			row_flush(s);
		s->bucket = bucket;
		s->value = value;
		if (s->n || from != start || bucket == last) {
			end = bucket < last ? lod_bucket_start(c, bucket + 1) : to;
			row_add_time(s, value, end - from);
		} else {
			/* whole buckets: one entry, and only if the value changes */
			end = lod_bucket_start(c, last);
			if (!s->has_entry || s->end != value) {
				row_add_time(s, value, (uint64_t)1 << c->shift);
				row_flush(s);
			}
		}
		s->done = end;
	}
}

/* Frees memory that is not in use. Call it if nothing will be added for a long time. */
static void lod_row_trim(struct lod_row *s)
{
	if (!s->n)
		return;
	s->v = xrealloc(s->v, s->n * sizeof(*s->v));
	s->cap = s->n;
}

/* --- reading */

static uint64_t node_begin(const struct lod_scale *c, size_t level, uint64_t node)
{
	return lod_bucket_start(c, node << (level * STEP));
}

/* Walks nodes from @a on and before @b of one level. Returns the value at their end. */
static uint32_t row_walk_level(const struct lod_row *s, const struct lod_scale *c, size_t level,
			       uint64_t a, uint64_t b, lod_fn fn, void *ctx)
{
	struct level_cursor r = reader_start(&s->levels[level], a);
	uint64_t at = a, from, to;
	uint32_t value = 0;
	bool there = false;

	while (reader_next(&r) && r.node < b) {
		from = node_begin(c, level, at);
		to = node_begin(c, level, r.node);
		if (there && r.node > at)
			fn(ctx, value, from, to);
		value = reader_read_sums(&r, to > s->begin ? to : s->begin, r.node >= a ? fn : NULL,
					 ctx);
		at = r.node >= a ? r.node + 1 : a;
		there = true;
	}
	from = node_begin(c, level, at);
	to = node_begin(c, level, b);
	to = to < s->done ? to : s->done;
	if (there && from < to)
		fn(ctx, value, from, to);
	return value;
}

static void row_walk(const struct lod_row *s, const struct lod_scale *c, size_t level, uint64_t a,
		     uint64_t b, lod_fn fn, void *ctx)
{
	uint64_t above = (a + (1 << STEP) - 1) >> STEP, end = b >> STEP;

	if (level + 1 == s->nr_levels || above >= end) {
		row_walk_level(s, c, level, a, b, fn, ctx);
		return;
	}
	if (a < above << STEP)
		row_walk_level(s, c, level, a, above << STEP, fn, ctx);
	row_walk(s, c, level + 1, above, end, fn, ctx);
	if (end << STEP < b)
		row_walk_level(s, c, level, end << STEP, b, fn, ctx);
}

void lod_row_walk(const struct lod_row *s, const struct lod_scale *c, uint64_t a, uint64_t b,
		  lod_fn fn, void *ctx)
{
	if (s->nr_levels && a < b)
		row_walk(s, c, 0, a, b, fn, ctx);
}

bool lod_row_at(const struct lod_row *s, uint64_t bucket, uint32_t *value)
{
	struct level_cursor r;
	bool there = false;

	if (!s->nr_levels || !bucket)
		return false;
	for (r = reader_start(&s->levels[0],
			      bucket - 1); reader_next(&r) && r.node < bucket; there = true)
		*value = reader_read_sums(&r, 0, NULL, NULL);
	return there;
}

/* --- higher levels */

/* Adds a time to the sums; a lod_fn. */
static void tally_add(void *ctx, uint32_t value, uint64_t from, uint64_t to)
{
	struct lod_tally *t = ctx;
	size_t had = t->nr_spots;

	if (value >= had) {
		t->spots = xgrow(t->spots, &t->nr_spots, value + 1, sizeof(*t->spots));
		memset(t->spots + had, 0, (t->nr_spots - had) * sizeof(*t->spots));
	}
	if (t->spots[value].turn != t->turn + 1) {
		t->spots[value] = (struct lod_spot){ t->turn + 1, t->n };
		t->v = xgrow(t->v, &t->cap, t->n + 1, sizeof(*t->v));
		t->v[t->n++] = (struct lod_time){ value, 0 };
	}
	t->v[t->spots[value].at].time += to - from;
}

/* Fills the empty level above @level. */
static void row_merge_level(struct lod_row *s, const struct lod_scale *c, size_t level,
			    struct lod_tally *t)
{
	struct lod_level *above = &s->levels[level + 1];
	struct level_cursor r = reader_start(&s->levels[level], 0);
	uint64_t node;
	uint32_t end;

	while (reader_next(&r)) {
		reader_read_sums(&r, 0, NULL, NULL);
		node = r.node >> STEP;
		if (above->n && node == above->last)
			continue;
		t->n = 0;
		t->turn++;
		end = row_walk_level(s, c, level, node << STEP, (node + 1) << STEP, tally_add, t);
		level_add_entry(above, node, t->v, t->n, end);
	}
}

static void level_trim(struct lod_level *l)
{
	l->v = xrealloc(l->v, l->len);
	l->cap = l->len;
	l->marks = xrealloc(l->marks, l->nr_marks * sizeof(*l->marks));
	l->cap_marks = l->nr_marks;
}

/* Ends the row: makes its higher levels. @t is scratch memory for any number of rows. */
static void lod_row_end(struct lod_row *s, const struct lod_scale *c, struct lod_tally *t)
{
	row_flush(s);
	free(s->v);
	s->v = NULL;
	s->cap = 0;
	if (!s->nr_levels)
		return;
	level_trim(&s->levels[0]);
	while (s->levels[s->nr_levels - 1].n >= LEVEL_MIN && s->nr_levels < LEVELS_MAX) {
		s->levels = xrealloc(s->levels, (s->nr_levels + 1) * sizeof(*s->levels));
		s->levels[s->nr_levels++] = (struct lod_level){0};
		row_merge_level(s, c, s->nr_levels - 2, t);
		level_trim(&s->levels[s->nr_levels - 1]);
	}
}

void lod_row_release(struct lod_row *s)
{
	for (size_t i = 0; i < s->nr_levels; i++) {
		free(s->levels[i].v);
		free(s->levels[i].marks);
	}
	free(s->levels);
	free(s->v);
	*s = (struct lod_row){0};
}

/* --- the index */

struct lod_index *lod_index_new(uint64_t first, uint64_t last, unsigned int shift)
{
	struct lod_index *p = xcalloc(1, sizeof(*p));

	while ((last - first) >> shift >> BUCKETS_BITS)
		shift++;
	p->scale = (struct lod_scale){ first, last, shift };
	return p;
}

static struct lod_task *index_task(struct lod_index *p, const struct task *t)
{
	size_t had = p->nr_tasks;

	if (t->id < had)
		return &p->tasks[t->id];
	p->tasks = xgrow(p->tasks, &p->cap_tasks, t->id + 1, sizeof(*p->tasks));
	p->nr_tasks = t->id + 1;
	memset(p->tasks + had, 0, (p->nr_tasks - had) * sizeof(*p->tasks));
	return &p->tasks[t->id];
}

static struct lod_cpu *index_cpu(struct lod_index *p, const struct model_cpu *c)
{
	size_t had = p->nr_cpus;

	if (c->id < had)
		return &p->cpus[c->id];
	p->cpus = xgrow(p->cpus, &p->cap_cpus, c->id + 1, sizeof(*p->cpus));
	p->nr_cpus = c->id + 1;
	memset(p->cpus + had, 0, (p->nr_cpus - had) * sizeof(*p->cpus));
	return &p->cpus[c->id];
}

static uint32_t limited_depth(uint32_t n)
{
	return n < LOD_DEPTH_MAX ? n : LOD_DEPTH_MAX;
}

static void add_revival(struct lod_index *p, uint64_t ts)
{
	struct lod_times *l = &p->revivals;

	l->v = xgrow(l->v, &l->cap, l->n + 1, sizeof(*l->v));
	l->v[l->n++] = ts;
}

/*
 * The softirqs of a running task are on top of its CPU. A dead task needs no memory: its row ends
 * there, unless the task comes back.
 */
void lod_index_stayed(struct lod_index *p, const struct task *t, uint64_t from, uint64_t to)
{
	struct lod_task *pt = index_task(p, t);
	uint32_t value = t->state;

	if (t->state == TASK_DEAD && pt->row.started) {
		lod_row_trim(&pt->row);
		return;
	}
	if (pt->row.started && t->state == TASK_RUNNING && pt->row.done < from)
		add_revival(p, from);
	if (pt->row.started)
		lod_row_add(&pt->row, &p->scale, TASK_DEAD, p->scale.first, from);
	else
		/* a forked task did not exist before, even if it is unknown from then on */
		pt->came_late = t->state == TASK_UNKNOWN && !t->is_forked;
	if (t->state == TASK_UNKNOWN && t->was_runnable)
		value |= LOD_WAITED;
	if (t->state != TASK_RUNNING)
		value |= limited_depth(t->softirqs) << LOD_DEPTH_SHIFT;
	lod_row_add(&pt->row, &p->scale, value, from, to);
}

void lod_index_cpu_stayed(struct lod_index *p, const struct model_cpu *c, uint64_t from,
			  uint64_t to)
{
	uint32_t value = c->task ? (c->task->id + 1) << 1 : 0;

	lod_row_add(&index_cpu(p, c)->row, &p->scale, value | c->lost, from, to);
}

void lod_index_topped(struct lod_index *p, const struct model_cpu *c, uint64_t from, uint64_t to)
{
	uint32_t softirqs = c->softirqs;
	struct lod_row *top = &index_cpu(p, c)->top;

	if (!softirqs && c->task && !c->lost)
		softirqs = c->task->softirqs;
	lod_row_add(top, &p->scale, 0, p->scale.first, from);
	lod_row_add(top, &p->scale,
		    limited_depth(c->irqs) | limited_depth(softirqs) << LOD_DEPTH_SHIFT, from, to);
}

static void index_add_gap(struct lod_gaps *gaps, struct lod_gap gap)
{
	gaps->v = xgrow(gaps->v, &gaps->cap, gaps->n + 1, sizeof(*gaps->v));
	gaps->v[gaps->n++] = gap;
}

void lod_index_gap(struct lod_index *p, const struct model_cpu *c, const struct task *t,
		   uint64_t from, uint64_t to)
{
	index_cpu(p, c);
	if (t)
		index_task(p, t);
	index_add_gap(&p->gaps, (struct lod_gap){
		.from = from, .to = to, .cpu = c->id, .task = t ? t->id + 1 : 0,
	});
}

void lod_index_top_gap(struct lod_index *p, const struct model_cpu *c, uint64_t from, uint64_t to)
{
	index_cpu(p, c);
	index_add_gap(&p->top_gaps, (struct lod_gap){
		.from = from, .to = to, .cpu = c->id,
	});
}

/* --- the end */

uint64_t lod_pid_key(uint32_t file, int pid)
{
	return ((uint64_t)file << 32 | (uint32_t)pid) + 1;
}

static struct lod_bound lod_bound_of(const struct model *m, size_t file, unsigned int kind)
{
	return (struct lod_bound){ m->s.buffers[file][kind], m->s.bound[file][kind] };
}

static void index_copy_files(struct lod_index *p, const struct model *m)
{
	p->nr_files = m->nr_files;
	p->files = xcalloc(m->nr_files + 1, sizeof(*p->files));
	for (size_t i = 0; i < m->nr_files; i++)
		p->files[i] = (struct lod_file){
			.first = m->s.times[i].first, .last = m->s.times[i].last,
			.switched = m->s.times[i].switched,
			.sched = lod_bound_of(m, i, MODEL_KIND_SCHED),
			.cpu = lod_bound_of(m, i, MODEL_KIND_CPU),
		};
	p->nr_streams = m->nr_streams;
	p->streams = xcalloc(m->nr_streams + 1, sizeof(*p->streams));
	for (size_t i = 0; i < m->nr_streams; i++) {
		const struct stream_at *st = &m->s.streams[i];

		if (st->known)
			p->streams[i] = (struct lod_stream){
				.known = true, .buffer = st->buffer, .cpu = st->cpu->id,
				.first = st->first, .last = st->last,
				.lost_first = st->lost_first, .lost_last = st->in_gap,
			};
	}
	for (unsigned int i = TASK_ASLEEP; i < m->nr_states; i++)
		strv_add(&p->states, m->states[i]);
}

void lod_index_end(struct lod_index *p, const struct model *m)
{
	struct lod_tally tally = {0};

	if (p->revivals.n)
		qsort(p->revivals.v, p->revivals.n, sizeof(*p->revivals.v), u64_compare);
	for (const struct task *t = model_tasks(m); t; t = t->next) {
		struct lod_task *lt = index_task(p, t);

		*lt = (struct lod_task){
			.row = lt->row, .file = t->file, .nr = t->nr, .pid = t->pid,
			.cpu = t->cpu, .known = true, .has_name = t->has_name,
			.came_late = lt->came_late, .unseen = t->unseen,
		};
		memcpy(lt->name, t->name, sizeof(lt->name));
	}
	for (size_t i = 0; i < p->nr_tasks; i++)
		lod_row_end(&p->tasks[i].row, &p->scale, &tally);
	for (const struct model_cpu *c = model_cpus(m); c; c = c->next) {
		struct lod_cpu *lc = index_cpu(p, c);

		lc->file = c->file;
		lc->cpu = c->cpu;
		lc->switched = c->switched;
		lc->switched_at = c->switched_at;
		lod_row_end(&lc->row, &p->scale, &tally);
		if (lc->top.started)
			lod_row_add(&lc->top, &p->scale, 0, p->scale.first, p->scale.last);
		lod_row_end(&lc->top, &p->scale, &tally);
	}
	/* links the tasks of each pid, from the last one back, so that each finds the next one */
	for (size_t i = p->nr_tasks; i--;) {
		struct lod_task *lt = &p->tasks[i];
		uintptr_t next;

		if (!lt->known)
			continue;
		next = (uintptr_t)map_put(&p->by_pid, lod_pid_key(lt->file, lt->pid),
					  (void *)(uintptr_t)(i + 1));
		lt->later = next ? next - 1 : 0;
	}
	index_copy_files(p, m);
	free(tally.v);
	free(tally.spots);
}

void lod_index_free(struct lod_index *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->nr_tasks; i++)
		lod_row_release(&p->tasks[i].row);
	for (size_t i = 0; i < p->nr_cpus; i++) {
		lod_row_release(&p->cpus[i].row);
		lod_row_release(&p->cpus[i].top);
	}
	strv_release(&p->states);
	map_release(&p->by_pid);
	free(p->tasks);
	free(p->cpus);
	free(p->gaps.v);
	free(p->top_gaps.v);
	free(p->revivals.v);
	free(p->files);
	free(p->streams);
	free(p);
}

uint64_t lod_index_bucket(const struct lod_index *p)
{
	return (uint64_t)1 << p->scale.shift;
}

bool lod_index_has_states(const struct lod_index *p)
{
	for (size_t i = 0; i < p->nr_files; i++)
		if (p->files[i].switched)
			return true;
	return false;
}
