/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Open calls of function_graph on each CPU, as the kernel's text tracks them: an exit without an
 * entry before it shows the function's name.
 *
 * A thread that renders a slice of time does not know the calls open before it. If an exit depends
 * on them, calls_guess() keeps its name and the place in the text where it may belong. When the
 * slices are joined, calls_settle() inserts it there. There is at most one such exit for each depth
 * of a CPU.
 */
#ifndef FTR_OUTPUT_OPEN_CALLS_H
#define FTR_OUTPUT_OPEN_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

#define CALLS_DEPTH 50		/* depth to which the kernel tracks open calls */

/* Functions of the open calls, by depth. Zeroed: none. */
struct open_calls {
	uint64_t func[CALLS_DEPTH];
};

/* Other values of ->func. Those of functions have bit 0 set: functions differ in the other bits. */
enum { CALLS_NONE = 0, CALLS_UNKNOWN = 2 };

enum calls_end { CALLS_MATCH, CALLS_OTHER, CALLS_MAYBE };

static inline void calls_enter(struct open_calls *c, uint64_t depth, uint64_t func)
{
	if (depth < CALLS_DEPTH)
		c->func[depth] = func | 1;
}

/* Notes a leaf call, whose end is known. */
static inline void calls_leaf(struct open_calls *c, uint64_t depth)
{
	if (depth < CALLS_DEPTH)
		c->func[depth] = CALLS_NONE;
}

/*
 * Compares the call that ends with the open one, and closes it. Above CALLS_DEPTH the kernel
 * assumes a match.
 */
static inline enum calls_end calls_leave(struct open_calls *c, uint64_t depth, uint64_t func)
{
	uint64_t was;

	if (depth >= CALLS_DEPTH)
		return CALLS_MATCH;
	was = c->func[depth];
	c->func[depth] = CALLS_NONE;
	if (__builtin_expect(was == (func | 1), 1))
		return CALLS_MATCH;
	return was == CALLS_UNKNOWN ? CALLS_MAYBE : CALLS_OTHER;
}

/*
 * Text to insert at offset ->at of a slice's text if the call of ->func was not open before the
 * slice.
 */
struct calls_guess {
	size_t   at;			/* offset in the text of the slice */
	size_t   name, len;		/* offset in calls.names, and bytes */
	uint64_t func, depth;
	unsigned int stream;
};

struct call_tracker {
	struct open_calls *cpus;	/* by trace_rec.stream */
	size_t nr_cpus;
	struct calls_guess *guesses;	/* in the order of ->at */
	size_t nr_guesses, cap;
	struct buf names;
};

/* Makes calls of which none is open. */
struct call_tracker *calls_new(size_t nr_cpus);
void calls_free(struct call_tracker *c);
/* Makes all calls unknown, for the start of a slice. */
void calls_forget(struct call_tracker *c);
/*
 * Adds a guess after calls_leave() returned CALLS_MAYBE: the text of ->names from @name on belongs
 * at @at if @func was not open.
 */
void calls_guess(struct call_tracker *c, size_t at, size_t name, unsigned int stream,
		 uint64_t depth, uint64_t func);
/* Moves the guesses by @len bytes that were inserted into the text at @at. */
void calls_moved(struct call_tracker *c, size_t at, size_t len);
/*
 * Inserts the names into @text of a slice whose calls were not @open before it, and drops all
 * guesses.
 */
void calls_settle(struct call_tracker *slice, const struct call_tracker *open, struct buf *text);
/* Updates @open to the calls open after the slice. */
void calls_join(struct call_tracker *open, const struct call_tracker *slice);

#endif
