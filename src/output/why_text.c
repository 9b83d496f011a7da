/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The account of a task's time as lines of text. */
#include "output/why_text.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"

#define NS_PER_MS	1e6
/* a row inside of a sleep is shown from this share of it on */
#define WORTH		0.05
#define WAKER_ROWS	3

static const struct trace *trace_of(const struct why_text *t, const struct why_account *a)
{
	return t->traces[a->task->file];
}

void why_text_add_time(const struct why_text *t, const struct why_account *a, int width,
		       uint64_t v, struct buf *out)
{
	if (trace_of(t, a)->clock_is_ns)
		buf_printf(out, "%*.3f", width, v / NS_PER_MS);
	else
		buf_printf(out, "%*" PRIu64, width, v);
}

static double share(uint64_t part, uint64_t all)
{
	return all ? 100.0 * part / all : 0;
}

void why_text_add_title(const struct why_text *t, const struct why_account *a, const char *in,
			struct buf *out)
{
	model_add_task(t->model, a->task, out);
	if (in)
		buf_printf(out, ", %zu time%s in %s", a->nr_met, a->nr_met == 1 ? "" : "s", in);
	buf_addstr(out, ": ");
	why_text_add_time(t, a, 0, a->time, out);
	buf_addstr(out, trace_of(t, a)->clock_is_ns ? " ms from " : " from ");
	trace_add_time(out, trace_of(t, a), a->from, false);
	buf_addstr(out, " to ");
	trace_add_time(out, trace_of(t, a), a->to, false);
}

void why_text_add_heading(const struct why_text *t, const struct why_account *a, struct buf *out)
{
	buf_printf(out, "# %10s %5s %7s %10s\n", trace_of(t, a)->clock_is_ns ? "ms" : "time", "%",
		   "count", "longest");
}

void why_text_add_row(const struct why_text *t, const struct why_account *a,
		      const struct why_row *r, struct buf *out)
{
	why_text_add_time(t, a, 12, r->time, out);
	buf_printf(out, " %5.1f %7" PRIu64 " ", share(r->time, a->time), r->count);
	why_text_add_time(t, a, 10, r->longest, out);
	buf_printf(out, "  %*s", (int)(2 * r->depth), "");
	why_add_row(t->why, r, out);
	buf_addch(out, '\n');
}

void why_text_add_inside(const struct why_text *t, const struct why_account *a,
			 const struct why_row *r, struct buf *out)
{
	const struct why_row *in = why_row(t->why, r->first);
	uint64_t sector, nr_sector;
	size_t n = 0;

	if (why_longest_request(t->why, r, &sector, &nr_sector))
		buf_printf(out, "%41sthe longest: sector %" PRIu64 " + %" PRIu64 "\n", "", sector,
			   nr_sector);
	for (; in && n < WAKER_ROWS && (!n || in->time >= WORTH * r->time); n++) {
		if (n) {
			buf_addstr(out, "; ");
		} else {
			buf_printf(out, "%41s", "");
			why_add_waker(t->why, r, out);
			buf_addstr(out, ": ");
		}
		why_add_row(t->why, in, out);
		buf_addstr(out, " (");
		why_text_add_time(t, a, 0, in->time, out);
		buf_addstr(out, trace_of(t, a)->clock_is_ns ? " ms)" : ")");
		in = why_row(t->why, in->next);
	}
	if (n)
		buf_addch(out, '\n');
}

void why_text_add_hints(const struct why_text *t, const struct why_account *a, struct buf *out)
{
	struct strv seen = {0};

	for (uint32_t nr = a->first; nr; nr = why_row(t->why, nr)->next) {
		const char *hint = why_hint(t->why, why_row(t->why, nr));
		uint64_t time = 0;
		size_t i;

		for (i = 0; hint && i < seen.n && strcmp(seen.v[i], hint);)
			i++;
		if (!hint || i < seen.n)
			continue;
		strv_add(&seen, hint);
		for (uint32_t k = nr; k; k = why_row(t->why, k)->next) {
			const char *other = why_hint(t->why, why_row(t->why, k));

			if (other && !strcmp(other, hint))
				time += why_row(t->why, k)->time;
		}
		buf_printf(out, "# %.1f %% would be named by %s\n", share(time, a->time), hint);
	}
	strv_release(&seen);
}
