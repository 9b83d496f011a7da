/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The share of the files that was read, on a terminal. */
#include "cmd/frame/progress.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/now.h"
#include "cmd/frame/command.h"

#define CHECK_EACH   (1u << 16)	/* records between two reads of the clock */
#define SAY_AFTER_NS 1000000000u
#define SAY_EACH_NS  200000000u

void progress_start(struct progress *p, const struct selection *s)
{
	*p = (struct progress){ .wanted = line_wanted(false) && !cmd_quiet,
				.next = now_ns() + SAY_AFTER_NS, .first = UINT64_MAX };
	pthread_mutex_init(&p->lock, NULL);
	for (size_t i = 0; p->wanted && i < s->nr_traces; i++)
		trace_bounds(s->traces[i], &p->first, &p->last);
}

void progress_say(struct progress *p, uint64_t ts)
{
	char text[64];
	uint64_t now = now_ns();

	if (!p->wanted || now < p->next || p->last <= p->first || ts < p->first)
		return;
	snprintf(text, sizeof(text), "ftr: read %d %%",
		 (int)(100.0 * (ts - p->first) / (p->last - p->first)));
	line_show(text);
	p->shown = true;
	p->next = now + SAY_EACH_NS;
}

void progress_end(struct progress *p)
{
	if (p->shown)
		line_show(NULL);
	p->shown = false;
	pthread_mutex_destroy(&p->lock);
}

/* --- the match of out_render() */

static bool watch_match(void *ctx, const struct trace_rec *r)
{
	struct progress_watcher *w = ctx;

	if (!(++w->n % CHECK_EACH) && !pthread_mutex_trylock(&w->p->lock)) {
		progress_say(w->p, r->ts);
		pthread_mutex_unlock(&w->p->lock);
	}
	return !w->p->inner.match || w->p->inner.match(w->ctx, r);
}

static void *watch_fork(void *ctx, struct trace *const *views)
{
	const struct progress_watcher *of = ctx;
	struct progress_watcher *w = xcalloc(1, sizeof(*w));

	*w = (struct progress_watcher){ of->p, of->p->inner.fork(of->ctx, views), 0 };
	return w;
}

static void watch_unfork(void *ctx, void *forked)
{
	struct progress_watcher *of = ctx, *w = forked;

	of->p->inner.unfork(of->ctx, w->ctx);
	free(w);
}

void progress_watch(struct progress *p, const struct selection *s, struct out_match *m)
{
	progress_start(p, s);
	if (!p->wanted)
		return;
	p->inner = *m;
	p->outer = (struct progress_watcher){ p, m->ctx, 0 };
	*m = (struct out_match){
		watch_match, &p->outer, m->fork ? watch_fork : NULL, watch_unfork,
	};
}
