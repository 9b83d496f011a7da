/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks at a recording while it goes on: the bounds that end it, and the line that shows it. */
#include "record/watch.h"

#include <stdlib.h>
#include <string.h>

#include "base/now.h"
#include "base/text.h"
#include "record/setup/stop_trigger.h"

#define SOON_NS	50000000ull	/* for what is to end soon after it happened */
#define LINE_NS	250000000ull
#define SECOND_NS 1000000000ull
#define LONG_NS (SECOND_NS * 9 / 10)	/* what a rate is taken over */
/*
 * Reading the counters of many CPUs takes long: at most one part in so many of a processor, but
 * once a second.
 */
#define COST 50

static uint64_t bytes_taken(const struct watch *w)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; w->recs && i < w->pl->n; i++)
		sum += recorder_bytes(w->recs[i]);
	return sum;
}

static uint64_t bytes_dropped(const struct watch *w)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; w->recs && i < w->pl->n; i++)
		sum += recorder_dropped(w->recs[i]);
	return sum;
}

void watch_begin(struct watch *w, const struct rec_plan *p, const struct tfs *t,
		 const struct rec_places *pl, struct recorder **recs, struct budget *budget)
{
	size_t i;

	*w = (struct watch){ .p = p, .t = t, .pl = pl, .recs = recs,
			      .budget = budget, .load = { .t = t } };
	for (i = 0; recs && i < pl->n; i++)
		if (!pl->v[i].swaps)
			load_add(&w->load, pl->v[i].instance);
	w->begin.ns = now_ns();
	w->read_ns = w->begin.ns + SOON_NS;
}

uint64_t watch_tick_ns(const struct watch *w, uint64_t ns)
{
	uint64_t want = ns;

	if (stop_given(w->p) || w->p->max_size)
		want = SOON_NS;
	else if (w->p->line || w->p->max_rate)
		want = LINE_NS;
	return want < ns ? want : ns;
}

/* ---- the bounds */

/* Where something else turned tracing off, the lists of triggers are not read all the time. */
static bool watch_stopped(struct watch *w, uint64_t now)
{
	char *what;

	if (!stop_given(w->p) || now < w->look_ns || !stop_is_off(w->t, w->pl))
		return false;
	what = stop_fired(w->t, w->p, w->pl);
	w->look_ns = now + SECOND_NS;
	if (!what)
		return false;
	w->why = xasprintf("stopped by %s", what);
	free(what);
	return true;
}

/*
 * What the buffers hold comes to the data, so that all of it is in the file where that can be; it
 * need not be looked at while it is far.
 */
static bool too_large(struct watch *w, const struct load_sum *s)
{
	struct buf why = {0};
	uint64_t is = bytes_taken(w) + s->waiting;

	if (!w->budget)
		return false;
	if (w->p->rotate)
		return w->full = budget_spent(w->budget);
	if (is < w->p->max_size && !budget_spent(w->budget))
		return false;
	buf_addstr(&why, "stopped: --max-size, the data came to ");
	text_bytes(&why, is);
	w->why = buf_take(&why);
	return true;
}

static const struct watch_point *second_ago(const struct watch *w)
{
	return w->nr_points < WATCH_POINTS ? &w->begin : &w->points[w->nr_points % WATCH_POINTS];
}

static uint64_t a_second(uint64_t n, uint64_t ns)
{
	return ns ? (double)n * SECOND_NS / ns : 0;
}

static bool too_fast(struct watch *w, const struct watch_point *now)
{
	const struct watch_point *then = second_ago(w);
	uint64_t rate = a_second(now->bytes - then->bytes, now->ns - then->ns);
	struct buf why = {0};

	/* The first moments may be anything. */
	if (!w->p->max_rate || now->ns - then->ns < LONG_NS || now->bytes < then->bytes ||
	    rate < w->p->max_rate)
		return false;
	buf_addstr(&why, "stopped: --max-rate, there came ");
	text_bytes(&why, rate);
	buf_addstr(&why, "/s, ");
	text_grouped(&why, a_second(now->events - then->events, now->ns - then->ns));
	buf_addstr(&why, " events/s");
	w->why = buf_take(&why);
	w->runaway = true;
	return true;
}

/* ---- the line */

static void add_lost_line(const struct watch *w, struct buf *out)
{
	bool overrun = !w->p->flight_kb;
	const struct load_cpu *c, *worst = NULL;
	uint64_t sum = 0;

	for (c = w->load.v; c < w->load.v + w->load.n; c++) {
		sum += load_lost(c, overrun);
		if (!worst || load_lost(c, overrun) > load_lost(worst, overrun))
			worst = c;
	}
	buf_addstr(out, "  lost ");
	text_count(out, sum);
	if (sum)
		buf_printf(out, " (most: CPU %d)", worst->cpu);
}

static void show_line(struct watch *w, const struct watch_point *now, const struct load_sum *s)
{
	const struct watch_point *then = second_ago(w);
	uint64_t ns = now->ns - then->ns;
	struct buf line = {0};

	buf_printf(&line, "%.1fs  ", (now->ns - w->begin.ns) / 1e9);
	text_count(&line, a_second(now->events - then->events, ns));
	buf_addstr(&line, " events/s  ");
	buf_printf(&line, "%.1f MB/s", now->bytes > then->bytes ?
		   a_second(now->bytes - then->bytes, ns) / 1e6 : 0.0);
	buf_addstr(&line, w->p->flight_kb ? "  kept " : "  file ");
	text_bytes(&line, w->p->flight_kb ? s->waiting : bytes_taken(w) - bytes_dropped(w));
	add_lost_line(w, &line);
	buf_printf(&line, "  buffer %u%%", s->percent);
	w->p->line(line.data);
	w->shown = true;
	buf_release(&line);
}

/* ---- all of it */

static bool wants_counters(const struct watch *w, uint64_t now)
{
	struct load_sum s;

	if (!w->recs || now < w->read_ns)
		return false;
	if (w->p->line || w->p->max_rate)
		return true;
	load_sum(&w->load, NULL, &s);
	return w->p->max_size && bytes_taken(w) + s.room >= w->p->max_size;
}

static bool take_watch_point(struct watch *w, uint64_t now)
{
	struct watch_point point = { .ns = now };
	uint64_t every = w->p->max_size ? SOON_NS : LINE_NS;
	uint64_t cost = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	struct load_sum s;
	bool ends;

	load_read(&w->load);
	load_sum(&w->load, NULL, &s);
	point.events = s.events;
	point.bytes = load_bytes(&s, w->earlier + bytes_taken(w));
	ends = too_large(w, &s) || too_fast(w, &point);
	cost = (clock_ns(CLOCK_THREAD_CPUTIME_ID) - cost) * COST;
	if (cost > every)
		every = cost < SECOND_NS ? cost : SECOND_NS;
	w->read_ns = now + every;
	if (ends || now - (w->nr_points ? w->points[(w->nr_points - 1) % WATCH_POINTS].ns :
			   w->begin.ns) < LINE_NS - SOON_NS / 2)
		return ends;
	if (w->p->line)
		show_line(w, &point, &s);
	w->points[w->nr_points++ % WATCH_POINTS] = point;
	return false;
}

bool watch_round(struct watch *w)
{
	uint64_t now = now_ns();

	return watch_stopped(w, now) || (wants_counters(w, now) && take_watch_point(w, now));
}

void watch_next(struct watch *w, struct recorder **recs, struct budget *budget)
{
	w->earlier += bytes_taken(w);
	w->recs = recs;
	w->budget = budget;
	w->full = false;
	w->read_ns = 0;
}

void watch_over(struct watch *w)
{
	if (w->shown)
		w->p->line(NULL);
	w->shown = false;
	/* The command may have ended before it was seen. */
	w->look_ns = 0;
	if (!w->why)
		watch_stopped(w, now_ns());
	if (w->why)
		(w->runaway ? w->p->warn : w->p->say)("%s", w->why);
}

void watch_count(struct watch *w)
{
	load_read(&w->load);
}

void watch_release(struct watch *w)
{
	load_release(&w->load);
	free(w->why);
	*w = (struct watch){0};
}
