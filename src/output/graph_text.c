/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Blocks of spans as indented text. */
#include "output/graph_text.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/text.h"

#define INDENT		2
/*
 * The kernel's function_graph has at most 50 levels of calls. Spans of a --pair with a key can
 * have as many as are open: the text would grow with the square of their number.
 */
#define LEVELS_SHOWN	100
#define NO_NUMBERS	"                             | "

/* The options that a name matches. */
enum { NAME_KNOWN = 1, NAME_ONLY = 2, NAME_WITHOUT = 4, NAME_BELOW = 8, NAME_CALLERS = 16 };

/* The state of a node that is known before anything of its block is printed. */
struct node_mark {
	uint64_t hash;			/* with --fold: the names of the node and all in it */
	uint32_t shown_before;		/* number of nodes before it that are shown */
	bool shown, wanted;
};

/* A node whose closing brace is due before node ->end. */
struct open_node {
	const struct block_node *node;
	uint32_t end;
};

/* The nodes [at, to) are folded into one that was printed. */
struct node_skip {
	size_t at, to;
};

struct graph_text {
	const struct graph_opts *opts;
	struct trace *const *traces;
	const struct model *model;
	struct map matches;		/* address -> NAME_ bits */
	struct node_mark *marks;
	size_t cap_marks;
	struct open_node *open;
	size_t nr_open, cap_open;
	struct node_skip *skips;		/* the nearest one is the last */
	size_t nr_skips, cap_skips;
	struct buf name;
	bool any;			/* a block came before */
	struct graph_line *lines;	/* with ->opts->lines: the lines of the last block */
	size_t nr_lines, cap_lines;
};

struct graph_text *graph_new(const struct graph_opts *o, struct trace *const *traces,
			     const struct model *m)
{
	struct graph_text *g = xcalloc(1, sizeof(*g));

	g->opts = o;
	g->traces = traces;
	g->model = m;
	return g;
}

void graph_free(struct graph_text *g)
{
	if (!g)
		return;
	map_release(&g->matches);
	buf_release(&g->name);
	free(g->marks);
	free(g->open);
	free(g->skips);
	free(g->lines);
	free(g);
}

static void note_line(struct graph_text *g, const struct span_block *b, const struct block_node *n,
		      enum graph_line_kind kind)
{
	if (!g->opts->lines)
		return;
	g->lines = xgrow(g->lines, &g->cap_lines, g->nr_lines + 1, sizeof(*g->lines));
	g->lines[g->nr_lines++] = (struct graph_line){ n - b->nodes, kind };
}

const struct graph_line *graph_lines(const struct graph_text *g, size_t *n)
{
	*n = g->nr_lines;
	return g->lines;
}

/* --- names */

static const char *span_name(struct graph_text *g, const struct block_node *n, size_t *len)
{
	if (n->how == SPAN_NAME_SYMBOL)
		return ev_func_text(g->traces[n->file]->engine, n->name, len);
	buf_reset(&g->name);
	model_add_named(g->model, n->file, n->name, n->how, &g->name);
	*len = g->name.len;
	return g->name.data;
}

/* @plain is the name without a module: "nfs_getattr" for "nfs_getattr [nfs]". */
static bool matches_any(const struct strv *globs, const char *name, const char *plain)
{
	for (size_t i = 0; i < globs->n; i++)
		if (!fnmatch(globs->v[i], name, 0) || !fnmatch(globs->v[i], plain, 0))
			return true;
	return false;
}

static unsigned int match_name(struct graph_text *g, const struct block_node *n)
{
	const struct graph_opts *o = g->opts;
	unsigned int bits = NAME_KNOWN;
	size_t len;
	const char *text = span_name(g, n, &len);
	char *name = xstrndup(text, len);
	const char *plain;

	buf_reset(&g->name);
	model_add_named(g->model, n->file, n->name, n->how, &g->name);
	buf_addstr(&g->name, "");
	plain = g->name.data;
	bits |= matches_any(&o->only, name, plain) ? NAME_ONLY : 0;
	bits |= matches_any(&o->without, name, plain) ? NAME_WITHOUT : 0;
	bits |= matches_any(&o->below, name, plain) ? NAME_BELOW : 0;
	bits |= matches_any(&o->callers, name, plain) ? NAME_CALLERS : 0;
	free(name);
	return bits;
}

/* Returns the NAME_ bits of a span; 0 if no option has names. */
static unsigned int name_bits(struct graph_text *g, const struct block_node *n)
{
	uint64_t key = n->name ^ (uint64_t)n->how << 56 ^ (uint64_t)n->file << 40;
	const struct graph_opts *o = g->opts;
	uintptr_t bits;

	if (n->kind == BLOCK_EVENT || !(o->only.n || o->without.n || o->below.n || o->callers.n))
		return 0;
	bits = (uintptr_t)map_get(&g->matches, key);
	if (!bits) {
		bits = match_name(g, n);
		map_put(&g->matches, key, (void *)bits);
	}
	return bits;
}

/* --- the choice of nodes */

static bool is_long_enough(const struct graph_opts *o, const struct block_node *n)
{
	return n->kind == BLOCK_EVENT || n->duration == SPAN_UNKNOWN || n->duration >= o->min;
}

static void leave_ended(struct graph_text *g, size_t i)
{
	while (g->nr_open && g->open[g->nr_open - 1].end <= i)
		g->nr_open--;
}

static void enter_node(struct graph_text *g, const struct span_block *b, size_t i)
{
	g->open = xgrow(g->open, &g->cap_open, g->nr_open + 1, sizeof(*g->open));
	g->open[g->nr_open++] = (struct open_node){ &b->nodes[i], i + b->nodes[i].size };
}

/* Marks the nodes around each match of opts.callers, and the match. */
static void want_callers(struct graph_text *g, const struct span_block *b)
{
	for (size_t i = 0; i < b->n; i++) {
		leave_ended(g, i);
		enter_node(g, b, i);
		g->marks[i].wanted = false;
		if (!(name_bits(g, &b->nodes[i]) & NAME_CALLERS))
			continue;
		/* all nodes around a wanted one are wanted already */
		for (size_t k = g->nr_open; k-- > 0;) {
			struct node_mark *mark = &g->marks[g->open[k].node - b->nodes];

			if (mark->wanted)
				break;
			mark->wanted = true;
		}
	}
	g->nr_open = 0;
}

/* Hides events of short spans: an event is part of the innermost span around it. */
static void hide_events_of_short(struct graph_text *g, const struct span_block *b)
{
	for (size_t i = 0; i < b->n; i++) {
		leave_ended(g, i);
		if (b->nodes[i].kind == BLOCK_SPAN)
			enter_node(g, b, i);
		else if (b->nodes[i].kind == BLOCK_EVENT && g->nr_open)
			g->marks[i].shown &= is_long_enough(g->opts, g->open[g->nr_open - 1].node);
	}
	g->nr_open = 0;
}

static void choose_nodes(struct graph_text *g, const struct span_block *b)
{
	const struct graph_opts *o = g->opts;
	bool all = !o->callers.n && !o->below.n;
	uint32_t shown = 0;
	unsigned int bits;
	size_t i, below = 0;

	if (o->callers.n)
		want_callers(g, b);
	for (i = 0; i < b->n; i++) {
		const struct block_node *n = &b->nodes[i];

		bits = name_bits(g, n);
		if (!o->callers.n && o->below.n) {
			if (bits & NAME_BELOW && i + n->size > below)
				below = i + n->size;
			g->marks[i].wanted = i < below;
		}
		g->marks[i].shown = n->is_shown && is_long_enough(o, n) &&
				    (!o->only.n || bits & NAME_ONLY) && !(bits & NAME_WITHOUT) &&
				    (all || g->marks[i].wanted);
	}
	if (o->min)
		hide_events_of_short(g, b);
	/* levels are counted among the nodes that are shown */
	for (i = 0; o->depth && i < b->n; i++) {
		leave_ended(g, i);
		g->marks[i].shown &= g->nr_open < o->depth;
		if (g->marks[i].shown)
			enter_node(g, b, i);
	}
	g->nr_open = 0;
	for (i = 0; i < b->n; i++) {
		g->marks[i].shown_before = shown;
		shown += g->marks[i].shown;
	}
	g->marks[b->n].shown_before = shown;
}

/* Hashes each node with its callees. A node that is not shown counts by its shown callees. */
static void hash_nodes(struct graph_text *g, const struct span_block *b)
{
	for (size_t i = b->n; i-- > 0;) {
		const struct block_node *n = &b->nodes[i];
		uint64_t h = g->marks[i].shown ? n->name * 0x9e3779b97f4a7c15u + n->kind + 1 : 1;

		for (size_t k = i + 1; k < i + n->size; k += b->nodes[k].size)
			h = (h ^ g->marks[k].hash) * 0xd6e8feb86659fd93u;
		g->marks[i].hash = h;
	}
}

static bool is_leaf(const struct graph_text *g, const struct span_block *b, size_t i)
{
	size_t end = i + b->nodes[i].size;

	return g->marks[end].shown_before == g->marks[i].shown_before + 1;
}

/* --- lines */

/* Prints a duration in @width characters and its unit. */
static void add_number(struct buf *out, bool is_ns, uint64_t v, int width)
{
	double us = (double)v / 1000, limit = 1e3;
	int digits = 3;

	if (v == SPAN_UNKNOWN) {
		buf_printf(out, "%*s   ", width, "-");
		return;
	}
	if (!is_ns) {
		buf_printf(out, " %*" PRIu64 "   ", width - 1, v);
		return;
	}
	/* decimals are dropped first, then the column widens */
	for (int room = width - 8; room > 0; room--)
		limit *= 10;
	for (; digits > 0 && us >= limit; limit *= 10)
		digits--;
	buf_printf(out, " %*.*f us", width - 1, digits, us);
}

/* Adds the columns of CPU, duration and self time: "    0   12.345 us   3.100 us | ". */
static void add_numbers(struct graph_text *g, const struct block_node *n, struct buf *out)
{
	bool is_ns = g->traces[n->file]->clock_is_ns;
	char cpus[24];

	if (n->cpu_begin == n->cpu_end || n->kind == BLOCK_CLOSE)
		snprintf(cpus, sizeof(cpus), "%d", n->cpu_end);
	else
		snprintf(cpus, sizeof(cpus), "%d->%d", n->cpu_begin, n->cpu_end);
	buf_printf(out, "%5s", cpus);
	if (n->kind == BLOCK_EVENT) {
		buf_printf(out, "%23s | ", "");
		return;
	}
	add_number(out, is_ns, n->duration, 9);
	add_number(out, is_ns, n->self, 8);
	buf_addstr(out, " | ");
}

/* Indents a node of @level; above LEVELS_SHOWN the number of the level follows. */
static void add_indent(struct buf *out, size_t level)
{
	buf_printf(out, "%*s", INDENT * (int)(level < LEVELS_SHOWN ? level : LEVELS_SHOWN), "");
	if (level > LEVELS_SHOWN)
		buf_printf(out, "[%zu] ", level);
}

static void add_name(struct graph_text *g, const struct block_node *n, struct buf *out)
{
	size_t len;
	const char *name = span_name(g, n, &len);

	buf_add(out, name, len);
}

/* Starts a part of the comment. The first one opens it. */
static void start_remark(struct buf *out, bool *open)
{
	buf_addstr(out, *open ? ", " : " /* ");
	*open = true;
}

static void add_retval(const struct graph_text *g, const struct block_node *n, struct buf *out)
{
	if (!g->opts->retval || !n->has_retval)
		return;
	if ((int64_t)n->retval >= -4095 && (int64_t)n->retval < 1 << 20)
		buf_printf(out, " = %" PRId64, (int64_t)n->retval);
	else
		buf_printf(out, " = 0x%" PRIx64, n->retval);
}

/* Equal neighbours; times in the clock's units. */
struct fold_sums {
	uint64_t count, sum, min, max;
};

/* Adds the comment on the line where a span starts; that of a leaf has its return value, too. */
static void add_comment(struct graph_text *g, const struct block_node *n, const struct fold_sums *f,
			bool leaf, struct buf *out)
{
	static const char *const contexts[] = { "", "softirq", "hardirq", "NMI" };
	bool open = false;

	if (g->opts->retaddr && n->retaddr) {
		start_remark(out, &open);
		buf_addstr(out, "<-");
		ev_print_ip(g->traces[n->file]->engine, n->retaddr, true, out);
	}
	if (leaf && g->opts->retval && n->has_retval) {
		start_remark(out, &open);
		out->len--;
		add_retval(g, n, out);
	}
	if (n->is_interrupt) {
		start_remark(out, &open);
		buf_addstr(out, contexts[n->context]);
	}
	if (f->count > 1) {
		start_remark(out, &open);
		buf_printf(out, "%" PRIu64 " times, sum %.3f us, min %.3f us, max %.3f us",
			   f->count, f->sum / 1e3, f->min / 1e3, f->max / 1e3);
	}
	if (n->off) {
		start_remark(out, &open);
		buf_addstr(out, "off CPU ");
		if (g->traces[n->file]->clock_is_ns)
			buf_printf(out, "%" PRIu64 ".%03u us", n->off / 1000,
				   (unsigned int)(n->off % 1000));
		else
			buf_printf(out, "%" PRIu64, n->off);
		if (n->waker.kind != WAKER_UNKNOWN) {
			buf_addstr(out, ", woken by ");
			model_add_waker(g->model, &n->waker, out);
		}
	}
	for (size_t i = 0; i < SPAN_MARKS; i++) {
		if (!(n->marks >> i & 1) || 1 << i == SPAN_NO_BEGIN)
			continue;
		start_remark(out, &open);
		buf_addstr(out, span_mark_names[i]);
	}
	if (open)
		buf_addstr(out, " */");
}

static bool has_no_end(const struct block_node *n)
{
	return n->is_open || n->marks & (SPAN_NO_END | SPAN_BY_EXIT | SPAN_OPEN);
}

/* Adds the closing brace with the name and the return value in a comment. */
static void add_close(struct graph_text *g, const struct block_node *n, struct buf *out)
{
	buf_addstr(out, "} /* ");
	add_name(g, n, out);
	add_retval(g, n, out);
	buf_addstr(out, " */\n");
}

static void add_node(struct graph_text *g, const struct span_block *b, size_t i,
		     const struct fold_sums *f, struct buf *out)
{
	const struct block_node *n = &b->nodes[i];
	bool leaf = is_leaf(g, b, i);

	add_numbers(g, n, out);
	add_indent(out, g->nr_open);
	if (n->kind == BLOCK_EVENT) {
		buf_addstr(out, "/* ");
		text_sanitise(out, b->texts.data + n->text, n->text_len, false);
		buf_addstr(out, " */\n");
		return;
	}
	if (n->kind == BLOCK_CLOSE) {
		add_close(g, n, out);
		return;
	}
	add_name(g, n, out);
	if (g->opts->args && n->text_len)
		buf_add(out, b->texts.data + n->text, n->text_len);
	else
		buf_addstr(out, "()");
	buf_addstr(out, leaf && !has_no_end(n) ? ";" : " {");
	add_comment(g, n, f, leaf, out);
	buf_addch(out, '\n');
}

/* Adds the braces of all spans that ended before node @i. */
static void close_ended(struct graph_text *g, const struct span_block *b, size_t i, struct buf *out)
{
	const struct block_node *n;

	while (g->nr_open && g->open[g->nr_open - 1].end <= i) {
		n = g->open[--g->nr_open].node;
		if (has_no_end(n))
			continue;
		buf_addstr(out, NO_NUMBERS);
		add_indent(out, g->nr_open);
		add_close(g, n, out);
		note_line(g, b, n, GRAPH_CLOSES);
	}
}

/*
 * Sums up the equal neighbours of node @i among the nodes before @limit; *@end is the node after
 * the last of them.
 */
static struct fold_sums fold_neighbours(const struct graph_text *g, const struct span_block *b,
					size_t i, size_t limit, size_t *end)
{
	const struct block_node *n = &b->nodes[i], *k;
	struct fold_sums f = { 1, n->duration, n->duration, n->duration };

	*end = i + n->size;
	if (!g->opts->fold || n->kind != BLOCK_SPAN || n->marks || n->is_open)
		return f;
	for (; *end < limit; *end += k->size) {
		k = &b->nodes[*end];
		if (!g->marks[*end].shown || k->kind != BLOCK_SPAN || k->marks || k->is_open ||
		    k->name != n->name || g->marks[*end].hash != g->marks[i].hash)
			break;
		f.count++;
		f.sum += k->duration;
		f.min = k->duration < f.min ? k->duration : f.min;
		f.max = k->duration > f.max ? k->duration : f.max;
	}
	return f;
}

static void add_head(struct graph_text *g, const struct span_block *b, struct buf *out)
{
	const struct trace *t = g->traces[b->nodes[0].file];
	uint64_t ts = b->nodes[0].begin;

	if (g->any) {
		buf_addch(out, '\n');
		note_line(g, b, b->nodes, GRAPH_HEAD);
	}
	g->any = true;
	buf_addstr(out, "# ");
	model_add_task(g->model, b->task, out);
	if (t->clock_is_ns)
		buf_printf(out, "  %" PRIu64 ".%09u", ts / 1000000000,
			   (unsigned int)(ts % 1000000000));
	else
		buf_printf(out, "  %" PRIu64, ts);
	if (b->part)
		buf_printf(out, "  part %u", b->part + 1);
	if (g->opts->files) {
		buf_addstr(out, "  ");
		text_sanitise(out, t->dat->path, strlen(t->dat->path), false);
	}
	buf_addstr(out, "\n#  CPU   DURATION       SELF |\n");
	note_line(g, b, b->nodes, GRAPH_HEAD);
	note_line(g, b, b->nodes, GRAPH_HEAD);
}

static void add_shown_node(struct graph_text *g, const struct span_block *b, size_t i,
			   struct buf *out)
{
	const struct block_node *n = &b->nodes[i];
	bool opens = n->kind == BLOCK_SPAN && (has_no_end(n) || !is_leaf(g, b, i));
	size_t end, own_end = i + n->size;
	struct fold_sums f;

	/* neighbours are folded within the span around them */
	f = fold_neighbours(g, b, i, g->nr_open ? g->open[g->nr_open - 1].end : b->n, &end);
	add_node(g, b, i, &f, out);
	note_line(g, b, n, opens ? GRAPH_OPENS : GRAPH_STANDS);
	if (end > own_end) {
		g->skips = xgrow(g->skips, &g->cap_skips, g->nr_skips + 1, sizeof(*g->skips));
		g->skips[g->nr_skips++] = (struct node_skip){ own_end, end };
	}
	if (opens)
		enter_node(g, b, i);
}

void graph_add_block(struct graph_text *g, const struct span_block *b, struct buf *out)
{
	g->nr_lines = 0;
	if (g->opts->lines)	/* blocks come again, and not from the first one on */
		g->any = b->number > 0;
	g->marks = xgrow(g->marks, &g->cap_marks, b->n + 1, sizeof(*g->marks));
	choose_nodes(g, b);
	if (!g->marks[b->n].shown_before)
		return;
	if (g->opts->fold)
		hash_nodes(g, b);
	add_head(g, b, out);
	for (size_t i = 0; i < b->n; i++) {
		close_ended(g, b, i, out);
		while (g->nr_skips && g->skips[g->nr_skips - 1].at == i) {
			i = g->skips[--g->nr_skips].to;
			close_ended(g, b, i, out);
		}
		if (i < b->n && g->marks[i].shown)
			add_shown_node(g, b, i, out);
	}
	close_ended(g, b, b->n, out);
	g->nr_skips = 0;
	g->nr_open = 0;
}
