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
	uint32_t *order;		/* paths by parent and name; after folded_sort() */
	size_t nr_order;
};

struct folded_stacks *folded_new(void)
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

void folded_free(struct folded_stacks *w)
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

uint32_t folded_add_name(struct folded_stacks *w, const char *text, size_t len)
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

uint32_t folded_add_frame(struct folded_stacks *w, uint32_t from, uint32_t name)
{
	uint32_t frame = slots_find(&w->steps, from, name);

	if (frame)
		return frame;
	w->v = xgrow(w->v, &w->cap, w->n + 1, sizeof(*w->v));
	frame = w->n++;
	w->v[frame] = (struct folded_frame){ .parent = from, .name = name };
	slots_add(&w->steps, from, name, frame);
	return frame;
}

static void add_saturated(uint64_t *sum, uint64_t value)
{
	if (__builtin_add_overflow(*sum, value, sum))
		*sum = UINT64_MAX;
}

void folded_add(struct folded_stacks *w, uint32_t frame, unsigned int column, uint64_t value)
{
	add_saturated(&w->v[frame].value[column], value);
}

static bool has_value(const uint64_t *value)
{
	for (unsigned int i = 0; i < FOLDED_COLUMNS; i++)
		if (value[i])
			return true;
	return false;
}

bool folded_has_value(const struct folded_stacks *w, unsigned int column)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->v[i].value[column])
			return true;
	return false;
}

struct folded_stacks *folded_reverse(const struct folded_stacks *w)
{
	uint32_t *names = xcalloc(w->nr_names, sizeof(*names));	/* name in @w -> name in @to */
	struct folded_stacks *to = folded_new();

	for (size_t i = 1; i < w->n; i++) {
		uint32_t at = 0;

		if (!has_value(w->v[i].value))
			continue;
		for (const struct folded_frame *up = &w->v[i]; up != w->v; up = &w->v[up->parent]) {
			const char *text = w->names[up->name];

			if (!names[up->name])
				names[up->name] = folded_add_name(to, text, strlen(text));
			at = folded_add_frame(to, at, names[up->name]);
		}
		for (unsigned int c = 0; c < FOLDED_COLUMNS; c++)
			folded_add(to, at, c, w->v[i].value[c]);
	}
	free(names);
	return to;
}

/* --- in order */

static const struct folded_stacks *sorting;

static int folded_compare(const void *a, const void *b)
{
	const struct folded_frame *x = &sorting->v[*(const uint32_t *)a];
	const struct folded_frame *y = &sorting->v[*(const uint32_t *)b];

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	return strcmp(sorting->names[x->name], sorting->names[y->name]);
}

void folded_sort(struct folded_stacks *w)
{
	struct folded_frame *parent;

	for (size_t i = 0; i < w->n; i++)
		memcpy(w->v[i].all, w->v[i].value, sizeof(w->v[i].all));
	/* each frame follows its parent, so children come first here */
	for (size_t i = w->n; i-- > 1;)
		for (unsigned int c = 0; c < FOLDED_COLUMNS; c++)
			add_saturated(&w->v[w->v[i].parent].all[c], w->v[i].all[c]);
	w->order = xcalloc(w->n, sizeof(*w->order));
	for (size_t i = 1; i < w->n; i++)
		if (has_value(w->v[i].all))
			w->order[w->nr_order++] = i;
	sorting = w;
	qsort(w->order, w->nr_order, sizeof(*w->order), folded_compare);
	for (size_t i = 0; i < w->nr_order; i++) {
		parent = &w->v[w->v[w->order[i]].parent];
		if (!parent->n++)
			parent->first = i;
	}
}

const struct folded_frame *folded_root(const struct folded_stacks *w)
{
	return w->v;
}

const char *folded_frame_name(const struct folded_stacks *w, const struct folded_frame *frame)
{
	return w->names[frame->name];
}

/* --- walking all paths */

/* A path, and the index of its next child to visit. */
struct stack_visit {
	const struct folded_frame *frame;
	uint32_t next;
};

void folded_visit(const struct folded_stacks *w, folded_fn fn, void *ctx)
{
	struct stack_visit *stack = NULL, *top;
	const struct folded_frame *frame;
	size_t n = 0, cap = 0;

	stack = xgrow(stack, &cap, n + 1, sizeof(*stack));
	stack[n++] = (struct stack_visit){ w->v, 0 };
	while (n) {
		top = &stack[n - 1];
		if (top->next == top->frame->n) {
			n--;
			continue;
		}
		frame = &w->v[w->order[top->frame->first + top->next++]];
		if (!fn(ctx, frame, n - 1))
			continue;
		stack = xgrow(stack, &cap, n + 1, sizeof(*stack));
		stack[n++] = (struct stack_visit){ frame, 0 };
	}
	free(stack);
}

/* --- folded */

struct folded_writer {
	const struct folded_stacks *folded;
	unsigned int columns;
	struct buf *out, path;
	size_t *lens, cap;		/* lengths of ->path by depth */
};

static bool folded_print_frame(void *ctx, const struct folded_frame *frame, size_t depth)
{
	struct folded_writer *f = ctx;
	uint64_t any = 0;

	f->lens = xgrow(f->lens, &f->cap, depth + 2, sizeof(*f->lens));
	f->path.len = depth ? f->lens[depth] : 0;
	if (depth)
		buf_addch(&f->path, ';');
	buf_addstr(&f->path, folded_frame_name(f->folded, frame));
	f->lens[depth + 1] = f->path.len;
	for (unsigned int i = 0; i < f->columns; i++)
		any |= frame->value[i];
	if (!any)
		return true;
	buf_add(f->out, f->path.data, f->path.len);
	for (unsigned int i = 0; i < f->columns; i++)
		buf_printf(f->out, " %" PRIu64, frame->value[i]);
	buf_addch(f->out, '\n');
	return true;
}

void folded_print(const struct folded_stacks *w, unsigned int columns, struct buf *out)
{
	struct folded_writer f = { .folded = w, .columns = columns, .out = out };

	folded_visit(w, folded_print_frame, &f);
	free(f.lens);
	buf_release(&f.path);
}
