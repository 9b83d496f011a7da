/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Trees of spans, collected per task and passed on in blocks. */
#include "model/span_blocks.h"

#include <stdlib.h>
#include <string.h>

/* The block of a task that is being collected. */
struct task_block {
	struct span_block b;
	struct span **open;		/* open spans; each has its index in ->place */
	size_t nr_open, cap_open;
};

struct span_blocks {
	bool args;
	block_fn fn;
	void *ctx;
	const struct ev_format *begins;	/* format of the last record that opened a call */
	const struct ev_field *retaddr;	/* its field, or NULL */
	struct task_block **all;	/* by task->id; NULL: the task has no spans */
	size_t n, cap;
	uint64_t count;			/* number of blocks and parts passed on */
};

struct span_blocks *blocks_new(bool args, block_fn fn, void *ctx)
{
	struct span_blocks *b = xcalloc(1, sizeof(*b));

	b->args = args;
	b->fn = fn;
	b->ctx = ctx;
	return b;
}

void blocks_free(struct span_blocks *b)
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

/* Returns the block of @t. A task that comes again after model_restore() has one already. */
static struct task_block *block_of(struct span_blocks *b, struct task *t)
{
	struct task_block *k = (struct task_block *)(uintptr_t)t->user;

	if (k)
		return k;
	for (; b->n <= t->id; b->n++) {
		b->all = xgrow(b->all, &b->cap, b->n + 1, sizeof(*b->all));
		b->all[b->n] = NULL;
	}
	if (!b->all[t->id])
		b->all[t->id] = xcalloc(1, sizeof(*b->all[t->id]));
	k = b->all[t->id];
	k->b.task = t;
	t->user = (uintptr_t)k;
	return k;
}

/* Passes on the block and empties it, keeping its memory for the next one. */
static void block_emit(struct span_blocks *b, struct task_block *k)
{
	k->b.number = b->count;
	if (k->b.n) {
		b->count++;
		b->fn(b->ctx, &k->b);
	}
	k->b.n = 0;
	buf_reset(&k->b.texts);
}

static struct block_node *block_add_node(struct task_block *k, enum block_node_kind kind)
{
	k->b.nodes = xgrow(k->b.nodes, &k->b.cap, k->b.n + 1, sizeof(*k->b.nodes));
	k->b.nodes[k->b.n] = (struct block_node){ .kind = kind, .size = 1 };
	return &k->b.nodes[k->b.n++];
}

/* Returns NULL if the node was passed on, or if it is another task's, as with CPUs as keys. */
static struct block_node *node_of(const struct task_block *k, const struct span *s)
{
	return s->user && s->owner == k ? &k->b.nodes[s->user - 1] : NULL;
}

/* Returns the depth of a span by the nearest outer span whose node was not passed on yet. */
static uint16_t span_depth_in_block(const struct task_block *k, const struct span *s)
{
	uint16_t n = 0;

	for (const struct span *at = s->below; at; at = at->below, n++)
		if (node_of(k, at))
			return node_of(k, at)->depth + 1 + n;
	return n;
}

/* Passes on a part. Open spans go on in the next part, without a node there. */
static void block_emit_part(struct span_blocks *b, struct task_block *k)
{
	for (size_t i = 0; i < k->nr_open; i++) {
		struct block_node *node = node_of(k, k->open[i]);

		if (node) {
			node->is_open = true;
			node->size = k->b.n - (k->open[i]->user - 1);
		}
		k->open[i]->user = 0;
	}
	block_emit(b, k);
	k->b.part++;
}

static void node_fill(struct block_node *node, const struct span *s)
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

void blocks_begin(struct span_blocks *b, struct span *s, const struct trace_rec *r)
{
	struct task_block *k = block_of(b, s->task);
	struct block_node *node;
	uint16_t depth;

	if (!k->nr_open)
		k->b.part = 0;
	if (k->b.n >= BLOCK_NODES_MAX)
		block_emit_part(b, k);
	depth = span_depth_in_block(k, s);
	node = block_add_node(k, s->marks & SPAN_NO_BEGIN ? BLOCK_CLOSE : BLOCK_SPAN);
	node_fill(node, s);
	node->depth = depth;
	if (s->kind == SPAN_FUNCTION_GRAPH) {
		if (b->begins != r->rec.fmt)
			b->retaddr = ev_field(r->rec.fmt, "retaddr");
		b->begins = r->rec.fmt;
		if (b->retaddr)
			ev_get_num(&r->rec, b->retaddr, &node->retaddr);
	}
	if (b->args) {
		node->text = k->b.texts.len;
		if (s->args_len)
			ev_print_args(r->trace->engine, &r->rec, s->name, s->args, s->args_len,
				      &k->b.texts);
		node->text_len = k->b.texts.len - node->text;
	}
	s->user = k->b.n;
	s->owner = k;
	k->open = xgrow(k->open, &k->cap_open, k->nr_open + 1, sizeof(*k->open));
	s->place = k->nr_open;
	k->open[k->nr_open++] = s;
}

/* An exec may have moved the span to another task: its block is ->owner. */
void blocks_end(struct span_blocks *b, struct span *s)
{
	struct task_block *k = s->owner;
	struct block_node *node = node_of(k, s), *around;
	uint16_t depth;

	if (!node) {
		depth = span_depth_in_block(k, s);
		node = block_add_node(k, BLOCK_CLOSE);
		node_fill(node, s);
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
	around = s->below ? node_of(k, s->below) : NULL;
	if (s->off != SPAN_UNKNOWN) {
		/* up to here ->off has the children's time, which the parent does not repeat */
		if (around)
			around->off += s->off;
		node->off = s->off > node->off ? s->off - node->off : 0;
		node->waker = node->off ? s->task->waker : (struct waker){0};
	}
	/* spans of a --pair end in any order: the last one takes the free place */
	if (s->place < k->nr_open && k->open[s->place] == s) {
		k->open[s->place] = k->open[--k->nr_open];
		k->open[s->place]->place = s->place;
	}
	if (!k->nr_open)
		block_emit(b, k);
}

void blocks_event(struct span_blocks *b, struct task *t, const struct trace_rec *r)
{
	struct task_block *k = (struct task_block *)(uintptr_t)t->user;
	struct block_node *node;
	const struct span *s;
	uint16_t depth;

	(void)b;
	if (!k || !k->nr_open || !r->rec.fmt || k->b.n >= BLOCK_NODES_MAX)
		return;
	s = k->open[k->nr_open - 1];
	depth = node_of(k, s) ? node_of(k, s)->depth + 1 : span_depth_in_block(k, s) + 1;
	node = block_add_node(k, BLOCK_EVENT);
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

uint64_t blocks_count(const struct span_blocks *b)
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

static void *copy_bytes(const void *p, size_t bytes, struct blocks_copy *c)
{
	void *to = xmalloc(bytes + 1);

	if (bytes)
		memcpy(to, p, bytes);
	c->bytes += bytes;
	return to;
}

struct blocks_copy *blocks_save(const struct span_blocks *b)
{
	struct blocks_copy *c;
	size_t i, n = 0;

	for (i = 0; i < b->n; i++)
		n += b->all[i] && b->all[i]->nr_open;
	c = xcalloc(1, sizeof(*c) + n * sizeof(c->v[0]));
	c->bytes = sizeof(*c) + n * sizeof(c->v[0]);
	c->count = b->count;
	for (i = 0; i < b->n; i++) {
		const struct task_block *k = b->all[i];

		if (!k || !k->nr_open)
			continue;
		c->v[c->n++] = (struct copied_block){
			.id = i, .part = k->b.part, .n = k->b.n, .nr_open = k->nr_open,
			.nodes = copy_bytes(k->b.nodes, k->b.n * sizeof(*k->b.nodes), c),
			.open = copy_bytes(k->open, k->nr_open * sizeof(struct span *), c),
			.texts = copy_bytes(k->b.texts.data, k->b.texts.len, c),
			.texts_len = k->b.texts.len,
		};
	}
	return c;
}

void blocks_restore(struct span_blocks *b, const struct blocks_copy *c)
{
	size_t i;

	for (i = 0; i < b->n; i++) {
		if (!b->all[i])
			continue;
		b->all[i]->b.n = b->all[i]->nr_open = 0;
		buf_reset(&b->all[i]->b.texts);
	}
	for (i = 0; i < c->n; i++) {
		const struct copied_block *from = &c->v[i];
		struct task_block *k = b->all[from->id];

		k->b.part = from->part;
		k->b.nodes = xgrow(k->b.nodes, &k->b.cap, from->n + 1, sizeof(*k->b.nodes));
		memcpy(k->b.nodes, from->nodes, from->n * sizeof(*k->b.nodes));
		k->b.n = from->n;
		k->open = xgrow(k->open, &k->cap_open, from->nr_open + 1, sizeof(*k->open));
		memcpy(k->open, from->open, from->nr_open * sizeof(struct span *));
		k->nr_open = from->nr_open;
		buf_add(&k->b.texts, from->texts, from->texts_len);
	}
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
