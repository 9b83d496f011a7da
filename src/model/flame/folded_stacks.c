/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Folded stacks: paths through named frames. */
#include "model/flame/folded_stacks.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/text.h"

struct folded_stacks {
	struct folded_frame *v;
	size_t n, cap;
	struct slots steps;		/* parent, name -> path */
	struct slots by_text;		/* hash, number of earlier names with it -> name */
	const char **names;
	size_t nr_names, cap_names;
	struct string_pool texts;
	struct buf scratch;
	uint32_t *order;		/* paths by parent and name; after ways_sort() */
	size_t nr_order;
};

struct folded_stacks *ways_new(void)
{
	struct folded_stacks *w = xcalloc(1, sizeof(*w));

	slots_init(&w->steps);
	slots_init(&w->by_text);
	w->v = xgrow(NULL, &w->cap, 1, sizeof(*w->v));
	w->v[w->n++] = (struct folded_frame){0};
	w->names = xgrow(NULL, &w->cap_names, 1, sizeof(*w->names));
	w->names[w->nr_names++] = "";
	return w;
}

void ways_free(struct folded_stacks *w)
{
	if (!w)
		return;
	slots_release(&w->steps);
	slots_release(&w->by_text);
	texts_release(&w->texts);
	buf_release(&w->scratch);
	free(w->order);
	free(w->names);
	free(w->v);
	free(w);
}

/* --- names */

uint32_t ways_name(struct folded_stacks *w, const char *text, size_t len)
{
	uint64_t hash, same = 0;
	uint32_t name;

	buf_reset(&w->scratch);
	buf_addstr(&w->scratch, "");
	text_sanitise(&w->scratch, text, len, false);
	/* ';' separates frames; a newline, which ends a line, is escaped already */
	for (size_t i = 0; i < w->scratch.len; i++)
		if (w->scratch.data[i] == ';')
			w->scratch.data[i] = ':';
	hash = hash_bytes(w->scratch.data, w->scratch.len);
	while ((name = slots_find(&w->by_text, hash, same))) {
		if (!strcmp(w->names[name], w->scratch.data))
			return name;
		same++;
	}
	w->names = xgrow(w->names, &w->cap_names, w->nr_names + 1, sizeof(*w->names));
	name = w->nr_names++;
	w->names[name] = texts_add(&w->texts, w->scratch.data, w->scratch.len);
	slots_add(&w->by_text, hash, same, name);
	return name;
}

/* --- paths */

uint32_t ways_step(struct folded_stacks *w, uint32_t from, uint32_t name)
{
	uint32_t way = slots_find(&w->steps, from, name);

	if (way)
		return way;
	w->v = xgrow(w->v, &w->cap, w->n + 1, sizeof(*w->v));
	way = w->n++;
	w->v[way] = (struct folded_frame){ .parent = from, .name = name };
	slots_add(&w->steps, from, name, way);
	return way;
}

static void add_saturated(uint64_t *sum, uint64_t value)
{
	if (__builtin_add_overflow(*sum, value, sum))
		*sum = UINT64_MAX;
}

void ways_add(struct folded_stacks *w, uint32_t way, unsigned int column, uint64_t value)
{
	add_saturated(&w->v[way].value[column], value);
}

static bool has_value(const uint64_t *value)
{
	for (unsigned int i = 0; i < WAYS_COLUMNS; i++)
		if (value[i])
			return true;
	return false;
}

bool ways_any(const struct folded_stacks *w, unsigned int column)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->v[i].value[column])
			return true;
	return false;
}

struct folded_stacks *ways_reverse(const struct folded_stacks *w)
{
	uint32_t *names = xcalloc(w->nr_names, sizeof(*names));	/* name in @w -> name in @to */
	struct folded_stacks *to = ways_new();

	for (size_t i = 1; i < w->n; i++) {
		uint32_t at = 0;

		if (!has_value(w->v[i].value))
			continue;
		for (const struct folded_frame *up = &w->v[i]; up != w->v; up = &w->v[up->parent]) {
			const char *text = w->names[up->name];

			if (!names[up->name])
				names[up->name] = ways_name(to, text, strlen(text));
			at = ways_step(to, at, names[up->name]);
		}
		for (unsigned int c = 0; c < WAYS_COLUMNS; c++)
			ways_add(to, at, c, w->v[i].value[c]);
	}
	free(names);
	return to;
}

/* --- in order */

static const struct folded_stacks *sorting;

static int compare_ways(const void *a, const void *b)
{
	const struct folded_frame *x = &sorting->v[*(const uint32_t *)a];
	const struct folded_frame *y = &sorting->v[*(const uint32_t *)b];

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	return strcmp(sorting->names[x->name], sorting->names[y->name]);
}

void ways_sort(struct folded_stacks *w)
{
	struct folded_frame *parent;

	for (size_t i = 0; i < w->n; i++)
		memcpy(w->v[i].all, w->v[i].value, sizeof(w->v[i].all));
	/* each frame follows its parent, so children come first here */
	for (size_t i = w->n; i-- > 1;)
		for (unsigned int c = 0; c < WAYS_COLUMNS; c++)
			add_saturated(&w->v[w->v[i].parent].all[c], w->v[i].all[c]);
	w->order = xcalloc(w->n, sizeof(*w->order));
	for (size_t i = 1; i < w->n; i++)
		if (has_value(w->v[i].all))
			w->order[w->nr_order++] = i;
	sorting = w;
	qsort(w->order, w->nr_order, sizeof(*w->order), compare_ways);
	for (size_t i = 0; i < w->nr_order; i++) {
		parent = &w->v[w->v[w->order[i]].parent];
		if (!parent->n++)
			parent->first = i;
	}
}

const struct folded_frame *ways_start(const struct folded_stacks *w)
{
	return w->v;
}

const char *ways_text(const struct folded_stacks *w, const struct folded_frame *way)
{
	return w->names[way->name];
}

/* --- walking all paths */

/* A path, and the index of its next child to visit. */
struct stack_visit {
	const struct folded_frame *way;
	uint32_t next;
};

void ways_visit(const struct folded_stacks *w, way_fn fn, void *ctx)
{
	struct stack_visit *stack = NULL, *top;
	const struct folded_frame *way;
	size_t n = 0, cap = 0;

	stack = xgrow(stack, &cap, n + 1, sizeof(*stack));
	stack[n++] = (struct stack_visit){ w->v, 0 };
	while (n) {
		top = &stack[n - 1];
		if (top->next == top->way->n) {
			n--;
			continue;
		}
		way = &w->v[w->order[top->way->first + top->next++]];
		if (!fn(ctx, way, n - 1))
			continue;
		stack = xgrow(stack, &cap, n + 1, sizeof(*stack));
		stack[n++] = (struct stack_visit){ way, 0 };
	}
	free(stack);
}

/* --- folded */

struct folded_writer {
	const struct folded_stacks *ways;
	unsigned int columns;
	struct buf *out, path;
	size_t *lens, cap;		/* lengths of ->path by depth */
};

static bool fold_way(void *ctx, const struct folded_frame *way, size_t depth)
{
	struct folded_writer *f = ctx;
	uint64_t any = 0;

	f->lens = xgrow(f->lens, &f->cap, depth + 2, sizeof(*f->lens));
	f->path.len = depth ? f->lens[depth] : 0;
	if (depth)
		buf_addch(&f->path, ';');
	buf_addstr(&f->path, ways_text(f->ways, way));
	f->lens[depth + 1] = f->path.len;
	for (unsigned int i = 0; i < f->columns; i++)
		any |= way->value[i];
	if (!any)
		return true;
	buf_add(f->out, f->path.data, f->path.len);
	for (unsigned int i = 0; i < f->columns; i++)
		buf_printf(f->out, " %" PRIu64, way->value[i]);
	buf_addch(f->out, '\n');
	return true;
}

void ways_fold(const struct folded_stacks *w, unsigned int columns, struct buf *out)
{
	struct folded_writer f = { .ways = w, .columns = columns, .out = out };

	ways_visit(w, fold_way, &f);
	free(f.lens);
	buf_release(&f.path);
}
