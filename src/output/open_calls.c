/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls that are open where slices of time meet. */
#include "output/open_calls.h"

#include <stdlib.h>
#include <string.h>

struct call_tracker *calls_new(size_t nr_cpus)
{
	struct call_tracker *c = xcalloc(1, sizeof(*c));

	c->cpus = xcalloc(nr_cpus + 1, sizeof(*c->cpus));
	c->nr_cpus = nr_cpus;
	return c;
}

void calls_free(struct call_tracker *c)
{
	if (!c)
		return;
	buf_release(&c->names);
	free(c->guesses);
	free(c->cpus);
	free(c);
}

static void drop_guesses(struct call_tracker *c)
{
	c->nr_guesses = 0;
	buf_reset(&c->names);
}

void calls_forget(struct call_tracker *c)
{
	size_t i, depth;

	for (i = 0; i < c->nr_cpus; i++)
		for (depth = 0; depth < CALLS_DEPTH; depth++)
			c->cpus[i].func[depth] = CALLS_UNKNOWN;
	drop_guesses(c);
}

void calls_guess(struct call_tracker *c, size_t at, size_t name, unsigned int stream,
		 uint64_t depth, uint64_t func)
{
	c->guesses = xgrow(c->guesses, &c->cap, c->nr_guesses + 1, sizeof(*c->guesses));
	c->guesses[c->nr_guesses++] = (struct calls_guess){
		.at = at, .name = name, .len = c->names.len - name, .func = func, .depth = depth,
		.stream = stream,
	};
}

void calls_moved(struct call_tracker *c, size_t at, size_t len)
{
	size_t i;

	for (i = c->nr_guesses; i && c->guesses[i - 1].at >= at; i--)
		c->guesses[i - 1].at += len;
}

static bool is_guess_due(const struct call_tracker *open, const struct calls_guess *g)
{
	return open->cpus[g->stream].func[g->depth] != (g->func | 1);
}

void calls_settle(struct call_tracker *slice, const struct call_tracker *open, struct buf *text)
{
	const struct calls_guess *g;
	size_t i, more = 0, end = text->len;

	for (i = 0; i < slice->nr_guesses; i++)
		more += is_guess_due(open, &slice->guesses[i]) ? slice->guesses[i].len : 0;
	if (more) {
		buf_reserve(text, more);
		text->len += more;
		text->data[text->len] = '\0';
	}
	/* backwards, so that each byte is moved once */
	for (i = slice->nr_guesses; i-- && more;) {
		g = &slice->guesses[i];
		if (!is_guess_due(open, g))
			continue;
		memmove(text->data + g->at + more, text->data + g->at, end - g->at);
		more -= g->len;
		memcpy(text->data + g->at + more, slice->names.data + g->name, g->len);
		end = g->at;
	}
	drop_guesses(slice);
}

void calls_join(struct call_tracker *open, const struct call_tracker *slice)
{
	uint64_t func;
	size_t i, depth;

	for (i = 0; i < slice->nr_cpus; i++)
		for (depth = 0; depth < CALLS_DEPTH; depth++) {
			func = slice->cpus[i].func[depth];
			if (func != CALLS_UNKNOWN)
				open->cpus[i].func[depth] = func;
		}
}
