/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls of function_graph that are open on each CPU, as the kernel's text knows them: an exit whose
 * entry was not shown there names its function.
 *
 * Who renders a slice of time does not know which calls were open before it. Where an exit depends
 * on that, its name is kept with the place where it may have to go (calls_guess()), and whoever
 * joins the slices puts it there (calls_settle()). Of each depth of a CPU that is one at most.
 */
#ifndef FTR_OUT_CALLS_H
#define FTR_OUT_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

#define CALLS_DEPTH 50		/* the kernel remembers the open calls up to here */

/* Functions whose end is to come, by depth. Zeroed: none. */
struct open_calls {
	uint64_t func[CALLS_DEPTH];
};

/* What else stands there; functions have bit 0 set, which tells none from another. */
enum { CALLS_NONE = 0, CALLS_UNKNOWN = 2 };

enum calls_end { CALLS_MATCH, CALLS_OTHER, CALLS_MAYBE };

static inline void calls_enter(struct open_calls *c, uint64_t depth, uint64_t func)
{
	if (depth < CALLS_DEPTH)
		c->func[depth] = func | 1;
}

/* A call without calls in it: its end is known. */
static inline void calls_leaf(struct open_calls *c, uint64_t depth)
{
	if (depth < CALLS_DEPTH)
		c->func[depth] = CALLS_NONE;
}

/* Whether the call that ends is the one that is open; the kernel does not ask beyond its depth. */
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

/* Text that belongs at ->at of a slice's if the call of ->func was not open before the slice. */
struct calls_guess {
	size_t   at, name, len;		/* ->name: in ->names */
	uint64_t func, depth;
	unsigned int stream;
};

struct calls {
	struct open_calls *cpus;	/* by trace_rec.stream */
	size_t nr_cpus;
	struct calls_guess *guesses;	/* in the order of ->at */
	size_t nr_guesses, cap;
	struct buf names;
};

/* Nothing is open. */
struct calls *calls_new(size_t nr_cpus);
void calls_free(struct calls *c);
/* Nothing is known: a slice begins. */
void calls_forget(struct calls *c);
/*
 * After calls_leave() said CALLS_MAYBE: what ->names has from @name on belongs at @at of the text
 * if @func was not open.
 */
void calls_guess(struct calls *c, size_t at, size_t name, unsigned int stream, uint64_t depth,
		 uint64_t func);
/* @len bytes were put into the text at @at. */
void calls_moved(struct calls *c, size_t at, size_t len);
/* Puts the names that are due into @text of a slice, by what is @open before it; none is left. */
void calls_settle(struct calls *slice, const struct calls *open, struct buf *text);
/* What is open behind the slice. */
void calls_join(struct calls *open, const struct calls *slice);

#endif
