/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Spans as trees. */
#include "model/span_blocks.h"

#include <stdlib.h>
#include <string.h>

/* What a task has. */
struct task_block {
	struct block b;
	struct span **open;		/* without an end yet; each knows its ->place */
	size_t nr_open, cap_open;
};

struct blocks {
	bool args;
	block_fn fn;
	void *ctx;
	const struct ev_format *begins;	/* of the last record that began a span */
	const struct ev_field *retaddr;	/* its field, or NULL */
	struct task_block **all;	/* by task->id; NULL: the task has no spans */
	size_t n, cap;
	uint64_t count;			/* that were handed out */
};

struct blocks *blocks_new(bool args, block_fn fn, void *ctx)
{
	struct blocks *b = xcalloc(1, sizeof(*b));

	b->args = args;
	b->fn = fn;
	b->ctx = ctx;
	return b;
}

void blocks_free(struct blocks *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < b->n; i++) {
		if (!b->all[i])
			continue;
		free(b->all[i]->b.nodes);
		buf_release(&b->all[i]->b.texts);
		free(b->all[i]->open);
		free(b->all[i]);
	}
	free(b->all);
	free(b);
}

/* One that comes anew where the model was put back has its place already. */
static struct task_block *place_of(struct blocks *b, uint32_t id)
{
	for (; b->n <= id; b->n++) {
		b->all = xgrow(b->all, &b->cap, b->n + 1, sizeof(*b->all));
		b->all[b->n] = NULL;
	}
	if (!b->all[id])
		b->all[id] = xcalloc(1, sizeof(*b->all[id]));
	return b->all[id];
}

static struct task_block *block_of(struct blocks *b, struct task *t)
{
	struct task_block *k = (struct task_block *)(uintptr_t)t->user;

	if (k)
		return k;
	k = place_of(b, t->id);
	k->b.task = t;
	t->user = (uintptr_t)k;
	return k;
}

/* What was kept is handed out; memory of a small block is kept for the next one. */
static void hand_out(struct blocks *b, struct task_block *k)
{
	k->b.number = b->count;
	if (k->b.n) {
		b->count++;
		b->fn(b->ctx, &k->b);
	}
	k->b.n = 0;
	buf_reset(&k->b.texts);
}

static struct block_node *add_node(struct task_block *k, enum block_node_kind kind)
{
	k->b.nodes = xgrow(k->b.nodes, &k->b.cap, k->b.n + 1, sizeof(*k->b.nodes));
	k->b.nodes[k->b.n] = (struct block_node){ .kind = kind, .size = 1 };
	return &k->b.nodes[k->b.n++];
}

/* NULL for one that was handed out, and for one of another task: CPUs and fields are keys, too. */
static struct block_node *node_of(const struct task_block *k, const struct span *s)
{
	return s->user && s->owner == k ? &k->b.nodes[s->user - 1] : NULL;
}

/* How deep a span lies, in spans; where its own node was handed out, by those below it. */
static uint16_t depth_below(const struct task_block *k, const struct span *s)
{
	uint16_t n = 0;

	for (const struct span *at = s->below; at; at = at->below, n++)
		if (node_of(k, at))
			return node_of(k, at)->depth + 1 + n;
	return n;
}

/* A part: what is open goes on in the next one, without a node of its own there. */
static void hand_out_part(struct blocks *b, struct task_block *k)
{
	for (size_t i = 0; i < k->nr_open; i++) {
		struct block_node *node = node_of(k, k->open[i]);

		if (node) {
			node->is_open = true;
			node->size = k->b.n - (k->open[i]->user - 1);
		}
		k->open[i]->user = 0;
	}
	hand_out(b, k);
	k->b.part++;
}

static void fill_begin(struct block_node *node, const struct span *s)
{
	node->name = s->name;
	node->how = s->how;
	node->file = s->file;
	node->begin = s->begin;
	node->cpu_begin = node->cpu_end = s->cpu_begin;
	node->context = s->context;
	node->is_interrupt = s->is_interrupt;
	node->is_shown = s->is_shown;
	node->duration = node->self = SPAN_UNKNOWN;
}

static void add_args(struct task_block *k, struct block_node *node, const struct span *s,
		     const struct trace_rec *r)
{
	node->text = k->b.texts.len;
	if (s->args_len)
		ev_print_args(r->trace->engine, &r->rec, s->name, s->args, s->args_len,
			      &k->b.texts);
	node->text_len = k->b.texts.len - node->text;
}

static void note_retaddr(struct blocks *b, struct block_node *node, const struct trace_rec *r)
{
	if (b->begins != r->rec.fmt)
		b->retaddr = ev_field(r->rec.fmt, "retaddr");
	b->begins = r->rec.fmt;
	if (b->retaddr)
		ev_get_num(&r->rec, b->retaddr, &node->retaddr);
}

void blocks_begin(struct blocks *b, struct span *s, const struct trace_rec *r)
{
	struct task_block *k = block_of(b, s->task);
	struct block_node *node;
	uint16_t depth;

	if (!k->nr_open)
		k->b.part = 0;
	if (k->b.n >= BLOCK_NODES_MAX)
		hand_out_part(b, k);
	depth = depth_below(k, s);
	node = add_node(k, s->marks & SPAN_NO_BEGIN ? BLOCK_CLOSE : BLOCK_SPAN);
	fill_begin(node, s);
	node->depth = depth;
	if (s->kind == SPAN_FUNCTION_GRAPH)
		note_retaddr(b, node, r);
	if (b->args)
		add_args(k, node, s, r);
	s->user = k->b.n;
	s->owner = k;
	k->open = xgrow(k->open, &k->cap_open, k->nr_open + 1, sizeof(*k->open));
	s->place = k->nr_open;
	k->open[k->nr_open++] = s;
}

/* The last one takes its place: spans of a --pair end in any order. */
static void close_span(struct task_block *k, const struct span *s)
{
	struct span *last;

	if (s->place >= k->nr_open || k->open[s->place] != s)
		return;
	last = k->open[--k->nr_open];
	last->place = s->place;
	k->open[s->place] = last;
}

/* What a child was off is not said again of those around it. */
static void note_off(struct task_block *k, struct block_node *node, const struct span *s)
{
	struct block_node *around = s->below ? node_of(k, s->below) : NULL;

	if (s->off == SPAN_UNKNOWN)
		return;
	/* until here it has what the children were off */
	if (around)
		around->off += s->off;
	node->off = s->off > node->off ? s->off - node->off : 0;
	node->waker = node->off ? s->task->waker : (struct waker){0};
}

/* An exec may have given the span another task meanwhile. */
void blocks_end(struct blocks *b, struct span *s)
{
	struct task_block *k = s->owner;
	struct block_node *node = node_of(k, s);
	uint16_t depth;

	if (!node) {
		depth = depth_below(k, s);
		node = add_node(k, BLOCK_CLOSE);
		fill_begin(node, s);
		node->depth = depth;
		s->user = k->b.n;
	}
	node->duration = s->duration;
	node->self = s->self;
	node->cpu_end = s->cpu_end;
	node->marks = s->marks;
	node->has_retval = s->has_retval;
	node->retval = s->retval;
	node->size = k->b.n - (s->user - 1);
	note_off(k, node, s);
	close_span(k, s);
	if (!k->nr_open)
		hand_out(b, k);
}

void blocks_event(struct blocks *b, struct task *t, const struct trace_rec *r)
{
	struct task_block *k = (struct task_block *)(uintptr_t)t->user;
	struct block_node *node;
	const struct span *s;
	uint16_t depth;

	(void)b;
	if (!k || !k->nr_open || !r->rec.fmt || k->b.n >= BLOCK_NODES_MAX)
		return;
	s = k->open[k->nr_open - 1];
	depth = node_of(k, s) ? node_of(k, s)->depth + 1 : depth_below(k, s) + 1;
	node = add_node(k, BLOCK_EVENT);
	node->depth = depth;
	node->file = r->file;
	node->begin = r->ts;
	node->cpu_begin = node->cpu_end = r->cpu;
	node->is_shown = true;
	node->text = k->b.texts.len;
	buf_addstr(&k->b.texts, r->rec.fmt->name);
	buf_addstr(&k->b.texts, ": ");
	ev_render(r->trace->engine, &r->rec, r->cpu, r->ts, &k->b.texts);
	node->text_len = k->b.texts.len - node->text;
}

uint64_t blocks_count(const struct blocks *b)
{
	return b->count;
}

/* --- copies */

struct copied_block {
	uint32_t id, part;
	struct block_node *nodes;
	size_t n;
	struct span **open;
	size_t nr_open;
	char *texts;
	size_t texts_len;
};

struct blocks_copy {
	uint64_t count;
	size_t n, bytes;
	struct copied_block v[];
};

static void *copy_of(const void *p, size_t bytes, struct blocks_copy *c)
{
	void *to = xmalloc(bytes + 1);

	if (bytes)
		memcpy(to, p, bytes);
	c->bytes += bytes;
	return to;
}

static void copy_block(struct blocks_copy *c, const struct task_block *k, uint32_t id)
{
	c->v[c->n++] = (struct copied_block){
		.id = id, .part = k->b.part, .n = k->b.n, .nr_open = k->nr_open,
		.nodes = copy_of(k->b.nodes, k->b.n * sizeof(*k->b.nodes), c),
		.open = copy_of(k->open, k->nr_open * sizeof(struct span *), c),
		.texts = copy_of(k->b.texts.data, k->b.texts.len, c),
		.texts_len = k->b.texts.len,
	};
}

struct blocks_copy *blocks_save(const struct blocks *b)
{
	struct blocks_copy *c;
	size_t i, n = 0;

	for (i = 0; i < b->n; i++)
		n += b->all[i] && b->all[i]->nr_open;
	c = xcalloc(1, sizeof(*c) + n * sizeof(c->v[0]));
	c->bytes = sizeof(*c) + n * sizeof(c->v[0]);
	c->count = b->count;
	for (i = 0; i < b->n; i++)
		if (b->all[i] && b->all[i]->nr_open)
			copy_block(c, b->all[i], i);
	return c;
}

static void put_back(struct task_block *k, const struct copied_block *c)
{
	k->b.part = c->part;
	k->b.nodes = xgrow(k->b.nodes, &k->b.cap, c->n + 1, sizeof(*k->b.nodes));
	memcpy(k->b.nodes, c->nodes, c->n * sizeof(*k->b.nodes));
	k->b.n = c->n;
	k->open = xgrow(k->open, &k->cap_open, c->nr_open + 1, sizeof(*k->open));
	memcpy(k->open, c->open, c->nr_open * sizeof(struct span *));
	k->nr_open = c->nr_open;
	buf_add(&k->b.texts, c->texts, c->texts_len);
}

void blocks_restore(struct blocks *b, const struct blocks_copy *c)
{
	size_t i;

	for (i = 0; i < b->n; i++) {
		if (!b->all[i])
			continue;
		b->all[i]->b.n = b->all[i]->nr_open = 0;
		buf_reset(&b->all[i]->b.texts);
	}
	for (i = 0; i < c->n; i++)
		put_back(b->all[c->v[i].id], &c->v[i]);
	b->count = c->count;
}

size_t blocks_copy_bytes(const struct blocks_copy *c)
{
	return c->bytes;
}

void blocks_copy_free(struct blocks_copy *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n; i++) {
		free(c->v[i].nodes);
		free(c->v[i].open);
		free(c->v[i].texts);
	}
	free(c);
}
