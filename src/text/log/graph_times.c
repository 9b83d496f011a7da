/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes the times of a function graph whose lines have none, out of their order and the durations.
 *
 * The lines of all CPUs stand in the order of time. A clock that counts durations line by line
 * contradicts them: while a call of 28 ms ends on one CPU, the calls around the line of another CPU
 * would have to take that long, too. So times are the least ones for which
 *
 *	each line is later than the line before it, and
 *	each exit is its call's duration after its entry.
 *
 * Lines are moved after those before them, and exits after their entries. Then the entries of exits
 * that became late are moved, and all that follows from that. The real times fulfil all this, so
 * that there are such times, but for the rounding of durations, and for durations without the time
 * in which a task sleeps. Those would move lines forever: once there are no fewer calls that are
 * longer than their durations, they stay so. Graphs of 20,000 records that are drawn by chance take
 * 11 rounds with 2 CPUs, and 30 to 55 with 4 to 16.
 */
#include "text/log/graph_times.h"

#include <stdlib.h>
#include <string.h>

/* Limit for steps, each for one line: so many, and so many more for each line of the text. */
#define STEPS_MIN    6400000
#define STEPS_LINE   8
/* Limit for rounds after that with the fewest late calls. */
#define ROUNDS_MAX   8
#define KEY_OF_CPU   (1ull << 32)
#define CALL_ENDED   SIZE_MAX
/* Durations have seven digits: a call that is later by less is in order. */
#define SLACK(duration) (100 + (duration) / 1000000)

/* A record, or a leaf function: the exit of that has the line of its entry. */
struct graph_line {
	uint64_t ns;
	uint64_t length;	/* the duration of the call that starts here */
	uint64_t most;		/* longest time that is no longer than ->length */
	/*
	 * Index of the line that is no earlier than ->ns plus ->length: the exit of the call, or
	 * the next line of the CPU after a leaf. 0: there is none.
	 */
	uint32_t to;
	uint32_t entry;		/* index + 1 of the entry of the call that ends here, or 0 */
};

struct graph_times {
	struct dump_rec *v;
	size_t n;
	struct graph_line *lines;
	size_t nr_lines;
	uint64_t *moved;		/* bits of lines that moved: others may have to follow */
	size_t first, last;		/* the words of ->moved that may have bits */
	uint32_t *late;			/* exits that are too late for their entries */
	size_t nr_late;
	uint64_t steps;
	size_t first_known;		/* index of the first record with a time, or ->n */
};

static bool is_leaf_exit(const struct dump_rec *v, size_t i)
{
	return i && v[i].kind == DUMP_EXIT && v[i - 1].kind == DUMP_ENTRY &&
	       v[i].line == v[i - 1].line;
}

/* Returns a key of the task and the depth of a call. The idle tasks are one for each CPU. */
static uint64_t key_of(const struct dump_rec *r)
{
	uint64_t key = r->pid > 0 ? (uint64_t)r->pid : KEY_OF_CPU | (uint64_t)r->cpu;

	return key << 20 | (r->depth & 0xfffff);
}

/* Joins the line @at to the entry of the call that ends there. */
static void end_call(struct graph_times *g, const struct map *open, const struct dump_rec *r,
		     size_t at)
{
	size_t entry = (size_t)map_get(open, key_of(r));

	if (!entry || entry == CALL_ENDED || !r->duration_ns || g->lines[entry - 1].to)
		return;
	g->lines[entry - 1].length = r->duration_ns;
	g->lines[entry - 1].most = r->duration_ns + SLACK(r->duration_ns);
	g->lines[entry - 1].to = at;
	g->lines[at].entry = entry;
}

/* Makes the lines, and finds the ends of each call: both are of one task and depth. */
static void find_calls(struct graph_times *g)
{
	/* for each CPU the index + 1 of its last line, if that is a leaf */
	uint32_t *leaves = xcalloc(UINT16_MAX + 1, sizeof(*leaves));
	struct map open = {0};
	size_t n = 0;

	for (size_t i = 0; i < g->n; i++, n++) {
		const struct dump_rec *r = &g->v[i];
		uint32_t *leaf = &leaves[r->cpu];

		if (*leaf)
			g->lines[*leaf - 1].to = n;
		*leaf = 0;
		if (i + 1 < g->n && is_leaf_exit(g->v, i + 1)) {
			g->lines[n].length = r[1].duration_ns;
			*leaf = n + 1;
			map_put(&open, key_of(r), (void *)CALL_ENDED);
			i++;
		} else if (r->kind == DUMP_ENTRY) {
			map_put(&open, key_of(r), (void *)(n + 1));
		} else if (r->kind == DUMP_EXIT) {
			end_call(g, &open, r, n);
		}
	}
	g->nr_lines = n;
	map_release(&open);
	free(leaves);
}

static void mark_moved(struct graph_times *g, size_t i)
{
	size_t word = i / 64;

	g->moved[word] |= 1ull << i % 64;
	if (word < g->first)
		g->first = word;
	if (word > g->last)
		g->last = word;
}

/* Moves the line to which @i leads, if it is too early. Returns true if it was. */
static inline bool push(struct graph_times *g, const struct graph_line *l)
{
	if (!l->to || g->lines[l->to].ns >= l->ns + l->length)
		return false;
	g->lines[l->to].ns = l->ns + l->length;
	return true;
}

/* Returns true if @l is an exit that is later than its entry and the duration. */
static inline bool is_late(const struct graph_times *g, const struct graph_line *l)
{
	const struct graph_line *entry;

	if (!l->entry)
		return false;
	entry = &g->lines[l->entry - 1];
	return entry->ns + entry->most < l->ns;
}

/* Moves all lines after those before them, and the ends of calls after their starts. */
static void order_all(struct graph_times *g)
{
	uint64_t ns = 0;

	g->nr_late = 0;
	for (size_t i = 0; i < g->nr_lines; i++) {
		struct graph_line *l = &g->lines[i];

		if (l->ns <= ns)
			l->ns = ns + 1;
		ns = l->ns;
		push(g, l);
		if (is_late(g, l))
			g->late[g->nr_late++] = i;
	}
	g->steps += g->nr_lines;
}

/*
 * Does the same from the line @first on, which has moved, up to a line that does not have to move.
 */
static void order_from(struct graph_times *g, size_t first)
{
	struct graph_line *l = &g->lines[first], *end = &g->lines[g->nr_lines];
	size_t last;

	for (;; l++) {
		if (push(g, l))
			mark_moved(g, l->to);
		if (is_late(g, l))
			g->late[g->nr_late++] = l - g->lines;
		if (l + 1 == end || l[1].ns > l->ns)
			break;
		l[1].ns = l->ns + 1;
	}
	last = l - g->lines;
	g->steps += last + 1 - first;
	for (size_t word = first / 64; word < last / 64; word++)
		g->moved[word] = 0;
	g->moved[last / 64] &= ~1ull << last % 64;
}

/* Does the same for all lines that have moved. */
static void order_moved(struct graph_times *g)
{
	g->nr_late = 0;
	for (size_t word = g->first; word <= g->last; word++) {
		g->steps++;
		while (g->moved[word])
			order_from(g, 64 * word + __builtin_ctzll(g->moved[word]));
	}
}

/* Moves the entries of the exits that are too late. */
static void move_entries(struct graph_times *g)
{
	g->first = SIZE_MAX;
	g->last = 0;
	for (size_t i = 0; i < g->nr_late; i++) {
		const struct graph_line *exit = &g->lines[g->late[i]];
		struct graph_line *entry = &g->lines[exit->entry - 1];

		entry->ns = exit->ns - entry->length;
		mark_moved(g, exit->entry - 1);
	}
}

static void solve(struct graph_times *g)
{
	uint64_t most = STEPS_MIN + STEPS_LINE * (uint64_t)g->nr_lines;
	size_t fewest = SIZE_MAX, rounds = 0;

	g->steps = 0;
	order_all(g);
	while (g->nr_late && rounds++ < ROUNDS_MAX && g->steps < most) {
		if (g->nr_late < fewest) {
			fewest = g->nr_late;
			rounds = 0;
		}
		move_entries(g);
		order_moved(g);
	}
}

/* Returns the number of calls that are longer than their durations. */
static size_t count_long(const struct graph_times *g)
{
	size_t n = 0;

	for (size_t i = 0; i < g->nr_lines; i++)
		n += is_late(g, &g->lines[i]);
	return n;
}

/* Sets the times of the records, @add later. */
static void set_times(struct graph_times *g, uint64_t add)
{
	const struct graph_line *l = g->lines;

	for (size_t i = 0; i < g->n; i++, l++) {
		g->v[i].ns = l->ns + add;
		if (i + 1 == g->n || !is_leaf_exit(g->v, i + 1))
			continue;
		i++;
		g->v[i].ns = l->ns + l->length + add;
	}
}

/* Returns what is to be added so that calls from before the text start after 0. */
static uint64_t find_room(const struct graph_times *g)
{
	const struct graph_line *l = g->lines;
	uint64_t room = 0;

	for (size_t i = 0; i < g->n; i++, l++) {
		const struct dump_rec *r = &g->v[i];

		if (i + 1 < g->n && is_leaf_exit(g->v, i + 1))
			i++;
		else if (r->kind == DUMP_EXIT && r->duration_ns > l->ns + room)
			room = r->duration_ns - l->ns;
	}
	return room;
}

/*
 * Times of the kernel count from the first of them, which is as late as the records before it need.
 * Returns the number to add to all times.
 */
static uint64_t solve_with_known(struct graph_times *g)
{
	uint64_t first = g->v[g->first_known].ns, start;
	size_t first_line = 0, at;

	for (size_t i = 1; i <= g->first_known; i++)
		first_line += !is_leaf_exit(g->v, i);
	solve(g);
	start = g->lines[first_line].ns;
	for (size_t i = 0; i < g->nr_lines; i++)
		g->lines[i].ns = 0;
	at = first_line;
	for (size_t i = g->first_known; i < g->n; i++) {
		const struct dump_rec *r = &g->v[i];

		if (!r->made_time && r->ns >= first && !is_leaf_exit(g->v, i))
			g->lines[at].ns = r->ns - first + start;
		at += i + 1 < g->n && !is_leaf_exit(g->v, i + 1);
	}
	solve(g);
	start = g->lines[first_line].ns;
	return first > start ? first - start : 0;
}

size_t graph_times_make(struct dump_rec *v, size_t n)
{
	struct graph_times g = { .v = v, .n = n };
	size_t nr_long;
	uint64_t add;

	if (!n || n >= UINT32_MAX)
		return 0;
	g.lines = xcalloc(n, sizeof(*g.lines));
	find_calls(&g);
	g.moved = xcalloc(g.nr_lines / 64 + 1, sizeof(*g.moved));
	g.late = xcalloc(g.nr_lines, sizeof(*g.late));
	while (g.first_known < n && v[g.first_known].made_time)
		g.first_known++;
	if (g.first_known < n) {
		add = solve_with_known(&g);
	} else {
		solve(&g);
		add = find_room(&g);
	}
	set_times(&g, add);
	nr_long = count_long(&g);
	free(g.lines);
	free(g.moved);
	free(g.late);
	return nr_long;
}
